/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements, chosen by a variable, of arrays that the grid itself fills with what is known at run time only. */
#include <ws.h>

static double factors[4] = {1, 2, 3, 4};

void f(int M, int N, const ws_f16 *A, const float *scale, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, N), s = ws_tensor_1d(scale, WS_F32, N), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            const double weights[3] = {0.25, ws_at_float(s, i), 0.25};
            double filled[4] = {0};
            for (int n = 0; n < 4; n++)
                filled[n] = factors[n];
            ws_tile x = ws_cast(ws_load(a, i, j, 64, 64), WS_F32);
            x = ws_mul(x, weights[i / 64 % 3]);          /* wrong */
            ws_store(c, i, j, ws_mul(x, filled[j % 4])); /* wrong */
        }
}
