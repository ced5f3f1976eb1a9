/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights stored as i8 with a scale per group of 32: cast, scaled, and only then multiplied; the same with e4m3
   tiles. */
#include "test.h"

static void w8a16(int M, int N, int K, const ws_f16 *A, const signed char *W, const float *scales, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K);
    ws_tensor s = ws_tensor_2d(scales, WS_F32, (K + 31) / 32, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3)
            for (int k = 0; k < K; k += 32) {
                ws_tile q = ws_cast(ws_load(w, j, k, 64, 32), WS_F32);
                ws_tile b = ws_cast(ws_mul(q, ws_load_col_2d(s, k / 32, j, 64)), WS_F16);
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(b), acc);
            }
            ws_store(c, i, j, acc);
        }
}

/* Products of e4m3 blocks, each scaled by its own factor before it is added. */
static void scaled(int M, int N, int K, const ws_e4m3 *A, const ws_e4m3 *B, const float *scales, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_E4M3, M, K), b = ws_tensor_2d(B, WS_E4M3, N, K);
    ws_tensor s = ws_tensor_2d(scales, WS_F32, (K + 31) / 32, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 1)
            for (int k = 0; k < K; k += 32) {
                ws_tile p =
                    ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), ws_zeros(WS_F32, 64, 64));
                acc = ws_fma(p, ws_load_row_2d(s, k / 32, j, 64), acc);
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("dequantize", argc, argv);
    int M = 64, N = 80, K = 112;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K);
    ws_e4m3 *E = check_random(WS_E4M3, (size_t)M * K), *F = check_random(WS_E4M3, (size_t)N * K);
    signed char *W = check_random(WS_I8, (size_t)N * K);
    float *scales = check_random(WS_F32, (size_t)(K + 31) / 32 * N);
    float *C = check_output(WS_F32, (size_t)M * N), *D = check_output(WS_F32, (size_t)M * N);

    w8a16(M, N, K, check_place(A), check_place(W), check_place(scales), check_place(C));
    scaled(M, N, K, check_place(E), check_place(F), check_place(scales), check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double c = 0, d = 0, mc = 0, md = 0;
            for (long k = 0; k < K; k++) {
                double scale = scales[k / 32 * N + j], p = ws_f16_to(A[i * K + k]) * W[j * K + k] * scale;
                double q = ws_e4m3_to(E[i * K + k]) * ws_e4m3_to(F[j * K + k]) * scale;
                c += p, mc += fabs(p), d += q, md += fabs(q);
            }
            check_close(C, i * N + j, c, check_dot_error(K, mc) + 0x1p-11 * mc);
            check_close(D, i * N + j, d, check_dot_error(K, md) + 0x1p-11 * md + 1e-6);
        }
    return check_end();
}
