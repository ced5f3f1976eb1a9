/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own, mutated: factors of counters below 0, where conditions keep what is read inside of the array */
#include "report.h"

void pool(int h, int w, int oy, int ox, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float max = -1e30f;
            for (int n = 0; n < 3; n++) {
                int y = oy * i + n;
                if (y < 0 || y >= h)
                    continue;
                for (int m = 0; m < 2; m++) {
                    int x = ox * j + m;
                    if (x < 0 || x >= w)
                        continue;
                    float val = in[y * w + x];
                    max = val > max ? val : max;
                }
            }
            out[i * w + j] = max;
        }
}

void rows(int h, int w, int oy, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            int y = oy * i + 1;
            out[i * w + j] = y >= 0 && y < h ? in[y * w + j] : -1;
        }
}

int main(void)
{
    for (int e = 0; e < 2; e++)
        for (int o = -2; o < 3; o++) {
            float *in = guarded(320, e), *out = guarded(320, e);
            for (int i = 0; i < 80; i++)
                in[i] = h_int(-9, 9), out[i] = -1;
            pool(8, 10, o, o, in, out);
            SHOW("both", out, 320);
            pool(8, 10, -1, o, in, out);
            SHOW("columns", out, 320);
            rows(8, 10, o, in, out);
            SHOW("rows", out, 320);
        }
}
