/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sum in a given order, from the end. */
void sums(int n, int m, const float *a, float *b)
{
    #pragma ws grid(1) tile(32)
    for (int i = 0; i < n; i++) {
        float s = 0;
        #pragma ws pipeline(auto) tile(32)
        for (int k = m - 1; k >= 0; k--)
            s += a[i * m + k];
        b[i] = s;
    }
}
