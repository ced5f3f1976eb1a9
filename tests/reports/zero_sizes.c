/* SPDX-License-Identifier: GPL-3.0-or-later */
/* llnl/RAJA#160, tensor-compiler/taco#485, spcl/dace#1968: loops without an iteration, bounds below their beginning */
#include "report.h"
void copy2(int m, int n, const float *a, float *b)
{
#pragma ws grid(2)
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            b[i * 8 + j] = a[i * 8 + j] + 1;
}
void range(int lo, int hi, const float *a, float *b)
{
#pragma ws grid(1)
    for (int i = lo; i < hi; i++)
        b[i] = a[i] * 2;
}
double total(int m, int n, const double *a)
{
    double s = 5;
#pragma ws grid(2) reduction(+ : s)
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            s += a[i * 8 + j];
    return s;
}
void rows(int m, int n, const float *a, float *b)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        float s = 7;
#pragma ws pipeline(auto) reduction(+ : s)
        for (int j = 3; j < n; j++)
            s += a[i * 8 + j];
        b[i] = s;
    }
}
void rowsu(unsigned m, unsigned n, const float *a, float *b)
{
#pragma ws grid(1)
    for (unsigned i = 0; i < m; i++) {
        float s = 7;
#pragma ws pipeline(auto) reduction(+ : s)
        for (unsigned j = 0; j < n; j++)
            s += a[i * 8 + j];
        b[i] = s;
    }
}
int main(void)
{
    float a[64], b[64];
    double d[64];
    for (int i = 0; i < 64; i++)
        a[i] = d[i] = i;
    int z[] = {0, 3, -1, -5};
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++) {
            memset(b, 0, sizeof b);
            copy2(z[x], z[y], a, b);
            SHOW("copy2", b, sizeof b);
            printf("%g\n", total(z[x], z[y], d));
            rows(z[x], z[y], a, b);
            SHOW("rows", b, sizeof b);
        }
    memset(b, 0, sizeof b);
    range(5, 5, a, b);
    range(5, 3, a, b);
    range(5, -3, a, b);
    range(-3, -5, a, b);
    SHOW("range", b, sizeof b);
    range(0, 1, a, b);
    SHOW("range", b, sizeof b);
    rowsu(3, 0, a, b);
    rowsu(0, 3, a, b);
    SHOW("u", b, sizeof b);
    copy2(0, 5, NULL, NULL);
    copy2(5, 0, NULL, NULL);
    range(3, 3, NULL, NULL);
    rows(0, 3, NULL, NULL);
    printf("%g\n", total(0, 3, NULL));
    rows(3, 0, NULL, b);
    SHOW("null in", b, sizeof b);
}
