/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-ops.c - the effect of operations on slots, products, staged memory and turns, and their rules.
 *
 *      slot = get           put 7 is held                   va = view ta[slot]      a window of put 7
 *      mma va, vb, acc      the group's open products       commit                  ... are group 12 from here on
 *                           read puts 7
 *      wait pending 1       groups up to 11 have ended      consumed keep 1         put 6 is released: nothing reads it
 *
 * Each rule is one test here.  A slot is read only while it is held.  A tile is read only behind a wait that names it
 * and completes its product.  Memory that a product reads is neither released nor written.  If one thread reads or
 * writes memory that another writes, a barrier stands between.  The bytes of a put are those that the ring expects.
 */
#include <string.h>

#include "ir/alias.h"
#include "ir/queries.h"
#include "proof/protocol.h"
#include "roles/programs.h"
#include "target/machine.h"
#include "target/storage.h"

static const char *const sentences[] = {
#define RULE(name, code, sentence) [RULE_##name] = sentence,
#include "proof/rules.def"
};
bool violates(Explorer *explorer, const State *state, int group, const Op *op, Rule rule, ...)
{
    va_list list;
    va_start(list, rule);
    Module *module = explorer->kernel->module;
    const char *what = arena_vprint(module, sentences[rule], list);
    va_end(list);
    if (!explorer->failed) {
        const char *sentence =
            arena_print(module, "'%s' %s%s", group_name(explorer, group), what, place_of(explorer, state, group, op));
        const Reason reason = reason_of_text(sentence);
        reject_text(explorer->kernel, op && op->loc.line ? op->loc : explorer->kernel->loc,
                    reason == REASON_COUNT ? REASON_PROTOCOL : reason, sentence, "");
    }
    explorer->failed = true;
    return false;
}

Guard guard_of(const Op *op)
{
    static const unsigned char guards[OP_COUNT] = {
#define OPERATION(code, guard, effect) [OP_##code] = GUARD_##guard,
#include "proof/rules.def"
    };
    return op_meets_blocks(op) ? GUARD_MEET : (Guard)guards[op->code];
}

enum { NOTHING_KNOWN = -1000000 };

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static bool is_held(const GroupState *self, const Mark *mark)
{
    const End *gets = &self->gets[mark->place];
    return mark->index < gets->next && mark->index >= gets->next - gets->held;
}

static int slot_of(const Explorer *explorer, int ring, int index)
{
    return (int)(index % explorer->slots[ring]);
}

/* True if another of the groups that fill a slot together has begun the put that this group comes to.  */
static bool is_begun(const Explorer *explorer, const State *state, int group, const Aref *aref)
{
    const Group *self = &explorer->groups[group];
    const int index = state->groups[group].puts[aref->id].next;
    for (int g = 0; g < explorer->ngroups && aref->fillers > 1; g++) {
        const End *puts = &state->groups[g].puts[aref->id];
        bool fills = g != group && explorer->groups[g].role == self->role && explorer->groups[g].block == self->block;
        if (fills && puts->next + puts->filling > index)
            return true;
    }
    return false;
}

static bool run_put(Explorer *explorer, State *state, int group, const Op *op)
{
    const Aref *aref = op->aref;
    End *puts = &state->groups[group].puts[aref->id];
    if (puts->filling)
        return violates(explorer, state, group, op, RULE_PUT_TWICE, aref->name);
    int block = explorer->groups[group].block;
    for (int g = 0; g < explorer->ngroups; g++)
        if (g != group && explorer->groups[g].block == block &&
            (aref->fillers == 1 || explorer->groups[g].role != explorer->groups[group].role) &&
            (state->groups[g].puts[aref->id].next || state->groups[g].puts[aref->id].filling))
            return violates(explorer, state, group, op, RULE_PUT_OF_OTHER, aref->name, group_name(explorer, g));
    if (!reuse_put(explorer, state, group, op))
        return false;
    if (!is_begun(explorer, state, group, aref))
        state->released[ring_at(explorer, block, aref->id)][slot_of(explorer, aref->id, puts->next)] = 0;
    puts->filling = true;
    if (op->nresults)
        *mark_at(explorer, state, group, op->results[0]) = (Mark){MARK_PUT, aref->id, puts->next};
    return true;
}

static bool is_being_filled(const GroupState *self, const Mark *slot, const Aref *aref)
{
    const End *puts = &self->puts[aref->id];
    return slot && slot->kind == MARK_PUT && slot->place == aref->id && puts->filling && slot->index == puts->next;
}

