/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statement.c - blocks of statements, branches.
 *
 * A tile that is declared in a block either ends with it or flows: it is added into a tile around the block, or stored.
 */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LEVEL = 3 };

void line(Gen *g, const char *format, ...)
{
    char words[16384];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    add(&g->body, "%*s%s\n", words[0] == '#' ? 0 : 4 * g->indent, "", words);
}

/* Pragmas stand where the loop stands.  */
void pragma_line(Gen *g, const char *words)
{
    add(&g->body, chance(5) ? "%*s_Pragma(\"ws %s\")\n" : "%*s#pragma ws %s\n", 4 * g->indent, "", words);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

int tile_new(Gen *g, Shape shape, const char *value, double bound, bool flows)
{
    char *name = fresh(g, "v");
    line(g, "ws_tile %s = %s;", name, value);
    g->tiles[g->ntiles] = (Tile){shape, name, bound, flows};
    return g->ntiles++;
}

static void declare_statement(Gen *g)
{
    double bound;
    Shape shape = random_shape(g);
    if (!affordable(g, shape))
        return;
    char *value = expression(g, shape, 3, &bound);
    tile_new(g, shape, value, bound, chance(60));
}

static int any_tile(Gen *g)
{
    int found[MAX_TILES], n = 0;
    for (int i = g->ntiles - 1; i >= 0; i--)
        if (g->tiles[i].shape.dtype != I8 && g->tiles[i].shape.dtype != U8)
            found[n++] = i;
    return n ? found[pick(n)] : -1;
}

static void assign(Gen *g, int at)
{
    Tile *tile = &g->tiles[at];
    static const char *const names[] = {"add", "max", "min", "sub"};
    double bound;
    char *product = chance(35) ? product_update(g, tile->shape, tile->name, 3) : NULL;
    if (product) {
        line(g, "%s = %s;", tile->name, product);
        tile->bound = 1e5;
        return;
    }
    char *value = tame(g, expression(g, tile->shape, 3, &bound), tile->shape.dtype, &bound, 100);
    tile->bound = tile->bound > 1e4 ? tile->bound : 1e4;
    if (!tile->flows && chance(40))
        line(g, "%s = %s;", tile->name, value);
    else if (chance(20))
        line(g, "%s = ws_add(ws_mul(%s, %s), %s);", tile->name, tile->name,
             dtype_float(tile->shape.dtype) ? "0.5f" : "3", value);
    else
        line(g, "%s = ws_%s(%s, %s);", tile->name, names[pick(4)], tile->name, value);
}

static void assign_statement(Gen *g)
{
    int at = any_tile(g);
    if (at >= 0)
        assign(g, at);
}

/* Into memory, rarely by a task of its own.  */
static void store_flowing(Gen *g, const Tile *tile)
{
    bool apart = g->specialized && !g->level && !g->pingpong && !g->parts && g->ntasks < 3 && chance(15);
    int nscalars = g->nscalars;
    if (apart) {
        char *clauses = text("task(%s)%s", fresh(g, "t"), tile->shape.rows % 16 == 0 && chance(30) ? " groups(2)" : "");
        g->ntasks++;
        g->stores_apart = true;
        line(g, "{");
        g->indent++;
        pragma_line(g, clauses);
    }
    store_text(g, tile->shape, tile->name);
    if (apart) {
        g->indent--;
        line(g, "}");
        g->nscalars = nscalars;
    }
}

/* Into a tile around, or into memory.  */
static void flow(Gen *g, const Tile *tile, int outer)
{
    int found[MAX_TILES], n = 0;
    for (int i = outer - 1; i >= 0; i--)
        if (g->tiles[i].shape.dtype != I8 && g->tiles[i].shape.dtype != U8)
            found[n++] = i;
    if (!n || chance(25)) {
        store_flowing(g, tile);
        return;
    }
    Tile *into = &g->tiles[found[pick(n)]];
    double bound = tile->bound * 200;
    into->flows = true; /* or what is added would go nowhere */
    char *value = tame(g, convert(g, tile->name, tile->shape, into->shape), into->shape.dtype, &bound, 1000);
    line(g, "%s = ws_add(%s, %s);", into->name, into->name, value);
}

void leave(Gen *g, int ntiles, int nscalars)
{
    for (int i = ntiles; i < g->ntiles; i++)
        if (g->tiles[i].flows) {
            span_begin();
            flow(g, &g->tiles[i], ntiles);
            span_end();
        }
    g->ntiles = ntiles;
    g->nscalars = nscalars;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void store_statement(Gen *g)
{
    if (!g->ntiles)
        return;
    int at = g->ntiles - 1 - pick(g->ntiles);
    store_text(g, g->tiles[at].shape, g->tiles[at].name);
    if (at == g->ntiles - 1 && at >= g->pinned && chance(60))
        g->ntiles--;
}

static void in_place_statement(Gen *g)
{
    Shape shape = random_shape(g);
    char *tensor;
    int rank;
    double bound;
    shape.rows = shape.rows == 1 ? g->m : shape.rows;
    shape.cols = shape.cols == 1 ? g->n : shape.cols;
    if (!can_load(g, shape) || !affordable(g, shape))
        return;
    bool load_first = chance(60);
    char *value = load_first ? NULL : expression(g, shape, 2, &bound);
    char *where = place_in_place(g, shape, &tensor, &rank);
    if (!where)
        return;
    note_rows(g, shape);
    char *suffix = rank > 2 ? text("_%dd", rank) : text("%s", "");
    char *size = text("%s, %s", extent(g, shape.rows), extent(g, shape.cols));
    if (!load_first)
        line(g, "ws_store%s(%s%s, %s);", suffix, tensor, where, value);
    int at = tile_new(g, shape, text("ws_load%s(%s%s, %s)", suffix, tensor, where, size), 3, false);
    if (load_first)
        line(g, "ws_store%s(%s%s, %s);", suffix, tensor, where, expression(g, shape, 2, &bound));
    g->tiles[at].flows = !load_first;
}

static void atomic_statement(Gen *g)
{
    double bound;
    Shape shape = random_shape(g);
    shape.dtype = chance(50) ? F32 : chance(80) ? I32 : I64;
    if (affordable(g, shape))
        atomic_text(g, shape, expression(g, shape, 2, &bound));
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

static void scalar_statement(Gen *g)
{
    long most;
    if (chance(25)) {
        char *name = fresh(g, "s");
        line(g, "float %s = %s;", name,
             text(chance(50) ? "(float)(%s)" : "sqrtf((float)(%s) + 1)", scalar_text(g, &most)));
        scalar_new(g, name, S_OTHER, 0, 0);
        g->scalars[g->nscalars - 1].is_float = true;
        return;
    }
    char *value = scalar_text(g, &most), *name = fresh(g, "s");
    line(g, "%s %s = %s;", chance(70) ? "long" : "int", name, value);
    if (chance(25)) {
        char *c = condition(g);
        long other = 0;
        char *instead = scalar_text(g, &other);
        line(g, "if (%s)", c);
        line(g, "    %s = %s;", name, instead);
        most = other > most ? other : most;
    }
    scalar_new(g, name, S_OTHER, most, 0);
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

static void if_statement(Gen *g)
{
    line(g, "if (%s) {", condition(g));
    g->indent++;
    g->level++;
    block(g, 1, 3);
    if (chance(60)) {
        g->indent--;
        line(g, "} else {");
        g->indent++;
        block(g, 1, 3);
    }
    g->level--;
    g->indent--;
    line(g, "}");
}

static void switch_statement(Gen *g)
{
    long most;
    int n = between(2, 3);
    line(g, "switch (%s %% %d) {", scalar_text(g, &most), n);
    for (int i = 0; i < n; i++) {
        line(g, i == n - 1 ? "default: {" : "case %d: {", i);
        g->indent++;
        g->level++;
        block(g, 1, 2);
        g->level--;
        g->indent--;
        line(g, i < n - 1 && chance(20) ? "}" : "} break;"); /* on into the next now and then */
    }
    line(g, "}");
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void statement(Gen *g)
{
    bool inner = g->level < MAX_LEVEL;
    int weights[] = {24,
                     22,
                     8,
                     10,
                     inner ? (g->level ? 14 : 60) : 0,
                     inner ? 14 : 0,
                     inner ? 6 : 0,
                     5,
                     5,
                     3,
                     inner && g->products ? (g->level ? 3 : 12) : 0,
                     inner ? 4 : 0,
                     !g->level && g->products ? 6 : 0};
    switch (weigh(weights, 13)) {
    case 12:
        queue_statement(g);
        break;
    case 11:
        switch_statement(g);
        break;
    case 0:
        assign_statement(g);
        break;
    case 1:
        declare_statement(g);
        break;
    case 2:
        store_statement(g);
        break;
    case 3:
        scalar_statement(g);
        break;
    case 4:
        loop_statement(g);
        break;
    case 5:
        if_statement(g);
        break;
    case 6:
        while_statement(g);
        break;
    case 7:
        in_place_statement(g);
        break;
    case 8:
        atomic_statement(g);
        break;
    case 9:
        slice_declare(g);
        break;
    default:
        chain_statement(g);
        break;
    }
}

void block(Gen *g, int least, int most)
{
    int ntiles = g->ntiles, nscalars = g->nscalars, ntensors = g->ntensors, pinned = g->pinned;
    g->pinned = g->pinned > ntiles ? g->pinned : ntiles;
    for (int i = 0; i < most; i++) {
        span_begin(); /* with the decision to go on, so that a statement can be dropped from the tape */
        bool more = chance(60);
        if (more || i < least)
            statement(g);
        span_end();
        if (!more && i >= least)
            break;
    }
    leave(g, ntiles, nscalars);
    g->pinned = pinned;
    for (int i = ntensors; i < g->ntensors; i++) /* slices end with their block */
        if (g->tensors[i].use == USE_VIEW)
            g->tensors[i].rank = 0;
}
