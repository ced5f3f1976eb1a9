/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bench's statistics, and the choice of a tile: nothing here needs a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../../bench/statistics.h"
#include "../../lib/product/product.h"

static void quantiles(void **state)
{
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
    (void)state;
    assert_true(median(odd, 3) == 3);
    assert_true(median(even, 4) == 2.5);
    assert_true(median(one, 1) == 7);
    assert_true(quantile(odd, 3, 0) == 1 && quantile(odd, 3, 1) == 5 && quantile(odd, 3, 0.75) == 4);
    assert_true(isnan(median(odd, 0)));
}

/* Normal numbers around 10: the interval holds 10 in about 95 of 100 series, and is the same for the same series. */
static void intervals(void **state)
{
    unsigned long long random = 1;
    int held = 0;
    (void)state;
    for (int series = 0; series < 400; series++) {
        double x[15];
        for (int i = 0; i < 15; i++) {
            double u = (next_random(&random) + 0.5) * 0x1p-32, v = next_random(&random) * 0x1p-32;
            x[i] = 10 + sqrt(-2 * log(u)) * cos(6.283185307 * v);
        }
        interval first = bootstrap(x, 15), again = bootstrap(x, 15);
        assert_true(first.low == again.low && first.high == again.high);
        assert_true(first.low <= first.middle && first.middle <= first.high);
        held += first.low <= 10 && 10 <= first.high;
    }
    assert_in_range(held, 400 * 0.91, 400 * 0.99);
}

static void known_intervals(void **state)
{
    const double x[] = {2, 2, 2, 2, 2}, y[] = {15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8};
    interval i = bootstrap(x, 5), j = bootstrap(y, 15);
    (void)state;
    assert_true(i.low == 2 && i.middle == 2 && i.high == 2);
    assert_true(j.low == 4 && j.middle == 8 && j.high == 12);
    assert_true(isnan(bootstrap(y, 14).middle) && isnan(bootstrap(y, 0).middle));
    assert_true(bootstrap(y, 1).low == 15 && bootstrap(y, 1).high == 15);
}

/* Each once in a round; of any two, one stands right before the other as often as right behind it. */
static void fair_turns(void **state)
{
    (void)state;
    for (int count = 1; count <= 5; count++) {
        int after[5][5] = {{0}};
        for (int round = 0; round < 2 * count; round++) {
            unsigned had = 0;
            for (int turn = 0; turn < count; turn++) {
                int now = whose_turn(round, turn, count);
                had |= 1u << now;
                if (turn > 0)
                    after[whose_turn(round, turn - 1, count)][now]++;
            }
            assert_int_equal(had, (1u << count) - 1);
        }
        for (int a = 0; a < count; a++)
            for (int b = 0; b < a; b++)
                assert_int_equal(after[a][b], after[b][a]);
    }
}

static product_choice choose(long batch, long M, long N, long K, int bytes)
{
    return product_choose((product_problem){batch, M, N, K, bytes, 2, 132});
}

/* Tiles that the choice makes for each multiprocessor, of those that it has. */
static double rounds(product_choice c, long M, long N)
{
    const product_form f = product_forms[c.form];
    return (double)(product_ceil(M, f.rows) * product_ceil(N, f.cols) * c.parts) / 132;
}

static product_kind kind_of(product_choice c)
{
    return product_forms[c.form].kind;
}

