/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 3 x 3 convolution of one channel by nine shifted loads, with negative coordinates at the borders; then the same as
   a product over input channels with the taps in an ordinary loop around the pipelined one. */
#include "test.h"

static void smooth(int H, int W, const float *X, const float *taps, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, H, W), y = ws_tensor_2d(Y, WS_F32, H, W), t = ws_tensor_1d(taps, WS_F32, 9);

    #pragma ws grid(2)
    for (int i = 0; i < H; i += 32)
        for (int j = 0; j < W; j += 32) {
            ws_tile sum = ws_zeros(WS_F32, 32, 32);
            #pragma ws pipeline(3)
            for (int n = 0; n < 9; n++)
                sum = ws_fma(ws_load(x, i + n / 3 - 1, j + n % 3 - 1, 32, 32), ws_at_float(t, n), sum);
            ws_store(y, i, j, sum);
        }
}

/* X[H][W][I], F[tap][O][I], Y[H][W][O]; one row of the image for each iteration of the grid. */
static void layer(int H, int W, int I, int O, const ws_f16 *X, const ws_f16 *F, float *Y)
{
    ws_tensor x = ws_tensor_3d(X, WS_F16, H, W, I), f = ws_tensor_3d(F, WS_F16, 9, O, I),
              y = ws_tensor_3d(Y, WS_F32, H, W, O);

    #pragma ws grid(3)
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w += 64)
            for (int o = 0; o < O; o += 32) {
                ws_tile acc = ws_zeros(WS_F32, 64, 32);
                for (int n = 0; n < 9; n++) {
                    #pragma ws pipeline(3, 2)
                    for (int i = 0; i < I; i += 16) {
                        ws_tile patch = ws_load_3d(x, h + n / 3 - 1, w + n % 3 - 1, i, 64, 16);
                        acc = ws_dot(patch, ws_trans(ws_load_3d(f, n, o, i, 32, 16)), acc);
                    }
                }
                ws_store_3d(y, h, w, o, acc);
            }
}

int main(int argc, char **argv)
{
    check_begin("convolution", argc, argv);
    int H = 6, W = 70, I = 24, O = 40, S = 50;
    float *P = check_random(WS_F32, (size_t)S * S), *taps = check_random(WS_F32, 9),
          *Q = check_output(WS_F32, (size_t)S * S);
    ws_f16 *X = check_random(WS_F16, (size_t)H * W * I), *F = check_random(WS_F16, (size_t)9 * O * I);
    float *Y = check_output(WS_F32, (size_t)H * W * O);

    smooth(S, S, check_place(P), check_place(taps), check_place(Q));
    layer(H, W, I, O, check_place(X), check_place(F), check_place(Y));
    check_fetch();
    for (long i = 0; i < S; i++)
        for (long j = 0; j < S; j++) {
            double sum = 0;
            for (long n = 0, r, c; n < 9; n++)
                if (r = i + n / 3 - 1, c = j + n % 3 - 1, r >= 0 && r < S && c >= 0 && c < S)
                    sum += (double)P[r * S + c] * taps[n];
            check_close(Q, i * S + j, sum, 2e-6);
        }
    for (long p = 0; p < (long)H * W * O; p++) {
        double sum = 0, magnitude = 0, m;
        for (long n = 0; n < 9; n++) {
            long r = p / O / W + n / 3 - 1, c = p / O % W + n % 3 - 1;
            if (r < 0 || r >= H || c < 0 || c >= W)
                continue;
            sum += test_dot(rows_of(X, I), columns_of(F, I), r * W + c, n * O + p % O, 0, I, &m);
            magnitude += m;
        }
        check_close(Y, p, sum, check_dot_error(9 * I, magnitude));
    }
    return check_end();
}
