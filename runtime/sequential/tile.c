/* SPDX-License-Identifier: MIT */
/*
 * tile.c - constant and index tiles, boxed scalars, transposition, casts.
 */
#include "tile.h"

#include <string.h>

#undef ws_zeros
#undef ws_full
#undef ws_cast
#undef ws_bitcast

ws_tile ws_scalar_i_(long x)
{
    struct ws_tile_ *splat = ws_tile_new(WS_RULE_I32, 1, 1);
    splat->kind = WS_RULE_SPLAT;
    splat->integer = x;
    return splat;
}

ws_tile ws_scalar_f_(double x)
{
    struct ws_tile_ *splat = ws_tile_new(WS_RULE_F64, 1, 1);
    splat->kind = WS_RULE_SPLAT;
    splat->number = x;
    return splat;
}

ws_tile ws_zeros(ws_dtype t, int rows, int cols)
{
    return ws_full(t, rows, cols, 0);
}

ws_tile ws_full(ws_dtype t, int rows, int cols, double v)
{
    struct ws_rule_attributes attributes = {.dtype = ws_dtype_index(t), .rows = rows, .cols = cols};
    struct ws_rule_type result;
    int allowed = ws_allowed(WS_OP_FULL, NULL, 0, &attributes, &result);
    struct ws_tile_ *x = (struct ws_tile_ *)(uintptr_t)ws_tile_zeros(&result);
    if (!allowed || (v == 0 && !signbit(v)))
        return x;
    struct ws_tile_ splat = {.kind = WS_RULE_SPLAT, .dtype = WS_RULE_F64, .number = v};
    ws_compute compute = ws_compute_of(x->dtype);
    double buffer[WS_CHUNK];
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c += WS_CHUNK) {
            int n = x->cols - c < WS_CHUNK ? x->cols - c : WS_CHUNK;
            ws_row_write(x->dtype, compute, n, ws_row_fetch(&splat, compute, r, c, n, buffer), ws_element(x, r, c));
        }
    return x;
}

static ws_tile index_tile(int opcode, int rows, int cols)
{
    struct ws_rule_attributes attributes = {.rows = rows, .cols = cols};
    struct ws_rule_type result;
    if (!ws_allowed(opcode, NULL, 0, &attributes, &result))
        return ws_tile_zeros(&result);
    struct ws_tile_ *x = ws_tile_new(WS_RULE_I32, rows, cols);
    for (int r = 0; r < x->rows; r++) {
        int32_t *row = (int32_t *)(void *)ws_element(x, r, 0);
        for (int c = 0; c < x->cols; c++)
            row[c] = opcode == WS_OP_ROW_INDEX ? r : c;
    }
    return x;
}

ws_tile ws_row_index(int rows, int cols)
{
    return index_tile(WS_OP_ROW_INDEX, rows, cols);
}

ws_tile ws_col_index(int rows, int cols)
{
    return index_tile(WS_OP_COL_INDEX, rows, cols);
}

/* ---- transposition ----------------------------------------------------------------------------------------------- */

/* In blocks, so that source and target stay in the cache.  */
#define TRANSPOSE(type)                                                                                          \
    do {                                                                                                         \
        const type *from = (const type *)(const void *)t->data;                                                  \
        type *to = (type *)(void *)x->data;                                                                      \
        for (int r = 0; r < x->rows; r += 32)                                                                    \
            for (int c = 0; c < x->cols; c++)                                                                    \
                for (int i = r; i < x->rows && i < r + 32; i++)                                                  \
                    to[(size_t)i * (size_t)x->cols + (size_t)c] = from[(size_t)c * (size_t)t->cols + (size_t)i]; \
    } while (0)

ws_tile ws_trans(ws_tile t)
{
    struct ws_rule_type result;
    if (!ws_allowed1(WS_OP_TRANS, t, &result))
        return ws_tile_zeros(&result);
    struct ws_tile_ *x = ws_tile_new(result.dtype, result.rows, result.cols);
    switch (ws_dtype_bytes(x->dtype)) {
    case 1:
        TRANSPOSE(uint8_t);
        break;
    case 2:
        TRANSPOSE(uint16_t);
        break;
    case 4:
        TRANSPOSE(uint32_t);
        break;
    default:
        TRANSPOSE(uint64_t);
    }
    return x;
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

/* Makes the result tile of a cast of t.  Returns false, and a tile of zeros, if the rules refuse the cast.  */
static int begin_cast(int opcode, ws_tile t, ws_dtype to, struct ws_tile_ **x)
{
    struct ws_rule_attributes attributes = {.dtype = ws_dtype_index(to)};
    struct ws_rule_type operand = ws_type_of(t), result;
    const int allowed = ws_allowed(opcode, &operand, 1, &attributes, &result);
    *x = allowed ? ws_tile_new(result.dtype, result.rows, result.cols)
                 : (struct ws_tile_ *)(uintptr_t)ws_tile_zeros(&result);
    return allowed;
}

ws_tile ws_cast(ws_tile t, ws_dtype to)
{
    struct ws_tile_ *x;
    if (!begin_cast(WS_OP_CAST, t, to, &x))
        return x;
    ws_compute from = ws_compute_of(t->dtype), to_compute = ws_compute_of(x->dtype);
    int is_wide = from == WS_COMPUTE_I64 || (from == WS_COMPUTE_I32 && to_compute == WS_COMPUTE_I64);
    ws_compute compute = from == to_compute ? from
                         : is_wide          ? WS_COMPUTE_I64
                                            : WS_COMPUTE_F64; /* f64 holds every other element exactly */
    double buffer[WS_CHUNK];
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c += WS_CHUNK) {
            int n = x->cols - c < WS_CHUNK ? x->cols - c : WS_CHUNK;
            ws_row_write(x->dtype, compute, n, ws_row_fetch(t, compute, r, c, n, buffer), ws_element(x, r, c));
        }
    return x;
}

ws_tile ws_bitcast(ws_tile t, ws_dtype to)
{
    struct ws_tile_ *x;
    if (!begin_cast(WS_OP_BITCAST, t, to, &x))
        return x;
    const size_t bytes = (size_t)ws_dtype_bytes(x->dtype);
    for (int r = 0; r < x->rows; r++)
        for (int c = 0; c < x->cols; c++)
            memcpy(ws_element(x, r, c), ws_element(t, r, c), bytes);
    return x;
}
