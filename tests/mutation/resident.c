/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: slots keep a tile that the next iteration needs again: rows of A pass a tile of B. */
#include <ws.h>

static void tall(int M, int N, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, 128), b = ws_tensor_2d(B, WS_F16, N, 128);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

#pragma ws grid(2) order(column)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 256) {
            ws_tile acc = ws_zeros(WS_F32, 64, 256);
#pragma ws pipeline(auto)
            for (int k = 0; k < 128; k += 64)
                acc = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 256, 64)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

int main(void)
{
    static ws_f16 A[192 * 128], B[256 * 128], C[192 * 256];
    tall(192, 256, A, B, C);
    return 0;
}
