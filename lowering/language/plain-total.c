/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-total.c - what leaves the grid: a sum over all its iterations.
 *
 *   %t = for %i = 0, < %n, 1; %t.1 = 0 {         %m = tensor %total, (%n + 1023) / 1024, 1
 *     %x = element %a, %i * 4                    for %i = 0, < %n, 1024 {
 *     yield (%t.1 + %x)                            %x = load_row %a, %i
 *   }                                              store_row %m, %i / 1024, (row_sum (select %i.. < %n, %x, 0))
 *   set_element %total, 0, %t                    }
 *
 * Each tile of the grid leaves one number, of what its iterations add to nothing.  The caller combines the numbers in
 * the tiles' order (runtime/host/total.c).
 */
#include <math.h>
#include <string.h>

#include "ir/functions.h"
#include "language/plain.h"

static const char *base_name_of(const Op *store)
{
    return store->args[0]->name ? store->args[0]->name : "";
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

/* The operations behind the grid that say which of its results is which total; they go.  */
void total_take(Nest *in)
{
    in->most_totals = 0;
    for (const Total *total = in->kernel->grid.totals; total; total = total->next)
        in->most_totals++;
    in->totals = arena_alloc(in->kernel->module, sizeof *in->totals * (size_t)(in->most_totals + 1));
    for (const Total *total = in->kernel->grid.totals; total; total = total->next)
        for (Op *op = in->kernel->body->first, *next; op; op = next) {
            next = op->next;
            if (op->code != OP_SET_ELEMENT || op->args[0] != total->base || in->ntotals == in->most_totals)
                continue;
            in->totals[in->ntotals++] = (Leaving){total, op->args[2]->def, op->args[2]->index, false};
            op_remove(op);
        }
}

static bool is_taken(const Nest *in, const Total *total)
{
    for (int i = 0; i < in->ntotals; i++)
        if (in->totals[i].total == total)
            return true;
    return false;
}

/* The total whose handle the store goes to, else that of its name which is no variable.  */
static const Total *element_total(const Nest *in, const Op *store)
{
    for (const Total *total = in->kernel->grid.totals; total; total = total->next)
        if (!is_taken(in, total) && total->base == store->args[0])
            return total;
    for (const Total *total = in->kernel->grid.totals; total; total = total->next)
        if (!is_taken(in, total) &&
            (!strcmp(total->name, store->store->label) || !strcmp(total->name, base_name_of(store))))
            return total;
    return NULL;
}

/* An element that the whole grid sums in: the store behind the loops goes, and they begin with nothing.  */
void total_take_elements(Nest *in)
{
    bool any = false;
    for (const Total *total = in->kernel->grid.totals; total; total = total->next)
        any |= !is_taken(in, total);
    if (!any)
        return;
    scan_promote_grid(in);
    for (Op *op = in->region->next, *next; op; op = next) {
        next = op->next;
        const Total *total = op->code == OP_SET_ELEMENT ? element_total(in, op) : NULL;
        if (!total || op->args[2]->def != in->region || in->ntotals == in->most_totals)
            continue;
        int index = op->args[2]->index;
        Op *first = in->region->args[3 + index]->def;
        in->totals[in->ntotals++] = (Leaving){total, in->region, index, false};
        in->region->args[3 + index] = ir_const_before(in->kernel, in->region, D_I32, 0);
        op_remove(op);
        op_remove(first);
    }
}

bool total_is(const Nest *in, const Op *op)
{
    for (int i = 0; i < in->ntotals && op->code == OP_SET_ELEMENT; i++)
        if (op->args[0] == in->totals[i].total->base)
            return true;
    return false;
}

static bool refuse_sum(Nest *in, const Total *total)
{
    static const char *const names[] = {"+", "*", "max", "min", "&&", "||"};
    reject(in->kernel, in->kernel->grid.loc, REASON_PLAIN_TOTAL, names[op_total_number(total->op, false)], total->name);
    return false;
}

/* ---- && and || --------------------------------------------------------------------------------------------------- */

/* The number that a value is where `argument` is `number`; false: it depends on something else.  */
static bool known_where(const Value *value, const Value *argument, int64_t number, int64_t *result)
{
    int64_t x, y;
    if (value == argument) {
        *result = number;
        return true;
    }
    if (ir_constant(value, result))
        return true;
    const Op *op = value->def;
    if (!op || op->nblocks)
        return false;
    switch (op->code) {
    case OP_SCALAR_CONVERT:
        return known_where(op->args[0], argument, number, result);
    case OP_SCALAR_NOT:
        *result = known_where(op->args[0], argument, number, &x) ? !x : 0;
        return known_where(op->args[0], argument, number, &x);
    case OP_SCALAR_NE:
    case OP_SCALAR_EQ:
        if (!known_where(op->args[0], argument, number, &x) || !known_where(op->args[1], argument, number, &y))
            return false;
        *result = (x == y) == (op->code == OP_SCALAR_EQ);
        return true;
    case OP_SCALAR_AND:
    case OP_SCALAR_OR:
        for (int i = 0; i < 2; i++)
            if (known_where(op->args[i], argument, number, &x) && !x == (op->code == OP_SCALAR_AND)) {
                *result = x;
                return true;
            }
        return known_where(op->args[0], argument, number, &x) && known_where(op->args[1], argument, number, result);
    case OP_SCALAR_SELECT:
        if (known_where(op->args[0], argument, number, &x))
            return known_where(op->args[x ? 1 : 2], argument, number, result);
        return known_where(op->args[1], argument, number, &x) && known_where(op->args[2], argument, number, result) &&
               x == *result;
    default:
        return false;
    }
}

/* Each use asks whether the value is 0.  */
static bool only_truth(const Block *block, const Value *value)
{
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nargs; i++) {
            int64_t other;
            bool asks =
                (op->code == OP_SCALAR_NE || op->code == OP_SCALAR_EQ) && ir_constant(op->args[!i], &other) && !other;
            if (op->args[i] == value && !asks && value->type.dtype != D_I1 && op->code != OP_YIELD)
                return false;
        }
        for (int i = 0; i < op->nblocks; i++)
            if (!only_truth(op->blocks[i], value))
                return false;
    }
    return true;
}

