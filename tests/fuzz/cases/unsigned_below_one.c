/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop of one iteration: of an unsigned k GCC makes k == 0 from k < 1 and from k <= 0, and such a loop counts up all the same. */
#include "../program.h"

enum { STEP = 32 };

static void kernel(const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 8, 64), c = ws_tensor_3d(C, WS_F32, 2, 8, 32);

    #pragma ws grid(1)
    for (int n = 0; n < 2; n++) {
        ws_tile below = ws_zeros(WS_F32, 8, 32), most = below;
        #pragma ws pipeline(2)
        for (unsigned k = 0; k < (20 + STEP - 1) / STEP; k++)
            below = ws_add(below, ws_load(a, 0, k + 8 * n, 8, 32));
        #pragma ws pipeline(2)
        for (unsigned long k = n; k <= 0; k += 2)
            most = ws_add(most, ws_load(a, 0, k + 5, 8, 32));
        ws_store_3d(c, n, 0, 0, ws_sub(below, ws_mul(most, 3)));
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 8 * 64, 1, -1, 1), *C = fuzz_array(WS_F32, 2 * 8 * 32, 2, -1, 1);
    kernel(A, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 2 * 8 * 32);
    return 0;
}
