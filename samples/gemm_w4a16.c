/* SPDX-License-Identifier: MIT */
/*
 * gemm_w4a16 - a matrix product of f16 activations and weights of four bits: C = A W^T, a scale for each 128 of a row.
 *
 * A byte holds two weights plus 8, of columns 64 apart: low half k, high half k + 64. Both kernels do the same. The
 * first makes C^T = W A^T: weights are the left operand, which tensor cores take from registers, so each group unpacks
 * those that it multiplies. In the second they are the right one, which has to lie in shared memory; a task says who
 * unpacks, with what registers, and how deep the rings behind it are.
 */
#include "check.h"

/* What 64 bytes of each row are: 64 weights in their low halves, 64 in their high ones. */
static void unpack(ws_tile bytes, ws_tile scale, ws_tile *low, ws_tile *high)
{
    *low = ws_cast(ws_mul(ws_sub(ws_cast(ws_bit_and(bytes, 15), WS_F32), 8), scale), WS_F16);
    *high = ws_cast(ws_mul(ws_sub(ws_cast(ws_ushr(bytes, 4), WS_F32), 8), scale), WS_F16);
}

/* A is M x K, W is N x K/2 bytes, S has K/128 rows of N scales, C is M x N; K is a multiple of 128. */
void gemm_w4a16(int M, int N, int K, const ws_f16 *A, const unsigned char *W, const float *S, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_U8, N, K / 2);
    ws_tensor s = ws_tensor_2d(S, WS_F32, K / 128, N), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 256)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 256);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 128) {
                ws_tile low, high;
                unpack(ws_load(w, j, k / 2, 128, 64), ws_load_col_2d(s, k / 128, j, 128), &low, &high);
                acc = ws_dot(low, ws_trans(ws_load(a, i, k, 256, 64)), acc);
                acc = ws_dot(high, ws_trans(ws_load(a, i, k + 64, 256, 64)), acc);
            }
            ws_store(c, i, j, ws_trans(ws_cast(acc, WS_F16)));
        }
}

void gemm_w4a16_tasks(int M, int N, int K, const ws_f16 *A, const unsigned char *W, const float *S, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_U8, N, K / 2);
    ws_tensor s = ws_tensor_2d(S, WS_F32, K / 128, N), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);

            #pragma ws pipeline(2, 2)
            for (int k = 0; k < K; k += 128) {
                ws_tile x = ws_load(a, i, k, 128, 64), y = ws_load(a, i, k + 64, 128, 64);
                ws_tile bytes = ws_load(w, j, k / 2, 128, 64), low, high;
                {
                    #pragma ws task(unpack) registers(128) ring(bytes, 3) ring(low, 2) ring(high, 2)
                    unpack(bytes, ws_load_col_2d(s, k / 128, j, 128), &low, &high);
                }
                {
                    #pragma ws task(multiply) groups(2)
                    acc = ws_dot(x, ws_trans(low), acc);
                    acc = ws_dot(y, ws_trans(high), acc);
                }
            }
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

int main(int argc, char **argv)
{
    check_begin("gemm_w4a16", argc, argv);
    int M = check_size(1, 300), N = check_size(2, 168), K = 128 * check_size(3, 3);
    ws_f16 *A = check_random(WS_F16, (size_t)M * K);
    unsigned char *W = check_random(WS_U8, (size_t)N * K / 2);
    float *S = check_random(WS_F32, (size_t)N * K / 128);
    for (int tasks = 0; tasks < 2; tasks++) {
        ws_f16 *C = check_output(WS_F16, (size_t)M * N);
        (tasks ? gemm_w4a16_tasks : gemm_w4a16)(M, N, K, check_place(A), check_place(W), check_place(S),
                                                check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < K; k++) {
                    int byte = W[j * K / 2 + k / 128 * 64 + k % 64];
                    int weight = (k % 128 < 64 ? byte % 16 : byte / 16) - 8;
                    double product = ws_f16_to(A[i * K + k]) * (double)weight * S[k / 128 * N + j];
                    sum += product;
                    magnitude += fabs(product);
                }
                check_close(C, i * N + j, sum, check_dot_error(K, magnitude) + magnitude / 1024);
            }
    }
    return check_end();
}