/* 0 && x is 0, and 1 || x is 1, whatever x is.  */
static bool is_logical(const Op *loop, int index, Opcode op)
{
    const Block *body = loop->blocks[0];
    int64_t decided = op == OP_SCALAR_OR, result;
    return known_where(body->last->args[index], body->args[1 + index], decided, &result) && result == decided &&
           only_truth(body, body->args[1 + index]);
}

/* ---- from carried values to one number for each tile ------------------------------------------------------------- */

/* The smallest or the largest number of the type.  */
static int64_t limit_of(Dtype dtype, bool largest)
{
    int64_t most = (int64_t)(~(uint64_t)0 >> (64 - 8 * dtype_bytes(dtype) + dtype_is_signed(dtype)));
    return largest ? most : dtype_is_signed(dtype) ? -most - 1 : 0;
}

static Value *nothing(Nest *in, Op *where, const Total *total, Dtype dtype)
{
    Op *constant = op_new(in->kernel, OP_CONST, where->loc, 0, NULL);
    bool largest = total->op == OP_SCALAR_MIN;
    op_before(where, constant);
    constant->scalar->real = total->op == OP_SCALAR_ADD ? -0.0 : largest ? INFINITY : -INFINITY;
    constant->scalar->integer =
        total->op == OP_SCALAR_MAX || largest ? limit_of(dtype, largest) : total->op == OP_SCALAR_AND;
    if (dtype_is_float(dtype))
        constant->scalar->integer = 0;
    else
        constant->scalar->real = 0;
    return op_result(in->kernel, constant, type_scalar(dtype), NULL);
}

/* The innermost loop of the grid that carries it on, and as which of its results; NULL: something else happens to it.
 */
static Op *innermost(const Nest *in, int *index)
{
    Op *loop = in->region;
    for (int n = 1; n < in->kernel->grid.dims; n++) {
        const Block *body = loop->blocks[0];
        const Value *argument = body->args[1 + *index], *next = body->last->args[*index];
        if (next->def != in->loops[n].op || argument->uses != 1 || next->def->args[3 + next->index] != argument)
            return NULL;
        loop = next->def;
        *index = next->index;
    }
    return loop;
}

static bool is_summed(Nest *in, const Op *loop, int index, Leaving *leaving)
{
    Sum sum;
    const Total *total = leaving->total;
    if (total->op == OP_SCALAR_AND || total->op == OP_SCALAR_OR)
        return is_logical(loop, index, total->op);
    if (total->op == OP_SCALAR_MUL || !scan_total(in, loop, index, &sum) || sum.op != total->op)
        return false;
    for (int i = 0; i < sum.count; i++)
        leaving->takes_nan |= sum.parts[i].compares && sum.parts[i].takes_nan;
    return true;
}

