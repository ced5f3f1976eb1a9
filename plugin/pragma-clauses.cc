/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma-clauses.cc - the directives of #pragma ws and their clauses: what read_directive makes of the tokens.
 */
#include "pragma.h"

/* ---- clauses of grid --------------------------------------------------------------------------------------------- */

static void clause_cluster(Tokens *t, Grid *grid)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'cluster'");
    grid->cluster[0] = constant_in_range(t, "a side of a cluster", 1, 16);
    grid->cluster[1] = accept_token(t, CPP_COMMA) ? constant_in_range(t, "a side of a cluster", 1, 16) : 1;
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the cluster's size");
}

static bool is_order(const char *name, TileOrder *order)
{
    static const char *const names[] = {"row", "column", "grouped"};
    static const TileOrder orders[] = {ORDER_ROW, ORDER_COLUMN, ORDER_GROUPED};
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, names[i])) {
            *order = orders[i];
            return true;
        }
    return false;
}

/* order(column), order(from(x)), order(grouped(8), from(x)).  */
static void clause_order(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"row", "column", "grouped", "from", NULL};
    Grid *grid = &pragma->grid;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'order'");
    do {
        const bool from = !strcmp(word_of(t), "from");
        if ((from && pragma->from) || (!from && grid->order != ORDER_AUTO)) {
            wrong_token(t, "remove one of them", "tiles have one order, and begin at one place");
            return;
        }
        if (!from && !is_order(word_of(t), &grid->order)) {
            unknown_word(t, "an order of tiles", choices,
                         "write order(row), order(column), order(grouped(g)) or order(from(x))");
            return;
        }
        next_token(t);
        if (from)
            clause_from(t, pragma);
        if (!from && grid->order == ORDER_GROUPED) {
            expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'grouped'");
            grid->order_group = constant_in_range(t, "the size of a group", 1, 65536);
            expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the size of a group");
        }
    } while (!t->failed && accept_token(t, CPP_COMMA));
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the order");
}

static void clause_consumers(Tokens *t, Grid *grid)
{
    static const char *const choices[] = {"rows", "tiles", NULL};
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'consumers'");
    grid->consumers = constant_in_range(t, "the number of consumer groups", 1, 7);
    if (accept_token(t, CPP_COMMA)) {
        if (!strcmp(word_of(t), "rows")) {
            grid->split = SPLIT_ROWS;
        } else if (!strcmp(word_of(t), "tiles")) {
            grid->split = SPLIT_TILES;
        } else {
            unknown_word(t, "a way to split work", choices, "write consumers(n, rows) or consumers(n, tiles)");
            return;
        }
        next_token(t);
    }
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the number of consumer groups");
}

static void clause_registers(Tokens *t, Grid *grid)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'registers'");
    grid->producer_registers = constant_in_range(t, "a number of registers", 1, 255);
    expect_token(t, CPP_COMMA, "expected ',': registers(producer, consumer)");
    grid->consumer_registers = constant_in_range(t, "a number of registers", 1, 255);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the numbers of registers");
}

/* tile(128, 64): iterations of each loop that become one.  */
static void clause_tile(Tokens *t, Grid *grid)
{
    int count = 0;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'tile'");
    do {
        location_t where = t->where;
        int size = constant_in_range(t, "a side of a tile", 1, 65536);
        if (count == grid->dims && !t->failed) {
            t->failed = true;
            complain(where, "one for each loop of the grid", "more sides of a tile than loops");
        }
        grid->tile[count < 4 ? count : 3] = size;
        count++;
    } while (!t->failed && accept_token(t, CPP_COMMA));
    if (!t->failed && count < grid->dims)
        wrong_token(t, "one for each loop of the grid; 1 for those that are not tiled",
                    "fewer sides of a tile than loops");
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the tile's size");
}

