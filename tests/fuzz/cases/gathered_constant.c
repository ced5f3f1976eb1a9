/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product's right operand is a constant of which each of two groups has its rows, since what is made of it is divided. */
#include "../program.h"

static void kernel(int n, const ws_f16 *A, float *C, ws_f16 *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 128, 128);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 128, 48), d = ws_tensor_2d(D, WS_F16, 128, 48);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < 128; i += 128) {
        ws_tile sum = ws_zeros(WS_F32, 128, 48), half = ws_full(WS_F16, 128, 48, 0.5);
#pragma ws pipeline(3)
        for (int k = 0; k < n; k += 8)
            sum = ws_dot(ws_load(a, i, k, 128, 128), half, sum);
        ws_store(c, i, 0, sum);
        ws_store(d, i, 0, ws_add(half, ws_tanh(ws_cast(sum, WS_F16))));
    }
}

int main(void)
{
    ws_f16 *A = fuzz_array(WS_F16, 128 * 128, 1, -1, 1), *D = fuzz_array(WS_F16, 128 * 48, 3, -1, 1);
    float *C = fuzz_array(WS_F32, 128 * 48, 2, -1, 1);
    kernel(24, A, C, D);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 128 * 48);
    fuzz_show("kernel", "D", D, WS_F16, 128 * 48);
    return 0;
}
