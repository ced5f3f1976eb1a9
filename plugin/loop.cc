/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop.cc - one natural loop -> FOR or WHILE.
 *
 *   for (k = 0; k < K; k += 64)       counted: the header holds one comparison of k with a bound that the loop leaves
 *                                     alone
 *   while (n > 1 && ws_at (t, n))     tested on top: the only way out is the header's condition
 *   for (;;) { ...; if (c) break; }   anything else: a WHILE over a flag; each way out says whether it was taken
 *
 * PHIs of the header are the carried values.  A header's statements are free of effects here: in a FOR those that the
 * loop leaves alone are computed before it, the others again at the top of the body.
 */
#include "loop.h"

/* ---- the shape of a loop ----------------------------------------------------------------------------------------- */

static bool header_is_pure(const Shape *shape)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(shape->loop->header); !gsi_end_p(i); gsi_next_nondebug(&i))
        if (gimple_code(gsi_stmt(i)) != GIMPLE_COND && !pure_scalar_stmt(gsi_stmt(i)) &&
            !plain_reads_alike(shape->loop, gsi_stmt(i)))
            return false;
    return true;
}

static bool shape_of(class loop *loop, Shape *shape)
{
    shape->loop = loop;
    if (!branch_of(loop->header, &shape->branch))
        return false;
    bool yes = flow_bb_inside_loop_p(loop, shape->branch.yes->dest),
         no = flow_bb_inside_loop_p(loop, shape->branch.no->dest);
    if (yes == no || !header_is_pure(shape))
        return false;
    shape->in_on_yes = yes;
    shape->in = yes ? shape->branch.yes : shape->branch.no;
    shape->out = yes ? shape->branch.no : shape->branch.yes;
    shape->on_top = true;
    auto_vec<edge> exits = get_loop_exit_edges(loop);
    for (unsigned i = 0; i < exits.length(); i++)
        if (!edge_is_dead(exits[i]) && !branch_has(&shape->branch, exits[i]->src))
            shape->on_top = false;
    return shape->on_top;
}

/* ---- carried values ---------------------------------------------------------------------------------------------- */

void loop_carried(class loop *loop, gphi *without, Carried *carried)
{
    for (gphi_iterator i = gsi_start_phis(loop->header); !gsi_end_p(i); gsi_next(&i))
        if (i.phi() != without && phi_needed(i.phi()))
            carried->phis.safe_push(i.phi());
}

static location_t phi_location(gphi *phi)
{
    tree var = SSA_NAME_VAR(gimple_phi_result(phi));
    return var ? DECL_SOURCE_LOCATION(var) : UNKNOWN_LOCATION;
}

Value *loop_argument(Walk *w, Block *block, gphi *phi, Type type)
{
    tree result = gimple_phi_result(phi);
    return block_arg(w->kernel, block, type, name_of(result), loc_of(phi_location(phi)));
}

static void bind_carried(Walk *w, Block *block, const Carried &carried, const auto_vec<Value *> &inits)
{
    for (unsigned i = 0; i < carried.phis.length(); i++)
        value_set(w, gimple_phi_result(carried.phis[i]),
                  loop_argument(w, block, carried.phis[i], type_handed(inits[i])));
}

void loop_initial_values(Walk *w, class loop *loop, const Carried &carried, auto_vec<Value *> *inits)
{
    for (unsigned i = 0; i < carried.phis.length(); i++) {
        const TotalOut *total = total_of(w, gimple_phi_result(carried.phis[i]));
        inits->safe_push(total ? total_start(w, total)
                               : value_of(w, PHI_ARG_DEF_FROM_EDGE(carried.phis[i], loop_preheader_edge(loop))));
    }
}

/* The values that a jump to the header carries.  */
static void next_values(const Carried &carried, const Jump *jump, auto_vec<Value *> *values)
{
    for (unsigned i = 0; i < carried.phis.length(); i++) {
        int n = 0;
        for (gphi_iterator phi = gsi_start_phis(jump->target); !gsi_end_p(phi); gsi_next(&phi), n++)
            if (phi.phi() == carried.phis[i])
                values->safe_push(jump->phis[n]);
    }
}

