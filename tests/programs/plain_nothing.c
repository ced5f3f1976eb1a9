/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose counts are 0, or below: they do nothing, and nothing is wrong. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/nothing.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/nothing.h"

#define P check_place

enum { MOST = 40 };

static void run(int n, int m, int k)
{
    PLAIN_FLOATS(a, MOST * MOST);
    PLAIN_FLOATS(b, MOST * MOST);
    PLAIN_FLOATS(c, MOST * MOST);
    PLAIN_FLOATS(y, MOST);
    scale(n, P(y));
    scale_plain(n, y_);
    rows_of(n, m, P(a), P(b), P(y));
    rows_of_plain(n, m, a_, b_, y_);
    middle(n, m, P(a), P(b));
    middle_plain(n, m, a_, b_);
    from_to(m + 7, n + 7, P(a), P(b));
    from_to_plain(m + 7, n + 7, a_, b_);
    product(n, m, k, P(a), P(b), P(c));
    product_plain(n, m, k, a_, b_, c_);
    check_fetch();
    PLAIN_SAME(b, MOST * MOST, 1e-6);
    PLAIN_SAME(c, MOST * MOST, 1e-5);
    PLAIN_SAME(y, MOST, 1e-5);
    check.values++;
    if (ws_last_error() != WS_OK) {
        check.wrong++;
        printf("%d, %d, %d: %s\n", n, m, k, ws_error_message());
    }
    plain_next();
}

int main(int argc, char **argv)
{
    static const int counts[] = {-7, -1, 0, 1, 2, 33};
    check_begin("plain_nothing", argc, argv);
    for (int i = 0; i < 6; i++)
        for (int j = 2; j < 6; j++) {
            run(counts[i], counts[j], 5);
            run(counts[j], counts[i], 5);
            run(counts[j], 5, counts[i]);
        }
    return plain_end();
}
