/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol.c - the scheduler's core, driven as an interpreter would: one producer, two consumers, a ring of two slots.
 *
 * Each planted mistake must be reported by name under every seed, and nothing may hang.  The unmutated program must
 * pass under every seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/emulate/scheduler.h"

enum { SLOTS = 2, TRIPS = 7, BYTES = 64, SEEDS = 60 };

typedef enum {
    NOTHING,
    NO_RELEASE,
    RELEASE_TWICE,
    RELEASE_BEFORE_GET,
    ONE_ARRIVAL,
    THREE_ARRIVALS,
    NO_PUT_DONE,
    WRONG_BYTES,
    COPY_WITHOUT_PUT,
    PUT_TWICE,
    COPY_AFTER_PUT_DONE,
    GET_TWICE,
    NO_WAIT,
    NO_COMMIT,
    READ_AFTER_RELEASE,
    READ_WITHOUT_GET,
    REWRITE_STAGING,
    NO_FENCE,
    NO_STORE_WAIT,
    OVERWRITE_OPERAND,
    TOUCH_ACCUMULATOR,
    WAIT_NAMES_NOTHING,
    NO_START,
    TURN_NOT_PASSED,
    TURN_PASSED_TWICE,
    ONE_TRIP_LESS,
    ONE_TRIP_MORE
} mistake;

/* One CTA.  Source values go through slots to sums; sums go through staging to results.  */
typedef struct {
    mistake mistake;
    int ring, turns;
    uint32_t source[TRIPS + 1][2];
    struct {
        uint32_t word[BYTES / 4];
    } slot[SLOTS];
    struct {
        uint32_t word[BYTES / 4];
    } staging[2];
    uint32_t sum[2], result[2];
    ws_sched_accumulator acc[2];
    uint32_t taken[2 * TRIPS];
    int ntaken;
} program;

typedef struct {
    program *program;
    int group, index;
} step;

static ws_sched_range whole(void *at)
{
    return (ws_sched_range){at, BYTES};
}

static void copy_in(void *args, void *held)
{
    const step *what = args;
    program *p = what->program;
    (void)held;
    memcpy(p->slot[what->index % SLOTS].word, p->source[what->index], sizeof p->source[0]);
}

/* The mistake is not commutative, so that a late read or a product out of order shows.  */
static void product(void *args, void *held)
{
    const step *what = args;
    program *p = what->program;
    (void)held;
    p->sum[what->group] = p->sum[what->group] * 31 + p->slot[what->index % SLOTS].word[what->group];
}

static void copy_out_read(void *args, void *held)
{
    const step *what = args;
    memcpy(held, what->program->staging[what->group].word, BYTES);
}

static void copy_out_write(void *args, void *held)
{
    const step *what = args;
    what->program->result[what->group] = *(uint32_t *)held;
}

static void produce_one(ws_sched *s, program *p, int i)
{
    const step what = {p, 0, i};
    ws_sched_range to = whole(p->slot[i % SLOTS].word);
    bool last = i == TRIPS - 1;
    if (!(p->mistake == COPY_WITHOUT_PUT && last))
        ws_sched_put(s, p->ring, (uint64_t)i);
    if (p->mistake == PUT_TWICE && last)
        ws_sched_put(s, p->ring, (uint64_t)i);
    ws_sched_expect(s, p->ring, (uint64_t)i, p->mistake == WRONG_BYTES && last ? BYTES - 1 : BYTES);
    ws_sched_copy_in(s, p->ring, (uint64_t)i, to, copy_in, &what, sizeof what);
    if (!(p->mistake == NO_PUT_DONE && last))
        ws_sched_put_done(s, p->ring, (uint64_t)i);
    if (p->mistake == COPY_AFTER_PUT_DONE && last)
        ws_sched_copy_in(s, p->ring, (uint64_t)i, to, copy_in, &what, sizeof what);
}

