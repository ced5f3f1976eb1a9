/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-groups.c - the groups that multiply: their number, the division of rows or tiles among them, and ping-pong.
 *
 * The clauses consumers(n) and split decide.  Otherwise choose_pingpong lets two groups take whole tiles in turn, if
 * their registers hold all accumulators.  In other cases choose_groups divides the rows of each tile.  The number of
 * groups is the largest that choose_wanted_groups and choose-split.c allow.  Then choose_turns decides whether these
 * groups take turns with their products.
 */
#include "schedule/choose.h"
#include "target/budget.h"
#include "target/machine.h"

bool choose_products_fit(const Chooser *chooser, int groups)
{
    int columns = 0;
    for (int i = 0; i < chooser->ndots; i++)
        if (op_is_dot(chooser->dots[i]) && chooser->dots[i]->results[0]->type.cols > columns)
            columns = chooser->dots[i]->results[0]->type.cols;
    return columns <= machine_product_columns(chooser->kernel->machine, groups * MACHINE_GROUP_THREADS, true);
}

int choose_most_groups(const Chooser *chooser)
{
    const BlockSchedule *block = &chooser->kernel->schedule.block;
    bool whole_tiles = block->split == SPLIT_TILES;
    for (int i = 0; i < chooser->nloops; i++)
        whole_tiles |= chooser->loops[i]->control->pipeline->automatic || schedule_of_loop(chooser->loops[i])->pingpong;
    int groups = choose_wanted_groups(chooser);
    return block->groups ? block->groups : whole_tiles && groups < 2 ? 2 : groups;
}

int choose_product_registers(const Chooser *chooser, int groups)
{
    int registers = 0;
    for (int i = 0; i < chooser->ndots; i++) {
        Type type = chooser->dots[i]->results[0]->type;
        type.rows /= groups;
        int each = machine_tile_registers(type, LAYOUT_MMA);
        registers = each > registers ? each : registers;
    }
    return registers;
}

/* Finds the largest number of elements in a tile.  */
static void visit_largest(Op *op, void *context)
{
    int *largest = context;
    for (int i = 0; i < op->nresults; i++) {
        Type type = op->results[i]->type;
        if (type.kind == K_TILE && !ring_source(op->results[i]) && type.rows * type.cols > *largest)
            *largest = type.rows * type.cols;
    }
}

static bool reduces_row(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_ROW_SUM || op->code == OP_ROW_MAX || op->code == OP_ROW_MIN || op->code == OP_ROW_ARGMAX;
}

/* True if each tile of the grid reduces rows once.  One group is then better than two for small tiles
   (bench/notes/choices.md).  */
static bool sums_rows(const Chooser *chooser)
{
    return !chooser->nloops && ir_any_of(chooser->kernel->body, reduces_row, NULL);
}

int choose_wanted_groups(const Chooser *chooser)
{
    int largest = 0;
    ir_walk(chooser->kernel->body, visit_largest, &largest);
    if (chooser->streams)
        return choose_streaming_groups(chooser);
    if (choose_only_turns(chooser))
        return 1;
    if (!chooser->ndots) /* several blocks of one group wait less for sums of rows than a block of two */
        return largest > 4096 || (largest == 4096 && !sums_rows(chooser)) ? 2 : 1;
    int rows = 0;
    for (int i = 0; i < chooser->ndots; i++) {
        int each = chooser->dots[i]->results[0]->type.rows;
        rows = rows == 0 || each < rows ? each : rows;
    }
    const int easy = chooser->kernel->machine->costs->easy_registers;
    if (rows % (2 * MACHINE_MMA_ROWS) == 0 && choose_product_registers(chooser, 2) <= easy)
        return 2;
    if (rows % (3 * MACHINE_MMA_ROWS) == 0 && choose_products_fit(chooser, 3 + 1))
        return 3;
    return rows % (2 * MACHINE_MMA_ROWS) == 0 ? 2 : 1;
}

typedef struct {
    const Chooser *chooser;
    Type accumulator;
    bool second; /* a second tile of the accumulator's size is live beside it */
} Beside;

static void visit_beside(Op *op, void *context)
{
    Beside *beside = context;
    for (int i = 0; i < op->nresults; i++) {
        const Value *value = op->results[i];
        if (value->type.kind != K_TILE || value->type.rows != beside->accumulator.rows ||
            value->type.cols != beside->accumulator.cols || ring_source(value) || schedule_of(op)->depth)
            continue;
        const Use *use = uses_of(&beside->chooser->uses, value);
        bool again = use && use->next && op->code != OP_FOR && op->code != OP_FULL;
        beside->second |= again || op_info[op->code].class_ == CLASS_LOAD;
    }
}

