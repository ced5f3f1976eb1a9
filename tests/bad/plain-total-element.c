/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two elements that the grid sums in, one of which may be the other. */
void sums(int n, int i, int k, const float *a, float *q)
{
    #pragma ws grid(1) reduction(+: q)
    for (int j = 0; j < n; j++) {
        q[i] += a[j];
        q[k] += a[j] * a[j];
    }
}
