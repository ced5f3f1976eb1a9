/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * directive.c - a Directive -> the Grid, Pipeline or Task of the IR that it describes.
 *
 *   grid(2) tile(128, 64) reduction(+: s)        dims 2, tile {128, 64}, reductions {SCALAR_ADD s}
 *
 * The front ends read the other clauses themselves: extents, places where tiles begin, and arrays.
 */
#include "source/pragma.h"

static int number_at(const Argument *arguments, int i)
{
    for (; arguments && i > 0; i--)
        arguments = arguments->next;
    return arguments ? (int)arguments->number : 0;
}

/* The last name comes first.  */
static void add_reductions(Module *module, Opcode op, const Argument *names, Reduction **list)
{
    for (; names; names = names->next) {
        Reduction *reduction = arena_alloc(module, sizeof *reduction);
        *reduction = (Reduction){op, names->name, *list};
        *list = reduction;
    }
}

static void set_order(const Argument *arguments, Grid *grid)
{
    for (; arguments; arguments = arguments->next) {
        grid->order = arguments->number ? (TileOrder)arguments->number : grid->order;
        if (arguments->number == ORDER_GROUPED)
            grid->order_group = number_at(arguments->arguments, 0);
    }
}

static void set_grid_clause(Module *module, const Clause *clause, Grid *grid)
{
    const Argument *arguments = clause->arguments;
    switch (clause->kind) {
    case CLAUSE_GRID_PERSISTENT:
        grid->persistent = grid->persistent_given = true;
        break;
    case CLAUSE_GRID_CLUSTER:
        grid->cluster[0] = number_at(arguments, 0);
        grid->cluster[1] = arguments->next ? number_at(arguments, 1) : 1;
        break;
    case CLAUSE_GRID_ORDER:
        set_order(arguments, grid);
        break;
    case CLAUSE_GRID_CONSUMERS:
        grid->consumers = number_at(arguments, 0);
        grid->split = (Split)number_at(arguments, 1);
        break;
    case CLAUSE_GRID_REGISTERS:
        grid->producer_registers = number_at(arguments, 0);
        grid->consumer_registers = number_at(arguments, 1);
        break;
    case CLAUSE_GRID_SHARE:
        grid->share = number_at(arguments, 0);
        break;
    case CLAUSE_GRID_TILE:
        for (int i = 0; i < grid->dims; i++)
            grid->tile[i] = number_at(arguments, i);
        break;
    case CLAUSE_GRID_PRECISION:
        grid->precision = (Precision)number_at(arguments, 0);
        break;
    case CLAUSE_GRID_REDUCTION:
        add_reductions(module, (Opcode)arguments->number, arguments->next, &grid->reductions);
        break;
    case CLAUSE_GRID_INDEPENDENT:
        add_reductions(module, OP_SET_ELEMENT, arguments, &grid->independent);
        break;
    default:
        break;
    }
}

void directive_grid(Module *module, const Directive *directive, Grid *grid)
{
    grid->dims = number_at(directive->arguments, 0);
    for (const Clause *clause = directive->clauses; clause; clause = clause->next)
        set_grid_clause(module, clause, grid);
}

static void set_pipeline_clause(Module *module, const Clause *clause, Pipeline *pipeline)
{
    const Argument *arguments = clause->arguments;
    switch (clause->kind) {
    case CLAUSE_PIPELINE_SCHEDULE:
        pipeline->schedule = (ScheduleKind)number_at(arguments, 0);
        pipeline->variants = number_at(arguments, 1);
        break;
    case CLAUSE_PIPELINE_PINGPONG:
        pipeline->pingpong = true;
        break;
    case CLAUSE_PIPELINE_SUBTILE:
        pipeline->subtiles = number_at(arguments, 0);
        break;
    case CLAUSE_PIPELINE_TILE:
        pipeline->tile = number_at(arguments, 0);
        break;
    case CLAUSE_PIPELINE_REDUCTION:
        add_reductions(module, (Opcode)arguments->number, arguments->next, &pipeline->reductions);
        break;
    default:
        break;
    }
}

void directive_pipeline(Module *module, const Directive *directive, Pipeline *pipeline)
{
    const Argument *arguments = directive->arguments;
    pipeline->parts = directive->kind == DIRECTIVE_PARTS;
    pipeline->blocks = directive->kind == DIRECTIVE_BLOCKS;
    if (directive->kind != DIRECTIVE_PIPELINE)
        return;
    pipeline->automatic = !arguments;
    pipeline->depth = arguments ? number_at(arguments, 0) : -1;
    pipeline->in_flight = arguments && arguments->next ? number_at(arguments, 1) : -1;
    for (const Clause *clause = directive->clauses; clause; clause = clause->next)
        set_pipeline_clause(module, clause, pipeline);
}

void directive_task(const Directive *directive, Task *task)
{
    const Clause *groups = clause_of(directive->clauses, CLAUSE_TASK_GROUPS);
    const Clause *registers = clause_of(directive->clauses, CLAUSE_TASK_REGISTERS);
    task->name = directive->arguments->name;
    task->groups = groups ? number_at(groups->arguments, 0) : 0;
    task->registers = registers ? number_at(registers->arguments, 0) : 0;
}

TileRing *directive_rings(Module *module, const Directive *directive)
{
    TileRing *list = NULL;
    for (const Clause *clause = directive->clauses; clause; clause = clause->next) {
        if (clause->kind != CLAUSE_PIPELINE_RING && clause->kind != CLAUSE_TASK_RING)
            continue;
        const Argument *tile = clause->arguments;
        TileRing *ring = arena_alloc(module, sizeof *ring);
        *ring = (TileRing){tile->name, tile->declared, number_at(tile, 1), false, tile->loc, list};
        list = ring;
    }
    return list;
}

TileShare *directive_shares(Module *module, const Directive *directive)
{
    TileShare *list = NULL;
    for (const Clause *clause = directive->clauses; clause; clause = clause->next) {
        if (clause->kind != CLAUSE_PIPELINE_SHARE && clause->kind != CLAUSE_TASK_SHARE)
            continue;
        const Argument *tile = clause->arguments;
        TileShare *share = arena_alloc(module, sizeof *share);
        *share = (TileShare){{tile->name, tile->next->name}, {false, false}, 0, tile->loc, list};
        list = share;
    }
    return list;
}
