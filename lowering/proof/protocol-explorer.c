/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-explorer.c - analysis of the programs before the search.
 *
 *      va = view ta[slot]        a mark: the search follows its put up to the product that reads it
 *      x2 = mul x, 2             no effect on other groups: skipped
 *      for k: ...                a decision: the producer's loop and the consumers' take the same outcomes
 *      if (ws_at(v, i) > 0)      one decision for each block of a cluster, if v can differ between blocks
 *      consumer x 2              one group for both, if the program does not depend on the group's number
 */
#include <string.h>

#include "ir/queries.h"
#include "ir/slice.h"
#include "proof/protocol.h"
#include "roles/order.h"
#include "roles/programs.h"
#include "target/storage.h"

/* ---- what may be of interest ------------------------------------------------------------------------------------- */

static bool makes_mark(const Op *op)
{
    switch (op->code) {
    case OP_PUT:
    case OP_GET:
    case OP_VIEW:
    case OP_TRANS_VIEW:
    case OP_STAGE:
    case OP_GATHER:
    case OP_MMA:
    case OP_WAIT:
        return true;
    default:
        return false;
    }
}

typedef struct {
    Explorer *explorer;
    Group *group;
    bool changed;
} Marker;

static void give_mark(Marker *marker, const Value *value)
{
    if (marker->explorer->mark_of[value->id] >= 0)
        return;
    marker->explorer->mark_of[value->id] = marker->group->nmarks++;
    marker->changed = true;
}

static bool has_mark(const Marker *marker, const Value *value)
{
    return marker->explorer->mark_of[value->id] >= 0;
}

static void hand_mark(Marker *marker, const Value *from, const Value *to)
{
    if (has_mark(marker, from))
        give_mark(marker, to);
}

static void visit_marks(Op *op, void *context)
{
    Marker *marker = context;
    for (int i = 0; makes_mark(op) && i < op->nresults; i++)
        give_mark(marker, op->results[i]);
    if (op->code == OP_IF)
        for (int i = 0; i < op->nresults; i++)
            for (int k = 0; k < op->nblocks; k++)
                hand_mark(marker, block_end(op->blocks[k])->args[i], op->results[i]);
    for (int i = 0; i < carried_count(op); i++) {
        Carried names = carried(op, i);
        hand_mark(marker, names.init, names.argument);
        hand_mark(marker, names.next, names.argument);
        if (names.beyond)
            hand_mark(marker, names.beyond, names.argument);
        if (names.exit)
            hand_mark(marker, names.exit, names.result);
        if (names.body_argument)
            hand_mark(marker, names.exit ? names.exit : names.argument, names.body_argument);
        hand_mark(marker, names.argument, names.result);
    }
}

/* ---- how long it is ---------------------------------------------------------------------------------------------- */

typedef struct {
    const Explorer *explorer;
    Life *lives;
} Aging;

static void born(const Aging *aging, const Value *value, int from)
{
    int mark = aging->explorer->mark_of[value->id];
    if (mark >= 0)
        aging->lives[mark] = (Life){from, from};
}

static void visit_births(Op *op, void *context)
{
    const Aging *aging = context;
    for (int i = 0; i < op->nresults; i++)
        born(aging, op->results[i], op->nblocks ? order_end(op) - 1 : op->position);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            born(aging, op->blocks[k]->args[i], k ? block_end(op->blocks[0])->position : op->position - 1);
}

/* A use inside a loop that the value enters from outside extends its life to the end of that loop.  */
static void visit_uses(Op *op, void *context)
{
    const Aging *aging = context;
    for (int i = 0; i < op->nargs; i++) {
        const Value *value = op->args[i];
        int mark = aging->explorer->mark_of[value->id];
        if (mark < 0)
            continue;
        const Op *loop = order_outer_loop(op, value->def ? value->def->parent : value->block);
        int to = loop ? order_end(loop) : op->position;
        aging->lives[mark].to = to > aging->lives[mark].to ? to : aging->lives[mark].to;
    }
}

/* True if other groups may see or wait for an effect of the operation.  */
static bool of_interest(const Op *op, const void *context)
{
    const Explorer *explorer = context;
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_SYNC || class_ == CLASS_STORE || class_ == CLASS_LOAD || op->code == OP_GRID)
        return true;
    for (int i = 0; i < op->nargs; i++)
        if (explorer->mark_of[op->args[i]->id] >= 0)
            return true;
    return false;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

enum { LIST_STEP = 32 };

