/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * happens.c - does one run stand for all?
 *
 * Small programs as lists of steps: a producer, a consumer or two, a ring, turns.  What no seed may miss is found by
 * the clocks in a single run; and of random programs, mostly with a mistake or two, that one run accepts, orders are
 * tried in turn, all of them where they are not too many, and none may be refused.  Without the clocks, the few orders
 * that explore.c picks find what all orders find, in programs small enough to try them all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/emulate/scheduler.h"
#include "../interpret/explore.h"

typedef enum {
    END,
    PUT,
    COPY,
    DONE,
    GET,
    FREE,
    READ,
    WRITE,
    APART,
    FENCE,
    MEET,
    MMA,
    COMMIT,
    WAIT,
    OUT,
    OUT_WAIT,
    TAKE,
    PASS
} code;

typedef struct {
    code code;
    int number; /* cell of shared memory; how many stay in flight */
} step;

enum { MOST_STEPS = 12, GROUPS = 3, CELLS = 4, BYTES = 64 };

typedef struct {
    step group[GROUPS][MOST_STEPS + 1];
    int ngroups, slots, arrivals;
    /* while it runs */
    unsigned char cell[CELLS][BYTES];
    ws_sched_accumulator acc[GROUPS];
    uint64_t put[GROUPS], got[GROUPS], held[GROUPS];
    uint64_t value[CELLS];                  /* what was written, */
    uint64_t seen[GROUPS], fetched[GROUPS]; /* and what groups, and their engines, have read of it */
    int ring, turns;
} program;

typedef struct {
    program *program;
    int group;
} one_group;

/* What an engine works on.  */
typedef struct {
    program *program;
    int group, cell;
} job;

static void write_cell(program *p, int group, int cell)
{
    p->value[cell] = p->value[cell] * 31 + (uint64_t)group + 1;
}

static void read_cell(program *p, int group, int cell)
{
    p->seen[group] = p->seen[group] * 31 + p->value[cell];
}

static void engine_writes(void *args, void *held)
{
    const job *j = args;
    (void)held;
    write_cell(j->program, j->group, j->cell);
}

static void engine_reads(void *args, void *held)
{
    const job *j = args;
    (void)held;
    j->program->fetched[j->group] +=
        (j->program->value[j->cell] + 1) * (uint64_t)(1000003 + j->cell); /* in any order */
}

static void nothing(void *args, void *held)
{
    (void)args;
    (void)held;
}

static void run_step(ws_sched *s, program *p, int group, step what)
{
    ws_sched_range cell = {p->cell[what.number % CELLS], BYTES}, none = {NULL, 0};
    const job j = {p, group, what.number % CELLS};
    switch (what.code) {
    case PUT:
        ws_sched_put(s, p->ring, p->put[group]);
        break;
    case COPY:
        ws_sched_expect(s, p->ring, p->put[group], BYTES);
        ws_sched_copy_in(s, p->ring, p->put[group], cell, engine_writes, &j, sizeof j);
        break;
    case DONE:
        ws_sched_put_done(s, p->ring, p->put[group]++);
        break;
    case GET:
        ws_sched_get(s, p->ring, p->got[group]++);
        break;
    case FREE:
        ws_sched_consumed(s, p->ring, p->held[group]++);
        break;
    case READ:
        ws_sched_point(s);
        ws_sched_read(s, cell);
        read_cell(p, group, j.cell);
        break;
    case WRITE:
        ws_sched_point(s);
        ws_sched_write(s, cell);
        write_cell(p, group, j.cell);
        break;
    case APART:
        ws_sched_point(s);
        ws_sched_write_apart(s, cell);
        write_cell(p, group, j.cell);
        break;
    case FENCE:
        ws_sched_fence(s);
        break;
    case MEET:
        ws_sched_barrier(s);
        break;
    case MMA:
        ws_sched_product(s, &p->acc[group], cell, none, engine_reads, &j, sizeof j, NULL, 0);
        break;
    case COMMIT:
        ws_sched_commit(s);
        break;
    case WAIT:
        ws_sched_wait(s, what.number);
        ws_sched_name(s, &p->acc[group]);
        break;
    case OUT:
        ws_sched_copy_out(s, cell, BYTES, engine_reads, nothing, &j, sizeof j);
        break;
    case OUT_WAIT:
        ws_sched_store_wait(s, what.number);
        break;
    case TAKE:
        ws_sched_take(s, p->turns, group);
        break;
    case PASS:
        ws_sched_pass(s, p->turns, group);
        break;
    case END:
        break;
    }
}

