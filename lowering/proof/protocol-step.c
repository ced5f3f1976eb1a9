/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-step.c - the control flow of a group: what comes next, and what a decision leads to.
 *
 *   for %k ... (%acc = %init):     arriving: init is handed over, then the head asks: one more iteration?
 *     ...                          yes: into the body; its end hands the next values over, and the head asks again
 *     yield %next                  no: the results are what was handed over last
 *   for %k ... edge %e:            before that the group says which body would be next; behind the second comes no
 *                                  first
 *
 * Which way a branch or a loop of the source goes is decided once, by the group that gets there first; all others take
 * the same decision when they get there.  A branch on the group's own number, or on whose tile it is, is computed.
 */
#include "machine/plan.h"
#include "proof/protocol.h"
#include "ir/slice.h"

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int decision_at(const Explorer *in, int group, const Op *op)
{
    const Group *of = &in->groups[group];
    return op->position < of->labels->count ? of->decision_of[op->position] : DECIDE_OWN;
}

/* ", in iteration 3 of the loop of line 23, of tile 2" */
const char *place_of(const Explorer *in, const State *state, int group, const Op *op)
{
    Module *module = in->kernel->module;
    const GroupState *self = &state->groups[group];
    const char *text = "";
    for (const Block *block = op ? op->parent : NULL; block && block->parent; block = block->parent->parent) {
        const Op *loop = block->parent;
        int decision = decision_at(in, group, loop);
        if (loop->code == OP_GRID)
            text = arena_print(module, "%s, tile %d", text, self->ordinal);
        else if (op_is_loop(loop) && decision >= 0)
            text = arena_print(module, "%s, iteration %d of the loop of line %d", text, self->iterations[decision],
                               loop->loc.line);
    }
    return text;
}

const char *waits_for(const Explorer *in, const State *state, int group)
{
    Module *module = in->kernel->module;
    const GroupState *self = &state->groups[group];
    const Op *op = self->pc;
    const Aref *aref = op->aref;
    if (op->code == OP_PINGPONG_TAKE) {
        int groups = in->groups[group].role->replicas;
        return arena_print(module, "'%s %d' does not pass on its turn", in->groups[group].role->name,
                           state->pingpong[in->groups[group].block] % groups);
    }
    if (op->code == OP_ROLE_BARRIER)
        return arena_print(module, "not all groups of '%s' come to their barrier", in->groups[group].role->name);
    if (op_meets_blocks(op))
        return arena_print(module, "not all groups of '%s' sum in '%s'", in->groups[group].role->name,
                           op->storage->name);
    bool get = op->code == OP_GET;
    int index = get ? self->gets[aref->id].next : self->puts[aref->id].next;
    int slots = in->slots[aref->id], slot = index % slots;
    int ring = ring_at(in, in->groups[group].block, aref->id);
    if (get)
        return arena_print(module, "slot %d of '%s' is not filled for put %d", slot, aref->name, index);
    return arena_print(module, "slot %d of '%s' is released by %d of %d groups after put %d", slot, aref->name,
                       state->released[ring][slot], aref->arrivals, index - slots);
}

/* ---- values that are handed over --------------------------------------------------------------------------------- */

/* At once: a value may go to another's place.  */
static void hand_over(Explorer *in, State *state, int group, Value *const *from, Value *const *to, int count)
{
    Mark marks[count + 1];
    for (int i = 0; i < count; i++) {
        if (!stays_in_place(in, state, group, state->groups[group].pc, from[i], to[i]))
            return;
        const Mark *mark = mark_at(in, state, group, from[i]);
        marks[i] = mark ? *mark : (Mark){0};
    }
    for (int i = 0; i < count; i++) {
        Mark *mark = mark_at(in, state, group, to[i]);
        if (mark)
            *mark = marks[i];
    }
}

/* ---- moving on --------------------------------------------------------------------------------------------------- */

static void go_to(Explorer *in, State *state, int group, const Block *block, const Op *op);

static void enter(Explorer *in, State *state, int group, const Block *block)
{
    go_to(in, state, group, block, block->first);
}

static void leave(Explorer *in, State *state, int group, const Block *block)
{
    GroupState *self = &state->groups[group];
    const Op *outer = block->parent;
    const Op *end = block_end(block);
    int count = outer && end && end->code == OP_YIELD ? end->nargs : 0;
    if (!outer) {
        self->pc = NULL;
    } else if (outer->code == OP_IF || outer->code == OP_NARROW) {
        if (count)
            hand_over(in, state, group, end->args, outer->results, count);
        go_to(in, state, group, outer->parent, outer->next);
    } else if (outer->code == OP_WHILE) {
        hand_over(in, state, group, end->args, outer->blocks[0]->args, count);
        enter(in, state, group, outer->blocks[0]);
    } else {
        if (outer->code == OP_FOR)
            hand_over(in, state, group, count ? end->args : NULL, outer->blocks[0]->args + 1, count);
        self->pc = outer;
        self->head = loop_edge(outer) && block == outer->blocks[1] ? HEAD_BEYOND : HEAD;
    }
}

