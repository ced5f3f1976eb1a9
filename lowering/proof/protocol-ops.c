/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-ops.c - what a group does to slots, products, staged memory and turns, and what is wrong with it.
 *
 *   slot = get           put 7 is held                   va = view ta[slot]      a window of put 7
 *   mma va, vb, acc      the group's open products       commit                  ... are group 12 now
 *                        read puts 7
 *   wait pending 1       groups up to 11 have ended      consumed keep 1         put 6 is released: nothing reads it
 *
 * Each rule is one test in here.  A slot is looked at only while it is held, a tile only behind a wait that named it and let
 * its product end; memory that a product reads is neither released nor written; what one thread reads or writes and another
 * writes stands on two sides of a barrier; bytes are those that the ring expects.
 */
#include <string.h>

#include "machine/machine.h"
#include "machine/plan.h"
#include "proof/protocol.h"

bool violates(Explorer *in, const World *world, int group, const Op *op, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    Module *module = in->kernel->module;
    const char *what = arena_vprint(module, format, list);
    va_end(list);
    if (!in->failed)
        reject_text(in->kernel, op && op->loc.line ? op->loc : in->kernel->loc,
                    arena_print(module, "'%s' %s%s", group_name(in, group), what, place_of(in, world, group, op)), "");
    in->failed = true;
    return false;
}

enum { NOTHING_KNOWN = -1000000 };

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static bool is_held(const State *state, const Mark *mark)
{
    const End *gets = &state->gets[mark->place];
    return mark->index < gets->next && mark->index >= gets->next - gets->held;
}

static int slot_of(const Explorer *in, int ring, int index)
{
    return (int)(index % in->slots[ring]);
}

static bool run_put(Explorer *in, World *world, int group, const Op *op)
{
    const Aref *aref = op->aref;
    End *puts = &world->states[group].puts[aref->id];
    if (puts->filling)
        return violates(in, world, group, op, "puts into '%s' before its last put is done", aref->name);
    int block = in->groups[group].block;
    for (int g = 0; g < in->ngroups; g++)
        if (g != group && in->groups[g].block == block &&
            (world->states[g].puts[aref->id].next || world->states[g].puts[aref->id].filling))
            return violates(in, world, group, op, "puts into '%s', which '%s' fills", aref->name, group_name(in, g));
    puts->filling = true;
    world->released[ring_at(in, block, aref->id)][slot_of(in, aref->id, puts->next)] = 0;
    if (op->nresults)
        *mark_at(in, world, group, op->results[0]) = (Mark){MARK_PUT, aref->id, puts->next};
    return true;
}

static bool is_being_filled(const State *state, const Mark *slot, const Aref *aref)
{
    const End *puts = &state->puts[aref->id];
    return slot && slot->kind == MARK_PUT && slot->place == aref->id && puts->filling && slot->index == puts->next;
}

/* Blocks that do what this one does to a ring, at once with it.  */
static int blocks_at_once(const Explorer *in, int along)
{
    return in->nblocks == 1 ? cluster_sharers(in->kernel, along) : 1;
}

static bool run_copy_in(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    const Aref *aref = op->aref;
    if (!is_being_filled(state, mark_at(in, world, group, op->args[0]), aref))
        return violates(in, world, group, op, "copies into '%s' outside its put", aref->name);
    int block = in->groups[group].block, slot = slot_of(in, aref->id, state->puts[aref->id].next);
    Type share = op->storage->tile;
    share.rows = op->transfer->along ? op->transfer->share : share.rows;
    for (int to = 0; to < cluster_size(in->kernel); to++)
        if (cluster_shares(in->kernel, op->transfer->along, block, to) &&
            !cluster_shares(in->kernel, aref->along, block, to))
            return violates(in, world, group, op, "copies into '%s' of block %d, for whose slots it does not wait",
                            aref->name, to);
    for (int to = 0; to < in->nblocks; to++)
        if (cluster_shares(in->kernel, op->transfer->along, block, to))
            world->brought[ring_at(in, to, aref->id)][slot] +=
                machine_copy_bytes(share) * blocks_at_once(in, op->transfer->along);
    return true;
}

