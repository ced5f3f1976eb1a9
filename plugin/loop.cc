/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop.cc - one natural loop -> FOR or WHILE.
 *
 *   for (k = 0; k < K; k += 64)       counted: the header holds one comparison of k with a bound that the loop leaves alone
 *   while (n > 1 && ws_at (t, n))     tested on top: the only way out is the header's condition
 *   for (;;) { ...; if (c) break; }   anything else: a WHILE over a flag; each way out says whether it was taken
 *
 * PHIs of the header are the carried values.  A header's statements are free of effects here: in a FOR those that the loop
 * leaves alone are computed before it, the others again at the top of the body.
 */
#include "plugin.h"

/* ---- the shape of a loop ----------------------------------------------------------------------------------------- */

struct Shape {
    class loop *loop;
    Branch branch;
    edge in, out;
    bool on_top; /* the header's condition is the only way out */
    bool in_on_yes;
};

/* What makes a loop a FOR.  */
struct Count {
    gphi *iv;
    tree lo, hi, step;
    Opcode compare;
    bool negative; /* the step is subtracted */
};

static bool header_is_pure(const Shape *shape)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(shape->loop->header); !gsi_end_p(i); gsi_next_nondebug(&i))
        if (gimple_code(gsi_stmt(i)) != GIMPLE_COND && !pure_scalar_stmt(gsi_stmt(i)))
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

/* ---- counted loops ----------------------------------------------------------------------------------------------- */

/* The loop leaves the expression alone: its leaves are defined outside.  */
static bool invariant(class loop *loop, tree expression, int depth)
{
    tree name = ssa_resolve(expression);
    if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name) || constant_of(name))
        return true;
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (!flow_bb_inside_loop_p(loop, gimple_bb(def)))
        return true;
    if (depth > 16 || gimple_code(def) == GIMPLE_PHI || !pure_scalar_stmt(def))
        return false;
    if (is_gimple_assign(def) && gimple_assign_load_p(def))
        return memory_is_invariant(loop, def);
    use_operand_p use;
    ssa_op_iter i;
    FOR_EACH_SSA_USE_OPERAND(use, def, i, SSA_OP_USE)
    if (!invariant(loop, USE_FROM_PTR(use), depth + 1))
        return false;
    return true;
}

/* Behind copies and conversions that keep every bit.  */
static tree bare(tree expression)
{
    for (;;) {
        tree name = ssa_resolve(expression);
        if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name))
            return name;
        gimple *def = SSA_NAME_DEF_STMT(name);
        if (!is_gimple_assign(def) || !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)))
            return name;
        tree to = TREE_TYPE(name), from = TREE_TYPE(gimple_assign_rhs1(def));
        if (!INTEGRAL_TYPE_P(to) || !INTEGRAL_TYPE_P(from) || TYPE_PRECISION(from) > TYPE_PRECISION(to) ||
            TYPE_PRECISION(from) == 1)
            return name;
        expression = gimple_assign_rhs1(def);
    }
}

static gphi *header_phi(class loop *loop, tree expression)
{
    tree name = bare(expression);
    if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name) || !INTEGRAL_TYPE_P(TREE_TYPE(name)))
        return NULL;
    gphi *phi = safe_dyn_cast<gphi *>(SSA_NAME_DEF_STMT(name));
    return phi && gimple_bb(phi) == loop->header ? phi : NULL;
}

static void swap_trees(tree &x, tree &y)
{
    tree other = x;
    x = y;
    y = other;
}

static bool step_operands(gimple *def, enum tree_code *code, tree *x, tree *y)
{
    if (is_gimple_assign(def) && gimple_num_ops(def) == 3) {
        *code = gimple_assign_rhs_code(def);
        *x = gimple_assign_rhs1(def);
        *y = gimple_assign_rhs2(def);
        return true;
    }
    if (!gimple_call_internal_p(def, IFN_UBSAN_CHECK_ADD) && !gimple_call_internal_p(def, IFN_UBSAN_CHECK_SUB))
        return false;
    *code = gimple_call_internal_p(def, IFN_UBSAN_CHECK_ADD) ? PLUS_EXPR : MINUS_EXPR;
    *x = gimple_call_arg(def, 0);
    *y = gimple_call_arg(def, 1);
    return true;
}

