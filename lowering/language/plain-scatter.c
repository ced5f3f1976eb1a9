/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-scatter.c - stores to elements that several iterations may have in common.
 *
 *   y[to[i]] += x[i];      %1 = select (%i.. < %n), (load_row %to, %i), -1
 *                          atomic_add_at %y, %1, (load_row %x, %i)
 *
 * An array is scattered to where the subscript of a store is loaded or computed, or a clause names the array; and where
 * the grid does nothing else with it. What is added meets in any order: of integers the sum is the same; of floats the
 * clause reduction(+: y) permits another rounding. What is stored does not meet: independent(y) is the user's word.
 */
#include <string.h>

#include "language/plain-memory.h"

static bool is_listed(const Reduction *list, const Op *store, Opcode op)
{
    const char *base = store->args[0]->name;
    for (; list; list = list->next)
        if (list->op == op && (!strcmp(list->name, store->store->label) || (base && !strcmp(list->name, base))))
            return true;
    return false;
}

/* By the clause reduction(+: y) of the grid.  */
static bool may_add(const Nest *in, const Op *store)
{
    return is_listed(in->kernel->grid.reductions, store, OP_SCALAR_ADD);
}

static bool is_independent(const Nest *in, const Op *store)
{
    return is_listed(in->kernel->grid.independent, store, OP_SET_ELEMENT);
}

/* A subscript of which neither counters nor what is known before the grid are all.  */
static bool is_computed(const Nest *in, const Poly *offset)
{
    for (int i = 0; i < offset->count; i++)
        for (int k = 0; k < offset->terms[i].count; k++) {
            const Value *value = offset->terms[i].values[k];
            if (loop_of(in, value) < 0 && !is_known_before(in, value))
                return true;
        }
    return false;
}

static bool stands_still(const Nest *in, const Poly *offset)
{
    for (int i = 0; i < offset->count; i++)
        for (int k = 0; k < offset->terms[i].count; k++)
            if (!is_known_before(in, offset->terms[i].values[k]))
                return false;
    return true;
}

/* y[k] = y[k] + x: the sum and the load of y[k], which nobody else uses; x or, of y[k] - x, -x.  */
typedef struct {
    Op *sum, *load;
    Value *part;
    bool negative;
} Addition;

static bool addition_of(const Op *store, const Poly *offset, Addition *addition)
{
    Op *sum = store->args[2]->def;
    if (!sum || (sum->code != OP_SCALAR_ADD && sum->code != OP_SCALAR_SUB) || store->args[2]->uses != 1)
        return false;
    for (int i = 0; i < (sum->code == OP_SCALAR_ADD ? 2 : 1); i++) {
        Op *load = sum->args[i]->def;
        if (!load || load->code != OP_ELEMENT || load->args[0] != store->args[0] || sum->args[i]->uses != 1)
            continue;
        Poly place = poly_of(load->args[1]);
        if (!poly_same(&place, offset) || load->parent != store->parent || sum->parent != store->parent)
            continue;
        *addition = (Addition){sum, load, sum->args[!i], sum->code == OP_SCALAR_SUB};
        return true;
    }
    return false;
}

static bool adds_in_memory(Dtype dtype)
{
    return dtype == D_F32 || dtype == D_F64 || (!dtype_is_float(dtype) && dtype_bytes(dtype) >= 4);
}

/* The store as one of additions, or of elements that do not meet, if it can be that.  */
static bool is_scattered(Nest *in, const Op *store, Addition *addition)
{
    Poly offset = poly_of(store->args[1]);
    Dtype dtype = store->args[2]->type.dtype;
    *addition = (Addition){0};
    if (!offset.known || stands_still(in, &offset))
        return false;
    if (is_independent(in, store))
        return true;
    return (may_add(in, store) || (!dtype_is_float(dtype) && is_computed(in, &offset))) && adds_in_memory(dtype) &&
           addition_of(store, &offset, addition);
}