/* All of a tile, by the threads themselves.  */
static bool run_put_tile(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    const Aref *aref = op->aref;
    if (!is_being_filled(state, mark_at(in, world, group, op->args[0]), aref))
        return violates(in, world, group, op, "writes to '%s' outside its put", aref->name);
    int slot = slot_of(in, aref->id, state->puts[aref->id].next);
    world->brought[ring_at(in, in->groups[group].block, aref->id)][slot] += machine_tile_bytes(op->storage->tile);
    state->fresh[storage_place(in->kernel, op->storage)] = (Written){true, true};
    return true;
}

/* The blocks whose slots are full with this put have all bytes of it.  */
static bool check_bytes(Explorer *in, World *world, int block, const Op *op, int index)
{
    const Aref *aref = op->aref;
    for (uint64_t rest = blocks_sharing(in, aref->along, block); rest; rest &= rest - 1) {
        int to = __builtin_ctzll(rest);
        int64_t *brought = &world->brought[ring_at(in, to, aref->id)][slot_of(in, aref->id, index)];
        if (puts_done(in, world, to, aref->id) <= index)
            continue;
        if (*brought != aref->bytes) {
            reject(in->kernel, op->loc, REASON_BYTES, aref->name, (long long)aref->bytes, (long long)*brought);
            in->failed = true;
            return false;
        }
        *brought = 0;
    }
    return true;
}

static bool run_put_done(Explorer *in, World *world, int group, const Op *op)
{
    const Aref *aref = op->aref;
    State *state = &world->states[group];
    End *puts = &state->puts[aref->id];
    if (!is_being_filled(state, mark_at(in, world, group, op->args[0]), aref))
        return violates(in, world, group, op, "ends a put of '%s' that has not begun", aref->name);
    for (int i = 0; i < aref->nstorages; i++) {
        const Written *fresh = &state->fresh[storage_place(in->kernel, aref->storages[i])];
        if (fresh->unfenced || fresh->unmet)
            return violates(in, world, group, op, "hands on '%s', which its threads wrote, without %s between",
                            aref->storages[i]->name, fresh->unfenced ? "a fence" : "a barrier behind the fence");
    }
    puts->filling = false;
    state->known[aref->id] = ++puts->next;
    world->made[ring_at(in, in->groups[group].block, aref->id)] = puts->next;
    world->stirred |= blocks_sharing(in, aref->along, in->groups[group].block);
    return check_bytes(in, world, in->groups[group].block, op, puts->next - 1);
}

/* The barrier of a slot tells odd rounds from even ones: a get that comes before the round before its own is done would take
   the one before that for its own.  */
static bool check_round(Explorer *in, const World *world, int group, const Op *op)
{
    const State *state = &world->states[group];
    const Aref *aref = op->aref;
    int index = state->gets[aref->id].next, before = index - in->slots[aref->id];
    if (state->known[aref->id] > before)
        return true;
    in->again = state->known[aref->id] < 0;
    in->exact |= in->again;
    return !in->again &&
           violates(in, world, group, op,
                    "may come to the get of put %d of '%s' before put %d, the same slot's last, is done, and take it "
                    "for that",
                    index, aref->name, before);
}

static bool run_get(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    End *gets = &state->gets[op->aref->id];
    if (!check_round(in, world, group, op))
        return false;
    state->known[op->aref->id] = gets->next + 1;
    if (op->nresults)
        *mark_at(in, world, group, op->results[0]) = (Mark){MARK_GOT, op->aref->id, gets->next};
    gets->next++;
    gets->held++;
    return true;
}

static const Reading *reading_of(const State *state, MarkKind kind, int place, int index)
{
    for (int i = 0; i < state->nreadings; i++) {
        const Reading *reading = &state->readings[i];
        if (reading->kind == kind && reading->place == place && (index < 0 || reading->index == index))
            return reading;
    }
    return NULL;
}