/* Returns the number of blocks for which this block stands at the ring.  */
static int blocks_at_once(const Explorer *explorer, int along)
{
    return explorer->nblocks == 1 ? cluster_sharers(explorer->kernel, along) : 1;
}

static bool run_copy_in(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    const Aref *aref = op->aref;
    if (!is_being_filled(self, mark_at(explorer, state, group, op->args[0]), aref))
        return violates(explorer, state, group, op, RULE_COPY_OUTSIDE_PUT, aref->name);
    int block = explorer->groups[group].block, slot = slot_of(explorer, aref->id, self->puts[aref->id].next);
    Type share = op->storage->tile;
    share.rows = op->transfer->along ? op->transfer->share : share.rows;
    for (int to = 0; to < cluster_size(explorer->kernel); to++)
        if (cluster_shares(explorer->kernel, op->transfer->along, block, to) &&
            !cluster_shares(explorer->kernel, aref->along, block, to))
            return violates(explorer, state, group, op, RULE_COPY_TO_STRANGER, aref->name, to);
    for (int to = 0; to < explorer->nblocks; to++)
        if (cluster_shares(explorer->kernel, op->transfer->along, block, to))
            state->brought[ring_at(explorer, to, aref->id)][slot] +=
                machine_copy_bytes(share, op->storage->line) * blocks_at_once(explorer, op->transfer->along);
    return true;
}

/* Threads write a tile into a slot: all of it, or each group for which this one stands its rows.  */
static bool run_put_tile(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    const Aref *aref = op->aref;
    if (!is_being_filled(self, mark_at(explorer, state, group, op->args[0]), aref))
        return violates(explorer, state, group, op, RULE_WRITE_OUTSIDE_PUT, aref->name);
    int slot = slot_of(explorer, aref->id, self->puts[aref->id].next);
    Type part = op->args[1]->type;
    bool rows = op->nargs == 3;
    state->brought[ring_at(explorer, explorer->groups[group].block, aref->id)][slot] +=
        rows ? explorer->groups[group].count * machine_copy_bytes(part, op->storage->line)
             : machine_copy_bytes(op->storage->tile, op->storage->line);
    self->fresh[storage_place(explorer->kernel, op->storage)] = (Written){true, true};
    return true;
}

/* Checks the bytes of each block whose slot is full with this put.  */
static bool check_bytes(Explorer *explorer, State *state, int block, const Op *op, int index)
{
    const Aref *aref = op->aref;
    for (uint64_t rest = blocks_sharing(explorer, aref->along, block); rest; rest &= rest - 1) {
        int to = __builtin_ctzll(rest);
        int64_t *brought = &state->brought[ring_at(explorer, to, aref->id)][slot_of(explorer, aref->id, index)];
        if (puts_done(explorer, state, to, aref->id) <= index)
            continue;
        if (*brought != aref->bytes) {
            reject(explorer->kernel, op->loc, REASON_BYTES, aref->name, (long long)aref->bytes, (long long)*brought);
            explorer->failed = true;
            return false;
        }
        *brought = 0;
    }
    return true;
}

/* Returns the puts made by all groups that fill the group's ring together.  */
static int puts_of_all(const Explorer *explorer, const State *state, int group, const Aref *aref)
{
    const Group *self = &explorer->groups[group];
    int fewest = state->groups[group].puts[aref->id].next;
    for (int g = 0; g < explorer->ngroups && aref->fillers > 1; g++) {
        const int puts = state->groups[g].puts[aref->id].next;
        if (explorer->groups[g].role == self->role && explorer->groups[g].block == self->block && puts < fewest)
            fewest = puts;
    }
    return fewest;
}

