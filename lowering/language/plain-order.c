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

/* How a loop goes on by steps: for (i = start; i < bound; i += size).  */
typedef struct {
    Value *size;    /* above 0, or the loop does not end */
    int64_t number; /* the same, if it is one; else 0 */
    bool up, closed;
} Steps;

static Value *wide(Nest *in, Op *where, Value *x, Dtype dtype)
{
    return ir_convert_before(in->kernel, where, x, dtype);
}

/* How often: an unsigned start may be behind the bound, which 64 bits with a sign show.  */
static Value *iterations_in(Nest *in, Op *op, const Steps *steps, Dtype dtype)
{
    Kernel *kernel = in->kernel;
    Value *size = wide(in, op, steps->size, dtype);
    Value *start = wide(in, op, op->args[0], dtype), *bound = wide(in, op, op->args[1], dtype);
    Value *span = ir_binary_before(kernel, op, OP_SCALAR_SUB, steps->up ? bound : start, steps->up ? start : bound);
    int64_t more = steps->number - 1 + steps->closed;
    if (!steps->number) {
        span = ir_binary_before(kernel, op, OP_SCALAR_ADD, span, size);
        if (!steps->closed)
            span = ir_binary_before(kernel, op, OP_SCALAR_SUB, span, ir_const_before(kernel, op, dtype, 1));
    } else if (more) {
        span = ir_binary_before(kernel, op, OP_SCALAR_ADD, span, ir_const_before(kernel, op, dtype, more));
    }
    return steps->number == 1 ? span : ir_binary_before(kernel, op, OP_SCALAR_DIV, span, size);
}

/* Start and bound are numbers of the launch that may lie 2^31 and more apart. */
static bool spans_more(const Nest *in, const Op *op, const Steps *steps)
{
    const Value *near = op->args[steps->up ? 0 : 1], *far = op->args[steps->up ? 1 : 0];
    int64_t number;
    if (dtype_bytes(near->type.dtype) > 4 || !is_known_before(in, near) || !is_known_before(in, far) ||
        (ir_constant(near, &number) && number >= 0 && number <= steps->number - 1 + steps->closed))
        return false;
    return !form_is_short_apart(in, far, near);
}

static Value *iterations(Nest *in, Op *op, const Steps *steps, Dtype dtype)
{
    Kernel *kernel = in->kernel;
    if (dtype != D_I32 || !spans_more(in, op, steps))
        return iterations_in(in, op, steps, dtype);
    Value *count = iterations_in(in, op, steps, D_I64);
    count = ir_binary_before(kernel, op, OP_SCALAR_MAX, count, ir_const_before(kernel, op, D_I64, 0));
    count = ir_binary_before(kernel, op, OP_SCALAR_MIN, count, ir_const_before(kernel, op, D_I64, INT32_MAX));
    return wide(in, op, count, dtype);
}

/* The start by the step: what is left, from 0 to the step less 1, and the quotient; NULL: that is 0.  */
static Value *rest_of_start(Nest *in, Op *op, const Steps *steps, Dtype dtype, Value **quotient)
{
    Kernel *kernel = in->kernel;
    Value *start = wide(in, op, op->args[0], dtype), *zero = ir_const_before(kernel, op, dtype, 0);
    int64_t number;
    *quotient = NULL;
    if (ir_constant(start, &number) && steps->number) {
        int64_t rest = (number % steps->number + steps->number) % steps->number;
        if (rest != number)
            *quotient = ir_const_before(kernel, op, dtype, (number - rest) / steps->number);
        return ir_const_before(kernel, op, dtype, rest);
    }
    Value *rest = ir_binary_before(kernel, op, OP_SCALAR_REM, start, steps->size),
          *whole = ir_binary_before(kernel, op, OP_SCALAR_DIV, start, steps->size);
    Value *below = ir_scalar_before(kernel, op, OP_SCALAR_LT, D_I1, 2, (Value *[]){rest, zero});
    Value *more = ir_binary_before(kernel, op, OP_SCALAR_ADD, rest, steps->size),
          *less = ir_binary_before(kernel, op, OP_SCALAR_SUB, whole, ir_const_before(kernel, op, dtype, 1));
    rest = ir_scalar_before(kernel, op, OP_SCALAR_SELECT, dtype, 3, (Value *[]){below, more, rest});
    *quotient = ir_scalar_before(kernel, op, OP_SCALAR_SELECT, dtype, 3, (Value *[]){below, less, whole});
    return rest;
}

