/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two groups divide the rows, so each one's row indices begin at its own first row: the check took that operand for a bug. */
#include "../program.h"

static void kernel(int N, const ws_bf16 *A, const ws_bf16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_BF16, 128, 64), b = ws_tensor_2d(B, WS_BF16, 64, N), c = ws_tensor_2d(C, WS_F32, 128, N);

    #pragma ws grid(1) consumers(2, rows)
    for (int j = 0; j < N; j += 16) {
        ws_tile acc = ws_zeros(WS_F32, 128, 16);
        #pragma ws pipeline(2)
        for (int k = 0; k < 64; k += 32)
            acc = ws_dot(ws_load(a, 0, k, 128, 32), ws_load(b, k, j, 32, 16), acc);
        ws_store(c, 0, j, ws_select(ws_ge(ws_add(ws_row_index(128, 1), j), ws_mul(ws_col_index(1, 16), 5)), acc, 0));
    }
}

int main(void)
{
    ws_bf16 *A = fuzz_array(WS_BF16, 128 * 64, 1, -1, 1), *B = fuzz_array(WS_BF16, 64 * 40, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 128 * 40, 3, -1, 1);
    kernel(40, A, B, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 128 * 40);
    return 0;
}
