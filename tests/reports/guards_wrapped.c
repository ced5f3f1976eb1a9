/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own: conditions on unsigned numbers that wrap around, and on limits of 64 bits beyond 2^63 */
#include "report.h"

void wrapped(int n, unsigned m, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = (i * 65536u < m ? x[i] : 0) + (i * 131072u < 10u ? x[i] : 0);
}

void behind(int n, uint64_t a, uint64_t v, const int *x, long *y)
{
#pragma ws grid(1)
    for (uint64_t i = a; i < a + n; i++)
        y[i - a] = i >= v ? 3 : x[i - a];
}

void steps(uint64_t a, int n, int *t)
{
#pragma ws grid(1)
    for (uint64_t i = a; i < a + 30; i += 7)
        t[i - a] = (int)(i % 1000) + n;
}

void from_the_top(int n, int m, uint64_t *y, const uint64_t *x, const int *q)
{
#pragma ws grid(2)
    for (int i = 1; i != n - 1; i += 1)
        for (uint64_t j = 1; j < (uint64_t)(m - 1); j++)
            y[i * m + j] += (uint64_t)-3 <= (uint64_t)q[j] ? 3 : x[i * m + j];
}

int main(void)
{
    static float x[70000], y[70000];
    int *in = guarded_end(4 * 17), t[30] = {0};
    long out[92];
    for (int i = 0; i < 70000; i++)
        x[i] = h_int(1, 9);
    wrapped(70000, 11, x, y);
    SHOW("wrapped", y, sizeof y);
    for (int i = 0; i < 17; i++)
        in[i] = h_int(1, 9);
    behind(92, 3ul << 62, (3ul << 62) + 17, in, out);
    SHOW("behind", out, sizeof out);
    for (uint64_t a = 0; a < 7; a++) {
        steps((1ul << 63) + a, 1, t);
        SHOW("2^63", t, sizeof t);
        steps(a - 7, 1, t);
        SHOW("near top", t, sizeof t);
    }
    static uint64_t table[20 * 30], sums[20 * 30];
    int q[30];
    for (int i = 0; i < 600; i++)
        table[i] = (uint64_t)h_int(1, 9);
    for (int i = 0; i < 30; i++)
        q[i] = h_int(-6, 6);
    from_the_top(20, 30, sums, table, q);
    SHOW("from the top", sums, sizeof sums);
}
