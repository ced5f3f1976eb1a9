/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-sums.c - sums that the user has said the order of is open, in a form that says more.
 *
 *   float s; s += exp (x);                    double t; t += exp (x); ... s = (float)t;                 widen
 *   if (c) s += x; else s -= y;               s += c ? x : -y;                                         join
 *   for (j ...) for (k ...) s += x;           for (j ...) { t = 0; for (k ...) t += x; s += t; }       split
 */
#include "language/plain.h"

/* ---- widen ------------------------------------------------------------------------------------------------------- */

static bool is_conversion(const Op *op, Dtype from, Dtype to)
{
    return op && op->code == OP_SCALAR_CONVERT && op->args[0]->type.dtype == from && op->results[0]->type.dtype == to;
}

static bool reads_wide(const Op *op, const Value *argument)
{
    return is_conversion(op, D_F32, D_F64) && op->args[0] == argument;
}

/* The value is the argument, a double that is rounded, or a choice of those.  Counts the argument.  */
static bool is_rounded(const Value *value, const Value *argument, int *narrow)
{
    const Op *op = value->def;
    *narrow += value == argument;
    return value == argument || is_conversion(op, D_F64, D_F32) ||
           (op && op->code == OP_SCALAR_SELECT && value->uses == 1 && is_rounded(op->args[1], argument, narrow) &&
            is_rounded(op->args[2], argument, narrow));
}

typedef struct {
    Block *body;
    Value *argument;
    int count;
} Wide;

static void count_wide(Op *op, void *context)
{
    Wide *wide = context;
    wide->count += reads_wide(op, wide->argument);
}

/* The argument has become what its conversion gave.  */
static void drop_conversion(Op *op, void *context)
{
    Wide *wide = context;
    if (op->code != OP_SCALAR_CONVERT || op->args[0] != wide->argument)
        return;
    ir_replace_uses(wide->body, op->results[0], wide->argument);
    op_remove(op);
}

/* The same without rounding, where the argument is a double already.  What nobody reads any more is dropped.  */
static Value *unrounded(Kernel *kernel, Value *value, Value *argument, Op *where)
{
    Op *op = value->def;
    Value *wide = value == argument ? value : op->args[0];
    if (value != argument && op->code == OP_SCALAR_SELECT) {
        Value *args[] = {op->args[0], unrounded(kernel, op->args[1], argument, where),
                         unrounded(kernel, op->args[2], argument, where)};
        wide = ir_scalar_before(kernel, where, OP_SCALAR_SELECT, D_F64, 3, args);
    }
    if (value != argument && value->uses == 1)
        op_remove(op);
    return wide;
}

/* By this loop or by one around it.  */
static bool is_named_around(const Op *loop, const char *name)
{
    for (; loop; loop = loop->parent ? loop->parent->parent : NULL)
        if (loop->code == OP_FOR && scan_is_named(loop->control->pipeline, name))
            return true;
    return false;
}

static void widen_sum(Nest *in, Op *loop, int index)
{
    Kernel *kernel = in->kernel;
    Block *body = loop->blocks[0];
    Value *argument = body->args[1 + index], *result = loop->results[index], **next = &body->last->args[index];
    Wide wide = {body, argument, 0};
    int narrow = 0;
    if (argument->type.dtype != D_F32 || *next == argument || !is_named_around(loop, argument->name))
        return;
    ir_count_uses(kernel, kernel->body);
    ir_walk(body, count_wide, &wide);
    if (!wide.count || !is_rounded(*next, argument, &narrow) || argument->uses != wide.count + narrow)
        return;
    *next = unrounded(kernel, *next, argument, body->last);
    loop->args[3 + index] = ir_convert_before(kernel, loop, loop->args[3 + index], D_F64);
    argument->type = result->type = type_scalar(D_F64);
    Value *rounded = ir_convert_before(kernel, loop->next, result, D_F32);
    rounded->name = result->name;
    ir_replace_uses(kernel->body, result, rounded);
    rounded->def->args[0] = result;
    ir_walk(body, drop_conversion, &wide);
}

/* A float that a loop adds doubles to, and that is rounded each time, is a double inside the loop.  From the innermost
   loop outwards.  */
