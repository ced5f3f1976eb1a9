/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A choice of numbers within a condition that chooses tiles: the arms meet in several places, and on some ways there is no tile yet. */
#include "../program.h"

static void kernel(int n, int m, const int *F, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, 64), c = ws_tensor_3d(C, WS_F32, 3, 64, 32),
              f = ws_tensor_1d(F, WS_I32, 8);

#pragma ws grid(1)
    for (int i = 0; i < 3; i++) {
        ws_tile sum = ws_load(a, 0, 0, 64, 32);
#pragma ws pipeline(2)
        for (int k = 0; k < 3; k++) {
            ws_tile v = (i < 1 || !((n >= 2 ? m / 8 : i) >= k)) ? ws_max(sum, 0.5f) : ws_load(a, k, i, 64, 32);
            sum = ws_add(sum, (!(i < 1) || ((ws_at(f, i) != 0 ? n + 16 : ws_at(f, k)) >= k && m < 2))
                                  ? ws_neg(v)
                                  : ws_full(WS_F32, 64, 32, 3));
        }
        ws_store_3d(c, i, 0, 0, sum);
    }
}

int main(void)
{
    int *F = fuzz_array(WS_I32, 8, 3, 0, 1);
    float *A = fuzz_array(WS_F32, 64 * 64, 1, -1, 1), *C = fuzz_array(WS_F32, 3 * 64 * 32, 2, -1, 1);
    for (int n = 0; n < 4; n++)
        for (int m = 0; m < 20; m += 4) {
            kernel(n, m, F, A, C);
            fuzz_errors("kernel");
            fuzz_show("kernel", "C", C, WS_F32, 3 * 64 * 32);
        }
    return 0;
}
