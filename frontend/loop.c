/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop.c - one loop -> FOR or WHILE.
 *
 *   for (k = 0; k < K; k += 64)       counted: FOR
 *   while (n > 1 && ws_at (t, n))     tested on top, left there alone: WHILE
 *   for (;;) { ...; if (c) break; }   anything else: a WHILE over a flag; each way out says whether it was taken
 *
 * A loop carries the slots that it may write; source_prune () takes away those that it need not.
 */
#include <string.h>

#include "frontend.h"

static bool is_pointed_to(const Walk *w, int variable)
{
    for (int i = 0; i < w->state.count; i++)
        if (w->state.slot[i].kind == R_PLACE && w->state.slot[i].variable == variable)
            return true;
    return false;
}

static bool may_write(const Walk *w, CXCursor loop, int variable)
{
    const Object *v = &w->variables[variable];
    if (v->frame == w->frame->id && !clang_Cursor_isNull(v->decl) && may_change(w->u, loop, v->decl))
        return true;
    return is_pointed_to(w, variable);
}

/* A variable without a value so far: 0, or a tile whose type is found by what it stands beside.  */
static Value *nothing_yet(Walk *w, CXType type)
{
    Dtype dtype;
    if (scalar_type(is_complex(type) ? part_type(type) : type, &dtype))
        return literal(w, dtype, 0, 0);
    if (!is_tile_type(type))
        return NULL;
    Op *op = op_new(w->kernel, OP_FULL, w->where, 0, NULL);
    op_append(w->block, op);
    return op_result(w->kernel, op, type_tile(D_F32, -1, -1), NULL);
}

static bool leaves_as_it_is(const Unit *u, CXCursor c, void *context)
{
    CXCursor target = assigned_by(u, c);
    const CXCursor *decl = context;
    return clang_Cursor_isNull(target) || !same_decl(decl_of(u, target), *decl);
}

/* The variable itself, not what it points to.  */
static bool is_given_anew(const Unit *u, CXCursor loop, CXCursor decl)
{
    return !each_below(u, loop, leaves_as_it_is, &decl);
}

/* What a slot begins with, if a loop can carry it.  */
Value *carried_init(Walk *w, int slot)
{
    Result now = slot_read(w, slot);
    CXType type = w->variables[w->slots[slot].variable].type;
    if (now.kind == R_VALUE && now.value->type.kind != K_TENSOR)
        return now.value;
    return now.kind == R_NONE && !is_aggregate(type) && slot < w->state.count ? nothing_yet(w, type) : NULL;
}

Carried find_carried(Walk *w, CXCursor loop, int without)
{
    Carried carried = {NULL, 0, NULL};
    int count = 0;
    for (int i = 0; i < w->nslots; i++) {
        const Object *v = &w->variables[w->slots[i].variable];
        Result now = slot_read(w, i);
        bool is_own = v->frame == w->frame->id && !clang_Cursor_isNull(v->decl) &&
                      begin_of(loop) <= begin_of(v->decl) && end_of(v->decl) <= end_of(loop) && now.kind == R_NONE;
        if (i == without || is_own || !may_write(w, loop, w->slots[i].variable))
            continue;
        Value *init = carried_init(w, i);
        bool changes = v->frame == w->frame->id && !clang_Cursor_isNull(v->decl) && now.kind != R_NONE &&
                       is_given_anew(w->u, loop, v->decl) && !is_aggregate(v->type);
        if (!init && changes)
            slot_write(w, i, (Result){.kind = R_NONE}); /* a pointer, a tensor: not known from the first iteration on */
        if (!init)
            continue;
        LIST_ADD(w->u->module, carried.slots, carried.count) = i;
        LIST_ADD(w->u->module, carried.inits, count) = init;
    }
    return carried;
}

static Value *argument(Walk *w, Block *block, const Carried *carried, int i)
{
    int slot = carried->slots[i];
    return block_arg(w->kernel, block, type_handed(carried->inits[i]), slot_name(w, slot), w->where);
}

static void bind_arguments(Walk *w, Block *block, const Carried *carried)
{
    for (int i = 0; i < carried->count; i++)
        slot_write(w, carried->slots[i], result_of(argument(w, block, carried, i)));
}

