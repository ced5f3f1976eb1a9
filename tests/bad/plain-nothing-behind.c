/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sum that nothing reads behind the grid. */
int lost(int n, const float *x)
{
    int count = 0, other = 0;
    #pragma ws grid(1) reduction(+ : count) /* wrong */
    for (int i = 0; i < n; i++)
        count += x[i] > 2;
    return other;
}