static void produce(ws_sched *s, program *p)
{
    int trips = TRIPS - (p->mistake == ONE_TRIP_LESS) + (p->mistake == ONE_TRIP_MORE);
    for (int i = 0; i < trips; i++)
        produce_one(s, p, i);
}

static void consume_one(ws_sched *s, program *p, int group, int i)
{
    const step what = {p, group, i};
    bool planted = group == 1 && i == TRIPS - 2;
    void *from = p->slot[i % SLOTS].word;
    if (p->mistake == RELEASE_BEFORE_GET && planted)
        ws_sched_consumed(s, p->ring, (uint64_t)i);
    if (!(p->mistake == READ_WITHOUT_GET && planted))
        ws_sched_get(s, p->ring, (uint64_t)i);
    if (p->mistake == GET_TWICE && planted)
        ws_sched_get(s, p->ring, (uint64_t)i);
    ws_sched_product(s, &p->acc[group], whole(from), (ws_sched_range){NULL, 0}, product, &what, sizeof what, NULL, 0);
    if (p->mistake == OVERWRITE_OPERAND && planted)
        ws_sched_write(s, whole(from));
    if (!(p->mistake == NO_COMMIT && planted))
        ws_sched_commit(s);
    if (p->mistake == TOUCH_ACCUMULATOR && planted && p->acc[group].in_flight)
        ws_sched_touched(s, &p->acc[group], "reads");
    if (!(p->mistake == NO_WAIT && planted))
        ws_sched_wait(s, 0);
    if (p->mistake == WAIT_NAMES_NOTHING && p->acc[group].unnamed)
        ws_sched_touched(s, &p->acc[group], "reads");
    ws_sched_name(s, &p->acc[group]);
    if (p->mistake == NO_RELEASE && planted)
        return;
    ws_sched_consumed(s, p->ring, (uint64_t)i);
    if (p->mistake == RELEASE_TWICE && planted)
        ws_sched_consumed(s, p->ring, (uint64_t)i);
    if (p->mistake == READ_AFTER_RELEASE && planted)
        ws_sched_read(s, whole(from));
}

static void write_staging(ws_sched *s, program *p, int group)
{
    ws_sched_write_apart(s, whole(p->staging[group].word));
    p->staging[group].word[0] = p->sum[group];
    if (p->mistake != NO_FENCE)
        ws_sched_fence(s);
}

static void consume(ws_sched *s, program *p, int group)
{
    const step what = {p, group, 0};
    for (int i = 0; i < TRIPS; i++) {
        ws_sched_take(s, p->turns, group);
        p->taken[p->ntaken++] = (uint32_t)group;
        consume_one(s, p, group, i);
        if (!(p->mistake == TURN_NOT_PASSED && i == TRIPS - 2))
            ws_sched_pass(s, p->turns, group);
        if (p->mistake == TURN_PASSED_TWICE && i == TRIPS - 2)
            ws_sched_pass(s, p->turns, group);
    }
    write_staging(s, p, group);
    ws_sched_copy_out(s, whole(p->staging[group].word), BYTES, copy_out_read, copy_out_write, &what, sizeof what);
    if (p->mistake == REWRITE_STAGING)
        write_staging(s, p, group);
    if (p->mistake != NO_STORE_WAIT)
        ws_sched_store_wait(s, 0);
}

static void run_group(void *arg)
{
    program *p = arg;
    ws_sched *s = ws_sched_current();
    int group = ws_sched_self(s);
    if (group == 0) {
        int arrivals = p->mistake == ONE_ARRIVAL ? 1 : p->mistake == THREE_ARRIVALS ? 3 : 2;
        p->ring = ws_sched_ring(s, "values", SLOTS, arrivals);
        p->turns = ws_sched_turns(s, "turns", 2);
    }
    if (!(p->mistake == NO_START && group == 2))
        ws_sched_start(s);
    else
        return;
    if (group == 0)
        produce(s, p);
    else
        consume(s, p, group - 1);
}

