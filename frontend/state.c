/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * state.c - what variables hold, and where paths meet.
 *
 *   if (c) continue;          two ways out of the IF: to the loop's next iteration, and on; each with its own state
 *   acc = ws_dot (...);       where two ways meet, a slot that differs becomes a result of the IF
 *
 * A variable is one slot for each scalar, pointer, tile or tensor of it.  A state holds one Result for each slot.
 */
#include <string.h>

#include "frontend.h"

const Goal FALL = {1 << 30};

/* ---- variables and slots ----------------------------------------------------------------------------------------- */

int variable_new(Walk *w, CXCursor decl, CXType type, bool parameter)
{
    int number = w->nvariables;
    Object *variable = &LIST_ADD(w->u->module, w->variables, w->nvariables);
    bool named = !clang_Cursor_isNull(decl);
    *variable = (Object){named ? clang_getCanonicalCursor(decl) : decl, w->frame->id,
                         named ? name_of(w->u, decl) : NULL, parameter, type};
    return number;
}

int variable_find(const Walk *w, CXCursor decl)
{
    for (int i = w->nvariables - 1; i >= 0; i--)
        if (w->variables[i].frame == w->frame->id && same_decl(w->variables[i].decl, decl))
            return i;
    return -1;
}

int slot_of(Walk *w, int variable, int64_t byte, bool make)
{
    for (int i = w->nslots - 1; i >= 0; i--)
        if (w->slots[i].variable == variable && w->slots[i].byte == byte)
            return i;
    if (!make)
        return -1;
    LIST_ADD(w->u->module, w->slots, w->nslots) = (Slot){variable, byte};
    return w->nslots - 1;
}

Result slot_read(const Walk *w, int slot)
{
    if (slot >= 0 && slot < w->state.count && w->state.slot[slot].kind != R_NONE)
        return w->state.slot[slot];
    for (int i = 0; i < w->nsettled; i++)
        if (w->settled[i].slot == slot)
            return w->settled[i].result;
    return (Result){.kind = R_NONE};
}

void slot_write(Walk *w, int slot, Result result)
{
    while (w->state.count <= slot)
        LIST_ADD(w->u->module, w->state.slot, w->state.count) = (Result){.kind = R_NONE};
    w->state.slot[slot] = result;
}

const char *slot_name(const Walk *w, int slot)
{
    return w->variables[w->slots[slot].variable].name;
}

State state_kept(Walk *w, const State *state, int slots)
{
    State copy = {state->count < slots ? state->count : slots, NULL};
    copy.slot = arena_alloc(w->u->module, sizeof(Result) * (size_t)(2 * copy.count + 16));
    if (copy.count)
        memcpy(copy.slot, state->slot, sizeof(Result) * (size_t)copy.count);
    State grown = {0, NULL};
    for (int i = 0; i < copy.count; i++) /* room that LIST_ADD knows of */
        LIST_ADD(w->u->module, grown.slot, grown.count) = copy.slot[i];
    return grown;
}

/* What was declared since there were so many slots.  */
void scope_end(Walk *w, int slots)
{
    for (int i = slots; i < w->state.count; i++)
        w->state.slot[i] = (Result){.kind = R_NONE};
}

Result result_of(Value *value)
{
    return (Result){.kind = value ? R_VALUE : R_NONE, .value = value};
}

/* ---- ways out ---------------------------------------------------------------------------------------------------- */

Exits exits_none(Walk *w, int room)
{
    return (Exits){0, arena_alloc(w->u->module, sizeof(Jump) * (size_t)(room + 1))};
}

Exits jump_to(Walk *w, const Goal *target)
{
    Exits exits = exits_none(w, 1);
    exits.list[exits.count++] = (Jump){target, state_kept(w, &w->state, target->slots), NULL};
    return exits;
}

Jump *exits_find(Exits *exits, const Goal *target)
{
    for (int i = 0; i < exits->count; i++)
        if (exits->list[i].target == target)
            return &exits->list[i];
    return NULL;
}

/* ---- IF ---------------------------------------------------------------------------------------------------------- */

bool value_inside(const Value *value, const Op *op)
{
    const Block *block = value->def ? value->def->parent : value->block;
    for (; block; block = block->parent ? block->parent->parent : NULL)
        if (block->parent == op)
            return true;
    return false;
}

void yield_to(Walk *w, Block *block, Opcode code, int nargs, Value *const *args)
{
    op_append(block, op_new(w->kernel, code, w->where, nargs, args));
}

