/* SPDX-License-Identifier: GPL-3.0-or-later */
/* if and else around a pipelined loop: some tiles have a product, some a constant, some nothing. */
#include "test.h"

static void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const int *choice, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), what = ws_tensor_1d(choice, WS_I32, (M + 63) / 64);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_full(WS_F32, 64, 64, 2.5);
            if (ws_at(what, i / 64) == 1) {
                acc = ws_zeros(WS_F32, 64, 64);
                #pragma ws pipeline(3, 2)
                for (int k = 0; k < K; k += 32)
                    acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            } else if (j == 0) {
                acc = ws_add(acc, 1.0f);
            }
            if (ws_at(what, i / 64) != 2)
                ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("branch_around_loop", argc, argv);
    int M = 250, N = 100, K = 104;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    int *choice = check_range(WS_I32, 4, 0, 0);
    float *C = check_output(WS_F32, (size_t)M * N);
    for (int i = 0; i < 4; i++)
        choice[i] = (i + 1) % 3;

    kernel(M, N, K, check_place(A), check_place(B), check_place(choice), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, sum = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &magnitude);
            switch (choice[i / 64]) {
            case 0:
                check_equal(C, i * N + j, j < 64 ? 3.5 : 2.5);
                break;
            case 1:
                check_close(C, i * N + j, sum, check_dot_error(K, magnitude));
                break;
            default:
                check_equal(C, i * N + j, -77);
            }
        }
    return check_end();
}
