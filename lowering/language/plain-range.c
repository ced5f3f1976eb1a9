/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-range.c - between which numbers an integer of the loops is; and comparisons with counters of 64 bits.
 *
 *   int n; for (long k = 0; k < n; k++)       0 <= k < 2^31: its tiles may be I32
 *   long a, n; for (long i = a; i < n; i++)   i may be any number: tiles of i as a number are I64
 *   i < p                                     col_index < p - i, where i is the tile's first one, and the difference is
 *                                             cut to what an I32 holds
 */
#include "language/plain.h"

enum { DEEPEST = 12 };

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

typedef struct {
    bool known; /* false: of an U64, which may be 2^63 or more */
    int64_t least, most;
} Range;

static Range all_of(Dtype dtype)
{
    Range range = {.known = dtype != D_U64, .least = INT64_MIN, .most = INT64_MAX};
    int bits = 8 * dtype_bytes(dtype);
    if (dtype == D_I1)
        return (Range){true, 0, 1};
    if (bits == 64)
        return range;
    range.most = ((int64_t)1 << (bits - dtype_is_signed(dtype))) - 1;
    range.least = dtype_is_signed(dtype) ? -range.most - 1 : 0;
    return range;
}

/* What arithmetic gives in the type: with a sign it does not overflow (C11 6.5p5), without one it may wrap around.  */
static Range in_type(Dtype dtype, bool fits, Range range)
{
    Range all = all_of(dtype);
    if (!fits || !range.known)
        return all;
    if (dtype == D_U64)
        return range.least >= 0 ? range : all;
    if (range.least >= all.least && range.most <= all.most)
        return range;
    if (!dtype_is_signed(dtype) || range.least > all.most || range.most < all.least)
        return all;
    range.least = range.least < all.least ? all.least : range.least;
    range.most = range.most > all.most ? all.most : range.most;
    return range;
}

static Range range_of(const Nest *in, const Value *value, int depth);

/* A bound from above: a loop that ends does not go on to what an int below 0 becomes without its sign.  */
static Range range_of_end(const Nest *in, const Value *value, int depth)
{
    const Op *op = value->def;
    Range range = range_of(in, value, depth);
    if (range.known || !op || op->code != OP_SCALAR_CONVERT || dtype_is_float(op->args[0]->type.dtype))
        return range;
    range = range_of(in, op->args[0], depth);
    range.least = range.least < 0 ? 0 : range.least;
    return range;
}

/* Upwards by 1.  No loop counts 2^62 iterations.  */
static Range range_of_counter(const Nest *in, const Loop *loop, Dtype dtype, int depth)
{
    Range low = range_of(in, loop->op->args[0], depth), high = range_of_end(in, loop->op->args[1], depth);
    int64_t step;
    if (!ir_constant(loop->op->args[2], &step) || step != 1 || loop->op->control->compare != OP_SCALAR_LT || !low.known)
        return all_of(dtype);
    if (!high.known)
        return low.most > (int64_t)1 << 62 ? all_of(dtype) : (Range){true, low.least, INT64_MAX};
    if (high.most <= low.least)
        return (Range){true, low.least, low.least};
    return in_type(dtype, true, (Range){true, low.least, high.most - 1});
}

