/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reference.c - the network once more in plain C, to judge the kernels by. */
#include <math.h>
#include <stdlib.h>
#include "network.h"

static double dot(const ws_bf16 *a, const ws_bf16 *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)ws_bf16_to(a[i]) * ws_bf16_to(b[i]);
    return sum;
}

/* As the kernels do, what goes to memory is rounded to bf16. */
static ws_bf16 rounded(double x)
{
    return ws_bf16_from((float)x);
}

void reference(const matrix *x, const matrix *w1, const float *b1, const matrix *w2, const float *b2,
               double *probabilities)
{
    ws_bf16 *hidden = malloc(sizeof *hidden * (size_t)w1->rows);
    for (int i = 0; hidden && i < x->rows; i++) {
        double *p = probabilities + (size_t)i * (size_t)w2->rows, sum = 0;
        for (int j = 0; j < w1->rows; j++)
            hidden[j] = rounded(fmax(dot(x->data + i * x->cols, w1->data + j * w1->cols, x->cols) + b1[j], 0));
        for (int c = 0; c < w2->rows; c++)
            sum += p[c] = exp(ws_bf16_to(rounded(dot(hidden, w2->data + c * w2->cols, w2->cols) + b2[c])));
        for (int c = 0; c < w2->rows; c++)
            p[c] /= sum;
    }
    free(hidden);
}
