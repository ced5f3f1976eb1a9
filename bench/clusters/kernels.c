/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels.c - the product and the attention of bench/first, once for each cluster and order of tiles: NAME_FORM.  A
   pragma's clauses are no expressions, so a macro makes them.  */
#include <ws.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#define PRODUCT(FORM, CLAUSES)                                                                                         \
    void product_##FORM(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)                              \
    {                                                                                                                  \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);                                \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                                                   \
        _Pragma(TEXT(ws grid(2) CLAUSES)) for (int i = 0; i < M; i += 128) for (int j = 0; j < N; j += 128)            \
        {                                                                                                              \
            ws_tile acc = ws_zeros(WS_F32, 128, 128);                                                                  \
            _Pragma("ws pipeline(auto)") for (int k = 0; k < K; k += 64) acc =                                         \
                ws_dot(ws_load(a, i, k, 128, 64), ws_trans(ws_load(b, j, k, 128, 64)), acc);                           \
            ws_store(c, i, j, ws_cast(acc, WS_F16));                                                                   \
        }                                                                                                              \
    }

#define WEIGHTS(FORM, CLAUSES)                                                                                         \
    void weights_##FORM(int M, int N, int K, const ws_f16 *A, const signed char *B, ws_f16 *C)                         \
    {                                                                                                                  \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_I8, N, K);                                 \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                                                   \
        _Pragma(TEXT(ws grid(2) CLAUSES)) for (int i = 0; i < M; i += 128) for (int j = 0; j < N; j += 128)            \
        {                                                                                                              \
            ws_tile acc = ws_zeros(WS_F32, 128, 128);                                                                  \
            _Pragma("ws pipeline(auto)") for (int k = 0; k < K; k += 64)                                               \
            {                                                                                                          \
                ws_tile w = ws_cast(ws_load(b, j, k, 128, 64), WS_F16);                                                \
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(w), acc);                                             \
            }                                                                                                          \
            ws_store(c, i, j, ws_cast(acc, WS_F16));                                                                   \
        }                                                                                                              \
    }

#define ATTENTION(FORM, CLAUSES)                                                                                       \
    void attention_##FORM(int heads, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O) \
    {                                                                                                                  \
        ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, 64), k = ws_tensor_3d(K, WS_F16, heads, L, 64);                \
        ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, 64), o = ws_tensor_3d(O, WS_F16, heads, L, 64);                \
        _Pragma(TEXT(ws grid(2) CLAUSES)) for (int h = 0; h < heads; h++) for (int i = 0; i < L; i += 128)             \
        {                                                                                                              \
            ws_tile tq = ws_load_3d(q, h, i, 0, 128, 64), acc = ws_zeros(WS_F32, 128, 64);                             \
            ws_tile most = ws_full(WS_F32, 128, 1, -1e30), sum = ws_zeros(WS_F32, 128, 1);                             \
            _Pragma("ws pipeline(auto)") for (int j = 0; j < L; j += 128)                                              \
            {                                                                                                          \
                ws_tile s = ws_dot(tq, ws_trans(ws_load_3d(k, h, j, 0, 128, 64)), ws_zeros(WS_F32, 128, 128));         \
                s = ws_mul(s, scale);                                                                                  \
                s = ws_select(ws_lt(ws_col_index(1, 128), L - j), s, -1e30);                                           \
                ws_tile now = ws_max(most, ws_row_max(s)), p = ws_exp(ws_sub(s, now));                                 \
                ws_tile shrink = ws_exp(ws_sub(most, now));                                                            \
                sum = ws_fma(sum, shrink, ws_row_sum(p));                                                              \
                acc = ws_dot(ws_cast(p, WS_F16), ws_load_3d(v, h, j, 0, 128, 64), ws_mul(acc, shrink));                \
                most = now;                                                                                            \
            }                                                                                                          \
            ws_store_3d(o, h, i, 0, ws_cast(ws_div(acc, sum), WS_F16));                                                \
        }                                                                                                              \
    }

PRODUCT(chosen, )
PRODUCT(1x1, cluster(1))
PRODUCT(by16, cluster(1) order(grouped(16)))
PRODUCT(2x1, cluster(2))
PRODUCT(1x2, cluster(1, 2))
PRODUCT(2x2, cluster(2, 2))
PRODUCT(row, cluster(1) order(row))
PRODUCT(by4, cluster(1) order(grouped(4)))
PRODUCT(by8, cluster(1) order(grouped(8)))
PRODUCT(by12, cluster(1) order(grouped(12)))
PRODUCT(by32, cluster(1) order(grouped(32)))
PRODUCT(2x1_by8, cluster(2) order(grouped(8)))
PRODUCT(1x2_by8, cluster(1, 2) order(grouped(8)))
WEIGHTS(chosen, )
WEIGHTS(2x1, cluster(2))
WEIGHTS(1x2, cluster(1, 2))
WEIGHTS(by8, order(grouped(8)))
ATTENTION(chosen, )
ATTENTION(1x2, cluster(1, 2))
ATTENTION(1x4, cluster(1, 4))
