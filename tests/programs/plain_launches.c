/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Valid loops that a launcher could take for wrong, and a wrong one beside them: grids that begin below 0, one array
   read in several ways, one array whose dimensions are taken in two orders, members of a variable. */
#include <limits.h>

#include "plain.h"

struct members {
    double a[20][30];
    int n;
    struct {
        int unused, factor;
    } inner[3];
    double b[20][30];
};

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#define all          all_of
static struct members all_of, all_of_plain;
#include "plain/launches.h"
#undef WS
#undef KERNEL
#undef all
#define WS(...)
#define KERNEL(name) static void name##_plain
#define all          all_of_plain
#include "plain/launches.h"
#undef all

#define P check_place

enum { HALO = 3, N = 40, LD = N + 2 * HALO, MOST = LD * LD };

static void expect(ws_status status, const char *text, const char *what)
{
    ws_status got = ws_last_error();
    check_true(got == status && (status == WS_OK || strstr(ws_error_message(), text)), what);
    if (got != status || (status != WS_OK && !strstr(ws_error_message(), text)))
        printf("%s: status %d, %s\n", what, (int)got, ws_error_message());
}

static void halos(int from, int to, int left, int right)
{
    PLAIN_DOUBLES(u, MOST);
    PLAIN_DOUBLES(v, MOST);
    halo_stencil(from, to, left, right, HALO, LD, P(u), P(v));
    halo_stencil_plain(from, to, left, right, HALO, LD, u_, v_);
    reflect(N, HALO, LD, P(v));
    reflect_plain(N, HALO, LD, v_);
    check_fetch();
    PLAIN_SAME(v, MOST, 1e-12);
    expect(WS_OK, "", "halos");
    plain_next();
}

static void read_in_ways(int n, int m)
{
    PLAIN_DOUBLES(a, 4 * N * N);
    PLAIN_DOUBLES(o, N * N);
    ways(n, m, P(a), P(o));
    ways_plain(n, m, a_, o_);
    check_fetch();
    PLAIN_SAME(o, N * N, 1e-12);
    expect(WS_OK, "", "ways");
    plain_next();
}

static void strided(int n, int incx, int incy)
{
    PLAIN_DOUBLES(x, MOST);
    PLAIN_DOUBLES(y, MOST);
    copy_strided(n, P(x), incx, P(y), incy);
    copy_strided_plain(n, x_, incx, y_, incy);
    copy_rows(20, 30, -31, (double *)P(x) + 31 * 19, 40, P(y));
    copy_rows_plain(20, 30, -31, x_ + 31 * 19, 40, y_);
    copy_rows(10, 30, 31, P(x), -32, (double *)P(y) + 900 + 32 * 9);
    copy_rows_plain(10, 30, 31, x_, -32, y_ + 900 + 32 * 9);
    behind(20, incx > 0 ? 3 : -3, 61, (double *)P(y) + 100);
    behind_plain(20, incx > 0 ? 3 : -3, 61, y_ + 100);
    check_fetch();
    PLAIN_SAME(y, MOST, 1e-12);
    expect(WS_OK, "", "strides");
    plain_next();
}

/* No iteration, and no array. */
static void nothing(void)
{
    between(5, 5, NULL, NULL);
    between(5, 3, NULL, NULL);
    copy_rows(0, 5, 5, NULL, 5, NULL);
    copy_rows(5, 0, 5, NULL, 5, NULL);
    weighted(0, 9, NULL, NULL, NULL);
    expect(WS_OK, "", "no iteration");
}

/* The halves of an array are two.  An overlap is refused, but by the sequential target, which runs the loops. */
static void wrong(void)
{
    PLAIN_DOUBLES(a, 4 * N);
    PLAIN_DOUBLES(o, 4 * N * N);
    double *place = P(o);
    ways(N, N, place + 2 * N * N, place);
    expect(WS_OK, "", "halves");
    ways(N, N, place + N * N / 2, place);
    int told = ws_last_error();
    check_true(told == WS_OK || (told == WS_ERR_OVERLAP && strstr(ws_error_message(), "overlaps")), "an overlap");
    double *y = place + N;
    behind(20, 3, 6, y);
    told = ws_last_error();
    check_true(told == WS_OK || (told == WS_ERR_OVERLAP && strstr(ws_error_message(), "overlaps")), "two iterations");
    behind(20, 0, 1, y);
    told = ws_last_error();
    check_true(told == WS_OK || told == WS_ERR_OVERLAP, "all iterations");
    between(-5, -2, (double *)P(a) + N, y);
    told = ws_last_error();
    check_true(told == WS_OK || (told == WS_ERR_ARGUMENT && strstr(ws_error_message(), "subscript")), "in front");
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_launches", argc, argv);
    halos(-2, N, 1, 2);
    halos(-2, 3, 0, 0);
    halos(-2, 3, 6, 3);
    halos(0, 10, 8, 30);
    halos(-HALO + 1, -1, 0, 0);
    long *t = check_output(WS_I64, 4);
    count_down_to(-3, 4, P(t));
    count_down_to(LONG_MIN, 3, P(t));
    expect(WS_OK, "", "from the smallest number on");
    check_fetch();
    for (int i = 0; i < 4; i++)
        check_true(t[i] == 3, "counted from below 0");
    plain_next();
    read_in_ways(N / 2, N);
    read_in_ways(N, N / 2 + 1);
    strided(100, 1, 1);
    strided(100, -1, 2);
    strided(300, 3, -1);
    strided(40, -4, -7);
    strided(1, -3, -2);
    nothing();
    wrong();
    PLAIN_DOUBLES(r, 16 * 10 * 20 * 5);
    two_orders(12, 8, 17, P(r));
    two_orders_plain(12, 8, 17, r_);
    check_fetch();
    PLAIN_SAME(r, 16 * 10 * 20 * 5, 1e-12);
    for (int i = 0; i < 600; i++)
        all_of.a[i / 30][i % 30] = all_of_plain.a[i / 30][i % 30] = i * 7 % 11;
    all_of.n = all_of_plain.n = 28;
    all_of.inner[1].factor = all_of_plain.inner[1].factor = 5;
    members(1);
    members_plain(1);
    expect(WS_OK, "", "members");
    check_true(!memcmp(&all_of, &all_of_plain, sizeof all_of), "members of a variable");
    return plain_end();
}