/* Returns the list with `op` at index `count`; the list may be a longer copy.  */
static const Op **list_add(Module *module, const Op **list, int count, const Op *op)
{
    if (count % LIST_STEP == 0) {
        const Op **larger = arena_alloc(module, (size_t)(count + LIST_STEP) * sizeof *larger);
        if (count)
            memcpy(larger, list, (size_t)count * sizeof *larger);
        list = larger;
    }
    list[count] = op;
    return list;
}

/* Returns the first block that takes the decision together with `block`.  Blocks do if neither the condition nor the
   number of its executions differs between them.  */
static int first_that_agrees(const Explorer *explorer, const Op *source, int block)
{
    int differing = variance_of_decision(&explorer->variance, source) | variance_around(&explorer->variance, source);
    int columns = explorer->kernel->grid.cluster[1] ? explorer->kernel->grid.cluster[1] : 1;
    int row = differing & VARIES_X ? block / columns : 0, column = differing & VARIES_Y ? block % columns : 0;
    return row * columns + column;
}

static int decision_index(Explorer *explorer, const Op *source, int block)
{
    Module *module = explorer->kernel->module;
    block = first_that_agrees(explorer, source, block);
    for (int i = 0; i < explorer->ndecisions; i++)
        if (explorer->decisions[i] == source && explorer->decision_blocks[i] == block)
            return i;
    explorer->decisions = list_add(module, explorer->decisions, explorer->ndecisions, source);
    int *blocks = arena_alloc(module, (size_t)(explorer->ndecisions + 1) * sizeof *blocks);
    if (explorer->ndecisions)
        memcpy(blocks, explorer->decision_blocks, (size_t)explorer->ndecisions * sizeof *blocks);
    explorer->decision_blocks = blocks;
    blocks[explorer->ndecisions] = block;
    return explorer->ndecisions++;
}

typedef struct {
    Explorer *explorer;
    Group *group;
} Decider;

/* True if other groups depend on how often the operation runs, or on the arm taken.  The operations that a group leaves
   out in another group's tile concern that group alone.  */
static bool is_shared(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_GRID || op->code == OP_PUT || op->code == OP_GET || op->code == OP_CONSUMED ||
           op->code == OP_SKIP || op->code == OP_PINGPONG_TAKE || op->code == OP_PINGPONG_PASS ||
           op->code == OP_GATHER || op->code == OP_ROLE_BARRIER || op_meets_blocks(op);
}

static void visit_decision(Op *op, void *context)
{
    const Decider *decider = context;
    const Labels *labels = decider->group->labels;
    int *of = &decider->group->decision_of[op->position];
    const Op *source = op->position < labels->count ? labels->source[op->position] : NULL;
    *of = DECIDE_OWN;
    if (op->nblocks && !ir_any(op, of_interest, decider->explorer))
        *of = DECIDE_NOTHING;
    else if (source && ir_any(op, is_shared, NULL))
        *of = decision_index(decider->explorer, source, decider->group->block);
}

/* ---- what steps are about ---------------------------------------------------------------------------------------- */

/* True if an operand is of interest.  An operand without a variable is printed in the statement that uses it, so its
   own operands count.  */
static bool has_look(const Explorer *explorer, const Op *op)
{
    if (op_info[op->code].class_ == CLASS_LOAD && (op->storage || stores_to(explorer, op->args[0])))
        return true;
    if (explorer->reuses && op->storage && op->storage->use == USE_SCRATCH)
        return true;
    for (int i = 0; i < op->nargs; i++) {
        const Op *part = op->args[i]->var ? NULL : op->args[i]->def;
        if (explorer->mark_of[op->args[i]->id] >= 0 ||
            (explorer->named && part && op_is_pure(part) && has_look(explorer, part)))
            return true;
    }
    return false;
}

static bool has_effect(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    return op->nblocks || class_ == CLASS_CONTROL || class_ == CLASS_SYNC || class_ == CLASS_STORE ||
           op_meets_blocks(op);
}

static bool asks(const Group *group, const Op *op)
{
    return op->code == OP_COND || (op->code == OP_SKIP && op->nargs) ||
           (op->nblocks && group->decision_of[op->position] != DECIDE_NOTHING);
}

/* True for the first question in a block, if it is a branch.  Then a single path leads there, from the question of the
   operation around it.  An exception are blocks of a cluster that took that outcome together and ask one after the
   other.  */
