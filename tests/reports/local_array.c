/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tile-ai/tilelang#2957: a local array, loops of several lengths */
#include "report.h"
void f(int n, const float *x, float *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float t[8];
        for (int k = 0; k < 3; k++)
            t[k] = 5;
        for (int k = 3; k < 8; k++)
            t[k] = x[i] * k;
        float s = 0;
        for (int k = 0; k < 8; k++)
            s += t[k] * (k + 1);
        for (int k = 0; k < 5; k++)
            s -= t[k + 3];
        o[i] = s;
    }
}
int main(void)
{
    float x[200], o[200] = {0};
    for (int i = 0; i < 200; i++)
        x[i] = h_int(-5, 5);
    f(200, x, o);
    SHOW("o", o, sizeof o);
}
