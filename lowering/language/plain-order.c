/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-order.c - loops in a form that says more.
 *
 *   for (i = n - 1; i >= 0; i -= 2)           for (m = 0; m < (n + 1) / 2; m++) i = n - 1 - 2 m        straighten
 *   for (k ...) for (j ...) c[j] += b[k][j];  for (j ...) for (k ...) c[j] += b[k][j];                 exchange
 *   for (k ...) c[j] += b[k][j];              s = c[j]; for (k ...) s += b[k][j]; c[j] = s;            promote
 *
 * What a loop adds to an element it adds in the same order as before.
 */
#include <string.h>

#include "language/plain-memory.h"

static bool touches(const Op *op)
{
    return op->code == OP_ELEMENT || op->code == OP_SET_ELEMENT;
}

/* ---- straighten -------------------------------------------------------------------------------------------------- */

/* A step that is known when launched: it is above 0, or the loop does not end.  */
static void count_by(Nest *in, Loop *loop, bool closed)
{
    Kernel *kernel = in->kernel;
    Op *op = loop->op, *top = op->blocks[0]->first;
    Value *low = op->args[0], *high = op->args[1], *old = loop->iv;
    Dtype dtype = low->type.dtype;
    Value *one = ir_const_before(kernel, op, dtype, 1);
    Value *step = ir_convert_before(kernel, op, op->args[2], dtype);
    Value *size = ir_scalar_before(kernel, op, OP_MAXI, dtype, 2, (Value *[]){step, one});
    Value *span = ir_binary_before(kernel, op, OP_SUBI, high, low);
    span = ir_binary_before(kernel, op, OP_ADDI, span, size);
    if (!closed)
        span = ir_binary_before(kernel, op, OP_SUBI, span, one);
    span = ir_binary_before(kernel, op, OP_DIVI, span, size);
    Value *times = ir_binary_before(kernel, top, OP_MULI, old, step);
    Value *index = ir_binary_before(kernel, top, OP_ADDI, low, times);
    ir_replace_uses(op->blocks[0], old, index);
    for (int i = 0; i < 2; i++)
        if (times->def->args[i] == index)
            times->def->args[i] = old;
    op->args[0] = ir_const_before(kernel, op, dtype, 0);
    op->args[1] = span;
    op->args[2] = one;
    op->control->compare = OP_LTI;
}

static void count_from_zero(Nest *in, Loop *loop, int64_t step, bool closed)
{
    Kernel *kernel = in->kernel;
    Op *op = loop->op, *top = op->blocks[0]->first;
    Value *low = op->args[0], *high = op->args[1], *old = loop->iv;
    Dtype dtype = low->type.dtype;
    int64_t size = step < 0 ? -step : step;
    Value *span =
        step > 0 ? ir_binary_before(kernel, op, OP_SUBI, high, low) : ir_binary_before(kernel, op, OP_SUBI, low, high);
    int64_t more = size - 1 + closed;
    if (more)
        span = ir_binary_before(kernel, op, OP_ADDI, span, ir_const_before(kernel, op, dtype, more));
    if (size > 1)
        span = ir_binary_before(kernel, op, OP_DIVI, span, ir_const_before(kernel, op, dtype, size));
    Value *times = old;
    if (size > 1)
        times = ir_binary_before(kernel, top, OP_MULI, old, ir_const_before(kernel, top, dtype, size));
    Value *index = ir_binary_before(kernel, top, step > 0 ? OP_ADDI : OP_SUBI, low, times);
    ir_replace_uses(op->blocks[0], old, index);
    if (size > 1)
        times->def->args[0] = old;
    else
        index->def->args[1] = old;
    op->args[0] = ir_const_before(kernel, op, dtype, 0);
    op->args[1] = span;
    op->args[2] = ir_const_before(kernel, op, dtype, 1);
    op->control->compare = OP_LTI;
}