/* The counter's first and last value in the source, the smaller one first.  */
static void keep_edges(Nest *in, Loop *loop, Op *op, const Steps *steps)
{
    Poly start = poly_of(op->args[0]), bound = poly_of(op->args[1]), one = poly_constant(!steps->closed);
    Dtype dtype = op->args[1]->type.dtype;
    loop->edge = wide(in, op, op->args[1], dtype_is_signed(dtype) ? dtype : D_I64);
    loop->within = steps->up       ? steps->closed ? OP_SCALAR_LE : OP_SCALAR_LT
                   : steps->closed ? OP_SCALAR_GE
                                   : OP_SCALAR_GT;
    loop->first = steps->up ? start : poly_add(&bound, &one, 1);
    loop->last = steps->up ? poly_add(&bound, &one, -1) : start;
}

/* The bound, less what is left of the start, by the step; behind that there is no iteration.  */
static Value *multiples_below(Nest *in, Op *op, Value *rest, const Steps *steps, Dtype dtype)
{
    Kernel *kernel = in->kernel;
    Value *span = ir_binary_before(kernel, op, OP_SCALAR_SUB, wide(in, op, op->args[1], dtype), rest);
    span = ir_binary_before(kernel, op, OP_SCALAR_ADD, span, steps->size);
    if (!steps->closed)
        span = ir_binary_before(kernel, op, OP_SCALAR_SUB, span, ir_const_before(kernel, op, dtype, 1));
    return ir_binary_before(kernel, op, OP_SCALAR_DIV, span, steps->size);
}

static void put_back(Op *op, const Value *index, Value *counter)
{
    for (int i = 0; op && i < op->nargs; i++)
        if (op->args[i] == index)
            op->args[i] = counter;
}

/* The counter as the loop's statements have it, where the loop counts with a sign.  */
static Value *counter_in_64_bits(Nest *in, Op *loop, Value *counter)
{
    Dtype dtype = counter->type.dtype;
    if (dtype_is_signed(dtype))
        return counter;
    Op *top = loop->blocks[0]->first;
    counter->type = type_scalar(D_I64);
    Value *same = wide(in, top, counter, dtype);
    same->counts = true;
    return same;
}

/* The same of a loop that goes by 1.  */
static void count_with_a_sign(Nest *in, Loop *loop)
{
    Op *op = loop->op;
    Value *same = counter_in_64_bits(in, op, loop->iv);
    if (same == loop->iv)
        return;
    ir_replace_uses(op->blocks[0], loop->iv, same);
    put_back(same->def, same, loop->iv);
    for (int i = 0; i < 2; i++)
        op->args[i] = wide(in, op, op->args[i], D_I64);
    op->args[2] = ir_const_before(in->kernel, op, D_I64, 1);
}

/* The loop counts by 1: multiples of the step, so that a tensor has rows of so many elements, wherever the loop begins.
   Downwards only the grid's loops do, whose iterations have no order; the others count from 0.  */
