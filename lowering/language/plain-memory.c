/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-memory.c - arrays as tensors.
 *
 *   x[i * K + k + 1], 0 <= i < M, 0 <= k < K      tensor x, extents M and K + 1, strides K and 1; coordinates i, k + 1
 *   x[j * K + k],     0 <= j < N                  the same tensor, extents max (M, N) and K + 1
 *
 * The factors of the loops' counters are the strides.  What is left of a subscript is divided by them, the largest
 * first.  A tensor ends behind the last element that the loops read or write, so that no other is ever looked at.
 */
#include <string.h>

#include "language/plain-memory.h"

static const char *base_name(const Value *base)
{
    return base->name ? base->name : "the array";
}

/* How often each letter, digit and sign stands in the text.  */
static void count_signs(const char *text, size_t length, int *counts)
{
    for (size_t i = 0; i < length && text[i]; i++)
        counts[(unsigned char)text[i]] += text[i] != ' ' && text[i] != '(' && text[i] != ')';
}

/* A subscript as the source writes it, if that has the same terms in another order.  */
static const char *subscript_text(const Nest *in, const Op *op, const Poly *x)
{
    const char *text = poly_text(in->kernel->module, x);
    int wanted[256] = {0}, depth = 0;
    count_signs(text, SIZE_MAX, wanted);
    for (const char *at = op->written ? op->written : "", *begin = at; *at; at++) {
        if (*at == '[' && !depth++)
            begin = at + 1;
        int counts[256] = {0};
        if (*at != ']' || --depth)
            continue;
        count_signs(begin, (size_t)(at - begin), counts);
        if (!memcmp(counts, wanted, sizeof counts))
            return arena_print(in->kernel->module, "%.*s", (int)(at - begin), begin);
    }
    return text;
}

const char *memory_text(const Nest *in, const Access *access)
{
    Module *module = in->kernel->module;
    const char *text = base_name(access->group->base);
    if (access->op->spelling)
        return access->op->spelling;
    if (access->group->line) {
        Poly along = poly_multiply(&access->coordinate[0], &access->group->stride[0]),
             place = poly_add(&along, &access->group->first, 1);
        return arena_print(module, "%s[%s]", text, subscript_text(in, access->op, &place));
    }
    for (int i = 0; i < access->group->places; i++)
        text = arena_print(module, "%s[%s]", text, subscript_text(in, access->op, &access->place[i]));
    return text;
}

static const char *gathered(const Nest *in, const Op *op)
{
    return op->code == OP_ELEMENT ? in->gathered[op->results[0]->id] : NULL;
}

/* Of these the tensor is a vector.  */
bool memory_is_number(const Nest *in, const Op *op)
{
    return scatter_of(in, op) || (op->code == OP_ELEMENT && (!is_tiled(in, op->results[0]) || gathered(in, op)));
}

static bool stores_to(const Op *op, const void *base)
{
    return op->code == OP_SET_ELEMENT && op->args[0] == base;
}

bool memory_is_stored(const Nest *in, const Value *base)
{
    return ir_any_of(in->kernel->body, stores_to, base);
}

/* What is no window of a tensor is looked up element by element, by a tile of indices, where the grid only reads the
   array.  True: the accesses are scanned again.  */
static bool gather(Nest *in, const Op *op, const char *why)
{
    bool reads = op->code == OP_ELEMENT && is_tiled(in, op->results[0]) && !memory_is_stored(in, op->args[0]);
    if (in->kernel->failed || !in->may_gather || !reads || gathered(in, op))
        return false;
    in->gathered[op->results[0]->id] = why;
    in->again = true;
    return true;
}

/* As a tensor holds them: what has no sign as a number of the same bits that has one.  */
Dtype memory_dtype(const Op *op)
{
    Dtype dtype = op->code == OP_ELEMENT ? op->results[0]->type.dtype : op->args[2]->type.dtype;
    return dtype == D_U16 ? D_I16 : dtype == D_U32 ? D_I32 : dtype == D_U64 ? D_I64 : dtype;
}

