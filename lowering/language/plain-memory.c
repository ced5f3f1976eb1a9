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

#include "language/plain.h"

/* ---- bounds of sums ---------------------------------------------------------------------------------------------- */

static bool is_invariant(const Nest *in, const Value *value)
{
    return ir_outside(value, in->region);
}

bool is_known_before(const Nest *in, const Value *value)
{
    if (is_invariant(in, value))
        return true;
    if (!value->def || op_info[value->def->code].class_ != CLASS_SCALAR)
        return false;
    for (int i = 0; i < value->def->nargs; i++)
        if (!is_known_before(in, value->def->args[i]))
            return false;
    return true;
}

static Value *before(Nest *in, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Value *args[] = {ir_convert_before(in->kernel, in->region, x, dtype),
                     ir_convert_before(in->kernel, in->region, y, dtype)};
    return ir_scalar_before(in->kernel, in->region, code, dtype, 2, args);
}

static Value *use_outside(void *context, Value *value)
{
    return form_prologue(context, value);
}

static Value *poly_before(Nest *in, const Poly *x)
{
    return poly_emit(in->kernel, in->region, x, use_outside, in);
}

static bool bound_of(Nest *in, Poly *x, const Op *at, bool upper, bool axes_only);

/* A number that is computed in the region, as far as it goes.  */
static bool bound_of_value(Nest *in, Value *value, bool upper, Poly *bound)
{
    const Op *op = value->def;
    int64_t number;
    if (op && (value->type.dtype == D_U8 || value->type.dtype == D_U16)) {
        *bound = poly_constant(!upper ? 0 : value->type.dtype == D_U8 ? UINT8_MAX : UINT16_MAX);
        return true;
    }
    if (!op || op_info[op->code].class_ != CLASS_SCALAR || op->nargs < 2)
        return false;
    Poly x = poly_of(op->args[op->nargs - 2]), y = poly_of(op->args[op->nargs - 1]);
    if (op->code == OP_ANDI && ir_constant(op->args[1], &number) && number >= 0) {
        *bound = poly_constant(upper ? number : 0);
        return true;
    }
    if ((op->code == OP_DIVI || op->code == OP_SHRI) && ir_constant(op->args[1], &number) && number > 0) {
        if (!bound_of(in, &x, NULL, upper, false))
            return false;
        *bound = poly_value(
            before(in, op->code, D_I64, poly_before(in, &x), ir_const_before(in->kernel, in->region, D_I64, number)));
        return true;
    }
    if (op->code == OP_DIVI && is_known_before(in, op->args[1])) { /* by a number above 0, if anything is divided */
        if (!bound_of(in, &x, NULL, upper, false))
            return false;
        Value *by = before(in, OP_MAXI, D_I64, poly_before(in, &y), ir_const_before(in->kernel, in->region, D_I64, 1));
        *bound = poly_value(before(in, OP_DIVI, D_I64, poly_before(in, &x), by));
        return true;
    }
    if (op->code == OP_REMI && !upper) { /* of numbers of 0 and more */
        *bound = poly_constant(0);
        return bound_of(in, &x, NULL, false, false) && poly_is_constant(&x, &number) && number >= 0;
    }
    if (op->code == OP_REMI && is_known_before(in, op->args[1]) && !poly_is_constant(&y, &number)) {
        Poly zero = poly_constant(0), below = poly_add(&zero, &y, -1), one = poly_constant(1);
        *bound = poly_value(before(in, OP_MAXI, D_I64, poly_before(in, &y), poly_before(in, &below)));
        *bound = poly_add(bound, &one, -1);
        return true;
    }
    if (op->code == OP_REMI && poly_is_constant(&y, &number) && number > 0) {
        *bound = poly_constant(number - 1);
        return true;
    }
    if (op->code != OP_MINI && op->code != OP_MAXI && op->code != OP_SELI)
        return false;
    bool first = bound_of(in, &x, NULL, upper, false), second = bound_of(in, &y, NULL, upper, false);
    bool either = op->code == (upper ? OP_MINI : OP_MAXI);
    if (!first && !second)
        return false;
    if (!(first && second)) {
        *bound = first ? x : y;
        return either;
    }
    if (poly_same(&x, &y)) {
        *bound = x;
        return true;
    }
    Opcode code = op->code == OP_SELI ? upper ? OP_MAXI : OP_MINI : op->code;
    *bound = poly_value(before(in, code, D_I64, poly_before(in, &x), poly_before(in, &y)));
    return true;
}

