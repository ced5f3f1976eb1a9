/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops whose subscripts and bounds are loaded as 64 bits, and over complex numbers as pairs. */
#include <stdint.h>

#include "plain.h"

typedef struct {
    float re, im;
} PAIR;

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/longs.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/longs.h"

#define P check_place

/* Numbers below a bound. */
static void *longs(int n, int below)
{
    long *x = check_output(WS_F64, (size_t)n);
    for (int i = 0; i < n; i++)
        x[i] = i * 7919L % below;
    return x;
}

static void run(int n, int m)
{
    const int c = 40, each = 5;
    PLAIN_FLOATS(x, m);
    PLAIN_FLOATS(y, n);
    PLAIN_FLOATS(table, m * c);
    PLAIN_FLOATS(out, n * c);
    PLAIN_FLOATS(re, n * n);
    PLAIN_FLOATS(im, n * n);
    PLAIN_FLOATS(a, 2 * n);
    PLAIN_FLOATS(b, 2 * n);
    PLAIN_FLOATS(p, 2 * n);
    PLAIN_FLOATS(q, 2 * n);
    PLAIN_ARRAY(WS_F64, double, val, n *each);
    PLAIN_ARRAY(WS_F64, double, v, n);
    PLAIN_ARRAY(WS_F64, double, w, n);
    PLAIN_ARRAY(WS_I32, int, k, n);
    long *at = longs(n, m), *col = longs(n * each, n), *row = longs(n + 1, 1);
    for (int i = 0; i <= n; i++)
        row[i] = i * each - i % 3;
    row[n] = n * each;
    long *copies[] = {plain_copy(at, sizeof *at * n), plain_copy(col, sizeof *at * n * each),
                      plain_copy(row, sizeof *at * (n + 1))};
    gathered(n, m, P(at), P(x), P(y));
    sparse(n, n * each, P(row), P(col), P(val), P(v), P(w));
    embedded(n, c, m, P(at), P(table), P(out));
    numbers(n, P(at), P(k));
    multiplied(n, P(a), P(b), P(p));
    transformed(n, P(a), P(re), P(im), P(q));
    check_fetch();
    gathered_plain(n, m, copies[0], x_, y_);
    sparse_plain(n, n * each, copies[2], copies[1], val_, v_, w_);
    embedded_plain(n, c, m, (const long long *)copies[0], table_, out_);
    numbers_plain(n, (const size_t *)copies[0], k_);
    multiplied_plain(n, (PAIR *)a_, (PAIR *)b_, (PAIR *)p_);
    transformed_plain(n, (PAIR *)a_, re_, im_, (PAIR *)q_);
    plain_compare("gathered", WS_F32, y, y_, (size_t)n, 0);
    plain_compare("sparse", WS_F64, w, w_, (size_t)n, 1e-14);
    plain_compare("embedded", WS_F32, out, out_, (size_t)(n * c), 0);
    plain_compare("numbers", WS_I32, k, k_, (size_t)n, 0);
    plain_compare("multiplied", WS_F32, p, p_, (size_t)(2 * n), 1e-6);
    plain_compare("transformed", WS_F32, q, q_, (size_t)(2 * n), 1e-5);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_longs", argc, argv);
    run(100, 33);
    run(1, 1);
    run(64, 500);
    return plain_end();
}