static int64_t smaller(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static bool product_of(Range x, Range y, Range *product)
{
    int64_t all[4];
    bool fits = !__builtin_mul_overflow(x.least, y.least, &all[0]) &&
                !__builtin_mul_overflow(x.least, y.most, &all[1]) &&
                !__builtin_mul_overflow(x.most, y.least, &all[2]) && !__builtin_mul_overflow(x.most, y.most, &all[3]);
    if (!fits)
        return false;
    product->least = smaller(smaller(all[0], all[1]), smaller(all[2], all[3]));
    product->most = larger(larger(all[0], all[1]), larger(all[2], all[3]));
    return true;
}

/* Of operands that are known; fits: the result, as if of any size.  */
static Range of_two(const Op *op, Range x, Range y, bool *fits)
{
    Range range = {true, 0, 0};
    int64_t number = y.least;
    bool constant = y.least == y.most;
    *fits = true;
    switch (op->code) {
    case OP_SCALAR_ADD:
        *fits = !__builtin_add_overflow(x.least, y.least, &range.least) &&
                !__builtin_add_overflow(x.most, y.most, &range.most);
        break;
    case OP_SCALAR_SUB:
        *fits = !__builtin_sub_overflow(x.least, y.most, &range.least) &&
                !__builtin_sub_overflow(x.most, y.least, &range.most);
        break;
    case OP_SCALAR_MUL:
        *fits = product_of(x, y, &range);
        break;
    case OP_SCALAR_DIV:
        *fits = constant && number > 0;
        range.least = *fits ? x.least / number : 0;
        range.most = *fits ? x.most / number : 0;
        break;
    case OP_SCALAR_REM:
        *fits = constant && number > 0;
        range.least = x.least >= 0 ? 0 : 1 - number;
        range.most = x.most < number - 1 ? larger(x.most, 0) : number - 1;
        break;
    case OP_SCALAR_SHR:
        *fits = constant && number >= 0 && number < 64;
        range.least = *fits ? x.least >> number : 0;
        range.most = *fits ? x.most >> number : 0;
        break;
    case OP_SCALAR_MIN:
        range = (Range){true, smaller(x.least, y.least), smaller(x.most, y.most)};
        break;
    case OP_SCALAR_MAX:
        range = (Range){true, larger(x.least, y.least), larger(x.most, y.most)};
        break;
    case OP_SCALAR_SELECT:
        range = (Range){true, smaller(x.least, y.least), larger(x.most, y.most)};
        break;
    case OP_SCALAR_AND:
        *fits = x.least >= 0 || y.least >= 0;
        range.most = x.least < 0 ? y.most : y.least < 0 ? x.most : smaller(x.most, y.most);
        break;
    default:
        *fits = false;
    }
    return range;
}

static Range range_of(const Nest *in, const Value *value, int depth)
{
    Dtype dtype = value->type.dtype;
    const Op *op = value->def;
    int64_t number;
    int loop = loop_of(in, value);
    if (value->type.kind != K_SCALAR || dtype_is_float(dtype) || !depth)
        return (Range){.known = false};
    if (loop >= 0)
        return range_of_counter(in, &in->loops[loop], dtype, depth - 1);
    if (ir_constant(value, &number))
        return dtype == D_U64 && number < 0 ? all_of(dtype) : (Range){true, number, number};
    if (!op || op->nblocks || !op->nargs || op_info[op->code].class_ != CLASS_SCALAR ||
        dtype_is_float(op->args[0]->type.dtype))
        return all_of(dtype);
    if (op->code == OP_SCALAR_CONVERT) {
        Range range = range_of(in, op->args[0], depth - 1), all = all_of(dtype);
        bool keeps =
            range.known && (dtype == D_U64 ? range.least >= 0 : range.least >= all.least && range.most <= all.most);
        return keeps ? range : all;
    }
    if (op->nargs < 2)
        return all_of(dtype);
    Range x = range_of(in, op->args[op->nargs - 2], depth - 1), y = range_of(in, op->args[op->nargs - 1], depth - 1);
    bool fits;
    if (dtype == D_U64 && x.known != y.known && (op->code == OP_SCALAR_MIN || op->code == OP_SCALAR_AND))
        return (Range){true, 0, x.known ? x.most : y.most};
    if (!x.known || !y.known)
        return all_of(dtype);
    Range range = of_two(op, x, y, &fits);
    return in_type(dtype, fits, range);
}

bool form_is_short(const Nest *in, const Value *value)
{
    Range range = range_of(in, value, DEEPEST);
    return range.known && range.least >= INT32_MIN && range.most <= INT32_MAX;
}

bool form_is_short_apart(const Nest *in, const Value *x, const Value *y)
{
    Range left = range_of(in, x, DEEPEST), right = range_of(in, y, DEEPEST);
    int64_t least, most;
    return left.known && right.known && !__builtin_sub_overflow(left.least, right.most, &least) &&
           !__builtin_sub_overflow(left.most, right.least, &most) && least >= INT32_MIN && most <= INT32_MAX;
}

bool form_is_below(const Nest *in, const Value *value, int64_t limit)
{
    Range range = range_of(in, value, DEEPEST);
    return range.known && range.least > -limit && range.most < limit;
}

bool form_has_no_top_bit(const Nest *in, const Value *value)
{
    Range range = range_of(in, value, DEEPEST);
    return range.known && range.least >= 0;
}

/* ---- comparisons with counters ----------------------------------------------------------------------------------- */

enum { MOST_STEPS = 1 << 10, MOST_ELEMENTS = 1 << 29, NEAR = 1 << 30 };

static bool is_index(const Nest *in, const Term *term)
{
    int loop = term->count == 1 ? loop_of(in, term->values[0]) : -1;
    return loop >= 0 && is_axis(in, loop);
}

static bool is_scalar(const Nest *in, const Term *term)
{
    for (int i = 0; i < term->count; i++)
        if (is_tiled(in, term->values[i]))
            return false;
    return true;
}

/* Without a sign: i and i + 1, which is at most the loop's end, do not wrap around.  */
static bool counts_up(const Nest *in, const Poly *side)
{
    int indices = 0;
    for (int i = 0; i < side->count; i++) {
        const Term *term = &side->terms[i];
        if (term->count && (!is_index(in, term) || term->factor != 1 || indices++))
            return false;
        if (!term->count && term->factor != 1)
            return false;
        if (term->count && term->values[0]->type.dtype != D_U64 && !form_has_no_top_bit(in, term->values[0]))
            return false;
    }
    return true;
}

/* A number, or a sum of the tile's counters and numbers.  */
static bool side_of(const Nest *in, Value *value, Poly *side)
{
    *side = is_tiled(in, value) ? poly_of(value) : poly_value(value);
    for (int i = 0; i < side->count; i++) {
        const Term *term = &side->terms[i];
        if (!is_scalar(in, term) && (!is_index(in, term) || term->factor > MOST_STEPS || term->factor < -MOST_STEPS))
            return false;
    }
    return side->known && (value->type.dtype != D_U64 || !is_tiled(in, value) || counts_up(in, side));
}

/* By how much the counter moves the difference of the two sides.  */
static int64_t factor_of(const Nest *in, const Poly *sides, int loop)
{
    int64_t factor = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < sides[side].count; i++)
            if (sides[side].terms[i].count == 1 && sides[side].terms[i].values[0] == in->loops[loop].iv)
                factor += side ? -sides[side].terms[i].factor : sides[side].terms[i].factor;
    return factor;
}

