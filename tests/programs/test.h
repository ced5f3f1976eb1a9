/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test.h - references in double that many of these programs share; the rest is samples/check.h. */
#ifndef TEST_H
#define TEST_H

#include "../../samples/check.h"

/* Element (r, c) of a matrix inside an array. */
typedef struct {
    const void *base;
    long row, col, start;
} test_matrix;

CHECK_INLINE test_matrix rows_of(const void *base, long ld)
{
    return (test_matrix){base, ld, 1, 0};
}

CHECK_INLINE test_matrix columns_of(const void *base, long ld)
{
    return (test_matrix){base, 1, ld, 0};
}

CHECK_INLINE test_matrix from(test_matrix m, long start)
{
    m.start += start;
    return m;
}

CHECK_INLINE double test_get(test_matrix m, long r, long c)
{
    return check_at(m.base, (size_t)(m.start + r * m.row + c * m.col));
}

/* Row i of a times column j of b, over k from `first` to `last`. */
CHECK_INLINE double test_dot(test_matrix a, test_matrix b, long i, long j, long first, long last, double *magnitude)
{
    double sum = 0;
    *magnitude = 0;
    for (long k = first; k < last; k++) {
        double product = test_get(a, i, k) * test_get(b, k, j);
        sum += product;
        *magnitude += fabs(product);
    }
    return sum;
}

/* c must be a b; the operands are held exactly by the type that they are multiplied in. */
CHECK_INLINE void test_product(test_matrix c, test_matrix a, test_matrix b, long M, long N, long K)
{
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, sum = test_dot(a, b, i, j, 0, K, &magnitude);
            check_close(c.base, (size_t)(c.start + i * c.row + j * c.col), sum, check_dot_error(K, magnitude));
        }
}

#endif
