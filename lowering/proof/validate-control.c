/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-control.c - which loops and branches of the source those of a role are, and whether it carries out all that
 * it has to.
 *
 *   source                       role                                   taken for
 *   if (low)                     if (low)                               the branch, arm by arm
 *   for (k = 0; k < K; ..)       for (k = 0; k < K; ..)                 the loop (validate-loop.c)
 *                                if (0 < K) { .. for (k = 64; ..) }     the loop, its first iterations peeled off
 *                                if (group == 0)                        what one group does for all: run both ways
 *                                skip trips                             the loop, in a tile of another group
 *
 * Only ops with the same condition, or bounds, and with the same rings and stores inside are tried.
 */
#include <string.h>

#include "machine/plan.h"
#include "ir/slice.h"
#include "proof/validator.h"

enum { STORES = 63, RINGS = 62 };

void label(Validator *in, const Op *op, const Op *source)
{
    if (op->position < in->labels->count)
        in->labels->source[op->position] = source;
}

/* ---- what a role has to carry out -------------------------------------------------------------------------------- */

static uint64_t ring_bit(const Aref *aref)
{
    return (uint64_t)1 << (aref->id % RINGS);
}

static bool stores_here(const Validator *in, const Op *store)
{
    return in->storing[stored_place(in, store)] == in->role;
}

/* Rings and stores inside: what of the source's op is this role's, and what the role's op holds.  */
static uint64_t signature(const Validator *in, const Op *op, bool source)
{
    uint64_t bits = 0;
    if (op_info[op->code].class_ == CLASS_STORE)
        bits |= stores_here(in, op) && in->mine != 0 ? (uint64_t)1 << STORES : 0;
    for (const Aref *aref = source ? op->aref : NULL; aref; aref = aref->also)
        if (aref->producer == in->role || aref->consumers & ROLE_BIT(in->role))
            bits |= ring_bit(aref);
    if (!source && (op->code == OP_PUT || op->code == OP_GET || op->code == OP_SKIP))
        bits |= ring_bit(op->aref);
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            bits |= signature(in, inner, source);
    return bits;
}

static bool must_store(const Validator *in, const Op *store)
{
    bool divided = is_divided(in, store) || is_divided_across(in, store);
    return stores_here(in, store) && in->mine != 0 && (divided || in->groups == 1 || in->leader != 0);
}

static bool puts_into(const Validator *in, const Aref *aref)
{
    return aref->producer == in->role && (in->role->replicas == 1 || aref->fillers > 1 || in->leader != 0);
}

bool is_needed(const Validator *in, const Op *source)
{
    if (op_info[source->code].class_ == CLASS_STORE)
        return must_store(in, source);
    if (source->aref && source->aref->payload[0]->def == source) {
        for (const Aref *aref = source->aref; aref; aref = aref->also)
            if (puts_into(in, aref) || aref->consumers & ROLE_BIT(in->role))
                return true;
        return false;
    }
    for (int k = 0; k < source->nblocks; k++)
        FOR_OPS (inner, source->blocks[k])
            if (is_needed(in, inner))
                return true;
    return false;
}

static bool ring_is_complete(Validator *in, const Aref *aref, unsigned done)
{
    const Op *where = in->role->body->first;
    if (puts_into(in, aref) && !(done & DONE_PUT))
        return differs(in, where, "has an iteration without the put of '%s' that the source has there", aref->name);
    if (aref->consumers & ROLE_BIT(in->role) && !(done & DONE_GET))
        return differs(in, where, "has an iteration without the get of '%s' that the source has there", aref->name);
    return true;
}

