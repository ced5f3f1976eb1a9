/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More tasks than a block has groups. */
#include <ws.h>

void f(int n, const ws_f16 *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, n, 64), y = ws_tensor_2d(Y, WS_F32, n, 8);

#pragma ws grid(1)
    for (int i = 0; i < n; i += 64) {
        ws_tile s = ws_zeros(WS_F32, 64, 8);
#pragma ws pipeline(2)
        for (int k = 0; k < 64; k += 8) {
            ws_tile a = ws_cast(ws_load(x, i, k, 64, 8), WS_F32);
            {
#pragma ws task(t1)
                a = ws_add(a, 1.0f);
            }
            {
#pragma ws task(t2)
                a = ws_add(a, 1.0f);
            }
            {
#pragma ws task(t3)
                a = ws_add(a, 1.0f);
            }
            {
#pragma ws task(t4)
                a = ws_add(a, 1.0f);
            }
            {
#pragma ws task(t5)
                a = ws_add(a, 1.0f);
            }
            {
#pragma ws task(t6)
                a = ws_add(a, 1.0f);
            }
            {
#pragma ws task(t7) /* wrong */
                a = ws_add(a, 1.0f);
            }
            {
#pragma ws task(t8)
                a = ws_add(a, 1.0f);
            }
            s = ws_add(s, a);
        }
        ws_store(y, i, 0, s);
    }
}
