/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
void three(int h, int w, const float *in, float *out)
{
#pragma ws data copyin(in [0:h * w]) copy(out [0:h * w])
    {
#pragma ws grid(2)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                float s = 0;
                for (int m = 0; m < 3; m++) {
                    int x = j + m - 1;
                    if (x >= 0 && x < w)
                        s += in[i * w + x];
                }
                out[i * w + j] = s;
            }
    }
}
void apart(int h, int w, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float s = 0;
            for (int m = 0; m < 3; m++) {
                int x = j + m - 1;
                if (x >= 0 && x < w)
                    s += in[i * w + x];
            }
            out[i * w + j] = s;
        }
}
int main(int argc, char **argv)
{
    int h = 8, w = 16;
    float *all = malloc(h * w * 2 * 4), *in = all, *out = all + h * w;
    for (int i = 0; i < h * w; i++)
        in[i] = i, out[i] = -1;
    three(h, w, in, out);
    printf("%g %g, C: 1 253\n", out[0], out[h * w - 1]);
    for (int i = 0; i < h * w; i++)
        in[i] = i, out[i] = -1;
    apart(h, w, in, out);
    printf("%g %g, C: 1 253\n", out[0], out[h * w - 1]);
    return 0;
}
