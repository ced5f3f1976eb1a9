/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pointer that goes on from iteration to iteration. */
void fill(int n, int m, float *p)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float *q = p + i * m;
        for (int k = 0; k < m; k++)
            *q++ = 1;
    }
}