/* k = k + step on every way to the latch.  */
static bool step_of(class loop *loop, Count *count)
{
    tree next = ssa_resolve(PHI_ARG_DEF_FROM_EDGE(count->iv, loop_latch_edge(loop))), x, y;
    enum tree_code code;
    if (TREE_CODE(next) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(next) ||
        !step_operands(SSA_NAME_DEF_STMT(next), &code, &x, &y))
        return false;
    tree iv = gimple_phi_result(count->iv);
    if (code == PLUS_EXPR && ssa_resolve(y) == iv)
        swap_trees(x, y);
    if ((code != PLUS_EXPR && code != MINUS_EXPR) || ssa_resolve(x) != iv || !invariant(loop, y, 0))
        return false;
    count->step = y;
    count->negative = code == MINUS_EXPR;
    return !count->negative || constant_of(y);
}

/* With a walk: other than by the PHIs that the ways out lead to.  */
static bool used_outside(const Walk *w, class loop *loop, tree name)
{
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, name)
    {
        gimple *stmt = USE_STMT(use);
        if (is_gimple_debug(stmt))
            continue;
        basic_block bb = gimple_bb(stmt);
        if (gimple_code(stmt) == GIMPLE_PHI)
            bb = gimple_phi_arg_edge(as_a<gphi *>(stmt), PHI_ARG_INDEX_FROM_USE(use))->src;
        if (!flow_bb_inside_loop_p(loop, bb) && !(w && control_in_tail(w, bb)))
            return true;
        if (!w && gimple_code(stmt) == GIMPLE_PHI && !flow_bb_inside_loop_p(loop, gimple_bb(stmt)))
            return true;
    }
    return false;
}

/* The count, or what is computed from it in the header, lives on after the loop.  */
static bool count_escapes(const Shape *shape, gphi *iv)
{
    if (used_outside(NULL, shape->loop, gimple_phi_result(iv)))
        return true;
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(shape->loop->header); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        tree lhs = gimple_get_lhs(gsi_stmt(i));
        if (lhs && TREE_CODE(lhs) == SSA_NAME && !invariant(shape->loop, lhs, 0) &&
            used_outside(NULL, shape->loop, lhs))
            return true;
    }
    return false;
}

static bool count_of(const Shape *shape, Count *count)
{
    class loop *loop = shape->loop;
    gcond *stmt = as_a<gcond *>(gsi_stmt(gsi_last_nondebug_bb(loop->header)));
    enum tree_code code = gimple_cond_code(stmt);
    tree x = gimple_cond_lhs(stmt), y = gimple_cond_rhs(stmt);
    bool negate;
    if (shape->branch.count != 1 || !INTEGRAL_TYPE_P(TREE_TYPE(x)))
        return false;
    count->iv = header_phi(loop, x);
    if (!count->iv || !invariant(loop, y, 0)) {
        swap_trees(x, y);
        code = swap_tree_comparison(code);
        count->iv = header_phi(loop, x);
    }
    if (!shape->in_on_yes)
        code = invert_tree_comparison(code, false);
    if (!count->iv || !invariant(loop, y, 0) || code == EQ_EXPR || !opcode_of(code, &count->compare, &negate))
        return false;
    count->lo = PHI_ARG_DEF_FROM_EDGE(count->iv, loop_preheader_edge(loop));
    count->hi = y;
    return step_of(loop, count) && !count_escapes(shape, count->iv);
}

/* ---- carried values ---------------------------------------------------------------------------------------------- */

struct Carried {
    auto_vec<gphi *> phis;
};

static void carried_of(class loop *loop, gphi *without, Carried *carried)
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

static Value *argument(Walk *w, Block *block, gphi *phi, Type type)
{
    tree result = gimple_phi_result(phi);
    return block_arg(w->kernel, block, type, name_of(result), loc_of(phi_location(phi)));
}

static void bind_carried(Walk *w, Block *block, const Carried &carried, const auto_vec<Value *> &inits)
{
    for (unsigned i = 0; i < carried.phis.length(); i++)
        value_set(w, gimple_phi_result(carried.phis[i]), argument(w, block, carried.phis[i], type_handed(inits[i])));
}