static void bind_results(Walk *w, Op *op, const Carried &carried, const auto_vec<Value *> &inits)
{
    for (unsigned i = 0; i < carried.phis.length(); i++) {
        tree name = gimple_phi_result(carried.phis[i]);
        value_set(w, name, op_result(w->kernel, op, type_handed(inits[i]), name_of(name)));
    }
}

/* ---- walking a body ---------------------------------------------------------------------------------------------- */

static void block_statements(Walk *w, class loop *loop, basic_block bb, bool invariants)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        gimple *stmt = gsi_stmt(i);
        tree lhs = gimple_get_lhs(stmt);
        if (lhs && TREE_CODE(lhs) == SSA_NAME && loop_leaves_alone(loop, lhs, 0) == invariants)
            control_statement(w, stmt);
    }
}

static void header_statements(Walk *w, const Shape *shape, bool invariants)
{
    block_statements(w, shape->loop, shape->loop->header, invariants);
}

/* Of the header and of the blocks that its condition goes on in.  */
static void condition_statements(Walk *w, const Shape *shape, bool invariants)
{
    for (int i = 0; i < shape->branch.count; i++)
        if (shape->branch.terms[i].bb)
            block_statements(w, shape->loop, shape->branch.terms[i].bb, invariants);
}

/* What a step is made of may stand at the end of the body, behind its use here.  */
static void step_statements(Walk *w, class loop *loop, tree expression)
{
    tree name = ssa_resolve(expression);
    if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name) || constant_of(name))
        return;
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (!flow_bb_inside_loop_p(loop, gimple_bb(def)))
        return;
    use_operand_p use;
    ssa_op_iter i;
    FOR_EACH_SSA_USE_OPERAND(use, def, i, SSA_OP_USE)
    step_statements(w, loop, USE_FROM_PTR(use));
    control_statement(w, def);
}

static Jump *only_back(Walk *w, const Exits *exits, class loop *loop)
{
    Jump *back = exits_find(exits, loop->header);
    if (back && exits->count == 1)
        return back;
    region_irregular(w, w->where);
    return NULL;
}

static Pipeline *pipeline_of(Walk *w, class loop *loop)
{
    for (unsigned i = 0; i < w->marks->length(); i++) {
        MarkedLoop &mark = (*w->marks)[i];
        if (mark.loop != loop || mark.pragma->is_grid)
            continue;
        Pipeline *pipeline = (Pipeline *)arena_alloc(w->kernel->module, sizeof *pipeline);
        *pipeline = mark.pragma->pipeline;
        pipeline->loc = loc_of(mark.pragma->loc);
        mark.pragma->used = true;
        return pipeline;
    }
    return NULL;
}

static location_t loop_location(const Shape *shape)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(shape->loop->header);
    return gsi_end_p(last) ? UNKNOWN_LOCATION : stmt_location(gsi_stmt(last));
}

/* ---- FOR --------------------------------------------------------------------------------------------------------- */

static Value *wide_op(Walk *w, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return value_new_op(w, code, w->where, type_scalar(D_I64), NULL, 2, args);
}

/* The bound of k itself.  */
static Value *wide_bound(Walk *w, const Bound *bound)
{
    Value *hi = value_convert(w, value_of_argument(w, bound->hi), D_I64, NULL);
    if (!bound->offset)
        return hi;
    Value *offset = value_convert(w, value_of_argument(w, bound->offset), D_I64, NULL);
    return wide_op(w, bound->subtract ? OP_SCALAR_ADD : OP_SCALAR_SUB, hi, offset);
}

/* The nearer of k < x (k > x) and another bound.  One that may be reached is reached one step before or behind where it
   ends: k <= y is k < y + 1, as long as y < x, where y + 1 does not wrap.  */
static Value *nearer(Walk *w, bool up, Value *x, Value *y, bool reached)
{
    if (!reached)
        return wide_op(w, up ? OP_SCALAR_MIN : OP_SCALAR_MAX, x, y);
    Value *compared[] = {y, x};
    Value *args[] = {value_new_op(w, up ? OP_SCALAR_LT : OP_SCALAR_GT, w->where, type_scalar(D_I1), NULL, 2, compared),
                     wide_op(w, up ? OP_SCALAR_ADD : OP_SCALAR_SUB, y, value_literal(w, D_I64, 1, 0)), x};
    return value_new_op(w, OP_SCALAR_SELECT, w->where, type_scalar(D_I64), NULL, 3, args);
}