/* Every access to the array is one of its scattered stores, or the load of one.  */
static bool only_scattered(Nest *in, const Block *block, const Value *base, bool adds, int *loads)
{
    FOR_OPS (op, block) {
        Addition addition;
        if (op->code == OP_ELEMENT && op->args[0] == base)
            ++*loads;
        if (op->code == OP_SET_ELEMENT && op->args[0] == base) {
            if (!is_scattered(in, op, &addition) || (addition.sum != NULL) != adds)
                return false;
            *loads -= adds;
        }
        for (int i = 0; i < op->nblocks; i++)
            if (!only_scattered(in, op->blocks[i], base, adds, loads))
                return false;
    }
    return true;
}

static void take(Nest *in, Op *store, const Addition *addition)
{
    if (in->nscattered == MAX_SCATTERED)
        return;
    in->scattered[in->nscattered++] = (Scattered){store, addition->sum != NULL};
    if (!addition->sum)
        return;
    Value *part = addition->part;
    if (addition->negative) {
        Op *negated = op_new(in->kernel, OP_SCALAR_NEG, addition->sum->loc, 1, &part);
        op_before(store, negated);
        part = op_result(in->kernel, negated, addition->part->type, NULL);
    }
    store->args[2] = part;
    op_remove(addition->sum);
    op_remove(addition->load);
}

typedef struct {
    Op *store;
    Addition addition;
} Candidate;

static void collect(Nest *in, Block *block, Candidate *found, int *count)
{
    FOR_OPS (op, block) {
        Candidate candidate = {op, {0}};
        int loads = 0;
        if (op->code == OP_SET_ELEMENT && !total_is(in, op) && *count < MAX_SCATTERED &&
            is_scattered(in, op, &candidate.addition) &&
            only_scattered(in, in->kernel->body, op->args[0], candidate.addition.sum != NULL, &loads) && !loads)
            found[(*count)++] = candidate;
        for (int i = 0; i < op->nblocks; i++)
            collect(in, op->blocks[i], found, count);
    }
}

/* require: the nest's loops, uses.   ensure: stores that scatter have only what they add left as their value.  */
void scatter_take(Nest *in)
{
    Candidate found[MAX_SCATTERED];
    int count = 0;
    ir_count_uses(in->kernel, in->kernel->body);
    collect(in, in->region->blocks[0], found, &count);
    for (int i = 0; i < count; i++)
        take(in, found[i].store, &found[i].addition);
}

/* ---- tiles whose sides are both apart in memory ------------------------------------------------------------------ */

static const Value *whole_of(const Value *base)
{
    return base->part_of ? base->part_of : base;
}

/* The grid only stores to the array, and no two of its stores to one element; to members of one type, since a vector
   lies over all of a struct.  */
static bool stores_apart(Nest *in, const Access *store)
{
    for (const Access *other = in->accesses; other; other = other->next) {
        int64_t distance;
        int last = store->group->rank - 1;
        if (whole_of(other->group->base) != whole_of(store->group->base) || other == store)
            continue;
        if (other->group != store->group || !other->stores || scatter_of(in, other->op) ||
            !poly_distance(&store->coordinate[last], &other->coordinate[last], &distance) || !distance)
            return false;
    }
    return in->nscattered < MAX_SCATTERED && !scatter_of(in, store->op);
}

/* Another loop goes along memory: better that is a side of the tile.  */
static bool another_goes_along(const Nest *in, const Access *access)
{
    FOR_LOOPS (i, in)
        if (!is_axis(in, i) && poly_has(&access->coordinate[access->group->rank - 1], in->loops[i].iv))
            return true;
    return false;
}

/* x[i][j].re: elements that are stored one by one, where iterations are known to be independent.
   require: accesses, no two iterations of the grid touch one element.   */
bool scatter_take_strided(Nest *in)
{
    Access *found[MAX_SCATTERED];
    int count = 0;
    for (Access *access = in->accesses; access && in->may_gather; access = access->next)
        if (access->stores && !scatter_of(in, access->op) && memory_is_strided(access) &&
            !another_goes_along(in, access) && stores_apart(in, access) && in->nscattered + count < MAX_SCATTERED)
            found[count++] = access;
    for (int i = 0; i < count; i++)
        in->scattered[in->nscattered++] = (Scattered){found[i]->op, false};
    return count > 0;
}

