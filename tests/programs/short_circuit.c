/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions with &&, || and ?: around and inside a pipelined loop. */
#include "test.h"

static void kernel(int M, int N, int K, int low, int high, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            if ((i > 0 && j > 0) || (i == 0 && j == 0)) {
                #pragma ws pipeline(3, 2)
                for (int k = 0; k < K; k += 32)
                    if (k >= low && k < high)
                        acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            }
            int row = i > 0 || j > 0 ? i : 0;
            ws_store(c, row, j, !(i > 0) && j > 0 ? ws_add(acc, 1.0f) : acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("short_circuit", argc, argv);
    int M = 128, N = 130, K = 136, low = 32, high = 96;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)M * N);

    kernel(M, N, K, low, high, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude = 0, sum = i < 64 && j >= 64 ? 1 : 0;
            if ((i >= 64) == (j >= 64))
                sum = test_dot(rows_of(A, K), rows_of(B, N), i, j, low, high, &magnitude);
            check_close(C, i * N + j, sum, check_dot_error(K, magnitude));
        }
    return check_end();
}
