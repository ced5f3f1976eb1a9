/* SPDX-License-Identifier: MIT */
/*
 * faults.c - reports about waits that did not end, and faults for tests.
 *
 *      WS_WATCHDOG=5                       a tile waits 5 seconds for another grid's
 *      WS_FAULT=silent:gather#2@1          grid 2 of its block, of `gather`, reports no tile as done on device 1
 *      WS_FAULT=lost:product               the device fails at the launch of `product`
 *
 * A kernel that gives up a wait writes two numbers.  This file remembers the grids of the last launches that wait for
 * tiles, so that a report can name them.
 */
#include "target.h"
#include "ws/backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- waits ------------------------------------------------------------------------------------------------------- */

enum { REMEMBERED = 256 };

struct waiting {
    int id, number, device, nwaits;
    const char *kernel;
    struct {
        const char *kernel;
        int number, device, inner, count;
        unsigned begin; /* of its counters, the low half of the address */
    } waits[WS_WAITS];
};
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiting waiting[REMEMBERED];
static int last_id;

void ws_faults_remember(struct ws_together *launch)
{
    if (!launch->nwaits)
        return;
    pthread_mutex_lock(&waiting_lock);
    launch->id = ++last_id;
    struct waiting *w = &waiting[launch->id % REMEMBERED];
    w->id = launch->id;
    w->kernel = launch->kernel;
    w->number = launch->number;
    w->device = ws_devices_current();
    w->nwaits = launch->nwaits;
    for (int i = 0; i < launch->nwaits; i++) {
        w->waits[i].kernel = launch->waits[i].kernel;
        w->waits[i].number = launch->waits[i].number;
        w->waits[i].device = launch->waits[i].device;
        w->waits[i].begin = (unsigned)(uintptr_t)(launch->waits[i].words + launch->waits[i].first);
        w->waits[i].inner = launch->waits[i].count[1];
        w->waits[i].count = launch->waits[i].count[0] * launch->waits[i].count[1];
    }
    pthread_mutex_unlock(&waiting_lock);
}

static void say_grid(char *text, size_t bytes, const char *kernel, int number, int device)
{
    if (device < 0)
        snprintf(text, bytes, "%s, grid %d of its block", kernel, number);
    else
        snprintf(text, bytes, "%s, grid %d of its block, on device %d", kernel, number, device);
}

const char *ws_together_stuck_(char *text, size_t bytes, struct ws_stuck stuck, int seconds)
{
    char who[128], whose[128];
    int wait = 0, counter = 0;
    pthread_mutex_lock(&waiting_lock);
    const struct waiting w = waiting[stuck.id % REMEMBERED];
    pthread_mutex_unlock(&waiting_lock);
    for (; wait < w.nwaits; wait++) {
        counter = (int)((stuck.counter - w.waits[wait].begin) / 4);
        if (counter < w.waits[wait].count)
            break;
    }
    if (w.id != (int)stuck.id || wait == w.nwaits) {
        snprintf(text, bytes, "a tile has waited %d s for those of an earlier grid", seconds);
        return text;
    }
    say_grid(who, sizeof who, w.kernel, w.number, w.device);
    say_grid(whose, sizeof whose, w.waits[wait].kernel, w.waits[wait].number, w.waits[wait].device);
    const int count = w.waits[wait].count, inner = w.waits[wait].inner;
    if (inner > 1 && inner < count)
        snprintf(text, bytes, "%s: a tile has waited %d s for tiles (%d, %d) of %d x %d of %s", who, seconds,
                 counter / inner, counter % inner, count / inner, inner, whose);
    else
        snprintf(text, bytes, "%s: a tile has waited %d s for row %d of %d of the tiles of %s", who, seconds, counter,
                 count, whose);
    return text;
}

int ws_watchdog_(void)
{
    const char *text = ws_environment_("WS_WATCHDOG");
    return text && *text ? (int)strtol(text, NULL, 0) : 30;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static bool is_asked_for(const char *fault, size_t length, const char *kind, const char *kernel, int number)
{
    const size_t before = strlen(kind), name = strlen(kernel);
    const char *end = fault + length;
    if (length < before + 1 + name || strncmp(fault, kind, before) || fault[before] != ':' ||
        strncmp(fault + before + 1, kernel, name))
        return false;
    fault += before + 1 + name;
    if (fault < end && *fault == '#' && strtol(fault + 1, (char **)&fault, 10) != number)
        return false;
    if (fault < end && *fault == '@' && strtol(fault + 1, (char **)&fault, 10) != ws_devices_current())
        return false;
    return fault == end;
}

static const char *faults_asked_for(void)
{
    static atomic_bool read;
    static _Atomic(const char *) text;
    if (!atomic_load(&read)) {
        atomic_store(&text, ws_environment_("WS_FAULT"));
        atomic_store(&read, true);
    }
    return atomic_load(&text);
}

int ws_fault_(enum ws_fault kind, const char *kernel, int number)
{
    static const char *const kinds[] = {"silent", "lost"};
    const char *text = faults_asked_for();
    while (text && *text) {
        const size_t length = strcspn(text, ",");
        if (kernel && is_asked_for(text, length, kinds[kind], kernel, number))
            return 1;
        text += length + (text[length] == ',');
    }
    return 0;
}
