/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-tree.c - the blocks and conditions of a tree -> operations.
 *
 *      if t1 {                          %m.2 = if %1 {
 *        m.4 = copy.f32 x.5               yield %x
 *      } else {                 =>      } else {
 *        t2 = mul.f32 m.4, y.6            %2 = scalar_mul %m, %y
 *        m.4 = copy.f32 t2                yield %2
 *      }                                }
 *
 * The results of an IF are the variables that an arm assigns and that something behind it reads. An IF without
 * operations in its arms is a choice of scalars.
 */
#include <string.h>

#include "build.h"

Built *build_state(const Builder *b, const Built *from)
{
    const size_t bytes = ((size_t)b->function->nvariables + 1) * sizeof *from;
    return memcpy(arena_alloc(b->module, bytes), from, bytes);
}

void build_yield(Builder *b, Block *block, Opcode code, Loc loc, int nargs, Value *const *args)
{
    op_append(block, op_new(b->kernel, code, loc, nargs, args));
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* A value gets the name of the first variable that holds it.  */
static void name_value(Value *value, const char *name)
{
    if (value->def && value->def->code != OP_CONST && !value->name)
        value->name = name;
}

static void assign(Builder *b, const Instruction *copy)
{
    SourceVariable *variable = copy->variable;
    const char *name = variable->declaration.name;
    Built made = {.kind = BUILT_SCALAR};
    const bool constant = copy->args[0].kind == OPERAND_INTEGER;
    if (constant && (variable->declaration.holds == HOLDS_TILE || variable->declaration.holds == HOLDS_TENSOR)) {
        reject(b->kernel, build_place(copy), REASON_NOT_A_HANDLE, source_holds_text(variable->declaration.holds));
        return;
    }
    if (variable->type == ST_P) {
        made = build_pointer(b, copy->loc, copy->args[0]);
        made.name = name ? name : made.name;
    } else
        made.value = build_scalar(b, copy->loc, copy->args[0], variable->type);
    if (made.value && !built_has_bytes(&made) && variable != b->counted)
        name_value(made.value, name);
    build_note_holder(b, &variable->declaration, &made);
    b->variables[variable->id] = made;
}

static bool is_of_addresses(const Instruction *i)
{
    const SourceForm form = source_op_form(i->code);
    if (form == FORM_OBJECT || form == FORM_SYMBOL || form == FORM_STRING || i->type == ST_P)
        return form != FORM_LOAD && form != FORM_CALL;
    return form == FORM_CONVERT && i->from == ST_P;
}

void build_instruction(Builder *b, const Instruction *i)
{
    Built made = {.kind = BUILT_NONE};
    switch (source_op_form(i->code)) {
    case FORM_MARK:
        if (!b->marks[i->mark])
            build_refuse_mark(b, i);
        return;
    case FORM_COPY:
        assign(b, i);
        return;
    case FORM_STORE:
        build_store(b, i);
        return;
    case FORM_LOAD:
        made = build_load(b, i);
        break;
    case FORM_CALL:
        made = build_call(b, i);
        break;
    case FORM_MOVE:
    case FORM_ZERO:
        if (b->kernel->grid.plain)
            reject(b->kernel, i->loc, REASON_STRUCT_COPIED);
        else
            reject(b->kernel, i->loc, REASON_OBJECT_CHANGES_UNNAMED);
        return;
    case FORM_ALLOCATE:
        reject(b->kernel, i->loc, REASON_ARRAY_VARIABLE_LENGTH);
        return;
    default:
        if (is_of_addresses(i))
            made = build_address_operation(b, i);
        else {
            made.value = build_scalar_operation(b, i);
            made.kind = made.value ? BUILT_SCALAR : BUILT_NONE;
        }
    }
    if (made.kind == BUILT_SCALAR && i->holders)
        name_value(made.value, i->holders->declaration->name);
    if (i->temporary)
        b->temporaries[i->temporary] = made;
}

/* A tile that a way does not make, in front of the operation: types find its type.  */
Value *build_no_tile(Builder *b, Op *where)
{
    Op *zeros = op_new(b->kernel, OP_FULL, where->loc, 0, NULL);
    op_before(where, zeros);
    return op_result(b->kernel, zeros, type_tile(D_F32, -1, -1), NULL);
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

typedef struct {
    const SourceVariable **variables;
    Value **yes, **no;
    int count;
} Meeting;

static bool same(const Built *x, const Built *y)
{
    return x->kind == y->kind && x->value == y->value && x->offset == y->offset;
}

/* What an arm without a value hands on, since nothing reads it.  */
static Value *part_of(Builder *b, const Built *own, const Built *other)
{
    if (built_has_bytes(own))
        return own->offset ? own->offset : build_integer(b, D_I64, 0);
    if (own->kind != BUILT_NONE)
        return own->value;
    return built_has_bytes(other)        ? build_integer(b, D_I64, 0)
           : other->kind == BUILT_SCALAR ? build_zero(b, other->value->type.dtype)
                                         : NULL;
}

static void meet(Builder *b, Op *op, Meeting *all, const SourceVariable *variable, const Built *yes, const Built *no)
{
    if (same(yes, no) || (yes->kind == BUILT_NONE && no->kind == BUILT_NONE))
        return;
    const Built *some = yes->kind == BUILT_NONE ? no : yes;
    const bool tensor = some->kind == BUILT_HANDLE && some->value->type.kind == K_TENSOR;
    const char *name = variable->declaration.name;
    if (variable->declaration.holds == HOLDS_TILE && name && (yes->kind == BUILT_NONE || no->kind == BUILT_NONE)) {
        reject(b->kernel, variable->declaration.loc, REASON_TILE_NO_VALUE, name);
        return;
    }
    if ((built_has_bytes(some) || tensor) && no->kind != BUILT_NONE && yes->kind != BUILT_NONE &&
        (tensor || yes->kind != no->kind || yes->value != no->value)) {
        build_refuse_meeting(b, op->loc, yes, no, name);
        return;
    }
    Value *parts[2] = {part_of(b, yes, no), part_of(b, no, yes)};
    for (int k = 0; k < 2; k++)
        if (!parts[k])
            parts[k] = build_no_tile(b, op);
    const int n = all->count;
    all->yes[n] = parts[0];
    all->no[n] = parts[1];
    all->variables[all->count++] = variable;
}

static bool has_operations(const Block *block)
{
    return block->first != NULL;
}

static Value *chosen(Builder *b, Loc loc, Value *condition, Value *yes, Value *no)
{
    Value *args[] = {condition, yes, no};
    return yes == no ? yes : build_op(b, OP_SCALAR_SELECT, loc, yes->type, 3, args);
}

static bool is_empty(const SourceTree *list)
{
    while (list && list->kind == TREE_BLOCK && !list->first)
        list = list->next;
    return !list;
}

/* The opposite condition. Of integers it is the opposite comparison.  */
static Value *opposite(Builder *b, Loc loc, Value *condition)
{
    static const Opcode opposites[OP_COUNT] = {
        [OP_SCALAR_EQ] = OP_SCALAR_NE, [OP_SCALAR_NE] = OP_SCALAR_EQ, [OP_SCALAR_LT] = OP_SCALAR_GE,
        [OP_SCALAR_GE] = OP_SCALAR_LT, [OP_SCALAR_GT] = OP_SCALAR_LE, [OP_SCALAR_LE] = OP_SCALAR_GT};
    const Op *def = condition->def;
    if (def && opposites[def->code] && !dtype_is_float(def->args[0]->type.dtype))
        return build_op(b, opposites[def->code], loc, condition->type, 2, def->args);
    return build_op(b, OP_SCALAR_NOT, loc, condition->type, 1, &condition);
}

static void build_if(Builder *b, const SourceTree *tree, const uint64_t *live)
{
    Value *condition = build_scalar(b, tree->loc, tree->condition, ST_B);
    if (!condition)
        return;
    SourceTree other = *tree;
    if (is_empty(tree->yes) && !is_empty(tree->no)) {
        condition = opposite(b, tree->loc, condition);
        other.yes = tree->no;
        other.no = NULL;
        tree = &other;
    }
    Op *op = op_new(b->kernel, OP_IF, tree->loc, 1, &condition);
    Block *arms[] = {block_new(b->kernel, op), block_new(b->kernel, op)}, *block = b->block;
    Built *before = b->variables, *after[2];
    uint64_t *assigned = build_set(b);
    op_append(block, op);
    for (int k = 0; k < 2; k++) {
        b->block = arms[k];
        b->variables = build_state(b, before);
        build_list(b, k ? tree->no : tree->yes, live);
        build_assigned(b, k ? tree->no : tree->yes, assigned);
        after[k] = b->variables;
    }
    const size_t room = (size_t)b->function->nvariables + 1;
    Meeting all = {.variables = arena_alloc(b->module, room * sizeof *all.variables),
                   .yes = arena_alloc(b->module, room * sizeof *all.yes),
                   .no = arena_alloc(b->module, room * sizeof *all.no)};
    b->block = block;
    b->variables = before;
    for (int v = 0; v < b->function->nvariables; v++)
        if (build_has(assigned, v)) {
            before[v] = after[0][v].kind == BUILT_NONE ? after[1][v] : after[0][v];
            if (build_has(live, v))
                meet(b, op, &all, b->function->variables[v], &after[0][v], &after[1][v]);
        }
    bool flat = !has_operations(arms[0]) && !has_operations(arms[1]);
    for (int k = 0; k < all.count; k++)
        flat &= all.yes[k]->type.kind == K_SCALAR;
    if (flat)
        op_remove(op);
    for (int k = 0; k < all.count; k++) {
        Built *slot = &before[all.variables[k]->id];
        Value *value =
            flat ? chosen(b, tree->loc, condition, all.yes[k], all.no[k])
                 : op_result(b->kernel, op, build_type_handed(all.yes[k]), all.variables[k]->declaration.name);
        *(built_has_bytes(slot) ? &slot->offset : &slot->value) = value;
    }
    if (flat)
        return;
    build_yield(b, arms[0], OP_YIELD, tree->loc, all.count, all.yes);
    build_yield(b, arms[1], OP_YIELD, tree->loc, all.count, all.no);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

void build_list(Builder *b, const SourceTree *list, const uint64_t *live)
{
    uint64_t **behind = build_live_behind(b, list, live);
    for (; list && !b->kernel->failed; list = list->next, behind++) {
        if (list->kind == TREE_BLOCK) {
            for (const Instruction *i = list->first; i && !b->kernel->failed; i = i->next)
                build_instruction(b, i);
            continue;
        }
        if (list->kind == TREE_END)
            return;
        if (list->kind == TREE_IF)
            build_if(b, list, *behind);
        else
            build_loop(b, list, *behind);
    }
}