static void count_steps(Nest *in, Loop *loop, const Steps *steps)
{
    Kernel *kernel = in->kernel;
    Op *op = loop->op, *top = op->blocks[0]->first;
    Value *old = loop->iv, *start = op->args[0], *quotient = NULL;
    Dtype dtype = start->type.dtype, signed_dtype = dtype_is_signed(dtype) ? dtype : D_I64;
    Value *count = iterations(in, op, steps, signed_dtype), *low = ir_const_before(kernel, op, signed_dtype, 0);
    bool multiples = (loop->grid >= 0 || steps->up) && steps->number != 1 && is_known_before(in, start);
    keep_edges(in, loop, op, steps);
    if (multiples)
        start = rest_of_start(in, op, steps, signed_dtype, &quotient);
    if (multiples)
        loop->left = poly_of(start);
    bool rises = steps->up || multiples;
    if (rises != steps->up) {
        quotient = quotient ? quotient : ir_const_before(kernel, op, signed_dtype, 0);
        Value *behind =
            ir_binary_before(kernel, op, OP_SCALAR_ADD, quotient, ir_const_before(kernel, op, signed_dtype, 1));
        low = ir_binary_before(kernel, op, OP_SCALAR_SUB, behind, count);
        count = behind;
    } else if (quotient) {
        low = quotient;
        count = ir_binary_before(kernel, op, OP_SCALAR_ADD, quotient, count);
        if (is_known_before(in, op->args[1])) /* a start behind the bound is no reason for rows up to there */
            count =
                ir_binary_before(kernel, op, OP_SCALAR_MIN, count, multiples_below(in, op, start, steps, signed_dtype));
    }
    Dtype own = old->type.dtype;
    Value *times, *from_where = wide(in, op, start, signed_dtype);
    if (!dtype_is_signed(own)) /* behind its end an element's count may be below 0 */
        old->type = type_scalar(D_I64);
    Value *number = times = wide(in, top, old, signed_dtype);
    if (steps->number != 1)
        times = ir_binary_before(kernel, top, OP_SCALAR_MUL, number, wide(in, top, steps->size, signed_dtype));
    Value *index = ir_binary_before(kernel, top, rises ? OP_SCALAR_ADD : OP_SCALAR_SUB, from_where, times);
    Value *counted = wide(in, top, index, own);
    counted->counts = true;
    ir_replace_uses(op->blocks[0], old, counted);
    put_back(number->def, counted, old);
    put_back(times->def, counted, number);
    put_back(index->def, counted, times);
    Poly from = poly_of(start), by = poly_of(steps->size), counter = poly_value(old),
         way = poly_multiply(&by, &counter);
    loop->index = index;
    index->counts = true;
    loop->step = by;
    loop->along = poly_add(&from, &way, rises ? 1 : -1);
    op->args[0] = low;
    op->args[1] = count;
    op->args[2] = ir_const_before(kernel, op, signed_dtype, 1);
    op->control->compare = OP_SCALAR_LT;
}

/* A step that is known when launched.  */
static void count_by(Nest *in, Loop *loop, bool up, bool closed)
{
    Kernel *kernel = in->kernel;
    Op *op = loop->op;
    Dtype dtype = op->args[0]->type.dtype, signed_dtype = dtype_is_signed(dtype) ? dtype : D_I64;
    Value *step = wide(in, op, op->args[2], dtype);
    if (!up)
        step = ir_scalar_before(kernel, op, OP_SCALAR_NEG, dtype, 1, &step);
    Value *args[] = {wide(in, op, step, signed_dtype), ir_const_before(kernel, op, signed_dtype, 1)};
    count_steps(in, loop, &(Steps){ir_scalar_before(kernel, op, OP_SCALAR_MAX, signed_dtype, 2, args), 0, up, closed});
}

/* k -= 1 of an unsigned number is k += 2^32 - 1, too.  */
static int64_t signed_step(Dtype dtype, int64_t step)
{
    return dtype == D_U32 && step > INT32_MAX ? step - UINT32_MAX - 1 : step;
}

/* The smaller one of start and bound is below 2^63, or the loop would not end: the numbers have the same order with a
   sign as without one.  */
static bool has_natural_order(const Nest *in, const Op *op, bool up)
{
    const Value *least = op->args[!up];
    int64_t number;
    return ir_constant(least, &number) ? number >= 0 : form_has_no_top_bit(in, least);
}

/* Numbers of 64 bits without a sign are counted with one.  Where C makes no iteration, none is made.  */
static Value *runs_without_a_sign(Nest *in, const Loop *loop, Opcode compare, bool by_one)
{
    Op *op = loop->op;
    bool stays = by_one && compare == OP_SCALAR_LT && loop->grid < 0;
    if (op->args[0]->type.dtype != D_U64 || stays ||
        has_natural_order(in, op, compare == OP_SCALAR_LT || compare == OP_SCALAR_LE))
        return NULL;
    return ir_scalar_before(in->kernel, op, compare, D_I1, 2, op->args);
}

/* It meets its bound, or would not end: k < bound, or k > bound.  A count without a sign may wrap around before.  */
static Opcode meet_bound(Nest *in, Loop *loop, int64_t step)
{
    Op *op = loop->op;
    Dtype dtype = op->args[0]->type.dtype;
    bool up = step > 0;
    int64_t number;
    if (!dtype_is_signed(dtype) && !(ir_constant(op->args[!up], &number) && number == 0)) {
        Value *sides[] = {op->args[up], op->args[!up]};
        count_with_a_sign(in, loop);
        op->args[2] = ir_const_before(in->kernel, op, D_I64, step);
        if (dtype != D_U64) {
            Value *distance = wide(in, op, ir_binary_before(in->kernel, op, OP_SCALAR_SUB, sides[0], sides[1]), D_I64);
            op->args[1] = ir_binary_before(in->kernel, op, up ? OP_SCALAR_ADD : OP_SCALAR_SUB, op->args[0], distance);
        }
    }
    return up ? OP_SCALAR_LT : OP_SCALAR_GT;
}

