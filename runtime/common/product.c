/* SPDX-License-Identifier: MIT */
/*
 * product.c - the matrix product of the CPU targets.
 *
 * The law asks that each element is summed over ascending k, every product and every sum rounded to f32.  That leaves rows
 * and columns free: a block of them stays in registers over all k, and columns are the vector's lanes.  Compiled with
 * -ffp-contract=off, so that no width of vector changes a bit.
 */
#include "scalar.h"

#define BLOCK_ROWS 4
#define BLOCK_COLS 32

/* The same code for wider vectors, where the system can choose at load time.  */
#if defined __x86_64__ && defined __gnu_linux__ && defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__ && !defined WS_NO_CLONES
#    ifdef __has_attribute
#        if __has_attribute(target_clones)
#            define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#        endif
#    endif
#endif
#ifndef WIDE
#    define WIDE
#endif

/* A whole block: both loops over it have constant bounds, so that sums live in registers.  */
WIDE static void block(int depth, int cols, const float *a, const float *b, float *acc)
{
    float sums[BLOCK_ROWS][BLOCK_COLS];
    for (int r = 0; r < BLOCK_ROWS; r++)
        for (int c = 0; c < BLOCK_COLS; c++)
            sums[r][c] = acc[(long)r * cols + c];
    for (int k = 0; k < depth; k++)
        for (int r = 0; r < BLOCK_ROWS; r++)
            for (int c = 0; c < BLOCK_COLS; c++)
                sums[r][c] += a[(long)r * depth + k] * b[(long)k * cols + c];
    for (int r = 0; r < BLOCK_ROWS; r++)
        for (int c = 0; c < BLOCK_COLS; c++)
            acc[(long)r * cols + c] = sums[r][c];
}

/* What is left at the right and the lower edge.  */
static void edge(int rows, int count, int depth, int cols, const float *a, const float *b, float *acc)
{
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < depth; k++)
            for (int c = 0; c < count; c++)
                acc[(long)r * cols + c] += a[(long)r * depth + k] * b[(long)k * cols + c];
}

void ws_f32_product(int rows, int cols, int depth, const float *a, const float *b, float *acc)
{
    int whole_rows = rows - rows % BLOCK_ROWS, whole_cols = cols - cols % BLOCK_COLS;
    for (int c = 0; c < whole_cols; c += BLOCK_COLS)
        for (int r = 0; r < whole_rows; r += BLOCK_ROWS)
            block(depth, cols, a + (long)r * depth, b + c, acc + (long)r * cols + c);
    edge(whole_rows, cols - whole_cols, depth, cols, a, b + whole_cols, acc + whole_cols);
    edge(rows - whole_rows, cols, depth, cols, a + (long)whole_rows * depth, b, acc + (long)whole_rows * cols);
}
