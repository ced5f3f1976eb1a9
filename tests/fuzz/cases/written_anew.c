/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile that every iteration of a loop writes anew, and that several ways out hand on, was refused. */
#include "../program.h"

static void kernel(const float *A, float *B, int n, int most)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, 32), b = ws_tensor_2d(B, WS_F32, 64, 32);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 16) {
        ws_tile tile = ws_full(WS_F32, 16, 32, 1);
        for (int k = 0; k < n; k += 8) {
            if (k >= 5) {
                int w = 0;
                do {
                    w++;
                    tile = ws_mul(ws_load(a, i + k, w, 16, 32), 2);
                } while (w < 3 && (k / 32 % 2 == 1 || i + k >= most));
            }
        }
        ws_store(b, i, 0, tile);
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 64 * 32, 1, -1, 1), *B = fuzz_array(WS_F32, 64 * 32, 2, -1, 1);
    kernel(A, B, 40, 30);
    fuzz_errors("kernel");
    fuzz_show("kernel", "B", B, WS_F32, 64 * 32);
    return 0;
}
