/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clause.c - the clauses of grid, pipeline and task.
 *
 *   pipeline(4, 2) schedule(fine)        depth 4, in flight 2, fine
 */
#include <string.h>

#include "pragma.h"

/* ---- clauses of grid --------------------------------------------------------------------------------------------- */

static void clause_cluster(Tokens *t, Pragma *pragma)
{
    pragma->grid.cluster[0] = number(t, "a side of a cluster", 1, 16);
    pragma->grid.cluster[1] = accept(t, ",") ? number(t, "a side of a cluster", 1, 16) : 1;
}

static void clause_order(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"row", "column", "grouped", "from", NULL};
    static const TileOrder orders[] = {ORDER_ROW, ORDER_COLUMN, ORDER_GROUPED, ORDER_AUTO};
    do {
        const bool from = !strcmp(word(t), "from");
        if (from ? pragma->from != NULL : pragma->grid.order != ORDER_AUTO)
            wrong(t, "remove one of them", "tiles have one order, and begin at one place");
        TileOrder order = orders[choice(t, choices, "an order of tiles",
                                        "write order(row), order(column), order(grouped(g)) or order(from(x))")];
        if (t->failed)
            return;
        if (from) {
            clause_from(t, pragma);
            continue;
        }
        pragma->grid.order = order;
        if (order != ORDER_GROUPED)
            continue;
        expect(t, "(", "expected '(' after 'grouped'");
        pragma->grid.order_group = number(t, "the size of a group", 1, 65536);
        expect(t, ")", "expected ')' after the size of a group");
    } while (!t->failed && accept(t, ","));
}

static void clause_consumers(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"rows", "tiles", NULL};
    static const Split splits[] = {SPLIT_ROWS, SPLIT_TILES};
    pragma->grid.consumers = number(t, "the number of consumer groups", 1, 7);
    if (accept(t, ","))
        pragma->grid.split =
            splits[choice(t, choices, "a way to split work", "write consumers(n, rows) or consumers(n, tiles)")];
}

static void clause_registers(Tokens *t, Pragma *pragma)
{
    pragma->grid.producer_registers = number(t, "a number of registers", 1, 255);
    expect(t, ",", "expected ',': registers(producer, consumer)");
    pragma->grid.consumer_registers = number(t, "a number of registers", 1, 255);
}

static void clause_share(Tokens *t, Pragma *pragma)
{
    pragma->grid.share = number(t, "a number of multiprocessors", 1, 1024);
}

/* tile(128, 64): iterations of each loop that become one.  */
static void clause_tile(Tokens *t, Pragma *pragma)
{
    int count = 0;
    do {
        int size = number(t, "a side of a tile", 1, 65536);
        if (count == pragma->grid.dims)
            wrong(t, "one for each loop of the grid", "more sides of a tile than loops");
        pragma->grid.tile[count < 4 ? count : 3] = size;
        count++;
    } while (!t->failed && accept(t, ","));
    if (!t->failed && count < pragma->grid.dims)
        wrong(t, "one for each loop of the grid; 1 for those that are not tiled", "fewer sides of a tile than loops");
}

static void clause_precision(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"f32", "tf32", "f16", "bf16", NULL};
    pragma->grid.precision = (Precision)choice(
        t, choices, "a precision", "write precision(f32), precision(tf32), precision(f16) or precision(bf16)");
}

static void clause_persistent(Tokens *t, Pragma *pragma)
{
    (void)t;
    pragma->grid.persistent = pragma->grid.persistent_given = true;
}

/* ---- clauses of pipeline ----------------------------------------------------------------------------------------- */

static void clause_schedule(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"fine", "coarse", "optimal", NULL};
    static const Schedule schedules[] = {SCHEDULE_FINE, SCHEDULE_COARSE, SCHEDULE_OPTIMAL};
    pragma->pipeline.schedule =
        schedules[choice(t, choices, "a schedule", "write schedule(fine), schedule(coarse) or schedule(optimal)")];
    if (pragma->pipeline.schedule == SCHEDULE_OPTIMAL && accept(t, ","))
        pragma->pipeline.variants = number(t, "a number of schedules", 1, MOST_SOLVED);
}

static void clause_tile_of_loop(Tokens *t, Pragma *pragma)
{
    pragma->pipeline.tile = number(t, "a side of a tile", 1, 65536);
}

static void read_names(Tokens *t, Opcode code, Reduction **list)
{
    do {
        if (!is_name(t))
            wrong(t, NULL, "expected the name of a variable or an array");
        if (t->failed)
            return;
        if (clang_Cursor_isNull(variable_in_sight(t->u, t->function, t->offset, word(t))))
            wrong(t, NULL, arena_print(t->u->module, "'%s' is not declared", word(t)));
        Reduction *reduction = arena_alloc(t->u->module, sizeof *reduction);
        *reduction = (Reduction){code, word(t), *list};
        *list = reduction;
        t->at++;
    } while (accept(t, ","));
}

