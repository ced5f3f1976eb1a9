/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-control.c - loops and branches of a role against those of the source, each for all its iterations at once.
 *
 *   source                    role                                     shown for an unknown iteration b
 *   for (k = lo; ...)         if (lo < hi) {                           the first iteration begins like any other
 *     x = A (k)                 x' = A (lo)
 *     acc = B (x, acc)          for (k = lo + step; ...) {             before: x' is x of b, acc is acc of b
 *                                 x = A (k); acc = B (x', acc)           A of b + 1, B of b: now b is complete
 *                                 x' = x                               behind: x' is x of b + 1, acc is acc of b + 1
 *                               }
 *                               acc = B (x', acc)                      B of the last one: now it is complete, too
 *                             }                                        and acc is what the source's loop leaves
 *
 * What a role carries is matched with a value of the source that it equals before the first iteration; if an iteration from
 * unknown values keeps all of these equalities, they hold in every iteration, whatever the trip count.  An equality that does
 * not last is dropped and the next candidate tried.
 */
#include <string.h>

#include "plan.h"
#include "slice.h"
#include "validate.h"

enum { STORES = 63, MAX_CARRIED = 256, RINGS = 62 };

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

/* Rings and stores inside: what of the source's op is this role's, and what the role's op holds.  */
static uint64_t signature(const Validator *in, const Op *op, bool source)
{
    uint64_t bits = 0;
    if (op_info[op->code].class_ == CLASS_STORE)
        bits |= in->stores && in->mine != 0 ? (uint64_t)1 << STORES : 0;
    if (source && op->aref && (op->aref->producer == in->role || op->aref->consumers & ROLE_BIT(in->role)))
        bits |= ring_bit(op->aref);
    if (!source && (op->code == OP_PUT || op->code == OP_GET || op->code == OP_SKIP))
        bits |= ring_bit(op->aref);
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            bits |= signature(in, inner, source);
    return bits;
}

static bool must_store(const Validator *in, const Op *store)
{
    bool divided = in->groups > 1 && store->args[store->nargs - 1]->split;
    return in->stores && in->mine != 0 && (divided || in->groups == 1 || in->leader != 0);
}

bool is_needed(const Validator *in, const Op *source)
{
    if (op_info[source->code].class_ == CLASS_STORE)
        return must_store(in, source);
    if (source->aref && source->aref->loads[0] == source) {
        bool puts = source->aref->producer == in->role && (in->role->replicas == 1 || in->leader != 0);
        return puts || source->aref->consumers & ROLE_BIT(in->role);
    }
    for (int k = 0; k < source->nblocks; k++)
        FOR_OPS (inner, source->blocks[k])
            if (is_needed(in, inner))
                return true;
    return false;
}

static bool ring_is_complete(Validator *in, const Aref *aref, unsigned done)
{
    bool puts = aref->producer == in->role && (in->role->replicas == 1 || in->leader != 0);
    const Op *where = in->role->body->first;
    if (puts && !(done & DONE_PUT))
        return differs(in, where, "has an iteration without the put of '%s' that the source has there", aref->name);
    if (aref->consumers & ROLE_BIT(in->role) && !(done & DONE_GET))
        return differs(in, where, "has an iteration without the get of '%s' that the source has there", aref->name);
    return true;
}

bool is_complete(Validator *in, const Instance *instance)
{
    FOR_OPS (op, instance->block) {
        unsigned done = instance->done[op->position];
        if (op->aref && op->aref->loads[0] == op && !ring_is_complete(in, op->aref, done))
            return false;
        if (!op->aref && !(done & DONE_OP) && is_needed(in, op))
            return differs(in, in->role->body->first, "leaves out the '%s' of line %d", op_info[op->code].text,
                           op->loc.line);
    }
    return true;
}

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

/* What an attempt may have changed.  */
typedef struct {
    unsigned *done[MAX_OPEN];
    uint64_t *skipped[MAX_OPEN];
    Instance *open[MAX_OPEN];
    int nopen;
    const Term **memory;
    const Op *where;
    const char *why;
} Saved;

static int block_size(const Block *block)
{
    return block->last ? block->last->position + 1 : 0;
}

static void *copy_of(Validator *in, const void *from, size_t bytes)
{
    void *copy = arena_alloc(in->kernel->module, bytes + 1);
    if (bytes)
        memcpy(copy, from, bytes);
    return copy;
}

static Saved save(Validator *in)
{
    Saved saved = {.nopen = in->nopen, .where = in->where, .why = in->why};
    for (int k = 0; k < in->nopen; k++) {
        size_t count = (size_t)block_size(in->open[k]->block);
        saved.open[k] = in->open[k];
        saved.done[k] = copy_of(in, in->open[k]->done, count * sizeof(unsigned));
        saved.skipped[k] = copy_of(in, in->open[k]->skipped, count * sizeof(uint64_t));
    }
    saved.memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *in->memory);
    return saved;
}

static void restore(Validator *in, const Saved *saved)
{
    in->nopen = saved->nopen;
    for (int k = 0; k < in->nopen; k++) {
        size_t count = (size_t)block_size(saved->open[k]->block);
        in->open[k] = saved->open[k];
        memcpy(in->open[k]->done, saved->done[k], count * sizeof(unsigned));
        memcpy(in->open[k]->skipped, saved->skipped[k], count * sizeof(uint64_t));
    }
    memcpy(in->memory, saved->memory, (size_t)in->nstored * sizeof *in->memory);
    in->where = saved->where;
    in->why = saved->why;
}

static void open_only(Validator *in, Instance *instance)
{
    in->open[0] = instance;
    in->nopen = instance != NULL;
}

/* ---- memory over loops ------------------------------------------------------------------------------------------- */

static const Term *stale(Validator *in)
{
    return term_symbol(&in->terms);
}

static void enter_memory(Validator *in, const Term *const *before, const Instance *body, bool *follows)
{
    for (int k = 0; k < in->nstored; k++) {
        follows[k] = in->memory[k] == before[k];
        in->memory[k] = follows[k] ? body->entry[k] : stale(in);
    }
}

static void leave_memory(Validator *in, const Term *const *after, const Instance *body, const bool *follows)
{
    for (int k = 0; k < in->nstored; k++)
        in->memory[k] = follows[k] && in->memory[k] == body->end[k] ? after[k] : stale(in);
}

/* ---- loops that stand as in the source --------------------------------------------------------------------------- */

enum { NO_MATCH = -1 };

/* Which carried value of the source each of the role's is; NO_MATCH: one that stays what it was.  */
typedef struct {
    int of[MAX_CARRIED]; /* the candidate, twice the number of the source's: see next_match */
    Known initial[MAX_CARRIED];
    int count;
    int tries;
} Relation;

static bool same_kind(const Validator *in, const Value *value, const Value *source)
{
    Type x = value->type, y = source->type;
    bool rows = x.rows == y.rows || x.rows * in->groups == y.rows;
    bool tile = (x.kind == K_TILE || x.kind == K_TOKEN) && y.kind == K_TILE;
    return x.dtype == y.dtype && x.cols == y.cols && rows && (tile || x.kind == y.kind);
}

static bool same_name(const Value *x, const Value *y)
{
    return x->name == y->name || (x->name && y->name && !strcmp(x->name, y->name));
}

/* Candidates of one name come first: numbers from 0 on; the others are those from `count` on.  */
static int next_match(const Validator *in, const Relation *relation, int i, const Value *argument,
                      Value *const *sources, const Term *const *initial, int count, int from)
{
    for (int k = from; k < 2 * count; k++) {
        const Value *source = sources[k % count];
        if (same_name(argument, source) == (k < count) && same_kind(in, argument, source) &&
            agrees(in, relation->initial[i], argument, initial[k % count], source))
            return k;
    }
    return NO_MATCH;
}

typedef struct {
    const Op *op, *source;   /* loops */
    Value *const *arguments; /* carried, of the role's loop */
    Value *const *source_arguments;
    const Term **initial; /* of the source */
    int nsource;
    Relation relation;
} Match;

static void match_begin(Validator *in, Match *match, const Instance *outer, int fixed)
{
    Relation *relation = &match->relation;
    match->initial = arena_alloc(in->kernel->module, (size_t)(match->nsource + 1) * sizeof *match->initial);
    for (int i = 0; i < match->nsource; i++)
        match->initial[i] = source_term(in, outer, match->source->args[fixed + i]);
    for (int i = 0; i < relation->count; i++) {
        relation->initial[i] = known_of(in, match->op->args[fixed + i]);
        relation->of[i] = next_match(in, relation, i, match->arguments[i], match->source_arguments, match->initial,
                                     match->nsource, 0);
    }
}

static void enter_arguments(Validator *in, const Match *match, Instance *body, Value *const *arguments,
                            Value *const *sources)
{
    for (int i = 0; i < match->relation.count; i++) {
        int of = match->relation.of[i];
        in->known[arguments[i]->id] =
            of == NO_MATCH ? match->relation.initial[i] : named(in, body, sources[of % match->nsource], arguments[i]);
    }
}

typedef enum { LASTS, DROPPED, BROKEN } Verdict;

/* Do the equalities hold for what the iteration hands on?  One that does not is replaced by its next candidate.  */
static Verdict check_next(Validator *in, Match *match, const Instance *body, Value *const *next,
                          Value *const *source_next, const Op *where)
{
    Relation *relation = &match->relation;
    for (int i = 0; i < relation->count; i++) {
        int of = relation->of[i];
        Known known = known_of(in, next[i]);
        bool lasts = of == NO_MATCH
                         ? known.term == relation->initial[i].term
                         : agrees(in, known, next[i], source_term(in, body, source_next[of % match->nsource]),
                                  match->source_arguments[of % match->nsource]);
        if (lasts)
            continue;
        if (of == NO_MATCH) {
            differs(in, where, "carries '%s' over an iteration in which the source makes another value of it",
                    match->arguments[i]->name ? match->arguments[i]->name : "a value");
            return BROKEN;
        }
        relation->of[i] = next_match(in, relation, i, match->arguments[i], match->source_arguments, match->initial,
                                     match->nsource, of + 1);
        return DROPPED;
    }
    return LASTS;
}

static void leave_results(Validator *in, const Match *match, Instance *outer)
{
    for (int i = 0; i < match->relation.count; i++) {
        int of = match->relation.of[i];
        const Value *result = match->op->results[i];
        in->known[result->id] = of == NO_MATCH ? match->relation.initial[i]
                                               : named(in, outer, match->source->results[of % match->nsource], result);
    }
}

static Verdict try_for(Validator *in, Match *match, Instance *outer, bool *follows)
{
    const Op *op = match->op, *source = match->source;
    Instance *body = instance_of_loop(in, source, outer);
    Staged *stage = in->stage;
    in->stage = NULL;
    open_only(in, body);
    in->known[op->blocks[0]->args[0]->id] = named(in, body, source->blocks[0]->args[0], op->blocks[0]->args[0]);
    enter_arguments(in, match, body, match->arguments, match->source_arguments);
    enter_memory(in, outer->before[source->position], body, follows);
    bool ran = run_block(in, op->blocks[0]) && is_complete(in, body);
    in->stage = stage;
    if (!ran)
        return BROKEN;
    const Op *end = block_end(source->blocks[0]);
    Verdict verdict = check_next(in, match, body, block_end(op->blocks[0])->args, end->args, op);
    leave_memory(in, outer->after[source->position], body, follows);
    return verdict;
}

/* An iteration of a while evaluates its condition, then its body.  */
static Verdict try_while(Validator *in, Match *match, Instance *outer, bool *follows)
{
    const Op *op = match->op, *source = match->source;
    const Op *cond = block_end(op->blocks[0]), *source_cond = block_end(source->blocks[0]);
    Instance *head = instance_of_loop(in, source, outer);
    open_only(in, head);
    enter_arguments(in, match, head, match->arguments, match->source_arguments);
    enter_memory(in, outer->before[source->position], head, follows);
    if (!run_block(in, op->blocks[0]) || !is_complete(in, head))
        return BROKEN;
    if (known_of(in, cond->args[0]).term != source_term(in, head, source_cond->args[0])) {
        differs(in, op, "goes on under another condition than the source");
        return BROKEN;
    }
    const Term *args[source->nargs + 1];
    for (int i = 0; i < source->nargs; i++)
        args[i] = source_term(in, head, source_cond->args[1 + i]);
    Verdict verdict = check_next(in, match, head, cond->args + 1, source_cond->args + 1, op);
    if (verdict != LASTS)
        return verdict;
    Instance *body = instance_new(in, source->blocks[1], head, args, head->end);
    open_only(in, body);
    enter_arguments(in, match, body, op->blocks[1]->args, source->blocks[1]->args);
    if (!run_block(in, op->blocks[1]) || !is_complete(in, body))
        return BROKEN;
    verdict = check_next(in, match, body, block_end(op->blocks[1])->args, block_end(source->blocks[1])->args, op);
    leave_memory(in, outer->after[source->position], body, follows);
    return verdict;
}

enum { MOST_TRIES = 64 };

/* An iteration went wrong: perhaps because a value is not the one that it was taken for.  */
static bool try_another(Validator *in, Match *match)
{
    Relation *relation = &match->relation;
    for (int i = 0; i < relation->count && relation->tries < MOST_TRIES; i++) {
        if (relation->of[i] == NO_MATCH)
            continue;
        int next = next_match(in, relation, i, match->arguments[i], match->source_arguments, match->initial,
                              match->nsource, relation->of[i] + 1);
        if (next == NO_MATCH)
            continue;
        relation->of[i] = next;
        relation->tries++;
        return true;
    }
    return false;
}

/* The role's loop is the source's loop of that iteration of the block around.  */
static bool match_loop(Validator *in, const Op *op, const Op *source, Instance *outer)
{
    bool counted = op->code == OP_FOR;
    int fixed = counted ? 3 : 0;
    Match match = {.op = op,
                   .source = source,
                   .arguments = op->blocks[0]->args + counted,
                   .source_arguments = source->blocks[0]->args + counted,
                   .nsource = source->nargs - fixed,
                   .relation.count = op->nargs - fixed};
    if (match.relation.count > MAX_CARRIED)
        return differs(in, op, "carries more than %d values", MAX_CARRIED);
    match_begin(in, &match, outer, fixed);
    Saved saved = save(in);
    for (;;) {
        bool follows[in->nstored + 1];
        Verdict verdict = (counted ? try_for : try_while)(in, &match, outer, follows);
        if (verdict == BROKEN && !try_another(in, &match))
            return false;
        const Term **memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *memory);
        restore(in, &saved);
        if (verdict == LASTS) {
            memcpy(in->memory, memory, (size_t)in->nstored * sizeof *memory);
            break;
        }
    }
    leave_results(in, &match, outer);
    outer->done[source->position] |= DONE_OP;
    label(in, op, source);
    return true;
}

