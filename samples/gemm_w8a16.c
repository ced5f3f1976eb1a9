/* SPDX-License-Identifier: MIT */
/*
 * gemm_w8a16 - a matrix product of f16 activations and weights of one byte: C = A W^T, a scale for each row of W.
 *
 * Nothing here says who converts. Tensor cores take a left operand from registers, a right one from shared memory,
 * where a role of its own would have to put the halves. So the compiler makes C^T = W A^T of the first kernel: each
 * group casts those weights that it multiplies, and stores the columns of C that its rows become (-fopt-info-optall
 * tells). The second kernel says so itself.
 */
#include "check.h"

/* A is M x K, W is N x K, S has N scales, C is M x N, all row-major. */
void gemm_w8a16(int M, int N, int K, const ws_f16 *A, const signed char *W, const float *S, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor w = ws_tensor_2d(W, WS_I8, N, K);
    ws_tensor s = ws_tensor_1d(S, WS_F32, N);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 256)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 256, 128);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64) {
                ws_tile x = ws_load(a, i, k, 256, 64);
                ws_tile halves = ws_cast(ws_load(w, j, k, 128, 64), WS_F16);
                acc = ws_dot(x, ws_trans(halves), acc);
            }
            ws_store(c, i, j, ws_cast(ws_mul(acc, ws_load_row(s, j, 128)), WS_F16));
        }
}

void gemm_w8a16_left(int M, int N, int K, const ws_f16 *A, const signed char *W, const float *S, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor w = ws_tensor_2d(W, WS_I8, N, K);
    ws_tensor s = ws_tensor_1d(S, WS_F32, N);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 256)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 256);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64) {
                ws_tile halves = ws_cast(ws_load(w, j, k, 128, 64), WS_F16);
                acc = ws_dot(halves, ws_trans(ws_load(a, i, k, 256, 64)), acc);
            }
            ws_store(c, i, j, ws_trans(ws_cast(ws_mul(acc, ws_load_col(s, j, 128)), WS_F16)));
        }
}

int main(int argc, char **argv)
{
    check_begin("gemm_w8a16", argc, argv);
    int M = check_size(1, 300), N = check_size(2, 168), K = check_size(3, 208);
    ws_f16 *A = check_random(WS_F16, (size_t)M * K);
    signed char *W = check_random(WS_I8, (size_t)N * K);
    float *S = check_random(WS_F32, (size_t)N);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N), *D = check_output(WS_F16, (size_t)M * N);

    gemm_w8a16(M, N, K, check_place(A), check_place(W), check_place(S), check_place(C));
    gemm_w8a16_left(M, N, K, check_place(A), check_place(W), check_place(S), check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double product = (double)ws_f16_to(A[i * K + k]) * W[j * K + k];
                sum += product;
                magnitude += fabs(product);
            }
            check_close(C, i * N + j, sum * S[j], check_dot_error(K, magnitude) * fabs(S[j]));
            check_close(D, i * N + j, sum * S[j], check_dot_error(K, magnitude) * fabs(S[j]));
        }
    return check_end();
}
