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

static void push(Taking *t, const Poly *x)
{
    if (x->known && t->guards->count < MAX_GUARDS)
        t->guards->guards[t->guards->count++] = *x;
}

static void push_difference(Taking *t, const Poly *x, const Poly *y, int64_t more)
{
    Poly constant = poly_constant(more), difference = poly_add(x, y, -1);
    difference = poly_add(&difference, &constant, 1);
    push(t, &difference);
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

/* x <= y, or less, of numbers without a sign, of which y is known before the grid: where y is below 2^31, or 2^63, x
   with a sign is from 0 to y; elsewhere nothing is said.  */
static void take_limit(Taking *t, const Poly *x, Value *y, const Poly *y_with_sign, bool closed)
{
    Nest *in = t->in;
    bool is_long = dtype_bytes(y->type.dtype) == 8;
    int64_t far = is_long ? (int64_t)1 << 62 : INT32_MAX;
    Poly bits = poly_value(y);
    Value *limit = poly_before(in, is_long ? y_with_sign : &bits), *last = limit;
    if (!closed)
        last = scalar_before(in, OP_SCALAR_SUB, D_I64, limit, number_before(in, 1));
    Value *none = number_before(in, 0), *low = number_before(in, -far), *high = number_before(in, far);
    int64_t half = is_long ? -1 : (int64_t)1 << 31;
    Poly least = poly_value(choice_before(in, limit, half, !is_long, none, low)),
         most = poly_value(choice_before(in, limit, half, !is_long, last, high));
    push_difference(t, x, &least, 0);
    push_difference(t, &most, x, 0);
}

static void take_unsigned(Taking *t, Value *x, Value *y, bool closed)
{
    Nest *in = t->in;
    Poly a = with_sign(x), b = with_sign(y);
    if (dtype_bytes(x->type.dtype) < 8) { /* numbers of 32 bits as they are */
        Poly low = poly_of(x), high = poly_of(y);
        push_difference(t, &high, &low, closed ? 0 : -1);
    }
    if (is_half(in, y, &b)) {
        push(t, &a);
        push_difference(t, &b, &a, closed ? 0 : -1);
    } else if (t->at && is_known_before(in, y) && poly_is_fixed(in, &b)) {
        take_limit(t, &a, y, &b, closed);
    }
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

static void take_equal(Taking *t, const Op *op, bool equal)
{
    Poly x = poly_of(op->args[0]), y = poly_of(op->args[1]), least;
    if (equal) {
        push_difference(t, &x, &y, 0);
        push_difference(t, &y, &x, 0);
    } else if (bound_without_edge(t->in, t->at, &x, &y, &least)) {
        push(t, &least);
    }
}

static void take_order(Taking *t, const Op *op, bool holds)
{
    bool less = (op->code == OP_SCALAR_LT || op->code == OP_SCALAR_LE) == holds;
    bool closed = (op->code == OP_SCALAR_LE || op->code == OP_SCALAR_GE) == holds;
    Value *x = op->args[less ? 0 : 1], *y = op->args[less ? 1 : 0]; /* x < y, or x <= y */
    if (!dtype_is_signed(x->type.dtype) && dtype_bytes(x->type.dtype) >= 4) {
        take_unsigned(t, x, y, closed);
        return;
    }
    Poly low = poly_of(x), high = poly_of(y);
    push_difference(t, &high, &low, closed ? 0 : -1);
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
    if (!op || value->type.kind != K_SCALAR || dtype_is_float(value->type.dtype))
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