/* ---- loops with their first iteration peeled off ----------------------------------------------------------------- */

/* What a role carries through such a loop: a value of iteration b by name, a slot of a ring of b, or what stays.  */
typedef struct {
    const Value *value;
    const Aref *aref;
    int candidate; /* which of all */
} Name;

static Known known_by_name(Validator *in, Instance *instance, const Name *name, const Value *value, Known initial)
{
    if (name->value)
        return named(in, instance, name->value, value);
    if (name->aref)
        return (Known){term_special(&in->terms, TERM_SLOT, name->aref->id, 1, &instance->name), SPREAD_WHOLE, instance};
    return initial;
}

static const Value *value_at(const Block *block, int index)
{
    if (index < block->nargs)
        return block->args[index];
    index -= block->nargs;
    FOR_OPS (op, block) {
        if (index < op->nresults)
            return op->results[index];
        index -= op->nresults;
    }
    return NULL;
}

static const Aref *aref_at(const Kernel *kernel, int index)
{
    FOR_AREFS (aref, kernel)
        if (!index--)
            return aref;
    return NULL;
}

/* The first name from `from` on that fits the value in the first iteration; the last one is: it stays.  */
static Name find_name(Validator *in, Instance *first, Known initial, const Value *value, int from)
{
    int nvalues = 0;
    for (const Value *source; (source = value_at(first->block, nvalues)); nvalues++)
        if (nvalues >= from && !initial.instance && same_kind(in, value, source) &&
            agrees(in, initial, value, source_term(in, first, source), source))
            return (Name){.value = source, .candidate = nvalues};
    int k = 0;
    for (const Aref *aref; (aref = aref_at(in->kernel, k)); k++)
        if (nvalues + k >= from && initial.instance == first && initial.term->code == TERM_SLOT &&
            initial.term->ival == aref->id)
            return (Name){.aref = aref, .candidate = nvalues + k};
    return (Name){.candidate = nvalues + k};
}

