/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A character of a string literal. */
void f(int n, float *y, const int *u)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = "abcd"[u[i] & 3]; /* wrong */
}
