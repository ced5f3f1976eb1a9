/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-loop.c - a loop of a role against one of the source, for all its iterations at once.
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
 * What a role carries is matched with a value of the source that it equals before the first iteration; if an iteration
 * from unknown values keeps all of these equalities, they hold in every iteration, whatever the trip count.  An
 * equality that does not last is dropped and the next candidate tried.
 */
#include <string.h>

#include "machine/plan.h"
#include "ir/slice.h"
#include "proof/validator.h"

enum { MAX_CARRIED = 256 };

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

static int block_size(const Block *block)
{
    return block->last ? block->last->position + 1 : 0;
}

void *copy_of(Validator *in, const void *from, size_t bytes)
{
    void *copy = arena_alloc(in->kernel->module, bytes + 1);
    if (bytes)
        memcpy(copy, from, bytes);
    return copy;
}

Saved attempt_save(Validator *in)
{
    Saved saved = {.nopen = in->nopen, .where = in->where, .why = in->why};
    for (int k = 0; k < in->nopen; k++) {
        size_t count = (size_t)block_size(in->open[k]->block);
        saved.open[k] = in->open[k];
        saved.done[k] = copy_of(in, in->open[k]->done, count * sizeof(unsigned));
        saved.skipped[k] = copy_of(in, in->open[k]->skipped, count * sizeof(uint64_t));
    }
    saved.memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *in->memory);
    saved.held = held_copy(in);
    return saved;
}

void attempt_restore(Validator *in, const Saved *saved)
{
    in->nopen = saved->nopen;
    for (int k = 0; k < in->nopen; k++) {
        size_t count = (size_t)block_size(saved->open[k]->block);
        in->open[k] = saved->open[k];
        memcpy(in->open[k]->done, saved->done[k], count * sizeof(unsigned));
        memcpy(in->open[k]->skipped, saved->skipped[k], count * sizeof(uint64_t));
    }
    memcpy(in->memory, saved->memory, (size_t)in->nstored * sizeof *in->memory);
    held_restore(in, saved->held);
    in->where = saved->where;
    in->why = saved->why;
}

void open_only(Validator *in, Instance *instance)
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
    int of[MAX_CARRIED];    /* the candidate, twice the number of the source's: see next_match */
    int first[MAX_CARRIED]; /* of the source's, where its candidates begin */
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

/* Several have one name, as elements of an array do: the role's second is the source's second before it is another.  */
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

/* Candidates of one name come first: numbers from 0 on; the others are those from `count` on.  */
static int next_match(const Validator *in, const Relation *relation, int i, const Value *argument,
                      Value *const *sources, const Term *const *initial, int count, int from)
{
    for (int candidate = from; candidate < 2 * count; candidate++) {
        int k = source_of(relation, i, candidate, count);
        if (same_name(argument, sources[k]) == (candidate < count) && same_kind(in, argument, sources[k]) &&
            agrees(in, relation->initial[i], argument, initial[k], sources[k]))
            return candidate;
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
        relation->first[i] = first_of_name(match->arguments, i, match->source_arguments, match->nsource);
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
            of == NO_MATCH ? match->relation.initial[i]
                           : named(in, body, sources[source_of(&match->relation, i, of, match->nsource)], arguments[i]);
        variable_write(in, arguments[i]);
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
        int source = of == NO_MATCH ? 0 : source_of(relation, i, of, match->nsource);
        Known known = known_of(in, next[i]);
        bool lasts = of == NO_MATCH ? known.term == relation->initial[i].term
                                    : agrees(in, known, next[i], source_term(in, body, source_next[source]),
                                             match->source_arguments[source]);
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
        in->known[result->id] =
            of == NO_MATCH
                ? match->relation.initial[i]
                : named(in, outer, match->source->results[source_of(&match->relation, i, of, match->nsource)], result);
    }
}

/* Does the source ask there whether its counter has come to the edge?  Then all groups of a role know the same of
   it. A constant is the same wherever it stands. */
