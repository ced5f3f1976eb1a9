/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operations.c - the list of operations.h by the sequential library.
 */
#include "operations.h"

static ws_tensor matrix(const void *base, ws_dtype type, int rows, int cols)
{
    return ws_tensor_2d(base, type, rows, cols);
}

static ws_tile whole(const void *base, ws_dtype type)
{
    return ws_load(matrix(base, type, ROWS, COLS), 0, 0, ROWS, COLS);
}

static void give(void *out, ws_dtype type, int rows, int cols, ws_tile x)
{
    ws_store(matrix(out, type, rows, cols), 0, 0, x);
}

/* A mask as numbers.  */
static ws_tile as_numbers(ws_tile mask)
{
    return ws_select(mask, ws_full(WS_I32, ROWS, COLS, 1), ws_zeros(WS_I32, ROWS, COLS));
}

#define UNARY(name, type)                                                     \
    void sequential_##name##_##type(const struct inputs *in, void *out)       \
    {                                                                         \
        give(out, WS_##type, ROWS, COLS, ws_##name(whole(in->x, WS_##type))); \
    }
#define BINARY(name, type)                                                                             \
    void sequential_##name##_##type(const struct inputs *in, void *out)                                \
    {                                                                                                  \
        give(out, WS_##type, ROWS, COLS, ws_##name(whole(in->x, WS_##type), whole(in->y, WS_##type))); \
    }
#define COMPARISON(name, type)                                                                                  \
    void sequential_##name##_##type(const struct inputs *in, void *out)                                         \
    {                                                                                                           \
        give(out, WS_I32, ROWS, COLS, as_numbers(ws_##name(whole(in->x, WS_##type), whole(in->y, WS_##type)))); \
    }
#define MATHS(NAME, name, ...)        MATHS_TYPES(UNARY, name)
#define MATHS_OF_TWO(NAME, name, ...) MATHS_TYPES(BINARY, name)
#include "../../runtime/common/maths.def"
SIGNS(UNARY)
BINARIES(BINARY)
COMPARISONS(COMPARISON)

#define REDUCE(name, type, result, rows, cols)                                  \
    void sequential_##name##_##type(const struct inputs *in, void *out)         \
    {                                                                           \
        give(out, WS_##result, rows, cols, ws_##name(whole(in->x, WS_##type))); \
    }
#define ROW_SUM(name, type)    REDUCE(name, type, type, ROWS, 1)
#define ROW_ARGMAX(name, type) REDUCE(name, type, I32, ROWS, 1)
#define COL_SUM(name, type)    REDUCE(name, type, type, 1, COLS)
#define CUMSUM(name, type)     REDUCE(name, type, type, ROWS, COLS)
ARITHMETIC_TYPES(ROW_SUM, row_sum)
ARITHMETIC_TYPES(ROW_SUM, row_max)
ARITHMETIC_TYPES(ROW_SUM, row_min)
ARITHMETIC_TYPES(ROW_ARGMAX, row_argmax)
ARITHMETIC_TYPES(COL_SUM, col_sum)
ARITHMETIC_TYPES(COL_SUM, col_max)
ARITHMETIC_TYPES(COL_SUM, col_min)
ARITHMETIC_TYPES(CUMSUM, row_cumsum)
ARITHMETIC_TYPES(CUMSUM, col_cumsum)

#define FMA(name, type)                                                                          \
    void sequential_##name##_##type(const struct inputs *in, void *out)                          \
    {                                                                                            \
        give(out, WS_##type, ROWS, COLS,                                                         \
             ws_fma(whole(in->x, WS_##type), whole(in->y, WS_##type), whole(in->z, WS_##type))); \
    }
#define NUMBER(name, type)                                                                  \
    void sequential_##name##_##type(const struct inputs *in, void *out)                     \
    {                                                                                       \
        ws_tile x = whole(in->x, WS_##type);                                                \
        ws_tile y = ws_sub(in->number, ws_add(x, in->number));                              \
        give(out, WS_##type, ROWS, COLS, ws_select(ws_gt(y, 3), in->number, ws_max(y, x))); \
    }
#define BROADCAST(name, type)                                                                             \
    void sequential_##name##_##type(const struct inputs *in, void *out)                                   \
    {                                                                                                     \
        ws_tile row = ws_load(matrix(in->y, WS_##type, ROWS, COLS), 0, 0, 1, COLS);                       \
        ws_tile col = ws_load(matrix(in->z, WS_##type, ROWS, COLS), 0, 0, ROWS, 1);                       \
        give(out, WS_##type, ROWS, COLS, ws_mul(ws_add(whole(in->x, WS_##type), row), ws_sub(col, row))); \
    }
#define FULL(name, type)                                                              \
    void sequential_##name##_##type(const struct inputs *in, void *out)               \
    {                                                                                 \
        give(out, WS_##type, ROWS, COLS, ws_full(WS_##type, ROWS, COLS, in->number)); \
    }
ARITHMETIC_TYPES(FMA, fma)
ARITHMETIC_TYPES(NUMBER, number)
ARITHMETIC_TYPES(BROADCAST, broadcast)
MATHS_TYPES(FULL, full)
FULL(full, I32)

#define PRODUCT(name, type, result)                                                                    \
    void sequential_##name##_##type(const struct inputs *in, void *out)                                \
    {                                                                                                  \
        ws_tile a = ws_load(matrix(in->x, WS_##type, ROWS, INNER), 0, 0, ROWS, INNER);                 \
        ws_tile b = ws_load(matrix(in->y, WS_##type, COLS, INNER), 0, 0, COLS, INNER);                 \
        ws_tile acc = ws_full(WS_##result, ROWS, COLS, 1);                                             \
        give(out, WS_##result, ROWS, COLS, ws_##name(a, ws_trans(b), ws_##name(a, ws_trans(b), acc))); \
    }
PRODUCT(dot, F32, F32)
PRODUCT(dot, F16, F32)
PRODUCT(dot, BF16, F32)
PRODUCT(dot, E4M3, F32)
PRODUCT(dot, E5M2, F32)
PRODUCT(dot, I8, I32)
PRODUCT(dot_f32, F32, F32)

void sequential_cast(ws_dtype from, ws_dtype to, const struct inputs *in, void *out)
{
    give(out, to, ROWS, COLS, ws_cast(whole(in->x, from), to));
}

void sequential_select(ws_dtype type, const struct inputs *in, void *out)
{
    ws_tile x = whole(in->x, type), y = whole(in->y, type), z = whole(in->z, type);
    give(out, type, ROWS, COLS, ws_select(ws_and(ws_lt(x, y), ws_not(ws_eq(y, z))), x, z));
}

void sequential_load_or(ws_dtype type, const struct inputs *in, long row, long col, void *out)
{
    ws_tensor t = ws_slice(matrix(in->x, type, ROWS, COLS), 1, 3, COLS + 5);
    give(out, type, ROWS, COLS, ws_load_or(t, row, col, ROWS, COLS, in->number));
}
