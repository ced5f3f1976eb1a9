/* SPDX-License-Identifier: MIT */
/*
 * together.c - grids that run together, emulated one after the other, with checks for every order.
 *
 * A later grid runs when the earlier ones have ended, so its waits take no time.  The checks tell whether it would have
 * waited.  A tile that loads bytes of an earlier grid has waited for these bytes before the start of the load.  A tile
 * stores nothing after its report, and only bytes that the launcher was told.  Each tile is reported as often as later
 * grids count.  Then every order of the grids' tiles reads the same values, for any seed.
 */
#include "emulate.h"
#include "ws/backend.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void ws_emulate_touches(ws_emulate_launch *launch, const void *parameter, int how, const ws_emulate_rows *rows,
                        int told, unsigned roles)
{
    for (int i = 0; i < launch->ntensors; i++) {
        ws_emulate_tensor *t = &launch->tensors[i];
        if (t->parameter != parameter || !(t->use & how))
            continue;
        struct ws_rows to = {.known = 1, .width = t->size, .roles = roles};
        for (int d = 0; d < t->rank; d++) {
            const bool all = d >= told || rows[d].all;
            const long low = all ? 0 : rows[d].low, high = all ? t->extent[d] : rows[d].high;
            to.known = to.known && (t->stride[d] >= 0 || t->extent[d] <= 1);
            to.low += low * t->stride[d] * t->size;
            to.width += (high - low - 1) * t->stride[d] * t->size;
            for (int k = 0; k < 4 && !all; k++)
                to.step[k] += rows[d].by[k] * t->stride[d] * t->size;
        }
        *(how == WS_EMULATE_STORED ? &t->out : &t->in) = to;
    }
}

static void in_positions(struct ws_rows *r, const ws_emulate_grid *grid)
{
    for (int d = 0; d < grid->dims; d++) {
        r->low += r->step[d] * grid->low[d];
        r->step[d] *= grid->step[d];
        r->known = r->known && r->step[d] >= 0;
    }
}

void ws_emulate_together(ws_emulate_launch *launch, const ws_emulate_grid *grid, int tellers, bool tiles_wait)
{
    launch->grid = grid;
    launch->together.dims = grid->dims;
    launch->together.tellers = tellers;
    launch->together.tiles_wait = tiles_wait;
    for (int d = 0; d < grid->dims; d++)
        launch->together.count[d] = grid->side[0] ? grid->tiles[d] : grid->count[d];
    for (int i = 0; i < launch->ntensors; i++) {
        in_positions(&launch->tensors[i].in, grid);
        in_positions(&launch->tensors[i].out, grid);
    }
}

/* ---- the order of a block's launches ----------------------------------------------------------------------------- */

/* Bytes of a tensor that a launch has touched.  */
struct touched {
    int device, number, launch;
    bool stored;
    struct ws_wait where; /* begin, end, row, bytes, period */
};
enum { DEVICES = 65 };
/* Kept by the launching thread, independently of the launcher's own decisions.  */
static _Thread_local struct {
    int block, launches;
    int behind[DEVICES]
              [DEVICES]; /* [x][y]: launches of y before this number have ended when the next launch of x begins */
    struct touched *all;
    size_t count, room;
} history;

static int place_of(int device)
{
    return device + 1 < DEVICES ? device + 1 : DEVICES - 1;
}

void ws_emulate_order(ws_emulate_launch *launch)
{
    const int here = place_of(ws_devices_current());
    if (launch->together.block != history.block) {
        free(history.all);
        memset(&history, 0, sizeof history);
        history.block = launch->together.block;
    }
    launch->device = ws_devices_current();
    for (int i = 0; i < DEVICES; i++)
        if (launch->together.behind == 2 || (launch->together.behind && i == here))
            history.behind[here][i] = history.launches;
    launch->earlier = calloc(history.count + 1, sizeof *launch->earlier);
    for (size_t i = 0; i < history.count && launch->earlier; i++)
        if (history.all[i].launch >= history.behind[here][place_of(history.all[i].device)])
            launch->earlier[launch->nearlier++] = history.all[i];
    if (!launch->earlier)
        ws_emulate_fail(launch, WS_ERR_MEMORY, "%s: out of memory", launch->kernel);
}

static long period_of(const ws_emulate_tensor *t)
{
    long period = 0;
    for (int i = 0; i + 1 < t->rank; i++)
        for (long x = t->extent[i] > 1 ? labs(t->stride[i]) * t->size : 0; x;) {
            const long rest = period % x;
            period = x;
            x = rest;
        }
    return period;
}

