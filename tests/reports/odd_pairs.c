/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ggml-org/llama.cpp#16988: odd lengths; pairs of elements, the last alone */
#include "report.h"
void f(int n, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < (n + 1) / 2; i++) {
        float s = x[2 * i];
        if (2 * i + 1 < n)
            s += x[2 * i + 1];
        y[i] = s;
    }
}
int main(void)
{
    int n = 333;
    float *y = guarded_end(4 * (n + 1) / 2), *x = guarded_end(4 * n);
    for (int i = 0; i < n; i++)
        x[i] = h_int(0, 100);
    f(n, x, y);
    SHOW("f", y, 4 * (n + 1) / 2);
}