static void run_group(void *arg)
{
    const one_group *g = arg;
    ws_sched *s = ws_sched_current();
    if (g->group == 0) {
        g->program->ring = ws_sched_ring(s, "ring", g->program->slots, g->program->arrivals);
        g->program->turns = ws_sched_turns(s, "turns", GROUPS);
    }
    ws_sched_start(s);
    for (const step *what = g->program->group[g->group]; what->code != END; what++)
        run_step(s, g->program, g->group, *what);
}

/* "" or the report.  */
static const char *run(program *p, ws_sched_config *config)
{
    static char report[4096];
    static ws_stacks *stacks;
    one_group groups[GROUPS];
    stacks = stacks ? stacks : ws_stacks_new();
    config->stacks = stacks;
    memset(p->acc, 0, sizeof p->acc);
    memset(p->put, 0, sizeof p->put);
    memset(p->got, 0, sizeof p->got);
    memset(p->held, 0, sizeof p->held);
    memset(p->value, 0, sizeof p->value);
    memset(p->seen, 0, sizeof p->seen);
    memset(p->fetched, 0, sizeof p->fetched);
    ws_sched *s = ws_sched_new(config);
    for (int i = 0; i < p->ngroups; i++) {
        groups[i] = (one_group){p, i};
        ws_sched_fiber(s, "group", i, run_group, &groups[i]);
    }
    ws_sched_run(s);
    strcpy(report, ws_sched_report(s));
    ws_sched_delete(s);
    return report;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

static void each_seed(program p, const char *says)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        ws_sched_config config = {.kernel = "small", .seed = seed};
        const char *report = run(&p, &config);
        if (*says ? !strstr(report, says) : *report)
            fail_msg("seed %d: %s", (int)seed, *report ? report : "no report");
    }
}

static void nothing_orders(void **state)
{
    (void)state;
    program p = {.ngroups = 2, .slots = 1, .arrivals = 1};
    memcpy(p.group[0], (step[]){{WRITE, 2}}, sizeof(step));
    memcpy(p.group[1], (step[]){{READ, 2}}, sizeof(step));
    each_seed(p, "nothing orders one before the other");
}

static void turns_order(void **state)
{
    (void)state;
    program p = {.ngroups = 2, .slots = 1, .arrivals = 1};
    memcpy(p.group[0], (step[]){{TAKE, 0}, {WRITE, 2}, {FENCE, 0}, {PASS, 0}}, 4 * sizeof(step));
    memcpy(p.group[1], (step[]){{TAKE, 0}, {MMA, 2}, {COMMIT, 0}, {WAIT, 0}}, 4 * sizeof(step));
    each_seed(p, "");
}

/* In the order at hand the fence may have come in time; nothing says that it must.  */
static void fence_comes_too_late(void **state)
{
    (void)state;
    program p = {.ngroups = 2, .slots = 1, .arrivals = 1};
    memcpy(p.group[0], (step[]){{TAKE, 0}, {WRITE, 2}, {PASS, 0}, {FENCE, 0}}, 4 * sizeof(step));
    memcpy(p.group[1], (step[]){{TAKE, 0}, {MMA, 2}, {COMMIT, 0}, {WAIT, 0}}, 4 * sizeof(step));
    each_seed(p, "fence");
}

