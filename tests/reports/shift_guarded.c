/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* one dimension */
void shift(int n, int o, const float *in, float *out)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        int at = i + o;
        out[i] = at >= 0 && at < n ? in[at] : 0;
    }
}
int main(void)
{
    float in[80], out[80];
    for (int i = 0; i < 80; i++)
        in[i] = i, out[i] = -1;
    shift(80, -3, in, out);
    printf("%g %g, C: 0 76\n", out[0], out[79]);
    shift(80, 3, in, out);
    printf("%g %g, C: 3 0\n", out[0], out[79]);
    return 0;
}
