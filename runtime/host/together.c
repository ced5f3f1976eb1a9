/* SPDX-License-Identifier: MIT */
/*
 * together.c - blocks of grids that run together: tiles of one grid wait for tiles of earlier grids.
 *
 *   {
 *       #pragma ws together
 *       grid A: stores a          launch, reports        counters of rows of tiles: the number of done tiles
 *       grid B: loads a           launch, early          a tile of B waits for the rows of A's that it loads
 *   }
 *
 * All launches go to one stream.  An early launch begins when all blocks of the launch before it run, and ends after
 * the end of that launch.  So the blocks of all earlier grids run, and wait only for tiles of still earlier grids.  The
 * earliest grid that has not ended always proceeds, so no wait is endless, wherever blocks are placed.  Work behind the
 * block in the stream waits for all of it.
 *
 * With loops over devices in the block there is a lane for each device: a stream with counters of its own.  Lanes join
 * at the block's end.  Tiles of a later loop wait for tiles of an earlier loop on other devices, too.  All of these
 * have been launched before, on distinct GPUs.  So the argument above holds for each lane, and the earliest launch of
 * all that has not ended waits for no other.  A launch that cannot wait by tiles begins after the ends of all earlier
 * work of all lanes.
 *
 * A launch is early if it depends on earlier launches only by loads of tensors that they store, and if they report
 * their tiles.  A launch that stores tensors which earlier ones touch begins after their ends.  So does a launch that
 * exceeds the limits here.
 *
 * A tile touches bytes of a tensor that move with its position.  It waits for earlier tiles with overlapping bytes.
 * The bytes of a tile are the range from its first to its last byte, so that tensors of different shapes over the same
 * memory can be compared.  A range larger than necessary is correct, and waits longer.
 */
#include "target.h"
#include "ws/backend.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 32, WORDS = 8192, LANES = 65, MOST_PAST = 256 };

struct together_use {
    struct ws_use use;
    int launch;
};
struct past_launch {
    const char *kernel;
    int number, lane, share, dims, tellers, first, weight[4];
    long count[4];
    unsigned *words;
};
/* The state of one device in the block; lane 0 is the caller's stream.  */
struct lane {
    bool opened;  /* `words` is valid, or no words are available */
    int number;   /* of the last launch */
    int launches; /* that the next launch may overlap */
    unsigned *words, *own;
    int used;          /* number of words */
    int behind[LANES]; /* launches of each lane before this number have ended when this lane's next launch begins */
};
static _Thread_local struct {
    int depth;
    bool crossing; /* the block has loops over devices */
    bool apart;    /* the devices are distinct, and lanes join at the block's end */
    int id;
    bool pending; /* a launch has recorded its tensors, and has not been entered */
    int devices;  /* with lanes that have not joined */
    bool marked;  /* a launch of this loop over devices has waited for all lanes; others wait for the same work: */
    int before;   /* launches before that wait */
    struct lane *lanes;
    struct past_launch *past;
    int launches;
    struct together_use *uses;
    size_t count, room;
} block;

int ws_together_open(void)
{
    return block.depth > 0;
}

static struct lane *this_lane(void)
{
    const int lane = ws_devices_current() + 1;
    return &block.lanes[lane < LANES ? lane : LANES - 1];
}

static int new_id(void)
{
    static _Thread_local int last;
    return last = last % INT_MAX + 1;
}

void ws_together_begin_(void)
{
    if (block.depth++)
        return;
    memset(&block, 0, sizeof block);
    block.depth = 1;
    block.id = new_id();
    block.lanes = calloc(LANES, sizeof *block.lanes);
    block.past = calloc(MOST_PAST, sizeof *block.past);
    if (!block.lanes || !block.past)
        ws_error_set(WS_ERR_MEMORY, "a block of grids that run together: no memory to remember them");
}

/* Later launches begin after the ends of all earlier ones, on any device.  */
static void forget_all(void)
{
    block.id = new_id();
    block.count = 0;
    block.launches = 0;
    for (int i = 0; i < LANES; i++) {
        block.lanes[i].launches = 0;
        memset(block.lanes[i].behind, 0, sizeof block.lanes[i].behind);
    }
}

/* The caller's stream waits for all lanes.  */
static void devices_meet(void)
{
    if (block.devices)
        ws_devices_meet(block.devices);
    block.devices = 0;
    if (block.lanes && block.past)
        forget_all();
}

void ws_together_end_(void)
{
    if (!block.depth || --block.depth)
        return;
    devices_meet();
    for (int i = 0; i < LANES && block.lanes; i++)
        free(block.lanes[i].own);
    free(block.lanes);
    free(block.past);
    free(block.uses);
    memset(&block, 0, sizeof block);
}