static void straighten(Nest *in, Loop *loop)
{
    Op *op = loop->op;
    int64_t step;
    bool known = ir_constant(op->args[2], &step);
    Opcode compare = op->control->compare;
    if (!known && loop->grid < 0 && (compare == OP_LTI || compare == OP_LEI) && ir_outside(op->args[2], op)) {
        count_by(in, loop, compare == OP_LEI);
        return;
    }
    if (!known || !step) {
        reject(in->kernel, op->loc, REASON_PLAIN_STEP);
        return;
    }
    if (compare == OP_NEI && (step == 1 || step == -1))
        compare = step > 0 ? OP_LTI : OP_GTI;
    bool up = compare == OP_LTI || compare == OP_LEI, closed = compare == OP_LEI || compare == OP_GEI;
    if (compare == OP_NEI || up != (step > 0)) {
        reject(in->kernel, op->loc, loop->grid >= 0 ? REASON_GRID_STEP : REASON_LOOP_DIRECTION);
        return;
    }
    op->control->compare = compare;
    if (step == -1 && (loop->grid >= 0 || loop->tile > 1)) { /* whose iterations have no order */
        Dtype dtype = op->args[0]->type.dtype;
        Value *one = ir_const_before(in->kernel, op, dtype, 1), *first = op->args[0];
        op->args[0] = closed ? op->args[1] : ir_binary_before(in->kernel, op, OP_ADDI, op->args[1], one);
        op->args[1] = ir_binary_before(in->kernel, op, OP_ADDI, first, one);
        op->args[2] = one;
        op->control->compare = OP_LTI;
        loop->turned = loop->grid < 0;
        return;
    }
    if (step == 1 && closed) {
        Value *one = ir_const_before(in->kernel, op, op->args[1]->type.dtype, 1);
        op->args[1] = ir_binary_before(in->kernel, op, OP_ADDI, op->args[1], one);
        op->control->compare = OP_LTI;
    } else if (step != 1) {
        count_from_zero(in, loop, step, closed);
    }
}

void scan_straighten(Nest *in)
{
    FOR_LOOPS(i, in)
    {
        straighten(in, &in->loops[i]);
    }
}

/* require: straight loops that are not exchanged any more.  */
void scan_bounds(Nest *in)
{
    FOR_LOOPS(i, in)
    {
        in->loops[i].lo = poly_of(in->loops[i].op->args[0]);
        in->loops[i].hi = poly_of(in->loops[i].op->args[1]);
    }
}

/* ---- exchange ---------------------------------------------------------------------------------------------------- */

static bool stands_still(const Poly *offset, const Op *loop);

static bool is_pure(const Op *op)
{
    return !op->nblocks && op->nresults && (op_info[op->code].class_ == CLASS_SCALAR || op->code == OP_ELEMENT);
}

/* The one loop in a loop's body, beside which there are only numbers that are computed before it.  What the loops
   carry goes straight through.  */
static Op *only_loop(const Op *loop)
{
    Op *inner = NULL;
    FOR_OPS (op, loop->blocks[0]) {
        if (op->code == OP_YIELD)
            continue;
        if (op->code == OP_FOR && !inner)
            inner = op;
        else if (!is_pure(op) || inner)
            return NULL;
    }
    if (!inner || inner->nresults != loop->nresults)
        return NULL;
    const Block *body = loop->blocks[0];
    for (int i = 0; i < loop->nresults; i++)
        if (inner->args[3 + i] != body->args[1 + i] || body->last->args[i] != inner->results[i])
            return NULL;
    return inner;
}

static bool moves_with(const Poly *offset, const Value *iv)
{
    Poly factor, rest;
    return poly_split(offset, iv, &factor, &rest) && factor.count;
}

/* All that the loops write is summed by the outer one: elements that the inner one chooses alone, and nothing else is
   read of these arrays.  */
static bool sums_along(const Nest *in, const Block *block, const Op *outer, const Op *inner, const Value **base,
                       Poly *offset)
{
    FOR_OPS (op, block) {
        if (op->nblocks)
            return false;
        if (op->code != OP_SET_ELEMENT)
            continue;
        Poly place = poly_of(op->args[1]);
        if (op->nargs > 3 || *base || scatter_of(in, op) || moves_with(&place, outer->blocks[0]->args[0]) ||
            !moves_with(&place, inner->blocks[0]->args[0]))
            return false;
        *base = op->args[0];
        *offset = place;
    }
    return *base != NULL;
}

static bool reads_apart(const Block *block, const Block *home, const Value *base, const Poly *offset)
{
    FOR_OPS (op, block) {
        if (touches(op) && op->args[0] == base) {
            Poly place = poly_of(op->args[1]);
            if (block != home || !poly_same(&place, offset))
                return false;
        }
        for (int i = 0; i < op->nblocks; i++)
            if (!reads_apart(op->blocks[i], home, base, offset))
                return false;
    }
    return true;
}

