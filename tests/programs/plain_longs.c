/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops whose subscripts and bounds are loaded as 64 bits; over 64 bits themselves, with a sign or not; and over
   complex numbers as pairs. */
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

/* Sums that leave the grid. */
static void into_memory(int n, const long *x, long *sum)
{
#pragma ws grid(1) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum[0] += x[i];
}

static void leave(int n, const int *x, const long *y, const int *here_x, const long *here_y)
{
    long sum = 5, most = -7, all = 1, plain_sum = 5, plain_most = -7, plain_all = 1, inside[1] = {1L << 40};
#pragma ws grid(1) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i] + y[i];
#pragma ws grid(1) reduction(max : most)
    for (int i = 0; i < n; i++)
        most = y[i] > most ? y[i] : most;
#pragma ws grid(1) reduction(&& : all)
    for (int i = 0; i < n; i++)
        all = all && y[i];
    into_memory(n, y, inside);
    long in_memory = 1L << 40;
    for (int i = 0; i < n; i++) {
        plain_sum += here_x[i] + here_y[i];
        plain_most = here_y[i] > plain_most ? here_y[i] : plain_most;
        plain_all = plain_all && here_y[i];
        in_memory += here_y[i];
    }
    check_true(sum == plain_sum && most == plain_most && all == plain_all && inside[0] == in_memory, "leave");
}

static void beside_constants(int n)
{
    int *q = check_output(WS_I32, (size_t)n);
    unsigned long *y = check_output(WS_I64, (size_t)n), *y_ = malloc((size_t)n * sizeof *y_);
    long *z = check_output(WS_I64, (size_t)n), *z_ = malloc((size_t)n * sizeof *z_);
    for (int i = 0; i < n; i++)
        q[i] = i * 37 % 11 - 5;
    long *each = check_output(WS_I64, 9), *u = check_output(WS_I64, (size_t)n), *u_ = malloc((size_t)n * sizeof *u_);
    for (int i = 0; i < 9; i++)
        each[i] = (long)(check_bits() << 20) >> 7 * i;
    constants(n, (1L << 40) - 5, check_place(q), check_place(y), check_place(z), check_place(each), check_place(u));
    check_fetch();
    constants_plain(n, (1L << 40) - 5, q, y_, z_, each, u_);
    for (int i = 0; i < n; i++)
        check_true(y[i] == y_[i] && z[i] == z_[i] && u[i] == u_[i], "constants");
    free(y_);
    free(u_);
    free(z_);
    plain_next();
}

static void data(int n)
{
    enum { COUNTS = 16, COLUMNS = 40 };
    int *x = check_output(WS_I32, (size_t)n * COLUMNS), *c = check_output(WS_I32, (size_t)n);
    unsigned *u = check_output(WS_I32, (size_t)n);
    long *a = check_output(WS_I64, (size_t)n * COLUMNS), *to = check_output(WS_I64, (size_t)n);
    unsigned long *b = check_output(WS_I64, (size_t)n);
    double *d = check_output(WS_F64, (size_t)n);
    unsigned long state = 1;
    for (int i = 0; i < n * COLUMNS; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        x[i] = (int)(state >> 40 & 15);
        a[i] = (long)(state >> i % 40) * (i & 1 ? -1 : 1) / 512;
        if (i >= n)
            continue;
        c[i] = (int)(state >> 33);
        u[i] = (unsigned)(state >> 31);
        b[i] = state >> i % 9;
        d[i] = (double)(state >> 32) / 3;
        to[i] = (i * 7L + 3) % n;
    }
    a[n / 2] = 0;
    PLAIN_ARRAY(WS_I64, long, h, COUNTS);
    PLAIN_ARRAY(WS_I64, long, sum, n);
    PLAIN_ARRAY(WS_I64, long, wide, n);
    PLAIN_ARRAY(WS_I64, long, most, n);
    PLAIN_ARRAY(WS_I64, long, where, n);
    PLAIN_ARRAY(WS_I64, long, least, n);
    PLAIN_ARRAY(WS_I64, unsigned long, next, n);
    PLAIN_ARRAY(WS_I64, long, y, n);
    PLAIN_ARRAY(WS_I64, unsigned long, z, n);
    PLAIN_ARRAY(WS_F32, float, f, n);
    PLAIN_ARRAY(WS_F64, double, g, n);
    PLAIN_ARRAY(WS_I32, int, k, n);
    PLAIN_ARRAY(WS_I64, long, rows, n *COLUMNS);
    int *x_ = plain_copy(x, sizeof *x * n * COLUMNS), *c_ = plain_copy(c, sizeof *c * n);
    unsigned *u_ = plain_copy(u, sizeof *u * n);
    long *a_ = plain_copy(a, sizeof *a * n * COLUMNS), *to_ = plain_copy(to, sizeof *to * n);
    unsigned long *b_ = plain_copy(b, sizeof *b * n);
    double *d_ = plain_copy(d, sizeof *d * n);
    leave(n, P(x), P(a), x, a);
    counted(n, COUNTS, P(x), P(h));
    summed(n, COLUMNS, P(a), P(x), P(sum), P(wide), P(most), P(where), P(least));
    drawn(n, P(to), P(b), P(next));
    mixed(n, P(a), P(b), P(d), P(c), P(u), P(y), P(z), P(f), P(g), P(k));
    moved(n, COLUMNS, P(to), P(a), P(rows));
    check_fetch();
    counted_plain(n, COUNTS, x_, h_);
    summed_plain(n, COLUMNS, a_, x_, sum_, wide_, most_, where_, least_);
    drawn_plain(n, to_, b_, next_);
    mixed_plain(n, a_, b_, d_, c_, u_, y_, z_, f_, g_, k_);
    moved_plain(n, COLUMNS, to_, a_, rows_);
#define SAME(name, count) check_true(!memcmp(name, name##_, sizeof *name * (size_t)(count)), #name)
    SAME(h, COUNTS);
    SAME(sum, n);
    SAME(wide, n);
    SAME(most, n);
    SAME(where, n);
    SAME(least, n);
    SAME(next, n);
    SAME(y, n);
    SAME(z, n);
    SAME(f, n);
    SAME(g, n);
    SAME(k, n);
    SAME(rows, n * COLUMNS);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_longs", argc, argv);
    run(100, 33);
    run(1, 1);
    run(64, 500);
    data(300);
    data(1);
    beside_constants(100);
    return plain_end();
}
