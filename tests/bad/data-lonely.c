/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing stands below. */
void f(int n, float *x)
{
    x[0] = 1;
    #pragma ws data copy(x[0:n])
}
