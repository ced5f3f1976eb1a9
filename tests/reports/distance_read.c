/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
void f(int n, int s, int d, int low, int high, int *a, const int *r)
{
#pragma ws grid(1)
    for (int i = low; i <= high; i++)
        a[i * s + d] = r[i * s + d] + a[i * s + d - n];
}
int main(void)
{
    static int a[5000], r[5000];
    for (int i = 0; i < 5000; i++)
        a[i] = 0, r[i] = 1;
    f(5, 5, 0, 1, 900, a, r);   /* s == n: each iteration reads what the one before wrote */
    printf("%d\n", a[900 * 5]); /* C: 900 */
    for (int i = 0; i < 5000; i++)
        a[i] = 0, r[i] = 1;
    f(2, 1, 0, 2, 900, a, r);
    printf("%d\n", a[900]); /* C: 450 */
    return 0;
}
