/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * control.cc - the control flow graph of a region -> nested IF, and loops through loop.cc.
 *
 *   if (causal && k > i) continue;       %c = scalar_and %causal, %5
 *   acc = ws_dot (...);                  %acc: if %c { yield %acc } else { ... dot ...; yield %acc }
 *
 * First, two condition blocks of which the second is free of effects and shares a successor with the first are one
 * condition: that is && and ||.  Then blocks are emitted along the dominator tree: a block, its branch as an IF, and
 * after it the blocks where paths meet again, in reverse postorder.  A path that leaves an arm for such a block carries
 * the values of its PHIs as results of the IF.  Where the arms of an IF leave for different blocks (a `continue` deep
 * inside), an I1 result says which way was taken, and the code of the nearer block becomes an IF around the rest.
 */
#include "plugin.h"

/* ---- edges and PHIs ---------------------------------------------------------------------------------------------- */

bool phi_needed(gphi *phi)
{
    tree result = gimple_phi_result(phi);
    return !virtual_operand_p(result) && !is_tensor_type(TREE_TYPE(result)) && !has_zero_uses(result);
}

/* An edge to __builtin_unreachable (): the path is not taken.  */
bool edge_is_dead(edge e)
{
    if (EDGE_COUNT(e->dest->succs))
        return false;
    gimple_stmt_iterator last = gsi_last_nondebug_bb(e->dest);
    return !gsi_end_p(last) && gimple_call_builtin_p(gsi_stmt(last), BUILT_IN_UNREACHABLE);
}

/* Paths meet in bb: there is a way to it other than e, those of e's own chain and the way back of a loop.  */
static bool is_join(basic_block bb, edge way, const Branch *chain)
{
    edge e;
    edge_iterator ei;
    FOR_EACH_EDGE(e, ei, bb->preds)
    if (e != way && !branch_has(chain, e->src) &&
        !(bb->loop_father->header == bb && flow_bb_inside_loop_p(bb->loop_father, e->src)))
        return true;
    return false;
}

Exits *exits_new(Walk *w)
{
    return (Exits *)arena_alloc(w->kernel->module, sizeof(Exits));
}

Jump *exits_find(const Exits *exits, basic_block target)
{
    for (int i = 0; i < exits->count; i++)
        if (exits->list[i]->target == target)
            return exits->list[i];
    return NULL;
}

int phi_count(basic_block bb)
{
    int count = 0;
    for (gphi_iterator i = gsi_start_phis(bb); !gsi_end_p(i); gsi_next(&i))
        count++;
    return count;
}

static Jump *jump_new(Walk *w, basic_block target)
{
    Jump *jump = (Jump *)arena_alloc(w->kernel->module, sizeof *jump);
    jump->target = target;
    jump->nphis = phi_count(target);
    jump->phis = (Value **)arena_alloc(w->kernel->module, (size_t)(jump->nphis + 1) * sizeof(Value *));
    return jump;
}

void exits_add(Walk *w, Exits *exits, Jump *jump)
{
    if (exits->count == exits->room) {
        Jump **longer = (Jump **)arena_alloc(w->kernel->module, (size_t)(2 * exits->room + 4) * sizeof *longer);
        for (int i = 0; i < exits->count; i++)
            longer[i] = exits->list[i];
        exits->list = longer;
        exits->room = 2 * exits->room + 4;
    }
    exits->list[exits->count++] = jump;
}

void phis_bind(Walk *w, const Jump *jump)
{
    int n = 0;
    for (gphi_iterator i = gsi_start_phis(jump->target); !gsi_end_p(i); gsi_next(&i), n++)
        if (jump->phis[n])
            value_set(w, gimple_phi_result(i.phi()), jump->phis[n]);
}