/* reduction(+: x, y), as OpenMP's.  */
static void read_reduction(Tokens *t, bool of_grid, Reduction **list)
{
    static const char *const names[] = {"+", "-", "*", "max", "min", NULL};
    static const char *const of_grids[] = {"+", "-", "*", "max", "min", "&&", "||", NULL};
    static const Opcode codes[] = {OP_SCALAR_ADD, OP_SCALAR_ADD, OP_SCALAR_MUL, OP_SCALAR_MAX,
                                   OP_SCALAR_MIN, OP_SCALAR_AND, OP_SCALAR_OR};
    Opcode code = codes[choice(t, of_grid ? of_grids : names, "a reduction",
                               of_grid ? "write reduction(+: sum), with '+', '-', 'max', 'min', '&&' or '||'"
                                       : "write reduction(+: sum), with '+', '-', '*', 'max' or 'min'")];
    expect(t, ":", "expected ':' after the reduction's operation");
    read_names(t, code, list);
}

/* independent(x, y): iterations store different elements.  */
static void clause_independent(Tokens *t, Pragma *pragma)
{
    read_names(t, OP_SET_ELEMENT, &pragma->grid.independent);
}

static void clause_reduction(Tokens *t, Pragma *pragma)
{
    read_reduction(t, false, &pragma->pipeline.reductions);
}

static void clause_reduction_of_grid(Tokens *t, Pragma *pragma)
{
    read_reduction(t, true, &pragma->grid.reductions);
}

static void clause_pingpong(Tokens *t, Pragma *pragma)
{
    (void)t;
    pragma->pipeline.pingpong = true;
}

static void clause_subtile(Tokens *t, Pragma *pragma)
{
    pragma->pipeline.subtiles = number(t, "the number of parts", 1, MOST_SUBTILES);
}

/* ring(x, D): a tile that the loop is going to declare.  */
static void clause_ring(Tokens *t, Pragma *pragma)
{
    Ring *ring = arena_alloc(t->u->module, sizeof *ring);
    *ring = (Ring){word(t), clang_getNullCursor(), 0, false, here(t), pragma->rings};
    if (t->at == t->count || !is_name(t))
        wrong(t, "write ring(x, 3)", "expected the name of a tile");
    if (pragma->kind == PRAGMA_TASK && !t->failed) {
        ring->declared = variable_in_sight(t->u, t->function, t->offset, ring->name);
        if (clang_Cursor_isNull(ring->declared))
            wrong(t, "declare it above the block", arena_print(t->u->module, "'%s' is not declared", ring->name));
    }
    pragma->rings = ring;
    t->at++;
    expect(t, ",", "expected ',': ring(tile, slots)");
    ring->slots = number(t, "the number of slots of a ring", 1, 16);
}

/* share(x, y): any two tiles of the grid.  */
static void clause_share_tiles(Tokens *t, Pragma *pragma)
{
    TileShare *share = arena_alloc(t->u->module, sizeof *share);
    share->loc = here(t);
    for (int i = 0; i < 2 && !t->failed; i++) {
        share->names[i] = word(t);
        if (t->at == t->count || !is_name(t))
            wrong(t, "write share(x, y)", "expected the name of a tile");
        t->at++;
        if (!i)
            expect(t, ",", "expected ',': share(tile, tile)");
    }
    if (!t->failed && !strcmp(share->names[0], share->names[1]))
        wrong(t, "name two tiles", "a tile does not share memory with itself");
    share->next = pragma->shares;
    pragma->shares = share;
}

static void clause_groups(Tokens *t, Pragma *pragma)
{
    pragma->task.groups = number(t, "the number of a task's groups", 1, 7);
}

static void clause_registers_of_task(Tokens *t, Pragma *pragma)
{
    pragma->task.registers = number(t, "a number of registers", 1, 255);
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    bool has_arguments;
    void (*read)(Tokens *, Pragma *);
} Clause;
static const Clause grid_clauses[] = {{"persistent", false, clause_persistent},
                                      {"cluster", true, clause_cluster},
                                      {"order", true, clause_order},
                                      {"consumers", true, clause_consumers},
                                      {"registers", true, clause_registers},
                                      {"tile", true, clause_tile},
                                      {"precision", true, clause_precision},
                                      {"extent", true, clause_extent},
                                      {"share", true, clause_share},
                                      {"reduction", true, clause_reduction_of_grid},
                                      {"independent", true, clause_independent},
                                      {NULL, false, NULL}};
static const Clause pipeline_clauses[] = {{"schedule", true, clause_schedule},   {"pingpong", false, clause_pingpong},
                                          {"subtile", true, clause_subtile},     {"tile", true, clause_tile_of_loop},
                                          {"reduction", true, clause_reduction}, {"ring", true, clause_ring},
                                          {"share", true, clause_share_tiles},   {NULL, false, NULL}};

static const Clause task_clauses[] = {{"groups", true, clause_groups},
                                      {"registers", true, clause_registers_of_task},
                                      {"ring", true, clause_ring},
                                      {"share", true, clause_share_tiles},
                                      {NULL, false, NULL}};

