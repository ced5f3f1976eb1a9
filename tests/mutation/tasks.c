/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: two groups prepare an operand, each its rows. Another role stores the tile that the groups
   with the products compute. */
#include <ws.h>

static void tasks(int M, int N, int K, const ws_f16 *A, const signed char *W, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2, 2)
            for (int k = 0; k < K; k += 32) {
                ws_tile x = ws_load(a, i, k, 64, 32), q = ws_load(w, j, k, 64, 32), b;
                {
#pragma ws task(convert) groups(2) ring(b, 2)
                    b = ws_cast(q, WS_F16);
                }
                acc = ws_dot(x, ws_trans(b), acc);
            }
            {
#pragma ws task(out) ring(acc, 2)
                ws_store(c, i, j, acc);
            }
        }
}

int main(void)
{
    static ws_f16 A[64 * 96];
    static signed char W[128 * 96];
    static float C[64 * 128];
    for (int i = 0; i < 64 * 96; i++)
        A[i] = ws_f16_from((float)(i % 7 - 3));
    for (int i = 0; i < 128 * 96; i++)
        W[i] = (signed char)(i % 11 - 5);
    tasks(64, 128, 96, A, W, C);
    return 0;
}