/* What a condition says of a counter: it is below `high`.  */
static bool condition_bounds(Nest *in, const Value *condition, const Value *iv, Poly *high)
{
    const Op *op = condition->def;
    if (!op)
        return false;
    if (op->code == OP_ANDI && op->results[0]->type.dtype == D_I1)
        return condition_bounds(in, op->args[0], iv, high) || condition_bounds(in, op->args[1], iv, high);
    if (op->code < OP_LTI || op->code > OP_GEI || dtype_is_float(op->args[0]->type.dtype))
        return false;
    bool less = op->code == OP_LTI || op->code == OP_LEI;
    Poly x = poly_of(op->args[less ? 0 : 1]), y = poly_of(op->args[less ? 1 : 0]), factor, rest;
    Poly difference = poly_add(&y, &x, -1); /* > 0, or >= 0 */
    int64_t number;
    if (!poly_split(&difference, iv, &factor, &rest) || !poly_is_constant(&factor, &number) || number != -1)
        return false;
    for (int i = 0; i < rest.count; i++)
        for (int k = 0; k < rest.terms[i].count; k++)
            if (!is_known_before(in, rest.terms[i].values[k]))
                return false;
    Poly one = poly_constant(op->code == OP_LEI || op->code == OP_GEI);
    *high = poly_add(&rest, &one, 1);
    return high->known;
}

static Poly highest(Nest *in, const Loop *loop, const Op *at)
{
    Poly one = poly_constant(1), high = loop->hi, guarded;
    int own = at && at->code == OP_ELEMENT ? 2 : 3;
    int64_t less;
    if (at && at->nargs > own && condition_bounds(in, at->args[own], loop->iv, &guarded)) {
        if (!poly_distance(&guarded, &high, &less)) {
            Poly limit = high;
            if (bound_of(in, &limit, NULL, true, false))
                high = poly_value(before(in, OP_MINI, D_I64, poly_before(in, &guarded), poly_before(in, &limit)));
        } else if (less < 0) {
            high = guarded;
        }
    }
    return poly_add(&high, &one, -1);
}

/* x at its largest, or smallest, over the counters of all loops, or of the axes alone.  */
static bool bound_of(Nest *in, Poly *x, const Op *at, bool upper, bool axes_only)
{
    for (int i = in->nloops - 1; i >= 0; i--) {
        const Loop *loop = &in->loops[i];
        Poly factor, rest;
        if (!poly_has(x, loop->iv) || (axes_only && !is_axis(in, i)))
            continue;
        if (!poly_split(x, loop->iv, &factor, &rest) || !factor.count)
            return false;
        bool rises = factor.terms[0].factor > 0;
        Poly by = rises == upper ? highest(in, loop, at) : loop->lo;
        *x = poly_replace(x, loop->iv, &by);
        if (!x->known)
            return false;
    }
    for (int rounds = 0; rounds < 8 && !axes_only; rounds++) {
        Value *inner = NULL;
        int64_t sign = 1;
        for (int i = 0; i < x->count && !inner; i++)
            for (int k = 0; k < x->terms[i].count && !inner; k++)
                if (!is_known_before(in, x->terms[i].values[k])) {
                    inner = x->terms[i].values[k];
                    sign = x->terms[i].factor;
                }
        if (!inner)
            return true;
        Poly by;
        if (!bound_of_value(in, inner, (sign > 0) == upper, &by))
            return false;
        *x = poly_replace(x, inner, &by);
    }
    return axes_only && x->known;
}

/* ---- strides ----------------------------------------------------------------------------------------------------- */

static int degree(const Poly *x)
{
    int most = 0;
    for (int i = 0; i < x->count; i++)
        most = x->terms[i].count > most ? x->terms[i].count : most;
    return most;
}

static const Term *leading(const Poly *x)
{
    const Term *best = &x->terms[0];
    for (int i = 1; i < x->count; i++)
        if (x->terms[i].count > best->count)
            best = &x->terms[i];
    return best;
}

static bool larger(const Poly *x, const Poly *y)
{
    if (degree(x) != degree(y))
        return degree(x) > degree(y);
    return leading(x)->factor > leading(y)->factor;
}

static bool has_stride(const Group *group, const Poly *stride)
{
    for (int i = 0; i < group->rank; i++)
        if (poly_same(&group->stride[i], stride))
            return true;
    return false;
}

static bool add_stride(Group *group, const Poly *stride)
{
    if (has_stride(group, stride))
        return true;
    if (group->rank == MAX_RANK)
        return false;
    int at = group->rank++;
    for (; at > 0 && larger(stride, &group->stride[at - 1]); at--)
        group->stride[at] = group->stride[at - 1];
    group->stride[at] = *stride;
    return true;
}

