/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol.c - model checking of the synchronization of all role programs together, for all trip counts.
 *
 *      producer      put 0, put 1, ... put D-1, then waits until slot 0 is released
 *      consumer 0    get 0 once put 0 is done; releases slot 0 one iteration later
 *      consumer 1    the same
 *
 * Result.  In every execution every wait ends, and every rule of protocol-ops.c holds at every step.  At the end of all
 * programs no slot is held or lacks a release.  No product is in flight, and no copy out of shared memory is under way.
 * The rules of a ring are those of Tawa, III-B (put, get, consumed).  CuTe's task scheduling also checks tasks by a run
 * of all of them against each other, for given trip counts.
 *
 * State.  A group is a warp group of a role, in one block of the cluster.  It has the position of its next operation
 * and the facts of GroupState: slots held, products in flight, memory without a fence, copies out.  A ring has, for
 * each slot, the releases and the bytes of the newest put.  Puts, gets, writes and products have running indices.
 *
 * Decisions.  A decision is a loop or a branch of the source.  validate.c has shown that each loop and branch of a role
 * takes the condition of one decision, and at its n-th execution the n-th outcome.  So all groups take one sequence of
 * outcomes of each decision.  The state holds the outcomes that some group has taken and another has not.  The search
 * assumes nothing else about outcomes: each may be true or false every time, so it covers each trip count of each loop.
 *
 * Steps.  A step executes one operation of one group.  protocol-step.c has the control flow, protocol-ops.c the other
 * operations, protocol-staging.c and protocol-reuse.c parts of their rules.  These operations can wait: put, get, the
 * take of a turn, a barrier of a role, a cluster sync.  An operation that can be executed stays so, whatever other
 * groups do.
 *
 * Safety of a slot.  The rules imply that a put never fills a slot that is still read.  Every group releases each slot
 * that it got once, and only when none of its products reads the slot.  The releases of a slot never exceed the
 * arrivals that its barrier expects.  A put waits for all of these arrivals.
 *
 * Parity.  An mbarrier tells the rounds of a slot apart by parity only.  So a group may come to a get only when the
 * slot's round before is known to be done, in every order of execution.  GroupState.known has these facts: the group's
 * own gets and, with a turn, the facts of the group that passed it on.  A put needs no such rule, since its producer
 * has waited for all rounds before.  A group that skips puts is taken to know nothing, not even that no round precedes
 * the first.  First rounds then look like later ones.  If this is too little, the search starts again with the exact
 * facts (Explorer.exact).
 *
 * Threads.  A group has many threads.  Conditions are scalars, which all its threads compute alike, so the barriers of
 * a group pair up.  Between two barriers the order of the threads is unknown.  Staged memory is written behind a
 * barrier, fenced by each thread that wrote, and read behind another barrier.  A product may read it only after both.
 *
 * Reuse.  Storages may lie in the same bytes.  A write to one then comes after the last read of the other, in every
 * order of execution (protocol-reuse.c).
 *
 * Reduction 1: one order.  A step that is enabled stays enabled, and steps of two groups commute.  So with the same
 * outcomes all orders of execution end in one state, or all are stuck.  Source: Kahn 1974; for named barriers WEFT
 * (Sharma, Bauer and Aiken 2015).  The search executes one order:
 *   - All groups run as far as they can without a put.
 *   - Then each group that stands at a put makes it.  If that put has to wait, the other groups run on first.
 *   - When no group can run on, the group that is least ahead in its decision gets an outcome.
 *
 * Reduction 2: shifts.  The next step of a group depends on differences of running indices and on outcomes not taken by
 * all, never on the number of iterations.  States that differ by a shift of indices are one state.  In the search's
 * order these differences are bounded, since rings have D slots.  So the states are finitely many.  The search visits
 * all that can be reached, with both outcomes at each.  It ends by itself, without a bound on trip counts.
 *
 * Reduction 3: frame and parts (protocol-keys.c).  A state is a frame and parts.  The frame has the positions of all
 * groups, the distances of puts and gets, and the outcomes not taken by all.  Each of these is a part:
 *   - a slot of a ring, in all blocks that share the ring
 *   - the facts about the rounds of a ring, in one block
 *   - a group's products, its use of one storage, its direct stores through one operation
 *   - a tenant of reused memory
 * The steps that follow depend on the frame and the outcome.  The successor of a part depends on these steps and on
 * that part.  For instance, a release goes by how many gets ago the slot was got.  So a state is continued only if one
 * of its parts is new in its frame.  The successors of its other parts are found from the states in which these were
 * new.  So states do not multiply over rings under branches, nor over the slots of a ring.  This holds as long as no
 * put waits in the search's order, since parts then have no influence on the next step.  If a put waits, the slots of
 * its ring and the facts about its rounds become part of the frame.  The search then starts again (group_put).
 *
 * Reduction 4: order of parts.  Let s <= t if s has fewer facts and more pending fences, waits and barriers.  A rule
 * that holds for s holds for t, and each step keeps this order.  So t is not new in a frame that has seen such an s.
 *
 * Reduction 5: known successors (protocol-ways.c).  The frame behind an outcome is the same for all states of a frame,
 * and so is the successor of a part.  The search stores both, and leaves out an outcome that leads to nothing new.
 *
 * Reduction 6: one for many.  Groups of a role whose program does not depend on their number run step by step together,
 * which is one of the orders.  One group then stands for all of them (Group.count).  A decision that a group makes
 * alone is not seen by others.  If such groups each put their rows of a tile, a slot is full when all have put.  No
 * slot is released before that, and a slot is empty again only after it was full.  So these groups are never a round
 * apart at a slot.  If their program depends on their number, each group is explored, and a put is made when all have
 * made it.
 *
 * Limit.  A search with more than MANY_STATES states refuses the kernel.
 *
 * Blocks.  Each block of a cluster has all roles and rings of its own.  If blocks share the tiles of a ring, a release
 * counts in the rings of all of them.  A slot is full when all these blocks have put, since each brings a share of the
 * bytes.  A copy goes only to blocks whose releases the put has waited for.
 *
 * Decisions of blocks.  The blocks take a decision together if nothing that it depends on differs between them
 * (cluster.c).  Otherwise each block has a decision of its own, and the search covers all combinations.  Any order
 * would do (reduction 1).  Of groups that are equally far ahead, the search asks first the one whose decision fewest
 * blocks take.  So a block runs to the end of its own branch while the other blocks stand still.  There it meets the
 * frame of its other ways, with different parts alone, so the ways do not multiply.  If all decisions are taken
 * together, the blocks run step by step together, and one block stands for all.
 *
 * Sums over blocks.  Blocks that sum the parts of a tile synchronize with each other.  They share no ring, and differ
 * only in the part that each computes, so one block stands for all.  At a cluster sync this block assumes that the
 * other blocks come, too.  blocks_synchronize shows that nothing which differs between blocks decides how often they
 * come.  In the search a cluster sync also waits for all groups of its role in the block.  So these syncs have one
 * order in all blocks.  The first sync that some block did not reach would be one at which all others wait.
 *
 * Lifetime.  No block begins or ends while another may still write to its memory or arrive at its barriers.  Either all
 * begin and end together, by start and finish of the runtime, in every kernel with a cluster.  Or each block ends when
 * all releases of its slots have come.  Nothing is under way then: each slot was released by all groups that got it, in
 * every block that shares it.  So all copies into it have landed.
 *
 * Assumptions.  put, get, consumed, copies, products, waits and barriers do what runtime/README.md says.  If TMA cannot
 * make a copy in, which turns out at run time, threads make, fence and complete it within one call.  The test
 * tests/gpu/fences.sh shows this on the machine's program.
 */