static bool asks_for_edge(Validator *in, const Op *source, const Instance *outer, const Value *at, const Term *edge)
{
    int64_t asked, constant;
    FOR_OPS (op, source->blocks[0]) {
        const Op *question = op->code == OP_IF ? op->args[0]->def : NULL;
        if (!question || question->code != OP_GEI || question->args[0] != source->blocks[0]->args[0])
            continue;
        if (ir_constant(question->args[1], &asked) && ir_constant(at, &constant) && asked == constant)
            return true;
        if (ir_outside(question->args[1], source) && source_term(in, outer, question->args[1]) == edge)
            return true;
    }
    return false;
}

/* Which iterations one of the bodies runs: all, where there is one.  The check of the IR has seen that the loop counts
   up.  */
static bool side_of(Validator *in, const Op *op, int body, const Op *source, const Instance *outer, Side *side)
{
    *side = (Side){loop_edge(op) ? known_of(in, loop_edge(op)).term : NULL, body > 0};
    return !side->edge || asks_for_edge(in, source, outer, loop_edge(op), side->edge) ||
           differs(in, op, "has two bodies that part where no branch of line %d does", source->loc.line);
}

static Verdict try_body(Validator *in, Match *match, Instance *outer, int which, bool *follows)
{
    const Op *op = match->op, *source = match->source, *end = block_end(op->blocks[which]);
    const Value *counter = op->blocks[0]->args[0];
    Side side;
    if (!side_of(in, op, which, source, outer, &side))
        return BROKEN;
    Instance *body = instance_of_loop(in, source, outer, side);
    Staged *stage = in->stage;
    in->stage = NULL;
    open_only(in, body);
    held_forget(in, op);
    in->known[counter->id] = named(in, body, source->blocks[0]->args[0], counter);
    variable_write(in, counter);
    enter_arguments(in, match, body, match->arguments, match->source_arguments);
    enter_memory(in, outer->before[source->position], body, follows);
    bool ran = held_go_round(in, op) && run_block(in, op->blocks[which]) && is_complete(in, body) &&
               held_hand_over(in, end, end->args, match->arguments, match->relation.count) && held_go_round(in, op);
    in->stage = stage;
    if (!ran)
        return BROKEN;
    Verdict verdict = check_next(in, match, body, end->args, block_end(source->blocks[0])->args, op);
    leave_memory(in, outer->after[source->position], body, follows);
    return verdict;
}

static Verdict try_for(Validator *in, Match *match, Instance *outer, bool *follows)
{
    if (!loop_edge(match->op))
        return try_body(in, match, outer, 0, follows);
    Saved saved = attempt_save(in);
    Verdict verdict = try_body(in, match, outer, 0, follows);
    if (verdict != LASTS)
        return verdict;
    const Term **memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *memory);
    attempt_restore(in, &saved);
    verdict = try_body(in, match, outer, 1, follows);
    for (int i = 0; i < in->nstored; i++)
        in->memory[i] = memory[i] == in->memory[i] ? memory[i] : stale(in);
    return verdict;
}

