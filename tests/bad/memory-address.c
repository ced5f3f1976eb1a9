/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address of an element that the grid chooses becomes a number. */
#include <ws.h>

static const int table[4] = {1, 2, 3, 4};

void f(int M, int N, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(c, i, j, ws_full(WS_F32, 64, 64, (long)&table[i % 4] % 16)); /* wrong */
}
