/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bit field of a parameter, in a grid. */
#include <ws.h>

struct flags {
    unsigned shift : 3, mode : 5;
};

void f(int M, int N, struct flags flags, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(c, i, j, ws_load(a, i + flags.mode, j, 64, 64)); /* wrong */
}
