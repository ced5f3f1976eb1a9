/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops over arrays of bool and of structs of several types, and quotients of numbers without a sign. */
#include <stdbool.h>

#include "plain.h"

struct point {
    float x, y;
    int label;
    bool used, moved;
    double squared;
};

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/types.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/types.h"

#define P check_place

static void same(const char *what, const void *got, const void *want, size_t bytes)
{
    check.values += (long)bytes;
    if (!memcmp(got, want, bytes))
        return;
    check.wrong++;
    printf("%s differs\n", what);
}
#define SAME(name, count) same(#name, name, name##_, (size_t)(count) * sizeof *name)

/* Numbers of all lengths. */
#define NUMBERS(ctype, name, count)                                                    \
    ctype *name = check_output(sizeof(ctype) == 8 ? WS_F64 : WS_I32, (size_t)(count)); \
    for (long at = 0; at < (count); at++)                                              \
        name[at] = (ctype)(check_bits() * 0x9e3779b97f4a7c15ul >> at % 63);            \
    ctype *name##_ = plain_copy(name, (size_t)(count) * sizeof *name)

#define MASKS(name, count)                                      \
    bool *name = check_output(WS_U8, (size_t)(count));          \
    for (long at = 0; at < (count); at++)                       \
        name[at] = check_bits() >> 20 & 1 || at / (w) % 7 == 3; \
    bool *name##_ = plain_copy(name, (size_t)(count))

static void run(int h, int w)
{
    int n = h * w;
    MASKS(m, n);
    MASKS(other, n);
    MASKS(o, n);
    MASKS(differ, n);
    MASKS(some, h);
    MASKS(all, h);
    MASKS(next, n);
    NUMBERS(unsigned, x, n);
    NUMBERS(unsigned, z, n);
    NUMBERS(unsigned, y, n);
    NUMBERS(unsigned, low, n);
    NUMBERS(unsigned long, a, n);
    NUMBERS(unsigned long, b, n);
    NUMBERS(unsigned long, c, n);
    NUMBERS(int, count, n);
    NUMBERS(int, sums, h);
    PLAIN_FLOATS(f, n);
    PLAIN_FLOATS(g, n);
    PLAIN_FLOATS(share, n);
    PLAIN_FLOATS(turned, n);
    struct point *points = check_output(WS_F64, (size_t)n * sizeof *points / 8);
    struct point *moved = memset(check_output(WS_F64, (size_t)n * sizeof *moved / 8), 0, (size_t)n * sizeof *moved);
    memset(points, 0, (size_t)n * sizeof *points);
    for (int i = 0; i < n; i++)
        points[i] = (struct point){rintf(f[i] * 64), rintf(g[n - 1 - i] * 64), (int)x[i] >> 8, m[i], other[i], 0};
    struct point *points_ = plain_copy(points, (size_t)n * sizeof *points);
    struct point *moved_ = plain_copy(moved, (size_t)n * sizeof *moved);
    PLAIN_FLOATS(down, n);
    PLAIN_FLOATS(around, n);
    PLAIN_FLOATS(odd, n);
    PLAIN_FLOATS(clean, n);
    PLAIN_DOUBLES(wide, n);
    NUMBERS(int, kind, n);
    for (int i = 0; i < n; i++) {
        odd[i] = odd_[i] = i % 5 == 0 ? (float)NAN : i % 5 == 1 ? (float)INFINITY : i % 5 == 2 ? -INFINITY : f[i];
        wide[i] = wide_[i] = i % 7 == 0 ? (double)NAN : i % 7 == 1 ? -(double)INFINITY : 1e300;
    }
    PLAIN_FLOATS(without, n);
    NUMBERS(int, rests, n);
    PLAIN_FLOATS(steps, n);
    PLAIN_FLOATS(last, h);
    PLAIN_FLOATS(ends, w);
    PLAIN_FLOATS(thirds, n);
    PLAIN_FLOATS(ended, n);
    masks(n, P(m), P(other), P(f), P(g), P(o), P(differ), P(count));
    rows_of_masks(h, w, P(m), P(sums), P(some), P(all));
    life(h, w, P(m), P(next));
    quotients(n, 3000000007u, P(x), P(z), P(y), P(share));
    long_quotients(n, 0x9000000000000001u, P(a), P(b), P(c), P(low));
    digits((unsigned)n, (unsigned)w, P(f), P(turned));
    centres(n - 9, 9, P(points), (struct point *)P(points) + n - 9);
    downwards(h, w, P(points), P(moved), P(down));
    classes(n, P(odd), P(wide), P(kind), P(clean));
    stencil((unsigned)h, (unsigned)w, P(f), P(around));
    differences((size_t)n, (size_t)w, P(f), P(steps), P(last));
    differences(0, 1, P(f), P(steps), P(last));
    wrapped(h, w, P(x), P(without), P(rests));
    both_ends(h, w, P(f), P(ends), P(thirds));
    both_ends_stored(h, w, P(ended));
    check_fetch();
    classes_plain(n, odd_, wide_, kind_, clean_);
    stencil_plain((unsigned)h, (unsigned)w, f_, around_);
    differences_plain((size_t)n, (size_t)w, f_, steps_, last_);
    wrapped_plain(h, w, x_, without_, rests_);
    both_ends_plain(h, w, f_, ends_, thirds_);
    both_ends_stored_plain(h, w, ended_);
    masks_plain(n, m_, other_, f_, g_, o_, differ_, count_);
    rows_of_masks_plain(h, w, m_, sums_, some_, all_);
    life_plain(h, w, m_, next_);
    quotients_plain(n, 3000000007u, x_, z_, y_, share_);
    long_quotients_plain(n, 0x9000000000000001u, a_, b_, c_, low_);
    digits_plain((unsigned)n, (unsigned)w, f_, turned_);
    centres_plain(n - 9, 9, points_, points_ + n - 9);
    downwards_plain(h, w, points_, moved_, down_);
    SAME(points, n);
    SAME(moved, n);
    SAME(down, n);
    SAME(around, n);
    SAME(kind, n);
    SAME(clean, n);
    SAME(steps, n);
    SAME(without, n);
    SAME(rests, n);
    SAME(ends, w);
    SAME(thirds, n);
    SAME(ended, n);
    PLAIN_SAME(last, h, 1e-5);
    SAME(g, n);
    SAME(o, n);
    SAME(differ, n);
    SAME(count, n);
    SAME(sums, h);
    SAME(some, h);
    SAME(all, h);
    SAME(next, n);
    SAME(y, n);
    SAME(share, n);
    SAME(c, n);
    SAME(low, n);
    SAME(turned, n);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_types", argc, argv);
    run(50, 70);
    run(33, 128);
    return plain_end();
}
