/* SPDX-License-Identifier: MIT */
/* kernels.c - our products of f16 that stand beside samples/gemm_w8a16.c: of its tile, and of the faster one. */
#include <ws.h>

#define PRODUCT_F16(name, rows, cols, clause)                                                     \
    void name(int M, int N, int K, const void *A, const void *B, void *C)                         \
    {                                                                                             \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);           \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                              \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += cols) \
        {                                                                                         \
            ws_tile acc = ws_zeros(WS_F32, rows, cols);                                           \
            _Pragma(clause) for (int k = 0; k < K; k += 64) acc =                                 \
                ws_dot(ws_load(a, i, k, rows, 64), ws_trans(ws_load(b, j, k, cols, 64)), acc);    \
            ws_store(c, i, j, ws_cast(acc, WS_F16));                                              \
        }                                                                                         \
    }
PRODUCT_F16(product_256x128, 256, 128, "ws pipeline(auto)")
PRODUCT_F16(product_128x256, 128, 256, "ws pipeline(4, 2)")
