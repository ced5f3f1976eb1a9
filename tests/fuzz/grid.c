/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grid.c - a function's regions: grid loops and their clauses, and what stands between them.
 */
#include "fuzz.h"

#include <string.h>

static char *grid_loop(Gen *g, GridVariable *v)
{
    static const char *const types[] = {"int", "long", "size_t"};
    long value = (v->count - 1) * v->step + 1 + pick((int)v->step);
    if (chance(2))
        value = 0;
    const char *type = types[weigh((const int[]){70, 20, 10}, 3)], *name = v->name;
    v->end = value;
    v->bound = chance(70) ? parameter(g, value) : text("%ld", value);
    char *step = v->by ? v->by : text("%ld", v->step), *moves;
    moves = v->by          ? text("%s += %s", name, step)
            : v->step == 1 ? text("%s++", name)
                           : text("%s += %s", name, extent(g, (int)v->step));
    if (chance(8) && type[0] != 's')
        return text("for (%s %s = (%s - 1) / %s * %s; %s >= 0; %s -= %s)", type, name, v->bound, step, step, name, name,
                    step);
    if (chance(6))
        return text("for (%s %s = %s; %s < %s; %s)", type, name, step, name, v->bound, moves);
    if (chance(10) && type[0] != 's')
        return text("for (%s %s = 0; %s <= %s - 1; %s)", type, name, name, v->bound, moves);
    return text("for (%s %s = 0; %s < %s; %s)", type, name, name, v->bound, moves);
}

static void grid_variable_new(Gen *g, const char *prefix, long step, long count)
{
    g->grid[g->ngrid++] = (GridVariable){.name = fresh(g, prefix), .step = step, .count = count};
}

/* One that counts a tile's rows or columns; often enough at a step that only the caller knows, up to the whole tile. */
static void window_variable_new(Gen *g, const char *prefix, int size, long count, int percent)
{
    grid_variable_new(g, prefix, size, count);
    if (!chance(percent))
        return;
    GridVariable *v = &g->grid[g->ngrid - 1];
    v->step = size % 8 == 0 && chance(60) ? 8 * between(1, size / 8) : between(1, size);
    v->by = step_parameter(g, v->step, size);
}

/* The loops, outermost first; the last string is what the body begins with.  */
static int some_grid_loops(Gen *g, char **loops, char **opening)
{
    int form = weigh((const int[]){25, 40, 15, 15, 5}, 5);
    long rows = 1 + pick(3), cols = 1 + pick(3);
    *opening = NULL;
    g->ngrid = 0;
    g->folded = form == 3;
    if (form == 4)
        grid_variable_new(g, "g", 1, 1 + pick(2));
    if (form == 2 || form == 4)
        grid_variable_new(g, "h", 1, 1 + pick(form == 2 ? 3 : 2));
    window_variable_new(g, "i", g->m, rows, 2);
    if (form)
        window_variable_new(g, "j", g->n, cols, g->products ? 8 : 3);
    const GridVariable *i = &g->grid[g->ngrid - 1 - (form > 0)], *j = &g->grid[g->ngrid - 1];
    if (form == 3) { /* one loop over all tiles, taken apart in the body */
        char *t = fresh(g, "b");
        loops[0] = grid_loop(g, &(GridVariable){.name = t, .step = 1, .count = rows * cols});
        *opening = text("const long %s = %s / %ld * %s, %s = %s %% %ld * %s;", i->name, t, cols,
                        i->by ? i->by : text("%d", g->m), j->name, t, cols, j->by ? j->by : text("%d", g->n));
    } else {
        for (int l = 0; l < g->ngrid; l++)
            loops[l] = grid_loop(g, &g->grid[l]);
    }
    g->work = 1;
    for (const GridVariable *v = g->grid; v < g->grid + g->ngrid; v++) {
        int size = v == i ? g->m : v == j ? g->n : 1;
        scalar_new(g, v->name, S_GRID, (v->count - 1) * v->step, v->by ? size : v->step);
        g->work *= v->count;
    }
    return form == 3 ? 1 : g->ngrid;
}

static int grid_loops(Gen *g, char **loops, char **opening)
{
    span_begin();
    int result = some_grid_loops(g, loops, opening);
    span_end();
    return result;
}

/* Groups that the rows of every tile can be divided over, 0: none.  */
static int row_groups(const Gen *g)
{
    if (g->whole_tiles || g->pingpong || !g->rows_divisor)
        return 0;
    for (int groups = 2; groups <= 4; groups++)
        if (g->rows_divisor % (8 * groups) == 0 && g->product_divisor % groups == 0)
            return groups;
    return 0;
}

/* Where the walk over the tiles begins: anywhere.  */
static char *place_of_first(const Gen *g)
{
    for (int i = 0; i < g->nscalars; i++)
        if (g->scalars[i].kind == S_PARAMETER && !g->scalars[i].is_float && !strchr(g->scalars[i].name, '.'))
            return text("%s * %d - %d %% 5", g->scalars[i].name, between(0, 3), between(0, 40));
    return text("%d", between(0, 300));
}

