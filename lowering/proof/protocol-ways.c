/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-ways.c - what an outcome leads to, once it was tried.
 *
 *   frame 3, "one more iteration"    leads to frame 7, whatever the parts are
 *   a slot that was so in frame 3    is so in frame 7, whatever the other parts are
 *
 * Parts have no say in how groups go on, nor in each other (protocol.c, 4).  So what becomes of a state is known as
 * soon as some state has gone that way with each of its parts, be it another with each; where nothing of that is new,
 * it needs not go. A state that goes there all the same says nothing again that was said before.
 *
 * The same steps are taken from one frame, so the rules that hold for a part in one state hold for it in all.
 */
#include <string.h>

#include "proof/protocol.h"

/* ---- what is known ----------------------------------------------------------------------------------------------- */

/* What becomes of it, plus one, 0: not known.  */
static int what_becomes(const Way *way, int number)
{
    return number < way->nbecomes ? way->becomes[number] : 0;
}

static void learn(Explorer *explorer, Way *way, int number, int becomes)
{
    if (becomes >= UINT16_MAX)
        return;
    if (number >= way->nbecomes) {
        int room = number + number / 2 + 16;
        uint16_t *more = arena_alloc(explorer->kernel->module, (size_t)room * sizeof *more);
        if (way->nbecomes)
            memcpy(more, way->becomes, (size_t)way->nbecomes * sizeof *more);
        way->becomes = more;
        way->nbecomes = room;
    }
    way->becomes[number] = (uint16_t)(becomes + 1);
}

/* ---- before it goes ---------------------------------------------------------------------------------------------- */

/* The way leads to a frame, or to the end.  */
static bool leads_part_nowhere(const Explorer *explorer, const State *state, const Way *way, int part)
{
    const Key *key = state->keys[part];
    if (!way->to || explorer->parts[part].blocks & way->moved) {
        int becomes = what_becomes(way, key->number);
        if (!becomes || !way->to)
            return becomes;
        key = explorer->part_keys[becomes - 1];
    }
    return was_there(way->to->frame, key);
}

bool leads_nowhere(const Explorer *explorer, const State *state, const Stop *stop, bool outcome)
{
    const Way *way = &stop->ways[outcome];
    if (!way->known)
        return false;
    if (way->to && !way->to->frame)
        return leads_nowhere(explorer, state, way->to, true) && leads_nowhere(explorer, state, way->to, false);
    for (int part = 0; part < explorer->nparts; part++)
        if (explorer->parts[part].apart && !leads_part_nowhere(explorer, state, way, part))
            return false;
    return true;
}

/* ---- once it is there -------------------------------------------------------------------------------------------- */

/* All rules have held for its parts.  */
void arrive_at_end(Explorer *explorer, const State *state, Way *way)
{
    way->known = true;
    for (int part = 0; part < explorer->nparts; part++)
        if (explorer->parts[part].apart)
            learn(explorer, way, state->keys[part]->number, 0);
}

static const Key *key_there(Explorer *explorer, const State *state, Way *way, int part, bool *listed)
{
    const Key *before = state->keys[part];
    int becomes = before ? what_becomes(way, before->number) : 0;
    if (becomes)
        return explorer->part_keys[becomes - 1];
    if (!*listed)
        list_facts(explorer, state);
    *listed = true;
    const Key *key = key_of_part(explorer, state, part);
    if (before)
        learn(explorer, way, before->number, key->number);
    return key;
}

/* Notes each part, whatever the state goes on for: what comes of it is seen as well.  */
static bool parts_are_new(Explorer *explorer, State *state, Way *way)
{
    bool new = false, listed = false;
    Key *frame = way->to->frame;
    for (int part = 0; part < explorer->nparts; part++) {
        if (!explorer->parts[part].apart)
            continue;
        if (state->moved & explorer->parts[part].blocks)
            state->keys[part] = key_there(explorer, state, way, part, &listed);
        if (was_there(frame, state->keys[part]))
            continue;
        see(explorer, frame, state->keys[part]);
        new = true;
    }
    return new;
}

bool arrive(Explorer *explorer, State *state, Way *way)
{
    const Op *op = state->groups[state->question.group].pc;
    bool new = explorer->groups[state->question.group].about[op->position] & ABOUT_SAME_WAY;
    if (!way->known) {
        if (explorer->waits && !new)
            list_facts(explorer, state);
        *way = (Way){true, stop_of_frame(explorer, new ? NULL : key_of_frame(explorer, state)), state->moved, NULL, 0};
    }
    state->stop = way->to;
    if (!new) {
        new = parts_are_new(explorer, state, way);
        state->moved = 0;
    }
    explorer->nvisited += new;
    return new;
}
