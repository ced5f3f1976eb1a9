/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * naive.c - every order of a small protocol, state by state, without any reduction.
 *
 *      state     positions of all groups, barriers of all slots, copies under way, products in flight
 *      step      one operation of one group, or the landing of one copy, or an outcome of a loop or branch
 *
 * The rules are those of PTX, of mbarriers above all.  An mbarrier counts arrivals and bytes of its present phase.  Its
 * wait names a parity, and ends if the phase of that parity is over.  So a wait that comes a round early ends at once,
 * and one that comes too late never does.  A product reads its operands until a wait_group says that it has ended.
 *
 * All groups take one sequence of outcomes of each loop or branch, since they compute the same conditions.  A loop is
 * known by the name of its counter, and a branch by that of its condition.
 *
 * The file shares nothing with lowering/proof/, which it is compared with (protocols.c).
 */
#include "naive.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS = 3,
    RINGS = 2,
    SLOTS = 3,
    VALUES = 12,
    READS = 12,
    LANDS = 14,
    DECISIONS = 4,
    CODES = 160,
    OUTCOMES = 32
};

/* ---- programs as lists ------------------------------------------------------------------------------------------- */

typedef enum { RUN, ASK, JUMP } CodeKind;
typedef struct {
    CodeKind kind;
    const Op *op;
    int decision, otherwise; /* ASK: where a false outcome leads. JUMP: where to */
} Code;

typedef struct {
    const Role *role;
    int number;
    Code code[CODES];
    int count;
} Program;

typedef struct {
    int16_t pc;
    int16_t committed; /* groups of products closed so far */
    uint8_t put[RINGS], get[RINGS], held[RINGS];
    bool open[RINGS];       /* between put and put_done */
    int16_t brought[RINGS]; /* bytes whose copies this put has started, in units of 64 */
    int8_t value[VALUES];   /* the put that a slot or a view stands for; -1: none */
    struct {
        int8_t ring, put;
        int16_t group;
    } reads[READS]; /* by products in flight */
    int8_t nreads;
    uint8_t taken[DECISIONS];
    bool has_turn;
} GroupNow;

typedef struct {
    uint8_t phase; /* phases that are over */
    int8_t due;    /* arrivals that the present phase lacks */
    int16_t bytes; /* and bytes, in units of 64 */
} Barrier;

typedef struct {
    GroupNow group[GROUPS];
    Barrier full[RINGS][SLOTS], empty[RINGS][SLOTS];
    struct {
        int8_t ring, slot;
        int16_t bytes;
    } copies[LANDS];
    int8_t ncopies;
    uint32_t outcomes[DECISIONS];                 /* bit n: the n-th; only of those that some group has still to take */
    uint8_t noutcomes[DECISIONS], row[DECISIONS]; /* row: iterations of the loop's present execution */
    uint8_t turn;
} State;

typedef struct {
    const Kernel *kernel;
    Program programs[GROUPS];
    int nprograms, trips;
    const char *names[DECISIONS]; /* of counters and conditions */
    bool loops[DECISIONS];
    int ndecisions;
    const Value *values[VALUES];
    int nvalues;
    State *states;
    long nstates, room, next, most;
    long *table;
    long table_size;
    Naive result;
} Search;

static int decision_of(Search *search, const char *name, bool loop)
{
    for (int i = 0; i < search->ndecisions; i++)
        if (!strcmp(search->names[i], name))
            return i;
    if (search->ndecisions == DECISIONS)
        abort();
    search->names[search->ndecisions] = name;
    search->loops[search->ndecisions] = loop;
    return search->ndecisions++;
}

static int value_of(Search *search, const Value *value)
{
    for (int i = 0; i < search->nvalues; i++)
        if (search->values[i] == value)
            return i;
    if (search->nvalues == VALUES)
        abort();
    search->values[search->nvalues] = value;
    return search->nvalues++;
}

static int add_code(Program *program, Code code)
{
    if (program->count == CODES)
        abort();
    program->code[program->count] = code;
    return program->count++;
}

