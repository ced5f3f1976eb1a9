/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol.c - every path of all groups together, for all trip counts.
 *
 *   producer      put 0, put 1, ... put D-1, then waits until slot 0 is empty again
 *   consumer 0    get 0 once put 0 is done, releases it one iteration later
 *   consumer 1    the same
 *
 * The argument.  validate.c has shown that every branch and loop of a role goes by a condition of the source, and the
 * n-th time by its n-th value.  So the groups are programs that wait for counters which only grow, and that agree on a
 * sequence of decisions which nothing here depends on otherwise: all sequences are looked at, each trip count of each
 * loop among them.
 *
 *   1. What a group can do it still can do later, and the steps of two groups commute: if one order of execution ends,
 *      every order ends, and in the same state; if one is stuck, all are (Kahn 1974; for named barriers WEFT, Sharma,
 *      Bauer and Aiken 2015).  One order is enough: the group that is furthest behind goes first.
 *   2. What a group does next depends on differences of running indices and on the decisions that others have taken and
 *      it has not; not on how often a loop has run.  In that order both stay small (rings have D slots), so there are
 *      finitely many states up to a shift of indices.  The search below visits every one that can be reached, from each
 *      with both outcomes of the next decision.  It ends by itself: there is no bound on trip counts, and none is
 *      needed.
 *   3. In each step the rules of protocol-ops.c hold, hence in every step of every run.  That a put never fills a slot
 *      that is still read follows: every group releases each slot that it got once, when no product of its reads it any
 *      more, the releases of a slot never exceed the arrivals that its barrier expects, and a put waits for all of
 *      these.
 *
 *   4. Pieces of a state are looked at apart: each slot of a ring (of a cluster in each block, or where blocks share
 *      the ring in all that do), what groups know of its rounds (5), each group's products, each storage, each direct
 *      store.  What becomes of such a piece depends on it and on the steps that are taken, on no other piece: a release
 *      goes by how many gets ago the slot was got, a wait by how many groups of products ago one began.  So a state
 *      goes on as long as some piece is in a state in which it has not been while the groups stood like this; what
 *      comes of the others was, or will be, seen from elsewhere. So rings under branches do not multiply, nor the slots
 *      of one.  Nor does it go on for a piece that is no worse off than one that was seen: more known, less to be
 *      fenced, met or waited for.  No rule is broken by that which another would not break, and each step leaves them
 *      in that order. This is sound as long as no put waits in the order of the search, since then pieces have no say
 *      in what comes next.  The order depends on none: all groups go as far as they can without a put, then each that
 *      stands at one makes it, others as far as they can in between.  Where a put waits even so, its ring is no longer
 *      apart, but says where the groups stand, too, and the search is made again.
 *
 *      What an outcome leads to is the same for all states that stand alike, and what becomes of a piece is, too,
 *      whatever the others are.  So it is known beforehand, once each has gone that way in some state, and who would
 *      meet nothing new does not go (protocol-ways.c).
 *
 *   Nothing passes unproved: with more than so many states the kernel is refused.
 *
 *   5. A barrier on the machine tells a slot's rounds apart by parity only.  So each group keeps what it knows in every
 *      order of execution (its own gets; with a turn, what the group before it knew), and comes to a get only when it
 *      knows that the round before is done.  A put needs no such rule: its filler has waited for all rounds before.  A
 *      group that passes over puts is taken to know nothing afterwards, not even that before the first round there is
 *      none: so the first rounds look like later ones.  Should that be too little, the search is made again with what
 *      it does know.
 *
 *   6. The blocks of a cluster are more groups: each has all roles and rings of its own.  Where blocks share a ring's
 *      tiles, a release counts in the rings of all of them, and a slot is full when all have put: each brings a part of
 *      its bytes; a copy goes only to blocks whose releases the put has waited for.  Decisions are the cluster's where
 *      nothing that they depend on differs between its blocks (cluster.c); else each block has its own, and all
 *      combinations are looked at. That they do not multiply comes from the order (any would do, 1): of groups that are
 *      equally far ahead those are asked first whose decision concerns the fewest blocks.  So a block that goes its own
 *      way goes to the end of it while others stand still, and stands there like every other way's end, with what
 *      differs in its parts alone. Where all are the cluster's its blocks do all together, step by step, which is an
 *      order, so that one stands for all; in a block likewise for the groups of a role whose program is not about their
 *      number.  What a group decides for itself others do not see.
 *
 *      So do the groups that each put their rows of a tile.  A slot is full when all have, so that none is released
 *      before, and empty again only when it was full: the groups are never a round apart at one slot, and meet there.
 *      Where their program is about their number each is looked at by itself, and a put is made when all have made it.
 *
 *   7. Blocks that sum the parts of a tile meet, and share nothing else: no ring, no decision inside.  They are alike
 *      but for which part is theirs, so one stands for all.  That it may go on when it comes to a meeting assumes that
 *      the others come, too: how often, and when, depends on nothing that differs between them (blocks_synchronize).
 *      Here each meeting waits for all groups of the block besides, so that in every block they come in one order, and
 *      the first that some block had not come to would be one that all others wait at.
 *
 * At the end of all programs no slot is held or lacks a release, no product is in flight, no copy out of staging under
 * way. The rules of a ring are those of the paper (Tawa, III-B: put, get, consumed); that tasks are checked by letting
 * all of them run against each other is what CuTe's task scheduling checks do, too, for given trip counts.
 *
 *   8. A group is many threads.  Conditions are scalars, which each of them computes alike, so all take the same way
 *      and the barriers of a group pair up; between two of them nobody knows how far the others are.  Staged memory is
 *      written behind one, fenced by each thread that wrote, and read behind another: by a product only if both
 *      happened.  What leaves by TMA, or is written by several groups: protocol-staging.c.
 *
 *   9. No block of a cluster begins or ends while another may still write to its memory or arrive at its barriers: all
 *      begin and end together (start and finish of the runtime, in every kernel that has a cluster), or each when all
 *      releases of its slots have come.  Nothing is under way then: at its end each slot has been released by all that
 *      got it, in every block that shares it, so all copies into it have landed.
 *
 *  10. Storages may lie in the same memory.  Then what is written to one comes after the last look at the other, in
 *      every order of execution: protocol-reuse.c.
 *
 * Assumed: put, get, consumed, copies, products, waits and barriers do what runtime/README.md says.  A copy in that the
 * engine cannot make, which turns out at run time, is one that threads make, fence and complete within that one call:
 * shown of the machine's program by tests/gpu/fences.sh.
 */
