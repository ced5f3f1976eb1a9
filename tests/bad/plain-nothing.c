/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that compute, and keep nothing. */
void lost(int n, int m, const float *x, const float *y)
{
    #pragma ws grid(2) /* wrong */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float out = y[i * m + j];
            out += x[i * m + j] * 2;
        }
}
