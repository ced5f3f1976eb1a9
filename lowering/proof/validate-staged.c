/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-staged.c - a loop of a role with peeled first iterations, against a loop of the source.
 *
 *      source                  role, three stages                        the window: iterations under way
 *      for (k = lo; ...)       if (lo < hi) {                            first
 *        A; B; C                 A
 *                                if (lo + step < hi) {                   first, second
 *                                  A; B
 *                                  for (k = lo + 2 * step; ...)          b, b + 1, and in the loop b + 2
 *                                    A; B; C                             b is complete, b + 1 as far as b was
 *                                  C                                     the last but one is complete
 *                                }                                       the last, as far as the first was
 *                                B; C                                    the last is complete
 *                              }
 *
 * The guard of a later iteration keeps three facts, as the steady loop does.  These are the window, the progress of
 * each of its iterations, and the name of each carried value.  If the guard is false nothing changes.  So behind the
 * guard the window holds some unknown iterations with the same progress.
 */
#include <string.h>

#include "ir/slice.h"
#include "proof/validator.h"

/* The name of a carried value.  It is a value of an iteration of the window, or a slot of a ring of that iteration.  A
   value that stays the same has neither.  */
typedef struct {
    int which; /* index in the window */
    const Value *value;
    const Aref *aref;
    int candidate; /* its number among all candidates */
} Name;

typedef Instance *const *Window;

static Known known_by_name(Validator *validator, Window window, const Name *name, const Value *value, Known initial)
{
    Instance *instance = window[name->which];
    if (name->value)
        return named(validator, instance, name->value, value);
    if (name->aref)
        return (Known){term_special(&validator->terms, TERM_SLOT, name->aref->id, 1, &instance->name), SPREAD_WHOLE,
                       instance};
    return initial;
}

static bool has_name(Validator *validator, Window window, const Name *name, const Value *value, Known known,
                     Known initial)
{
    Known wanted = known_by_name(validator, window, name, value, initial);
    return name->value ? agrees(validator, known, value, wanted.term, name->value) : known.term == wanted.term;
}

static const Aref *aref_at(const Kernel *kernel, int index)
{
    FOR_AREFS (aref, kernel)
        if (!index--)
            return aref;
    return NULL;
}

/* A search in one iteration, from a candidate's number on.  */
typedef struct {
    const Value *value;
    Known initial;
    int from, at; /* numbers of candidates */
} Search;

static bool is_source(Validator *validator, Search *search, const Instance *instance, const Value *source, Name *name)
{
    int at = search->at++;
    if (at < search->from || search->initial.instance || !same_kind(validator, search->value, source) ||
        !agrees(validator, search->initial, search->value, source_term(validator, instance, source), source))
        return false;
    *name = (Name){.value = source, .candidate = at};
    return true;
}

/* Searches the values that the source's iteration passes on, then those that it receives.  */
static bool find_carried(Validator *validator, Search *search, Instance *instance, Name *name)
{
    const Block *block = instance->block;
    const Op *end = block_end(block);
    for (int i = 0; i < end->nargs + block->nargs; i++)
        if (is_source(validator, search, instance, i < end->nargs ? end->args[i] : block->args[i - end->nargs], name))
            return true;
    return false;
}

static bool find_made(Validator *validator, Search *search, Instance *instance, Name *name)
{
    FOR_OPS (op, instance->block)
        for (int i = 0; i < op->nresults; i++)
            if (is_source(validator, search, instance, op->results[i], name))
                return true;
    const Aref *aref;
    for (int i = 0; (aref = aref_at(validator->kernel, i)); i++) {
        int at = search->at++;
        if (at >= search->from && search->initial.instance == instance && search->initial.term->code == TERM_SLOT &&
            search->initial.term->ival == aref->id) {
            *name = (Name){.aref = aref, .candidate = at};
            return true;
        }
    }
    return false;
}

enum { CANDIDATES = 1 << 20 }; /* more than the candidates of one iteration */

/* Returns the first name from `from` on that fits the value; the last name means that it stays the same.  If several
   values are alike, values that the source carries precede all others, and newer iterations precede older ones.  */
static Name find_name(Validator *validator, Window window, int count, Known initial, const Value *value, int from)
{
    Name name;
    for (int place = from / CANDIDATES; place < 2 * count; place++, from = place * CANDIDATES) {
        int which = count - 1 - place % count;
        Search search = {value, initial, from % CANDIDATES, 0};
        if ((place < count ? find_carried : find_made)(validator, &search, window[which], &name)) {
            name.which = which;
            name.candidate += place * CANDIDATES;
            return name;
        }
    }
    return (Name){.candidate = 2 * count * CANDIDATES};
}

