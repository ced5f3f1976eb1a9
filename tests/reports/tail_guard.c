/* SPDX-License-Identifier: GPL-3.0-or-later */
/* risc0/risc0#3803: blocks of 256, the last one short: what lies behind the array is neither read nor written */
#include "report.h"

void scale(int n, const float *x, float *y)
{
#pragma ws grid(2)
    for (int b = 0; b < (n + 255) / 256; b++)
        for (int t = 0; t < 256; t++) {
            int i = b * 256 + t;
            if (i >= n)
                continue;
            y[i] = x[i] * 3;
        }
}
int main(int argc, char **argv)
{
    int n = 333;
    if (argc > 1) { /* arrays of malloc, for a sanitizer */
        float *x = malloc(4 * n), *y = malloc(4 * n);
        for (int i = 0; i < n; i++)
            x[i] = i;
        scale(n, x, y);
        SHOW("y", y, 4 * n);
        return 0;
    }
    float *x = guarded_end(4 * n), *y = guarded_end(4 * n);
    for (int i = 0; i < n; i++)
        x[i] = i;
    scale(n, x, y);
    SHOW("y", y, 4 * n);
}
