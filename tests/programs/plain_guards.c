/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that end where conditions and choices say: what lies behind is no memory, and what a condition leaves out is
   memory that nobody may write. */
#include <sys/mman.h>

#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/guards.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/guards.h"

enum { PAGE = 4096 };

/* So many numbers in front of a page that is not there. */
static float *numbers(int count, int seed)
{
    size_t bytes = (size_t)count * sizeof(float), length = (bytes + PAGE - 1) / PAGE * PAGE;
    char *all = mmap(NULL, length + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + length, PAGE, PROT_NONE))
        abort();
    float *x = (float *)(all + length - bytes);
    for (int i = 0; i < count; i++)
        x[i] = (float)((i * 37 + seed) % 19);
    return x;
}

typedef void Function(int n, int m, const float *x, float *y);

static void run(const char *name, Function *function, Function *plain, int n, int m, int read, int written)
{
    float *x = numbers(read, 3), *y = numbers(written, 5), *y_ = numbers(written, 5);
    function(n, m, x, y);
    plain(n, m, x, y_);
    plain_compare(name, WS_F32, y, y_, (size_t)written, 0);
    if (ws_last_error() != WS_OK) {
        check.wrong++;
        printf("%s, %d, %d: %s\n", name, n, m, ws_error_message());
    }
}
#define RUN(name, n, m, read, written) run(#name, name, name##_plain, n, m, read, written)

/* The first page is not written, since the condition leaves it out. */
static void run_read_only(const char *name, Function *function, Function *plain)
{
    int n = 5000, m = 1500;
    float *x = numbers(n, 3), *y = numbers(n, 5), *y_ = numbers(n, 5);
    char *first = (char *)y - (size_t)y % PAGE;
    if (!getenv("WS_SCHEDULES") && mprotect(first, PAGE, PROT_READ)) /* several orders put whole arrays back */
        abort();
    function(n, m, x, y);
    plain(n, m, x, y_);
    plain_compare(name, WS_F32, y, y_, (size_t)n, 0);
}

int main(int argc, char **argv)
{
    check_begin("plain_guards", argc, argv);
    setenv("WS_REACH", "1", 1); /* of the interpreter: arrays are copied as far as tensors reach */
    static const int sizes[][2] = {{333, 37}, {70, 7}, {1024, 64}};
    for (int i = 0; i < 3; i++) {
        int n = sizes[i][0], m = sizes[i][1], all = n / m * m;
        RUN(tail, n, m, n, n);
        RUN(tail_in_place, n, m, n, n);
        RUN(same, n, 3, n, n);
        RUN(same, n, 0, n, n);
        RUN(pairs, n, m, n, (n + 1) / 2);
        RUN(windows, n, m, all, all);
        RUN(unsigned_windows, n, m, all, all);
        RUN(wrapped, n, m, all, all);
        RUN(reflected, n, 7, n, n);
        RUN(inside, n, m, all - 1, all - m - 1);
        RUN(some, n, 5, n, n);
        RUN(range, n, 5, (n + 1) / 2, (n + 1) / 2);
        RUN(below_diagonal, n, m, n, n);
        RUN(antidiagonal, n, 7, 43, 7);
        RUN(summed, n, 7, n, n);
        RUN(flagged, n, 5, n, n);
        RUN(firsts, n, 5, n - (n - 1) % 3, n);
        RUN(patches, n, m, all, 9 * all);
        RUN(odd, n, 3, n - 1 - n % 2, n - n % 2);
        RUN(triples, n, m, (n / m - 1 - (n / m - 1) % 3) * m + m - (m - 1) % 4, all);
        RUN(rests, n, 7, 55, n);
        RUN(rests, n, -7, 41, n);
        RUN(quotients, n, 4, n + 1, n);
        RUN(quotients, n, -4, n + 1 + (n - 1) / 4, n);
        RUN(prefixes, n, -6, 7 * n, n);
        RUN(prefixes, n, 6, 13 * n - 6, n);
        RUN(edges, n, m, all, all);
        RUN(rows_from, n, 5, n, ((n / 8 - 1) / 2 * 2 + 5) * 13 + 8);
        RUN(fours_from, n, 5, (n + 3) / 4 * 4 + 5, (n + 3) / 4 * 4 + 5);
        RUN(twos_from, n, 5, 2 * n - 5, 2 * n - 5);
        RUN(but_one, n, m, all, n);
        RUN(corners, 5, m, (m + 4) * (m - 1) + 1, m + 5);
        RUN(right_of_column, 3, m, (m - 1) * m + 4, m * m);
        plain_next();
    }
    run_read_only("some", some, some_plain);
    run_read_only("range", range, range_plain);
    run_read_only("flagged", flagged, flagged_plain);
    return plain_end();
}