static void go_to(Explorer *in, State *state, int group, const Block *block, const Op *op)
{
    const Group *of = &in->groups[group];
    state->groups[group].head = HEAD_NONE;
    op = op ? of->next[op->position] : NULL;
    if (op && op->code != OP_YIELD)
        state->groups[group].pc = op;
    else
        leave(in, state, group, block);
}

static void go_on(Explorer *in, State *state, int group, const Op *op)
{
    go_to(in, state, group, op->parent, op->next);
}

/* ---- what a group can tell by itself ----------------------------------------------------------------------------- */

static bool compute(const GroupState *self, const Group *group, const Value *value, int64_t *result)
{
    const Op *op = value->def;
    int64_t x, y;
    if (!op) {
        const Op *outer = value->block ? value->block->parent : NULL;
        *result = outer ? self->ordinal - 1 : group->number;
        return value->block == group->role->body ||
               (outer && outer->code == OP_GRID && value->index == outer->nargs / 3);
    }
    if (op->code == OP_CONST) {
        *result = op->scalar->integer;
        return true;
    }
    if ((op->code != OP_REMI && op->code != OP_EQI) || !compute(self, group, op->args[0], &x) ||
        !compute(self, group, op->args[1], &y))
        return false;
    *result = op->code == OP_EQI ? x == y : y ? x % y : 0;
    return true;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* All groups begin a tile with the same running index of a ring.  */
static bool check_tile_start(Explorer *in, State *state, int group, const Op *op)
{
    const GroupState *self = &state->groups[group];
    const Role *role = in->groups[group].role;
    int tile = self->ordinal - 1;
    for (int a = 0; in->by_tiles && a < in->narefs; a++) {
        const Aref *aref = in->arefs[a];
        bool puts = aref && aref->producer == role, gets = aref && aref->consumers & ROLE_BIT(role);
        if (!puts && !gets)
            continue;
        int next = puts ? self->puts[a].next : self->gets[a].next;
        int ring = ring_at(in, in->groups[group].block, a);
        if (state->started[ring] == tile) {
            state->tile_starts[ring][tile % 64] = next;
            state->started[ring]++;
        } else if (state->tile_starts[ring][tile % 64] != next) {
            return violates(in, state, group, op, "begins tile %d with put %d of '%s', and another group with put %d",
                            tile, next, aref->name, state->tile_starts[ring][tile % 64]);
        }
    }
    return true;
}

/* Skips side by side pass over the puts of one loop together.  */
static const Op *skip_all(const Explorer *in, State *state, int group, const Op *op, const Labels *labels, bool count)
{
    const Op *loop = labels->source[op->position], *last = op;
    for (const Op *at = op; at && (at->code == OP_SKIP || op_is_pure(at)); at = at->next) {
        if (at->code != OP_SKIP)
            continue;
        if (labels->source[at->position] != loop)
            break;
        pass_over(in, state, group, at, count ? at->sync->count : 0);
        last = at;
    }
    return last;
}

/* Which body comes next is not known: from any iteration on it may be the second.  */
static bool is_at_edge(const GroupState *self)
{
    return self->head == HEAD && loop_edge(self->pc);
}

static void decide_for(Explorer *in, State *state, int group, const Op *op, bool more)
{
    if (more)
        enter(in, state, group, op->blocks[state->groups[group].head == HEAD_BEYOND]);
    else {
        int count = op->code == OP_FOR ? carried_count(op) : 0;
        hand_over(in, state, group, op->blocks[0]->args + 1, op->results, count);
        go_on(in, state, group, op);
    }
}

static void decide_grid(Explorer *in, State *state, int group, const Op *op, bool more)
{
    GroupState *self = &state->groups[group];
    self->ordinal += more;
    self->stored = self->loaded = 0; /* tiles are apart */
    if (!more || check_tile_start(in, state, group, op))
        decide_for(in, state, group, op, more);
}

static void decide_while(Explorer *in, State *state, int group, const Op *cond, bool more)
{
    const Op *loop = cond->parent->parent;
    hand_over(in, state, group, cond->args + 1, more ? loop->blocks[1]->args : loop->results, cond->nargs - 1);
    if (more)
        enter(in, state, group, loop->blocks[1]);
    else
        go_on(in, state, group, loop);
}

static void decide_if(Explorer *in, State *state, int group, const Op *op, bool then)
{
    if (then || op->nblocks > 1)
        enter(in, state, group, op->blocks[!then]);
    else
        go_on(in, state, group, op);
}

static void follow(Explorer *in, State *state, int group, bool choice)
{
    const Op *op = state->groups[group].pc;
    switch (op->code) {
    case OP_GRID:
        decide_grid(in, state, group, op, choice);
        break;
    case OP_FOR:
        if (is_at_edge(&state->groups[group]))
            state->groups[group].head = choice ? HEAD_BEYOND : HEAD_BEFORE;
        else
            decide_for(in, state, group, op, choice);
        break;
    case OP_COND:
        decide_while(in, state, group, op, choice);
        break;
    case OP_IF:
        decide_if(in, state, group, op, choice);
        break;
    default: { /* SKIP */
        const Labels *labels = in->groups[group].labels;
        const Op *last = skip_all(in, state, group, op, labels, choice);
        if (!choice)
            go_on(in, state, group, last);
    }
    }
}

void group_decide(Explorer *in, State *state, int group, int decision, bool choice)
{
    if (decision >= 0) {
        GroupState *self = &state->groups[group];
        uint64_t bit = (uint64_t)1 << state->ndecided[decision] % 64;
        state->decided[decision] = (state->decided[decision] & ~bit) | (choice ? bit : 0);
        state->ndecided[decision]++;
        self->taken[decision]++;
        self->iterations[decision] = choice ? self->iterations[decision] + 1 : 0;
        state->stirred |= in->joined[decision];
    }
    stir(state, in->groups[group].block);
    follow(in, state, group, choice);
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* Passing a control op by: nothing in it is seen from outside.  */
static void pass_by(Explorer *in, State *state, int group, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        Mark *mark = mark_at(in, state, group, op->results[i]);
        if (mark)
            *mark = (Mark){0};
    }
    go_on(in, state, group, op);
}

static Step control_step(Explorer *in, State *state, int group, const Op *op, int *decision)
{
    GroupState *self = &state->groups[group];
    const Op *about = op->code == OP_COND ? op->parent->parent : op;
    int64_t known;
    in->steps++;
    *decision = decision_at(in, group, about);
    if (*decision == DECIDE_NOTHING) {
        pass_by(in, state, group, op);
        return STEP_MOVED;
    }
    if (op->code == OP_WHILE || op->code == OP_NARROW) {
        int first = op->code == OP_NARROW; /* its width is no tile */
        hand_over(in, state, group, op->args + first, op->blocks[0]->args + first, carried_count(op));
        enter(in, state, group, op->blocks[0]);
        return STEP_MOVED;
    }
    if (op->code == OP_FOR && !self->head) {
        hand_over(in, state, group, op->args + 3, op->blocks[0]->args + 1, carried_count(op));
        self->head = HEAD;
    }
    if (is_at_edge(self)) {
        in->steps--;
        *decision = DECIDE_OWN;
        return STEP_DECIDE;
    }
    if (op->code == OP_IF && *decision == DECIDE_OWN && compute(self, &in->groups[group], op->args[0], &known)) {
        follow(in, state, group, known != 0);
        return STEP_MOVED;
    }
    if (*decision < 0 || self->taken[*decision] == state->ndecided[*decision]) {
        in->steps--;
        return STEP_DECIDE;
    }
    bool choice = state->decided[*decision] >> self->taken[*decision]++ % 64 & 1;
    self->iterations[*decision] = choice ? self->iterations[*decision] + 1 : 0;
    follow(in, state, group, choice);
    return in->failed ? STEP_FAILED : STEP_MOVED;
}

static Step plain_step(Explorer *in, State *state, int group, const Op *op)
{
    in->steps++;
    if (!run_plain(in, state, group, op))
        return STEP_FAILED;
    go_on(in, state, group, op);
    return in->failed ? STEP_FAILED : STEP_MOVED;
}

Step group_step(Explorer *in, State *state, int group, int *decision)
{
    const Op *op = state->groups[group].pc;
    if (!op)
        return STEP_ENDED;
    if (op->nblocks || op->code == OP_COND || (op->code == OP_SKIP && op->nargs))
        return control_step(in, state, group, op, decision);
    if (op->code == OP_PUT)
        return STEP_PUT;
    bool waits = in->groups[group].about[op->position] & ABOUT_WAITING && !may_pass(in, state, group, op);
    return waits ? STEP_BLOCKED : plain_step(in, state, group, op);
}

Step group_put(Explorer *in, State *state, int group)
{
    const Op *op = state->groups[group].pc;
    if (may_pass(in, state, group, op)) {
        stir(state, in->groups[group].block);
        return plain_step(in, state, group, op);
    }
    in->again |= !in->waited[op->aref->id];
    in->waited[op->aref->id] = in->waits = true;
    return STEP_BLOCKED;
}