typedef enum { MEMORY_STALE, MEMORY_ENTRY, MEMORY_END } MemoryAt;

/* The memory before the window's oldest iteration, or behind one of its iterations.  */
typedef struct {
    MemoryAt at;
    int which;
} MemoryName;

static const Term *memory_by_name(Validator *validator, Window window, MemoryName name, int k)
{
    return name.at == MEMORY_STALE   ? stale_memory(validator)
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
    Name *names;
    Known *initial;
    MemoryName *memory;
    int count;
} Steady;

static void copy_done(Instance *to, const Instance *from)
{
    memcpy(to->done, from->done, (size_t)block_size(to->block) * sizeof *to->done);
    memcpy(to->skipped, from->skipped, (size_t)block_size(to->block) * sizeof *to->skipped);
}

/* Makes unknown iterations with the progress of the window's iterations.  */
static void some_iterations(Validator *validator, const Staged *stage, Instance **window)
{
    for (int i = 0; i < stage->count; i++) {
        window[i] = i ? instance_next(validator, stage->loop, window[i - 1], (Side){0})
                      : instance_of_loop(validator, stage->loop, stage->window[0]->outer, (Side){0});
        copy_done(window[i], stage->window[i]);
    }
}

static void open_window(Validator *validator, Instance *const *window, int count)
{
    memcpy(validator->open, window, (size_t)count * sizeof *window);
    validator->nopen = count;
}

/* True if each iteration has the progress that the one before it had in front of the loop.  */
static bool is_as_far(Validator *validator, const Op *op, const Staged *stage, Instance *const *window)
{
    for (int i = 0; i < stage->count; i++)
        FOR_OPS (source, window[i]->block)
            if (window[i]->done[source->position] != stage->window[i]->done[source->position] &&
                (source->aref || is_needed(validator, source)))
                return differs(validator, op, "is not as far with the '%s' of line %d in the loop as before it",
                               op_info[source->code].text, source->loc.line);
    return true;
}

static Verdict check_steady(Validator *validator, Steady *steady, int which, Window next, Value *const *handed)
{
    const Staged *stage = validator->stage;
    for (int k = 0; k < validator->nstored; k++)
        if (steady->memory[k].at != MEMORY_STALE &&
            validator->memory[k] != memory_by_name(validator, next, steady->memory[k], k)) {
            steady->memory[k].at = MEMORY_STALE;
            return DROPPED;
        }
    const Op *op = steady->op;
    Handed carried = handed_new(validator, op->blocks[which], op->blocks[0]->args + 1, handed, steady->count);
    for (int i = 0; i < steady->count; i++) {
        Name *name = &steady->names[i];
        carried.open[i] = name->value || name->aref;
        carried.fails[i] =
            !has_name(validator, next, name, handed[i], known_of(validator, handed[i]), steady->initial[i]);
    }
    int i = carried_suspect(validator, &carried);
    if (i < 0)
        return LASTS;
    if (!carried.open[i]) {
        differs(validator, steady->op, "carries '%s' over an iteration in which the source makes another value of it",
                carried.arguments[i]->name ? carried.arguments[i]->name : "a value");
        return BROKEN;
    }
    steady->names[i] = find_name(validator, stage->window, stage->count, steady->initial[i], carried.arguments[i],
                                 steady->names[i].candidate + 1);
    return DROPPED;
}

static Verdict try_steady_body(Validator *validator, Steady *steady, int which)
{
    const Op *op = steady->op, *loop = validator->stage->loop;
    Staged *stage = validator->stage;
    Side side;
    if (!side_of(validator, op, which, loop, stage->window[0]->outer, &side))
        return BROKEN;
    Instance *window[MAX_OPEN];
    int count = stage->count;
    some_iterations(validator, stage, window);
    for (int k = 0; k < validator->nstored; k++)
        validator->memory[k] = memory_by_name(validator, window, steady->memory[k], k);
    window[count] = instance_next(validator, loop, window[count - 1], side);
    open_window(validator, window, count + 1);
    const Op *end = block_end(op->blocks[which]);
    Value *const *arguments = op->blocks[0]->args;
    held_forget(validator, op);
    validator->known[arguments[0]->id] = named(validator, window[count], loop->blocks[0]->args[0], arguments[0]);
    variable_write(validator, arguments[0]);
    for (int i = 0; i < steady->count; i++) {
        validator->known[arguments[1 + i]->id] =
            known_by_name(validator, window, &steady->names[i], arguments[1 + i], steady->initial[i]);
        variable_write(validator, arguments[1 + i]);
    }
    validator->stage = NULL;
    bool ran = held_go_round(validator, op) && run_block(validator, op->blocks[which]) &&
               is_complete(validator, window[0]) &&
               held_hand_over(validator, end, end->args, arguments + 1, steady->count) && held_go_round(validator, op);
    validator->stage = stage;
    if (!ran || !is_as_far(validator, op, stage, window + 1))
        return BROKEN;
    return check_steady(validator, steady, which, window + 1, end->args);
}

