/* SPDX-License-Identifier: MIT */
/*
 * touched.c - conflicting accesses of iterations to one element.
 *
 * Iterations of a grid have to be independent.  For each element of a stored tensor, a shadow holds the iteration that
 * wrote it and the one that read it.
 */
#define _GNU_SOURCE /* MAP_NORESERVE */
#include "checks.h"
#include "rules.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BY_COPY UINT32_C(0x80000000) /* no operation of the language waits until a copy out has written */
#define ADDED   UINT32_C(0x7fffffff)
#define MANY    UINT32_C(0xffffffff)

static bool add_shadow(ws_emulate_launch *launch, const ws_emulate_tensor *t)
{
    ws_emulate_shadow shadow = {ws_emulate_tensor_begin(t), ws_emulate_tensor_end(t), t->size, NULL, NULL, 0, t};
    for (int i = 0; i < launch->nshadows; i++)
        if (launch->shadows[i].low <= shadow.low && launch->shadows[i].high >= shadow.high)
            return true;
    size_t entries = (shadow.high - shadow.low) / shadow.unit;
    shadow.bytes = 2 * entries * sizeof(uint32_t);
    void *memory = mmap(NULL, shadow.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    shadow.written = memory;
    shadow.read = shadow.written + entries;
    launch->shadows[launch->nshadows++] = shadow;
    return true;
}

void ws_emulate_add_shadows(ws_emulate_launch *launch)
{
    launch->shadows = calloc((size_t)launch->ntensors + 1, sizeof *launch->shadows);
    bool added = launch->shadows != NULL;
    for (int i = 0; i < launch->ntensors && added; i++)
        if (launch->tensors[i].use & WS_EMULATE_STORED && launch->tensors[i].base &&
            !ws_emulate_is_empty(&launch->tensors[i]))
            added = add_shadow(launch, &launch->tensors[i]);
    if (!added)
        ws_emulate_fail(launch, WS_ERR_MEMORY, "%s: out of memory", launch->kernel);
}

/* "c[3][17]"  */
static void name_element(const ws_emulate_shadow *shadow, size_t entry, char *text, size_t bytes)
{
    const ws_emulate_tensor *t = shadow->tensor;
    const ws_view view = ws_emulate_view(t);
    long left = (long)entry;
    size_t used = (size_t)snprintf(text, bytes, "%s", t->name);
    for (int i = 0; i < t->rank && used < bytes; i++) {
        long coordinate = view.stride[i] ? left / view.stride[i] : 0;
        left -= coordinate * view.stride[i];
        used += (size_t)snprintf(text + used, bytes - used, "[%ld]",
                                 t->stride[i] < 0 ? t->extent[i] - 1 - coordinate : coordinate);
    }
}

static _Noreturn void report_element(ws_sched *s, const ws_emulate_shadow *shadow, size_t entry, uint32_t x, uint32_t y,
                                     const char *what)
{
    char name[128];
    name_element(shadow, entry, name, sizeof name);
    if (x == MANY || y == MANY || x == ADDED || y == ADDED)
        ws_sched_fail(s, "iterations of the grid are not independent: %s %s", what, name);
    uint32_t low = x < y ? x : y, high = x < y ? y : x;
    ws_sched_fail(s, "iterations of the grid are not independent: tiles %u and %u: %s %s", low - 1, high - 1, what,
                  name);
}

static void touch_load(ws_sched *s, const ws_emulate_shadow *shadow, size_t entry, uint32_t tile)
{
    uint32_t before = 0;
    if (!__atomic_compare_exchange_n(&shadow->read[entry], &before, tile, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
        before != tile)
        __atomic_store_n(&shadow->read[entry], MANY, __ATOMIC_SEQ_CST);
    uint32_t writer = __atomic_load_n(&shadow->written[entry], __ATOMIC_SEQ_CST);
    if (!writer)
        return;
    if ((writer & ~BY_COPY) != tile)
        report_element(s, shadow, entry, writer & ~BY_COPY, tile, "one stores and one loads");
    if (writer & BY_COPY) {
        char name[128];
        name_element(shadow, entry, name, sizeof name);
        ws_sched_fail(s, "tile %u loads %s, which a copy out of this tile may not have written yet", tile - 1, name);
    }
}

static void touch_store(ws_sched *s, const ws_emulate_shadow *shadow, size_t entry, uint32_t tile,
                        ws_emulate_touch kind)
{
    uint32_t mark = kind == WS_EMULATE_ADD ? ADDED : kind == WS_EMULATE_STORE_BY_COPY ? tile | BY_COPY : tile;
    uint32_t before = __atomic_exchange_n(&shadow->written[entry], mark, __ATOMIC_SEQ_CST);
    if (before && (before & ~BY_COPY) != (mark & ~BY_COPY))
        report_element(s, shadow, entry, before & ~BY_COPY, tile, "both store");
    if (before & BY_COPY) {
        char name[128];
        name_element(shadow, entry, name, sizeof name);
        ws_sched_fail(s, "tile %u stores %s again, which a copy out of this tile may not have written yet", tile - 1,
                      name);
    }
    uint32_t reader = __atomic_load_n(&shadow->read[entry], __ATOMIC_SEQ_CST);
    if (reader && reader != tile)
        report_element(s, shadow, entry, reader, tile, "one stores and one loads");
}

void ws_emulate_touched(ws_sched *s, ws_emulate_touch kind, const void *line, size_t bytes)
{
    const ws_emulate_launch *launch = ((const ws_emulate_cta *)ws_sched_user(s))->launch;
    const char *from = line;
    long tile = ws_sched_tile(s);
    if (tile == WS_EMULATE_OUTSIDE && kind != WS_EMULATE_LOAD)
        ws_sched_fail(s, "a block of a cluster stores for a tile that the grid does not have");
    if (tile < 0 || tile >= (long)ADDED - 1 || !bytes)
        return;
    ws_emulate_touched_together(s, kind, from, bytes, tile);
    for (int i = 0; i < launch->nshadows; i++) {
        const ws_emulate_shadow *shadow = &launch->shadows[i];
        if (from >= shadow->high || from + bytes <= shadow->low)
            continue;
        const char *low = from < shadow->low ? shadow->low : from;
        const char *high = from + bytes > shadow->high ? shadow->high : from + bytes;
        ws_sched_global(s,
                        kind == WS_EMULATE_LOAD  ? 0
                        : kind == WS_EMULATE_ADD ? 2
                                                 : 1,
                        (ws_sched_range){low, (size_t)(high - low)});
        size_t last = (size_t)(high - shadow->low - 1) / shadow->unit;
        for (size_t entry = (size_t)(low - shadow->low) / shadow->unit; entry <= last; entry++) {
            if (kind == WS_EMULATE_LOAD)
                touch_load(s, shadow, entry, (uint32_t)tile + 1);
            else
                touch_store(s, shadow, entry, (uint32_t)tile + 1, kind);
        }
    }
}

void ws_emulate_once(ws_sched *s, const void *index, int bytes, int count, long low, long high)
{
    long twice = 0;
    int found = ws_index_twice(index, bytes, count, low, high, &twice);
    if (found < 0)
        ws_sched_fail(s, "no memory to compare %d indices", count);
    if (found)
        ws_sched_fail(s, "tile %ld: ws_store_at has the index %ld twice", ws_sched_tile(s), twice);
}
