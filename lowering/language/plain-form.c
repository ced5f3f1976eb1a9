/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-form.c - a scalar of the loops as a tile.
 *
 *   float v = x[i * n + j] * b[j];      %1 = load %x, %i, %j; %2 = load_row %b, %j; %v = mul %1, %2
 *
 * A value has a form for each pair of axes that somebody wants it along: rows along one, columns along the other.  It
 * is made where the scalar was computed, when it is first asked for.  Along an axis that the value does not change
 * with, its form has one element.
 */
#include <math.h>
#include <string.h>

#include "language/plain.h"

/* ---- small things ------------------------------------------------------------------------------------------------ */

Dtype tile_dtype(Dtype dtype)
{
    switch (dtype) {
    case D_I1:
        return D_MASK;
    case D_U16:
    case D_U32:
    case D_I64:
    case D_U64:
        return D_I32;
    default:
        return dtype;
    }
}

int form_extent(const Nest *in, int axis)
{
    return axis < 0 ? 1 : in->loops[axis].tile;
}

Value *form_op(Nest *in, Op *where, Opcode code, Loc loc, Type type, int nargs, Value *const *args)
{
    Op *op = op_new(in->kernel, code, loc, nargs, args);
    op_before(where, op);
    return op_result(in->kernel, op, type, NULL);
}

Value *form_full(Nest *in, Op *where, Dtype dtype, int rows, int cols, double value)
{
    Value *full = form_op(in, where, OP_FULL, where->loc, type_tile(dtype, rows, cols), 0, NULL);
    full->def->tile->value = value;
    return full;
}

Value *form_make(Nest *in, Op *where, Opcode code, Loc loc, Dtype dtype, Value *x, Value *y, Value *z)
{
    Value *args[] = {x, y, z};
    int rows = 1, cols = 1, nargs = 1 + (y != NULL) + (z != NULL);
    for (int i = 0; i < nargs; i++)
        if (args[i]->type.kind == K_TILE) {
            rows = args[i]->type.rows > rows ? args[i]->type.rows : rows;
            cols = args[i]->type.cols > cols ? args[i]->type.cols : cols;
        }
    return form_op(in, where, code, loc, type_tile(dtype, rows, cols), nargs, args);
}

bool is_column(const Nest *in, int axis)
{
    if (in->loops[axis].grid < 0)
        return true;
    bool first = true, inner = false;
    FOR_LOOPS (i, in) {
        if (!is_axis(in, i) || i == axis)
            continue;
        first &= in->loops[i].grid < 0 || i > axis;
        inner = true;
    }
    return !first || !inner;
}