static Exits *record(Walk *w, edge e)
{
    Exits *exits = exits_new(w);
    Jump *jump = jump_new(w, e->dest);
    int n = 0;
    for (gphi_iterator i = gsi_start_phis(e->dest); !gsi_end_p(i); gsi_next(&i), n++)
        if (phi_needed(i.phi()))
            jump->phis[n] = value_of(w, PHI_ARG_DEF_FROM_EDGE(i.phi(), e));
    exits_add(w, exits, jump);
    return exits;
}

/* bb is on a straight way out of the walk's loop to where others come: "if (c) { x = 1; break; }".  It is emitted
   inside the loop, where its values are known.  Where there is only one way out, it stands behind the loop.  */
bool control_in_tail(const Walk *w, basic_block bb)
{
    basic_block first = bb, last = bb;
    if (!flow_bb_inside_loop_p(w->outer, bb) || get_loop_exit_edges(w->loop).length() < 2)
        return false;
    for (int i = 0; i < 8 && single_pred_p(last) && single_succ_p(last) && last->loop_father->header != last; i++)
        last = single_succ(last);
    for (int i = 0; i < 8 && single_pred_p(first) && !flow_bb_inside_loop_p(w->loop, single_pred(first)); i++)
        first = single_pred(first);
    if (last == bb || single_pred_p(last) || last->loop_father->header == last || !single_pred_p(first))
        return false;
    return flow_bb_inside_loop_p(w->loop, single_pred(first)) && (first == bb || control_in_tail(w, first));
}

/* Go along an edge, which may be one of those of a chain: emit the block behind it here, or leave that to where paths
   meet.  */
Exits *control_leave(Walk *w, edge e, const Branch *chain)
{
    basic_block target = e->dest;
    if (edge_is_dead(e))
        return exits_new(w);
    bool inside = flow_bb_inside_loop_p(w->loop, target) || control_in_tail(w, target);
    if (!inside || target == w->loop->header || is_join(target, e, chain))
        return record(w, e);
    for (gphi_iterator i = gsi_start_phis(target); target->loop_father->header != target && !gsi_end_p(i); gsi_next(&i))
        if (phi_needed(i.phi()))
            value_set(w, gimple_phi_result(i.phi()), value_of(w, PHI_ARG_DEF_FROM_EDGE(i.phi(), e)));
    return control_node(w, target);
}

Exits *control_jump(Walk *w, edge e)
{
    return control_leave(w, e, NULL);
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
    op_append(block, op_new(w->kernel, code, loc_of(w->where), nargs, args));
}

/* What an IF has to hand out.  */
struct Results {
    Op *op;
    Value *condition;
    auto_vec<Value *> yes, no;
    auto_vec<Value **> slots;
    auto_vec<const char *> names;
};

/* The value stands where everything below `op` sees it.  */
static bool is_visible(const Value *value, const Op *op)
{
    const Block *home = value->def ? value->def->parent : value->block;
    if (!home)
        return true;
    for (const Block *block = op->parent; block; block = block->parent ? block->parent->parent : NULL)
        if (block == home)
            return true;
    return false;
}

/* The latest value of the variable that `op` can use, or NULL.  */
Value *earlier_value(Walk *w, const Op *op, tree var)
{
    Value *best = NULL;
    for (hash_map<tree, Value *>::iterator i = w->values.begin(); var && i != w->values.end(); ++i)
        if (SSA_NAME_VAR((*i).first) == var && is_visible((*i).second, op) && (!best || (*i).second->id > best->id))
            best = (*i).second;
    return best;
}

/* For a path on which nobody looks at the value: 0, or an earlier value of the same variable.  A tile of zeros gets its
   type from the value that it stands beside.  */
static Value *nothing(Walk *w, Value *like, Op *op, tree var)
{
    if (like->type.kind == K_SCALAR)
        return value_literal(w, like->type.dtype, 0, 0);
    Value *best = earlier_value(w, op, var);
    if (best)
        return best;
    Op *zeros = op_new(w->kernel, OP_FULL, loc_of(w->where), 0, NULL);
    op_before(op, zeros);
    return op_result(w->kernel, zeros, type_tile(D_F32, -1, -1), NULL); /* types.c settles it */
}