/* ---- stores under conditions ------------------------------------------------------------------------------------- */

static bool knows_reach(Nest *in, const Op *op)
{
    Poly high = poly_of_place(op), low = high;
    return bound_of(in, &high, op, true, false) && bound_of(in, &low, op, false, false);
}

static bool is_read(const Nest *in, const Value *base)
{
    for (const Access *access = in->accesses; access; access = access->next)
        if (!access->stores && whole_of(access->group->base) == whole_of(base))
            return true;
    return false;
}

/* The loops only store to the array, and two stores of one tile never to one element, or one behind the other by the
   same thread.  */
static bool stores_alone(Nest *in, const Access *store)
{
    if (scatter_of(in, store->op) || store->group->vector || is_read(in, store->group->base) ||
        !knows_reach(in, store->op))
        return false;
    for (const Access *other = in->accesses; other; other = other->next) {
        int64_t distance;
        Poly x = poly_of_place(store->op), y = poly_of_place(other->op);
        if (other == store || whole_of(other->group->base) != whole_of(store->group->base))
            continue;
        if (other->group != store->group || !poly_distance(&x, &y, &distance) ||
            (!distance && other->op->parent != store->op->parent))
            return false;
    }
    return true;
}

/* if (x[i] > 0) y[i] = x[i]: elements under a condition that no part of a tensor fulfils are stored by themselves, so
   that the others are not written. require: accesses, no two iterations of the grid touch one element.  */
bool scatter_take_masked(Nest *in)
{
    int before = in->nscattered;
    for (const Access *access = in->accesses; access; access = access->next) {
        bool masked = access->stores && access->op->nargs > 3 && !store_is_range(in, access);
        for (const Access *store = in->accesses; store && masked; store = store->next)
            if (store->group == access->group)
                masked = stores_alone(in, store) && in->nscattered < MAX_SCATTERED;
        for (const Access *store = in->accesses; store && masked; store = store->next)
            if (store->group == access->group && in->nscattered < MAX_SCATTERED)
                in->scattered[in->nscattered++] = (Scattered){store->op, false};
    }
    return in->nscattered > before;
}

const Scattered *scatter_of(const Nest *in, const Op *op)
{
    for (int i = 0; i < in->nscattered; i++)
        if (in->scattered[i].store == op)
            return &in->scattered[i];
    return NULL;
}

/* The store to the array whose subscript changes in the grid.  */
static const Op *store_to(Nest *in, const Block *block, const Value *base)
{
    const Op *found = NULL;
    FOR_OPS (op, block) {
        if (op->code == OP_SET_ELEMENT && op->args[0] == base) {
            Poly offset = poly_of(op->args[1]);
            found = stands_still(in, &offset) ? NULL : op;
        }
        for (int i = 0; i < op->nblocks && !found; i++)
            found = store_to(in, op->blocks[i], base);
        if (found)
            return found;
    }
    return NULL;
}

/* An access to an array in whose elements iterations may meet: what would permit it. False: it has nothing to do with
   this.  */
