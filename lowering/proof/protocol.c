/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol.c - every path of all groups together, for all trip counts.
 *
 *   producer      put 0, put 1, ... put D-1, then waits until slot 0 is empty again
 *   consumer 0    get 0 once put 0 is done, releases it one iteration later
 *   consumer 1    the same
 *
 * The argument.  validate.c has shown that every branch and loop of a role goes by a condition of the source, and the n-th
 * time by its n-th value.  So the groups are programs that wait for counters which only grow, and that agree on a sequence of
 * decisions which nothing here depends on otherwise: all sequences are looked at, each trip count of each loop among them.
 *
 *   1. What a group can do it still can do later, and the steps of two groups commute: if one order of execution ends, every
 *      order ends, and in the same state; if one is stuck, all are (Kahn 1974; for named barriers WEFT, Sharma, Bauer and
 *      Aiken 2015).  One order is enough: the group that is furthest behind goes first.
 *   2. What a group does next depends on differences of running indices and on the decisions that others have taken and it has
 *      not; not on how often a loop has run.  In that order both stay small (rings have D slots), so there are finitely many
 *      worlds up to a shift of indices.  The search below visits every one that can be reached, from each with both outcomes
 *      of the next decision.  It ends by itself: there is no bound on trip counts, and none is needed.
 *   3. In each step the rules of protocol-ops.c hold, hence in every step of every run.  That a put never fills a slot that is
 *      still read follows: every group releases each slot that it got once, when no product of its reads it any more, the
 *      releases of a slot never exceed the arrivals that its barrier expects, and a put waits for all of these.
 *
 *   4. Pieces of a world are looked at apart: each slot of a ring (of a cluster in each block, or where blocks share the ring in
 *      all that do), what groups know of its rounds (5), each group's products, each storage, each direct store.  What becomes of
 *      such a piece depends on it and on the steps that are taken, on no other piece: a release goes by how many gets ago the
 *      slot was got, a wait by how many groups of products ago one began.  So a world goes on as long as some piece is in a state
 *      in which it has not been while the groups stood like this; what comes of the others was, or will be, seen from elsewhere.
 *      So rings under branches do not multiply, nor the slots of one.  Nor does it go on for a piece that is no worse off than
 *      one that was seen: more known, less to be fenced, met or waited for.  No rule is broken by that which another would not
 *      break, and each step leaves them in that order.
 *      This is sound as long as no put waits in the order of the search, since then pieces have no say in what comes next.  The
 *      order depends on none: all groups go as far as they can without a put, then each that stands at one makes it, others as
 *      far as they can in between.  Where a put waits even so, its ring is no longer apart, but says where the groups stand,
 *      too, and the search is made again.
 *
 *      What an outcome leads to is the same for all worlds that stand alike, and what becomes of a piece is, too, whatever the
 *      others are.  So it is known beforehand, once each has gone that way in some world, and who would meet nothing new does not
 *      go (protocol-ways.c).
 *
 *   Nothing passes unproved: with more than so many worlds the kernel is refused.
 *
 *   5. A barrier on the machine tells a slot's rounds apart by parity only.  So each group keeps what it knows in every order of
 *      execution (its own gets; with a turn, what the group before it knew), and comes to a get only when it knows that the
 *      round before is done.  A put needs no such rule: its filler has waited for all rounds before.  A group that passes over
 *      puts is taken to know nothing afterwards, not even that before the first round there is none: so the first rounds look
 *      like later ones.  Should that be too little, the search is made again with what it does know.
 *
 *   6. The blocks of a cluster are more groups: each has all roles and rings of its own.  Where blocks share a ring's tiles, a
 *      release counts in the rings of all of them, and a slot is full when all have put: each brings a part of its bytes;
 *      a copy goes only to blocks whose releases the put has waited for.  Decisions are the cluster's where nothing that they
 *      depend on differs between its blocks (cluster.c); else each block has its own, and all combinations are looked at.
 *      That they do not multiply comes from the order (any would do, 1): of groups that are equally far ahead those are asked
 *      first whose decision concerns the fewest blocks.  So a block that goes its own way goes to the end of it while others
 *      stand still, and stands there like every other way's end, with what differs in its parts alone.
 *      Where all are the cluster's its blocks do all together, step by step, which is an order, so that one stands for all; in
 *      a block likewise for the groups of a role whose program is not about their number.  What a group decides for itself
 *      others do not see.
 *
 *   7. Blocks that sum the parts of a tile meet, and share nothing else: no ring, no decision inside.  They are alike but for
 *      which part is theirs, so one stands for all.  That it may go on when it comes to a meeting assumes that the others come,
 *      too: how often, and when, depends on nothing that differs between them (blocks_meet).  Here each meeting waits for all
 *      groups of the block besides, so that in every block they come in one order, and the first that some block had not come
 *      to would be one that all others wait at.
 *
 * At the end of all programs no slot is held or lacks a release, no product is in flight, no copy out of staging under way.
 * The rules of a ring are those of the paper (Tawa, III-B: put, get, consumed); that tasks are checked by letting all of them
 * run against each other is what CuTe's task scheduling checks do, too, for given trip counts.
 *
 *   8. A group is many threads.  Conditions are scalars, which each of them computes alike, so all take the same way and the
 *      barriers of a group pair up; between two of them nobody knows how far the others are.  Staged memory is written
 *      behind one, fenced by each thread that wrote, and read behind another: by a product only if both happened.  What
 *      leaves by the copy engine, or is written by several groups: protocol-staging.c.
 *
 *   9. No block of a cluster begins or ends while another may still write to its memory or arrive at its barriers: all begin and
 *      end together (start and finish of the runtime, in every kernel that has a cluster), or each when all releases of its slots
 *      have come.  Nothing is under way then: at its end each slot has been released by all that got it, in every block that
 *      shares it, so all copies into it have landed.
 *
 * Assumed: put, get, consumed, copies, products, waits and barriers do what runtime/README.md says.  A copy in that the engine
 * cannot make, which turns out at run time, is one that threads make, fence and complete within that one call: shown of the
 * machine's program by tests/gpu/fences.sh.
 */
