/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-step.c - the control flow of a group: its next operation, and the effect of an outcome.
 *
 *      for %k ... (%acc = %init):     entry: %acc takes %init, then the head asks for an outcome
 *        ...                          true: the body runs; at its end %acc takes %next, and the head asks again
 *        yield %next                  false: the results are the values that were carried last
 *      for %k ... edge %e:            two bodies: the head first asks which one comes next; behind the second one the
 *                                     first does not come again
 *
 * An outcome of a loop or branch of the source is decided once, when the first group asks for it.  All other groups
 * take the same outcome when they get there.  A branch on the number of the group, or on the owner of the tile, is
 * computed.
 */
#include "ir/queries.h"
#include "ir/slice.h"
#include "proof/protocol.h"

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int decision_at(const Explorer *explorer, int group, const Op *op)
{
    const Group *of = &explorer->groups[group];
    return op->position < of->labels->count ? of->decision_of[op->position] : DECIDE_OWN;
}

/* Returns the place for messages: ", in iteration 3 of the loop of line 23, of tile 2".  */
const char *place_of(const Explorer *explorer, const State *state, int group, const Op *op)
{
    Module *module = explorer->kernel->module;
    const GroupState *self = &state->groups[group];
    const char *text = "";
    for (const Block *block = op ? op->parent : NULL; block && block->parent; block = block->parent->parent) {
        const Op *loop = block->parent;
        int decision = decision_at(explorer, group, loop);
        if (loop->code == OP_GRID)
            text = arena_print(module, "%s, tile %d", text, self->ordinal);
        else if (op_is_loop(loop) && decision >= 0)
            text = arena_print(module, "%s, iteration %d of the loop of line %d", text, self->iterations[decision],
                               loop->loc.line);
    }
    return text;
}

const char *waits_for(const Explorer *explorer, const State *state, int group)
{
    Module *module = explorer->kernel->module;
    const GroupState *self = &state->groups[group];
    const Op *op = self->pc;
    const Aref *aref = op->aref;
    if (op->code == OP_PINGPONG_TAKE) {
        int groups = explorer->groups[group].role->replicas;
        return arena_print(module, "'%s %d' does not pass on its turn", explorer->groups[group].role->name,
                           state->pingpong[explorer->groups[group].block] % groups);
    }
    if (op->code == OP_ROLE_BARRIER)
        return arena_print(module, "not all groups of '%s' come to their barrier", explorer->groups[group].role->name);
    if (op_meets_blocks(op))
        return arena_print(module, "not all groups of '%s' sum in '%s'", explorer->groups[group].role->name,
                           op->storage->name);
    bool get = op->code == OP_GET;
    int index = get ? self->gets[aref->id].next : self->puts[aref->id].next;
    int slots = explorer->slots[aref->id], slot = index % slots;
    int ring = ring_at(explorer, explorer->groups[group].block, aref->id);
    if (get)
        return arena_print(module, "slot %d of '%s' is not filled for put %d", slot, aref->name, index);
    return arena_print(module, "slot %d of '%s' is released by %d of %d groups after put %d", slot, aref->name,
                       state->released[ring][slot], aref->arrivals, index - slots);
}

/* ---- values that are handed over --------------------------------------------------------------------------------- */

/* Passes values on, all at once, since one may take the place of another.  */
static void hand_over(Explorer *explorer, State *state, int group, Value *const *from, Value *const *to, int count)
{
    Mark marks[count + 1];
    for (int i = 0; i < count; i++) {
        if (!stays_in_place(explorer, state, group, state->groups[group].pc, from[i], to[i]))
            return;
        const Mark *mark = mark_at(explorer, state, group, from[i]);
        marks[i] = mark ? *mark : (Mark){0};
    }
    for (int i = 0; i < count; i++) {
        Mark *mark = mark_at(explorer, state, group, to[i]);
        if (mark)
            *mark = marks[i];
    }
}

/* ---- moving on --------------------------------------------------------------------------------------------------- */

static void go_to(Explorer *explorer, State *state, int group, const Block *block, const Op *op);

static void enter(Explorer *explorer, State *state, int group, const Block *block)
{
    go_to(explorer, state, group, block, block->first);
}

static void leave(Explorer *explorer, State *state, int group, const Block *block)
{
    GroupState *self = &state->groups[group];
    const Op *outer = block->parent;
    const Op *end = block_end(block);
    int count = outer && end && end->code == OP_YIELD ? end->nargs : 0;
    if (!outer) {
        self->pc = NULL;
    } else if (outer->code == OP_IF || outer->code == OP_NARROW) {
        if (count)
            hand_over(explorer, state, group, end->args, outer->results, count);
        go_to(explorer, state, group, outer->parent, outer->next);
    } else if (outer->code == OP_WHILE) {
        hand_over(explorer, state, group, end->args, outer->blocks[0]->args, count);
        enter(explorer, state, group, outer->blocks[0]);
    } else {
        if (outer->code == OP_FOR)
            hand_over(explorer, state, group, count ? end->args : NULL, outer->blocks[0]->args + 1, count);
        self->pc = outer;
        self->head = loop_edge(outer) && block == outer->blocks[1] ? HEAD_BEYOND : HEAD;
    }
}

