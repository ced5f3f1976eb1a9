/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes may lie anywhere in C, and so in the struct of their pointer. */
#include <stddef.h>

struct particles {
    size_t n;
    double *x;
    unsigned char *alive;
};

void bound(struct particles *p)
{
    #pragma ws grid(1)
    for (size_t i = 0; i < p->n; i++) /* wrong */
        if (p->x[i] < 0)
            p->alive[i] = 0;
}

void pointer(int n, struct particles *p)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        if (p->x[i] < 0) /* wrong */
            p->alive[i] = 0;
}
