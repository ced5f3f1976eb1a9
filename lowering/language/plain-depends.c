/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-depends.c - iterations that touch one element.
 */
#include "language/plain-memory.h"

/* In some dimension both are the same, and that changes with this counter alone.  */
static bool same_along(const Nest *in, const Access *x, const Access *y, int loop)
{
    for (int i = 0; i < x->group->places; i++) {
        Poly factor, rest;
        if (!poly_has(&x->place[i], in->loops[loop].iv) || !poly_same(&x->place[i], &y->place[i]))
            continue;
        if (poly_split(&x->place[i], in->loops[loop].iv, &factor, &rest) && poly_is_fixed(in, &factor) &&
            poly_is_fixed(in, &rest))
            return true;
    }
    return false;
}

/* A loop around both that goes by steps that are known when launched; NULL: none.  */
static const Loop *stepped_loop(const Nest *in, const Access *x, const Access *y)
{
    uint32_t around = loops_around(in, x->op) & loops_around(in, y->op);
    int64_t number;
    FOR_LOOPS (i, in)
        if (around >> i & 1 && in->loops[i].index && !poly_is_constant(&in->loops[i].step, &number))
            return &in->loops[i];
    return NULL;
}

/* The stepped loop is in one iteration (0), or in a later one by instance 1 (1) or 2 (-1): a step further at least.  */
static void add_order(Facts *facts, const Loop *loop, int later)
{
    Poly counter = poly_value(loop->iv), way = poly_multiply(&counter, &loop->step), one = poly_constant(1);
    Poly behind = poly_add(&way, &loop->step, 1);
    behind = poly_add(&behind, &one, -1);
    if (!later)
        facts_equal(facts, &way, 1, &way, 2);
    else
        facts_less(facts, &behind, later > 0 ? 2 : 1, &way, later > 0 ? 1 : 2);
}

/* Numbers of 32 bits that are sums modulo 2^32, in bounds of loops: for (i = k + 1; ...) of an unsigned k.  */
enum { MOST_SUMS = 4 };
typedef struct {
    int count;
    Value *values[MOST_SUMS];
} Sums;

static bool is_sum(const Nest *in, Value *value)
{
    const Op *op = value->def;
    if (!op || !is_known_before(in, value) || op_info[op->code].class_ != CLASS_SCALAR || op->code == OP_CONST)
        return false;
    bool cut = value->type.dtype == D_I32 && op->code == OP_SCALAR_CONVERT && op->args[0]->type.dtype == D_U32;
    if (!cut && (value->type.dtype != D_U32 || dtype_is_float(op->args[0]->type.dtype)))
        return false;
    Poly sum = poly_of_wrapped(value);
    return !poly_has(&sum, value);
}

static void add_sums(const Nest *in, const Poly *bound, Sums *sums)
{
    for (int i = 0; i < bound->count; i++)
        for (int k = 0; k < bound->terms[i].count; k++) {
            Value *value = bound->terms[i].values[k];
            bool found = !is_sum(in, value);
            for (int l = 0; l < sums->count && !found; l++)
                found = sums->values[l] == value;
            if (!found && sums->count < MOST_SUMS)
                sums->values[sums->count++] = value;
        }
}

static Sums sums_around(const Nest *in, const Access *x, const Access *y)
{
    uint32_t around = loops_around(in, x->op) | loops_around(in, y->op);
    Sums sums = {0};
    FOR_LOOPS (i, in)
        if (around >> i & 1) {
            add_sums(in, &in->loops[i].lo, &sums);
            add_sums(in, &in->loops[i].hi, &sums);
        }
    return sums;
}

static void add_equal(Facts *facts, const Sums *sums)
{
    for (int i = 0; i < sums->count; i++) {
        Poly value = poly_value(sums->values[i]), sum = poly_of_wrapped(sums->values[i]);
        facts_equal(facts, &value, 1, &sum, 1);
    }
}

/* The launcher sees to it that none of the sums wraps around.  */
static bool check_sums(Nest *in, Group *group, const Sums *sums)
{
    bool room = true;
    for (int i = 0; i < sums->count; i++) {
        Poly sum = poly_of_wrapped(sums->values[i]),
             most = poly_constant(sums->values[i]->type.dtype == D_U32 ? UINT32_MAX : INT32_MAX);
        most = poly_add(&most, &sum, -1);
        room &= (poly_is_natural(in, &sum) || reach_add_least(group, &sum)) && reach_add_least(group, &most);
    }
    return room;
}