static void initial_values(Walk *w, class loop *loop, const Carried &carried, auto_vec<Value *> *inits)
{
    for (unsigned i = 0; i < carried.phis.length(); i++)
        inits->safe_push(value_of(w, PHI_ARG_DEF_FROM_EDGE(carried.phis[i], loop_preheader_edge(loop))));
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

/* Enter a block of the loop's op, and come back.  */
struct Inside {
    Walk *w;
    class loop *loop;
    Block *block;
    Inside(Walk *walk, class loop *inner, Block *into) : w(walk), loop(walk->loop), block(walk->block)
    {
        w->loop = inner;
        w->block = into;
    }
    ~Inside()
    {
        w->loop = loop;
        w->block = block;
    }
};

static void header_statements(Walk *w, const Shape *shape, bool invariants)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(shape->loop->header); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        gimple *stmt = gsi_stmt(i);
        tree lhs = gimple_get_lhs(stmt);
        if (lhs && TREE_CODE(lhs) == SSA_NAME && invariant(shape->loop, lhs, 0) == invariants)
            control_statement(w, stmt);
    }
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

/* lo, hi and step in the type that the comparison is made in.  */
static Dtype bounds(Walk *w, const Count *count, Value **range)
{
    range[0] = value_of(w, count->lo);
    range[1] = value_of_argument(w, count->hi);
    range[2] = value_of_argument(w, count->step);
    Dtype dtype = range[0]->type.dtype, compared;
    int64_t number;
    if (!ir_constant(range[1], &number) && dtype_bytes(range[1]->type.dtype) > dtype_bytes(dtype))
        dtype = range[1]->type.dtype;
    tree type = TREE_TYPE(gimple_phi_result(count->iv));
    bool other_sign = TYPE_UNSIGNED(type) && TYPE_PRECISION(type) == TYPE_PRECISION(TREE_TYPE(count->hi));
    if ((TYPE_UNSIGNED(TREE_TYPE(count->hi)) || other_sign) && scalar_type(TREE_TYPE(count->hi), &compared))
        dtype = compared;
    for (int i = 0; i < 3; i++)
        range[i] = value_convert(w, range[i], dtype, NULL);
    if (count->negative && ir_constant(range[2], &number))
        range[2] = value_literal(w, dtype, -number, 0);
    return dtype;
}

static void check_direction(Walk *w, const Shape *shape, const Count *count, Value *const *range)
{
    int64_t step;
    bool up = count->compare == OP_LTI || count->compare == OP_LEI, known = ir_constant(range[2], &step);
    if (!known || count->compare == OP_NEI || (step > 0) == up)
        return;
    w->failed = true;
    complain(loop_location(shape), "turn the comparison or the step around",
             "this loop steps %s but compares with %qs: it would not end", step > 0 ? "up" : "down",
             op_info[count->compare].call);
}

/* The induction variable, in its own type for the body.  */
static void bind_count(Walk *w, const Count *count, Dtype dtype)
{
    tree iv = gimple_phi_result(count->iv);
    Value *value = argument(w, w->block, count->iv, type_scalar(dtype));
    value_set(w, iv, value_convert(w, value, type_of(TREE_TYPE(iv)).dtype, name_of(iv)));
}

static void emit_for(Walk *w, const Shape *shape, const Count *count)
{
    Carried carried;
    auto_vec<Value *> inits, next;
    class loop *loop = shape->loop;
    carried_of(loop, count->iv, &carried);
    header_statements(w, shape, true);
    w->where = loop_location(shape);
    Value *range[3];
    Dtype dtype = bounds(w, count, range);
    initial_values(w, loop, carried, &inits);
    check_direction(w, shape, count, range);
    Opcode compare = count->compare;
    plain_comparison(w, &compare, range);
    Op *op = op_new(w->kernel, OP_FOR, loc_of(loop_location(shape)), 3, range);
    for (unsigned i = 0; i < inits.length(); i++)
        op_add_arg(w->kernel, op, inits[i]);
    op->ival = compare;
    op->pipeline = pipeline_of(w, loop);
    op_append(w->block, op);
    if (loop == w->outer)
        w->anchor = op;
    {
        Inside inside(w, loop, block_new(w->kernel, op));
        bind_count(w, count, dtype);
        bind_carried(w, w->block, carried, inits);
        header_statements(w, shape, false);
        Jump *back = only_back(w, control_leave(w, shape->in, &shape->branch), loop);
        if (back)
            next_values(carried, back, &next);
        yield_to(w, w->block, OP_YIELD, (int)next.length(), next.address());
    }
    bind_results(w, op, carried, inits);
}

/* ---- WHILE with the test on top ---------------------------------------------------------------------------------- */

