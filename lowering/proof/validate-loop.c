/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-loop.c - a loop of a role against a loop of the source, for all its iterations at once.
 *
 *      source                    role                                     shown for an unknown iteration b
 *      for (k = lo; ...)         if (lo < hi) {                           the first iteration begins like any other
 *        x = A (k)                 x' = A (lo)
 *        acc = B (x, acc)          for (k = lo + step; ...) {             before: x' is x of b, acc is acc of b
 *                                    x = A (k); acc = B (x', acc)           A of b + 1, B of b: b is complete
 *                                    x' = x                               behind: x' is x of b + 1, acc is acc of b + 1
 *                                  }
 *                                  acc = B (x', acc)                      B of the last one: it is complete, too
 *                                }                                        and acc is the result of the source's loop
 *
 * Each value that the role's loop carries is matched with a value of the source that equals it before the first
 * iteration.  Then one iteration is run from unknown values.  If it keeps all these equalities, they hold in every
 * iteration, for any trip count (induction).  An equality that fails is dropped, and the next candidate is tried.
 */
#include <string.h>

#include "ir/slice.h"
#include "proof/validator.h"

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

int block_size(const Block *block)
{
    return block->last ? block->last->position + 1 : 0;
}

void *copy_of(Validator *validator, const void *from, size_t bytes)
{
    void *copy = arena_alloc(validator->kernel->module, bytes + 1);
    if (bytes)
        memcpy(copy, from, bytes);
    return copy;
}

Saved attempt_save(Validator *validator)
{
    Saved saved = {.nopen = validator->nopen, .where = validator->where, .why = validator->why};
    for (int k = 0; k < validator->nopen; k++) {
        size_t count = (size_t)block_size(validator->open[k]->block);
        saved.open[k] = validator->open[k];
        saved.done[k] = copy_of(validator, validator->open[k]->done, count * sizeof(unsigned));
        saved.skipped[k] = copy_of(validator, validator->open[k]->skipped, count * sizeof(uint64_t));
    }
    saved.memory = copy_of(validator, validator->memory, (size_t)validator->nstored * sizeof *validator->memory);
    saved.held = held_copy(validator);
    return saved;
}

void attempt_restore(Validator *validator, const Saved *saved)
{
    validator->nopen = saved->nopen;
    for (int k = 0; k < validator->nopen; k++) {
        size_t count = (size_t)block_size(saved->open[k]->block);
        validator->open[k] = saved->open[k];
        memcpy(validator->open[k]->done, saved->done[k], count * sizeof(unsigned));
        memcpy(validator->open[k]->skipped, saved->skipped[k], count * sizeof(uint64_t));
    }
    memcpy(validator->memory, saved->memory, (size_t)validator->nstored * sizeof *validator->memory);
    held_restore(validator, saved->held);
    validator->where = saved->where;
    validator->why = saved->why;
}

void open_only(Validator *validator, Instance *instance)
{
    validator->open[0] = instance;
    validator->nopen = instance != NULL;
}

/* ---- memory over loops ------------------------------------------------------------------------------------------- */

const Term *stale_memory(Validator *validator)
{
    return term_symbol(&validator->terms);
}

static void enter_memory(Validator *validator, const Term *const *before, const Instance *body, bool *follows)
{
    for (int k = 0; k < validator->nstored; k++) {
        follows[k] = validator->memory[k] == before[k];
        validator->memory[k] = follows[k] ? body->entry[k] : stale_memory(validator);
    }
}

static void leave_memory(Validator *validator, const Term *const *after, const Instance *body, const bool *follows)
{
    for (int k = 0; k < validator->nstored; k++)
        validator->memory[k] = follows[k] && validator->memory[k] == body->end[k] ? after[k] : stale_memory(validator);
}

/* ---- loops that stand as in the source --------------------------------------------------------------------------- */

enum { NO_MATCH = -1 };

/* The carried value of the source that each carried value of the role equals.  NO_MATCH: the value stays as it was
   before the loop.  */
typedef struct {
    int *of;    /* the candidate's number, below twice the number of the source's values: see next_match */
    int *first; /* the value of the source at which its candidates begin */
    Known *initial;
    int count;
    int tries;
} Relation;

bool same_kind(const Validator *validator, const Value *value, const Value *source)
{
    Type x = value->type, y = source->type;
    bool rows = x.rows == y.rows || x.rows * validator->groups == y.rows;
    bool tile = (x.kind == K_TILE || x.kind == K_TOKEN) && y.kind == K_TILE;
    return x.dtype == y.dtype && x.cols == y.cols && rows && (tile || x.kind == y.kind);
}

bool same_name(const Value *x, const Value *y)
{
    return x->name == y->name || (x->name && y->name && !strcmp(x->name, y->name));
}

/* Returns the value of the source of equal name and equal occurrence.  Elements of an array have one name: the role's
   second is first compared with the source's second.  */
static int first_of_name(Value *const *arguments, int i, Value *const *sources, int count)
{
    int before = 0;
    for (int k = 0; k < i; k++)
        before += same_name(arguments[k], arguments[i]);
    for (int k = 0; k < count; k++)
        if (same_name(arguments[i], sources[k]) && before-- == 0)
            return k;
    return 0;
}

static int source_of(const Relation *relation, int i, int candidate, int count)
{
    return (relation->first[i] + candidate) % count;
}

/* Returns the next candidate from `from` on, or NO_MATCH.  Candidates below `count` have the value's name, those from
   `count` on have another name.  */
static int next_match(const Validator *validator, const Relation *relation, int i, const Value *argument,
                      Value *const *sources, const Term *const *initial, int count, int from)
{
    for (int candidate = from; candidate < 2 * count; candidate++) {
        int k = source_of(relation, i, candidate, count);
        if (same_name(argument, sources[k]) == (candidate < count) && same_kind(validator, argument, sources[k]) &&
            agrees(validator, relation->initial[i], argument, initial[k], sources[k]))
            return candidate;
    }
    return NO_MATCH;
}

typedef struct {
    const Op *op, *source;   /* two loops */
    Value *const *arguments; /* carried by the role's loop */
    Value *const *source_arguments;
    const Term **initial; /* by carried value of the source */
    int nsource;
    Relation relation;
} Match;

static void match_begin(Validator *validator, Match *match, const Instance *outer, int fixed)
{
    Relation *relation = &match->relation;
    Module *module = validator->kernel->module;
    const size_t count = (size_t)relation->count + 1;
    match->initial = arena_alloc(module, (size_t)(match->nsource + 1) * sizeof *match->initial);
    relation->of = arena_alloc(module, count * sizeof *relation->of);
    relation->first = arena_alloc(module, count * sizeof *relation->first);
    relation->initial = arena_alloc(module, count * sizeof *relation->initial);
    for (int i = 0; i < match->nsource; i++)
        match->initial[i] = source_term(validator, outer, match->source->args[fixed + i]);
    for (int i = 0; i < relation->count; i++) {
        relation->initial[i] = known_of(validator, match->op->args[fixed + i]);
        relation->first[i] = first_of_name(match->arguments, i, match->source_arguments, match->nsource);
        relation->of[i] = next_match(validator, relation, i, match->arguments[i], match->source_arguments,
                                     match->initial, match->nsource, 0);
    }
}

static void enter_arguments(Validator *validator, const Match *match, Instance *body, Value *const *arguments,
                            Value *const *sources)
{
    for (int i = 0; i < match->relation.count; i++) {
        int of = match->relation.of[i];
        validator->known[arguments[i]->id] =
            of == NO_MATCH
                ? match->relation.initial[i]
                : named(validator, body, sources[source_of(&match->relation, i, of, match->nsource)], arguments[i]);
        variable_write(validator, arguments[i]);
    }
}

/* ---- equalities that do not last --------------------------------------------------------------------------------- */

Handed handed_new(Validator *validator, const Block *block, Value *const *arguments, Value *const *handed, int count)
{
    bool *flags = arena_alloc(validator->kernel->module, 2 * (size_t)count + 1);
    return (Handed){block, arguments, handed, count, .fails = flags, .open = flags + count};
}

/* Sets of the failing carried values from which each value of the block is computed.  */
typedef struct {
    int words;      /* of one set */
    uint64_t *sets; /* by value id */
} Origins;

static uint64_t *set_of(const Origins *origins, const Value *value)
{
    return origins->sets + (size_t)value->id * (size_t)origins->words;
}

static void add_set(const Origins *origins, uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < origins->words; i++)
        to[i] |= from[i];
}

/* Finds the sets of the results of each operation.  */
static void find_origins(const Origins *origins, const Block *block, uint64_t *around)
{
    FOR_OPS (op, block) {
        uint64_t own[origins->words];
        memset(own, 0, sizeof own);
        for (int i = 0; i < op->nargs; i++)
            add_set(origins, own, set_of(origins, op->args[i]));
        for (int k = 0; k < op->nblocks; k++)
            find_origins(origins, op->blocks[k], own);
        for (int i = 0; i < op->nresults; i++)
            memcpy(set_of(origins, op->results[i]), own, sizeof own);
        add_set(origins, around, own);
    }
}

/* direct[i * count + k]: the i-th failing value is computed from the k-th in one iteration.  */
static bool *find_direct(Validator *validator, const Handed *carried, const int *failing, int count)
{
    Module *module = validator->kernel->module;
    Origins origins = {.words = (count + 63) / 64};
    bool *direct = arena_alloc(module, (size_t)count * (size_t)count);
    origins.sets = arena_alloc(module, ((size_t)module->next_id + 1) * (size_t)origins.words * sizeof *origins.sets);
    for (int i = 0; i < count; i++)
        set_of(&origins, carried->arguments[failing[i]])[i / 64] |= (uint64_t)1 << (i % 64);
    uint64_t all[origins.words];
    memset(all, 0, sizeof all);
    find_origins(&origins, carried->block, all);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            direct[i * count + k] = set_of(&origins, carried->handed[failing[i]])[k / 64] >> (k % 64) & 1;
    return direct;
}

/* Marks the failing values from which the i-th is computed, in one iteration or over several.  */
static void reach(const bool *direct, int count, int i, bool *reached)
{
    for (int k = 0; k < count; k++)
        if (direct[i * count + k] && !reached[k]) {
            reached[k] = true;
            reach(direct, count, k, reached);
        }
}

/* True if the i-th failing value is computed from no other, except from values that are computed from it in turn.  */
static bool is_founded(const bool *direct, int count, int i)
{
    bool reached[count], back[count];
    memset(reached, 0, sizeof reached);
    reach(direct, count, i, reached);
    for (int k = 0; k < count; k++) {
        if (!reached[k] || k == i)
            continue;
        memset(back, 0, sizeof back);
        reach(direct, count, k, back);
        if (!back[i])
            return false;
    }
    return true;
}

/* Chooses the equality to give up.  A value may fail only because another one was matched wrongly.  So the chosen value
   is computed from no other failing value, except from values that are computed from it in turn.  Among these, a value
   with other candidates is preferred.  */
int carried_suspect(Validator *validator, const Handed *carried)
{
    int *failing = NULL, count = 0;
    for (int i = 0; i < carried->count; i++)
        if (carried->fails[i])
            LIST_ADD(validator->kernel->module, failing, count) = i;
    if (count < 2)
        return count ? failing[0] : -1;
    const bool *direct = find_direct(validator, carried, failing, count);
    int best = -1;
    for (int k = 0; k < count; k++)
        if ((best < 0 || (carried->open[failing[k]] && !carried->open[best])) && is_founded(direct, count, k))
            best = failing[k];
    return best;
}

/* Checks the equalities for the values that the iteration passes on, and replaces one that fails by its next
   candidate.  */
static Verdict check_next(Validator *validator, Match *match, const Instance *body, const Block *block,
                          Value *const *arguments, Value *const *next, Value *const *source_next, const Op *where)
{
    Relation *relation = &match->relation;
    Handed carried = handed_new(validator, block, arguments, next, relation->count);
    for (int i = 0; i < relation->count; i++) {
        int of = relation->of[i];
        int source = of == NO_MATCH ? 0 : source_of(relation, i, of, match->nsource);
        Known known = known_of(validator, next[i]);
        carried.open[i] = of != NO_MATCH;
        carried.fails[i] = of == NO_MATCH
                               ? known.term != relation->initial[i].term
                               : !agrees(validator, known, next[i], source_term(validator, body, source_next[source]),
                                         match->source_arguments[source]);
    }
    int i = carried_suspect(validator, &carried);
    if (i < 0)
        return LASTS;
    if (relation->of[i] == NO_MATCH) {
        differs(validator, where, "carries '%s' over an iteration in which the source makes another value of it",
                match->arguments[i]->name ? match->arguments[i]->name : "a value");
        return BROKEN;
    }
    relation->of[i] = next_match(validator, relation, i, match->arguments[i], match->source_arguments, match->initial,
                                 match->nsource, relation->of[i] + 1);
    return DROPPED;
}

static void leave_results(Validator *validator, const Match *match, Instance *outer)
{
    for (int i = 0; i < match->relation.count; i++) {
        int of = match->relation.of[i];
        const Value *result = match->op->results[i];
        validator->known[result->id] =
            of == NO_MATCH ? match->relation.initial[i]
                           : named(validator, outer,
                                   match->source->results[source_of(&match->relation, i, of, match->nsource)], result);
    }
}

/* True if a branch of the source's loop tests whether the counter has reached the edge.  All groups of a role then know
   the same of it.  Constants are compared by value.  */
static bool asks_for_edge(Validator *validator, const Op *source, const Instance *outer, const Value *at,
                          const Term *edge)
{
    int64_t asked, constant;
    FOR_OPS (op, source->blocks[0]) {
        const Op *question = op->code == OP_IF ? op->args[0]->def : NULL;
        if (!question || question->code != OP_SCALAR_GE || question->args[0] != source->blocks[0]->args[0])
            continue;
        if (ir_constant(question->args[1], &asked) && ir_constant(at, &constant) && asked == constant)
            return true;
        if (ir_outside(question->args[1], source) && source_term(validator, outer, question->args[1]) == edge)
            return true;
    }
    return false;
}

/* Finds the iterations that one of the loop's bodies executes.  A single body executes all.  The check of the IR has
   seen that the counter grows.  */
bool side_of(Validator *validator, const Op *op, int body, const Op *source, const Instance *outer, Side *side)
{
    *side = (Side){loop_edge(op) ? known_of(validator, loop_edge(op)).term : NULL, body > 0};
    return !side->edge || asks_for_edge(validator, source, outer, loop_edge(op), side->edge) ||
           differs(validator, op, "has two bodies that part where no branch of line %d does", source->loc.line);
}

static Verdict try_body(Validator *validator, Match *match, Instance *outer, int which, bool *follows)
{
    const Op *op = match->op, *source = match->source, *end = block_end(op->blocks[which]);
    const Value *counter = op->blocks[0]->args[0];
    Side side;
    if (!side_of(validator, op, which, source, outer, &side))
        return BROKEN;
    Instance *body = instance_of_loop(validator, source, outer, side);
    Staged *stage = validator->stage;
    validator->stage = NULL;
    open_only(validator, body);
    held_forget(validator, op);
    validator->known[counter->id] = named(validator, body, source->blocks[0]->args[0], counter);
    variable_write(validator, counter);
    enter_arguments(validator, match, body, match->arguments, match->source_arguments);
    enter_memory(validator, outer->before[source->position], body, follows);
    bool ran = held_go_round(validator, op) && run_block(validator, op->blocks[which]) &&
               is_complete(validator, body) &&
               held_hand_over(validator, end, end->args, match->arguments, match->relation.count) &&
               held_go_round(validator, op);
    validator->stage = stage;
    if (!ran)
        return BROKEN;
    Verdict verdict = check_next(validator, match, body, op->blocks[which], match->arguments, end->args,
                                 block_end(source->blocks[0])->args, op);
    leave_memory(validator, outer->after[source->position], body, follows);
    return verdict;
}

static Verdict try_for(Validator *validator, Match *match, Instance *outer, bool *follows)
{
    if (!loop_edge(match->op))
        return try_body(validator, match, outer, 0, follows);
    Saved saved = attempt_save(validator);
    Verdict verdict = try_body(validator, match, outer, 0, follows);
    if (verdict != LASTS)
        return verdict;
    const Term **memory = copy_of(validator, validator->memory, (size_t)validator->nstored * sizeof *memory);
    attempt_restore(validator, &saved);
    verdict = try_body(validator, match, outer, 1, follows);
    for (int i = 0; i < validator->nstored; i++)
        validator->memory[i] = memory[i] == validator->memory[i] ? memory[i] : stale_memory(validator);
    return verdict;
}

/* Runs an iteration of a while: its condition, then its body.  */
static Verdict try_while(Validator *validator, Match *match, Instance *outer, bool *follows)
{
    const Op *op = match->op, *source = match->source;
    const Op *cond = block_end(op->blocks[0]), *source_cond = block_end(source->blocks[0]);
    Instance *head = instance_of_loop(validator, source, outer, (Side){0});
    open_only(validator, head);
    held_forget(validator, op);
    enter_arguments(validator, match, head, match->arguments, match->source_arguments);
    enter_memory(validator, outer->before[source->position], head, follows);
    if (!run_block(validator, op->blocks[0]) || !is_complete(validator, head) ||
        !variable_read(validator, cond, cond->args[0]) ||
        !held_hand_over(validator, cond, cond->args + 1, op->blocks[1]->args, match->relation.count))
        return BROKEN;
    if (known_of(validator, cond->args[0]).term != source_term(validator, head, source_cond->args[0])) {
        differs(validator, op, "goes on under another condition than the source");
        return BROKEN;
    }
    const Term *args[source->nargs + 1];
    for (int i = 0; i < source->nargs; i++)
        args[i] = source_term(validator, head, source_cond->args[1 + i]);
    Verdict verdict =
        check_next(validator, match, head, op->blocks[0], match->arguments, cond->args + 1, source_cond->args + 1, op);
    if (verdict != LASTS)
        return verdict;
    Instance *body = instance_new(validator, source->blocks[1], head, args, head->end);
    open_only(validator, body);
    enter_arguments(validator, match, body, op->blocks[1]->args, source->blocks[1]->args);
    const Op *end = block_end(op->blocks[1]);
    if (!run_block(validator, op->blocks[1]) || !is_complete(validator, body) ||
        !held_hand_over(validator, end, end->args, match->arguments, match->relation.count))
        return BROKEN;
    verdict = check_next(validator, match, body, op->blocks[1], op->blocks[1]->args, end->args,
                         block_end(source->blocks[1])->args, op);
    leave_memory(validator, outer->after[source->position], body, follows);
    return verdict;
}

enum { MAX_TRIES = 64 };

/* Tries another candidate for one value after an iteration that differs: a value may have been matched wrongly.  False:
   none is left.  */
static bool try_another(Validator *validator, Match *match)
{
    Relation *relation = &match->relation;
    for (int i = 0; i < relation->count && relation->tries < MAX_TRIES; i++) {
        if (relation->of[i] == NO_MATCH)
            continue;
        int next = next_match(validator, relation, i, match->arguments[i], match->source_arguments, match->initial,
                              match->nsource, relation->of[i] + 1);
        if (next == NO_MATCH)
            continue;
        relation->of[i] = next;
        relation->tries++;
        return true;
    }
    return false;
}

/* Matches the role's loop with the source's loop in the execution `outer` of the block around it.  */
bool match_loop(Validator *validator, const Op *op, const Op *source, Instance *outer)
{
    bool counted = op->code == OP_FOR;
    int fixed = counted ? 3 : 0;
    Match match = {.op = op,
                   .source = source,
                   .arguments = op->blocks[0]->args + counted,
                   .source_arguments = source->blocks[0]->args + counted,
                   .nsource = source->nargs - fixed,
                   .relation.count = carried_count(op)};
    if (!held_begin(validator, op, fixed, match.arguments))
        return false;
    match_begin(validator, &match, outer, fixed);
    Saved saved = attempt_save(validator);
    for (;;) {
        bool follows[validator->nstored + 1];
        Verdict verdict = (counted ? try_for : try_while)(validator, &match, outer, follows);
        if (verdict == BROKEN && !try_another(validator, &match))
            return false;
        const Term **memory = copy_of(validator, validator->memory, (size_t)validator->nstored * sizeof *memory);
        attempt_restore(validator, &saved);
        if (verdict == LASTS) {
            if (op_has_stores(op) || op_has_stores(source))
                memcpy(validator->memory, memory, (size_t)validator->nstored * sizeof *memory);
            break;
        }
    }
    leave_results(validator, &match, outer);
    if (!held_leave(validator, op, counted ? match.arguments : op->blocks[1]->args))
        return false;
    outer->done[source->position] |= DONE_OP;
    label(validator, op, source);
    return true;
}
