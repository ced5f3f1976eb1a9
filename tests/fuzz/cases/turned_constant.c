/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A constant that is turned over and stored, where two groups divide its rows: each has columns as good as any other's,
   which the proof did not see. */
#include "../program.h"

static void kernel(int n, float *A, int *B)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, n, 64), b = ws_tensor_2d(B, WS_I32, n, 64);

#pragma ws grid(1)
    for (int i = 0; i < n; i += 64) {
        ws_store(a, i, 0, ws_trans(ws_full(WS_F32, 64, 64, 3)));
        ws_store(b, i, 0, ws_trans(ws_add(ws_col_index(64, 64), i)));
    }
}

int main(void)
{
    float *a = fuzz_array(WS_F32, 128 * 64, 1, -1, 1);
    int *b = fuzz_array(WS_I32, 128 * 64, 2, -1, 1);
    kernel(128, a, b);
    fuzz_errors("turned_constant");
    fuzz_show("turned_constant", "a", a, WS_F32, 128 * 64);
    fuzz_show("turned_constant", "b", b, WS_I32, 128 * 64);
    return 0;
}
