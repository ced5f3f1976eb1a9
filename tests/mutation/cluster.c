/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: clusters whose blocks share one operand of a product, and both. */
#include <ws.h>

#define PRODUCT(name, clause, pipeline, BM, BN)                                            \
    void name(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)            \
    {                                                                                      \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);    \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                       \
        _Pragma(clause) for (int i = 0; i < M; i += BM) for (int j = 0; j < N; j += BN)    \
        {                                                                                  \
            ws_tile acc = ws_zeros(WS_F32, BM, BN);                                        \
            _Pragma(pipeline) for (int k = 0; k < K; k += 32) acc =                        \
                ws_dot(ws_load(a, i, k, BM, 32), ws_trans(ws_load(b, j, k, BN, 32)), acc); \
            ws_store(c, i, j, ws_cast(acc, WS_F16));                                       \
        }                                                                                  \
    }
PRODUCT(one_shared, "ws grid(2) cluster(2) consumers(1)", "ws pipeline(3, 2)", 64, 32)
PRODUCT(both_shared, "ws grid(2) cluster(2, 2) consumers(2, rows)", "ws pipeline(2, 1)", 128, 32)
PRODUCT(in_turn, "ws grid(2) cluster(1, 2) consumers(2, tiles)", "ws pipeline(3, 2) pingpong", 64, 32)
