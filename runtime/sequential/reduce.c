/* SPDX-License-Identifier: MIT */
/*
 * reduce.c - reductions along rows and columns, in ascending order, in the compute type; the result is rounded once.
 *
 * The whole tile is converted to the compute type.  A line is then `count` elements, `stride` apart.  Elements of a row
 * are adjacent, and elements of a column are a row apart.
 */
#include "tile.h"
#include "wide.h"

#include <string.h>

struct lines {
    const void *elements;
    int number, count;
    long step, stride; /* from line to line, and within a line */
};

/* Reduces each line to one element.  */
typedef void reduction(const struct lines *lines, void *result);

#define REDUCTION(name, compute, type, result_type)                                            \
    static void compute##_##name(const struct lines *lines, void *result)                      \
    {                                                                                          \
        for (int i = 0; i < lines->number; i++)                                                \
            ((result_type *)result)[i] = ws_##compute##_reduce_##name(                         \
                lines->count, (const type *)lines->elements + i * lines->step, lines->stride); \
    }

/* Several lines are summed side by side, so that their additions overlap; adjacent lines form a vector.  */
enum { SIDE_BY_SIDE = 4 };
#define FOLD(name, with, compute, type)                                                              \
    WS_WIDE static void compute##_##name(const struct lines *lines, void *restrict result)           \
    {                                                                                                \
        const type *x = lines->elements;                                                             \
        const long stride = lines->stride, step = lines->step;                                       \
        type *to = result;                                                                           \
        int line = 0;                                                                                \
        for (; step == 1 && line + WS_LANES <= lines->number; line += WS_LANES) {                    \
            type folded[WS_LANES];                                                                   \
            for (int i = 0; i < WS_LANES; i++)                                                       \
                folded[i] = x[line + i];                                                             \
            for (int k = 1; k < lines->count; k++)                                                   \
                for (int i = 0; i < WS_LANES; i++)                                                   \
                    folded[i] = ws_##compute##_##with(folded[i], x[k * stride + line + i]);          \
            memcpy(to + line, folded, sizeof folded);                                                \
        }                                                                                            \
        for (; step != 1 && line + SIDE_BY_SIDE <= lines->number; line += SIDE_BY_SIDE) {            \
            type folded[SIDE_BY_SIDE];                                                               \
            for (int i = 0; i < SIDE_BY_SIDE; i++)                                                   \
                folded[i] = x[(line + i) * step];                                                    \
            for (int k = 1; k < lines->count; k++)                                                   \
                for (int i = 0; i < SIDE_BY_SIDE; i++)                                               \
                    folded[i] = ws_##compute##_##with(folded[i], x[k * stride + (line + i) * step]); \
            memcpy(to + line, folded, sizeof folded);                                                \
        }                                                                                            \
        for (; line < lines->number; line++)                                                         \
            to[line] = ws_##compute##_reduce_##name(lines->count, x + line * step, stride);          \
    }

#define REDUCTIONS(compute, type) \
    FOLD(sum, add, compute, type) \
    FOLD(max, max, compute, type) \
    FOLD(min, min, compute, type) \
    REDUCTION(argmax, compute, type, int32_t)

REDUCTIONS(f32, float)
REDUCTIONS(f64, double)
REDUCTIONS(i32, int32_t)
REDUCTIONS(i64, int64_t)

#define ROW(NAME, name) [WS_OP_##NAME] = {f32_##name, f64_##name, i32_##name, i64_##name}
static reduction *const reductions[WS_OP_COUNT][4] = {
    ROW(ROW_SUM, sum), ROW(ROW_MAX, max), ROW(ROW_MIN, min), ROW(ROW_ARGMAX, argmax),
    ROW(COL_SUM, sum), ROW(COL_MAX, max), ROW(COL_MIN, min),
};

/* NULL without memory.  */
static const void *in_compute_type(ws_tile x, ws_compute compute)
{
    if (ws_is_computed(x->dtype))
        return x->data;
    size_t row_bytes = (size_t)x->cols * (size_t)ws_compute_bytes(compute);
    unsigned char *all = ws_scratch(0, (size_t)x->rows * row_bytes);
    for (int r = 0; all && r < x->rows; r++)
        ws_row_read(x->dtype, compute, x->cols, ws_element(x, r, 0), all + (size_t)r * row_bytes);
    return all;
}

