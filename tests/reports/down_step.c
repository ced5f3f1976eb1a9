/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lfortran/lfortran#12961: down by two */
#include "report.h"
void f(int n, int *a)
{
#pragma ws grid(1)
    for (int i = n; i >= 1; i -= 2)
        a[i] = a[i] + i;
}

int main(void)
{
    int a[100];
    for (int i = 0; i < 100; i++)
        a[i] = h_int(-9, 9);
    f(99, a);
    f(40, a);
    f(0, a);
    SHOW("a", a, sizeof a);
}
