/* SPDX-License-Identifier: MIT */
/* kernels.c - what bench/run times: plain C loops, compiled by wscc like any other. */
#include <math.h>
#include <ws.h>

#include "kernels.h"

/* Groups divide the rows of a 128 x 256 tile. */
void product_rows(int M, int N, int K, const void *A, const void *B, void *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(2, rows)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 256) {
            ws_tile acc = ws_zeros(WS_F32, 128, 256);

            #pragma ws pipeline(4, 2)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(ws_load(b, j, k, 256, 64)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

/* Groups take 128 x 192 tiles in turn: one's epilogue runs under the other's products. */
void product_tiles(int M, int N, int K, const void *A, const void *B, void *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(2, tiles)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 192) {
            ws_tile acc = ws_zeros(WS_F32, 128, 192);

            #pragma ws pipeline(5, 2) pingpong
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(ws_load(b, j, k, 192, 64)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

/* O = softmax(scale Q K^T) V; scale includes log2(e). Each of Q, K, V, O is heads x L x 128. */
void attend(int heads, int L, float scale, const void *Q, const void *K, const void *V, void *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, 128);
    ws_tensor k = ws_tensor_3d(K, WS_F16, heads, L, 128);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, 128);
    ws_tensor o = ws_tensor_3d(O, WS_F16, heads, L, 128);

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += 128) {
            ws_tile tq = ws_load_3d(q, h, i, 0, 128, 128);
            ws_tile acc = ws_zeros(WS_F32, 128, 128);
            ws_tile m = ws_full(WS_F32, 128, 1, -1e30);
            ws_tile l = ws_zeros(WS_F32, 128, 1);

            #pragma ws pipeline(2)
            for (int j = 0; j < L; j += 128) {
                ws_tile s = ws_dot(tq, ws_trans(ws_load_3d(k, h, j, 0, 128, 128)), ws_zeros(WS_F32, 128, 128));
                s = ws_select(ws_lt(ws_add(ws_col_index(128, 128), j), L), s, -1e30f);
                ws_tile top = ws_max(m, ws_mul(ws_row_max(s), scale));
                ws_tile p = ws_exp2(ws_fma(s, scale, ws_neg(top)));
                ws_tile shrink = ws_exp2(ws_sub(m, top));
                l = ws_fma(l, shrink, ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_F16), ws_load_3d(v, h, j, 0, 128, 128), ws_mul(acc, shrink));
                m = top;
            }
            ws_store_3d(o, h, i, 0, ws_cast(ws_div(acc, l), WS_F16));
        }
}

void softmax(int M, int N, const void *X, void *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N);
    ws_tensor y = ws_tensor_2d(Y, WS_F16, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 8) {
        ws_tile t = ws_cast(ws_load_or(x, i, 0, 8, 1024, -INFINITY), WS_F32);
        ws_tile e = ws_exp(ws_sub(t, ws_row_max(t)));
        ws_store(y, i, 0, ws_cast(ws_div(e, ws_row_sum(e)), WS_F16));
    }
}
