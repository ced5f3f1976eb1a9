/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What refusals advise compiles, and is right: a flag in place of `break`, a named array in place of a string literal,
   an int in place of a float that counts, a copy of a bound. */
#include <stdio.h>

static void until(int n, int m, float *y, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        int done = 0;
#pragma ws pipeline(2)
        for (int k = 0; k < m; k++) {
            if (!done)
                s += x[i * m + k];
            done |= x[i * m + k] > 9;
        }
        y[i] = s;
    }
}

static const char letters[] = "abcd";

static void characters(int n, float *y, const int *u)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = letters[u[i] & 3];
}

static void counted(int n, int m, float *y, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        int end = m;
#pragma ws pipeline(2)
        for (int k = 0; k < end; k++) {
            float t = 1 + k * 0.5f;
            s += x[i * m + k] * t;
        }
        y[i] = s;
    }
}

static float x[1024], y[1024];
static int u[64];

int main(void)
{
    for (int i = 0; i < 1024; i++)
        x[i] = i * 7 % 11;
    for (int i = 0; i < 64; i++) {
        u[i] = i * 3 % 7;
    }
    until(32, 32, y, x);
    characters(64, y + 64, u);
    counted(32, 32, y + 128, x);
    for (int i = 0; i < 64; i += 7)
        printf("%g %g %g\n", y[i % 32], y[64 + i], y[128 + i % 32]);
    return 0;
}