/* An iteration of a while evaluates its condition, then its body.  */
static Verdict try_while(Validator *in, Match *match, Instance *outer, bool *follows)
{
    const Op *op = match->op, *source = match->source;
    const Op *cond = block_end(op->blocks[0]), *source_cond = block_end(source->blocks[0]);
    Instance *head = instance_of_loop(in, source, outer, (Side){0});
    open_only(in, head);
    held_forget(in, op);
    enter_arguments(in, match, head, match->arguments, match->source_arguments);
    enter_memory(in, outer->before[source->position], head, follows);
    if (!run_block(in, op->blocks[0]) || !is_complete(in, head) || !variable_read(in, cond, cond->args[0]) ||
        !held_hand_over(in, cond, cond->args + 1, op->blocks[1]->args, match->relation.count))
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
    const Op *end = block_end(op->blocks[1]);
    if (!run_block(in, op->blocks[1]) || !is_complete(in, body) ||
        !held_hand_over(in, end, end->args, match->arguments, match->relation.count))
        return BROKEN;
    verdict = check_next(in, match, body, end->args, block_end(source->blocks[1])->args, op);
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
bool match_loop(Validator *in, const Op *op, const Op *source, Instance *outer)
{
    bool counted = op->code == OP_FOR;
    int fixed = counted ? 3 : 0;
    Match match = {.op = op,
                   .source = source,
                   .arguments = op->blocks[0]->args + counted,
                   .source_arguments = source->blocks[0]->args + counted,
                   .nsource = source->nargs - fixed,
                   .relation.count = carried_count(op)};
    if (match.relation.count > MAX_CARRIED)
        return differs(in, op, "carries more than %d values", MAX_CARRIED);
    if (!held_begin(in, op, fixed, match.arguments))
        return false;
    match_begin(in, &match, outer, fixed);
    Saved saved = attempt_save(in);
    for (;;) {
        bool follows[in->nstored + 1];
        Verdict verdict = (counted ? try_for : try_while)(in, &match, outer, follows);
        if (verdict == BROKEN && !try_another(in, &match))
            return false;
        const Term **memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *memory);
        attempt_restore(in, &saved);
        if (verdict == LASTS) {
            if (op_has_stores(op) || op_has_stores(source))
                memcpy(in->memory, memory, (size_t)in->nstored * sizeof *memory);
            break;
        }
    }
    leave_results(in, &match, outer);
    if (!held_leave(in, op, counted ? match.arguments : op->blocks[1]->args))
        return false;
    outer->done[source->position] |= DONE_OP;
    label(in, op, source);
    return true;
}

/* ---- loops with their first iterations peeled off ---------------------------------------------------------------- */

/*
 *   source                  role, three stages                        the window: iterations that are under way
 *   for (k = lo; ...)       if (lo < hi) {                            first
 *     A; B; C                 A
 *                             if (lo + step < hi) {                   first, second
 *                               A; B
 *                               for (k = lo + 2 * step; ...)          b, b + 1, and in the loop b + 2
 *                                 A; B; C                             b is complete, b + 1 as far as b was
 *                               C                                     the last but one is complete
 *                             }                                       the last, as far as the first was
 *                             B; C                                    the last is complete
 *                           }
 *
 * A guard of a later iteration keeps what a steady loop keeps: the window, what was done of each iteration in it, and
 * what each value is by name.  Where it is not taken nothing changes; so behind it the window is of some iterations.
 */

/* What a role carries through such a loop: a value of an iteration of the window by name, a slot of a ring of it, or
   what stays.  */
typedef struct {
    int which; /* of the window */
    const Value *value;
    const Aref *aref;
    int candidate; /* which of all */
} Name;

typedef Instance *const *Window;

static Known known_by_name(Validator *in, Window window, const Name *name, const Value *value, Known initial)
{
    Instance *instance = window[name->which];
    if (name->value)
        return named(in, instance, name->value, value);
    if (name->aref)
        return (Known){term_special(&in->terms, TERM_SLOT, name->aref->id, 1, &instance->name), SPREAD_WHOLE, instance};
    return initial;
}

static bool has_name(Validator *in, Window window, const Name *name, const Value *value, Known known, Known initial)
{
    Known wanted = known_by_name(in, window, name, value, initial);
    return name->value ? agrees(in, known, value, wanted.term, name->value) : known.term == wanted.term;
}

static const Aref *aref_at(const Kernel *kernel, int index)
{
    FOR_AREFS (aref, kernel)
        if (!index--)
            return aref;
    return NULL;
}

/* What is looked for in one iteration, from a number on.  */
typedef struct {
    const Value *value;
    Known initial;
    int from, at; /* candidates, counted */
} Search;

static bool is_source(Validator *in, Search *search, const Instance *instance, const Value *source, Name *name)
{
    int at = search->at++;
    if (at < search->from || search->initial.instance || !same_kind(in, search->value, source) ||
        !agrees(in, search->initial, search->value, source_term(in, instance, source), source))
        return false;
    *name = (Name){.value = source, .candidate = at};
    return true;
}

