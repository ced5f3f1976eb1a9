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

Value *scalar_before(Nest *in, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Value *args[] = {ir_convert_before(in->kernel, in->region, x, dtype),
                     ir_convert_before(in->kernel, in->region, y, dtype)};
    return ir_scalar_before(in->kernel, in->region, code, dtype, 2, args);
}

static Value *use_outside(void *context, Value *value)
{
    return form_prologue(context, value);
}

Value *poly_before(Nest *in, const Poly *x)
{
    return poly_emit(in->kernel, in->region, x, use_outside, in);
}

/* x != y, of which one is a counter's first or last value: what is then at least 0.  */
bool bound_without_edge(const Nest *in, const Poly *x, const Poly *y, Poly *least)
{
    Poly one = poly_constant(1), difference = poly_add(x, y, -1), other = poly_add(y, x, -1);
    FOR_LOOPS(i, in)
    {
        const Loop *loop = &in->loops[i];
        Poly iv = poly_value(loop->iv), last = poly_add(&loop->hi, &one, -1);
        Poly edges[] = {poly_add(&iv, &loop->lo, -1), poly_add(&last, &iv, -1)};
        for (int k = 0; k < 2; k++)
            if (poly_same(&edges[k], &difference) || poly_same(&edges[k], &other)) {
                *least = poly_add(&edges[k], &one, -1);
                return least->known;
            }
    }
    return false;
}

/* Below 0 never, where the operation is carried out.  */
static bool is_natural_at(Nest *in, const Op *at, const Poly *x)
{
    Poly below = poly_constant(-1);
    Facts *facts = at ? facts_new(in, 0) : NULL;
    if (!facts)
        return false;
    facts_at(facts, at, 1, true);
    below = poly_add(&below, x, -1);
    facts_add(facts, &below, 1);
    return facts_contradict(facts);
}

/* Where the condition holds, or does not; NULL: none.  */
static bool bound_of_arm(Nest *in, const Value *condition, bool holds, bool upper, Poly *x)
{
    bool assumes = condition && in->nassumed < MAX_ASSUMED;
    if (assumes) {
        in->assumed[in->nassumed].condition = condition;
        in->assumed[in->nassumed++].holds = holds;
    }
    bool known = bound_of(in, x, NULL, upper, false);
    in->nassumed -= assumes;
    return known;
}

/* A number that is computed in the region, as far as it goes.  */
static bool bound_of_value(Nest *in, Value *value, const Op *at, bool upper, Poly *bound)
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
        *bound = poly_value(scalar_before(in, op->code, D_I64, poly_before(in, &x),
                                          ir_const_before(in->kernel, in->region, D_I64, number)));
        return true;
    }
    if (op->code == OP_DIVI && is_known_before(in, op->args[1])) { /* by a number above 0, if anything is divided */
        if (!bound_of(in, &x, NULL, upper, false))
            return false;
        Value *by =
            scalar_before(in, OP_MAXI, D_I64, poly_before(in, &y), ir_const_before(in->kernel, in->region, D_I64, 1));
        *bound = poly_value(scalar_before(in, OP_DIVI, D_I64, poly_before(in, &x), by));
        return true;
    }
    if (op->code == OP_REMI && !upper) { /* of numbers of 0 and more */
        *bound = poly_constant(0);
        return is_natural_at(in, at, &x) ||
               (bound_of(in, &x, NULL, false, false) && poly_is_constant(&x, &number) && number >= 0);
    }
    if (op->code == OP_REMI && is_known_before(in, op->args[1]) && !poly_is_constant(&y, &number)) {
        Poly zero = poly_constant(0), below = poly_add(&zero, &y, -1), one = poly_constant(1);
        *bound = poly_value(scalar_before(in, OP_MAXI, D_I64, poly_before(in, &y), poly_before(in, &below)));
        *bound = poly_add(bound, &one, -1);
        return true;
    }
    if (op->code == OP_REMI && poly_is_constant(&y, &number) && number > 0) {
        *bound = poly_constant(number - 1);
        return true;
    }
    if (op->code != OP_MINI && op->code != OP_MAXI && op->code != OP_SELI)
        return false;
    Poly zero = poly_constant(0), sum = poly_add(&x, &y, 1);
    if (op->code == OP_MAXI && !upper && poly_same(&sum, &zero)) { /* |x| */
        *bound = zero;
        return true;
    }
    const Value *condition = op->code == OP_SELI ? op->args[0] : NULL;
    bool first = bound_of_arm(in, condition, true, upper, &x), second = bound_of_arm(in, condition, false, upper, &y);
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
    *bound = poly_value(scalar_before(in, code, D_I64, poly_before(in, &x), poly_before(in, &y)));
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
                high =
                    poly_value(scalar_before(in, OP_MINI, D_I64, poly_before(in, &guarded), poly_before(in, &limit)));
        } else if (less < 0) {
            high = guarded;
        }
    }
    return poly_add(&high, &one, -1);
}

/* x at its largest, or smallest, over the counters of all loops, or of the axes alone.  */
bool bound_of(Nest *in, Poly *x, const Op *at, bool upper, bool axes_only)
{
    for (int i = 0; i < in->nassumed && !axes_only; i++)
        reach_narrow(in, in->assumed[i].condition, in->assumed[i].holds, upper, x);
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
        if (!bound_of_value(in, inner, at, (sign > 0) == upper, &by))
            return false;
        *x = poly_replace(x, inner, &by);
    }
    return axes_only && x->known;
}

bool poly_is_fixed(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (!is_known_before(in, x->terms[i].values[k]))
                return false;
    return true;
}
