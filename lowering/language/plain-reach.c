/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-reach.c - how far an array is looked at, from loops, conditions, its declaration and clauses.
 *
 *   if (k >= 0 && k < n) s += x[idx[i] * n + k]        k is at most n - 1
 */
#include "language/plain-memory.h"

/* Below 0 never, as far as loops and conditions tell.  */
bool reach_is_natural(Nest *in, const Op *op, const Poly *x)
{
    Poly below = poly_constant(-1);
    Facts *facts = facts_new(in, 0);
    facts_at(facts, op, 1, true);
    below = poly_add(&below, x, -1);
    facts_add(facts, &below, 1);
    return facts_contradict(facts);
}

/* The same, or some bound is a number of at least 0.  */
bool reach_is_never_below(Nest *in, const Access *access, const Poly *x)
{
    Poly bounds[MAX_BOUNDS];
    int64_t number;
    if (reach_is_natural(in, access->op, x))
        return true;
    for (int i = bounds_of(in, x, access->op, false, bounds) - 1; i >= 0; i--)
        if (poly_is_constant(&bounds[i], &number) && number >= 0)
            return true;
    return false;
}

/* Above 0 never: a coordinate like that of a loop is 0 at its first iteration, and no coordinate behind it.  */
bool reach_is_nowhere_positive(Nest *in, const Access *access, const Poly *x)
{
    Poly below = poly_constant(-1), less = poly_add(x, &below, 1);
    Facts *facts = facts_new(in, 0);
    facts_at(facts, access->op, 1, true);
    facts_add(facts, &less, 1);
    return facts_contradict(facts);
}

/* What has to be 0 or more.  */
bool reach_add_least(Group *group, const Poly *x)
{
    int64_t more;
    for (int i = 0; i < group->nleast; i++)
        if (poly_distance(x, &group->least[i], &more)) {
            if (more < 0)
                group->least[i] = *x;
            return true;
        }
    if (group->nleast == MAX_EXTENTS)
        return false;
    group->least[group->nleast++] = *x;
    return true;
}

/* A sum of numbers without a sign.  */
static bool is_unsigned_sum(const Poly *x)
{
    for (int i = 0; i < x->count; i++) {
        bool bare = x->terms[i].factor >= 0;
        for (int k = 0; k < x->terms[i].count; k++)
            bare &= !dtype_is_signed(x->terms[i].values[k]->type.dtype);
        if (!bare)
            return false;
    }
    return true;
}

/* A value of 32 bits, less a number.  */
static bool is_at_most_a_value(const Poly *x)
{
    int values = 0;
    for (int i = 0; i < x->count; i++) {
        const Term *term = &x->terms[i];
        values += term->count;
        if (term->count ? term->factor != 1 || dtype_bytes(term->values[0]->type.dtype) > 4 : term->factor > 0)
            return false;
    }
    return values == 1;
}

bool reach_is_below_2_32(Nest *in, const Op *op, Group *group, Value *value)
{
    const bool is_unsigned = value->type.dtype == D_U32;
    Poly least = poly_of_wrapped(value), most = least, last = poly_constant(is_unsigned ? UINT32_MAX : INT32_MAX);
    int64_t number;
    in->by_index = true;
    bool known = bound_of(in, &least, op, false, false) && bound_of(in, &most, op, true, false);
    in->by_index = false;
    if (!known)
        return false;
    const bool constant = poly_is_constant(&least, &number), may_wrap = constant || reach_is_conditional(in, op);
    for (int i = 0; i < least.count; i++)
        if (least.terms[i].factor < 0 && may_wrap)
            return false;
    if (!constant && !is_unsigned_sum(&least) && group && !reach_add_least(group, &least))
        return false;
    Poly room = poly_add(&last, &most, -1);
    if (poly_is_constant(&room, &number))
        return number >= 0;
    return (is_unsigned && is_at_most_a_value(&most)) || !group || reach_add_least(group, &room);
}

/* A factor that the launcher sees not to be below 0, if it is no number; one that may be either, or changes with the
   iteration, is no matter.  */
static bool check_factor(Nest *in, Access *access, const Poly *factor)
{
    Poly zero = poly_constant(0), less = poly_add(&zero, factor, -1);
    int64_t number;
    if (poly_is_constant(factor, &number) || in->unchecked)
        return true;
    if (!poly_is_fixed(in, factor) || (!stride_is_positive(factor) && !stride_is_positive(&less)))
        return true;
    const Poly *positive = stride_is_positive(factor) ? factor : &less;
    return reach_is_natural(in, access->op, positive) || reach_add_least(access->group, positive);
}

/* The smallest value of a coordinate is a number of at least 0, or one that the launcher looks at; and so is what a
   counter is multiplied by.  */