static bool known_outside(const Value *value, const Op *loop)
{
    if (ir_outside(value, loop))
        return true;
    if (!value->def || op_info[value->def->code].class_ != CLASS_SCALAR)
        return false;
    for (int i = 0; i < value->def->nargs; i++)
        if (!known_outside(value->def->args[i], loop))
            return false;
    return true;
}

/* What a bound is computed of, in front of the loop that it stood in.  */
static void hoist(Op *loop, Value *value)
{
    if (ir_outside(value, loop))
        return;
    for (int i = 0; i < value->def->nargs; i++)
        hoist(loop, value->def->args[i]);
    op_remove(value->def);
    op_before(loop, value->def);
}

/* The two loops keep their blocks' statements, and exchange all else.  */
static void exchange_heads(Nest *in, Op *outer, Op *inner)
{
    for (int i = 0; i < 3; i++)
        hoist(outer, inner->args[i]);
    Op *top = inner->blocks[0]->first;
    for (Op *op = outer->blocks[0]->first, *next; op; op = next) {
        next = op->next;
        if (op == inner || op->code == OP_YIELD)
            continue;
        op_remove(op);
        op_before(top, op);
    }
    Value *outer_iv = outer->blocks[0]->args[0], *inner_iv = inner->blocks[0]->args[0];
    for (int i = 0; i < 3; i++) {
        Value *arg = outer->args[i];
        outer->args[i] = inner->args[i];
        inner->args[i] = arg;
    }
    Opcode compare = outer->control->compare;
    Pipeline *pipeline = outer->control->pipeline;
    Loc loc = outer->loc;
    outer->control->compare = inner->control->compare;
    outer->control->pipeline = inner->control->pipeline;
    outer->loc = inner->loc;
    inner->control->compare = compare;
    inner->control->pipeline = pipeline;
    inner->loc = loc;
    outer->blocks[0]->args[0] = inner_iv;
    inner->blocks[0]->args[0] = outer_iv;
    inner_iv->block = outer->blocks[0];
    outer_iv->block = inner->blocks[0];
    FOR_LOOPS(i, in)
    {
        Loop *loop = &in->loops[i];
        if (loop->op == outer || loop->op == inner)
            loop->iv = loop->op->blocks[0]->args[0];
    }
}

static bool known_bounds(const Op *inner, const Op *outer)
{
    return known_outside(inner->args[0], outer) && known_outside(inner->args[1], outer) &&
           known_outside(inner->args[2], outer);
}

static bool exchange(Nest *in, Loop *about)
{
    Op *outer = about->op, *inner = only_loop(outer);
    const Value *base = NULL;
    Poly offset;
    if (!inner || inner->nresults || !known_bounds(inner, outer) ||
        !sums_along(in, inner->blocks[0], outer, inner, &base, &offset) ||
        !reads_apart(outer->blocks[0], inner->blocks[0], base, &offset))
        return false;
    exchange_heads(in, outer, inner);
    return true;
}

static bool writes(const Block *block)
{
    FOR_OPS (op, block) {
        if (op->code == OP_SET_ELEMENT)
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (writes(op->blocks[i]))
                return true;
    }
    return false;
}

bool scan_is_named(const Pipeline *pipeline, const char *name)
{
    for (const Reduction *reduction = pipeline ? pipeline->reductions : NULL; reduction; reduction = reduction->next)
        if (name && !strcmp(reduction->name, name))
            return true;
    return false;
}

/* for (c ...) for (r ...) s += ...: the user has said that the order of the sum over c is open, so that c may be the
   innermost loop, which sums products.  */
static Op *sink(Nest *in, Op *outer)
{
    Op *inner = only_loop(outer);
    if (!inner || !outer->nresults || inner->control->pipeline || !known_bounds(inner, outer) ||
        writes(inner->blocks[0]))
        return NULL;
    for (int i = 0; i < outer->nresults; i++)
        if (!scan_is_named(outer->control->pipeline, outer->blocks[0]->args[1 + i]->name))
            return NULL;
    exchange_heads(in, outer, inner);
    return inner;
}

/* The loop that sums goes inside, so that what it sums in can be a variable.  */
void scan_exchange(Nest *in)
{
    for (int i = in->nloops - 1; i >= 0; i--) {
        Op *loop = in->loops[i].op;
        if (in->loops[i].grid < 0 && !exchange(in, &in->loops[i]))
            while (loop && loop->control->pipeline)
                loop = sink(in, loop);
    }
}

/* ---- promote ----------------------------------------------------------------------------------------------------- */

