/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * affine.c - integer scalars as affine sums (affine.h).
 */
#include "ir/affine.h"
#include "ir/slice.h"

enum { MAX_LEVELS = 16, SAME_LEVELS = 8 };
static const int64_t MOST = INT64_C(1) << 62;

/* ---- sums -------------------------------------------------------------------------------------------------------- */

bool same_scalar(const Value *x, const Value *y, int levels)
{
    if (x == y)
        return true;
    const Op *a = x->def, *b = y->def;
    if (!a || !b || !levels || a->code != b->code || a->nargs != b->nargs || !op_means_the_same(a, b) || a->nblocks ||
        b->nblocks || op_info[a->code].class_ > CLASS_READ || !type_equal(x->type, y->type))
        return false;
    for (int i = 0; i < a->nargs; i++)
        if (!same_scalar(a->args[i], b->args[i], levels - 1))
            return false;
    return true;
}

Affine affine_constant(int64_t number)
{
    return (Affine){.known = true, .low = number, .high = number};
}

Affine affine_value(const Value *value)
{
    return (Affine){.known = true, .count = 1, .terms = {{value, 1}}};
}

/* *x += factor y; false if the result exceeds the range of an Affine.  */
static bool accumulate(int64_t *x, int64_t factor, int64_t y)
{
    int64_t product;
    return !__builtin_mul_overflow(factor, y, &product) && !__builtin_add_overflow(*x, product, x) && *x <= MOST &&
           *x >= -MOST;
}

static int find_term(const Affine *x, const Value *value)
{
    for (int i = 0; i < x->count; i++)
        if (same_scalar(x->terms[i].value, value, SAME_LEVELS))
            return i;
    return -1;
}

static bool add_term(Affine *x, const Value *value, int64_t factor)
{
    int at = find_term(x, value);
    if (at < 0 && x->count == AFFINE_TERMS)
        return false;
    if (at < 0)
        x->terms[at = x->count++] = (AffineTerm){value, 0};
    if (!accumulate(&x->terms[at].factor, 1, factor))
        return false;
    if (!x->terms[at].factor) {
        for (int i = at + 1; i < x->count; i++)
            x->terms[i - 1] = x->terms[i];
        x->count--;
    }
    return true;
}

Affine affine_add(Affine x, Affine y, int64_t factor)
{
    int64_t low = factor < 0 ? y.high : y.low, high = factor < 0 ? y.low : y.high, product;
    x.known = x.known && y.known && accumulate(&x.low, factor, low) && accumulate(&x.high, factor, high);
    for (int i = 0; x.known && factor && i < y.count; i++)
        x.known =
            !__builtin_mul_overflow(factor, y.terms[i].factor, &product) && add_term(&x, y.terms[i].value, product);
    return x;
}

/* ---- expansion of values ----------------------------------------------------------------------------------------- */

/* True if `to` represents each value of `from`.  The two 64-bit types represent the same numbers modulo 2^64.  */
static bool keeps_values(Dtype from, Dtype to)
{
    if (dtype_is_float(from) || dtype_is_float(to) || from == D_MASK || to == D_MASK)
        return false;
    int source = from == D_I1 ? 0 : dtype_bytes(from), target = to == D_I1 ? 0 : dtype_bytes(to);
    if (from == to || (source == 8 && target == 8))
        return true;
    return source < target && (!dtype_is_signed(from) || dtype_is_signed(to) || target == 8);
}

const Value *affine_unconverted(const Value *value)
{
    while (value->def && value->def->code == OP_SCALAR_CONVERT &&
           keeps_values(value->def->args[0]->type.dtype, value->type.dtype))
        value = value->def->args[0];
    return value;
}

const Value *affine_extent(const Value *extent)
{
    int64_t number;
    const Value *value = affine_unconverted(extent);
    for (int i = 0; value->def && value->def->code == OP_SCALAR_MAX && i < 2; i++)
        if (ir_constant(value->def->args[i], &number) && number == 0)
            return affine_unconverted(value->def->args[1 - i]);
    return value;
}

