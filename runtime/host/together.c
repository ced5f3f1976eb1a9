/* SPDX-License-Identifier: MIT */
/*
 * together.c - blocks of grids that run together: which tiles wait for which.
 *
 *   {
 *       #pragma ws together
 *       grid A: stores a          launch, tells          counters of rows of tiles: so many tiles are done
 *       grid B: loads a           launch, early          a tile of B waits for the rows of A's that it loads
 *   }
 *
 * All go to one stream.  An early launch begins when all blocks of the one before it run, and ends behind that one's
 * end.  So the blocks of all earlier grids run, wait for tiles of still earlier ones alone, and the earliest grid that
 * has not ended goes on: nobody waits for ever, wherever blocks are put.  And what follows the block in the stream
 * waits for all of it.
 *
 * A launch is early if all that earlier ones leave to it is what they store and it loads, and they say when tiles are
 * done.  Where it stores what they touch, or more is asked than is counted here, it begins behind their ends.
 *
 * A tile touches bytes of a tensor that move on with its position.  It waits for those earlier ones whose bytes meet
 * its own.  Bytes are taken from the first to the last one, so that tensors of different shapes over the same memory
 * compare; more than a tile touches is right, and waits longer.
 */
#include "target.h"
#include "ws/backend.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 32, WORDS = 8192 };

struct together_use {
    struct ws_use use;
    int launch;
};
static _Thread_local struct {
    int depth;
    bool pending; /* a launch has said what it uses, and has not been entered */
    bool opened;  /* `words` are there, or cannot be had */
    int number;   /* of the last launch */
    int launches; /* that the next one may run beside */
    unsigned *words, *own;
    int used; /* words */
    struct ws_together past[LAUNCHES];
    struct together_use *uses;
    size_t count, room;
} block;

int ws_together_open(void)
{
    return block.depth > 0;
}

void ws_together_begin_(void)
{
    if (block.depth++)
        return;
    block.launches = block.used = block.number = 0;
    block.count = 0;
    block.pending = block.opened = false;
    block.words = NULL;
}

void ws_together_end_(void)
{
    if (!block.depth || --block.depth)
        return;
    free(block.uses);
    free(block.own);
    block.uses = NULL;
    block.own = NULL;
    block.room = 0;
}

ws_status ws_together_use(const struct ws_use *use)
{
    block.pending = true;
    if (block.count == block.room) {
        size_t room = block.room ? 2 * block.room : 64;
        struct together_use *more = realloc(block.uses, room * sizeof *more);
        if (!more)
            return ws_error_set(WS_ERR_MEMORY, "%s: %s: no memory to remember it", use->kernel, use->name);
        block.uses = more;
        block.room = room;
    }
    block.uses[block.count++] = (struct together_use){*use, block.launches};
    return WS_OK;
}