static void note_touched(const ws_emulate_launch *launch, const ws_emulate_tensor *t, bool stored)
{
    const struct ws_rows *rows = stored ? &t->out : &t->in;
    struct touched now = {launch->device, launch->together.number, history.launches, stored, {0}};
    long last = rows->low + rows->width;
    now.where.row = now.where.begin = ws_emulate_tensor_begin(t);
    now.where.end = ws_emulate_tensor_end(t);
    now.where.bytes = t->extent[t->rank - 1] * t->size;
    now.where.period = period_of(t);
    for (int d = 0; d < launch->together.dims && rows->known; d++)
        last += (launch->together.count[d] - 1) * rows->step[d];
    if (rows->known && rows->low > 0)
        now.where.begin += rows->low;
    if (rows->known && t->base + last < now.where.end)
        now.where.end = t->base + last;
    if (history.count == history.room) {
        const size_t room = history.room ? 2 * history.room : 64;
        struct touched *more = realloc(history.all, room * sizeof *more);
        if (!more)
            return;
        history.all = more;
        history.room = room;
    }
    history.all[history.count++] = now;
}

/* Records the launch for later launches.  */
void ws_emulate_remember(ws_emulate_launch *launch)
{
    free(launch->earlier);
    launch->earlier = NULL;
    launch->nearlier = 0;
    if (!launch->ran || !launch->together.block || launch->together.block != history.block)
        return;
    for (int i = 0; i < launch->ntensors; i++)
        for (int stored = 0; stored < 2; stored++)
            if (launch->tensors[i].use & (stored ? WS_EMULATE_STORED : WS_EMULATE_LOADED))
                note_touched(launch, &launch->tensors[i], stored);
    history.launches++;
}

/* ---- from inside a fiber ----------------------------------------------------------------------------------------- */

static void locate(const ws_emulate_launch *launch, long tile, long *position)
{
    const ws_emulate_grid *grid = launch->grid;
    const int side = grid->side[0] ? grid->side[0] * grid->side[1] : 1;
    ws_emulate_locate(grid, tile / side, (int)(tile % side), position);
}

/* Positions at which ranges of `span`, `step` apart, overlap [low, low + width): the first, and one past the last.  */
static void meeting(const struct ws_wait *w, int dim, long low, long *first, long *end)
{
    const long span = w->span[dim], step = w->step[dim], high = low + w->width;
    *first = low < span ? 0 : step ? (low - span) / step + 1 : w->count[dim];
    *end = high <= 0 ? 0 : step ? (high - 1) / step + 1 : w->count[dim];
    *end = *end < w->count[dim] ? *end : w->count[dim];
}

/* The earlier grids have ended, so a counter that is too small stays so.  On a GPU the watchdog would end this wait. */
static void look_at_counters(ws_sched *s, const ws_emulate_launch *launch, int wait, const long *position)
{
    const struct ws_wait *w = &launch->together.waits[wait];
    long low = w->low, first[2], end[2];
    char text[384];
    for (int d = 0; d < launch->together.dims; d++)
        low += position[d] * w->by[d];
    meeting(w, 0, low, &first[0], &end[0]);
    for (long p = first[0]; p < end[0]; p++) {
        meeting(w, 1, low - p * w->step[0], &first[1], &end[1]);
        for (long q = first[1]; q < end[1]; q++) {
            const unsigned *counter = &w->words[w->first + p * w->count[1] + q];
            const struct ws_stuck stuck = {(unsigned)launch->together.id, (unsigned)(uintptr_t)counter};
            if (__atomic_load_n(counter, __ATOMIC_SEQ_CST) < w->expected)
                ws_sched_fail(s, "%s, which never comes", ws_together_stuck_(text, sizeof text, stuck, ws_watchdog_()));
        }
    }
}

void ws_emulate_await_tiles(ws_sched *s, unsigned roles)
{
    const ws_emulate_launch *launch = ((const ws_emulate_cta *)ws_sched_user(s))->launch;
    const long tile = ws_sched_tile(s);
    long position[4] = {0};
    ws_sched_await(s, roles);
    if (!launch->together.nwaits || tile < 0)
        return;
    locate(launch, tile, position);
    for (int i = 0; i < launch->together.nwaits; i++)
        if (launch->together.waits[i].roles & roles)
            look_at_counters(s, launch, i, position);
}

void ws_emulate_tile_done(ws_sched *s)
{
    ws_sched_tile_done(s);
}

void ws_emulate_tell_tiles(ws_sched *s)
{
    const ws_emulate_launch *launch = ((const ws_emulate_cta *)ws_sched_user(s))->launch;
    const struct ws_together *t = &launch->together;
    const long tile = ws_sched_tell_tiles(s);
    long position[4];
    int counter = 0;
    if (t->first < 0 || !t->words || tile < 0 || t->silent)
        return;
    locate(launch, tile, position);
    for (int d = 0; d < t->dims; d++)
        counter += (int)position[d] * t->weight[d];
    __atomic_fetch_add(&t->words[t->first + counter], 1, __ATOMIC_SEQ_CST);
}

/* True if the wait of this tile covers the bytes [from, to).  */
static bool covers(const ws_emulate_launch *launch, const struct ws_wait *w, const long *position, const char *from,
                   const char *to)
{
    long low = w->low;
    for (int d = 0; d < launch->together.dims; d++)
        low += position[d] * w->by[d];
    return w->width >= INT_MAX / 2 ||
           (from - w->origin >= low * w->unit && to - w->origin <= (low + w->width) * w->unit);
}

