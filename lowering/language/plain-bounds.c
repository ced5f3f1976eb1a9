/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-bounds.c - how small and how large sums get over the iterations of loops.
 *
 *   i * n + k - 1,  0 <= i < m, 0 <= k < n       from -1 to (m - 1) * n + n - 2
 */
#include "language/plain-memory.h"

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

/* What was emitted behind `last`, in front of the grid: each number once.  */
static Value *once(Nest *in, Op *last, Value *value)
{
    for (Op *op = last ? last->next : in->region->parent->first, *next; op != in->region; op = next) {
        next = op->next;
        for (Op *other = op->prev; other; other = other->prev) {
            bool same = other->code == op->code && other->nargs == op->nargs && op->nresults == 1 && !op->nblocks &&
                        op_means_the_same(other, op) && type_equal(other->results[0]->type, op->results[0]->type);
            for (int i = 0; i < op->nargs && same; i++)
                same = other->args[i] == op->args[i];
            if (!same)
                continue;
            for (Op *user = next; user != in->region; user = user->next)
                for (int i = 0; i < user->nargs; i++)
                    if (user->args[i] == op->results[0])
                        user->args[i] = other->results[0];
            value = value == op->results[0] ? other->results[0] : value;
            op_remove(op);
            break;
        }
    }
    return value;
}

Value *number_before(Nest *in, int64_t number)
{
    Op *last = in->region->prev;
    return once(in, last, ir_const_before(in->kernel, in->region, D_I64, number));
}

Value *scalar_before(Nest *in, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Op *last = in->region->prev;
    Value *args[] = {ir_convert_before(in->kernel, in->region, x, dtype),
                     ir_convert_before(in->kernel, in->region, y, dtype)};
    return once(in, last, ir_scalar_before(in->kernel, in->region, code, dtype, 2, args));
}

/* x where a number is, or is not, at most the limit; elsewhere y.  All of I64.  */
Value *choice_before(Nest *in, Value *number, int64_t limit, bool at_most, Value *x, Value *y)
{
    Op *last = in->region->prev;
    Value *args[] = {ir_convert_before(in->kernel, in->region, number, D_I64),
                     ir_const_before(in->kernel, in->region, D_I64, limit)};
    Value *choice[] = {ir_scalar_before(in->kernel, in->region, at_most ? OP_SCALAR_LE : OP_SCALAR_GT, D_I1, 2, args),
                       ir_convert_before(in->kernel, in->region, x, D_I64),
                       ir_convert_before(in->kernel, in->region, y, D_I64)};
    return once(in, last, ir_scalar_before(in->kernel, in->region, OP_SCALAR_SELECT, D_I64, 3, choice));
}

static Value *use_outside(void *context, Value *value)
{
    return form_prologue(context, value);
}

Value *poly_before(Nest *in, const Poly *x)
{
    Op *last = in->region->prev;
    return once(in, last, poly_emit(in->kernel, in->region, x, use_outside, in));
}

/* Below 0 never, where the operation is carried out, if there is one, and the facts are true.  */
static bool is_natural_by(Nest *in, Facts *facts, const Op *at, const Poly *x)
{
    Poly below = poly_constant(-1);
    if (at)
        facts_at(facts, at, 1, true);
    for (int i = 0; i < in->nassumed; i++)
        facts_condition(facts, in->assumed[i].condition, in->assumed[i].holds, 1);
    below = poly_add(&below, x, -1);
    facts_add(facts, &below, 1);
    return facts_contradict(facts);
}

static bool is_natural_at(Nest *in, const Op *at, const Poly *x)
{
    return at && is_natural_by(in, facts_new(in, 0), at, x);
}

/* x != y, of which one is a counter's first or last value, or never below the other where `at` is carried out: what is
   then at least 0.  */
bool bound_without_edge(Nest *in, const Op *at, const Poly *x, const Poly *y, Poly *least)
{
    Poly one = poly_constant(1), difference = poly_add(x, y, -1), other = poly_add(y, x, -1);
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        Poly iv = poly_value(loop->iv), last = poly_add(&loop->hi, &one, -1);
        Poly edges[] = {poly_add(&iv, &loop->lo, -1), poly_add(&last, &iv, -1)};
        for (int k = 0; k < 2; k++)
            if (poly_same(&edges[k], &difference) || poly_same(&edges[k], &other)) {
                *least = poly_add(&edges[k], &one, -1);
                return least->known;
            }
    }
    bool above = is_natural_at(in, at, &difference);
    if (!above && !is_natural_at(in, at, &other))
        return false;
    *least = poly_add(above ? &difference : &other, &one, -1);
    return least->known;
}

/* Where the condition holds, or does not; NULL: none.  */
static bool bound_of_arm(Nest *in, const Value *condition, bool holds, const Op *at, bool upper, Poly *x)
{
    bool assumes = condition && in->nassumed < MAX_ASSUMED;
    if (assumes) {
        in->assumed[in->nassumed].condition = condition;
        in->assumed[in->nassumed++].holds = holds;
    }
    bool known = bound_of(in, x, at, upper, false);
    in->nassumed -= assumes;
    return known;
}

/* The smaller or the larger of two numbers that are known before the grid.  */
static Poly either_of(Nest *in, const Poly *x, const Poly *y, bool smaller)
{
    int64_t more;
    if (poly_distance(x, y, &more))
        return (more < 0) == smaller ? *x : *y;
    return poly_value(
        scalar_before(in, smaller ? OP_SCALAR_MIN : OP_SCALAR_MAX, D_I64, poly_before(in, x), poly_before(in, y)));
}

