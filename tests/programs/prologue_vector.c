/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors loaded before the loop, kept over it, and used to start the accumulator and to finish the tile. */
#include "test.h"

static void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *bias, const float *scale,
                   float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor row = ws_tensor_1d(bias, WS_F32, N), col = ws_tensor_1d(scale, WS_F32, M);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile weight = ws_load_col(col, i, 64);
            ws_tile acc = ws_add(ws_zeros(WS_F32, 64, 64), ws_load_row(row, j, 64));

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, ws_mul(acc, weight));
        }
}

int main(int argc, char **argv)
{
    check_begin("prologue_vector", argc, argv);
    int M = 100, N = 130, K = 80;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *bias = check_random(WS_F32, N), *scale = check_random(WS_F32, M), *C = check_output(WS_F32, (size_t)M * N);

    kernel(M, N, K, check_place(A), check_place(B), check_place(bias), check_place(scale), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, sum = bias[j] + test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &magnitude);
            check_close(C, i * N + j, sum * scale[i], check_dot_error(K + 1, magnitude + fabs(bias[j])));
        }
    return check_end();
}