static Verdict try_steady(Validator *validator, Steady *steady)
{
    Verdict verdict = LASTS;
    for (int k = 0; k < steady->op->nblocks && verdict == LASTS; k++)
        verdict = try_steady_body(validator, steady, k);
    return verdict;
}

/* A failure under the first names: its reason, and the other name that is tried, for one value at a time.  */
typedef struct {
    Steady first;
    MemoryName *memory;
    Saved saved;
    int value, tries;
    Name name;
} Another;

enum { MAX_TRIES = 16 };

/* Tries another name for one value, which may have been matched wrongly.  False: none helps, and the first failure is
   reported.  */
static bool try_another(Validator *validator, Steady *steady, Another **tried, const Saved *before)
{
    const size_t memory = (size_t)(validator->nstored + 1) * sizeof *steady->memory,
                 names = (size_t)steady->count * sizeof *steady->names;
    Another *another = *tried;
    if (!another) {
        another = *tried = arena_alloc(validator->kernel->module, sizeof *another);
        another->first = *steady;
        another->first.names = copy_of(validator, steady->names, names);
        another->memory = copy_of(validator, steady->memory, memory);
        another->saved = *before;
        another->saved.where = validator->where;
        another->saved.why = validator->why;
        another->value = 0;
        another->tries = 0;
        another->name = steady->names[0];
    }
    memcpy(steady->names, another->first.names, names);
    memcpy(steady->memory, another->memory, memory);
    attempt_restore(validator, before);
    while (another->value < steady->count && another->tries < MAX_TRIES) {
        int i = another->value;
        another->name = find_name(validator, validator->stage->window, validator->stage->count, steady->initial[i],
                                  steady->op->blocks[0]->args[1 + i], another->name.candidate + 1);
        if (another->name.value || another->name.aref) {
            steady->names[i] = another->name;
            another->tries++;
            return true;
        }
        if (++another->value < steady->count)
            another->name = steady->names[another->value];
    }
    attempt_restore(validator, &another->saved);
    return false;
}

/* Moves the window to the last iterations, behind the loop or the guard of a later iteration.  */
static void pass_on(Validator *validator, Staged *stage, const Name *names, const Known *initial,
                    const MemoryName *memory, const Op *op)
{
    Instance *window[MAX_OPEN];
    some_iterations(validator, stage, window);
    memcpy(stage->window, window, (size_t)stage->count * sizeof *window);
    stage->passed = true;
    open_window(validator, window, stage->count);
    for (int k = 0; k < validator->nstored; k++)
        validator->memory[k] = memory_by_name(validator, window, memory[k], k);
    for (int i = 0; i < op->nresults; i++)
        validator->known[op->results[i]->id] = known_by_name(validator, window, &names[i], op->results[i], initial[i]);
    label(validator, op, stage->loop);
}

bool run_steady(Validator *validator, const Op *op)
{
    Staged *stage = validator->stage;
    Steady *steady = arena_alloc(validator->kernel->module, sizeof *steady);
    steady->op = op;
    steady->count = carried_count(op);
    steady->memory = arena_alloc(validator->kernel->module, (size_t)(validator->nstored + 1) * sizeof *steady->memory);
    steady->names = arena_alloc(validator->kernel->module, ((size_t)steady->count + 1) * sizeof *steady->names);
    steady->initial = arena_alloc(validator->kernel->module, ((size_t)steady->count + 1) * sizeof *steady->initial);
    if (!held_begin(validator, op, 3, op->blocks[0]->args + 1))
        return false;
    for (int i = 0; i < steady->count; i++) {
        steady->initial[i] = known_of(validator, op->args[3 + i]);
        steady->names[i] =
            find_name(validator, stage->window, stage->count, steady->initial[i], op->blocks[0]->args[1 + i], 0);
    }
    for (int k = 0; k < validator->nstored; k++)
        steady->memory[k] = name_memory(stage->window, stage->count, validator->memory[k], k);
    Saved before = attempt_save(validator);
    Another *another = NULL;
    for (Verdict verdict = DROPPED; verdict != LASTS;) {
        verdict = try_steady(validator, steady);
        if (verdict == BROKEN && !try_another(validator, steady, &another, &before))
            return false;
    }
    pass_on(validator, stage, steady->names, steady->initial, steady->memory, op);
    return held_leave(validator, op, op->blocks[0]->args + 1);
}

