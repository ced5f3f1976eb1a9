/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task's ring in a branch that the compiler sees is never taken: nothing of it is walked, and the clause was refused
   for naming no tile. */
#include "../program.h"

static void kernel(int n, const ws_f16 *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, 64), c = ws_tensor_2d(C, WS_F32, 64, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile out = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2, 1)
        for (int k = 0; k < n; k += 16)
            out = ws_dot(ws_load(a, i, k, 64, 16), ws_load(a, k, 0, 16, 64), out);
        switch (i % 1) {
        case 0:
            out = ws_mul(out, 0.5f);
            break;
        default: {
#pragma ws pipeline(2, 1)
            for (int k = 0; k < n; k += 16) {
                ws_tile half;
                {
#pragma ws task(halve) ring(half, 3)
                    half = ws_mul(ws_load(a, k, 0, 16, 64), 0.5f);
                }
                out = ws_dot(ws_load(a, i, k, 64, 16), half, out);
            }
        }
        }
        ws_store(c, i, 0, out);
    }
}

int main(void)
{
    ws_f16 *a = fuzz_array(WS_F16, 64 * 64, 1, -1, 1);
    float *c = fuzz_array(WS_F32, 64 * 64, 2, -1, 1);
    kernel(48, a, c);
    fuzz_errors("ring_in_untaken_branch");
    fuzz_show("ring_in_untaken_branch", "c", c, WS_F32, 64 * 64);
    return 0;
}