/* x / y, rounded down; y > 0.  */
static Poly floor_of(Nest *in, const Poly *x, int64_t y)
{
    Poly zero = poly_constant(0), less = poly_add(&zero, x, -1), more = poly_constant(y - 1);
    Value *by = number_before(in, y), *none = number_before(in, 0);
    Value *above = scalar_before(in, OP_SCALAR_MAX, D_I64, poly_before(in, x), none),
          *below = scalar_before(in, OP_SCALAR_MAX, D_I64, poly_before(in, &less), none);
    Poly up = poly_value(below);
    up = poly_add(&up, &more, 1);
    Poly quotient = poly_value(scalar_before(in, OP_SCALAR_DIV, D_I64, above, by)),
         rest = poly_value(scalar_before(in, OP_SCALAR_DIV, D_I64, poly_before(in, &up), by));
    Poly difference = poly_add(&quotient, &rest, -1);
    Value *floor = poly_before(in, &difference);
    if (in->nfloors < MAX_FLOORS)
        in->floors[in->nfloors++] = (Floor){floor, *x, y};
    return poly_value(floor);
}

/* 2 (n / 2) + 1 is at most n + 1.  */
Poly bound_below(const Nest *in, const Poly *x)
{
    Poly sum = *x, factor, rest;
    int64_t times;
    for (int i = 0; i < in->nfloors; i++) {
        const Floor *floor = &in->floors[i];
        if (!poly_has(&sum, floor->value) || !poly_split(&sum, floor->value, &factor, &rest) ||
            !poly_is_constant(&factor, &times) || times < 0 || times % floor->by)
            continue;
        sum = poly_add(&rest, &floor->of, times / floor->by);
    }
    return sum;
}

/* x / y is larger where x is, or where y is below 0 smaller.  */
static bool bound_of_quotient(Nest *in, const Op *op, const Op *at, bool upper, Poly *bound)
{
    Poly x = poly_of(op->args[0]), y = poly_of(op->args[1]), other = x;
    int64_t number;
    bool constant = ir_constant(op->args[1], &number);
    if ((constant && number <= 0) || (!constant && (op->code != OP_SCALAR_DIV || !is_known_before(in, op->args[1]))))
        return false;
    bool positive = constant || !dtype_is_signed(op->args[1]->type.dtype) || is_natural_at(in, at, &y);
    if (!bound_of(in, &x, at, upper, false) || (!positive && !bound_of(in, &other, at, !upper, false)))
        return false;
    Value *one = number_before(in, 1),
          *by =
              constant ? number_before(in, number) : scalar_before(in, OP_SCALAR_MAX, D_I64, poly_before(in, &y), one),
          *quotient = scalar_before(in, op->code, D_I64, poly_before(in, &x), by);
    if (!positive) {
        Value *below = scalar_before(in, OP_SCALAR_MIN, D_I64, poly_before(in, &y), number_before(in, -1));
        below = scalar_before(in, OP_SCALAR_DIV, D_I64, poly_before(in, &other), below);
        quotient = choice_before(in, poly_before(in, &y), 0, true, below, quotient);
    }
    *bound = poly_value(quotient);
    return true;
}

/* x % y has the sign of x, and is nearer to 0 than y, and than x.  */
static bool bound_of_rest(Nest *in, const Op *op, const Op *at, bool upper, Poly *bound)
{
    Poly x = poly_of(op->args[0]), y = poly_of(op->args[1]), zero = poly_constant(0), one = poly_constant(1), by = y,
         own;
    int64_t number;
    bool known = is_known_before(in, op->args[1]), natural = !dtype_is_signed(op->results[0]->type.dtype);
    if (!upper && (natural || is_natural_at(in, at, &x))) {
        *bound = zero;
        return true;
    }
    if (poly_is_constant(&y, &number)) {
        by = poly_constant(number < 0 ? -number : number);
    } else if (known && !natural && !is_natural_at(in, at, &y)) {
        Poly below = poly_add(&zero, &y, -1);
        by = either_of(in, &y, &below, false);
    }
    known = known && by.known;
    by = poly_add(&by, &one, -1);
    own = x;
    bool bounded = !natural && bound_of(in, &own, at, upper, false); /* an unsigned sum may wrap around */
    if (bounded)
        own = either_of(in, &own, &zero, !upper);
    if (!known && !bounded)
        return false;
    Poly less = poly_add(&zero, &by, -1);
    *bound = !bounded ? upper ? by : less : !known ? own : either_of(in, upper ? &by : &less, &own, upper);
    return true;
}

Value *bound_room_for(Nest *in, const Value *condition, bool holds)
{
    Guards guards = {0};
    Value *room = NULL;
    conditions_take(in, &guards, condition, holds, NULL);
    for (int i = 0; i < guards.count; i++) {
        Poly most = guards.guards[i];
        int64_t number;
        if (!bound_of_loops(in, &most, true) || poly_is_constant(&most, &number))
            continue;
        Value *each = poly_before(in, &most);
        room = room ? scalar_before(in, OP_SCALAR_MIN, D_I64, room, each) : each;
    }
    return room;
}