/* One value where the arms meet: the same in both, seen from outside already, or a result.  */
static void want(Walk *w, Results *results, Value *yes, Value *no, tree name, Value **slot)
{
    tree var = name ? SSA_NAME_VAR(name) : NULL_TREE;
    if (!yes && !no)
        return;
    if ((!yes || !no || yes == no) && !value_inside(yes ? yes : no, results->op)) {
        *slot = yes ? yes : no;
        return;
    }
    results->yes.safe_push(yes ? yes : nothing(w, no, results->op, var));
    results->no.safe_push(no ? no : nothing(w, yes, results->op, var));
    results->names.safe_push(name ? name_of(name) : NULL);
    results->slots.safe_push(slot);
}

static Value *pick(Walk *w, Value *condition, Value *yes, Value *no, const char *name)
{
    int64_t x, y;
    if (yes == no)
        return yes;
    if (yes->type.dtype == D_I1 && ir_constant(yes, &x) && ir_constant(no, &y))
        return x ? condition : branch_negated(w, condition);
    Value *args[] = {condition, yes, no};
    return value_new_op(w, OP_SCALAR_SELECT, w->where, yes->type, name, 3, args);
}

static bool is_flat(const Results &results)
{
    if (results.op->blocks[0]->first || results.op->blocks[1]->first)
        return false;
    for (unsigned i = 0; i < results.yes.length(); i++)
        if (results.yes[i]->type.kind != K_SCALAR)
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
    op->args[0] = branch_negated(w, op->args[0]);
    op_append(w->block, op);
}

/* End both arms; without operations in them an IF is a choice of scalars.  */
static void finish(Walk *w, Results *results)
{
    int count = (int)results->yes.length();
    bool flat = is_flat(*results);
    if (flat)
        op_remove(results->op);
    for (int i = 0; i < count; i++) {
        Value *yes = results->yes[i], *no = results->no[i];
        *results->slots[i] = flat ? pick(w, results->condition, yes, no, results->names[i])
                                  : op_result(w->kernel, results->op, type_handed(yes), results->names[i]);
    }
    if (flat)
        return;
    yield_to(w, results->op->blocks[0], OP_YIELD, count, results->yes.address());
    yield_to(w, results->op->blocks[1], OP_YIELD, count, results->no.address());
    turn(w, results->op);
}

static Op *if_new(Walk *w, Value *condition)
{
    Op *op = op_new(w->kernel, OP_IF, loc_of(w->where), 1, &condition);
    block_new(w->kernel, op);
    block_new(w->kernel, op);
    op_append(w->block, op);
    return op;
}

static Value *taken_flag(Walk *w, const Exits *exits, const Jump *jump)
{
    if (!jump)
        return value_literal(w, D_I1, 0, 0);
    return exits->count == 1 ? value_literal(w, D_I1, 1, 0) : jump->taken;
}

/* The ways out of an IF, of those out of its arms.  */
static Exits *merge(Walk *w, Op *op, Value *condition, const Exits *yes, const Exits *no)
{
    Exits *exits = exits_new(w);
    Results results;
    results.op = op;
    results.condition = condition;
    for (int i = 0; i < yes->count; i++)
        exits_add(w, exits, jump_new(w, yes->list[i]->target));
    for (int i = 0; i < no->count; i++)
        if (!exits_find(exits, no->list[i]->target))
            exits_add(w, exits, jump_new(w, no->list[i]->target));
    for (int i = 0; i < exits->count; i++) {
        Jump *jump = exits->list[i], *x = exits_find(yes, jump->target), *y = exits_find(no, jump->target);
        int n = 0;
        for (gphi_iterator phi = gsi_start_phis(jump->target); !gsi_end_p(phi); gsi_next(&phi), n++)
            want(w, &results, x ? x->phis[n] : NULL, y ? y->phis[n] : NULL, gimple_phi_result(phi.phi()),
                 &jump->phis[n]);
        if (exits->count > 1)
            want(w, &results, taken_flag(w, yes, x), taken_flag(w, no, y), NULL, &jump->taken);
    }
    finish(w, &results);
    return exits;
}