/* Returns the counter of the iteration behind the window.  */
static const Term *next_counter(Validator *validator)
{
    const Staged *stage = validator->stage;
    const Instance *newest = stage->window[stage->count - 1];
    return term_add(&validator->terms, stage->loop->blocks[0]->args[0]->type.dtype,
                    source_term(validator, newest, stage->loop->blocks[0]->args[0]),
                    source_term(validator, newest->outer, stage->loop->args[2]));
}

/* True if the role's loop runs over all iterations of the source's loop behind the window.  */
bool is_steady(Validator *validator, const Op *op)
{
    const Op *loop = validator->stage->loop;
    const Instance *outer = validator->stage->window[0]->outer;
    return !validator->stage->passed && op->control->compare == loop->control->compare &&
           known_of(validator, op->args[0]).term == next_counter(validator) &&
           known_of(validator, op->args[1]).term == source_term(validator, outer, loop->args[1]) &&
           known_of(validator, op->args[2]).term == source_term(validator, outer, loop->args[2]);
}

/* True if the branch tests whether there is one more iteration behind the window.  */
bool is_next_guard(Validator *validator, const Op *op)
{
    const Staged *stage = validator->stage;
    return !stage->passed && stage->count < SCHEDULE_MOST_STAGE && op->nblocks == 2 &&
           known_of(validator, op->args[0]).term ==
               term_compare(&validator->terms, stage->loop->control->compare,
                            stage->loop->blocks[0]->args[0]->type.dtype, next_counter(validator),
                            source_term(validator, stage->window[0]->outer, stage->loop->args[1]));
}

/* The names that the arms of such a branch give to its results.  */
typedef struct {
    Name *names;
    Known *initial;
} Arms;

/* Finds a name for each result that fits both arms.  */
static bool name_results(Validator *validator, const Op *op, Window window, Window behind, int count, Arms *arms)
{
    const Op *then = block_end(op->blocks[0]), *other = block_end(op->blocks[1]);
    for (int r = 0; r < op->nresults; r++) {
        const Known initial = arms->initial[r] = known_of(validator, other->args[r]);
        Name *name = &arms->names[r];
        *name = find_name(validator, window, count, initial, other->args[r], 0);
        while (!has_name(validator, behind, name, then->args[r], known_of(validator, then->args[r]), initial)) {
            if (!name->value && !name->aref)
                return differs(validator, op,
                               "carries '%s' over an iteration in which the source makes another value of it",
                               op->results[r]->name ? op->results[r]->name : "a value");
            *name = find_name(validator, window, count, initial, other->args[r], name->candidate + 1);
        }
    }
    return true;
}

bool run_next_guard(Validator *validator, const Op *op)
{
    Staged *stage = validator->stage;
    Module *module = validator->kernel->module;
    int count = stage->count;
    Staged inner = *stage;
    Saved saved = attempt_save(validator);
    inner.window[inner.count++] = instance_next(validator, stage->loop, stage->window[count - 1], (Side){0});
    open_window(validator, inner.window, inner.count);
    validator->stage = &inner;
    bool ran = run_block(validator, op->blocks[0]) && end_arm(validator, op, 0);
    validator->stage = stage;
    if (!ran)
        return false;
    if (!inner.passed)
        return differs(validator, op, "peels an iteration off a loop that does not follow");
    if (!is_complete(validator, inner.window[0]))
        return false;
    const Term **memory = copy_of(validator, validator->memory, (size_t)validator->nstored * sizeof *memory),
               **held = held_copy(validator);
    Instance *behind[MAX_OPEN];
    memcpy(behind, inner.window + 1, (size_t)count * sizeof *behind);
    attempt_restore(validator, &saved);
    if (!run_block(validator, op->blocks[1]) || !end_arm(validator, op, 1) || !is_as_far(validator, op, stage, behind))
        return false;
    MemoryName *names = arena_alloc(module, (size_t)(validator->nstored + 1) * sizeof *names);
    for (int k = 0; k < validator->nstored; k++) {
        names[k] = name_memory(stage->window, count, validator->memory[k], k);
        if (memory[k] != memory_by_name(validator, behind, names[k], k))
            names[k].at = MEMORY_STALE;
    }
    const size_t results = (size_t)op->nresults + 1;
    Arms arms = {.names = arena_alloc(module, results * sizeof *arms.names),
                 .initial = arena_alloc(module, results * sizeof *arms.initial)};
    if (!name_results(validator, op, stage->window, behind, count, &arms))
        return false;
    const Term **other = held_copy(validator);
    held_restore(validator, held);
    held_join(validator, other);
    pass_on(validator, stage, arms.names, arms.initial, names, op);
    for (int r = 0; r < op->nresults; r++)
        variable_write(validator, op->results[r]);
    return true;
}

