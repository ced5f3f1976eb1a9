/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A section of C's kind. */
void f(int n, float *x)
{
    #pragma ws data copy(x[n])
    {
        x[0] = 1;
    }
}
