/* SPDX-License-Identifier: MIT */
/*
 * data.c - arrays that stay on the device between launches: #pragma ws data.
 *
 *   ws_data_begin_ ();                                 #pragma ws data copy(a[0:n])
 *   ws_data_add_ (a, 0, n * 4, COPY, "a");             {
 *   ...                                                    ...
 *   ws_data_end_ ();                                   }
 *
 * Each thread has a list of ranges of host memory and their copies.  A launch with an address in a range uses the copy
 * (ws_data_find_).  The CPU has copies, too, which are garbage if nothing is copied in.  A clause that is wrong for the
 * GPU therefore gives wrong results on the CPU as well.
 */
#include "target.h"
#include "ws/backend.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COPY, COPY_IN, COPY_OUT, CREATE, PRESENT };

struct range {
    char *begin, *end, *copy;
    void *memory;
    int kind;
    const char *name;
};

static _Thread_local struct {
    struct range *ranges;
    int count, room;
    int begins[64], depth; /* the first range of each region */
} data;

void ws_data_begin_(void)
{
    if (data.depth < (int)(sizeof data.begins / sizeof *data.begins))
        data.begins[data.depth] = data.count;
    data.depth++;
}

/* The range that contains [begin, end).  Otherwise NULL, and *partly is a range that overlaps it, or NULL.  */
static const struct range *find(const char *begin, const char *end, const struct range **partly)
{
    *partly = NULL;
    for (int i = 0; i < data.count; i++) {
        const struct range *range = &data.ranges[i];
        if (range->begin <= begin && end <= range->end)
            return range;
        if (range->begin < end && begin < range->end)
            *partly = range;
    }
    return NULL;
}

static bool grow(void)
{
    if (data.count < data.room)
        return true;
    int room = data.room ? 2 * data.room : 16;
    struct range *more = realloc(data.ranges, (size_t)room * sizeof *more);
    if (!more)
        return false;
    data.ranges = more;
    data.room = room;
    return true;
}

/* The copy keeps the array's address modulo 256, so that alignment does not depend on the array's memory.  */
static bool make_copy(struct range *range)
{
    const struct ws_backend *backend = ws_backend_current();
    size_t lead = (size_t)range->begin % 256, bytes = (size_t)(range->end - range->begin);
    range->memory = grow() ? backend->alloc(lead + bytes) : NULL;
    if (!range->memory) {
        ws_error_set(WS_ERR_MEMORY, "data: %s: no memory for %zu bytes on the device", range->name, bytes);
        return false;
    }
    range->copy = (char *)range->memory + lead;
    if (range->kind == COPY || range->kind == COPY_IN)
        return backend->copy(range->copy, range->begin, bytes) == WS_OK;
    if (!backend->is_device_pointer(range->copy))
        memset(range->copy, 0xff, bytes);
    return true;
}

void ws_data_add_(const void *base, long first, long bytes, int kind, const char *name)
{
    const struct range *partly;
    char *begin = (char *)(uintptr_t)base + first;
    struct range range = {begin, begin + bytes, NULL, NULL, kind, name};
    if (bytes < 0) {
        ws_error_set(WS_ERR_ARGUMENT, "data: %s: %ld bytes", name, bytes);
        return;
    }
    if (bytes == 0 || ws_backend_current()->is_device_pointer(begin) || find(begin, range.end, &partly))
        return;
    if (partly)
        ws_error_set(WS_ERR_ARGUMENT, "data: %s: a part of it is on the device as %s, and a part is not", name,
                     partly->name);
    else if (kind == PRESENT)
        ws_error_set(WS_ERR_ARGUMENT, "data: %s: is not on the device", name);
    else if (make_copy(&range))
        data.ranges[data.count++] = range;
    else if (range.memory)
        ws_backend_current()->free(range.memory);
}

void ws_data_end_(void)
{
    const struct ws_backend *backend = ws_backend_current();
    if (--data.depth >= (int)(sizeof data.begins / sizeof *data.begins))
        return;
    while (data.count > data.begins[data.depth]) {
        struct range *range = &data.ranges[--data.count];
        if (range->kind == COPY || range->kind == COPY_OUT)
            backend->copy(range->begin, range->copy, (size_t)(range->end - range->begin));
        else
            backend->sync();
        backend->free(range->memory);
    }
    if (data.count)
        return;
    free(data.ranges);
    data.ranges = NULL;
    data.room = 0;
}

void ws_data_update_(const void *base, long first, long bytes, int to_host, const char *name)
{
    const struct range *partly;
    char *begin = (char *)(uintptr_t)base + first;
    const struct range *range = bytes > 0 ? find(begin, begin + bytes, &partly) : NULL;
    if (bytes <= 0 || ws_backend_current()->is_device_pointer(begin))
        return;
    if (!range) {
        ws_error_set(WS_ERR_ARGUMENT, "update: %s: is not on the device", name);
        return;
    }
    char *copy = range->copy + (begin - range->begin);
    ws_backend_current()->copy(to_host ? begin : copy, to_host ? copy : begin, (size_t)bytes);
}

/* Replaces *begin by the address that a launch uses for [*begin, end).  */
ws_status ws_data_find_(const char *kernel, const char *name, char **begin, const char *end, int stored)
{
    const struct range *partly, *range = data.count ? find(*begin, end, &partly) : NULL;
    if (!data.count || (!range && !partly))
        return WS_OK;
    if (!range)
        return ws_error_set(WS_ERR_ARGUMENT, "%s: %s: reaches beyond what data has of %s on the device", kernel, name,
                            partly->name);
    if (stored && range->kind == COPY_IN)
        return ws_error_set(WS_ERR_ARGUMENT, "%s: %s: is stored, and data copies %s in alone: write copy(%s...)",
                            kernel, name, range->name, range->name);
    *begin = range->copy + (*begin - range->begin);
    return WS_OK;
}
