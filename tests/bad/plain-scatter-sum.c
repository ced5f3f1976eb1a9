/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums at loaded subscripts, of a type that memory does not add. */
void count(int n, int m, const int *to, const short *x, short *y)
{
#pragma ws grid(1) extent(y : m) reduction(+ : y)
    for (int i = 0; i < n; i++)
        y[to[i]] += x[i];
}
