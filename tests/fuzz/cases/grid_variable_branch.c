/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row that is the grid's own or one from memory: in the producer, which does not look at the grid variable again, the
   branch's result took its place, and the emitted code assigned to it. */
#include "../program.h"

static void kernel(int M, const ws_f16 *A, const ws_f16 *B, const int *which, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, 64), b = ws_tensor_2d(B, WS_F16, 64, 32), c = ws_tensor_2d(C, WS_F32, M, 32);
    ws_tensor from = ws_tensor_1d(which, WS_I32, M / 64);

    #pragma ws grid(1)
    for (long i = 0; i < M; i += 64) {
        ws_tile acc = ws_zeros(WS_F32, 64, 32);
        #pragma ws pipeline(2)
        for (int k = 0; k < 64; k += 32)
            acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, 0, 32, 32), acc);
        long row = i;
        if (M > 64)
            row = ws_at(from, 1);
        acc = ws_dot(ws_load(a, row, 0, 64, 32), ws_load(b, 32, 0, 32, 32), acc);
        ws_store(c, i, 0, acc);
    }
}

int main(void)
{
    ws_f16 *A = fuzz_array(WS_F16, 192 * 64, 1, -1, 1), *B = fuzz_array(WS_F16, 64 * 32, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 192 * 32, 3, -1, 1);
    static const int which[3] = {64, 128, 0};
    kernel(192, A, B, which, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 192 * 32);
    return 0;
}