/* Earlier launches have ended before what comes now begins.  */
static void forget_earlier(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < block.count; i++)
        if (block.uses[i].launch == block.launches)
            block.uses[kept++] = (struct together_use){block.uses[i].use, 0};
    block.count = kept;
    block.launches = 0;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static bool mul_add(long *sum, long x, long y)
{
    long product;
    return !__builtin_mul_overflow(x, y, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* In units, further away from 0 where it is none.  */
static bool in_units(int *to, long bytes, long unit)
{
    long units = bytes / unit + (bytes % unit > 0) - (bytes % unit < 0);
    *to = (int)units;
    return units <= INT_MAX / 4 && units >= INT_MIN / 4;
}

/* The largest unit in which tiles move on, on both sides.  */
static long unit_of(long low, const struct ws_together *past, const struct ws_use *theirs,
                    const struct ws_together *launch, const struct ws_use *mine)
{
    long unit = mine->in.known ? low : 0;
    for (int d = 0; d < past->dims; d++)
        unit = common_divisor(unit, past->weight[d] ? theirs->out.step[d] : 0);
    for (int d = 0; d < launch->dims && mine->in.known; d++)
        unit = common_divisor(unit, mine->in.step[d]);
    return unit ? unit : 1L << 40;
}

/* The tiles that are waited for, by the dimensions that have counters.  */
static bool count_theirs(struct ws_wait *wait, const struct ws_together *past, const struct ws_use *theirs)
{
    long span = theirs->out.width;
    int at = 2;
    for (int i = 0; i < 2; i++)
        wait->count[i] = 1;
    for (int d = 0; d < past->dims; d++)
        if (!past->weight[d]) {
            wait->expected *= (unsigned)past->count[d];
            if (!mul_add(&span, past->count[d] - 1, theirs->out.step[d]))
                return false;
        }
    for (int d = past->dims - 1; d >= 0; d--) {
        if (!past->weight[d])
            continue;
        at--;
        wait->count[at] = (int)past->count[d];
        wait->weight[at] = past->weight[d];
        if (!in_units(&wait->step[at], theirs->out.step[d], wait->unit) ||
            !in_units(&wait->span[at], span, wait->unit) || !mul_add(&span, past->count[d] - 1, theirs->out.step[d]))
            return false;
    }
    for (at--; at >= 0; at--)
        if (!in_units(&wait->span[at], span, wait->unit))
            return false;
    return true;
}

/* What a tile of the launch waits for of what a tile of `past` stores as `theirs`.  */
static bool make_wait(struct ws_wait *wait, const struct ws_together *past, const struct ws_use *theirs,
                      const struct ws_together *launch, const struct ws_use *mine)
{
    *wait = (struct ws_wait){.first = past->first, .expected = (unsigned)past->tellers};
    wait->kernel = past->kernel;
    wait->number = past->number;
    wait->device = theirs->device;
    wait->origin = theirs->begin + theirs->out.low;
    wait->begin = theirs->begin > mine->begin ? theirs->begin : mine->begin;
    wait->end = theirs->end < mine->end ? theirs->end : mine->end;
    wait->row = theirs->begin;
    wait->bytes = theirs->extent[theirs->rank - 1] * theirs->size;
    wait->period = period_of_use(theirs, 0);
    long low = mine->begin + mine->in.low - wait->origin;
    wait->unit = unit_of(low, past, theirs, launch, mine);
    if (!count_theirs(wait, past, theirs))
        return false;
    if (!mine->in.known) {
        wait->low = INT_MIN / 4;
        wait->width = INT_MAX / 2;
        return true;
    }
    bool counted = in_units(&wait->low, low, wait->unit) && in_units(&wait->width, mine->in.width, wait->unit);
    long reach = wait->low + (long)wait->width;
    for (int d = 0; d < launch->dims && counted; d++)
        counted =
            in_units(&wait->by[d], mine->in.step[d], wait->unit) && mul_add(&reach, launch->count[d], wait->by[d]);
    return counted && reach <= INT_MAX / 2;
}

/* The waits of the pending launch; false: it has to begin behind earlier ones' ends.  */
static bool find_waits(struct ws_together *launch)
{
    for (size_t i = 0; i < block.count; i++)
        for (size_t j = 0; j < block.count && block.uses[i].launch == block.launches; j++) {
            const struct together_use *mine = &block.uses[i], *other = &block.uses[j];
            if (other->launch >= block.launches || !(mine->use.stored || other->use.stored) ||
                ws_uses_apart(&mine->use, &other->use))
                continue;
            const struct ws_together *past = &block.past[other->launch];
            if (mine->use.stored || past->first < 0 || !other->use.out.known || launch->nwaits == WS_WAITS ||
                !make_wait(&launch->waits[launch->nwaits], past, &other->use, launch, &mine->use))
                return false;
            launch->nwaits++;
        }
    return true;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static int take_words(int count)
{
    if (!block.words || count > WORDS - block.used)
        return -1;
    block.used += count;
    return block.used - count;
}

/* A counter for the tiles of each position in those dimensions, two at most, in which what they store moves on.  */
static void make_counters(struct ws_together *launch)
{
    bool moves[4] = {false}, stores = false;
    long counters = 1;
    int counted = 0, dims[2];
    for (size_t i = 0; i < block.count; i++) {
        const struct together_use *mine = &block.uses[i];
        if (mine->launch != block.launches || !mine->use.stored || !mine->use.out.known)
            continue;
        stores = true;
        for (int d = 0; d < launch->dims; d++)
            moves[d] = moves[d] || mine->use.out.step[d] > 0;
    }
    for (int d = 0; d < launch->dims && counted < 2; d++)
        if (moves[d] && launch->count[d] > 1)
            dims[counted++] = d;
    while (counted-- > 0 && counters <= WORDS) {
        launch->weight[dims[counted]] = (int)counters;
        counters *= launch->count[dims[counted]];
    }
    if (stores && launch->tellers && counters > 0 && counters <= WORDS)
        launch->first = take_words((int)counters);
    launch->counters = launch->first < 0 ? 0 : (int)counters;
}

static void open_block(void)
{
    const struct ws_backend_devices *devices = ws_devices_backend();
    block.opened = true;
    if (devices)
        block.words = devices->open_together(WORDS, ws_stream());
    else
        block.words = block.own = calloc(WORDS, sizeof *block.words);
}

ws_status ws_together_enter(struct ws_together *launch)
{
    launch->early = launch->taken = launch->nwaits = launch->counters = 0;
    launch->first = launch->tickets = -1;
    launch->id = 0;
    launch->words = NULL;
    launch->number = launch->silent = 0;
    if (!block.depth || !block.pending)
        return WS_OK;
    launch->number = ++block.number;
    launch->silent = ws_fault_(WS_FAULT_SILENT, launch->kernel, launch->number);
    if (!block.opened)
        open_block();
    launch->early = block.launches > 0 && block.launches < LAUNCHES && block.words && launch->tiles_wait;
    if (launch->early && !find_waits(launch))
        launch->early = launch->nwaits = 0;
    if (launch->early)
        launch->tickets = take_words(2);
    launch->early = launch->early && launch->tickets >= 0;
    if (!launch->early)
        forget_earlier();
    memset(launch->weight, 0, sizeof launch->weight);
    make_counters(launch);
    launch->words = block.words;
    for (int i = 0; i < block.launches; i++)
        launch->taken += block.past[i].share;
    ws_faults_remember(launch);
    block.past[block.launches++] = *launch;
    block.pending = false;
    return WS_OK;
}

/* Nobody waits for what was not launched.  */
void ws_together_leave(int launched)
{
    block.pending = false;
    if (block.depth && block.launches && !launched)
        block.past[block.launches - 1].first = -1;
}
