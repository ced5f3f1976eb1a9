/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* own, mutated: conditions that no row keeps: nothing is looked at */
void pool(int h, int w, int oy, int ox, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j != w; j++) {
            float max = -1e30f;
            for (int n = 0; n < 3; n++) {
                int y = oy + i + n;
                if (y < 0 || y <= h)
                    continue;
                for (int m = 0; m < 3; m++) {
                    int x = ox + j + m;
                    if (x < 0 || x >= w)
                        continue;
                    float val = in[y * w + x];
                    max = val > max ? val : max;
                }
            }
            out[i * w + j] = max;
        }
}
/* the same by a counter of 64 bits, of which the sum is cut, and under one more condition */
void pool_long(int h, int w, int oy, int ox, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j != w; j++) {
            float max = -1e30f;
            if (i > 2)
                for (size_t n = 0; n < 3; n++) {
                    int y = oy + i + n;
                    if (y < 0 || y <= h)
                        continue;
                    for (int m = 0; m < 3; m++) {
                        int x = ox + j + m;
                        if (x < 0 || x >= w)
                            continue;
                        float val = in[y * w + x];
                        max = val > max ? val : max;
                    }
                }
            out[i * w + j] = max;
        }
}
int main(void)
{
    for (int e = 0; e < 2; e++) {
        float *in = guarded(320, e), *out = guarded(320, e);
        for (int i = 0; i < 80; i++)
            in[i] = i, out[i] = -1;
        pool(8, 10, -1, -1, in, out);
        printf("%g %g\n", out[0], out[79]);
        fflush(stdout);
        pool_long(8, 10, -1, -1, in, out);
        printf("%g %g\n", out[0], out[79]);
        fflush(stdout);
    }
    return 0;
}