static bool check_least(Nest *in, Access *access, const Poly *coordinate)
{
    Poly least = *coordinate, factor, rest;
    int64_t number;
    FOR_LOOPS (i, in)
        if (poly_has(coordinate, in->loops[i].iv) && poly_split(coordinate, in->loops[i].iv, &factor, &rest) &&
            !poly_is_constant(&factor, &number) && poly_is_fixed(in, &factor)) {
            if (!check_factor(in, access, &factor))
                return false;
        }
    if (reach_is_natural(in, access->op, coordinate))
        return true;
    if (!bound_of(in, &least, access->op, false, false))
        return false;
    if (poly_is_constant(&least, &number))
        return number >= 0;
    return reach_add_least(access->group, &least);
}

/* For factors of any sign, or else for those that the launcher sees to.  */
bool reach_from_0(Nest *in, Access *access, const Poly *coordinate, Poly *most)
{
    int nleast = access->group->nleast;
    for (int checked = 0; checked < 2; checked++) {
        access->group->nleast = nleast;
        *most = *coordinate;
        in->unchecked = !checked;
        bool known = bound_of(in, most, access->op, true, false) && check_least(in, access, coordinate);
        in->unchecked = false;
        if (known)
            return true;
    }
    return false;
}

static Op *find_same(Nest *in, Block *block, const Op *element, const Poly *offset)
{
    FOR_OPS (op, block) {
        if (op->code == OP_ELEMENT && op->args[0] == element->args[0]) {
            Poly other = poly_of_place(op);
            if (poly_same(&other, offset))
                return op;
        }
        for (int i = 0; i < op->nblocks; i++) {
            Op *found = find_same(in, op->blocks[i], element, offset);
            if (found)
                return found;
        }
    }
    return NULL;
}

/* An element that the grid only reads is one value, however often the program says so.  */
void reach_join(Nest *in, Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++) {
            Value *value = x->terms[i].values[k];
            if (!value->def || value->def->code != OP_ELEMENT || memory_is_stored(in, value->def->args[0]))
                continue;
            Poly offset = poly_of_place(value->def);
            Op *first = find_same(in, in->region->blocks[0], value->def, &offset);
            if (!first || first == value->def)
                continue;
            Poly by = poly_value(first->results[0]);
            *x = poly_replace(x, value, &by);
            i = -1;
            break;
        }
}

/* The condition without which an element is left out, or NULL: it stands behind the operands.  */
static const Value *own_condition(const Op *op)
{
    const int operands = op->code == OP_ELEMENT ? 2 : 3;
    return op->nargs > operands ? op->args[operands] : NULL;
}

Guards reach_guards(Nest *in, const Op *op)
{
    Guards guards = {0};
    const Value *own = own_condition(op);
    if (own)
        conditions_take(in, &guards, own, true, op);
    for (const Block *block = op->parent; block && block->parent; block = block->parent->parent) {
        const int loop = loop_of_op(in, block->parent);
        const bool guards_bound = loop >= 0 && !in->loops[loop].only_enters;
        const Value *condition = guards_bound ? loop_guard(block->parent) : NULL;
        if (block->parent->code == OP_IF)
            conditions_take(in, &guards, block->parent->args[0], block == block->parent->blocks[0], op);
        else if (condition)
            conditions_take(in, &guards, condition, true, op);
    }
    for (int i = 0; i < guards.count; i++)
        reach_join(in, &guards.guards[i]);
    return guards;
}

/* Is the operation carried out in some iterations alone?  */
bool reach_is_conditional(const Nest *in, const Op *op)
{
    if (own_condition(op))
        return true;
    for (const Block *block = op->parent; block && block->parent && block->parent != in->region;
         block = block->parent->parent)
        if (block->parent->code == OP_IF)
            return true;
    return false;
}

/* How far a sum goes where the operation is carried out.  */
bool reach_of(Nest *in, Access *access, bool upper, Poly *x)
{
    Poly factor, rest;
    FOR_LOOPS (i, in)
        if (poly_has(x, in->loops[i].iv) && poly_split(x, in->loops[i].iv, &factor, &rest) &&
            !check_factor(in, access, &factor))
            return false;
    return bound_of(in, x, access->op, upper, false);
}

/* From where to where it goes: for factors of any sign, or else for those that the launcher sees to.  */
bool reach_both_of(Nest *in, Access *access, Poly *most, Poly *least)
{
    int nleast = access->group->nleast;
    for (int checked = 0; checked < 2; checked++) {
        Poly high = *most, low = *least;
        access->group->nleast = nleast;
        in->unchecked = !checked;
        bool known = reach_of(in, access, true, &high) && reach_of(in, access, false, &low);
        in->unchecked = false;
        if (!known)
            continue;
        *most = high;
        *least = low;
        return true;
    }
    return false;
}

