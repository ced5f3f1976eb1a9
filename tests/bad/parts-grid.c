/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid of four loops has no room for the parts. */
#include <ws.h>

void f(int n, int m, int M, int N, int K, const ws_f16 *A, float *C)
{
    ws_tensor a = ws_tensor_4d(A, WS_F16, n, m, M, K), c = ws_tensor_4d(C, WS_F32, n, m, M, N);

    #pragma ws grid(4)
    for (int x = 0; x < n; x++)
        for (int y = 0; y < m; y++)
            for (int i = 0; i < M; i += 64)
                for (int j = 0; j < N; j += 64) {
                    ws_tile sum = ws_zeros(WS_F32, 64, 64);

                    #pragma ws parts  /* wrong */
                    for (int s = 0; s < 4; s++) {
                        ws_tile part = ws_zeros(WS_F32, 64, 64);

                        #pragma ws pipeline(3)
                        for (int k = s * 64; k < K; k += 256)
                            part = ws_dot(ws_load_4d(a, x, y, i, k, 64, 64),
                                          ws_trans(ws_load_4d(a, x, y, j, k, 64, 64)), part);
                        sum = ws_add(sum, part);
                    }
                    ws_store_4d(c, x, y, i, j, sum);
                }
}
