/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles that are passed over by an early continue, at two depths of the nest. */
#include "test.h"

static void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const int *skip, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), flag = ws_tensor_1d(skip, WS_I32, (M + 63) / 64);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            if (ws_at(flag, i / 64))
                continue;
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32) {
                if (k == 64)
                    continue;
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            }
            if (j == 64)
                continue;
            ws_store(c, i, j, acc);
        }
}

/* Groups take tiles in turn, also those of which nothing is wanted. */
static void in_turn(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const int *skip, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), flag = ws_tensor_1d(skip, WS_I32, (M + 63) / 64);

    #pragma ws grid(2) consumers(2, tiles) persistent
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            if (ws_at(flag, i / 64))
                continue;
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3, 2) pingpong
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("early_continue", argc, argv);
    int M = 250, N = 150, K = 136;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    int *skip = check_range(WS_I32, 4, 0, 0);
    float *C = check_output(WS_F32, (size_t)M * N);
    skip[1] = skip[3] = 1;

    kernel(M, N, K, check_place(A), check_place(B), check_place(skip), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double m1, m2, sum = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, 64, &m1);
            sum += test_dot(rows_of(A, K), rows_of(B, N), i, j, 96, K, &m2);
            if (skip[i / 64] || j / 64 == 1)
                check_equal(C, i * N + j, -77);
            else
                check_close(C, i * N + j, sum, check_dot_error(K, m1 + m2));
        }

    float *D = check_output(WS_F32, (size_t)M * N);
    in_turn(M, N, K, check_place(A), check_place(B), check_place(skip), check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, sum = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &magnitude);
            if (skip[i / 64])
                check_equal(D, i * N + j, -77);
            else
                check_close(D, i * N + j, sum, check_dot_error(K, magnitude));
        }
    return check_end();
}
