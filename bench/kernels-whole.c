/* SPDX-License-Identifier: MIT */
/* kernels-whole.c - products whose operands keep all their bits: of doubles, and of floats at the accuracy of floats. */
#include "kernels.h"

#define LEFT(bm, bk, turned)  ((turned) ? ws_trans(ws_load(a, k, i, bk, bm)) : ws_load(a, i, k, bm, bk))
#define RIGHT(bn, bk, turned) ((turned) ? ws_load(b, k, j, bk, bn) : ws_trans(ws_load(b, j, k, bn, bk)))

#define PRODUCT_WHOLE(name, type, dot, trans_a, trans_b, bm, bn, bk)                                               \
    void name(const product_call *p, product_choice choice)                                                      \
    {                                                                                                            \
        const int M = p->M, N = p->N, K = p->K;                                                                  \
        ws_tensor a = ws_tensor_2d_ld(p->A, type, trans_a ? K : M, trans_a ? M : K, p->lda);                       \
        ws_tensor b = ws_tensor_2d_ld(p->B, type, trans_b ? K : N, trans_b ? N : K, p->ldb);                       \
        ws_tensor c = ws_tensor_2d_ld(p->C, type, M, N, p->ldc);                                                 \
        (void)choice;                                                                                            \
        _Pragma("ws grid(2) order(grouped(8)) consumers(2, rows)") for (int i = 0; i < M;                        \
                                                                        i += bm) for (int j = 0; j < N; j += bn) \
        {                                                                                                        \
            ws_tile acc = ws_zeros(type, bm, bn);                                                                \
            _Pragma("ws pipeline(auto)") for (int k = 0; k < K; k += bk) acc =                                   \
                dot(LEFT(bm, bk, trans_a), RIGHT(bn, bk, trans_b), acc);                                           \
            ws_store(c, i, j, acc);                                                                              \
        }                                                                                                        \
    }

PRODUCT_WHOLE(product_f64, WS_F64, ws_dot, 0, 0, 128, 128, 16)
PRODUCT_WHOLE(product_f64_tall, WS_F64, ws_dot, 0, 0, 256, 64, 16)
PRODUCT_WHOLE(product_f64_nn, WS_F64, ws_dot, 0, 1, 128, 128, 16)
PRODUCT_WHOLE(product_f64_tn, WS_F64, ws_dot, 1, 0, 128, 128, 16)
PRODUCT_WHOLE(product_f32, WS_F32, ws_dot_f32, 0, 0, 256, 128, 32)
PRODUCT_WHOLE(product_f32_low, WS_F32, ws_dot_f32, 0, 0, 128, 128, 32)
PRODUCT_WHOLE(product_f32_nn, WS_F32, ws_dot_f32, 0, 1, 128, 128, 32)
PRODUCT_WHOLE(product_f32_tn, WS_F32, ws_dot_f32, 1, 0, 128, 128, 32)
