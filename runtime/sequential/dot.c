/* SPDX-License-Identifier: MIT */
/*
 * dot.c - matrix products.
 *
 * Operands become dense f32, or stay doubles.  Then one function that all CPU targets share multiplies them.
 */
#include "tile.h"

#include <string.h>

/* The tile as dense f32 in this thread's working memory; NULL without memory.  */
static const float *as_f32(int index, ws_tile x, int to_tf32)
{
    size_t count = (size_t)x->rows * (size_t)x->cols;
    if (x->dtype == WS_RULE_F32 && !to_tf32)
        return (const float *)(const void *)x->data;
    float *all = ws_scratch(index, count * sizeof *all);
    if (!all)
        return NULL;
    for (int r = 0; r < x->rows; r++)
        ws_row_read(x->dtype, WS_COMPUTE_F32, x->cols, ws_element(x, r, 0), all + (size_t)r * (size_t)x->cols);
    if (x->dtype == WS_RULE_F32)
        for (size_t i = 0; i < count; i++)
            all[i] = ws_f32_to_tf32(all[i]);
    return all;
}

/* i8 x i8 -> i32, wrapping.  */
static void product_i8(ws_tile a, ws_tile b, struct ws_tile_ *acc)
{
    const int8_t *x = (const int8_t *)a->data, *y = (const int8_t *)b->data;
    uint32_t *sums = (uint32_t *)(void *)acc->data;
    for (int r = 0; r < a->rows; r++)
        for (int k = 0; k < a->cols; k++) {
            int factor = x[(size_t)r * (size_t)a->cols + (size_t)k];
            for (int c = 0; c < b->cols; c++)
                sums[(size_t)r * (size_t)b->cols + (size_t)c] +=
                    (uint32_t)(factor * y[(size_t)k * (size_t)b->cols + (size_t)c]);
        }
}

static ws_tile dot(int opcode, ws_tile a, ws_tile b, ws_tile acc)
{
    struct ws_rule_type type;
    if (!ws_allowed3(opcode, a, b, acc, &type))
        return ws_tile_zeros(&type);
    struct ws_tile_ *result = ws_tile_new(type.dtype, type.rows, type.cols);
    if (result->rows != acc->rows || result->cols != acc->cols)
        return result; /* no memory */
    memcpy(result->data, acc->data, (size_t)acc->rows * (size_t)acc->cols * (size_t)ws_dtype_bytes(acc->dtype));
    if (a->dtype == WS_RULE_F64) {
        ws_f64_product(a->rows, b->cols, a->cols, (const double *)(const void *)a->data,
                       (const double *)(const void *)b->data, (double *)(void *)result->data);
        return result;
    }
    if (a->dtype == WS_RULE_I8) {
        product_i8(a, b, result);
        return result;
    }
    const float *x = as_f32(0, a, opcode == WS_OP_DOT), *y = as_f32(1, b, opcode == WS_OP_DOT);
    if (x && y)
        ws_f32_product(a->rows, b->cols, a->cols, x, y, (float *)(void *)result->data);
    return result;
}

ws_tile ws_dot(ws_tile a, ws_tile b, ws_tile acc)
{
    return dot(WS_OP_DOT, a, b, acc);
}

ws_tile ws_dot_f32(ws_tile a, ws_tile b, ws_tile acc)
{
    return dot(WS_OP_DOT_F32, a, b, acc);
}