static void emit_condition(Walk *w, const Shape *shape, Block *block)
{
    Inside inside(w, shape->loop, block);
    header_statements(w, shape, true);
    header_statements(w, shape, false);
    Value *condition = branch_emit(w, &shape->branch);
    if (!shape->in_on_yes)
        condition = value_new_op(w, OP_NOTI, w->where, type_scalar(D_I1), NULL, 1, &condition);
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

static Op *while_new(Walk *w, location_t where, const auto_vec<Value *> &inits)
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
    carried_of(loop, NULL, &carried);
    initial_values(w, loop, carried, &inits);
    Op *op = while_new(w, loop_location(shape), inits);
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

/* ---- WHILE over a flag ------------------------------------------------------------------------------------------- */

/* Why a slot is read after the loop: by the PHIs behind one way out, or by name.  */
enum Use { USE_NONE, USE_WAY, USE_NAME };

/* A value that a general loop hands to the next iteration or to what follows it.  */
struct Slot {
    Use use;
    unsigned way;  /* USE_WAY: the last that took it */
    gphi *phi;     /* of the header, or NULL */
    Value *init;   /* before the first iteration */
    Value *arg;    /* in the body */
    Value *back;   /* after an iteration that goes on */
    Value *result; /* after the loop */
    const char *name;
};

struct Flagged {
    Op *op;
    auto_vec<Slot> slots;
    unsigned running; /* index of the flag */
};

static unsigned slot_add(Flagged *f, Value *init, const char *name)
{
    Slot slot = {};
    slot.init = init;
    slot.name = name;
    f->slots.safe_push(slot);
    return f->slots.length() - 1;
}

/* A slot for a value that leaves the loop.  Scalars get one of their own.  A tile shares that of the variable that it is a
   value of: on the way out the old value is needed no more, unless it leaves the loop itself.  */
static int slot_for(Walk *w, Flagged *f, Value *value, tree var, Use use, unsigned way)
{
    for (unsigned i = 0; i < f->slots.length(); i++) {
        Slot &slot = f->slots[i];
        bool is_free = slot.use == USE_NONE || (slot.use == USE_WAY && use == USE_WAY && slot.way != way);
        bool is_own = slot.arg == value || (slot.phi && var && SSA_NAME_VAR(gimple_phi_result(slot.phi)) == var);
        if (!is_free || !is_own || (value->type.kind == K_SCALAR && slot.arg != value))
            continue;
        slot.use = use;
        slot.way = way;
        return (int)i;
    }
    if (value->type.kind == K_SCALAR) {
        unsigned index = slot_add(f, value_literal(w, value->type.dtype, 0, 0), var ? name_of(var) : NULL);
        f->slots[index].use = use;
        return (int)index;
    }
    region_irregular(w, w->where);
    return -1;
}

static void complete(Walk *w, Flagged *f)
{
    for (unsigned i = 0; i < f->slots.length(); i++) {
        Slot &slot = f->slots[i];
        if (slot.arg)
            continue;
        op_add_arg(w->kernel, f->op, slot.init);
        slot.arg = block_arg(w->kernel, f->op->blocks[1], type_handed(slot.init), slot.name, f->op->loc);
        slot.back = slot.arg;
    }
}

static void condition_block(Walk *w, Flagged *f)
{
    Block *block = f->op->blocks[0];
    auto_vec<Value *> args;
    for (unsigned i = 0; i < f->slots.length(); i++)
        args.safe_push(block_arg(w->kernel, block, type_handed(f->slots[i].init), f->slots[i].name, f->op->loc));
    Value *running = args[f->running];
    args.safe_insert(0, running);
    yield_to(w, block, OP_COND, (int)args.length(), args.address());
}

/* One way out: its PHI values go to slots; the result is the jump that follows the loop, its values still slot numbers.  */
struct WayOut {
    Jump *jump;
    auto_vec<int> slots; /* for each PHI, or -1 */
    int taken;           /* slot of the flag, or -1 */
};

static tree phi_var(basic_block bb, int n)
{
    gphi_iterator i = gsi_start_phis(bb);
    for (; n > 0; n--)
        gsi_next(&i);
    return SSA_NAME_VAR(gimple_phi_result(i.phi()));
}

static void plan_way_out(Walk *w, Flagged *f, WayOut *way, unsigned number, bool several)
{
    for (int n = 0; n < way->jump->nphis; n++) {
        Value *value = way->jump->phis[n];
        bool leaves = value && value_inside(value, f->op);
        way->slots.safe_push(leaves ? slot_for(w, f, value, phi_var(way->jump->target, n), USE_WAY, number) : -1);
    }
    way->taken = several ? (int)slot_add(f, value_literal(w, D_I1, 0, 0), NULL) : -1;
}

/* Values of the body that are used after the loop without a PHI in between.  */
struct Survivor {
    tree name;
    Value *value;
    int slot;
};

static void way_values(Walk *w, Flagged *f, const WayOut *way, const auto_vec<Survivor> &survivors,
                       auto_vec<Value *> *values)
{
    for (unsigned i = 0; i < f->slots.length(); i++)
        values->safe_push(f->slots[i].arg);
    for (unsigned i = 0; i < survivors.length(); i++)
        (*values)[survivors[i].slot] = survivors[i].value;
    (*values)[f->running] = value_literal(w, D_I1, 0, 0);
    for (unsigned n = 0; n < way->slots.length(); n++)
        if (way->slots[n] >= 0)
            (*values)[way->slots[n]] = way->jump->phis[n];
    if (way->taken >= 0)
        (*values)[way->taken] = value_literal(w, D_I1, 1, 0);
}

static void back_values(Walk *w, Flagged *f, auto_vec<Value *> *values)
{
    for (unsigned i = 0; i < f->slots.length(); i++)
        values->safe_push(f->slots[i].back);
    (*values)[f->running] = value_literal(w, D_I1, 1, 0);
}

/* The yield of the body: the values of the way that was taken.  */
static void yield_ways(Walk *w, Flagged *f, Jump *back, const Exits *exits, const auto_vec<WayOut *> &ways,
                       const auto_vec<Survivor> &survivors)
{
    auto_vec<Value *> values;
    bool first = true;
    if (back) {
        back_values(w, f, &values);
        first = false;
    }
    for (unsigned k = 0; k < ways.length(); k++) {
        auto_vec<Value *> out, merged;
        way_values(w, f, ways[k], survivors, &out);
        if (first) {
            values.safe_splice(out);
            first = false;
            continue;
        }
        merged.safe_grow_cleared(out.length());
        Value *taken = exits->count > 1 ? ways[k]->jump->taken : value_literal(w, D_I1, 1, 0);
        choose_values(w, taken, (int)out.length(), out.address(), values.address(), merged.address());
        for (unsigned i = 0; i < merged.length(); i++)
            values[i] = merged[i];
    }
    yield_to(w, w->block, OP_YIELD, (int)values.length(), values.address());
}

static Exits *ways_after(Walk *w, Flagged *f, const auto_vec<WayOut *> &ways)
{
    Exits *exits = exits_new(w);
    for (unsigned k = 0; k < ways.length(); k++) {
        Jump *jump = (Jump *)arena_alloc(w->kernel->module, sizeof *jump);
        *jump = *ways[k]->jump;
        jump->phis = (Value **)arena_alloc(w->kernel->module, (size_t)(jump->nphis + 1) * sizeof(Value *));
        for (int n = 0; n < jump->nphis; n++)
            jump->phis[n] = ways[k]->slots[n] >= 0 ? f->slots[ways[k]->slots[n]].result : ways[k]->jump->phis[n];
        jump->taken = ways[k]->taken >= 0 ? f->slots[ways[k]->taken].result : NULL;
        exits->list[exits->count++] = jump;
    }
    return exits;
}

static void add_survivor(Walk *w, Flagged *f, class loop *loop, tree name, auto_vec<Survivor> *survivors)
{
    if (TREE_CODE(name) != SSA_NAME || virtual_operand_p(name) || is_tensor_type(TREE_TYPE(name)) ||
        !used_outside(w, loop, name))
        return;
    tree resolved = ssa_resolve(name);
    Value **value = TREE_CODE(resolved) == SSA_NAME ? w->values.get(resolved) : NULL;
    if (!value || constant_of(name) || !value_inside(*value, f->op))
        return;
    const Block *home = (*value)->def ? (*value)->def->parent : (*value)->block;
    if (home != f->op->blocks[1]) {
        region_irregular(w, w->where);
        return;
    }
    for (unsigned i = 0; i < survivors->length(); i++)
        if ((*survivors)[i].name == resolved)
            return;
    Value *kept = *value;
    int slot = slot_for(w, f, kept, SSA_NAME_VAR(name), USE_NAME, 0);
    if (slot >= 0)
        survivors->safe_push(Survivor{resolved, kept, slot});
}

static void find_survivors(Walk *w, Flagged *f, class loop *loop, auto_vec<Survivor> *survivors)
{
    basic_block *body = get_loop_body(loop);
    for (unsigned i = 0; i < loop->num_nodes; i++) {
        for (gphi_iterator p = gsi_start_phis(body[i]); !gsi_end_p(p); gsi_next(&p))
            add_survivor(w, f, loop, gimple_phi_result(p.phi()), survivors);
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s); gsi_next_nondebug(&s))
            if (gimple_get_lhs(gsi_stmt(s)))
                add_survivor(w, f, loop, gimple_get_lhs(gsi_stmt(s)), survivors);
    }
    free(body);
}