/* Bounds of two arms, of which one that is taken nowhere has the other's.  */
static void bound_arms(Nest *in, const Value *condition, Poly *x, Poly *y)
{
    Value *rooms[] = {bound_room_for(in, condition, true), bound_room_for(in, condition, false)};
    Poly first = *x, second = *y;
    int64_t more;
    if (poly_distance(x, y, &more) && !more)
        return;
    if (rooms[0])
        *x = poly_value(choice_before(in, rooms[0], -1, false, poly_before(in, &first), poly_before(in, &second)));
    if (rooms[1])
        *y = poly_value(choice_before(in, rooms[1], -1, false, poly_before(in, &second), poly_before(in, &first)));
}

/* One of two numbers, by a condition that is known before the grid, too.  */
static Poly chosen_before(Nest *in, Value *condition, const Poly *x, const Poly *y)
{
    Op *last = in->region->prev;
    Value *args[] = {form_prologue(in, condition), ir_convert_before(in->kernel, in->region, poly_before(in, x), D_I64),
                     ir_convert_before(in->kernel, in->region, poly_before(in, y), D_I64)};
    return poly_value(once(in, last, ir_scalar_before(in->kernel, in->region, OP_SCALAR_SELECT, D_I64, 3, args)));
}

/* The smaller or larger of two values, or one of them by a condition.  */
static bool bound_of_either(Nest *in, const Op *op, const Op *at, bool upper, Poly *bound)
{
    Poly x = poly_of(op->args[op->nargs - 2]), y = poly_of(op->args[op->nargs - 1]), zero = poly_constant(0);
    Poly sum = poly_add(&x, &y, 1);
    if (op->code == OP_SCALAR_MAX && !upper && poly_same(&sum, &zero)) { /* |x| */
        *bound = zero;
        return true;
    }
    const Value *condition = op->code == OP_SCALAR_SELECT ? op->args[0] : NULL;
    bool first = bound_of_arm(in, condition, true, at, upper, &x),
         second = bound_of_arm(in, condition, false, at, upper, &y);
    bool either = op->code == (upper ? OP_SCALAR_MIN : OP_SCALAR_MAX);
    if (!(first || second) || (!(first && second) && !either))
        return false;
    if (condition && is_known_before(in, condition)) {
        *bound = chosen_before(in, op->args[0], &x, &y);
        return true;
    }
    if (condition && first && second)
        bound_arms(in, condition, &x, &y);
    bool smaller = op->code == OP_SCALAR_SELECT ? !upper : op->code == OP_SCALAR_MIN;
    *bound = !second ? x : !first ? y : either_of(in, &x, &y, smaller);
    return true;
}

/* x & -8 is larger where x is, and x & 7 from 0 to 7.  */
static bool bound_of_bits(Nest *in, const Op *op, const Op *at, bool upper, Poly *bound)
{
    int64_t bits;
    int i = ir_constant(op->args[1], &bits) ? 1 : 0;
    if (!i && !ir_constant(op->args[0], &bits))
        return false;
    if (bits >= 0) {
        *bound = poly_constant(upper ? bits : 0);
        return true;
    }
    Poly x = poly_of(op->args[1 - i]);
    if (-bits & (-bits - 1) || !bound_of(in, &x, at, upper, false))
        return false;
    *bound = poly_value(scalar_before(in, OP_SCALAR_AND, D_I64, poly_before(in, &x), number_before(in, bits)));
    return true;
}

/* What a number of 8 or 16 bits is modulo those; false: it is none that is computed.  */
static bool whole_of(Value *value, Poly *whole)
{
    const Op *op = value->def;
    Poly x, y;
    if (!op || value->type.dtype == D_I1 || dtype_bytes(value->type.dtype) > 2 || dtype_is_float(value->type.dtype))
        return false;
    if (op->code == OP_SCALAR_CONVERT) {
        Dtype from = op->args[0]->type.dtype;
        if (from == D_I1 || dtype_is_float(from))
            return false;
        /* A narrower number is what it is: its sum is right modulo less.  */
        if (dtype_bytes(from) < dtype_bytes(value->type.dtype) || !whole_of(op->args[0], whole))
            *whole = from == D_U32 ? poly_modulo(op->args[0]) : poly_of(op->args[0]);
        return true;
    }
    if (op->code != OP_SCALAR_ADD && op->code != OP_SCALAR_SUB && op->code != OP_SCALAR_MUL)
        return false;
    if (!whole_of(op->args[0], &x))
        x = poly_of(op->args[0]);
    if (!whole_of(op->args[1], &y))
        y = poly_of(op->args[1]);
    *whole = op->code == OP_SCALAR_MUL ? poly_multiply(&x, &y) : poly_add(&x, &y, op->code == OP_SCALAR_ADD ? 1 : -1);
    return whole->known;
}

/* (unsigned char)x: as far as x goes, where the launcher finds that all of it is cut alike.  */
static bool bound_of_cut(Nest *in, Value *value, const Op *at, bool upper, Poly *bound)
{
    Poly low, high;
    const int bits = 8 * dtype_bytes(value->type.dtype);
    const bool is_signed = dtype_is_signed(value->type.dtype);
    if (!whole_of(value, &low))
        return false;
    high = low;
    if (!bound_of(in, &low, at, false, false) || !bound_of(in, &high, at, true, false))
        return false;
    int64_t first = is_signed ? -((int64_t)1 << (bits - 1)) : 0, last = first + ((int64_t)1 << bits) - 1;
    Value *ends[] = {poly_before(in, &low), poly_before(in, &high)}, *of[2], *shift = number_before(in, bits);
    for (int i = 0; i < 2; i++) {
        Value *up = scalar_before(in, OP_SCALAR_SUB, D_I64, ends[i], number_before(in, first));
        of[i] = scalar_before(in, OP_SCALAR_SHR, D_I64, up, shift);
    }
    Value *turns = scalar_before(in, OP_SCALAR_SUB, D_I64, of[1], of[0]),
          *less = scalar_before(in, OP_SCALAR_MUL, D_I64, of[0], number_before(in, (int64_t)1 << bits)),
          *end = scalar_before(in, OP_SCALAR_SUB, D_I64, ends[upper], less);
    *bound = poly_value(choice_before(in, turns, 0, true, end, number_before(in, upper ? last : first)));
    return true;
}