bool memory_offset(Nest *in, const Op *op, Group *group, Poly *offset)
{
    Wrapped wrapped;
    *offset = poly_of_subscript(op->args[1], &wrapped);
    for (int i = 0; i < wrapped.count; i++)
        if (!reach_is_below_2_32(in, op, group, wrapped.values[i])) {
            *offset = poly_of(op->args[1]);
            break;
        }
    if (!offset->known || !poly_divide_by(offset, dtype_bytes(memory_dtype(op)))) {
        reject(in->kernel, op->loc, REASON_PLAIN_ALIGNED, base_name(op->args[0]));
        return false;
    }
    return true;
}

/* The dimensions that an access has by itself.  */
static bool own_strides(Nest *in, const Op *op, Group *group)
{
    Poly offset, one = poly_constant(1);
    *group = (Group){.base = op->args[0], .dtype = memory_dtype(op), .apart = true};
    return memory_offset(in, op, NULL, &offset) && stride_add(group, &one) && strides_take(in, group, &offset, false) &&
           strides_take(in, group, &offset, true);
}

static bool is_apart(const Nest *in, const Op *op)
{
    return op->code == OP_ELEMENT && in->apart[op->results[0]->id];
}

static bool is_flat(const Nest *in, const Op *op)
{
    return in->flat[op->args[0]->id] || (op->code == OP_ELEMENT && in->flat[op->results[0]->id]);
}

static Group *group_of(Nest *in, const Op *op)
{
    Group **end = &in->groups, own, *line = line_group(in, op);
    if (line)
        return line;
    bool number = memory_is_number(in, op), flat = !number && is_flat(in, op);
    bool apart = !number && !flat && is_apart(in, op) && own_strides(in, op, &own);
    int reach = op->code == OP_ELEMENT ? in->reach[op->results[0]->id] : 0;
    for (; *end; end = &(*end)->next)
        if (!(*end)->line && (*end)->base == op->args[0] && (*end)->dtype == memory_dtype(op) &&
            ((*end)->vector != NULL) == number && (*end)->apart == apart && (*end)->flat == flat &&
            (*end)->reach == reach && (!apart || strides_are_same(*end, &own)))
            return *end;
    Group *group = arena_alloc(in->kernel->module, sizeof *group);
    *group = apart ? own : (Group){.base = op->args[0], .dtype = memory_dtype(op)};
    group->vector = number ? op->args[0] : NULL; /* a mark, until there is one */
    group->flat = flat;
    group->reach = reach;
    return *end = group;
}

/* An array that the grid only reads has several tensors where one set of dimensions would not do for all subscripts:
   of x[(i - 1) * n] and x[(n - 1 - i) * n], i falling by 3, one has strides of 3 n, the other of n.  */
static bool set_apart(Nest *in, const Op *op)
{
    Group own;
    if (in->kernel->failed || op->code != OP_ELEMENT || memory_is_stored(in, op->args[0]) || is_apart(in, op) ||
        memory_is_number(in, op) || !own_strides(in, op, &own) || strides_are_same(group_of(in, op), &own))
        return false;
    in->apart[op->results[0]->id] = true;
    in->again = true;
    return true;
}

typedef void Visit(Nest *in, Op *op);

static void visit_accesses(Nest *in, Block *block, Visit *visit)
{
    FOR_OPS (op, block) {
        if ((op->code == OP_ELEMENT || (op->code == OP_SET_ELEMENT && !total_is(in, op))) && !in->kernel->failed)
            visit(in, op);
        for (int i = 0; i < op->nblocks; i++)
            visit_accesses(in, op->blocks[i], visit);
    }
}

static void refuse_rank(Nest *in, const Op *op)
{
    reject(in->kernel, op->loc, REASON_PLAIN_RANK, base_name(op->args[0]));
}

static void visit_strides(Nest *in, Op *op, bool composed)
{
    Poly offset, one = poly_constant(1);
    if (line_group(in, op) || !memory_offset(in, op, NULL, &offset))
        return;
    Group *group = group_of(in, op);
    group->stored |= op->code == OP_SET_ELEMENT;
    if ((!stride_add(group, &one) || (!group->vector && !strides_take(in, group, &offset, composed))) &&
        !gather(in, op, "its subscripts have more than 4 strides"))
        refuse_rank(in, op);
}

