/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second pipelined loop beside the first: C = A B + D E, each with its own trip count, which may be 0. */
#include "test.h"

static void kernel(int M, int N, int K, int L, const ws_f16 *A, const ws_f16 *B, const ws_f16 *D, const ws_f16 *E,
                   float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor d = ws_tensor_2d(D, WS_F16, M, L), e = ws_tensor_2d(E, WS_F16, L, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);

            #pragma ws pipeline(2, 1)
            for (int k = 0; k < L; k += 64)
                acc = ws_dot(ws_load(d, i, k, 64, 64), ws_load(e, k, j, 64, 64), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    static const int depths[][2] = {{96, 128}, {0, 64}, {32, 0}, {0, 0}, {70, 200}};
    check_begin("two_loops", argc, argv);
    for (size_t s = 0; s < sizeof depths / sizeof *depths; s++) {
        int M = 100, N = 72, K = depths[s][0], L = depths[s][1];
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
        ws_f16 *D = check_random(WS_F16, (size_t)M * L), *E = check_random(WS_F16, (size_t)L * N);
        float *C = check_output(WS_F32, (size_t)M * N);

        kernel(M, N, K, L, check_place(A), check_place(B), check_place(D), check_place(E), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double m1, m2, sum = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &m1);
                sum += test_dot(rows_of(D, L), rows_of(E, N), i, j, 0, L, &m2);
                check_close(C, i * N + j, sum, check_dot_error(K + L, m1 + m2));
            }
        check_next();
    }
    return check_end();
}