/* Two tensors of the tile within one stored tensor of an earlier grid have a wait each.  */
static bool waits_for(const ws_emulate_launch *launch, const struct ws_wait *about, const long *position,
                      const char *from, const char *to)
{
    for (int i = 0; i < launch->together.nwaits; i++) {
        const struct ws_wait *w = &launch->together.waits[i];
        if (w->words == about->words && w->first == about->first && w->origin == about->origin &&
            covers(launch, w, position, from, to))
            return true;
    }
    return false;
}

/* True if any row of the awaited tensor overlaps these bytes.  */
static bool meets(const struct ws_wait *w, const char *from, const char *to)
{
    if (from >= to || !w->period)
        return from < to;
    const long at = ((from - w->row) % w->period + w->period) % w->period;
    return at < w->bytes || at + (to - from) > w->period;
}

/* Checks accesses to bytes that launches may still store, on this or another device: they need a wait.  */
static void check_order(ws_sched *s, const ws_emulate_launch *launch, const long *position, const char *from,
                        const char *to, bool stores)
{
    for (int i = 0; i < launch->nearlier; i++) {
        const struct touched *t = &launch->earlier[i];
        const char *low = from < t->where.begin ? t->where.begin : from, *high = to > t->where.end ? t->where.end : to;
        bool waited = false;
        if (!(t->stored || stores) || !meets(&t->where, low, high))
            continue;
        for (int k = 0; k < launch->together.nwaits && !stores; k++) {
            const struct ws_wait *w = &launch->together.waits[k];
            waited =
                waited || (w->device == t->device && w->number == t->number && covers(launch, w, position, low, high));
        }
        if (!waited)
            ws_sched_fail(s, "a tile %s what grid %d of the block %s, on device %d, and nothing orders them",
                          stores ? "stores" : "loads", t->number, t->stored ? "stores" : "loads", t->device);
    }
}

static void check_load(ws_sched *s, const ws_emulate_launch *launch, const long *position, const char *from,
                       const char *to)
{
    for (int i = 0; i < launch->together.nwaits; i++) {
        const struct ws_wait *w = &launch->together.waits[i];
        const char *low = from < w->begin ? w->begin : from, *high = to > w->end ? w->end : to;
        if (!meets(w, low, high))
            continue;
        if (!(ws_sched_awaited(s) & w->roles))
            ws_sched_fail(s, "a tile loads what an earlier grid stores, and has not waited for it");
        if (!waits_for(launch, w, position, low, high))
            ws_sched_fail(s, "a tile loads what an earlier grid stores, of which it has waited for other rows");
    }
}

static void check_store(ws_sched *s, const ws_emulate_launch *launch, const long *position, const char *from,
                        const char *to)
{
    bool told = false, right = false;
    for (int i = 0; i < launch->ntensors && !right; i++) {
        const ws_emulate_tensor *t = &launch->tensors[i];
        if (!(t->use & WS_EMULATE_STORED) || from < ws_emulate_tensor_begin(t) || from >= ws_emulate_tensor_end(t))
            continue;
        long low = t->out.low;
        for (int d = 0; d < launch->together.dims; d++)
            low += position[d] * t->out.step[d];
        told = true;
        right = !t->out.known || (from - t->base >= low && to - t->base <= low + t->out.width);
    }
    if (told && !right)
        ws_sched_fail(s, "a tile stores rows that the launcher was not told of");
    if (ws_sched_told(s))
        ws_sched_fail(s, "a tile stores after it has said that it is done");
}

void ws_emulate_touched_together(ws_sched *s, ws_emulate_touch kind, const char *from, size_t bytes, long tile)
{
    const ws_emulate_launch *launch = ((const ws_emulate_cta *)ws_sched_user(s))->launch;
    long position[4] = {0};
    if (!launch->grid || tile < 0 || (kind == WS_EMULATE_LOAD && !launch->together.nwaits && !launch->nearlier))
        return;
    locate(launch, tile, position);
    check_order(s, launch, position, from, from + bytes, kind != WS_EMULATE_LOAD);
    if (kind == WS_EMULATE_LOAD)
        check_load(s, launch, position, from, from + bytes);
    else
        check_store(s, launch, position, from, from + bytes);
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

void ws_emulate_check_told(ws_emulate_launch *launch)
{
    const struct ws_together *t = &launch->together;
    unsigned expected = (unsigned)t->tellers;
    if (launch->failed || !launch->grid || t->first < 0 || !t->words || t->silent)
        return;
    for (int d = 0; d < t->dims; d++)
        expected *= t->weight[d] ? 1 : (unsigned)t->count[d];
    for (int i = 0; i < t->counters; i++)
        if (t->words[t->first + i] != expected) {
            ws_emulate_fail(launch, WS_ERR_PROTOCOL,
                            "%s: tiles are said to be done %u times, and a later grid waits for %u", launch->kernel,
                            t->words[t->first + i], expected);
            return;
        }
}
