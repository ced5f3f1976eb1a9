/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop inside a grid of elements that data end. */
void first(int n, int m, const float *x, int *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int k;
        for (k = 0; k < m; k++) /* wrong */
            if (x[i * m + k] > 0.5f)
                break;
        y[i] = k;
    }
}
