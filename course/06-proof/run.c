/* SPDX-License-Identifier: MIT */
/* run.c - one tile, for the predicted timeline. */
#include <ws.h>
#include <stdlib.h>

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C);

int main(void)
{
    enum { M = 128, N = 128, K = 1024 };
    ws_f16 *a = calloc(M * K, sizeof *a), *b = calloc(N * K, sizeof *b), *c = calloc(M * N, sizeof *c);
    product(M, N, K, a, b, c);
    ws_or_die(ws_last_error());
    return 0;
}
