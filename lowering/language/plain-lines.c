/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-lines.c - elements of an array at equal distances, of which the launch knows the first and the distance.
 *
 *   y[iy + i * incy] = ...   0 <= i < n      tensor y, n x 1, strides incy and 1, from iy on; coordinates i and 0
 *
 * The distance may be below 0: such a line runs downwards in memory.  A tensor begins with the first element that its
 * loop touches, so that the launch sees whether lines of one array, each a tensor, have an element in common.
 */
#include "language/plain-memory.h"

struct Line {
    const Op *op;
    int loop;
    Dtype dtype;
    Poly distance, first; /* of the element of the loop's first iteration, in elements */
    int64_t place;        /* of that element on the group's line */
    Group *group;
    bool refused;
    Line *next;
};

static Line *line_of(const Nest *in, const Op *op)
{
    for (Line *line = in->lines; line; line = line->next)
        if (line->op == op)
            return line;
    return NULL;
}

Group *line_group(const Nest *in, const Op *op)
{
    const Line *line = line_of(in, op);
    return line && !line->refused ? line->group : NULL;
}

Poly line_coordinate(const Nest *in, const Op *op)
{
    const Line *line = line_of(in, op);
    const Loop *loop = &in->loops[line->loop];
    Poly place = poly_constant(line->place), iv = poly_value(loop->iv), from = poly_add(&iv, &loop->lo, -1);
    return poly_add(&from, &place, 1);
}

/* The one loop that the element moves along.  A distance that is a number is as well a stride, unless the array is
   stored and begins where the launch knows: rows of dimensions would overlap.  */
static bool is_line(Nest *in, Line *line)
{
    Poly offset, rest = poly_constant(0);
    int64_t number;
    line->loop = -1;
    if (memory_is_number(in, line->op) || reach_guards(in, line->op).count ||
        !memory_offset(in, line->op, NULL, &offset))
        return false;
    FOR_LOOPS (i, in) {
        if (!poly_has(&offset, in->loops[i].iv))
            continue;
        if (line->loop >= 0 || !is_axis(in, i) || !poly_split(&offset, in->loops[i].iv, &line->distance, &rest))
            return false;
        line->loop = i;
    }
    if (line->loop < 0 || !poly_is_fixed(in, &line->distance) || !poly_is_fixed(in, &rest) ||
        !poly_is_fixed(in, &in->loops[line->loop].lo))
        return false;
    Poly ahead = poly_multiply(&in->loops[line->loop].lo, &line->distance);
    line->first = poly_add(&rest, &ahead, 1);
    if (!line->first.known)
        return false;
    return !poly_is_constant(&line->distance, &number) ||
           (number > 1 && !poly_is_constant(&line->first, &number) && memory_is_stored(in, line->op->args[0]));
}

void line_visit(Nest *in, Op *op)
{
    Line *line = arena_alloc(in->kernel->module, sizeof *line), **end = &in->lines;
    *line = (Line){.op = op, .dtype = memory_dtype(op)};
    line->refused = !is_line(in, line);
    while (*end)
        end = &(*end)->next;
    *end = line;
}

/* Of an array all accesses are on lines, or none is; of one that is stored along one loop, with one distance.  */
static bool goes_along(Nest *in, const Line *line)
{
    bool stored = memory_is_stored(in, line->op->args[0]);
    for (const Line *other = in->lines; other; other = other->next) {
        if (other->op->args[0] != line->op->args[0])
            continue;
        if (other->refused || (stored && (other->loop != line->loop || other->dtype != line->dtype ||
                                          !poly_same(&other->distance, &line->distance))))
            return false;
    }
    return true;
}

/* How many elements behind the first of the group's line it begins, if that is a number.  */
static bool place_on(const Group *group, Line *line)
{
    Poly behind = poly_add(&line->first, &group->first, -1), rest = poly_constant(0);
    int64_t place;
    if (!poly_is_constant(&behind, &place))
        behind = stride_divide(&behind, &line->distance, QUOTIENT_NEAREST, &rest);
    else if (place)
        return false;
    if (rest.count || !poly_is_constant(&behind, &place))
        return false;
    line->place = place;
    return true;
}

static void join_group(Nest *in, Line *line)
{
    Group **end = &in->groups;
    line->place = 0;
    for (; *end; end = &(*end)->next) {
        Group *group = *end;
        if (!group->line || group->base != line->op->args[0] || group->dtype != line->dtype ||
            !poly_same(&group->stride[0], &line->distance) || !place_on(group, line))
            continue;
        line->group = group;
        if (line->place >= 0)
            return;
        group->first = line->first;
        for (Line *other = in->lines; other != line; other = other->next)
            other->place -= other->group == group ? line->place : 0;
        line->place = 0;
        return;
    }
    Group *group = arena_alloc(in->kernel->module, sizeof *group);
    *group = (Group){.base = line->op->args[0],
                     .dtype = line->dtype,
                     .rank = 2,
                     .stride = {line->distance, poly_constant(1)},
                     .line = true,
                     .first = line->first,
                     .stored = memory_is_stored(in, line->op->args[0])};
    line->group = *end = group;
}

/* require: each access was visited.   ensure: groups of lines */
void lines_settle(Nest *in)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (Line *line = in->lines; line; line = line->next)
            if (!line->refused && !goes_along(in, line))
                line->refused = changed = true;
    }
    for (Line *line = in->lines; line && !in->kernel->failed; line = line->next)
        if (!line->refused)
            join_group(in, line);
}
