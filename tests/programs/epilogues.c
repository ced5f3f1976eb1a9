/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can follow a product: a residual that is loaded after the loop, two outputs, row statistics, a second small product. */
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
    return check_end();
}
