/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a loop carries is divided over the groups as its results are: each group stores its own rows twice. */
#include "../program.h"

static void kernel(int n, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 32, 32), c = ws_tensor_2d(C, WS_F32, 32, 8);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < 32; i += 16) {
        ws_tile sum = ws_load(a, i, 0, 16, 8);
#pragma ws pipeline(2)
        for (int k = 0; k < n; k++) {
            ws_store(c, i, 0, sum);
            ws_store(c, i, 0, ws_neg(sum));
            sum = ws_add(sum, ws_load(a, i, k, 16, 8));
        }
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 32 * 32, 1, -1, 1), *C = fuzz_array(WS_F32, 32 * 8, 2, -1, 1);
    kernel(3, A, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 32 * 8);
    return 0;
}
