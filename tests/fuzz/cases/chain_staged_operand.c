/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two products of one iteration add to one accumulator and one of them has a computed operand, which has to be awaited before
   it is staged again: the other may not stay in flight over the iteration's end either. In both orders. */
#include "../program.h"

static void kernel(int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, K), b = ws_tensor_2d(B, WS_F16, K, 16), c = ws_tensor_3d(C, WS_F32, 2, 64, 16);

    #pragma ws grid(1)
    for (int n = 0; n < 2; n++) {
        ws_tile first = ws_zeros(WS_F32, 64, 16), second = first;
        #pragma ws pipeline(2, 2)
        for (int k = 0; k < K; k += 32) {
            first = ws_dot(ws_full(WS_F16, 64, 32, 0.5), ws_load(b, k, 0, 32, 16), first);
            first = ws_dot(ws_load(a, 0, k, 64, 32), ws_load(b, k - 8, 0, 32, 16), first);
        }
        ws_store_3d(c, n, 0, 0, first);
        #pragma ws pipeline(2, 2)
        for (int k = 0; k < K; k += 32) {
            second = ws_dot(ws_load(a, 0, k, 64, 32), ws_load(b, k - 8, 0, 32, 16), second);
            second = ws_dot(ws_neg(ws_load(a, 0, k + n, 64, 32)), ws_load(b, k, 0, 32, 16), second);
        }
        ws_store_3d(c, n, 0, 0, ws_sub(second, first));
    }
}

int main(void)
{
    ws_f16 *A = fuzz_array(WS_F16, 64 * 100, 1, -1, 1), *B = fuzz_array(WS_F16, 100 * 16, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 2 * 64 * 16, 3, -1, 1);
    kernel(100, A, B, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 2 * 64 * 16);
    return 0;
}
