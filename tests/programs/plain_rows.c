/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops over arrays of pointers to rows: an extent says how many there are, and the launch looks whether they are
   at equal distances. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/rows.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/rows.h"

/* Pointers to the rows of an array. */
#define ROWS(ctype, name, array, n, m)     \
    ctype *name[200];                      \
    for (int row_ = 0; row_ < (n); row_++) \
        name[row_] = (ctype *)(array) + row_ * (m);

static void run(int n, int m)
{
    PLAIN_FLOATS(a, n * m);
    PLAIN_FLOATS(b, n * m);
    PLAIN_DOUBLES(x, n * n);
    PLAIN_DOUBLES(y, n * n);
    PLAIN_DOUBLES(z, n * n);
    int *member = check_output(WS_I32, (size_t)n);
    memset(member, 0, (size_t)n * sizeof *member);
    int *member_ = plain_copy(member, (size_t)n * sizeof *member);
    {
        ROWS(float, p, check_place(a), n, m)
        ROWS(float, q, check_place(b), n, m)
        ROWS(double, u, check_place(x), n, n)
        ROWS(double, v, check_place(y), n, n)
        ROWS(double, w, check_place(z), n, n)
        smooth(n, m, p, q);
        product(n, u, v, w);
        nearest(n, 7, m, p, q + 3, check_place(member));
        smooth(0, m, NULL, NULL);
        check_fetch();
    }
    {
        ROWS(float, p, a_, n, m)
        ROWS(float, q, b_, n, m)
        ROWS(double, u, x_, n, n)
        ROWS(double, v, y_, n, n)
        ROWS(double, w, z_, n, n)
        smooth_plain(n, m, p, q);
        product_plain(n, u, v, w);
        nearest_plain(n, 7, m, p, q + 3, member_);
    }
    PLAIN_SAME(b, n * m, 0);
    PLAIN_SAME(z, n * n, 1e-12);
    PLAIN_SAME(member, n, 0);
    plain_next();
}

/* The sequential target takes any rows; a launch names the array. */
static void refused(void)
{
    float *a = check_random(WS_F32, 400), *b = check_random(WS_F32, 400);
    ROWS(float, p, check_place(a), 10, 40)
    ROWS(float, q, check_place(b), 10, 40)
    float *first = p[2];
    ws_last_error();
    p[2] = p[5];
    p[5] = first;
    smooth(10, 40, p, q);
    const char *said = ws_error_message();
    ws_status status = ws_last_error();
    check_true(status == WS_OK || (status == WS_ERR_ARGUMENT && strstr(said, "the rows of 'a' are not at equal")),
               "rows in another order");
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_rows", argc, argv);
    run(70, 91);
    run(128, 64);
    refused();
    return plain_end();
}