static void list_block(Search *search, Program *program, const Block *block)
{
    for (const Op *op = block->first; op; op = op->next) {
        if (op->code == OP_FOR) {
            const int ask =
                add_code(program, (Code){ASK, op, decision_of(search, op->blocks[0]->args[0]->name, true), 0});
            list_block(search, program, op->blocks[0]);
            add_code(program, (Code){JUMP, op, 0, ask});
            program->code[ask].otherwise = program->count;
        } else if (op->code == OP_IF) {
            const int ask = add_code(program, (Code){ASK, op, decision_of(search, op->args[0]->name, false), 0});
            list_block(search, program, op->blocks[0]);
            program->code[ask].otherwise = program->count;
        } else if (op_info[op->code].class_ == CLASS_SYNC) {
            add_code(program, (Code){RUN, op, 0, 0});
        }
    }
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_of(const State *state)
{
    const unsigned char *at = (const unsigned char *)state;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < sizeof *state; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash ^ hash >> 29;
}

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void enter(Search *search, const State *state)
{
    if (search->nstates * 2 >= search->table_size) {
        search->table_size = search->table_size ? 4 * search->table_size : 1024;
        free(search->table);
        search->table = need(calloc((size_t)search->table_size, sizeof *search->table));
        for (long i = 0; i < search->nstates; i++) {
            long at = (long)(hash_of(&search->states[i]) % (uint64_t)search->table_size);
            while (search->table[at])
                at = (at + 1) % search->table_size;
            search->table[at] = i + 1;
        }
    }
    long at = (long)(hash_of(state) % (uint64_t)search->table_size);
    for (; search->table[at]; at = (at + 1) % search->table_size)
        if (!memcmp(&search->states[search->table[at] - 1], state, sizeof *state))
            return;
    if (search->nstates == search->room) {
        search->room = search->room ? 2 * search->room : 256;
        search->states = need(realloc(search->states, (size_t)search->room * sizeof *search->states));
    }
    search->states[search->nstates++] = *state;
    search->table[at] = search->nstates;
}

static void breaks(Search *search, const Op *op, int why)
{
    search->result.violated = true;
    if (op->loc.line < NAIVE_MOST_LINES)
        search->result.lines[op->loc.line] |= (uint64_t)1 << why;
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

enum { UNIT = 64 };

static void close_phase(Barrier *barrier, int arrivals)
{
    if (barrier->due > 0 || barrier->bytes != 0)
        return;
    barrier->phase++;
    barrier->due = (int8_t)arrivals;
}

static bool arrive(Barrier *barrier, int arrivals)
{
    if (barrier->due <= 0)
        return false;
    barrier->due--;
    close_phase(barrier, arrivals);
    return true;
}

/* The wait for the phase that a parity names: it is over if the present one has the other parity.  */
static bool is_over(const Barrier *barrier, int parity)
{
    return (barrier->phase & 1) != parity;
}

enum { TOO_LARGE = 64 }; /* more is in flight than a state has room for */

/* ---- operations; their result is the broken rule  --------------------------------------------------------- */

static bool is_held(const GroupNow *self, int ring, int put)
{
    return put >= 0 && put < self->get[ring] && put >= self->get[ring] - self->held[ring];
}

static bool reads_in_flight(const GroupNow *self, int ring, int put)
{
    for (int i = 0; i < self->nreads; i++)
        if (self->reads[i].ring == ring && self->reads[i].put == put)
            return true;
    return false;
}

static int run_put(const Search *search, State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    const Aref *aref = op->aref;
    const int ring = aref->id, put = self->put[ring], slot = put % aref->slots, round = put / aref->slots;
    if (self->open[ring])
        return BREAKS_PUT_TWICE;
    for (int other = 0; other < search->nprograms; other++)
        if (other != g && (state->group[other].put[ring] || state->group[other].open[ring]))
            return BREAKS_PUT_OF_OTHER;
    if (state->empty[ring][slot].phase != round)
        return BREAKS_OTHER_ARRIVALS;
    for (int other = 0; other < search->nprograms; other++)
        for (int held = put - aref->slots; held >= 0; held -= aref->slots)
            if (is_held(&state->group[other], ring, held))
                return BREAKS_OTHER_ARRIVALS;
    self->open[ring] = true;
    self->brought[ring] = 0;
    state->full[ring][slot].bytes = (int16_t)(state->full[ring][slot].bytes + aref->bytes / UNIT);
    if (op->nresults)
        self->value[value_of((Search *)(uintptr_t)search, op->results[0])] = (int8_t)put;
    return BREAKS_NONE;
}

static int run_copy(Search *search, State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    const int ring = op->aref->id;
    const int16_t bytes = (int16_t)(op->storage->slot_bytes / UNIT);
    if (!self->open[ring] || self->value[value_of(search, op->args[0])] != self->put[ring])
        return BREAKS_COPY_OUTSIDE_PUT;
    if (state->ncopies == LANDS)
        return TOO_LARGE;
    self->brought[ring] = (int16_t)(self->brought[ring] + bytes);
    state->copies[state->ncopies].ring = (int8_t)ring;
    state->copies[state->ncopies].slot = (int8_t)(self->put[ring] % op->aref->slots);
    state->copies[state->ncopies++].bytes = bytes;
    return BREAKS_NONE;
}

static int run_put_done(Search *search, State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    const int ring = op->aref->id, slot = self->put[ring] % op->aref->slots;
    if (!self->open[ring] || self->value[value_of(search, op->args[0])] != self->put[ring])
        return BREAKS_DONE_WITHOUT_PUT;
    if (self->brought[ring] != op->aref->bytes / UNIT)
        return BREAKS_OTHER_BYTES;
    self->open[ring] = false;
    self->put[ring]++;
    return arrive(&state->full[ring][slot], 1) ? BREAKS_NONE : BREAKS_OTHER_ARRIVALS;
}

static int run_get(Search *search, State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    const int ring = op->aref->id, get = self->get[ring];
    if (state->full[ring][get % op->aref->slots].phase != get / op->aref->slots + 1)
        return BREAKS_ROUND_UNKNOWN;
    if (op->nresults)
        self->value[value_of(search, op->results[0])] = (int8_t)get;
    self->get[ring]++;
    self->held[ring]++;
    return BREAKS_NONE;
}

static int run_consumed(State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    const int ring = op->aref->id;
    for (; self->held[ring] > op->sync->keep; self->held[ring]--) {
        const int put = self->get[ring] - self->held[ring], slot = put % op->aref->slots;
        if (reads_in_flight(self, ring, put))
            return BREAKS_RELEASED_IN_FLIGHT;
        if (state->empty[ring][slot].phase != put / op->aref->slots)
            return BREAKS_OTHER_ARRIVALS;
        if (!arrive(&state->empty[ring][slot], op->aref->arrivals))
            return BREAKS_OTHER_ARRIVALS;
    }
    return BREAKS_NONE;
}

static int run_view(Search *search, State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    const int put = self->value[value_of(search, op->args[0])];
    if (put < 0)
        return BREAKS_VIEW_OF_NO_SLOT;
    self->value[value_of(search, op->results[0])] = (int8_t)put;
    return BREAKS_NONE;
}

/* Returns the ring of a view.  */
static int ring_of(const Value *view)
{
    return view->def->code == OP_TRANS_VIEW ? ring_of(view->def->args[0]) : view->def->aref->id;
}

static int run_read(Search *search, const State *state, int g, const Value *view)
{
    const GroupNow *self = &state->group[g];
    return is_held(self, ring_of(view), self->value[value_of(search, view)]) ? BREAKS_NONE : BREAKS_READ_NOT_HELD;
}

static int run_product(Search *search, State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    for (int i = 0; i < 2; i++) {
        int why = run_read(search, state, g, op->args[i]);
        const int ring = ring_of(op->args[i]), put = self->value[value_of(search, op->args[i])];
        bool again = false;
        for (int k = 0; k < self->nreads; k++)
            again |=
                self->reads[k].ring == ring && self->reads[k].put == put && self->reads[k].group == self->committed;
        if (why)
            return why;
        if (again)
            continue;
        if (self->nreads == READS)
            return TOO_LARGE;
        self->reads[self->nreads].ring = (int8_t)ring;
        self->reads[self->nreads].put = (int8_t)put;
        self->reads[self->nreads++].group = self->committed;
    }
    return BREAKS_NONE;
}

/* wait_group: at most `pending` of the closed groups are still in flight.  An open group is.  */
static int run_wait(State *state, int g, const Op *op)
{
    GroupNow *self = &state->group[g];
    int kept = 0;
    for (int i = 0; i < self->nreads; i++)
        if (self->reads[i].group >= self->committed - op->sync->pending)
            self->reads[kept++] = self->reads[i];
    memset(self->reads + kept, 0, (size_t)(READS - kept) * sizeof *self->reads);
    self->nreads = (int8_t)kept;
    return BREAKS_NONE;
}

static int run_turn(const Search *search, State *state, int g, const Op *op)
{
    const bool take = op->code == OP_PINGPONG_TAKE;
    if (state->group[g].has_turn == take)
        return take ? BREAKS_TURN_TWICE : BREAKS_TURN_NOT_TAKEN;
    (void)search;
    state->group[g].has_turn = take;
    state->turn = (uint8_t)(state->turn + !take);
    return BREAKS_NONE;
}

static int run(Search *search, State *state, int g, const Op *op)
{
    switch (op->code) {
    case OP_PUT:
        return run_put(search, state, g, op);
    case OP_COPY_IN:
        return run_copy(search, state, g, op);
    case OP_PUT_DONE:
        return run_put_done(search, state, g, op);
    case OP_GET:
        return run_get(search, state, g, op);
    case OP_CONSUMED:
        return run_consumed(state, g, op);
    case OP_VIEW:
    case OP_TRANS_VIEW:
        return run_view(search, state, g, op);
    case OP_READ:
        return run_read(search, state, g, op->args[0]);
    case OP_MMA:
        return run_product(search, state, g, op);
    case OP_COMMIT:
        state->group[g].committed++;
        return BREAKS_NONE;
    case OP_WAIT:
        return run_wait(state, g, op);
    case OP_PINGPONG_TAKE:
    case OP_PINGPONG_PASS:
        return run_turn(search, state, g, op);
    default:
        abort();
    }
}

static bool may_run(const Search *search, const State *state, int g, const Op *op)
{
    const GroupNow *self = &state->group[g];
    const Aref *aref = op->aref;
    if (op->code == OP_PUT && !self->open[aref->id]) {
        const int put = self->put[aref->id];
        return is_over(&state->empty[aref->id][put % aref->slots], (put / aref->slots & 1) ^ 1);
    }
    if (op->code == OP_GET) {
        const int get = self->get[aref->id];
        return is_over(&state->full[aref->id][get % aref->slots], get / aref->slots & 1);
    }
    if (op->code == OP_PINGPONG_TAKE)
        return state->turn % search->programs[g].role->replicas == search->programs[g].number;
    return true;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static void ends(Search *search, const State *state, int g)
{
    const GroupNow *self = &state->group[g];
    const Op *last = search->programs[g].role->body->last;
    for (int ring = 0; ring < RINGS; ring++) {
        if (self->held[ring])
            breaks(search, last, BREAKS_ENDS_HOLDING);
        if (self->open[ring])
            breaks(search, last, BREAKS_ENDS_IN_PUT);
    }
    if (self->nreads)
        breaks(search, last, BREAKS_ENDS_IN_FLIGHT);
    if (self->has_turn)
        breaks(search, last, BREAKS_ENDS_WITH_TURN);
}

/* Forgets outcomes that all groups have taken.  */
static void forget(const Search *search, State *state, int decision)
{
    int fewest = state->noutcomes[decision];
    for (int g = 0; g < search->nprograms; g++) {
        bool takes = false;
        for (int i = 0; i < search->programs[g].count; i++)
            takes |= search->programs[g].code[i].kind == ASK && search->programs[g].code[i].decision == decision;
        if (takes && state->group[g].taken[decision] < fewest)
            fewest = state->group[g].taken[decision];
    }
    if (fewest < OUTCOMES)
        state->outcomes[decision] &= ~(((uint32_t)1 << fewest) - 1);
}

static void take(Search *search, State state, int g, const Code *code, bool outcome)
{
    GroupNow *self = &state.group[g];
    const int d = code->decision;
    if (self->taken[d] == state.noutcomes[d]) {
        state.outcomes[d] |= (uint32_t)outcome << state.noutcomes[d];
        state.noutcomes[d]++;
        state.row[d] = outcome ? (uint8_t)(state.row[d] + 1) : 0;
    }
    self->taken[d]++;
    self->pc = (int16_t)(outcome ? self->pc + 1 : code->otherwise);
    forget(search, &state, d);
    enter(search, &state);
}

static void ask(Search *search, const State *state, int g, const Code *code)
{
    const int d = code->decision, taken = state->group[g].taken[d];
    if (taken < state->noutcomes[d]) {
        take(search, *state, g, code, state->outcomes[d] >> taken & 1);
        return;
    }
    if (state->noutcomes[d] == OUTCOMES)
        return;
    take(search, *state, g, code, false);
    if (state->noutcomes[d] < OUTCOMES - 1 && (!search->loops[d] || state->row[d] < search->trips))
        take(search, *state, g, code, true);
}

/* Tries the next step of the group; false if it waits or has ended.  */
static bool step(Search *search, const State *state, int g)
{
    const Program *program = &search->programs[g];
    const int pc = state->group[g].pc;
    if (pc == program->count)
        return false;
    const Code *code = &program->code[pc];
    State next = *state;
    switch (code->kind) {
    case ASK:
        ask(search, state, g, code);
        return true;
    case JUMP:
        next.group[g].pc = (int16_t)code->otherwise;
        enter(search, &next);
        return true;
    default:
        break;
    }
    if (!may_run(search, state, g, code->op))
        return false;
    int why = run(search, &next, g, code->op);
    if (why == TOO_LARGE) {
        search->result.too_large = true;
        return true;
    }
    if (why) {
        breaks(search, code->op, why);
        return true;
    }
    next.group[g].pc++;
    enter(search, &next);
    return true;
}

static void land(Search *search, const State *state, int copy)
{
    State next = *state;
    Barrier *full = &next.full[next.copies[copy].ring][next.copies[copy].slot];
    full->bytes = (int16_t)(full->bytes - next.copies[copy].bytes);
    close_phase(full, 1);
    next.copies[copy] = next.copies[--next.ncopies];
    memset(&next.copies[next.ncopies], 0, sizeof next.copies[0]);
    enter(search, &next);
}

/* Nothing can step.  */
static void stops(Search *search, const State *state)
{
    bool ended = true;
    for (int g = 0; g < search->nprograms; g++) {
        const Program *program = &search->programs[g];
        ended &= state->group[g].pc == program->count;
        if (state->group[g].pc < program->count)
            breaks(search, program->code[state->group[g].pc].op, BREAKS_WAITS_FOREVER);
    }
    for (int g = 0; ended && g < search->nprograms; g++)
        ends(search, state, g);
    for (const Aref *aref = search->kernel->arefs; ended && aref; aref = aref->next)
        for (int slot = 0; slot < aref->slots; slot++)
            if (state->full[aref->id][slot].phase != state->empty[aref->id][slot].phase ||
                state->empty[aref->id][slot].due != aref->arrivals)
                search->result.violated = true; /* at no line */
}

static void visit(Search *search, long number)
{
    const State state = search->states[number];
    bool moves = false;
    for (int g = 0; g < search->nprograms; g++)
        moves |= step(search, &state, g);
    for (int copy = 0; copy < state.ncopies; copy++)
        land(search, &state, copy);
    if (!moves && !state.ncopies)
        stops(search, &state);
}

static void start(Search *search)
{
    State first;
    memset(&first, 0, sizeof first);
    FOR_ROLES (role, search->kernel)
        for (int number = 0; number < role->replicas; number++) {
            Program *program = &search->programs[search->nprograms++];
            program->role = role;
            program->number = number;
            list_block(search, program, role->body);
        }
    for (int g = 0; g < search->nprograms; g++)
        memset(first.group[g].value, -1, sizeof first.group[g].value);
    for (const Aref *aref = search->kernel->arefs; aref; aref = aref->next)
        for (int slot = 0; slot < aref->slots; slot++) {
            first.full[aref->id][slot].due = 1;
            first.empty[aref->id][slot].due = (int8_t)aref->arrivals;
        }
    enter(search, &first);
}

Naive naive_explore(const Kernel *kernel, int trips, long most_states)
{
    Search *search = need(calloc(1, sizeof *search));
    search->kernel = kernel;
    search->trips = trips;
    start(search);
    while (search->next < search->nstates && search->nstates <= most_states)
        visit(search, search->next++);
    Naive result = search->result;
    result.states = search->nstates;
    result.too_large |= search->nstates > most_states;
    free(search->states);
    free(search->table);
    free(search);
    return result;
}