typedef enum { MEMORY_STALE, MEMORY_ENTRY, MEMORY_END } MemoryAt;

typedef struct {
    const Op *op;
    Name names[MAX_CARRIED];
    Known initial[MAX_CARRIED];
    MemoryAt *memory;
    int count;
} Steady;

static const Term *memory_at(Validator *in, const Instance *instance, MemoryAt at, int k)
{
    return at == MEMORY_STALE ? stale(in) : at == MEMORY_ENTRY ? instance->entry[k] : instance->end[k];
}

static Instance *some_iteration(Validator *in, const Steady *steady)
{
    Instance *instance = instance_of_loop(in, in->stage->loop, in->stage->first->outer);
    memcpy(instance->done, in->stage->first->done, (size_t)block_size(instance->block) * sizeof *instance->done);
    for (int k = 0; k < in->nstored; k++)
        in->memory[k] = memory_at(in, instance, steady->memory[k], k);
    return instance;
}

static Verdict check_steady(Validator *in, Steady *steady, Instance *next)
{
    Value *const *handed = block_end(steady->op->blocks[0])->args;
    for (int k = 0; k < in->nstored; k++)
        if (steady->memory[k] != MEMORY_STALE && in->memory[k] != memory_at(in, next, steady->memory[k], k)) {
            steady->memory[k] = MEMORY_STALE;
            return DROPPED;
        }
    for (int i = 0; i < steady->count; i++) {
        const Value *argument = steady->op->blocks[0]->args[1 + i];
        Name *name = &steady->names[i];
        Known known = known_of(in, handed[i]), wanted = known_by_name(in, next, name, argument, steady->initial[i]);
        bool lasts = name->value ? agrees(in, known, handed[i], wanted.term, name->value) : known.term == wanted.term;
        if (lasts)
            continue;
        if (!name->value && !name->aref) {
            differs(in, steady->op, "carries '%s' over an iteration in which the source makes another value of it",
                    argument->name ? argument->name : "a value");
            return BROKEN;
        }
        *name = find_name(in, in->stage->first, steady->initial[i], argument, name->candidate + 1);
        return DROPPED;
    }
    return LASTS;
}

