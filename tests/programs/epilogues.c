/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can follow a product: a residual that is loaded after the loop, two outputs, row statistics, a second small
   product; and what takes many registers, behind a tile that leaves few. */
#include "test.h"

static void kernel(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *R, const ws_f16 *P, ws_f16 *C,
                   float *top, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), r = ws_tensor_2d(R, WS_F16, M, N);
    ws_tensor p = ws_tensor_2d(P, WS_F16, 64, 32), c = ws_tensor_2d(C, WS_F16, M, N);
    ws_tensor t = ws_tensor_2d(top, WS_F32, (N + 63) / 64, M), d = ws_tensor_3d(D, WS_F32, (N + 63) / 64, M, 32);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_tile sum = ws_cast(ws_add(acc, ws_cast(ws_load(r, i, j, 64, 64), WS_F32)), WS_F16);
            ws_store(c, i, j, sum);
            ws_store_col_2d(t, j / 64, i, ws_row_max(ws_abs(ws_cast(sum, WS_F32))));
            ws_store_3d(d, j / 64, i, 0, ws_dot(sum, ws_load(p, 0, 0, 64, 32), ws_zeros(WS_F32, 64, 32)));
        }
}

static void wide_gelu(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *bias, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor v = ws_tensor_1d(bias, WS_F32, N), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(2, tiles)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 192) {
            ws_tile acc = ws_zeros(WS_F32, 128, 192);
            #pragma ws pipeline(4, 2) pingpong
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(ws_load(b, j, k, 192, 64)), acc);
            ws_tile x = ws_add(acc, ws_load_row(v, j, 192));
            ws_tile phi = ws_add(ws_erf(ws_mul(x, 0.70710678f)), 1.0f);
            ws_store(c, i, j, ws_cast(ws_mul(ws_mul(x, 0.5f), phi), WS_F16));
        }
}

static void check_wide_gelu(void)
{
    int M = 136, N = 200, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    float *bias = check_random(WS_F32, N);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N);
    wide_gelu(M, N, K, check_place(A), check_place(B), check_place(bias), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double m, sum = bias[j] + test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &m);
            check_close(C, i * N + j, sum * (1 + erf(sum / sqrt(2))) / 2, 2 * check_dot_error(K + 1, m + 1));
        }
}

int main(int argc, char **argv)
{
    check_begin("epilogues", argc, argv);
    int M = 100, N = 136, K = 72, T = (N + 63) / 64;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    ws_f16 *R = check_random(WS_F16, (size_t)M * N), *P = check_random(WS_F16, 64 * 32);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N);
    float *top = check_output(WS_F32, (size_t)T * M), *D = check_output(WS_F32, (size_t)T * M * 32);

    kernel(M, N, K, check_place(A), check_place(B), check_place(R), check_place(P), check_place(C), check_place(top),
           check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++) {
        for (long j = 0; j < N; j++) {
            double m, sum = ws_f16_to(R[i * N + j]) + test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &m);
            check_close(C, i * N + j, sum, check_dot_error(K + 1, m + 1));
        }
        for (long t = 0; t < T; t++) {
            long last = t * 64 + 64 < N ? t * 64 + 64 : N;
            double most = 0;
            for (long j = t * 64; j < last; j++)
                most = fmax(most, fabs(ws_f16_to(C[i * N + j])));
            check_equal(top, t * M + i, most);
            for (long q = 0; q < 32; q++) {
                double m, sum = test_dot(from(rows_of(C, N), t * 64), rows_of(P, 32), i, q, 0, last - t * 64, &m);
                check_close(D, (t * M + i) * 32 + q, sum, check_dot_error(64, m));
            }
        }
    }
    check_next();
    check_wide_gelu();
    return check_end();
}
