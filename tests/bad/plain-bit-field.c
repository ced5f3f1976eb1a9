/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A member of one bit, at the first bit of a byte. */
typedef struct {
    unsigned set : 1, rest : 31;
} word;

void bits(int n, const word *p, int *y)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = (int)p[i].set; /* wrong */
}