static void clause_precision(Tokens *t, Grid *grid)
{
    static const char *const choices[] = {"f32", "tf32", "f16", "bf16", NULL};
    bool known = false;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'precision'");
    for (int i = 0; choices[i]; i++)
        if (!strcmp(word_of(t), choices[i])) {
            grid->precision = (Precision)i;
            known = true;
        }
    if (!known) {
        unknown_word(t, "a precision", choices,
                     "write precision(f32), precision(tf32), precision(f16) or precision(bf16)");
        return;
    }
    next_token(t);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the precision");
}

static void clause_share(Tokens *t, Grid *grid)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'share': so many multiprocessors");
    grid->share = constant_in_range(t, "a number of multiprocessors", 1, 1024);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the number of multiprocessors");
}

static void clause_persistent(Tokens *, Grid *grid)
{
    grid->persistent = grid->persistent_given = true;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static bool reduction_operation(const Tokens *t, bool of_grid, Opcode *op)
{
    if (t->type == CPP_PLUS || t->type == CPP_MINUS)
        *op = OP_SCALAR_ADD;
    else if (t->type == CPP_MULT)
        *op = OP_SCALAR_MUL;
    else if (!strcmp(word_of(t), "max"))
        *op = OP_SCALAR_MAX;
    else if (!strcmp(word_of(t), "min"))
        *op = OP_SCALAR_MIN;
    else if (of_grid && (t->type == CPP_AND_AND || t->type == CPP_OR_OR))
        *op = t->type == CPP_AND_AND ? OP_SCALAR_AND : OP_SCALAR_OR;
    else
        return false;
    return true;
}

static void read_names(Tokens *t, Opcode op, Reduction **list)
{
    if (t->failed)
        return;
    do {
        if (t->type != CPP_NAME)
            wrong_token(t, NULL, "expected the name of a variable or an array");
        if (t->failed)
            return;
        tree decl = lookup_name(t->value);
        if (!decl) {
            complain(t->where, NULL, "%qs is not declared", word_of(t));
            t->failed = true;
            return;
        }
        TREE_USED(decl) = 1;
        if (VAR_P(decl))
            DECL_READ_P(decl) = 1;
        Reduction *reduction = (Reduction *)arena_alloc(plugin.module, sizeof *reduction);
        *reduction = Reduction{op, arena_print(plugin.module, "%s", word_of(t)), *list};
        *list = reduction;
        next_token(t);
    } while (accept_token(t, CPP_COMMA));
}

/* reduction(+: x, y), as OpenMP's.  */
static void read_reduction(Tokens *t, bool of_grid, Reduction **list)
{
    Opcode op = OP_SCALAR_ADD;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'reduction'");
    if (!t->failed && !reduction_operation(t, of_grid, &op))
        wrong_token(t,
                    of_grid ? "write reduction(+: sum), with '+', '-', 'max', 'min', '&&' or '||'"
                            : "write reduction(+: sum), with '+', '-', '*', 'max' or 'min'",
                    "this is not a reduction");
    if (t->failed)
        return;
    next_token(t);
    expect_token(t, CPP_COLON, "expected ':' after the reduction's operation");
    read_names(t, op, list);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the reduction's variables");
}

/* independent(x, y): iterations store different elements.  */
static void clause_independent(Tokens *t, Grid *grid)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'independent'");
    read_names(t, OP_SET_ELEMENT, &grid->independent);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the arrays' names");
}

static void clause_reduction(Tokens *t, Pipeline *pipeline)
{
    read_reduction(t, false, &pipeline->reductions);
}

static void clause_reduction_of_grid(Tokens *t, Grid *grid)
{
    read_reduction(t, true, &grid->reductions);
}

/* ---- clauses of pipeline ----------------------------------------------------------------------------------------- */

static void clause_schedule(Tokens *t, Pipeline *pipeline)
{
    static const char *const choices[] = {"fine", "coarse", "optimal", NULL};
    static const Schedule schedules[] = {SCHEDULE_FINE, SCHEDULE_COARSE, SCHEDULE_OPTIMAL};
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'schedule'");
    for (int i = 0; choices[i]; i++)
        if (!strcmp(word_of(t), choices[i]))
            pipeline->schedule = schedules[i];
    if (pipeline->schedule == SCHEDULE_AUTO) {
        unknown_word(t, "a schedule", choices, "write schedule(fine), schedule(coarse) or schedule(optimal)");
        return;
    }
    next_token(t);
    if (pipeline->schedule == SCHEDULE_OPTIMAL && accept_token(t, CPP_COMMA))
        pipeline->variants = constant_in_range(t, "a number of schedules", 1, MOST_SOLVED);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the schedule");
}

