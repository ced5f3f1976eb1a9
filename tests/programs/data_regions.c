/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that stay on the device between grids: #pragma ws data and update.  What a clause gets wrong is reported. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#define weights      weights1
#include "plain/data.h"
#undef WS
#undef KERNEL
#undef weights
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/data.h"

static void run(int n, int m)
{
    PLAIN_FLOATS(a, n * m);
    PLAIN_FLOATS(b, n * m);
    PLAIN_FLOATS(x, n * m);
    PLAIN_FLOATS(y, n * m);
    PLAIN_FLOATS(last, m);
    PLAIN_FLOATS(norms, 6);
    heat(5, n, m, a, b);
    heat_plain(5, n, m, a_, b_);
    PLAIN_SAME(a, n * m, 1e-6);
    relax(n, m, (void *)x, last, norms);
    relax_plain(n, m, (void *)x_, last_, norms_);
    PLAIN_SAME(x, n * m, 1e-6);
    PLAIN_SAME(last, m, 1e-6);
    PLAIN_SAME(norms, 6, 1e-5);
    twice(n * m, y, x);
    twice_plain(n * m, y_, x_);
    PLAIN_SAME(y, n * m, 1e-6);
    plain_next();
}

static void double_all(int n, float *x)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}

static void mistakes(int n)
{
    float *x = check_random(WS_F32, (size_t)n);
    int reported = 0;
    #pragma ws data copyin(x[0:n])
    {
        double_all(n, x); /* stored, and copied in alone */
    }
    reported += ws_last_error() == WS_ERR_ARGUMENT;
    #pragma ws data copy(x[0:n / 2])
    {
        double_all(n, x); /* more than is there */
    }
    reported += ws_last_error() == WS_ERR_ARGUMENT;
    #pragma ws data present(x[0:n])
    {
        double_all(n, x); /* nothing is */
    }
    reported += ws_last_error() == WS_ERR_ARGUMENT;
    #pragma ws data copy(x[0:n / 2])
    {
        #pragma ws data copy(x[0:n])
        {
            reported += ws_last_error() == WS_ERR_ARGUMENT;
        }
    }
    #pragma ws update host(x[0:n])
    reported += ws_last_error() == WS_ERR_ARGUMENT;
    check.values++;
    if (reported == 0 || reported == 5)
        return;
    check.wrong++;
    printf("%d of 5 mistakes are reported\n", reported);
}

int main(int argc, char **argv)
{
    check_begin("data_regions", argc, argv);
    run(40, 64);
    run(33, 37);
    mistakes(100);
    return plain_end();
}
