/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts outside a grid. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws parts  /* wrong */
    for (int s = 0; s < 4; s++)
        ws_store(c, s, 0, ws_load(c, s, 0, 64, 64));
    (void)a, (void)b;
}
