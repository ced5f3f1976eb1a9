/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of the program's own arrays, chosen by a variable. */
#include <ws.h>

static const int offsets[4] = {0, 32, 96, 160};

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            const float weights[3] = {0.25f, 0.5f, 0.25f};
            ws_tile sum = ws_zeros(WS_F32, 64, 64);
            for (int n = 0; n < K; n++) {
                ws_tile x = ws_load(a, i, offsets[n % 4], 64, 64);         /* wrong */
                sum = ws_add(sum, ws_mul(ws_cast(x, WS_F32), weights[n])); /* wrong */
            }
            ws_store(c, i, j, sum);
        }
}