static void visit_single(Nest *in, Op *op)
{
    visit_strides(in, op, false);
}

static void visit_composed(Nest *in, Op *op)
{
    visit_strides(in, op, true);
}

static void add_extent(Group *group, int dim, const Poly *top)
{
    int64_t more;
    for (int i = 0; i < group->nextents[dim]; i++)
        if (poly_distance(top, &group->extent[dim][i], &more)) {
            if (more > 0)
                group->extent[dim][i] = *top;
            return;
        }
    if (group->nextents[dim] < MAX_EXTENTS)
        group->extent[dim][group->nextents[dim]++] = *top;
    else
        group->nextents[dim] = MAX_EXTENTS + 1;
}

/* The condition under which an access takes place, if that is known before the grid.  */
static Value *guard_of(Nest *in, const Op *op)
{
    for (const Block *block = op->parent; block->parent && block->parent != in->region; block = block->parent->parent) {
        Op *branch = block->parent;
        if (branch->code != OP_IF || !is_known_before(in, branch->args[0]))
            continue;
        Value *condition = form_prologue(in, branch->args[0]);
        if (block == branch->blocks[0])
            return condition;
        for (Op *other = in->region->prev; other; other = other->prev)
            if (other->code == OP_SCALAR_NOT && other->args[0] == condition)
                return other->results[0];
        return ir_scalar_before(in->kernel, in->region, OP_SCALAR_NOT, D_I1, 1, &condition);
    }
    return NULL;
}

static void add_guard(Nest *in, Group *group, const Op *op)
{
    Value *guard = guard_of(in, op);
    if (group->unguarded)
        return;
    if (!guard || (group->guard && group->guard != guard)) {
        group->unguarded = true;
        group->guard = NULL;
        return;
    }
    group->guard = guard;
}

/* The axis that a coordinate moves along: its counter stands in it once, as it is.  */
static bool axis_in(Nest *in, const Access *access, const Poly *coordinate, int *axis)
{
    *axis = -1;
    for (int i = 0; i < coordinate->count; i++) {
        const Term *term = &coordinate->terms[i];
        for (int k = 0; k < term->count; k++) {
            int loop = loop_of(in, term->values[k]);
            bool known_there = loop >= 0 || !is_tiled(in, term->values[k]); /* what a branch loads is a tile of one */
            if (!axes_of(in, term->values[k]) && known_there)
                continue;
            const char *text = subscript_text(in, access->op, coordinate);
            if (loop < 0) {
                if (!scatter_refuse(in, access->op) && !gather(in, access->op, "the subscript is loaded, or computed"))
                    reject(in->kernel, access->op->loc, REASON_PLAIN_GATHER, text);
                return false;
            }
            if (term->count != 1 || term->factor != 1 || *axis >= 0) {
                bool backwards = term->count == 1 && term->factor == -1;
                if (gather(in, access->op, backwards ? "the subscript runs backwards" : "no side of a tile runs so"))
                    return false;
                reject(in->kernel, access->op->loc, backwards ? REASON_PLAIN_BACKWARDS : REASON_PLAIN_AFFINE, text,
                       in->loops[loop].iv->name ? in->loops[loop].iv->name : "the counter");
                return false;
            }
            *axis = loop;
        }
    }
    return true;
}

/* proved: each is at least 0, for all that the launcher may be handed; otherwise none is a number below 0.  */
static bool places_of(Nest *in, Access *access, Poly offset, Quotient rounding, bool proved)
{
    Group *group = access->group;
    for (int i = 0; i < group->places; i++) {
        Poly rest;
        access->place[i] = i + 1 < group->places ? stride_divide(&offset, &group->place[i], rounding, &rest) : offset;
        if (i + 1 < group->places)
            offset = rest;
    }
    for (int i = 0; i < group->places; i++) {
        Poly least = access->place[i];
        int64_t number;
        bool constant = bound_of(in, &least, access->op, false, false) && poly_is_constant(&least, &number);
        if (constant ? number < 0 && !reach_is_natural(in, access->op, &access->place[i])
            : proved ? !reach_is_natural(in, access->op, &access->place[i])
                     : reach_is_nowhere_positive(in, access, &access->place[i]))
            return false;
    }
    return true;
}

