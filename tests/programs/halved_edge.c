/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of 200 columns, dealt to groups that take turns: of the last of a row half is there, more than that, or all. */
#include "test.h"

static void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2) consumers(2, tiles)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 200) {
            ws_tile acc = ws_zeros(WS_F32, 64, 200);

#pragma ws pipeline(3, 2) pingpong
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 200, 64)), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    static const int widths[] = {200, 292, 296, 297, 392, 60, 4};
    int M = 330, K = 136;
    check_begin("halved_edge", argc, argv);
    for (int w = 0; w < (int)(sizeof widths / sizeof *widths); w++) {
        int N = widths[w];
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
        float *C = check_output(WS_F32, (size_t)M * N);
        product(M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double magnitude = 0, sum = 0;
                for (long k = 0; k < K; k++) {
                    double x = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
                    sum += x;
                    magnitude += fabs(x);
                }
                check_close(C, (size_t)(i * N + j), sum, check_dot_error(K, magnitude));
            }
        check_next();
    }
    return check_end();
}
