/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and products under conditions inside the pipelined loop: blocks that a list leaves out, an else with another
   product, an operand that is chosen by a branch. */
#include "test.h"

static void sparse(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *D, const int *kind, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), d = ws_tensor_2d(D, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), what = ws_tensor_1d(kind, WS_I32, K / 32);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32) {
                long now = ws_at(what, k / 32);
                if (now == 1) {
                    acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
                } else if (now == 2) {
                    ws_tile ta = ws_load(a, i, k, 64, 32);
                    if (i > 0)
                        ta = ws_neg(ta);
                    acc = ws_dot(ta, ws_load(d, k, j, 32, 64), acc);
                }
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("conditional_load", argc, argv);
    int M = 128, N = 72, K = 32 * 9;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    ws_f16 *D = check_random(WS_F16, (size_t)K * N);
    int *kind = check_range(WS_I32, 9, 0, 3);
    float *C = check_output(WS_F32, (size_t)M * N);

    sparse(M, N, K, check_place(A), check_place(B), check_place(D), check_place(kind), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0, m = 0;
            for (long t = 0; t < 9; t++) {
                if (kind[t] == 1)
                    sum += test_dot(rows_of(A, K), rows_of(B, N), i, j, 32 * t, 32 * t + 32, &m);
                else if (kind[t] == 2)
                    sum += (i < 64 ? 1 : -1) * test_dot(rows_of(A, K), rows_of(D, N), i, j, 32 * t, 32 * t + 32, &m);
                magnitude += kind[t] ? m : 0;
            }
            check_close(C, i * N + j, sum, check_dot_error(K, magnitude));
        }
    return check_end();
}