static struct lines lines_of(ws_tile x, const void *elements, int along_columns)
{
    if (along_columns)
        return (struct lines){elements, x->cols, x->rows, 1, x->cols};
    return (struct lines){elements, x->rows, x->cols, x->cols, 1};
}

static ws_tile reduce(int opcode, ws_tile x)
{
    struct ws_rule_type type;
    if (!ws_allowed1(opcode, x, &type))
        return ws_tile_zeros(&type);
    ws_compute compute = ws_compute_of(x->dtype);
    ws_compute result_compute = opcode == WS_OP_ROW_ARGMAX ? WS_COMPUTE_I32 : compute;
    struct ws_tile_ *result = ws_tile_new(type.dtype, type.rows, type.cols);
    struct lines lines = lines_of(x, in_compute_type(x, compute), ws_rule_of(opcode) == R_COL);
    if (!lines.elements || result->rows * result->cols != lines.number)
        return ws_tile_zeros(&type);
    void *folded =
        ws_is_computed(result->dtype) ? (void *)result->data : ws_scratch(1, (size_t)lines.number * sizeof(double));
    if (!folded)
        return ws_tile_zeros(&type);
    reductions[opcode][compute](&lines, folded);
    if (folded != (void *)result->data)
        ws_row_write(result->dtype, result_compute, lines.number, folded, result->data);
    return result;
}

static ws_tile cumulate(int opcode, ws_tile x)
{
    struct ws_rule_type type;
    if (!ws_allowed1(opcode, x, &type))
        return ws_tile_zeros(&type);
    ws_compute compute = ws_compute_of(x->dtype);
    struct ws_tile_ *result = ws_tile_new(type.dtype, type.rows, type.cols);
    struct lines lines = lines_of(x, in_compute_type(x, compute), opcode == WS_OP_COL_CUMSUM);
    size_t bytes = (size_t)ws_compute_bytes(compute);
    unsigned char *sums = ws_scratch(1, (size_t)x->rows * (size_t)x->cols * bytes);
    if (!lines.elements || !sums || result->rows != x->rows || result->cols != x->cols)
        return ws_tile_zeros(&type);
    for (int i = 0; i < lines.number; i++) {
        size_t at = (size_t)(i * lines.step) * bytes;
        const void *line = (const unsigned char *)lines.elements + at;
        if (compute == WS_COMPUTE_F32)
            ws_f32_cumulate(lines.count, line, (void *)(sums + at), lines.stride);
        else if (compute == WS_COMPUTE_F64)
            ws_f64_cumulate(lines.count, line, (void *)(sums + at), lines.stride);
        else if (compute == WS_COMPUTE_I64)
            ws_i64_cumulate(lines.count, line, (void *)(sums + at), lines.stride);
        else
            ws_i32_cumulate(lines.count, line, (void *)(sums + at), lines.stride);
    }
    for (int r = 0; r < result->rows; r++)
        ws_row_write(result->dtype, compute, result->cols, sums + (size_t)r * (size_t)result->cols * bytes,
                     ws_element(result, r, 0));
    return result;
}

#define DEFINE(NAME, name, kind)      \
    ws_tile ws_##name(ws_tile x)      \
    {                                 \
        return kind(WS_OP_##NAME, x); \
    }

DEFINE(ROW_SUM, row_sum, reduce)
DEFINE(ROW_MAX, row_max, reduce)
DEFINE(ROW_MIN, row_min, reduce)
DEFINE(COL_SUM, col_sum, reduce)
DEFINE(COL_MAX, col_max, reduce)
DEFINE(COL_MIN, col_min, reduce)
DEFINE(ROW_ARGMAX, row_argmax, reduce)
DEFINE(ROW_CUMSUM, row_cumsum, cumulate)
DEFINE(COL_CUMSUM, col_cumsum, cumulate)
