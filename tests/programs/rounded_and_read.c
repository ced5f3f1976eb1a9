/* SPDX-License-Identifier: GPL-3.0-or-later */
/* f32 tiles that a product reads, which wants them rounded, and a sum, which does not; two groups share one of them. */
#include "test.h"

static void kernel(int M, int N, int K, const float *A, const float *B, float *C, float *R, float *S)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), b = ws_tensor_2d(B, WS_F32, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor r = ws_tensor_1d(R, WS_F32, M), s = ws_tensor_2d(S, WS_F32, (M + 127) / 128, N);

    #pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < M; i += 128) {
        ws_tile acc = ws_zeros(WS_F32, 128, 64), rows = ws_zeros(WS_F32, 128, 1), cols = ws_zeros(WS_F32, 64, 1);

        #pragma ws pipeline(2, 2)
        for (int k = 0; k < K; k += 32) {
            ws_tile ta = ws_load(a, i, k, 128, 32), tb = ws_load(b, 0, k, 64, 32);
            acc = ws_dot(ta, ws_trans(tb), acc);
            rows = ws_add(rows, ws_row_sum(ta));
            cols = ws_add(cols, ws_row_sum(tb));
        }
        ws_store(c, i, 0, acc);
        ws_store_col(r, i, rows);
        ws_store(s, i / 128, 0, ws_trans(cols));
    }
}

int main(int argc, char **argv)
{
    check_begin("rounded_and_read", argc, argv);
    int M = 200, N = 64, K = 100;
    float *A = check_random(WS_F32, (size_t)M * K), *B = check_random(WS_F32, (size_t)N * K);
    float *C = check_output(WS_F32, (size_t)M * N), *R = check_output(WS_F32, (size_t)M),
          *S = check_output(WS_F32, 2 * N);

    kernel(M, N, K, check_place(A), check_place(B), check_place(C), check_place(R), check_place(S));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double sum = 0;
        for (long k = 0; k < K; k++)
            sum += A[i * K + k];
        check_close(R, i, sum, 2e-6);
        for (long j = 0; j < N; j++) {
            double product = 0;
            for (long k = 0; k < K; k++)
                product += (double)A[i * K + k] * B[j * K + k];
            check_close(C, i * N + j, product, 4e-3);
        }
    }
    for (long j = 0; j < 2 * N; j++) {
        double sum = 0;
        for (long k = 0; k < K; k++)
            sum += B[j % N * K + k];
        check_close(S, j, sum, 2e-6);
    }
    return check_end();
}