bool ws_together_loop_begins(long devices)
{
    const struct ws_backend_devices *backend = ws_devices_backend();
    const bool entered = block.devices > 0;
    block.marked = false;
    if (!block.depth || !block.lanes || !block.past)
        return false;
    block.crossing = true;
    for (int i = 1; i < LANES && !entered; i++)
        block.lanes[i].behind[0] = block.launches;
    block.apart = !ws_team_now() && devices < LANES && (!backend || (backend->apart && backend->apart((int)devices)));
    if (entered && devices > block.devices) {
        devices_meet();
        return false;
    }
    return entered;
}

bool ws_together_loop_ends(int devices)
{
    if (!block.depth || !block.crossing)
        return false;
    block.devices = devices > block.devices ? devices : block.devices;
    if (!block.apart)
        devices_meet();
    return true;
}

ws_status ws_together_use(const struct ws_use *use)
{
    if (!block.lanes || !block.past)
        return ws_error_set(WS_ERR_MEMORY, "%s: %s: no memory to remember it", use->kernel, use->name);
    if (use->device < 0 && block.devices)
        devices_meet();
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

/* Waits for the work of all lanes, except for launches of other iterations of this loop over devices.  These are
   independent of this launch, and a wait would serialize them.  */
static void wait_for_all_lanes(void)
{
    if (!block.marked)
        block.before = block.launches;
    ws_devices_wait_all(block.devices, block.marked);
    block.marked = block.crossing;
}

/* Earlier launches of this lane have ended before later work begins; with `all`, launches of all lanes.  */
static void forget_earlier(bool all)
{
    struct lane *lane = this_lane();
    size_t kept = 0;
    lane->launches = 0;
    if (block.crossing) {
        for (int i = 0; i < LANES; i++)
            if (lane == &block.lanes[i])
                lane->behind[i] = block.launches;
            else if (all && lane->behind[i] < block.before)
                lane->behind[i] = block.before;
        return;
    }
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

/* Converts bytes to units; a fraction is rounded away from 0.  */
static bool in_units(int *to, long bytes, long unit)
{
    long units = bytes / unit + (bytes % unit > 0) - (bytes % unit < 0);
    *to = (int)units;
    return units <= INT_MAX / 4 && units >= INT_MIN / 4;
}

/* The largest unit that divides the steps of both tiles.  */
static long unit_of(long low, const struct past_launch *past, const struct ws_use *theirs,
                    const struct ws_together *launch, const struct ws_use *mine)
{
    long unit = mine->in.known ? low : 0;
    for (int d = 0; d < past->dims; d++)
        unit = common_divisor(unit, past->weight[d] ? theirs->out.step[d] : 0);
    for (int d = 0; d < launch->dims && mine->in.known; d++)
        unit = common_divisor(unit, mine->in.step[d]);
    return unit ? unit : 1L << 40;
}

/* Sets the counts, steps and spans of the awaited tiles, for the dimensions that have counters.  */
static bool count_theirs(struct ws_wait *wait, const struct past_launch *past, const struct ws_use *theirs)
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

/* Sets the wait of a tile of the launch for tiles of `past` that store `theirs`.  */
static bool make_wait(struct ws_wait *wait, const struct past_launch *past, const struct ws_use *theirs,
                      const struct ws_together *launch, const struct ws_use *mine)
{
    *wait = (struct ws_wait){.first = past->first, .expected = (unsigned)past->tellers};
    wait->roles = mine->in.roles ? mine->in.roles : ~0u;
    wait->words = past->words;
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

/* The end of the bytes that all tiles touch by `rows`; the tensor's end if `rows` is not known.  */
static const char *end_of_touched(const struct ws_use *use, const struct ws_rows *rows, int dims, const long *count)
{
    long last = rows->low + rows->width;
    for (int d = 0; d < dims && rows->known; d++)
        if (!mul_add(&last, count[d] - 1, rows->step[d]))
            return use->end;
    return rows->known && use->begin + last < use->end ? use->begin + last : use->end;
}

static const char *begin_of_touched(const struct ws_use *use, const struct ws_rows *rows)
{
    return use->begin + (rows->known && rows->low > 0 ? rows->low : 0);
}

/* True if tiles never overlap, although the tensors may.  */
static bool never_meet(const struct ws_use *mine, const struct ws_together *launch, const struct ws_use *theirs,
                       const struct past_launch *past)
{
    if (mine->stored)
        return false;
    return end_of_touched(mine, &mine->in, launch->dims, launch->count) <= begin_of_touched(theirs, &theirs->out) ||
           end_of_touched(theirs, &theirs->out, past->dims, past->count) <= begin_of_touched(mine, &mine->in);
}

enum found { TILES_WAIT, LANE_WAITS, ALL_WAIT };

/* Finds the waits of the pending launch, or the launches after whose ends it has to begin.  */
static enum found find_waits(struct ws_together *launch)
{
    const struct lane *lane = this_lane();
    enum found found = TILES_WAIT;
    for (size_t i = 0; i < block.count; i++)
        for (size_t j = 0; j < block.count && block.uses[i].launch == block.launches; j++) {
            const struct together_use *mine = &block.uses[i], *other = &block.uses[j];
            if (other->launch >= block.launches || !(mine->use.stored || other->use.stored) ||
                ws_uses_apart(&mine->use, &other->use))
                continue;
            const struct past_launch *past = &block.past[other->launch];
            const bool same_lane = &block.lanes[past->lane] == lane;
            if (other->launch < lane->behind[past->lane] || never_meet(&mine->use, launch, &other->use, past))
                continue;
            if (launch->tiles_wait && !mine->use.stored && past->first >= 0 && other->use.out.known &&
                launch->nwaits < WS_WAITS &&
                make_wait(&launch->waits[launch->nwaits], past, &other->use, launch, &mine->use))
                launch->nwaits++;
            else if (found != ALL_WAIT)
                found = same_lane ? LANE_WAITS : ALL_WAIT;
        }
    return found;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static int take_words(int count)
{
    struct lane *lane = this_lane();
    if (!lane->words || count > WORDS - lane->used)
        return -1;
    lane->used += count;
    return lane->used - count;
}

/* Makes counters for the positions in at most two dimensions by which stored tiles move.  One counter serves all tiles
   of a position.  */
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

static void open_lane(struct lane *lane)
{
    const struct ws_backend_devices *devices = ws_devices_backend();
    lane->opened = true;
    if (devices)
        lane->words = devices->open_together(WORDS, ws_stream());
    else
        lane->words = lane->own = calloc(WORDS, sizeof *lane->words);
}

/* Without room, this launch and all later ones begin after the ends of all others.  */
static void remember(const struct ws_together *launch)
{
    const struct lane *lane = this_lane();
    if (block.launches == MOST_PAST) {
        while (block.count && block.uses[block.count - 1].launch == MOST_PAST)
            block.count--;
        return;
    }
    struct past_launch *past = &block.past[block.launches++];
    *past = (struct past_launch){.kernel = launch->kernel,
                                 .number = launch->number,
                                 .lane = (int)(lane - block.lanes),
                                 .share = launch->share,
                                 .dims = launch->dims,
                                 .tellers = launch->tellers,
                                 .first = launch->first,
                                 .words = launch->words};
    memcpy(past->weight, launch->weight, sizeof past->weight);
    memcpy(past->count, launch->count, sizeof past->count);
}

static int shares_beside(const struct lane *lane)
{
    int taken = 0;
    for (int i = lane->behind[lane - block.lanes]; i < block.launches; i++)
        if (&block.lanes[block.past[i].lane] == lane)
            taken += block.past[i].share;
    return taken;
}

/* Drops the waits for tiles of this lane, or all waits.  */
static void drop_waits(struct ws_together *launch, bool all)
{
    int kept = 0;
    for (int i = 0; i < launch->nwaits; i++)
        if (!all && launch->waits[i].device != ws_devices_current())
            launch->waits[kept++] = launch->waits[i];
    launch->nwaits = kept;
}

/* Decides whether the launch may overlap the launch before it in its lane.  */
static void begin_launch(struct ws_together *launch)
{
    struct lane *lane = this_lane();
    const bool full = block.launches == MOST_PAST;
    const enum found found = full ? ALL_WAIT : find_waits(launch);
    launch->early =
        lane->launches > 0 && lane->launches < LAUNCHES && lane->words && launch->tiles_wait && found == TILES_WAIT;
    if (launch->early)
        launch->tickets = take_words(2);
    launch->early = launch->early && launch->tickets >= 0;
    if (found == ALL_WAIT)
        wait_for_all_lanes();
    launch->behind = found == ALL_WAIT ? 2 : !launch->early;
    if (launch->early)
        return;
    drop_waits(launch, found == ALL_WAIT);
    forget_earlier(found == ALL_WAIT);
}

/* The entered launch cannot wait by tiles.  */
void ws_together_later_(void)
{
    if (block.crossing)
        wait_for_all_lanes();
}

ws_status ws_together_enter(struct ws_together *launch)
{
    launch->early = launch->taken = launch->nwaits = launch->counters = 0;
    launch->first = launch->tickets = -1;
    launch->id = launch->number = launch->silent = launch->system = 0;
    launch->block = launch->behind = 0;
    launch->words = NULL;
    if (!block.depth || !block.pending)
        return WS_OK;
    struct lane *lane = this_lane();
    launch->number = ++lane->number;
    launch->silent = ws_fault_(WS_FAULT_SILENT, launch->kernel, launch->number);
    launch->block = block.id;
    launch->system = block.crossing && block.apart;
    if (!lane->opened)
        open_lane(lane);
    begin_launch(launch);
    memset(launch->weight, 0, sizeof launch->weight);
    make_counters(launch);
    launch->words = lane->words;
    launch->taken = shares_beside(lane);
    ws_faults_remember(launch);
    lane->launches++;
    block.pending = false;
    remember(launch);
    return WS_OK;
}

/* No tile waits for a launch that did not happen.  */
void ws_together_leave(int launched)
{
    block.pending = false;
    if (block.depth && block.launches && !launched && !ws_devices_elsewhere_())
        block.past[block.launches - 1].first = -1;
}
