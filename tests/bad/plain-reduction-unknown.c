/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A clause about what the loop does not sum. */
void sums(int n, int m, const float *a, float *b)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0, t = 0;
        #pragma ws pipeline(auto) tile(32) reduction(+: t)
        for (int k = 0; k < m; k++)
            s += a[i * m + k];
        b[i] = s + t;
    }
}
