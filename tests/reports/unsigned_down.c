/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lfortran/lfortran#12961 (down loops): unsigned k; k-- > 0 */
#include "report.h"
void f(unsigned n, const int *x, int *a)
{
#pragma ws grid(1)
    for (unsigned i = 0; i < n; i++) {
        int s = 0;
        for (unsigned k = n; k-- > 0;)
            s = s * 5 + x[k] * (int)i;
        a[i] = s;
    }
}

int main(void)
{
    enum { N = 19 };
    int x[N], a[N] = {0};
    for (int i = 0; i < N; i++)
        x[i] = h_int(0, 1) - i % 2;
    f(7, x, a);
    f(0, x, a + 8);
    SHOW("a", a, sizeof a);
}
