/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_tensor_strided: every third row, a window inside a larger array, heads interleaved; and a store through
   strides. */
#include "test.h"

static void kernel(int M, int N, const float *X, float *Y, int H, const ws_bf16 *Z, ws_bf16 *T)
{
    ws_tensor every = ws_tensor_strided(X, WS_F32, 2, (long[]){M, N}, (long[]){3L * N, 1});
    ws_tensor y = ws_tensor_2d(Y, WS_F32, M, N);
    ws_tensor z = ws_tensor_strided(Z, WS_BF16, 3, (long[]){H, M, 32}, (long[]){32, 32L * H, 1}); /* [row][head][32] */
    ws_tensor t = ws_tensor_3d(T, WS_BF16, H, M, 32);                                             /* [head][row][32] */

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        #pragma ws pipeline(3)
        for (int j = 0; j < N; j += 32)
            ws_store(y, i, j, ws_load(every, i, j, 32, 32));
    }
    #pragma ws grid(2)
    for (int h = 0; h < H; h++)
        for (int i = 0; i < M; i += 32)
            ws_store_3d(t, h, i, 0, ws_load_3d(z, h, i, 0, 32, 32));
}

static void back(int M, int H, const ws_bf16 *T, ws_bf16 *Z)
{
    const long extents[] = {H, M, 32}, strides[] = {32, 32L * H, 1};
    ws_tensor z = ws_tensor_strided(Z, WS_BF16, 3, extents, strides), t = ws_tensor_3d(T, WS_BF16, H, M, 32);
    #pragma ws grid(2)
    for (int h = 0; h < H; h++)
        for (int i = 0; i < M; i += 32)
            ws_store_3d(z, h, i, 0, ws_load_3d(t, h, i, 0, 32, 32));
}

int main(int argc, char **argv)
{
    check_begin("strided", argc, argv);
    int M = 50, N = 70, H = 3;
    float *X = check_random(WS_F32, (size_t)3 * M * N), *Y = check_output(WS_F32, (size_t)M * N);
    ws_bf16 *Z = check_random(WS_BF16, (size_t)M * H * 32), *T = check_output(WS_BF16, (size_t)M * H * 32);
    ws_bf16 *Z2 = check_output(WS_BF16, (size_t)M * H * 32);

    kernel(M, N, check_place(X), check_place(Y), H, check_place(Z), check_place(T));
    back(M, H, check_place(T), check_place(Z2));
    check_fetch();
    for (long i = 0; i < M; i++) {
        for (long j = 0; j < N; j++)
            check_equal(Y, i * N + j, X[3 * i * N + j]);
        for (long p = 0; p < H * 32; p++) {
            check_equal(T, (p / 32 * M + i) * 32 + p % 32, ws_bf16_to(Z[i * H * 32 + p]));
            check_equal(Z2, i * H * 32 + p, ws_bf16_to(Z[i * H * 32 + p]));
        }
    }
    return check_end();
}
