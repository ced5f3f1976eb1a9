/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-conditions.c - what a condition says of numbers: sums that are at least 0 where it holds.
 *
 *   k >= 0 && (unsigned)(i + a) < 10            k, i + a, 9 - i - a
 *   valid = y >= 0 && y < h; if (valid != 0)    y, h - 1 - y
 */
#include "language/plain-memory.h"

typedef struct {
    Nest *in;
    Guards *guards;
    const Op *at; /* limits that the launcher computes, and what holds there; NULL: neither */
} Taking;

static void take(Taking *t, const Value *value, bool holds);

static void push_where(Taking *t, const Poly *x, Value *need)
{
    if (!x->known || t->guards->count == MAX_GUARDS)
        return;
    t->guards->need[t->guards->count] = need;
    t->guards->guards[t->guards->count++] = *x;
}

static void push(Taking *t, const Poly *x)
{
    push_where(t, x, NULL);
}

/* x - y + more */
static void push_difference_where(Taking *t, const Poly *x, const Poly *y, int64_t more, Value *need)
{
    Poly constant = poly_constant(more), difference = poly_add(x, y, -1);
    difference = poly_add(&difference, &constant, 1);
    push_where(t, &difference, need);
}

static void push_difference(Taking *t, const Poly *x, const Poly *y, int64_t more)
{
    push_difference_where(t, x, y, more, NULL);
}

/* ---- sums that may wrap around ----------------------------------------------------------------------------------- */

/* The smaller one of two numbers that the launcher computes, of which either may be NULL.  */
static Value *both_needs(Nest *in, Value *x, Value *y)
{
    return !x ? y : !y ? x : scalar_before(in, OP_SCALAR_MIN, D_I64, x, y);
}

/* The launcher finds whether a sum is nowhere beyond two edges: need, and what stands there before, is at least 0.
   False: its bounds are not known.  */
static bool stays_between(Nest *in, const Poly *sum, const Poly *edges, Value **need)
{
    Poly least = *sum, most = *sum;
    if (!bound_of_loops(in, &least, false) || !bound_of_loops(in, &most, true))
        return false;
    Poly rooms[] = {poly_add(&least, &edges[0], -1), poly_add(&edges[1], &most, -1)};
    for (int k = 0; k < 2; k++)
        *need = both_needs(in, *need, poly_before(in, &rooms[k]));
    return true;
}

/* A side of a comparison, as the sum that its number of 32 bits is where the launcher finds that this does not wrap
   around: need is at least 0, or NULL where no sum may.  False: nothing is found.  */
static bool sum_of(Taking *t, Value *side, Poly *sum, Value **need)
{
    Nest *in = t->in;
    Wrapped wrapped;
    *sum = poly_of_subscript(side, &wrapped);
    *need = NULL;
    for (int i = 0; i < wrapped.count; i++) {
        const bool is_signed = dtype_is_signed(wrapped.values[i]->type.dtype);
        Poly of = poly_of_wrapped(wrapped.values[i]),
             edges[] = {poly_constant(is_signed ? INT32_MIN : 0), poly_constant(is_signed ? INT32_MAX : UINT32_MAX)};
        if (!stays_between(in, &of, edges, need))
            return false;
    }
    return sum->known;
}

typedef struct {
    Poly x, y;
    Value *need; /* NULL: always */
} Sides;

/* The sides of a comparison as such sums, where they say more than the numbers.  */
static bool sums_of(Taking *t, Value *x, Value *y, Sides *sides)
{
    Value *needs[2];
    if (!t->at || dtype_bytes(x->type.dtype) < 4 || !sum_of(t, x, &sides->x, &needs[0]) ||
        !sum_of(t, y, &sides->y, &needs[1]) || !(needs[0] || needs[1]))
        return false;
    sides->need = both_needs(t->in, needs[0], needs[1]);
    return true;
}

/* ---- numbers without a sign -------------------------------------------------------------------------------------- */

/* A loop of the grid runs to it from 0 or above, so that it is above 0 where anything is done.  */
static bool is_grid_bound(const Nest *in, const Value *value)
{
    Poly x = poly_value((Value *)value);
    for (int i = 0; i < in->nloops; i++) {
        int64_t more, low;
        if (in->loops[i].grid >= 0 && poly_distance(&in->loops[i].hi, &x, &more) &&
            poly_is_constant(&in->loops[i].lo, &low) && low + 1 - more >= 0)
            return true;
    }
    return false;
}