void choose_values(Walk *w, Value *condition, int count, Value *const *yes, Value *const *no, Value **values)
{
    Results results;
    results.op = if_new(w, condition);
    results.condition = condition;
    for (int i = 0; i < count; i++)
        want(w, &results, yes[i], no[i], NULL_TREE, &values[i]);
    finish(w, &results);
}

static Exits *branch(Walk *w, Value *condition, const Branch *chain)
{
    edge yes = chain->yes, no = chain->no;
    int64_t known;
    if (ir_constant(condition, &known))
        return control_leave(w, known ? yes : no, chain);
    if (edge_is_dead(yes) || edge_is_dead(no))
        return control_leave(w, edge_is_dead(yes) ? no : yes, chain);
    Block *block = w->block;
    Op *op = if_new(w, condition);
    w->block = op->blocks[0];
    Exits *x = control_leave(w, yes, chain);
    w->block = op->blocks[1];
    Exits *y = control_leave(w, no, chain);
    w->block = block;
    return merge(w, op, condition, x, y);
}

/* ---- switch ------------------------------------------------------------------------------------------------------ */

static Value *compare(Walk *w, Opcode code, Value *x, tree y)
{
    Value *args[] = {x, value_of(w, y)};
    return value_new_op(w, code, w->where, type_scalar(D_I1), NULL, 2, args);
}

/* Whether one of the labels of an edge is meant.  */
static Value *case_condition(Walk *w, gswitch *stmt, Value *index, edge e)
{
    Value *any = value_literal(w, D_I1, 0, 0);
    for (unsigned i = 1; i < gimple_switch_num_labels(stmt); i++) {
        tree label = gimple_switch_label(stmt, i);
        if (label_to_block(cfun, CASE_LABEL(label)) != e->dest)
            continue;
        Value *hit = CASE_HIGH(label) ? branch_joined(w, true, compare(w, OP_SCALAR_GE, index, CASE_LOW(label)),
                                                      compare(w, OP_SCALAR_LE, index, CASE_HIGH(label)))
                                      : compare(w, OP_SCALAR_EQ, index, CASE_LOW(label));
        any = branch_joined(w, false, any, hit);
    }
    return any;
}

static Exits *switch_from(Walk *w, gswitch *stmt, Value *index, unsigned first)
{
    basic_block bb = gimple_bb(stmt);
    edge otherwise = gimple_switch_default_edge(cfun, stmt);
    while (first < EDGE_COUNT(bb->succs) && EDGE_SUCC(bb, first) == otherwise)
        first++;
    if (first >= EDGE_COUNT(bb->succs))
        return control_jump(w, otherwise);
    Value *condition = case_condition(w, stmt, index, EDGE_SUCC(bb, first));
    int64_t known;
    if (ir_constant(condition, &known))
        return known ? control_jump(w, EDGE_SUCC(bb, first)) : switch_from(w, stmt, index, first + 1);
    Block *block = w->block;
    Op *op = if_new(w, condition);
    w->block = op->blocks[0];
    Exits *x = control_jump(w, EDGE_SUCC(bb, first));
    w->block = op->blocks[1];
    Exits *y = switch_from(w, stmt, index, first + 1);
    w->block = block;
    return merge(w, op, condition, x, y);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

void control_statement(Walk *w, gimple *stmt)
{
    w->task = task_of(w, stmt);
    switch (gimple_code(stmt)) {
    case GIMPLE_ASSIGN:
        value_statement(w, stmt);
        break;
    case GIMPLE_CALL:
        call_statement(w, as_a<gcall *>(stmt));
        break;
    case GIMPLE_ASM:
        w->failed = true;
        complain(stmt_location(stmt), "write it in C", "an assembler statement in a grid");
        break;
    default:
        break;
    }
    if (w->marks->length() && !w->failed)
        task_note_rings(w, stmt);
}

void control_statements(Walk *w, basic_block bb)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i))
        control_statement(w, gsi_stmt(i));
}

