/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
void one(int h, int w, int o, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            int x = j + o;
            out[i * w + j] = x >= 0 && x < w ? in[i * w + x] : 0;
        }
}
int main(int argc, char **argv)
{
    int h = 8, w = 10;
    for (int o = -2; o < 3; o++)
        for (int e = 0; e < 2; e++) {
            float *in = guarded(h * w * 4, e), *out = guarded(h * w * 4, e);
            for (int i = 0; i < h * w; i++)
                in[i] = i, out[i] = -1;
            one(h, w, o, in, out);
            printf("%d %d: %g %g\n", o, e, out[0], out[h * w - 1]);
            fflush(stdout);
        }
    return 0;
}