static bool coordinates_of(Nest *in, Access *access, const Poly *offset)
{
    static const struct {
        Quotient rounding;
        bool proved;
    } ways[] = {{QUOTIENT_NEAREST, true},
                {QUOTIENT_DOWN, true},
                {QUOTIENT_TO_ZERO, false},
                {QUOTIENT_NEAREST, false},
                {QUOTIENT_DOWN, false}};
    int way = 0, nways = sizeof ways / sizeof *ways;
    while (way < nways && !places_of(in, access, *offset, ways[way].rounding, ways[way].proved))
        way++;
    if (way == nways)
        return false;
    for (int i = 0; i < access->group->rank; i++)
        access->coordinate[i] = access->group->flat ? *offset : access->place[i];
    return true;
}

/* Its bounds are numbers that it takes; of rests and choices they may be beyond those.  */
static bool is_of_counters(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (loop_of(in, x->terms[i].values[k]) < 0 && !is_known_before(in, x->terms[i].values[k]))
                return false;
    return true;
}

/* Elements that are looked up by themselves: from the first of the array to the last that the loops reach.  */
static void visit_gathered(Nest *in, Access *access, const Poly *offset)
{
    Poly one = poly_constant(1), all = *offset;
    int64_t number;
    reach_join(in, &all);
    Poly least = all, given;
    access->coordinate[0] = access->place[0] = *offset;
    access->axis[0] = -1;
    int nleast = access->group->nleast;
    bool by_clause = reach_given(in, access->group, &given);
    bool known = !by_clause && reach_both_of(in, access, &all, &least);
    if (!known && (by_clause || reach_declared(access->group, &given))) {
        access->group->nleast = nleast;
        access->top[0] = given;
        add_extent(access->group, 0, &given);
        return;
    }
    if (!known) {
        reject(in->kernel, access->op->loc, REASON_PLAIN_EXTENT, memory_text(in, access));
        return;
    }
    bool constant = poly_is_constant(&least, &number);
    bool exact = is_of_counters(in, offset),
         natural = constant ? number >= 0 : reach_is_natural(in, access->op, offset);
    bool never = !constant && !natural && !exact && reach_is_nowhere_positive(in, access, &least);
    if (!natural && (constant || never || !reach_add_least(access->group, &least)))
        reject(in->kernel, access->op->loc, exact ? REASON_PLAIN_NEGATIVE : REASON_PLAIN_EXTENT,
               memory_text(in, access));
    access->top[0] = poly_add(&all, &one, 1);
    add_extent(access->group, 0, &access->top[0]);
}

/* At least 0, or the launcher sees to it.  */
static bool is_checked(Nest *in, const Access *access, const Poly *x)
{
    Poly least = *x;
    int64_t number;
    if (reach_is_never_below(in, access, x))
        return true;
    return bound_of(in, &least, access->op, false, false) && !poly_is_constant(&least, &number) &&
           reach_add_least(access->group, &least);
}

/* An array that is stored is a vector where each element has one place: inside of a row.  */
static bool is_told_apart(Nest *in, const Access *access)
{
    const Group *group = access->group;
    Poly inside = poly_constant(0), one = poly_constant(1), bounds[MAX_BOUNDS];
    for (int i = group->places - 1; i > 0; i--) {
        Poly part = poly_multiply(&access->place[i], &group->place[i]), room;
        bool fits = false;
        int64_t number;
        inside = poly_add(&inside, &part, 1);
        for (int k = bounds_of(in, &inside, access->op, true, bounds) - 1; k >= 0 && !fits; k--)
            fits = poly_distance(&group->place[i - 1], &bounds[k], &number) && number > 0;
        room = poly_add(&group->place[i - 1], &inside, -1);
        room = poly_add(&room, &one, -1);
        if (!is_checked(in, access, &access->place[i]) || (!fits && !is_checked(in, access, &room)))
            return false;
    }
    return true;
}

/* A box of the elements along each dimension reaches no further than the accesses.  Otherwise the array is a vector:
   where 256 b + t < n, that has n elements.  */
