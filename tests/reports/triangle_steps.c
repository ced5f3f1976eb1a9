/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own, mutated: a triangle's columns by steps: a bound takes counters with factors of two signs */
#include "report.h"

void columns(int n, int m, const float *a, const float *u, float *w)
{
#pragma ws grid(1) tile(64)
    for (int i = 1; i < n - 1; i++) {
        float s = 0;
#pragma ws pipeline(auto) tile(32) reduction(+ : s)
        for (int j = 1; j < i + 1; j += 2)
            s += i != j ? a[(n - 1 - i) * m + j] : u[i - 1];
        w[i] = s;
    }
}

void both(int n, int m, const float *a, const float *u, float *w)
{
#pragma ws grid(1) tile(64)
    for (int i = 1; i < n - 1; i += 2) {
        float s = 0;
#pragma ws pipeline(auto) tile(32) reduction(+ : s)
        for (int j = 1; j < i + 1; j += 3)
            s += i != j ? a[(n - 1 - i) * m + j] : u[i - 1];
        w[i] = s;
    }
}

int main(void)
{
    static float a[92 * 92], u[92], w[92];
    for (int i = 0; i < 92 * 92; i++)
        a[i] = h_int(-9, 9);
    for (int i = 0; i < 92; i++)
        u[i] = h_int(-9, 9);
    columns(74, 92, a, u, w);
    SHOW("w", w, sizeof w);
    both(74, 92, a, u, w);
    SHOW("w", w, sizeof w);
    both(3, 92, a, u, w);
    SHOW("w", w, sizeof w);
}