/* The same number, by conversions to the same types.  */
static bool is_same(const Value *x, const Value *y)
{
    int64_t number, other;
    if (x == y)
        return true;
    if (x->type.dtype != y->type.dtype)
        return false;
    Poly sums[] = {poly_of((Value *)x), poly_of((Value *)y)};
    if (poly_same(&sums[0], &sums[1]))
        return true;
    if (ir_constant(x, &number))
        return ir_constant(y, &other) && number == other;
    return x->def && y->def && x->def->code == OP_SCALAR_CONVERT && y->def->code == OP_SCALAR_CONVERT &&
           is_same(x->def->args[0], y->def->args[0]);
}

/* c ? bound : start, which is no iteration where c does not hold, is the bound, and c.  NULL: it is no such choice.  */
static Op *guarded_bound(const Op *loop)
{
    Op *choice = loop->args[1]->def;
    bool closed = loop->control->compare == OP_SCALAR_LE || loop->control->compare == OP_SCALAR_GE;
    bool guards = choice && choice->code == OP_SCALAR_SELECT && is_same(choice->args[2], loop->args[0]) && !closed;
    return guards ? choice : NULL;
}

/* c ? start : bound is !c ? bound : start.  */
static void turn_choice(Nest *in, Op *loop)
{
    const Op *choice = loop->args[1]->def;
    if (!choice || choice->code != OP_SCALAR_SELECT || !is_same(choice->args[1], loop->args[0]) ||
        is_same(choice->args[2], loop->args[0]))
        return;
    Value *condition = choice->args[0];
    Value *args[] = {ir_scalar_before(in->kernel, loop, OP_SCALAR_NOT, D_I1, 1, &condition), choice->args[2],
                     choice->args[1]};
    loop->args[1] = ir_scalar_before(in->kernel, loop, OP_SCALAR_SELECT, args[1]->type.dtype, 3, args);
}

Value *loop_take_guard(Op *loop)
{
    const Op *choice = guarded_bound(loop);
    if (choice)
        loop->args[1] = choice->args[1];
    return choice ? choice->args[0] : NULL;
}

Value *loop_bound(const Op *loop)
{
    const Op *choice = guarded_bound(loop);
    return choice ? choice->args[1] : loop->args[1];
}

Value *loop_guard(const Op *loop)
{
    const Op *choice = guarded_bound(loop);
    return choice ? choice->args[0] : NULL;
}

/* The same number, as far as conversions say: of the same variable, or constant.  */
static bool is_converted(const Value *x, const Value *y)
{
    const Value *sides[] = {x, y};
    int64_t number, other;
    for (int i = 0; i < 2; i++)
        while (sides[i]->def && sides[i]->def->code == OP_SCALAR_CONVERT)
            sides[i] = sides[i]->def->args[0];
    return sides[0] == sides[1] || (ir_constant(sides[0], &number) && ir_constant(sides[1], &other) && number == other);
}

/* start < bound or start > bound, as C compares the two before the first iteration; away: with the other operator than
   the loop's own.  */
static bool asks_of_start(const Op *op, const Value *condition, Opcode compare, bool away)
{
    const Op *test = condition->def;
    if (!test || test->code < OP_SCALAR_LT || test->code > OP_SCALAR_GE)
        return false;
    bool up = compare == OP_SCALAR_LT || compare == OP_SCALAR_LE,
         less = test->code == OP_SCALAR_LT || test->code == OP_SCALAR_LE;
    int start = is_converted(test->args[0], op->args[0]) ? 0 : 1;
    bool from_below = less == (start == 0);
    if (!is_converted(test->args[start], op->args[0]) || (from_below == up) == away)
        return false;
    const Op *more = op->args[1]->def;
    bool one_more = more && (more->code == OP_SCALAR_ADD || more->code == OP_SCALAR_SUB);
    return away || is_converted(test->args[!start], op->args[1]) ||
           (one_more && is_converted(test->args[!start], more->args[0]));
}