static void clause_tile_of_loop(Tokens *t, Pipeline *pipeline)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'tile'");
    pipeline->tile = constant_in_range(t, "a side of a tile", 1, 65536);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the tile's size");
}

static void clause_pingpong(Tokens *, Pipeline *pipeline)
{
    pipeline->pingpong = true;
}

static void clause_subtile(Tokens *t, Pipeline *pipeline)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'subtile': into how many parts rows are divided");
    pipeline->subtiles = constant_in_range(t, "the number of parts", 1, MOST_SUBTILES);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the number of parts");
}

/* ---- clauses of task --------------------------------------------------------------------------------------------- */

static void clause_groups(Tokens *t, Pragma *pragma)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'groups'");
    pragma->task.groups = constant_in_range(t, "the number of a task's groups", 1, 7);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the number of groups");
}

static void clause_registers_of_task(Tokens *t, Pragma *pragma)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'registers'");
    pragma->task.registers = constant_in_range(t, "a number of registers", 1, 255);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the number of registers");
}

/* ring(x, D): of a task any tile in sight, of a pipeline one that its loop is going to declare.  */
static void clause_ring(Tokens *t, Pragma *pragma)
{
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'ring': the tile, and its slots");
    if (t->type != CPP_NAME)
        wrong_token(t, "write ring(x, 3)", "expected the name of a tile");
    if (t->failed)
        return;
    tree decl = pragma->is_task ? lookup_name(t->value) : NULL_TREE;
    if (pragma->is_task && !decl) {
        complain(t->where, "declare it above the block", "%qs is not declared", word_of(t));
        t->failed = true;
        return;
    }
    TaskRing *ring = (TaskRing *)arena_alloc(plugin.module, sizeof *ring);
    ring->name = arena_print(plugin.module, "%s", word_of(t));
    ring->declared = decl ? DECL_SOURCE_LOCATION(decl) : UNKNOWN_LOCATION;
    ring->loc = t->where;
    ring->next = pragma->rings;
    pragma->rings = ring;
    next_token(t);
    expect_token(t, CPP_COMMA, "expected ',': ring(tile, slots)");
    ring->slots = constant_in_range(t, "the number of slots of a ring", 1, 16);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the number of slots");
}

static const char *tile_name(Tokens *t)
{
    if (t->type != CPP_NAME)
        wrong_token(t, "write share(x, y)", "expected the name of a tile");
    const char *name = arena_print(plugin.module, "%s", word_of(t));
    if (!t->failed)
        next_token(t);
    return name;
}

