/* SPDX-License-Identifier: MIT */
/*
 * memory.c - loads and stores of tiles.
 *
 * Every load and store uses one window: the rows and columns of the tile that lie inside the tensor.  A window has the
 * address of its first element and the distance between rows.  A row of a vector is a window of one row.  A column is a
 * window of rows that are one element apart.
 */
#include "tile.h"

#include <string.h>

#define FAR (1L << 60)

struct window {
    int first_row, last_row, first_col, last_col; /* of the tile; last is one past */
    unsigned char *base;                          /* element (first_row, first_col) */
    long row_bytes;
};

/* The part [*first, *last) of n elements from coordinate `at` on that lies inside along one dimension.  */
static void clip(ws_tensor t, int dim, long at, int n, int *first, int *last)
{
    at = at < -FAR ? -FAR : at > FAR ? FAR : at;
    at += t->origin[dim];
    long low = t->low[dim] - at, high = t->high[dim] - at;
    *first = low <= 0 ? 0 : low < n ? (int)low : n;
    *last = high >= n ? n : high > *first ? (int)high : *first;
}

static long offset(ws_tensor t, int dim, long at, int first)
{
    return (t->origin[dim] + at + first) * t->stride[dim];
}

/* The window of rows x cols at the coordinates.  row_dim or col_dim is -1 if a vector has no such dimension.  */
static struct window window(ws_tensor t, const long *at, int row_dim, int col_dim, int rows, int cols)
{
    struct window w = {0, rows, 0, cols, NULL, 0};
    long elements = 0;
    int bytes = ws_dtype_bytes(t->dtype);
    if (row_dim >= 0)
        clip(t, row_dim, at[row_dim], rows, &w.first_row, &w.last_row);
    if (col_dim >= 0)
        clip(t, col_dim, at[col_dim], cols, &w.first_col, &w.last_col);
    for (int dim = 0; dim < t->rank; dim++) {
        int first = 0, last = 1;
        if (dim != row_dim && dim != col_dim)
            clip(t, dim, at[dim], 1, &first, &last);
        if (first == last)
            w.last_row = w.first_row;
    }
    if (w.first_row == w.last_row || w.first_col == w.last_col)
        return (struct window){0, 0, 0, 0, NULL, 0};
    for (int dim = 0; dim < t->rank; dim++)
        elements += offset(t, dim, at[dim], dim == row_dim ? w.first_row : dim == col_dim ? w.first_col : 0);
    w.base = t->base + elements * bytes;
    w.row_bytes = row_dim >= 0 ? t->stride[row_dim] * bytes : 0;
    return w;
}

static int row_dimension(int opcode, int rank)
{
    int rule = ws_rule_of(opcode);
    return rule == R_LOAD_ROW || rule == R_STORE_ROW   ? -1
           : rule == R_LOAD_COL || rule == R_STORE_COL ? rank - 1
                                                       : rank - 2;
}

static int col_dimension(int opcode, int rank)
{
    int rule = ws_rule_of(opcode);
    return rule == R_LOAD_COL || rule == R_STORE_COL ? -1 : rank - 1;
}

/* Rows [first, last) of a tile in one window.  */
struct part {
    int first, last;
    struct window window;
};

/* The part of the tile's rows from `first` on that lies in one window, for a box in one run of its last extent.  Rows
   of the window count from `first`.  */