Op *if_new(Walk *w, Value *condition)
{
    Op *op = op_new(w->kernel, OP_IF, w->where, 1, &condition);
    block_new(w->kernel, op);
    block_new(w->kernel, op);
    op_append(w->block, op);
    return op;
}

/* What an IF has to hand out.  */
typedef struct {
    Value *yes, *no, **to;
    const char *name;
} Wanted;
typedef struct {
    Op *op;
    Value *condition;
    Wanted *list;
    int count;
} Results;

/* For a path on which nobody looks at the value.  A tile of zeros gets its type from what it stands beside.  */
static Value *nothing(Walk *w, const Value *like, Op *op, const Result *before)
{
    if (like->type.kind == K_SCALAR)
        return literal(w, like->type.dtype, 0, 0);
    if (before && before->kind == R_VALUE && before->value && !value_inside(before->value, op))
        return before->value;
    Op *zeros = op_new(w->kernel, OP_FULL, w->where, 0, NULL);
    op_before(op, zeros);
    return op_result(w->kernel, zeros, type_tile(D_F32, -1, -1), NULL);
}

static void want(Walk *w, Results *results, Value *yes, Value *no, const char *name, Value **to, const Result *before)
{
    Value *any = yes ? yes : no;
    if (!any)
        return;
    if ((!yes || !no || yes == no) && !value_inside(any, results->op)) {
        *to = any;
        return;
    }
    LIST_ADD(w->u->module, results->list, results->count) = (Wanted){
        yes ? yes : nothing(w, no, results->op, before), no ? no : nothing(w, yes, results->op, before), to, name};
}

static Value *pick(Walk *w, Value *condition, Value *yes, Value *no)
{
    int64_t x, y;
    if (yes == no)
        return yes;
    if (yes->type.dtype == D_I1 && ir_constant(yes, &x) && ir_constant(no, &y))
        return x ? condition : negated(w, condition);
    Value *args[] = {condition, yes, no};
    return op_of(w, OP_SCALAR_SELECT, yes->type, 3, args);
}

static bool is_flat(const Results *results)
{
    if (results->op->blocks[0]->first || results->op->blocks[1]->first)
        return false;
    for (int i = 0; i < results->count; i++)
        if (results->list[i].yes->type.kind != K_SCALAR)
            return false;
    return true;
}

/* An IF whose first arm is empty, as a `continue` leaves it, holds the rest in its first arm.  */
static void turn(Walk *w, Op *op)
{
    Block *then = op->blocks[0];
    if (then->first->code != OP_YIELD || op->blocks[1]->first->code == OP_YIELD || op->nresults)
        return;
    op->blocks[0] = op->blocks[1];
    op->blocks[1] = then;
    op_remove(op);
    op->args[0] = negated(w, op->args[0]);
    op_append(w->block, op);
}

/* End both arms; without operations in them an IF is a choice of scalars.  */
static void finish(Walk *w, Results *results)
{
    bool flat = is_flat(results);
    Value **yes = arena_alloc(w->u->module, sizeof(Value *) * (size_t)(results->count + 1));
    Value **no = arena_alloc(w->u->module, sizeof(Value *) * (size_t)(results->count + 1));
    if (flat)
        op_remove(results->op);
    for (int i = 0; i < results->count; i++) {
        const Wanted *wanted = &results->list[i];
        yes[i] = wanted->yes;
        no[i] = wanted->no;
        *wanted->to = flat ? pick(w, results->condition, yes[i], no[i])
                           : op_result(w->kernel, results->op, type_handed(yes[i]), wanted->name);
        if (flat)
            name_value(w, *wanted->to, wanted->name);
    }
    if (flat)
        return;
    yield_to(w, results->op->blocks[0], OP_YIELD, results->count, yes);
    yield_to(w, results->op->blocks[1], OP_YIELD, results->count, no);
    turn(w, results->op);
}

Value *choose(Walk *w, Op *op, Value *condition, Value *yes, Value *no)
{
    Results results = {op, condition, NULL, 0};
    Value *value = NULL;
    want(w, &results, yes, no, NULL, &value, NULL);
    finish(w, &results);
    return value;
}

/* Complex numbers.  */
Result choose_pair(Walk *w, Op *op, Value *condition, const Result *yes, const Result *no)
{
    Results results = {op, condition, NULL, 0};
    Value *real = NULL, *imaginary = NULL;
    want(w, &results, yes->value, no->value, NULL, &real, NULL);
    want(w, &results, yes->imaginary, no->imaginary, NULL, &imaginary, NULL);
    finish(w, &results);
    return pair_of(real, imaginary);
}

