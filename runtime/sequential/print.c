/* SPDX-License-Identifier: MIT */
/*
 * print.c - ws_print: a tile on standard output, a line for each row; ws_print_value: a number.
 *
 *     gemm i=0 j=128: acc: f32 (2,3)
 *       1 2 3
 *       4 5 6
 */
#include "tile.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        fprintf(out, " nan"); /* its sign has no meaning */
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

/* Prints a tile after its name.  */
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

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static struct {
    const char *kernel;
    unsigned long lines; /* since it began */
} printed;

static void end_lines(void)
{
    if (printed.lines > WS_MOST_LINES)
        printf("%s: %lu more lines\n", printed.kernel, printed.lines - WS_MOST_LINES);
    printed.lines = 0;
}

void ws_print_begin_(const char *kernel)
{
    flockfile(stdout);
    if (!printed.kernel)
        atexit(end_lines);
    end_lines();
    printed.kernel = kernel;
    funlockfile(stdout);
}

/* False if the limit of lines is reached.  */
static bool next_line(void)
{
    return printed.lines++ < WS_MOST_LINES;
}

void ws_print_value_i_(const char *name, long x)
{
    printf("%s: %ld\n", name, x);
}

void ws_print_value_u_(const char *name, unsigned long x)
{
    printf("%s: %lu\n", name, x);
}

void ws_print_value_f_(const char *name, float x)
{
    printf("%s: %.9g\n", name, x != x ? (double)NAN : (double)x);
}

void ws_print_value_d_(const char *name, double x)
{
    printf("%s: %.17g\n", name, x != x ? (double)NAN : x);
}

/* The sign of NaN has no meaning.  */
static void put_line(char *text)
{
    char *number = strstr(text, "-nan");
    for (char *next = number; next && (next = strstr(next + 1, "-nan"));)
        number = next;
    if (number && !number[4])
        memmove(number, number + 1, sizeof "nan");
    puts(text);
}

void ws_print_value_at_(const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    flockfile(stdout);
    const int length = next_line() ? vsnprintf(NULL, 0, format, list) : -1;
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
        put_line(text);
    }
    free(text);
    funlockfile(stdout);
    va_end(again);
    va_end(list);
}
