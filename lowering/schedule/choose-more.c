/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-more.c - four groups of 64 rows instead of two groups of 128, if the predicted timeline gains.
 *
 *      x (256, 64) ... acc (256, 128) = ws_dot (ws_cast (p), ta, ws_mul (acc, shrink))
 *
 *      two groups    2724 clocks an iteration     each computes 128 rows, and waits for its product
 *      four groups   1738                         half as much each; three compute under the fourth's product
 *
 * Each of four groups has half the registers of two, so the tiles must also fit.  If the predictions are about equal,
 * two groups remain.  The gain is measured in bench/notes/schedules.md.
 */
#include "schedule/choose.h"
#include "target/machine.h"

enum { MORE_GROUPS = 4 };

/* The registers of the loop's accumulators and of the largest other tile, if that many groups divide the rows.  */
static int registers_with(const Op *loop, int groups)
{
    int accumulators = 0, largest = 0;
    FOR_OPS (op, loop->blocks[0]) {
        const Op *from = op->nargs ? op->args[0]->def : NULL;
        for (int i = 0; i < op->nresults; i++) {
            Type type = op->results[i]->type;
            if (type.kind != K_TILE || ring_source(op->results[i]))
                continue;
            type.rows = type.rows > groups ? type.rows / groups : type.rows;
            const int each = machine_tile_registers(type, LAYOUT_MMA);
            if (op_is_dot(op))
                accumulators += each;
            else if (from && !op_is_dot(from) && each > largest)
                largest = each;
        }
    }
    return accumulators + largest;
}

/* The predicted clocks of an iteration if that many groups divide the rows and take turns.  0: not possible or not
   known.  Without turns, the prediction is too slow.  */
static double clocks_with(Chooser *chooser, Op *loop, int groups)
{
    BlockSchedule *block = &chooser->kernel->schedule.block;
    LoopSchedule *schedule = schedule_of_loop(loop);
    const bool pingpong = schedule->pingpong;
    const int said = block->groups;
    if (!split_rows(chooser->kernel, role_that(chooser->kernel, ROLE_STORES), groups, NULL))
        return 0;
    block->groups = groups;
    schedule->pingpong = true;
    choose_assign_roles(chooser, groups);
    const double clocks = choose_predicted(chooser->kernel, loop);
    schedule->pingpong = pingpong;
    block->groups = said;
    return clocks;
}

/* True if the user names no groups.  All products must be in the only loop, and their rows must divide further.  */
static bool is_open(const Chooser *chooser, const Op *loop)
{
    const Grid *grid = &chooser->kernel->grid;
    const BlockSchedule *block = &chooser->kernel->schedule.block;
    if (block->groups || block->split != SPLIT_ROWS || grid->producer_registers || grid->parts || chooser->nprepared ||
        chooser->storing || chooser->kernel->tasks || schedule_of_loop(loop)->kind != SCHEDULE_FINE ||
        choose_gathers(chooser, loop))
        return false;
    for (int i = 0; i < chooser->ndots; i++)
        if (!op_is_dot(chooser->dots[i]) ||
            chooser->dots[i]->results[0]->type.rows % (MORE_GROUPS * MACHINE_MMA_ROWS) ||
            chooser->dots[i]->parent != loop->blocks[0])
            return false;
    return true;
}

int choose_more_groups(Chooser *chooser, int groups)
{
    Op *loop = chooser->nloops == 1 ? chooser->loops[0] : NULL;
    if (!loop || groups != 2 || !is_open(chooser, loop) || !choose_products_fit(chooser, MORE_GROUPS + 1) ||
        registers_with(loop, MORE_GROUPS) > chooser->kernel->machine->costs->four_group_registers ||
        !room_for_staged(chooser, MORE_GROUPS, true))
        return groups;
    const double few = clocks_with(chooser, loop, groups), more = clocks_with(chooser, loop, MORE_GROUPS);
    if (more > 0 && more * kernel_costs(chooser->kernel)->predicted_gain < few) {
        remark(chooser->kernel, DIAG_OPTIMIZED, loop->control->pipeline->loc,
               "%d groups: the model predicts %.0f cycles for an iteration, and %.0f with %d", MORE_GROUPS, more, few,
               groups);
        schedule_of_loop(loop)->pingpong = true;
        return MORE_GROUPS;
    }
    split_rows(chooser->kernel, role_that(chooser->kernel, ROLE_STORES), groups, NULL);
    return groups;
}
