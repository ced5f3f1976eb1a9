/* SPDX-License-Identifier: MIT */
/*
 * product.c - the matrix product of the CPU targets.
 *
 * Each element must be summed over ascending k.  For f32, every product and every sum is rounded; for f64, a product
 * and its addition are rounded once.  The order of rows and columns is free.  A block of them stays in registers over
 * all k, and columns are the lanes of a vector.  Compiled with -ffp-contract=off, so that results do not depend on the
 * width.
 */
#include "scalar.h"
#include "wide.h"

#define BLOCK_ROWS 4
#define BLOCK_COLS 32

#define PLUS(x, y, sum)  ((sum) + (x) * (y))
#define FUSED(x, y, sum) __builtin_fma(x, y, sum)

/* block: both loops have constant bounds, so that the sums stay in registers.  edge: the remainder at the right and
   lower edges.  */
#define PRODUCT(type, name, add)                                                                                       \
    WS_WIDE static void block_##name(int depth, int cols, const type *a, const type *b, type *acc)                     \
    {                                                                                                                  \
        type sums[BLOCK_ROWS][BLOCK_COLS];                                                                             \
        for (int r = 0; r < BLOCK_ROWS; r++)                                                                           \
            for (int c = 0; c < BLOCK_COLS; c++)                                                                       \
                sums[r][c] = acc[(long)r * cols + c];                                                                  \
        for (int k = 0; k < depth; k++)                                                                                \
            for (int r = 0; r < BLOCK_ROWS; r++)                                                                       \
                for (int c = 0; c < BLOCK_COLS; c++)                                                                   \
                    sums[r][c] = add(a[(long)r * depth + k], b[(long)k * cols + c], sums[r][c]);                       \
        for (int r = 0; r < BLOCK_ROWS; r++)                                                                           \
            for (int c = 0; c < BLOCK_COLS; c++)                                                                       \
                acc[(long)r * cols + c] = sums[r][c];                                                                  \
    }                                                                                                                  \
    WS_WIDE static void edge_##name(int rows, int count, int depth, int cols, const type *a, const type *b, type *acc) \
    {                                                                                                                  \
        for (int r = 0; r < rows; r++)                                                                                 \
            for (int k = 0; k < depth; k++)                                                                            \
                for (int c = 0; c < count; c++) {                                                                      \
                    type *sum = &acc[(long)r * cols + c];                                                              \
                    *sum = add(a[(long)r * depth + k], b[(long)k * cols + c], *sum);                                   \
                }                                                                                                      \
    }                                                                                                                  \
    void ws_##name##_product(int rows, int cols, int depth, const type *a, const type *b, type *acc)                   \
    {                                                                                                                  \
        int whole_rows = rows - rows % BLOCK_ROWS, whole_cols = cols - cols % BLOCK_COLS;                              \
        for (int c = 0; c < whole_cols; c += BLOCK_COLS)                                                               \
            for (int r = 0; r < whole_rows; r += BLOCK_ROWS)                                                           \
                block_##name(depth, cols, a + (long)r * depth, b + c, acc + (long)r * cols + c);                       \
        edge_##name(whole_rows, cols - whole_cols, depth, cols, a, b + whole_cols, acc + whole_cols);                  \
        edge_##name(rows - whole_rows, cols, depth, cols, a + (long)whole_rows * depth, b,                             \
                    acc + (long)whole_rows * cols);                                                                    \
    }

PRODUCT(float, f32, PLUS)
PRODUCT(double, f64, FUSED)
