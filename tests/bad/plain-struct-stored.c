/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A struct that is stored in an array as a whole. */
typedef struct {
    float r, i;
} cpx;

void copy(int n, cpx *y, const cpx *x)
{
    #pragma ws grid(1)
    for (int k = 0; k < n; k++)
        y[k] = x[k]; /* wrong */
}
