/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* sums of three neighbours in rows; what lies outside of a row is left out */
void three(int h, int w, int o, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float s = 0;
            for (int m = 0; m < 3; m++) {
                int x = j + m + o;
                if (x >= 0 && x < w)
                    s += in[i * w + x];
            }
            out[i * w + j] = s;
        }
}
int main(int argc, char **argv)
{
    int h = 8, w = 10;
    for (int e = 0; e < 2; e++) {
        float *in = guarded(h * w * 4, e), *out = guarded(h * w * 4, e);
        for (int i = 0; i < h * w; i++)
            in[i] = i, out[i] = -1;
        three(h, w, -1, in, out);
        printf("%g %g, C: 1 157\n", out[0], out[h * w - 1]);
        fflush(stdout);
    }
    return 0;
}