static bool run_put_done(Explorer *explorer, State *state, int group, const Op *op)
{
    const Aref *aref = op->aref;
    GroupState *self = &state->groups[group];
    End *puts = &self->puts[aref->id];
    if (!is_being_filled(self, mark_at(explorer, state, group, op->args[0]), aref))
        return violates(explorer, state, group, op, RULE_DONE_WITHOUT_PUT, aref->name);
    for (int i = 0; i < aref->nstorages; i++) {
        const Written *fresh = &self->fresh[storage_place(explorer->kernel, aref->storages[i])];
        if (fresh->unfenced || fresh->unsynced)
            return violates(explorer, state, group, op, RULE_DONE_UNFENCED, aref->storages[i]->name,
                            fresh->unfenced ? "a fence" : "a barrier behind the fence");
    }
    reuse_put_done(explorer, state, group, aref, puts->next);
    puts->filling = false;
    puts->next++;
    self->known[aref->id] = puts_of_all(explorer, state, group, aref);
    state->made[ring_at(explorer, explorer->groups[group].block, aref->id)] = self->known[aref->id];
    state->stirred |= blocks_sharing(explorer, aref->along, explorer->groups[group].block);
    return check_bytes(explorer, state, explorer->groups[group].block, op, puts->next - 1);
}

/* Checks that the put of the slot's round before is known to be done.  The mbarrier has a parity only, so an earlier
   get would take the round before that for its own.  */
static bool check_round(Explorer *explorer, const State *state, int group, const Op *op)
{
    const GroupState *self = &state->groups[group];
    const Aref *aref = op->aref;
    int index = self->gets[aref->id].next, before = index - explorer->slots[aref->id];
    if (self->known[aref->id] > before)
        return true;
    explorer->again = self->known[aref->id] < 0;
    explorer->exact |= explorer->again;
    return !explorer->again && violates(explorer, state, group, op, RULE_ROUND_UNKNOWN, index, aref->name, before);
}

static bool run_get(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    End *gets = &self->gets[op->aref->id];
    if (!check_round(explorer, state, group, op))
        return false;
    self->known[op->aref->id] = gets->next + 1;
    reuse_get(explorer, state, group, op->aref, gets->next);
    if (op->nresults)
        *mark_at(explorer, state, group, op->results[0]) = (Mark){MARK_GOT, op->aref->id, gets->next};
    gets->next++;
    gets->held++;
    return true;
}

static const Reading *reading_of(const GroupState *self, MarkKind kind, int place, int index)
{
    for (int i = 0; i < self->nreadings; i++) {
        const Reading *reading = &self->readings[i];
        if (reading->kind == kind && reading->place == place && (index < 0 || reading->index == index))
            return reading;
    }
    return NULL;
}

static bool release(Explorer *explorer, State *state, int group, const Op *op, int index)
{
    const Aref *aref = op->aref;
    int slot = slot_of(explorer, aref->id, index);
    if (reading_of(&state->groups[group], MARK_RING_VIEW, aref->id, index)) {
        reject(explorer->kernel, op->loc, REASON_RELEASED_EARLY, group_name(explorer, group), aref->name,
               arena_print(explorer->kernel->module, "a product in flight reads slot %d (put %d)%s", slot, index,
                           place_of(explorer, state, group, op)));
        explorer->failed = true;
        return false;
    }
    const Group *of = &explorer->groups[group];
    const uint64_t sharing = blocks_sharing(explorer, aref->along, of->block);
    state->stirred |= sharing;
    for (uint64_t rest = sharing; rest; rest &= rest - 1) {
        int *released = &state->released[ring_at(explorer, __builtin_ctzll(rest), aref->id)][slot];
        *released += of->count * blocks_at_once(explorer, aref->along);
        if (*released <= aref->arrivals)
            continue;
        reject(explorer->kernel, explorer->kernel->loc, REASON_ARRIVALS, aref->name, aref->arrivals, *released);
        explorer->failed = true;
        return false;
    }
    return true;
}

static bool run_consumed(Explorer *explorer, State *state, int group, const Op *op)
{
    End *gets = &state->groups[group].gets[op->aref->id];
    while (gets->held > op->sync->keep) {
        if (!release(explorer, state, group, op, gets->next - gets->held))
            return false;
        reuse_release(explorer, state, group, op->aref, gets->next - gets->held);
        gets->held--;
    }
    return true;
}

/* Skips puts.  Nothing is known of skipped puts: less than at the start, where no put precedes the first.  With
   Explorer.exact the fact of the start holds.  */
void pass_over(const Explorer *explorer, State *state, int group, const Op *op, int64_t puts)
{
    GroupState *self = &state->groups[group];
    self->gets[op->aref->id].next += (int)puts;
    self->known[op->aref->id] = explorer->exact ? 0 : NOTHING_KNOWN;
}

