/* SPDX-License-Identifier: GPL-3.0-or-later */
/* _Pragma inside of a pragma, by a macro and in clauses. */
#define UNROLL _Pragma("GCC unroll 4")

void by_a_macro(int n, float *y)
{
#pragma ws grid(1) UNROLL
    for (int i = 0; i < n; i++)
        y[i] = 1;
}

float for_a_name(int n, const float *x)
{
    float s = 0;
#pragma ws grid(1) reduction(+ : _Pragma("s"))
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

void for_a_number(int n, float *y)
{
#pragma ws grid(_Pragma("ws grid(1)") 1)
    for (int i = 0; i < n; i++)
        y[i] = 1;
}

void for_a_directive(int n, float *y)
{
#pragma ws _Pragma("grid(1)")
    for (int i = 0; i < n; i++)
        y[i] = 1;
}

void in_a_section(int n, float *y)
{
#pragma ws data copy(y [0:_Pragma("once") n])
    {
#pragma ws grid(1) extent(y : _Pragma("omp") n)
        for (int i = 0; i < n; i++)
            y[i] = 1;
    }
}