/* What the source carries: hands on, and has been handed.  */
static bool find_carried(Validator *in, Search *search, Instance *instance, Name *name)
{
    const Block *block = instance->block;
    const Op *end = block_end(block);
    for (int i = 0; i < end->nargs + block->nargs; i++)
        if (is_source(in, search, instance, i < end->nargs ? end->args[i] : block->args[i - end->nargs], name))
            return true;
    return false;
}

static bool find_made(Validator *in, Search *search, Instance *instance, Name *name)
{
    FOR_OPS (op, instance->block)
        for (int i = 0; i < op->nresults; i++)
            if (is_source(in, search, instance, op->results[i], name))
                return true;
    const Aref *aref;
    for (int i = 0; (aref = aref_at(in->kernel, i)); i++) {
        int at = search->at++;
        if (at >= search->from && search->initial.instance == instance && search->initial.term->code == TERM_SLOT &&
            search->initial.term->ival == aref->id) {
            *name = (Name){.aref = aref, .candidate = at};
            return true;
        }
    }
    return false;
}

enum { CANDIDATES = 1 << 20 }; /* of one iteration, at most */

/* The first name from `from` on that fits the value; the last one is: it stays.  Where several values are alike, those
   that the source carries are looked at before all others, those of a newer iteration before an older one's.  */
static Name find_name(Validator *in, Window window, int count, Known initial, const Value *value, int from)
{
    Name name;
    for (int place = from / CANDIDATES; place < 2 * count; place++, from = place * CANDIDATES) {
        int which = count - 1 - place % count;
        Search search = {value, initial, from % CANDIDATES, 0};
        if ((place < count ? find_carried : find_made)(in, &search, window[which], &name)) {
            name.which = which;
            name.candidate += place * CANDIDATES;
            return name;
        }
    }
    return (Name){.candidate = 2 * count * CANDIDATES};
}

typedef enum { MEMORY_STALE, MEMORY_ENTRY, MEMORY_END } MemoryAt;

/* Before the window's oldest iteration, or behind one of it.  */
typedef struct {
    MemoryAt at;
    int which;
} MemoryName;

static const Term *memory_by_name(Validator *in, Window window, MemoryName name, int k)
{
    return name.at == MEMORY_STALE   ? stale(in)
           : name.at == MEMORY_ENTRY ? window[0]->entry[k]
                                     : window[name.which]->end[k];
}

static MemoryName name_memory(Window window, int count, const Term *memory, int k)
{
    for (int which = count - 1; which >= 0; which--)
        if (memory == window[which]->end[k])
            return (MemoryName){MEMORY_END, which};
    return (MemoryName){memory == window[0]->entry[k] ? MEMORY_ENTRY : MEMORY_STALE, 0};
}

typedef struct {
    const Op *op;
    Name names[MAX_CARRIED];
    Known initial[MAX_CARRIED];
    MemoryName *memory;
    int count;
} Steady;

static void copy_done(Instance *to, const Instance *from)
{
    memcpy(to->done, from->done, (size_t)block_size(to->block) * sizeof *to->done);
    memcpy(to->skipped, from->skipped, (size_t)block_size(to->block) * sizeof *to->skipped);
}

/* Iterations of which as much is done as of those of the window.  */
static void some_iterations(Validator *in, const Staged *stage, Instance **window)
{
    for (int i = 0; i < stage->count; i++) {
        window[i] = i ? instance_next(in, stage->loop, window[i - 1], (Side){0})
                      : instance_of_loop(in, stage->loop, stage->window[0]->outer, (Side){0});
        copy_done(window[i], stage->window[i]);
    }
}

static void open_window(Validator *in, Instance *const *window, int count)
{
    memcpy(in->open, window, (size_t)count * sizeof *window);
    in->nopen = count;
}

