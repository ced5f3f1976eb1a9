/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_maths.c. */

/* every function of <math.h> that tiles have, by its name in C */
KERNEL(of_one)(int n, float y[n][14], const float *x)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float u = x[i], above = 1 + fabsf(u);
        y[i][0] = ceilf(u * 8) + truncf(u * 8) + roundf(u * 8) + nearbyintf(u * 8) + floorf(u * 8) + rintf(u * 8);
        y[i][1] = asinf(fminf(fmaxf(u, -1), 1));
        y[i][2] = acosf(fminf(fmaxf(u, -1), 1));
        y[i][3] = atanf(u * 20);
        y[i][4] = asinhf(u) + acoshf(above);
        y[i][5] = atanhf(u * 0.125f);
        y[i][6] = erfcf(u) + erff(u) * 2;
        y[i][7] = tgammaf(above);
        y[i][8] = lgammaf(above + 2);
        y[i][9] = log10f(above) + log2f(above) + log1pf(above);
        y[i][10] = copysignf(above, u);
        y[i][11] = fdimf(u, 0.25f);
        y[i][12] = remainderf(u * 7, 2) + fmodf(u * 7, 2);
        y[i][13] = hypotf(u, 3) + cbrtf(u) + expm1f(u) + sinhf(u);
    }
}

/* likewise of doubles, and of a number that no element enters */
KERNEL(of_doubles)(int n, double *y, const double *x, double c)
{
    double k = lgamma(c) + erfc(c) + atan(c);
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i] = k + tgamma(1 + fabs(x[i])) * round(x[i] * 4) + asinh(x[i]) * log10(2 + fabs(x[i])) + atan(c * 3) +
               copysign(acosh(c + 1), x[i]);
}
