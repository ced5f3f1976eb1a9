/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-rings.c - the loads that come through rings, the release of their slots, and loads that share a ring.
 *
 * A load moves to the producer if it is in a pipelined loop or feeds a product, whose operands live in shared memory.
 * No store that may alias the load may precede it.  A slot is free after the last operation that reads it:
 *   - read into registers only: at once;
 *   - operand of a product that the iteration itself waits for: at that wait;
 *   - operand of a product that stays in flight: at the iteration's end, P-1 iterations late.
 */
#include "ir/alias.h"
#include "optimize/epilogue-prefetch.h"
#include "schedule/choose.h"
#include "target/machine.h"
#include "target/operands.h"

Op *choose_aliasing_store(const Chooser *chooser, Op *load)
{
    for (int i = 0; i < chooser->nstores; i++) {
        Op *store = chooser->stores[i];
        bool behind = schedule_of(store)->order >= schedule_of(load)->order;
        if (tensor_memory(store->args[0]) != tensor_memory(load->args[0]) || (behind && load_is_in_place(load, store)))
            continue;
        Op *loop = outermost_loop(load);
        if (schedule_of(store)->order < schedule_of(load)->order || (loop && loop == outermost_loop(store)))
            return store;
    }
    return NULL;
}

static bool feeds_product(const Chooser *chooser, const Op *load)
{
    for (const Use *use = uses_of(&chooser->uses, load->results[0]); use; use = use->next)
        if (use_is_operand(use, &chooser->uses))
            return true;
    return false;
}

bool choose_is_narrow(Type type)
{
    return type.cols * dtype_bytes(type.dtype) < 16;
}

void choose_ring(Chooser *chooser, Op *load)
{
    Op *loop = pipelined_loop(load);
    bool operand = feeds_product(chooser, load);
    Type type = load->results[0]->type;
    bool whole = !operand && load_comes_whole(chooser->kernel, load);
    if ((!loop || choose_is_narrow(type)) && !operand && !whole)
        return;
    Op *store = choose_aliasing_store(chooser, load);
    if (store) {
        remark(chooser->kernel, DIAG_MISSED, load->loc,
               "the load stays in the consumers: the store at line %d may write its memory", store->loc.line);
        return;
    }
    int said = schedule_of(load)->ring;
    schedule_op(load)->depth = said ? said : loop ? schedule_of_loop(loop)->depth : 1;
    if (loop) {
        chooser->specialized = true;
        schedule_of_loop(loop)->put_count++;
    }
}

/* Products read whole lines of 128 bytes.  If only threads read a tile, its lines are as short as its rows allow.  */
void choose_lines(Chooser *chooser)
{
    for (int i = 0; i < chooser->nloads; i++) {
        const Op *load = chooser->loads[i];
        bool short_ = schedule_of(load)->depth && !schedule_of(load)->transposer && !feeds_product(chooser, load);
        schedule_op(chooser->loads[i])->line = short_ ? machine_short_line(load->results[0]->type) : 0;
    }
}

/* The same for tiles that roles compute for others and that no product reads.  */
void choose_prepared_lines(Chooser *chooser)
{
    for (int i = 0; i < chooser->nprepared; i++)
        if (!feeds_product(chooser, chooser->prepared[i]))
            schedule_op(chooser->prepared[i])->line = machine_written_line(chooser->prepared[i]->results[0]->type);
}

/* The order of the first operation of the block that waits for the product.  A product that adds to it does not wait,
   since both are waited for at once.  That rule holds for small operands, which share one ring: a second ring's wait
   would cost more than the first product's wait for all operands.  */
static int first_wait(Chooser *chooser, const Op *product, const Block *block, bool small)
{
    int when = RELEASE_END - 1;
    for (const Use *look = uses_of(&chooser->uses, product->results[0]); look; look = look->next) {
        Op *at = op_at_block(look->op, block);
        bool adds = small && at == look->op && op_is_dot(at) && look->arg == 2;
        int order = !at ? when : adds ? first_wait(chooser, at, block, small) : schedule_of(at)->order;
        when = order < when ? order : when;
    }
    return when;
}

void choose_release(Chooser *chooser, Op *source, const Value *value)
{
    for (const Use *use = uses_of(&chooser->uses, value); use; use = use->next) {
        int when = 0;
        Op *here = op_at_block(use->op, source->parent);
        if (use->op->code == OP_TRANS) {
            if (use_is_operand(use, &chooser->uses))
                choose_release(chooser, source, use->op->results[0]);
            continue;
        }
        if (!use_is_operand(use, &chooser->uses))
            continue;
        Op *carrier = dot_carried_by(chooser->kernel->machine, use->op, &chooser->uses, NULL);
        if (carrier && carrier == loop_around(source->parent)) {
            when = RELEASE_END;
        } else if (here != use->op) {
            when = schedule_of(here)->order; /* in a nested block, which waits for its own products */
        } else if (!op_is_dot(use->op)) {
            when = schedule_of(here)->order;
        } else {
            when = first_wait(chooser, use->op, source->parent,
                              machine_tile_bytes(source->results[0]->type) <
                                  kernel_costs(chooser->kernel)->small_slot_bytes);
        }
        if (when > schedule_of(source)->release)
            schedule_op(source)->release = when;
    }
}

/* True if a load is small next to another load of the iteration.  It is then released with the other and shares its
   ring.  It could not run ahead of the other, and each ring costs a wait and a release in every iteration.  */
static bool may_be_freed_with(const Op *load, const Op *other)
{
    return schedule_of(other)->release > 0 && other->parent == load->parent &&
           schedule_of(other)->depth == schedule_of(load)->depth &&
           schedule_of(other)->stage == schedule_of(load)->stage && other->transfer->along == load->transfer->along &&
           machine_is_small_beside(load->results[0]->type, machine_short_line(load->results[0]->type),
                                   other->results[0]->type);
}

static bool may_be_put_with(const Op *made, const Op *other)
{
    return schedule_of(other)->release > 0 && other->parent == made->parent &&
           schedule_of(other)->depth == schedule_of(made)->depth &&
           schedule_of(other)->maker == schedule_of(made)->maker &&
           machine_is_small_beside(made->results[0]->type, schedule_of(made)->line, other->results[0]->type);
}

/* The same for tiles that a role computes.  Each ring would also cost that role a barrier.  */
void choose_join_made(Chooser *chooser)
{
    for (int i = 0; i < chooser->nprepared; i++)
        for (int k = 0; k < chooser->nprepared && schedule_of(chooser->prepared[i])->depth; k++)
            if (!schedule_of(chooser->prepared[i])->release &&
                may_be_put_with(chooser->prepared[i], chooser->prepared[k]))
                schedule_op(chooser->prepared[i])->release = schedule_of(chooser->prepared[k])->release;
}

void choose_join(Chooser *chooser)
{
    for (int i = 0; i < chooser->nloads; i++) {
        Op *load = chooser->loads[i], *best = NULL;
        for (int k = 0;
             k < chooser->nloads && schedule_of(load)->depth && !schedule_of(load)->release && pipelined_loop(load);
             k++)
            if (may_be_freed_with(load, chooser->loads[k]) &&
                (!best || schedule_of(chooser->loads[k])->release > schedule_of(best)->release))
                best = chooser->loads[k];
        if (best)
            schedule_op(load)->release = schedule_of(best)->release;
    }
}
