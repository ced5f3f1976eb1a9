/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own, mutated: what the launcher finds of the edges of `!=` and `==` says how far an array is read or written */
#include "report.h"

void pairs(int n, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i != (n + 1) / 2; i++) {
        float s = x[2 * i];
        if (2 * i + 1 != n)
            s += x[2 * i + 1];
        y[i] = s;
    }
}

void pool(int h, int w, int oy, int ox, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float max = -1e30f;
            for (int n = 0; n < 3; n++) {
                int y = i + n - oy;
                if (y < 0 || y == h)
                    continue;
                for (int m = 0; m < 3; m++) {
                    int x = j + m - ox;
                    if (x == -1 || x >= w)
                        continue;
                    float val = in[y * w + x];
                    max = val > max ? val : max;
                }
            }
            out[i * w + j] = max;
        }
}

/* The tail's counter is cut to an int.  */
void tail(int n, const float *x, float *y)
{
#pragma ws grid(2)
    for (size_t b = 0; b < (n + 255) / 256; b++)
        for (int t = 0; t < 256; t++) {
            int i = b * 256 + t;
            if (i >= n)
                continue;
            y[i] = x[i] * 3;
        }
}

void tail_unsigned(unsigned n, const float *x, float *y)
{
#pragma ws grid(2)
    for (unsigned b = 0; b < (n + 255) / 256; b++)
        for (int t = 0; t < 256; t++) {
            unsigned i = b * 256 + t;
            if (i < n)
                y[i] = x[i] * 5;
        }
}

int main(void)
{
    int n = 333;
    float *x = guarded_end(4 * n), *y = guarded_end(4 * n), *half = guarded_end(4 * (n + 1) / 2);
    for (int i = 0; i < n; i++)
        x[i] = h_int(0, 100);
    pairs(n, x, half);
    SHOW("pairs", half, 4 * (n + 1) / 2);
    tail(n, x, y);
    SHOW("tail", y, 4 * n);
    tail_unsigned(n, x, y);
    SHOW("unsigned", y, 4 * n);
    for (int e = 0; e < 2; e++) {
        float *in = guarded(320, e), *out = guarded(320, e);
        for (int i = 0; i < 80; i++)
            in[i] = h_int(-9, 9), out[i] = -1;
        pool(8, 10, 1, 1, in, out);
        SHOW("pool", out, 320);
    }
}