static bool release(Explorer *in, World *world, int group, const Op *op, int index)
{
    const Aref *aref = op->aref;
    int slot = slot_of(in, aref->id, index);
    if (reading_of(&world->states[group], MARK_RING_VIEW, aref->id, index)) {
        reject(in->kernel, op->loc, REASON_RELEASED_EARLY, group_name(in, group), aref->name,
               arena_print(in->kernel->module, "a product in flight reads slot %d (put %d)%s", slot, index,
                           place_of(in, world, group, op)));
        in->failed = true;
        return false;
    }
    const Group *of = &in->groups[group];
    const uint64_t sharing = blocks_sharing(in, aref->along, of->block);
    world->stirred |= sharing;
    for (uint64_t rest = sharing; rest; rest &= rest - 1) {
        int *released = &world->released[ring_at(in, __builtin_ctzll(rest), aref->id)][slot];
        *released += of->count * blocks_at_once(in, aref->along);
        if (*released <= aref->arrivals)
            continue;
        reject(in->kernel, in->kernel->loc, REASON_ARRIVALS, aref->name, aref->arrivals, *released);
        in->failed = true;
        return false;
    }
    return true;
}

static bool run_consumed(Explorer *in, World *world, int group, const Op *op)
{
    End *gets = &world->states[group].gets[op->aref->id];
    while (gets->held > op->sync->keep) {
        if (!release(in, world, group, op, gets->next - gets->held))
            return false;
        gets->held--;
    }
    return true;
}

/* Nothing is known of puts that are passed over: less than at the beginning, when there are none to know of, unless that is
   asked for.  */
void pass_over(const Explorer *in, World *world, int group, const Op *op, int64_t puts)
{
    State *state = &world->states[group];
    state->gets[op->aref->id].next += (int)puts;
    state->known[op->aref->id] = in->exact ? 0 : NOTHING_KNOWN;
}

static bool run_skip(Explorer *in, World *world, int group, const Op *op)
{
    End *gets = &world->states[group].gets[op->aref->id];
    if (gets->held)
        return violates(in, world, group, op, "passes over puts of '%s' while it holds slots of it", op->aref->name);
    pass_over(in, world, group, op, op->sync->count);
    return true;
}

/* ---- looking at memory and tiles --------------------------------------------------------------------------------- */

const Storage *storage_at(const Explorer *in, int place)
{
    const Storage *storage = in->kernel->storages;
    while (place--)
        storage = storage->next;
    return storage;
}

/* The matrix units look at memory past what threads see of it.  */
static bool check_fresh(Explorer *in, const World *world, int group, const Op *op, int place)
{
    const Written *fresh = &world->states[group].fresh[place];
    const char *name = storage_at(in, place)->name;
    if (op->code == OP_MMA && fresh->unfenced)
        return violates(in, world, group, op, "lets a product read '%s', which was written, without a fence between",
                        name);
    return !fresh->unmet ||
           violates(in, world, group, op, "reads '%s', which other threads of it wrote%s, without a barrier between",
                    name, op->code == OP_MMA ? " and fenced" : "");
}

static bool check_view(Explorer *in, World *world, int group, const Op *op, const Mark *view)
{
    const State *state = &world->states[group];
    if (view->kind == MARK_RING_VIEW && !is_held(state, view)) {
        const Aref *aref = in->arefs[view->place];
        return violates(in, world, group, op, "reads slot %d of '%s' (put %d) that it does not hold at '%s'",
                        slot_of(in, view->place, view->index), aref->name, view->index, op_info[op->code].text);
    }
    if (view->kind == MARK_STAGED_VIEW && storage_at(in, view->place)->use == USE_GATHERED)
        return check_gathered(in, world, group, op, view);
    if (view->kind == MARK_STAGED_VIEW && view->index != state->written[view->place])
        return violates(in, world, group, op, "reads staged memory after it was written again at '%s'",
                        op_info[op->code].text);
    if (view->kind == MARK_STAGED_VIEW && !check_fresh(in, world, group, op, view->place))
        return false;
    return view->kind == MARK_RING_VIEW || view->kind == MARK_STAGED_VIEW ||
           violates(in, world, group, op, "reads memory that nobody wrote at '%s'", op_info[op->code].text);
}

/* A look at staged memory is over.  */
static bool has_read(Explorer *in, World *world, int group, const Op *op, int place, int index)
{
    if (storage_at(in, place)->use == USE_GATHERED)
        return end_look(in, world, group, op, place, index);
    world->states[group].read[place] = true;
    return true;
}

/* Handing a tile on is no look at it, adding to an accumulator in flight neither.  */
static bool looks_at(const Op *op, int arg)
{
    if (op->code == OP_MMA)
        return arg != 2;
    return op->code != OP_WAIT && op_info[op->code].class_ != CLASS_CONTROL;
}

