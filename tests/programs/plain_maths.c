/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of <math.h> in plain loops. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/maths.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/maths.h"

#define P check_place

static void run(int n)
{
    PLAIN_FLOATS(x, n);
    PLAIN_FLOATS(y, 14 * n);
    double *u = check_random(WS_F64, (size_t)n), *v = check_output(WS_F64, (size_t)n),
           *v_ = calloc((size_t)n, sizeof *v_);
    of_one(n, P(y), P(x));
    of_doubles(n, P(v), P(u), 0.75);
    check_fetch();
    of_one_plain(n, (void *)y_, x_);
    of_doubles_plain(n, v_, u, 0.75);
    PLAIN_SAME(y, 14 * n, 2e-6);
    for (int i = 0; i < n; i++)
        check_close(v, (size_t)i, v_[i], 1e-13 * (1 + fabs(v_[i])));
    free(v_);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_maths", argc, argv);
    run(1);
    run(1000);
    return plain_end();
}