static Exits *last_statement(Walk *w, basic_block bb)
{
    Branch chain;
    gimple_stmt_iterator last = gsi_last_nondebug_bb(bb);
    gswitch *choice = gsi_end_p(last) ? NULL : safe_dyn_cast<gswitch *>(gsi_stmt(last));
    if (branch_of(bb, &chain)) {
        Value *condition = branch_emit(w, &chain);
        return branch(w, condition, &chain);
    }
    if (choice) {
        w->where = stmt_location(choice);
        return switch_from(w, choice, value_of(w, gimple_switch_index(choice)), 0);
    }
    if (single_succ_p(bb) && !(single_succ_edge(bb)->flags & EDGE_COMPLEX))
        return control_jump(w, single_succ_edge(bb));
    if (EDGE_COUNT(bb->succs))
        region_irregular(w, gsi_end_p(last) ? w->where : stmt_location(gsi_stmt(last)));
    return exits_new(w);
}

/* Where paths meet again: emitted once, in an IF if not every path leads there.  */
static Exits *follow(Walk *w, Exits *exits, basic_block target)
{
    Jump *jump = exits_find(exits, target);
    if (!jump)
        return exits;
    if (exits->count == 1) {
        phis_bind(w, jump);
        return control_node(w, target);
    }
    Exits *others = exits_new(w);
    for (int i = 0; i < exits->count; i++)
        if (exits->list[i] != jump)
            exits_add(w, others, exits->list[i]);
    Block *block = w->block;
    Op *op = if_new(w, jump->taken);
    phis_bind(w, jump);
    w->block = op->blocks[0];
    Exits *here = control_node(w, target);
    w->block = block;
    return merge(w, op, jump->taken, here, others);
}

static void add_followers(Walk *w, basic_block bb, class loop *inner, auto_vec<basic_block> *list)
{
    for (basic_block son = first_dom_son(CDI_DOMINATORS, bb); son; son = next_dom_son(CDI_DOMINATORS, son)) {
        if ((inner && flow_bb_inside_loop_p(inner, son)) || !flow_bb_inside_loop_p(w->loop, son))
            continue;
        unsigned at = 0;
        while (at < list->length() && w->order[(*list)[at]->index] < w->order[son->index])
            at++;
        list->safe_insert(at, son);
    }
}

/* A block itself, and what it dominates in its own loop.  */
static Exits *plain_node(Walk *w, basic_block bb)
{
    auto_vec<basic_block> followers;
    control_statements(w, bb);
    Exits *exits = last_statement(w, bb);
    add_followers(w, bb, NULL, &followers);
    for (unsigned i = 0; i < followers.length(); i++)
        exits = follow(w, exits, followers[i]);
    return exits;
}

/* The header of the loop that the walk is in.  */
Exits *control_header(Walk *w)
{
    return plain_node(w, w->loop->header);
}

/* require: the values that bb uses are known.   ensure: bb and all that it dominates in this loop is emitted.  */
Exits *control_node(Walk *w, basic_block bb)
{
    class loop *inner = bb->loop_father;
    if (inner == w->loop || inner->header != bb)
        return plain_node(w, bb);
    auto_vec<basic_block> followers;
    Exits *exits = loop_emit(w, inner);
    basic_block *body = get_loop_body(inner);
    for (unsigned i = 0; i < inner->num_nodes; i++)
        add_followers(w, body[i], inner, &followers);
    free(body);
    for (unsigned i = 0; i < followers.length(); i++)
        exits = follow(w, exits, followers[i]);
    return exits;
}
