/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops that go by steps: up and down, by numbers and by variables, to bounds that they do not meet, of counters
   with and without a sign; lfortran#12961 is one of these. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/steps.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/steps.h"

#define P check_place

static void run(int n, int lo, int st)
{
    PLAIN_ARRAY(WS_I32, int, x, n);
    PLAIN_ARRAY(WS_I32, int, a, n + 1);
    PLAIN_ARRAY(WS_I32, int, b, n + 1);
    PLAIN_ARRAY(WS_I32, int, c, n + 3);
    PLAIN_ARRAY(WS_I32, int, d, n + 1);
    PLAIN_ARRAY(WS_I32, int, s, 100);
    up(lo, n, st, P(a));
    down(n, P(b));
    down_by(n, lo, st, P(c));
    meets(n / 4 * 4, P(d));
    triangle(n, P(x), P(a));
    behind_test(n, P(x), P(b));
    above_0((size_t)n, P(x), P(c));
    unsigned_sums((unsigned)n, (unsigned)lo, P(x), P(d));
    threads(n, 10 * st, P(x), P(b), P(s));
    rows(3, n / 4 + 1, lo, P(c));
    blocks_of_four(n / 4 * 4, P(x), P(d), P(s));
    check_fetch();
    up_plain(lo, n, st, a_);
    down_plain(n, b_);
    down_by_plain(n, lo, st, c_);
    meets_plain(n / 4 * 4, d_);
    triangle_plain(n, x_, a_);
    behind_test_plain(n, x_, b_);
    above_0_plain((size_t)n, x_, c_);
    unsigned_sums_plain((unsigned)n, (unsigned)lo, x_, d_);
    threads_plain(n, 10 * st, x_, b_, s_);
    rows_plain(3, n / 4 + 1, lo, c_);
    blocks_of_four_plain(n / 4 * 4, x_, d_, s_);
    PLAIN_SAME(a, n + 1, 0);
    PLAIN_SAME(b, n + 1, 0);
    PLAIN_SAME(c, n + 3, 0);
    PLAIN_SAME(d, n + 1, 0);
    PLAIN_SAME(s, 100, 0);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_steps", argc, argv);
    run(69, 5, 3);
    run(128, 0, 1);
    run(1, 3, 4);
    run(200, 250, 7);
    return plain_end();
}