/* True if the loop carries a tile of a product's size that is no sum of products.  */
static bool carries_beside(const Chooser *chooser, const Op *loop)
{
    for (int i = 0; i < carried_count(loop); i++) {
        const Value *next = carried(loop, i).next;
        bool sum = next->def && op_is_product(next->def);
        for (int k = 0; k < chooser->ndots && !sum && next->type.kind == K_TILE; k++)
            if (next->type.rows == chooser->dots[k]->results[0]->type.rows &&
                next->type.cols == chooser->dots[k]->results[0]->type.cols)
                return true;
    }
    return false;
}

/* True if a group's registers hold all accumulators of the loop as whole tiles, and no other tile of that size is
   live.  */
static bool holds_accumulators(const Chooser *chooser, const Op *loop)
{
    int registers = 0;
    if (outermost_loop(loop)) /* tiles that the outer loop carries are live, too */
        return false;
    if (carries_beside(chooser, loop))
        return false;
    for (int i = 0; i < chooser->ndots; i++) {
        const Op *dot = chooser->dots[i], *before = dot->args[2]->def;
        Beside beside = {chooser, dot->results[0]->type, false};
        ir_walk(chooser->kernel->body, visit_beside, &beside);
        if (beside.second || !ir_inside(dot, loop->blocks[0]))
            return false;
        if (!before || !op_is_product(before)) /* otherwise the two products share one accumulator */
            registers += machine_tile_registers(dot->results[0]->type, LAYOUT_MMA);
    }
    return chooser->ndots && registers <= chooser->kernel->machine->costs->held_registers;
}

/* True if the group computes the left operand in the same iteration, in registers.  */
static bool is_computed_operand(const Op *dot)
{
    const Value *left = dot->args[0];
    return left->def && left->def->parent == dot->parent && !ring_source(left);
}

/* True if products wait in each iteration for a left operand that the group computes.  Groups that divide rows compute
   at different times.  A group that takes whole tiles has the tensor cores for itself, and they idle
   (bench/notes/prepared-operands.md).  */
static bool computes_operands(const Chooser *chooser)
{
    const Role *stores = role_that(chooser->kernel, ROLE_STORES);
    Op *why = NULL;
    bool computes = false;
    for (int i = 0; i < chooser->ndots; i++)
        computes |= is_computed_operand(chooser->dots[i]);
    return computes && choose_wanted_groups(chooser) > 1 && split_rows(chooser->kernel, stores, 2, &why);
}

/* With pipeline(auto), no split, and accumulators that fit into a group, groups take whole tiles in turn.  The epilogue
   of one group then runs during the products of the other.  Synchronous products are excluded: they need the warps of
   all groups.  */
void choose_pingpong(Chooser *chooser)
{
    for (int i = 0; i < chooser->ndots; i++)
        if (!op_is_dot(chooser->dots[i]))
            return;
    if (!chooser->kernel->machine->wgmma) /* nor can one group's products fill the tensor cores */
        return;
    const BlockSchedule *block = &chooser->kernel->schedule.block;
    const Op *loop = chooser->nloops == 1 && !chooser->kernel->grid.parts ? chooser->loops[0] : NULL;
    LoopSchedule *schedule = loop ? schedule_of_loop(loop) : NULL;
    if (!loop || !pipeline_of(loop)->automatic || schedule->kind != SCHEDULE_FINE || block->split != SPLIT_AUTO ||
        block->groups || chooser->storing || chooser->preparers > 1)
        return;
    schedule->pingpong |=
        holds_accumulators(chooser, loop) && room_for_staged(chooser, 2, false) && !computes_operands(chooser);
}

/* True if groups take whole tiles in turn: by the clause split, or by pingpong on a fine loop without that clause.  */
static bool takes_tiles(const Chooser *chooser)
{
    bool pingpong = false;
    for (int i = 0; i < chooser->nloops; i++)
        pingpong |=
            schedule_of_loop(chooser->loops[i])->pingpong && schedule_of_loop(chooser->loops[i])->kind == SCHEDULE_FINE;
    return chooser->kernel->schedule.block.split == SPLIT_TILES ||
           (pingpong && chooser->kernel->schedule.block.split == SPLIT_AUTO);
}