static Verdict try_steady(Validator *in, Steady *steady)
{
    const Op *op = steady->op, *loop = in->stage->loop;
    Staged *stage = in->stage;
    Instance *last = some_iteration(in, steady), *next = instance_next(in, loop, last);
    in->open[0] = last;
    in->open[1] = next;
    in->nopen = 2;
    in->known[op->blocks[0]->args[0]->id] = named(in, next, loop->blocks[0]->args[0], op->blocks[0]->args[0]);
    for (int i = 0; i < steady->count; i++)
        in->known[op->blocks[0]->args[1 + i]->id] =
            known_by_name(in, last, &steady->names[i], op->blocks[0]->args[1 + i], steady->initial[i]);
    in->stage = NULL;
    bool ran = run_block(in, op->blocks[0]) && is_complete(in, last);
    in->stage = stage;
    if (!ran)
        return BROKEN;
    FOR_OPS (source, next->block)
        if (next->done[source->position] != stage->first->done[source->position]) {
            differs(in, op, "is not as far with the '%s' of line %d in the loop as before it",
                    op_info[source->code].text, source->loc.line);
            return BROKEN;
        }
    return check_steady(in, steady, next);
}

static bool run_steady(Validator *in, const Op *op)
{
    Staged *stage = in->stage;
    Steady *steady = arena_alloc(in->kernel->module, sizeof *steady);
    steady->op = op;
    steady->count = carried_count(op);
    steady->memory = arena_alloc(in->kernel->module, (size_t)(in->nstored + 1) * sizeof *steady->memory);
    if (steady->count > MAX_CARRIED)
        return differs(in, op, "carries more than %d values", MAX_CARRIED);
    for (int i = 0; i < steady->count; i++) {
        steady->initial[i] = known_of(in, op->args[3 + i]);
        steady->names[i] = find_name(in, stage->first, steady->initial[i], op->blocks[0]->args[1 + i], 0);
    }
    for (int k = 0; k < in->nstored; k++)
        steady->memory[k] = in->memory[k] == stage->first->end[k]     ? MEMORY_END
                            : in->memory[k] == stage->first->entry[k] ? MEMORY_ENTRY
                                                                      : MEMORY_STALE;
    Verdict verdict;
    do
        verdict = try_steady(in, steady);
    while (verdict == DROPPED);
    if (verdict == BROKEN)
        return false;
    stage->last = some_iteration(in, steady);
    open_only(in, stage->last);
    for (int i = 0; i < steady->count; i++)
        in->known[op->results[i]->id] =
            known_by_name(in, stage->last, &steady->names[i], op->results[i], steady->initial[i]);
    label(in, op, stage->loop);
    return true;
}

