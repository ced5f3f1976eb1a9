/* SPDX-License-Identifier: MIT */
/*
 * print.c - ws_print: a tile on standard output, a line for each row.
 *
 *     gemm i=0 j=128: acc: f32 (2,3)
 *       1 2 3
 *       4 5 6
 */
#include "tile.h"

#include <stdarg.h>
#include <stdio.h>

static void print_element(FILE *out, ws_tile v, int row, int col)
{
    double x;
    if (v->dtype == WS_RULE_MASK) {
        fprintf(out, " %d", *ws_element(v, row, col));
        return;
    }
    if (v->dtype == WS_RULE_I64) {
        fprintf(out, " %ld", *(const long *)(const void *)ws_element(v, row, col));
        return;
    }
    ws_row_read(v->dtype, WS_COMPUTE_F64, 1, ws_element(v, row, col), &x);
    if (x != x)
        fprintf(out, " nan"); /* its sign means nothing */
    else
        fprintf(out, v->dtype == WS_RULE_F64 ? " %.17g" : " %.9g", x);
}

void ws_show_type(FILE *out, ws_tile v, int rows)
{
    fprintf(out, ": %s (%d,%d)\n", ws_rule_dtype_name(v->dtype), rows, v->cols);
}

void ws_show_rows(FILE *out, ws_tile v)
{
    for (int r = 0; r < v->rows; r++) {
        fprintf(out, " ");
        for (int c = 0; c < v->cols; c++)
            print_element(out, v, r, c);
        fprintf(out, "\n");
    }
}

/* Behind its name.  */
static void print_tile(ws_tile v)
{
    ws_show_type(stdout, v, v->rows);
    ws_show_rows(stdout, v);
}

void ws_print(const char *name, ws_tile v)
{
    struct ws_rule_type type;
    if (!ws_allowed1(WS_OP_PRINT, v, &type))
        return;
    flockfile(stdout);
    printf("%s", name);
    print_tile(v);
    funlockfile(stdout);
}

void ws_print_at_(const char *format, ws_tile v, ...)
{
    struct ws_rule_type type;
    va_list list;
    if (!ws_allowed1(WS_OP_PRINT, v, &type))
        return;
    va_start(list, v);
    flockfile(stdout);
    vprintf(format, list);
    print_tile(v);
    funlockfile(stdout);
    va_end(list);
}
