/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product begins with a constant that a loop further up reads too: it may not move down behind that loop. */
#include "../program.h"

static void kernel(int m, const ws_f16 *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, 64), c = ws_tensor_3d(C, WS_F32, 2, 64, 16);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile three = ws_full(WS_F32, 64, 16, 3), sum = ws_zeros(WS_F32, 64, 16);
        for (int k = 0; k < m; k++)
            sum = ws_add(ws_mul(sum, three), ws_cast(ws_load(a, k, i, 64, 16), WS_F32));
        ws_tile x = ws_load(a, 0, 0, 64, 64);
        sum = ws_dot(x, ws_load(a, 0, i, 64, 16), sum);
        three = ws_dot(x, ws_load(a, 0, 16, 64, 16), three);
        ws_store_3d(c, 0, i, 0, sum);
        ws_store_3d(c, 1, i, 0, three);
    }
}

int main(void)
{
    ws_f16 *A = fuzz_array(WS_F16, 64 * 64, 1, -1, 1);
    float *C = fuzz_array(WS_F32, 2 * 64 * 16, 2, -1, 1);
    kernel(3, A, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 2 * 64 * 16);
    return 0;
}
