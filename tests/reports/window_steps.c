/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* own, mutated: steps of a window around the edges of rows, before which an array begins */
void three(int h, int w, int o, const float *in, float *out)
{
#pragma ws grid(2) extent(in : h *w)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float s = 0;
            for (int m = 0; m < 3; m += 3) {
                int x = j + m + o;
                if (x >= 0 && x < w)
                    s += in[i * w + x];
            }
            if (i > 2)
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
        printf("%g %g\n", out[0], out[h * w - 1]);
        fflush(stdout);
    }
    return 0;
}
