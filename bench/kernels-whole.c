/* SPDX-License-Identifier: MIT */
/* kernels-whole.c - products whose operands keep all their bits: of doubles, and of floats at the accuracy of
   floats. */
#include "kernels.h"

#define LEFT(bm, bk, turned)  ((turned) ? ws_trans(ws_load(a, k, i, bk, bm)) : ws_load(a, i, k, bm, bk))
#define RIGHT(bn, bk, turned) ((turned) ? ws_load(b, k, j, bk, bn) : ws_trans(ws_load(b, j, k, bn, bk)))

/* Groups divide the rows. */
#define PRODUCT_WHOLE(name, type, dot, turn_a, turn_b, bm, bn, bk, clauses)                \
    void name(const product_call *p, product_choice choice)                                \
    {                                                                                      \
        const int M = p->M, N = p->N, K = p->K;                                            \
        ws_tensor a = ws_tensor_2d_ld(p->A, type, turn_a ? K : M, turn_a ? M : K, p->lda); \
        ws_tensor b = ws_tensor_2d_ld(p->B, type, turn_b ? K : N, turn_b ? N : K, p->ldb); \
        ws_tensor c = ws_tensor_2d_ld(p->C, type, M, N, p->ldc);                           \
        (void)choice;                                                                      \
        _Pragma(clauses) for (int i = 0; i < M; i += bm) for (int j = 0; j < N; j += bn)   \
        {                                                                                  \
            ws_tile acc = ws_zeros(type, bm, bn);                                          \
            _Pragma("ws pipeline(auto)") for (int k = 0; k < K; k += bk) acc =             \
                dot(LEFT(bm, bk, turn_a), RIGHT(bn, bk, turn_b), acc);                     \
            ws_store(c, i, j, acc);                                                        \
        }                                                                                  \
    }

PRODUCT_WHOLE(product_f64, WS_F64, ws_dot, 0, 0, 128, 128, 32, "ws grid(2) order(grouped(8)) consumers(2, rows)")
PRODUCT_WHOLE(product_f64_short, WS_F64, ws_dot, 0, 0, 128, 128, 16, "ws grid(2) order(grouped(8)) consumers(2, rows)")
PRODUCT_WHOLE(product_f64_four, WS_F64, ws_dot, 0, 0, 256, 64, 16, "ws grid(2) order(grouped(8)) consumers(4, rows)")
PRODUCT_WHOLE(product_f64_nn, WS_F64, ws_dot, 0, 1, 128, 128, 32, "ws grid(2) order(grouped(8)) consumers(2, rows)")
PRODUCT_WHOLE(product_f64_tn, WS_F64, ws_dot, 1, 0, 128, 128, 32, "ws grid(2) order(grouped(8)) consumers(2, rows)")
PRODUCT_WHOLE(product_f32, WS_F32, ws_dot_f32, 0, 0, 128, 128, 32, "ws grid(2) order(grouped(8)) consumers(2, rows)")
PRODUCT_WHOLE(product_f32_tall, WS_F32, ws_dot_f32, 0, 0, 256, 64, 32,
              "ws grid(2) order(grouped(8)) consumers(2, rows)")
PRODUCT_WHOLE(product_f32_three, WS_F32, ws_dot_f32, 0, 0, 192, 64, 32,
              "ws grid(2) order(grouped(8)) consumers(3, rows)")
PRODUCT_WHOLE(product_f32_nn, WS_F32, ws_dot_f32, 0, 1, 128, 128, 32, "ws grid(2) order(grouped(8)) consumers(2, rows)")
PRODUCT_WHOLE(product_f32_tn, WS_F32, ws_dot_f32, 1, 0, 128, 128, 32, "ws grid(2) order(grouped(8)) consumers(2, rows)")