static bool is_counted(Dtype dtype)
{
    return dtype == D_I32 || dtype == D_I64 || dtype == D_U64;
}

static Affine affine_level(const Value *value, const Op *within, int levels);

static Affine affine_sum(const Op *op, const Op *within, int levels)
{
    return affine_add(affine_level(op->args[0], within, levels), affine_level(op->args[1], within, levels),
                      op->code == OP_SCALAR_ADD ? 1 : -1);
}

static Affine affine_product(const Op *op, const Op *within, int levels)
{
    Affine x = affine_level(op->args[0], within, levels), y = affine_level(op->args[1], within, levels);
    int64_t number;
    if (affine_is_constant(&y, &number))
        return affine_add(affine_constant(0), x, number);
    if (affine_is_constant(&x, &number))
        return affine_add(affine_constant(0), y, number);
    return affine_value(op->results[0]);
}

static Affine affine_level(const Value *value, const Op *within, int levels)
{
    const Op *op = value->def;
    int64_t number;
    Affine sum = affine_value(value);
    if (value->type.kind != K_SCALAR)
        return sum;
    if (ir_constant(value, &number))
        return number <= MOST && number >= -MOST ? affine_constant(number) : sum;
    const Value *unconverted = affine_unconverted(value);
    if (!op || levels > MAX_LEVELS || (within && ir_outside(value, within)))
        return sum;
    if (unconverted != value)
        sum = affine_level(unconverted, within, levels + 1);
    else if ((op->code == OP_SCALAR_ADD || op->code == OP_SCALAR_SUB) && is_counted(value->type.dtype))
        sum = affine_sum(op, within, levels + 1);
    else if (op->code == OP_SCALAR_MUL && is_counted(value->type.dtype))
        sum = affine_product(op, within, levels + 1);
    return sum.known ? sum : affine_value(value);
}

Affine affine_of(const Value *value)
{
    return affine_level(value, NULL, 0);
}

