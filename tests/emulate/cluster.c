/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster.c - the scheduler's core with the blocks of a cluster: each has a producer, a consumer and a ring of two
 * slots, and brings a quarter of every put to each block that shares it.
 *
 * Four blocks as a square: a block shares with those of its row and of its column.  Each planted mistake must be
 * reported, and the program without one must pass under every seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/emulate/scheduler.h"

enum { BLOCKS = 4, SLOTS = 2, TRIPS = 7, SEEDS = 100 };

typedef enum {
    NOTHING,
    BY_ITSELF, /* no mistake either: each block copies all, and tells the others */
    NOT_TOLD,
    NO_RELEASE_THERE,
    FEWER_ARRIVALS,
    OWN_RELEASES,
    FEWER_BYTES,
    NO_COPY_THERE,
    NOT_SHARED,
    NO_FINISH
} mistake;

typedef struct {
    mistake mistake;
    int ring[BLOCKS];
    struct {
        uint32_t word[BLOCKS]; /* one from each block that shares */
    } slot[BLOCKS][SLOTS];
    uint32_t sum[BLOCKS];
} program;

static uint32_t sharers(int block)
{
    uint32_t blocks = 0;
    for (int other = 0; other < BLOCKS; other++)
        if (other / 2 == block / 2 || other % 2 == block % 2)
            blocks |= UINT32_C(1) << other;
    return blocks;
}

typedef struct {
    uint32_t *to, value;
} copy;

static void run_copy(void *args, void *held)
{
    (void)held;
    *((copy *)args)->to = ((copy *)args)->value;
}

static uint32_t value_of(int block, int trip)
{
    return (uint32_t)(block * 7919 + trip * 104729 + 1);
}

static void put_shares(ws_sched *s, program *p, int block, int slot, int trip)
{
    int ring = p->ring[block];
    uint32_t all = sharers(block);
    ws_sched_expect(s, ring, (uint64_t)trip, 4 * (p->mistake == FEWER_BYTES ? 2 : 3));
    for (int to = 0; to < BLOCKS; to++) {
        copy one = {&p->slot[to][slot].word[block], value_of(block, trip)};
        if (all >> to & 1 && !(p->mistake == NO_COPY_THERE && to == (block ^ 1)))
            ws_sched_copy_share(s, ring, (uint64_t)trip, to, (ws_sched_range){one.to, 4}, run_copy, &one, sizeof one);
    }
}

static void put_all(ws_sched *s, program *p, int block, int slot, int trip)
{
    int ring = p->ring[block];
    ws_sched_expect(s, ring, (uint64_t)trip, 12);
    for (int from = 0; from < BLOCKS; from++) {
        copy one = {&p->slot[block][slot].word[from], value_of(from, trip)};
        if (sharers(block) >> from & 1)
            ws_sched_copy_in_now(s, ring, (uint64_t)trip, (ws_sched_range){one.to, 4}, run_copy, &one);
    }
    if (p->mistake == BY_ITSELF)
        ws_sched_tell(s, ring, (uint64_t)trip, sharers(block));
}

static void produce(ws_sched *s, program *p, int block)
{
    for (int trip = 0; trip < TRIPS; trip++) {
        int slot = ws_sched_put(s, p->ring[block], (uint64_t)trip);
        if (p->mistake == BY_ITSELF || p->mistake == NOT_TOLD)
            put_all(s, p, block, slot, trip);
        else
            put_shares(s, p, block, slot, trip);
        ws_sched_put_done(s, p->ring[block], (uint64_t)trip);
    }
}

static void consume(ws_sched *s, program *p, int block)
{
    uint32_t to = sharers(block);
    if (p->mistake == NO_RELEASE_THERE || p->mistake == OWN_RELEASES)
        to = UINT32_C(1) << block;
    for (int trip = 0; trip < TRIPS; trip++) {
        int slot = ws_sched_get(s, p->ring[block], (uint64_t)trip);
        for (int from = 0; from < BLOCKS; from++)
            if (sharers(block) >> from & 1) {
                ws_sched_read(s, (ws_sched_range){&p->slot[block][slot].word[from], 4});
                p->sum[block] = p->sum[block] * 31 + p->slot[block][slot].word[from];
            }
        ws_sched_fence(s);
        ws_sched_consumed_in(s, p->ring[block], (uint64_t)trip, to);
    }
}