static bool find_sides(const Nest *in, const Op *op, Poly *sides)
{
    if (op->code < OP_SCALAR_EQ || op->code > OP_SCALAR_GE || dtype_is_float(op->args[0]->type.dtype) ||
        dtype_bytes(op->args[0]->type.dtype) < 8 || !side_of(in, op->args[0], &sides[0]) ||
        !side_of(in, op->args[1], &sides[1]))
        return false;
    int64_t elements = 0;
    bool moves = false;
    FOR_LOOPS (i, in) {
        int64_t factor = is_axis(in, i) ? factor_of(in, sides, i) : 0;
        elements += (factor < 0 ? -factor : factor) * in->loops[i].tile;
        moves |= factor != 0;
    }
    return moves && elements < MOST_ELEMENTS;
}

bool form_is_relative(const Nest *in, const Op *op)
{
    Poly sides[2];
    return find_sides(in, op, sides);
}

static Value *bits_of(Nest *in, Op *where, const Poly *side)
{
    return ir_convert_before(in->kernel, where, form_poly(in, where, side), D_U64);
}

/* y - x in an I32, or what is farther away than any element of a tile.  */
static Value *distance(Nest *in, Op *where, Value *x, Value *y, bool is_signed)
{
    Kernel *kernel = in->kernel;
    Value *near = ir_const_before(kernel, where, D_U64, NEAR), *order[] = {y, x};
    for (int i = 0; i < 2 && is_signed; i++)
        order[i] = ir_convert_before(kernel, where, order[i], D_I64);
    Value *up = ir_binary_before(kernel, where, OP_SCALAR_SUB, y, x),
          *down = ir_binary_before(kernel, where, OP_SCALAR_SUB, x, y);
    up = ir_convert_before(kernel, where, ir_binary_before(kernel, where, OP_SCALAR_MIN, up, near), D_I32);
    down = ir_convert_before(kernel, where, ir_binary_before(kernel, where, OP_SCALAR_MIN, down, near), D_I32);
    Value *args[] = {ir_scalar_before(kernel, where, OP_SCALAR_GE, D_I1, 2, order), up,
                     ir_binary_before(kernel, where, OP_SCALAR_SUB, ir_const_before(kernel, where, D_I32, 0), down)};
    return ir_scalar_before(kernel, where, OP_SCALAR_SELECT, D_I32, 3, args);
}

