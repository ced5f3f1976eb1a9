/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One product ends with the iteration, the other stays in flight: the second's slots were released before any wait. */
#include "../program.h"

static void kernel(const float *A, const float *B, float *C, float *D, int n)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, 64, n), b = ws_tensor_2d(B, WS_F32, 64, n);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 64), d = ws_tensor_2d(D, WS_F32, 64, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile scaled = ws_full(WS_F32, 64, 64, 1), sum = ws_zeros(WS_F32, 64, 64), rows = ws_zeros(WS_F32, 64, 1);
#pragma ws pipeline(3, 2) schedule(fine)
        for (int k = 0; k < n; k += 32) {
            scaled = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, 0, k, 64, 32)), ws_mul(scaled, 0.5f));
            rows = ws_add(rows, ws_full(WS_F32, 64, 1, 3));
            sum = ws_dot(ws_load(b, i, k, 64, 32), ws_trans(ws_load(a, 0, k + 8, 64, 32)), sum);
        }
        ws_store(c, i, 0, ws_add(scaled, rows));
        ws_store(d, i, 0, sum);
    }
}

int main(void)
{
    float *A = fuzz_array(WS_F32, 64 * 224, 1, -1, 1), *B = fuzz_array(WS_F32, 64 * 224, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 64 * 64, 3, -1, 1), *D = fuzz_array(WS_F32, 64 * 64, 4, -1, 1);
    kernel(A, B, C, D, 224);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 64 * 64);
    fuzz_show("kernel", "D", D, WS_F32, 64 * 64);
    return 0;
}