static bool run_skip(Explorer *explorer, State *state, int group, const Op *op)
{
    End *gets = &state->groups[group].gets[op->aref->id];
    if (gets->held)
        return violates(explorer, state, group, op, RULE_SKIP_WHILE_HELD, op->aref->name);
    pass_over(explorer, state, group, op, op->sync->count);
    return true;
}

/* ---- looking at memory and tiles --------------------------------------------------------------------------------- */

const Storage *storage_at(const Explorer *explorer, int place)
{
    const Storage *storage = explorer->kernel->storages;
    while (place--)
        storage = storage->next;
    return storage;
}

/* Checks fences and barriers behind the writes to the storage.  Tensor cores read through the async proxy, which
   bypasses the threads' view of memory.  */
static bool check_fresh(Explorer *explorer, const State *state, int group, const Op *op, int place)
{
    const Written *fresh = &state->groups[group].fresh[place];
    const char *name = storage_at(explorer, place)->name;
    if (op->code == OP_MMA && fresh->unfenced)
        return violates(explorer, state, group, op, RULE_PRODUCT_UNFENCED, name);
    return !fresh->unsynced ||
           violates(explorer, state, group, op, RULE_READ_UNSYNCED, name, op->code == OP_MMA ? " and fenced" : "");
}

static bool check_view(Explorer *explorer, State *state, int group, const Op *op, const Mark *view)
{
    const GroupState *self = &state->groups[group];
    if (view->kind == MARK_RING_VIEW && is_held(self, view))
        return reuse_look(explorer, state, group, op, view);
    if (view->kind == MARK_RING_VIEW && !is_held(self, view)) {
        const Aref *aref = explorer->arefs[view->place];
        return violates(explorer, state, group, op, RULE_READ_NOT_HELD, slot_of(explorer, view->place, view->index),
                        aref->name, view->index, op_info[op->code].text);
    }
    if (view->kind == MARK_STAGED_VIEW && storage_at(explorer, view->place)->use == USE_GATHERED)
        return check_gathered(explorer, state, group, op, view);
    if (view->kind == MARK_STAGED_VIEW && view->index != self->written[view->place])
        return violates(explorer, state, group, op, RULE_READ_OVERWRITTEN, op_info[op->code].text);
    if (view->kind == MARK_STAGED_VIEW &&
        (!check_fresh(explorer, state, group, op, view->place) || !reuse_look(explorer, state, group, op, view)))
        return false;
    return view->kind == MARK_RING_VIEW || view->kind == MARK_STAGED_VIEW ||
           violates(explorer, state, group, op, RULE_READ_UNWRITTEN, op_info[op->code].text);
}

/* Notes the end of a read of staged memory.  */
static bool has_read(Explorer *explorer, State *state, int group, const Op *op, int place, int index)
{
    if (storage_at(explorer, place)->use == USE_GATHERED)
        return end_look(explorer, state, group, op, place, index);
    state->groups[group].read[place] = true;
    return true;
}

/* True if the operation uses the operand's value.  Passing a tile on does not, and neither does adding to an
   accumulator in flight.  */
static bool looks_at(const Op *op, int arg)
{
    if (op->code == OP_MMA)
        return arg != 2;
    return op->code != OP_WAIT && op_info[op->code].class_ != CLASS_CONTROL;
}

static bool check_operands(Explorer *explorer, State *state, int group, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Mark *mark = mark_at(explorer, state, group, op->args[i]);
        if (!mark || (op_info[op->code].class_ == CLASS_STORE && op->storage))
            continue;
        if (op->args[i]->type.kind == K_VIEW && op->code != OP_TRANS_VIEW &&
            !check_view(explorer, state, group, op, mark))
            return false;
        if (mark->kind == MARK_TOKEN && looks_at(op, i))
            return violates(explorer, state, group, op, RULE_USED_IN_FLIGHT, op_info[op->code].text);
        if (mark->kind == MARK_STAGED_VIEW && op->code != OP_MMA && op->code != OP_TRANS_VIEW &&
            !has_read(explorer, state, group, op, mark->place, mark->index))
            return false;
    }
    return true;
}

static bool run_view(Explorer *explorer, State *state, int group, const Op *op)
{
    Mark *result = mark_at(explorer, state, group, op->results[0]);
    if (op->storage->use != USE_RING) {
        int place = storage_place(explorer->kernel, op->storage);
        *result = (Mark){MARK_STAGED_VIEW, place, state->groups[group].written[place]};
        return true;
    }
    const Mark *slot = op->nargs ? mark_at(explorer, state, group, op->args[0]) : NULL;
    if (!slot || slot->kind != MARK_GOT || explorer->arefs[slot->place] != op->aref)
        return violates(explorer, state, group, op, RULE_VIEW_OF_NO_SLOT, op->storage->name);
    *result = (Mark){MARK_RING_VIEW, slot->place, slot->index};
    return true;
}