#include "machine/plan.h"
#include "proof/protocol.h"

/* ---- deadlocks --------------------------------------------------------------------------------------------------- */

static bool can_move(const Explorer *explorer, const State *state, int group)
{
    const Op *op = state->groups[group].pc;
    return op && (op->nblocks || op->code == OP_COND || op->code == OP_SKIP || may_pass(explorer, state, group, op));
}

/* "'producer' would wait forever at 'put': slot 0 of .. is released by 1 of 2 groups; 'consumer 1' has ended".  Groups
   that go on without end while others wait for them are no help.  */
static void report_stuck(Explorer *explorer, const State *state)
{
    Module *module = explorer->kernel->module;
    const char *others = "";
    int stuck = -1;
    for (int g = 0; g < explorer->ngroups; g++) {
        const Op *op = state->groups[g].pc;
        bool waits = op && !can_move(explorer, state, g);
        if (waits && stuck < 0)
            stuck = g;
        else if (waits)
            others = arena_print(module, "%s; '%s' waits at '%s': %s", others, group_name(explorer, g),
                                 op_info[op->code].text, waits_for(explorer, state, g));
        else
            others = arena_print(module, "%s; '%s' has %s", others, group_name(explorer, g), op ? "gone on" : "ended");
    }
    const Op *op = stuck < 0 ? explorer->groups[0].role->body->first : state->groups[stuck].pc;
    reject(explorer->kernel, op->loc.line ? op->loc : explorer->kernel->loc, REASON_WAITS_FOREVER,
           stuck < 0 ? "a group" : group_name(explorer, stuck), op_info[op->code].text,
           arena_print(module, "%s%s%s", stuck < 0 ? "others do not follow" : waits_for(explorer, state, stuck),
                       stuck < 0 ? "" : place_of(explorer, state, stuck, op), others));
    explorer->failed = true;
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static bool group_has_ended_well(Explorer *explorer, const State *state, int group)
{
    const GroupState *self = &state->groups[group];
    const Op *last = explorer->groups[group].role->body->last;
    FOR_AREFS (aref, explorer->kernel) {
        if (self->gets[aref->id].held)
            return violates(explorer, state, group, last, "ends without a release of %d slots of '%s'",
                            self->gets[aref->id].held, aref->name);
        if (self->puts[aref->id].filling)
            return violates(explorer, state, group, last, "ends within a put of '%s'", aref->name);
    }
    if (self->nreadings)
        return violates(explorer, state, group, last, "ends while products are in flight");
    if (!copies_are_out(explorer, self))
        return violates(explorer, state, group, last, "ends while copies out of shared memory may be under way");
    return !self->holds_turn || violates(explorer, state, group, last, "ends without passing on its turn");
}

static bool ring_has_ended_well(Explorer *explorer, const State *state, int block, const Aref *aref)
{
    int puts = puts_made(explorer, state, block, aref->id);
    const int slots = explorer->slots[aref->id];
    for (int index = puts > slots ? puts - slots : 0; index < puts; index++) {
        int released = state->released[ring_at(explorer, block, aref->id)][index % slots];
        if (released == aref->arrivals)
            continue;
        reject(explorer->kernel, explorer->kernel->loc, REASON_ARRIVALS, aref->name, aref->arrivals, released);
        explorer->failed = true;
        return false;
    }
    return true;
}

static bool state_has_ended_well(Explorer *explorer, const State *state)
{
    for (int g = 0; g < explorer->ngroups; g++)
        if (!group_has_ended_well(explorer, state, g))
            return false;
    FOR_AREFS (aref, explorer->kernel)
        for (int block = 0; block < explorer->nblocks; block++)
            if (!ring_has_ended_well(explorer, state, block, aref))
                return false;
    return true;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* How far the group would be ahead of the last of those that take this decision, too; what it decides for itself comes
   first.  */
static int lead(const Explorer *explorer, const State *state, int group, int decision)
{
    if (decision < 0)
        return -1;
    return state->groups[group].taken[decision] - fewest_taken(explorer, state, decision);
}

/* Whoever is least ahead is asked first; among them, what concerns the fewest blocks: see 6 above.  */
static bool comes_before(const Explorer *explorer, const Question *one, const Question *other)
{
    return other->group < 0 || one->ahead < other->ahead ||
           (one->ahead == other->ahead &&
            blocks_that_decide(explorer, one->decision) < blocks_that_decide(explorer, other->decision));
}

static bool run_group(Explorer *explorer, State *state, int group)
{
    int decision = DECIDE_OWN;
    Step step;
    while ((step = group_step(explorer, state, group, &decision)) == STEP_MOVED)
        stir(state, explorer->groups[group].block);
    state->groups[group].asks = step == STEP_DECIDE ? decision : DECIDE_NOTHING;
    return step != STEP_FAILED && !explorer->failed;
}

/* Let all groups go as far as they can without a put.  In a block that nothing has stirred none can.  */
static bool run_to_puts(Explorer *explorer, State *state)
{
    while (state->stirred) {
        const uint64_t stirred = state->stirred;
        state->stirred = 0;
        for (int g = 0; g < explorer->ngroups; g++)
            if ((stirred | state->stirred) >> explorer->groups[g].block & 1 && !run_group(explorer, state, g))
                return false;
    }
    return true;
}

static Question next_question(const Explorer *explorer, const State *state)
{
    Question first = {-1, 0, 0, true};
    for (int g = 0; g < explorer->ngroups; g++) {
        const GroupState *self = &state->groups[g];
        first.ended &= !self->pc;
        if (!self->pc || self->asks == DECIDE_NOTHING)
            continue;
        Question its = {g, self->asks, lead(explorer, state, g, self->asks), false};
        if (comes_before(explorer, &its, &first))
            first = its;
    }
    return first;
}

static bool is_at_put(const State *state, int group)
{
    return state->groups[group].pc && state->groups[group].pc->code == OP_PUT;
}

/* Each group that stands at a put makes it, once all others have gone as far as they can.  */
static bool make_puts(Explorer *explorer, State *state)
{
    bool waits[explorer->ngroups];
    for (int g = 0; g < explorer->ngroups; g++)
        waits[g] = is_at_put(state, g);
    for (int g = 0; g < explorer->ngroups; g++)
        if (waits[g] && ((!may_pass(explorer, state, g, state->groups[g].pc) && !run_to_puts(explorer, state)) ||
                         group_put(explorer, state, g) == STEP_FAILED))
            return false;
    return true;
}

/* Let all groups go as far as they can.  False at the end of a path, good or bad; else somebody has to be told
   something.  */
static bool run_until_asked(Explorer *explorer, State *state, Question *question)
{
    for (int steps = -1; steps != explorer->steps;) {
        if (!run_to_puts(explorer, state))
            return false;
        steps = explorer->steps;
        if (!make_puts(explorer, state) || explorer->again)
            return false;
    }
    *question = next_question(explorer, state);
    if (question->ended)
        return state_has_ended_well(explorer, state) && false;
    if (question->group < 0 || question->ahead > MOST_AHEAD)
        report_stuck(explorer, state);
    return !explorer->failed;
}

typedef enum { SEARCH_HOLDS, SEARCH_FAILS, SEARCH_TOO_LARGE, SEARCH_AGAIN } Verdict;

/* Let all groups go as far as they can, on the way that leads there.  Does it lead to anything new?  */
static bool leads_on(Explorer *explorer, State *state, Way *way)
{
    if (run_until_asked(explorer, state, &state->question))
        return arrive(explorer, state, way);
    if (!explorer->failed && !explorer->again)
        arrive_at_end(explorer, state, way);
    return false;
}

/* What becomes of the state with this outcome goes on the stack if anything is new about it.  */
static bool try_outcome(Explorer *explorer, State *state, bool outcome)
{
    Way *way = &state->stop->ways[outcome];
    group_decide(explorer, state, state->question.group, state->question.decision, outcome);
    if (explorer->failed || !leads_on(explorer, state, way)) {
        state_free(explorer, state);
        return !explorer->failed && !explorer->again;
    }
    state->next = explorer->stack;
    explorer->stack = state;
    return true;
}

/* Both outcomes of the question at which it stands, if they may lead to anything new.  */
static bool try_both(Explorer *explorer, State *state)
{
    if (!leads_nowhere(explorer, state, state->stop, false) &&
        !try_outcome(explorer, state_copy(explorer, state), false))
        return false;
    if (!leads_nowhere(explorer, state, state->stop, true))
        return try_outcome(explorer, state, true);
    state_free(explorer, state);
    return true;
}

/* Every state that can be reached, as far as keys tell them apart.  What was found last goes on first, with one more
   iteration before others.  */
static Verdict search(Explorer *explorer)
{
    Way start = {0};
    State *state = state_new(explorer);
    keys_forget(explorer);
    explorer->again = false;
    explorer->stack = leads_on(explorer, state, &start) ? state : NULL;
    while (explorer->stack && explorer->nvisited <= explorer->most) {
        state = explorer->stack;
        explorer->stack = state->next;
        if (!try_both(explorer, state))
            break;
    }
    if (explorer->failed || explorer->again)
        return explorer->failed ? SEARCH_FAILS : SEARCH_AGAIN;
    return explorer->stack ? SEARCH_TOO_LARGE : SEARCH_HOLDS;
}

enum { MANY_STATES = 100000 };

typedef struct {
    const Explorer *explorer;
    const Labels *labels;
    const Op *op, *around; /* a meeting, and what not all blocks decide alike */
} Barriers;

/* Does every block come to the op equally often?  A branch that no condition of the source stands behind is about the
   group.  */
static void visit_barrier(Op *op, void *context)
{
    Barriers *barriers = context;
    if (!op_meets_blocks(op) || barriers->op)
        return;
    for (const Op *around = op->parent->parent; around; around = around->parent->parent) {
        const Op *source =
            around->position < barriers->labels->count ? barriers->labels->source[around->position] : NULL;
        int varies = !source                   ? (around->code == OP_FOR || around->code == OP_WHILE ? VARIES_Y : 0)
                     : source->code == OP_GRID ? 0
                                               : variance_of_decision(&barriers->explorer->variance, source);
        if (varies & VARIES_Y) {
            barriers->op = op;
            barriers->around = around;
        }
    }
}

/* See 7 above.  */
static bool blocks_synchronize(const Explorer *explorer, const Labels *labels)
{
    FOR_ROLES (role, explorer->kernel) {
        Barriers barriers = {explorer, &labels[role->id], NULL, NULL};
        ir_walk(role->body, visit_barrier, &barriers);
        if (barriers.op) {
            BUG_AT(explorer->kernel, barriers.op->loc,
                   "the blocks of a cluster sum parts in '%s', but they do not execute line %d equally often",
                   barriers.op->storage ? barriers.op->storage->name : "nothing", barriers.around->loc.line);
            return false;
        }
    }
    FOR_AREFS (aref, explorer->kernel)
        if (explorer->kernel->grid.parts && aref->along) {
            BUG(explorer->kernel, "blocks that sum parts share the ring '%s'", aref->name);
            return false;
        }
    return true;
}

bool protocol_holds_within(Kernel *kernel, const Labels *labels, const Aref *scarce, int most)
{
    Explorer *explorer = arena_alloc(kernel->module, sizeof *explorer);
    explorer_init(explorer, kernel, labels);
    if (scarce)
        explorer->slots[scarce->id] = aref_places(scarce);
    explorer->most = most;
    if (explorer->failed)
        BUG(kernel, "more than %d groups and slots use memory in turn", MOST_TENANTS);
    if (explorer->failed || !blocks_synchronize(explorer, labels))
        return false;
    Verdict verdict = SEARCH_AGAIN;
    while (verdict == SEARCH_AGAIN) {
        verdict = search(explorer);
        kernel->proof.states += explorer->nvisited;
    }
    kernel->proof.steps = explorer->steps;
    if (verdict == SEARCH_TOO_LARGE)
        reject(kernel, kernel->loc, REASON_NOT_PROVED, kernel->name, most);
    return verdict == SEARCH_HOLDS;
}

bool protocol_holds(Kernel *kernel, const Labels *labels, const Aref *scarce)
{
    return protocol_holds_within(kernel, labels, scarce, MANY_STATES);
}