static void bind_results(Walk *w, Op *op, const Carried *carried)
{
    for (int i = 0; i < carried->count; i++)
        slot_write(
            w, carried->slots[i],
            result_of(op_result(w->kernel, op, type_handed(carried->inits[i]), slot_name(w, carried->slots[i]))));
}

static Pipeline *pipeline_for(Walk *w, CXCursor loop)
{
    Pragma *pragma = pragma_of_loop(w->u, loop, w->frame->function);
    if (!pragma || pragma->kind == DIRECTIVE_GRID)
        return NULL;
    Pipeline *pipeline = arena_alloc(w->u->module, sizeof *pipeline);
    *pipeline = pragma->pipeline;
    pipeline->loc = pragma->loc;
    pragma->used = true;
    if (pragma->kind == DIRECTIVE_PIPELINE && !w->pipelined)
        w->pipelined = pragma;
    return pipeline;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* The body and the step, up to where the next iteration begins; ways that leave the loop are in the result, too.  */
Exits walk_body(Walk *w, const LoopParts *parts, const Goal *again, const Goal *out)
{
    const Goal *outer_again = w->again, *outer_out = w->out, *outer_end = w->end;
    Goal next = {again->slots};
    Cursors rest = parts->leading ? children(w->u, parts->body) : (Cursors){1, NULL};
    CXCursor *body = NULL;
    int count = 0;
    for (int i = parts->leading; i < rest.count; i++)
        LIST_ADD(w->u->module, body, count) = parts->leading ? rest.list[i] : parts->body;
    LIST_ADD(w->u->module, body, count) = clang_getNullCursor();
    int slots = w->nslots;
    w->again = w->end = &next;
    w->out = out;
    Exits exits = walk_list(w, body, count, 0);
    w->again = outer_again;
    w->out = outer_out;
    w->end = outer_end;
    Jump *jump = exits_find(&exits, &next);
    if (!jump)
        return exits;
    jump->target = again;
    if (clang_Cursor_isNull(parts->step))
        return exits;
    if (exits.count == 1) {
        w->state = jump->state;
        eval(w, parts->step);
        scope_end(w, slots);
        return jump_to(w, again);
    }
    Op *op = if_new(w, jump->taken);
    Block *block = w->block;
    Exits others = exits_none(w, exits.count);
    for (int i = 0; i < exits.count; i++)
        if (&exits.list[i] != jump)
            others.list[others.count++] = exits.list[i];
    State before = state_kept(w, &jump->state, jump->state.count);
    w->block = op->blocks[0];
    w->state = state_kept(w, &before, before.count);
    eval(w, parts->step);
    Exits here = jump_to(w, again);
    w->block = block;
    w->state = before;
    return merge(w, op, jump->taken, &here, &others);
}

Value *carried_value(const Carried *carried, int i, const Jump *jump)
{
    int slot = carried->slots[i];
    Result now = slot < jump->state.count ? jump->state.slot[slot] : (Result){.kind = R_NONE};
    return now.kind == R_VALUE ? now.value : carried->inits[i];
}

static void yield_carried(Walk *w, Block *block, const Carried *carried, const Jump *jump)
{
    int count = carried->count;
    Value **values = arena_alloc(w->u->module, sizeof(Value *) * (size_t)(count + w->narrays + 1));
    for (int i = 0; i < carried->count; i++)
        values[i] = carried_value(carried, i, jump);
    count = array_yield(w, block->parent, values, count);
    yield_to(w, block, OP_YIELD, count, values);
}

static void refuse_irregular(Walk *w, CXCursor loop)
{
    refuse(w, loop, "use if, for, while and continue; leave a loop by its condition",
           "this control flow cannot be structured");
}

/* ---- FOR --------------------------------------------------------------------------------------------------------- */

static Value *wide_op(Walk *w, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return op_of(w, code, type_scalar(D_I64), 2, args);
}

static Value *wide_bound(Walk *w, const Bound *bound)
{
    Value *hi = bound->folded && clang_Cursor_isNull(bound->offset) ? literal_int(w, D_I64, bound->number)
                                                                    : convert(w, argument_of(w, bound->hi), D_I64);
    if (clang_Cursor_isNull(bound->offset))
        return hi;
    Value *offset =
        bound->folded ? literal_int(w, D_I64, bound->number) : convert(w, argument_of(w, bound->offset), D_I64);
    return wide_op(w, bound->subtract ? OP_SCALAR_ADD : OP_SCALAR_SUB, hi, offset);
}

static Value *nearer(Walk *w, bool up, Value *x, Value *y, bool reached)
{
    if (!reached)
        return wide_op(w, up ? OP_SCALAR_MIN : OP_SCALAR_MAX, x, y);
    Value *compared[] = {y, x};
    Value *args[] = {op_of(w, up ? OP_SCALAR_LT : OP_SCALAR_GT, type_scalar(D_I1), 2, compared),
                     wide_op(w, up ? OP_SCALAR_ADD : OP_SCALAR_SUB, y, literal_int(w, D_I64, 1)), x};
    return op_of(w, OP_SCALAR_SELECT, type_scalar(D_I64), 3, args);
}

/* Several bounds as one, and how k compares with it.  */
static Value *joined_bound(Walk *w, const Count *count, Opcode *how)
{
    bool up = *how == OP_SCALAR_LT || *how == OP_SCALAR_LE, mixed = false;
    for (int i = 1; i < count->nbounds; i++)
        mixed |= count->bounds[i].compare != *how;
    Value *all = NULL;
    if (mixed)
        *how = up ? OP_SCALAR_LT : OP_SCALAR_GT;
    for (int pass = 0; pass < 2; pass++) /* first those that are not reached */
        for (int i = 0; i < count->nbounds; i++) {
            bool reached = count->bounds[i].compare != *how;
            if (reached != (pass == 1))
                continue;
            Value *bound = wide_bound(w, &count->bounds[i]);
            all = all ? nearer(w, up, all, bound, reached) : bound;
        }
    return all;
}

static bool is_of_grid(const Walk *w)
{
    return w->depth < w->kernel->grid.dims;
}

/* The step, if it is a number: one that is added in a type without a sign may stand for one below 0.  */
static bool step_number(Walk *w, const Count *count, Dtype dtype, int64_t *number)
{
    Dtype own = D_I32;
    scalar_type(clang_getCursorType(count->iv), &own);
    *number = count->one;
    if (count->one)
        return true;
    if (!constant_int(w, count->step, number) || !ir_constant(argument_of(w, count->step), number))
        return false;
    if (count->cut && dtype_bytes(own) < 8)
        *number = dtype_is_signed(own) ? (int64_t)(int32_t)*number : (int64_t)(uint32_t)*number;
    if (count->negative)
        *number = -*number;
    if (dtype != D_U32)
        *number = step_below(own, *number);
    return true;
}

/* Does the step lead away from the bound?  One that no number says is taken to be above 0 where it is subtracted, or
   has no sign.  */
static bool leads_away(Walk *w, const Count *count, Opcode how)
{
    int64_t number;
    Dtype dtype = D_I32;
    bool up = how == OP_SCALAR_LT || how == OP_SCALAR_LE;
    if (count->one || constant_int(w, count->step, &number))
        return step_number(w, count, D_I64, &number) && (up ? number < 0 : number > 0);
    scalar_type(clang_getCursorType(bare(w->u, count->step)), &dtype);
    return up ? count->negative : !count->negative && !dtype_is_signed(dtype);
}

static Value *step_value(Walk *w, const Count *count, Dtype dtype, bool of_grid)
{
    Dtype own = D_I32;
    int64_t known;
    scalar_type(clang_getCursorType(count->iv), &own);
    if (step_number(w, count, dtype, &known))
        return literal_int(w, dtype, known);
    Value *step = argument_of(w, count->step);
    if (count->cut && !of_grid)
        step = convert(w, step, own);
    step = convert(w, step, dtype);
    return count->negative ? unary(w, OP_SCALAR_NEG, step) : step;
}

/* C compares in a type without a sign, where the count has one: below 0 it is behind all others.  The loop compares
   with a sign, to a bound that is its start where C makes no iteration.  */
static Dtype bounds_with_a_sign(Walk *w, Value **range, Opcode *how, Dtype compared, Dtype own, Dtype dtype)
{
    bool up = *how == OP_SCALAR_LT || *how == OP_SCALAR_LE, closed = *how == OP_SCALAR_LE || *how == OP_SCALAR_GE;
    int64_t number;
    if (up && dtype_bytes(own) < 4 && !ir_constant(range[1], &number)) /* behind its largest number it is below 0 */
        range[1] = binary(w, OP_SCALAR_MIN, compared, convert(w, range[1], compared),
                          literal_int(w, compared, (1 << (8 * dtype_bytes(own) - 1)) - closed));
    Value *sides[] = {convert(w, range[0], compared), convert(w, range[1], compared)};
    for (int i = 0; i < 2; i++)
        range[i] = convert(w, range[i], dtype);
    if (*how == OP_SCALAR_NE || (ir_constant(range[!up], &number) && number >= 0))
        return dtype;
    Value *runs = op_of(w, *how, type_scalar(D_I1), 2, sides);
    Value *ends[] = {range[1], literal_int(w, dtype, up ? 1 : -1)};
    if (closed)
        ends[0] = op_of(w, OP_SCALAR_ADD, type_scalar(dtype), 2, ends);
    *how = up ? OP_SCALAR_LT : OP_SCALAR_GT;
    Value *choice[] = {runs, ends[0], range[0]};
    range[1] = op_of(w, OP_SCALAR_SELECT, type_scalar(dtype), 3, choice);
    return dtype;
}

/* k < n; k--: compared without a sign, a count that has begun goes on to 0.  And k > n; k++ goes on to -1, or to the
   largest unsigned number of 32 bits.  */
static Dtype bounds_to_the_end(Walk *w, Value **range, Opcode *how, Dtype compared, Dtype own)
{
    bool down = *how == OP_SCALAR_LT || *how == OP_SCALAR_LE;
    Value *sides[] = {convert(w, range[0], compared), convert(w, range[1], compared)};
    Value *runs = op_of(w, *how, type_scalar(D_I1), 2, sides);
    range[0] = convert(w, range[0], D_I64);
    int64_t end = down ? -1 : own == D_U32 ? (int64_t)1 << 32 : 0;
    Value *choice[] = {runs, literal_int(w, D_I64, end), range[0]};
    range[1] = op_of(w, OP_SCALAR_SELECT, type_scalar(D_I64), 3, choice);
    *how = down ? OP_SCALAR_GT : OP_SCALAR_LT;
    return D_I64;
}

/* lo, hi and step in the type that the comparison is made in.  */
static Dtype range_of(Walk *w, const Count *count, Value *lo, bool of_grid, Value **range, Opcode *how)
{
    Dtype own = D_I32, compared = D_I32;
    int64_t number;
    scalar_type(clang_getCursorType(count->iv), &own);
    scalar_type(count->hi_type, &compared);
    *how = count->bounds[0].compare;
    range[0] = lo;
    if (count->nbounds > 1 || !clang_Cursor_isNull(count->bounds[0].offset)) {
        range[1] = joined_bound(w, count, how);
        range[0] = convert(w, lo, D_I64);
        range[2] = step_value(w, count, D_I64, of_grid);
        return D_I64;
    }
    range[1] = clang_Cursor_isNull(count->bounds[0].hi) ? literal_int(w, lo->type.dtype, 0)
                                                        : argument_of(w, count->bounds[0].hi);
    Dtype dtype = lo->type.dtype;
    if (!ir_constant(range[1], &number) && dtype_bytes(range[1]->type.dtype) > dtype_bytes(dtype))
        dtype = range[1]->type.dtype;
    bool other_sign = !dtype_is_signed(own) && dtype_bytes(own) == dtype_bytes(compared);
    if (!dtype_is_signed(compared) || other_sign)
        dtype = compared;
    if (dtype_bytes(dtype) < 4)
        dtype = D_I32;
    bool unknown = !count->one && !constant_int(w, count->step, &number);
    bool in_64_bits = of_grid && count->cut && dtype_bytes(dtype) < 8 && unknown;
    if (!dtype_is_signed(compared) && *how != OP_SCALAR_NE && leads_away(w, count, *how))
        dtype = bounds_to_the_end(w, range, how, compared, own);
    else if (!dtype_is_signed(compared) && dtype_is_signed(own))
        dtype =
            bounds_with_a_sign(w, range, how, compared, own, in_64_bits || dtype_bytes(compared) == 8 ? D_I64 : D_I32);
    for (int i = 0; i < 2; i++)
        range[i] = convert(w, range[i], dtype);
    if (in_64_bits && dtype != D_I64) {
        dtype = D_I64;
        for (int i = 0; i < 2; i++)
            range[i] = convert(w, range[i], dtype);
    }
    range[2] = step_value(w, count, dtype, of_grid);
    return dtype;
}

static void check_direction(Walk *w, CXCursor loop, Opcode how, Value *const *range)
{
    int64_t step;
    bool up = how == OP_SCALAR_LT || how == OP_SCALAR_LE, known = ir_constant(range[2], &step);
    if (known && range[2]->type.dtype == D_U32 && step > INT32_MAX) /* k-- of an unsigned k */
        step = -1;
    if (!known || how == OP_SCALAR_NE || (step > 0) == up)
        return;
    refuse(w, loop, "reverse the comparison or the sign of the step",
           "this loop steps %s but compares with '%s': it would not end", step > 0 ? "up" : "down", op_info[how].call);
}

static void bind_count(Walk *w, const Count *count, Block *block, Dtype dtype, bool of_grid, int slot)
{
    Dtype own = dtype;
    int64_t number;
    const char *name = slot_name(w, slot);
    scalar_type(clang_getCursorType(count->iv), &own);
    if (of_grid && count->cut && !count->one && !constant_int(w, count->step, &number))
        dtype = own;
    Value *value = convert(w, block_arg(w->kernel, block, type_scalar(dtype), name, w->where), own);
    if (value->def)
        name_value(w, value, name);
    value->counts = value->def != NULL; /* it fits */
    slot_write(w, slot, result_of(value));
}

/* What a test leaves of a count that is narrower than an int: k-- > 0.  It has not wrapped around.  */
static void bind_stepped(Walk *w, const Count *count, const Block *block, Value *step, int slot)
{
    Dtype own = D_I32;
    scalar_type(clang_getCursorType(count->iv), &own);
    eval(w, count->tested);
    if (dtype_bytes(own) >= 4)
        return;
    Value *sides[] = {block->args[0], step};
    Value *sum = op_of(w, OP_SCALAR_ADD, sides[0]->type, 2, sides), *value = convert(w, sum, own);
    name_value(w, value, slot_name(w, slot));
    value->counts = value != sum;
    slot_write(w, slot, result_of(value));
}

static void emit_for(Walk *w, CXCursor loop, const LoopParts *parts, const Count *count)
{
    int slot = slot_of(w, variable_find(w, count->iv), 0, true);
    Result lo = slot_read(w, slot);
    Value *range[3];
    Opcode how;
    bool of_grid = is_of_grid(w);
    CXCursor tested = clang_Cursor_isNull(parts->cond) ? leading_break(w->u, parts, 0) : parts->cond;
    w->where = loc_of(w->u, tested);
    Dtype own = D_I32;
    scalar_type(clang_getCursorType(count->iv), &own);
    Value *first = lo.kind == R_VALUE ? lo.value : literal_int(w, own, 0);
    w->in_bound = of_grid;
    Dtype dtype = range_of(w, count, first, of_grid, range, &how);
    w->in_bound = false;
    Carried carried = find_carried(w, loop, slot);
    check_direction(w, loop, how, range);
    Value *compared[] = {literal_int(w, range[1]->type.dtype, 0), range[1]};
    if (count->nbounds == 1 && clang_Cursor_isNull(count->bounds[0].offset)) {
        fold_comparison(w, &how, compared);
        range[1] = compared[1];
    }
    plain_comparison(w, &how, range);
    Op *op = op_new(w->kernel, OP_FOR, loc_of(w->u, tested), 3, range);
    for (int i = 0; i < carried.count; i++)
        op_add_arg(w->kernel, op, carried.inits[i]);
    op->control->compare = how;
    Pragma *outer_pipelined = w->pipelined;
    op->control->pipeline = pipeline_for(w, loop);
    Round round = {loop, w->frame->id, w->round};
    op_append(w->block, op);
    if (!w->anchor)
        w->anchor = op;
    Block *block = w->block;
    State before = state_kept(w, &w->state, w->nslots);
    Goal again = {w->nslots}, out = again;
    w->block = block_new(w->kernel, op);
    w->depth++;
    w->round = &round;
    array_check_loop(w, op->control->pipeline);
    bind_count(w, count, w->block, dtype, of_grid, slot);
    bind_arguments(w, w->block, &carried);
    if (!clang_Cursor_isNull(count->tested))
        bind_stepped(w, count, w->block, range[2], slot);
    Exits exits = walk_body(w, parts, &again, &out);
    Jump *back = exits_find(&exits, &again);
    if (back && exits.count == 1)
        yield_carried(w, w->block, &carried, back);
    else
        refuse_irregular(w, loop);
    if (w->pipelined != outer_pipelined)
        rings_check(w, w->pipelined->rings);
    w->pipelined = outer_pipelined;
    w->round = round.outer;
    w->depth--;
    w->block = block;
    w->state = before;
    bind_results(w, op, &carried);
    array_leave(w, op);
}

/* ---- WHILE ------------------------------------------------------------------------------------------------------- */

static void emit_while(Walk *w, CXCursor loop, const LoopParts *parts)
{
    Carried carried = find_carried(w, loop, -1);
    w->where = loc_of(w->u, parts->cond);
    Op *op = op_new(w->kernel, OP_WHILE, w->where, carried.count, carried.inits);
    op_append(w->block, op);
    Block *block = w->block, *test = block_new(w->kernel, op), *body = block_new(w->kernel, op);
    if (!w->anchor)
        w->anchor = op;
    State before = state_kept(w, &w->state, w->nslots);
    Goal again = {w->nslots}, out = again;
    Round round = {loop, w->frame->id, w->round};
    w->round = &round;
    w->depth++;
    w->block = test;
    bind_arguments(w, test, &carried);
    Value **args = arena_alloc(w->u->module, sizeof(Value *) * (size_t)(carried.count + 1));
    args[0] = condition_of(w, parts->cond);
    for (int i = 0; i < carried.count; i++)
        args[1 + i] = carried_value(&carried, i, &(Jump){&again, w->state, NULL});
    yield_to(w, test, OP_COND, carried.count + 1, args);
    w->block = body;
    bind_arguments(w, body, &carried);
    Exits exits = walk_body(w, parts, &again, &out);
    Jump *back = exits_find(&exits, &again);
    if (back && exits.count == 1)
        yield_carried(w, body, &carried, back);
    else
        refuse_irregular(w, loop);
    w->round = round.outer;
    w->depth--;
    w->block = block;
    w->state = before;
    bind_results(w, op, &carried);
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

/* A `break` or `return` in it that leaves this loop.  */
static bool is_left_inside(const Unit *u, CXCursor s, bool outermost)
{
    Cursors below = children(u, s);
    if (s.kind == CXCursor_ReturnStmt || (s.kind == CXCursor_BreakStmt && outermost))
        return true;
    bool inner = s.kind == CXCursor_ForStmt || s.kind == CXCursor_WhileStmt || s.kind == CXCursor_DoStmt ||
                 s.kind == CXCursor_SwitchStmt;
    for (int i = 0; i < below.count; i++)
        if (is_left_inside(u, below.list[i], outermost && !inner))
            return true;
    return false;
}

/* By what follows the leading `if (c) break;`.  */
static bool is_left_behind(const Unit *u, const LoopParts *parts)
{
    Cursors list = children(u, parts->body);
    for (int i = parts->leading; i < list.count; i++)
        if (is_left_inside(u, list.list[i], true))
            return true;
    return false;
}

static bool no_return(const Unit *u, CXCursor c, void *context)
{
    (void)u;
    (void)context;
    return c.kind != CXCursor_ReturnStmt;
}

bool has_return(const Unit *u, CXCursor loop)
{
    return !each_below(u, loop, no_return, NULL);
}

static bool refuse_jump(const Unit *u, CXCursor c, void *context)
{
    bool leaves = c.kind == CXCursor_ReturnStmt || c.kind == CXCursor_BreakStmt || c.kind == CXCursor_GotoStmt;
    (void)u;
    if (leaves)
        refuse(context, c, "iterations are independent: use 'continue', or an upper bound",
               "the grid is left by 'break', 'return' or 'goto'");
    return !leaves;
}

/* The first statement that leaves this loop, or a null cursor.  */
static CXCursor leaving(const Unit *u, CXCursor s, bool outermost)
{
    Cursors below = children(u, s);
    if (s.kind == CXCursor_ReturnStmt || (s.kind == CXCursor_BreakStmt && outermost))
        return s;
    bool inner = s.kind == CXCursor_ForStmt || s.kind == CXCursor_WhileStmt || s.kind == CXCursor_DoStmt ||
                 s.kind == CXCursor_SwitchStmt;
    CXCursor found = clang_getNullCursor();
    for (int i = 0; i < below.count && clang_Cursor_isNull(found); i++)
        found = leaving(u, below.list[i], outermost && !inner);
    return found;
}

typedef struct {
    CXCursor decl, found;
} Change;

static bool no_change(const Unit *u, CXCursor c, void *context)
{
    Change *change = context;
    CXCursor target = assigned_by(u, c);
    if (!clang_Cursor_isNull(target) && same_decl(decl_of(u, target), change->decl))
        change->found = c;
    return clang_Cursor_isNull(change->found);
}

/* Its variable is no integer, or changes beside the step; its bound changes.  */
static bool refuse_operands(Walk *w, CXCursor loop, const LoopParts *parts, const char *kind)
{
    CXCursor e = clang_Cursor_isNull(parts->cond) ? parts->cond : peel(w->u, parts->cond);
    Cursors sides = e.kind == CXCursor_BinaryOperator ? children(w->u, e) : (Cursors){0, NULL};
    CXCursor counter = clang_getNullCursor(), bound = counter;
    for (int i = 0; i < sides.count && i < 2; i++) {
        CXCursor side = bare(w->u, sides.list[i]);
        Cursors inner = children(w->u, side); /* behind a conversion to another kind of number */
        CXCursor decl = decl_of(w->u, side.kind == CXCursor_UnexposedExpr && inner.count == 1 ? inner.list[0] : side);
        if (clang_Cursor_isNull(decl) || !count_assignments(w->u, loop, decl))
            continue;
        bool first = clang_Cursor_isNull(counter);
        *(first ? &counter : &bound) = decl;
    }
    if (clang_Cursor_isNull(counter) || !name_of(w->u, counter))
        return false;
    const char *name = name_of(w->u, counter);
    Dtype dtype;
    if (scalar_type(clang_getCursorType(counter), &dtype) && dtype_is_float(dtype)) {
        refuse(w, e, "count with an int, and compute the number of it: x = lo + k * step",
               "the variable '%s' of a %s loop is no integer", name, kind);
        return true;
    }
    Change change = {bound, clang_getNullCursor()};
    if (!clang_Cursor_isNull(bound) && !each_below(w->u, parts->body, no_change, &change)) {
        refuse(w, change.found, "copy it into a variable before the loop, and compare with that",
               "the bound '%s' of a %s loop changes in it", name_of(w->u, bound), kind);
        return true;
    }
    int changes = count_assignments(w->u, parts->body, counter) +
                  (clang_Cursor_isNull(parts->step) ? 0 : count_assignments(w->u, parts->step, counter));
    change.decl = counter;
    if (changes < 2 || each_below(w->u, parts->body, no_change, &change))
        return false;
    refuse(w, change.found, "let the head of the loop alone change it, and compute with another variable",
           "the variable '%s' of a %s loop changes in its body", name, kind);
    return true;
}

static Exits walk_parts(Walk *w, CXCursor loop, const LoopParts *parts)
{
    Count count = {.iv = clang_getNullCursor()};
    bool left = is_left_inside(w->u, parts->body, true),
         tested = !parts->test_below && !clang_Cursor_isNull(parts->cond);
    LoopParts bounded = *parts;
    while (left && !clang_Cursor_isNull(leading_break(w->u, parts, bounded.leading)))
        bounded.leading++;
    if (bounded.leading && !is_left_behind(w->u, &bounded) && count_of(w, loop, &bounded, &count)) {
        emit_for(w, loop, &bounded, &count);
        return jump_to(w, &FALL);
    }
    if (!left && count_of(w, loop, parts, &count)) {
        emit_for(w, loop, parts, &count);
        return jump_to(w, &FALL);
    }
    if (is_of_grid(w) && !clang_Cursor_isNull(count.iv) && is_used_later(w, loop, count.iv))
        refuse(w, first_use_later(w, loop, count.iv), "assign it again behind the grid, or use another variable there",
               "the value of '%s' leaves the grid", text_of(w->u, clang_getCursorSpelling(count.iv)));
    if (left && is_of_grid(w))
        each_below(w->u, parts->body, refuse_jump, w);
    else if (is_of_grid(w) && !refuse_operands(w, loop, parts, "grid"))
        refuse(w, clang_Cursor_isNull(parts->cond) ? loop : parts->cond,
               "write the loop as 'for (i = lo; i < hi; i += 128)', without break and return",
               "the trip count of this grid loop is not known before the loop runs");
    bool pipelined = pipeline_for(w, loop) && !w->failed;
    if (pipelined && left)
        refuse(w, leaving(w->u, parts->body, true),
               w->kernel->grid.plain
                   ? "let it run to its bound, and do nothing behind its end: if (!done) s += x[k]; done |= c;"
                   : "let it run to its bound; where it ends may be found by a loop before it that is not pipelined",
               "a pipelined loop is left by 'break', 'return' or 'goto'");
    else if (pipelined && !refuse_operands(w, loop, parts, "pipelined"))
        refuse(w, loop,
               "write it as 'for (k = lo; k < hi; k += 64)' without 'break', with a bound that does not change",
               "a pipelined loop counts up to a bound");
    w->where = loc_of(w->u, loop);
    if (left || !tested || !is_pure(w->u, parts->cond))
        return w->failed ? jump_to(w, &FALL) : emit_flagged(w, loop, parts);
    emit_while(w, loop, parts);
    return jump_to(w, &FALL);
}

/* do { ... } while (0): its `break` and `continue` lead behind it.  */
static Exits walk_once(Walk *w, const LoopParts *parts)
{
    const Goal *again = w->again, *out = w->out, *end = w->end;
    Goal behind = {w->nslots};
    CXCursor body[] = {parts->body, clang_getNullCursor()};
    w->again = w->out = w->end = &behind;
    Exits exits = walk_list(w, body, 2, 0);
    w->again = again;
    w->out = out;
    w->end = end;
    Jump *on = exits_find(&exits, &behind);
    if (on)
        on->target = &FALL;
    return exits;
}

Exits walk_loop(Walk *w, CXCursor loop)
{
    LoopParts parts = loop_parts(w->u, loop);
    int slots = w->nslots;
    int64_t again;
    if (parts.test_below && evaluate_int(parts.cond, &again) && !again &&
        !pragma_of_loop(w->u, loop, w->frame->function))
        return walk_once(w, &parts);
    if (!clang_Cursor_isNull(parts.init)) {
        if (parts.init.kind == CXCursor_DeclStmt)
            walk(w, parts.init);
        else
            eval(w, parts.init);
    }
    Exits exits = walk_parts(w, loop, &parts);
    Jump *on = exits_find(&exits, &FALL);
    for (int i = slots; on && i < on->state.count; i++)
        on->state.slot[i] = (Result){.kind = R_NONE};
    return exits;
}
