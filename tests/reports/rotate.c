/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own: rotation of bits */
#include "report.h"
void f(int n, const int *x, const unsigned *u, int *a, unsigned *b, int *c, unsigned *d)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        a[i] = x[i] >> 3;
        b[i] = u[i] << 7 | u[i] >> 25;
        unsigned v = u[i];
        v = v - ((v >> 1) & 0x55555555);
        v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
        c[i] = ((v + (v >> 4) & 0xF0F0F0F) * 0x1010101) >> 24;
        d[i] = (u[i] ^ (u[i] >> 15)) * 0x2c1b3c6du;
        d[i] ^= d[i] >> 12;
    }
}
int main(void)
{
    enum { n = 250 };
    static int x[n], a[n], c[n];
    static unsigned u[n], b[n], d[n];
    for (int i = 0; i < n; i++) {
        x[i] = (int)(h_rand() << 9 ^ h_rand());
        u[i] = x[i] * 3;
    }
    f(n, x, u, a, b, c, d);
    SHOW("a", a, sizeof a);
    SHOW("b", b, sizeof b);
    SHOW("c", c, sizeof c);
    SHOW("d", d, sizeof d);
}