/* Is as much done of each iteration as before of the one before it?  */
static bool is_as_far(Validator *in, const Op *op, const Staged *stage, Instance *const *window)
{
    for (int i = 0; i < stage->count; i++)
        FOR_OPS (source, window[i]->block)
            if (window[i]->done[source->position] != stage->window[i]->done[source->position] &&
                (source->aref || is_needed(in, source)))
                return differs(in, op, "is not as far with the '%s' of line %d in the loop as before it",
                               op_info[source->code].text, source->loc.line);
    return true;
}

static Verdict check_steady(Validator *in, Steady *steady, Window next, Value *const *handed)
{
    const Staged *stage = in->stage;
    for (int k = 0; k < in->nstored; k++)
        if (steady->memory[k].at != MEMORY_STALE && in->memory[k] != memory_by_name(in, next, steady->memory[k], k)) {
            steady->memory[k].at = MEMORY_STALE;
            return DROPPED;
        }
    for (int i = 0; i < steady->count; i++) {
        const Value *argument = steady->op->blocks[0]->args[1 + i];
        Name *name = &steady->names[i];
        if (has_name(in, next, name, handed[i], known_of(in, handed[i]), steady->initial[i]))
            continue;
        if (!name->value && !name->aref) {
            differs(in, steady->op, "carries '%s' over an iteration in which the source makes another value of it",
                    argument->name ? argument->name : "a value");
            return BROKEN;
        }
        *name = find_name(in, stage->window, stage->count, steady->initial[i], argument, name->candidate + 1);
        return DROPPED;
    }
    return LASTS;
}

static Verdict try_steady_body(Validator *in, Steady *steady, int which)
{
    const Op *op = steady->op, *loop = in->stage->loop;
    Staged *stage = in->stage;
    Side side;
    if (!side_of(in, op, which, loop, stage->window[0]->outer, &side))
        return BROKEN;
    Instance *window[MAX_OPEN];
    int count = stage->count;
    some_iterations(in, stage, window);
    for (int k = 0; k < in->nstored; k++)
        in->memory[k] = memory_by_name(in, window, steady->memory[k], k);
    window[count] = instance_next(in, loop, window[count - 1], side);
    open_window(in, window, count + 1);
    const Op *end = block_end(op->blocks[which]);
    Value *const *arguments = op->blocks[0]->args;
    held_forget(in, op);
    in->known[arguments[0]->id] = named(in, window[count], loop->blocks[0]->args[0], arguments[0]);
    variable_write(in, arguments[0]);
    for (int i = 0; i < steady->count; i++) {
        in->known[arguments[1 + i]->id] =
            known_by_name(in, window, &steady->names[i], arguments[1 + i], steady->initial[i]);
        variable_write(in, arguments[1 + i]);
    }
    in->stage = NULL;
    bool ran = held_go_round(in, op) && run_block(in, op->blocks[which]) && is_complete(in, window[0]) &&
               held_hand_over(in, end, end->args, arguments + 1, steady->count) && held_go_round(in, op);
    in->stage = stage;
    if (!ran || !is_as_far(in, op, stage, window + 1))
        return BROKEN;
    return check_steady(in, steady, window + 1, end->args);
}

static Verdict try_steady(Validator *in, Steady *steady)
{
    Verdict verdict = LASTS;
    for (int k = 0; k < steady->op->nblocks && verdict == LASTS; k++)
        verdict = try_steady_body(in, steady, k);
    return verdict;
}

/* Behind the loop, or the guard of a later iteration, the window is of the last iterations.  */
static void pass_on(Validator *in, Staged *stage, const Name *names, const Known *initial, const MemoryName *memory,
                    const Op *op)
{
    Instance *window[MAX_OPEN];
    some_iterations(in, stage, window);
    memcpy(stage->window, window, (size_t)stage->count * sizeof *window);
    stage->passed = true;
    open_window(in, window, stage->count);
    for (int k = 0; k < in->nstored; k++)
        in->memory[k] = memory_by_name(in, window, memory[k], k);
    for (int i = 0; i < op->nresults; i++)
        in->known[op->results[i]->id] = known_by_name(in, window, &names[i], op->results[i], initial[i]);
    label(in, op, stage->loop);
}

