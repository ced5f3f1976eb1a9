/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A column, a row and a number of scales come as windows of one row, through the operands' ring; not a column that
   begins at no multiple of 16 bytes, and not the one that an operand is scaled by. */
#include <ws.h>

void flat(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *S, const ws_f16 *R, const float *T, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor s = ws_tensor_2d(S, WS_F32, K / 64, M), r = ws_tensor_2d(R, WS_F16, K / 64, N);
    ws_tensor t = ws_tensor_1d(T, WS_F32, K / 64);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile sum = ws_zeros(WS_F32, 128, 128);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64) {
                ws_tile x = ws_load(a, i, k, 128, 64), y = ws_load(b, j, k, 128, 64);
                x = ws_mul(x, ws_cast(ws_load_col_2d(s, k / 64, i, 128), WS_F16));
                ws_tile part = ws_dot(x, ws_trans(y), ws_zeros(WS_F32, 128, 128));
                part = ws_mul(part, ws_cast(ws_load_row_2d(r, k / 64, j, 128), WS_F32));
                part = ws_mul(ws_mul(part, ws_load_col_2d(s, k / 64, i + 1, 128)), (float)ws_at_float(t, k / 64));
                sum = ws_fma(part, ws_load_col_2d(s, k / 64, i, 128), sum);
            }
            ws_store(c, i, j, sum);
        }
}
