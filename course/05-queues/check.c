/* SPDX-License-Identifier: MIT */
/*
 * check.c - lab 5's roles on the scheduler of the emulation.
 *
 * The scheduler counts puts and gets; roles.h names a slot and a phase. Each group's next round of a slot is known
 * here, and another phase than that round's is said at once, since on a GPU it would be a wait for another round.
 */
#include <scheduler.h>

#include "roles.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, SLOTS = 16, MOST = 64, NUMBERS = BYTES / 4 };
static int ring, slots, tiles, outs[GROUPS];
static _Alignas(1024) int memory[SLOTS][NUMBERS], staging[GROUPS][NUMBERS], sums[GROUPS][NUMBERS];
static int result[GROUPS][NUMBERS];
static ws_sched_accumulator state[GROUPS];
static long rounds[GROUPS][SLOTS]; /* waits of each group on each slot */
static int open_slot;

static ws_sched *s(void)
{
    return ws_sched_current();
}
static int me(void)
{
    return ws_sched_group(s());
}
static void check_slot(int slot)
{
    if (slot < 0 || slot >= slots)
        ws_sched_fail(s(), "slot %d is used, and the ring has slots 0 to %d", slot, slots - 1);
}
static long round_of(int slot, int phase, int first, const char *barrier)
{
    check_slot(slot);
    long round = rounds[me()][slot];
    if (phase != ((round & 1) ^ first))
        ws_sched_fail(s(),
                      "group %d waits for phase %d of the %s barrier of slot %d, whose round %ld is phase %ld: phase "
                      "off by one",
                      me(), phase, barrier, slot, round, (round & 1) ^ first);
    rounds[me()][slot]++;
    return round * slots + slot;
}
static long current(int slot)
{
    check_slot(slot);
    return (rounds[me()][slot] - 1) * slots + slot;
}

void make_ring(int count, int releases)
{
    if (count < 1 || count > SLOTS)
        ws_sched_fail(s(), "a ring of %d slots", count);
    slots = count;
    ring = ws_sched_ring(s(), "ring", count, releases);
}
void wait_empty(int slot, int phase)
{
    if (open_slot >= 0)
        ws_sched_fail(s(), "all_started was not called for slot %d", open_slot);
    ws_sched_put(s(), ring, (uint64_t)round_of(slot, phase, 1, "empty"));
    open_slot = slot;
}
void expect_bytes(int slot, int bytes)
{
    if (current(slot) < 0)
        ws_sched_fail(s(), "the producer arms slot %d: that put is not open: put is missing", slot);
    ws_sched_expect(s(), ring, (uint64_t)current(slot), (size_t)bytes);
}

typedef struct {
    int slot, tile;
} copy;
static void land(void *args, void *held)
{
    const copy *c = args;
    (void)held;
    for (int i = 0; i < NUMBERS; i++)
        memory[c->slot][i] = 1000 * c->tile + i;
}
void copy_in(int slot, int tile)
{
    copy c = {slot, tile};
    if (current(slot) < 0)
        ws_sched_fail(s(), "the producer copies into slot %d: that put is not open: put is missing", slot);
    ws_sched_copy_in(s(), ring, (uint64_t)current(slot), (ws_sched_range){memory[slot], BYTES}, land, &c, sizeof c);
}
void all_started(int slot)
{
    if (current(slot) < 0)
        ws_sched_fail(s(), "the producer finishes slot %d: that put is not open: put is missing", slot);
    ws_sched_put_done(s(), ring, (uint64_t)current(slot));
    open_slot = -1;
}

