/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles whose rows span two and three dimensions of a tensor: a convolution over boxes of images, pixels around it 0; a
   stencil over boxes of rank 3 with a fill; sums added to boxes; boxes whose sixteen rows are none, and which groups
   divide. */
#include "test.h"

/* X[B][H][W][I], F[9][O][I], Y[B][H][W][O]. */
static void layer(int B, int H, int W, int I, int O, const ws_f16 *X, const ws_f16 *F, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_4d(X, WS_F16, B, H, W, I), f = ws_tensor_3d(F, WS_F16, 9, O, I);
    ws_tensor y = ws_tensor_4d(Y, WS_F16, B, H, W, O);

#pragma ws grid(4)
    for (int b = 0; b < B; b += 2)
        for (int h = 0; h < H; h += 4)
            for (int w = 0; w < W; w += 16)
                for (int o = 0; o < O; o += 64) {
                    ws_tile acc = ws_zeros(WS_F32, 128, 64);
                    for (int n = 0; n < 9; n++) {
#pragma ws pipeline(2)
                        for (int i = 0; i < I; i += 32) {
                            ws_tensor there = ws_box_4d(x, b, h + n / 3 - 1, w + n % 3 - 1, 2, 4, 16);
                            ws_tile pixels = ws_load(there, 0, i, 128, 32);
                            acc = ws_dot(pixels, ws_trans(ws_load_3d(f, n, o, i, 64, 32)), acc);
                        }
                    }
                    ws_store_box_4d(y, b, h, w, o, 2, 4, 16, ws_cast(acc, WS_F16));
                }
}

/* The mean of the neighbours before and behind, where those outside count FILL; 3 x 5 rows. */
enum { FILL = 3 };

static void neighbours(int H, int W, int C, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_3d(X, WS_F32, H, W, C), y = ws_tensor_3d(Y, WS_F32, H, W, C);

#pragma ws grid(2)
    for (int h = 0; h < H; h += 3)
        for (int w = 0; w < W; w += 5) {
            ws_tile before = ws_load_or(ws_box_3d(x, h - 1, w, 3, 5), 0, 0, 15, 24, FILL);
            ws_tile behind = ws_load_or(ws_box_3d(x, h + 1, w, 3, 5), 0, 0, 15, 24, FILL);
            ws_store_box_3d(y, h, w, 0, 3, 5, ws_mul(ws_add(before, behind), 0.5));
        }
}

/* Y[h][w] += the products of all X[k], in parts of k; 128 rows, of which each group has eight lines. */
static void added(int H, int W, int K, int N, const signed char *X, const signed char *F, int *Y)
{
    ws_tensor x = ws_tensor_3d(X, WS_I8, H, W, K), f = ws_tensor_2d(F, WS_I8, N, K);
    ws_tensor y = ws_tensor_3d(Y, WS_I32, H, W, N);

#pragma ws grid(3) consumers(2, rows)
    for (int h = 0; h < H; h += 16)
        for (int w = 0; w < W; w += 8)
            for (int part = 0; part < K; part += 64) {
                ws_tile acc = ws_zeros(WS_I32, 128, 32);
#pragma ws pipeline(2)
                for (int k = part; k < part + 64; k += 32)
                    acc = ws_dot(ws_load_box_3d(x, h, w, k, 16, 8, 32), ws_trans(ws_load(f, 0, k, 32, 32)), acc);
                ws_atomic_add(ws_box_3d(y, h, w, 16, 8), 0, 0, acc);
            }
}

static void check_layer(void)
{
    int B = 3, H = 7, W = 18, I = 40, O = 72;
    ws_f16 *X = check_random(WS_F16, (size_t)B * H * W * I), *F = check_random(WS_F16, (size_t)9 * O * I);
    ws_f16 *Y = check_output(WS_F16, (size_t)B * H * W * O);
    layer(B, H, W, I, O, check_place(X), check_place(F), check_place(Y));
    check_fetch();
    for (long p = 0; p < (long)B * H * W * O; p++) {
        double sum = 0, magnitude = 0, m;
        for (long n = 0; n < 9; n++) {
            long r = p / O / W % H + n / 3 - 1, c = p / O % W + n % 3 - 1;
            if (r < 0 || r >= H || c < 0 || c >= W)
                continue;
            long pixel = (p / O / W / H * H + r) * W + c;
            sum += test_dot(rows_of(X, I), columns_of(F, I), pixel, n * O + p % O, 0, I, &m);
            magnitude += m;
        }
        check_close(Y, p, sum, check_dot_error(9 * I, magnitude) + fabs(sum) / 1024);
    }
}

static void check_neighbours(void)
{
    int H = 7, W = 11, C = 22;
    float *X = check_random(WS_F32, (size_t)H * W * C), *Y = check_output(WS_F32, (size_t)H * W * C);
    neighbours(H, W, C, check_place(X), check_place(Y));
    check_fetch();
    for (long p = 0; p < (long)H * W * C; p++) {
        long row = (long)W * C;
        float before = p >= row ? X[p - row] : FILL, behind = p + row < H * row ? X[p + row] : FILL;
        check_equal(Y, p, (before + behind) * 0.5f);
    }
}

static void check_added(void)
{
    int H = 19, W = 12, K = 128, N = 32;
    signed char *X = check_random(WS_I8, (size_t)H * W * K), *F = check_random(WS_I8, (size_t)N * K);
    int *Y = check_range(WS_I32, (size_t)H * W * N, 0, 0);
    added(H, W, K, N, check_place(X), check_place(F), check_place(Y));
    check_fetch();
    for (long p = 0; p < (long)H * W * N; p++) {
        long sum = 0;
        for (long k = 0; k < K; k++)
            sum += X[p / N * K + k] * F[p % N * K + k];
        check_equal(Y, p, (double)sum);
    }
}

int main(int argc, char **argv)
{
    check_begin("boxes", argc, argv);
    check_layer();
    check_neighbours();
    check_added();
    return check_end();
}
