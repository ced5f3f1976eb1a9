/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_atomic_add: a product whose K is split over the grid, and a histogram-like sum in integers.  Values are small
   integers, so that every order gives the same bits. */
#include "test.h"

static void split_k(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(3)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            for (int part = 0; part < K; part += 96) {
                ws_tile acc = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2)
                for (int k = part; k < part + 96; k += 32)
                    acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
                ws_atomic_add(c, i, j, acc);
            }
}

static void totals(int M, int N, const int *X, int *T)
{
    ws_tensor x = ws_tensor_2d(X, WS_I32, M, N), t = ws_tensor_2d(T, WS_I32, 1, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 32)
            ws_atomic_add(t, 0, j, ws_col_sum(ws_load(x, i, j, 32, 32)));
}

/* Rows that TMA cannot add to, rows that it can, and rows of two lines without gaps.  */
static void sums(int N)
{
    int M = 100, K = 250;
    ws_f16 *A = check_range(WS_F16, (size_t)M * K, 0, 0), *B = check_range(WS_F16, (size_t)K * N, 0, 0);
    float *C = check_range(WS_F32, (size_t)M * N, 0, 0);
    int *X = check_random(WS_I32, (size_t)M * N), *T = check_range(WS_I32, N, 0, 0);
    for (int i = 0; i < M * K; i++)
        A[i] = ws_f16_from((float)(check_bits() % 9) - 4);
    for (int i = 0; i < K * N; i++)
        B[i] = ws_f16_from((float)(check_bits() % 9) - 4);

    split_k(M, N, K, check_place(A), check_place(B), check_place(C));
    totals(M, N, check_place(X), check_place(T));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude;
            check_equal(C, i * N + j, test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &magnitude));
        }
    for (long j = 0; j < N; j++) {
        double sum = 0;
        for (long i = 0; i < M; i++)
            sum += X[i * N + j];
        check_equal(T, j, sum);
    }
    check_next();
}

int main(int argc, char **argv)
{
    check_begin("atomic_add", argc, argv);
    sums(90);
    sums(92);
    sums(64);
    return check_end();
}
