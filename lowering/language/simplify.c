/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simplify.c - canonicalization, common subexpressions and dead code.
 *
 *      before                                     after
 *      t = conv i64 K; u = conv i32 t             K
 *      n = (K + 63) / 64 in two places            n, once
 *      x = if c { yield a } else { yield b }      x = scalar_select c, a, b
 *      acc carried, but never looked at           not carried
 *
 * A round rewrites operands, folds, applies identities, and shares common scalars through a table that is scoped by
 * blocks. Then it removes needless branches, and dead code by a slice from the stores. Rounds repeat until nothing
 * changes. All rewrites are exact: no float is reassociated, and no division moves to where it might trap.
 *
 * The pass runs again on programs of roles, behind expand. There, peeled iterations have constants where the loop has
 * its counter, for instance i - 0. The proof must see that nothing changed, so only rules of terms.c apply: integers
 * only, and no branch or loop is removed.
 *
 * Tested, not proved (proof/freeze.c): tests/driver/levels.sh compares the text of every -O level. Every program of
 * tests runs on emulate and on the sequential target, which runs the C statements.
 */
#include <string.h>

#include "ir/slice.h"
#include "language/simplify.h"
#include "passes.h"
enum { MAX_ROUNDS = 30, MAX_CONVERTED = 16 };

/* ---- replacement ------------------------------------------------------------------------------------------------- */

static Value *resolve(const Simplifier *simplifier, Value *value)
{
    for (Value *next = value_map_get(&simplifier->map, value); next != value;
         next = value_map_get(&simplifier->map, value))
        value = next;
    return value;
}

static void replace(Simplifier *simplifier, Value *from, Value *to)
{
    to = resolve(simplifier, to);
    if (from == to)
        return;
    if (from->name && !to->name && to->def && to->def->code != OP_CONST)
        to->name = from->name;
    value_map_set(simplifier->kernel, &simplifier->map, from, to);
    simplifier->changed = true;
}

static void rewrite(Op *op, void *context)
{
    const Simplifier *simplifier = context;
    for (int i = 0; i < op->nargs; i++)
        op->args[i] = resolve(simplifier, op->args[i]);
}

/* ---- common subexpressions --------------------------------------------------------------------------------------- */

static bool stores_element(const Op *op, const void *base)
{
    return op->code == OP_SET_ELEMENT && op->args[0] == base;
}

/* Scalars, views of memory, elements of arrays that nothing stores, and transposes. Other tile operations are not
   shared: two accumulators with the same initial value remain two.  */
static bool is_common(const Kernel *kernel, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    if (op->code == OP_ELEMENT && ir_any_of(kernel->body, stores_element, op->args[0]))
        return false;
    return op->nresults == 1 &&
           (class_ == CLASS_SCALAR || class_ == CLASS_TENSOR || class_ == CLASS_READ || op->code == OP_TRANS);
}

static unsigned hash(const Op *op)
{
    uint64_t sum =
        (uint64_t)op->code * 31 + (uint64_t)op->results[0]->type.dtype + (uint64_t)op_meaning(op).integer * 977;
    for (int i = 0; i < op->nargs; i++)
        sum = sum * 131 + (uint64_t)op->args[i]->id;
    return (unsigned)((sum ^ sum >> 17) % BUCKETS);
}

static bool same(const Op *x, const Op *y)
{
    if (x->code != y->code || x->nargs != y->nargs || !op_means_the_same(x, y))
        return false;
    if (!type_equal(x->results[0]->type, y->results[0]->type) || schedule_of(x)->task != schedule_of(y)->task)
        return false;
    for (int i = 0; i < x->nargs; i++)
        if (x->args[i] != y->args[i])
            return false;
    return true;
}

static Value *common(Simplifier *simplifier, Op *op)
{
    if (!is_common(simplifier->kernel, op) || (simplifier->program && op_info[op->code].class_ != CLASS_SCALAR))
        return NULL;
    unsigned bucket = hash(op);
    for (Entry *entry = simplifier->buckets[bucket]; entry; entry = entry->next)
        if (same(entry->op, op))
            return entry->op->results[0];
    Entry *entry = arena_alloc(simplifier->kernel->module, sizeof *entry);
    *entry = (Entry){op, bucket, simplifier->buckets[bucket], simplifier->newest};
    simplifier->buckets[bucket] = simplifier->newest = entry;
    return NULL;
}

static void leave_scope(Simplifier *simplifier, Entry *newest)
{
    for (; simplifier->newest != newest; simplifier->newest = simplifier->newest->newer)
        simplifier->buckets[simplifier->newest->bucket] = simplifier->newest->next;
}

/* ---- branches and loops ------------------------------------------------------------------------------------------ */