/* Where conditions let no iteration through, a bound from below is above `last`, and nothing is read.  Small numbers
   are left alone: stencils leave out edges by them.  The first iteration of the loops is left alone as well.  */
enum { MOST_OF_EDGES = 8 };

void reach_nothing_between(Nest *in, const Access *access, const Poly *coordinate, Poly *last)
{
    Poly axes = *coordinate, bounds[MAX_BOUNDS];
    int64_t more;
    bool known = bound_of(in, &axes, access->op, false, true);
    int count = reach_guards(in, access->op).count ? bounds_of(in, coordinate, access->op, false, bounds) : 0;
    for (int i = 0; i < count; i++) {
        if ((poly_is_constant(&bounds[i], &more) && more <= MOST_OF_EDGES) || (known && poly_same(&bounds[i], &axes)) ||
            (poly_distance(last, &bounds[i], &more) && more >= 0))
            continue;
        Value *args[] = {ir_convert_before(in->kernel, in->region, poly_before(in, &bounds[i]), D_I64),
                         ir_convert_before(in->kernel, in->region, poly_before(in, last), D_I64),
                         ir_const_before(in->kernel, in->region, D_I64, -1)};
        args[0] = ir_scalar_before(in->kernel, in->region, OP_SCALAR_LE, D_I1, 2, args);
        *last = poly_value(ir_scalar_before(in->kernel, in->region, OP_SCALAR_SELECT, D_I64, 3, args));
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

typedef struct {
    Nest *in;
    const Access *access;
    int count[MAX_RANK];
    Poly bounds[MAX_RANK][MAX_BOUNDS];
} Box;

/* The same as reach_is_natural, for strides that are not below 0. */
static bool is_natural_in(const Box *box, const Poly *x)
{
    const Group *group = box->access->group;
    Poly below = poly_constant(-1);
    Facts *facts = facts_new(box->in, 0);
    facts_at(facts, box->access->op, 1, true);
    for (int i = 0; i < group->rank; i++)
        facts_add(facts, &group->stride[i], 1);
    below = poly_add(&below, x, -1);
    facts_add(facts, &below, 1);
    return facts_contradict(facts);
}

/* Some bounds of the dimensions together are no further than this.  */
static bool is_within(const Box *box, int dim, const Poly *sum, const Poly *last)
{
    int64_t more;
    if (dim == box->access->group->rank) {
        Poly within = bound_below(box->in, sum), room = poly_add(last, &within, -1);
        if (poly_distance(last, sum, &more) && more >= 0)
            return true;
        return poly_distance(last, &within, &more) ? more >= 0 : is_natural_in(box, &room);
    }
    for (int i = 0; i < box->count[dim]; i++) {
        Poly part = poly_multiply(&box->bounds[dim][i], &box->access->group->stride[dim]),
             with = poly_add(sum, &part, 1);
        if (is_within(box, dim + 1, &with, last))
            return true;
    }
    return false;
}

/* A box of all dimensions' coordinates ends where the subscript does, as far as both are known.  */
bool reach_box_fits(Nest *in, const Access *access, const Poly *offset)
{
    Box box = {.in = in, .access = access};
    Poly last[MAX_BOUNDS], zero = poly_constant(0);
    for (int i = 0; i < access->group->rank; i++)
        box.count[i] = bounds_of(in, &access->coordinate[i], access->op, true, box.bounds[i]);
    for (int i = bounds_of(in, offset, access->op, true, last) - 1; i >= 0; i--)
        if (!is_within(&box, 0, &zero, &last[i]))
            return false;
    return true;
}

/* What the array's declaration says, in elements.  */
bool reach_declared(const Group *group, Poly *elements)
{
    *elements = poly_constant(group->base->declared / dtype_bytes(group->dtype));
    return group->base->declared > 0;
}

/* What a clause extent(x: n) says, in elements.  */
bool reach_given(Nest *in, const Group *group, Poly *elements)
{
    for (const Extent *extent = in->kernel->grid.extents; extent; extent = extent->next) {
        if (extent->base != group->base && extent->base != group->base->part_of)
            continue;
        Value *bytes = ir_const_before(in->kernel, in->region, D_I64, dtype_bytes(group->dtype)),
              *behind = extent->bytes;
        if (extent->base != group->base)
            behind = scalar_before(in, OP_SCALAR_SUB, D_I64, behind,
                                   ir_const_before(in->kernel, in->region, D_I64, group->base->part_at));
        *elements = poly_value(scalar_before(in, OP_SCALAR_DIV, D_I64, behind, bytes));
        return true;
    }
    return false;
}