/* Several bounds as one, and how k compares with it.  */
static Value *joined_bound(Walk *w, const Count *count, Opcode *compare)
{
    bool up = *compare == OP_SCALAR_LT || *compare == OP_SCALAR_LE, mixed = false;
    for (int i = 1; i < count->nbounds; i++)
        mixed |= count->bounds[i].compare != *compare;
    Value *joined = NULL;
    if (mixed)
        *compare = up ? OP_SCALAR_LT : OP_SCALAR_GT;
    for (int pass = 0; pass < 2; pass++) /* first those that are not reached */
        for (int i = 0; i < count->nbounds; i++) {
            bool reached = count->bounds[i].compare != *compare;
            if (reached != (pass == 1))
                continue;
            Value *bound = wide_bound(w, &count->bounds[i]);
            joined = joined ? nearer(w, up, joined, bound, reached) : bound;
        }
    return joined;
}

/* One of the loops that the launcher counts.  */
static bool is_of_grid(const Walk *w, class loop *loop)
{
    return loop_depth(loop) - loop_depth(w->outer) < (unsigned)w->kernel->grid.dims;
}

/* The step, if it is a number: one that is added in a type without a sign may stand for one below 0.  */
static bool count_step_number(Walk *w, const Count *count, Dtype dtype, int64_t *number)
{
    tree type = TREE_TYPE(gimple_phi_result(count->iv));
    if (!constant_of(count->step) || !ir_constant(value_of_argument(w, count->step), number))
        return false;
    if (count->cut && TYPE_PRECISION(type) < 64)
        *number = TYPE_UNSIGNED(type) ? (int64_t)(uint32_t)*number : (int64_t)(int32_t)*number;
    if (count->negative)
        *number = -*number;
    if (dtype != D_U32)
        *number = count_step_below(type, *number);
    return true;
}

/* Does the step lead away from the bound?  One that no number says is taken to be above 0 where it is subtracted, or
   has no sign.  */
static bool count_leads_away(Walk *w, const Count *count, Opcode compare)
{
    int64_t number;
    bool up = compare == OP_SCALAR_LT || compare == OP_SCALAR_LE;
    if (constant_of(count->step))
        return count_step_number(w, count, D_I64, &number) && (up ? number < 0 : number > 0);
    return up ? count->negative : !count->negative && TYPE_UNSIGNED(TREE_TYPE(loop_bare(count->step)));
}

/* What is added in each iteration.  Where the sum is cut off to the count's type, so is the step: that is the same, but
   for a grid, whose launcher takes no step by which the count would wrap around.  */
static Value *step_value(Walk *w, const Count *count, Dtype dtype, bool of_grid)
{
    tree type = TREE_TYPE(gimple_phi_result(count->iv));
    int64_t known;
    if (count_step_number(w, count, dtype, &known))
        return value_literal(w, dtype, known, 0);
    Value *step = value_of_argument(w, count->step);
    if (count->cut && !of_grid)
        step = value_convert(w, step, type_of(type).dtype, NULL);
    step = value_convert(w, step, dtype, NULL);
    if (!count->negative)
        return step;
    return value_new_op(w, OP_SCALAR_NEG, w->where, type_scalar(dtype), NULL, 1, &step);
}

/* C compares in a type without a sign, where the count has one: below 0 it is behind all others.  The loop compares
   with a sign, to a bound that is its start where C makes no iteration.  */
