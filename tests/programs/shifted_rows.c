/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters over rows, whose loads lie some rows apart: a thread keeps what rows it has, and neighbours are one. */
#include "test.h"

/* Each channel by itself, 3 x 3: three taps go over one line. */
static void square(int B, int H, int W, int C, const ws_f16 *X, const ws_f16 *weights, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_4d(X, WS_F16, B, H, W, C), y = ws_tensor_4d(Y, WS_F16, B, H, W, C);
    ws_tensor w = ws_tensor_2d(weights, WS_F16, 9, C);

#pragma ws grid(4)
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int v = 0; v < W; v += 16)
                for (int c = 0; c < C; c += 64) {
                    ws_tile sum = ws_zeros(WS_F32, 16, 64);
                    for (int tap = 0; tap < 9; tap++) {
                        ws_tile pixels = ws_load_4d(x, b, h + tap / 3 - 1, v + tap % 3 - 1, c, 16, 64);
                        ws_tile factors = ws_load_row_2d(w, tap, c, 64);
                        sum = ws_fma(ws_cast(pixels, WS_F32), ws_cast(factors, WS_F32), sum);
                    }
                    ws_store_4d(y, b, h, v, c, ws_cast(sum, WS_F16));
                }
}

/* Every other row of seven, the largest of them; rows beyond the ends are -1. */
static void largest(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 16)
        for (int j = 0; j < N; j += 64) {
            ws_tile most = ws_full(WS_F32, 16, 64, -1);
            for (int k = 0; k < 4; k++)
                most = ws_max(most, ws_load_or(x, i + 2 * k, j, 16, 64, -1));
            ws_store(y, i, j, most);
        }
}

/* Two loops in one tile, one of which goes backwards. */
static void in_place(int M, const ws_bf16 *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, 64), y = ws_tensor_2d(Y, WS_F32, M, 64);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile sum = ws_load(y, i, 0, 16, 64);
        for (int k = 0; k < 3; k++)
            sum = ws_add(sum, ws_cast(ws_load(x, i + k, 0, 16, 64), WS_F32));
        for (int k = 0; k < 3; k++)
            sum = ws_sub(sum, ws_mul(ws_cast(ws_load(x, i - 2 * k, 0, 16, 64), WS_F32), 0.5f));
        ws_store(y, i, 0, sum);
    }
}

static void check_square(int B, int H, int W, int C, const ws_f16 *X, const ws_f16 *weights, const ws_f16 *Y)
{
    for (int i = 0; i < B * H * W * C; i++) {
        const int c = i % C, v = i / C % W, h = i / C / W % H, b = i / C / W / H;
        double sum = 0;
        for (int tap = 0; tap < 9; tap++) {
            const int row = h + tap / 3 - 1, col = v + tap % 3 - 1;
            if (row >= 0 && row < H && col >= 0 && col < W)
                sum += (double)ws_f16_to(X[(((size_t)b * H + row) * W + col) * C + c]) *
                       ws_f16_to(weights[(size_t)tap * C + c]);
        }
        check_close(Y, i, sum, 1e-2);
    }
}

int main(int argc, char **argv)
{
    check_begin("shifted_rows", argc, argv);
    const int W = check_size(1, 37), C = check_size(2, 76), B = 2, H = 5, M = check_size(3, 83), N = 70;
    ws_f16 *X = check_random(WS_F16, (size_t)B * H * W * C), *weights = check_random(WS_F16, (size_t)9 * C);
    ws_f16 *Y = check_output(WS_F16, (size_t)B * H * W * C);
    float *P = check_random(WS_F32, (size_t)M * N), *Q = check_output(WS_F32, (size_t)M * N);
    ws_bf16 *R = check_random(WS_BF16, (size_t)M * 64);
    float *S = check_random(WS_F32, (size_t)M * 64), *before = malloc((size_t)M * 64 * sizeof *before);

    memcpy(before, S, (size_t)M * 64 * sizeof *before);
    square(B, H, W, C, check_place(X), check_place(weights), check_place(Y));
    largest(M, N, check_place(P), check_place(Q));
    in_place(M, check_place(R), check_place(S));
    check_fetch();
    check_square(B, H, W, C, X, weights, Y);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double most = -1;
            for (int k = 0; k < 4 && i + 2 * k < M; k++)
                most = P[(size_t)(i + 2 * k) * N + j] > most ? P[(size_t)(i + 2 * k) * N + j] : most;
            check_close(Q, (size_t)i * N + j, most, 0);
        }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < 64; j++) {
            double sum = before[(size_t)i * 64 + j];
            for (int k = 0; k < 3; k++)
                sum += (i + k < M ? ws_bf16_to(R[(size_t)(i + k) * 64 + j]) : 0) -
                       0.5 * (i >= 2 * k ? ws_bf16_to(R[(size_t)(i - 2 * k) * 64 + j]) : 0);
            check_close(S, (size_t)i * 64 + j, sum, 1e-4);
        }
    free(before);
    return check_end();
}
