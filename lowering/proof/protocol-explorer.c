/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-explorer.c - what is known of the groups before any of them takes a step.
 *
 *   va = view ta[slot]        a mark: it is of interest which put that is, up to the product that reads it
 *   x2 = mul x, 2             nothing that others see or wait for: passed over
 *   for k: ...                a decision: the producer's loop and the consumers' go by the same outcomes
 *   if (ws_at(v, i) > 0)      one of each block of a cluster, where v is not the same in all
 *   consumer x 2              one for both, if its program is not about which of them it is
 */
#include <string.h>

#include "ir/queries.h"
#include "machine/plan.h"
#include "proof/protocol.h"
#include "ir/slice.h"

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
    Explorer *in;
    Group *group;
    bool changed;
} Marker;

static void give_mark(Marker *marker, const Value *value)
{
    if (marker->in->mark_of[value->id] >= 0)
        return;
    marker->in->mark_of[value->id] = marker->group->nmarks++;
    marker->changed = true;
}

static bool has_mark(const Marker *marker, const Value *value)
{
    return marker->in->mark_of[value->id] >= 0;
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
    const Explorer *in;
    Life *lives;
} Aging;

static void born(const Aging *aging, const Value *value, int from)
{
    int mark = aging->in->mark_of[value->id];
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

/* A use inside a loop that the value enters from outside lasts to the loop's end.  */
static void visit_uses(Op *op, void *context)
{
    const Aging *aging = context;
    for (int i = 0; i < op->nargs; i++) {
        const Value *value = op->args[i];
        int mark = aging->in->mark_of[value->id];
        if (mark < 0)
            continue;
        const Op *loop = order_outer_loop(op, value->def ? value->def->parent : value->block);
        int to = loop ? order_end(loop) : op->position;
        aging->lives[mark].to = to > aging->lives[mark].to ? to : aging->lives[mark].to;
    }
}

/* Does the op do anything that others may see or wait for?  */
static bool of_interest(const Op *op, const void *context)
{
    const Explorer *in = context;
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_SYNC || class_ == CLASS_STORE || class_ == CLASS_LOAD || op->code == OP_GRID)
        return true;
    for (int i = 0; i < op->nargs; i++)
        if (in->mark_of[op->args[i]->id] >= 0)
            return true;
    return false;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

enum { LIST_STEP = 32 };

/* The list, or a longer copy of it, with one op more.  */
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

/* The blocks of a cluster decide alike where nothing differs between them that the decision depends on, or how often it
   comes: the first block that decides as this one does.  */
static int first_that_agrees(const Explorer *in, const Op *source, int block)
{
    int differing = variance_of_decision(&in->variance, source) | variance_around(&in->variance, source);
    int columns = in->kernel->grid.cluster[1] ? in->kernel->grid.cluster[1] : 1;
    int row = differing & VARIES_X ? block / columns : 0, column = differing & VARIES_Y ? block % columns : 0;
    return row * columns + column;
}

static int decision_index(Explorer *in, const Op *source, int block)
{
    Module *module = in->kernel->module;
    block = first_that_agrees(in, source, block);
    for (int i = 0; i < in->ndecisions; i++)
        if (in->decisions[i] == source && in->decision_blocks[i] == block)
            return i;
    in->decisions = list_add(module, in->decisions, in->ndecisions, source);
    int *blocks = arena_alloc(module, (size_t)(in->ndecisions + 1) * sizeof *blocks);
    if (in->ndecisions)
        memcpy(blocks, in->decision_blocks, (size_t)in->ndecisions * sizeof *blocks);
    in->decision_blocks = blocks;
    blocks[in->ndecisions] = block;
    return in->ndecisions++;
}

typedef struct {
    Explorer *in;
    Group *group;
} Decider;

/* Do other groups depend on how often the op runs, or which arm?  What a group that passes over another's tile leaves
   out is its own affair.  */
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
    if (op->nblocks && !ir_any(op, of_interest, decider->in))
        *of = DECIDE_NOTHING;
    else if (source && ir_any(op, is_shared, NULL))
        *of = decision_index(decider->in, source, decider->group->block);
}