static struct part part_of(int opcode, ws_tensor t, const long *at, int rows, int cols, int first)
{
    if (!t->box[0])
        return (struct part){0, rows,
                             window(t, at, row_dimension(opcode, t->rank), col_dimension(opcode, t->rank), rows, cols)};
    int dims = t->box[2] ? 3 : 2;
    struct ws_tensor_ whole = *t;
    long place[4], row = at[0] + first, all = 1;
    whole.rank = dims + 1;
    for (int i = 0; i < dims; i++)
        all *= t->box[i];
    if (at[0] < -FAR || at[0] > FAR || row < 0 || row >= all) /* a row beyond the box */
        return (struct part){first, first + 1, {0, 0, 0, 0, NULL, 0}};
    int last = first + t->box[dims - 1] - (int)(row % t->box[dims - 1]);
    for (int i = dims - 1; i >= 0; row /= t->box[i], i--)
        place[i] = t->corner[i] + row % t->box[i];
    place[dims] = at[1];
    last = last < rows ? last : rows;
    return (struct part){first, last, window(&whole, place, dims - 1, dims, last - first, cols)};
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Sets every element of the tile to the number.  */
static void fill_tile(struct ws_tile_ *x, double number)
{
    struct ws_tile_ splat = {.kind = WS_RULE_SPLAT, .dtype = WS_RULE_F64, .number = number};
    ws_compute compute = ws_compute_of(x->dtype);
    unsigned char value[8];
    size_t bytes = (size_t)ws_dtype_bytes(x->dtype), all = bytes * (size_t)x->rows * (size_t)x->cols;
    ws_number_write(compute, &splat, value);
    ws_row_write(x->dtype, compute, 1, value, x->data);
    for (size_t done = bytes; done < all; done *= 2)
        memcpy(x->data + done, x->data, done < all - done ? done : all - done);
}

/* Checks the operands: the tensor, a number for each coordinate, the tile of a store.  */
static int allowed(int opcode, ws_tensor t, int coordinates, ws_tile v, const struct ws_rule_attributes *attributes,
                   struct ws_rule_type *result)
{
    struct ws_rule_type operands[6] = {ws_type_of_tensor(t)};
    int count = 1;
    for (int i = 0; i < coordinates; i++)
        operands[count++] = (struct ws_rule_type){WS_RULE_SCALAR, WS_RULE_I32, 0, 0, 0};
    if (ws_rule_of(opcode) == R_STORE || ws_rule_of(opcode) == R_STORE_ROW || ws_rule_of(opcode) == R_STORE_COL)
        operands[count++] = ws_type_of(v);
    return ws_allowed(opcode, operands, count, attributes, result);
}

static ws_tile load(int opcode, ws_tensor t, int rank, const long *at, int rows, int cols, double fill)
{
    struct ws_rule_attributes attributes = {.rows = rows, .cols = cols};
    struct ws_rule_type result;
    if (!allowed(opcode, t, rank, NULL, &attributes, &result))
        return ws_tile_zeros(&result);
    struct ws_tile_ *x = ws_tile_new(result.dtype, rows, cols);
    struct part part = {0, 0, {0, 0, 0, 0, NULL, 0}};
    for (int first = 0; first < x->rows; first = part.last) {
        part = part_of(opcode, t, at, x->rows, x->cols, first);
        const struct window *w = &part.window;
        size_t bytes = (size_t)(w->last_col - w->first_col) * (size_t)ws_dtype_bytes(x->dtype);
        if (first == 0 && (w->last_row - w->first_row < x->rows || w->last_col - w->first_col < x->cols))
            fill_tile(x, fill);
        for (int r = w->first_row; r < w->last_row; r++)
            memcpy(ws_element(x, first + r, w->first_col), w->base + (r - w->first_row) * w->row_bytes, bytes);
    }
    return x;
}

ws_tile ws_load(ws_tensor t, long row, long col, int rows, int cols)
{
    return load(WS_OP_LOAD, t, 2, (const long[]){row, col}, rows, cols, 0);
}

ws_tile ws_load_3d(ws_tensor t, long d0, long row, long col, int rows, int cols)
{
    return load(WS_OP_LOAD, t, 3, (const long[]){d0, row, col}, rows, cols, 0);
}

ws_tile ws_load_4d(ws_tensor t, long d0, long d1, long row, long col, int rows, int cols)
{
    return load(WS_OP_LOAD, t, 4, (const long[]){d0, d1, row, col}, rows, cols, 0);
}

ws_tile ws_load_or(ws_tensor t, long row, long col, int rows, int cols, double fill)
{
    return load(WS_OP_LOAD, t, 2, (const long[]){row, col}, rows, cols, fill);
}

ws_tile ws_load_or_3d(ws_tensor t, long d0, long row, long col, int rows, int cols, double fill)
{
    return load(WS_OP_LOAD, t, 3, (const long[]){d0, row, col}, rows, cols, fill);
}

ws_tile ws_load_or_4d(ws_tensor t, long d0, long d1, long row, long col, int rows, int cols, double fill)
{
    return load(WS_OP_LOAD, t, 4, (const long[]){d0, d1, row, col}, rows, cols, fill);
}

ws_tile ws_load_row(ws_tensor t1, long col, int cols)
{
    return load(WS_OP_LOAD_ROW, t1, 1, (const long[]){col}, 1, cols, 0);
}

ws_tile ws_load_col(ws_tensor t1, long row, int rows)
{
    return load(WS_OP_LOAD_COL, t1, 1, (const long[]){row}, rows, 1, 0);
}

ws_tile ws_load_row_2d(ws_tensor t2, long d0, long col, int cols)
{
    return load(WS_OP_LOAD_ROW, t2, 2, (const long[]){d0, col}, 1, cols, 0);
}

ws_tile ws_load_col_2d(ws_tensor t2, long d0, long row, int rows)
{
    return load(WS_OP_LOAD_COL, t2, 2, (const long[]){d0, row}, rows, 1, 0);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* Atomic: threads of the user may add to one element at the same time.  */
static void add_row(int dtype, int n, const void *from, void *to)
{
    for (int i = 0; i < n; i++)
        if (dtype == WS_RULE_F32)
            ws_atomic_add_f32_((float *)to + i, ((const float *)from)[i]);
        else if (dtype == WS_RULE_F64)
            ws_atomic_add_f64_((double *)to + i, ((const double *)from)[i]);
        else if (dtype == WS_RULE_I64)
            __atomic_fetch_add((uint64_t *)to + i, ((const uint64_t *)from)[i], __ATOMIC_RELAXED);
        else
            __atomic_fetch_add((uint32_t *)to + i, ((const uint32_t *)from)[i], __ATOMIC_RELAXED);
}

static void store_part(int opcode, const struct part *part, ws_tile v)
{
    const struct window *w = &part->window;
    for (int r = w->first_row; r < w->last_row; r++) {
        unsigned char *to = w->base + (r - w->first_row) * w->row_bytes;
        const void *from = ws_element(v, part->first + r, w->first_col);
        int n = w->last_col - w->first_col;
        if (opcode == WS_OP_ATOMIC_ADD)
            add_row(v->dtype, n, from, to);
        else
            memcpy(to, from, (size_t)n * (size_t)ws_dtype_bytes(v->dtype));
    }
}

static void store(int opcode, ws_tensor t, int rank, const long *at, ws_tile v)
{
    struct ws_rule_type result;
    if (!allowed(opcode, t, rank, v, NULL, &result))
        return;
    struct part part = {0, 0, {0, 0, 0, 0, NULL, 0}};
    for (int first = 0; first < v->rows; first = part.last) {
        part = part_of(opcode, t, at, v->rows, v->cols, first);
        store_part(opcode, &part, v);
    }
}

/* The address of a vector's element; NULL for an index out of bounds.  */
static unsigned char *element_to(ws_tensor t, long low, long high, long index)
{
    const long at = t->origin[0] + index, bytes = ws_dtype_bytes(t->dtype);
    return index >= low && index < high ? (unsigned char *)(uintptr_t)t->base + at * bytes : NULL;
}

static void store_at(int opcode, ws_tensor t, ws_tile index, ws_tile v)
{
    struct ws_rule_type operands[] = {ws_type_of_tensor(t), ws_type_of(index), ws_type_of(v)}, result;
    if (!ws_allowed(opcode, operands, 3, NULL, &result))
        return;
    const long low = t->low[0] - t->origin[0], high = t->high[0] - t->origin[0];
    const int adds = opcode == WS_OP_ATOMIC_ADD_AT, bytes = ws_dtype_bytes(t->dtype);
    long twice = 0;
    int found = 0;
    for (int r = 0; r < v->rows; r++)
        for (int c = 0; c < v->cols; c++) {
            unsigned char *to = element_to(t, low, high, ws_index_of(index->dtype, ws_element(index, r, c)));
            if (to && adds)
                add_row(v->dtype, 1, ws_element(v, r, c), to);
            else if (to)
                memcpy(to, ws_element(v, r, c), (size_t)bytes);
        }
    if (!adds)
        found = ws_index_twice(ws_element(index, 0, 0), ws_dtype_bytes(index->dtype), index->rows * index->cols, low,
                               high, &twice);
    if (found)
        ws_error_set(found < 0 ? WS_ERR_MEMORY : WS_ERR_ARGUMENT,
                     found < 0 ? "ws_store_at: no memory to compare %ld indices"
                               : "ws_store_at: the index %ld stands twice in a tile",
                     found < 0 ? (long)index->rows * index->cols : twice);
}

void ws_store_at(ws_tensor t1, ws_tile index, ws_tile v)
{
    store_at(WS_OP_STORE_AT, t1, index, v);
}

void ws_atomic_add_at(ws_tensor t1, ws_tile index, ws_tile v)
{
    store_at(WS_OP_ATOMIC_ADD_AT, t1, index, v);
}

void ws_store(ws_tensor t, long row, long col, ws_tile v)
{
    store(WS_OP_STORE, t, 2, (const long[]){row, col}, v);
}

void ws_store_3d(ws_tensor t, long d0, long row, long col, ws_tile v)
{
    store(WS_OP_STORE, t, 3, (const long[]){d0, row, col}, v);
}

void ws_store_4d(ws_tensor t, long d0, long d1, long row, long col, ws_tile v)
{
    store(WS_OP_STORE, t, 4, (const long[]){d0, d1, row, col}, v);
}

ws_tile(ws_load_box_3d)(ws_tensor t, long d0, long row, long col, int n0, int rows, int cols)
{
    return ws_load_box_3d(t, d0, row, col, n0, rows, cols);
}

ws_tile(ws_load_box_4d)(ws_tensor t, long d0, long d1, long row, long col, int n0, int n1, int rows, int cols)
{
    return ws_load_box_4d(t, d0, d1, row, col, n0, n1, rows, cols);
}

void(ws_store_box_3d)(ws_tensor t, long d0, long row, long col, int n0, int rows, ws_tile v)
{
    ws_store_box_3d(t, d0, row, col, n0, rows, v);
}

void(ws_store_box_4d)(ws_tensor t, long d0, long d1, long row, long col, int n0, int n1, int rows, ws_tile v)
{
    ws_store_box_4d(t, d0, d1, row, col, n0, n1, rows, v);
}

void ws_store_row(ws_tensor t1, long col, ws_tile v)
{
    store(WS_OP_STORE_ROW, t1, 1, (const long[]){col}, v);
}

void ws_store_col(ws_tensor t1, long row, ws_tile v)
{
    store(WS_OP_STORE_COL, t1, 1, (const long[]){row}, v);
}

void ws_store_row_2d(ws_tensor t2, long d0, long col, ws_tile v)
{
    store(WS_OP_STORE_ROW, t2, 2, (const long[]){d0, col}, v);
}

void ws_store_col_2d(ws_tensor t2, long d0, long row, ws_tile v)
{
    store(WS_OP_STORE_COL, t2, 2, (const long[]){d0, row}, v);
}

void ws_atomic_add(ws_tensor t, long row, long col, ws_tile v)
{
    store(WS_OP_ATOMIC_ADD, t, 2, (const long[]){row, col}, v);
}

void ws_atomic_add_3d(ws_tensor t, long d0, long row, long col, ws_tile v)
{
    store(WS_OP_ATOMIC_ADD, t, 3, (const long[]){d0, row, col}, v);
}

void ws_atomic_add_4d(ws_tensor t, long d0, long d1, long row, long col, ws_tile v)
{
    store(WS_OP_ATOMIC_ADD, t, 4, (const long[]){d0, d1, row, col}, v);
}