static bool is_natural_value(const Nest *in, const Value *value)
{
    int64_t low;
    int loop = loop_of(in, value);
    const Op *op = value->def;
    for (int i = 0; op && op->code == OP_SCALAR_MAX && i < 2; i++)
        if (ir_constant(op->args[i], &low) && low >= 0)
            return true;
    bool below = dtype_bytes(value->type.dtype) == 8 && !form_has_no_top_bit(in, value); /* poly_of takes the sign */
    if ((!dtype_is_signed(value->type.dtype) && !below) || is_grid_bound(in, value))
        return true;
    return loop >= 0 && poly_is_constant(&in->loops[loop].lo, &low) && low >= 0;
}

/* From 0 on, whatever the launcher is handed.  */
bool poly_is_natural(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++) {
        if (x->terms[i].factor < 0)
            return false;
        for (int k = 0; k < x->terms[i].count; k++)
            if (!is_natural_value(in, x->terms[i].values[k]))
                return false;
    }
    return x->known;
}

/* The number of 32 bits as one with a sign.  */
static Poly with_sign(Value *value)
{
    return dtype_bytes(value->type.dtype) == 8 ? poly_of(value) : poly_modulo(value);
}

/* Below 2^31, or 2^63: as it is, and with a sign.  */
static bool is_half(const Nest *in, const Value *value, const Poly *with_sign)
{
    int64_t number;
    if (poly_is_constant(with_sign, &number))
        return number >= 0;
    const Op *op = value->def;
    bool narrow = op && op->code == OP_SCALAR_CONVERT && dtype_is_signed(op->args[0]->type.dtype);
    return (narrow || dtype_bytes(value->type.dtype) == 8) && poly_is_natural(in, with_sign);
}

/* The same number with a sign, if it is below 2^31 or 2^63, and need, if there is one, at least 0: a sum of numbers of
   32 bits without a sign may wrap around.  */
static bool as_signed(Taking *t, Value *value, Poly *x, Value **need)
{
    const Op *op = value->def;
    int64_t number;
    *need = NULL;
    *x = with_sign(value);
    if (dtype_bytes(value->type.dtype) == 8 || ir_constant(value, &number) || poly_has(x, value))
        return true;
    if (op->code == OP_SCALAR_CONVERT && dtype_bytes(op->args[0]->type.dtype) <= 4) {
        *x = poly_of(op->args[0]);
        return true;
    }
    Poly edges[] = {poly_constant(INT32_MIN), poly_constant(INT32_MAX)};
    return t->at && stays_between(t->in, x, edges, need);
}

/* x <= y, or less, of numbers without a sign, of which y is known before the grid: where y is below 2^31, or 2^63, x
   with a sign is from 0 to y; elsewhere nothing is said.  */
static void take_limit(Taking *t, const Poly *x, Value *y, const Poly *y_with_sign, bool closed, Value *need)
{
    Nest *in = t->in;
    bool is_long = dtype_bytes(y->type.dtype) == 8;
    Poly bits = poly_value(y), half = poly_constant(INT32_MAX);
    Value *last = poly_before(in, is_long ? y_with_sign : &bits), *fits = last;
    Poly limit = poly_value(last);
    half = poly_add(&half, &limit, -1);
    if (!is_long)
        fits = poly_before(in, &half);
    fits = both_needs(in, fits, need);
    push_where(t, x, fits);
    push_difference_where(t, &limit, x, closed ? 0 : -1, fits);
    Poly most = *x, none = poly_constant(-1), rooms[2];
    if (!is_long || !bound_of_loops(in, &most, true))
        return;
    rooms[0] = poly_add(&none, &most, -1); /* both from 2^63 on have the same order with a sign */
    rooms[1] = poly_add(&none, &limit, -1);
    need = both_needs(in, need, both_needs(in, poly_before(in, &rooms[0]), poly_before(in, &rooms[1])));
    push_difference_where(t, &limit, x, closed ? 0 : -1, need);
}