/* ---- what steps are about ---------------------------------------------------------------------------------------- */

/* Is anything of interest among the operands?  The text of one without a variable stands in the statement that uses
   it. */
static bool has_look(const Explorer *in, const Op *op)
{
    if (op_info[op->code].class_ == CLASS_LOAD && (op->storage || stores_to(in, op->args[0])))
        return true;
    if (in->reuses && op->storage && op->storage->use == USE_SCRATCH)
        return true;
    for (int i = 0; i < op->nargs; i++) {
        const Op *part = op->args[i]->var ? NULL : op->args[i]->def;
        if (in->mark_of[op->args[i]->id] >= 0 || (in->named && part && op_is_pure(part) && has_look(in, part)))
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

/* The first question within a block, about a branch: one way leads there, from the question of what is around it,
   unless blocks of a cluster that took that together ask one after the other.  */
static bool asks_in_turn(const Explorer *in, const Group *group, const Op *op)
{
    const Op *around = op->parent->parent, *before = op->prev;
    const int *decisions = group->decision_of;
    while (before && !asks(group, before))
        before = before->prev;
    return op->code == OP_IF && !before && around && decisions[around->position] >= 0 &&
           blocks_that_decide(in, decisions[around->position]) == blocks_that_decide(in, decisions[op->position]) &&
           (around->code != OP_WHILE || op->parent == around->blocks[1]);
}

typedef struct {
    const Explorer *in;
    const Group *group;
} Abouts;

static void visit_about(Op *op, void *context)
{
    const Abouts *at = context;
    bool looks = (!at->in->named || op_is_printed(op)) && has_look(at->in, op);
    bool waits =
        op->code == OP_GET || op->code == OP_PINGPONG_TAKE || op->code == OP_ROLE_BARRIER || op_meets_blocks(op);
    at->group->about[op->position] = (looks ? ABOUT_OPERANDS : 0) | (waits ? ABOUT_WAITING : 0) |
                                     (looks || has_effect(op) ? ABOUT_PROTOCOL : 0) |
                                     (asks_in_turn(at->in, at->group, op) ? ABOUT_SAME_WAY : 0);
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
    const Explorer *in;
    const Labels *labels;
    bool differ;
} Blocks;

static void visit_differing(Op *op, void *context)
{
    Blocks *blocks = context;
    const Op *source = op->position < blocks->labels->count ? blocks->labels->source[op->position] : NULL;
    if (source && ir_any(op, is_shared, NULL))
        blocks->differ |=
            (variance_of_decision(&blocks->in->variance, source) | variance_around(&blocks->in->variance, source)) != 0;
}

/* Blocks that decide alike do all together, step by step; those that sum parts, too: protocol.c, 6 and 7.  */
static int blocks_apart(const Explorer *in, const Labels *labels)
{
    Blocks blocks = {in, NULL, false};
    FOR_ROLES (role, in->kernel) {
        blocks.labels = &labels[role->id];
        ir_walk(role->body, visit_differing, &blocks);
    }
    return blocks.differ && !in->kernel->grid.parts ? cluster_size(in->kernel) : 1;
}

/* ---- the explorer ------------------------------------------------------------------------------------------------ */

static void visit_direct_store(Op *op, void *context)
{
    Explorer *in = context;
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op) || op->storage)
        return;
    in->stores = list_add(in->kernel->module, in->stores, in->nstores++, op);
}

static void visit_stage(Op *op, void *context)
{
    const Decider *at = context;
    if (op->code == OP_STAGE && op->storage->use == USE_OUTPUT)
        at->group->stages[storage_place(at->in->kernel, op->storage)] = true;
}

static void prepare_decisions(Explorer *in, Group *group)
{
    size_t bytes = (size_t)(group->labels->count + 1) * sizeof(int);
    group->decision_of = arena_alloc(in->kernel->module, bytes);
    memset(group->decision_of, 0xff, bytes);
    group->about = arena_alloc(in->kernel->module, (size_t)group->labels->count + 1);
    group->next = arena_alloc(in->kernel->module, (size_t)(group->labels->count + 1) * sizeof *group->next);
    Decider decider = {in, group};
    ir_walk(group->role->body, visit_decision, &decider);
}

