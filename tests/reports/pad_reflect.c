/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ggml-org/llama.cpp#25568 (strided and padded views): reflected padding */
#include "report.h"
void pad(int n, int p0, int p1, int rows, const float *x, float *y)
{
    int m = n + p0 + p1;
#pragma ws grid(2)
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < m; i++) {
            int k = i - p0;
            if (k < 0)
                k = -k;
            else if (k >= n)
                k = 2 * n - 2 - k;
            y[r * m + i] = x[r * n + k];
        }
}
int main(void)
{
    static float x[300], y[900];
    for (int i = 0; i < 300; i++)
        x[i] = h_int(-20, 20);
    pad(30, 3, 4, 10, x, y);
    SHOW("y", y, sizeof y);
}