void scan_widen(Nest *in)
{
    for (int i = in->nloops - 1; i >= 0; i--)
        for (int k = 0; in->loops[i].grid < 0 && k < in->loops[i].op->nresults; k++)
            widen_sum(in, in->loops[i].op, k);
}

/* ---- join and split ---------------------------------------------------------------------------------------------- */

/* What a loop inside goes on summing is a sum of its own, which the loop adds.  */
static void split_sum(Nest *in, Op *loop, int index)
{
    Block *body = loop->blocks[0];
    Value *argument = body->args[1 + index], *next = body->last->args[index];
    Op *inner = next->def;
    if (!inner || inner->code != OP_FOR || inner->parent != body || next->uses != 1 || argument->uses != 1 ||
        inner->args[3 + next->index] != argument || dtype_bytes(next->type.dtype) < 4 ||
        !scan_is_named(loop->control->pipeline, argument->name))
        return;
    Sum sum;
    if (!scan_sum(in, inner, next->index, &sum) || sum.op != OP_SCALAR_ADD)
        return;
    Op *zero = op_new(in->kernel, OP_CONST, loop->loc, 0, NULL);
    op_before(inner, zero);
    inner->args[3 + next->index] = op_result(in->kernel, zero, next->type, NULL);
    Op *add = op_new(in->kernel, OP_SCALAR_ADD, loop->loc, 2, (Value *[]){argument, next});
    op_before(body->last, add);
    body->last->args[index] = op_result(in->kernel, add, next->type, argument->name);
}

/* Branches and loops whose results have become what they add, with what a loop began with; and sums that nobody wants
   any more.  */
enum { MAX_JOINED = 64 };
typedef struct {
    Nest *in;
    const Value *base, *changed[MAX_JOINED];
    Value *rest[MAX_JOINED];
    Op *old[MAX_JOINED];
    int nchanged, nold;
} Join;

static Value *added(Join *join, Value *value, Op *where);

static Value *zero_before(const Join *join, Op *where)
{
    Op *zero = op_new(join->in->kernel, OP_CONST, where->loc, 0, NULL);
    op_before(where, zero);
    return op_result(join->in->kernel, zero, type_scalar(join->base->type.dtype), NULL);
}

static bool is_chained(const Join *join, const Value *value)
{
    const Op *op = value->def;
    if (value == join->base)
        return true;
    for (int i = 0; i < join->nchanged; i++)
        if (join->changed[i] == value)
            return true;
    for (int i = 0; op && i < op->nargs; i++)
        if (is_chained(join, op->args[i]))
            return true;
    for (int i = 0; op && op->code == OP_IF && i < op->nblocks; i++)
        if (is_chained(join, op->blocks[i]->last->args[value->index]))
            return true;
    return false;
}

/* Once: the loop begins with nothing, the branch hands on what its arms add.  Returns what it began with, or NULL.  */
static Value *change(Join *join, Value *value)
{
    Op *op = value->def;
    for (int i = 0; i < join->nchanged; i++)
        if (join->changed[i] == value)
            return join->rest[i];
    Value *rest = op->code == OP_FOR ? op->args[3 + value->index] : NULL;
    if (rest)
        op->args[3 + value->index] = zero_before(join, op);
    for (int arm = 0; arm < 2 && !rest; arm++) {
        Op *yield = op->blocks[arm]->last;
        yield->args[value->index] = added(join, yield->args[value->index], yield);
    }
    if (join->nchanged < MAX_JOINED) {
        join->changed[join->nchanged] = value;
        join->rest[join->nchanged++] = rest;
    }
    return rest;
}

static void drop_later(Join *join, Op *op)
{
    for (int i = 0; i < join->nold; i++)
        if (join->old[i] == op)
            return;
    if (join->nold < MAX_JOINED)
        join->old[join->nold++] = op;
}