static void take_unsigned(Taking *t, Value *x, Value *y, bool closed)
{
    Nest *in = t->in;
    Sides sides;
    Value *need;
    if (dtype_bytes(x->type.dtype) < 8) { /* numbers of 32 bits as they are */
        Poly low = poly_of(x), high = poly_of(y);
        push_difference(t, &high, &low, closed ? 0 : -1);
        if (sums_of(t, x, y, &sides))
            push_difference_where(t, &sides.y, &sides.x, closed ? 0 : -1, sides.need);
    }
    Poly a, b = with_sign(y);
    if (!as_signed(t, x, &a, &need))
        return;
    if (is_half(in, y, &b)) {
        push_where(t, &a, need);
        push_difference_where(t, &b, &a, closed ? 0 : -1, need);
    } else if (t->at && is_known_before(in, y) && poly_is_fixed(in, &b)) {
        take_limit(t, &a, y, &b, closed, need);
    }
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

static void take_equal_sides(Taking *t, const Sides *sides)
{
    push_difference_where(t, &sides->x, &sides->y, 0, sides->need);
    push_difference_where(t, &sides->y, &sides->x, 0, sides->need);
}

/* x != y, which is known before the grid: where the launcher finds that x is nowhere above y, it is below; and the
   other way around.  */
static void take_unequal(Taking *t, const Poly *x, const Poly *y, Value *need)
{
    Nest *in = t->in;
    if (!poly_is_fixed(in, y) || poly_is_fixed(in, x))
        return;
    for (int above = 0; above < 2; above++) {
        Poly edge = *x, room;
        if (!bound_of_loops(in, &edge, !above))
            continue;
        room = above ? poly_add(&edge, y, -1) : poly_add(y, &edge, -1);
        push_difference_where(t, above ? x : y, above ? y : x, -1, both_needs(in, need, poly_before(in, &room)));
    }
}

static void take_unequal_sides(Taking *t, const Sides *sides)
{
    take_unequal(t, &sides->x, &sides->y, sides->need);
    take_unequal(t, &sides->y, &sides->x, sides->need);
}

static void take_equal(Taking *t, const Op *op, bool equal)
{
    Sides sides = {poly_of(op->args[0]), poly_of(op->args[1]), NULL};
    Poly least;
    if (equal)
        take_equal_sides(t, &sides);
    else if (bound_without_edge(t->in, t->at, &sides.x, &sides.y, &least))
        push(t, &least);
    else if (t->at)
        take_unequal_sides(t, &sides);
    if (sums_of(t, op->args[0], op->args[1], &sides)) {
        if (equal)
            take_equal_sides(t, &sides);
        else
            take_unequal_sides(t, &sides);
    }
}

static void take_order(Taking *t, const Op *op, bool holds)
{
    bool less = (op->code == OP_SCALAR_LT || op->code == OP_SCALAR_LE) == holds;
    bool closed = (op->code == OP_SCALAR_LE || op->code == OP_SCALAR_GE) == holds;
    Value *x = op->args[less ? 0 : 1], *y = op->args[less ? 1 : 0]; /* x < y, or x <= y */
    Sides sides;
    if (!dtype_is_signed(x->type.dtype) && dtype_bytes(x->type.dtype) >= 4) {
        take_unsigned(t, x, y, closed);
        return;
    }
    Poly low = poly_of(x), high = poly_of(y);
    push_difference(t, &high, &low, closed ? 0 : -1);
    if (sums_of(t, x, y, &sides))
        push_difference_where(t, &sides.y, &sides.x, closed ? 0 : -1, sides.need);
}

/* ---- what is true where a whole condition is --------------------------------------------------------------------- */

/* c ? x : y, as a choice or as what a branch hands out, where one of the two is known not to be so.  */
static void take_choice(Taking *t, const Value *condition, const Value *x, const Value *y, bool holds)
{
    int64_t number;
    if (ir_constant(y, &number) && (number != 0) != holds) {
        take(t, condition, true);
        take(t, x, holds);
    } else if (ir_constant(x, &number) && (number != 0) != holds) {
        take(t, condition, false);
        take(t, y, holds);
    }
}

/* The value is not 0, or is 0.  */
static void take(Taking *t, const Value *value, bool holds)
{
    const Op *op = value->def;
    int64_t number;
    if (!op || !op->nargs || value->type.kind != K_SCALAR || dtype_is_float(value->type.dtype))
        return;
    switch (op->code) {
    case OP_SCALAR_NOT:
        if (value->type.dtype == D_I1)
            take(t, op->args[0], !holds);
        return;
    case OP_SCALAR_CONVERT:
        if (!dtype_is_float(op->args[0]->type.dtype) &&
            (op->args[0]->type.dtype == D_I1 || dtype_bytes(value->type.dtype) >= dtype_bytes(op->args[0]->type.dtype)))
            take(t, op->args[0], holds);
        return;
    case OP_SCALAR_AND:
    case OP_SCALAR_OR:
        if (op->code == (holds ? OP_SCALAR_AND : OP_SCALAR_OR)) {
            take(t, op->args[0], holds);
            take(t, op->args[1], holds);
        }
        return;
    case OP_SCALAR_SELECT:
        take_choice(t, op->args[0], op->args[1], op->args[2], holds);
        return;
    case OP_IF:
        take_choice(t, op->args[0], op->blocks[0]->last->args[value->index], op->blocks[1]->last->args[value->index],
                    holds);
        return;
    default:
        break;
    }
    if (value->type.dtype != D_I1 || dtype_is_float(op->args[0]->type.dtype))
        return;
    if (op->code == OP_SCALAR_EQ || op->code == OP_SCALAR_NE) {
        bool equal = (op->code == OP_SCALAR_EQ) == holds, bits = op->args[0]->type.dtype == D_I1;
        for (int i = 0; i < 2; i++)
            if (ir_constant(op->args[i], &number) && (bits || !number))
                take(t, op->args[1 - i], (number != 0) == equal);
        if (!bits)
            take_equal(t, op, equal);
    } else if (op->code >= OP_SCALAR_LT && op->code <= OP_SCALAR_GE && op->args[0]->type.dtype != D_I1) {
        take_order(t, op, holds);
    }
}

void conditions_take(Nest *in, Guards *guards, const Value *condition, bool holds, const Op *at)
{
    Taking taking = {in, guards, at};
    if (condition->type.dtype == D_I1)
        take(&taking, condition, holds);
}

/* ---- conditions that say nothing else ---------------------------------------------------------------------------- */

static bool take_all(Taking *t, const Value *value, bool holds);

static bool take_all_of_choice(Taking *t, const Op *op, bool holds)
{
    int64_t number;
    if (ir_constant(op->args[2], &number) && (number != 0) != holds)
        return take_all(t, op->args[0], true) && take_all(t, op->args[1], holds);
    if (ir_constant(op->args[1], &number) && (number != 0) != holds)
        return take_all(t, op->args[0], false) && take_all(t, op->args[2], holds);
    return false;
}

static bool take_all(Taking *t, const Value *value, bool holds)
{
    const Op *op = value->def;
    if (!op || value->type.kind != K_SCALAR || value->type.dtype != D_I1 || t->guards->count > MAX_GUARDS - 2)
        return false;
    int64_t number;
    if (ir_constant(value, &number))
        return (number != 0) == holds;
    if (!op->nargs)
        return false;
    switch (op->code) {
    case OP_SCALAR_NOT:
        return take_all(t, op->args[0], !holds);
    case OP_SCALAR_AND:
    case OP_SCALAR_OR:
        return op->code == (holds ? OP_SCALAR_AND : OP_SCALAR_OR) && take_all(t, op->args[0], holds) &&
               take_all(t, op->args[1], holds);
    case OP_SCALAR_SELECT:
        return take_all_of_choice(t, op, holds);
    default:
        break;
    }
    Dtype dtype = op->args[0]->type.dtype;
    int before = t->guards->count;
    if (dtype_is_float(dtype) || dtype == D_I1 || !dtype_is_signed(dtype))
        return false;
    if (op->code >= OP_SCALAR_LT && op->code <= OP_SCALAR_GE)
        take_order(t, op, holds);
    else if ((op->code == OP_SCALAR_EQ && holds) || (op->code == OP_SCALAR_NE && !holds))
        take_equal(t, op, true);
    return t->guards->count > before;
}

bool conditions_take_all(Nest *in, Guards *guards, const Value *condition)
{
    Taking taking = {in, guards, NULL};
    return take_all(&taking, condition, true);
}
