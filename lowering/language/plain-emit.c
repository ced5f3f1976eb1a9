/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-emit.c - the loops again, over tiles.
 *
 *   for (k = 0; k < K; k++)                    for %k = 0, < %K, 32; %s.1 = %s
 *     s += x[i * K + k] * w[j * K + k];          %s.2 = dot_f32 (load %x, %i, %k), (trans (load %w, %j, %k)), %s.1
 *
 * Scalars that change along no axis are computed as before.  Others leave a mark where they stood, in front of which
 * their forms are made when somebody wants them (plain-form.c).
 */
#include <math.h>
#include <string.h>

#include "ir/slice.h"
#include "language/plain-memory.h"
#include "target/budget.h"

static void emit_block(Nest *in, Block *from, Block *to);
static void emit_op(Nest *in, Op *op, Block *to);

static Value **values_of(Kernel *kernel, int count)
{
    return arena_alloc(kernel->module, sizeof(Value *) * (size_t)(count + 1));
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static double identity_of(Opcode op, Dtype dtype)
{
    if (op == OP_SCALAR_ADD)
        return 0;
    if (op == OP_SCALAR_MUL)
        return 1;
    if (dtype == D_I32)
        return op == OP_SCALAR_MAX ? (double)INT32_MIN : (double)INT32_MAX;
    if (dtype == D_I64)
        return op == OP_SCALAR_MAX ? -0x1p63 : 0x1p63; /* which saturates */
    return op == OP_SCALAR_MAX ? -INFINITY : INFINITY;
}

static Value *select_tile(Nest *in, Op *where, Value *mask, Value *x, Value *y)
{
    Value *args[] = {mask, x, y};
    int rows = mask->type.rows > x->type.rows ? mask->type.rows : x->type.rows;
    int cols = mask->type.cols > x->type.cols ? mask->type.cols : x->type.cols;
    return form_op(in, where, OP_SELECT, x->loc, type_tile(y->type.dtype, rows, cols), 3, args);
}

static Value *binary_tile(Nest *in, Op *where, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return form_op(in, where, code, where->loc, x->type, 2, args);
}

static Value *both_masks(Nest *in, Op *where, Value *x, Value *y)
{
    return x && y ? form_make(in, where, OP_AND, where->loc, D_MASK, x, y, NULL) : x ? x : y;
}

static Value *product_of_factors(Nest *in, Op *where, const Product *product, const Part *part, int axis, bool right)
{
    int row = right ? axis : product->row, col = right ? product->col : axis;
    Value *tile = NULL;
    bool padded = false;
    Dtype dtype = part->value->type.dtype;
    for (int i = 0; i < product->count; i++) {
        if (product->right[i] != right)
            continue;
        padded |= form_is_padded(in, product->factors[i], axis);
        Value *factor = form(in, product->factors[i], row, col);
        if (factor->type.kind != K_TILE) {
            Value *full = form_full(in, where, dtype, 1, 1, dtype_is_float(dtype) ? -0.0 : 0);
            factor = binary_tile(in, where, OP_ADD, full, factor);
        }
        tile = tile
                   ? form_op(in, where, OP_MUL, part->value->loc,
                             type_tile(dtype, form_extent(in, row), form_extent(in, col)), 2, (Value *[]){tile, factor})
                   : factor;
    }
    bool alone = true; /* a number beside the padding may be infinite */
    for (int i = 0, n = 0; i < product->count; i++)
        if (product->right[i] == right && ++n > 1)
            alone = false;
    if (!tile)
        tile = form_full(in, where, dtype, form_extent(in, row), form_extent(in, col), 1);
    /* What is left out is 0 on both sides, since 0 times infinity is NaN.  */
    Value *mask = NULL;
    if (part->condition && axes_of(in, part->condition) >> axis & 1)
        mask = form_mask(in, where, part->condition, part->inverted, row, col);
    if ((!padded || !alone) && ends_together(in, axis))
        mask = both_masks(in, where, mask, form_in_range(in, where, axis, row, col));
    Type whole = type_tile(dtype, form_extent(in, row), form_extent(in, col));
    if (mask)
        tile = select_tile(in, where, mask, tile, form_full(in, where, dtype, 1, 1, 0));
    if (tile->type.rows != whole.rows || tile->type.cols != whole.cols) {
        Value *full = form_full(in, where, dtype, whole.rows, whole.cols, dtype_is_float(dtype) ? -0.0 : 0);
        tile = binary_tile(in, where, OP_ADD, full, tile);
    }
    static const Dtype rounded[] = {D_F32, D_F32, D_F16, D_BF16};
    Dtype wanted = rounded[in->kernel->grid.precision];
    if (dtype == D_F32 && wanted != dtype)
        tile = form_op(in, where, OP_CAST, part->value->loc, type_tile(wanted, whole.rows, whole.cols), 1, &tile);
    return tile;
}

/* A condition that is the same along the axis keeps what was summed before, whatever the factors are.  */
static Value *add_product(Nest *in, Op *where, const Product *product, const Part *part, int axis, Value *sum)
{
    bool chosen = part->condition && !(axes_of(in, part->condition) >> axis & 1);
    Value *args[] = {product_of_factors(in, where, product, part, axis, false),
                     product_of_factors(in, where, product, part, axis, true),
                     chosen ? form_full(in, where, sum->type.dtype, sum->type.rows, sum->type.cols, 0) : sum};
    if (part->negative)
        args[0] = form_op(in, where, OP_NEG, part->value->loc, args[0]->type, 1, args);
    bool exact = part->value->type.dtype == D_F32 && in->kernel->grid.precision == PRECISION_F32;
    Opcode code = exact ? OP_DOT_F32 : OP_DOT;
    Value *product_sum = form_op(in, where, code, part->value->loc, sum->type, 3, args);
    if (!chosen)
        return product_sum;
    Value *mask = form_mask(in, where, part->condition, part->inverted, product->row, product->col);
    return select_tile(in, where, mask, binary_tile(in, where, OP_ADD, sum, product_sum), sum);
}

/* ---- along the columns of each row, or the rows of each column --------------------------------------------------- */

/* As sums are computed: what is small as I32; the order of what has no sign as a signed one.  */
static Value *as_summed(Nest *in, Op *where, Value *tile, bool flips)
{
    if (tile->type.kind == K_TILE && form_is_small(tile->type.dtype))
        tile = form_widened(in, where, tile);
    return flips ? form_flipped(in, where, tile, tile->type.dtype) : tile;
}

static bool flips(const Sum *sum, const Part *part)
{
    return sum->op != OP_SCALAR_ADD && form_is_unsigned(part->value->type.dtype);
}

typedef enum { REDUCE_SUM, REDUCE_MAX, REDUCE_MIN } Reducing;

static Reducing reducing(Opcode op)
{
    return op == OP_SCALAR_ADD ? REDUCE_SUM : op == OP_SCALAR_MAX ? REDUCE_MAX : REDUCE_MIN;
}

static Value *reduce_tile(Nest *in, Op *where, Reducing by, bool along_rows, Value *tile)
{
    static const Opcode by_row[] = {OP_ROW_SUM, OP_ROW_MAX, OP_ROW_MIN},
                        by_col[] = {OP_COL_SUM, OP_COL_MAX, OP_COL_MIN};
    Type type =
        along_rows ? type_tile(tile->type.dtype, tile->type.rows, 1) : type_tile(tile->type.dtype, 1, tile->type.cols);
    return form_op(in, where, along_rows ? by_row[by] : by_col[by], where->loc, type, 1, &tile);
}

/* What an iteration of the loop over tiles has of a part: elements, and which of them count.  */
typedef struct {
    Value *tile, *mask;     /* NULL: all */
    bool along_rows, empty; /* empty: there may be none that counts */
} Elements;

static Elements elements_of(Nest *in, Op *where, const Sum *sum, const Part *part, Dtype dtype, int axis, int row,
                            int col)
{
    uint32_t axes = axes_of(in, part->value) | (part->condition ? axes_of(in, part->condition) : 0);
    int other = only_axis(axes & ~(1u << axis));
    bool along_rows = other < 0 ? col < 0 || row >= 0 : other == row;
    int r = along_rows ? other : axis, c = along_rows ? axis : other;
    Value *tile = form_integer(in, where, part->value, form(in, part->value, r, c), dtype), *mask = NULL;
    if (part->condition)
        mask = form_mask(in, where, part->condition, part->inverted, r, c);
    if (ends_together(in, axis) && !(sum->op == OP_SCALAR_ADD && form_is_padded(in, part->value, axis)))
        mask = both_masks(in, where, mask, form_in_range(in, where, axis, r, c));
    double zero = dtype_is_float(dtype) ? -0.0 : 0;
    if (tile->type.kind != K_TILE)
        tile = binary_tile(in, where, OP_ADD, form_full(in, where, dtype, 1, 1, zero), tile);
    tile = as_summed(in, where, tile, flips(sum, part));
    int rows = form_extent(in, r), cols = form_extent(in, c);
    if (tile->type.rows != rows || tile->type.cols != cols)
        tile =
            form_make(in, where, OP_ADD, where->loc, dtype, form_full(in, where, dtype, rows, cols, zero), tile, NULL);
    return (Elements){tile, mask, along_rows, part->condition || in->loops[axis].masked};
}

static Value *masked_tile(Nest *in, Op *where, const Elements *elements, Value *tile, double otherwise)
{
    Value *none = form_full(in, where, tile->type.dtype, 1, 1, otherwise);
    return elements->mask ? select_tile(in, where, elements->mask, tile, none) : tile;
}

/* ---- the largest and the smallest, as C compares floating numbers ------------------------------------------------ */

static Value *compare(Nest *in, Op *where, Opcode code, Value *x, Value *y)
{
    return form_make(in, where, code, where->loc, D_MASK, x, y, NULL);
}

static Value *whole_number(Nest *in, Op *where, int number)
{
    return form_full(in, where, D_I32, 1, 1, number);
}

/* Its number along the reduced side, for each element.  */
static Value *places(Nest *in, Op *where, const Elements *elements)
{
    Type type = elements->along_rows ? type_tile(D_I32, 1, elements->tile->type.cols)
                                     : type_tile(D_I32, elements->tile->type.rows, 1);
    return form_op(in, where, elements->along_rows ? OP_COL_INDEX : OP_ROW_INDEX, where->loc, type, 0, NULL);
}

static Value *place_where(Nest *in, Op *where, const Elements *elements, Value *mask, Value *place, Reducing by)
{
    Value *none = whole_number(in, where, by == REDUCE_MAX ? -1 : INT32_MAX);
    Value *full = form_full(in, where, D_I32, elements->tile->type.rows, elements->tile->type.cols, 0);
    place = form_make(in, where, OP_ADD, where->loc, D_I32, full, place, NULL);
    return reduce_tile(in, where, by, elements->along_rows, select_tile(in, where, mask, place, none));
}

/* Is the value never -0?  */
static bool has_no_negative_zero(const Value *value)
{
    const Op *op = value->def;
    if (op && op->code == OP_SCALAR_CONVERT)
        return !dtype_is_float(op->args[0]->type.dtype) || has_no_negative_zero(op->args[0]);
    return op && op->code == OP_SCALAR_MATH && !strncmp(op->scalar->function, "fabs", 4);
}

/* Zeros are equal, and the first or the last of them is what C has.  */
static Value *with_zero(Nest *in, Op *where, const Elements *elements, const Part *part, Value *mask, Value *most)
{
    Dtype dtype = most->type.dtype;
    Reducing by = part->takes_equal ? REDUCE_MAX : REDUCE_MIN;
    Value *zero = form_full(in, where, dtype, 1, 1, 0);
    Value *sign = form_make(in, where, OP_COPYSIGN, where->loc, dtype,
                            form_full(in, where, dtype, elements->tile->type.rows, elements->tile->type.cols, 1),
                            elements->tile, NULL);
    Value *place =
        form_make(in, where, OP_SHL, where->loc, D_I32, places(in, where, elements), whole_number(in, where, 1), NULL);
    Value *odd = form_make(in, where, OP_ADD, where->loc, D_I32, place, whole_number(in, where, 1), NULL);
    place = select_tile(in, where, compare(in, where, OP_LT, sign, zero), odd, place);
    Value *found = place_where(in, where, elements,
                               both_masks(in, where, mask, compare(in, where, OP_EQ, elements->tile, zero)), place, by);
    found = form_make(in, where, OP_BIT_AND, where->loc, D_I32, found, whole_number(in, where, 1), NULL);
    Value *minus = form_full(in, where, dtype, 1, 1, -0.0);
    Value *signed_zero =
        select_tile(in, where, compare(in, where, OP_NE, found, whole_number(in, where, 0)), minus, zero);
    return select_tile(in, where, compare(in, where, OP_EQ, most, zero), signed_zero, most);
}

/* now > x ? now : x, and so on.  */
static Value *choose_extreme(Nest *in, Op *where, const Sum *sum, const Part *part, Value *now, Value *x)
{
    bool largest = sum->op == OP_SCALAR_MAX, closed = part->takes_nan != part->takes_equal;
    Opcode above = closed ? OP_GE : OP_GT, below = closed ? OP_LE : OP_LT;
    if (part->takes_nan)
        return select_tile(in, where, compare(in, where, largest ? above : below, now, x), now, x);
    return select_tile(in, where, compare(in, where, largest ? above : below, x, now), x, now);
}

/* What C's comparisons, one after the other, leave of `now` and the elements.  Where NaN is taken, all before the last
   one is forgotten.  */
static Value *extreme_of(Nest *in, Op *where, const Sum *sum, const Part *part, const Elements *elements, Value *now,
                         bool open)
{
    Reducing by = reducing(sum->op);
    double none = by == REDUCE_MAX ? -INFINITY : INFINITY;
    bool signs = !open && !has_no_negative_zero(part->value);
    Value *tile = elements->tile, *behind = elements->mask, *last = NULL;
    if (part->takes_nan) {
        Value *is_nan = both_masks(in, where, elements->mask, compare(in, where, OP_NE, tile, tile));
        Value *place = places(in, where, elements);
        last = place_where(in, where, elements, is_nan, place, REDUCE_MAX);
        behind = both_masks(in, where, elements->mask, compare(in, where, OP_GT, place, last));
    }
    Elements counted = *elements;
    counted.mask = behind;
    Value *most = reduce_tile(in, where, by, elements->along_rows, masked_tile(in, where, &counted, tile, none));
    if (signs)
        most = with_zero(in, where, elements, part, behind, most);
    Value *chosen = choose_extreme(in, where, sum, part, now, most);
    if (!part->takes_nan)
        return chosen;
    Value *any = place_where(in, where, elements, behind, places(in, where, elements), REDUCE_MAX);
    Value *zero = whole_number(in, where, 0);
    Value *nothing = form_full(in, where, now->type.dtype, 1, 1, NAN);
    Value *forgotten = select_tile(in, where, compare(in, where, OP_GE, any, zero), most, nothing);
    chosen = elements->empty ? select_tile(in, where, compare(in, where, OP_GE, any, zero), chosen, now) : chosen;
    return select_tile(in, where, compare(in, where, OP_GE, last, zero), forgotten, chosen);
}

/* `now` and a part of the sum.  */
static Value *add_elements(Nest *in, Op *where, const Sum *sum, const Part *part, Value *now, bool open, int axis,
                           int row, int col)
{
    Dtype dtype = form_is_small(now->type.dtype) ? D_I32 : now->type.dtype;
    Elements elements = elements_of(in, where, sum, part, dtype, axis, row, col);
    bool real = dtype_is_float(dtype);
    if (real && part->compares)
        return extreme_of(in, where, sum, part, &elements, now, open);
    double none = real && sum->op != OP_SCALAR_ADD ? NAN : identity_of(sum->op, dtype); /* fmax leaves NaN out */
    Value *tile = reduce_tile(in, where, reducing(sum->op), elements.along_rows,
                              masked_tile(in, where, &elements, elements.tile, none));
    Opcode code = sum->op == OP_SCALAR_ADD   ? part->negative ? OP_SUB : OP_ADD
                  : sum->op == OP_SCALAR_MAX ? OP_MAX
                                             : OP_MIN;
    now = binary_tile(in, where, code, as_summed(in, where, now, flips(sum, part)), tile);
    return flips(sum, part) ? form_flipped(in, where, now, dtype) : now;
}

static Value *emit_sum(Nest *in, Op *where, const Op *loop, int index, int row, int col)
{
    Sum sum;
    int axis = loop_of_op(in, loop);
    Value *now = form(in, loop->blocks[0]->args[1 + index], row, col);
    bool open = scan_is_named(loop->control->pipeline, loop->blocks[0]->args[1 + index]->name);
    scan_sum(in, loop, index, &sum);
    for (int i = sum.count - 1; i >= 0; i--) { /* the first one is the last that the iteration adds */
        const Part *part = &sum.parts[i];
        Product product;
        if (__builtin_popcount(axes_of(in, part->value)) == 3 && scan_product(in, part, axis, &product)) {
            now = add_product(in, where, &product, part, axis, now);
            continue;
        }
        now = add_elements(in, where, &sum, part, now, open, axis, row, col);
        now = form_kept(in, where, now, loop->results[index]->type.dtype);
    }
    return now;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* Iterations of a loop that goes by steps: the quotient of a sum; NULL: it is none.  */
static Value *quotient_of(const Nest *in, Value *value)
{
    while (value->def && value->def->code == OP_SCALAR_CONVERT && axes_of(in, value))
        value = value->def->args[0];
    bool divides = value->def && value->def->code == OP_SCALAR_DIV && !axes_of(in, value->def->args[1]);
    return divides && axes_of(in, value) ? value : NULL;
}

/* Numbers of which each element of a tile has its own, other than counters.  */
static bool has_tiles(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (is_tiled(in, x->terms[i].values[k]) && loop_of(in, x->terms[i].values[k]) < 0)
                return true;
    return false;
}

/* One of two numbers for each element of a tile; NULL: it is no such choice.  */
static Value *choice_of(const Nest *in, Value *value)
{
    while (value->def && value->def->code == OP_SCALAR_CONVERT && axes_of(in, value))
        value = value->def->args[0];
    Opcode code = value->def ? value->def->code : OP_CONST;
    bool chooses = code == OP_SCALAR_SELECT || code == OP_SCALAR_MIN || code == OP_SCALAR_MAX;
    return chooses && axes_of(in, value) && !dtype_is_float(value->type.dtype) ? value : NULL;
}

static Poly furthest(Nest *in, Op *where, const Op *loop, int index, bool inside, Poly x);

/* An arm that the launcher finds to be taken nowhere is the other one.  */
static void keep_taken(Nest *in, Op *where, const Value *condition, Value **arms)
{
    Value *both[] = {arms[0], arms[1]};
    for (int i = 0; i < 2; i++) {
        Value *room = bound_room_for(in, condition, i == 0);
        if (!room)
            continue;
        Value *order[] = {ir_convert_before(in->kernel, where, room, D_I64),
                          ir_const_before(in->kernel, where, D_I64, 0)};
        Value *choice[] = {ir_scalar_before(in->kernel, where, OP_SCALAR_GE, D_I1, 2, order), both[i], both[1 - i]};
        arms[i] = ir_scalar_before(in->kernel, where, OP_SCALAR_SELECT, D_I64, 3, choice);
    }
}

/* The furthest of what is divided, or of the two numbers; false: it is loaded.  */
static bool furthest_of(Nest *in, Op *where, const Op *loop, int index, bool inside, Value *value, Poly *x)
{
    Kernel *kernel = in->kernel;
    const Op *op = value->def;
    Value *args[2];
    bool divides = op->code == OP_SCALAR_DIV;
    for (int i = 0; i < 2; i++) {
        Value *arg = op->args[op->nargs - 2 + i];
        Poly whole = divides && i ? poly_value(arg) : furthest(in, where, loop, index, inside, poly_of(arg));
        if (has_tiles(in, &whole))
            return false;
        args[i] = ir_convert_before(kernel, where, form_poly(in, where, &whole), D_I64);
    }
    if (op->code == OP_SCALAR_SELECT)
        keep_taken(in, where, op->args[0], args);
    Opcode code = divides ? OP_SCALAR_DIV : (index == 1) != inside ? OP_SCALAR_MAX : OP_SCALAR_MIN;
    *x = poly_value(ir_scalar_before(kernel, where, code, D_I64, 2, args));
    return true;
}

/* A sum of 32 bits without a sign; NULL: it is none.  */
static Value *wrapped_of(const Nest *in, Value *value)
{
    while (value->def && value->def->code == OP_SCALAR_CONVERT && axes_of(in, value) && value->type.dtype != D_U32)
        value = value->def->args[0];
    const Op *op = value->def;
    if (!op || value->type.dtype != D_U32 || !axes_of(in, value) || op_info[op->code].class_ != CLASS_SCALAR ||
        dtype_is_float(op->args[0]->type.dtype))
        return NULL;
    Poly sum = poly_modulo(value);
    return poly_has(&sum, value) ? NULL : value;
}

/* Its furthest where none of the grid's sums wraps around, else the furthest number; false: that is not known.  */
static bool furthest_wrapped(Nest *in, Op *where, const Op *loop, bool high, Value *value, Poly *x)
{
    Kernel *kernel = in->kernel;
    Poly end = furthest(in, where, loop, high, false, poly_modulo(value)), least = poly_modulo(value), most = least;
    if (has_tiles(in, &end) || !bound_of(in, &least, NULL, false, false) || !bound_of(in, &most, NULL, true, false))
        return false;
    Value *none = ir_const_before(kernel, where, D_I64, 0), *all = ir_const_before(kernel, where, D_I64, UINT32_MAX);
    Value *args[] = {ir_convert_before(kernel, where, form_poly(in, where, &end), D_I64), high ? all : none};
    args[0] = ir_scalar_before(kernel, where, high ? OP_SCALAR_MIN : OP_SCALAR_MAX, D_I64, 2, args);
    Value *inside = choice_before(in, poly_before(in, &least), -1, false, number_before(in, 1), number_before(in, 0));
    inside = choice_before(in, poly_before(in, &most), UINT32_MAX, true, inside, number_before(in, 0));
    Value *wraps[] = {ir_convert_before(kernel, where, inside, D_I64), none};
    Value *choice[] = {ir_scalar_before(kernel, where, OP_SCALAR_EQ, D_I1, 2, wraps), args[1], args[0]};
    *x = poly_value(ir_scalar_before(kernel, where, OP_SCALAR_SELECT, D_I64, 3, choice));
    return true;
}

/* A sum; where it changes along axes, the first or the last of all, or inside: where all have begun, or one ends.  */
static Poly furthest(Nest *in, Op *where, const Op *loop, int index, bool inside, Poly x)
{
    for (int i = 0; i < x.count; i++) {
        const Term term = x.terms[i];
        Value *value = term.count == 1 ? choice_of(in, term.values[0]) : NULL;
        if (!value && term.count == 1 && in->loops[loop_of_op(in, loop)].index) /* by a number above 0 */
            value = quotient_of(in, term.values[0]);
        Value *wrapped = !value && term.count == 1 ? wrapped_of(in, term.values[0]) : NULL;
        int end = term.factor > 0 ? index : !index;
        Poly by;
        if (!value && !wrapped)
            continue;
        if (value ? !furthest_of(in, where, loop, end, inside, value, &by)
                  : !furthest_wrapped(in, where, loop, (end == 1) != inside, wrapped, &by))
            return x;
        x = poly_replace(&x, term.values[0], &by);
        i = -1;
    }
    FOR_LOOPS (i, in) {
        Poly factor, rest;
        int64_t number;
        if (!is_axis(in, i) || !poly_has(&x, in->loops[i].iv))
            continue;
        if (!poly_split(&x, in->loops[i].iv, &factor, &rest) || !poly_is_constant(&factor, &number)) {
            reject(in->kernel, loop->loc, REASON_PLAIN_BOUND, in->loops[i].iv->name ? in->loops[i].iv->name : "?");
            continue;
        }
        bool far = ((index == 1) == (number > 0)) != inside;
        Poly more = poly_constant(far ? number * (in->loops[i].tile - 1) : 0);
        x = poly_add(&x, &more, 1);
    }
    return x;
}

static Value *bound(Nest *in, Op *where, const Op *loop, int index, bool inside)
{
    Poly x = furthest(in, where, loop, index, inside, poly_of(loop->args[index]));
    if (!in->kernel->failed && has_tiles(in, &x)) {
        reject(in->kernel, loop->loc, REASON_PLAIN_BOUND_MEMORY);
        return ir_const_before(in->kernel, where, D_I64, 0);
    }
    if (axes_of(in, loop->args[index]) || is_tiled(in, loop->args[index]))
        return ir_convert_before(in->kernel, where, form_poly(in, where, &x), loop->args[index]->type.dtype);
    return form_plain(in, loop->args[index]);
}

/* Where the iterations of a triangle that all rows of a tile take part in begin, or, by whole tiles, end.  */
static Value *corner(Nest *in, Op *where, const Op *loop, int tile)
{
    Kernel *kernel = in->kernel;
    bool low = axes_of(in, loop->args[0]) != 0;
    Value *edge = bound(in, where, loop, low ? 0 : 1, true);
    if (low)
        return edge;
    Value *first = ir_convert_before(kernel, where, bound(in, where, loop, 0, false), D_I64);
    Value *size = ir_const_before(kernel, where, D_I64, tile), *zero = ir_const_before(kernel, where, D_I64, 0);
    Value *span = ir_binary_before(kernel, where, OP_SCALAR_SUB, ir_convert_before(kernel, where, edge, D_I64), first);
    span = ir_scalar_before(kernel, where, OP_SCALAR_MAX, D_I64, 2, (Value *[]){span, zero});
    span = ir_binary_before(kernel, where, OP_SCALAR_DIV, span, size);
    span = ir_binary_before(kernel, where, OP_SCALAR_MUL, span, size);
    return ir_convert_before(kernel, where, ir_binary_before(kernel, where, OP_SCALAR_ADD, first, span),
                             loop->args[1]->type.dtype);
}

/* The bounds of the whole part of a triangle, or of the rest.  */
static void set_corner(Nest *in, Op *where, const Loop *about, Value **bounds)
{
    const Op *loop = about->op;
    bool low = axes_of(in, loop->args[0]) != 0;
    if (!about->rest && !about->whole)
        return;
    Value *at = corner(in, where, loop, in->loops[about->rest ? loop_of_op(in, loop) : about->whole].tile);
    if (about->rest)
        bounds[!low] = at;
    else if (low)
        bounds[1] = ir_scalar_before(in->kernel, where, OP_SCALAR_MIN, at->type.dtype, 2, (Value *[]){at, bounds[1]});
    else
        bounds[0] = at;
}

/* Between the loops of a grid there are only scalars: tiles are made in the innermost.  */
static bool is_outer(const Nest *in, const Loop *loop)
{
    return loop->grid >= 0 && loop->grid < in->kernel->grid.dims - 1;
}

static void emit_between(Nest *in, Block *from, Block *to)
{
    FOR_OPS (op, from) {
        int loop = loop_of_op(in, op);
        bool scalar = !op->nblocks && op->nresults && !is_tiled(in, op->results[0]);
        if (scalar || (loop >= 0 && in->loops[loop].grid >= 0))
            emit_op(in, op, to);
    }
}

static void emit_postponed(Nest *in, Block *to)
{
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        if (!is_outer(in, loop))
            continue;
        form_place(in, to, loop->iv, loop->op->loc);
    }
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        if (!is_outer(in, loop))
            continue;
        FOR_OPS (op, loop->op->blocks[0])
            if (loop_of_op(in, op) < 0 || in->loops[loop_of_op(in, op)].grid < 0)
                if (op->nblocks || !op->nresults || is_tiled(in, op->results[0]))
                    emit_op(in, op, to);
    }
}

