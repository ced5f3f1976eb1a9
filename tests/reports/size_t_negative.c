/* SPDX-License-Identifier: GPL-3.0-or-later */
/* llvm/llvm-project#190128: size_t counter against a negative int */
#include "report.h"
void f(int n, int p, int *o)
{
#pragma ws grid(1)
    for (size_t i = 0; i < n; i++)
        if (i > p)
            o[i] = 1;
}
int main(void)
{
    int o[10] = {0};
    f(10, -1, o);
    for (int i = 0; i < 10; i++)
        printf("%d", o[i]);
    printf("\n");
}
