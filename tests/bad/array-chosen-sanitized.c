/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As array-chosen, beside all that the sanitizers want to know of the address. options: -O2 -fsanitize=address,undefined */
#include <ws.h>

static const float table[3] = {0.5f, 1, 2};

void f(int M, int N, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(c, i, j, ws_full(WS_F32, 64, 64, table[i % 3])); /* wrong */
}
