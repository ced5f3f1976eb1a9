/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One loop stores what a later loop loads: the second loop's loads must not run ahead into the first loop's stores. */
#include "test.h"

/* Softmax with the exponentials kept in y between the passes. */
static void two_passes(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 1);
        #pragma ws pipeline(3)
        for (int j = 0; j < N; j += 32) {
            ws_tile e = ws_exp(ws_load_or(x, i, j, 64, 32, -INFINITY));
            sum = ws_add(sum, ws_row_sum(e));
            ws_store(y, i, j, e);
        }
        for (int j = 0; j < N; j += 32)
            ws_store(y, i, j, ws_div(ws_load(y, i, j, 64, 32), sum));
    }
}

/* T = A B, kept in memory, then C = T D for the same rows. */
static void chained(int M, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *D, ws_f16 *T, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, 96),
              d = ws_tensor_2d(D, WS_F16, 96, 64);
    ws_tensor t = ws_tensor_2d(T, WS_F16, M, 96), c = ws_tensor_2d(C, WS_F32, M, 64);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        for (int j = 0; j < 96; j += 32) {
            ws_tile acc = ws_zeros(WS_F32, 64, 32);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 32), acc);
            ws_store(t, i, j, ws_cast(acc, WS_F16));
        }
        ws_tile acc = ws_zeros(WS_F32, 64, 64);
        #pragma ws pipeline(2)
        for (int k = 0; k < 96; k += 32)
            acc = ws_dot(ws_load(t, i, k, 64, 32), ws_load(d, k, 0, 32, 64), acc);
        ws_store(c, i, 0, acc);
    }
}

int main(int argc, char **argv)
{
    check_begin("memory_order", argc, argv);
    int M = 100, N = 150, K = 72;
    float *X = check_random(WS_F32, (size_t)M * N), *Y = check_output(WS_F32, (size_t)M * N);
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * 96);
    ws_f16 *D = check_random(WS_F16, 96 * 64), *T = check_output(WS_F16, (size_t)M * 96);
    float *C = check_output(WS_F32, (size_t)M * 64);

    two_passes(M, N, check_place(X), check_place(Y));
    chained(M, K, check_place(A), check_place(B), check_place(D), check_place(T), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double sum = 0;
        for (long j = 0; j < N; j++)
            sum += exp(X[i * N + j]);
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, exp(X[i * N + j]) / sum, 1e-7);
    }
    test_product(rows_of(T, 96), rows_of(A, K), rows_of(B, 96), M, 96, K);
    test_product(rows_of(C, 64), rows_of(T, 96), rows_of(D, 64), M, 64, 96);
    return check_end();
}
