/* SPDX-License-Identifier: MIT */
/*
 * softmax_gemm - C = softmax(A) B: the rows of A become probabilities on their way into a product.
 *
 * One product in the loop, whose left operand is computed. A row's maximum and sum are not known before its end, so
 * both run along, and what was added before is scaled down when a larger number comes. Four groups of 64 rows each:
 * in turn at the tensor cores they hide what two of 128 rows would wait for.
 */
#include "check.h"

enum { ROWS = 256, COLS = 128, CHUNK = 64 };

void softmax_gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);

            #pragma ws pipeline(3)
            for (int k = 0; k < K; k += CHUNK) {
                ws_tile x = ws_cast(ws_load_or(a, i, k, ROWS, CHUNK, -INFINITY), WS_F32);
                ws_tile now = ws_max(top, ws_row_max(x));
                ws_tile p = ws_exp(ws_sub(x, now)), added = ws_row_sum(p), shrink = ws_exp(ws_sub(top, now));
                ws_tile rest = ws_mul(acc, shrink), half = ws_cast(p, WS_F16);
                acc = ws_dot(half, ws_load(b, k, j, CHUNK, COLS), rest);
                sum = ws_fma(sum, shrink, added);
                top = now;
            }
            ws_store(c, i, j, ws_div(acc, sum));
        }
}

int main(int argc, char **argv)
{
    check_begin("softmax_gemm", argc, argv);
    int M = check_size(1, 150), N = check_size(2, 136), K = check_size(3, 200);
    ws_f16 *A = check_range(WS_F16, (size_t)M * K, -4, 4), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)M * N);

    softmax_gemm(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double sum = 0;
        for (long k = 0; k < K; k++)
            sum += exp(ws_f16_to(A[i * K + k]));
        for (long j = 0; j < N; j++) {
            double y = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double product = exp(ws_f16_to(A[i * K + k])) / sum * ws_f16_to(B[k * N + j]);
                y += product;
                magnitude += fabs(product);
            }
            check_close(C, i * N + j, y, 0x1p-10 * magnitude);
        }
    }
    return check_end();
}
