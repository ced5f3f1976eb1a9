/* SPDX-License-Identifier: MIT */
/*
 * report.c - reports of violations of the protocol, and of states without a possible step.
 *
 * The CTA's buffer collects the text of a report.  Then the fibers are abandoned and ws_sched_run returns.
 */
#include "state.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failing ----------------------------------------------------------------------------------------------------- */

void ws_cta_say(ws_sched *s, const char *format, ...)
{
    size_t used = strlen(s->report);
    va_list list;
    va_start(list, format);
    vsnprintf(s->report + used, REPORT_BYTES - used, format, list);
    va_end(list);
}

void ws_cta_say_head(ws_sched *s)
{
    s->report[0] = 0;
    ws_cta_say(s, "%s: CTA %d, seed %llu: ", s->kernel, s->config.cta, (unsigned long long)s->config.seed);
}

void ws_cta_say_group(ws_sched *s, const fiber *f)
{
    ws_cta_say(s, "group %d", f->group);
    if (s->config.groups)
        ws_cta_say(s, " of block %d", f->block);
    if (f->role[0])
        ws_cta_say(s, " (%s)", f->role);
}

/* "put 5 of ring ta_tb (slot 1, phase 1)"  */
void ws_cta_say_slot(ws_sched *s, const char *what, int number, uint64_t index)
{
    const ring *r = &s->ring[number];
    ws_cta_say(s, "%s %llu of ring %s", what, (unsigned long long)index, r->name);
    if (s->config.groups)
        ws_cta_say(s, " of block %d", r->block);
    ws_cta_say(s, " (slot %d, phase %d)", (int)(index % r->slots), (int)(index / r->slots & 1));
}

void ws_cta_say_iteration(ws_sched *s, const fiber *f)
{
    if (f->last_ring)
        ws_cta_say(s, ", after get %llu of ring %s", (unsigned long long)f->last_get, s->ring[f->last_ring].name);
    if (f->tile >= 0)
        ws_cta_say(s, ", tile %ld", f->tile);
}

/* Abandons the fibers; ws_sched_run goes on.  */
void ws_cta_give_up(ws_sched *s)
{
    s->failed = true;
    ws_fiber_switch(&self(s)->context, &s->main, true);
    for (;;) /* not reached */
        ;
}

void ws_sched_fail(ws_sched *s, const char *format, ...)
{
    ws_cta_say_head(s);
    size_t used = strlen(s->report);
    va_list list;
    va_start(list, format);
    vsnprintf(s->report + used, REPORT_BYTES - used, format, list);
    va_end(list);
    ws_cta_give_up(s);
}

/* "… group 1 (consumer) WHAT get 3 of ring r (slot 1, phase 1): WHY"  */
void ws_cta_fail_slot(ws_sched *s, const char *does, const char *what, int number, uint64_t index, const char *why)
{
    ws_cta_say_head(s);
    ws_cta_say_group(s, self(s));
    ws_cta_say(s, " %s ", does);
    ws_cta_say_slot(s, what, number, index);
    ws_cta_say(s, ": %s", why);
    ws_cta_give_up(s);
}

void ws_cta_fail_left(ws_sched *s, const char *text)
{
    ws_cta_say_head(s);
    ws_cta_say_group(s, self(s));
    ws_cta_say(s, " %s", text);
    ws_cta_say_iteration(s, self(s));
    ws_cta_give_up(s);
}

void ws_cta_fail_memory(ws_sched *s, const char *does, const operation *o, const char *what)
{
    ws_cta_say_head(s);
    ws_cta_say_group(s, self(s));
    ws_cta_say(s, " %s ", does);
    if (o->kind == WS_SCHED_COPY_IN) {
        ws_cta_say(s, "%s for ", what);
        ws_cta_say_slot(s, "put", o->ring, o->index);
    } else {
        ws_cta_say(s, "%s of ", what);
        ws_cta_say_group(s, s->fiber[o->fiber]);
        ws_cta_say(s, " (%s %llu)", o->kind == WS_SCHED_PRODUCT ? "product group" : "copy out",
                   (unsigned long long)o->index);
    }
    ws_cta_say_iteration(s, self(s));
    ws_cta_give_up(s);
}

static void say_wait(ws_sched *s, const fiber *f)
{
    const ring *r = &s->ring[f->object];
    switch (f->wait) {
    case WAIT_START:
        ws_cta_say(s, "waits in start() for the other groups");
        break;
    case WAIT_FINISH:
        ws_cta_say(s, "waits in finish() for the other blocks");
        break;
    case WAIT_PUT: {
        const slot *t = &r->slot[f->index % r->slots];
        ws_cta_say(s, "waits in ");
        ws_cta_say_slot(s, "put", f->object, f->index);
        if (t->filling)
            ws_cta_say(s, ": the slot's put %llu is not full", (unsigned long long)(f->index - r->slots));
        else
            ws_cta_say(s, ": put %llu was released by %d of %d groups", (unsigned long long)(f->index - r->slots),
                       t->arrived, r->arrivals);
        break;
    }
    case WAIT_GET: {
        const slot *t = &r->slot[f->index % r->slots];
        ws_cta_say(s, "waits in ");
        ws_cta_say_slot(s, "get", f->object, f->index);
        if (r->puts <= f->index)
            ws_cta_say(s, ": %llu puts were made", (unsigned long long)r->puts);
        else if (!t->sealed)
            ws_cta_say(s, ": its put was not done");
        else
            ws_cta_say(s, ": %zu of %zu bytes have arrived", t->landed, t->expected);
        break;
    }
    case WAIT_PRODUCTS:
        ws_cta_say(s, "waits for products");
        break;
    case WAIT_COPIES:
        ws_cta_say(s, "waits for copies out");
        break;
    case WAIT_WRITTEN:
        ws_cta_say(s, "waits until its copies out have written");
        break;
    case WAIT_TURN:
        ws_cta_say(s, "waits for turn %d of %s", (int)f->index, s->turns[f->object].name);
        break;
    case WAIT_NOTHING:
        ws_cta_say(s, "can go on");
        break;
    }
}

void ws_cta_fail_stuck(ws_sched *s)
{
    ws_cta_say_head(s);
    ws_cta_say(s, "a wait that can never be satisfied");
    for (int i = 0; i < s->nfibers; i++) {
        const fiber *f = s->fiber[i];
        ws_cta_say(s, "\n  ");
        ws_cta_say_group(s, f);
        ws_cta_say(s, " ");
        if (f->done)
            ws_cta_say(s, "has ended");
        else
            say_wait(s, f);
        if (f->tile >= 0 && !f->done)
            ws_cta_say(s, ", tile %ld", f->tile);
    }
    ws_cta_give_up(s);
}
