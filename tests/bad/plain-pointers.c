/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop inside chooses among arrays. */
void density(int n, float **f, float *rho)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int q = 0; q < 9; q++)
            s += f[q][i];
        rho[i] = s;
    }
}
