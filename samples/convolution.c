/* SPDX-License-Identifier: MIT */
/* A 3 x 3 convolution of images, NHWC, zeros around: a matrix product of which a row is a pixel, and K runs over taps
   and channels. A tile's rows are a box of pixels, 2 images x 8 x 8, which one TMA copy brings for each tap. */
#include <ws.h>

#include "check.h"

/* Y[b][h][v][f] = sum of X[b][h + p - 1][v + q - 1][c] W[f][p][q][c]; C is a multiple of 64. */
static void convolution(int B, int H, int W, int C, int F, const ws_f16 *X, const ws_f16 *weights, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_4d(X, WS_F16, B, H, W, C), y = ws_tensor_4d(Y, WS_F16, B, H, W, F);
    ws_tensor w = ws_tensor_2d(weights, WS_F16, F, 9 * C);

    #pragma ws grid(4)
    for (int b = 0; b < B; b += 2)
        for (int h = 0; h < H; h += 8)
            for (int v = 0; v < W; v += 8)
                for (int f = 0; f < F; f += 128) {
                    ws_tile acc = ws_zeros(WS_F32, 128, 128);
                    #pragma ws pipeline(auto)
                    for (int k = 0; k < 9 * C; k += 64) {
                        int tap = k / C, c = k % C;
                        ws_tile pixels = ws_load_box_4d(x, b, h + tap / 3 - 1, v + tap % 3 - 1, c, 2, 8, 8, 64);
                        acc = ws_dot(pixels, ws_trans(ws_load(w, f, k, 128, 64)), acc);
                    }
                    ws_store_box_4d(y, b, h, v, f, 2, 8, 8, ws_cast(acc, WS_F16));
                }
}

int main(int argc, char **argv)
{
    check_begin("convolution", argc, argv);
    int B = check_size(1, 3), H = check_size(2, 10), W = check_size(3, 12), C = 64, F = check_size(4, 136);
    ws_f16 *X = check_random(WS_F16, (size_t)B * H * W * C), *weights = check_random(WS_F16, (size_t)F * 9 * C);
    ws_f16 *Y = check_output(WS_F16, (size_t)B * H * W * F);

    convolution(B, H, W, C, F, check_place(X), check_place(weights), check_place(Y));
    check_fetch();
    for (long p = 0; p < (long)B * H * W; p++)
        for (long f = 0; f < F; f++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < 9 * C; k++) {
                long h = p / W % H + k / C / 3 - 1, v = p % W + k / C % 3 - 1, image = p / W / H;
                if (h < 0 || h >= H || v < 0 || v >= W)
                    continue;
                double product = (double)ws_f16_to(X[((image * H + h) * W + v) * C + k % C]) *
                                 ws_f16_to(weights[f * 9 * C + k]);
                sum += product;
                magnitude += fabs(product);
            }
            check_close(Y, p * F + f, sum, check_dot_error(9 * C, magnitude));
        }
    return check_end();
}
