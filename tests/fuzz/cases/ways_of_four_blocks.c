/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four blocks share a tile, and each branches by memory of its own where it and others are loaded: too many ways to be proved,
   as long as a block that went its own way did not go to the end of it before the next was asked for its way. */
#include "../program.h"

static void kernel(int m, int n, const int *Arm, const int *Times, const float *A, const float *B, float *C)
{
    ws_tensor arm = ws_tensor_1d(Arm, WS_I32, 8), times = ws_tensor_1d(Times, WS_I32, 8);
    ws_tensor a = ws_tensor_2d(A, WS_F32, 256, 64), b = ws_tensor_2d(B, WS_F32, 32, 64);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 256, 32);

#pragma ws grid(1) persistent cluster(4)
    for (int i = 0; i < m; i += 32) {
        ws_tile sum = ws_zeros(WS_F32, 32, 32);
#pragma ws pipeline(2)
        for (int k = 0; k < n; k += 8) {
            sum = ws_add(sum, ws_load(b, 0, k, 32, 32));
            if (ws_at(arm, i / 32) % 2 == 0) {
                if (ws_at(arm, i / 32) % 3 == 0)
                    sum = ws_sub(sum, ws_load(a, i, k, 32, 32));
                else
                    sum = ws_max(sum, ws_load(a, i, k + 8, 32, 32));
            } else if (ws_at(arm, i / 32) == 3) {
                sum = ws_sub(sum, ws_load(a, i, 24, 32, 32));
            }
        }
        if (ws_at(arm, i / 32) < 4) {
            int w = 0;
            do {
                w++;
                if (ws_at(times, w) == 0)
                    continue;
                const int s = ws_at(times, i / 32);
#pragma ws pipeline(2) pingpong
                for (int k = 0; k < s; k++) {
                    if (ws_at(times, k) == 2)
                        continue;
                    sum = ws_mul(sum, ws_load(a, i, k, 32, 32));
                }
            } while (w < 2);
        }
        ws_store(c, i, 0, sum);
    }
}

int main(void)
{
    int *Arm = fuzz_array(WS_I32, 8, 1, 0, 7), *Times = fuzz_array(WS_I32, 8, 2, 0, 3);
    float *A = fuzz_array(WS_F32, 256 * 64, 3, -1, 1), *B = fuzz_array(WS_F32, 32 * 64, 4, -1, 1);
    float *C = fuzz_array(WS_F32, 256 * 32, 5, -1, 1);
    kernel(256, 32, Arm, Times, A, B, C);
    kernel(200, 24, Arm, Times, A, B, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 256 * 32);
    return 0;
}
