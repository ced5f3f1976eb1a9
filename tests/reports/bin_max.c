/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tile-ai/tilelang#2959: largest per bin */
#include "report.h"
void f(int n, int nb, const int *k, const int *x, int *best)
{
#pragma ws grid(1) extent(best : nb) reduction(max : best)
    for (int i = 0; i < n; i++)
        if (x[i] > best[k[i]])
            best[k[i]] = x[i];
}

int main(void)
{
    int k[200], x[200], best[16] = {0};
    for (int i = 0; i < 200; i++)
        k[i] = h_int(0, 15), x[i] = h_int(-50, 99);
    f(200, 16, k, x, best);
    SHOW("best", best, sizeof best);
}
