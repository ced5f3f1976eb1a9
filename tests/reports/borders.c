/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
void a3(int h, int w, float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < h; i++)
        x[i * w + w - 1] = x[i * w + w - 2];
}
void a4(int h, int w, float *x)
{
#pragma ws grid(1)
    for (int j = 0; j < w; j++)
        x[j] = x[w + j];
}
void a5(int h, int w, float *x)
{
#pragma ws grid(1)
    for (int j = 0; j < w; j++)
        x[(h - 1) * w + j] = x[(h - 2) * w + j];
}
void a6(int h, int w, float x[h][w])
{
#pragma ws grid(1)
    for (int j = 0; j < w; j++)
        x[h - 1][j] = x[h - 2][j];
#pragma ws grid(1)
    for (int i = 0; i < h; i++)
        x[i][w - 1] = x[i][w - 2];
}
int main(void)
{
    int h = 9, w = 20;
    float *x = malloc(h * w * 4), *y = malloc(h * w * 4);
    for (int t = 3; t < 7; t++) {
        for (int i = 0; i < h * w; i++)
            x[i] = y[i] = i * i % 31;
        if (t == 3)
            a3(h, w, x);
        if (t == 4)
            a4(h, w, x);
        if (t == 5)
            a5(h, w, x);
        if (t == 6)
            a6(h, w, (void *)x);
        if (t == 3 || t == 6) {
            if (t == 6)
                for (int j = 0; j < w; j++)
                    y[(h - 1) * w + j] = y[(h - 2) * w + j];
            for (int i = 0; i < h; i++)
                y[i * w + w - 1] = y[i * w + w - 2];
        }
        if (t == 4)
            for (int j = 0; j < w; j++)
                y[j] = y[w + j];
        if (t == 5)
            for (int j = 0; j < w; j++)
                y[(h - 1) * w + j] = y[(h - 2) * w + j];
        int bad = 0;
        for (int i = 0; i < h * w; i++)
            bad += x[i] != y[i];
        printf("%d: %d wrong\n", t, bad);
    }
    return 0;
}
