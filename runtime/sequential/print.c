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

/* ---- where a print stands ---------------------------------------------------------------------------------------- */

enum { MOST_COUNTERS = 14 };

static _Thread_local struct {
    const char *kernel; /* NULL: in none */
    int level;          /* counters that there are, of which the first MOST_COUNTERS are kept */
    struct {
        const char *name;
        long value;
    } counters[MOST_COUNTERS];
} place;

void ws_place_begin_(const char *kernel, const char *function)
{
    ws_print_begin_(function);
    place.kernel = kernel;
    place.level = 0;
}

void ws_place_end_(void)
{
    place.kernel = NULL;
    place.level = 0;
}

int ws_place_level_(void)
{
    return place.level;
}

void ws_place_cut_(int level)
{
    place.level = level;
}

void ws_place_count_(int level, const char *name, long value)
{
    place.level = level + 1;
    if (level < MOST_COUNTERS) {
        place.counters[level].name = name;
        place.counters[level].value = value;
    }
}

static void print_place(void)
{
    if (!place.kernel)
        return;
    fputs(place.kernel, stdout);
    for (int i = 0; i < place.level && i < MOST_COUNTERS; i++)
        printf(" %s=%ld", place.counters[i].name, place.counters[i].value);
    fputs(": ", stdout);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

void ws_print(const char *name, ws_tile v)
{
    struct ws_rule_type type;
    if (!ws_allowed1(WS_OP_PRINT, v, &type))
        return;
    flockfile(stdout);
    print_place();
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

/* Of a kernel at most so many lines are printed.  */
static void print_value(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print_value(const char *name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    flockfile(stdout);
    if (!place.kernel || next_line()) {
        print_place();
        printf("%s: ", name);
        vprintf(format, list);
    }
    funlockfile(stdout);
    va_end(list);
}

void ws_print_value_i_(const char *name, long x)
{
    print_value(name, "%ld\n", x);
}

void ws_print_value_u_(const char *name, unsigned long x)
{
    print_value(name, "%lu\n", x);
}

void ws_print_value_f_(const char *name, float x)
{
    print_value(name, "%.9g\n", x != x ? (double)NAN : (double)x);
}

void ws_print_value_d_(const char *name, double x)
{
    print_value(name, "%.17g\n", x != x ? (double)NAN : x);
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