static bool stands_still(const Poly *offset, const Op *loop)
{
    for (int i = 0; i < offset->count; i++)
        for (int k = 0; k < offset->terms[i].count; k++)
            if (!ir_outside(offset->terms[i].values[k], loop))
                return false;
    return offset->known;
}

/* An access in the loop is never to the element that lies still there.  */
static bool never_there(Nest *in, const Op *loop, const Op *op, const Poly *offset)
{
    Poly other = poly_of(op->args[1]), zero = poly_constant(0), distance = poly_add(&other, offset, -1), rest;
    for (int i = 0; i < 2; i++) {
        Facts *facts = facts_new(in, loops_around(in, loop));
        facts_at(facts, op, 1, true);
        facts_equal(facts, &distance, 1, &zero, 1);
        if (facts_contradict(facts))
            return true;
        if (!distance.count || !distance.terms[0].count) /* again without what all of it is multiplied by */
            return false;
        for (int k = 0; k < distance.terms[0].count; k++) {
            Term by = {1, 1, {distance.terms[0].values[k]}};
            if (!is_known_before(in, by.values[0]))
                continue;
            Poly quotient = poly_divide(&distance, &by, &rest);
            if (!rest.count) {
                distance = quotient;
                break;
            }
        }
    }
    return false;
}

/* Every other access to the array in the loop, and so in the loops inside, is to this element and in this block, or to
   none that is this one.  */
static bool alone(Nest *in, const Op *loop, const Block *block, const Value *base, const Poly *offset)
{
    FOR_OPS (op, block) {
        if (touches(op) && op->args[0] == base) {
            Poly other = poly_of(op->args[1]);
            if ((block != loop->blocks[0] || !poly_same(&other, offset)) && !never_there(in, loop, op, offset))
                return false;
        }
        for (int i = 0; i < op->nblocks; i++)
            if (!alone(in, loop, op->blocks[i], base, offset))
                return false;
    }
    return true;
}

static Value *emit_outside(void *context, Value *value)
{
    (void)context;
    return value;
}

/* Made of numbers that the loop leaves alone.  */
static bool is_the_same(const Op *loop, const Value *value)
{
    const Op *op = value->def;
    if (ir_outside(value, loop))
        return true;
    if (!op || op_info[op->code].class_ != CLASS_SCALAR)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!is_the_same(loop, op->args[i]))
            return false;
    return true;
}

static Value *copy_outside(Kernel *kernel, Op *loop, Value *value)
{
    if (ir_outside(value, loop))
        return value;
    Op *copy = op_new(kernel, value->def->code, value->def->loc, value->def->nargs, value->def->args);
    op_copy_attributes(copy, value->def);
    for (int i = 0; i < copy->nargs; i++)
        copy->args[i] = copy_outside(kernel, loop, copy->args[i]);
    op_before(loop, copy);
    return op_result(kernel, copy, value->type, value->name);
}

/* What of a condition the loop leaves alone, or NULL.  */
static Value *outer_condition(Nest *in, Op *loop, Value *condition)
{
    if (is_the_same(loop, condition))
        return copy_outside(in->kernel, loop, condition);
    if (!condition->def || condition->def->code != OP_ANDI)
        return NULL;
    Value *x = outer_condition(in, loop, condition->def->args[0]),
          *y = outer_condition(in, loop, condition->def->args[1]);
    return x && y ? ir_binary_before(in->kernel, loop, OP_ANDI, x, y) : x ? x : y;
}

/* Outside of the loop the element lies no further than where it is stored.  */
static bool reaches_no_further(Nest *in, const Op *store, const Op *outside, const Poly *offset)
{
    Poly there[MAX_BOUNDS], here[MAX_BOUNDS];
    for (int upper = 0; upper < 2; upper++) {
        int nthere = bounds_of(in, offset, store, upper, there), nhere = bounds_of(in, offset, outside, upper, here);
        for (int i = 0; i < nthere; i++) {
            bool found = false;
            int64_t more;
            for (int k = 0; k < nhere && !found; k++)
                found = poly_distance(&there[i], &here[k], &more) && (upper ? more >= 0 : more <= 0);
            if (!found)
                return false;
        }
    }
    return true;
}