Affine affine_within(const Value *value, const Op *loop)
{
    return affine_level(value, loop, 0);
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

bool affine_is_constant(const Affine *x, int64_t *number)
{
    *number = x->low;
    return x->known && !x->count && x->low == x->high;
}

int64_t affine_factor(const Affine *x, const Value *value)
{
    int at = find_term(x, value);
    return at < 0 ? 0 : x->terms[at].factor;
}

/* Returns lower bound, upper bound and step of a counter that goes up, or NULL. Of a grid's variables only the
   dimension of the blocks of a cluster counts, as no tile of it lies out of bounds.  */
static Value *const *counted(const Value *value)
{
    const Op *loop = value->block ? value->block->parent : NULL;
    if (loop && loop->code == OP_FOR && value->index == 0 && loop->control->compare == OP_SCALAR_LT)
        return loop->args;
    bool blocks = loop && loop->code == OP_GRID && loop->kernel->grid.parts && value->index == loop->nargs / 3 - 1;
    return blocks ? &loop->args[3 * value->index] : NULL;
}

/* Finds the first and the last value of a counter with constant bounds and a positive step.  */
static bool counter_range(const Value *value, int64_t *first, int64_t *last)
{
    Value *const *range = counted(value);
    int64_t end, step;
    if (!range || !ir_constant(range[0], first) || !ir_constant(range[1], &end) || !ir_constant(range[2], &step) ||
        step <= 0 || end <= *first)
        return false;
    *last = *first + (end - 1 - *first) / step * step;
    return true;
}

Affine affine_over_counters(Affine x)
{
    Affine sum = x;
    sum.count = 0;
    for (int i = 0; i < x.count; i++) {
        Affine term = {.known = true, .count = 1, .terms = {{x.terms[i].value, 1}}};
        if (counter_range(x.terms[i].value, &term.low, &term.high))
            term.count = 0;
        sum = affine_add(sum, term, x.terms[i].factor);
    }
    return sum;
}

bool affine_same(const Value *x, const Value *y)
{
    int64_t number;
    Affine difference = affine_add(affine_of(x), affine_of(y), -1);
    return affine_is_constant(&difference, &number) && !number;
}

/* `difference` is y - x.  True if y - x >= x_extent or x - y >= y_extent.  */
static bool is_apart(const Affine *difference, int64_t x_extent, int64_t y_extent)
{
    return difference->known && !difference->count && (difference->low >= x_extent || -difference->high >= y_extent);
}

bool affine_apart(const Value *x, int64_t x_extent, const Value *y, int64_t y_extent)
{
    Affine difference = affine_add(affine_of(y), affine_of(x), -1);
    Affine ranges = affine_over_counters(difference);
    return is_apart(&difference, x_extent, y_extent) || is_apart(&ranges, x_extent, y_extent);
}

/* True if the value is defined inside the counter's loop, as a result or as a block argument.  */
static bool changes_with(const Value *value, const Value *counter)
{
    const Op *where = value->def ? value->def : value->block ? value->block->parent : NULL;
    return where && (value->block == counter->block || ir_inside(where, counter->block));
}

enum { MOST_LATE = 8 };

/* Returns n if the value is n steps behind the counter, or -1.  The next value of a carried value is then n - 1 steps
   behind, and its initial value is n steps before the counter's.  */
static int steps_behind(const Value *value, const Value *counter, int most)
{
    const Op *loop = counter->block ? counter->block->parent : NULL;
    int64_t number;
    if (value == counter)
        return 0;
    if (!most || !value || !loop || loop->code != OP_FOR || value->block != counter->block || !value->index)
        return -1;
    Carried late = carried(loop, value->index - 1);
    int before = steps_behind(late.next, counter, most - 1);
    if (before < 0 || (late.beyond && steps_behind(late.beyond, counter, most - 1) != before))
        return -1;
    Affine first = affine_add(affine_of(late.init), affine_of(loop->args[0]), -1);
    first = affine_add(first, affine_of(loop->args[2]), before + 1);
    return affine_is_constant(&first, &number) && !number ? before + 1 : -1;
}

int affine_late(const Value *value, const Value *counter)
{
    return steps_behind(value, counter, MOST_LATE);
}

bool affine_advance(const Value *x, const Value *counter, int64_t *factor)
{
    Affine sum = affine_of(x);
    *factor = 0;
    for (int i = 0; i < sum.count; i++) {
        if (affine_late(sum.terms[i].value, counter) >= 0)
            *factor += sum.terms[i].factor;
        else if (changes_with(sum.terms[i].value, counter))
            return false;
    }
    return sum.known;
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

static Value *emit_term(Kernel *kernel, Op *where, const AffineTerm *term, AffineUse *use, void *context)
{
    Value *value = use ? use(context, term->value) : (Value *)term->value;
    int64_t factor = term->factor < 0 ? -term->factor : term->factor;
    value = ir_convert_before(kernel, where, value, D_I64);
    if (factor == 1)
        return value;
    return ir_binary_before(kernel, where, OP_SCALAR_MUL, value, ir_const_before(kernel, where, D_I64, factor));
}

Value *affine_emit(Kernel *kernel, Op *where, const Affine *x, int64_t number, AffineUse *use, void *context)
{
    Value *sum = NULL;
    for (int negative = 0; negative < 2; negative++)
        for (int i = 0; i < x->count; i++) {
            if ((x->terms[i].factor < 0) != negative)
                continue;
            Value *term = emit_term(kernel, where, &x->terms[i], use, context);
            if (negative && !sum) {
                sum = ir_const_before(kernel, where, D_I64, number);
                number = 0;
            }
            sum = sum ? ir_binary_before(kernel, where, negative ? OP_SCALAR_SUB : OP_SCALAR_ADD, sum, term) : term;
        }
    if (!number)
        return sum;
    Value *constant = ir_const_before(kernel, where, D_I64, number);
    return sum ? ir_binary_before(kernel, where, OP_SCALAR_ADD, sum, constant) : constant;
}
