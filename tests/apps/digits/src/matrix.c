/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matrix.c - matrices on the host; no kernel in this file. */
#include <stdio.h>
#include <stdlib.h>
#include "network.h"

matrix matrix_new(int rows, int cols, double scale, unsigned seed)
{
    matrix m = {rows, cols, malloc(sizeof *m.data * (size_t)rows * (size_t)cols)};
    if (!m.data) {
        perror("matrix_new");
        exit(2);
    }
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++) {
        seed = seed * 1664525u + 1013904223u;
        m.data[i] = ws_bf16_from((float)(scale * ((double)(seed >> 8) / 8388608.0 - 1)));
    }
    return m;
}

void matrix_free(matrix *m)
{
    free(m->data);
    m->data = NULL;
}