static void prepare_role(Explorer *in, Role *role, const Labels *labels)
{
    Module *module = in->kernel->module;
    Group first = {.role = role, .labels = &labels[role->id]};
    Marker marker = {in, &first, true};
    while (marker.changed) {
        marker.changed = false;
        ir_walk(role->body, visit_marks, &marker);
    }
    first.lives = arena_alloc(module, (size_t)(first.nmarks + 1) * sizeof *first.lives);
    Aging aging = {in, first.lives};
    ir_walk(role->body, visit_births, &aging);
    ir_walk(role->body, visit_uses, &aging);
    first.first_store = in->nstores;
    ir_walk(role->body, visit_direct_store, in);
    first.end_store = in->nstores;
    first.touches = arena_alloc(module, (size_t)in->nstorages + 1);
    first.stages = arena_alloc(module, (size_t)in->nstorages + 1);
    Decider decider = {in, &first};
    ir_walk(role->body, visit_stage, &decider);
    for (first.block = 0; first.block < in->nblocks; first.block++) {
        prepare_decisions(in, &first);
        first.count = in->reuses || ir_any_of(role->body, is_about_itself, &first) ? 1 : role->replicas;
        for (first.number = 0; first.number < role->replicas; first.number += first.count)
            in->groups[in->ngroups++] = first;
    }
}

static void find_joined(const Explorer *in, Group *group)
{
    group->joins = arena_alloc(in->kernel->module, (size_t)in->ndecisions + 1);
    for (int i = 0; i < group->labels->count; i++)
        if (group->decision_of[i] >= 0)
            group->joins[group->decision_of[i]] = true;
}

/* Who takes each decision.  */
static void list_joiners(Explorer *in)
{
    Module *module = in->kernel->module;
    in->joined = arena_alloc(module, (size_t)(in->ndecisions + 1) * sizeof *in->joined);
    in->joiners = arena_alloc(module, (size_t)(in->ndecisions + 1) * sizeof *in->joiners);
    for (int d = 0; d < in->ndecisions; d++) {
        int *to = in->joiners[d] = arena_alloc(module, (size_t)(in->ngroups + 1) * sizeof *to);
        for (int g = 0; g < in->ngroups; g++)
            if (in->groups[g].joins[d]) {
                in->joined[d] |= (uint64_t)1 << in->groups[g].block;
                *to++ = g;
            }
        *to = -1;
    }
}

/* Each block's own decisions, and those of several.  */
static void list_asked(Explorer *in)
{
    Module *module = in->kernel->module;
    in->asked_in = arena_alloc(module, (size_t)(in->nblocks + 1) * sizeof *in->asked_in);
    for (int block = 0; block <= in->nblocks; block++) {
        int *to = in->asked_in[block] = arena_alloc(module, (size_t)(in->ndecisions + 1) * sizeof *to);
        for (int d = 0; d < in->ndecisions; d++) {
            bool several = in->joined[d] & (in->joined[d] - 1);
            if (block == in->nblocks ? several : in->joined[d] == (uint64_t)1 << block)
                *to++ = d;
        }
        *to = -1;
    }
}

static void list_members(Explorer *in)
{
    in->nmembers = in->ngroups / in->nblocks;
    in->members = arena_alloc(in->kernel->module, (size_t)(in->ngroups + 1) * sizeof *in->members);
    for (int block = 0, place = 0; block < in->nblocks; block++)
        for (int g = 0; g < in->ngroups; g++)
            if (in->groups[g].block == block)
                in->members[place++] = g;
}

static void list_sharers(Explorer *in)
{
    in->sharers = arena_alloc(in->kernel->module, (size_t)((ALONG_ALL + 1) * in->nblocks) * sizeof *in->sharers);
    for (int along = ALONG_NONE; along <= ALONG_ALL; along++)
        for (int block = 0; block < in->nblocks; block++)
            for (int other = 0; other < in->nblocks; other++)
                if (cluster_shares(in->kernel, along, block, other))
                    in->sharers[along * in->nblocks + block] |= (uint64_t)1 << other;
}