/* Each of its terms is a stride by itself: x[i * n + i], where there is x[i * n + j], too.  */
static bool is_composed(const Group *group, const Poly *stride)
{
    for (int i = 0; i < stride->count; i++) {
        Poly single = poly_constant(0);
        single.count = 1;
        single.terms[0] = stride->terms[i];
        if (!has_stride(group, &single))
            return false;
    }
    return true;
}

static bool positive(Poly *stride)
{
    for (int i = 0; i < stride->count; i++)
        if (stride->terms[i].factor < 0)
            return false;
    return stride->count > 0;
}

static bool is_fixed(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (!is_known_before(in, x->terms[i].values[k]))
                return false;
    return true;
}

static bool strides_of(Nest *in, Group *group, const Poly *offset, bool composed)
{
    FOR_LOOPS(i, in)
    {
        Poly factor, rest, zero = poly_constant(0);
        if (!poly_has(offset, in->loops[i].iv) || !poly_split(offset, in->loops[i].iv, &factor, &rest))
            continue;
        if (!positive(&factor))
            factor = poly_add(&zero, &factor, -1);
        if (!positive(&factor) || !is_fixed(in, &factor))
            continue;
        if ((factor.count > 1) != composed || (composed && is_composed(group, &factor)))
            continue;
        if (!add_stride(group, &factor))
            return false;
    }
    return true;
}