/* Moves the block's operations before `where`, without its terminator.  */
static void splice(Block *block, Op *where)
{
    for (Op *op = block->first, *next; op && op->next; op = next) {
        next = op->next;
        op_remove(op);
        op_before(where, op);
    }
}

static bool cheap(const Op *op)
{
    int64_t divisor;
    if (op_info[op->code].class_ != CLASS_SCALAR)
        return false;
    if ((op->code == OP_SCALAR_DIV || op->code == OP_SCALAR_REM) && !simplify_is_float(op->args[0]))
        return ir_constant(op->args[1], &divisor) && divisor != 0;
    return true;
}

static bool all_cheap(const Block *block)
{
    int count = 0;
    for (const Op *op = block->first; op && op->next; op = op->next)
        if (!cheap(op) || ++count > MAX_CONVERTED)
            return false;
    return true;
}

static bool can_select(const Op *op)
{
    if (!op->nresults || op->args[0]->type.dtype != D_I1 || !all_cheap(op->blocks[0]) || !all_cheap(op->blocks[1]))
        return false;
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->type.kind != K_SCALAR && op->results[i]->type.kind != K_PTR)
            return false;
    return true;
}

static void simplify_if(Simplifier *simplifier, Op *op)
{
    Op *yes = op->blocks[0]->last, *no = op->blocks[1]->last;
    int64_t condition;
    if (ir_constant(op->args[0], &condition)) {
        for (int i = 0; i < op->nresults; i++)
            replace(simplifier, op->results[i], condition ? yes->args[i] : no->args[i]);
        splice(op->blocks[condition ? 0 : 1], op);
        op_remove(op);
        simplifier->changed = true;
        return;
    }
    for (int i = 0; i < op->nresults; i++)
        if (resolve(simplifier, yes->args[i]) == resolve(simplifier, no->args[i]))
            replace(simplifier, op->results[i], yes->args[i]);
    if (!can_select(op))
        return;
    for (int i = 0; i < 2; i++)
        splice(op->blocks[i], op);
    for (int i = 0; i < op->nresults; i++) {
        Value *args[] = {op->args[0], resolve(simplifier, yes->args[i]), resolve(simplifier, no->args[i])};
        Op *select = op_new(simplifier->kernel, OP_SCALAR_SELECT, op->loc, 3, args);
        op_before(op, select);
        replace(simplifier, op->results[i],
                op_result(simplifier->kernel, select, op->results[i]->type, op->results[i]->name));
    }
    op_remove(op);
}

/* Replaces a carried value that no iteration changes by its initial value.  */
static void simplify_carried(Simplifier *simplifier, const Op *loop)
{
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        Value *init = resolve(simplifier, names.init), *next = resolve(simplifier, names.next);
        if (names.exit && resolve(simplifier, names.exit) != names.argument)
            continue;
        if (next != init && next != names.argument && next != names.body_argument)
            continue;
        replace(simplifier, names.argument, init);
        replace(simplifier, names.result, init);
        if (names.body_argument)
            replace(simplifier, names.body_argument, init);
    }
}

