/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile is loaded in front of a loop that asks for parts of its rows: the loop carries parts of it, and what is
   computed beside the loop looks at all of it, which was not loaded. */
#include "../program.h"

static void kernel(int n, const float *A, const ws_e5m2 *B, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, 80), b = ws_tensor_2d(B, WS_E5M2, 64, 272);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 80), d = ws_tensor_2d(D, WS_F32, 64, 80);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile x = ws_load(a, i, i, 64, 80), y = ws_min(x, 100);
#pragma ws pipeline(1) subtile(2)
        for (int k = 0; k < n; k += 32)
            x = ws_max(x, ws_cast(ws_load(b, i, k, 64, 80), WS_F32));
        ws_store(c, i, 0, x);
        ws_store(d, i, 0, y);
    }
}

int main(void)
{
    float *a = fuzz_array(WS_F32, 64 * 80, 1, -1, 1), *c = fuzz_array(WS_F32, 64 * 80, 3, -1, 1);
    ws_e5m2 *b = fuzz_array(WS_E5M2, 64 * 272, 2, -1, 1);
    float *d = fuzz_array(WS_F32, 64 * 80, 4, -1, 1);
    kernel(224, a, b, c, d);
    fuzz_errors("parts_of_a_load");
    fuzz_show("parts_of_a_load", "c", c, WS_F32, 64 * 80);
    fuzz_show("parts_of_a_load", "d", d, WS_F32, 64 * 80);
    return 0;
}