static void program_init(program *p, mistake planted)
{
    memset(p, 0, sizeof *p);
    p->mistake = planted;
    for (int i = 0; i < TRIPS; i++)
        for (int j = 0; j < 2; j++)
            p->source[i][j] = (uint32_t)(i * 7919 + j * 104729 + 1);
}

/* The report, "" when there is none.  */
static const char *run(program *p, ws_sched_config *config)
{
    static char report[4096];
    ws_sched *s = ws_sched_new(config);
    assert_non_null(s);
    for (int i = 0; i < 3; i++)
        assert_true(ws_sched_fiber(s, NULL, i, run_group, p) >= 0);
    bool passed = ws_sched_run(s);
    snprintf(report, sizeof report, "%s", ws_sched_report(s));
    assert_int_equal(passed, report[0] == 0);
    ws_sched_delete(s);
    return report;
}

static ws_sched_config with_seed(uint64_t seed)
{
    return (ws_sched_config){.kernel = "test", .cta = 0, .seed = seed};
}

static void check_results(const program *p)
{
    for (int group = 0; group < 2; group++) {
        uint32_t sum = 0;
        for (int i = 0; i < TRIPS; i++)
            sum = sum * 31 + p->source[i][group];
        assert_int_equal(p->result[group], sum);
    }
    for (int i = 0; i < 2 * TRIPS; i++)
        assert_int_equal(p->taken[i], i % 2);
}

static void passes_under_every_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        program p;
        ws_sched_config config = with_seed(seed);
        program_init(&p, NOTHING);
        assert_string_equal(run(&p, &config), "");
        check_results(&p);
    }
}

/* ---- the same seed, the same order; other seeds, other orders ---------------------------------------------------- */

typedef struct {
    uint64_t hash;
    int landed_in_order, landed;
    uint64_t last;
} order;

static void observe(void *user, const ws_sched_event *event)
{
    order *o = user;
    o->hash = (o->hash ^ (uint64_t)event->kind * 31 ^ (uint64_t)event->fiber) * UINT64_C(1099511628211);
    if (event->kind == WS_SCHED_EVENT_COPY_LANDED) {
        o->landed_in_order += event->index >= o->last;
        o->landed++;
        o->last = event->index;
    }
}

static order order_of(uint64_t seed)
{
    program p;
    order o = {0, 0, 0, 0};
    ws_sched_config config = with_seed(seed);
    config.observe = observe;
    config.user = &o;
    program_init(&p, NOTHING);
    run(&p, &config);
    return o;
}

static void replays_a_seed(void **state)
{
    int different = 0, reordered = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        order first = order_of(seed), second = order_of(seed), other = order_of(seed + 1);
        assert_true(first.hash == second.hash);
        different += first.hash != other.hash;
        reordered += first.landed_in_order < first.landed;
    }
    assert_true(different > SEEDS / 2);
    assert_true(reordered > 0);
}

/* ---- a driver of its own decides what happens next --------------------------------------------------------------- */

static int choose_last(void *user, int count, const ws_sched_choice *choices)
{
    int *calls = user;
    (void)choices;
    ++*calls;
    return count - 1;
}

static int choose_first(void *user, int count, const ws_sched_choice *choices)
{
    int *calls = user;
    (void)count;
    (void)choices;
    ++*calls;
    return 0;
}

static void lets_a_driver_choose(void **state)
{
    int (*const ways[])(void *, int, const ws_sched_choice *) = {choose_first, choose_last};
    (void)state;
    for (int i = 0; i < 2; i++) {
        program p;
        int calls = 0;
        ws_sched_config config = with_seed(0);
        config.choose = ways[i];
        config.user = &calls;
        program_init(&p, NOTHING);
        /* Who always goes first starves the engines until nobody can go on.  */
        assert_string_equal(run(&p, &config), "");
        check_results(&p);
        assert_true(calls > TRIPS);
    }
}

/* ---- planted mistakes -------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    mistake mistake;
    const char *says[3]; /* each of them, or one of them where `any` */
    bool any;
} plant;