static Dtype bounds_with_a_sign(Walk *w, Value **range, Opcode *compare, Dtype compared, Dtype own, Dtype dtype)
{
    bool up = *compare == OP_SCALAR_LT || *compare == OP_SCALAR_LE,
         closed = *compare == OP_SCALAR_LE || *compare == OP_SCALAR_GE;
    int64_t number;
    if (up && dtype_bytes(own) < 4 && !ir_constant(range[1], &number)) { /* behind its largest number it is below 0 */
        Value *ends[] = {value_convert(w, range[1], compared, NULL),
                         value_literal(w, compared, (1 << (8 * dtype_bytes(own) - 1)) - closed, 0)};
        range[1] = value_new_op(w, OP_SCALAR_MIN, w->where, type_scalar(compared), NULL, 2, ends);
    }
    Value *sides[] = {value_convert(w, range[0], compared, NULL), value_convert(w, range[1], compared, NULL)};
    for (int i = 0; i < 2; i++)
        range[i] = value_convert(w, range[i], dtype, NULL);
    if (*compare == OP_SCALAR_NE || (ir_constant(range[!up], &number) && number >= 0))
        return dtype;
    Value *runs = value_new_op(w, *compare, w->where, type_scalar(D_I1), NULL, 2, sides);
    Value *ends[] = {range[1], value_literal(w, dtype, up ? 1 : -1, 0)};
    if (closed)
        ends[0] = value_new_op(w, OP_SCALAR_ADD, w->where, type_scalar(dtype), NULL, 2, ends);
    *compare = up ? OP_SCALAR_LT : OP_SCALAR_GT;
    Value *choice[] = {runs, ends[0], range[0]};
    range[1] = value_new_op(w, OP_SCALAR_SELECT, w->where, type_scalar(dtype), NULL, 3, choice);
    return dtype;
}

/* k < n; k--: compared without a sign, a count that has begun goes on to 0.  And k > n; k++ goes on to -1, or to the
   largest unsigned number of 32 bits.  */
static Dtype bounds_to_the_end(Walk *w, Value **range, Opcode *compare, Dtype compared, Dtype own)
{
    bool down = *compare == OP_SCALAR_LT || *compare == OP_SCALAR_LE;
    Value *sides[] = {value_convert(w, range[0], compared, NULL), value_convert(w, range[1], compared, NULL)};
    Value *runs = value_new_op(w, *compare, w->where, type_scalar(D_I1), NULL, 2, sides);
    range[0] = value_convert(w, range[0], D_I64, NULL);
    int64_t end = down ? -1 : own == D_U32 ? (int64_t)1 << 32 : 0;
    Value *choice[] = {runs, value_literal(w, D_I64, end, 0), range[0]};
    range[1] = value_new_op(w, OP_SCALAR_SELECT, w->where, type_scalar(D_I64), NULL, 3, choice);
    *compare = down ? OP_SCALAR_GT : OP_SCALAR_LT;
    return D_I64;
}

/* lo, hi and step in the type that the comparison is made in; 64 bits where a launcher has to see whether the count
   wraps around.  */
static Dtype bounds(Walk *w, const Count *count, bool of_grid, Value **range, Opcode *join)
{
    *join = count->bounds[0].compare;
    range[0] = value_of(w, count->lo);
    if (count->nbounds > 1 || count->bounds[0].offset) {
        range[1] = joined_bound(w, count, join);
        range[0] = value_convert(w, range[0], D_I64, NULL);
        range[2] = step_value(w, count, D_I64, of_grid);
        return D_I64;
    }
    tree hi = count->bounds[0].hi;
    range[1] = value_of_argument(w, hi);
    Dtype dtype = range[0]->type.dtype, compared;
    int64_t number;
    if (!ir_constant(range[1], &number) && dtype_bytes(range[1]->type.dtype) > dtype_bytes(dtype))
        dtype = range[1]->type.dtype;
    tree type = TREE_TYPE(gimple_phi_result(count->iv));
    bool other_sign = TYPE_UNSIGNED(type) && TYPE_PRECISION(type) == TYPE_PRECISION(TREE_TYPE(hi));
    bool known = scalar_type(TREE_TYPE(hi), &compared), is_unsigned = known && TYPE_UNSIGNED(TREE_TYPE(hi));
    if ((is_unsigned || other_sign) && known)
        dtype = compared;
    if (dtype_bytes(dtype) < 4)
        dtype = D_I32;
    bool in_64_bits = of_grid && count->cut && dtype_bytes(dtype) < 8 && !constant_of(count->step);
    if (is_unsigned && *join != OP_SCALAR_NE && count_leads_away(w, count, *join))
        dtype = bounds_to_the_end(w, range, join, compared, type_of(type).dtype);
    else if (is_unsigned && !TYPE_UNSIGNED(type))
        dtype = bounds_with_a_sign(w, range, join, compared, type_of(type).dtype,
                                   in_64_bits || dtype_bytes(compared) == 8 ? D_I64 : D_I32);
    for (int i = 0; i < 2; i++)
        range[i] = value_convert(w, range[i], dtype, NULL);
    if (in_64_bits && dtype != D_I64) {
        dtype = D_I64;
        for (int i = 0; i < 2; i++)
            range[i] = value_convert(w, range[i], dtype, NULL);
    }
    range[2] = step_value(w, count, dtype, of_grid);
    return dtype;
}

