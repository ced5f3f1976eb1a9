/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-ways.c - what an outcome leads to, once it was tried.
 *
 *   frame 3, "one more iteration"    leads to frame 7, whatever the parts are
 *   a slot that was so in frame 3    is so in frame 7, whatever the other parts are
 *
 * Parts have no say in how groups go on, nor in each other (protocol.c, 4).  So what becomes of a world is known as soon as
 * some world has gone that way with each of its parts, be it another with each; where nothing of that is new, it needs not go.
 * A world that goes there all the same says nothing again that was said before.
 *
 * The same steps are taken from one frame, so the rules that hold for a part in one world hold for it in all.
 */
#include <string.h>

#include "proof/protocol.h"

/* ---- what is known ----------------------------------------------------------------------------------------------- */

/* What becomes of it, plus one, 0: not known.  */
static int what_becomes(const Way *way, int number)
{
    return number < way->nbecomes ? way->becomes[number] : 0;
}

static void learn(Explorer *in, Way *way, int number, int becomes)
{
    if (becomes >= UINT16_MAX)
        return;
    if (number >= way->nbecomes) {
        int room = number + number / 2 + 16;
        uint16_t *more = arena_alloc(in->kernel->module, (size_t)room * sizeof *more);
        if (way->nbecomes)
            memcpy(more, way->becomes, (size_t)way->nbecomes * sizeof *more);
        way->becomes = more;
        way->nbecomes = room;
    }
    way->becomes[number] = (uint16_t)(becomes + 1);
}

/* ---- before it goes ---------------------------------------------------------------------------------------------- */

/* The way leads to a frame, or to the end.  */
static bool leads_part_nowhere(const Explorer *in, const World *world, const Way *way, int part)
{
    const Key *key = world->keys[part];
    if (!way->to || in->parts[part].blocks & way->moved) {
        int becomes = what_becomes(way, key->number);
        if (!becomes || !way->to)
            return becomes;
        key = in->states[becomes - 1];
    }
    return was_there(way->to->frame, key);
}

bool leads_nowhere(const Explorer *in, const World *world, const Stop *stop, bool outcome)
{
    const Way *way = &stop->ways[outcome];
    if (!way->known)
        return false;
    if (way->to && !way->to->frame)
        return leads_nowhere(in, world, way->to, true) && leads_nowhere(in, world, way->to, false);
    for (int part = 0; part < in->nparts; part++)
        if (in->parts[part].apart && !leads_part_nowhere(in, world, way, part))
            return false;
    return true;
}

/* ---- once it is there -------------------------------------------------------------------------------------------- */

/* All rules have held for its parts.  */
void arrive_at_end(Explorer *in, const World *world, Way *way)
{
    way->known = true;
    for (int part = 0; part < in->nparts; part++)
        if (in->parts[part].apart)
            learn(in, way, world->keys[part]->number, 0);
}

static const Key *key_there(Explorer *in, const World *world, Way *way, int part, bool *listed)
{
    const Key *before = world->keys[part];
    int becomes = before ? what_becomes(way, before->number) : 0;
    if (becomes)
        return in->states[becomes - 1];
    if (!*listed)
        list_facts(in, world);
    *listed = true;
    const Key *key = key_of_part(in, world, part);
    if (before)
        learn(in, way, before->number, key->number);
    return key;
}

/* Notes each part, whatever the world goes on for: what comes of it is seen as well.  */
static bool parts_are_new(Explorer *in, World *world, Way *way)
{
    bool new = false, listed = false;
    Key *frame = way->to->frame;
    for (int part = 0; part < in->nparts; part++) {
        if (!in->parts[part].apart)
            continue;
        if (world->moved & in->parts[part].blocks)
            world->keys[part] = key_there(in, world, way, part, &listed);
        if (was_there(frame, world->keys[part]))
            continue;
        see(in, frame, world->keys[part]);
        new = true;
    }
    return new;
}

bool arrive(Explorer *in, World *world, Way *way)
{
    const Op *op = world->states[world->question.group].pc;
    bool new = in->groups[world->question.group].about[op->position] & ABOUT_SAME_WAY;
    if (!way->known) {
        if (in->waits && !new)
            list_facts(in, world);
        *way = (Way){true, stop_of_frame(in, new ? NULL : key_of_frame(in, world)), world->moved, NULL, 0};
    }
    world->stop = way->to;
    if (!new) {
        new = parts_are_new(in, world, way);
        world->moved = 0;
    }
    in->nvisited += new;
    return new;
}
