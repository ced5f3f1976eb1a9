/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of a declared array are spelled as the source spells them. */
static double u[2][100][100];

void relax(int now)
{
    #pragma ws grid(2)
    for (int i = 1; i < 99; i++)
        for (int j = 1; j < 99; j++)
            u[1 - now][i][j] = 0.25 * (u[now][i - 1][j] + u[now][ i + 1 ][j]);
}
