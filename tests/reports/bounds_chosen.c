/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own, fuzzed: bounds of loops by a condition that no iteration has, and counters cut to 16 bits: nothing but what C
   reads is looked at */
#include "report.h"

void chosen(int n, int on, int a, int b, int base, const int *x, long *o)
{
#pragma ws grid(1) tile(32)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (int k = a; k <= (i > on ? b : a); k++)
            s = x[k - base] > s ? x[k - base] : s;
        o[i] = s;
    }
}

void far(int n, int on, unsigned a, unsigned b, unsigned base, const int *x, long *o)
{
#pragma ws grid(1) tile(32)
    for (int i = 0; i < n; i++) {
        long s = 1;
#pragma ws pipeline(auto) tile(16) reduction(+ : s)
        for (unsigned k = a; k <= (i > on ? b : a); k++)
            s += x[(long)k - (long)base];
        o[i] = s;
    }
}

void down(int n, int on, int a, const int *x, long *o)
{
#pragma ws grid(1) tile(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (int k = a + i; k > (i > on ? 9 : a + i); --k)
            s = x[k] > s ? x[k] : s;
        o[i] = s;
    }
}

void cut(int n, unsigned long a, unsigned short base, const int *x, long *o)
{
#pragma ws grid(1) tile(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned short k = a + i; k++ <= 29;)
            s += x[k - base];
        o[i] = s;
    }
}

void nowhere(int h, int w, int oy, const float *in, float *out)
{
#pragma ws grid(2)
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float max = -1;
            for (int n = 0; n < 3; n++) {
                short y = oy + i + n;
                if (y <= h)
                    continue;
                for (int m = 0; m < 2; m++) {
                    float val = in[y * w + j + m];
                    max = val > max ? val : max;
                }
            }
            out[i * w + j] = max;
        }
}

int main(void)
{
    int n = 5, *x = guarded_end(4 * n), *one = guarded_end(4);
    long o[5];
    for (int i = 0; i < n; i++)
        x[i] = h_int(1, 9);
    *one = 7;
    chosen(n, n, 21, 48, 21, one, o);
    SHOW("chosen", o, sizeof o);
    chosen(n, 3, 21, 25, 21, x, o);
    SHOW("chosen", o, sizeof o);
    far(n, n, 4, 4294967276u, 4, one, o);
    SHOW("far", o, sizeof o);
    far(n, 1, 4, 8, 4, x, o);
    SHOW("far", o, sizeof o);
    down(n, n, 33, one, o);
    SHOW("down", o, sizeof o);
    int *cuts = guarded_end(4 * 13);
    for (int i = 0; i < 13; i++)
        cuts[i] = h_int(1, 9);
    cut(2, 65553, 18, cuts, o);
    SHOW("cut", o, 16);
    for (int e = 0; e < 2; e++) {
        float *in = guarded(320, e), *out = guarded(320, e);
        for (int i = 0; i < 80; i++)
            in[i] = 3;
        nowhere(8, 10, -1, in, out);
        SHOW("nowhere", out, 320);
    }
}
