/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops over neighbours that the edges of arrays have elsewhere: nothing beside the arrays is looked at, and the
   launch does not refuse them. */
#include "plain.h"

static const double signs[3] = {1, -1, 2};

static inline int clamped_to(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/around.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/around.h"

#define P check_place

static void run(int n, int m)
{
    PLAIN_DOUBLES(x, n);
    PLAIN_DOUBLES(grid, n * m);
    PLAIN_DOUBLES(a, n);
    PLAIN_DOUBLES(b, n);
    PLAIN_DOUBLES(c, n);
    PLAIN_DOUBLES(d, n * m);
    PLAIN_DOUBLES(e, n);
    PLAIN_DOUBLES(g, n * m);
    PLAIN_DOUBLES(f, n);
    ring(n, P(x), P(a));
    rest(n, P(x), P(b));
    ends(n, P(x), P(c));
    clamped(n, m, P(grid), P(d));
    medians(n, m, P(grid), P(g));
    mirrored(n, P(x), P(e));
    normalized(n, P(x), P(f));
    check_fetch();
    ring_plain(n, x_, a_);
    rest_plain(n, x_, b_);
    ends_plain(n, x_, c_);
    clamped_plain(n, m, grid_, d_);
    medians_plain(n, m, grid_, g_);
    mirrored_plain(n, x_, e_);
    normalized_plain(n, x_, f_);
    PLAIN_SAME(a, n, 0);
    PLAIN_SAME(b, n, 0);
    PLAIN_SAME(c, n, 0);
    PLAIN_SAME(d, n * m, 0);
    PLAIN_SAME(e, n, 0);
    PLAIN_SAME(g, n * m, 0);
    PLAIN_SAME(f, n, 1e-14);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_around", argc, argv);
    run(100, 33);
    run(4, 1);
    run(1025, 3);
    return plain_end();
}
