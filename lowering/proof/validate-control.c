/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-control.c - matches loops and branches of a role with those of the source, and checks that none is left out.
 *
 *      source                       role                                   matched with
 *      if (low)                     if (low)                               the branch, arm by arm
 *      for (k = 0; k < K; ..)       for (k = 0; k < K; ..)                 the loop (validate-loop.c)
 *                                   if (0 < K) { .. for (k = 64; ..) }     the loop, with peeled first iterations
 *                                   if (group == 0)                        work of one group for all: both arms are run
 *                                   skip trips                             the loop, in a tile of another group
 *
 * Candidates are operations with the same condition or bounds, and with the same rings and stores inside.
 */
#include <string.h>

#include "ir/slice.h"
#include "proof/validator.h"

enum { STORES = 63, RINGS = 62 };

void label(Validator *validator, const Op *op, const Op *source)
{
    if (op->position < validator->labels->count)
        validator->labels->source[op->position] = source;
}

/* ---- what a role has to carry out -------------------------------------------------------------------------------- */

static uint64_t ring_bit(const Aref *aref)
{
    return (uint64_t)1 << (aref->id % RINGS);
}

static bool stores_here(const Validator *validator, const Op *store)
{
    return validator->storing[stored_place(validator, store)] == validator->role;
}

/* Returns a bit mask of rings and stores inside.  For an operation of the source these are this role's, for an
   operation of the role all.  */
static uint64_t signature(const Validator *validator, const Op *op, bool source)
{
    uint64_t bits = 0;
    if (op_info[op->code].class_ == CLASS_STORE)
        bits |= stores_here(validator, op) && validator->mine != 0 ? (uint64_t)1 << STORES : 0;
    for (const Aref *aref = source ? op->aref : NULL; aref; aref = aref->also)
        if (aref->producer == validator->role || aref->consumers & ROLE_BIT(validator->role))
            bits |= ring_bit(aref);
    if (!source && (op->code == OP_PUT || op->code == OP_GET || op->code == OP_SKIP))
        bits |= ring_bit(op->aref);
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            bits |= signature(validator, inner, source);
    return bits;
}

static bool must_store(const Validator *validator, const Op *store)
{
    bool divided = is_divided(validator, store) || is_divided_across(validator, store);
    return stores_here(validator, store) && validator->mine != 0 &&
           (divided || validator->groups == 1 || validator->leader != 0);
}

static bool puts_into(const Validator *validator, const Aref *aref)
{
    return aref->producer == validator->role &&
           (validator->role->replicas == 1 || aref->fillers > 1 || validator->leader != 0);
}

bool is_needed(const Validator *validator, const Op *source)
{
    if (op_info[source->code].class_ == CLASS_STORE)
        return must_store(validator, source);
    if (source->aref && source->aref->payload[0]->def == source) {
        for (const Aref *aref = source->aref; aref; aref = aref->also)
            if (puts_into(validator, aref) || aref->consumers & ROLE_BIT(validator->role))
                return true;
        return false;
    }
    for (int k = 0; k < source->nblocks; k++)
        FOR_OPS (inner, source->blocks[k])
            if (is_needed(validator, inner))
                return true;
    return false;
}

static bool ring_is_complete(Validator *validator, const Aref *aref, unsigned done)
{
    const Op *where = validator->role->body->first;
    if (puts_into(validator, aref) && !(done & DONE_PUT))
        return differs(validator, where, "has an iteration without the put of '%s' that the source has there",
                       aref->name);
    if (aref->consumers & ROLE_BIT(validator->role) && !(done & DONE_GET))
        return differs(validator, where, "has an iteration without the get of '%s' that the source has there",
                       aref->name);
    return true;
}

