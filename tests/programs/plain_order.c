/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops whose independence bounds and conditions prove: both halves of a matrix, rows that factors are taken of,
   recurrences along rows. A first subscript that is known at run time is looked at when the kernel is launched. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/order.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/order.h"

#define P check_place

static void run(int n, int m, int at)
{
    PLAIN_FLOATS(A, n * n);
    PLAIN_FLOATS(B, n * m);
    PLAIN_FLOATS(C, n * n);
    PLAIN_FLOATS(x, n);
    PLAIN_FLOATS(y, n * m);
    PLAIN_FLOATS(z, n * m);
    symmetric(n, m, P(C), P(B));
    row_of_lu(n, at, P(A));
    row_of_product(n, m, at, P(A), P(B));
    recurrence(n, m, 0.25f, P(B), P(y), P(z));
    window(n, at, n, P(x), P(A));
    conditions(n, m, P(B), P(z));
    rotate_pairs(n * m, 48, 3, P(y));
    gelu_slope(n * m, P(B), P(y));
    truths(n, P(x), P(B));
    float *rows[] = {P(B), P(z), P(A), P(y)}, *rows_[] = {B_, z_, A_, y_};
    pointers(n, n, at % 5, rows, P(C), P(y), P(x));
    branches(n, m, at % 3, at & 1 ? P(x) : NULL, P(B), P(C));
    sums_of_doubles(n, m, P(B), P(x));
    enlarge(2, 3, 5, 7, 2, P(B), P(y));
    check_fetch();
    symmetric_plain(n, m, (void *)C_, (void *)B_);
    row_of_lu_plain(n, at, (void *)A_);
    row_of_product_plain(n, m, at, (void *)A_, (void *)B_);
    recurrence_plain(n, m, 0.25f, (void *)B_, (void *)y_, (void *)z_);
    window_plain(n, at, n, x_, A_);
    conditions_plain(n, m, (void *)B_, z_);
    rotate_pairs_plain(n * m, 48, 3, y_);
    gelu_slope_plain(n * m, (void *)B_, y_);
    truths_plain(n, x_, (void *)B_);
    pointers_plain(n, n, at % 5, rows_, C_, y_, x_);
    branches_plain(n, m, at % 3, at & 1 ? x_ : NULL, (void *)B_, C_);
    sums_of_doubles_plain(n, m, (void *)B_, x_);
    enlarge_plain(2, 3, 5, 7, 2, B_, y_);
    PLAIN_SAME(A, n * n, 1e-5);
    PLAIN_SAME(B, n * m, 1e-5);
    PLAIN_SAME(C, n * n, 1e-5);
    PLAIN_SAME(x, n, 1e-5);
    PLAIN_SAME(y, n * m, 1e-5);
    PLAIN_SAME(z, n * m, 1e-5);
    plain_next();
}

static void run_below(void)
{
    PLAIN_FLOATS(A, 400);
    PLAIN_FLOATS(x, 10);
    window(10, -3, 20, P(x), (float *)P(A) + 100);
    if (ws_last_error() != WS_ERR_ARGUMENT) { /* it is right, or it is reported */
        check_fetch();
        window_plain(10, -3, 20, x_, (float *)A_ + 100);
        PLAIN_SAME(x, 10, 1e-5);
    } else {
        check.values += 10;
    }
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_order", argc, argv);
    run(75, 40, 33);
    run(130, 70, 100);
    run(40, 37, 38);
    run_below();
    return plain_end();
}