static Opcode compare_of(const Op *loop)
{
    return loop->ival ? (Opcode)loop->ival : OP_LTI;
}

/* Does the role's loop run over all iterations of the source's but the first?  */
static bool is_steady(Validator *in, const Op *op)
{
    const Op *loop = in->stage->loop;
    const Instance *outer = in->stage->first->outer;
    const Term *second = term_add(&in->terms, loop->blocks[0]->args[0]->type.dtype,
                                  source_term(in, outer, loop->args[0]), source_term(in, outer, loop->args[2]));
    return !in->stage->last && compare_of(op) == compare_of(loop) && known_of(in, op->args[0]).term == second &&
           known_of(in, op->args[1]).term == source_term(in, outer, loop->args[1]) &&
           known_of(in, op->args[2]).term == source_term(in, outer, loop->args[2]);
}

static const Term *first_condition(Validator *in, const Op *loop, const Instance *outer)
{
    return term_compare(&in->terms, compare_of(loop), loop->blocks[0]->args[0]->type.dtype,
                        source_term(in, outer, loop->args[0]), source_term(in, outer, loop->args[1]));
}

/* What the guard leaves: the loop's result where it ran, the initial value where it did not.  */
static void staged_results(Validator *in, const Op *op, const Op *loop, Instance *outer, const Instance *last)
{
    const Op *then = block_end(op->blocks[0]), *other = block_end(op->blocks[1]);
    const Op *source_end = block_end(loop->blocks[0]);
    for (int r = 0; r < op->nresults; r++) {
        Known *result = &in->known[op->results[r]->id];
        *result = (Known){term_symbol(&in->terms), SPREAD_WHOLE, NULL};
        for (int i = 0; i < carried_count(loop); i++) {
            const Value *source = loop->results[i];
            if (same_kind(in, op->results[r], source) &&
                agrees(in, known_of(in, then->args[r]), then->args[r], source_term(in, last, source_end->args[i]),
                       source) &&
                agrees(in, known_of(in, other->args[r]), other->args[r], source_term(in, outer, loop->args[3 + i]),
                       source)) {
                *result = named(in, outer, source, op->results[r]);
                break;
            }
        }
    }
}