/* A number that is computed in the region, as far as it goes.  */
static bool bound_of_value(Nest *in, Value *value, const Op *at, bool upper, Poly *bound)
{
    const Op *op = value->def;
    if (bound_of_cut(in, value, at, upper, bound))
        return true;
    if (op && (value->type.dtype == D_I8 || value->type.dtype == D_I16)) {
        int64_t most = value->type.dtype == D_I8 ? INT8_MAX : INT16_MAX;
        *bound = poly_constant(upper ? most : -most - 1);
        return true;
    }
    if (op && (value->type.dtype == D_U8 || value->type.dtype == D_U16)) {
        *bound = poly_constant(!upper ? 0 : value->type.dtype == D_U8 ? UINT8_MAX : UINT16_MAX);
        return true;
    }
    if (!op || op_info[op->code].class_ != CLASS_SCALAR || op->nargs < 2)
        return op && !upper && !dtype_is_signed(value->type.dtype) && dtype_bytes(value->type.dtype) == 4 &&
               ((*bound = poly_constant(0)), true);
    switch (op->code) {
    case OP_SCALAR_AND:
        return bound_of_bits(in, op, at, upper, bound);
    case OP_SCALAR_DIV:
    case OP_SCALAR_SHR:
        return bound_of_quotient(in, op, at, upper, bound);
    case OP_SCALAR_REM:
        return bound_of_rest(in, op, at, upper, bound);
    case OP_SCALAR_MIN:
    case OP_SCALAR_MAX:
    case OP_SCALAR_SELECT:
        return bound_of_either(in, op, at, upper, bound);
    default:
        return false;
    }
}

/* What a condition says of a counter: it is below `high`.  */
static bool condition_bounds(Nest *in, const Value *condition, const Value *iv, Poly *high)
{
    const Op *op = condition->def;
    if (!op)
        return false;
    if (op->code == OP_SCALAR_AND && op->results[0]->type.dtype == D_I1)
        return condition_bounds(in, op->args[0], iv, high) || condition_bounds(in, op->args[1], iv, high);
    if (op->code < OP_SCALAR_LT || op->code > OP_SCALAR_GE || dtype_is_float(op->args[0]->type.dtype))
        return false;
    bool less = op->code == OP_SCALAR_LT || op->code == OP_SCALAR_LE;
    Poly x = poly_of(op->args[less ? 0 : 1]), y = poly_of(op->args[less ? 1 : 0]), factor, rest;
    Poly difference = poly_add(&y, &x, -1); /* > 0, or >= 0 */
    int64_t number;
    if (!poly_split(&difference, iv, &factor, &rest) || !poly_is_constant(&factor, &number) || number != -1)
        return false;
    for (int i = 0; i < rest.count; i++)
        for (int k = 0; k < rest.terms[i].count; k++)
            if (!is_known_before(in, rest.terms[i].values[k]))
                return false;
    Poly one = poly_constant(op->code == OP_SCALAR_LE || op->code == OP_SCALAR_GE);
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
                high = poly_value(
                    scalar_before(in, OP_SCALAR_MIN, D_I64, poly_before(in, &guarded), poly_before(in, &limit)));
        } else if (less < 0) {
            high = guarded;
        }
    }
    return poly_add(&high, &one, -1);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* A bound may ask for bounds of what is divided or chosen, whose guards may name it again.  */
enum { MAX_STEPS = 64, MAX_NEEDS = 6, MAX_SWAPS = 2, MAX_DEPTH = 6, MAX_SEARCHES = 256 };
typedef struct {
    Nest *in;
    const Op *at;
    bool upper;
    Guards guards;
    const Poly *checked; /* the launcher sees to it that its counters' factors are as they look, or NULL */
    int steps, swaps, most_swaps, count, needs;
    bool may_swap;                 /* once more than that */
    Poly *bounds, need[MAX_NEEDS]; /* what the launcher finds to be at least 0, or the bound says nothing */
} Search;