/* One group is many threads.  */
static void threads_meet(void **state)
{
    static const struct {
        step steps[MOST_STEPS];
        const char *says;
    } programs[] = {
        {{{WRITE, 2}, {FENCE, 0}, {MEET, 0}, {MMA, 2}, {COMMIT, 0}, {WAIT, 0}, {MEET, 0}, {WRITE, 2}}, ""},
        {{{WRITE, 2}, {MEET, 0}, {MMA, 2}, {COMMIT, 0}, {WAIT, 0}}, "the fence is missing"},
        {{{WRITE, 2}, {FENCE, 0}, {MMA, 2}, {COMMIT, 0}, {WAIT, 0}}, "threads do not meet between them"},
        {{{WRITE, 2}, {MEET, 0}, {FENCE, 0}, {MMA, 2}, {COMMIT, 0}, {WAIT, 0}}, "do not meet behind the fence"},
        {{{WRITE, 2}, {FENCE, 0}, {MEET, 0}, {MMA, 2}, {COMMIT, 0}, {WAIT, 0}, {WRITE, 2}}, "do not meet between them"},
        {{{WRITE, 2}, {MEET, 0}, {READ, 2}, {MEET, 0}, {WRITE, 2}}, ""},
        {{{WRITE, 2}, {READ, 2}}, "threads do not meet between them"},
        {{{WRITE, 2}, {MEET, 0}, {READ, 2}, {WRITE, 2}}, "threads do not meet between them"},
        {{{APART, 2}, {FENCE, 0}, {OUT, 2}, {OUT_WAIT, 0}, {APART, 2}}, ""},
        {{{APART, 2}, {OUT, 2}, {OUT_WAIT, 0}}, "the fence is missing"},
        {{{WRITE, 2}, {FENCE, 0}, {OUT, 2}, {OUT_WAIT, 0}}, "threads do not meet between them"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        program p = {.ngroups = 1, .slots = 1, .arrivals = 1};
        memcpy(p.group[0], programs[i].steps, sizeof programs[i].steps);
        each_seed(p, programs[i].says);
    }
}

/* ---- every order ------------------------------------------------------------------------------------------------- */

/* The path through the tree of choices: which was taken, of how many.  */
typedef struct {
    struct {
        int taken, count;
    } at[400];
    int depth, length;
} path;

static int follow(void *user, int count, const ws_sched_choice *choices)
{
    path *p = user;
    (void)choices;
    if (p->depth == 400)
        return 0;
    if (p->depth == p->length) {
        p->at[p->length].taken = 0;
        p->at[p->length++].count = count;
    }
    return p->at[p->depth++].taken;
}

static bool next_path(path *p)
{
    while (p->length && p->at[p->length - 1].taken + 1 == p->at[p->length - 1].count)
        p->length--;
    if (p->length)
        p->at[p->length - 1].taken++;
    p->depth = 0;
    return p->length > 0;
}

/* What orders lead to: what was read and left, up to the first that is reported.  */
enum { MOST_OUTCOMES = 64 };
typedef struct {
    uint64_t at[MOST_OUTCOMES];
    int count;
    bool fails;
} outcomes;

static void add_outcome(outcomes *to, const program *p, const char *report)
{
    uint64_t outcome = 1;
    to->fails |= *report != 0;
    for (int i = 0; i < GROUPS; i++)
        outcome = (outcome * 0x9e3779b97f4a7c15u + p->seen[i]) * 31 + p->fetched[i];
    for (int i = 0; i < CELLS; i++)
        outcome = outcome * 0x9e3779b97f4a7c15u + p->value[i];
    for (int i = 0; i < to->count; i++)
        if (to->at[i] == outcome)
            return;
    if (to->count < MOST_OUTCOMES)
        to->at[to->count++] = outcome;
}

static bool same_outcomes(const outcomes *x, const outcomes *y)
{
    int found = 0;
    if (x->fails || y->fails)
        return x->fails && y->fails;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < y->count; k++)
            found += x->at[i] == y->at[k];
    return x->count == y->count && found == x->count;
}

/* Every order, one by one.  */
static void all_orders(program *p, int most, int *tried, outcomes *all)
{
    path *way = calloc(1, sizeof *way);
    ws_sched_config config = {.kernel = "small", .choose = follow, .user = way, .no_clocks = true};
    *tried = 0;
    do {
        way->depth = 0;
        add_outcome(all, p, run(p, &config));
        ++*tried;
    } while (!all->fails && *tried < most && next_path(way));
    free(way);
}

/* The first report in up to so many orders; "" for none.  */
static const char *every_order(program *p, int most, int *tried)
{
    path *way = calloc(1, sizeof *way);
    ws_sched_config config = {.kernel = "small", .choose = follow, .user = way};
    const char *report = "";
    *tried = 0;
    do {
        way->depth = 0;
        report = run(p, &config);
        ++*tried;
    } while (!*report && *tried < most && next_path(way));
    free(way);
    return report;
}

static unsigned draw(unsigned long long *state, unsigned n)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(*state >> 33) % n;
}

static const step producer[] = {{PUT, 0}, {COPY, 0}, {DONE, 0}, {PUT, 0}, {COPY, 1}, {DONE, 0}};
static const step consumer[] = {{GET, 0}, {MMA, 0}, {COMMIT, 0}, {WAIT, 0}, {FREE, 0}, {GET, 0}, {READ, 1}, {FREE, 0}};
static const step first[] = {{TAKE, 0}, {WRITE, 2}, {FENCE, 0}, {PASS, 0}, {READ, 3}};
static const step second[] = {{TAKE, 0}, {OUT, 2}, {OUT_WAIT, 0}, {WRITE, 2}, {READ, 3}};

static int length_of(const step *steps)
{
    int n = 0;
    while (steps[n].code != END)
        n++;
    return n;
}

/* One step is left out, doubled, moved by one, or about something else.  */
static void spoil(step *steps, unsigned long long *state)
{
    int n = length_of(steps), at = n ? (int)draw(state, (unsigned)n) : 0;
    if (!n)
        return;
    switch (draw(state, 4)) {
    case 0:
        memmove(steps + at, steps + at + 1, (size_t)(n - at) * sizeof *steps);
        break;
    case 1:
        if (n < MOST_STEPS)
            memmove(steps + at + 1, steps + at, (size_t)(n - at + 1) * sizeof *steps);
        break;
    case 2:
        if (at + 1 < n) {
            step kept = steps[at];
            steps[at] = steps[at + 1];
            steps[at + 1] = kept;
        }
        break;
    default:
        steps[at].number = (int)draw(state, CELLS);
    }
}

