/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GCC reads some bits of a struct where only they are asked for. */
#include "../program.h"

struct sizes {
    int a;
    long b;
};

static void kernel(const struct sizes q, const float *A, float *B)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, 64), b = ws_tensor_2d(B, WS_F32, 64, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 32) {
        ws_tile x = ws_load(a, i, q.a / 1 % 2 == 0 && q.b % 2 == 1 ? 8 : 16, 32, 64);
        ws_store(b, i, 0,
                 ws_select(ws_lt(ws_col_index(32, 64), (i != 0 && q.a / 1 % 2 == 0) && q.a / 1 % 2 == 0 ? q.b : 7), x,
                           ws_neg(x)));
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 64 * 64, 1, -1, 1), *B = fuzz_array(WS_F32, 64 * 64, 2, -1, 1);
    for (int a = 0; a < 2; a++) {
        kernel((struct sizes){a, 33}, A, B);
        fuzz_errors("kernel");
        fuzz_show("kernel", "B", B, WS_F32, 64 * 64);
    }
    return 0;
}