static void add_bound(Search *s, const Poly *sum)
{
    int64_t more, far = (int64_t)1 << 62;
    Poly needed = *sum, *x = &needed;
    for (int i = 0; i < s->needs && sum->known; i++)
        needed = poly_value(choice_before(s->in, poly_before(s->in, &s->need[i]), -1, false, poly_before(s->in, x),
                                          number_before(s->in, s->upper ? far : -far)));
    for (int i = 0; i < s->count; i++)
        if (poly_distance(x, &s->bounds[i], &more)) {
            if ((more < 0) == s->upper)
                s->bounds[i] = *x;
            return;
        }
    if (x->known && s->count < MAX_BOUNDS)
        s->bounds[s->count++] = *x;
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

/* What the launcher sees to: the factors of the counters in what is checked are as they look.  */
static void add_checked(const Search *s, Facts *facts)
{
    const Nest *in = s->in;
    Poly factor, rest, zero = poly_constant(0);
    FOR_LOOPS (i, in) {
        if (!poly_has(s->checked, in->loops[i].iv) || !poly_split(s->checked, in->loops[i].iv, &factor, &rest) ||
            !poly_is_fixed(in, &factor))
            continue;
        Poly less = poly_add(&zero, &factor, -1);
        if (stride_is_positive(&factor) || stride_is_positive(&less))
            facts_add(facts, stride_is_positive(&factor) ? &factor : &less, 1);
    }
}

/* Below 0 never, where the search's operation is carried out and the launcher finds nothing wrong.  */
static bool is_natural_in(const Search *s, const Poly *x)
{
    if (poly_is_natural(s->in, x))
        return true;
    Facts *facts = facts_new(s->in, 0);
    if (s->checked)
        add_checked(s, facts);
    return is_natural_by(s->in, facts, s->at, x);
}

/* A factor of a guard is not below 0, or may be found to be so.  */
static bool may_multiply(const Search *s, const Poly *times, bool *needs)
{
    int64_t number;
    *needs = false;
    if (poly_is_constant(times, &number))
        return number >= 0;
    *needs = !is_natural_in(s, times);
    return !*needs || (s->needs < MAX_NEEDS && poly_is_fixed(s->in, times));
}

/* x + times guard is not below x, and where it says less of counters it is the better bound: of y W, with y < H, that
   is (H - 1) W; or, a few times, where it says as much of others: j < i.  Likewise below x is x - times guard.  `times`
   has to be at least 0.  */
static bool use_guard(Search *s, const Poly *x, const Poly *guard, Poly *bound, Poly *need, bool *needs)
{
    const Nest *in = s->in;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < guard->count && varies(in, &x->terms[i]); k++) {
            Poly single = poly_constant(0), rest;
            Term by = guard->terms[k];
            single.count = 1;
            single.terms[0] = x->terms[i];
            by.factor = s->upper ? -by.factor : by.factor;
            if (by.factor < 0) {
                by.factor = -by.factor;
                single.terms[0].factor = -single.terms[0].factor;
            }
            if (!varies(in, &by))
                continue;
            Poly times = poly_divide(&single, &by, &rest);
            if (rest.count || times.count != 1 || times.terms[0].factor <= 0 || varies(in, &times.terms[0]))
                continue;
            Poly more = poly_multiply(&times, guard), sum = poly_add(x, &more, s->upper ? 1 : -1);
            int less = varying_terms(in, x) - varying_terms(in, &sum);
            if (!sum.known || less < 0)
                continue;
            s->may_swap |= !less && s->swaps == s->most_swaps;
            if ((!less && s->swaps == s->most_swaps) || !may_multiply(s, &times, needs))
                continue;
            *need = times;
            *bound = sum;
            return true;
        }
    return false;
}

/* 2 i <= n: i is at most n / 2.  */
static bool use_multiple(const Search *s, const Poly *x, const Poly *guard, Poly *bound)
{
    Nest *in = s->in;
    for (int k = 0; k < guard->count; k++) {
        const Term *term = &guard->terms[k];
        Poly factor, rest, own, other;
        int64_t times, number;
        if (term->count != 1 || !varies(in, term) || !poly_has(x, term->values[0]) ||
            !poly_split(guard, term->values[0], &factor, &rest) || !poly_is_constant(&factor, &times) ||
            !poly_is_fixed(in, &rest) || times == 1 || times == -1)
            continue;
        bool limits_above = times < 0;
        if (!poly_split(x, term->values[0], &own, &other) ||
            !(poly_is_constant(&own, &number) ? (number > 0) == (limits_above == s->upper)
                                              : limits_above == s->upper && is_natural_at(in, s->at, &own)))
            continue;
        Poly limit = floor_of(in, &rest, times < 0 ? -times : times), zero = poly_constant(0);
        limit = limits_above ? limit : poly_add(&zero, &limit, -1);
        *bound = poly_replace(x, term->values[0], &limit);
        return bound->known;
    }
    return false;
}

/* x / by, for one product `by`; false: it is no multiple.  */
static bool quotient_of(const Poly *x, const Poly *by, Poly *quotient)
{
    Poly zero = poly_constant(0), rest;
    if (by->count != 1)
        return false;
    Term term = by->terms[0];
    bool negative = term.factor < 0;
    term.factor = negative ? -term.factor : term.factor;
    *quotient = *x;
    if (!term.count ? !poly_divide_by(quotient, term.factor)
                    : (*quotient = poly_divide(x, &term, &rest), rest.count || !quotient->count))
        return false;
    if (negative)
        *quotient = poly_add(&zero, quotient, -1);
    return quotient->known;
}

/* x - y, without what is left of it by the step; the step is above 0.  */
static Poly whole_steps(Nest *in, const Poly *x, const Poly *y, const Poly *step)
{
    Poly span = poly_add(x, y, -1), rest, more;
    rest = poly_value(scalar_before(in, OP_SCALAR_REM, D_I64, poly_before(in, &span), poly_before(in, step)));
    more = poly_add(&rest, step, 1);
    rest =
        poly_value(choice_before(in, poly_before(in, &rest), -1, true, poly_before(in, &more), poly_before(in, &rest)));
    return poly_add(&span, &rest, -1);
}

