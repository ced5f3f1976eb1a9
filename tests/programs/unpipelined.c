/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No pipeline pragma: the kernel runs unspecialized, with a product in its loop and with two loads of one tensor. */
#include "test.h"

static void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

/* y[i] = x[i-1] + x[i] + x[i+1], coordinates outside included */
static void stencil(int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_1d(X, WS_F32, N), y = ws_tensor_1d(Y, WS_F32, N);

    #pragma ws grid(1)
    for (int i = 0; i < N; i += 128) {
        ws_tile t = ws_add(ws_load_row(x, i - 1, 128), ws_load_row(x, i, 128));
        ws_store_row(y, i, ws_add(t, ws_load_row(x, i + 1, 128)));
    }
}

int main(int argc, char **argv)
{
    check_begin("unpipelined", argc, argv);
    int M = 130, N = 100, K = 90;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N);
    float *X = check_random(WS_F32, M), *Y = check_output(WS_F32, M);

    gemm(M, N, K, check_place(A), check_place(B), check_place(C));
    stencil(M, check_place(X), check_place(Y));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), columns_of(B, K), M, N, K);
    for (int i = 0; i < M; i++)
        check_close(Y, i, (i ? (double)X[i - 1] : 0) + X[i] + (i + 1 < M ? (double)X[i + 1] : 0), 1e-6);
    return check_end();
}
