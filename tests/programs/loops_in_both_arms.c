/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelined loops in both arms of an if: one transposes its operand, the other does not, and their depths differ. */
#include "test.h"

static void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *Bt, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor bt = ws_tensor_2d(Bt, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            if ((i / 64 + j / 64) % 2) {
                #pragma ws pipeline(4, 3)
                for (int k = 0; k < K; k += 32)
                    acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            } else {
                #pragma ws pipeline(2)
                for (int k = 0; k < K; k += 64)
                    acc = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(bt, j, k, 64, 64)), acc);
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("loops_in_both_arms", argc, argv);
    int M = 190, N = 200, K = 136;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    ws_f16 *Bt = check_random(WS_F16, (size_t)N * K);
    float *C = check_output(WS_F32, (size_t)M * N);
    for (long k = 0; k < K; k++)
        for (long j = 0; j < N; j++)
            Bt[j * K + k] = B[k * N + j];

    kernel(M, N, K, check_place(A), check_place(B), check_place(Bt), check_place(C));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), rows_of(B, N), M, N, K);
    return check_end();
}
