/* SPDX-License-Identifier: GPL-3.0-or-later */
/* consumers(n, tiles): groups take whole tiles in turn, with more and with fewer tiles than groups; pingpong. */
#include "test.h"

#define GEMM(name, clauses, loop)                                                          \
    static void name(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)     \
    {                                                                                      \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K),    \
                  c = ws_tensor_2d(C, WS_F16, M, N);                                       \
        _Pragma(clauses) for (int i = 0; i < M; i += 64) for (int j = 0; j < N; j += 32)   \
        {                                                                                  \
            ws_tile acc = ws_zeros(WS_F32, 64, 32);                                        \
            _Pragma(loop) for (int k = 0; k < K; k += 32) acc =                            \
                ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 32, 32)), acc); \
            ws_store(c, i, j, ws_cast(acc, WS_F16));                                       \
        }                                                                                  \
    }
GEMM(two, "ws grid(2) persistent consumers(2, tiles)", "ws pipeline(3, 2)")
GEMM(three, "ws grid(2) persistent consumers(3, tiles)", "ws pipeline(3, 2)")
GEMM(turns, "ws grid(2) persistent consumers(2, tiles)", "ws pipeline(4, 2) pingpong")

int main(int argc, char **argv)
{
    static const int shapes[][3] = {{250, 150, 72}, {64, 32, 96}, {128, 32, 0}, {64, 96, 20}};
    void (*gemm[])(int, int, int, const ws_f16 *, const ws_f16 *, ws_f16 *) = {two, three, turns};
    check_begin("consumers_by_tiles", argc, argv);
    for (size_t s = 0; s < 12; s++) {
        int M = shapes[s / 3][0], N = shapes[s / 3][1], K = shapes[s / 3][2];
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
        ws_f16 *C = check_output(WS_F16, (size_t)M * N);
        gemm[s % 3](M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        test_product(rows_of(C, N), rows_of(A, K), columns_of(B, K), M, N, K);
        check_next();
    }
    return check_end();
}
