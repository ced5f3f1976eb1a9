/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_dot_f32: operands keep all their bits, in a pipelined loop and with a transposed operand. */
#include "test.h"

static void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), b = ws_tensor_2d(B, WS_F32, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 32) {
            ws_tile acc = ws_zeros(WS_F32, 64, 32);
            #pragma ws pipeline(3)
            for (int k = 0; k < K; k += 16)
                acc = ws_dot_f32(ws_load(a, i, k, 64, 16), ws_trans(ws_load(b, j, k, 32, 16)), acc);
            ws_store(c, i, j, acc);
        }
}

/* C = (A + 1) A^T without a pipeline: operands made in registers. */
static void square(int M, int K, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), c = ws_tensor_2d(C, WS_F32, M, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < M; j += 32) {
            ws_tile acc = ws_zeros(WS_F32, 32, 32);
            for (int k = 0; k < K; k += 16) {
                ws_tile x = ws_select(ws_lt(ws_col_index(1, 16), K - k), ws_add(ws_load(a, i, k, 32, 16), 1), 0);
                acc = ws_dot_f32(x, ws_trans(ws_load(a, j, k, 32, 16)), acc);
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("dot_f32", argc, argv);
    int M = 70, N = 50, K = 40;
    float *A = check_random(WS_F32, (size_t)M * K), *B = check_random(WS_F32, (size_t)N * K);
    float *C = check_output(WS_F32, (size_t)M * N), *D = check_output(WS_F32, (size_t)M * M);

    gemm(M, N, K, check_place(A), check_place(B), check_place(C));
    square(M, K, check_place(A), check_place(D));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), columns_of(B, K), M, N, K);
    for (long i = 0; i < M; i++)
        for (long j = 0; j < M; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                sum += (A[i * K + k] + 1.0) * A[j * K + k];
                magnitude += fabs((A[i * K + k] + 1.0) * A[j * K + k]);
            }
            check_close(D, i * M + j, sum, check_dot_error(K, magnitude) + magnitude * 0x1p-24);
        }
    return check_end();
}
