/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A statement between the pragma and the loop, which GCC knows by a range of text. */
#include <ws.h>

void f(int M, int N, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, M), c = ws_tensor_2d(C, WS_F32, 64, M);
    int n;

#pragma ws grid(1) /* wrong */
    n = N < M ? N : M;
    for (int i = 0; i < n; i += 64)
        ws_store(c, 0, i, ws_load(a, 0, i, 64, 64));
}
