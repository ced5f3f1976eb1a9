/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-staging.c - memory that TMA copies out, and memory that the groups of a role write together.
 *
 *      store_wait 1           of the copies out of each staging at most the newest is still read
 *      stage x -> c_out       a buffer of two: nothing reads it
 *      fence                  each thread's part is visible to TMA
 *      store c, i, j, box     the copy is under way; the next buffer's turn
 *
 *      gather x -> g          write 3 of g by this group, at its barrier 5: nobody reads write 1, which had that slot
 *      fence; role_barrier    barrier 6: all have written and fenced
 *      mma a, g, acc          reads write 3; the group may overwrite what it has read by barrier 7 behind that barrier
 *
 * Copies out of one staging end in the order in which they began.  So the state has only the number of newest copies
 * that may still read.  At the start all buffers count as read, which is the worst case.
 *
 * For memory that groups share, each group stores its barrier count at its last write, fence and read of each slot.
 * Two groups with equal counts are between the same two barriers.  Actions of one before its n-th barrier are visible
 * to the other behind that other's n-th barrier.  The second of two actions, in the order of the search, checks the
 * first.
 */
#include "proof/protocol.h"
#include "target/machine.h"
#include "target/storage.h"

/* ---- out through TMA --------------------------------------------------------------------------------------------- */

/* Checks that the group holds the turn, if the groups of the role share the storage.  */
static bool has_turn(Explorer *explorer, const State *state, int group, const Op *op, const char *what)
{
    if (op->storage->slots >= explorer->groups[group].role->replicas || state->groups[group].holds_turn)
        return true;
    return violates(explorer, state, group, op, RULE_OUT_OF_TURN, what, op->storage->name);
}

/* Checks that no copy reads the next `boxes` buffers.  */
static bool are_free(Explorer *explorer, const State *state, int group, const Op *op, int boxes)
{
    int copying = state->groups[group].copying[storage_place(explorer->kernel, op->storage)];
    int buffers = machine_output_buffers(op->storage->tile);
    return copying + boxes <= buffers ||
           violates(explorer, state, group, op, RULE_STAGED_IN_COPY, op->storage->name, buffers, copying);
}

static int boxes_of(const Op *stage)
{
    return stage->sync->box ? 1 : machine_boxes(stage->args[0]->type);
}

/* Several boxes start at the first buffer, so all buffers have to be free.  */
bool run_stage_out(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    int place = storage_place(explorer->kernel, op->storage), boxes = boxes_of(op);
    int needed = boxes == 1 ? 1 : machine_output_buffers(op->storage->tile);
    if (!has_turn(explorer, state, group, op, "stages") || !are_free(explorer, state, group, op, needed))
        return false;
    if (!reuse_write(explorer, state, group, op))
        return false;
    self->fresh[place] = (Written){true, false};
    *mark_at(explorer, state, group, op->results[0]) = (Mark){MARK_STAGED_VIEW, place, ++self->written[place]};
    return true;
}

/* A load passes through the next buffer, and overwrites anything staged there.  */
bool run_load_staged(Explorer *explorer, State *state, int group, const Op *op)
{
    state->groups[group].written[storage_place(explorer->kernel, op->storage)]++;
    return has_turn(explorer, state, group, op, "loads") && are_free(explorer, state, group, op, 1) &&
           reuse_write(explorer, state, group, op);
}

bool run_copy_out(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    int place = storage_place(explorer->kernel, op->storage);
    const Mark *box = mark_at(explorer, state, group, op->args[op->nargs - 1]);
    if (!box || box->kind != MARK_STAGED_VIEW || box->place != place || box->index != self->written[place])
        return violates(explorer, state, group, op, RULE_COPY_OF_NOTHING, op->storage->name);
    if (self->fresh[place].unfenced)
        return violates(explorer, state, group, op, RULE_COPY_UNFENCED, op->storage->name);
    if (!reuse_look(explorer, state, group, op, box))
        return false;
    self->copying[place] += boxes_of(op->args[op->nargs - 1]->def);
    self->written[place]++;
    return has_turn(explorer, state, group, op, "stores");
}

