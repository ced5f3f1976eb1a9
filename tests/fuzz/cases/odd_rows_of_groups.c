/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three groups divide 192 rows; a tile of 32 that a product takes whole is stored, too, and one that nothing divides is
   every group's: one of them stores for all. */
#include "../program.h"

static void kernel(int n, const float *A, float *B, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 192, 40);
    ws_tensor b = ws_tensor_2d(B, WS_F32, 32, 16), c = ws_tensor_2d(C, WS_F32, 192, 16),
              d = ws_tensor_2d(D, WS_F32, 16, 16);

#pragma ws grid(1) consumers(3, rows)
    for (int i = 0; i < 1; i++) {
        ws_tile sum = ws_zeros(WS_F32, 192, 16), small = ws_load(a, 3, 5, 16, 16);
#pragma ws pipeline(2)
        for (int k = 0; k < n; k += 8) {
            ws_tile right = ws_load(a, i, k, 32, 16);
            sum = ws_dot(ws_load(a, i, k, 192, 32), right, sum);
            small = ws_add(small, 1);
            if (k >= 5)
                ws_store(b, i, 0, right);
        }
        ws_store(c, i, 0, sum);
        ws_store(d, i, 0, small);
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 192 * 40, 1, -1, 1), *B = fuzz_array(WS_F32, 32 * 16, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 192 * 16, 3, -1, 1), *D = fuzz_array(WS_F32, 16 * 16, 4, -1, 1);
    kernel(24, A, B, C, D);
    fuzz_errors("kernel");
    fuzz_show("kernel", "B", B, WS_F32, 32 * 16);
    fuzz_show("kernel", "C", C, WS_F32, 192 * 16);
    fuzz_show("kernel", "D", D, WS_F32, 16 * 16);
    return 0;
}