static void emit_for(Nest *in, Op *loop, Block *to)
{
    Kernel *kernel = in->kernel;
    int index = loop_of_op(in, loop);
    const Loop *about = &in->loops[index];
    Block *body = loop->blocks[0];
    Op *mark = form_place(in, to, NULL, loop->loc);
    Value *args[3] = {bound(in, mark, loop, 0, false), bound(in, mark, loop, 1, false), NULL};
    set_corner(in, mark, about, args);
    args[2] = about->tile > 1 ? ir_const_before(kernel, mark, loop->args[2]->type.dtype, about->tile)
                              : form_plain(in, loop->args[2]);
    Op *op = op_new(kernel, OP_FOR, loop->loc, 3, args);
    op->control->compare = loop->control->compare;
    Block *inner = block_new(kernel, op);
    Value *iv = block_arg(kernel, inner, body->args[0]->type, body->args[0]->name, body->args[0]->loc);
    in->plain[body->args[0]->id] = iv;
    if (!is_outer(in, about))
        form_place(in, inner, body->args[0], loop->loc);
    if (about->grid >= 0 && !is_outer(in, about))
        emit_postponed(in, inner);
    for (int i = 0; i < loop->nresults; i++) {
        Value *old = body->args[1 + i];
        int row, col;
        form_home(in, axes_of(in, old), &row, &col);
        bool tiled = is_tiled(in, old);
        Dtype dtype = form_dtype(in, old);
        Value *init =
            tiled ? form_whole_as(in, mark, loop->args[3 + i], dtype, row, col) : form_plain(in, loop->args[3 + i]);
        if (tiled && init->type.kind != K_TILE)
            init = binary_tile(in, mark, OP_ADD, form_full(in, mark, dtype, 1, 1, 0), init);
        op_add_arg(kernel, op, init);
        Value *argument = block_arg(kernel, inner, init->type, old->name, old->loc);
        if (!tiled) {
            in->plain[old->id] = argument;
            continue;
        }
        form_place(in, inner, old, old->loc);
        form_set(in, old, row, col, argument);
    }
    if (is_outer(in, about))
        emit_between(in, body, inner);
    else
        emit_block(in, body, inner);
    Op *end = form_place(in, inner, NULL, loop->loc);
    Value **yields = values_of(kernel, loop->nresults);
    for (int i = 0; i < loop->nresults; i++) {
        Value *old = body->args[1 + i], *next = body->last->args[i];
        int row, col;
        form_home(in, axes_of(in, old), &row, &col);
        if (!is_tiled(in, old))
            yields[i] = form_plain(in, next);
        else if (about->tile > 1 && next != old)
            yields[i] = emit_sum(in, end, loop, i, row, col);
        else
            yields[i] = form_whole_as(in, end, next, form_dtype(in, old), row, col);
    }
    op_append(inner, op_new(kernel, OP_YIELD, loop->loc, loop->nresults, yields));
    op_append(to, op);
    for (int i = 0; i < loop->nresults; i++) {
        Value *old = loop->results[i], *argument = inner->args[1 + i];
        Value *result = op_result(kernel, op, argument->type, old->name);
        int row, col;
        form_home(in, axes_of(in, body->args[1 + i]), &row, &col);
        if (is_tiled(in, old)) {
            form_place(in, to, old, old->loc);
            form_set(in, old, row, col, result);
        } else {
            in->plain[old->id] = result;
        }
    }
    if (loop->control->pipeline && about->tile > 1) {
        op->control->pipeline = arena_alloc(kernel->module, sizeof *op->control->pipeline);
        *op->control->pipeline = *loop->control->pipeline;
        op->control->pipeline->tile = 0;
        op->control->pipeline->plain = true;
        op->control->pipeline->reductions = NULL;
    }
}