static bool asks_in_turn(const Explorer *explorer, const Group *group, const Op *op)
{
    const Op *around = op->parent->parent, *before = op->prev;
    const int *decisions = group->decision_of;
    while (before && !asks(group, before))
        before = before->prev;
    return op->code == OP_IF && !before && around && decisions[around->position] >= 0 &&
           blocks_that_decide(explorer, decisions[around->position]) ==
               blocks_that_decide(explorer, decisions[op->position]) &&
           (around->code != OP_WHILE || op->parent == around->blocks[1]);
}

typedef struct {
    const Explorer *explorer;
    const Group *group;
} Abouts;

static void visit_about(Op *op, void *context)
{
    const Abouts *at = context;
    bool looks = (!at->explorer->named || op_is_printed(op)) && has_look(at->explorer, op);
    const bool waits = guard_of(op) != GUARD_NONE && op->code != OP_PUT; /* puts wait by themselves: group_put */
    at->group->about[op->position] = (looks ? ABOUT_OPERANDS : 0) | (waits ? ABOUT_WAITING : 0) |
                                     (looks || has_effect(op) ? ABOUT_PROTOCOL : 0) |
                                     (asks_in_turn(at->explorer, at->group, op) ? ABOUT_SAME_WAY : 0);
}

static void visit_next(Op *op, void *context)
{
    const Abouts *at = context;
    const Op *next = op;
    while (next && !at->group->about[next->position])
        next = next->next;
    at->group->next[op->position] = next;
}

/* ---- one for many ------------------------------------------------------------------------------------------------ */

static bool is_about_itself(const Op *op, const void *context)
{
    const Group *group = context;
    return op->code == OP_PINGPONG_TAKE || op->code == OP_ROLE_BARRIER || op_meets_blocks(op) ||
           op->code == OP_GATHER || (op->code == OP_PUT && op->aref->fillers == 1) ||
           (op->code == OP_IF && group->decision_of[op->position] == DECIDE_OWN) || loop_edge(op);
}

typedef struct {
    const Explorer *explorer;
    const Labels *labels;
    bool differ;
} Blocks;

static void visit_differing(Op *op, void *context)
{
    Blocks *blocks = context;
    const Op *source = op->position < blocks->labels->count ? blocks->labels->source[op->position] : NULL;
    if (source && ir_any(op, is_shared, NULL))
        blocks->differ |= (variance_of_decision(&blocks->explorer->variance, source) |
                           variance_around(&blocks->explorer->variance, source)) != 0;
}

/* Returns the number of blocks to explore.  One is enough if all blocks take all decisions together, or sum parts of
   tiles (protocol.c, "Decisions of blocks" and "Sums over blocks").  */
static int blocks_apart(const Explorer *explorer, const Labels *labels)
{
    Blocks blocks = {explorer, NULL, false};
    FOR_ROLES (role, explorer->kernel) {
        blocks.labels = &labels[role->id];
        ir_walk(role->body, visit_differing, &blocks);
    }
    return blocks.differ && !explorer->kernel->grid.parts ? cluster_size(explorer->kernel) : 1;
}

/* ---- the explorer ------------------------------------------------------------------------------------------------ */

static void visit_direct_store(Op *op, void *context)
{
    Explorer *explorer = context;
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op) || op->storage)
        return;
    explorer->stores = list_add(explorer->kernel->module, explorer->stores, explorer->nstores++, op);
}

static void visit_stage(Op *op, void *context)
{
    const Decider *at = context;
    if (op->code == OP_STAGE && op->storage->use == USE_OUTPUT)
        at->group->stages[storage_place(at->explorer->kernel, op->storage)] = true;
}

static void prepare_decisions(Explorer *explorer, Group *group)
{
    size_t bytes = (size_t)(group->labels->count + 1) * sizeof(int);
    group->decision_of = arena_alloc(explorer->kernel->module, bytes);
    memset(group->decision_of, 0xff, bytes);
    group->about = arena_alloc(explorer->kernel->module, (size_t)group->labels->count + 1);
    group->next = arena_alloc(explorer->kernel->module, (size_t)(group->labels->count + 1) * sizeof *group->next);
    Decider decider = {explorer, group};
    ir_walk(group->role->body, visit_decision, &decider);
}

