/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is no array. */
void f(int n, float *x)
{
    #pragma ws data copy(x[0:n]) copyin(n)
    {
        x[0] = 1;
    }
}
