/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-reach.c - how far an array is looked at, from loops, conditions, its declaration and clauses.
 *
 *   if (k >= 0 && k < n) s += x[idx[i] * n + k]        k is at most n - 1
 */
#include "language/plain-memory.h"

/* Below 0 never, as far as loops and conditions tell.  */
bool reach_is_natural(Nest *in, const Access *access, const Poly *x)
{
    Poly below = poly_constant(-1);
    Facts *facts = facts_new(in, 0);
    facts_at(facts, access->op, 1, true);
    below = poly_add(&below, x, -1);
    facts_add(facts, &below, 1);
    return facts_contradict(facts);
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
    Poly least = poly_modulo(value), most = least, last = poly_constant(UINT32_MAX);
    int64_t number;
    if (!bound_of(in, &least, op, false, false) || !bound_of(in, &most, op, true, false))
        return false;
    for (int i = 0; i < least.count; i++)
        if (least.terms[i].factor < 0)
            return false;
    if (!poly_is_constant(&least, &number) && !is_unsigned_sum(&least) && group && !reach_add_least(group, &least))
        return false;
    Poly room = poly_add(&last, &most, -1);
    if (poly_is_constant(&room, &number))
        return number >= 0;
    return is_at_most_a_value(&most) || !group || reach_add_least(group, &room);
}

/* The smallest value of a coordinate is a number of at least 0, or one that the launcher looks at; and so is what a
   counter is multiplied by.  */
bool reach_check_least(Nest *in, Access *access, const Poly *coordinate)
{
    Poly least = *coordinate, factor, rest;
    int64_t number;
    FOR_LOOPS(i, in)
    if (poly_has(coordinate, in->loops[i].iv) && poly_split(coordinate, in->loops[i].iv, &factor, &rest) &&
        !poly_is_constant(&factor, &number) && poly_is_fixed(in, &factor)) {
        Poly zero = poly_constant(0);
        if (!stride_is_positive(&factor))
            factor = poly_add(&zero, &factor, -1);
        if (!reach_is_natural(in, access, &factor) && !reach_add_least(access->group, &factor))
            return false;
    }
    if (reach_is_natural(in, access, coordinate))
        return true;
    if (!bound_of(in, &least, access->op, false, false))
        return false;
    if (poly_is_constant(&least, &number))
        return number >= 0;
    return reach_add_least(access->group, &least);
}

static void add_guards(Nest *in, Guards *guards, const Value *condition, bool holds);

/* a && b as an IF that hands b out, or 0; a || b, where it does not hold, likewise.  */
static void add_joined_guards(Nest *in, Guards *guards, const Op *op, int result, bool holds)
{
    const Value *other = op->blocks[holds ? 1 : 0]->last->args[result];
    int64_t known;
    if (!ir_constant(other, &known) || (known != 0) == holds)
        return;
    add_guards(in, guards, op->args[0], holds);
    add_guards(in, guards, op->blocks[holds ? 0 : 1]->last->args[result], holds);
}