bool scatter_refuse(Nest *in, const Op *access)
{
    const Op *store = access->code == OP_SET_ELEMENT ? access : store_to(in, in->region->blocks[0], access->args[0]);
    Poly offset = poly_of(store ? store->args[1] : access->args[1]);
    if (!store || stands_still(in, &offset))
        return false;
    const char *name = *store->store->label ? store->store->label : store->args[0]->name;
    name = name ? name : "the array";
    if (may_add(in, store) && !adds_in_memory(store->args[2]->type.dtype))
        reject(in->kernel, store->loc, REASON_PLAIN_SCATTER_TYPE, name);
    else if (may_add(in, store))
        reject(in->kernel, access->loc, REASON_PLAIN_SCATTER_SUM, name);
    else if (is_independent(in, store))
        reject(in->kernel, access->loc, REASON_PLAIN_SCATTER_READ, name);
    else if (is_computed(in, &offset))
        reject(in->kernel, store->loc, REASON_PLAIN_SCATTER, name);
    else
        return false;
    return true;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* The subscripts, and -1 where there is no iteration, or its condition does not hold.  */
static Value *masked(Nest *in, Op *where, const Op *store, Value *index, int row, int col)
{
    Value *mask = store->nargs > 3 ? form_mask(in, where, store->args[3], false, row, col) : NULL;
    for (int i = 0; i < 2; i++) {
        int axis = i ? row : col;
        if (axis < 0 || !ends_together(in, axis))
            continue;
        Value *range = form_in_range(in, where, axis, row, col);
        mask = mask ? form_make(in, where, OP_AND, store->loc, D_MASK, mask, range, NULL) : range;
    }
    Value *none = form_full(in, where, D_I32, form_extent(in, row), form_extent(in, col), -1);
    if (mask)
        return form_make(in, where, OP_SELECT, store->loc, D_I32, mask, index, none);
    if (index->type.rows == none->type.rows && index->type.cols == none->type.cols)
        return index;
    none->def->tile->value = 0;
    return form_make(in, where, OP_ADD, store->loc, D_I32, none, index, NULL);
}

Value *scatter_index(Nest *in, Op *where, const Op *store, const Poly *place, int row, int col)
{
    return masked(in, where, store, form_index(in, where, place, row, col), row, col);
}

enum { MOST_COUNTS = 1024 };

/* A tile that adds the same whole number to few elements counts in shared memory how often it does to each.  */
static bool emit_counted(Nest *in, Op *where, const Op *store, Group *group, Value *index)
{
    int64_t part, counts;
    if ((group->dtype != D_I32 && group->dtype != D_I64) || !ir_constant(store->args[2], &part) ||
        group->nextents[0] != 1 || !poly_is_constant(&group->extent[0][0], &counts) || counts < 1 ||
        counts > MOST_COUNTS || index->type.rows != 1 || index->type.cols < 2 * counts)
        return false;
    Type type = type_tile(D_I32, 1, (int)counts);
    Value *count = form_op(in, where, OP_HISTOGRAM, store->loc, type, 1, &index);
    if (group->dtype != D_I32)
        count = form_make(in, where, OP_CAST, store->loc, group->dtype, count, NULL, NULL);
    if (part != 1)
        count = form_make(in, where, OP_MUL, store->loc, group->dtype, count,
                          ir_const_before(in->kernel, where, group->dtype, ir_wrap(group->dtype, part)), NULL);
    Value *number = form_op(in, where, OP_COL_INDEX, store->loc, type, 0, NULL);
    Value *args[] = {memory_vector(in, group), number, count};
    op_before(where, op_new(in->kernel, OP_ATOMIC_ADD_AT, store->loc, 3, args));
    return true;
}

void scatter_emit(Nest *in, Op *where, const Scattered *scattered)
{
    const Op *store = scattered->store;
    const Access *access = memory_access(in, store);
    uint32_t axes = 0;
    int row, col;
    FOR_LOOPS (i, in)
        axes |= is_axis(in, i) && ir_inside(store, in->loops[i].op->blocks[0]) ? 1u << i : 0;
    if (__builtin_popcount(axes) > 2) {
        reject(in->kernel, store->loc, REASON_PLAIN_THREE_AXES);
        return;
    }
    form_home(in, axes, &row, &col);
    Value *index = scatter_index(in, where, store, &access->coordinate[0], row, col);
    if (scattered->adds && emit_counted(in, where, store, access->group, index))
        return;
    Dtype dtype = access->group->dtype;
    Value *tile = form_stored(in, where, store, dtype, row, col);
    Value *args[] = {memory_vector(in, access->group), index, tile};
    op_before(where, op_new(in->kernel, scattered->adds ? OP_ATOMIC_ADD_AT : OP_STORE_AT, store->loc, 3, args));
}
