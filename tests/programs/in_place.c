/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In-place operation: each tile is loaded, changed and stored where it was, in a pipelined loop and outside one. */
#include "test.h"

static void scale(int M, int N, float *X)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        #pragma ws pipeline(3)
        for (int j = 0; j < N; j += 32)
            ws_store(x, i, j, ws_fma(ws_load(x, i, j, 64, 32), 2.0f, -0.5f));
    }
}

static void relu(int M, int N, float *X)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(x, i, j, ws_max(ws_load(x, i, j, 64, 64), 0));
}

/* C += A B: the accumulator starts as what C holds. */
static void accumulate(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_load(c, i, j, 64, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("in_place", argc, argv);
    int M = 100, N = 150, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *X = check_random(WS_F32, (size_t)M * N), *before = check_random(WS_F32, (size_t)M * N);
    memcpy(before, X, sizeof(float) * M * N);

    scale(M, N, check_place(X));
    relu(M, N, check_place(X));
    accumulate(M, N, K, check_place(A), check_place(B), check_place(X));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, start = fmax(2.0 * before[i * N + j] - 0.5, 0);
            double sum = start + test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &magnitude);
            check_close(X, i * N + j, sum, check_dot_error(K + 1, magnitude + start) + 1e-7);
        }
    return check_end();
}