static bool run_stage(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    int place = storage_place(explorer->kernel, op->storage);
    if (op->storage->use == USE_OUTPUT)
        return run_stage_out(explorer, state, group, op);
    if (reading_of(self, MARK_STAGED_VIEW, place, -1))
        return violates(explorer, state, group, op, RULE_STAGED_IN_FLIGHT, op->storage->name);
    if (self->read[place])
        return violates(explorer, state, group, op, RULE_STAGED_UNSYNCED, op->storage->name);
    if (op->storage->slots < explorer->groups[group].role->replicas)
        return violates(explorer, state, group, op, RULE_STAGED_BY_OTHERS, op->storage->name);
    if (!reuse_write(explorer, state, group, op))
        return false;
    self->fresh[place] = (Written){true, true};
    *mark_at(explorer, state, group, op->results[0]) = (Mark){MARK_STAGED_VIEW, place, ++self->written[place]};
    return true;
}

/* Each thread fences its own writes.  The other threads see this at the next barrier.  An output needs no barrier,
   since each warp copies its own part out.  */
static bool run_fence(Explorer *explorer, State *state, int group)
{
    GroupState *self = &state->groups[group];
    reuse_fence(explorer, state, group);
    for (int s = 0; s < explorer->nstorages; s++) {
        self->fresh[s].unsynced |= self->fresh[s].unfenced && storage_at(explorer, s)->use != USE_OUTPUT;
        self->fresh[s].unfenced = false;
    }
    fence_gathered(explorer, self);
    return true;
}

static bool run_barrier(Explorer *explorer, GroupState *self)
{
    memset(self->read, 0, (size_t)explorer->nstorages * sizeof *self->read);
    for (int s = 0; s < explorer->nstorages; s++)
        self->fresh[s].unsynced = false;
    self->stored = self->loaded = 0;
    return true;
}

/* The groups of equal number in all blocks synchronize.  Each group also waits for the others of its role and block,
   which the machine does not require.  So the syncs of all blocks have one order.  A held turn would make those other
   groups wait for it, so none may be held.  */
static bool run_blocks_meet(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    if (self->holds_turn)
        return violates(explorer, state, group, op, RULE_SUM_IN_TURN, op->storage->name);
    run_barrier(explorer, self);
    self->passed++;
    return true;
}

/* True if the other groups of the role and block stand at this barrier or have passed it.  */
static bool others_arrived(const Explorer *explorer, const State *state, int group, const Op *op)
{
    for (int g = 0; g < explorer->ngroups; g++) {
        const GroupState *other = &state->groups[g];
        int ahead = other->passed - state->groups[group].passed;
        bool together = explorer->groups[g].role == explorer->groups[group].role &&
                        explorer->groups[g].block == explorer->groups[group].block;
        if (together && ahead <= 0 && !(ahead == 0 && other->pc == op))
            return false;
    }
    return true;
}

/* True if a copy from the variable of `from` to that of `to` is allowed: an accumulator in flight may not be
   copied.  */
