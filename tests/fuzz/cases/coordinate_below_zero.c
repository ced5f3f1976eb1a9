/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An unsigned coordinate below zero is far outside and reads 0: on the GPU the bytes left of the row overflowed, and the
   columns before it were read. */
#include "../program.h"

static void kernel(const int *A, float *B, int n)
{
    ws_tensor a = ws_tensor_2d(A, WS_I32, 64, 128), b = ws_tensor_2d(B, WS_F32, 64, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile sum = ws_full(WS_F32, 64, 64, 0.5);
#pragma ws pipeline(2, 1)
        for (unsigned k = 0; k < (unsigned)n; k += 64)
            sum = ws_add(sum, ws_cast(ws_load(a, i, k - 15, 64, 64), WS_F32));
        ws_store(b, i, 0, sum);
    }
}

int main(void)
{
    int *A = fuzz_array(WS_I32, 64 * 128, 1, -7, 7);
    float *B = fuzz_array(WS_F32, 64 * 64, 2, -1, 1);
    kernel(A, B, 128);
    fuzz_errors("kernel");
    fuzz_show("kernel", "B", B, WS_F32, 64 * 64);
    return 0;
}
