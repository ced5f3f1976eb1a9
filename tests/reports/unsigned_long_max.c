/* SPDX-License-Identifier: GPL-3.0-or-later */
/* llvm/llvm-project#192616, #190128 (mixed widths): largest of an unsigned element and a long */
#include "report.h"
void f(int n, long q, const unsigned *x, unsigned *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        o[i] = x[i] > q ? x[i] : q;
}
int main(void)
{
    unsigned a[8] = {0, 1, 7, 2147483647, 2147483648u, 3000000000u, 4000000000u, 4294967295u};
    unsigned o[8];
    long qs[] = {-1, -5, 3, 2147483648L, 3500000000L, 5000000000L, -5000000000L};
    for (int k = 0; k < 7; k++) {
        f(8, qs[k], a, o);
        printf("%ld:", qs[k]);
        for (int i = 0; i < 8; i++)
            printf(" %u", o[i]);
        printf("\n");
    }
}