static bool carry(Nest *in, Op *loop, const Op *store)
{
    Kernel *kernel = in->kernel;
    Block *body = loop->blocks[0];
    Value *base = store->args[0];
    const Pipeline *pipeline = loop->control->pipeline;
    const char *name = *store->store->label ? store->store->label : NULL;
    if (!scan_is_named(pipeline, name) && scan_is_named(pipeline, base->name)) /* p = x + n; p[i] += ... */
        name = base->name;
    Type type = store->args[2]->type;
    Poly offset = poly_of(store->args[1]);
    Value *where = ir_convert_before(kernel, loop, poly_emit(kernel, loop, &offset, emit_outside, NULL), D_I64);
    Value *condition = store->nargs > 3 ? outer_condition(in, loop, store->args[3]) : NULL;
    Op *first = op_new(kernel, OP_ELEMENT, store->loc, condition ? 3 : 2, (Value *[]){base, where, condition});
    op_before(loop, first);
    if (store->nargs > 3 && !reaches_no_further(in, store, first, &offset)) {
        op_remove(first);
        return false;
    }
    op_add_arg(kernel, loop, op_result(kernel, first, type, name));
    Value *now = block_arg(kernel, body, type, name, store->loc);
    FOR_OPS (op, body) {
        if (!touches(op) || op->args[0] != base)
            continue;
        Poly place = poly_of(op->args[1]);
        if (!poly_same(&place, &offset))
            continue;
        if (op->code == OP_ELEMENT)
            ir_replace_uses(body, op->results[0], now);
        else if (op->nargs == 3)
            now = op->args[2];
        else {
            Op *choice = op_new(kernel, OP_SELI, op->loc, 3, (Value *[]){op->args[3], op->args[2], now});
            op_before(op, choice);
            now = op_result(kernel, choice, type, NULL);
        }
        op_remove(op);
    }
    op_add_arg(kernel, body->last, now);
    Value *result = op_result(kernel, loop, type, name);
    Op *last =
        op_new(kernel, OP_SET_ELEMENT, store->loc, condition ? 4 : 3, (Value *[]){base, where, result, condition});
    last->store->label = store->store->label;
    op_after(loop, last);
    return true;
}

static bool stores_to(const Block *block, const Value *base)
{
    FOR_OPS (op, block) {
        if (op->code == OP_SET_ELEMENT && op->args[0] == base)
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (stores_to(op->blocks[i], base))
                return true;
    }
    return false;
}

static void reuse_in(Block *block, Op *load)
{
    Poly place = poly_of(load->args[1]);
    for (Op *op = block->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nblocks; i++)
            reuse_in(op->blocks[i], load);
        if (op->code != OP_ELEMENT || op->args[0] != load->args[0])
            continue;
        Poly other = poly_of(op->args[1]);
        if (!poly_same(&place, &other))
            continue;
        ir_replace_uses(block, op->results[0], load->results[0]);
        op_remove(op);
    }
}

static void reuse_loads(Block *body)
{
    FOR_OPS (load, body) {
        if (load->code != OP_ELEMENT || load->nargs > 2)
            continue;
        for (Op *op = load->next; op && !(op->code == OP_SET_ELEMENT && op->args[0] == load->args[0]); op = op->next) {
            if (op->code != OP_IF)
                continue;
            if (stores_to(op->blocks[0], load->args[0]) || stores_to(op->blocks[1], load->args[0]))
                break;
            reuse_in(op->blocks[0], load);
            reuse_in(op->blocks[1], load);
        }
    }
}

/* x[i] > *most ? x[i] : *most: the branches look at what the condition has looked at.  */
void scan_reuse(Nest *in)
{
    FOR_LOOPS(i, in)
    reuse_loads(in->loops[i].op->blocks[0]);
}

static void promote(Nest *in, Op *loop)
{
    Block *body = loop->blocks[0];
    for (Op *op = body->first, *next; op; op = next) {
        next = op->next;
        if (op->code != OP_SET_ELEMENT || scatter_of(in, op))
            continue;
        Poly offset = poly_of(op->args[1]);
        if (!stands_still(&offset, loop) || !alone(in, loop, body, op->args[0], &offset))
            continue;
        if (carry(in, loop, op))
            next = body->first;
    }
}

/* The same of the grid's loops.  */
void scan_promote_grid(Nest *in)
{
    for (int i = in->kernel->grid.dims - 1; i >= 0; i--)
        promote(in, in->loops[i].op);
}

/* What a loop sums in memory it sums in a variable, from the innermost loop outwards.  */
void scan_promote(Nest *in)
{
    for (int i = in->nloops - 1; i >= 0; i--)
        if (in->loops[i].grid < 0)
            promote(in, in->loops[i].op);
}