bool run_steady(Validator *in, const Op *op)
{
    Staged *stage = in->stage;
    Steady *steady = arena_alloc(in->kernel->module, sizeof *steady);
    steady->op = op;
    steady->count = carried_count(op);
    steady->memory = arena_alloc(in->kernel->module, (size_t)(in->nstored + 1) * sizeof *steady->memory);
    if (steady->count > MAX_CARRIED)
        return differs(in, op, "carries more than %d values", MAX_CARRIED);
    if (!held_begin(in, op, 3, op->blocks[0]->args + 1))
        return false;
    for (int i = 0; i < steady->count; i++) {
        steady->initial[i] = known_of(in, op->args[3 + i]);
        steady->names[i] =
            find_name(in, stage->window, stage->count, steady->initial[i], op->blocks[0]->args[1 + i], 0);
    }
    for (int k = 0; k < in->nstored; k++)
        steady->memory[k] = name_memory(stage->window, stage->count, in->memory[k], k);
    Verdict verdict;
    do
        verdict = try_steady(in, steady);
    while (verdict == DROPPED);
    if (verdict == BROKEN)
        return false;
    pass_on(in, stage, steady->names, steady->initial, steady->memory, op);
    return held_leave(in, op, op->blocks[0]->args + 1);
}

/* The counter of the iteration behind the window.  */
static const Term *next_counter(Validator *in)
{
    const Staged *stage = in->stage;
    const Instance *newest = stage->window[stage->count - 1];
    return term_add(&in->terms, stage->loop->blocks[0]->args[0]->type.dtype,
                    source_term(in, newest, stage->loop->blocks[0]->args[0]),
                    source_term(in, newest->outer, stage->loop->args[2]));
}

/* Does the role's loop run over all iterations of the source's behind the window?  */
bool is_steady(Validator *in, const Op *op)
{
    const Op *loop = in->stage->loop;
    const Instance *outer = in->stage->window[0]->outer;
    return !in->stage->passed && op->control->compare == loop->control->compare &&
           known_of(in, op->args[0]).term == next_counter(in) &&
           known_of(in, op->args[1]).term == source_term(in, outer, loop->args[1]) &&
           known_of(in, op->args[2]).term == source_term(in, outer, loop->args[2]);
}

/* Does the branch ask whether there is one more iteration behind the window?  */
bool is_next_guard(Validator *in, const Op *op)
{
    const Staged *stage = in->stage;
    return !stage->passed && stage->count < SCHEDULE_MOST_STAGE && op->nblocks == 2 &&
           known_of(in, op->args[0]).term ==
               term_compare(&in->terms, stage->loop->control->compare, stage->loop->blocks[0]->args[0]->type.dtype,
                            next_counter(in), source_term(in, stage->window[0]->outer, stage->loop->args[1]));
}

/* What the arms of such a branch know of its results.  */
typedef struct {
    Name names[MAX_CARRIED];
    Known initial[MAX_CARRIED];
} Arms;

/* The name that each result has in both arms.  */
static bool name_results(Validator *in, const Op *op, Window window, Window behind, int count, Arms *arms)
{
    const Op *then = block_end(op->blocks[0]), *other = block_end(op->blocks[1]);
    for (int r = 0; r < op->nresults; r++) {
        const Known initial = arms->initial[r] = known_of(in, other->args[r]);
        Name *name = &arms->names[r];
        *name = find_name(in, window, count, initial, other->args[r], 0);
        while (!has_name(in, behind, name, then->args[r], known_of(in, then->args[r]), initial)) {
            if (!name->value && !name->aref)
                return differs(in, op, "carries '%s' over an iteration in which the source makes another value of it",
                               op->results[r]->name ? op->results[r]->name : "a value");
            *name = find_name(in, window, count, initial, other->args[r], name->candidate + 1);
        }
    }
    return true;
}

