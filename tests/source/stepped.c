/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stepped.c - a pipelined loop whose body adds to its counter, and a filter whose second counter goes down.  */
#include <stdio.h>
#include <ws.h>

enum { ROWS = 64, COLUMNS = 192 };
static float x[ROWS * COLUMNS], y[ROWS * 32];

static void stepped_twice(int m, int n, const float *from, float *to)
{
    ws_tensor tx = ws_tensor_2d(from, WS_F32, m, n), ty = ws_tensor_2d(to, WS_F32, m, 32);
#pragma ws grid(1)
    for (int i = 0; i < m; i += 32) {
        ws_tile sum = ws_zeros(WS_F32, 32, 32);
#pragma ws pipeline(3)
        for (int k = 0; k < n; k += 32) {
            sum = ws_add(sum, ws_load(tx, i, k, 32, 32));
            k += 32;
        }
        ws_store(ty, i, 0, sum);
    }
}

static void filter(int n, int taps, const float *signal, const float *weights, float *to)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float sum = 0;
        int j = i + taps - 1;
        for (int k = 0; k < taps; k++)
            sum += weights[k] * signal[j--];
        to[i] = sum;
    }
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i] = (float)(i * 7 % 31 - 15);
    stepped_twice(ROWS, COLUMNS, x, y);
    for (int i = 0; i < ROWS * 32; i++)
        sum += y[i] * (i % 7 + 1);
    printf("%.9g\n", sum);
    filter(ROWS * 32 - 9, 9, x, x + 40, y);
    for (int i = 0; i < ROWS * 32; i++)
        sum += y[i] * (i % 5 + 1);
    printf("%.9g\n", sum);
    return 0;
}