/* value - base, where value is base and what sums, choices, branches and loops have added to it.  */
static Value *added(Join *join, Value *value, Op *where)
{
    Kernel *kernel = join->in->kernel;
    Op *op = value->def;
    if (value == join->base)
        return zero_before(join, where);
    if (op->code == OP_IF || op->code == OP_FOR) {
        Value *rest = change(join, value);
        return rest && rest != join->base
                   ? ir_binary_before(kernel, where, OP_SCALAR_ADD, value, added(join, rest, where))
                   : value;
    }
    drop_later(join, op);
    if (op->code == OP_SCALAR_SELECT) {
        Value *args[] = {op->args[0], added(join, op->args[1], where), added(join, op->args[2], where)};
        return ir_scalar_before(kernel, where, OP_SCALAR_SELECT, join->base->type.dtype, 3, args);
    }
    bool first = is_chained(join, op->args[0]);
    Value *more = added(join, op->args[first ? 0 : 1], where);
    return ir_binary_before(kernel, where, op->code, more, op->args[first ? 1 : 0]);
}

/* Sums in branches: what they add is one value.  */
static bool join_sum(Nest *in, Op *loop, int index)
{
    Block *body = loop->blocks[0];
    Value *argument = body->args[1 + index], *next = body->last->args[index];
    Sum sum;
    if (next == argument || !scan_is_named(loop->control->pipeline, argument->name) ||
        scan_sum(in, loop, index, &sum) || !scan_total(in, loop, index, &sum) || sum.op != OP_SCALAR_ADD ||
        sum.converts)
        return false;
    Join join = {.in = in, .base = argument};
    Value *more = added(&join, next, body->last);
    body->last->args[index] = ir_binary_before(in->kernel, body->last, OP_SCALAR_ADD, argument, more);
    for (int i = 0; i < join.nold; i++)
        op_remove(join.old[i]);
    return true;
}

/* require: axes.   */
void scan_join(Nest *in)
{
    for (int i = in->nloops - 1; i >= 0; i--)
        for (int k = 0; in->loops[i].grid < 0 && is_axis(in, i) && k < in->loops[i].op->nresults; k++) {
            ir_count_uses(in->kernel, in->kernel->body);
            if (join_sum(in, in->loops[i].op, k))
                scan_axes(in);
        }
}

/* s += x y - z w, of a sum whose order is open, is s += x y; s -= z w where these are products of tiles.
   require: axes, uses.  */
static bool open_sum(Nest *in, Op *loop, int index, int axis)
{
    const Block *body = loop->blocks[0];
    Op *sum = body->last->args[index]->def;
    int at = sum && sum->code == OP_SCALAR_ADD && sum->args[1] == body->args[1 + index] ? 1 : 0;
    if (!sum || (sum->code != OP_SCALAR_ADD && sum->code != OP_SCALAR_SUB) || sum->parent != body ||
        sum->args[at] != body->args[1 + index] || !scan_is_named(loop->control->pipeline, body->args[1 + index]->name))
        return false;
    Op *part = sum->args[!at]->def;
    if (!part || (part->code != OP_SCALAR_ADD && part->code != OP_SCALAR_SUB) || part->parent != body ||
        part->results[0]->uses != 1 || !dtype_is_float(part->results[0]->type.dtype) ||
        __builtin_popcount(axes_of(in, part->results[0]) | 1u << axis) < 3)
        return false;
    Value *first = ir_binary_before(in->kernel, sum, sum->code, sum->args[at], part->args[0]);
    Opcode second = sum->code == part->code ? OP_SCALAR_ADD : OP_SCALAR_SUB;
    Value *both = ir_binary_before(in->kernel, sum, second, first, part->args[1]);
    ir_replace_uses(in->kernel->body, sum->results[0], both);
    op_remove(sum);
    op_remove(part);
    return true;
}

/* require: axes.   */
void scan_open(Nest *in)
{
    FOR_LOOPS (i, in)
        for (int k = 0; in->loops[i].grid < 0 && is_axis(in, i) && k < in->loops[i].op->nresults; k++) {
            ir_count_uses(in->kernel, in->kernel->body);
            if (open_sum(in, in->loops[i].op, k, i))
                scan_axes(in);
        }
}

/* require: axes.   From the innermost loop outwards, so that sums over several loops are sums of the outermost.  */
void scan_split(Nest *in)
{
    for (int i = in->nloops - 1; i >= 0; i--)
        for (int k = 0; in->loops[i].grid < 0 && is_axis(in, i) && k < in->loops[i].op->nresults; k++) {
            ir_count_uses(in->kernel, in->kernel->body);
            split_sum(in, in->loops[i].op, k);
        }
}