static void go_to(Explorer *explorer, State *state, int group, const Block *block, const Op *op)
{
    const Group *of = &explorer->groups[group];
    state->groups[group].head = HEAD_NONE;
    op = op ? of->next[op->position] : NULL;
    if (op && op->code != OP_YIELD)
        state->groups[group].pc = op;
    else
        leave(explorer, state, group, block);
}

static void go_on(Explorer *explorer, State *state, int group, const Op *op)
{
    go_to(explorer, state, group, op->parent, op->next);
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
    if ((op->code != OP_SCALAR_REM && op->code != OP_SCALAR_EQ) || !compute(self, group, op->args[0], &x) ||
        !compute(self, group, op->args[1], &y))
        return false;
    *result = op->code == OP_SCALAR_EQ ? x == y : y ? x % y : 0;
    return true;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* Checks that all groups begin a tile at the same index of each ring.  */
static bool check_tile_start(Explorer *explorer, State *state, int group, const Op *op)
{
    const GroupState *self = &state->groups[group];
    const Role *role = explorer->groups[group].role;
    int tile = self->ordinal - 1;
    for (int a = 0; explorer->by_tiles && a < explorer->narefs; a++) {
        const Aref *aref = explorer->arefs[a];
        bool puts = aref && aref->producer == role, gets = aref && aref->consumers & ROLE_BIT(role);
        if (!puts && !gets)
            continue;
        int next = puts ? self->puts[a].next : self->gets[a].next;
        int ring = ring_at(explorer, explorer->groups[group].block, a);
        if (state->started[ring] == tile) {
            state->tile_starts[ring][tile % 64] = next;
            state->started[ring]++;
        } else if (state->tile_starts[ring][tile % 64] != next) {
            return violates(explorer, state, group, op, RULE_TILE_START, tile, next, aref->name,
                            state->tile_starts[ring][tile % 64]);
        }
    }
    return true;
}

/* Skips the puts of one loop of the source in all rings: adjacent skips with this loop are executed together.  Returns
   the last one.  */
static const Op *skip_all(const Explorer *explorer, State *state, int group, const Op *op, const Labels *labels,
                          bool count)
{
    const Op *loop = labels->source[op->position], *last = op;
    for (const Op *at = op; at && (at->code == OP_SKIP || op_is_pure(at)); at = at->next) {
        if (at->code != OP_SKIP)
            continue;
        if (labels->source[at->position] != loop)
            break;
        pass_over(explorer, state, group, at, count ? at->sync->count : 0);
        last = at;
    }
    return last;
}

/* The body of the next iteration is undecided.  In any iteration the loop may pass its edge.  */
static bool is_at_edge(const GroupState *self)
{
    return self->head == HEAD && loop_edge(self->pc);
}

static void decide_for(Explorer *explorer, State *state, int group, const Op *op, bool more)
{
    if (more)
        enter(explorer, state, group, op->blocks[state->groups[group].head == HEAD_BEYOND]);
    else {
        int count = op->code == OP_FOR ? carried_count(op) : 0;
        hand_over(explorer, state, group, op->blocks[0]->args + 1, op->results, count);
        go_on(explorer, state, group, op);
    }
}

static void decide_grid(Explorer *explorer, State *state, int group, const Op *op, bool more)
{
    GroupState *self = &state->groups[group];
    self->ordinal += more;
    self->stored = self->loaded = 0; /* iterations of the grid are independent */
    if (!more || check_tile_start(explorer, state, group, op))
        decide_for(explorer, state, group, op, more);
}

static void decide_while(Explorer *explorer, State *state, int group, const Op *cond, bool more)
{
    const Op *loop = cond->parent->parent;
    hand_over(explorer, state, group, cond->args + 1, more ? loop->blocks[1]->args : loop->results, cond->nargs - 1);
    if (more)
        enter(explorer, state, group, loop->blocks[1]);
    else
        go_on(explorer, state, group, loop);
}

static void decide_if(Explorer *explorer, State *state, int group, const Op *op, bool then)
{
    if (then || op->nblocks > 1)
        enter(explorer, state, group, op->blocks[!then]);
    else
        go_on(explorer, state, group, op);
}

static void follow(Explorer *explorer, State *state, int group, bool choice)
{
    const Op *op = state->groups[group].pc;
    switch (op->code) {
    case OP_GRID:
        decide_grid(explorer, state, group, op, choice);
        break;
    case OP_FOR:
        if (is_at_edge(&state->groups[group]))
            state->groups[group].head = choice ? HEAD_BEYOND : HEAD_BEFORE;
        else
            decide_for(explorer, state, group, op, choice);
        break;
    case OP_COND:
        decide_while(explorer, state, group, op, choice);
        break;
    case OP_IF:
        decide_if(explorer, state, group, op, choice);
        break;
    default: { /* SKIP */
        const Labels *labels = explorer->groups[group].labels;
        const Op *last = skip_all(explorer, state, group, op, labels, choice);
        if (!choice)
            go_on(explorer, state, group, last);
    }
    }
}

void group_decide(Explorer *explorer, State *state, int group, int decision, bool choice)
{
    if (decision >= 0) {
        GroupState *self = &state->groups[group];
        uint64_t bit = (uint64_t)1 << state->ndecided[decision] % 64;
        state->decided[decision] = (state->decided[decision] & ~bit) | (choice ? bit : 0);
        state->ndecided[decision]++;
        self->taken[decision]++;
        self->iterations[decision] = choice ? self->iterations[decision] + 1 : 0;
        state->stirred |= explorer->joined[decision];
    }
    stir(state, explorer->groups[group].block);
    follow(explorer, state, group, choice);
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* Skips a control operation without operations of interest.  */
static void pass_by(Explorer *explorer, State *state, int group, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        Mark *mark = mark_at(explorer, state, group, op->results[i]);
        if (mark)
            *mark = (Mark){0};
    }
    go_on(explorer, state, group, op);
}

static Step control_step(Explorer *explorer, State *state, int group, const Op *op, int *decision)
{
    GroupState *self = &state->groups[group];
    const Op *about = op->code == OP_COND ? op->parent->parent : op;
    int64_t known;
    explorer->steps++;
    *decision = decision_at(explorer, group, about);
    if (*decision == DECIDE_NOTHING) {
        pass_by(explorer, state, group, op);
        return STEP_MOVED;
    }
    if (op->code == OP_WHILE || op->code == OP_NARROW) {
        int first = op->code == OP_NARROW; /* its first operand is a width, no tile */
        hand_over(explorer, state, group, op->args + first, op->blocks[0]->args + first, carried_count(op));
        enter(explorer, state, group, op->blocks[0]);
        return STEP_MOVED;
    }
    if (op->code == OP_FOR && !self->head) {
        hand_over(explorer, state, group, op->args + 3, op->blocks[0]->args + 1, carried_count(op));
        self->head = HEAD;
    }
    if (is_at_edge(self)) {
        explorer->steps--;
        *decision = DECIDE_OWN;
        return STEP_DECIDE;
    }
    if (op->code == OP_IF && *decision == DECIDE_OWN && compute(self, &explorer->groups[group], op->args[0], &known)) {
        follow(explorer, state, group, known != 0);
        return STEP_MOVED;
    }
    if (*decision < 0 || self->taken[*decision] == state->ndecided[*decision]) {
        explorer->steps--;
        return STEP_DECIDE;
    }
    bool choice = state->decided[*decision] >> self->taken[*decision]++ % 64 & 1;
    self->iterations[*decision] = choice ? self->iterations[*decision] + 1 : 0;
    follow(explorer, state, group, choice);
    return explorer->failed ? STEP_FAILED : STEP_MOVED;
}

static Step plain_step(Explorer *explorer, State *state, int group, const Op *op)
{
    explorer->steps++;
    if (!run_plain(explorer, state, group, op))
        return STEP_FAILED;
    go_on(explorer, state, group, op);
    return explorer->failed ? STEP_FAILED : STEP_MOVED;
}

Step group_step(Explorer *explorer, State *state, int group, int *decision)
{
    const Op *op = state->groups[group].pc;
    if (!op)
        return STEP_ENDED;
    if (op->nblocks || op->code == OP_COND || (op->code == OP_SKIP && op->nargs))
        return control_step(explorer, state, group, op, decision);
    if (op->code == OP_PUT)
        return STEP_PUT;
    bool waits = explorer->groups[group].about[op->position] & ABOUT_WAITING && !may_pass(explorer, state, group, op);
    return waits ? STEP_BLOCKED : plain_step(explorer, state, group, op);
}

Step group_put(Explorer *explorer, State *state, int group)
{
    const Op *op = state->groups[group].pc;
    if (may_pass(explorer, state, group, op)) {
        stir(state, explorer->groups[group].block);
        return plain_step(explorer, state, group, op);
    }
    explorer->again |= !explorer->waited[op->aref->id];
    explorer->waited[op->aref->id] = explorer->waits = true;
    return STEP_BLOCKED;
}
