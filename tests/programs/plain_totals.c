/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over a whole grid, which leave it: reduction(op: x), of each operation and type, over one and two loops, beside
   stores and loops that sum; with nothing to sum they are what they were. */
#include "plain.h"

struct summary {
    int count;
    double sum;
};
static double of_file;

#define WS                   PLAIN_PRAGMA
#define FUNCTION(type, name) static type name
#include "plain/totals.h"
#undef WS
#undef FUNCTION
#define WS(...)
#define FUNCTION(type, name) static type name##_plain
#include "plain/totals.h"

#define P check_place

static void same(const char *what, double x, double y, double tolerance)
{
    check.values++;
    if (fabs(x - y) <= tolerance * (fabs(y) + 1))
        return;
    check.wrong++;
    printf("%s: %.9g, not %.9g\n", what, x, y);
}

static void run(int n, int m)
{
    double *x = check_random(WS_F64, (size_t)(n * m + 1)), *y = check_random(WS_F64, (size_t)(n * m + 1));
    PLAIN_FLOATS(a, n * m + 1);
    PLAIN_FLOATS(b, n * m + 1);
    PLAIN_FLOATS(r, n * m + 1);
    PLAIN_FLOATS(s, n * n + 1);
    PLAIN_FLOATS(t, n * n + 1);
    float least, least_;
    same("dot", dot(n * m, P(x), P(y), 0.5), dot_plain(n * m, x, y, 0.5), 1e-12);
    if (n * m)
        same("variance", variance(n * m, P(a)), variance_plain(n * m, a_), 1e-5);
    same("residual", residual(n, m, P(a), P(b), P(r)), residual_plain(n, m, a_, b_, r_), 1e-5);
    same("triangle", triangle(n, P(s)), triangle_plain(n, s_), 1e-4);
    same("norm", norm_of_product(n, P(s), P(t)), norm_of_product_plain(n, s_, t_), 1e-4);
    same("most", range_of(n * m, a, &least), range_of_plain(n * m, a_, &least_), 0);
    same("least", least, least_, 0);
    same("count", count_above(n, m, P(a), 0.25f), count_above_plain(n, m, a_, 0.25f), 0);
    same("iterations", iterations(n - 5, n + 7, m), iterations_plain(n - 5, n + 7, m), 0);
    for (int i = 0; i < 4; i++)
        same("within", within(n * m, P(a), 0.6f * (float)i), within_plain(n * m, a_, 0.6f * (float)i), 0);
    PLAIN_FLOATS(q, n + 1);
    PLAIN_FLOATS(d, m + 1);
    PLAIN_DOUBLES(l, n * n + 1);
    PLAIN_DOUBLES(u, n + 1);
    if (n)
        same("both", both_products(n, m, a, b, d, q), both_products_plain(n, m, a_, b_, d_, q_), 1e-4);
    same("solve", solve(n, (void *)l, u, x), solve_plain(n, (void *)l_, u_, x), 1e-9);
    float most[2], most_[2];
    struct summary all, all_;
    same("memory", in_memory(n * m, P(a), most, &all), in_memory_plain(n * m, a_, most_, &all_), 1e-5);
    same("element", most[1], most_[1], 0);
    same("member", all.sum, all_.sum, 1e-9);
    check_fetch();
    PLAIN_SAME(q, n, 1e-4);
    PLAIN_SAME(d, m, 1e-5);
    PLAIN_SAME(u, n, 1e-9);
    PLAIN_SAME(r, n * m, 1e-6);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_totals", argc, argv);
    run(96, 64);
    run(37, 53);
    run(130, 7);
    run(1, 1);
    run(0, 5);
    return plain_end();
}