/* share(x, y): any two tiles of the grid.  */
static void clause_share_tiles(Tokens *t, Pragma *pragma)
{
    TileShare *share = (TileShare *)arena_alloc(plugin.module, sizeof *share);
    share->loc = t->where;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'share': two tiles");
    share->names[0] = tile_name(t);
    expect_token(t, CPP_COMMA, "expected ',': share(tile, tile)");
    share->names[1] = tile_name(t);
    if (!t->failed && !strcmp(share->names[0], share->names[1]))
        wrong_token(t, "name two tiles", "a tile does not share memory with itself");
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the second tile");
    share->next = pragma->shares;
    pragma->shares = share;
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

/* One clause: its name and what reads the rest of it.  */
struct Clause {
    const char *name;
    void (*grid)(Tokens *, Grid *);
    void (*pipeline)(Tokens *, Pipeline *);
    void (*other)(Tokens *, Pragma *);
};
static const Clause grid_clauses[] = {{"persistent", clause_persistent, NULL, NULL},
                                      {"cluster", clause_cluster, NULL, NULL},
                                      {"order", NULL, NULL, clause_order},
                                      {"consumers", clause_consumers, NULL, NULL},
                                      {"registers", clause_registers, NULL, NULL},
                                      {"tile", clause_tile, NULL, NULL},
                                      {"precision", clause_precision, NULL, NULL},
                                      {"extent", NULL, NULL, clause_extent},
                                      {"share", clause_share, NULL, NULL},
                                      {"reduction", clause_reduction_of_grid, NULL, NULL},
                                      {"independent", clause_independent, NULL, NULL},
                                      {NULL, NULL, NULL, NULL}};
static const Clause pipeline_clauses[] = {
    {"schedule", NULL, clause_schedule, NULL},   {"pingpong", NULL, clause_pingpong, NULL},
    {"subtile", NULL, clause_subtile, NULL},     {"tile", NULL, clause_tile_of_loop, NULL},
    {"reduction", NULL, clause_reduction, NULL}, {"ring", NULL, NULL, clause_ring},
    {"share", NULL, NULL, clause_share_tiles},   {NULL, NULL, NULL, NULL}};
static const Clause task_clauses[] = {{"groups", NULL, NULL, clause_groups},
                                      {"registers", NULL, NULL, clause_registers_of_task},
                                      {"ring", NULL, NULL, clause_ring},
                                      {"share", NULL, NULL, clause_share_tiles},
                                      {NULL, NULL, NULL, NULL}};

static void unknown_clause(Tokens *t, const Clause *clauses, const Pragma *pragma)
{
    const char *choices[16];
    int count = 0;
    for (; clauses->name; clauses++)
        choices[count++] = clauses->name;
    choices[count] = NULL;
    if (pragma->is_grid)
        unknown_word(t, "a clause of 'grid'", choices,
                     "the clauses are persistent, cluster, order, consumers, registers and share; of plain loops tile, "
                     "precision, extent, reduction and independent");
    else if (pragma->is_task)
        unknown_word(t, "a clause of 'task'", choices, "the clauses are groups, registers, ring and share");
    else
        unknown_word(t, "a clause of 'pipeline'", choices,
                     "the clauses are schedule, pingpong, subtile, ring and share; of plain loops tile and reduction");
}

static void read_clauses(Tokens *t, const Clause *clauses, Pragma *pragma)
{
    unsigned seen = 0;
    while (!t->failed && t->type != CPP_EOF) {
        const Clause *clause = clauses;
        while (clause->name && strcmp(clause->name, word_of(t)))
            clause++;
        if (!clause->name) {
            unknown_clause(t, clauses, pragma);
            return;
        }
        unsigned bit = 1u << (clause - clauses);
        if (seen & bit && strcmp(clause->name, "reduction") && strcmp(clause->name, "ring") &&
            strcmp(clause->name, "extent") && strcmp(clause->name, "independent") &&
            (pragma->is_grid || strcmp(clause->name, "share"))) {
            wrong_token(t, "remove one of them", "this clause is given twice");
            return;
        }
        seen |= bit;
        next_token(t);
        if (clause->grid)
            clause->grid(t, &pragma->grid);
        else if (clause->other)
            clause->other(t, pragma);
        else
            clause->pipeline(t, &pragma->pipeline);
    }
}

static void read_grid(Tokens *t, Pragma *pragma)
{
    pragma->is_grid = true;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'grid': the number of nested loops");
    pragma->grid.dims = constant_in_range(t, "the number of loops of a grid", 1, 4);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the number of loops");
    read_clauses(t, grid_clauses, pragma);
}

static void read_pipeline(Tokens *t, Pragma *pragma)
{
    Pipeline *pipeline = &pragma->pipeline;
    pipeline->depth = pipeline->in_flight = -1;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'pipeline': the depth, or 'auto'");
    if (!strcmp(word_of(t), "auto")) {
        pipeline->automatic = true;
        next_token(t);
    } else {
        pipeline->depth = constant_in_range(t, "the depth of a pipeline", 1, 16);
        if (accept_token(t, CPP_COMMA))
            pipeline->in_flight = constant_in_range(t, "the number of iterations in flight", 1, 64);
    }
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the depth");
    read_clauses(t, pipeline_clauses, pragma);
}

static void read_parts(Tokens *t, Pragma *pragma)
{
    pragma->pipeline.parts = true;
    if (t->type != CPP_EOF)
        wrong_token(t, "write '#pragma ws parts'", "'parts' has no clauses");
}

static void read_blocks(Tokens *t, Pragma *pragma)
{
    pragma->pipeline.blocks = true;
    if (t->type != CPP_EOF)
        wrong_token(t, "write '#pragma ws blocks'", "'blocks' has no clauses");
}

/* devices(n): a variable of an integer type, or a constant.  */
static void read_devices(Tokens *t, Pragma *pragma)
{
    pragma->is_devices = true;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'devices': how many");
    tree decl = t->type == CPP_NAME ? lookup_name(t->value) : NULL_TREE;
    bool variable = decl && (VAR_P(decl) || TREE_CODE(decl) == PARM_DECL) && INTEGRAL_TYPE_P(TREE_TYPE(decl)) &&
                    !(VAR_P(decl) && TREE_READONLY(decl) && DECL_INITIAL(decl) && TREE_CONSTANT(DECL_INITIAL(decl)));
    if (variable && !t->failed) {
        mark_exp_read(decl);
        TREE_USED(decl) = 1;
        pragma->devices = decl;
        next_token(t);
    } else {
        pragma->devices = build_int_cst(long_integer_type_node, constant_in_range(t, "the number of devices", 1, 64));
    }
    expect_token(t, CPP_CLOSE_PAREN,
                 "expected ')' after the number of devices: write a variable's name, or a constant");
    if (!t->failed && t->type != CPP_EOF)
        wrong_token(t, "write '#pragma ws devices(n)'", "'devices' has no clauses");
}

static void read_task(Tokens *t, Pragma *pragma)
{
    pragma->is_task = true;
    expect_token(t, CPP_OPEN_PAREN, "expected '(' after 'task': its name");
    if (t->type != CPP_NAME)
        wrong_token(t, "write task(name)", "expected the name of a task");
    if (t->failed)
        return;
    pragma->task.name = arena_print(plugin.module, "%s", name_for_device(word_of(t)));
    next_token(t);
    expect_token(t, CPP_CLOSE_PAREN, "expected ')' after the task's name");
    read_clauses(t, task_clauses, pragma);
}

void read_directive(Tokens *t, Pragma *pragma, bool *update)
{
    static const char *const choices[] = {"grid",    "pipeline", "parts", "blocks", "task",
                                          "devices", "together", "data",  "update", NULL};
    const char *name = word_of(t);
    if (!strcmp(name, "grid")) {
        next_token(t);
        read_grid(t, pragma);
    } else if (!strcmp(name, "pipeline")) {
        next_token(t);
        read_pipeline(t, pragma);
    } else if (!strcmp(name, "parts")) {
        next_token(t);
        read_parts(t, pragma);
    } else if (!strcmp(name, "blocks")) {
        next_token(t);
        read_blocks(t, pragma);
    } else if (!strcmp(name, "together")) {
        next_token(t);
        pragma->is_together = true;
        if (t->type != CPP_EOF)
            wrong_token(t, "write '#pragma ws together'", "'together' has no clauses");
    } else if (!strcmp(name, "data")) {
        next_token(t);
        read_data(t, pragma);
    } else if (!strcmp(name, "update")) {
        next_token(t);
        read_update(t);
        *update = true;
    } else if (!strcmp(name, "devices")) {
        next_token(t);
        read_devices(t, pragma);
    } else if (!strcmp(name, "task")) {
        next_token(t);
        read_task(t, pragma);
    } else {
        unknown_word(
            t, "a '#pragma ws'", choices,
            "write '#pragma ws grid(n)', '#pragma ws pipeline(D, P)', '#pragma ws parts', '#pragma ws blocks', "
            "'#pragma ws task(name)', '#pragma ws devices(n)', '#pragma ws together', '#pragma ws data copy(x[0:n])' "
            "or '#pragma ws update host(x[0:n])'");
    }
}
