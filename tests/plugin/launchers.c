/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the emitted code would define: says what it was given. */
#include <stdio.h>

void ws_launch_both(const void *from, const void *to, int rows, float scale, int t, int cols)
{
    printf("both %d rows %d scale %g t %d cols %d\n", from && to, rows, scale, t, cols);
}

void ws_launch_both_2(const void *to, int rows, int cols, int sum)
{
    printf("both_2 %d rows %d cols %d sum %d\n", to != 0, rows, cols, sum);
}
