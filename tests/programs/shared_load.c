/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One load feeds two products, whose accumulators are carried side by side: a gate and its value. */
#include "test.h"

static void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *D, float *C, float *E)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), d = ws_tensor_2d(D, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), e = ws_tensor_2d(E, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile gate = ws_zeros(WS_F32, 64, 64), up = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32) {
                ws_tile ta = ws_load(a, i, k, 64, 32);
                gate = ws_dot(ta, ws_load(b, k, j, 32, 64), gate);
                up = ws_dot(ta, ws_load(d, k, j, 32, 64), up);
            }
            ws_store(c, i, j, ws_mul(ws_sigmoid(gate), up));
            ws_store(e, i, j, gate);
        }
}

int main(int argc, char **argv)
{
    check_begin("shared_load", argc, argv);
    int M = 100, N = 72, K = 104;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    ws_f16 *D = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)M * N), *E = check_output(WS_F32, (size_t)M * N);

    kernel(M, N, K, check_place(A), check_place(B), check_place(D), check_place(C), check_place(E));
    check_fetch();
    test_product(rows_of(E, N), rows_of(A, K), rows_of(B, N), M, N, K);
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double m1, m2, gate = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &m1);
            double up = test_dot(rows_of(A, K), rows_of(D, N), i, j, 0, K, &m2);
            check_close(C, i * N + j, up / (1 + exp(-gate)), check_dot_error(K, m2 + fabs(up) * m1));
        }
    return check_end();
}
