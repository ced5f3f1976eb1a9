/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest and the smallest of rows that hold NaN, infinities and zeros of both signs: each of C's forms has an
   answer of its own, and without a clause it is the one. */
#include "plain.h"

#define WS             PLAIN_PRAGMA
#define FUNCTION(name) static void name
#include "plain/nans.h"
#undef WS
#undef FUNCTION
#undef FORM
#undef TOTAL
#define WS(...)
#define FUNCTION(name) static void name##_plain
#include "plain/nans.h"

/* NaN is NaN, and each other number the same. */
static void same(const char *what, const void *got, const void *want, size_t count, int wide)
{
    for (size_t i = 0; i < count; i++) {
        double x = wide ? ((const double *)got)[i] : ((const float *)got)[i];
        double y = wide ? ((const double *)want)[i] : ((const float *)want)[i];
        check.values++;
        if (x == y || (x != x && y != y))
            continue;
        if (check.wrong++ < 9)
            printf("%s: element %zu is %g, not %g\n", what, i, x, y);
    }
}

/* Row r mod 3: 0 has no NaN, 1 some, 2 is NaN from some column on. */
static double number(int r, int j)
{
    static const double numbers[] = {-0.0, 0.0, 1, -1, -INFINITY, INFINITY, 3, -0.0};
    unsigned bits = check_bits();
    if (r % 3 && (r % 3 == 2 ? j > r / 3 : bits % 5 == 0))
        return NAN;
    return numbers[bits / 5 % (r % 7 == 3 ? 2 : r % 2 ? 8 : 4)];
}

#define RUN(name, x, wide)                                                               \
    do {                                                                                 \
        void *a = check_output(WS_F64, (size_t)m), *b = check_output(WS_F64, (size_t)m); \
        void *a_ = plain_copy(a, 8 * (size_t)m), *b_ = plain_copy(b, 8 * (size_t)m);     \
        name(m, n, check_place(x), check_place(a), check_place(b));                      \
        check_fetch();                                                                   \
        name##_plain(m, n, x, a_, b_);                                                   \
        same(#name, a, a_, (size_t)m, wide);                                             \
        same(#name ", inverse", b, b_, (size_t)m, wide);                                 \
    } while (0)

static void run(int m, int n)
{
    size_t count = (size_t)(m * n);
    float *x = check_output(WS_F32, count), *y = check_output(WS_F32, count);
    double *d = check_output(WS_F64, count);
    int *k = check_output(WS_I32, (size_t)n);
    for (int i = 0; i < m * n; i++) {
        y[i] = (float)number(i / n + 1, i % n);
        d[i] = x[i] = (float)number(i / n, i % n);
    }
    for (int j = 0; j < n; j++)
        k[j] = j * 5 % 7;
    RUN(larger, x, 0);
    RUN(larger_last, d, 1);
    RUN(larger_if, x, 0);
    RUN(larger_if_last, x, 0);
    RUN(smaller, d, 1);
    RUN(smaller_last, x, 0);
    RUN(taken, x, 0);
    RUN(taken_last, x, 0);
    RUN(taken_least, d, 1);
    RUN(taken_least_last, x, 0);
    RUN(taken_first, x, 0);
    RUN(called, x, 0);
    RUN(called_least, d, 1);
    RUN(both, x, 0);
    RUN(size, x, 0);
    RUN(triangle, d, 1);
    RUN(open, x, 0);
    float *a = check_output(WS_F32, count), *b = check_output(WS_F32, count);
    float *a_ = plain_copy(a, 4 * count), *b_ = plain_copy(b, 4 * count);
    above(m, n, check_place(x), check_place(k), check_place(a), check_place(b));
    check_fetch();
    above_plain(m, n, x, k, a_, b_);
    same("above", a, a_, count, 0);
    same("above, from i on", b, b_, count, 0);
    columns(m, n, check_place(x), check_place(a), check_place(b));
    check_fetch();
    columns_plain(m, n, x, a_, b_);
    same("columns", a, a_, count, 0);
    same("columns, inverse", b, b_, count, 0);
    elements((int)count, check_place(x), check_place(y), check_place(a), check_place(b));
    check_fetch();
    elements_plain((int)count, x, y, a_, b_);
    same("elements", a, a_, count, 0);
    same("elements, inverse", b, b_, count, 0);
    plain_next();
}

/* NaN in all places, in the last one, and in none: where one order has an answer, all have. */
#define ALL(name, type)                                         \
    do {                                                        \
        type got, want;                                         \
        name##_all(n, check_place(type##_x), &got);             \
        name##_all_plain(n, type##_x, &want);                   \
        same(#name " of all", &got, &want, 1, sizeof got == 8); \
    } while (0)

static void run_all(int n, int from)
{
    float *float_x = check_output(WS_F32, (size_t)n);
    double *double_x = check_output(WS_F64, (size_t)n);
    for (int i = 0; i < n; i++)
        double_x[i] = float_x[i] = i >= from ? NAN : (float)(i % 9) - 4;
    ALL(larger, float);
    ALL(taken, float);
    ALL(taken_least, double);
    ALL(called, float);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_nans", argc, argv);
    run(40, 45);
    run(9, 70);
    run(33, 1);
    for (int n = 1; n < 3000; n = n * 7 + 2) {
        run_all(n, 0);
        run_all(n, n - 1);
        run_all(n, n);
    }
    return plain_end();
}