bool run_next_guard(Validator *in, const Op *op)
{
    Staged *stage = in->stage;
    Module *module = in->kernel->module;
    int count = stage->count;
    if (op->nresults > MAX_CARRIED)
        return differs(in, op, "carries more than %d values", MAX_CARRIED);
    Staged inner = *stage;
    Saved saved = attempt_save(in);
    inner.window[inner.count++] = instance_next(in, stage->loop, stage->window[count - 1], (Side){0});
    open_window(in, inner.window, inner.count);
    in->stage = &inner;
    bool ran = run_block(in, op->blocks[0]) && end_arm(in, op, 0);
    in->stage = stage;
    if (!ran)
        return false;
    if (!inner.passed)
        return differs(in, op, "peels an iteration off a loop that does not follow");
    if (!is_complete(in, inner.window[0]))
        return false;
    const Term **memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *memory), **held = held_copy(in);
    Instance *behind[MAX_OPEN];
    memcpy(behind, inner.window + 1, (size_t)count * sizeof *behind);
    attempt_restore(in, &saved);
    if (!run_block(in, op->blocks[1]) || !end_arm(in, op, 1) || !is_as_far(in, op, stage, behind))
        return false;
    MemoryName *names = arena_alloc(module, (size_t)(in->nstored + 1) * sizeof *names);
    for (int k = 0; k < in->nstored; k++) {
        names[k] = name_memory(stage->window, count, in->memory[k], k);
        if (memory[k] != memory_by_name(in, behind, names[k], k))
            names[k].at = MEMORY_STALE;
    }
    Arms *arms = arena_alloc(module, sizeof *arms);
    if (!name_results(in, op, stage->window, behind, count, arms))
        return false;
    const Term **other = held_copy(in);
    held_restore(in, held);
    held_join(in, other);
    pass_on(in, stage, arms->names, arms->initial, names, op);
    for (int r = 0; r < op->nresults; r++)
        variable_write(in, op->results[r]);
    return true;
}

const Term *first_condition(Validator *in, const Op *loop, const Instance *outer)
{
    return term_compare(&in->terms, loop->control->compare, loop->blocks[0]->args[0]->type.dtype,
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

bool run_staged(Validator *in, const Op *op, const Op *loop, Instance *outer)
{
    const Term *args[loop->nargs];
    args[0] = source_term(in, outer, loop->args[0]);
    for (int i = 3; i < loop->nargs; i++)
        args[i - 2] = source_term(in, outer, loop->args[i]);
    Instance *first = instance_new(in, loop->blocks[0], outer, args, outer->before[loop->position]);
    Staged stage = {.loop = loop, .window = {first}, .count = 1}, *around = in->stage;
    Saved saved = attempt_save(in);
    in->stage = &stage;
    open_only(in, first);
    bool ran = run_block(in, op->blocks[0]) && end_arm(in, op, 0);
    in->stage = around;
    if (!ran)
        return false;
    if (!stage.passed)
        return differs(in, op, "peels an iteration off a loop that does not follow");
    const Instance *last = stage.window[0];
    if (!is_complete(in, last))
        return false;
    const Term **memory = copy_of(in, in->memory, (size_t)in->nstored * sizeof *memory), **held = held_copy(in);
    attempt_restore(in, &saved);
    bool follows[in->nstored + 1];
    for (int k = 0; k < in->nstored; k++)
        follows[k] = memory[k] == last->end[k] && in->memory[k] == outer->before[loop->position][k];
    in->nopen = 0;
    if (!run_block(in, op->blocks[1]) || !end_arm(in, op, 1))
        return false;
    const Term **other = held_copy(in);
    attempt_restore(in, &saved);
    held_restore(in, held);
    held_join(in, other);
    for (int k = 0; k < in->nstored; k++)
        in->memory[k] = follows[k] ? outer->after[loop->position][k] : stale(in);
    staged_results(in, op, loop, outer, last);
    for (int r = 0; r < op->nresults; r++)
        variable_write(in, op->results[r]);
    outer->done[loop->position] |= DONE_OP;
    label(in, op, loop);
    return true;
}
