/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function of numbers of two parts. */
float cabsf(float _Complex x);

void sizes(int n, const float _Complex *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = cabsf(x[i]);
}
