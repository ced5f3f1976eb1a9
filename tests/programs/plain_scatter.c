/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops that store to elements whose subscripts are loaded or computed, or that iterations have in common:
   histograms, sums at nodes of a graph, rows that change places. */
#include "plain.h"

enum { KEYS = 300, COUNTED = 64 };
static int keys[KEYS], counted[COUNTED], first[21];
static float weight[KEYS];

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/scatter.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/scatter.h"

#define P check_place

/* Whole numbers of few bits: no order of sums shows. */
#define WHOLE(name, count)                      \
    for (long i_ = 0; i_ < (long)(count); i_++) \
    name[i_] = name##_[i_] = i_ * 13 % 31 - 15
#define CHOSEN(name, count, expression)      \
    PLAIN_ARRAY(WS_I32, int, name, count);   \
    for (long i = 0; i < (long)(count); i++) \
    name[i] = name##_[i] = (int)(expression)

static void run(int n, int m, int d)
{
    PLAIN_ARRAY(WS_U8, unsigned char, image, 3 * n + 8 * d);
    PLAIN_ARRAY(WS_I16, short, key, n);
    PLAIN_ARRAY(WS_I16, short, kept, n);
    PLAIN_ARRAY(WS_U8, unsigned char, small, n);
    PLAIN_FLOATS(x, n * d);
    PLAIN_FLOATS(y, n * d);
    PLAIN_FLOATS(z, m * d);
    PLAIN_FLOATS(sum, n + m);
    PLAIN_DOUBLES(w, n + m);
    PLAIN_DOUBLES(u, n + m);
    WHOLE(x, n * d);
    WHOLE(z, m * d);
    WHOLE(sum, n + m);
    WHOLE(w, n + m);
    WHOLE(u, n + m);
    CHOSEN(count, 256, 0);
    CHOSEN(more, 512, 0);
    CHOSEN(to, n, i * 7 % n);
    CHOSEN(node, n, i * i % m);
    CHOSEN(other, n, i * 5 % m);
    CHOSEN(number, n * d, i * 37 % 2000 - 600);
    CHOSEN(list, n * 4, i * 11 % (m + 9) - 4);
    histogram(n, P(image), P(count));
    buckets(n, -3, P(number), (unsigned *)P(count));
    channels(n / 8, 5, 23, P(image), P(count), P(more));
    coordinates(n, m, P(node), P(other), P(x), P(sum), P(z));
    edges(n, m, P(node), P(other), P(w), P(w), P(u));
    permuted(n, d, P(to), P(x), P(y));
    embedding(n, d, m, P(node), P(x), P(z));
    columns(n, d, P(x), P(sum));
    neighbours(n, m, 4, P(list), P(x), P(sum));
    diagonals(n, d, P(number), P(more));
    sorted(n, P(to), P(key), P(kept), P(small));
    twice(m < n ? m : 0, P(other), P(x), P(z));
    check_fetch();
    histogram_plain(n, image_, count_);
    buckets_plain(n, -3, number_, (unsigned *)count_);
    channels_plain(n / 8, 5, 23, image_, count_, more_);
    coordinates_plain(n, m, node_, other_, x_, sum_, z_);
    edges_plain(n, m, node_, other_, w_, w_, u_);
    permuted_plain(n, d, to_, x_, y_);
    embedding_plain(n, d, m, node_, x_, z_);
    columns_plain(n, d, x_, sum_);
    neighbours_plain(n, m, 4, list_, x_, sum_);
    diagonals_plain(n, d, number_, more_);
    sorted_plain(n, to_, key_, kept_, small_);
    twice_plain(m < n ? m : 0, other_, x_, z_);
    PLAIN_SAME(count, 256, 0);
    PLAIN_SAME(more, 512, 0);
    PLAIN_SAME(y, n * d, 0);
    PLAIN_SAME(z, m * d, 0);
    PLAIN_SAME(sum, n + m, 0);
    PLAIN_SAME(u, n + m, 0);
    for (int i = 0; i < n; i++)
        check_true(kept[i] == kept_[i] && small[i] == small_[i], "sorted");
    plain_next();
}

/* On a device the static arrays are staged. */
static void run_declared(void)
{
    PLAIN_ARRAY(WS_I32, int, out, COUNTED);
    PLAIN_FLOATS(sum, 20);
    for (int i = 0; i < KEYS; i++) {
        keys[i] = i * i % COUNTED;
        weight[i] = (float)(i % 7 - 3);
    }
    for (int i = 0; i < 21; i++)
        first[i] = i * i * 3 / 4;
    declared(KEYS, out);
    ragged(20, sum);
    declared_plain(KEYS, out_);
    ragged_plain(20, sum_);
    PLAIN_SAME(out, COUNTED, 0);
    PLAIN_SAME(sum, 20, 0);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_scatter", argc, argv);
    run(150, 40, 9);
    run(45, 70, 33);
    run_declared();
    return plain_end();
}