void run_store_wait(const Explorer *explorer, GroupState *self, const Op *op)
{
    for (int s = 0; s < explorer->nstorages; s++)
        if (self->copying[s] > op->sync->pending)
            self->copying[s] = op->sync->pending;
}

bool copies_are_out(const Explorer *explorer, const GroupState *self)
{
    for (int s = 0; s < explorer->nstorages; s++)
        if (self->copying[s])
            return false;
    return true;
}

/* ---- written by all groups of a role ----------------------------------------------------------------------------- */

static bool is_beside(const Explorer *explorer, int group, int other)
{
    return explorer->groups[group].role == explorer->groups[other].role &&
           explorer->groups[group].block == explorer->groups[other].block;
}

static Gathered *slot_of_write(const Storage *storage, GroupState *self, int place, int write)
{
    return &self->gathered[place][(write - 1) % storage->slots];
}

/* Writes the group's rows.  Fails if another group may still read the slot's earlier write, with no role barrier
   between.  */
bool run_gather(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    const Storage *storage = op->storage;
    int place = storage_place(explorer->kernel, storage);
    int write = ++self->written[place];
    for (int i = 0; i < self->nreadings; i++)
        if (self->readings[i].kind == MARK_STAGED_VIEW && self->readings[i].place == place &&
            (write - self->readings[i].index) % storage->slots == 0)
            return violates(explorer, state, group, op, RULE_GATHERED_IN_FLIGHT, storage->name);
    for (int g = 0; g < explorer->ngroups; g++) {
        const Gathered *there = slot_of_write(storage, &state->groups[g], place, write);
        if (is_beside(explorer, group, g) && (there->write > write || there->looked >= self->barriers))
            return violates(explorer, state, group, op, RULE_GATHERED_UNREAD, storage->name, group_name(explorer, g));
    }
    Gathered *here = slot_of_write(storage, self, place, write);
    *here = (Gathered){write, self->barriers, NOT_YET, here->looked};
    *mark_at(explorer, state, group, op->results[0]) = (Mark){MARK_STAGED_VIEW, place, write};
    return true;
}

void fence_gathered(const Explorer *explorer, GroupState *self)
{
    for (int s = 0; s < explorer->nstorages; s++)
        for (int slot = 0; self->gathered[s] && slot < MAX_GATHERED; slot++)
            if (self->gathered[s][slot].fenced == NOT_YET)
                self->gathered[s][slot].fenced = self->barriers;
}

/* Checks at the start of a read that all groups have written their parts and, for tensor cores, have fenced them.  */
bool check_gathered(Explorer *explorer, State *state, int group, const Op *op, const Mark *view)
{
    const Storage *storage = storage_at(explorer, view->place);
    bool engine = op->code == OP_MMA;
    for (int g = 0; g < explorer->ngroups; g++) {
        const Gathered *part = slot_of_write(storage, &state->groups[g], view->place, view->index);
        if (!is_beside(explorer, group, g))
            continue;
        if (part->write != view->index)
            return violates(explorer, state, group, op, RULE_GATHERED_UNWRITTEN, storage->name, group_name(explorer, g),
                            part->write < view->index ? "nothing yet" : "something else by then");
        if (engine && part->fenced == NOT_YET)
            return violates(explorer, state, group, op, RULE_PRODUCT_UNFENCED_PART, storage->name,
                            group_name(explorer, g));
        if ((engine ? part->fenced : part->wrote) >= state->groups[group].barriers)
            return violates(explorer, state, group, op, RULE_GATHERED_UNMET, storage->name, group_name(explorer, g));
    }
    return true;
}

/* Checks at the end of a read that no group has written there since, and stores the barrier count.  */
bool end_look(Explorer *explorer, State *state, int group, const Op *op, int place, int write)
{
    GroupState *self = &state->groups[group];
    const Storage *storage = storage_at(explorer, place);
    for (int g = 0; g < explorer->ngroups; g++) {
        const Gathered *there = slot_of_write(storage, &state->groups[g], place, write);
        if (is_beside(explorer, group, g) && there->write > write && there->wrote <= self->barriers)
            return violates(explorer, state, group, op, RULE_GATHERED_AGAIN, storage->name, group_name(explorer, g));
    }
    slot_of_write(storage, self, place, write)->looked = self->barriers;
    return true;
}
