/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile that is made before the grid. */
#include <ws.h>

void f(int M, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, 64), c = ws_tensor_2d(C, WS_F32, M, 64);
    ws_tile first = ws_load(a, 0, 0, 64, 64);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        ws_store(c, i, 0, ws_add(ws_load(a, i, 0, 64, 64), first)); /* wrong */
}
