/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selftest.c - the library alone: softmax of equal scores, and a layer that copies. */
#include <math.h>
#include <stdio.h>
#include "network.h"

int main(void)
{
    matrix x = matrix_new(5, 16, 1, 7), one = matrix_new(16, 16, 0, 8), y = matrix_new(5, 16, 0, 9);
    float zero[16] = {0}, p[5 * 16];
    int wrong = 0;

    for (int i = 0; i < 16; i++)
        one.data[i * 16 + i] = ws_bf16_from(1);
    layer(&x, &one, zero, LINEAR, &y);
    for (int i = 0; i < 5 * 16; i++)
        wrong += ws_bf16_to(x.data[i]) != ws_bf16_to(y.data[i]);
    matrix equal = matrix_new(5, 16, 0, 1);
    softmax(&equal, p);
    for (int i = 0; i < 5 * 16; i++)
        wrong += fabsf(p[i] - 1.0f / 16) > 1e-7f;
    printf("selftest: %d wrong\n", wrong);
    matrix_free(&x), matrix_free(&one), matrix_free(&y), matrix_free(&equal);
    return wrong != 0 || ws_last_error() != WS_OK;
}