/* The same of several, which go to where those for `no` stand.  */
void choose_all(Walk *w, Value *condition, int count, Value **yes, Value *const *no)
{
    Op *op = if_new(w, condition);
    Results results = {op, condition, NULL, 0};
    for (int i = 0; i < count; i++)
        want(w, &results, yes[i], no[i], yes[i]->name, &yes[i], NULL);
    finish(w, &results);
}

/* Where ways meet that hold something else in a slot than scalars and tiles: alike, or nothing that can be used.  */
static bool same_result(const Result *x, const Result *y)
{
    if (x->kind != y->kind)
        return false;
    if (x->kind == R_POINTER)
        return !strcmp(x->text, y->text) && x->offset == y->offset;
    if (x->kind == R_PLACE)
        return x->variable == y->variable && x->byte == y->byte;
    if (x->kind == R_LATER)
        return same_decl(x->decl, y->decl);
    return x->value == y->value;
}

static bool is_chosen(const Result *x)
{
    return x->kind == R_VALUE && x->value->type.kind != K_TENSOR;
}

static Value *initial(Walk *w, const Result *like)
{
    return like->value->type.kind == K_SCALAR ? literal(w, like->value->type.dtype, 0, 0) : NULL;
}

static void meet(Walk *w, Results *results, int slot, const Result *x, const Result *y, bool both, Result *to)
{
    const Result none = {.kind = R_NONE}, *before = slot < w->state.count ? &w->state.slot[slot] : &none;
    *to = none;
    bool x_chosen = x && is_chosen(x), y_chosen = y && is_chosen(y);
    const Result *one = x_chosen ? x : y_chosen ? y : NULL;
    if (both && x_chosen != y_chosen && one->value->type.kind != K_SCALAR)
        return; /* a tile on one of the ways alone: whoever reads it is told */
    if ((x_chosen || y_chosen) && (!both || (x_chosen && y_chosen) || x->kind == R_NONE || y->kind == R_NONE)) {
        to->kind = R_VALUE;
        Value *yes = x_chosen ? x->value : both ? initial(w, y) : NULL;
        Value *no = y_chosen ? y->value : both ? initial(w, x) : NULL;
        to->value = yes ? yes : no;
        want(w, results, yes, no, slot_name(w, slot), &to->value, before);
    } else if (!both) {
        *to = x ? *x : *y;
    } else if (same_result(x, y)) {
        *to = *x;
    }
}

static Value *taken_flag(Walk *w, const Exits *exits, const Jump *jump)
{
    if (!jump)
        return literal_int(w, D_I1, 0);
    return exits->count == 1 ? literal_int(w, D_I1, 1) : jump->taken;
}

static void merge_state(Walk *w, Results *results, Jump *jump, const Jump *x, const Jump *y)
{
    int count = x ? x->state.count : 0;
    if (y && y->state.count > count)
        count = y->state.count;
    const Result none = {.kind = R_NONE};
    for (int i = 0; i < count; i++)
        LIST_ADD(w->u->module, jump->state.slot, jump->state.count) = none;
    for (int i = 0; i < count; i++) {
        const Result *a = !x ? NULL : i < x->state.count ? &x->state.slot[i] : &none;
        const Result *b = !y ? NULL : i < y->state.count ? &y->state.slot[i] : &none;
        meet(w, results, i, a, b, x && y, &jump->state.slot[i]);
    }
}

/* The ways out of an IF, of those out of its arms.  Not to be moved before its values are bound: slots are pointed
   to. */
Exits merge(Walk *w, Op *op, Value *condition, Exits *yes, Exits *no)
{
    Results results = {op, condition, NULL, 0};
    Exits *exits = arena_alloc(w->u->module, sizeof *exits);
    *exits = exits_none(w, yes->count + no->count);
    for (int i = 0; i < yes->count; i++)
        exits->list[exits->count++].target = yes->list[i].target;
    for (int i = 0; i < no->count; i++)
        if (!exits_find(exits, no->list[i].target))
            exits->list[exits->count++].target = no->list[i].target;
    for (int i = 0; i < exits->count; i++) {
        Jump *jump = &exits->list[i], *x = exits_find(yes, jump->target), *y = exits_find(no, jump->target);
        merge_state(w, &results, jump, x, y);
        if (exits->count > 1)
            want(w, &results, taken_flag(w, yes, x), taken_flag(w, no, y), NULL, &jump->taken, NULL);
    }
    finish(w, &results);
    return *exits;
}
