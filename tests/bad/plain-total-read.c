/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running sum: iterations read what those before them have added. */
float prefix(int n, const float *x, float *y)
{
    float total = 0;
    #pragma ws grid(1) reduction(+: total)
    for (int i = 0; i < n; i++) {
        total += x[i];
        y[i] = total;
    }
    return total;
}