/* The last number that a loop from `start` by steps gets to.  The edge is what its counter was when it ended; none: it
   is not known, or the loop has several starts.  */
static bool last_step(const Search *s, const Loop *loop, bool up, Poly *edge)
{
    Nest *in = s->in;
    Poly along, start;
    int64_t number;
    if (!poly_split(&loop->along, loop->iv, &along, &start) || !poly_is_fixed(in, &start) ||
        !poly_is_fixed(in, &loop->step) || (poly_is_constant(&loop->step, &number) && number <= 1) ||
        !bound_of(in, edge, s->at, up, false))
        return false;
    Poly steps = up ? whole_steps(in, edge, &start, &loop->step) : whole_steps(in, &start, edge, &loop->step);
    *edge = poly_add(&start, &steps, up ? 1 : -1);
    return edge->known;
}

/* A factor's sign: 1, -1, or 0 where it may be either.  */
static int sign_of(const Search *s, const Poly *factor)
{
    Poly zero = poly_constant(0), less = poly_add(&zero, factor, -1);
    int64_t number;
    if (poly_is_constant(factor, &number))
        return number < 0 ? -1 : 1;
    return is_natural_in(s, factor) ? 1 : is_natural_in(s, &less) ? -1 : 0;
}

/* The same; what only adds or only subtracts is as it looks, which the launcher sees to.  */
static int sign_as_seen(const Search *s, const Poly *factor)
{
    Poly zero = poly_constant(0), less = poly_add(&zero, factor, -1);
    return stride_is_positive(factor) ? 1 : stride_is_positive(&less) ? -1 : sign_of(s, factor);
}

/* Of a loop that goes by steps, and ends elsewhere for each element of a tile: by what its counter was.  */
static bool use_index(const Search *s, const Loop *loop, const Poly *factor, const Poly *x, Poly *bound)
{
    Nest *in = s->in;
    Poly times, step, start;
    if (!loop->index || (poly_is_fixed(in, &loop->hi) && !in->by_index))
        return false;
    Poly along = in->by_index ? poly_modulo(loop->index) : loop->along;
    if (!poly_split(&along, loop->iv, &step, &start) || !quotient_of(factor, &step, &times))
        return false;
    int sign = in->unchecked ? sign_of(s, &times) : sign_as_seen(s, &times);
    if (!sign)
        return false;
    bool up = (sign > 0) == s->upper, rises = loop->within == OP_SCALAR_LT || loop->within == OP_SCALAR_LE;
    Poly edge = up ? loop->last : loop->first, reached = edge;
    if (up == rises && last_step(s, loop, up, &reached))
        edge = reached;
    edge = poly_multiply(&times, &edge);
    along = poly_multiply(&times, &along);
    *bound = poly_add(x, &along, -1);
    *bound = poly_add(bound, &edge, 1);
    return bound->known && !poly_has(bound, loop->iv);
}

/* factor value at its largest, or smallest, at one of four corners: the factor changes with the iteration, too.  */
static bool corner_of(const Search *s, const Poly *factor, const Poly *low, const Poly *high, Poly *bound)
{
    Nest *in = s->in;
    Poly least = *factor, most = *factor;
    if (!poly_is_fixed(in, low) || !poly_is_fixed(in, high) || !bound_of(in, &least, s->at, false, false) ||
        !bound_of(in, &most, s->at, true, false))
        return false;
    for (int i = 0; i < 4; i++) {
        Poly corner = poly_multiply(i & 1 ? &most : &least, i & 2 ? high : low);
        if (!corner.known)
            return false;
        *bound = i ? either_of(in, bound, &corner, !s->upper) : corner;
    }
    return true;
}

/* factor value + rest at its largest, or smallest, for a value from low to high.  A factor of either sign is the
   difference of two numbers of which one is 0.  */
static bool replace_by_ends(const Search *s, const Poly *x, const Value *value, int sign, const Poly *low,
                            const Poly *high, Poly *bound)
{
    Nest *in = s->in;
    Poly factor, rest;
    poly_split(x, value, &factor, &rest);
    if (sign) {
        *bound = poly_replace(x, value, (sign > 0) == s->upper ? high : low);
        return bound->known;
    }
    if (!poly_is_fixed(in, &factor)) {
        Poly corner;
        if (!corner_of(s, &factor, low, high, &corner))
            return false;
        *bound = poly_add(&rest, &corner, 1);
        return bound->known;
    }
    Poly to_low = poly_multiply(&factor, low), to_high = poly_multiply(&factor, high);
    if (poly_is_fixed(in, &to_low) && poly_is_fixed(in, &to_high)) {
        Poly end = either_of(in, &to_low, &to_high, !s->upper);
        *bound = poly_add(&rest, &end, 1);
        return bound->known;
    }
    Poly above = poly_value(scalar_before(in, OP_SCALAR_MAX, D_I64, poly_before(in, &factor), number_before(in, 0))),
         below = poly_add(&above, &factor, -1);
    above = poly_multiply(&above, s->upper ? high : low);
    below = poly_multiply(&below, s->upper ? low : high);
    *bound = poly_add(&rest, &above, 1);
    *bound = poly_add(bound, &below, -1);
    return bound->known;
}

