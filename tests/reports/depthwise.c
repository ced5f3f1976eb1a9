/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* PORTING.md, a convolution with padding */
void depthwise(float *dst, const float *src, const float *knl, int B, int C, int H, int W, int OH, int OW, int KH,
               int KW, int sx, int sy, int px, int py, int dx, int dy)
{
#pragma ws grid(3) /* new */
    for (int b = 0; b < B * C; b++)
        for (int oy = 0; oy < OH; oy++)
            for (int ox = 0; ox < OW; ox++) {
                float sum = 0;
                for (int ky = 0; ky < KH; ky++) {
                    int y = oy * sy + ky * dy - py;
                    if (y < 0 || y >= H)
                        continue;
                    for (int kx = 0; kx < KW; kx++) {
                        int x = ox * sx + kx * dx - px;
                        if (x < 0 || x >= W)
                            continue;
                        sum += knl[(b % C * KH + ky) * KW + kx] * src[(b * H + y) * W + x];
                    }
                }
                dst[(b * OH + oy) * OW + ox] = sum;
            }
}
int main(void)
{
    int H = 16, W = 32, BC = 2;
    for (int e = 0; e < 2; e++) {
        float *src = guarded(BC * H * W * 4, e), *dst = guarded(BC * H * W * 4, e), *knl = guarded(BC * 9 * 4, e);
        for (int i = 0; i < BC * H * W; i++)
            src[i] = i % 7, dst[i] = -1;
        for (int i = 0; i < BC * 9; i++)
            knl[i] = 1;
        depthwise(dst, src, knl, 1, BC, H, W, H, W, 3, 3, 1, 1, 1, 1, 1, 1);
        printf("%g %g\n", dst[0], dst[BC * H * W - 1]);
        fflush(stdout);
    }
    return 0;
}