typedef struct {
    const Explorer *in;
    unsigned char *ends; /* by ring */
    Group *group;
    bool has_barriers;
} Ends;

static void visit_ends(Op *op, void *context)
{
    Ends *in = context;
    if (op->storage && (op->storage->use != USE_RING || op->code == OP_PUT_TILE))
        in->group->touches[storage_place(in->in->kernel, op->storage)] = true;
    in->group->multiplies |= op->code == OP_MMA;
    in->group->in_pingpong |= op->code == OP_PINGPONG_TAKE || op->code == OP_PINGPONG_PASS;
    if (op->code == OP_PUT)
        in->ends[op->aref->id] |= PUTS;
    if (op->code == OP_GET || op->code == OP_CONSUMED || op->code == OP_SKIP)
        in->ends[op->aref->id] |= GETS;
    in->has_barriers |= op->code == OP_ROLE_BARRIER || op_meets_blocks(op);
}

/* Which groups have to do with which ring, and which memory.  */
static void list_ends(Explorer *in)
{
    size_t rings = (size_t)in->narefs;
    in->ends = arena_alloc(in->kernel->module, (size_t)in->ngroups * rings + 1);
    for (int g = 0; g < in->ngroups; g++) {
        Group *group = &in->groups[g];
        Ends its = {in, in->ends + (size_t)g * rings, group, in->has_barriers};
        if (g > 0 && group->role == group[-1].role) {
            memcpy(its.ends, its.ends - rings, rings);
            group->multiplies = group[-1].multiplies;
            group->in_pingpong = group[-1].in_pingpong;
        } else {
            ir_walk(group->role->body, visit_ends, &its);
        }
        in->has_barriers = its.has_barriers;
    }
}

static void finish_group(Explorer *in, int index)
{
    Group *group = &in->groups[index];
    Abouts abouts = {in, group};
    if (group->number == 0)
        ir_walk(group->role->body, visit_about, &abouts);
    if (group->number == 0)
        ir_walk(group->role->body, visit_next, &abouts);
}

void explorer_init(Explorer *in, Kernel *kernel, const Labels *labels)
{
    Module *module = kernel->module;
    int groups = 0;
    *in =
        (Explorer){.kernel = kernel, .by_tiles = kernel->grid.split == SPLIT_TILES, .named = kernel->variables != NULL};
    in->variance = variance_new(kernel);
    in->nblocks = blocks_apart(in, labels);
    FOR_ROLES (role, kernel)
        groups += role->replicas;
    FOR_AREFS (aref, kernel)
        in->narefs = aref->id + 1 > in->narefs ? aref->id + 1 : in->narefs;
    FOR_STORAGES (storage, kernel)
        in->nstorages++;
    reuse_find(in);
    in->groups = arena_alloc(module, (size_t)(groups * in->nblocks + 1) * sizeof *in->groups);
    in->arefs = arena_alloc(module, (size_t)(in->narefs + 1) * sizeof *in->arefs);
    in->slots = arena_alloc(module, (size_t)(in->narefs + 1) * sizeof *in->slots);
    FOR_AREFS (aref, kernel) {
        in->arefs[aref->id] = aref;
        in->slots[aref->id] = aref->slots;
    }
    in->mark_of = arena_alloc(module, (size_t)(module->next_id + 1) * sizeof *in->mark_of);
    memset(in->mark_of, 0xff, (size_t)(module->next_id + 1) * sizeof *in->mark_of);
    FOR_ROLES (role, kernel)
        prepare_role(in, role, labels);
    for (int g = 0; g < in->ngroups; g++)
        find_joined(in, &in->groups[g]);
    list_joiners(in);
    list_asked(in);
    list_members(in);
    list_sharers(in);
    list_ends(in);
    in->failed = !reuse_init(in);
    for (int g = 0; g < in->ngroups; g++)
        finish_group(in, g);
    in->waited = arena_alloc(module, (size_t)in->narefs + 1);
    in->pingpong_groups = 1;
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_PINGPONG_TAKE, NULL) || role_has_op(role, OP_PINGPONG_PASS, NULL))
            in->pingpong_groups = role->replicas;
    keys_init(in);
}