static program random_program(unsigned long long seed)
{
    unsigned long long state = seed * 77777 + 1;
    bool ring = draw(&state, 2);
    program p = {.ngroups = 2, .slots = 1 + (int)draw(&state, 2), .arrivals = 1};
    memcpy(p.group[0], ring ? producer : first, ring ? sizeof producer : sizeof first);
    memcpy(p.group[1], ring ? consumer : second, ring ? sizeof consumer : sizeof second);
    for (unsigned changes = draw(&state, 4); changes; changes--)
        spoil(p.group[draw(&state, 2)], &state);
    return p;
}

static void one_run_stands_for_all(void **state)
{
    int accepted = 0, orders = 0;
    (void)state;
    for (unsigned seed = 0; seed < 400; seed++) {
        program p = random_program(seed);
        ws_sched_config config = {.kernel = "small", .seed = seed};
        int tried;
        if (*run(&p, &config))
            continue;
        const char *report = every_order(&p, 1500, &tried);
        for (config.seed = 1000; !*report && config.seed < 1300; config.seed++, tried++)
            report = run(&p, &config);
        if (*report)
            fail_msg("program %u: accepted in one order, and in another: %s", seed, report);
        accepted++;
        orders += tried;
    }
    print_message("# %d programs accepted, %d orders\n", accepted, orders);
    assert_true(accepted > 50);
}

/* ---- the orders that stand for all ------------------------------------------------------------------------------- */

static int explored(void *user, int count, const ws_sched_choice *choices)
{
    return exploration_choose(user, count, choices);
}

static void observed(void *user, const ws_sched_event *event)
{
    exploration_observe(user, event);
}

static void chosen_orders(program *p, long *runs, outcomes *all)
{
    Exploration *orders = exploration_new();
    ws_sched_config config = {
        .kernel = "small", .choose = explored, .observe = observed, .user = orders, .no_clocks = true};
    do {
        exploration_begin(orders);
        add_outcome(all, p, run(p, &config));
    } while (!all->fails && exploration_next(orders));
    *runs = exploration_runs(orders);
    exploration_delete(orders);
}

enum { MOST_ORDERS = 20000, PROGRAMS = 600 };

/* Groups that read and write as they like, some of it in turn.  */
static program careless_program(unsigned long long seed)
{
    static const code codes[] = {READ, WRITE, READ, WRITE, APART, MEET};
    unsigned long long state = seed * 99991 + 7;
    program p = {.ngroups = 2 + (int)draw(&state, 2), .slots = 1, .arrivals = 1};
    bool turns = draw(&state, 2);
    for (int g = 0; g < p.ngroups; g++) {
        int n = 0, count = 5 - p.ngroups - (int)draw(&state, 2), taken = turns ? (int)draw(&state, 3) : 9;
        for (int i = 0; i < count; i++) {
            if (i == taken)
                p.group[g][n++] = (step){TAKE, 0};
            p.group[g][n++] = (step){codes[draw(&state, 6)], (int)draw(&state, 2)};
            if (i == taken)
                p.group[g][n++] = (step){PASS, 0};
        }
    }
    return p;
}

static void chosen_orders_stand_for_all(void **state)
{
    int compared = 0, several = 0;
    long all = 0, few = 0;
    (void)state;
    for (unsigned seed = 0; seed < PROGRAMS; seed++) {
        program p = seed % 2 ? careless_program(seed) : random_program(seed);
        outcomes of_all = {.count = 0}, of_few = {.count = 0};
        int tried;
        long runs;
        for (int i = 0; i < p.ngroups; i++)
            p.group[i][5].code = END; /* the first steps of each */
        all_orders(&p, MOST_ORDERS, &tried, &of_all);
        if (tried == MOST_ORDERS)
            continue;
        chosen_orders(&p, &runs, &of_few);
        if (!same_outcomes(&of_all, &of_few))
            fail_msg("program %u: %d outcomes in %d orders, %d in %ld", seed, of_all.count, tried, of_few.count, runs);
        compared++;
        several += of_all.count > 1;
        all += of_all.fails ? 0 : tried;
        few += of_all.fails ? 0 : runs;
    }
    print_message("# %d programs, %d with several outcomes; %ld orders stand for %ld\n", compared, several, few, all);
    assert_true(compared > PROGRAMS / 3 && several > PROGRAMS / 20 && few < all / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_orders),         cmocka_unit_test(turns_order),
        cmocka_unit_test(fence_comes_too_late),   cmocka_unit_test(threads_meet),
        cmocka_unit_test(one_run_stands_for_all), cmocka_unit_test(chosen_orders_stand_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