static void check_direction(Walk *w, const Shape *shape, Opcode compare, Value *const *range)
{
    int64_t step;
    bool up = compare == OP_SCALAR_LT || compare == OP_SCALAR_LE, known = ir_constant(range[2], &step);
    if (known && range[2]->type.dtype == D_U32 && step > INT32_MAX) /* k-- of an unsigned k */
        step = -1;
    if (!known || compare == OP_SCALAR_NE || (step > 0) == up)
        return;
    w->failed = true;
    complain(loop_location(shape), "reverse the comparison or the sign of the step",
             "this loop steps %s but compares with %qs: it would not end", step > 0 ? "up" : "down",
             op_info[compare].call);
}

/* The induction variable, in its own type for the body; of a grid whose launcher looks after it, from the first.  */
static void bind_count(Walk *w, const Count *count, Dtype dtype, bool of_grid)
{
    tree iv = gimple_phi_result(count->iv);
    if (of_grid && count->cut && !constant_of(count->step))
        dtype = type_of(TREE_TYPE(iv)).dtype;
    Value *value = loop_argument(w, w->block, count->iv, type_scalar(dtype));
    Value *own = value_convert(w, value, type_of(TREE_TYPE(iv)).dtype, name_of(iv));
    own->counts = own != value; /* it fits */
    value_set(w, iv, own);
}

/* What a test leaves of a count that is narrower than an int: k-- > 0.  It has not wrapped around.  */
static void bind_stepped(Walk *w, const Count *count, Value *step)
{
    tree iv = gimple_phi_result(count->iv), next = PHI_ARG_DEF_FROM_EDGE(count->iv, loop_latch_edge(w->loop));
    if (TYPE_PRECISION(TREE_TYPE(iv)) >= TYPE_PRECISION(integer_type_node) || TREE_CODE(next) != SSA_NAME ||
        gimple_bb(SSA_NAME_DEF_STMT(next)) != w->loop->header)
        return;
    Value *sides[] = {w->block->args[0], step};
    Value *sum = value_new_op(w, OP_SCALAR_ADD, w->where, sides[0]->type, NULL, 2, sides);
    Value *own = value_convert(w, sum, type_of(TREE_TYPE(iv)).dtype, name_of(next));
    own->counts = own != sum;
    value_set(w, next, own);
}

/* A tile that goes from one iteration of the grid's outermost loop to the next was made outside the grid.  */
static bool carries_tile(Walk *w, const Carried &carried)
{
    for (unsigned i = 0; i < carried.phis.length(); i++) {
        tree name = gimple_phi_result(carried.phis[i]);
        tree init = PHI_ARG_DEF_FROM_EDGE(carried.phis[i], loop_preheader_edge(w->outer));
        if (!is_tile_type(TREE_TYPE(name)) || (TREE_CODE(init) == SSA_NAME && SSA_NAME_IS_DEFAULT_DEF(init)))
            continue;
        reject(w->kernel, w->kernel->loc, REASON_GRID_CARRIED_TILE, name_of(name) ? name_of(name) : "a tile");
        w->failed = true;
        return true;
    }
    return false;
}

