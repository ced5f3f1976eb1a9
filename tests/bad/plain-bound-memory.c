/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each row has a length of its own. */
void ragged(int n, int m, const int *length, const float *a, float *sum)
{
    #pragma ws grid(1) tile(32) extent(a: n * m)
    for (int i = 0; i < n; i++) {
        float s = 0;
        #pragma ws pipeline(auto) tile(32) reduction(+: s)
        for (int k = 0; k < length[i]; k++)
            s += a[i * m + k];
        sum[i] = s;
    }
}