/* x by the stride; nearest: the rest may be below 0.  */
static Poly divide(const Poly *x, const Poly *stride, bool nearest, Poly *rest)
{
    Poly quotient = poly_divide(x, leading(stride), rest);
    if (!nearest)
        for (int i = 0; i < rest->count; i++)
            if (!rest->terms[i].count && rest->terms[i].factor < 0) {
                Poly one = poly_constant(1);
                quotient = poly_add(&quotient, &one, -1);
                *rest = poly_add(rest, stride, 1);
                break;
            }
    if (stride->count > 1) {
        Poly product = poly_multiply(&quotient, stride);
        *rest = poly_add(x, &product, -1);
    }
    return quotient;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static const char *base_name(const Value *base)
{
    return base->name ? base->name : "the array";
}

static const char *access_text(const Nest *in, const Access *access)
{
    Module *module = in->kernel->module;
    const char *text = base_name(access->group->base);
    for (int i = 0; i < access->group->rank; i++)
        text = arena_print(module, "%s[%s]", text, poly_text(module, &access->coordinate[i]));
    return text;
}

static const char *gathered(const Nest *in, const Op *op)
{
    return op->code == OP_ELEMENT ? in->gathered[op->results[0]->id] : NULL;
}

/* Of these the tensor is a vector.  */
static bool is_number(const Nest *in, const Op *op)
{
    return scatter_of(in, op) || (op->code == OP_ELEMENT && (!is_tiled(in, op->results[0]) || gathered(in, op)));
}

static bool is_stored(const Block *block, const Value *base)
{
    FOR_OPS (op, block) {
        if (op->code == OP_SET_ELEMENT && op->args[0] == base)
            return true;
        for (int i = 0; i < op->nblocks; i++)
            if (is_stored(op->blocks[i], base))
                return true;
    }
    return false;
}

/* What is no window of a tensor is looked up element by element, by a tile of indices, where the grid only reads the
   array.  True: the accesses are scanned again.  */
static bool gather(Nest *in, const Op *op, const char *why)
{
    bool reads = op->code == OP_ELEMENT && is_tiled(in, op->results[0]) && !is_stored(in->kernel->body, op->args[0]);
    if (in->kernel->failed || !in->may_gather || !reads || gathered(in, op))
        return false;
    in->gathered[op->results[0]->id] = why;
    in->again = true;
    return true;
}

/* As a tensor holds them: what has no sign as a number of the same bits that has one.  */
static Dtype element_dtype(const Op *op)
{
    Dtype dtype = op->code == OP_ELEMENT ? op->results[0]->type.dtype : op->args[2]->type.dtype;
    return dtype == D_U16 ? D_I16 : dtype == D_U32 ? D_I32 : dtype == D_U64 ? D_I64 : dtype;
}

static bool offset_of(Nest *in, const Op *op, Poly *offset)
{
    *offset = poly_of(op->args[1]);
    if (!offset->known || !poly_divide_by(offset, dtype_bytes(element_dtype(op)))) {
        reject(in->kernel, op->loc, REASON_PLAIN_ALIGNED, base_name(op->args[0]));
        return false;
    }
    return true;
}

static Group *group_of(Nest *in, const Op *op)
{
    Group **end = &in->groups;
    bool number = is_number(in, op);
    for (; *end; end = &(*end)->next)
        if ((*end)->base == op->args[0] && (*end)->dtype == element_dtype(op) && ((*end)->vector != NULL) == number)
            return *end;
    Group *group = arena_alloc(in->kernel->module, sizeof *group);
    *group = (Group){.base = op->args[0], .dtype = element_dtype(op)};
    group->vector = number ? op->args[0] : NULL; /* a mark, until there is one */
    return *end = group;
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
    if (!offset_of(in, op, &offset))
        return;
    Group *group = group_of(in, op);
    group->stored |= op->code == OP_SET_ELEMENT;
    if ((!add_stride(group, &one) || (!group->vector && !strides_of(in, group, &offset, composed))) &&
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
            if (other->code == OP_NOTI && other->args[0] == condition)
                return other->results[0];
        return ir_scalar_before(in->kernel, in->region, OP_NOTI, D_I1, 1, &condition);
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
            const char *text = poly_text(in->kernel->module, coordinate);
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

/* Below 0 never, as far as loops and conditions tell.  */
static bool is_natural(Nest *in, const Access *access, const Poly *x)
{
    Poly below = poly_constant(-1);
    Facts *facts = facts_new(in, 0);
    facts_at(facts, access->op, 1, true);
    below = poly_add(&below, x, -1);
    facts_add(facts, &below, 1);
    return facts_contradict(facts);
}

/* proved: each is at least 0, for all that the launcher may be handed; otherwise none is a number below 0.  */
static bool coordinates_of(Nest *in, Access *access, Poly offset, bool nearest, bool proved)
{
    Group *group = access->group;
    for (int i = 0; i < group->rank; i++) {
        Poly rest;
        access->coordinate[i] = i + 1 < group->rank ? divide(&offset, &group->stride[i], nearest, &rest) : offset;
        if (i + 1 < group->rank)
            offset = rest;
    }
    for (int i = 0; i < group->rank; i++) {
        Poly least = access->coordinate[i];
        int64_t number;
        bool constant = bound_of(in, &least, access->op, false, false) && poly_is_constant(&least, &number);
        if (constant ? number < 0 && !is_natural(in, access, &access->coordinate[i])
                     : proved && !is_natural(in, access, &access->coordinate[i]))
            return false;
    }
    return true;
}

/* What has to be 0 or more.  */
static bool add_least(Group *group, const Poly *x)
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

/* The smallest value of a coordinate is a number of at least 0, or one that the launcher looks at; and so is what a
   counter is multiplied by.  */
static bool check_least(Nest *in, Access *access, const Poly *coordinate)
{
    Poly least = *coordinate, factor, rest;
    int64_t number;
    FOR_LOOPS(i, in)
    if (poly_has(coordinate, in->loops[i].iv) && poly_split(coordinate, in->loops[i].iv, &factor, &rest) &&
        !poly_is_constant(&factor, &number) && is_fixed(in, &factor)) {
        Poly zero = poly_constant(0);
        if (!positive(&factor))
            factor = poly_add(&zero, &factor, -1);
        if (!is_natural(in, access, &factor) && !add_least(access->group, &factor))
            return false;
    }
    if (is_natural(in, access, coordinate))
        return true;
    if (!bound_of(in, &least, access->op, false, false))
        return false;
    if (poly_is_constant(&least, &number))
        return number >= 0;
    return add_least(access->group, &least);
}

enum { MAX_GUARDS = 16 };
typedef struct {
    int count;
    Poly guards[MAX_GUARDS]; /* each is at least 0 */
} Guards;

static void add_guards(Guards *guards, const Value *condition, bool holds);

/* a && b as an IF that hands b out, or 0; a || b, where it does not hold, likewise.  */
static void add_joined_guards(Guards *guards, const Op *op, int result, bool holds)
{
    const Value *other = op->blocks[holds ? 1 : 0]->last->args[result];
    int64_t known;
    if (!ir_constant(other, &known) || (known != 0) == holds)
        return;
    add_guards(guards, op->args[0], holds);
    add_guards(guards, op->blocks[holds ? 0 : 1]->last->args[result], holds);
}

static void add_guards(Guards *guards, const Value *condition, bool holds)
{
    const Op *op = condition->def;
    if (!op || condition->type.dtype != D_I1 || guards->count > MAX_GUARDS - 2)
        return;
    if (op->code == OP_NOTI) {
        add_guards(guards, op->args[0], !holds);
    } else if (op->code == (holds ? OP_ANDI : OP_ORI)) {
        add_guards(guards, op->args[0], holds);
        add_guards(guards, op->args[1], holds);
    } else if (op->code == OP_IF) {
        add_joined_guards(guards, op, condition->index, holds);
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
            Poly other = poly_of(op->args[1]);
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
static void join_elements(Nest *in, Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++) {
            Value *value = x->terms[i].values[k];
            if (!value->def || value->def->code != OP_ELEMENT || is_stored(in->kernel->body, value->def->args[0]))
                continue;
            Poly offset = poly_of(value->def->args[1]);
            Op *first = find_same(in, in->region->blocks[0], value->def, &offset);
            if (!first || first == value->def)
                continue;
            Poly by = poly_value(first->results[0]);
            *x = poly_replace(x, value, &by);
            i = -1;
            break;
        }
}

static Guards guards_at(Nest *in, const Op *op)
{
    Guards guards = {0};
    int own = op->code == OP_ELEMENT ? 2 : 3;
    if (op->nargs > own)
        add_guards(&guards, op->args[own], true);
    for (const Block *block = op->parent; block && block->parent; block = block->parent->parent)
        if (block->parent->code == OP_IF)
            add_guards(&guards, block->parent->args[0], block == block->parent->blocks[0]);
    for (int i = 0; i < guards.count; i++)
        join_elements(in, &guards.guards[i]);
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
    return is_natural(in, access, factor) || add_least(access->group, factor);
}

/* How far a sum goes where the operation is carried out.  */
static bool reach_of(Nest *in, Access *access, const Guards *guards, bool upper, Poly *x)
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
        if (!positive(&factor))
            factor = poly_add(&zero, &factor, -1);
        if (!check_factor(in, access, &factor))
            return false;
    }
    return bound_of(in, x, access->op, upper, false);
}

/* What the array's declaration says, in elements.  */
static bool extent_declared(const Group *group, Poly *elements)
{
    *elements = poly_constant(group->base->declared / dtype_bytes(group->dtype));
    return group->base->declared > 0;
}

/* What a clause extent(x: n) says, in elements.  */
static bool extent_given(Nest *in, const Group *group, Poly *elements)
{
    for (const Extent *extent = in->kernel->grid.extents; extent; extent = extent->next) {
        if (extent->base != group->base)
            continue;
        Value *bytes = ir_const_before(in->kernel, in->region, D_I64, dtype_bytes(group->dtype));
        *elements = poly_value(before(in, OP_DIVI, D_I64, extent->bytes, bytes));
        return true;
    }
    return false;
}

/* Elements that are looked up by themselves: from the first of the array to the last that the loops reach.  */
static void visit_gathered(Nest *in, Access *access, const Poly *offset)
{
    Poly one = poly_constant(1), all = *offset;
    Guards guards = guards_at(in, access->op);
    int64_t number;
    join_elements(in, &all);
    Poly least = all, given;
    access->coordinate[0] = *offset;
    access->axis[0] = -1;
    int nleast = access->group->nleast;
    bool by_clause = extent_given(in, access->group, &given);
    bool known =
        !by_clause && reach_of(in, access, &guards, true, &all) && reach_of(in, access, &guards, false, &least);
    if (!known && (by_clause || extent_declared(access->group, &given))) {
        access->group->nleast = nleast;
        access->top[0] = given;
        add_extent(access->group, 0, &given);
        return;
    }
    if (!known) {
        reject(in->kernel, access->op->loc, REASON_PLAIN_EXTENT, access_text(in, access));
        return;
    }
    bool constant = poly_is_constant(&least, &number);
    if (constant ? number < 0 : !is_natural(in, access, offset) && !add_least(access->group, &least))
        reject(in->kernel, access->op->loc, REASON_PLAIN_NEGATIVE, access_text(in, access));
    access->top[0] = poly_add(&all, &one, 1);
    add_extent(access->group, 0, &access->top[0]);
}

static bool visit_window(Nest *in, Access *access, const Poly *offset)
{
    Group *group = access->group;
    const Op *op = access->op;
    if (!coordinates_of(in, access, *offset, true, true) && !coordinates_of(in, access, *offset, false, true) &&
        !coordinates_of(in, access, *offset, true, false) && !coordinates_of(in, access, *offset, false, false)) {
        if (group->vector)
            visit_gathered(in, access, offset);
        else if (!gather(in, op, "the first of them may lie in front of the array"))
            reject(in->kernel, op->loc, REASON_PLAIN_NEGATIVE, access_text(in, access));
        return group->vector && !in->kernel->failed;
    }
    for (int i = 0; i < group->rank; i++) {
        Poly one = poly_constant(1), all = access->coordinate[i];
        if (!axis_in(in, access, &access->coordinate[i], &access->axis[i]))
            return false;
        access->top[i] = access->coordinate[i];
        bool top = bound_of(in, &access->top[i], op, true, true);
        bool known = top && bound_of(in, &all, op, true, false) && check_least(in, access, &access->coordinate[i]);
        if (!known && top && group->rank == 1 && (extent_given(in, group, &all) || extent_declared(group, &all))) {
            all = poly_add(&all, &one, -1);
            known = true;
        }
        if (!known && group->vector) { /* a number: conditions say more */
            visit_gathered(in, access, offset);
            return !in->kernel->failed;
        }
        if (!known) {
            if (!scatter_refuse(in, op) && !gather(in, op, "how far a subscript goes is not known before the grid"))
                reject(in->kernel, op->loc, REASON_PLAIN_EXTENT, access_text(in, access));
            return false;
        }
        access->top[i] = poly_add(&access->top[i], &one, 1);
        all = poly_add(&all, &one, 1);
        add_extent(group, i, &all);
    }
    return true;
}

static void visit_access(Nest *in, Op *op)
{
    Access *access = arena_alloc(in->kernel->module, sizeof *access), **end = &in->accesses;
    Poly offset;
    if (in->again || !offset_of(in, op, &offset))
        return;
    *access = (Access){.op = op, .stores = op->code == OP_SET_ELEMENT, .group = group_of(in, op)};
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

/* x[i][i] in an array that is stored moves along two dimensions, where there is x[i][j], too.  */
static void drop_sums_of_strides(Group *group)
{
    for (int i = 0; i < group->rank; i++) {
        bool sum = false;
        for (int k = i + 1; k < group->rank; k++)
            for (int l = k + 1; l < group->rank; l++) {
                Poly both = poly_add(&group->stride[k], &group->stride[l], 1);
                sum |= poly_same(&both, &group->stride[i]);
            }
        if (!sum)
            continue;
        group->rank--;
        for (int k = i--; k < group->rank; k++)
            group->stride[k] = group->stride[k + 1];
    }
}

/* Neither side of the tile has its elements next to each other.  */
static bool is_strided(const Access *access)
{
    int sides = 0, last = access->group->rank - 1;
    for (int i = 0; i < last; i++)
        sides += access->axis[i] >= 0;
    return sides > 1 && access->axis[last] < 0;
}

static void scan_once(Nest *in)
{
    in->accesses = NULL;
    in->groups = NULL;
    in->again = false;
    visit_accesses(in, in->region->blocks[0], visit_single);
    for (Group *group = in->groups; group; group = group->next)
        if (group->stored)
            drop_sums_of_strides(group);
    visit_accesses(in, in->region->blocks[0], visit_composed);
    visit_accesses(in, in->region->blocks[0], visit_access);
    for (const Access *access = in->accesses; access && !in->kernel->failed && !in->again; access = access->next) {
        int axis;
        if (in_two_dimensions(access, &axis) && !gather(in, access->op, "they lie along a diagonal of a tile"))
            reject(in->kernel, access->op->loc, REASON_PLAIN_DIAGONAL, access_text(in, access));
        else if (is_strided(access))
            gather(in, access->op, "on neither side of the tile they are next to each other");
    }
}

/* require: axes.   ensure: in->accesses, in->groups; false after a refusal.  */
bool memory_scan(Nest *in)
{
    in->gathered = arena_alloc(in->kernel->module, (size_t)(in->kernel->module->next_id + 1) * sizeof *in->gathered);
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

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* A loop to n makes no iteration where n is 0 or below.  */
static Value *at_least_nothing(Nest *in, const Poly *extent)
{
    Value *value = poly_before(in, extent);
    int64_t number;
    if (poly_is_constant(extent, &number))
        return value;
    return before(in, OP_MAXI, D_I64, value, ir_const_before(in->kernel, in->region, D_I64, 0));
}

static Value *largest_extent(Nest *in, const Group *group, int dim)
{
    Value *extent = NULL;
    for (int i = 0; i < group->nextents[dim]; i++) {
        Value *value = at_least_nothing(in, &group->extent[dim][i]);
        extent = extent ? before(in, OP_MAXI, D_I64, extent, value) : value;
    }
    return extent;
}

/* Some element is touched: no dimension is empty.  */
static Value *is_touched(Nest *in, const Group *group)
{
    Value *fewest = NULL;
    for (int i = 0; i < group->rank; i++) {
        Value *reach = largest_extent(in, group, i);
        fewest = fewest ? before(in, OP_MINI, D_I64, fewest, reach) : reach;
    }
    Value *args[] = {ir_convert_before(in->kernel, in->region, fewest, D_I64),
                     ir_const_before(in->kernel, in->region, D_I64, 0)};
    return ir_scalar_before(in->kernel, in->region, OP_GTI, D_I1, 2, args);
}

static Value *extent_of(Nest *in, const Group *group, int dim)
{
    Value *extent = largest_extent(in, group, dim), *touched = group->nleast && dim == 0 ? is_touched(in, group) : NULL;
    for (int i = 0; i < group->nleast && dim == 0; i++) { /* an extent below 0 is an error of the launch */
        Value *least = poly_before(in, &group->least[i]), *zero = ir_const_before(in->kernel, in->region, D_I64, 0);
        Value *below = ir_scalar_before(in->kernel, in->region, OP_LTI, D_I1, 2,
                                        (Value *[]){ir_convert_before(in->kernel, in->region, least, D_I64), zero});
        below = ir_binary_before(in->kernel, in->region, OP_ANDI, touched, below);
        extent = ir_scalar_before(in->kernel, in->region, OP_SELI, D_I64, 3,
                                  (Value *[]){below, ir_convert_before(in->kernel, in->region, least, D_I64),
                                              ir_convert_before(in->kernel, in->region, extent, D_I64)});
    }
    if (!group->guard)
        return extent;
    Value *args[] = {group->guard, extent, ir_const_before(in->kernel, in->region, extent->type.dtype, 0)};
    return ir_scalar_before(in->kernel, in->region, OP_SELI, extent->type.dtype, 3, args);
}

static Value *make_tensor(Nest *in, Group *group, const int *order, int rank)
{
    Value *args[1 + 2 * MAX_RANK] = {group->base};
    group->base->type = type_pointer(group->dtype);
    for (int i = 0; i < rank; i++) {
        args[1 + i] = extent_of(in, group, order[i]);
        args[1 + rank + i] = poly_before(in, &group->stride[order[i]]);
    }
    Op *op = op_new(in->kernel, OP_TENSOR, in->kernel->loc, 1 + 2 * rank, args);
    op_before(in->region, op);
    return op_result(in->kernel, op, type_tensor(group->dtype, rank), group->base->name);
}

/* The tensor with these two dimensions last, the others in front of them; row -1: as they are.  */
Value *memory_tensor(Nest *in, Group *group, int row, int col)
{
    int order[MAX_RANK], count = 0;
    for (int i = 0; i < group->rank; i++)
        if (i != row && i != col)
            order[count++] = i;
    if (row >= 0)
        order[count++] = row;
    order[count++] = col;
    int key = 0;
    for (int i = 0; i < count; i++)
        key = i == count - 2 ? order[i] * MAX_RANK + col : key;
    if (!in->kernel->failed && !group->tensors[key])
        group->tensors[key] = make_tensor(in, group, order, count);
    return group->tensors[key];
}

Value *memory_vector(Nest *in, Group *group)
{
    int order[] = {0};
    if (group->vector == group->base)
        group->vector = make_tensor(in, group, order, 1);
    return group->vector;
}

/* ---- dependences ------------------------------------------------------------------------------------------------- */

/* In some dimension both are the same, and that changes with this counter alone.  */
static bool same_along(const Nest *in, const Access *x, const Access *y, int loop)
{
    for (int i = 0; i < x->group->rank; i++) {
        Poly factor, rest;
        if (!poly_has(&x->coordinate[i], in->loops[loop].iv) || !poly_same(&x->coordinate[i], &y->coordinate[i]))
            continue;
        if (poly_split(&x->coordinate[i], in->loops[loop].iv, &factor, &rest) && is_fixed(in, &factor) &&
            is_fixed(in, &rest))
            return true;
    }
    return false;
}

/* May an iteration of the loop touch what another one does, the `common` counters being the same?  */
static bool may_meet(Nest *in, const Access *x, const Access *y, int loop, uint32_t common)
{
    Poly iv = poly_value(in->loops[loop].iv);
    for (int turn = 1; turn <= 2; turn++) {
        Facts *facts = facts_new(in, common);
        facts_at(facts, x->op, 1, false);
        facts_at(facts, y->op, 2, false);
        for (int i = 0; i < x->group->rank; i++)
            facts_equal(facts, &x->coordinate[i], 1, &y->coordinate[i], 2);
        facts_less(facts, &iv, turn, &iv, 3 - turn);
        if (!facts_contradict(facts))
            return true;
    }
    return false;
}

/* In some dimension one ends before the other begins.  */
static bool apart(Nest *in, const Access *x, const Access *y)
{
    for (int i = 0; i < x->group->rank; i++) {
        for (int turn = 0; turn < 2; turn++) {
            Poly high = (turn ? y : x)->coordinate[i], low = (turn ? x : y)->coordinate[i];
            int64_t gap;
            if (bound_of(in, &high, (turn ? y : x)->op, true, false) &&
                bound_of(in, &low, (turn ? x : y)->op, false, false) && poly_distance(&low, &high, &gap) && gap > 0)
                return true;
        }
    }
    return false;
}

static const char *distance_text(const Nest *in, const Access *x, const Access *y)
{
    Module *module = in->kernel->module;
    const char *text = "";
    FOR_LOOPS(loop, in)
    {
        if (in->loops[loop].grid < 0)
            continue;
        int64_t distance = 0;
        bool found = false;
        for (int i = 0; i < x->group->rank; i++)
            if (poly_has(&x->coordinate[i], in->loops[loop].iv))
                found |= poly_distance(&x->coordinate[i], &y->coordinate[i], &distance);
        text = arena_print(module, found ? "%s%s%lld" : "%s%sany", text, *text ? ", " : "", (long long)distance);
    }
    return text;
}

static void check_store(Nest *in, const Access *store)
{
    FOR_LOOPS(loop, in)
    {
        if (in->loops[loop].grid < 0 || in->kernel->failed)
            continue;
        bool moves = false;
        for (int i = 0; i < store->group->rank; i++)
            moves |= poly_has(&store->coordinate[i], in->loops[loop].iv);
        bool meets = !moves || (!same_along(in, store, store, loop) && may_meet(in, store, store, loop, 0));
        if (!meets || scatter_refuse(in, store->op))
            continue;
        if (!moves)
            reject(in->kernel, store->op->loc, REASON_PLAIN_WRITES_ONE,
                   in->loops[loop].iv->name ? in->loops[loop].iv->name : "?", access_text(in, store));
        else
            reject(in->kernel, store->op->loc, REASON_PLAIN_WRITES_TWICE, access_text(in, store),
                   in->loops[loop].iv->name ? in->loops[loop].iv->name : "?");
    }
}

static void check_pair(Nest *in, const Access *store, const Access *other)
{
    FOR_LOOPS(loop, in)
    {
        if (in->loops[loop].grid < 0 || same_along(in, store, other, loop) || apart(in, store, other) ||
            !may_meet(in, store, other, loop, 0))
            continue;
        reject(in->kernel, other->op->loc, REASON_PLAIN_DEPENDS, access_text(in, store), store->op->loc.line,
               access_text(in, other), other->stores ? "written" : "read", distance_text(in, store, other));
        return;
    }
}

/* Two iterations of an axis inside the grid may touch one element.  */
static void check_axis(Nest *in, const Access *store, const Access *other)
{
    FOR_LOOPS(loop, in)
    {
        Loop *axis = &in->loops[loop];
        if (!is_axis(in, loop) || axis->grid >= 0 || !ir_inside(store->op, axis->op->blocks[0]) ||
            !ir_inside(other->op, axis->op->blocks[0]))
            continue;
        if (same_along(in, store, other, loop) || apart(in, store, other) ||
            !may_meet(in, store, other, loop, loops_around(in, axis->op)))
            continue;
        axis->ordered = true;
        axis->why = arena_print(in->kernel->module, "%s may be what another iteration touches as %s",
                                access_text(in, store), access_text(in, other));
    }
}

/* require: accesses.   ensure: iterations of the grid touch no element in common, or a refusal; axes whose iterations
   do are ordered.  */
bool memory_depends(Nest *in)
{
    for (const Access *store = in->accesses; store; store = store->next) {
        if (!store->stores || scatter_of(in, store->op) || in->kernel->failed)
            continue;
        check_store(in, store);
        for (const Access *other = in->accesses; other && !in->kernel->failed; other = other->next) {
            if (other->group != store->group)
                continue;
            if (other != store)
                check_pair(in, store, other);
            check_axis(in, store, other);
        }
    }
    return !in->kernel->failed;
}