static void emit_for(Walk *w, const Shape *shape, const Count *count)
{
    Carried carried;
    auto_vec<Value *> inits, next;
    class loop *loop = shape->loop;
    loop_carried(loop, count->iv, &carried);
    if (loop == w->outer && carries_tile(w, carried))
        return;
    condition_statements(w, shape, true);
    step_statements(w, loop, count->step);
    w->where = loop_location(shape);
    Value *range[3];
    Opcode compare;
    bool of_grid = is_of_grid(w, loop);
    Dtype dtype = bounds(w, count, of_grid, range, &compare);
    loop_initial_values(w, loop, carried, &inits);
    check_direction(w, shape, compare, range);
    plain_comparison(w, &compare, range);
    Op *op = op_new(w->kernel, OP_FOR, loc_of(loop_location(shape)), 3, range);
    for (unsigned i = 0; i < inits.length(); i++)
        op_add_arg(w->kernel, op, inits[i]);
    op->control->compare = compare;
    op->control->pipeline = pipeline_of(w, loop);
    array_check_loop(w, op->control->pipeline);
    op_append(w->block, op);
    if (loop == w->outer)
        w->anchor = op;
    {
        Inside inside(w, loop, block_new(w->kernel, op));
        bind_count(w, count, dtype, of_grid);
        bind_carried(w, w->block, carried, inits);
        condition_statements(w, shape, false);
        bind_stepped(w, count, range[2]);
        Jump *back = only_back(w, control_leave(w, shape->in, &shape->branch), loop);
        if (back)
            next_values(carried, back, &next);
        array_yield(w, loop, op, &next);
        yield_to(w, w->block, OP_YIELD, (int)next.length(), next.address());
    }
    bind_results(w, op, carried, inits);
    array_leave(w, loop, op);
}

/* ---- WHILE with the test on top ---------------------------------------------------------------------------------- */

static void emit_condition(Walk *w, const Shape *shape, Block *block)
{
    Inside inside(w, shape->loop, block);
    header_statements(w, shape, true);
    header_statements(w, shape, false);
    Value *condition = branch_emit(w, &shape->branch);
    if (!shape->in_on_yes)
        condition = value_new_op(w, OP_SCALAR_NOT, w->where, type_scalar(D_I1), NULL, 1, &condition);
    auto_vec<Value *> args;
    args.safe_push(condition);
    for (int i = 0; i < block->nargs; i++)
        args.safe_push(block->args[i]);
    yield_to(w, block, OP_COND, (int)args.length(), args.address());
}

/* The header's statements and chain once more, where their values may be used.  */
static void header_again(Walk *w, const Shape *shape)
{
    header_statements(w, shape, true);
    header_statements(w, shape, false);
    branch_emit(w, &shape->branch);
}

Op *loop_while_new(Walk *w, location_t where, const auto_vec<Value *> &inits)
{
    Op *op = op_new(w->kernel, OP_WHILE, loc_of(where), (int)inits.length(), inits.address());
    op_append(w->block, op);
    block_new(w->kernel, op);
    block_new(w->kernel, op);
    return op;
}

static void emit_while(Walk *w, const Shape *shape)
{
    Carried carried;
    auto_vec<Value *> inits, next;
    class loop *loop = shape->loop;
    loop_carried(loop, NULL, &carried);
    loop_initial_values(w, loop, carried, &inits);
    Op *op = loop_while_new(w, loop_location(shape), inits);
    if (loop == w->outer)
        w->anchor = op;
    bind_carried(w, op->blocks[0], carried, inits);
    emit_condition(w, shape, op->blocks[0]);
    bind_carried(w, op->blocks[1], carried, inits);
    {
        Inside inside(w, loop, op->blocks[1]);
        header_again(w, shape);
        Jump *back = only_back(w, control_leave(w, shape->in, &shape->branch), loop);
        if (back)
            next_values(carried, back, &next);
        yield_to(w, w->block, OP_YIELD, (int)next.length(), next.address());
    }
    bind_results(w, op, carried, inits);
    if (loop != w->outer)
        header_again(w, shape);
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

static bool is_narrow(tree operand)
{
    gimple *widened = TREE_CODE(operand) == SSA_NAME ? SSA_NAME_DEF_STMT(operand) : NULL;
    if (widened && is_gimple_assign(widened) && CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(widened)))
        operand = gimple_assign_rhs1(widened);
    return TREE_CODE(operand) == SSA_NAME && INTEGRAL_TYPE_P(TREE_TYPE(operand)) &&
           TYPE_PRECISION(TREE_TYPE(operand)) < TYPE_PRECISION(integer_type_node);
}