static void start_flagged(Walk *w, Flagged *f, class loop *loop)
{
    Carried carried;
    auto_vec<Value *> inits;
    carried_of(loop, NULL, &carried);
    initial_values(w, loop, carried, &inits);
    f->op = while_new(w, w->where, inits);
    for (unsigned i = 0; i < inits.length(); i++) {
        Slot slot = {};
        slot.phi = carried.phis[i];
        slot.init = inits[i];
        slot.name = name_of(gimple_phi_result(slot.phi));
        slot.arg = argument(w, f->op->blocks[1], slot.phi, type_handed(slot.init));
        value_set(w, gimple_phi_result(slot.phi), slot.arg);
        f->slots.safe_push(slot);
    }
    f->running = slot_add(f, value_literal(w, D_I1, 1, 0), "running");
    complete(w, f);
}

static void set_back(Flagged *f, const Jump *back)
{
    for (unsigned i = 0; i < f->slots.length(); i++) {
        int n = 0;
        if (f->slots[i].phi)
            for (gphi_iterator phi = gsi_start_phis(back->target); !gsi_end_p(phi); gsi_next(&phi), n++)
                if (phi.phi() == f->slots[i].phi)
                    f->slots[i].back = back->phis[n];
    }
}

static Exits *emit_flagged(Walk *w, class loop *loop)
{
    Flagged f;
    auto_vec<WayOut *> ways;
    auto_vec<Survivor> survivors;
    start_flagged(w, &f, loop);
    {
        Inside inside(w, loop, f.op->blocks[1]);
        Exits *exits = control_header(w);
        Jump *back = exits_find(exits, loop->header);
        for (int i = 0; i < exits->count; i++)
            if (exits->list[i] != back) {
                WayOut *way = new WayOut();
                way->jump = exits->list[i];
                ways.safe_push(way);
            }
        for (unsigned i = 0; i < ways.length(); i++)
            plan_way_out(w, &f, ways[i], i, ways.length() > 1);
        find_survivors(w, &f, loop, &survivors);
        complete(w, &f);
        if (back)
            set_back(&f, back);
        yield_ways(w, &f, back, exits, ways, survivors);
    }
    condition_block(w, &f);
    for (unsigned i = 0; i < f.slots.length(); i++) {
        f.slots[i].result = op_result(w->kernel, f.op, type_handed(f.slots[i].init), f.slots[i].name);
        if (f.slots[i].phi)
            value_set(w, gimple_phi_result(f.slots[i].phi), f.slots[i].result);
    }
    for (unsigned i = 0; i < survivors.length(); i++)
        value_set(w, survivors[i].name, f.slots[survivors[i].slot].result);
    Exits *after = ways_after(w, &f, ways);
    for (unsigned i = 0; i < ways.length(); i++)
        delete ways[i];
    return after;
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

static void refuse_pipeline(Walk *w, class loop *loop, location_t where)
{
    if (!pipeline_of(w, loop))
        return;
    w->failed = true;
    complain(where, "write it as 'for (k = lo; k < hi; k += 64)' without 'break', with a bound that does not change",
             "a pipelined loop counts up to a bound");
}

/* A grid loop whose condition reads memory or calls something unknown.  */
static void refuse_header(Walk *w, class loop *loop)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(loop->header); !gsi_end_p(i); gsi_next_nondebug(&i))
        if (gimple_code(gsi_stmt(i)) != GIMPLE_COND && !pure_scalar_stmt(gsi_stmt(i)))
            control_statement(w, gsi_stmt(i));
    gimple_stmt_iterator last = gsi_last_nondebug_bb(loop->header);
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
        refuse_pipeline(w, loop, w->where);
        return emit_flagged(w, loop);
    }
    if (count_of(&shape, &count)) {
        emit_for(w, &shape, &count);
    } else {
        refuse_pipeline(w, loop, loop_location(&shape));
        emit_while(w, &shape);
    }
    return loop == w->outer ? exits_new(w) : control_leave(w, shape.out, &shape.branch);
}
