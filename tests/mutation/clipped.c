/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: the grid's step is a parameter and cuts tiles, in a product over all of K, and in one over
   parts of K. */
#include <ws.h>

void all_of_k(int M, int N, int K, int step, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(1)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += step) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
            ws_store(ws_slice(c, 1, 0, j + step), i, j, ws_cast(acc, WS_F16));
        }
}

void parts_of_k(int M, int N, int K, int step, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(1)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += step) {
            const int length = (K + 63) / 64 * 32;
            ws_tile sum = ws_zeros(WS_F32, 64, 32);

            #pragma ws parts
            for (int s = 0; s < 2; s++) {
                const int first = s * length, last = first + length < K ? first + length : K;
                ws_tile part = ws_zeros(WS_F32, 64, 32);

                #pragma ws pipeline(2, 1)
                for (int k = first; k < last; k += 32)
                    part = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 32, 32)), part);
                sum = ws_add(sum, part);
            }
            ws_store(ws_slice(c, 1, 0, j + step), i, j, ws_cast(sum, WS_F16));
        }
}