/* Removes a loop that never runs, since it begins behind its end.  */
static void simplify_trips(Simplifier *simplifier, Op *loop)
{
    int64_t low, high;
    if (loop->code != OP_FOR || loop->control->compare == OP_SCALAR_NE || loop->control->compare == OP_SCALAR_EQ ||
        loop->args[0]->type.dtype == D_U64)
        return;
    if (!ir_constant(loop->args[0], &low) || !ir_constant(loop->args[1], &high))
        return;
    bool runs = loop->control->compare == OP_SCALAR_LT   ? low < high
                : loop->control->compare == OP_SCALAR_LE ? low <= high
                : loop->control->compare == OP_SCALAR_GT ? low > high
                                                         : low >= high;
    if (runs || ir_enclosing(loop, OP_GRID) == NULL)
        return;
    for (int i = 0; i < loop->nresults; i++)
        replace(simplifier, loop->results[i], loop->args[3 + i]);
    op_remove(loop);
    simplifier->changed = true;
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

static void simplify_block(Simplifier *simplifier, Block *block);

static void number(Simplifier *simplifier, const Value *value)
{
    if (value->id < simplifier->norder)
        simplifier->order[value->id] = ++simplifier->ndefined;
}

static void simplify_op(Simplifier *simplifier, Op *op)
{
    Value *value = NULL;
    rewrite(op, simplifier);
    for (int i = 0; i < op->nresults; i++)
        number(simplifier, op->results[i]);
    if (op_info[op->code].class_ == CLASS_SCALAR)
        value = simplify_scalar(simplifier, op);
    if (!value && op->nresults == 1 && !op->nblocks)
        value = simplify_identity(simplifier, op);
    if (!value)
        value = common(simplifier, op);
    if (value)
        replace(simplifier, op->results[0], value);
    for (int i = 0; i < op->nblocks; i++)
        simplify_block(simplifier, op->blocks[i]);
    if (simplifier->program)
        return;
    if (op->code == OP_IF)
        simplify_if(simplifier, op);
    simplify_carried(simplifier, op);
    simplify_trips(simplifier, op);
}

static void simplify_block(Simplifier *simplifier, Block *block)
{
    Entry *newest = simplifier->newest;
    for (int i = 0; i < block->nargs; i++)
        number(simplifier, block->args[i]);
    FOR_OPS (op, block)
        simplify_op(simplifier, op);
    leave_scope(simplifier, newest);
}

/* ---- dead code --------------------------------------------------------------------------------------------------- */

static void drop(Value **values, int *count, int index)
{
    for (int i = index; i + 1 < *count; i++) {
        values[i] = values[i + 1];
        if (values[i]->index == i + 1)
            values[i]->index = i;
    }
    (*count)--;
}

/* Operands are values of other operations, so they keep their index.  */
static void drop_arg(Op *op, int index)
{
    for (int i = index; i + 1 < op->nargs; i++)
        op->args[i] = op->args[i + 1];
    op->nargs--;
}

static void drop_carried(Op *op, int i)
{
    drop_arg(op, op->code == OP_FOR ? 3 + i : i);
    drop_arg(op->blocks[op->nblocks - 1]->last, i);
    drop(op->results, &op->nresults, i);
    drop(op->blocks[0]->args, &op->blocks[0]->nargs, op->code == OP_FOR ? 1 + i : i);
    if (op->code == OP_WHILE) {
        drop_arg(op->blocks[0]->last, 1 + i);
        drop(op->blocks[1]->args, &op->blocks[1]->nargs, i);
    }
}

static void drop_result(Op *op, int i)
{
    for (int k = 0; k < 2; k++)
        drop_arg(op->blocks[k]->last, i);
    drop(op->results, &op->nresults, i);
}

static void grow_from_store(Op *op, void *context)
{
    if (op_info[op->code].class_ == CLASS_STORE)
        slice_op(context, op);
}

static void sweep_block(Simplifier *simplifier, Slice *live, Block *block)
{
    FOR_OPS (op, block) {
        bool ends = op->code == OP_YIELD || op->code == OP_COND;
        if (!ends && !slice_has_op(live, op) && op->code != OP_GRID) {
            op_remove(op);
            simplifier->changed = true;
            continue;
        }
        for (int i = op->nresults - 1; op->nblocks && i >= 0; i--)
            if (!slice_has(live, op->results[i])) {
                (op->code == OP_IF ? drop_result : drop_carried)(op, i);
                simplifier->changed = true;
            }
        for (int i = 0; i < op->nblocks; i++)
            sweep_block(simplifier, live, op->blocks[i]);
    }
}

static void keep_grid(Op *op, void *context)
{
    if (op->code == OP_GRID)
        slice_op(context, op);
}

static void remove_dead(Simplifier *simplifier)
{
    Slice live = slice_new(simplifier->kernel);
    ir_walk(simplifier->kernel->body, grow_from_store, &live);
    ir_walk(simplifier->kernel->body, keep_grid, &live);
    sweep_block(simplifier, &live, simplifier->kernel->body);
}

/* Removes unused scalars, the last first. A program has roots other than stores, so all other operations stay.  */
static void remove_unused(Simplifier *simplifier, Block *block)
{
    for (Op *op = block->last, *before; op; op = before) {
        before = op->prev;
        for (int i = 0; i < op->nblocks; i++)
            remove_unused(simplifier, op->blocks[i]);
        if (op_info[op->code].class_ != CLASS_SCALAR || op->results[0]->uses)
            continue;
        for (int i = 0; i < op->nargs; i++)
            op->args[i]->uses--;
        op_remove(op);
        simplifier->changed = true;
    }
}

static void simplify(Kernel *kernel, Block *body, bool program)
{
    bool changed = true;
    for (int round = 0; changed && round < MAX_ROUNDS; round++) {
        Simplifier simplifier = {.kernel = kernel, .program = program};
        simplifier.map = value_map_new(kernel);
        simplifier.norder = kernel->module->next_id;
        simplifier.order = arena_alloc(kernel->module, ((size_t)simplifier.norder + 1) * sizeof *simplifier.order);
        simplify_block(&simplifier, body);
        ir_walk(body, rewrite, &simplifier);
        if (program) {
            ir_count_uses(kernel, body);
            remove_unused(&simplifier, body);
        } else {
            remove_dead(&simplifier);
        }
        changed = simplifier.changed;
    }
}

void pass_simplify(Kernel *kernel)
{
    simplify(kernel, kernel->body, false);
}

void pass_simplify_programs(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        simplify(kernel, role->body, true);
}
