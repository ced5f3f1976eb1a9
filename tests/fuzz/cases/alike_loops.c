/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seed 60153: a helper with a loop is called twice, with a store between.  Its loops say the same, so a role's loop fits both of the
   source's; and one that the consumers alone need comes behind one that the producer alone needs.  */
#include "../program.h"

static inline long nth(ws_tensor steps, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += ws_at(steps, i);
    return sum;
}

static inline ws_tile highest(long from)
{
    ws_tile r = ws_cast(ws_fma(ws_col_index(8, 32), from, ws_zeros(WS_I32, 8, 1)), WS_F32);
    for (int step = 0; step < 2; step++)
        r = ws_max(r, ws_sub(ws_trans(ws_zeros(WS_F32, 32, 8)), step));
    return r;
}

static void kernel(int n, const int *S, const float *A, float *C)
{
    ws_tensor s = ws_tensor_1d(S, WS_I32, 8), a = ws_tensor_2d(A, WS_F32, 8, 64), c = ws_tensor_2d(C, WS_F32, 16, 64);

    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        ws_tile sum = ws_zeros(WS_F32, 8, 32);
        #pragma ws pipeline(2)
        for (int k = 0; k < 3; k++)
            sum = ws_add(sum, ws_load(a, 0, nth(s, i + k), 8, 32));
        ws_store(c, 8 * i, nth(s, i), ws_sub(sum, highest(i)));
        ws_store(c, 8 * i, nth(s, i) + 32, ws_neg(highest(i)));
        ws_store(c, 8 * i, nth(s, i) + 40, highest(i));
    }
}

int main(void)
{
    int *S = fuzz_array(WS_I32, 8, 3, 0, 3);
    float *A = fuzz_array(WS_F32, 8 * 64, 1, -1, 1), *C = fuzz_array(WS_F32, 16 * 64, 2, -1, 1);
    kernel(2, S, A, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 16 * 64);
    return 0;
}
