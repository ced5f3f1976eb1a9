/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* the largest of three neighbours; what lies outside is left out */
void pool(int h, int w, int oy, int ox, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float max = -1e30f;
            for (int n = 0; n < 3; n++)
                for (int m = 0; m < 3; m++) {
                    int y = i + n - 1, x = j + m - 1, index = x + w * y;
                    int valid = y >= 0 && y < h && x >= 0 && x < w;
                    float val = valid ? in[index] : -1e30f;
                    max = val > max ? val : max;
                }
            out[i * w + j] = max;
        }
}
int main(void)
{
    float in[8 * 10], out[8 * 10];
    for (int i = 0; i < 80; i++)
        in[i] = i, out[i] = -1;
    pool(8, 10, -1, -1, in, out);
    printf("%g %g, C: 11 79\n", out[0], out[79]);
    return 0;
}