#include "machine/plan.h"
#include "proof/protocol.h"

/* ---- deadlocks --------------------------------------------------------------------------------------------------- */

static bool can_move(const Explorer *in, const World *world, int group)
{
    const Op *op = world->states[group].pc;
    return op && (op->nblocks || op->code == OP_COND || op->code == OP_SKIP || may_pass(in, world, group, op));
}

/* "'producer' would wait forever at 'put': slot 0 of .. is released by 1 of 2 groups; 'consumer 1' has ended".  Groups that go
   on without end while others wait for them are no help.  */
static void report_stuck(Explorer *in, const World *world)
{
    Module *module = in->kernel->module;
    const char *others = "";
    int stuck = -1;
    for (int g = 0; g < in->ngroups; g++) {
        const Op *op = world->states[g].pc;
        bool waits = op && !can_move(in, world, g);
        if (waits && stuck < 0)
            stuck = g;
        else if (waits)
            others = arena_print(module, "%s; '%s' waits at '%s': %s", others, group_name(in, g),
                                 op_info[op->code].text, waits_for(in, world, g));
        else
            others = arena_print(module, "%s; '%s' has %s", others, group_name(in, g), op ? "gone on" : "ended");
    }
    const Op *op = stuck < 0 ? in->groups[0].role->body->first : world->states[stuck].pc;
    reject(in->kernel, op->loc.line ? op->loc : in->kernel->loc, REASON_WAITS_FOREVER,
           stuck < 0 ? "a group" : group_name(in, stuck), op_info[op->code].text,
           arena_print(module, "%s%s%s", stuck < 0 ? "others do not follow" : waits_for(in, world, stuck),
                       stuck < 0 ? "" : place_of(in, world, stuck, op), others));
    in->failed = true;
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static bool group_has_ended_well(Explorer *in, const World *world, int group)
{
    const State *state = &world->states[group];
    const Op *last = in->groups[group].role->body->last;
    FOR_AREFS (aref, in->kernel) {
        if (state->gets[aref->id].held)
            return violates(in, world, group, last, "ends without a release of %d slots of '%s'",
                            state->gets[aref->id].held, aref->name);
        if (state->puts[aref->id].filling)
            return violates(in, world, group, last, "ends within a put of '%s'", aref->name);
    }
    if (state->nreadings)
        return violates(in, world, group, last, "ends while products are in flight");
    if (!copies_are_out(in, state))
        return violates(in, world, group, last, "ends while copies out of shared memory may be under way");
    return !state->holds_turn || violates(in, world, group, last, "ends without passing on its turn");
}

static bool ring_has_ended_well(Explorer *in, const World *world, int block, const Aref *aref)
{
    int puts = puts_made(in, world, block, aref->id);
    const int slots = in->slots[aref->id];
    for (int index = puts > slots ? puts - slots : 0; index < puts; index++) {
        int released = world->released[ring_at(in, block, aref->id)][index % slots];
        if (released == aref->arrivals)
            continue;
        reject(in->kernel, in->kernel->loc, REASON_ARRIVALS, aref->name, aref->arrivals, released);
        in->failed = true;
        return false;
    }
    return true;
}

static bool world_has_ended_well(Explorer *in, const World *world)
{
    for (int g = 0; g < in->ngroups; g++)
        if (!group_has_ended_well(in, world, g))
            return false;
    FOR_AREFS (aref, in->kernel)
        for (int block = 0; block < in->nblocks; block++)
            if (!ring_has_ended_well(in, world, block, aref))
                return false;
    return true;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* How far the group would be ahead of the last of those that take this decision, too; what it decides for itself comes first.  */
static int lead(const Explorer *in, const World *world, int group, int decision)
{
    if (decision < 0)
        return -1;
    return world->states[group].taken[decision] - fewest_taken(in, world, decision);
}

/* Whoever is least ahead is asked first; among them, what concerns the fewest blocks: see 6 above.  */
static bool comes_before(const Explorer *in, const Question *one, const Question *other)
{
    return other->group < 0 || one->ahead < other->ahead ||
           (one->ahead == other->ahead &&
            blocks_that_decide(in, one->decision) < blocks_that_decide(in, other->decision));
}

static bool run_group(Explorer *in, World *world, int group)
{
    int decision = DECIDE_OWN;
    Step step;
    while ((step = group_step(in, world, group, &decision)) == STEP_MOVED)
        stir(world, in->groups[group].block);
    world->states[group].asks = step == STEP_DECIDE ? decision : DECIDE_NOTHING;
    return step != STEP_FAILED && !in->failed;
}

/* Let all groups go as far as they can without a put.  In a block that nothing has stirred none can.  */
static bool run_to_puts(Explorer *in, World *world)
{
    while (world->stirred) {
        const uint64_t stirred = world->stirred;
        world->stirred = 0;
        for (int g = 0; g < in->ngroups; g++)
            if ((stirred | world->stirred) >> in->groups[g].block & 1 && !run_group(in, world, g))
                return false;
    }
    return true;
}

static Question next_question(const Explorer *in, const World *world)
{
    Question first = {-1, 0, 0, true};
    for (int g = 0; g < in->ngroups; g++) {
        const State *state = &world->states[g];
        first.ended &= !state->pc;
        if (!state->pc || state->asks == DECIDE_NOTHING)
            continue;
        Question its = {g, state->asks, lead(in, world, g, state->asks), false};
        if (comes_before(in, &its, &first))
            first = its;
    }
    return first;
}

static bool is_at_put(const World *world, int group)
{
    return world->states[group].pc && world->states[group].pc->code == OP_PUT;
}

/* Each group that stands at a put makes it, once all others have gone as far as they can.  */
static bool make_puts(Explorer *in, World *world)
{
    bool waits[in->ngroups];
    for (int g = 0; g < in->ngroups; g++)
        waits[g] = is_at_put(world, g);
    for (int g = 0; g < in->ngroups; g++)
        if (waits[g] && ((!may_pass(in, world, g, world->states[g].pc) && !run_to_puts(in, world)) ||
                         group_put(in, world, g) == STEP_FAILED))
            return false;
    return true;
}

/* Let all groups go as far as they can.  False at the end of a path, good or bad; else somebody has to be told something.  */
static bool run_until_asked(Explorer *in, World *world, Question *question)
{
    for (int steps = -1; steps != in->steps;) {
        if (!run_to_puts(in, world))
            return false;
        steps = in->steps;
        if (!make_puts(in, world) || in->again)
            return false;
    }
    *question = next_question(in, world);
    if (question->ended)
        return world_has_ended_well(in, world) && false;
    if (question->group < 0 || question->ahead > MOST_AHEAD)
        report_stuck(in, world);
    return !in->failed;
}

typedef enum { SEARCH_HOLDS, SEARCH_FAILS, SEARCH_TOO_LARGE, SEARCH_AGAIN } Verdict;

/* Let all groups go as far as they can, on the way that leads there.  Does it lead to anything new?  */
static bool leads_on(Explorer *in, World *world, Way *way)
{
    if (run_until_asked(in, world, &world->question))
        return arrive(in, world, way);
    if (!in->failed && !in->again)
        arrive_at_end(in, world, way);
    return false;
}

/* What becomes of the world with this outcome goes on the stack if anything is new about it.  */
static bool try_outcome(Explorer *in, World *world, bool outcome)
{
    Way *way = &world->stop->ways[outcome];
    group_decide(in, world, world->question.group, world->question.decision, outcome);
    if (in->failed || !leads_on(in, world, way)) {
        world_free(in, world);
        return !in->failed && !in->again;
    }
    world->next = in->stack;
    in->stack = world;
    return true;
}

/* Both outcomes of the question at which it stands, if they may lead to anything new.  */
static bool try_both(Explorer *in, World *world)
{
    if (!leads_nowhere(in, world, world->stop, false) && !try_outcome(in, world_copy(in, world), false))
        return false;
    if (!leads_nowhere(in, world, world->stop, true))
        return try_outcome(in, world, true);
    world_free(in, world);
    return true;
}

/* Every world that can be reached, as far as keys tell them apart.  What was found last goes on first, with one more iteration
   before others.  */
static Verdict search(Explorer *in)
{
    Way start = {0};
    World *world = world_new(in);
    keys_forget(in);
    in->again = false;
    in->stack = leads_on(in, world, &start) ? world : NULL;
    while (in->stack && in->nvisited <= in->most) {
        world = in->stack;
        in->stack = world->next;
        if (!try_both(in, world))
            break;
    }
    if (in->failed || in->again)
        return in->failed ? SEARCH_FAILS : SEARCH_AGAIN;
    return in->stack ? SEARCH_TOO_LARGE : SEARCH_HOLDS;
}

enum { MANY_WORLDS = 100000 };

typedef struct {
    const Explorer *in;
    const Labels *labels;
    const Op *op, *around; /* a meeting, and what not all blocks decide alike */
} Meetings;

/* Does every block come to the op equally often?  A branch that no condition of the source stands behind is about the group.  */
static void visit_meeting(Op *op, void *context)
{
    Meetings *meetings = context;
    if (op->code != OP_SUM_PARTS || meetings->op)
        return;
    for (const Op *around = op->parent->parent; around; around = around->parent->parent) {
        const Op *source =
            around->position < meetings->labels->count ? meetings->labels->source[around->position] : NULL;
        int varies = !source                   ? (around->code == OP_IF || around->code == OP_GRID ? 0 : VARIES_Y)
                     : source->code == OP_GRID ? 0
                                               : variance_of_decision(&meetings->in->variance, source);
        if (varies & VARIES_Y) {
            meetings->op = op;
            meetings->around = around;
        }
    }
}

/* See 7 above.  */
static bool blocks_meet(const Explorer *in, const Labels *labels)
{
    FOR_ROLES (role, in->kernel) {
        Meetings meetings = {in, &labels[role->id], NULL, NULL};
        ir_walk(role->body, visit_meeting, &meetings);
        if (meetings.op) {
            BUG_AT(in->kernel, meetings.op->loc,
                   "the blocks of a cluster sum parts in '%s', but they do not execute line %d equally often",
                   meetings.op->storage ? meetings.op->storage->name : "nothing", meetings.around->loc.line);
            return false;
        }
    }
    FOR_AREFS (aref, in->kernel)
        if (in->kernel->grid.parts && aref->along) {
            BUG(in->kernel, "blocks that sum parts share the ring '%s'", aref->name);
            return false;
        }
    return true;
}

bool protocol_holds_within(Kernel *kernel, const Labels *labels, const Aref *scarce, int most)
{
    Explorer *in = arena_alloc(kernel->module, sizeof *in);
    explorer_init(in, kernel, labels);
    if (scarce)
        in->slots[scarce->id] = aref_places(scarce);
    in->most = most;
    if (!blocks_meet(in, labels))
        return false;
    Verdict verdict = SEARCH_AGAIN;
    while (verdict == SEARCH_AGAIN) {
        verdict = search(in);
        kernel->proof.worlds += in->nvisited;
    }
    kernel->proof.steps = in->steps;
    if (verdict == SEARCH_TOO_LARGE)
        reject(kernel, kernel->loc, REASON_NOT_PROVED, kernel->name, most);
    return verdict == SEARCH_HOLDS;
}

bool protocol_holds(Kernel *kernel, const Labels *labels, const Aref *scarce)
{
    return protocol_holds_within(kernel, labels, scarce, MANY_WORLDS);
}