static void emit_if(Nest *in, Op *branch, Block *to)
{
    Kernel *kernel = in->kernel;
    Value *condition = form_plain(in, branch->args[0]);
    Op *op = op_new(kernel, OP_IF, branch->loc, 1, &condition);
    for (int arm = 0; arm < 2; arm++) {
        Block *inner = block_new(kernel, op);
        Value **yields = values_of(kernel, branch->nresults);
        emit_block(in, branch->blocks[arm], inner);
        Op *end = form_place(in, inner, NULL, branch->loc);
        for (int i = 0; i < branch->nresults; i++) {
            Value *old = branch->results[i], *value = branch->blocks[arm]->last->args[i];
            int row, col;
            form_home(in, axes_of(in, old), &row, &col);
            Dtype dtype = form_dtype(in, old);
            yields[i] = is_tiled(in, old) ? form_whole_as(in, end, value, dtype, row, col) : form_plain(in, value);
            if (is_tiled(in, old) && yields[i]->type.kind != K_TILE)
                yields[i] = binary_tile(in, end, OP_ADD, form_full(in, end, dtype, 1, 1, 0), yields[i]);
        }
        op_append(inner, op_new(kernel, OP_YIELD, branch->loc, branch->nresults, yields));
    }
    op_append(to, op);
    for (int i = 0; i < branch->nresults; i++) {
        Value *old = branch->results[i];
        Value *result = op_result(kernel, op, op->blocks[0]->last->args[i]->type, old->name);
        int row, col;
        form_home(in, axes_of(in, old), &row, &col);
        if (is_tiled(in, old)) {
            form_place(in, to, old, old->loc);
            form_set(in, old, row, col, result);
        } else {
            in->plain[old->id] = result;
        }
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void emit_scalar(Nest *in, const Op *op, Block *to)
{
    Value **args = values_of(in->kernel, op->nargs);
    for (int i = 0; i < op->nargs; i++)
        args[i] = form_plain(in, op->args[i]);
    Op *copy = op_new(in->kernel, op->code, op->loc, op->nargs, args);
    op_copy_attributes(copy, op);
    op_append(to, copy);
    in->plain[op->results[0]->id] = op_result(in->kernel, copy, op->results[0]->type, op->results[0]->name);
}

static void emit_op(Nest *in, Op *op, Block *to)
{
    switch (op->code) {
    case OP_YIELD:
        return;
    case OP_FOR:
        emit_for(in, op, to);
        return;
    case OP_IF:
        emit_if(in, op, to);
        return;
    case OP_SET_ELEMENT:
        if (total_is(in, op)) {
            total_emit(in, form_place(in, to, NULL, op->loc), op);
            return;
        }
        if (scatter_of(in, op))
            scatter_emit(in, form_place(in, to, NULL, op->loc), scatter_of(in, op));
        else
            form_store(in, form_place(in, to, NULL, op->loc), op);
        return;
    case OP_PRINT_EACH:
        form_print(in, form_place(in, to, NULL, op->loc), op);
        return;
    default:
        break;
    }
    if (is_tiled(in, op->results[0]))
        form_place(in, to, op->results[0], op->loc);
    else if (op->code == OP_ELEMENT)
        in->plain[op->results[0]->id] = form_scalar_load(in, form_place(in, to, NULL, op->loc), op);
    else
        emit_scalar(in, op, to);
}

static void emit_block(Nest *in, Block *from, Block *to)
{
    FOR_OPS (op, from)
        if (!in->kernel->failed)
            emit_op(in, op, to);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* A load that TMA can bring ahead of the loop.  */
static bool can_move(const Nest *in, const Op *op)
{
    if (op_info[op->code].class_ != CLASS_LOAD)
        return false;
    Type type = op->results[0]->type;
    const Op *tensor = op->args[0]->def;
    return type.cols * dtype_bytes(type.dtype) >= 16 && tensor->code == OP_TENSOR &&
           !memory_is_stored(in, tensor->args[0]);
}

static bool any_moves(const Nest *in, const Block *block)
{
    FOR_OPS (op, block) {
        if (can_move(in, op))
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (!pipeline_of(op) && any_moves(in, op->blocks[i]))
                return true;
    }
    return false;
}

static bool has_pipeline(const Block *block)
{
    FOR_OPS (op, block) {
        if (pipeline_of(op))
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (has_pipeline(op->blocks[i]))
                return true;
    }
    return false;
}

/* The user's pragma is about the tile, too: where nothing can move, or a loop inside is pipelined, it is about that
   alone.  */
static void drop_pipelines(const Nest *in, Block *block)
{
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nblocks; i++)
            drop_pipelines(in, op->blocks[i]);
        if (!pipeline_of(op))
            continue;
        bool inner = has_pipeline(op->blocks[0]);
        if (!inner && any_moves(in, op->blocks[0]))
            continue;
        remark(in->kernel, DIAG_MISSED, op->control->pipeline->loc,
               inner ? "this loop has no rings: an inner loop has them"
                     : "this loop has no rings: it reads memory that the grid stores, or rows of less than 16 bytes");
        op->control->pipeline = NULL;
    }
}

/* The region's loops over tiles, in a block of their own, or NULL.  */
static Block *emit_tiles(Nest *in)
{
    Kernel *kernel = in->kernel;
    size_t count = (size_t)kernel->nops * 4 + 64;
    in->size = kernel->module->next_id + 1;
    in->forms = arena_alloc(kernel->module, (size_t)in->size * sizeof *in->forms);
    in->places = arena_alloc(kernel->module, (size_t)in->size * sizeof *in->places);
    in->plain = arena_alloc(kernel->module, (size_t)in->size * sizeof *in->plain);
    in->allplaces = arena_alloc(kernel->module, count * sizeof *in->allplaces);
    in->nplaces = 0;
    Op *holder = op_new(kernel, OP_IF, in->region->loc, 1, &in->region->args[0]);
    Block *block = block_new(kernel, holder);
    emit_for(in, in->region, block);
    if (kernel->failed)
        return NULL;
    for (int i = 0; i < in->nplaces; i++)
        op_remove(in->allplaces[i]);
    return block;
}

enum { FEWEST_COLUMNS = 32, FEWEST_ROWS = 8, FEWEST_INNER = 8 };

/* Smaller tiles, where their size is ours; false: there is none.  Columns of a vector first, then the longer side.  */
static bool shrink(Nest *in)
{
    const Grid *grid = &in->kernel->grid;
    Loop *largest = NULL;
    FOR_LOOPS (i, in) {
        Loop *loop = &in->loops[i];
        const Pipeline *pipeline = loop->op->control->pipeline;
        bool given = loop->grid >= 0 ? grid->tile[loop->grid] : pipeline && pipeline->tile;
        int fewest = loop->grid < 0 ? FEWEST_INNER : loop->grid == grid->dims - 1 ? FEWEST_COLUMNS : FEWEST_ROWS;
        if (given || !is_axis(in, i) || loop->fixed || loop->tile / 2 < fewest)
            continue;
        if (!largest || loop->tile > largest->tile)
            largest = loop;
    }
    if (largest)
        largest->tile /= 2;
    return largest != NULL;
}

static bool has_axis_inside(const Nest *in)
{
    FOR_LOOPS (i, in)
        if (in->loops[i].grid < 0 && is_axis(in, i))
            return true;
    return false;
}

/* The region gives way to its loops over tiles, which are as large as registers hold.  */
void emit_nest(Nest *in)
{
    Block *block = emit_tiles(in);
    bool rows_alone = in->ntotals && in->kernel->grid.dims == 1 && !has_axis_inside(in);
    while (block && !budget_chosen_fits(in->kernel->machine, block, in->planned, rows_alone)) {
        if (in->planned) { /* another plan is tried */
            in->kernel->failed = in->too_large = true;
            return;
        }
        if (!shrink(in))
            break;
        block = emit_tiles(in);
    }
    if (!block)
        return;
    drop_pipelines(in, block);
    FOR_OPS (op, block) {
        op_remove(op);
        op_before(in->region, op);
    }
    op_remove(in->region);
}