static bool run_staged(Validator *in, const Op *op, const Op *loop, Instance *outer)
{
    const Term *args[loop->nargs];
    args[0] = source_term(in, outer, loop->args[0]);
    for (int i = 3; i < loop->nargs; i++)
        args[i - 2] = source_term(in, outer, loop->args[i]);
    Instance *first = instance_new(in, loop->blocks[0], outer, args, outer->before[loop->position]);
    Staged stage = {loop, first, NULL}, *around = in->stage;
    Saved saved = save(in);
    in->stage = &stage;
    open_only(in, first);
    bool ran = run_block(in, op->blocks[0]);
    in->stage = around;
    if (!ran)
        return false;
    if (!stage.last)
        return differs(in, op, "peels an iteration off a loop that does not follow");
    if (!is_complete(in, stage.last))
        return false;
    const Term **memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *memory);
    restore(in, &saved);
    bool follows[in->nstored + 1];
    for (int k = 0; k < in->nstored; k++)
        follows[k] = memory[k] == stage.last->end[k] && in->memory[k] == outer->before[loop->position][k];
    in->nopen = 0;
    if (!run_block(in, op->blocks[1]))
        return false;
    restore(in, &saved);
    for (int k = 0; k < in->nstored; k++)
        in->memory[k] = follows[k] ? outer->after[loop->position][k] : stale(in);
    staged_results(in, op, loop, outer, stage.last);
    outer->done[loop->position] |= DONE_OP;
    label(in, op, loop);
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

