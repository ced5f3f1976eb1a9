/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each of two groups stores its rows of a tile straight out of a ring, loads them again and stores over them. */
#include "../program.h"

static void kernel(int n, const float *A, float *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 128, 96), b = ws_tensor_2d(B, WS_F32, 128, 32);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 128, 32);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < 128; i += 64) {
        ws_tile most = ws_full(WS_F32, 64, 32, -100);
#pragma ws pipeline(2)
        for (int k = 0; k < n; k += 8) {
            ws_tile next = ws_load(a, i, k, 64, 32);
            ws_store(b, i, 0, next);
            most = ws_max(most, ws_mul(ws_load(b, i, 0, 64, 32), k));
            ws_store(b, i, 0, ws_neg(next));
        }
        ws_store(c, i, 0, most);
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 128 * 96, 1, -1, 1), *B = fuzz_array(WS_F32, 128 * 32, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 128 * 32, 3, -1, 1);
    kernel(96, A, B, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "B", B, WS_F32, 128 * 32);
    fuzz_show("kernel", "C", C, WS_F32, 128 * 32);
    return 0;
}