static void known_choices(void **state)
{
    (void)state;
    for (long K = 256; K <= 16384; K *= 2) {
        product_choice c = choose(1, 8192, 8192, K, 2);
        assert_int_equal(product_forms[c.form].rows, 128);
        assert_int_equal(product_forms[c.form].cols, K == 256 ? 192 : 208);
        assert_int_equal(product_forms[c.form].kind, K == 256 ? PRODUCT_SHORT : PRODUCT_STEP);
        /* 20 rounds or 21; with fewer iterations what is cut costs more */
        assert_int_equal(product_cols(c, 8192), K > 2048 ? 200 : 192);
        assert_int_equal(c.parts, 1);
    }
    /* Even shares: nine rounds of 66 tiles, which 16 wider ones make whole. */
    product_choice even = choose(1, 2304, 12800, 32768, 2);
    assert_int_equal(product_forms[even.form].kind, PRODUCT_EVEN);
    assert_int_equal(even.across, 66);
    assert_int_equal(product_cols(even, 12800), 200);
    assert_true(product_multiplied(even, 12800, 9) * 9 == 1752);
    assert_int_equal(product_across((product_choice){even.form, 1, 0, 2}, 12800),
                     62); /* no tile is wider than it can be */
    /* Rows that do not fill lines: blocks that share what they load. */
    assert_int_equal(product_forms[choose(1, 11885, 14976, 5720, 2).form].down, 2);
    /* One round and nearly full. */
    product_choice c = choose(1, 512, 4096, 64512, 2);
    assert_true(rounds(c, 512, 4096) > 0.9 && rounds(c, 512, 4096) <= 1);
    c = choose(1, 16, 8192, 8192, 2);
    assert_int_equal(product_forms[c.form].kind, PRODUCT_SKINNY);
    product_division divided =
        product_grouped_divided(64, 4096, 208, 132); /* ten rounds, all full: 40 rows of 21, 24 of 20 */
    assert_true(divided.across == 20 && divided.more == 20);
    divided = product_grouped_divided(67, 4096, 208, 132); /* eleven */
    assert_true(divided.across == 21 && divided.more == 22);
    divided = product_grouped_divided(6, 4096, 208, 132); /* one */
    assert_true(divided.across == 22 && divided.more == 0);
    divided = product_grouped_divided(0, 1, 208, 1);
    assert_true(divided.across == 1 && divided.more == 0);
    int columns = 0;
    for (int column = 0; column < 20; column++) {
        const int first = product_share(column, 7, 20, 25, 12), next = product_share(column + 1, 7, 20, 25, 12);
        assert_true(first == columns && (next - first == 200 || next - first == 208));
        columns = next;
    }
    assert_int_equal(columns, 4096);
    assert_int_equal(kind_of(choose(1, 2285568, 256, 256, 2)), PRODUCT_TALL);
    assert_int_equal(kind_of(choose(1, 2285568, 256, 256, 1)), PRODUCT_TALL);
    assert_int_not_equal(kind_of(choose(1, 2285568, 256, 264, 2)), PRODUCT_TALL);
    assert_int_not_equal(kind_of(choose(1, 2285568, 264, 256, 2)), PRODUCT_TALL);
    assert_true(rounds(c, 16, 8192) > 0.9);
    /* A step that makes one round. */
    c = choose(1, 7787, 440, 2024, 2);
    assert_int_equal(product_forms[c.form].cols, 256);
    assert_int_equal(c.step, 224);
    /* One round of tiles that groups can hold: each has its rows of all. */
    c = choose(1, 101, 9880, 984, 2);
    assert_int_equal(product_forms[c.form].kind, PRODUCT_ROWS);
    assert_int_equal(c.step, 88);
    c = choose(1, 2432, 1032, 968, 2);
    assert_int_equal(product_forms[c.form].kind, PRODUCT_ROWS);
    assert_true(product_forms[choose(1, 4685, 744, 744, 2).form].kind != PRODUCT_ROWS);
    /* Few tiles, long K: divided. */
    c = choose(1, 256, 256, 65536, 2);
    assert_true(c.parts * product_forms[c.form].summed > 1);
}

static int one_round(product_choice c, long batch, long M, long N, int sms)
{
    const product_form f = product_forms[c.form];
    const long clusters = batch * product_ceil(product_ceil(M, f.rows), f.down) *
                          product_ceil(product_ceil(N, c.step ? c.step : f.cols), f.across);
    return clusters * f.down * f.across <= product_places(f.down * f.across, sms);
}

/* Whatever the extents: a form of the table, parts that are not empty, steps of 16 bytes that are not longer than a
   tile. */
static void any_choice(void **state)
{
    unsigned long long random = 2;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        long M = next_random(&random) >> (next_random(&random) % 32),
             N = next_random(&random) >> (next_random(&random) % 32);
        long K = next_random(&random) >> (12 + next_random(&random) % 20), batch = 1 + next_random(&random) % 4;
        int bytes = 1 << (next_random(&random) % 3), sms = 1 + (int)(next_random(&random) % 256);
        product_choice c = product_choose((product_problem){batch, M, N, K, bytes, 2, sms});
        assert_in_range(c.form, 0, PRODUCT_FORMS_COUNT - 1);
        if (kind_of(c) == PRODUCT_TALL)
            assert_true(N <= PRODUCT_TALL_COLS && K <= PRODUCT_TALL_K && c.parts == 1);
        assert_true(M <= 16 || kind_of(c) != PRODUCT_SKINNY);
        assert_true(K * bytes <= PRODUCT_SHORT_LINES * 128 || kind_of(c) != PRODUCT_SHORT);
        assert_true(c.parts == 1 || kind_of(c) == PRODUCT_PART);
        assert_true(c.step == 0 || kind_of(c) >= PRODUCT_STEP);
        assert_in_range(c.step, 0, product_forms[c.form].cols);
        assert_true(product_forms[c.form].kind != PRODUCT_ROWS || M == 0 || N == 0 || one_round(c, batch, M, N, sms));
        assert_int_equal(c.step % 8, 0);
        assert_in_range(c.parts, 1, PRODUCT_PARTS);
        assert_true(c.parts == 1 || c.parts <= product_ceil(K * bytes, 128));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),  cmocka_unit_test(intervals),     cmocka_unit_test(known_intervals),
        cmocka_unit_test(fair_turns), cmocka_unit_test(known_choices), cmocka_unit_test(any_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