#include "ir/queries.h"
#include "proof/protocol.h"

/* ---- deadlocks --------------------------------------------------------------------------------------------------- */

static bool can_move(const Explorer *explorer, const State *state, int group)
{
    const Op *op = state->groups[group].pc;
    return op && (op->nblocks || op->code == OP_COND || op->code == OP_SKIP || may_pass(explorer, state, group, op));
}

/* Reports the first group that waits, with the reason, and the position of every other group.  For instance:
   "'producer' would wait forever at 'put': slot 0 of .. is released by 1 of 2 groups; 'consumer 1' has ended".  If no
   group waits, some run on without end while the others do not follow.  */
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
            return violates(explorer, state, group, last, RULE_ENDS_HOLDING, self->gets[aref->id].held, aref->name);
        if (self->puts[aref->id].filling)
            return violates(explorer, state, group, last, RULE_ENDS_IN_PUT, aref->name);
    }
    if (self->nreadings)
        return violates(explorer, state, group, last, RULE_ENDS_IN_FLIGHT);
    if (!copies_are_out(explorer, self))
        return violates(explorer, state, group, last, RULE_ENDS_WITH_COPIES);
    return !self->holds_turn || violates(explorer, state, group, last, RULE_ENDS_WITH_TURN);
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

/* Returns how many outcomes of the decision the group has taken more than the last group that takes it.  A decision of
   the group's own has -1, so that it comes first.  */
static int lead(const Explorer *explorer, const State *state, int group, int decision)
{
    if (decision < 0)
        return -1;
    return state->groups[group].taken[decision] - fewest_taken(explorer, state, decision);
}

/* True if `one` is asked before `other`: the smaller lead first, then the decision that fewer blocks take ("Decisions
   of blocks" above).  */
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

/* Runs all groups as far as they can without a put.  A group can move only in a block that is set in State.stirred.
   False after a violation.  */
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

/* Makes the put of each group that stands at one.  If a put has to wait, all groups first run as far as they can.
   False after a violation.  */
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

/* Runs all groups as far as they can.  Returns true with the question that comes next.  False at the end of all
   programs, after a violation, and if the search has to start again.  */
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
    if (question->group < 0 || question->ahead > MAX_AHEAD)
        report_stuck(explorer, state);
    return !explorer->failed;
}

typedef enum { SEARCH_HOLDS, SEARCH_FAILS, SEARCH_TOO_LARGE, SEARCH_AGAIN } Verdict;

/* Runs all groups as far as they can, behind an outcome, and stores in `way` where that leads.  True if the state there
   is to be continued.  */
static bool leads_on(Explorer *explorer, State *state, Way *way)
{
    if (run_until_asked(explorer, state, &state->question))
        return arrive(explorer, state, way);
    if (!explorer->failed && !explorer->again)
        arrive_at_end(explorer, state, way);
    return false;
}

/* Continues the state with this outcome, and pushes the result on the stack if it is to be continued.  Frees the state
   otherwise.  False if the search has failed or starts again.  */
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

/* Tries both outcomes of the state's question, except those known to lead to nothing new.  False if the search has
   failed or starts again.  */
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

/* Explores all reachable states, depth first: the newest state is continued first, and with one more iteration before
   the exit.  */
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
    /* the first sync that not all blocks reach equally often, and the control operation around it that differs */
    const Op *op, *around;
} Barriers;

/* Notes the cluster sync `op` if a control operation around it can differ between blocks.  A branch without a condition
   of the source tests the number of the group, which is the same in all blocks.  */
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

/* True if all blocks of the cluster execute each cluster sync equally often ("Sums over blocks" above).  Blocks that
   sum parts must share no ring, too.  */
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
        BUG(kernel, "more than %d groups and slots use memory in turn", MAX_TENANTS);
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