void wait_full(int slot, int phase)
{
    ws_sched_get(s(), ring, (uint64_t)round_of(slot, phase, 0, "full"));
}
typedef struct {
    int slot, group;
} product;
static void add(void *args, void *held)
{
    const product *p = args;
    (void)held;
    for (int i = 0; i < NUMBERS; i++)
        sums[p->group][i] += memory[p->slot][i];
}
void multiply(int slot)
{
    product p = {slot, me()};
    if (current(slot) < 0)
        ws_sched_fail(s(), "group %d multiplies slot %d: this group has not got it", me(), slot);
    ws_sched_product(s(), &state[me()], (ws_sched_range){NULL, 0}, (ws_sched_range){memory[slot], BYTES}, add, &p,
                     sizeof p, NULL, 0);
    ws_sched_commit(s());
}
void wait_products(int left)
{
    ws_sched_wait(s(), left);
    ws_sched_name(s(), &state[me()]);
}
void release(int slot)
{
    if (current(slot) < 0)
        ws_sched_fail(s(), "group %d releases slot %d: it has not got it, or has released it before", me(), slot);
    ws_sched_consumed(s(), ring, (uint64_t)current(slot));
}

void stage(void)
{
    if (state[me()].in_flight)
        ws_sched_fail(s(), "group %d writes its sum to the buffer before its products have ended", me());
    ws_sched_write(s(), (ws_sched_range){staging[me()], BYTES});
    memcpy(staging[me()], sums[me()], BYTES);
}
void fence(void)
{
    ws_sched_fence(s());
    ws_sched_barrier(s());
}
static void read_out(void *args, void *held)
{
    memcpy(held, staging[*(int *)args], BYTES);
}
static void write_out(void *args, void *held)
{
    memcpy(result[*(int *)args], held, BYTES);
}
void copy_out(void)
{
    int group = me();
    outs[group]++;
    ws_sched_copy_out(s(), (ws_sched_range){staging[group], BYTES}, BYTES, read_out, write_out, &group, sizeof group);
}
void wait_copies_out(void)
{
    ws_sched_store_wait(s(), 0);
}

static void run_role(void *arg)
{
    int group = (int)(long)arg;
    if (group == 0) {
        setup();
        if (!ring)
            ws_sched_fail(s(), "setup made no ring");
    }
    ws_sched_start(s());
    if (group == 0)
        producer(tiles);
    else
        multiplier(tiles);
    if (group == 0 && open_slot >= 0)
        ws_sched_fail(s(), "all_started was not called for slot %d", open_slot);
    if (group && !outs[group])
        ws_sched_fail(s(), "group %d ends: no copy out was started", group);
}

static int run(int count, unsigned long seed)
{
    ws_sched_config config = {.kernel = "roles", .seed = seed};
    ws_sched *sched = ws_sched_new(&config);
    tiles = count;
    ring = slots = 0;
    open_slot = -1;
    memset(memory, 0xff, sizeof memory);
    memset(sums, 0, sizeof sums);
    memset(state, 0, sizeof state);
    memset(rounds, 0, sizeof rounds);
    memset(outs, 0, sizeof outs);
    memset(result, 0, sizeof result);
    for (long group = 0; group < GROUPS; group++)
        ws_sched_fiber(sched, group ? "multiplier" : "producer", (int)group, run_role, (void *)group);
    if (!ws_sched_run(sched)) {
        printf("%s\n", ws_sched_report(sched));
        return 1;
    }
    ws_sched_delete(sched);
    for (int group = 1; group < GROUPS; group++)
        for (int i = 0; i < NUMBERS; i++) {
            int sum = 0;
            for (int tile = 0; tile < count; tile++)
                sum += 1000 * tile + i;
            if (result[group][i] == sum)
                continue;
            printf("mistake tile-skipped: The protocol holds, but group %d has summed other tiles: %d where %d tiles "
                   "make %d. Tile i goes to put i, and each is multiplied once.\n",
                   group, result[group][i], count, sum);
            return 1;
        }
    return 0;
}

int main(void)
{
    const char *text = getenv("WS_SEED");
    unsigned long seed = text ? strtoul(text, NULL, 0) : 1;
    for (int count = 0; count < 12; count++)
        if (run(count == 0 ? 11 : count - 1, seed + (unsigned long)count))
            return 1;
    return 0;
}