static bool fits_in_box(Nest *in, const Access *access, const Poly *offset)
{
    const Op *op = access->op;
    if (access->group->rank < 2 || reach_box_fits(in, access, offset))
        return true;
    in->flat[memory_is_stored(in, op->args[0]) ? op->args[0]->id : op->results[0]->id] = true;
    in->again = true;
    return false;
}

static bool refuse_in_front(Nest *in, const Access *access)
{
    if (!gather(in, access->op, "a subscript may lie in front of its row"))
        reject(in->kernel, access->op->loc, REASON_PLAIN_NEGATIVE, memory_text(in, access));
    return false;
}

/* Each dimension begins at 0.  What only the whole subscript does, or does under a condition, is looked up.  */
static bool begins_in_rows(Nest *in, const Access *access, const Poly *offset)
{
    bool natural = true;
    for (int i = 0; i < access->group->rank; i++)
        natural &= reach_is_never_below(in, access, &access->coordinate[i]);
    bool reads = access->op->code == OP_ELEMENT && !memory_is_stored(in, access->op->args[0]);
    return natural || !reads || !(reach_guards(in, access->op).count || reach_is_never_below(in, access, offset));
}

static bool visit_window(Nest *in, Access *access, const Poly *offset)
{
    Group *group = access->group;
    const Op *op = access->op;
    if (group->line) {
        access->coordinate[0] = access->place[0] = line_coordinate(in, op);
        access->coordinate[1] = access->place[1] = poly_constant(0);
    } else if (!coordinates_of(in, access, offset)) {
        if (group->vector)
            visit_gathered(in, access, offset);
        else if (!set_apart(in, op) && !gather(in, op, "the first of them may lie in front of the array"))
            reject(in->kernel, op->loc, REASON_PLAIN_NEGATIVE, memory_text(in, access));
        return group->vector && !in->kernel->failed;
    }
    if (!group->vector && !group->line && !begins_in_rows(in, access, offset))
        return refuse_in_front(in, access);
    if (group->flat && !is_told_apart(in, access)) {
        reject(in->kernel, op->loc, REASON_PLAIN_EXTENT, memory_text(in, access));
        return false;
    }
    for (int i = 0; i < group->rank; i++) {
        Poly one = poly_constant(1), all = access->coordinate[i];
        if (!axis_in(in, access, &access->coordinate[i], &access->axis[i]))
            return false;
        access->top[i] = access->coordinate[i];
        bool top = bound_of(in, &access->top[i], op, true, true);
        bool known = top && reach_from_0(in, access, &access->coordinate[i], &all);
        if (!known && top && group->rank == 1 && (reach_given(in, group, &all) || reach_declared(group, &all))) {
            all = poly_add(&all, &one, -1);
            known = true;
        }
        if (!known && group->vector) { /* a number: conditions say more */
            visit_gathered(in, access, offset);
            return !in->kernel->failed;
        }
        if (!known) {
            if (!scatter_refuse(in, op) && !gather(in, op, "how far a subscript goes is not known before the grid"))
                reject(in->kernel, op->loc, REASON_PLAIN_EXTENT, memory_text(in, access));
            return false;
        }
        reach_nothing_between(in, access, &access->coordinate[i], &all);
        access->top[i] = poly_add(&access->top[i], &one, 1);
        access->extent[i] = poly_add(&all, &one, 1);
        add_extent(group, i, &access->extent[i]);
    }
    return group->line || fits_in_box(in, access, offset);
}

/* ---- where tensors begin ----------------------------------------------------------------------------------------- */

static void stay(Group *group)
{
    group->stays = true;
    group->moved = false;
}

/* The element of the loops' first iterations, of what is beyond a row; false: one loop's first is not known.  */
static bool first_of(Nest *in, const Poly *offset, Poly *first)
{
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        Poly factor, rest, one = poly_constant(1), edge = loop->lo;
        if (!poly_has(offset, loop->iv))
            continue;
        if (!poly_split(offset, loop->iv, &factor, &rest) || !poly_is_fixed(in, &factor))
            return false;
        if (!stride_is_positive(&factor))
            edge = poly_add(&loop->hi, &one, -1);
        if (!poly_is_fixed(in, &edge))
            return false;
        edge = poly_multiply(&factor, &edge);
        *first = poly_add(first, &edge, 1);
    }
    for (int i = 0; i < offset->count; i++)
        if (!offset->terms[i].count) {
            Poly number = poly_constant(offset->terms[i].factor);
            *first = poly_add(first, &number, 1);
        }
    return first->known;
}

