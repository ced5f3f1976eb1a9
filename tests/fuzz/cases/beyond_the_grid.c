/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop that counts up to what follows from the tile's place, of blocks of which one has no tile: it lay beyond the grid, at rows
   below 0 where the grid's loop counts down, and the loop did not end. */
#include "../program.h"

static void kernel(int m, int n, const float *A, const float *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 96, 32), b = ws_tensor_2d(B, WS_F32, 32, 64);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 96, 32);

#pragma ws grid(1) persistent cluster(2)
    for (int i = (m - 1) / 32 * 32; i >= 0; i -= 32) {
        ws_tile sum = ws_zeros(WS_F32, 32, 32);
#pragma ws pipeline(2)
        for (int k = 0; k < n; k += 32)
            sum = ws_add(sum, ws_load(b, 0, k, 32, 32));
#pragma ws pipeline(2)
        for (int k = 0; k != i / 16 + 1; k++)
            sum = ws_max(sum, ws_load(a, i, k, 32, 32));
        ws_store(c, i, 0, sum);
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 96 * 32, 1, -1, 1), *B = fuzz_array(WS_F32, 32 * 64, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 96 * 32, 3, -1, 1);
    kernel(96, 64, A, B, C);
    fuzz_errors("1");
    fuzz_show("1", "C", C, WS_F32, 96 * 32);
    return 0;
}
