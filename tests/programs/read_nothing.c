/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers behind pointers are read in front of the grid. The pointer may be NULL where no iteration reads it. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int rows, cols;
    float **row, scale;
} matrix;

static void first_row(const matrix *m, float *y)
{
#pragma ws grid(1)
    for (int j = 0; j < m->cols; j++)
        y[j] = m->scale * m->row[0][j];
}

static void optional(int n, const matrix *m, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = x[i];
        if (m)
            s *= m->scale;
        y[i] = s;
    }
}

int main(void)
{
    static float elements[64], y[64];
    float *rows[] = {elements};
    for (int i = 0; i < 64; i++)
        elements[i] = (float)i;
    matrix whole = {1, 64, rows, 2}, empty = {0, 0, NULL, 1};
    first_row(&whole, y);
    first_row(&empty, y);
    printf("%g %g\n", (double)y[1], (double)y[63]);
    optional(64, &whole, elements, y);
    printf("%g %g\n", (double)y[1], (double)y[63]);
    optional(64, NULL, elements, y);
    optional(0, NULL, NULL, y);
    printf("%g %g\n", (double)y[1], (double)y[63]);
    return y[63] != 63;
}