bool is_complete(Validator *in, const Instance *instance)
{
    FOR_OPS (op, instance->block) {
        unsigned done = instance->done[op->position];
        bool first = op->aref && op->aref->payload[0]->def == op;
        for (const Aref *aref = first ? op->aref : NULL; aref; aref = aref->also)
            if (!ring_is_complete(in, aref, done))
                return false;
        if (!op->aref && !(done & DONE_OP) && is_needed(in, op))
            return differs(in, in->role->body->first, "leaves out the '%s' of line %d", op_info[op->code].text,
                           op->loc.line);
    }
    return true;
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

static Known join_arms(Validator *in, const Term *condition, Known x, Known y)
{
    if (x.spread != y.spread && x.spread != SPREAD_ANY && y.spread != SPREAD_ANY)
        return (Known){term_symbol(&in->terms), SPREAD_WHOLE, NULL};
    return (Known){term_choice(&in->terms, condition, x.term, y.term), x.spread == SPREAD_ANY ? y.spread : x.spread,
                   x.term == y.term ? x.instance : NULL};
}

/* The values that an arm hands on take their variables.  */
bool end_arm(Validator *in, const Op *op, int arm)
{
    const Op *end = block_end(op->blocks[arm]);
    return !op->nresults || held_hand_over(in, end, end->args, op->results, op->nresults);
}

static bool match_if(Validator *in, const Op *op, const Op *source, Instance *outer, const Term *condition)
{
    Saved saved = attempt_save(in);
    const Term **memory[2] = {saved.memory, saved.memory};
    const Term **held[2] = {saved.held, saved.held};
    Known *results[2] = {0};
    Staged *stage = in->stage;
    in->stage = NULL;
    for (int k = 0; k < op->nblocks; k++) {
        results[k] = arena_alloc(in->kernel->module, (size_t)(op->nresults + 1) * sizeof(Known));
        Instance *arm = k < source->nblocks ? outer->arms[source->position][k] : NULL;
        open_only(in, arm);
        if (!run_block(in, op->blocks[k]) || (arm && !is_complete(in, arm)) || !end_arm(in, op, k)) {
            in->stage = stage;
            return false;
        }
        for (int i = 0; i < op->nresults; i++)
            results[k][i] = known_of(in, block_end(op->blocks[k])->args[i]);
        memory[k] = copy_of(in, in->memory, (size_t)in->nstored * sizeof *in->memory);
        held[k] = held_copy(in);
        attempt_restore(in, &saved);
    }
    in->stage = stage;
    if (op->nblocks < 2 && source->nblocks > 1 && !is_complete(in, outer->arms[source->position][1]))
        return false;
    held_restore(in, held[0]);
    held_join(in, held[1]);
    for (int i = 0; i < op->nresults; i++) {
        in->known[op->results[i]->id] = join_arms(in, condition, results[0][i], results[1][i]);
        variable_write(in, op->results[i]);
    }
    for (int k = 0; k < in->nstored; k++)
        in->memory[k] = term_choice(&in->terms, condition, memory[0][k], memory[1][k]);
    outer->done[source->position] |= DONE_OP;
    label(in, op, source);
    return true;
}

/* A branch that is decided: its values are those of the arm.  */
static bool run_arm(Validator *in, const Op *op, bool then)
{
    if (!then && op->nblocks < 2)
        return true;
    const Block *block = op->blocks[!then];
    if (!run_block(in, block) || !end_arm(in, op, !then))
        return false;
    for (int i = 0; i < op->nresults; i++) {
        in->known[op->results[i]->id] = known_of(in, block_end(block)->args[i]);
        variable_write(in, op->results[i]);
    }
    return true;
}

/* `group == 0`, `ordinal % groups == group`: this run has an answer, the next run another.  */
static int *own_question(Validator *in, const Term *condition)
{
    const Term *zero = term_number(&in->terms, 0), *group = in->group, *ordinal = in->ordinal;
    if (in->role->replicas > 1 && condition == term_compare(&in->terms, OP_EQI, D_I32, group, zero))
        return &in->leader;
    bool turn = condition->code == OP_EQI && (condition->args[0] == group || condition->args[1] == group);
    const Term *rest = turn ? condition->args[condition->args[0] == group] : NULL;
    int64_t groups;
    if (rest && rest->code == OP_REMI && rest->args[0] == ordinal && term_is_number(rest->args[1], &groups) &&
        groups == in->role->replicas)
        return &in->mine;
    return NULL;
}

/* ---- finding the other one --------------------------------------------------------------------------------------- */

static bool same_bounds(Validator *in, const Op *op, const Op *source, const Instance *outer)
{
    for (int i = 0; i < 3; i++)
        if (known_of(in, op->args[i]).term != source_term(in, outer, source->args[i]))
            return false;
    return op_means_the_same(op, source);
}

typedef enum { PLAIN_LOOP, STAGED_LOOP, BRANCH } Shape;

static bool may_match(Validator *in, const Op *op, const Op *source, const Instance *outer, Shape shape, uint64_t own)
{
    uint64_t theirs = signature(in, source, true);
    bool whole = source->code == OP_WHILE;
    if (theirs != own || (theirs && outer->done[source->position] & DONE_OP))
        return false;
    if (shape == PLAIN_LOOP)
        return source->code == op->code && (whole || same_bounds(in, op, source, outer));
    if (shape == STAGED_LOOP)
        return source->code == OP_FOR && op->nblocks == 2 &&
               known_of(in, op->args[0]).term == first_condition(in, source, outer);
    return source->code == OP_IF && known_of(in, op->args[0]).term == source_term(in, outer, source->args[0]);
}

/* Does the source's op leave what this one leaves, by name?  */
static bool leaves_the_same(const Validator *in, const Op *op, const Op *source)
{
    bool same = op->nresults == source->nresults;
    for (int i = 0; i < op->nresults && same; i++)
        same = same_name(op->results[i], source->results[i]) && same_kind(in, op->results[i], source->results[i]);
    return same;
}

/* Try every op of the source that this one may be; true once one fits.  One that leaves other values comes later: a
   loop that changes nothing, as of min (g, 255) with g = -100, fits any.  */
static bool try_all(Validator *in, const Op *op, Shape shape, uint64_t own)
{
    Saved saved = attempt_save(in);
    const char *why = NULL;
    const Op *where = NULL;
    for (int k = 0; k < 2 * saved.nopen; k++) {
        bool same = k < saved.nopen;
        Instance *outer = saved.open[k % saved.nopen];
        FOR_OPS (source, outer->block) {
            if (!source->nblocks || leaves_the_same(in, op, source) != same ||
                !may_match(in, op, source, outer, shape, own))
                continue;
            bool fits = shape == PLAIN_LOOP    ? match_loop(in, op, source, outer)
                        : shape == STAGED_LOOP ? run_staged(in, op, source, outer)
                                               : match_if(in, op, source, outer, known_of(in, op->args[0]).term);
            if (fits)
                return true;
            why = why ? why : in->why;
            where = where ? where : in->where;
            attempt_restore(in, &saved);
        }
    }
    in->why = in->why ? in->why : why;
    in->where = in->where ? in->where : where;
    return false;
}

static bool run_if(Validator *in, const Op *op)
{
    const Term *condition = known_of(in, op->args[0]).term;
    int *answer = own_question(in, condition);
    int64_t known;
    if (!variable_read(in, op, op->args[0]))
        return false;
    if (answer) {
        *answer = *answer < 0 ? 1 : *answer;
        return run_arm(in, op, *answer);
    }
    uint64_t own = signature(in, op, false);
    bool guard = in->stage && is_next_guard(in, op), branch = try_all(in, op, BRANCH, own);
    if (guard && !branch) {
        in->why = NULL;
        return run_next_guard(in, op);
    }
    if (branch || (!in->why && try_all(in, op, STAGED_LOOP, own)))
        return true;
    if (!in->why && term_is_number(condition, &known))
        return run_arm(in, op, known != 0);
    return differs(in, op, "has a branch that the source does not have here");
}

/* No loop of the source fits: the one that comes closest.  */
static bool no_such_loop(Validator *in, const Op *op, uint64_t own)
{
    static const char *const parts[] = {"first value", "bound", "step"};
    for (int k = 0; k < in->nopen; k++)
        FOR_OPS (source, in->open[k]->block) {
            if (source->code != op->code || source->code != OP_FOR || signature(in, source, true) != own)
                continue;
            for (int i = 0; i < 3; i++)
                if (known_of(in, op->args[i]).term != source_term(in, in->open[k], source->args[i]))
                    return differs(in, op, "has another %s than the loop of line %d of the source", parts[i],
                                   source->loc.line);
        }
    return differs(in, op, "is a loop that the source does not have here, or with other steps of the protocol inside");
}

static bool run_loop(Validator *in, const Op *op)
{
    if (op->code == OP_FOR && in->stage && is_steady(in, op))
        return run_steady(in, op);
    uint64_t own = signature(in, op, false);
    return try_all(in, op, PLAIN_LOOP, own) || no_such_loop(in, op, own);
}

/* Tiles are independent: each finds memory as the launch left it, or as other tiles did, which is none of its
   concern. */
static bool run_grid(Validator *in, const Op *op)
{
    Instance *top = in->open[0];
    const Op *source = top->block->first;
    while (source && source->code != OP_GRID)
        source = source->next;
    bool same = source && in->nopen == 1 && source->nargs == op->nargs;
    for (int i = 0; same && i < op->nargs; i++)
        same = known_of(in, op->args[i]).term == source_term(in, top, source->args[i]);
    if (!same)
        return differs(in, op, "walks over another grid than the source");
    Instance *body = instance_of_loop(in, source, top, (Side){0});
    open_only(in, body);
    held_forget(in, op);
    int dims = op->nargs / 3;
    for (int i = 0; i < op->blocks[0]->nargs; i++) {
        in->known[op->blocks[0]->args[i]->id] =
            i < dims ? named(in, body, source->blocks[0]->args[i], op->blocks[0]->args[i])
                     : (Known){in->ordinal, SPREAD_WHOLE, NULL};
        variable_write(in, op->blocks[0]->args[i]);
    }
    memcpy(in->memory, body->entry, (size_t)in->nstored * sizeof *in->memory);
    if (!run_block(in, op->blocks[0]) || !is_complete(in, body))
        return false;
    open_only(in, top);
    held_forget(in, op);
    top->done[source->position] |= DONE_OP;
    label(in, op, source);
    return true;
}

/* Its block, once. The width takes in what is seen, so that a product makes as many columns as if it were told that
   number.  */
static bool run_narrow(Validator *in, const Op *op)
{
    const Block *block = op->blocks[0];
    if (!held_begin(in, op, 1, block->args + 1))
        return false;
    for (int i = 0; i < block->nargs; i++) {
        in->known[block->args[i]->id] = known_of(in, op->args[i]);
        variable_write(in, block->args[i]);
    }
    if (!run_block(in, block) || !end_arm(in, op, 0))
        return false;
    for (int i = 0; i < op->nresults; i++) {
        in->known[op->results[i]->id] = known_of(in, block_end(block)->args[i]);
        variable_write(in, op->results[i]);
    }
    return true;
}

bool run_control(Validator *in, const Op *op)
{
    switch (op->code) {
    case OP_NARROW:
        return run_narrow(in, op);
    case OP_GRID:
        return run_grid(in, op);
    case OP_IF:
        return run_if(in, op);
    case OP_FOR:
    case OP_WHILE:
        return run_loop(in, op);
    default:
        return true;
    }
}

/* ---- puts that belong to another group --------------------------------------------------------------------------- */

/* max ((hi - lo + step - 1) / step, 0), as distribute writes it.  */
static const Term *trip_count(Validator *in, const Op *loop, const Instance *outer)
{
    Terms *terms = &in->terms;
    Dtype dtype = loop->blocks[0]->args[0]->type.dtype;
    const Term *step = source_term(in, outer, loop->args[2]);
    const Term *length =
        term_sum(terms, source_term(in, outer, loop->args[1]), source_term(in, outer, loop->args[0]), -1);
    length = term_sum(terms, length, step, 1);
    if (loop->control->compare == OP_LTI)
        length = term_sum(terms, length, term_number(terms, 1), -1);
    Value number = {.type = type_scalar(dtype)}, *numbers[] = {&number, &number};
    Op op = {.code = OP_DIVI, .nargs = 2, .nresults = 1, .args = numbers, .results = numbers};
    const Term *quotient[] = {length, step};
    const Term *bounded[] = {term_of(terms, &op, quotient), term_number(terms, 0)};
    op.code = OP_MAXI;
    return term_of(terms, &op, bounded);
}

static bool counts_up(Validator *in, const Op *loop, const Instance *outer)
{
    int64_t step;
    return loop->code == OP_FOR && (loop->control->compare == OP_LTI || loop->control->compare == OP_LEI) &&
           term_is_number(source_term(in, outer, loop->args[2]), &step) && step > 0;
}

bool run_skip(Validator *in, const Op *op)
{
    const Aref *aref = op->aref;
    const Op *first = aref->payload[0]->def;
    if (op->sync->count != 1 || in->mine != 0)
        return differs(in, op, "passes over puts of '%s' that no other group takes", aref->name);
    for (int k = 0; k < in->nopen; k++) {
        Instance *instance = in->open[k];
        if (!op->nargs && instance->block == aref->home && !(instance->done[first->position] & DONE_GET)) {
            instance->done[first->position] |= DONE_GET;
            return true;
        }
        const Op *loop = aref->home->parent;
        if (!op->nargs || !loop || loop->parent != instance->block ||
            instance->skipped[loop->position] & ring_bit(aref) || instance->done[loop->position] & DONE_OP ||
            !counts_up(in, loop, instance) || known_of(in, op->args[0]).term != trip_count(in, loop, instance))
            continue;
        instance->skipped[loop->position] |= ring_bit(aref);
        if (instance->skipped[loop->position] == signature(in, loop, true))
            instance->done[loop->position] |= DONE_OP;
        label(in, op, loop);
        return true;
    }
    return differs(in, op, "passes over another number of puts of '%s' than the source makes", aref->name);
}
