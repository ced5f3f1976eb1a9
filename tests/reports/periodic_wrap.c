/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gleisonsdm/DawnCC-Compiler#17: wrapped neighbours, by a helper with ?: */
#include "report.h"
static inline int wrap(int i, int n)
{
    return i < 0 ? i + n : i >= n ? i - n : i;
}
void f(int m, int n, const int *x, int *y)
{
#pragma ws grid(2)
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++)
                    if (di || dj)
                        s += x[wrap(i + di, m) * n + wrap(j + dj, n)];
            y[i * n + j] = s == 3 || (s == 2 && x[i * n + j]);
        }
}
int main(void)
{
    int x[900], y[900];
    for (int i = 0; i < 900; i++)
        x[i] = h_int(0, 1);
    f(30, 30, x, y);
    SHOW("f", y, sizeof y);
    f(20, 17, y, x);
    SHOW("f", x, sizeof x);
}
