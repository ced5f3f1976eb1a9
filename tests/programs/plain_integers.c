/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops over C's integers: bytes and shorts in memory, conversions that drop bits, numbers without a sign. */
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/integers.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/integers.h"

#define P check_place

/* Every bit of an array of so many bytes at random. */
static void *random_bits(size_t bytes, unsigned seed)
{
    unsigned char *array = check_output(WS_U8, bytes);
    for (size_t i = 0; i < bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        array[i] = (unsigned char)(seed >> 24);
    }
    return array;
}

#define BITS(ctype, name, count)                                                             \
    ctype *name = random_bits((size_t)(count) * sizeof *name, __LINE__ + (unsigned)(count)); \
    ctype *name##_ = plain_copy(name, (size_t)(count) * sizeof *name)

static void same(const char *what, const void *got, const void *want, size_t bytes)
{
    check.values += (long)bytes;
    if (!memcmp(got, want, bytes))
        return;
    check.wrong++;
    printf("%s differs\n", what);
}
#define SAME(name, count) same(#name, name, name##_, (size_t)(count) * sizeof *name)

static void run(int h, int w)
{
    int n = h * w;
    BITS(unsigned char, a, n);
    BITS(unsigned char, b, n);
    BITS(unsigned char, c, n);
    BITS(unsigned char, table, 256);
    BITS(short, s, n);
    BITS(short, t, n);
    BITS(short, u, n);
    BITS(short, v, n);
    BITS(int, x, n);
    BITS(int, y, n);
    BITS(int, k, n);
    BITS(int, most, n);
    BITS(int, least, n);
    BITS(int, zero, n);
    BITS(unsigned, word, n);
    BITS(unsigned, hash, n);
    BITS(unsigned short, half, n);
    BITS(unsigned short, left, n);
    BITS(int, mixed, n);
    BITS(unsigned char, packed, n / 32 * 16);
    PLAIN_FLOATS(f, n);
    PLAIN_FLOATS(g, n);
    PLAIN_DOUBLES(d, n);
    for (int i = 0; i < n; i++)
        x_[i] = x[i] = i % 7 ? x[i] % 10000 : i % 140 - 5; /* products below do not overflow */
    blur(h, w, P(a), P(b), P(u));
    mix(n, 77, P(s), P(t), P(u), P(v));
    narrow(n, P(x), P(y));
    without_sign(n, P(x), P(f), P(k), P(d));
    extremes(h, w, P(a), P(s), P(most), P(least), P(zero));
    look_up(n, P(a), P(table), P(c));
    bits(n, P(word), P(half), P(x), P(hash), P(left), P(mixed));
    nibbles(n / 32, P(packed), P(f), P(g));
    check_fetch();
    blur_plain(h, w, a_, b_, u_);
    mix_plain(n, 77, s_, t_, u_, v_);
    narrow_plain(n, x_, y_);
    without_sign_plain(n, x_, f_, k_, d_);
    extremes_plain(h, w, a_, s_, most_, least_, zero_);
    look_up_plain(n, a_, table_, c_);
    bits_plain(n, word_, half_, x_, hash_, left_, mixed_);
    nibbles_plain(n / 32, packed_, f_, g_);
    SAME(hash, n);
    SAME(left, n);
    SAME(mixed, n);
    SAME(g, n);
    SAME(b, n);
    SAME(c, n);
    SAME(u, n);
    SAME(v, n);
    SAME(y, n);
    SAME(k, n);
    SAME(most, n);
    SAME(least, n);
    SAME(zero, n);
    PLAIN_SAME(d, n, 1e-12);
    border(h, w, P(a), P(y));
    steps(n, 40, P(k));
    first(h, w, P(x), P(most));
    large(n, P(x), P(word), P(least));
    check_fetch();
    border_plain(h, w, a_, y_);
    steps_plain(n, 40, k_);
    first_plain(h, w, x_, most_);
    large_plain(n, x_, word_, least_);
    SAME(least, n);
    SAME(k, n);
    SAME(most, n);
    SAME(y, n);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_integers", argc, argv);
    run(50, 70);
    run(33, 128);
    return plain_end();
}