static char *some_grid_clauses(Gen *g, int loops)
{
    char *clauses = text("grid(%d)", loops);
    int groups = row_groups(g), rows = g->subtiled ? 0 : groups;
    int form = weigh((const int[]){50, 15, 20, 15}, 4);
    if (chance(30))
        clauses = text("%s persistent", clauses);
    if (chance(30)) {
        static const char *const orders[] = {"row", "column", "grouped(2)", "grouped(3)"};
        clauses = text("%s order(%s)", clauses, orders[pick(4)]);
    }
    bool from = !g->parts && chance(15);
    if (from && strstr(clauses, " order(")) /* the last clause so far */
        clauses = text("%.*s, from(%s))", (int)strlen(clauses) - 1, clauses, place_of_first(g));
    else if (from)
        clauses = text("%s order(from(%s))", clauses, place_of_first(g));
    if (g->groups)
        add(&g->helpers, "#define %s %d\n\n", g->groups, rows ? rows : 1);
    else if (form == 1 && !g->pingpong)
        clauses = text("%s consumers(1)", clauses);
    else if (form == 2 && g->specialized && g->shared < 120000 && !g->parts && !g->stores_apart)
        clauses = text("%s consumers(%d, tiles)", clauses, between(2, 3));
    else if (form == 3 && rows)
        clauses = text("%s consumers(%d%s)", clauses, rows, chance(60) ? ", rows" : "");
    if (g->specialized && !g->parts && !g->stores_apart && !from && (g->same_along_x || g->same_along_y) &&
        chance(25)) {
        int x = g->same_along_x ? 2 + weigh((const int[]){70, 10, 20}, 3) : 1,
            y = g->same_along_y && (x == 1 || chance(50)) ? 2 : 1;
        clauses = y > 1        ? text("%s cluster(%d, %d)", clauses, x, y)
                  : chance(20) ? text("%s cluster(ws_choice(%d, 1))", clauses, x)
                               : text("%s cluster(%d)", clauses, x);
    }
    if (g->specialized && !g->ntasks && chance(15))
        clauses = text("%s registers(%d, %d)", clauses, 24 + 8 * pick(2), 104 + 8 * pick(8));
    return clauses;
}

static char *grid_clauses(Gen *g, int loops)
{
    span_begin();
    char *result = some_grid_clauses(g, loops);
    span_end();
    return result;
}

static void grid_body(Gen *g)
{
    const GridVariable *v = g->grid;
    while (v < g->grid + g->ngrid && !v->by)
        v++;
    span_begin();
    bool residual = g->products && chance(12) && residual_statement(g);
    span_end();
    if (residual && chance(75))
        return;
    if (!residual && chance(85)) { /* most kernels are about a loop */
        span_begin();
        if (g->products && v < g->grid + g->ngrid && chance(80))
            step_statement(g, v);
        else if (g->products && chance(25))
            chain_statement(g);
        else if (g->products && chance(15))
            tasks_statement(g);
        else
            loop_statement(g);
        span_end();
    }
    block(g, 1, 5);
    leave(g, 0, g->nscalars);
    span_begin();
    double bound;
    Shape shape = {F32, g->m, g->n}; /* so that every region stores something */
    char *value = expression(g, shape, 1, &bound);
    store_text(g, shape, value);
    span_end();
}

static void grid(Gen *g)
{
    char *loops[4], *opening;
    int nscalars = g->nscalars;
    g->region++;
    g->specialized = g->whole_tiles = g->pingpong = g->parts = g->stores_apart = g->subtiled = false;
    g->groups = NULL;
    g->ntasks = 0;
    g->same_along_x = g->same_along_y = false;
    g->rows_divisor = g->product_divisor = 0;
    g->shared = 4096;
    g->ntiles = g->pinned = 0;
    int n = grid_loops(g, loops, &opening);
    Buffer around = g->body;
    g->body = (Buffer){0};
    g->indent = 1 + n;
    if (opening)
        line(g, "%s", opening);
    if (chance(8)) {
        line(g, "if (%s)", condition(g));
        line(g, "    continue;");
    }
    span_begin();
    bool parts = chance(15) && (chance(65) ? parts_statement(g) : blocks_statement(g));
    span_end();
    if (!parts)
        grid_body(g);
    Buffer inside = g->body;
    g->body = around;
    g->indent = 1;
    add(&g->body, "%s", g->declarations.text ? g->declarations.text : "");
    g->declarations = (Buffer){0};
    pragma_line(g, grid_clauses(g, n));
    for (int i = 0; i < n; i++, g->indent++)
        line(g, "%s%s", loops[i], i == n - 1 ? " {" : "");
    add(&g->body, "%s", inside.text ? inside.text : "");
    g->indent = n;
    line(g, "}");
    g->indent = 1;
    g->nscalars = nscalars;
}

/* What a program does with its arrays between two regions.  */
static void host_code(Gen *g)
{
    for (int i = 0; i < g->ntensors; i++)
        if (g->tensors[i].use == USE_STORE && chance(30)) {
            line(g, "for (int x = 0; x < 7; x++)");
            line(g, "    p_%s[x] = p_%s[x + 1];", g->tensors[i].name, g->tensors[i].name);
        }
}

void body(Gen *g)
{
    g->indent = 1;
    grid(g);
    span_begin();
    if (chance(20) && g->ntensors < MAX_TENSORS - 12) {
        host_code(g);
        grid(g);
    }
    span_end();
}
