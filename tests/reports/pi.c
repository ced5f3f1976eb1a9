/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nomp-org/libnomp#195: sum[0] += 4 / (1 + x x) */
#include "report.h"
void foo(double step, int steps, double *sum)
{
#pragma ws grid(1) reduction(+ : sum)
    for (int i = 0; i < steps; i++) {
        double x = (i + 0.5) * step;
        sum[0] += 4.0 / (1.0 + x * x);
    }
}
int main(void)
{
    double s[1] = {0};
    foo(1.0 / 5000, 5000, s);
    printf("%.6f\n", s[0] / 5000);
}
