/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of structs one by one, and functions that take and return the structs: what the refusal of a whole struct
   that is copied from an array advises. */
#include <stdio.h>

typedef struct {
    float r, i;
} cpx;

static cpx mul(cpx a, cpx b)
{
    cpx c = {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
    return c;
}

static void squares(int n, cpx *y, const cpx *x)
{
#pragma ws grid(1)
    for (int k = 0; k < n; k++) {
        cpx a, c;
        a.r = x[k].r;
        a.i = x[k].i;
        c = mul(a, a);
        y[k].r = c.r;
        y[k].i = c.i;
    }
}

static cpx in[64], out[64];

int main(void)
{
    for (int i = 0; i < 64; i++) {
        in[i].r = i % 5;
        in[i].i = i % 3;
    }
    squares(64, out, in);
    for (int i = 0; i < 64; i += 7)
        printf("%g %g\n", out[i].r, out[i].i);
    return 0;
}
