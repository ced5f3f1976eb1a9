/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile of 48 rows and two lines has one buffer of staging, beside the larger one of an accumulator: the interpreter took
   two, and wrote over its neighbour. */
#include "../program.h"

static void kernel(int n, const ws_f16 *A, const float *X, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, 64), x = ws_tensor_2d(X, WS_F32, 48, 128);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 64), d = ws_tensor_2d(D, WS_F32, 48, 128);

#pragma ws grid(1)
    for (int j = 0; j < 128; j += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 64), other = ws_load(x, 0, j, 48, 64);
#pragma ws pipeline(2)
        for (int k = 0; k < n; k += 16)
            sum = ws_dot(ws_load(a, j, k, 64, 16), ws_trans(ws_load(a, j, k, 64, 16)), sum);
        ws_store(d, 0, j, ws_max(other, 0.25));
        ws_store(c, j, 0, sum);
    }
}

int main(void)
{
    ws_f16 *A = fuzz_array(WS_F16, 64 * 64, 1, -1, 1);
    float *X = fuzz_array(WS_F32, 48 * 128, 2, -1, 1), *C = fuzz_array(WS_F32, 64 * 64, 3, -1, 1);
    float *D = fuzz_array(WS_F32, 48 * 128, 4, -1, 1);
    kernel(64, A, X, C, D);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 64 * 64);
    fuzz_show("kernel", "D", D, WS_F32, 48 * 128);
    return 0;
}
