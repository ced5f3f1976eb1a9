/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bound that is chosen of three. */
void f(int n, int m, int a, int b, float *y, const float *x)
{
    #pragma ws grid(1)
    for (int i = 0; i < (a ? n : b ? m : 3); i++) /* wrong */
        y[i] = x[i];
}
