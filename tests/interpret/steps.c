/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steps.c - the dependence between two steps: ordered, in conflict, or independent (APART).
 *
 * Two steps are ordered if one makes the other possible.  Copies and put_done enable a get, releases a put, a pass a
 * take.  The end of an engine's operation enables a wait, and its start enables its own steps.  The counters of the
 * runtime only grow, and the second step waits for the first.  So in no order do the two change places.
 *
 * Two steps are in conflict if both access the same bytes, of shared or global memory, and one writes.  An operation in
 * flight accesses its operands when it starts, when it runs, and when a wait completes it.  A turn that is passed
 * before it was taken is in conflict, too.
 *
 * All other steps are independent: they leave the same state in either order.
 */
#include "steps.h"

#include <stdlib.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void *grown(void *old, int count, int *room, size_t bytes)
{
    if (count < *room)
        return old;
    *room = *room ? 2 * *room : 8;
    void *more = realloc(old, (size_t)*room * bytes);
    if (!more)
        abort();
    return more;
}

void *zeroed(int count, size_t bytes)
{
    void *memory = calloc((size_t)count + 1, bytes);
    if (!memory)
        abort();
    return memory;
}

void add_touch(Touches *to, Touch touch)
{
    to->at = grown(to->at, to->count, &to->room, sizeof *to->at);
    to->at[to->count++] = touch;
}

static bool is_memory(Kind kind)
{
    return kind <= ADDS;
}

/* Sums up the step's touches, for a quick test.  */
void sum_up(Step *step)
{
    Glance *glance = &step->glance;
    *glance = (Glance){.known = true};
    for (int i = 0; i < step->touches.count; i++) {
        const Touch *touch = &step->touches.at[i];
        const char *from = touch->range.at, *to = from + touch->range.bytes;
        if (!is_memory(touch->kind)) {
            glance->objects |= (uint64_t)1 << touch->object % 64;
        } else if (touch->range.bytes) {
            glance->from = !glance->to || from < glance->from ? from : glance->from;
            glance->to = to > glance->to ? to : glance->to;
        }
    }
}

static Touches touches_copy(const Touches *from)
{
    Touches copy = {NULL, 0, 0};
    for (int i = 0; i < from->count; i++)
        add_touch(&copy, from->at[i]);
    return copy;
}

Step step_copy(const Step *from)
{
    Step copy = {.process = from->process, .touches = touches_copy(&from->touches)};
    sum_up(&copy);
    return copy;
}

void steps_drop(Step *steps, int count)
{
    for (int i = 0; i < count; i++)
        free(steps[i].touches.at);
    free(steps);
}

/* ---- which steps depend on each other ---------------------------------------------------------------------------- */

static bool overlap(ws_sched_range x, ws_sched_range y)
{
    const char *p = x.at, *q = y.at;
    return x.bytes && y.bytes && p < q + y.bytes && q < p + x.bytes;
}

static bool is_global(Kind kind)
{
    return kind >= LOADS && kind <= ADDS;
}

static Relation relate_memory(const Touch *x, const Touch *y)
{
    bool reads = (x->kind == READS || x->kind == LOADS) && (y->kind == READS || y->kind == LOADS);
    bool adds = x->kind == ADDS && y->kind == ADDS; /* atomic additions may come in any order */
    return is_global(x->kind) == is_global(y->kind) && !reads && !adds && overlap(x->range, y->range) ? CONFLICT
                                                                                                      : APART;
}

/* The relation of two touches; `x` comes before `y` in the present run.  */
static Relation relate_touches(const Touch *x, const Touch *y)
{
    if (is_memory(x->kind) || is_memory(y->kind))
        return is_memory(x->kind) && is_memory(y->kind) ? relate_memory(x, y) : APART;
    if (x->object != y->object)
        return APART;
    switch (y->kind) {
    case GETS:
        return x->kind == FILLS && x->index == y->index ? ORDERED : APART;
    case PUTS: /* FREES has the index of the put that it enables */
        return x->kind == FREES && x->index == y->index ? ORDERED : APART;
    case TAKES:
        return x->kind == PASSES && x->index == y->index ? ORDERED : APART;
    case PASSES:
        return (x->kind == TAKES || x->kind == PASSES) && x->index + 1 == y->index ? CONFLICT : APART;
    case WAITS:
        return x->kind == ENDS && x->index <= y->index ? ORDERED : APART;
    case OUT_WAITS:
        return x->kind == OUT_ENDS && x->index <= y->index ? ORDERED : APART;
    default:
        return APART;
    }
}

static bool are_apart(const Glance *x, const Glance *y)
{
    return x->known && y->known && !(x->objects & y->objects) && (x->to <= y->from || y->to <= x->from);
}

Relation relate(const Step *x, const Step *y)
{
    Relation relation = APART;
    if (are_apart(&x->glance, &y->glance))
        return APART;
    for (int i = 0; i < x->touches.count; i++)
        for (int k = 0; k < y->touches.count; k++) {
            Relation here = relate_touches(&x->touches.at[i], &y->touches.at[k]);
            if (here == ORDERED)
                return ORDERED;
            relation = here == CONFLICT ? CONFLICT : relation;
        }
    return relation;
}

bool depends(const Step *x, const Step *y)
{
    return x->process == y->process || relate(x, y) != APART || relate(y, x) != APART;
}