/* By the bounds of its loop.  */
static bool use_loop(const Search *s, const Poly *x, Poly *bound)
{
    Nest *in = s->in;
    for (int i = in->nloops - 1; i >= 0; i--) {
        const Loop *loop = &in->loops[i];
        Poly factor, rest, one = poly_constant(1), last = poly_add(&loop->hi, &one, -1);
        if (!poly_has(x, loop->iv))
            continue;
        if (!poly_split(x, loop->iv, &factor, &rest) || !factor.count)
            return false;
        return use_index(s, loop, &factor, x, bound) ||
               replace_by_ends(s, x, loop->iv, sign_of(s, &factor), &loop->lo, &last, bound);
    }
    return false;
}

static bool has_counter_of(const Nest *in, const Poly *x)
{
    FOR_LOOPS (i, in)
        if (poly_has(x, in->loops[i].iv))
            return true;
    return false;
}

static bool use_value(const Search *s, const Poly *x, Poly *bound)
{
    Poly factor, rest, low, high;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++) {
            Value *inner = x->terms[i].values[k];
            if (is_known_before(s->in, inner))
                continue;
            if (!poly_split(x, inner, &factor, &rest) || !factor.count)
                return false;
            int sign = sign_of(s, &factor);
            bool needs_high = !sign || (sign > 0) == s->upper, needs_low = !sign || (sign > 0) != s->upper;
            return (!needs_low || bound_of_value(s->in, inner, s->at, false, &low)) &&
                   (!needs_high || bound_of_value(s->in, inner, s->at, true, &high)) &&
                   replace_by_ends(s, x, inner, sign, &low, &high, bound);
        }
    return false;
}

/* |y|, and 1 for 0, by which nothing is divided.  */
static Value *size_of(Nest *in, Value *y)
{
    int64_t number;
    if (ir_constant(y, &number) && number)
        return number_before(in, number < 0 ? -number : number);
    Poly x = poly_of(y), zero = poly_constant(0), less = poly_add(&zero, &x, -1);
    Value *size = scalar_before(in, OP_SCALAR_MAX, D_I64, poly_before(in, &x), poly_before(in, &less));
    return scalar_before(in, OP_SCALAR_MAX, D_I64, size, number_before(in, 1));
}

/* x - x % y is larger where x is: at x's bound.  */
static bool use_rounded(const Search *s, const Poly *x, Poly *bound)
{
    Nest *in = s->in;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++) {
            Value *rest = x->terms[i].values[k];
            const Op *op = rest->def;
            Poly factor, other, zero = poly_constant(0), edge, less;
            if (is_known_before(in, rest) || !op || op->code != OP_SCALAR_REM || !is_known_before(in, op->args[1]) ||
                !poly_split(x, rest, &factor, &other))
                continue;
            factor = poly_add(&zero, &factor, -1);
            edge = poly_of(op->args[0]);
            less = poly_multiply(&factor, &edge);
            other = poly_add(&other, &less, -1);
            int sign = sign_of(s, &factor);
            if (!other.known || !sign || varying_terms(in, &other) >= varying_terms(in, x) - 1 ||
                !bound_of(in, &edge, s->at, (sign > 0) == s->upper, false))
                continue;
            less =
                poly_value(scalar_before(in, OP_SCALAR_REM, D_I64, poly_before(in, &edge), size_of(in, op->args[1])));
            edge = poly_add(&edge, &less, -1);
            edge = poly_multiply(&factor, &edge);
            *bound = poly_add(&other, &edge, 1);
            return bound->known;
        }
    return false;
}

/* What a number of 8, 16 or 32 bits is modulo those; false: it is none that is computed.  */
static bool modulo_of(const Nest *in, Value *value, Poly *is)
{
    const Op *op = value->def;
    if (!op || !op->nargs || op_info[op->code].class_ != CLASS_SCALAR || dtype_is_float(op->args[0]->type.dtype) ||
        is_known_before(in, value))
        return false;
    if (value->type.dtype != D_U32)
        return in->together && whole_of(value, is) && !poly_has(is, value);
    *is = poly_modulo(value);
    return !poly_has(is, value);
}

/* Sums that may wrap around, less the multiple of 2^8, 2^16 or 2^32 that the launcher finds to be below all of them.
   The need is at least 0 where no multiple is between them.  */
static bool use_wrapped(const Search *s, const Poly *x, Poly *sum, Poly *need)
{
    Nest *in = s->in;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++) {
            Value *value = x->terms[i].values[k];
            Poly is;
            if (!modulo_of(in, value, &is))
                continue;
            const int64_t turn = (int64_t)1 << (8 * dtype_bytes(value->type.dtype)),
                          first = dtype_is_signed(value->type.dtype) ? -turn / 2 : 0;
            Poly least = is, most = is, last = poly_constant(first + turn - 1);
            const bool natural = !first && poly_is_natural(in, &is);
            if ((!natural && !bound_of(in, &least, s->at, false, false)) || !bound_of(in, &most, s->at, true, false))
                continue;
            if (!natural) {
                Poly from = poly_constant(first), span = poly_add(&least, &from, -1);
                Value *turns =
                    scalar_before(in, OP_SCALAR_AND, D_I64, poly_before(in, &span), number_before(in, -turn));
                Poly below = poly_value(turns);
                is = poly_add(&is, &below, -1);
                last = poly_add(&last, &below, 1);
            }
            *sum = poly_replace(x, value, &is);
            if (!sum->known)
                continue;
            *need = poly_add(&last, &most, -1);
            return true;
        }
    return false;
}