static void prepare_role(Explorer *explorer, Role *role, const Labels *labels)
{
    Module *module = explorer->kernel->module;
    Group first = {.role = role, .labels = &labels[role->id]};
    Marker marker = {explorer, &first, true};
    while (marker.changed) {
        marker.changed = false;
        ir_walk(role->body, visit_marks, &marker);
    }
    first.lives = arena_alloc(module, (size_t)(first.nmarks + 1) * sizeof *first.lives);
    Aging aging = {explorer, first.lives};
    ir_walk(role->body, visit_births, &aging);
    ir_walk(role->body, visit_uses, &aging);
    first.first_store = explorer->nstores;
    ir_walk(role->body, visit_direct_store, explorer);
    first.end_store = explorer->nstores;
    first.touches = arena_alloc(module, (size_t)explorer->nstorages + 1);
    first.stages = arena_alloc(module, (size_t)explorer->nstorages + 1);
    Decider decider = {explorer, &first};
    ir_walk(role->body, visit_stage, &decider);
    for (first.block = 0; first.block < explorer->nblocks; first.block++) {
        prepare_decisions(explorer, &first);
        first.count = explorer->reuses || ir_any_of(role->body, is_about_itself, &first) ? 1 : role->replicas;
        for (first.number = 0; first.number < role->replicas; first.number += first.count)
            explorer->groups[explorer->ngroups++] = first;
    }
}

static void find_joined(const Explorer *explorer, Group *group)
{
    group->joins = arena_alloc(explorer->kernel->module, (size_t)explorer->ndecisions + 1);
    for (int i = 0; i < group->labels->count; i++)
        if (group->decision_of[i] >= 0)
            group->joins[group->decision_of[i]] = true;
}

/* Lists the groups and blocks that take each decision.  */
static void list_joiners(Explorer *explorer)
{
    Module *module = explorer->kernel->module;
    explorer->joined = arena_alloc(module, (size_t)(explorer->ndecisions + 1) * sizeof *explorer->joined);
    explorer->joiners = arena_alloc(module, (size_t)(explorer->ndecisions + 1) * sizeof *explorer->joiners);
    for (int d = 0; d < explorer->ndecisions; d++) {
        int *to = explorer->joiners[d] = arena_alloc(module, (size_t)(explorer->ngroups + 1) * sizeof *to);
        for (int g = 0; g < explorer->ngroups; g++)
            if (explorer->groups[g].joins[d]) {
                explorer->joined[d] |= (uint64_t)1 << explorer->groups[g].block;
                *to++ = g;
            }
        *to = -1;
    }
}

/* Lists the decisions of each block alone, then those of several blocks.  */
static void list_asked(Explorer *explorer)
{
    Module *module = explorer->kernel->module;
    explorer->asked_in = arena_alloc(module, (size_t)(explorer->nblocks + 1) * sizeof *explorer->asked_in);
    for (int block = 0; block <= explorer->nblocks; block++) {
        int *to = explorer->asked_in[block] = arena_alloc(module, (size_t)(explorer->ndecisions + 1) * sizeof *to);
        for (int d = 0; d < explorer->ndecisions; d++) {
            bool several = explorer->joined[d] & (explorer->joined[d] - 1);
            if (block == explorer->nblocks ? several : explorer->joined[d] == (uint64_t)1 << block)
                *to++ = d;
        }
        *to = -1;
    }
}

static void list_members(Explorer *explorer)
{
    explorer->nmembers = explorer->ngroups / explorer->nblocks;
    explorer->members =
        arena_alloc(explorer->kernel->module, (size_t)(explorer->ngroups + 1) * sizeof *explorer->members);
    for (int block = 0, place = 0; block < explorer->nblocks; block++)
        for (int g = 0; g < explorer->ngroups; g++)
            if (explorer->groups[g].block == block)
                explorer->members[place++] = g;
}

static void list_sharers(Explorer *explorer)
{
    explorer->sharers = arena_alloc(explorer->kernel->module,
                                    (size_t)((ALONG_ALL + 1) * explorer->nblocks) * sizeof *explorer->sharers);
    for (int along = ALONG_NONE; along <= ALONG_ALL; along++)
        for (int block = 0; block < explorer->nblocks; block++)
            for (int other = 0; other < explorer->nblocks; other++)
                if (cluster_shares(explorer->kernel, along, block, other))
                    explorer->sharers[along * explorer->nblocks + block] |= (uint64_t)1 << other;
}

typedef struct {
    const Explorer *explorer;
    unsigned char *ends; /* by ring */
    Group *group;
    bool has_barriers;
    int most_pending;
} Ends;