const Term *first_condition(Validator *validator, const Op *loop, const Instance *outer)
{
    return term_compare(&validator->terms, loop->control->compare, loop->blocks[0]->args[0]->type.dtype,
                        source_term(validator, outer, loop->args[0]), source_term(validator, outer, loop->args[1]));
}

/* The results of the guard: those of the loop if it ran, else the initial values.  */
static void staged_results(Validator *validator, const Op *op, const Op *loop, Instance *outer, const Instance *last)
{
    const Op *then = block_end(op->blocks[0]), *other = block_end(op->blocks[1]);
    const Op *source_end = block_end(loop->blocks[0]);
    for (int r = 0; r < op->nresults; r++) {
        Known *result = &validator->known[op->results[r]->id];
        *result = (Known){term_symbol(&validator->terms), SPREAD_WHOLE, NULL};
        for (int i = 0; i < carried_count(loop); i++) {
            const Value *source = loop->results[i];
            if (same_kind(validator, op->results[r], source) &&
                agrees(validator, known_of(validator, then->args[r]), then->args[r],
                       source_term(validator, last, source_end->args[i]), source) &&
                agrees(validator, known_of(validator, other->args[r]), other->args[r],
                       source_term(validator, outer, loop->args[3 + i]), source)) {
                *result = named(validator, outer, source, op->results[r]);
                break;
            }
        }
    }
}

bool run_staged(Validator *validator, const Op *op, const Op *loop, Instance *outer)
{
    const Term *args[loop->nargs];
    args[0] = source_term(validator, outer, loop->args[0]);
    for (int i = 3; i < loop->nargs; i++)
        args[i - 2] = source_term(validator, outer, loop->args[i]);
    Instance *first = instance_new(validator, loop->blocks[0], outer, args, outer->before[loop->position]);
    Staged stage = {.loop = loop, .window = {first}, .count = 1}, *around = validator->stage;
    Saved saved = attempt_save(validator);
    validator->stage = &stage;
    open_only(validator, first);
    bool ran = run_block(validator, op->blocks[0]) && end_arm(validator, op, 0);
    validator->stage = around;
    if (!ran)
        return false;
    if (!stage.passed)
        return differs(validator, op, "peels an iteration off a loop that does not follow");
    const Instance *last = stage.window[0];
    if (!is_complete(validator, last))
        return false;
    const Term **memory = copy_of(validator, validator->memory, (size_t)validator->nstored * sizeof *memory),
               **held = held_copy(validator);
    attempt_restore(validator, &saved);
    bool follows[validator->nstored + 1];
    for (int k = 0; k < validator->nstored; k++)
        follows[k] = memory[k] == last->end[k] && validator->memory[k] == outer->before[loop->position][k];
    validator->nopen = 0;
    if (!run_block(validator, op->blocks[1]) || !end_arm(validator, op, 1))
        return false;
    const Term **other = held_copy(validator);
    attempt_restore(validator, &saved);
    held_restore(validator, held);
    held_join(validator, other);
    for (int k = 0; k < validator->nstored; k++)
        validator->memory[k] = follows[k] ? outer->after[loop->position][k] : stale_memory(validator);
    staged_results(validator, op, loop, outer, last);
    for (int r = 0; r < op->nresults; r++)
        variable_write(validator, op->results[r]);
    outer->done[loop->position] |= DONE_OP;
    label(validator, op, loop);
    return true;
}