bool stays_in_place(Explorer *explorer, State *state, int group, const Op *op, const Value *from, const Value *to)
{
    const Mark *mark = mark_at(explorer, state, group, from);
    bool moves = mark && mark->kind == MARK_TOKEN && from->var && to->var && from->var != to->var;
    return !moves || violates(explorer, state, group, op, RULE_COPIED_IN_FLIGHT, from->var->name, to->var->name);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static bool run_mma(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    if (!stays_in_place(explorer, state, group, op, op->args[2], op->results[0]))
        return false;
    for (int i = 0; i < 2; i++) {
        const Mark *mark = op->args[i]->type.kind == K_VIEW ? mark_at(explorer, state, group, op->args[i]) : NULL;
        if (!mark)
            continue;
        const Reading *same = reading_of(self, mark->kind, mark->place, mark->index);
        if (same && same->group == self->committed + 1)
            continue;
        group_add_reading(explorer, self, self->nreadings++,
                          (Reading){mark->kind, mark->place, mark->index, self->committed + 1});
    }
    *mark_at(explorer, state, group, op->results[0]) = (Mark){MARK_TOKEN, 0, self->committed + 1};
    return true;
}

static bool complete(Explorer *explorer, State *state, int group, const Op *op, int last)
{
    GroupState *self = &state->groups[group];
    int kept = 0;
    self->completed = last > self->completed ? last : self->completed;
    for (int i = 0; i < self->nreadings; i++) {
        const Reading *reading = &self->readings[i];
        if (reading->group > self->completed)
            self->readings[kept++] = *reading;
        else if (reading->kind == MARK_STAGED_VIEW &&
                 !has_read(explorer, state, group, op, reading->place, reading->index))
            return false;
    }
    self->nreadings = kept;
    return true;
}

static bool run_wait(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    if (!complete(explorer, state, group, op, self->committed - op->sync->pending))
        return false;
    for (int i = 0; i < op->nresults; i++) {
        const Mark *from = mark_at(explorer, state, group, op->args[i]);
        Mark mark = from ? *from : (Mark){0};
        if (mark.kind == MARK_TOKEN && mark.index <= self->completed)
            mark = (Mark){0};
        else if (mark.kind == MARK_TOKEN && op->results[i]->type.kind == K_TILE)
            return violates(explorer, state, group, op, RULE_UNFINISHED);
        else if (mark.kind == MARK_TOKEN && !stays_in_place(explorer, state, group, op, op->args[i], op->results[i]))
            return false;
        *mark_at(explorer, state, group, op->results[i]) = mark;
    }
    return true;
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* Returns the bits of the direct stores to the tensor's memory.  */
uint64_t stores_to(const Explorer *explorer, const Value *tensor)
{
    uint64_t bits = 0;
    for (int i = 0; i < explorer->nstores; i++)
        if (tensor_memory(explorer->stores[i]->args[0]) == tensor_memory(tensor))
            bits |= (uint64_t)1 << i % 64;
    return bits;
}

/* The same without stores by which each thread writes the elements that it loads itself.  */
static uint64_t stores_of_others(const Explorer *explorer, const Role *role, const Op *load)
{
    uint64_t bits = 0;
    for (int i = 0; i < explorer->nstores; i++)
        if (tensor_memory(explorer->stores[i]->args[0]) == tensor_memory(load->args[0]) &&
            !load_is_of_own(role, load, explorer->stores[i]))
            bits |= (uint64_t)1 << i % 64;
    return bits;
}

static bool run_load(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    uint64_t stores = stores_of_others(explorer, explorer->groups[group].role, op);
    if (stores & self->stored)
        return violates(explorer, state, group, op, RULE_LOAD_AFTER_STORE);
    self->loaded |= stores;
    return !op->storage || op->storage->use == USE_ROW_CACHE || run_load_staged(explorer, state, group, op);
}

static bool run_store(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    if (op_prints(op))
        return true;
    if (op->storage)
        return run_copy_out(explorer, state, group, op);
    for (int i = 0; i < explorer->nstores; i++) {
        uint64_t bit = (uint64_t)1 << i % 64;
        const Op *other = explorer->stores[i];
        if (other == op && self->loaded & bit)
            return violates(explorer, state, group, op, RULE_STORE_AFTER_LOAD);
        if (self->stored & bit && (other == op ? !store_moves_on(op) : !stores_apart(other, op)))
            return violates(explorer, state, group, op, RULE_STORE_TWICE);
        if (other == op)
            self->stored |= bit;
    }
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* True if the operation can be executed in this state.  */
bool may_pass(const Explorer *explorer, const State *state, int group, const Op *op)
{
    const GroupState *self = &state->groups[group];
    const Aref *aref = op->aref;
    const int block = explorer->groups[group].block;
    switch (guard_of(op)) {
    case GUARD_MEET:
        return others_arrived(explorer, state, group, op);
    case GUARD_TURN:
        return state->pingpong[block] % explorer->groups[group].role->replicas == explorer->groups[group].number;
    case GUARD_EMPTY: {
        int index = self->puts[aref->id].next;
        return index < explorer->slots[aref->id] || is_begun(explorer, state, group, aref) ||
               state->released[ring_at(explorer, block, aref->id)][slot_of(explorer, aref->id, index)] >=
                   aref->arrivals;
    }
    case GUARD_FULL:
        return puts_done(explorer, state, block, aref->id) > self->gets[aref->id].next;
    default:
        return true;
    }
}

static bool run_turn(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    bool take = op->code == OP_PINGPONG_TAKE;
    if (self->holds_turn == take)
        return violates(explorer, state, group, op, take ? RULE_TURN_TWICE : RULE_TURN_NOT_TAKEN);
    self->holds_turn = take;
    int *pingpong_known = state->pingpong_known + ring_at(explorer, explorer->groups[group].block, 0);
    if (take) {
        for (int a = 0; a < explorer->narefs; a++)
            if (pingpong_known[a] > self->known[a])
                self->known[a] = pingpong_known[a];
        return true;
    }
    memcpy(pingpong_known, self->known, (size_t)explorer->narefs * sizeof *self->known);
    state->pingpong[explorer->groups[group].block]++;
    FOR_STORAGES (storage, explorer->kernel)
        if (self->copying[storage_place(explorer->kernel, storage)] &&
            storage->slots < explorer->groups[group].role->replicas)
            return violates(explorer, state, group, op, RULE_TURN_WITH_COPIES, storage->name);
    return true;
}

static bool run_sync(Explorer *explorer, State *state, int group, const Op *op)
{
    GroupState *self = &state->groups[group];
    switch (op->code) {
    case OP_PUT:
        return run_put(explorer, state, group, op);
    case OP_COPY_IN:
        return run_copy_in(explorer, state, group, op);
    case OP_PUT_TILE:
        return run_put_tile(explorer, state, group, op);
    case OP_PUT_DONE:
        return run_put_done(explorer, state, group, op);
    case OP_GET:
        return run_get(explorer, state, group, op);
    case OP_CONSUMED:
        return run_consumed(explorer, state, group, op);
    case OP_SKIP:
        return run_skip(explorer, state, group, op);
    case OP_VIEW:
        return run_view(explorer, state, group, op);
    case OP_TRANS_VIEW:
        *mark_at(explorer, state, group, op->results[0]) = *mark_at(explorer, state, group, op->args[0]);
        return true;
    case OP_MMA:
        return run_mma(explorer, state, group, op);
    case OP_COMMIT:
    case OP_COMMIT_NOTHING:
        self->committed++;
        return true;
    case OP_WAIT:
        return run_wait(explorer, state, group, op);
    case OP_STAGE:
        return run_stage(explorer, state, group, op);
    case OP_GATHER:
        return run_gather(explorer, state, group, op);
    case OP_PINGPONG_TAKE:
    case OP_PINGPONG_PASS:
        return run_turn(explorer, state, group, op);
    case OP_ROLE_BARRIER:
        reuse_meet(explorer, state, group);
        self->passed++;
        self->barriers++;
        return run_barrier(explorer, self);
    case OP_STORE_WAIT:
        run_store_wait(explorer, self, op);
        return true;
    case OP_FENCE:
        return run_fence(explorer, state, group);
    case OP_BARRIER:
        reuse_barrier(explorer, state, group);
        return run_barrier(explorer, self);
    default: /* READ, COMPUTED */
        return true;
    }
}

/* Checks the operands.  An operation without a variable is printed in the statement that uses it, and evaluated
   there.  */
static bool evaluate(Explorer *explorer, State *state, int group, const Op *op)
{
    if (!check_operands(explorer, state, group, op) ||
        (op_info[op->code].class_ == CLASS_LOAD && !run_load(explorer, state, group, op)))
        return false;
    if (explorer->reuses && op->storage && op->storage->use == USE_SCRATCH && !reuse_write(explorer, state, group, op))
        return false;
    for (int i = 0; explorer->named && i < op->nargs; i++) {
        const Op *part = op->args[i]->var ? NULL : op->args[i]->def;
        if (part && op_is_pure(part) && part->nargs && !evaluate(explorer, state, group, part))
            return false;
    }
    return true;
}

bool run_plain(Explorer *explorer, State *state, int group, const Op *op)
{
    bool looks = explorer->groups[group].about[op->position] & ABOUT_OPERANDS;
    if (looks && !evaluate(explorer, state, group, op))
        return false;
    if (op_meets_blocks(op))
        return run_blocks_meet(explorer, state, group, op);
    switch (op_info[op->code].class_) {
    case CLASS_SYNC:
        return run_sync(explorer, state, group, op);
    case CLASS_STORE:
        return run_store(explorer, state, group, op);
    default:
        return true;
    }
}
