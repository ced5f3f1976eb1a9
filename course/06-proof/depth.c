/* SPDX-License-Identifier: MIT */
/* depth.c - the product with a ring of D slots and P iterations of products in flight: -DD=4 -DP=2. */
#include <ws.h>

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);

            #pragma ws pipeline(D, P)
            for (int k = 0; k < K; k += 64) {
                ws_tile ta = ws_load(a, i, k, 128, 64);
                ws_tile tb = ws_load(b, j, k, 128, 64);
                acc = ws_dot(ta, ws_trans(tb), acc);
            }
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}
