/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops over complex numbers. */
#include <complex.h>

#include "plain.h"

struct wave {
    float complex at;
    float height;
    int on;
};

static double complex turned_by(double complex z, double r)
{
    return r > 0 ? z * r : conj(z) - r;
}

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/complex.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/complex.h"

#define P check_place

static void run(int n, int m, int l)
{
    PLAIN_FLOATS(a, 2 * n * m);
    PLAIN_FLOATS(b, 2 * n * m);
    PLAIN_FLOATS(c, 2 * n);
    PLAIN_FLOATS(size, n);
    PLAIN_FLOATS(table, 2 * m * m);
    PLAIN_FLOATS(square, 2 * m * m);
    PLAIN_FLOATS(open_left, 2 * n * l);
    PLAIN_FLOATS(open_right, 2 * l * m);
    PLAIN_FLOATS(open, 2 * n * m);
    PLAIN_DOUBLES(x, 2 * n);
    PLAIN_DOUBLES(y, 2 * n);
    PLAIN_DOUBLES(z, 2 * n);
    PLAIN_DOUBLES(parts, 2 * n);
    PLAIN_DOUBLES(left, 2 * n * l);
    PLAIN_DOUBLES(right, 2 * l * m);
    PLAIN_DOUBLES(made, 2 * n * m);
    int *count = check_output(WS_I32, (size_t)n), *count_ = malloc((size_t)n * sizeof *count_);
    struct wave *waves_of = check_output(WS_F32, (size_t)(n * m) * 4);
    for (int i = 0; i < n * m; i++)
        waves_of[i] = (struct wave){a[2 * i] + b[2 * i] * I, a[2 * i + 1], i % 3};
    struct wave *waves_of_ = plain_copy(waves_of, (size_t)(n * m) * sizeof *waves_of);
    for (int i = 0; i < 2 * n; i++) {
        a[i] = a_[i] = a[i] + 2;
        z[i] = z_[i] = 0;
    }
    scaled(n, P(a), P(b), 0.5f - 2 * I, P(c), P(size));
    fourier(n, P(x), P(y));
    product(n, m, l, P(left), P(right), P(made));
    product_open(n, m, l, P(open_left), P(open_right), P(open));
    escape(n, 20, P(x), P(z), P(count));
    waves(n, m, P(waves_of), P(b), P(table), P(square));
    const struct wave first = {1.5f - I, 2, 1};
    parted(n, P(x), P(parts), 0.75f, 1.5 - 0.25 * I, &first);
    double complex sum, sum_;
    int *k = check_output(WS_I32, (size_t)(2 * n)), *whole = check_output(WS_I32, (size_t)(2 * n));
    int *whole_ = malloc((size_t)(2 * n) * sizeof *whole_);
    for (int i = 0; i < 2 * n; i++)
        k[i] = i * 37 % 101 - 50;
    summed(n, P(x), &sum, P(k), P(whole));
    check_fetch();
    scaled_plain(n, (float complex *)a_, (float complex *)b_, 0.5f - 2 * I, (float complex *)c_, size_);
    fourier_plain(n, (double complex *)x_, (double complex *)y_);
    product_plain(n, m, l, (double complex *)left_, (double complex *)right_, (double complex *)made_);
    product_open_plain(n, m, l, (float complex *)open_left_, (float complex *)open_right_, (float complex *)open_);
    escape_plain(n, 20, (double complex *)x_, (double complex *)z_, count_);
    waves_plain(n, m, waves_of_, (float complex *)b_, (float complex *)table_, (float complex *)square_);
    parted_plain(n, (double complex *)x_, (double complex *)parts_, 0.75f, 1.5 - 0.25 * I, &first);
    summed_plain(n, (double complex *)x_, &sum_, (_Complex int *)k, (_Complex int *)whole_);
    check_true(cabs(sum - sum_) < 1e-10 && cabs(sum) > 1e-3, "sum");
    check_true(!memcmp(whole, whole_, (size_t)(2 * n) * sizeof *whole), "whole");
    free(whole_);
    PLAIN_SAME(c, 2 * n, 1e-5);
    PLAIN_SAME(table, 2 * m * m, 1e-6);
    PLAIN_SAME(square, 2 * m * m, 1e-6);
    PLAIN_SAME(size, n, 1e-5);
    PLAIN_SAME(y, 2 * n, 1e-10);
    PLAIN_SAME(parts, 2 * n, 1e-6);
    PLAIN_SAME(open, 2 * n * m, 1e-5);
    PLAIN_SAME(made, 2 * n * m, 1e-12);
    PLAIN_SAME(z, 2 * n, 1e-6);
    check_true(!memcmp(count, count_, (size_t)n * sizeof *count), "count");
    float *turned = malloc(sizeof *turned * 2 * (size_t)(n * m)),
          *turned_ = malloc(sizeof *turned_ * 2 * (size_t)(n * m));
    for (int i = 0; i < n * m; i++) {
        memcpy(turned + 2 * i, &waves_of[i].at, sizeof waves_of[i].at);
        memcpy(turned_ + 2 * i, &waves_of_[i].at, sizeof waves_of_[i].at);
    }
    PLAIN_SAME(turned, 2 * n * m, 1e-6);
    free(turned);
    free(turned_);
    free(count_);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_complex", argc, argv);
    run(50, 33, 40);
    run(64, 64, 64);
    return plain_end();
}
