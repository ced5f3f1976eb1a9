/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of k + 8 >= k GCC makes k <= -9, for an unsigned k: the interpreter took the constant for a negative number. */
#include "../program.h"

static void kernel(int n, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, 64), c = ws_tensor_2d(C, WS_F32, 64, 32);

    #pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile most = ws_zeros(WS_F32, 64, 32);
        #pragma ws pipeline(2)
        for (unsigned k = 0; k < n; k += 8) {
            if (k + 8 >= k)
                continue;
            most = ws_max(most, ws_load(a, i, k, 64, 32));
        }
        ws_store(c, i, 0, most);
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 64 * 64, 1, -1, 1), *C = fuzz_array(WS_F32, 64 * 32, 2, -1, 1);
    kernel(20, A, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 64 * 32);
    return 0;
}