/* A short or a char, that is: it may wrap around below a bound that it does not hold.  */
static bool counts_narrowly(class loop *loop)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(loop->header);
    gimple *test = gsi_end_p(last) ? NULL : gsi_stmt(last);
    return test && gimple_code(test) == GIMPLE_COND &&
           (is_narrow(gimple_cond_lhs(test)) || is_narrow(gimple_cond_rhs(test)));
}

static void refuse_narrow(Walk *w, location_t where, const char *kind)
{
    w->failed = true;
    complain(where, "count with an int or a long",
             "the variable of a %s loop is narrower than %<int%>, and may wrap around below its bound", kind);
}

/* A `break` and the like in its body.  */
static bool refuse_exit(const Walk *w, class loop *loop, const char *kind)
{
    Branch branch;
    bool tests = branch_of(loop->header, &branch);
    auto_vec<edge> exits = get_loop_exit_edges(loop);
    for (unsigned i = 0; i < exits.length(); i++) {
        if (edge_is_dead(exits[i]) || (tests && branch_has(&branch, exits[i]->src)))
            continue;
        complain(graph_exit_location(exits[i]),
                 w->kernel->grid.plain
                     ? "let it run to its bound, and do nothing behind its end: if (!done) s += x[k]; done |= c;"
                     : "let it run to its bound; where it ends may be found by a loop before it that is not pipelined",
                 "a %s loop is left by %<break%>, %<return%> or %<goto%>", kind);
        return true;
    }
    return false;
}

/* The PHI of the loop that an operand of its condition is, behind conversions; or NULL.  */
static gphi *phi_of(class loop *loop, tree operand)
{
    for (int depth = 0; depth < 8 && TREE_CODE(operand) == SSA_NAME; depth++) {
        gimple *def = SSA_NAME_DEF_STMT(operand);
        if (gimple_code(def) == GIMPLE_PHI && gimple_bb(def) == loop->header)
            return as_a<gphi *>(def);
        if (!is_gimple_assign(def) ||
            !(CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)) || gimple_assign_single_p(def)))
            break;
        operand = gimple_assign_rhs1(def);
    }
    return NULL;
}

/* The first statement of an iteration that changes the variable of the PHI, and how many there are.  */
static gimple *first_change(class loop *loop, gphi *phi, int *count)
{
    auto_vec<tree> names;
    gimple *first = NULL;
    names.safe_push(PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(loop)));
    *count = 0;
    for (unsigned n = 0; n < names.length() && n < 32; n++) {
        gimple *def = TREE_CODE(names[n]) == SSA_NAME ? SSA_NAME_DEF_STMT(names[n]) : NULL;
        if (!def || def == phi || !gimple_bb(def) || !flow_bb_inside_loop_p(loop, gimple_bb(def)))
            continue;
        if (gphi *inner = dyn_cast<gphi *>(def)) {
            for (unsigned i = 0; i < gimple_phi_num_args(inner); i++)
                names.safe_push(gimple_phi_arg_def(inner, i));
            continue;
        }
        if (is_gimple_assign(def) && SSA_NAME_VAR(names[n]) == SSA_NAME_VAR(gimple_phi_result(phi)) && def != first) {
            first = def;
            ++*count;
        }
        if (is_gimple_assign(def))
            names.safe_push(gimple_assign_rhs1(def));
    }
    return first;
}

