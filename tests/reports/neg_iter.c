/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devitocodes/devito#1766: subdomain loops x_m + left .. x_M - right whose iteration count is below -1; PSyclone#3256:
   halos with lower bounds below 0 */
#include "report.h"
void sub(int x_m, int x_M, int lt, int rt, int y_m, int y_M, int halo, int ny, const float *u, float *v)
{
#pragma ws grid(2)
    for (int x = x_m + lt; x <= x_M - rt; x++)
        for (int y = y_m; y <= y_M; y++)
            v[(x + halo) * ny + y + halo] = u[(x + halo) * ny + y + halo] + 1;
}
int main(void)
{
    static float u[40 * 50], v[40 * 50];
    for (int i = 0; i < 2000; i++)
        u[i] = h_int(-9, 9);
    sub(0, 30, 3, 2, 0, 40, 2, 50, u, v);
    SHOW("v", v, sizeof v);
    sub(0, 3, 3, 3, 0, 40, 2, 50, u, v);
    SHOW("v", v, sizeof v);
    sub(0, 3, 10, 13, 0, 40, 2, 50, u, v);
    SHOW("v", v, sizeof v);
    sub(0, 30, 3, 2, 5, 3, 2, 50, u, v);
    SHOW("v", v, sizeof v);
    sub(-2, 30, 0, 2, -2, 40, 2, 50, u, v);
    SHOW("halo", v, sizeof v);
    sub(-2, 10, 0, 2, -2, 10, 2, 50, u, v);
    SHOW("halo", v, sizeof v);
}
