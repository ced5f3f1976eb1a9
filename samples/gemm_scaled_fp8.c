/* SPDX-License-Identifier: MIT */
/*
 * gemm_scaled_fp8 - a matrix product of e4m3 with a scale for each 128 of k: of every row of A, and of 128 rows of B.
 *
 * The tensor cores sum 128 products; the groups scale these sums and add them up in f32. In the second kernel a task
 * says how many groups that are, and what registers they have.
 */
#include "check.h"

/* A is M x K, B is N x K; SA has K/128 rows of M scales, SB K/128 rows of one for each 128 of N; C is M x N. */
void gemm_scaled_fp8(int M, int N, int K, const ws_e4m3 *A, const ws_e4m3 *B, const float *SA, const float *SB,
                     ws_bf16 *C)
{
    int blocks = (K + 127) / 128, columns = (N + 127) / 128;
    ws_tensor a = ws_tensor_2d(A, WS_E4M3, M, K), sa = ws_tensor_2d(SA, WS_F32, blocks, M);
    ws_tensor b = ws_tensor_2d(B, WS_E4M3, N, K), sb = ws_tensor_1d(SB, WS_F32, blocks * columns);
    ws_tensor c = ws_tensor_2d(C, WS_BF16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 192)
        for (int j = 0; j < N; j += 128) {
            ws_tile sum = ws_zeros(WS_F32, 192, 128);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 128) {
                ws_tile x = ws_load(a, i, k, 192, 128), y = ws_load(b, j, k, 128, 128);
                ws_tile part = ws_dot(x, ws_trans(y), ws_zeros(WS_F32, 192, 128));
                float scale = ws_at_float(sb, k / 128 * columns + j / 128);
                sum = ws_fma(part, ws_mul(ws_load_col_2d(sa, k / 128, i, 192), scale), sum);
            }
            ws_store(c, i, j, ws_cast(sum, WS_BF16));
        }
}

void gemm_scaled_fp8_tasks(int M, int N, int K, const ws_e4m3 *A, const ws_e4m3 *B, const float *SA, const float *SB,
                           ws_bf16 *C)
{
    int blocks = (K + 127) / 128, columns = (N + 127) / 128;
    ws_tensor a = ws_tensor_2d(A, WS_E4M3, M, K), sa = ws_tensor_2d(SA, WS_F32, blocks, M);
    ws_tensor b = ws_tensor_2d(B, WS_E4M3, N, K), sb = ws_tensor_1d(SB, WS_F32, blocks * columns);
    ws_tensor c = ws_tensor_2d(C, WS_BF16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 192)
        for (int j = 0; j < N; j += 128) {
            ws_tile sum = ws_zeros(WS_F32, 192, 128);

            #pragma ws pipeline(4) ring(y, 6)
            for (int k = 0; k < K; k += 128) {
                ws_tile x = ws_load(a, i, k, 192, 128), y = ws_load(b, j, k, 128, 128);
                {
                    #pragma ws task(multiply) groups(3) registers(160)
                    ws_tile part = ws_dot(x, ws_trans(y), ws_zeros(WS_F32, 192, 128));
                    float scale = ws_at_float(sb, k / 128 * columns + j / 128);
                    sum = ws_fma(part, ws_mul(ws_load_col_2d(sa, k / 128, i, 192), scale), sum);
                }
            }
            ws_store(c, i, j, ws_cast(sum, WS_BF16));
        }
}

int main(int argc, char **argv)
{
    check_begin("gemm_scaled_fp8", argc, argv);
    int M = check_size(1, 200), N = check_size(2, 264), K = check_size(3, 304);
    int blocks = (K + 127) / 128, columns = (N + 127) / 128;
    ws_e4m3 *A = check_random(WS_E4M3, (size_t)M * K), *B = check_random(WS_E4M3, (size_t)N * K);
    float *SA = check_random(WS_F32, (size_t)M * blocks), *SB = check_random(WS_F32, (size_t)columns * blocks);
    for (int tasks = 0; tasks < 2; tasks++) {
        ws_bf16 *C = check_output(WS_BF16, (size_t)M * N);
        (tasks ? gemm_scaled_fp8_tasks : gemm_scaled_fp8)(M, N, K, check_place(A), check_place(B), check_place(SA),
                                                          check_place(SB), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < K; k++) {
                    double scale = (double)SA[k / 128 * M + i] * SB[k / 128 * columns + j / 128];
                    double product = check_at(A, (size_t)(i * K + k)) * check_at(B, (size_t)(j * K + k)) * scale;
                    sum += product;
                    magnitude += fabs(product);
                }
                check_close(C, i * N + j, sum, check_dot_error(K, magnitude) + magnitude / 1024);
            }
    }
    return check_end();
}