/* The loop counts from 0; its statements have the counter as before.  */
static void count_from(Nest *in, Loop *loop, Value *start, Value *trips)
{
    Op *op = loop->op, *top = op->blocks[0]->first;
    Value *old = loop->iv, *index = ir_binary_before(in->kernel, top, OP_SCALAR_ADD, start, old);
    index->counts = true;
    ir_replace_uses(op->blocks[0], old, index);
    put_back(index->def, index, old);
    op->args[0] = ir_const_before(in->kernel, op, start->type.dtype, 0);
    op->args[1] = trips;
}

/* for (k = i - 2; k <= i + 2; k++) is for (m = 0; m < 5; m++) with i - 2 + m for k: a loop of as many iterations for
   all elements of a tile, so that none of them needs a condition.  */
static void count_from_start(Nest *in, Loop *loop)
{
    Op *op = loop->op;
    Value *start = op->args[0];
    Poly low = poly_of(start), high = poly_of(op->args[1]);
    Dtype dtype = start->type.dtype;
    int64_t step, trips;
    if (loop->grid >= 0 || loop->tile > 1 || loop->index || op->control->compare != OP_SCALAR_LT ||
        !ir_constant(op->args[2], &step) || step != 1 || is_known_before(in, start) || !dtype_is_signed(dtype) ||
        !poly_distance(&high, &low, &trips) || trips != (int32_t)trips)
        return;
    count_from(in, loop, start, ir_const_before(in->kernel, op, dtype, trips));
}

/* C's comparison of the loop's start and end.  */
static Value *is_entered(Nest *in, const Loop *loop)
{
    return ir_scalar_before(in->kernel, loop->op, loop->enters, D_I1, 2, (Value *[]){loop->start, loop->end});
}

/* Numbers of the launch of 64 bits, which may lie so far apart that their difference says nothing.  */
static bool ends_are_far(const Nest *in, const Loop *loop)
{
    const Value *ends[] = {loop->start, loop->end};
    for (int i = 0; i < 2; i++)
        if (ends[i]->type.dtype != D_I64 || !is_known_before(in, ends[i]) ||
            form_is_below(in, ends[i], (int64_t)1 << 62))
            return false;
    return true;
}

/* An axis goes on by whole tiles, of which the last may end beyond the numbers of the counter's type.  From a start
   that the launch chooses it counts from 0.  ensure: the condition without which there is no iteration, or NULL.  */
static Value *count_axis_from_start(Nest *in, Loop *loop)
{
    Op *op = loop->op;
    Value *start = op->args[0];
    Dtype dtype = start->type.dtype;
    int64_t number;
    if (loop->tile <= 1 || loop->index || op->control->compare != OP_SCALAR_LT || !ir_constant(op->args[2], &number) ||
        number != 1 || ir_constant(start, &number) || !is_known_before(in, start) ||
        form_is_below(in, op->args[1], (int64_t)1 << (dtype_bytes(dtype) == 8 ? 62 : 30)))
        return NULL;
    count_with_a_sign(in, loop);
    if (dtype == D_U32)
        return NULL;
    Value *enters = is_entered(in, loop);
    start = op->args[0];
    count_from(in, loop, start, ir_binary_before(in->kernel, op, OP_SCALAR_SUB, op->args[1], start));
    return enters;
}

static void straighten_steps(Nest *in, Loop *loop, Opcode compare, int64_t step, bool known);

