/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A struct that is copied out of an array as a whole. */
typedef struct {
    float r, i;
} cpx;

void square(int n, cpx *y, const cpx *x)
{
    #pragma ws grid(1)
    for (int k = 0; k < n; k++) {
        cpx a = x[k]; /* wrong */
        y[k].r = a.r * a.r - a.i * a.i;
        y[k].i = 2 * a.r * a.i;
    }
}
