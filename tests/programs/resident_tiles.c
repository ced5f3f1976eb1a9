/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of one column follow each other and want the same of B, which stays in its slots until the next column: by
   groups in turn, by groups that divide the rows, for each matrix of a batch, and with as many slots as there is room
   for. */
#include "test.h"

#define PRAGMA(text) _Pragma(#text)
#define KEPT(name, type, element, BM, BN, BK, STEPS, clauses)                                                        \
    static void name(int batch, int M, int N, int K, const element *A, const element *B, float *C)                   \
    {                                                                                                                \
        ws_tensor a = ws_tensor_3d(A, type, batch, M, K), b = ws_tensor_3d(B, type, batch, N, K);                    \
        ws_tensor c = ws_tensor_3d(C, WS_F32, batch, M, N);                                                          \
        PRAGMA(ws grid(3) order(column) clauses)                                                                     \
        for (int n = 0; n < batch; n++)                                                                              \
            for (int i = 0; i < M; i += BM)                                                                          \
                for (int j = 0; j < N; j += BN) {                                                                    \
                    ws_tile acc = ws_zeros(WS_F32, BM, BN);                                                          \
                    PRAGMA(ws pipeline(auto))                                                                        \
                    for (int k = 0; k < STEPS * BK; k += BK)                                                         \
                        acc = ws_dot(ws_load_3d(a, n, i, k, BM, BK), ws_trans(ws_load_3d(b, n, j, k, BN, BK)), acc); \
                    ws_store_3d(c, n, i, j, acc);                                                                    \
                }                                                                                                    \
    }
KEPT(in_turn, WS_F16, ws_f16, 64, 64, 32, 3, )
KEPT(divided, WS_F16, ws_f16, 128, 64, 32, 2, consumers(2, rows))
KEPT(bytes, WS_E4M3, ws_e4m3, 64, 128, 64, 1, consumers(1))
KEPT(tight, WS_F16, ws_f16, 64, 256, 128, 2, ) /* one tile ahead */

#define CHECK(name, type, element)                                                                                  \
    {                                                                                                               \
        element *A = check_random(type, (size_t)(batch * M * K)), *B = check_random(type, (size_t)(batch * N * K)); \
        float *C = check_output(WS_F32, (size_t)(batch * M * N));                                                   \
        name(batch, M, N, K, check_place(A), check_place(B), check_place(C));                                       \
        check_fetch();                                                                                              \
        for (long x = 0; x < (long)batch * M * N; x++) {                                                            \
            const long n = x / N / M, i = x / N % M, j = x % N;                                                     \
            double sum = 0, magnitude = 0;                                                                          \
            for (long k = 0; k < K; k++) {                                                                          \
                double y = (double)element##_to(A[(n * M + i) * K + k]) * element##_to(B[(n * N + j) * K + k]);     \
                sum += y;                                                                                           \
                magnitude += fabs(y);                                                                               \
            }                                                                                                       \
            check_close(C, (size_t)x, sum,                                                                          \
                        check_dot_error(K, magnitude) + (sizeof(element) == 1 ? magnitude / 2048 : 0));             \
        }                                                                                                           \
    }

int main(int argc, char **argv)
{
    check_begin("resident_tiles", argc, argv);
    int M = check_size(1, 700), N = check_size(2, 136), K = check_size(3, 64), batch = 2;
    CHECK(in_turn, WS_F16, ws_f16)
    CHECK(divided, WS_F16, ws_f16)
    CHECK(bytes, WS_E4M3, ws_e4m3)
    CHECK(tight, WS_F16, ws_f16)
    return check_end();
}
