/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_print_value in plain loops and of scalars beside tiles: the same lines on every target, here sorted. */
#include "plain.h"

#include <unistd.h>

enum { N = 37, M = 21 };

static int square(int x)
{
    ws_print_value("x", x);
    return x * x;
}

static void types(int n, const double *d, const float *f, const int *k, const unsigned *u, const long *l,
                  const unsigned long *ul, const short *s, const unsigned char *by, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        ws_print_value("d", d[i]);
        ws_print_value("f", f[i]);
        ws_print_value("i", k[i]);
        ws_print_value("u", u[i]);
        ws_print_value("l", l[i]);
        ws_print_value("ul", ul[i]);
        ws_print_value("s", s[i]);
        ws_print_value("100% of by", by[i]);
        ws_print_value("sum", f[i] + k[i]);
        ws_print_value("constant", 7);
        ws_print_value("positive", k[i] > 0);
        y[i] = (float)square(k[i] % 100);
    }
}

static void conditions(int n, int m, const float *a, float *y)
{
#pragma ws grid(2)
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++) {
            float x = a[i * M + j];
            if (x > 0.6f && i > 2) {
                ws_print_value("large", x);
                y[i * M + j] = x;
            } else if (j == i) {
                ws_print_value("diagonal", i);
            }
        }
}

static void inside(int n, const float *a, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k <= i; k++) {
            s += a[i * M + k];
            if (k % 8 == 7)
                ws_print_value("so far", s);
        }
        if (s > 1)
            ws_print_value("s", s);
        y[i] = s;
    }
}

static void downwards(long n, const int *k, int *z)
{
#pragma ws grid(1)
    for (long i = n - 1; i >= 0; i -= 2) {
        if (k[i] & 1)
            ws_print_value("odd", k[i]);
        z[i] = k[i];
    }
}

static void tiles(int n, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_1d(X, WS_F32, n), y = ws_tensor_1d(Y, WS_F32, n);

#pragma ws grid(1)
    for (int i = 0; i < n; i += 16) {
        float first = (float)ws_at_float(x, i);
        ws_print_value("first", first);
        if (first > 0)
            ws_print_value("next", i + 1);
        ws_print("row", ws_load_row(x, i, 16));
        ws_store_row(y, i, ws_mul(ws_load_row(x, i, 16), 2));
    }
}

static void many(int n, int *z)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        z[i] = i;
        ws_print_value("i", 1);
    }
}

static int compare(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* What was printed, sorted; of lines of `many`, which are any 1000, how many. */
static void show(FILE *printed)
{
    static char *lines[8192], line[512];
    int count = 0, any = 0;
    rewind(printed);
    while (count < 8192 && fgets(line, sizeof line, printed))
        if (!strncmp(line, "many i=", 7))
            any++;
        else
            lines[count++] = strdup(line);
    qsort(lines, (size_t)count, sizeof *lines, compare);
    for (int i = 0; i < count; i++) {
        fputs(lines[i], stdout);
        free(lines[i]);
    }
    printf("%d lines, and %d\n", count, any);
}

int main(int argc, char **argv)
{
    check_begin("print_values", argc, argv);
    double *d = check_random(WS_F64, N);
    float *f = check_random(WS_F32, N), *a = check_random(WS_F32, N * M), *y = check_output(WS_F32, N * M);
    int *k = check_output(WS_I32, N), *z = check_output(WS_I32, 2500);
    unsigned *u = (unsigned *)check_output(WS_I32, N);
    long *l = check_output(WS_I64, N);
    unsigned long *ul = (unsigned long *)check_output(WS_I64, N);
    short *s = check_output(WS_I16, N);
    unsigned char *by = check_output(WS_U8, N);
    for (int i = 0; i < N; i++) {
        k[i] = (int)check_bits();
        u[i] = check_bits();
        l[i] = (long)((unsigned long)check_bits() << 32 | check_bits());
        ul[i] = (unsigned long)l[i] * 3;
        s[i] = (short)check_bits();
        by[i] = (unsigned char)check_bits();
    }
    d[3] = f[4] = -NAN;
    d[4] = f[3] = INFINITY;
    FILE *printed = tmpfile();
    int out = dup(1);
    fflush(stdout);
    dup2(fileno(printed), 1);
    types(N, d, f, k, u, l, ul, s, by, y);
    conditions(N, M, a, y);
    inside(M, a, y);
    downwards(N, k, z);
    tiles(N / 16 * 16, f, y);
    many(2500, z);
    tiles(N / 16 * 16, f, y);
    check_fetch();
    fflush(stdout);
    dup2(out, 1);
    show(printed);
    for (int i = 0; i < 2500; i++)
        check_equal(z, i, i);
    return check_end();
}
