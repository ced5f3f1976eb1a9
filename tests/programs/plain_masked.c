/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products under conditions, and NaN and infinities where the conditions leave elements out. */
#include "plain.h"

#define WS             PLAIN_PRAGMA
#define FUNCTION(name) static void name
#include "plain/masked.h"
#undef WS
#undef FUNCTION
#define WS(...)
#define FUNCTION(name) static void name##_plain
#include "plain/masked.h"

static double at(const void *array, size_t i, int wide)
{
    return wide ? ((const double *)array)[i] : ((const float *)array)[i];
}

static void same(const char *what, const void *got, const void *want, size_t count, int wide)
{
    for (size_t i = 0; i < count; i++) {
        double x = at(got, i, wide), y = at(want, i, wide);
        check.values++;
        if (x == y || (x != x && y != y))
            continue;
        if (check.wrong++ < 9)
            printf("%s: element %zu is %g, not %g\n", what, i, x, y);
    }
}

#define RUN(name, wide)                                                                          \
    do {                                                                                         \
        size_t bytes = (wide ? 8 : 4) * (size_t)(n * m);                                         \
        void *a = check_output(WS_F64, (size_t)(n * m)), *a_ = plain_copy(a, bytes);             \
        name(n, m, l, check_place(ok), check_place(of), (void *)(wide ? (void *)xd : (void *)x), \
             (void *)(wide ? (void *)yd : (void *)y), check_place(a));                           \
        check_fetch();                                                                           \
        name##_plain(n, m, l, ok, of, (void *)(wide ? (void *)xd : (void *)x),                   \
                     (void *)(wide ? (void *)yd : (void *)y), a_);                               \
        same(#name, a, a_, (size_t)(n * m), wide);                                               \
    } while (0)

/* Where `ok` says so rows of both are NaN or infinite; else some numbers are. */
static void run(int n, int m, int l, int every)
{
    int most = n > m ? n : m;
    most = most > l ? most : l;
    int *ok = check_output(WS_I32, (size_t)most), *of = check_output(WS_I32, (size_t)most);
    float *x = check_output(WS_F32, (size_t)(n * l)), *y = check_output(WS_F32, (size_t)(m * l));
    double *xd = check_output(WS_F64, (size_t)(n * l)), *yd = check_output(WS_F64, (size_t)(m * l));
    for (int k = 0; k < most; k++) {
        ok[k] = k * 5 % 7 > 1;
        of[k] = k % 3 != 1;
    }
    static const float odd[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < (n + m) * l; i++) {
        int k = i < n * l ? i / n : (i - n * l) / m, number = (int)(check_bits() % 9) - 4;
        float element = (every ? i % every == 1 : !ok[k]) ? odd[i % 3] : (float)number;
        if (i < n * l)
            xd[i] = x[i] = element;
        else
            yd[i - n * l] = y[i - n * l] = element;
    }
    RUN(of_sum, 0);
    RUN(but_sum, 1);
    RUN(rounded, 0);
    RUN(scaled, 0);
    RUN(of_row, 0);
    RUN(of_column, 1);
    RUN(diagonal, 0);
    RUN(of_both, 0);
    RUN(upto, 0);
    RUN(others, 0);
    RUN(apart, 0);
    RUN(sparse, 0);
    RUN(missing, 1);
    RUN(chosen, 0);
    RUN(triangle, 0);
    RUN(ragged, 0);
    int *count = memset(check_output(WS_I32, 2), 0, 8), *count_ = plain_copy(count, 8);
    counted(n, l, check_place(of), check_place(count));
    check_fetch();
    counted_plain(n, l, of, count_);
    check_true(!memcmp(count, count_, 8), "counts");
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_masked", argc, argv);
    run(70, 66, 70, 0);
    run(33, 35, 37, 29);
    return plain_end();
}