static void visit_ends(Op *op, void *context)
{
    Ends *ends = context;
    if (op->storage && (op->storage->use != USE_RING || op->code == OP_PUT_TILE))
        ends->group->touches[storage_place(ends->explorer->kernel, op->storage)] = true;
    ends->group->multiplies |= op->code == OP_MMA;
    ends->group->in_pingpong |= op->code == OP_PINGPONG_TAKE || op->code == OP_PINGPONG_PASS;
    if (op->code == OP_WAIT && op->sync->pending > ends->most_pending)
        ends->most_pending = op->sync->pending;
    if (op->code == OP_PUT)
        ends->ends[op->aref->id] |= PUTS;
    if (op->code == OP_GET || op->code == OP_CONSUMED || op->code == OP_SKIP)
        ends->ends[op->aref->id] |= GETS;
    ends->has_barriers |= op->code == OP_ROLE_BARRIER || op_meets_blocks(op);
}

/* Notes which rings and storages each group uses.  */
static void list_ends(Explorer *explorer)
{
    size_t rings = (size_t)explorer->narefs;
    explorer->ends = arena_alloc(explorer->kernel->module, (size_t)explorer->ngroups * rings + 1);
    for (int g = 0; g < explorer->ngroups; g++) {
        Group *group = &explorer->groups[g];
        Ends its = {explorer, explorer->ends + (size_t)g * rings, group, explorer->has_barriers,
                    explorer->most_pending};
        if (g > 0 && group->role == group[-1].role) {
            memcpy(its.ends, its.ends - rings, rings);
            group->multiplies = group[-1].multiplies;
            group->in_pingpong = group[-1].in_pingpong;
        } else {
            ir_walk(group->role->body, visit_ends, &its);
        }
        explorer->has_barriers = its.has_barriers;
        explorer->most_pending = its.most_pending;
    }
}

static void finish_group(Explorer *explorer, int index)
{
    Group *group = &explorer->groups[index];
    Abouts abouts = {explorer, group};
    if (group->number == 0)
        ir_walk(group->role->body, visit_about, &abouts);
    if (group->number == 0)
        ir_walk(group->role->body, visit_next, &abouts);
}

void explorer_init(Explorer *explorer, Kernel *kernel, const Labels *labels)
{
    Module *module = kernel->module;
    int groups = 0;
    *explorer = (Explorer){
        .kernel = kernel, .by_tiles = kernel->schedule.block.split == SPLIT_TILES, .named = kernel->variables != NULL};
    explorer->variance = variance_new(kernel);
    explorer->nblocks = blocks_apart(explorer, labels);
    FOR_ROLES (role, kernel)
        groups += role->replicas;
    FOR_AREFS (aref, kernel)
        explorer->narefs = aref->id + 1 > explorer->narefs ? aref->id + 1 : explorer->narefs;
    FOR_STORAGES (storage, kernel)
        explorer->nstorages++;
    reuse_find(explorer);
    explorer->groups = arena_alloc(module, (size_t)(groups * explorer->nblocks + 1) * sizeof *explorer->groups);
    explorer->arefs = arena_alloc(module, (size_t)(explorer->narefs + 1) * sizeof *explorer->arefs);
    explorer->slots = arena_alloc(module, (size_t)(explorer->narefs + 1) * sizeof *explorer->slots);
    FOR_AREFS (aref, kernel) {
        explorer->arefs[aref->id] = aref;
        explorer->slots[aref->id] = aref->slots;
    }
    explorer->mark_of = arena_alloc(module, (size_t)(module->next_id + 1) * sizeof *explorer->mark_of);
    memset(explorer->mark_of, 0xff, (size_t)(module->next_id + 1) * sizeof *explorer->mark_of);
    FOR_ROLES (role, kernel)
        prepare_role(explorer, role, labels);
    for (int g = 0; g < explorer->ngroups; g++)
        find_joined(explorer, &explorer->groups[g]);
    list_joiners(explorer);
    list_asked(explorer);
    list_members(explorer);
    list_sharers(explorer);
    list_ends(explorer);
    explorer->failed = !reuse_init(explorer);
    for (int g = 0; g < explorer->ngroups; g++)
        finish_group(explorer, g);
    explorer->waited = arena_alloc(module, (size_t)explorer->narefs + 1);
    explorer->pingpong_groups = 1;
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_PINGPONG_TAKE, NULL) || role_has_op(role, OP_PINGPONG_PASS, NULL))
            explorer->pingpong_groups = role->replicas;
    keys_init(explorer);
}
