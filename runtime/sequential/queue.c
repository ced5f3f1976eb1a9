/* SPDX-License-Identifier: MIT */
/*
 * queue.c - queues of tiles: ws_ring_new, and the functions of ws_put and ws_get.
 *
 * A ring is a block of memory like a tile, with the ends of a list.  Tiles in the list are copies, since no stack
 * refers to them in the meantime.
 */
#include "tile.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    struct ws_tile_ tile;
};

struct ends {
    struct entry *first, *last;
};

static struct ends ends_of(ws_ring r)
{
    struct ends ends = {NULL, NULL};
    if (r && r->rows == (int)sizeof ends)
        memcpy(&ends, r->data, sizeof ends);
    return ends;
}

static void set_ends(ws_ring r, struct ends ends)
{
    if (r && r->rows == (int)sizeof ends)
        memcpy((void *)(uintptr_t)r->data, &ends, sizeof ends);
}

ws_ring ws_ring_new(int slots)
{
    struct ends none = {NULL, NULL};
    struct ws_tile_ *ring = ws_tile_new(WS_RULE_I8, (int)sizeof none, 1);
    (void)slots;
    set_ends(ring, none);
    return ring;
}

void ws_ring_put_(ws_ring r, ws_tile v)
{
    struct ends ends = ends_of(r);
    size_t bytes = (size_t)v->rows * (size_t)v->cols * (size_t)ws_dtype_bytes(v->dtype);
    struct entry *entry = malloc(sizeof *entry + bytes);
    if (!entry) {
        ws_error_set(WS_ERR_MEMORY, "no memory for a tile in a ring");
        return;
    }
    entry->next = NULL;
    memcpy(&entry->tile, v, sizeof *v + bytes);
    if (ends.last)
        ends.last->next = entry;
    else
        ends.first = entry;
    ends.last = entry;
    set_ends(r, ends);
}

ws_tile ws_ring_get_(ws_ring r)
{
    struct ends ends = ends_of(r);
    struct entry *entry = ends.first;
    if (!entry) {
        ws_error_set(WS_ERR_ARGUMENT, "a tile is got from a ring into which none was put");
        return ws_tile_new(WS_RULE_F32, 1, 1);
    }
    struct ws_tile_ *tile = ws_tile_new(entry->tile.dtype, entry->tile.rows, entry->tile.cols);
    size_t bytes = (size_t)tile->rows * (size_t)tile->cols * (size_t)ws_dtype_bytes(tile->dtype);
    memcpy(tile->data, entry->tile.data, bytes);
    ends.first = entry->next;
    ends.last = ends.first ? ends.last : NULL;
    set_ends(r, ends);
    free(entry);
    return tile;
}