/* May an iteration of the loop touch what another one does, the `common` counters being the same?  */
static bool may_meet_if(Nest *in, const Access *x, const Access *y, int loop, uint32_t common, const Sums *sums)
{
    Poly iv = poly_value(in->loops[loop].iv);
    const Loop *stepped = stepped_loop(in, x, y);
    for (int turn = 1; turn <= 2; turn++)
        for (int later = stepped ? -1 : 0; later <= (stepped ? 1 : 0); later++) {
            Facts *facts = facts_new(in, common);
            facts_at(facts, x->op, 1, false);
            facts_at(facts, y->op, 2, false);
            for (int i = 0; i < x->group->places; i++)
                facts_equal(facts, &x->place[i], 1, &y->place[i], 2);
            facts_less(facts, &iv, turn, &iv, 3 - turn);
            if (stepped)
                add_order(facts, stepped, later);
            add_equal(facts, sums);
            if (!facts_contradict(facts))
                return true;
        }
    return false;
}

static bool may_meet(Nest *in, const Access *x, const Access *y, int loop, uint32_t common)
{
    Sums none = {0}, sums;
    if (!may_meet_if(in, x, y, loop, common, &none))
        return false;
    sums = sums_around(in, x, y);
    return !sums.count || may_meet_if(in, x, y, loop, common, &sums) || !check_sums(in, x->group, &sums);
}

/* In some dimension one ends before the other begins.  */
static bool apart(Nest *in, const Access *x, const Access *y)
{
    for (int i = 0; i < x->group->places; i++) {
        for (int turn = 0; turn < 2; turn++) {
            Poly high = (turn ? y : x)->place[i], low = (turn ? x : y)->place[i];
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
    FOR_LOOPS (loop, in) {
        if (in->loops[loop].grid < 0)
            continue;
        int64_t distance = 0;
        bool found = false;
        for (int i = 0; i < x->group->places; i++)
            if (poly_has(&x->place[i], in->loops[loop].iv))
                found |= poly_distance(&x->place[i], &y->place[i], &distance);
        text = arena_print(module, found ? "%s%s%lld" : "%s%sany", text, *text ? ", " : "", (long long)distance);
    }
    return text;
}

static void check_store(Nest *in, const Access *store)
{
    FOR_LOOPS (loop, in) {
        if (in->loops[loop].grid < 0 || in->kernel->failed)
            continue;
        bool moves = false;
        for (int i = 0; i < store->group->places; i++)
            moves |= poly_has(&store->place[i], in->loops[loop].iv);
        bool meets = !moves || (!same_along(in, store, store, loop) && may_meet(in, store, store, loop, 0));
        if (!meets || scatter_refuse(in, store->op))
            continue;
        if (!moves)
            reject(in->kernel, store->op->loc, REASON_PLAIN_WRITES_ONE,
                   in->loops[loop].iv->name ? in->loops[loop].iv->name : "?", memory_text(in, store));
        else
            reject(in->kernel, store->op->loc, REASON_PLAIN_WRITES_TWICE, memory_text(in, store),
                   in->loops[loop].iv->name ? in->loops[loop].iv->name : "?");
    }
}

static void check_pair(Nest *in, const Access *store, const Access *other)
{
    FOR_LOOPS (loop, in) {
        if (in->loops[loop].grid < 0 || same_along(in, store, other, loop) || apart(in, store, other) ||
            !may_meet(in, store, other, loop, 0))
            continue;
        reject(in->kernel, other->op->loc, REASON_PLAIN_DEPENDS, memory_text(in, store), store->op->loc.line,
               memory_text(in, other), other->stores ? "written" : "read", distance_text(in, store, other));
        return;
    }
}

/* Two iterations of an axis inside the grid may touch one element.  */
static void check_axis(Nest *in, const Access *store, const Access *other)
{
    FOR_LOOPS (loop, in) {
        Loop *axis = &in->loops[loop];
        if (!is_axis(in, loop) || axis->grid >= 0 || !ir_inside(store->op, axis->op->blocks[0]) ||
            !ir_inside(other->op, axis->op->blocks[0]))
            continue;
        if (same_along(in, store, other, loop) || apart(in, store, other) ||
            !may_meet(in, store, other, loop, loops_around(in, axis->op)))
            continue;
        axis->ordered = true;
        axis->why = arena_print(in->kernel->module, "%s may be what another iteration touches as %s",
                                memory_text(in, store), memory_text(in, other));
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
