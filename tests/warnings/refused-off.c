/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: --ws-target=sequential -Wno-ws-refused */
#include <ws.h>

void wide(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 256)
        for (int j = 0; j < N; j += 256) {
            ws_tile acc = ws_zeros(WS_F32, 256, 256);
            #pragma ws pipeline(8)
            for (int k = 0; k < K; k += 128)
                acc = ws_dot(ws_load(a, i, k, 256, 128), ws_trans(ws_load(b, j, k, 256, 128)), acc);
            ws_store(c, i, j, acc);
        }
}

void good(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(y, i, j, ws_load(x, i, j, 64, 64));
}
