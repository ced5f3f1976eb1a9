/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network.h - a two-layer perceptron on batches of images, in bf16 with f32 sums. */
#ifndef NETWORK_H
#define NETWORK_H

#include <ws.h>

typedef struct {
    int rows, cols;
    ws_bf16 *data;
} matrix;

matrix matrix_new(int rows, int cols, double scale, unsigned seed);
void matrix_free(matrix *m);

/* y = relu(x w^T + bias), or without the relu; x is batch x in, w is out x in. */
typedef enum { LINEAR, RELU } activation;
void layer(const matrix *x, const matrix *w, const float *bias, activation act, matrix *y);

/* Row-wise probabilities of the scores. */
void softmax(const matrix *scores, float *probabilities);

/* The same network in plain double loops; `probabilities` is batch x classes. */
void reference(const matrix *x, const matrix *w1, const float *b1, const matrix *w2, const float *b2,
               double *probabilities);

#endif