/* A choice that the launcher makes: of the arm's sum and the rest together.  */
static bool use_choice(const Search *s, const Poly *x, Poly *bound)
{
    Nest *in = s->in;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++) {
            Value *value = x->terms[i].values[k];
            const Op *op = value->def;
            if (!op || op->code != OP_SCALAR_SELECT || is_known_before(in, value) || !is_known_before(in, op->args[0]))
                continue;
            Poly sums[2];
            bool known = true;
            for (int arm = 0; arm < 2 && known; arm++) {
                Poly by = poly_of(op->args[1 + arm]);
                sums[arm] = poly_replace(x, value, &by);
                known = sums[arm].known && bound_of(in, &sums[arm], s->at, s->upper, false);
            }
            if (!known)
                continue;
            *bound = chosen_before(in, op->args[0], &sums[0], &sums[1]);
            return true;
        }
    return false;
}

static void search(Search *s, const Poly *x)
{
    Poly next;
    if (s->steps++ >= MAX_STEPS || s->count == MAX_BOUNDS)
        return;
    if (poly_is_fixed(s->in, x)) {
        add_bound(s, x);
        return;
    }
    for (int i = 0; i < s->guards.count; i++) {
        Poly need;
        bool needs = false;
        if (s->guards.need[i] && s->needs + 2 > MAX_NEEDS)
            continue;
        if (!use_multiple(s, x, &s->guards.guards[i], &next) &&
            !use_guard(s, x, &s->guards.guards[i], &next, &need, &needs))
            continue;
        bool swaps = varying_terms(s->in, &next) == varying_terms(s->in, x);
        if (needs)
            s->need[s->needs++] = need;
        if (s->guards.need[i])
            s->need[s->needs++] = poly_value(s->guards.need[i]);
        s->swaps += swaps;
        search(s, &next);
        s->swaps -= swaps;
        s->needs -= needs + (s->guards.need[i] != NULL);
    }
    if (s->needs < MAX_NEEDS && use_wrapped(s, x, &next, &s->need[s->needs])) {
        s->needs++;
        search(s, &next);
        s->needs--;
    }
    if (s->in->together && use_choice(s, x, &next))
        search(s, &next);
    if (use_rounded(s, x, &next))
        search(s, &next);
    if (has_counter_of(s->in, x) ? use_loop(s, x, &next) : use_value(s, x, &next))
        search(s, &next);
}

/* x % y is at most x, where that is not below 0: x - x % y neither.  */
static void add_rests(Nest *in, const Poly *x, const Op *at, Guards *guards)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++) {
            Value *rest = x->terms[i].values[k];
            if (!rest->def || rest->def->code != OP_SCALAR_REM || guards->count == MAX_GUARDS)
                continue;
            Poly of = poly_of(rest->def->args[0]), value = poly_value(rest);
            if (!is_natural_at(in, at, &of))
                continue;
            guards->need[guards->count] = NULL;
            guards->guards[guards->count++] = poly_add(&of, &value, -1);
        }
}

int bounds_of(Nest *in, const Poly *x, const Op *at, bool upper, Poly *bounds)
{
    Search s = {.in = in, .at = at, .upper = upper, .bounds = bounds};
    in->searches = in->depth ? in->searches + 1 : 0;
    if (in->depth == MAX_DEPTH || in->searches > MAX_SEARCHES)
        return 0;
    in->depth++;
    s.checked = in->depth == 1 && !in->unchecked ? x : NULL;
    if (at)
        s.guards = reach_guards(in, at);
    add_rests(in, x, at, &s.guards);
    for (int i = 0; i < in->nassumed; i++)
        conditions_take(in, &s.guards, in->assumed[i].condition, in->assumed[i].holds, at);
    for (s.may_swap = true; s.may_swap && s.most_swaps <= MAX_SWAPS; s.most_swaps++) { /* the fewest first */
        s.steps = 0;
        s.may_swap = false;
        search(&s, x);
    }
    in->depth--;
    return s.count;
}

/* Of the axes alone; a condition of its own says how far the operation goes.  */
static bool bound_of_axes(Nest *in, Poly *x, const Op *at, bool upper)
{
    for (int i = in->nloops - 1; i >= 0; i--) {
        const Loop *loop = &in->loops[i];
        Poly factor, rest;
        if (!poly_has(x, loop->iv) || !is_axis(in, i))
            continue;
        if (!poly_split(x, loop->iv, &factor, &rest) || !factor.count)
            return false;
        Poly by = (factor.terms[0].factor > 0) == upper ? highest(in, loop, at) : loop->lo;
        *x = poly_replace(x, loop->iv, &by);
        if (!x->known)
            return false;
    }
    return x->known;
}

/* x at its largest, or smallest, over the counters of all loops, or of the axes alone.  */
bool bound_of(Nest *in, Poly *x, const Op *at, bool upper, bool axes_only)
{
    Poly bounds[MAX_BOUNDS];
    if (axes_only)
        return bound_of_axes(in, x, at, upper);
    int count = bounds_of(in, x, at, upper, bounds);
    for (int i = 0; i < count; i++)
        *x = i ? either_of(in, x, &bounds[i], upper) : bounds[0];
    return count > 0;
}

bool bound_of_loops(Nest *in, Poly *x, bool upper)
{
    bool unchecked = in->unchecked;
    in->unchecked = true;
    bool known = bound_of(in, x, NULL, upper, false);
    in->unchecked = unchecked;
    return known;
}

bool poly_is_fixed(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (!is_known_before(in, x->terms[i].values[k]))
                return false;
    return true;
}
