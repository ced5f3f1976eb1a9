/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A clause of OpenACC that is none here. */
void f(int n, float *x)
{
    #pragma ws data copyn(x[0:n])
    {
        x[0] = n;
    }
}
