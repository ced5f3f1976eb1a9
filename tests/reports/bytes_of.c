/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* the lowest byte of a number, as C allows it */
void f(int n, int *y, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float v = x[i] * 2;
        y[i] = ((unsigned char *)&v)[3];
    }
}
void g(int n, int *y, const int *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int v = x[i] + 1;
        const unsigned char *p = (const unsigned char *)&v;
        y[i] = p[0] + 256 * p[1];
    }
}
void h(int n, int *y, const int *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        y[i] = ((const unsigned char *)&x[i])[1];
    }
}
int main(void)
{
    float x[4] = {1, 2, -3, 100};
    int y[4] = {-1, -1, -1, -1}, z[4] = {-1, -1, -1, -1}, k[4] = {1, 300, 70000, -5}, w[4];
    f(4, y, x);
    printf("%d %d %d %d\n", y[0], y[1], y[2], y[3]);
    g(4, z, k);
    printf("%d %d %d %d\n", z[0], z[1], z[2], z[3]);
    h(4, w, k);
    printf("%d %d %d %d\n", w[0], w[1], w[2], w[3]);
    return 0;
}