static bool match_if(Validator *in, const Op *op, const Op *source, Instance *outer, const Term *condition)
{
    Saved saved = save(in);
    const Term **memory[2] = {saved.memory, saved.memory};
    Known *results[2] = {0};
    for (int k = 0; k < op->nblocks; k++) {
        results[k] = arena_alloc(in->kernel->module, (size_t)(op->nresults + 1) * sizeof(Known));
        Instance *arm = k < source->nblocks ? outer->arms[source->position][k] : NULL;
        open_only(in, arm);
        if (!run_block(in, op->blocks[k]) || (arm && !is_complete(in, arm)))
            return false;
        for (int i = 0; i < op->nresults; i++)
            results[k][i] = known_of(in, block_end(op->blocks[k])->args[i]);
        memory[k] = copy_of(in, in->memory, (size_t)in->nstored * sizeof *in->memory);
        restore(in, &saved);
    }
    if (op->nblocks < 2 && source->nblocks > 1 && !is_complete(in, outer->arms[source->position][1]))
        return false;
    for (int i = 0; i < op->nresults; i++)
        in->known[op->results[i]->id] = join_arms(in, condition, results[0][i], results[1][i]);
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
    if (!run_block(in, block))
        return false;
    for (int i = 0; i < op->nresults; i++)
        in->known[op->results[i]->id] = known_of(in, block_end(block)->args[i]);
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
    return compare_of(op) == compare_of(source);
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

/* Try every op of the source that this one may be; true once one fits.  */
static bool try_all(Validator *in, const Op *op, Shape shape, uint64_t own)
{
    Saved saved = save(in);
    const char *why = NULL;
    const Op *where = NULL;
    for (int k = 0; k < saved.nopen; k++)
        FOR_OPS (source, saved.open[k]->block) {
            Instance *outer = saved.open[k];
            if (!source->nblocks || !may_match(in, op, source, outer, shape, own))
                continue;
            bool fits = shape == PLAIN_LOOP    ? match_loop(in, op, source, outer)
                        : shape == STAGED_LOOP ? run_staged(in, op, source, outer)
                                               : match_if(in, op, source, outer, known_of(in, op->args[0]).term);
            if (fits)
                return true;
            why = why ? why : in->why;
            where = where ? where : in->where;
            restore(in, &saved);
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
    if (answer) {
        *answer = *answer < 0 ? 1 : *answer;
        return run_arm(in, op, *answer);
    }
    uint64_t own = signature(in, op, false);
    if (try_all(in, op, BRANCH, own) || (!in->why && try_all(in, op, STAGED_LOOP, own)))
        return true;
    if (!in->why && term_is_number(condition, &known))
        return run_arm(in, op, known != 0);
    return differs(in, op, "has a branch that the source does not have here");
}

static bool run_loop(Validator *in, const Op *op)
{
    if (op->code == OP_FOR && in->stage && is_steady(in, op))
        return run_steady(in, op);
    return try_all(in, op, PLAIN_LOOP, signature(in, op, false)) ||
           differs(in, op, "has a loop that the source does not have here");
}

/* Tiles are independent: each finds memory as the launch left it, or as other tiles did, which is none of its concern.  */
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
    Instance *body = instance_of_loop(in, source, top);
    open_only(in, body);
    int dims = op->nargs / 3;
    for (int i = 0; i < op->blocks[0]->nargs; i++)
        in->known[op->blocks[0]->args[i]->id] =
            i < dims ? named(in, body, source->blocks[0]->args[i], op->blocks[0]->args[i])
                     : (Known){in->ordinal, SPREAD_WHOLE, NULL};
    memcpy(in->memory, body->entry, (size_t)in->nstored * sizeof *in->memory);
    if (!run_block(in, op->blocks[0]) || !is_complete(in, body))
        return false;
    open_only(in, top);
    top->done[source->position] |= DONE_OP;
    label(in, op, source);
    return true;
}

bool run_control(Validator *in, const Op *op)
{
    switch (op->code) {
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
    if (compare_of(loop) == OP_LTI)
        length = term_sum(terms, length, term_number(terms, 1), -1);
    Value result = {.type = type_scalar(dtype)}, *results[] = {&result};
    Op op = {.code = OP_DIVI, .nargs = 2, .nresults = 1, .results = results};
    const Term *quotient[] = {length, step};
    const Term *bounded[] = {term_of(terms, &op, quotient), term_number(terms, 0)};
    op.code = OP_MAXI;
    return term_of(terms, &op, bounded);
}

static bool counts_up(Validator *in, const Op *loop, const Instance *outer)
{
    int64_t step;
    return loop->code == OP_FOR && (compare_of(loop) == OP_LTI || compare_of(loop) == OP_LEI) &&
           term_is_number(source_term(in, outer, loop->args[2]), &step) && step > 0;
}

bool run_skip(Validator *in, const Op *op)
{
    const Aref *aref = op->aref;
    const Op *first = aref->loads[0];
    if (op->ival != 1 || in->mine != 0)
        return differs(in, op, "passes over puts of '%s' that no other group takes", aref->name);
    for (int k = 0; k < in->nopen; k++) {
        Instance *instance = in->open[k];
        if (!op->nargs && instance->block == aref->home && !(instance->done[first->position] & DONE_GET)) {
            instance->done[first->position] |= DONE_GET;
            return true;
        }
        const Op *loop = aref->home->parent;
        if (!op->nargs || !loop || loop->parent != instance->block ||
            instance->skipped[loop->position] & ring_bit(aref) || !counts_up(in, loop, instance) ||
            known_of(in, op->args[0]).term != trip_count(in, loop, instance))
            continue;
        instance->skipped[loop->position] |= ring_bit(aref);
        if (instance->skipped[loop->position] == signature(in, loop, true))
            instance->done[loop->position] |= DONE_OP;
        label(in, op, loop);
        return true;
    }
    return differs(in, op, "passes over another number of puts of '%s' than the source makes", aref->name);
}
