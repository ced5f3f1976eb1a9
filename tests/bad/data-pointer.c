/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pointer without a section. */
void f(int n, float *x)
{
    #pragma ws data copy(x)
    {
        #pragma ws grid(1)
        for (int i = 0; i < n; i++)
            x[i] = 0;
    }
}
