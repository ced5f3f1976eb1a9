/* SPDX-License-Identifier: MIT */
/* check_attention.h - attention in double, one row of queries at a time: what the attention samples are judged by. */
#ifndef CHECK_ATTENTION_H
#define CHECK_ATTENTION_H

#include "check.h"

/* Rows of some tensor: element c of row r is at[start + r * stride + c]. */
typedef struct {
    const void *at;
    long start, stride;
} check_rows;

CHECK_INLINE double check_row_at(check_rows x, long r, long c)
{
    return check_at(x.at, (size_t)(x.start + r * x.stride + c));
}

CHECK_INLINE double check_row_dot(check_rows x, long r, check_rows y, long s, int D)
{
    double sum = 0;
    for (int c = 0; c < D; c++)
        sum += check_row_at(x, r, c) * check_row_at(y, s, c);
    return sum;
}

/* p[j] = softmax over first <= j < last of scale q_r k_j, or of cap tanh (scale q_r k_j / cap) with a cap above 0.
   Returns the logarithm of the sum of exponentials. */
CHECK_INLINE double check_probabilities(double *p, check_rows q, long r, check_rows k, long first, long last, int D,
                                        double scale, double cap)
{
    double largest = -INFINITY, sum = 0;
    for (long j = first; j < last; j++) {
        p[j] = scale * check_row_dot(q, r, k, j, D);
        if (cap > 0)
            p[j] = cap * tanh(p[j] / cap);
        largest = fmax(largest, p[j]);
    }
    for (long j = first; j < last; j++)
        sum += exp(p[j] - largest);
    for (long j = first; j < last; j++)
        p[j] = exp(p[j] - largest) / sum;
    return largest + log(sum);
}

/* Row r of o must be sum p[j] v_j. Probabilities are rounded to the type of the products, `roundoff` of each. */
CHECK_INLINE void check_attention_row(check_rows o, long r, const double *p, check_rows v, long first, long last, int D,
                                      double roundoff)
{
    for (int c = 0; c < D; c++) {
        double sum = 0, magnitude = 0;
        for (long j = first; j < last; j++) {
            sum += p[j] * check_row_at(v, j, c);
            magnitude += p[j] * fabs(check_row_at(v, j, c));
        }
        check_close(o.at, (size_t)(o.start + r * o.stride + c), sum, 2 * roundoff * magnitude);
    }
}

#endif
