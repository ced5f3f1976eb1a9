/* SPDX-License-Identifier: GPL-3.0-or-later */
/* && within || that reads memory, and more conditions than eight, before a choice of two tiles: GCC sees a place where memory might be
   one or another, and the plugin took that for a value. */
#include "../program.h"

static void kernel(int n, int m, const int *F, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, 64), c = ws_tensor_3d(C, WS_F32, 3, 64, 32),
              f = ws_tensor_1d(F, WS_I32, 8);

#pragma ws grid(1)
    for (int i = 0; i < 3; i++) {
        ws_tile v = ws_full(WS_F32, 64, 32, 2);
        if (!(!(n % 2 == 0) || ws_at(f, i) != 0) || n + m > i)
            v = ws_load(a, i, 0, 64, 32);
        else
            v = ws_neg(v);
        v = ws_max(v, (i < 1 && ((m % 2 == 0 || ws_at(f, m) != 0) && n >= 1)) ? ws_load(a, i, 8, 64, 32)
                                                                              : ws_zeros(WS_F32, 64, 32));
        v = ws_sub(v,
                   (((i < 2 ||
                      (!(((!(((n % 2 == 1 && (ws_at(f, i) != 0 && !(n >= m))) || (i % 2 == 1 && i >= 2))) || m < 49) &&
                          n >= 1)) ||
                       i < 1)) &&
                     ws_at(f, i + 1) != 0)
                        ? ws_load(a, 4, i, 64, 32)
                        : ws_full(WS_F32, 64, 32, 3)));
        ws_store_3d(c, i, 0, 0, v);
    }
}

int main(void)
{
    int *F = fuzz_array(WS_I32, 8, 3, 0, 1);
    float *A = fuzz_array(WS_F32, 64 * 64, 1, -1, 1), *C = fuzz_array(WS_F32, 3 * 64 * 32, 2, -1, 1);
    for (int n = -3; n < 3; n++)
        for (int m = 0; m < 5; m++) {
            kernel(n, m, F, A, C);
            fuzz_errors("kernel");
            fuzz_show("kernel", "C", C, WS_F32, 3 * 64 * 32);
        }
    return 0;
}
