/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clauses of plain loops , and a mistake in each. */
void f(int n, float *a)
{
    #pragma ws grid(1) tile(32, 64)
    for (int i = 0; i < n; i++)
        a[i] = 0;
}

void g(int n, float *a)
{
    #pragma ws grid(2) tile(32)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = 0;
}

void h(int n, float *a)
{
    #pragma ws grid(1) precision(f64)
    for (int i = 0; i < n; i++)
        a[i] = 0;
}

void k(int n, float *a)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        #pragma ws pipeline(auto) reduction(/: s)
        for (int j = 0; j < n; j++)
            s += a[j];
        #pragma ws pipeline(auto) reduction(+: missing)
        for (int j = 0; j < n; j++)
            s += a[j];
        a[i] = s;
    }
}
