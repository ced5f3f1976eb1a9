/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tile-ai/tilelang-ascend#1757, #1764: padded boundary of a convolution, taps by / and % */
#include "report.h"
void im2col(int C, int H, int W, int K, int pad, int st, const float *x, float *c)
{
    int OH = (H + 2 * pad - K) / st + 1, OW = (W + 2 * pad - K) / st + 1;
#pragma ws grid(4)
    for (int ch = 0; ch < C; ch++)
        for (int k = 0; k < K * K; k++)
            for (int oy = 0; oy < OH; oy++)
                for (int ox = 0; ox < OW; ox++) {
                    int y = oy * st + k / K - pad, xx = ox * st + k % K - pad;
                    c[((ch * K * K + k) * OH + oy) * OW + ox] =
                        y >= 0 && y < H && xx >= 0 && xx < W ? x[(ch * H + y) * W + xx] : 0;
                }
}
int main(void)
{
    static float x[3 * 9 * 11], c[20000];
    for (int i = 0; i < 297; i++)
        x[i] = h_int(-9, 9);
    im2col(3, 9, 11, 3, 1, 1, x, c);
    SHOW("c", c, sizeof c);
    im2col(3, 9, 11, 3, 0, 2, x, c);
    SHOW("c", c, sizeof c);
}
