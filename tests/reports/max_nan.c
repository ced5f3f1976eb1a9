/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pytorch/pytorch#100572: largest and smallest of rows that hold NaN: C's own forms each have their own answer */
#include "report.h"
void forms(int m, int n, const float *x, float *a, float *b, float *c, float *d, float *e)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        float s1 = x[i * n], s2 = x[i * n], s3 = -INFINITY, s4 = -INFINITY, s5 = INFINITY;
#pragma ws pipeline(auto)
        for (int j = 0; j < n; j++) {
            float v = x[i * n + j];
            s1 = v > s1 ? v : s1;
            s2 = s2 > v ? s2 : v;
            s3 = fmaxf(s3, v);
            if (s4 < v)
                s4 = v;
            s5 = s5 <= v ? s5 : v;
        }
        a[i] = s1;
        b[i] = s2;
        c[i] = s3;
        d[i] = s4;
        e[i] = s5;
    }
}
void red(int m, int n, const float *x, float *a, float *b, float *c)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        float s1 = -INFINITY, s3 = -INFINITY, s5 = INFINITY;
#pragma ws pipeline(auto) reduction(max : s1, s3) reduction(min : s5)
        for (int j = 0; j < n; j++) {
            float v = x[i * n + j];
            s1 = v > s1 ? v : s1;
            s3 = fmaxf(s3, v);
            s5 = v < s5 ? v : s5;
        }
        a[i] = s1;
        b[i] = s3;
        c[i] = s5;
    }
}
void elem(int n, const float *x, const float *y, float *a, float *b, float *c, float *d)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        a[i] = x[i] > y[i] ? x[i] : y[i];
        b[i] = x[i] < y[i] ? y[i] : x[i];
        c[i] = x[i] >= 0 ? x[i] : 0;
        d[i] = !(x[i] > y[i]) ? x[i] : y[i];
    }
}
int main(void)
{
    int m = 37, n = 45;
    float x[37 * 45], o[5][37], e[4][37 * 44];
    for (int i = 0; i < m * n; i++) {
        int r = h_int(0, 12);
        x[i] = r == 0 ? NAN : r == 1 ? INFINITY : r == 2 ? -INFINITY : r == 3 ? -0.0f : r == 4 ? 0.0f : h_int(-3, 3);
    }
    for (int j = 0; j < n; j++)
        x[3 * n + j] = NAN, x[6 * n + j] = j ? 7 : NAN, x[7 * n + j] = j ? NAN : -INFINITY;
    for (int nn = n; nn > 0; nn -= 22) {
        forms(m, nn, x, o[0], o[1], o[2], o[3], o[4]);
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < m; i++)
                if (isnan(o[k][i]))
                    o[k][i] = 12345;
                else
                    o[k][i] += 0.0f;
            SHOW("form", o[k], 4 * m);
        }
    }
    red(m, n, x, o[0], o[1], o[2]);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < m; i++)
            if (isnan(o[k][i]))
                o[k][i] = 12345;
            else
                o[k][i] += 0.0f;
        SHOW("red", o[k], 4 * m);
    }
    elem(m * 44, x, x + 11, e[0], e[1], e[2], e[3]);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < m * 44; i++)
            if (isnan(e[k][i]))
                e[k][i] = 12345;
        SHOW("elem", e[k], 4 * m * 44);
    }
}