static Value *index_of(Nest *in, Op *where, int axis, int row)
{
    bool rows = row == axis;
    Type type = type_tile(D_I32, rows ? form_extent(in, axis) : 1, rows ? 1 : form_extent(in, axis));
    return form_op(in, where, rows ? OP_ROW_INDEX : OP_COL_INDEX, where->loc, type, 0, NULL);
}

/* The numbers of elements that stand with a factor of this sign.  */
static Value *indices(Nest *in, Op *where, const Poly *sides, int row, int sign)
{
    Value *sum = NULL;
    FOR_LOOPS (i, in) {
        int64_t factor = is_axis(in, i) ? sign * factor_of(in, sides, i) : 0;
        if (factor <= 0)
            continue;
        Value *index = index_of(in, where, i, row);
        if (factor > 1)
            index = form_make(in, where, OP_MUL, where->loc, D_I32, index,
                              ir_const_before(in->kernel, where, D_I32, factor), NULL);
        sum = sum ? form_make(in, where, OP_ADD, where->loc, D_I32, sum, index, NULL) : index;
    }
    return sum;
}

/* require: form_is_relative.  */
Value *form_relative(Nest *in, Op *where, const Op *op, Opcode code, int row)
{
    Poly sides[2];
    find_sides(in, op, sides);
    Value *x = bits_of(in, where, &sides[0]), *y = bits_of(in, where, &sides[1]);
    Value *left = indices(in, where, sides, row, 1), *right = indices(in, where, sides, row, -1);
    Value *rest = distance(in, where, x, y, op->args[0]->type.dtype == D_I64);
    right = right ? form_make(in, where, OP_ADD, where->loc, D_I32, right, rest, NULL) : rest;
    left = left ? left : form_full(in, where, D_I32, 1, 1, 0);
    return form_make(in, where, code, op->loc, D_MASK, left, right, NULL);
}

/* Elements along the axis that the loop has an iteration for.  */
Value *form_in_range(Nest *in, Op *where, int axis, int row, int col)
{
    const Loop *loop = &in->loops[axis];
    Kernel *kernel = in->kernel;
    Dtype dtype = loop->iv->type.dtype;
    if ((dtype_bytes(dtype) < 8 && dtype != D_U32) || form_is_short(in, loop->iv)) {
        Value *index = form(in, loop->iv, row, col);
        return form_make(in, where, OP_LT, where->loc, D_MASK, index, form_poly(in, where, &loop->hi), NULL);
    }
    Value *first = ir_convert_before(kernel, where, form_plain(in, loop->iv), D_U64);
    Value *left = ir_binary_before(kernel, where, OP_SCALAR_SUB, bits_of(in, where, &loop->hi), first);
    left = ir_binary_before(kernel, where, OP_SCALAR_MIN, left, ir_const_before(kernel, where, D_U64, NEAR));
    left = ir_convert_before(kernel, where, left, D_I32);
    return form_make(in, where, OP_LT, where->loc, D_MASK, index_of(in, where, axis, row), left, NULL);
}
