/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows a loop inside an arm was taken for a way out of the loop, and the program refused. */
#include "../program.h"

static void kernel(const int *counts, float *A, float *B, int n)
{
    ws_tensor t = ws_tensor_1d(counts, WS_I32, 2);
    ws_tensor a = ws_tensor_2d(A, WS_F32, 2, 32), b = ws_tensor_2d(B, WS_F32, 64, 32);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 32) {
        ws_tile row = ws_full(WS_F32, 1, 32, 1), sum = ws_full(WS_F32, 32, 32, 2);
        for (int k = 0; k < n; k += 8)
            if (k >= 5) {
                const long most = ws_at(t, i / 32);
                int w = 0;
                do {
                    w++;
                    row = ws_add(row, 1);
                } while (w < most);
                sum = ws_add(sum, row);
            }
        ws_store(a, i / 32, 0, row);
        ws_store(b, i, 0, sum);
    }
}

int main(void)
{
    int *counts = fuzz_array(WS_I32, 2, 1, 0, 3);
    float *A = fuzz_array(WS_F32, 2 * 32, 2, -1, 1), *B = fuzz_array(WS_F32, 64 * 32, 3, -1, 1);
    kernel(counts, A, B, 24);
    fuzz_errors("kernel");
    fuzz_show("kernel", "A", A, WS_F32, 2 * 32);
    fuzz_show("kernel", "B", B, WS_F32, 64 * 32);
    return 0;
}