/* y[4 * i + j + o] has rows of 4 elements, that begin with y[o]: what the loops leave alone moves the tensor, where it
   would not be part of a row.  */
static void visit_first(Nest *in, Op *op)
{
    Poly offset, zero = poly_constant(0);
    Group *group = group_of(in, op);
    int64_t behind;
    if (group->line || group->vector || group->flat || group->stays || !memory_offset(in, op, NULL, &offset))
        return;
    Poly first = strides_beyond_rows(in, group, &offset);
    const bool guarded = reach_is_conditional(in, op); /* the first element may be what a condition leaves out */
    if (poly_same(&first, &zero) || !first_of(in, &offset, &first) || (guarded && !reach_is_natural(in, op, &first)) ||
        (group->moved && !poly_distance(&first, &group->first, &behind))) {
        stay(group);
        return;
    }
    if (!group->moved || behind < 0)
        group->first = first;
    group->moved = true;
}

/* An array that is stored and has several tensors: they begin alike.  */
static void settle_first(Nest *in, Group *group)
{
    bool alone = !group->base->part_of;
    for (const Group *other = in->groups; other && memory_is_stored(in, group->base); other = other->next)
        alone &= other == group || other->base != group->base;
    if (!alone)
        stay(group);
}

static void visit_access(Nest *in, Op *op)
{
    Access *access = arena_alloc(in->kernel->module, sizeof *access), **end = &in->accesses;
    Poly offset;
    Group *group = group_of(in, op);
    if (in->again || !memory_offset(in, op, group, &offset))
        return;
    if (group->moved)
        offset = poly_add(&offset, &group->first, -1);
    *access = (Access){.op = op, .stores = op->code == OP_SET_ELEMENT, .group = group};
    access->gathered = gathered(in, op);
    if (access->gathered || scatter_of(in, op))
        visit_gathered(in, access, &offset);
    else if (!visit_window(in, access, &offset))
        return;
    for (int i = 0; i < access->group->rank; i++)
        if (access->group->nextents[i] > MAX_EXTENTS)
            refuse_rank(in, op);
    add_guard(in, access->group, op);
    while (*end)
        end = &(*end)->next;
    *end = access;
}

static bool in_two_dimensions(const Access *access, int *axis)
{
    for (int i = 0; i < access->group->rank; i++)
        for (int k = 0; k < i; k++)
            if (access->axis[i] >= 0 && access->axis[i] == access->axis[k]) {
                *axis = access->axis[i];
                return true;
            }
    return false;
}

/* Neither side of the tile has its elements next to each other.  */
bool memory_is_strided(const Access *access)
{
    int sides = 0, last = access->group->rank - 1;
    for (int i = 0; i < last; i++)
        sides += access->axis[i] >= 0;
    return sides > 1 && access->axis[last] < 0;
}

/* A vector has one dimension.  Where it is stored, others tell its elements apart.  */
static void take_places(Group *group)
{
    Poly one = poly_constant(1);
    if (group->flat && !group->stored) {
        group->rank = 1;
        group->stride[0] = one;
    }
    group->places = group->rank;
    for (int i = 0; i < group->rank; i++)
        group->place[i] = group->stride[i];
    if (group->flat) {
        group->rank = 1;
        group->stride[0] = one;
    }
}

/* All of the tensor's extents are this access's own.  */
static bool has_all_extents(const Group *group, const Access *access)
{
    int64_t more;
    for (int i = 0; i < group->rank; i++)
        for (int k = 0; k < group->nextents[i] && k < MAX_EXTENTS; k++)
            if (!poly_distance(&access->extent[i], &group->extent[i][k], &more) || more < 0)
                return false;
    return true;
}

