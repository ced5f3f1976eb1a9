/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small tiles that are transposed, of which neighbours become one where that changes nothing.  */
#include "test.h"

/* The iterations of the second grid end before the tensor does: what lies behind them stays.  */
static void turned(int M, int N, int some, const ws_f16 *X, ws_f16 *Y, ws_f16 *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, N, M), z = ws_tensor_2d(Z, WS_F16, N, M);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 32)
            ws_store(y, j, i, ws_trans(ws_load(x, i, j, 64, 32)));
#pragma ws grid(2)
    for (int i = 0; i < some; i += 32)
        for (int j = 0; j < N; j += 64)
            ws_store(z, j, i, ws_trans(ws_load(x, i, j, 32, 64)));
}

/* Each row of a batch of matrices, scaled and moved, becomes a column; and its largest element.  */
static void scaled(int B, int M, const ws_bf16 *X, const float *scale, const float *shift, ws_bf16 *Y, float *most)
{
    const long strides[] = {64L * M, 64, 1}, turned[] = {64L * M, M, 1}, extents[] = {B, M, 64}, across[] = {B, 64, M};
    ws_tensor x = ws_tensor_strided(X, WS_BF16, 3, extents, strides);
    ws_tensor y = ws_tensor_strided(Y, WS_BF16, 3, across, turned);
    ws_tensor s = ws_tensor_1d(scale, WS_F32, M), t = ws_tensor_1d(shift, WS_F32, 64);
    ws_tensor l = ws_tensor_2d(most, WS_F32, B, M);

#pragma ws grid(2)
    for (int b = 0; b < B; b++)
        for (int i = 0; i < M; i += 32) {
            ws_tile v = ws_cast(ws_load_3d(x, b, i, 0, 32, 64), WS_F32);
            v = ws_fma(v, ws_load_col(s, i, 32), ws_load_row(t, 0, 64));
            ws_store_3d(y, b, 0, i, ws_trans(ws_cast(v, WS_BF16)));
            ws_store_col_2d(l, b, i, ws_row_max(v));
        }
}

/* What is added differs from tile to tile: two of them are no larger one.  */
static void numbered(int M, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, 32), y = ws_tensor_2d(Y, WS_F16, 32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tile v = ws_add(ws_cast(ws_load(x, i, 0, 32, 32), WS_F32), (float)(i / 32));
        ws_store(y, 0, i, ws_trans(ws_cast(v, WS_F16)));
    }
}

int main(int argc, char **argv)
{
    check_begin("neighbours", argc, argv);
    const int M = check_size(1, 203), N = check_size(2, 150), B = 2, some = M / 2;
    ws_f16 *X = check_random(WS_F16, (size_t)M * N), *Y = check_output(WS_F16, (size_t)M * N);
    ws_f16 *Z = check_output(WS_F16, (size_t)M * N), *U = check_random(WS_F16, (size_t)M * 32);
    ws_f16 *V = check_output(WS_F16, (size_t)M * 32);
    ws_bf16 *P = check_random(WS_BF16, (size_t)B * M * 64), *Q = check_output(WS_BF16, (size_t)B * M * 64);
    float *scale = check_random(WS_F32, M), *shift = check_random(WS_F32, 64);
    float *most = check_output(WS_F32, (size_t)B * M);

    turned(M, N, some, check_place(X), check_place(Y), check_place(Z));
    scaled(B, M, check_place(P), check_place(scale), check_place(shift), check_place(Q), check_place(most));
    numbered(M, check_place(U), check_place(V));
    check_fetch();
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            const double x = ws_f16_to(X[(size_t)i * N + j]);
            check_close(Y, (size_t)j * M + i, x, 0);
            if (i < (some + 31) / 32 * 32)
                check_close(Z, (size_t)j * M + i, x, 0);
        }
        for (int b = 0; b < B; b++) {
            double largest = -1e30;
            for (int j = 0; j < 64; j++) {
                const double x = ws_bf16_to(P[((size_t)b * M + i) * 64 + j]) * scale[i] + shift[j];
                largest = x > largest ? x : largest;
                check_close(Q, ((size_t)b * 64 + j) * M + i, x, 1e-2);
            }
            check_close(most, (size_t)b * M + i, largest, 1e-5);
        }
        for (int j = 0; j < 32; j++)
            check_close(V, (size_t)j * M + i, ws_f16_to(U[(size_t)i * 32 + j]) + i / 32, 1e-2);
    }
    return check_end();
}