static void add_guards(Nest *in, Guards *guards, const Value *condition, bool holds)
{
    const Op *op = condition->def;
    if (!op || condition->type.dtype != D_I1 || guards->count > MAX_GUARDS - 2)
        return;
    if (op->code == OP_NOTI) {
        add_guards(in, guards, op->args[0], !holds);
    } else if (op->code == (holds ? OP_ANDI : OP_ORI)) {
        add_guards(in, guards, op->args[0], holds);
        add_guards(in, guards, op->args[1], holds);
    } else if (op->code == OP_IF) {
        add_joined_guards(in, guards, op, condition->index, holds);
    }
    bool equal = op->code == OP_EQI || op->code == OP_NEI;
    if (equal && !dtype_is_float(op->args[0]->type.dtype) && op->args[0]->type.dtype != D_I1) {
        Poly x = poly_of(op->args[0]), y = poly_of(op->args[1]);
        if ((op->code == OP_EQI) == holds) {
            guards->guards[guards->count++] = poly_add(&x, &y, -1);
            guards->guards[guards->count++] = poly_add(&y, &x, -1);
        } else if (bound_without_edge(in, &x, &y, &guards->guards[guards->count])) {
            guards->count++;
        }
    }
    if (op->code < OP_LTI || op->code > OP_GEI || dtype_is_float(op->args[0]->type.dtype) ||
        !dtype_is_signed(op->args[0]->type.dtype))
        return;
    bool less = (op->code == OP_LTI || op->code == OP_LEI) == holds;
    bool closed = (op->code == OP_LEI || op->code == OP_GEI) == holds;
    Poly x = poly_of(op->args[less ? 0 : 1]), y = poly_of(op->args[less ? 1 : 0]), one = poly_constant(!closed);
    Poly guard = poly_add(&y, &x, -1);
    guards->guards[guards->count++] = poly_add(&guard, &one, -1);
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

Guards reach_guards(Nest *in, const Op *op)
{
    Guards guards = {0};
    int own = op->code == OP_ELEMENT ? 2 : 3;
    if (op->nargs > own)
        add_guards(in, &guards, op->args[own], true);
    for (const Block *block = op->parent; block && block->parent; block = block->parent->parent)
        if (block->parent->code == OP_IF)
            add_guards(in, &guards, block->parent->args[0], block == block->parent->blocks[0]);
    for (int i = 0; i < guards.count; i++)
        reach_join(in, &guards.guards[i]);
    return guards;
}

static bool varies(const Nest *in, const Term *term)
{
    for (int i = 0; i < term->count; i++)
        if (!is_known_before(in, term->values[i]))
            return true;
    return false;
}

static int varying_terms(const Nest *in, const Poly *x)
{
    int count = 0;
    for (int i = 0; i < x->count; i++)
        count += varies(in, &x->terms[i]);
    return count;
}

/* x + times guard is not below x, and where it says less of counters it is the better bound: of y W, with y < H, that
   is (H - 1) W.  Likewise below x is x - times guard.  `times` has to be at least 0.  */
static bool use_guard(Nest *in, Poly *x, const Poly *guard, bool upper, Poly *times)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < guard->count && varies(in, &x->terms[i]); k++) {
            Poly single = poly_constant(0), rest;
            Term by = guard->terms[k];
            single.count = 1;
            single.terms[0] = x->terms[i];
            by.factor = upper ? -by.factor : by.factor;
            if (!varies(in, &by) || by.factor <= 0)
                continue;
            *times = poly_divide(&single, &by, &rest);
            if (rest.count || times->count != 1 || times->terms[0].factor <= 0 || varies(in, &times->terms[0]))
                continue;
            Poly more = poly_multiply(times, guard), sum = poly_add(x, &more, upper ? 1 : -1);
            if (!sum.known || varying_terms(in, &sum) >= varying_terms(in, x))
                continue;
            *x = sum;
            return true;
        }
    return false;
}

/* A factor that the launcher sees not to be below 0, if it is no number.  */
static bool check_factor(Nest *in, Access *access, const Poly *factor)
{
    int64_t number;
    if (poly_is_constant(factor, &number))
        return number >= 0;
    return reach_is_natural(in, access, factor) || reach_add_least(access->group, factor);
}

void reach_narrow(Nest *in, const Value *condition, bool holds, bool upper, Poly *x)
{
    Guards guards = {0};
    Poly times, narrower = *x;
    int64_t number;
    add_guards(in, &guards, condition, holds);
    for (int i = 0; i < guards.count; i++)
        if (use_guard(in, &narrower, &guards.guards[i], upper, &times)) {
            if (!poly_is_constant(&times, &number) || number < 0)
                return;
            *x = narrower;
            i = -1;
        }
}

/* How far a sum goes where the operation is carried out.  */
bool reach_of(Nest *in, Access *access, const Guards *guards, bool upper, Poly *x)
{
    Poly times, factor, rest, zero = poly_constant(0);
    for (int i = 0; i < guards->count; i++)
        if (use_guard(in, x, &guards->guards[i], upper, &times)) {
            if (!check_factor(in, access, &times))
                return false;
            i = -1;
        }
    FOR_LOOPS(i, in)
    {
        if (!poly_has(x, in->loops[i].iv) || !poly_split(x, in->loops[i].iv, &factor, &rest))
            continue;
        if (!stride_is_positive(&factor))
            factor = poly_add(&zero, &factor, -1);
        if (!check_factor(in, access, &factor))
            return false;
    }
    return bound_of(in, x, access->op, upper, false);
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
            behind = scalar_before(in, OP_SUBI, D_I64, behind,
                                   ir_const_before(in->kernel, in->region, D_I64, group->base->part_at));
        *elements = poly_value(scalar_before(in, OP_DIVI, D_I64, behind, bytes));
        return true;
    }
    return false;
}
