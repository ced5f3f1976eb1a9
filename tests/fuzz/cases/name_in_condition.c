/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a loop's condition and its body compute by one name were two C variables of that name in one block. */
#include "../program.h"

static void kernel(const float *A, float *B, int n)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 8, 224), b = ws_tensor_2d(B, WS_F32, 16, 32);

#pragma ws grid(1)
    for (int i = 0; i < 16; i += 8) {
        ws_tile sum = ws_full(WS_F32, 8, 32, 1);
        for (unsigned c = 0; c < (i + 63u) / 16; c++) {
            const unsigned k = c * 32;
            if (k >= (unsigned)n)
                break;
            sum = ws_add(ws_mul(sum, 0.5f), ws_load(a, k / 64, k, 8, 32));
            sum = ws_max(sum, ws_load(a, i, k + 7, 8, 32));
        }
        ws_store(b, i, 0, sum);
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 8 * 224, 1, -1, 1), *B = fuzz_array(WS_F32, 16 * 32, 2, -1, 1);
    kernel(A, B, 100);
    fuzz_errors("kernel");
    fuzz_show("kernel", "B", B, WS_F32, 16 * 32);
    return 0;
}