static bool check_operands(Explorer *in, World *world, int group, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Mark *mark = mark_at(in, world, group, op->args[i]);
        if (!mark || (op_info[op->code].class_ == CLASS_STORE && op->storage))
            continue;
        if (op->args[i]->type.kind == K_VIEW && op->code != OP_TRANS_VIEW && !check_view(in, world, group, op, mark))
            return false;
        if (mark->kind == MARK_TOKEN && looks_at(op, i))
            return violates(in, world, group, op, "looks at a product in flight at '%s'", op_info[op->code].text);
        if (mark->kind == MARK_STAGED_VIEW && op->code != OP_MMA && op->code != OP_TRANS_VIEW &&
            !has_read(in, world, group, op, mark->place, mark->index))
            return false;
    }
    return true;
}

static bool run_view(Explorer *in, World *world, int group, const Op *op)
{
    Mark *result = mark_at(in, world, group, op->results[0]);
    if (op->storage->use != USE_RING) {
        int place = storage_place(in->kernel, op->storage);
        *result = (Mark){MARK_STAGED_VIEW, place, world->states[group].written[place]};
        return true;
    }
    const Mark *slot = op->nargs ? mark_at(in, world, group, op->args[0]) : NULL;
    if (!slot || slot->kind != MARK_GOT || in->arefs[slot->place] != op->aref)
        return violates(in, world, group, op, "looks at '%s' with a slot that no get of its ring returned",
                        op->storage->name);
    *result = (Mark){MARK_RING_VIEW, slot->place, slot->index};
    return true;
}

static bool run_stage(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    int place = storage_place(in->kernel, op->storage);
    if (op->storage->use == USE_OUTPUT)
        return run_stage_out(in, world, group, op);
    if (reading_of(state, MARK_STAGED_VIEW, place, -1))
        return violates(in, world, group, op, "writes '%s' while a product in flight reads it", op->storage->name);
    if (state->read[place])
        return violates(in, world, group, op, "writes '%s' without a barrier behind the last look at it",
                        op->storage->name);
    if (op->storage->slots < in->groups[group].role->replicas)
        return violates(in, world, group, op, "writes '%s', which other groups write, too", op->storage->name);
    state->fresh[place] = (Written){true, true};
    *mark_at(in, world, group, op->results[0]) = (Mark){MARK_STAGED_VIEW, place, ++state->written[place]};
    return true;
}

/* Each thread fences what it wrote itself: the others hear of it at the next barrier, and those of the warp that copies its
   part out before they do.  */
static bool run_fence(Explorer *in, State *state)
{
    for (int s = 0; s < in->nstorages; s++) {
        state->fresh[s].unmet |= state->fresh[s].unfenced && storage_at(in, s)->use != USE_OUTPUT;
        state->fresh[s].unfenced = false;
    }
    fence_gathered(in, state);
    return true;
}

static bool run_barrier(Explorer *in, State *state)
{
    memset(state->read, 0, (size_t)in->nstorages * sizeof *state->read);
    for (int s = 0; s < in->nstorages; s++)
        state->fresh[s].unmet = false;
    state->stored = state->loaded = 0;
    return true;
}

/* The groups of that number in all blocks meet.  They come from as many tiles, and each waits for the others of its role in
   its own block as at a gathering, though on the machine none does: so the blocks' meetings have one order.  A turn that is
   held, or products in flight, would outlast the others' way here.  */
static bool run_sum_parts(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    if (state->holds_turn)
        return violates(in, world, group, op, "sums parts in '%s' while it holds its turn", op->storage->name);
    run_barrier(in, state);
    state->met++;
    return true;
}

/* The others of the role stand at the same meeting, or have passed it.  */
static bool others_meet(const Explorer *in, const World *world, int group, const Op *op)
{
    for (int g = 0; g < in->ngroups; g++) {
        const State *other = &world->states[g];
        int ahead = other->met - world->states[group].met;
        bool together = in->groups[g].role == in->groups[group].role && in->groups[g].block == in->groups[group].block;
        if (together && ahead <= 0 && !(ahead == 0 && other->pc == op))
            return false;
    }
    return true;
}