/* The access's tensor would do for the other, too.  */
static bool reaches_as_far(const Access *access, const Access *other)
{
    int64_t more;
    for (int i = 0; i < access->group->rank; i++)
        if (!poly_distance(&access->extent[i], &other->extent[i], &more) || more < 0)
            return false;
    return true;
}

/* x[i + 1][j] and x[i][j + 1] together are a box with a corner that is never touched.  An array that is only read is
   several tensors, of which each reaches as far as one of its accesses.  */
enum { MOST_REACHES = 8 };
static void set_reaches(Nest *in, const Group *group)
{
    const Access *leaders[MOST_REACHES];
    int count = 0;
    for (const Access *access = in->accesses; access; access = access->next) {
        if (access->group != group)
            continue;
        if (group->rank < 2 || has_all_extents(group, access))
            return;
        int kept = 0;
        bool led = false;
        for (int i = 0; i < count; i++)
            led |= reaches_as_far(leaders[i], access);
        for (int i = 0; i < count; i++)
            if (led || !reaches_as_far(access, leaders[i]))
                leaders[kept++] = leaders[i];
        count = kept;
        if (!led && count == MOST_REACHES)
            return;
        if (!led)
            leaders[count++] = access;
    }
    for (const Access *access = in->accesses; access && count > 1; access = access->next)
        for (int i = 0; i < count && access->group == group; i++)
            if (reaches_as_far(leaders[i], access)) {
                in->reach[access->op->results[0]->id] = in->nreaches + i + 1;
                in->again = true;
                break;
            }
    in->nreaches += count;
}

static void scan_once(Nest *in)
{
    in->accesses = NULL;
    in->groups = NULL;
    in->lines = NULL;
    in->again = false;
    visit_accesses(in, in->region->blocks[0], line_visit);
    lines_settle(in);
    visit_accesses(in, in->region->blocks[0], visit_single);
    for (Group *group = in->groups; group; group = group->next)
        if (group->stored) {
            strides_drop_sums(group);
            strides_drop_multiples(group);
        }
    visit_accesses(in, in->region->blocks[0], visit_composed);
    for (Group *group = in->groups; group; group = group->next)
        take_places(group);
    visit_accesses(in, in->region->blocks[0], visit_first);
    for (Group *group = in->groups; group; group = group->next)
        settle_first(in, group);
    visit_accesses(in, in->region->blocks[0], visit_access);
    for (Group *group = in->groups; group && !in->kernel->failed && !in->again; group = group->next)
        if (!group->vector && !group->stored && !group->flat)
            set_reaches(in, group);
    for (const Access *access = in->accesses; access && !in->kernel->failed && !in->again; access = access->next) {
        int axis;
        if (in_two_dimensions(access, &axis) && !gather(in, access->op, "they lie along a diagonal of a tile"))
            reject(in->kernel, access->op->loc, REASON_PLAIN_DIAGONAL, memory_text(in, access));
        else if (memory_is_strided(access))
            gather(in, access->op, "on neither side of the tile they are next to each other");
    }
}

/* require: axes.   ensure: in->accesses, in->groups; false after a refusal.  */
bool memory_scan(Nest *in)
{
    size_t values = (size_t)in->kernel->module->next_id + 1;
    in->gathered = arena_alloc(in->kernel->module, values * sizeof *in->gathered);
    in->apart = arena_alloc(in->kernel->module, values * sizeof *in->apart);
    in->flat = arena_alloc(in->kernel->module, values * sizeof *in->flat);
    in->reach = arena_alloc(in->kernel->module, values * sizeof *in->reach);
    do
        scan_once(in);
    while (in->again && !in->kernel->failed);
    return !in->kernel->failed;
}

Access *memory_access(const Nest *in, const Op *op)
{
    for (Access *access = in->accesses; access; access = access->next)
        if (access->op == op)
            return access;
    return NULL;
}

bool memory_is_padded(const Nest *in, const Access *access, int axis)
{
    (void)in;
    const Group *group = access->group;
    for (int i = 0; i < group->rank; i++)
        if (access->axis[i] == axis)
            return group->nextents[i] == 1 && poly_same(&access->top[i], &group->extent[i][0]);
    return false;
}