int choose_groups(Chooser *chooser)
{
    const Grid *grid = &chooser->kernel->grid;
    BlockSchedule *block = &chooser->kernel->schedule.block;
    const Role *role = role_that(chooser->kernel, ROLE_STORES);
    Op *why = NULL;
    if (takes_tiles(chooser)) {
        if (!chooser->specialized || grid->parts || chooser->storing)
            reject(chooser->kernel, grid->loc, REASON_TILES_UNSUPPORTED);
        block->split = SPLIT_TILES;
        return block->groups > 1 ? block->groups : 2;
    }
    block->split = SPLIT_ROWS;
    if (block->groups > 1) {
        if (!split_rows(chooser->kernel, role, block->groups, &why))
            reject(chooser->kernel, why->loc, REASON_SPLIT_ROWS, block->groups);
        return block->groups;
    }
    if (block->groups == 1)
        return 1;
    const int held = chooser->kernel->machine->costs->held_registers;
    bool one = choose_product_registers(chooser, 1) <= held && room_for_staged(chooser, 1, true);
    for (int groups = choose_wanted_groups(chooser); groups > 1; groups--)
        if (one && !room_for_staged(chooser, groups, true))
            continue; /* each group stages operands of its own */
        else if (split_rows(chooser->kernel, role, groups, &why))
            return groups;
        else
            remark(chooser->kernel, DIAG_MISSED, why->loc,
                   "rows are not divided among %d consumer groups because of this operation", groups);
    return 1;
}

static bool has_transposed(const Chooser *chooser, const Op *loop)
{
    for (int i = 0; i < chooser->nloads; i++)
        if (schedule_of(chooser->loads[i])->transposer && pipelined_loop(chooser->loads[i]) == loop)
            return true;
    return false;
}

/* True if each group computes its rows of an operand.  The groups then synchronize, and none may wait for a turn.  */
bool choose_gathers(const Chooser *chooser, const Op *loop)
{
    const Role *stores = role_that(chooser->kernel, ROLE_STORES);
    for (int i = 0; i < chooser->ndots; i++) {
        const Value *right = chooser->dots[i]->args[1];
        if (pipelined_loop(chooser->dots[i]) == loop && right->split & ROLE_BIT(stores) && !ring_source(right))
            return true;
    }
    return false;
}

/* True if the operation reads the result of a product of the loop.  A product that only adds to it does not.  */
static bool looks_at_product(const Op *op, const Op *loop)
{
    for (int i = 0; i < op->nargs && op->code != OP_YIELD; i++) {
        const Op *dot = op->args[i]->def;
        if (dot && op_is_dot(dot) && dot->parent == loop->blocks[0] && !(op_is_dot(op) && i == 2))
            return true;
    }
    return false;
}

/* True for products of a fine loop that each iteration waits for, with other work before or after them.  Without turns,
   all groups do that work at the same time, and the tensor cores idle (bench/notes/prepared-operands.md).  Short
   products end before the turn comes back (bench/notes/choices.md).  */
static bool gains_by_turns(const Chooser *chooser, const Op *loop, int groups)
{
    bool works = false, looked = false;
    const int least = groups * chooser->kernel->machine->costs->turn_clocks;
    if (groups < 2 || chooser->nprepared || !chooser->kernel->machine->wgmma ||
        choose_product_clocks(chooser, loop) < least)
        return false;
    for (int i = 0; i < chooser->ndots; i++)
        if (pipelined_loop(chooser->dots[i]) == loop &&
            (!op_is_dot(chooser->dots[i]) || chooser->dots[i]->parent != loop->blocks[0]))
            return false;
    FOR_OPS (op, loop->blocks[0]) {
        if (op_is_dot(op) && looked)
            return false;
        looked |= looks_at_product(op, loop);
        works |= looked || (op_is_dot(op) && is_computed_operand(op));
    }
    return works;
}

/* A coarse loop has work between its products.  Groups that divide rows do this work in turn, each during the products
   of the others.  Products of bytes end before that work does, so turns would leave the tensor cores idle
   (bench/notes/choices.md).  */
void choose_turns(Chooser *chooser, int groups)
{
    for (int i = 0; i < chooser->nloops; i++) {
        LoopSchedule *schedule = schedule_of_loop(chooser->loops[i]);
        bool fine = schedule->kind != SCHEDULE_COARSE;
        if (chooser->kernel->schedule.block.split != SPLIT_ROWS ||
            (fine && !schedule->pingpong && !gains_by_turns(chooser, chooser->loops[i], groups)))
            continue;
        bool gathered = choose_gathers(chooser, chooser->loops[i]);
        if (schedule->pingpong && (groups == 1 || gathered))
            reject(chooser->kernel, pipeline_of(chooser->loops[i])->loc, REASON_PINGPONG_UNSUPPORTED);
        schedule->pingpong =
            groups > 1 && !gathered && (schedule->pingpong || !has_transposed(chooser, chooser->loops[i]));
    }
}
