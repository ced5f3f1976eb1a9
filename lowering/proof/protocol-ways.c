/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-ways.c - the edges of the search graph: the successors of a frame and of its parts, once known.
 *
 *      frame 3, outcome true            leads to frame 7, whatever the parts are
 *      a slot with key 12 in frame 3    has key 19 in frame 7, whatever the other parts are
 *
 * Parts influence neither the steps of groups nor each other (protocol.c, "Reduction 3").  So the successor of a state
 * is known as soon as each of its parts has taken this edge in some state.  These may be different states.  An edge
 * that leads to nothing new is not taken (protocol.c, "Reduction 5").  A state that takes a known edge reuses the known
 * keys.
 *
 * The same steps are executed from one frame.  So a rule that holds for a part in one state holds for it in all states.
 */
#include <string.h>

#include "proof/protocol.h"

/* ---- what is known ----------------------------------------------------------------------------------------------- */

/* Returns 1 + the number of the part's key behind the edge, 0: not known.  */
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

/* True if the part's successor is known and was seen behind the edge.  The edge leads to a frame, or to the end.  */
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

/* At the end of all programs all rules have held for the state's parts.  */
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

/* Gives each part its key and adds it to the frame; true if one is new.  All parts are added, since their successors
   are seen, too.  */
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
    bool new_frame = false;
    if (!way->known) {
        if (explorer->waits && !new)
            list_facts(explorer, state);
        Key *frame = new ? NULL : key_of_frame(explorer, state);
        new_frame = frame && !frame->stop; /* it may have all parts, so that none is apart */
        *way = (Way){true, stop_of_frame(explorer, frame), state->moved, NULL, 0};
    }
    state->stop = way->to;
    if (!new) {
        new = parts_are_new(explorer, state, way) || new_frame;
        state->moved = 0;
    }
    explorer->nvisited += new;
    return new;
}
