/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One array seen through several tensors: A A^T, a matrix and its rows as a vector, overlapping slices; a matrix times
   itself; all only read. */
#include "test.h"

static void kernel(int M, int K, const ws_f16 *A, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), again = ws_tensor_2d(A, WS_F16, M, K),
              flat = ws_tensor_1d(A, WS_F16, M * K);
    ws_tensor half = ws_tensor_2d(A + M / 2 * K, WS_F16, M - M / 2, K);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, M), d = ws_tensor_2d(D, WS_F32, M, M);

    #pragma ws grid(2) order(grouped(2))
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < M; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64), other = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32) {
                ws_tile ta = ws_load(a, i, k, 64, 32);
                acc = ws_dot(ta, ws_trans(ws_load(again, j, k, 64, 32)), acc);
                other = ws_dot(ta, ws_trans(ws_load(half, j, k, 64, 32)), other);
            }
            ws_store(c, i, j, ws_add(acc, ws_cast(ws_load_row(flat, (long)i * K, 64), WS_F32)));
            ws_store(d, i, j, other);
        }
}

static void square(int M, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, M), c = ws_tensor_2d(C, WS_F32, M, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < M; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            for (int k = 0; k < M; k += 64)
                acc = ws_dot(ws_load(a, i, k, 64, 64), ws_load(a, k, j, 64, 64), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("same_array", argc, argv);
    int M = 100, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K);
    float *C = check_output(WS_F32, (size_t)M * M), *D = check_output(WS_F32, (size_t)M * M);

    kernel(M, K, check_place(A), check_place(C), check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < M; j++) {
            long at = i / 64 * 64 * K + j % 64;
            double m = 0, sum = test_dot(rows_of(A, K), columns_of(A, K), i, j, 0, K, &m) + ws_f16_to(A[at]);
            check_close(C, i * M + j, sum, check_dot_error(K + 1, m + 1));
            sum = j < M - M / 2 ? test_dot(rows_of(A, K), columns_of(A, K), i, j + M / 2, 0, K, &m) : 0;
            check_close(D, i * M + j, sum, check_dot_error(K, m));
        }
    float *B = check_random(WS_F32, (size_t)M * M);
    square(M, check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < M; j++) {
            double m, sum = test_dot(rows_of(B, M), rows_of(B, M), i, j, 0, M, &m);
            check_close(C, i * M + j, sum, check_dot_error(M, m) + 0x1p-10 * m);
        }
    return check_end();
}