static void run_group(void *arg)
{
    program *p = arg;
    ws_sched *s = ws_sched_current();
    int block = ws_sched_block(s);
    if (ws_sched_group(s) == 0) {
        p->ring[block] = ws_sched_ring(
            s, "r", SLOTS, p->mistake == FEWER_ARRIVALS ? 2 : p->mistake == OWN_RELEASES ? 1 : 3);
        if (p->mistake != NOT_SHARED)
            ws_sched_share(s, p->ring[block], sharers(block));
    }
    ws_sched_start(s);
    if (ws_sched_group(s) == 0)
        produce(s, p, block);
    else
        consume(s, p, block);
    if (p->mistake != NO_FINISH)
        ws_sched_finish(s);
}

static const char *run(program *p, mistake planted, uint64_t seed)
{
    static char report[4096];
    ws_sched_config config = {.kernel = "test", .seed = seed, .groups = 2};
    memset(p, 0, sizeof *p);
    p->mistake = planted;
    ws_sched *s = ws_sched_new(&config);
    assert_non_null(s);
    for (int i = 0; i < 2 * BLOCKS; i++)
        assert_true(ws_sched_fiber(s, NULL, i % 2, run_group, p) >= 0);
    bool passed = ws_sched_run(s);
    snprintf(report, sizeof report, "%s", ws_sched_report(s));
    assert_int_equal(passed, report[0] == 0);
    ws_sched_delete(s);
    return report;
}

static void check_sums(const program *p)
{
    for (int block = 0; block < BLOCKS; block++) {
        uint32_t sum = 0;
        for (int trip = 0; trip < TRIPS; trip++)
            for (int from = 0; from < BLOCKS; from++)
                if (sharers(block) >> from & 1)
                    sum = sum * 31 + value_of(from, trip);
        assert_int_equal(p->sum[block], sum);
    }
}

static void passes_under_every_seed(void **state)
{
    program p;
    (void)state;
    for (uint64_t seed = 0; seed < 3 * SEEDS; seed++) {
        assert_string_equal(run(&p, NOTHING, seed), "");
        check_sums(&p);
        assert_string_equal(run(&p, BY_ITSELF, seed), "");
        check_sums(&p);
    }
}

/* One of the phrases must be in the report, under every seed.  */
static void always(mistake planted, const char *one, const char *other, const char *third)
{
    program p;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const char *report = run(&p, planted, seed);
        if (!strstr(report, one) && !(other && strstr(report, other)) && !(third && strstr(report, third)))
            fail_msg("mistake %d, seed %d: '%s'", (int)planted, (int)seed, report);
    }
}

static void reports_mistakes(void **state)
{
    (void)state;
    always(NO_RELEASE_THERE, "put 0 was released by 1 of 3 groups", NULL, NULL);
    always(FEWER_ARRIVALS, " of ring r of block ", NULL, NULL); /* what comes of these two depends on the order */
    always(FEWER_BYTES, " of ring r of block ", NULL, NULL);
    always(OWN_RELEASES, "still holds", "the one before is not full", "a race");
    always(NO_COPY_THERE, "its barrier expects 12 bytes, its copies bring 8", "of 12 bytes have arrived", NULL);
    always(NOT_SHARED, "into a block for whose releases it has not waited", NULL, NULL);
    always(NO_FINISH, "finish is missing", NULL, NULL);
}

/* Blocks that bring nothing to each other are in no order: one releases slots for a round that another has not
   begun. */
static void reports_rounds_that_meet(void **state)
{
    program p;
    int reported = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        reported += *run(&p, NOT_TOLD, seed) != 0;
    assert_true(reported > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_under_every_seed),
        cmocka_unit_test(reports_mistakes),
        cmocka_unit_test(reports_rounds_that_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