static bool leave(Nest *in, Leaving *leaving)
{
    const Total *total = leaving->total;
    int index = leaving->index;
    Op *loop = innermost(in, &index);
    if (!loop || !is_summed(in, loop, index, leaving))
        return refuse_sum(in, total);
    Block *body = loop->blocks[0];
    Value *argument = body->args[1 + index];
    Value *start = nothing(in, body->first, total, argument->type.dtype);
    ir_replace_uses(body, argument, start);
    Op *store =
        op_new(in->kernel, OP_SET_ELEMENT, loop->loc, 3,
               (Value *[]){total->base, ir_const_before(in->kernel, body->last, D_I64, 0), body->last->args[index]});
    store->store->label = total->name;
    op_before(body->last, store);
    return true;
}

static void carry_nothing(Op *loop)
{
    loop->nargs = 3;
    loop->nresults = 0;
    loop->blocks[0]->nargs = 1;
    loop->blocks[0]->last->nargs = 0;
}

/* require: axes, uses.   ensure: the grid's loops carry nothing; or a refusal.  */
bool total_scan(Nest *in)
{
    for (int n = 0; n < in->kernel->grid.dims; n++) {
        const Op *loop = in->loops[n].op;
        for (int i = 0; i < loop->nresults && loop->nresults != in->ntotals; i++) {
            const char *name = loop->results[i]->name ? loop->results[i]->name : "a value";
            reject(in->kernel, loop->loc, REASON_GRID_CARRIED_SCALAR, name);
            return false;
        }
    }
    for (int i = 0; i < in->ntotals; i++)
        if (!leave(in, &in->totals[i]))
            return false;
    for (int n = 0; n < in->kernel->grid.dims && in->ntotals; n++)
        carry_nothing(in->loops[n].op);
    return true;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static Value *before_grid(void *context, Value *value)
{
    return form_prologue(context, value);
}

/* How many tiles lie along a loop of the grid.  */
static Value *tiles_along(Nest *in, const Loop *loop)
{
    Kernel *kernel = in->kernel;
    Poly end = poly_of(loop->op->args[1]), span = poly_add(&end, &loop->lo, -1), more = poly_constant(loop->tile - 1);
    span = poly_add(&span, &more, 1);
    Value *count = ir_convert_before(kernel, in->region, poly_emit(kernel, in->region, &span, before_grid, in), D_I64);
    count = ir_binary_before(kernel, in->region, OP_SCALAR_MAX, count, ir_const_before(kernel, in->region, D_I64, 0));
    return ir_binary_before(kernel, in->region, OP_SCALAR_DIV, count,
                            ir_const_before(kernel, in->region, D_I64, loop->tile));
}

/* The tile's number, in row-major order, and how many there are.  */
static Value *number_of_tile(Nest *in, Op *where, Value **count)
{
    Kernel *kernel = in->kernel;
    Value *number = NULL;
    *count = NULL;
    for (int n = 0; n < kernel->grid.dims; n++) {
        const Loop *loop = &in->loops[n];
        Value *along = tiles_along(in, loop), *at = ir_convert_before(kernel, where, form_plain(in, loop->iv), D_I64);
        Value *low = poly_emit(kernel, in->region, &loop->lo, before_grid, in);
        at = ir_binary_before(kernel, where, OP_SCALAR_SUB, at, ir_convert_before(kernel, in->region, low, D_I64));
        at = ir_binary_before(kernel, where, OP_SCALAR_DIV, at, ir_const_before(kernel, where, D_I64, loop->tile));
        if (number)
            at = ir_binary_before(kernel, where, OP_SCALAR_ADD,
                                  ir_binary_before(kernel, where, OP_SCALAR_MUL, number, along), at);
        number = at;
        *count = *count ? ir_binary_before(kernel, in->region, OP_SCALAR_MUL, *count, along) : along;
    }
    return number;
}

static Value *reduce(Nest *in, Op *where, const Total *total, Value *tile)
{
    static const Opcode by_row[] = {OP_ROW_SUM, OP_COUNT, OP_ROW_MAX, OP_ROW_MIN, OP_ROW_MIN, OP_ROW_MAX},
                        by_col[] = {OP_COL_SUM, OP_COUNT, OP_COL_MAX, OP_COL_MIN, OP_COL_MIN, OP_COL_MAX};
    int operation = op_total_number(total->op, false);
    Dtype dtype = tile->type.dtype;
    if (tile->type.cols > 1)
        tile = form_op(in, where, by_row[operation], where->loc, type_tile(dtype, tile->type.rows, 1), 1, &tile);
    if (tile->type.rows > 1)
        tile = form_op(in, where, by_col[operation], where->loc, type_tile(dtype, 1, 1), 1, &tile);
    return tile;
}

/* The largest or smallest, or NaN where the tile has one: as if it came last.  */
static Value *reduce_with_nan(Nest *in, Op *where, const Total *total, Value *tile)
{
    static const Total any = {.op = OP_SCALAR_MAX};
    Value *is_nan = form_make(in, where, OP_NE, where->loc, D_MASK, tile, tile, NULL);
    Value *found = form_make(in, where, OP_SELECT, where->loc, D_I32, is_nan, form_full(in, where, D_I32, 1, 1, 1),
                             form_full(in, where, D_I32, 1, 1, 0));
    found = reduce(in, where, &any, found);
    Value *most = reduce(in, where, total, tile);
    Value *has = form_make(in, where, OP_NE, where->loc, D_MASK, found, form_full(in, where, D_I32, 1, 1, 0), NULL);
    return form_make(in, where, OP_SELECT, where->loc, tile->type.dtype, has,
                     form_full(in, where, tile->type.dtype, 1, 1, NAN), most);
}

static double identity(const Total *total, Dtype dtype)
{
    bool real = dtype_is_float(dtype);
    if (total->op == OP_SCALAR_MAX)
        return real ? -INFINITY : dtype == D_I64 ? -0x1p63 : (double)INT32_MIN;
    if (total->op == OP_SCALAR_MIN)
        return real ? INFINITY : dtype == D_I64 ? 0x1p63 : (double)INT32_MAX;
    return total->op == OP_SCALAR_AND;
}

/* What of the tile the grid has iterations for; nothing elsewhere.  */
static Value *in_grid(Nest *in, Op *where, const Total *total, const Value *value, Value *tile, int row, int col)
{
    for (int i = 0; i < 2; i++) {
        int axis = i ? row : col;
        if (axis < 0 || (total->op == OP_SCALAR_ADD && form_is_padded(in, value, axis)))
            continue;
        Value *mask = form_in_range(in, where, axis, row, col);
        Value *args[] = {mask, tile, form_full(in, where, tile->type.dtype, 1, 1, identity(total, tile->type.dtype))};
        tile = form_op(in, where, OP_SELECT, where->loc, tile->type, 3, args);
    }
    return tile;
}

void total_emit(Nest *in, Op *where, const Op *op)
{
    Total *total = in->kernel->grid.totals;
    while (total->next && total->base != op->args[0])
        total = total->next;
    const Leaving *leaving = &in->totals[0];
    for (int i = 0; i < in->ntotals; i++)
        if (in->totals[i].total->base == op->args[0])
            leaving = &in->totals[i];
    uint32_t axes = 0;
    int row, col;
    for (int n = 0; n < in->kernel->grid.dims; n++)
        axes |= is_axis(in, n) ? 1u << n : 0;
    form_home(in, axes, &row, &col);
    bool is_long = op->args[2]->type.dtype == D_I64 || op->args[2]->type.dtype == D_U64;
    Dtype dtype = is_long ? D_I64 : tile_dtype(op->args[2]->type.dtype);
    Value *tile = form_whole_as(in, where, op->args[2], dtype, row, col);
    if (tile->type.kind != K_TILE) {
        Value *args[] = {form_full(in, where, dtype, 1, 1, dtype_is_float(dtype) ? -0.0 : 0), tile};
        tile = form_op(in, where, OP_ADD, where->loc, args[0]->type, 2, args);
    }
    if (tile->type.dtype == D_MASK) {
        Value *args[] = {tile, form_full(in, where, D_I32, 1, 1, 1), form_full(in, where, D_I32, 1, 1, 0)};
        tile = form_op(in, where, OP_SELECT, where->loc, type_tile(D_I32, tile->type.rows, tile->type.cols), 3, args);
    }
    if (form_is_small(tile->type.dtype))
        tile = form_widened(in, where, tile);
    total->is_unsigned = form_is_unsigned(op->args[2]->type.dtype);
    bool flips = total->is_unsigned && (total->op == OP_SCALAR_MAX || total->op == OP_SCALAR_MIN);
    if (flips)
        tile = form_flipped(in, where, tile, dtype);
    tile = in_grid(in, where, total, op->args[2], tile, row, col);
    bool nan = leaving->takes_nan && dtype_is_float(tile->type.dtype);
    tile = (nan ? reduce_with_nan : reduce)(in, where, total, tile);
    if (flips)
        tile = form_flipped(in, where, tile, dtype);
    Value *count, *number = number_of_tile(in, where, &count);
    total->base->type = type_pointer(tile->type.dtype);
    Op *tensor = op_new(in->kernel, OP_TENSOR, in->kernel->loc, 3,
                        (Value *[]){total->base, count, ir_const_before(in->kernel, in->region, D_I64, 1)});
    op_before(in->region, tensor);
    Value *numbers = op_result(in->kernel, tensor, type_tensor(tile->type.dtype, 1), total->name);
    op_before(where, op_new(in->kernel, OP_STORE_ROW, op->loc, 3, (Value *[]){numbers, number, tile}));
}