static void straighten(Nest *in, Loop *loop)
{
    Op *op = loop->op;
    int64_t step;
    bool known = ir_constant(op->args[2], &step);
    Opcode compare = op->control->compare;
    loop->start = op->args[0];
    loop->end = op->args[1];
    loop->enters = compare;
    turn_choice(in, op);
    step = signed_step(op->args[0]->type.dtype, known ? step : 0);
    if (known && step && compare == OP_SCALAR_NE)
        compare = meet_bound(in, loop, step);
    const bool up = compare == OP_SCALAR_LT || compare == OP_SCALAR_LE;
    Value *runs = loop_take_guard(op), *by_order = runs_without_a_sign(in, loop, compare, step == 1);
    if (runs && asks_of_start(op, runs, compare, false) && has_natural_order(in, op, up))
        runs = NULL;
    runs = runs && by_order ? ir_binary_before(in->kernel, op, OP_SCALAR_AND, runs, by_order) : runs ? runs : by_order;
    loop->away = runs && asks_of_start(op, runs, compare, true);
    straighten_steps(in, loop, compare, step, known);
    if (in->kernel->failed)
        return;
    if (!runs)
        count_from_start(in, loop);
    Value *enters = count_axis_from_start(in, loop);
    if (!enters && loop->index && ends_are_far(in, loop))
        enters = is_entered(in, loop);
    loop->only_enters = enters && !runs;
    runs = runs && enters ? ir_binary_before(in->kernel, op, OP_SCALAR_AND, runs, enters) : runs ? runs : enters;
    if (runs) {
        Value *args[] = {runs, op->args[1], op->args[0]};
        op->args[1] = ir_scalar_before(in->kernel, op, OP_SCALAR_SELECT, args[1]->type.dtype, 3, args);
    }
}

static void straighten_steps(Nest *in, Loop *loop, Opcode compare, int64_t step, bool known)
{
    Op *op = loop->op;
    bool up = compare == OP_SCALAR_LT || compare == OP_SCALAR_LE,
         closed = compare == OP_SCALAR_LE || compare == OP_SCALAR_GE;
    if (!known && compare != OP_SCALAR_NE &&
        (loop->grid >= 0 ? is_known_before(in, op->args[2]) : ir_outside(op->args[2], op))) {
        count_by(in, loop, up, closed);
        return;
    }
    if (!known || !step) {
        reject(in->kernel, op->loc, REASON_PLAIN_STEP);
        return;
    }
    if (up != (step > 0)) {
        reject(in->kernel, op->loc, loop->grid >= 0 ? REASON_GRID_STEP : REASON_LOOP_DIRECTION);
        return;
    }
    op->control->compare = compare;
    if ((step == 1 && closed) || (step == -1 && (loop->grid >= 0 || loop->tile > 1)))
        count_with_a_sign(in, loop);
    if (step == -1 && (loop->grid >= 0 || loop->tile > 1)) { /* whose iterations have no order */
        Dtype dtype = op->args[0]->type.dtype;
        Value *one = ir_const_before(in->kernel, op, dtype, 1), *first = op->args[0];
        op->args[0] = closed ? op->args[1] : ir_binary_before(in->kernel, op, OP_SCALAR_ADD, op->args[1], one);
        op->args[1] = ir_binary_before(in->kernel, op, OP_SCALAR_ADD, first, one);
        op->args[2] = one;
        op->control->compare = OP_SCALAR_LT;
        loop->turned = loop->grid < 0;
        return;
    }
    if (step == 1 && closed) {
        Value *one = ir_const_before(in->kernel, op, op->args[1]->type.dtype, 1);
        op->args[1] = ir_binary_before(in->kernel, op, OP_SCALAR_ADD, op->args[1], one);
        op->control->compare = OP_SCALAR_LT;
    } else if (step != 1) {
        Dtype dtype = op->args[0]->type.dtype;
        int64_t size = step < 0 ? -step : step;
        Value *by = ir_const_before(in->kernel, op, dtype_is_signed(dtype) ? dtype : D_I64, size);
        count_steps(in, loop, &(Steps){by, size, up, closed});
    }
}

void scan_straighten(Nest *in)
{
    FOR_LOOPS (i, in) {
        straighten(in, &in->loops[i]);
    }
}

/* require: straight loops that are not exchanged any more.  */
void scan_bounds(Nest *in)
{
    FOR_LOOPS (i, in) {
        in->loops[i].lo = poly_of(in->loops[i].op->args[0]);
        in->loops[i].hi = poly_of(loop_bound(in->loops[i].op));
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
    FOR_LOOPS (i, in) {
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
    if (!condition->def || condition->def->code != OP_SCALAR_AND)
        return NULL;
    Value *x = outer_condition(in, loop, condition->def->args[0]),
          *y = outer_condition(in, loop, condition->def->args[1]);
    return x && y ? ir_binary_before(in->kernel, loop, OP_SCALAR_AND, x, y) : x ? x : y;
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
            Op *choice = op_new(kernel, OP_SCALAR_SELECT, op->loc, 3, (Value *[]){op->args[3], op->args[2], now});
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
    FOR_LOOPS (i, in)
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
