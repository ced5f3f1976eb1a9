/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numba/numba#7284: an element beyond the end under a condition */
#include "report.h"
void f(int n, int r, const float *x, const float *w, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = -r; k <= r; k++) {
            int p = i + k;
            float v = p >= 0 && p < n ? x[p] : 0;
            s += v * w[k + r];
        }
        y[i] = s;
    }
}
int main(void)
{
    int n = 333;
    float *x = guarded_end(4 * n), *y = guarded_end(4 * n), *w = guarded_end(4 * 7);
    for (int i = 0; i < n; i++)
        x[i] = h_int(-9, 9);
    for (int i = 0; i < 7; i++)
        w[i] = h_int(-9, 9);
    f(n, 3, x, w, y);
    SHOW("y", y, 4 * n);
    f(n, 0, x, w, y);
    f(1, 3, x, w, y);
    SHOW("y", y, 4 * n);
}
