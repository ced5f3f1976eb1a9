/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid's bound read through a pointer each time. */
#include <ws.h>

struct shape {
    int rows, cols;
};

void f(const struct shape *s, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, s->rows, s->cols);

    #pragma ws grid(2)
    for (int i = 0; i < s->rows; i += 64) /* wrong */
        for (int j = 0; j < 128; j += 64)
            ws_store(c, i, j, ws_zeros(WS_F32, 64, 64));
}