/* Its variable is no integer, or changes beside the step; its bound changes.  */
static bool refuse_operands(class loop *loop, const char *kind)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(loop->header);
    gcond *test = gsi_end_p(last) ? NULL : dyn_cast<gcond *>(gsi_stmt(last));
    if (!test)
        return false;
    gphi *left = phi_of(loop, gimple_cond_lhs(test)), *right = phi_of(loop, gimple_cond_rhs(test));
    gphi *counter = left ? left : right, *bound = left && right ? right : NULL;
    const char *name = counter ? name_of(gimple_phi_result(counter)) : NULL;
    int changes;
    if (!name)
        return false;
    if (FLOAT_TYPE_P(TREE_TYPE(gimple_phi_result(counter)))) {
        complain(stmt_location(test), "count with an int, and compute the number of it: x = lo + k * step",
                 "the variable %qs of a %s loop is no integer", name, kind);
        return true;
    }
    gimple *change = bound ? first_change(loop, bound, &changes) : NULL;
    if (change && name_of(gimple_phi_result(bound))) {
        complain(stmt_location(change), "copy it into a variable before the loop, and compare with that",
                 "the bound %qs of a %s loop changes in it", name_of(gimple_phi_result(bound)), kind);
        return true;
    }
    change = first_change(loop, counter, &changes);
    if (!change || changes < 2)
        return false;
    complain(stmt_location(change), "let the head of the loop alone change it, and compute with another variable",
             "the variable %qs of a %s loop changes in its body", name, kind);
    return true;
}

static void refuse_pipeline(Walk *w, class loop *loop, location_t where)
{
    if (!pipeline_of(w, loop))
        return;
    w->failed = true;
    if (refuse_exit(w, loop, "pipelined") || refuse_operands(loop, "pipelined"))
        return;
    if (counts_narrowly(loop))
        refuse_narrow(w, where, "pipelined");
    else
        complain(where,
                 "write it as 'for (k = lo; k < hi; k += 64)' without 'break', with a bound that does not change",
                 "a pipelined loop counts up to a bound");
}

/* A grid loop whose condition reads memory or calls something unknown.  */
static void refuse_header(Walk *w, class loop *loop)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(loop->header); !gsi_end_p(i); gsi_next_nondebug(&i))
        if (gimple_code(gsi_stmt(i)) != GIMPLE_COND && !pure_scalar_stmt(gsi_stmt(i)) &&
            !plain_refuse_written(w, gsi_stmt(i)))
            control_statement(w, gsi_stmt(i));
    gimple_stmt_iterator last = gsi_last_nondebug_bb(loop->header);
    if (!w->failed && EDGE_COUNT(loop->header->succs) == 2 &&
        flow_bb_inside_loop_p(loop, EDGE_SUCC(loop->header, 0)->dest) &&
        flow_bb_inside_loop_p(loop, EDGE_SUCC(loop->header, 1)->dest)) {
        complain(gsi_end_p(last) ? w->where : stmt_location(gsi_stmt(last)),
                 "compute the bound before the grid, and compare with that: int end = c ? n - 1 : n;",
                 "the condition of this grid loop has branches");
        w->failed = true;
    }
    region_irregular(w, gsi_end_p(last) ? w->where : stmt_location(gsi_stmt(last)));
}

/* require: the loop's initial values are known.   ensure: one FOR or WHILE; returns where control goes after it.  */
Exits *loop_emit(Walk *w, class loop *loop)
{
    Shape shape = {};
    Count count = {};
    if (!shape_of(loop, &shape)) {
        if (loop == w->outer) {
            refuse_header(w, loop);
            return exits_new(w);
        }
        location_t where = w->where;
        bool pure = header_is_pure(&shape),
             failed = w->failed; /* else what is wrong with the header is said, and is why */
        if (pure)
            refuse_pipeline(w, loop, where);
        Exits *exits = loop_emit_flagged(w, loop);
        if (!pure && w->failed == failed)
            refuse_pipeline(w, loop, where);
        pipeline_of(w, loop);
        return exits;
    }
    if (loop_count_of(&shape, &count)) {
        emit_for(w, &shape, &count);
    } else {
        refuse_pipeline(w, loop, loop_location(&shape));
        if (is_of_grid(w, loop) && !w->failed && refuse_operands(loop, "grid"))
            w->failed = true;
        else if (is_of_grid(w, loop) && counts_narrowly(loop))
            refuse_narrow(w, loop_location(&shape), "grid");
        emit_while(w, &shape);
    }
    return loop == w->outer ? exits_new(w) : control_leave(w, shape.out, &shape.branch);
}