static void read_clause(Tokens *t, const Clause *clause, Pragma *pragma)
{
    Unit *u = t->u;
    if (clause->has_arguments)
        expect(t, "(", arena_print(u->module, "expected '(' after '%s'", clause->name));
    if (!t->failed)
        clause->read(t, pragma);
    if (clause->has_arguments)
        expect(t, ")", arena_print(u->module, "expected ')' after what '%s' says", clause->name));
}

static void read_clauses(Tokens *t, const Clause *clauses, Pragma *pragma)
{
    unsigned seen = 0;
    while (!t->failed && t->at < t->count) {
        const Clause *clause = clauses;
        while (clause->name && strcmp(clause->name, word(t)))
            clause++;
        if (!clause->name) {
            const char *choices[16];
            int count = 0;
            for (const Clause *known = clauses; known->name; known++)
                choices[count++] = known->name;
            choices[count] = NULL;
            unknown_word(
                t, arena_print(t->u->module, "a clause of '%s'", pragma->word), choices,
                pragma->kind == PRAGMA_GRID
                    ? "the clauses are persistent, cluster, order, consumers, registers and share; of plain loops "
                      "tile, precision, extent, reduction and independent"
                : pragma->kind == PRAGMA_TASK
                    ? "the clauses are groups, registers, ring and share"
                    : "the clauses are schedule, pingpong, subtile, ring and share; of plain loops tile and reduction");
            return;
        }
        unsigned bit = 1u << (clause - clauses);
        if (seen & bit && strcmp(clause->name, "reduction") && strcmp(clause->name, "ring") &&
            strcmp(clause->name, "extent") && strcmp(clause->name, "independent") &&
            (pragma->kind == PRAGMA_GRID || strcmp(clause->name, "share")))
            wrong(t, "remove one of them", "this clause is given twice");
        seen |= bit;
        t->at++;
        read_clause(t, clause, pragma);
    }
}

static void read_grid(Tokens *t, Pragma *pragma)
{
    pragma->kind = PRAGMA_GRID;
    expect(t, "(", "expected '(' after 'grid': the number of nested loops");
    pragma->grid.dims = number(t, "the number of loops of a grid", 1, 4);
    expect(t, ")", "expected ')' after the number of loops");
    read_clauses(t, grid_clauses, pragma);
}

static void read_pipeline(Tokens *t, Pragma *pragma)
{
    Pipeline *pipeline = &pragma->pipeline;
    pragma->kind = PRAGMA_PIPELINE;
    pipeline->depth = pipeline->in_flight = -1;
    expect(t, "(", "expected '(' after 'pipeline': the depth, or 'auto'");
    if (accept(t, "auto")) {
        pipeline->automatic = true;
    } else {
        pipeline->depth = number(t, "the depth of a pipeline", 1, 16);
        if (accept(t, ","))
            pipeline->in_flight = number(t, "the number of iterations in flight", 1, 64);
    }
    expect(t, ")", "expected ')' after the depth");
    read_clauses(t, pipeline_clauses, pragma);
}

static void read_task(Tokens *t, Pragma *pragma)
{
    pragma->kind = PRAGMA_TASK;
    expect(t, "(", "expected '(' after 'task': its name");
    pragma->task.name = word(t);
    if (t->at == t->count || !is_name(t))
        wrong(t, "write task(name)", "expected the name of a task");
    t->at++;
    expect(t, ")", "expected ')' after the task's name");
    read_clauses(t, task_clauses, pragma);
}

/* ---- which one --------------------------------------------------------------------------------------------------- */

void read_directive(Tokens *t, Pragma *pragma)
{
    pragma->word = word(t);
    if (accept(t, "grid")) {
        read_grid(t, pragma);
    } else if (accept(t, "pipeline")) {
        read_pipeline(t, pragma);
    } else if (accept(t, "parts")) {
        pragma->kind = PRAGMA_PARTS;
        pragma->pipeline.parts = true;
    } else if (accept(t, "blocks")) {
        pragma->kind = PRAGMA_BLOCKS;
        pragma->pipeline.blocks = true;
    } else if (accept(t, "task")) {
        read_task(t, pragma);
    } else if (accept(t, "devices")) {
        read_devices(t, pragma);
    } else if (accept(t, "together")) {
        pragma->kind = PRAGMA_TOGETHER;
    } else if (accept(t, "data")) {
        pragma->kind = PRAGMA_DATA;
        read_data(t, pragma);
    } else if (accept(t, "update")) {
        pragma->kind = PRAGMA_UPDATE;
        read_data(t, pragma);
    } else {
        static const char *const choices[] = {"grid",    "pipeline", "parts", "blocks", "task",
                                              "devices", "together", "data",  "update", NULL};
        unknown_word(t, "a '#pragma ws'", choices,
                     "write '#pragma ws grid(n)', '#pragma ws pipeline(D, P)', '#pragma ws parts', "
                     "'#pragma ws blocks', '#pragma ws task(name)', '#pragma ws devices(n)', "
                     "'#pragma ws together', '#pragma ws data copy(x[0:n])' or '#pragma ws update host(x[0:n])'");
    }
    if (!t->failed && t->at < t->count)
        wrong(t, arena_print(t->u->module, "write '#pragma ws %s'", pragma->word),
              "there is more than the pragma takes");
}
