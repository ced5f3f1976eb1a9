/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 128 rows and values that need all of them: column sums and running sums after a product, a transposed result.  The
   compiler may not divide such rows over groups unless it joins them again.  And a wide tile turned, beside a ring of
   which the compiler chooses the depth: it has to leave room for the turning. */
#include "test.h"

static void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C, float *sums, float *running)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, N, M);
    ws_tensor s = ws_tensor_2d(sums, WS_F32, (M + 127) / 128, N), r = ws_tensor_2d(running, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 32) {
            ws_tile acc = ws_zeros(WS_F32, 128, 32);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 128, 32), ws_load(b, k, j, 32, 32), acc);
            ws_store(c, j, i, ws_trans(acc));
            ws_store_row_2d(s, i / 128, j, ws_col_sum(acc));
            ws_store(r, i, j, ws_col_cumsum(acc));
        }
}

static void turned(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F16, N, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 80) {
            ws_tile acc = ws_zeros(WS_F32, 128, 80);
            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_load(b, k, j, 64, 80), acc);
            ws_store(c, j, i, ws_cast(ws_trans(acc), WS_F16));
        }
}

int main(int argc, char **argv)
{
    check_begin("across_rows", argc, argv);
    int M = 200, N = 50, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)N * M), *sums = check_output(WS_F32, (size_t)2 * N);
    float *running = check_output(WS_F32, (size_t)M * N);

    kernel(M, N, K, check_place(A), check_place(B), check_place(C), check_place(sums), check_place(running));
    check_fetch();
    test_product(columns_of(C, M), rows_of(A, K), rows_of(B, N), M, N, K);
    for (long j = 0; j < N; j++)
        for (long i = 0, first = 0; i < M; first = i) {
            double sum = 0, magnitude = 0;
            for (; i < M && i < first + 128; i++) {
                sum += C[j * M + i], magnitude += fabs(C[j * M + i]);
                check_close(running, i * N + j, sum, 1e-6 * magnitude);
            }
            check_close(sums, first / 128 * N + j, sum, 1e-6 * magnitude);
        }
    check_next();

    A = check_random(WS_F16, (size_t)M * K), B = check_random(WS_F16, (size_t)K * N);
    ws_f16 *D = check_output(WS_F16, (size_t)N * M);
    turned(M, N, K, check_place(A), check_place(B), check_place(D));
    check_fetch();
    test_product(columns_of(D, M), rows_of(A, K), rows_of(B, N), M, N, K);
    return check_end();
}
