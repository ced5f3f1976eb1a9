/* SPDX-License-Identifier: MIT */
/*
 * plain_unset.c - arrays that grids give their values, under -Wall -Werror.
 * options: -O2 -Wall -Werror
 */
#include <stdio.h>

enum { N = 50 };

static void line(int n, float *y, float a)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = a * (float)i;
}

int main(void)
{
    float y[N], z[N];
    double s = 0;
    line(N, y, 3);
    #pragma ws grid(1)
    for (int i = 0; i < N; i++)
        z[i] = y[i] + 1;
    for (int i = 0; i < N; i++)
        s += z[i];
    printf("%g\n", s);
    return 0;
}
