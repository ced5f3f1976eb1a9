/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which iterations C makes: counters, starts and bounds of different types, with and without a sign, down and around,
   narrower than int. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#include "plain.h"

#define WS           PLAIN_PRAGMA
#define KERNEL(name) static void name
#include "plain/heads.h"
#undef WS
#undef KERNEL
#define WS(...)
#define KERNEL(name) static void name##_plain
#include "plain/heads.h"

#define P            check_place
#define CASE(f, ...) f(__VA_ARGS__, P(x), P(y)), check_fetch(), f##_plain(__VA_ARGS__, x_, y_)
#define ONE(f, ...)  f(__VA_ARGS__, P(y)), check_fetch(), f##_plain(__VA_ARGS__, y_)
#define TWO(f, ...)  f(__VA_ARGS__, P(y), P(z)), check_fetch(), f##_plain(__VA_ARGS__, y_, z_)

int main(int argc, char **argv)
{
    check_begin("plain_heads", argc, argv);
    PLAIN_ARRAY(WS_I32, int, x, 256);
    PLAIN_ARRAY(WS_I32, int, y, 256);
    PLAIN_ARRAY(WS_I32, int, z, 256);
    ONE(starts_below, -3, 10);
    ONE(starts_below, 3, 10);
    ONE(starts_below, -9, -4);
    ONE(int_below_size, -5, 20);
    ONE(int_below_size, 5, 20);
    CASE(int_to_unsigned, -5, 30);
    CASE(int_to_unsigned, 5, 30);
    ONE(down_to_unsigned, -1, 30, 2);
    ONE(down_to_unsigned, 3, 30, 2);
    ONE(size_down, (size_t)-2, 30);
    ONE(size_down, 3, 30);
    CASE(sum_of_size, (size_t)-2, 30);
    CASE(sum_of_size, 3, 30);
    TWO(around, 40, 60);
    ONE(signed_around, -18, 60);
    CASE(around_inside, 40);
    TWO(narrow, 200, -7, 50);
    CASE(narrow_inside, 200);
    CASE(at_the_end, 4294967000u, 57, (size_t)-1);
    CASE(at_the_end, 4294967000u, 57, 4294967020u);
    CASE(chosen, 7, 50, 0);
    CASE(chosen, 7, 50, 1);
    CASE(away_inside, -17, 3);
    CASE(away_inside, 7, (unsigned)-9);
    CASE(cut, 5, 60, 4294967000u, 4294967040u);
    CASE(cut, 3000000000, 3000000100, 7, 30);
    PLAIN_SAME(x, 256, 0);
    PLAIN_SAME(y, 256, 0);
    PLAIN_SAME(z, 256, 0);
    return plain_end();
}