/* Only what is finished may be copied from one variable to another.  */
bool stays_in_place(Explorer *in, World *world, int group, const Op *op, const Value *from, const Value *to)
{
    const Mark *mark = mark_at(in, world, group, from);
    bool moves = mark && mark->kind == MARK_TOKEN && from->var && to->var && from->var != to->var;
    return !moves || violates(in, world, group, op, "copies '%s' to '%s' while a product is adding to it",
                              from->var->name, to->var->name);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static bool run_mma(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    if (!stays_in_place(in, world, group, op, op->args[2], op->results[0]))
        return false;
    for (int i = 0; i < 2; i++) {
        const Mark *mark = op->args[i]->type.kind == K_VIEW ? mark_at(in, world, group, op->args[i]) : NULL;
        if (!mark)
            continue;
        const Reading *same = reading_of(state, mark->kind, mark->place, mark->index);
        if (same && same->group == state->committed + 1)
            continue;
        if (state->nreadings == MAX_READINGS)
            return violates(in, world, group, op, "has more than %d operands of products in flight", MAX_READINGS);
        state_add_reading(in, state, state->nreadings++,
                          (Reading){mark->kind, mark->place, mark->index, state->committed + 1});
    }
    *mark_at(in, world, group, op->results[0]) = (Mark){MARK_TOKEN, 0, state->committed + 1};
    return true;
}

static bool complete(Explorer *in, World *world, int group, const Op *op, int last)
{
    State *state = &world->states[group];
    int kept = 0;
    state->completed = last > state->completed ? last : state->completed;
    for (int i = 0; i < state->nreadings; i++) {
        const Reading *reading = &state->readings[i];
        if (reading->group > state->completed)
            state->readings[kept++] = *reading;
        else if (reading->kind == MARK_STAGED_VIEW && !has_read(in, world, group, op, reading->place, reading->index))
            return false;
    }
    state->nreadings = kept;
    return true;
}

static bool run_wait(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    if (!complete(in, world, group, op, state->committed - op->sync->pending))
        return false;
    for (int i = 0; i < op->nresults; i++) {
        const Mark *from = mark_at(in, world, group, op->args[i]);
        Mark mark = from ? *from : (Mark){0};
        if (mark.kind == MARK_TOKEN && mark.index <= state->completed)
            mark = (Mark){0};
        else if (mark.kind == MARK_TOKEN && op->results[i]->type.kind == K_TILE)
            return violates(in, world, group, op, "takes a product in flight for finished: the wait leaves it out");
        else if (mark.kind == MARK_TOKEN && !stays_in_place(in, world, group, op, op->args[i], op->results[i]))
            return false;
        *mark_at(in, world, group, op->results[i]) = mark;
    }
    return true;
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* Bits of the direct stores to the memory that the tensor lies in.  */
uint64_t stores_to(const Explorer *in, const Value *tensor)
{
    uint64_t bits = 0;
    for (int i = 0; i < in->nstores; i++)
        if (tensor_memory(in->stores[i]->args[0]) == tensor_memory(tensor))
            bits |= (uint64_t)1 << i % 64;
    return bits;
}

static bool run_load(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    uint64_t stores = stores_to(in, op->args[0]);
    if (stores & state->stored)
        return violates(in, world, group, op, "loads what other threads of it stored, without a barrier between");
    state->loaded |= stores;
    return !op->storage || run_load_staged(in, world, group, op);
}

static bool run_store(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    if (op->code == OP_PRINT)
        return true;
    if (op->storage)
        return run_copy_out(in, world, group, op);
    for (int i = 0; i < in->nstores; i++) {
        uint64_t bit = (uint64_t)1 << i % 64;
        const Op *other = in->stores[i];
        if (other == op && state->loaded & bit)
            return violates(in, world, group, op, "stores what other threads of it loaded, without a barrier between");
        if (state->stored & bit && (other == op ? !store_moves_on(op) : !stores_apart(other, op)))
            return violates(in, world, group, op, "stores twice to one place without a barrier between");
        if (other == op)
            state->stored |= bit;
    }
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Can the op be carried out now?  */
bool may_pass(const Explorer *in, const World *world, int group, const Op *op)
{
    const State *state = &world->states[group];
    int block = in->groups[group].block;
    if (op->code == OP_MEET || op->code == OP_SUM_PARTS)
        return others_meet(in, world, group, op);
    if (op->code == OP_TURN_TAKE)
        return world->turns[block] % in->groups[group].role->replicas == in->groups[group].number;
    if (op->code == OP_PUT) {
        const Aref *aref = op->aref;
        int index = state->puts[aref->id].next;
        return index < in->slots[aref->id] ||
               world->released[ring_at(in, block, aref->id)][slot_of(in, aref->id, index)] >= aref->arrivals;
    }
    if (op->code == OP_GET) {
        return puts_done(in, world, block, op->aref->id) > state->gets[op->aref->id].next;
    }
    return true;
}

static bool run_turn(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    bool take = op->code == OP_TURN_TAKE;
    if (state->holds_turn == take)
        return violates(in, world, group, op, take ? "takes its turn twice" : "passes on a turn that it has not taken");
    state->holds_turn = take;
    int *turn_known = world->turn_known + ring_at(in, in->groups[group].block, 0);
    if (take) {
        for (int a = 0; a < in->narefs; a++)
            if (turn_known[a] > state->known[a])
                state->known[a] = turn_known[a];
        return true;
    }
    memcpy(turn_known, state->known, (size_t)in->narefs * sizeof *state->known);
    world->turns[in->groups[group].block]++;
    FOR_STORAGES (storage, in->kernel)
        if (state->copying[storage_place(in->kernel, storage)] && storage->slots < in->groups[group].role->replicas)
            return violates(in, world, group, op, "passes on its turn while copies out of '%s' may be under way",
                            storage->name);
    return true;
}

static bool run_sync(Explorer *in, World *world, int group, const Op *op)
{
    State *state = &world->states[group];
    switch (op->code) {
    case OP_PUT:
        return run_put(in, world, group, op);
    case OP_COPY_IN:
        return run_copy_in(in, world, group, op);
    case OP_PUT_TILE:
        return run_put_tile(in, world, group, op);
    case OP_PUT_DONE:
        return run_put_done(in, world, group, op);
    case OP_GET:
        return run_get(in, world, group, op);
    case OP_CONSUMED:
        return run_consumed(in, world, group, op);
    case OP_SKIP:
        return run_skip(in, world, group, op);
    case OP_VIEW:
        return run_view(in, world, group, op);
    case OP_TRANS_VIEW:
        *mark_at(in, world, group, op->results[0]) = *mark_at(in, world, group, op->args[0]);
        return true;
    case OP_MMA:
        return run_mma(in, world, group, op);
    case OP_COMMIT:
    case OP_COMMIT_NOTHING:
        state->committed++;
        return true;
    case OP_WAIT:
        return run_wait(in, world, group, op);
    case OP_STAGE:
        return run_stage(in, world, group, op);
    case OP_GATHER:
        return run_gather(in, world, group, op);
    case OP_TURN_TAKE:
    case OP_TURN_PASS:
        return run_turn(in, world, group, op);
    case OP_MEET:
        state->met++;
        state->meetings++;
        return run_barrier(in, state);
    case OP_STORE_WAIT:
        run_store_wait(in, state, op);
        return true;
    case OP_FENCE:
        return run_fence(in, state);
    case OP_BARRIER:
        return run_barrier(in, state);
    default: /* READ */
        return true;
    }
}

/* The text of an op without a variable of its own stands in the statement that uses it, and is evaluated there.  */
static bool evaluate(Explorer *in, World *world, int group, const Op *op)
{
    if (!check_operands(in, world, group, op) ||
        (op_info[op->code].class_ == CLASS_LOAD && !run_load(in, world, group, op)))
        return false;
    for (int i = 0; in->named && i < op->nargs; i++) {
        const Op *part = op->args[i]->var ? NULL : op->args[i]->def;
        if (part && op_is_pure(part) && part->nargs && !evaluate(in, world, group, part))
            return false;
    }
    return true;
}

bool run_plain(Explorer *in, World *world, int group, const Op *op)
{
    bool looks = in->groups[group].about[op->position] & ABOUT_OPERANDS;
    if (looks && !evaluate(in, world, group, op))
        return false;
    if (op->code == OP_SUM_PARTS)
        return run_sum_parts(in, world, group, op);
    switch (op_info[op->code].class_) {
    case CLASS_SYNC:
        return run_sync(in, world, group, op);
    case CLASS_STORE:
        return run_store(in, world, group, op);
    default:
        return true;
    }
}