static const plant plants[] = {
    {"consumed is missing",
     NO_RELEASE,
     {"ring values (slot", "released by 1 of 2 groups", "consumed is missing"},
     true},
    {"consumed twice",
     RELEASE_TWICE,
     {"group 2 (consumer) releases get 5 of ring values", "released it before"},
     false},
    {"consumed before get", RELEASE_BEFORE_GET, {"releases get 5 of ring values", "it has not got it"}, false},
    {"one arrival for two groups", ONE_ARRIVAL, {"ring values", "counts 1 arrivals"}, false},
    {"three arrivals for two groups",
     THREE_ARRIVALS,
     {"can never be satisfied", "put 0 was released by 2 of 3 groups"},
     false},
    {"put_done is missing",
     NO_PUT_DONE,
     {"can never be satisfied", "get 6 of ring values", "its put was not done"},
     false},
    {"byte count", WRONG_BYTES, {"finishes put 6 of ring values", "expects 63 bytes, its copies bring 64"}, false},
    {"copy without put", COPY_WITHOUT_PUT, {"put 6 of ring values (slot 0, phase 1)", "that put is not open"}, false},
    {"put twice", PUT_TWICE, {"makes put 6", "it was made before"}, false},
    {"copy after put_done", COPY_AFTER_PUT_DONE, {"that put is not open"}, false},
    {"get twice", GET_TWICE, {"makes get 5", "this group has got it before"}, false},
    {"wait is missing", NO_WAIT, {"releases get 5", "a product in flight reads it: a wait is missing"}, false},
    {"commit is missing", NO_COMMIT, {"releases get 5", "a product in flight reads it"}, false},
    {"read after release", READ_AFTER_RELEASE, {"reads", "of ring values", ""}, false},
    {"read without get", READ_WITHOUT_GET, {"group 2 (consumer) reads", "of ring values", ""}, false},
    {"staging rewritten", REWRITE_STAGING, {"writes staging that is still read by a copy out"}, false},
    {"fence is missing", NO_FENCE, {"the fence is missing"}, false},
    {"store_wait is missing", NO_STORE_WAIT, {"store_wait<0> is missing"}, false},
    {"operand overwritten",
     OVERWRITE_OPERAND,
     {"writes an operand of a product in flight", "after get 5 of ring values"},
     false},
    {"accumulator touched",
     TOUCH_ACCUMULATOR,
     {"reads an accumulator while 1 of its products are in flight", "after get 5"},
     false},
    {"wait names nothing", WAIT_NAMES_NOTHING, {"did not name", "after get 0"}, false},
    {"a group misses the CTA barrier",
     NO_START,
     {"can never be satisfied", "waits in start()", "group 2 has ended"},
     false},
    {"turn not passed", TURN_NOT_PASSED, {"can never be satisfied", "waits for turn", "of turns"}, false},
    {"turn passed twice", TURN_PASSED_TWICE, {"which was passed before"}, false},
    {"producer goes on", ONE_TRIP_MORE, {"at the end put 7 of ring values (slot 1, phase 1) is still full"}, false},
    {"producer stops early",
     ONE_TRIP_LESS,
     {"can never be satisfied", "waits in get 6 of ring values", "6 puts were made"},
     false},
};

static bool says(const plant *what, const char *report)
{
    bool all = true, one = false;
    for (int i = 0; i < 3 && what->says[i]; i++) {
        bool found = strstr(report, what->says[i]) != NULL;
        all &= found;
        one |= found;
    }
    return what->any ? one : all;
}

static void finds_planted_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            program p;
            ws_sched_config config = with_seed(seed);
            program_init(&p, plants[i].mistake);
            const char *report = run(&p, &config);
            if (!says(&plants[i], report))
                fail_msg("%s, seed %d: %s", plants[i].name, (int)seed, *report ? report : "no report");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_under_every_seed),
        cmocka_unit_test(replays_a_seed),
        cmocka_unit_test(lets_a_driver_choose),
        cmocka_unit_test(finds_planted_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
