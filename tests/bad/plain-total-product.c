/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product over a grid. */
float product(int n, const float *x)
{
    float total = 1;
    #pragma ws grid(1) reduction(*: total)
    for (int i = 0; i < n; i++)
        total *= x[i];
    return total;
}