/* Rows along the grid's first axis; of two that would be columns the outer one.  */
void form_home(Nest *in, uint32_t axes, int *row, int *col)
{
    int first = only_axis(axes), second = first < 0 ? -1 : only_axis(axes & (axes - 1));
    *row = *col = -1;
    if (first < 0)
        return;
    if (second < 0) {
        *(is_column(in, first) ? col : row) = first;
        return;
    }
    *row = is_column(in, first) ? second : first;
    *col = is_column(in, first) ? first : second;
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

/* In front of the grid.  */
Value *form_prologue(Nest *in, Value *value)
{
    if (ir_outside(value, in->region))
        return value;
    const Op *op = value->def;
    Value *args[4];
    for (int i = 0; i < op->nargs && i < 4; i++)
        args[i] = form_prologue(in, op->args[i]);
    for (Op *other = in->region->prev; other; other = other->prev) {
        bool same = other->code == op->code && other->nargs == op->nargs && op_means_the_same(other, op) &&
                    type_equal(other->results[0]->type, value->type);
        for (int i = 0; i < op->nargs && same; i++)
            same = other->args[i] == args[i];
        if (same)
            return other->results[0];
    }
    Op *copy = op_new(in->kernel, op->code, op->loc, op->nargs, args);
    op_copy_attributes(copy, op);
    op_before(in->region, copy);
    return op_result(in->kernel, copy, value->type, value->name);
}

/* The new program's scalar for one of the old.  */
Value *form_plain(Nest *in, Value *value)
{
    if (value->id < in->size && in->plain[value->id])
        return in->plain[value->id];
    return value; /* of the prologue */
}

static Value *use_plain(void *context, Value *value)
{
    return form_plain(context, value);
}

Value *form_poly(Nest *in, Op *where, const Poly *x)
{
    return poly_emit(in->kernel, where, x, use_plain, in);
}

/* A double holds it, as the number of a constant tile is one.  */
static bool is_exact(int64_t integer)
{
    return integer >= -((int64_t)1 << 53) && integer <= (int64_t)1 << 53;
}

/* A number as a tile of one element.  */
Value *form_boxed(Nest *in, Op *where, Value *scalar, Dtype dtype)
{
    int64_t integer;
    double real;
    if (dtype == D_MASK) {
        Value *number = ir_convert_before(in->kernel, where, scalar, D_I32);
        Value *tile =
            form_make(in, where, OP_ADD, where->loc, D_I32, form_full(in, where, D_I32, 1, 1, 0), number, NULL);
        return form_make(in, where, OP_NE, where->loc, D_MASK, tile, ir_const_before(in->kernel, where, D_I32, 0),
                         NULL);
    }
    if (ir_constant_float(scalar, &real))
        return form_full(in, where, dtype, 1, 1, real);
    if (!dtype_is_float(dtype) && ir_constant(scalar, &integer) && is_exact(ir_wrap(dtype, integer)))
        return form_full(in, where, dtype, 1, 1, (double)ir_wrap(dtype, integer));
    if (form_is_small(dtype)) {
        Value *number = ir_convert_before(in->kernel, where, scalar, D_I32);
        return form_make(in, where, OP_CAST, where->loc, dtype, form_boxed(in, where, number, D_I32), NULL, NULL);
    }
    double zero = dtype_is_float(dtype) ? -0.0 : 0; /* -0 + x is x, whatever its sign */
    return form_make(in, where, OP_ADD, where->loc, dtype, form_full(in, where, dtype, 1, 1, zero), scalar, NULL);
}

Value *form_as_tile(Nest *in, Op *where, Value *value, Dtype dtype)
{
    return value->type.kind == K_TILE ? value : form_boxed(in, where, value, dtype);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

Value *form_coordinate(Nest *in, Op *where, const Access *access, int dim)
{
    Value *at = form_poly(in, where, &access->coordinate[dim]);
    return at->type.dtype == D_U64 ? ir_convert_before(in->kernel, where, at, D_I64) : at; /* a size_t counts loops */
}

/* Operands of a load or store with these two dimensions last.  */
int form_operands(Nest *in, Op *where, const Access *access, int row, int col, Value **args)
{
    Group *group = access->group;
    int count = 0;
    args[count++] = memory_tensor(in, group, row, col);
    for (int i = 0; i < group->rank; i++)
        if (i != row && i != col)
            args[count++] = form_coordinate(in, where, access, i);
    if (row >= 0)
        args[count++] = form_coordinate(in, where, access, row);
    args[count++] = form_coordinate(in, where, access, col);
    return count;
}

int form_dimension(const Access *access, int axis)
{
    for (int i = 0; i < access->group->rank && axis >= 0; i++)
        if (access->axis[i] == axis)
            return i;
    return -1;
}

static int some_other(const Group *group, int dim)
{
    for (int i = group->rank - 1; i >= 0; i--)
        if (i != dim)
            return i;
    return -1;
}

/* Neither side of a tile runs along the tensor's innermost dimension.  Does another loop?  */
static void reject_strided(Nest *in, const Access *access)
{
    const Group *group = access->group;
    const char *array = group->base->name ? group->base->name : "the array";
    FOR_LOOPS (i, in) {
        const Value *counter = in->loops[i].iv;
        if (in->loops[i].tile <= 1 && counter->name && poly_has(&access->coordinate[group->rank - 1], counter)) {
            reject(in->kernel, access->op->loc, REASON_PLAIN_ALONG, array, counter->name);
            return;
        }
    }
    reject(in->kernel, access->op->loc, REASON_PLAIN_STRIDED, array);
}

bool form_window(Nest *in, const Access *access, int row, int col, Window *window)
{
    const Group *group = access->group;
    int last = group->rank - 1, r = form_dimension(access, row), c = form_dimension(access, col);
    *window = (Window){OP_LOAD, OP_STORE, r, c, false};
    if (r >= 0 && c >= 0) {
        if (c != last && r != last) {
            reject_strided(in, access);
            return false;
        }
        window->turned = r == last;
        window->row = window->turned ? c : r;
        window->col = last;
        return true;
    }
    int dim = r >= 0 ? r : c;
    if (dim < 0 || dim == last) { /* along the innermost dimension, or one element */
        bool column = r >= 0;
        window->col = last;
        window->row = some_other(group, last);
        if (group->rank <= 2) {
            window->load = column ? OP_LOAD_COL : OP_LOAD_ROW;
            window->store = column ? OP_STORE_COL : OP_STORE_ROW;
        } else {
            window->turned = column;
        }
        return true;
    }
    window->row = dim;
    window->col = last;
    window->turned = c >= 0;
    return true;
}

/* The tensor ends where the loops do: nothing behind is written, or read that other iterations write.  */
static Value *cut(Nest *in, Op *where, const Access *access, Value *tensor, const Window *window)
{
    const Group *group = access->group;
    for (int dim = 0, at = 0; dim < group->rank; dim++) {
        int place = dim == window->col ? group->rank - 1 : dim == window->row ? group->rank - 2 : at++;
        if (access->axis[dim] < 0 ||
            (group->nextents[dim] == 1 && poly_same(&access->top[dim], &group->extent[dim][0])))
            continue;
        Value *args[] = {tensor, ir_const_before(in->kernel, where, D_I32, 0), form_poly(in, where, &access->top[dim])};
        tensor = form_op(in, where, OP_SLICE, access->op->loc, tensor->type, 3, args);
        tensor->def->tensor->dimension = place;
    }
    return tensor;
}

/* What tiles are added up to the subscript; numbers are one of them.  Modulo 2^32, as each of the sums; the whole is
   below 2^31.  */
Value *form_index(Nest *in, Op *where, const Poly *x, int row, int col)
{
    Kernel *kernel = in->kernel;
    Poly numbers = poly_constant(0);
    Value *sum = NULL;
    for (int i = 0; i < x->count; i++) {
        const Term *term = &x->terms[i];
        Poly rest = poly_constant(0);
        Value *product = NULL;
        rest.count = 1;
        rest.terms[0] = (Term){.factor = term->factor};
        for (int k = 0; k < term->count; k++) {
            Value *value = term->values[k];
            if (!is_tiled(in, value)) {
                rest.terms[0].values[rest.terms[0].count++] = value;
                continue;
            }
            Value *tile = form_as_tile(in, where, form(in, value, row, col), form_dtype(in, value));
            if (tile->type.dtype != D_I32)
                tile = form_make(in, where, OP_CAST, where->loc, D_I32, tile, NULL, NULL);
            product = product ? form_make(in, where, OP_MUL, where->loc, D_I32, product, tile, NULL) : tile;
        }
        if (!product) {
            numbers = poly_add(&numbers, &rest, 1);
            continue;
        }
        int64_t factor;
        if (!poly_is_constant(&rest, &factor) || factor != 1)
            product = form_make(in, where, OP_MUL, where->loc, D_I32, product,
                                ir_convert_before(kernel, where, form_poly(in, where, &rest), D_I32), NULL);
        sum = sum ? form_make(in, where, OP_ADD, where->loc, D_I32, sum, product, NULL) : product;
    }
    if (!sum || numbers.count) {
        Value *number = ir_convert_before(kernel, where, form_poly(in, where, &numbers), D_I32);
        sum = sum ? form_make(in, where, OP_ADD, where->loc, D_I32, sum, number, NULL)
                  : form_boxed(in, where, number, D_I32);
    }
    return sum;
}

static Value *load_gathered(Nest *in, Op *where, const Access *access, int row, int col)
{
    Value *index = form_index(in, where, &access->coordinate[0], row, col);
    Value *args[] = {memory_vector(in, access->group), index};
    Type type = type_tile(access->group->dtype, index->type.rows, index->type.cols);
    return form_op(in, where, OP_LOAD_AT, access->op->loc, type, 2, args);
}

Value *form_load(Nest *in, Op *where, const Access *access, int row, int col)
{
    Window window;
    Value *args[2 + MAX_RANK];
    if (access->gathered)
        return load_gathered(in, where, access, row, col);
    if (!form_window(in, access, row, col, &window))
        return form_full(in, where, access->group->dtype, form_extent(in, row), form_extent(in, col), 0);
    int count = form_operands(in, where, access, window.row, window.col, args);
    if (access->group->stored)
        args[0] = cut(in, where, access, args[0], &window);
    int rows = form_extent(in, window.turned ? col : row), cols = form_extent(in, window.turned ? row : col);
    Type type = type_tile(access->group->dtype, rows, cols);
    Value *tile = form_op(in, where, window.load, access->op->loc, type, count, args);
    if (access->op->code == OP_ELEMENT)
        tile->name = access->op->results[0]->name;
    if (window.turned && (rows > 1 || cols > 1))
        tile = form_op(in, where, OP_TRANS, access->op->loc, type_transposed(type), 1, &tile);
    return tile;
}

/* A number of memory that stays a number.  */
Value *form_scalar_load(Nest *in, Op *where, const Op *op)
{
    const Access *access = memory_access(in, op);
    Dtype dtype = op->results[0]->type.dtype;
    Value *args[] = {memory_vector(in, access->group), form_coordinate(in, where, access, 0)};
    Opcode code = dtype_is_float(dtype) ? OP_AT_FLOAT : OP_AT;
    Value *number = form_op(in, where, code, op->loc, type_scalar(code == OP_AT ? D_I64 : D_F64), 2, args);
    return ir_convert_before(in->kernel, where, number, dtype);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static Value *index_tile(Nest *in, Op *where, Value *iv, int row, int col)
{
    int axis = loop_of(in, iv);
    bool rows = row == axis;
    Type type = type_tile(D_I32, rows ? form_extent(in, axis) : 1, rows ? 1 : form_extent(in, axis));
    Value *index = form_op(in, where, rows ? OP_ROW_INDEX : OP_COL_INDEX, where->loc, type, 0, NULL);
    (void)col;
    Dtype dtype = form_dtype(in, iv);
    if (dtype != D_I32)
        index = form_make(in, where, OP_CAST, where->loc, dtype, index, NULL, NULL);
    return form_make(in, where, OP_ADD, where->loc, dtype, index, form_plain(in, iv), NULL);
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

static Value *find_form(const Nest *in, const Value *value, int row, int col)
{
    for (const Form *form = in->forms[value->id]; form; form = form->next)
        if (form->row == row && form->col == col)
            return form->value;
    return NULL;
}

void form_set(Nest *in, const Value *value, int row, int col, Value *tile)
{
    Form *form = arena_alloc(in->kernel->module, sizeof *form);
    *form = (Form){row, col, tile, in->forms[value->id]};
    in->forms[value->id] = form;
}

/* An operation that marks where forms of a value go, or just a place; emit_nest removes all of them.  */
Op *form_place(Nest *in, Block *block, const Value *value, Loc loc)
{
    Op *place = op_new(in->kernel, OP_CONST, loc, 0, NULL);
    op_result(in->kernel, place, type_scalar(D_I32), NULL);
    op_append(block, place);
    if (value)
        in->places[value->id] = place;
    in->allplaces[in->nplaces++] = place;
    return place;
}

/* require: the value's axes are among the two.   ensure: a tile of which rows and columns it changes with, or a
   number. */
Value *form(Nest *in, Value *value, int row, int col)
{
    if (!is_tiled(in, value))
        return form_plain(in, value);
    uint32_t axes = axes_of(in, value);
    row = row >= 0 && axes >> row & 1 ? row : -1;
    col = col >= 0 && axes >> col & 1 ? col : -1;
    Value *known = find_form(in, value, row, col);
    if (known)
        return known;
    Op *where = in->places[value->id];
    int wanted = (row >= 0) + (col >= 0);
    if (!where || wanted != __builtin_popcount(axes)) {
        if (!in->kernel->failed)
            reject(in->kernel, value->loc, REASON_PLAIN_THREE_AXES);
        where = where ? where : in->region;
        return form_full(in, where, form_dtype(in, value), form_extent(in, row), form_extent(in, col), 0);
    }
    Value *turned = in->forms[value->id] ? find_form(in, value, col, row) : NULL;
    Value *tile;
    const Op *op = value->def;
    if (turned && (!op || op->nblocks))
        tile = form_op(in, where, OP_TRANS, value->loc, type_transposed(turned->type), 1, &turned);
    else if (!op)
        tile = index_tile(in, where, value, row, col);
    else if (op->code == OP_ELEMENT)
        tile = form_element(in, where, form_load(in, where, memory_access(in, op), row, col), value->type.dtype);
    else
        tile = form_operation(in, where, op, row, col);
    if (!tile->name)
        tile->name = value->name;
    form_set(in, value, row, col, tile);
    return tile;
}

/* All rows and columns of two axes, each with an element of its own.  */
Value *form_whole_as(Nest *in, Op *where, Value *value, Dtype dtype, int row, int col)
{
    Value *tile = form_integer(in, where, value, form(in, value, row, col), dtype);
    int rows = form_extent(in, row), cols = form_extent(in, col);
    double real;
    int64_t integer;
    if (tile->type.kind == K_SCALAR && dtype != D_MASK && ir_constant_float(tile, &real))
        return form_full(in, where, dtype, rows, cols, real);
    if (tile->type.kind == K_SCALAR && dtype != D_MASK && ir_constant(tile, &integer) &&
        is_exact(ir_wrap(dtype, integer)))
        return form_full(in, where, dtype, rows, cols, (double)ir_wrap(dtype, integer));
    if (tile->type.kind == K_TILE && tile->type.rows == rows && tile->type.cols == cols)
        return tile;
    if (dtype == D_MASK) {
        Value *all = form_make(in, where, OP_EQ, where->loc, D_MASK, form_full(in, where, D_I32, rows, cols, 0),
                               ir_const_before(in->kernel, where, D_I32, 0), NULL);
        return form_make(in, where, OP_AND, where->loc, D_MASK, all, form_as_tile(in, where, tile, D_MASK), NULL);
    }
    double zero = dtype_is_float(dtype) ? -0.0 : 0;
    bool small = form_is_small(dtype);
    Value *full = form_full(in, where, small ? D_I32 : dtype, rows, cols, zero);
    tile = form_make(in, where, OP_ADD, value->loc, full->type.dtype, full,
                     small ? form_widened(in, where, tile) : tile, NULL);
    return small ? form_make(in, where, OP_CAST, value->loc, dtype, tile, NULL, NULL) : tile;
}

Value *form_mask(Nest *in, Op *where, Value *condition, bool inverted, int row, int col)
{
    Value *mask = form_as_tile(in, where, form(in, condition, row, col), D_MASK);
    return inverted ? form_make(in, where, OP_NOT, where->loc, D_MASK, mask, NULL, NULL) : mask;
}

/* The value is 0 where the axis has no iteration any more.  */
bool form_is_padded(Nest *in, const Value *value, int axis)
{
    const Op *op = value->def;
    double number;
    if (ir_constant_float(value, &number) && number == 0)
        return true;
    if (!(axes_of(in, value) >> axis & 1) || !op)
        return false;
    switch (op->code) {
    case OP_ELEMENT:
        return memory_is_padded(in, memory_access(in, op), axis);
    case OP_SCALAR_NEG:
    case OP_SCALAR_CONVERT:
        return form_is_padded(in, op->args[0], axis);
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
    case OP_SCALAR_MUL:
        return form_is_padded(in, op->args[0], axis) && form_is_padded(in, op->args[1], axis);
    default:
        return false;
    }
}

/* ---- prints ------------------------------------------------------------------------------------------------------ */

static Value *both(Nest *in, Op *where, Value *x, Value *y)
{
    return x ? form_make(in, where, OP_AND, where->loc, D_MASK, x, y, NULL) : y;
}

/* Where the loops have an iteration, and it prints.  */
static Value *printing(Nest *in, Op *where, Value *condition, int row, int col)
{
    const int axes[] = {row, col};
    Value *mask = NULL;
    int64_t always;
    for (int i = 0; i < 2; i++)
        if (axes[i] >= 0)
            mask = both(in, where, mask, form_in_range(in, where, axes[i], row, col));
    if (!ir_constant(condition, &always))
        mask = both(in, where, mask, form_mask(in, where, condition, false, row, col));
    Value *all = form_make(in, where, OP_EQ, where->loc, D_MASK,
                           form_full(in, where, D_I32, form_extent(in, row), form_extent(in, col), 0),
                           ir_const_before(in->kernel, where, D_I32, 0), NULL);
    return mask ? both(in, where, all, mask) : all;
}

/* A line for each iteration that the tiles stand for.  */
void form_print(Nest *in, Op *where, const Op *op)
{
    uint32_t axes = 0, around = loops_around(in, op);
    int row, col;
    FOR_LOOPS (i, in)
        axes |= is_axis(in, i) && around >> i & 1 ? 1u << i : 0;
    form_home(in, axes, &row, &col);
    Op *print = op_new(in->kernel, OP_PRINT_EACH, op->loc, 0, NULL);
    print->store->label = op->store->label;
    for (int i = 0; i < op->nargs - 1 && !in->kernel->failed; i++) {
        const Dtype dtype = form_dtype(in, op->args[i]);
        op_add_arg(in->kernel, print,
                   form_whole_as(in, where, op->args[i], dtype_is_float(dtype) ? dtype : D_I64, row, col));
    }
    op_add_arg(in->kernel, print, printing(in, where, op->args[op->nargs - 1], row, col));
    op_before(where, print);
}
