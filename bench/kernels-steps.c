/* SPDX-License-Identifier: MIT */
/*
 * kernels-steps.c - one product in f16 in many forms: depths and products in flight (the paper's Figure 11), and step
 * by step from a plain loop to the form that lib/product has (its Figure 12).
 */
#include "kernels.h"

#define DO_(x) _Pragma(#x)
#define DO(x)  DO_(x)

#define STEP(name, grid_pragma, loop_pragma, bm, bn)                                                 \
    static void name(int M, int N, int K, const void *A, const void *B, void *C)                     \
    {                                                                                                \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);              \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                                 \
        DO(grid_pragma)                                                                              \
        for (int i = 0; i < M; i += bm)                                                              \
            for (int j = 0; j < N; j += bn) {                                                        \
                ws_tile acc = ws_zeros(WS_F32, bm, bn);                                              \
                DO(loop_pragma)                                                                      \
                for (int k = 0; k < K; k += 64)                                                      \
                    acc = ws_dot(ws_load(a, i, k, bm, 64), ws_trans(ws_load(b, j, k, bn, 64)), acc); \
                ws_store(c, i, j, ws_cast(acc, WS_F16));                                             \
            }                                                                                        \
    }

STEP(plain, ws grid(2) consumers(1), GCC unroll 1, 64, 128)
STEP(specialized, ws grid(2) consumers(1), ws pipeline(2, 1), 64, 128)
STEP(cooperative, ws grid(2) consumers(2, rows), ws pipeline(2, 1), 128, 128)
STEP(larger, ws grid(2) consumers(2, rows), ws pipeline(2, 1), 128, 256)
STEP(deeper, ws grid(2) consumers(2, rows), ws pipeline(4, 2), 128, 256)
STEP(in_turn, ws grid(2) consumers(2, tiles), ws pipeline(5, 2) pingpong, 128, 192)
STEP(chosen, ws grid(2) consumers(2, tiles), ws pipeline(auto) pingpong, 128, 192)

#define GRID(d, p) STEP(grid_##d##_##p, ws grid(2) consumers(2, tiles), ws pipeline(d, p) pingpong, 128, 192)
GRID(1, 1)
GRID(2, 1)
GRID(2, 2)
GRID(3, 1)
GRID(3, 2)
GRID(3, 3)
GRID(4, 1)
GRID(4, 2)
GRID(4, 3)
GRID(4, 4)
GRID(5, 1)
GRID(5, 2)
GRID(5, 3)
GRID(5, 4)
GRID(5, 5)

#define CELL(d, p)                             \
    {                                          \
        "D=" #d " P=" #p, d, p, grid_##d##_##p \
    }
const step steps[] = {{"no specialization, 64x128", 0, 0, plain},
                      {"specialization, D=2", 0, 0, specialized},
                      {"two groups, rows of 128x128", 0, 0, cooperative},
                      {"tile 128x256", 0, 0, larger},
                      {"D=4, P=2", 0, 0, deeper},
                      {"whole tiles in turn, 128x192, D=5", 0, 0, in_turn},
                      {"the same, D and P left to the compiler", 0, 0, chosen},
                      CELL(1, 1),
                      CELL(2, 1),
                      CELL(2, 2),
                      CELL(3, 1),
                      CELL(3, 2),
                      CELL(3, 3),
                      CELL(4, 1),
                      CELL(4, 2),
                      CELL(4, 3),
                      CELL(4, 4),
                      CELL(5, 1),
                      CELL(5, 2),
                      CELL(5, 3),
                      CELL(5, 4),
                      CELL(5, 5),
                      {NULL, 0, 0, NULL}};