bool is_complete(Validator *validator, const Instance *instance)
{
    FOR_OPS (op, instance->block) {
        unsigned done = instance->done[op->position];
        bool first = op->aref && op->aref->payload[0]->def == op;
        for (const Aref *aref = first ? op->aref : NULL; aref; aref = aref->also)
            if (!ring_is_complete(validator, aref, done))
                return false;
        if (!op->aref && !(done & DONE_OP) && is_needed(validator, op))
            return differs(validator, validator->role->body->first, "leaves out the '%s' of line %d",
                           op_info[op->code].text, op->loc.line);
    }
    return true;
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

static Known join_arms(Validator *validator, const Term *condition, Known x, Known y)
{
    if (x.spread != y.spread && x.spread != SPREAD_ANY && y.spread != SPREAD_ANY)
        return (Known){term_symbol(&validator->terms), SPREAD_WHOLE, NULL};
    return (Known){term_choice(&validator->terms, condition, x.term, y.term),
                   x.spread == SPREAD_ANY ? y.spread : x.spread, x.term == y.term ? x.instance : NULL};
}

/* Writes the values that an arm passes on to the variables of the results.  */
bool end_arm(Validator *validator, const Op *op, int arm)
{
    const Op *end = block_end(op->blocks[arm]);
    return !op->nresults || held_hand_over(validator, end, end->args, op->results, op->nresults);
}

static bool match_if(Validator *validator, const Op *op, const Op *source, Instance *outer, const Term *condition)
{
    Saved saved = attempt_save(validator);
    const Term **memory[2] = {saved.memory, saved.memory};
    const Term **held[2] = {saved.held, saved.held};
    Known *results[2] = {0};
    Staged *stage = validator->stage;
    validator->stage = NULL;
    for (int k = 0; k < op->nblocks; k++) {
        results[k] = arena_alloc(validator->kernel->module, (size_t)(op->nresults + 1) * sizeof(Known));
        Instance *arm = k < source->nblocks ? outer->arms[source->position][k] : NULL;
        open_only(validator, arm);
        if (!run_block(validator, op->blocks[k]) || (arm && !is_complete(validator, arm)) ||
            !end_arm(validator, op, k)) {
            validator->stage = stage;
            return false;
        }
        for (int i = 0; i < op->nresults; i++)
            results[k][i] = known_of(validator, block_end(op->blocks[k])->args[i]);
        memory[k] = copy_of(validator, validator->memory, (size_t)validator->nstored * sizeof *validator->memory);
        held[k] = held_copy(validator);
        attempt_restore(validator, &saved);
    }
    validator->stage = stage;
    if (op->nblocks < 2 && source->nblocks > 1 && !is_complete(validator, outer->arms[source->position][1]))
        return false;
    held_restore(validator, held[0]);
    held_join(validator, held[1]);
    for (int i = 0; i < op->nresults; i++) {
        validator->known[op->results[i]->id] = join_arms(validator, condition, results[0][i], results[1][i]);
        variable_write(validator, op->results[i]);
    }
    for (int k = 0; k < validator->nstored; k++)
        validator->memory[k] = term_choice(&validator->terms, condition, memory[0][k], memory[1][k]);
    outer->done[source->position] |= DONE_OP;
    label(validator, op, source);
    return true;
}

/* Runs one arm of a branch whose condition is known.  */
static bool run_arm(Validator *validator, const Op *op, bool then)
{
    if (!then && op->nblocks < 2)
        return true;
    const Block *block = op->blocks[!then];
    if (!run_block(validator, block) || !end_arm(validator, op, !then))
        return false;
    for (int i = 0; i < op->nresults; i++) {
        validator->known[op->results[i]->id] = known_of(validator, block_end(block)->args[i]);
        variable_write(validator, op->results[i]);
    }
    return true;
}

/* Returns the answer of this run to `group == 0` or `ordinal % groups == group`; NULL for other conditions.  The next
   run has another answer.  */
static int *own_question(Validator *validator, const Term *condition)
{
    const Term *zero = term_number(&validator->terms, 0), *group = validator->group, *ordinal = validator->ordinal;
    if (validator->role->replicas > 1 && condition == term_compare(&validator->terms, OP_SCALAR_EQ, D_I32, group, zero))
        return &validator->leader;
    bool turn = condition->code == OP_SCALAR_EQ && (condition->args[0] == group || condition->args[1] == group);
    const Term *rest = turn ? condition->args[condition->args[0] == group] : NULL;
    int64_t groups;
    if (rest && rest->code == OP_SCALAR_REM && rest->args[0] == ordinal && term_is_number(rest->args[1], &groups) &&
        groups == validator->role->replicas)
        return &validator->mine;
    return NULL;
}

/* ---- finding the other one --------------------------------------------------------------------------------------- */

static bool same_bounds(Validator *validator, const Op *op, const Op *source, const Instance *outer)
{
    for (int i = 0; i < 3; i++)
        if (known_of(validator, op->args[i]).term != source_term(validator, outer, source->args[i]))
            return false;
    return op_means_the_same(op, source);
}

typedef enum { PLAIN_LOOP, STAGED_LOOP, BRANCH } Shape;

static bool may_match(Validator *validator, const Op *op, const Op *source, const Instance *outer, Shape shape,
                      uint64_t own)
{
    uint64_t theirs = signature(validator, source, true);
    bool whole = source->code == OP_WHILE;
    if (theirs != own || (theirs && outer->done[source->position] & DONE_OP))
        return false;
    if (shape == PLAIN_LOOP)
        return source->code == op->code && (whole || same_bounds(validator, op, source, outer));
    if (shape == STAGED_LOOP)
        return source->code == OP_FOR && op->nblocks == 2 &&
               known_of(validator, op->args[0]).term == first_condition(validator, source, outer);
    return source->code == OP_IF &&
           known_of(validator, op->args[0]).term == source_term(validator, outer, source->args[0]);
}

/* True if both operations have results of equal names and kinds.  */
static bool leaves_the_same(const Validator *validator, const Op *op, const Op *source)
{
    bool same = op->nresults == source->nresults;
    for (int i = 0; i < op->nresults && same; i++)
        same =
            same_name(op->results[i], source->results[i]) && same_kind(validator, op->results[i], source->results[i]);
    return same;
}

/* Tries every operation of the source that may match; true once one matches.  Operations with other results come later:
   a loop that changes nothing, as of min (g, 255) with g = -100, matches any loop.  */
static bool try_all(Validator *validator, const Op *op, Shape shape, uint64_t own)
{
    Saved saved = attempt_save(validator);
    const char *why = NULL;
    const Op *where = NULL;
    for (int k = 0; k < 2 * saved.nopen; k++) {
        bool same = k < saved.nopen;
        Instance *outer = saved.open[k % saved.nopen];
        FOR_OPS (source, outer->block) {
            if (!source->nblocks || leaves_the_same(validator, op, source) != same ||
                !may_match(validator, op, source, outer, shape, own))
                continue;
            bool fits = shape == PLAIN_LOOP ? match_loop(validator, op, source, outer)
                        : shape == STAGED_LOOP
                            ? run_staged(validator, op, source, outer)
                            : match_if(validator, op, source, outer, known_of(validator, op->args[0]).term);
            if (fits)
                return true;
            why = why ? why : validator->why;
            where = where ? where : validator->where;
            attempt_restore(validator, &saved);
        }
    }
    validator->why = validator->why ? validator->why : why;
    validator->where = validator->where ? validator->where : where;
    return false;
}

static bool run_if(Validator *validator, const Op *op)
{
    const Term *condition = known_of(validator, op->args[0]).term;
    int *answer = own_question(validator, condition);
    int64_t known;
    if (!variable_read(validator, op, op->args[0]))
        return false;
    if (answer) {
        *answer = *answer < 0 ? 1 : *answer;
        return run_arm(validator, op, *answer);
    }
    uint64_t own = signature(validator, op, false);
    bool guard = validator->stage && is_next_guard(validator, op), branch = try_all(validator, op, BRANCH, own);
    if (guard && !branch) {
        validator->why = NULL;
        return run_next_guard(validator, op);
    }
    if (branch || (!validator->why && try_all(validator, op, STAGED_LOOP, own)))
        return true;
    if (!validator->why && term_is_number(condition, &known))
        return run_arm(validator, op, known != 0);
    return differs(validator, op, "has a branch that the source does not have here");
}

/* Reports that no loop of the source matches, with the difference to the closest one.  */
static bool no_such_loop(Validator *validator, const Op *op, uint64_t own)
{
    static const char *const parts[] = {"first value", "bound", "step"};
    for (int k = 0; k < validator->nopen; k++)
        FOR_OPS (source, validator->open[k]->block) {
            if (source->code != op->code || source->code != OP_FOR || signature(validator, source, true) != own)
                continue;
            for (int i = 0; i < 3; i++)
                if (known_of(validator, op->args[i]).term !=
                    source_term(validator, validator->open[k], source->args[i]))
                    return differs(validator, op, "has another %s than the loop of line %d of the source", parts[i],
                                   source->loc.line);
        }
    return differs(validator, op,
                   "is a loop that the source does not have here, or with other steps of the protocol inside");
}

static bool run_loop(Validator *validator, const Op *op)
{
    if (op->code == OP_FOR && validator->stage && is_steady(validator, op))
        return run_steady(validator, op);
    uint64_t own = signature(validator, op, false);
    return try_all(validator, op, PLAIN_LOOP, own) || no_such_loop(validator, op, own);
}

/* Matches the grid.  Tiles are independent: a tile starts with unknown memory, which the launch or other tiles have
   written.  */
static bool run_grid(Validator *validator, const Op *op)
{
    Instance *top = validator->open[0];
    const Op *source = top->block->first;
    while (source && source->code != OP_GRID)
        source = source->next;
    bool same = source && validator->nopen == 1 && source->nargs == op->nargs;
    for (int i = 0; same && i < op->nargs; i++)
        same = known_of(validator, op->args[i]).term == source_term(validator, top, source->args[i]);
    if (!same)
        return differs(validator, op, "walks over another grid than the source");
    Instance *body = instance_of_loop(validator, source, top, (Side){0});
    open_only(validator, body);
    held_forget(validator, op);
    int dims = op->nargs / 3;
    for (int i = 0; i < op->blocks[0]->nargs; i++) {
        validator->known[op->blocks[0]->args[i]->id] =
            i < dims ? named(validator, body, source->blocks[0]->args[i], op->blocks[0]->args[i])
                     : (Known){validator->ordinal, SPREAD_WHOLE, NULL};
        variable_write(validator, op->blocks[0]->args[i]);
    }
    memcpy(validator->memory, body->entry, (size_t)validator->nstored * sizeof *validator->memory);
    if (!run_block(validator, op->blocks[0]) || !is_complete(validator, body))
        return false;
    open_only(validator, top);
    held_forget(validator, op);
    top->done[source->position] |= DONE_OP;
    label(validator, op, source);
    return true;
}

/* Runs the block once.  The width covers all columns that influence a store, so a product makes the same columns as
   with the exact number.  */
static bool run_narrow(Validator *validator, const Op *op)
{
    const Block *block = op->blocks[0];
    if (!held_begin(validator, op, 1, block->args + 1))
        return false;
    for (int i = 0; i < block->nargs; i++) {
        validator->known[block->args[i]->id] = known_of(validator, op->args[i]);
        variable_write(validator, block->args[i]);
    }
    if (!run_block(validator, block) || !end_arm(validator, op, 0))
        return false;
    for (int i = 0; i < op->nresults; i++) {
        validator->known[op->results[i]->id] = known_of(validator, block_end(block)->args[i]);
        variable_write(validator, op->results[i]);
    }
    return true;
}

bool run_control(Validator *validator, const Op *op)
{
    switch (op->code) {
    case OP_NARROW:
        return run_narrow(validator, op);
    case OP_GRID:
        return run_grid(validator, op);
    case OP_IF:
        return run_if(validator, op);
    case OP_FOR:
    case OP_WHILE:
        return run_loop(validator, op);
    default:
        return true;
    }
}

/* ---- puts that belong to another group --------------------------------------------------------------------------- */

/* Returns max ((hi - lo + step - 1) / step, 0), in the form that distribute writes.  */
static const Term *trip_count(Validator *validator, const Op *loop, const Instance *outer)
{
    Terms *terms = &validator->terms;
    Dtype dtype = loop->blocks[0]->args[0]->type.dtype;
    const Term *step = source_term(validator, outer, loop->args[2]);
    const Term *length =
        term_sum(terms, source_term(validator, outer, loop->args[1]), source_term(validator, outer, loop->args[0]), -1);
    length = term_sum(terms, length, step, 1);
    if (loop->control->compare == OP_SCALAR_LT)
        length = term_sum(terms, length, term_number(terms, 1), -1);
    Value number = {.type = type_scalar(dtype)}, *numbers[] = {&number, &number};
    Op op = {.code = OP_SCALAR_DIV, .nargs = 2, .nresults = 1, .args = numbers, .results = numbers};
    const Term *quotient[] = {length, step};
    const Term *bounded[] = {term_of(terms, &op, quotient), term_number(terms, 0)};
    op.code = OP_SCALAR_MAX;
    return term_of(terms, &op, bounded);
}

static bool counts_up(Validator *validator, const Op *loop, const Instance *outer)
{
    int64_t step;
    return loop->code == OP_FOR && (loop->control->compare == OP_SCALAR_LT || loop->control->compare == OP_SCALAR_LE) &&
           term_is_number(source_term(validator, outer, loop->args[2]), &step) && step > 0;
}

bool run_skip(Validator *validator, const Op *op)
{
    const Aref *aref = op->aref;
    const Op *first = aref->payload[0]->def;
    if (op->sync->count != 1 || validator->mine != 0)
        return differs(validator, op, "passes over puts of '%s' that no other group takes", aref->name);
    for (int k = 0; k < validator->nopen; k++) {
        Instance *instance = validator->open[k];
        if (!op->nargs && instance->block == aref->home && !(instance->done[first->position] & DONE_GET)) {
            instance->done[first->position] |= DONE_GET;
            return true;
        }
        const Op *loop = aref->home->parent;
        if (!op->nargs || !loop || loop->parent != instance->block ||
            instance->skipped[loop->position] & ring_bit(aref) || instance->done[loop->position] & DONE_OP ||
            !counts_up(validator, loop, instance) ||
            known_of(validator, op->args[0]).term != trip_count(validator, loop, instance))
            continue;
        instance->skipped[loop->position] |= ring_bit(aref);
        if (instance->skipped[loop->position] == signature(validator, loop, true))
            instance->done[loop->position] |= DONE_OP;
        label(validator, op, loop);
        return true;
    }
    return differs(validator, op, "passes over another number of puts of '%s' than the source makes", aref->name);
}
