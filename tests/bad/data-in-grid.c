/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In a grid. */
void f(int n, float *x)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        #pragma ws data copy(x[0:n])
        {
            x[i] = 0;
        }
    }
}
