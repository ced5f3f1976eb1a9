/* SPDX-License-Identifier: MIT */
/* run.c - one tile, for the predicted timeline. */
#include <ws.h>
#include <stdlib.h>
void product(int M, int N, int K, const ws_f16 *X, const signed char *Q, const float *S, float *Y);
int main(void)
{
    enum { M = 128, N = 64, K = 2048 };
    ws_f16 *x = calloc(M * K, sizeof *x);
    signed char *q = calloc(N * K, 1);
    float *s = calloc(K / 64 * N, sizeof *s), *y = calloc(M * N, sizeof *y);
    product(M, N, K, x, q, s, y);
    ws_or_die(ws_last_error());
    return 0;
}
