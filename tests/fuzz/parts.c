/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parts.c - regions whose sums come in parts, and loops over the blocks of a tile.
 */
#include "fuzz.h"

/* ---- parts of a sum ---------------------------------------------------------------------------------------------- */

enum { MOST_PARTS = 8 };

/* How many blocks the tile's columns can be divided over, eight at least for each; 0: they cannot.  */
static int some_parts(const Gen *g)
{
    int found[MOST_PARTS], n = 0;
    for (int count = 2; count <= MOST_PARTS; count++)
        if (g->n % (8 * count) == 0)
            found[n++] = count;
    return n ? found[pick(n)] : 0;
}

/* The header of the loop over what one part sums: every so many steps, or a stretch of its own.  */
static char *part_header(Gen *g, const char *s, int parts, Range *range)
{
    char *k = fresh(g, "k"), *bound, *first, *last;
    range->step = g->k;
    range->trips = parts * pick(4) + pick(parts);
    range->most = range->trips ? (range->trips - 1) * range->step : 0;
    range->variable = k;
    bound = parameter(g, (long)range->trips * range->step - (range->trips ? pick(range->step) : 0));
    if (chance(50))
        return text("for (int %s = %s * %d; %s < %s; %s += %d * %d)", k, s, range->step, k, bound, k, parts,
                    range->step);
    first = fresh(g, "s");
    last = fresh(g, "s");
    long each = (range->trips + parts - 1) / parts * range->step;
    line(g, "const int %s = %s * %ld, %s = %s + %ld < %s ? %s + %ld : %s;", first, s, each, last, first, each, bound,
         first, each, bound);
    return text("for (int %s = %s; %s < %s; %s += %d)", k, first, k, last, k, range->step);
}

/* What one iteration of the loop over parts makes; false if no load fits.  */
static bool one_part(Gen *g, Shape sum, const char *s, int parts, const char *name, bool product)
{
    Range range;
    int skip = pick(3);
    long most;
    if (chance(12)) { /* no loop inside */
        g->work *= parts;
        char *value = anchor_update(g, sum, name, product);
        g->work /= parts;
        if (value)
            line(g, "%s = %s;", name, value);
        return value != NULL;
    }
    char *header = part_header(g, s, parts, &range), *clause = chance(85) ? pipeline_clause(g) : NULL;
    if (clause)
        pragma_line(g, clause);
    g->specialized |= clause != NULL;
    line(g, "%s {", header);
    g->indent++;
    scalar_new(g, range.variable, S_LOOP, range.most, range.step);
    g->work *= range.trips ? range.trips : 1;
    if (skip == 2) {
        line(g, "if (%s %% %d == %d)", scalar_text(g, &most), between(2, 5), pick(2));
        line(g, "    continue;");
    }
    char *value = anchor_update(g, sum, name, product);
    if (value)
        line(g, "%s = %s;", name, value);
    g->work /= range.trips ? range.trips : 1;
    g->indent--;
    g->nscalars--;
    g->slots = 0;
    line(g, "}");
    return value != NULL;
}

/* What is stored of the sum: elementwise, and sums along columns.  */
static void store_of_sum(Gen *g, Shape shape, int sum)
{
    double bound;
    int kind = weigh((const int[]){60, 25, 15}, 3);
    char *value = expression(g, shape, 2, &bound);
    static const char *const names[] = {"add", "max", "sub"};
    value = text("ws_%s(%s, %s)", names[pick(3)], g->tiles[sum].name, value);
    if (kind == 1) {
        value = text("ws_col_%s(%s)", chance(50) ? "sum" : "max", value);
        shape.rows = 1;
        g->whole_tiles = true;
    }
    if (kind == 2) {
        atomic_text(g, shape, value);
        return;
    }
    if (chance(40)) {
        double most = 1e5;
        shape.dtype = random_dtype();
        value =
            text("ws_cast(%s, WS_%s)", tame(g, value, g->tiles[sum].shape.dtype, &most, 100), dtype_name[shape.dtype]);
    }
    store_text(g, shape, value);
}

bool parts_statement(Gen *g)
{
    int parts = some_parts(g), nscalars = g->nscalars;
    bool product = g->products && chance(80);
    Shape shape = {chance(20) ? I32 : F32, g->m, g->n};
    if (!parts || g->ngrid > 3 || !affordable(g, shape) || live_registers(g) + 2 * tile_registers(g, shape) > 300)
        return false;
    g->parts = true;
    const char *type = dtype_name[shape.dtype];
    int sum = tile_new(g, shape, text("ws_full(WS_%s, %d, %d, %d)", type, g->m, g->n, pick(3)), 1e4, false);
    int columns = -1;
    if (chance(20)) /* a second one */
        columns = tile_new(g, (Shape){shape.dtype, 1, g->n}, text("ws_zeros(WS_%s, 1, %d)", type, g->n), 1e4, false);
    char *s = fresh(g, "s");
    pragma_line(g, "parts");
    line(g, "for (int %s = 0; %s < %d; %s++) {", s, s, parts, s);
    g->indent++;
    g->level++;
    scalar_new(g, s, S_OTHER, parts - 1, 1);
    int part = tile_new(g, shape, text("ws_zeros(WS_%s, %d, %d)", type, g->m, g->n), 1e4, false);
    for (int i = sum; i < part; i++) /* nothing in the loop but the sums themselves takes them for operands */
        g->tiles[i].shape.rows = 0;
    one_part(g, shape, s, parts, g->tiles[part].name, product);
    for (int i = sum; i < part; i++)
        g->tiles[i].shape.rows = i == columns ? 1 : shape.rows;
    if (chance(20))
        line(g, "%s = ws_mul(%s, %s);", g->tiles[part].name, g->tiles[part].name, shape.dtype == I32 ? "3" : "0.5f");
    line(g, "%s = ws_add(%s, %s);", g->tiles[sum].name, g->tiles[sum].name, g->tiles[part].name);
    if (columns >= 0) {
        line(g, "%s = ws_add(%s, ws_col_sum(%s));", g->tiles[columns].name, g->tiles[columns].name,
             g->tiles[part].name);
        g->whole_tiles = true;
    }
    g->indent--;
    g->level--;
    line(g, "}");
    g->ntiles = part;
    g->nscalars = nscalars;
    g->by_columns = true;
    for (int i = 1 + pick(3); i > 0; i--) {
        span_begin();
        store_of_sum(g, shape, sum);
        span_end();
    }
    if (columns >= 0)
        store_text(g, g->tiles[columns].shape, g->tiles[columns].name);
    g->by_columns = false;
    return true;
}

/* ---- loops over blocks ------------------------------------------------------------------------------------------- */

/* The tile that blocks reduce: a number for each row or column, or each element.  */
static Shape reduced(const Gen *g, Shape shape)
{
    int kind = weigh((const int[]){60, 20, 20}, 3);
    shape.cols = kind == 0 ? 1 : g->n;
    shape.rows = kind == 1 ? 1 : g->m;
    return shape;
}

/* One of them: a loop that writes or looks at an element of the array, and reduces what comes of it.  */
static void blocks_loop(Gen *g, int count, Shape shape, const char *array, int sum, int before)
{
    static const char *const names[] = {"add", "max", "min"};
    char *s = fresh(g, "s"), *element = text("%s[%s]", array, s), *value = element;
    int nscalars = g->nscalars;
    Shape whole = g->tiles[sum].shape;
    double bound;
    pragma_line(g, "blocks");
    line(g, "for (int %s = 0; %s < %d; %s++) {", s, s, count, s);
    g->indent++;
    g->level++;
    g->work *= count;
    scalar_new(g, s, S_OTHER, count - 1, 1);
    g->tiles[sum].shape.rows = 0; /* nothing but the reduction itself takes it for an operand */
    if (before < 0 || chance(30)) {
        value = expression(g, shape, 2, &bound);
        line(g, "%s = %s;", element, tame(g, value, shape.dtype, &bound, 100));
        value = element;
    }
    if (before >= 0)
        value = text("ws_%s(%s, %s)", chance(50) ? "sub" : "max", element, g->tiles[before].name);
    value = convert(g, value, shape, whole);
    const char *name = g->tiles[sum].name, *reduces = names[pick(3)];
    if (chance(70))
        line(g, "%s = ws_%s(%s, %s);", name, reduces, name, value);
    else
        line(g, "%s = ws_%s(%s, %s);", name, reduces, value, name);
    g->tiles[sum].shape = whole;
    g->work /= count;
    g->indent--;
    g->level--;
    g->nscalars = nscalars;
    line(g, "}");
}

bool blocks_statement(Gen *g)
{
    Shape shape = {chance(20) ? I32 : F32, g->m, g->n};
    if (g->ngrid > 3 || !affordable(g, shape) || live_registers(g) + 3 * tile_registers(g, shape) > 300)
        return false;
    g->parts = true;
    int count = 1 + pick(8), first = g->ntiles, loops = 1 + pick(3);
    char *array = fresh(g, "x");
    line(g, "ws_tile %s[%d];", array, count);
    int sums[3];
    for (int i = 0; i < loops; i++) {
        Shape sum = reduced(g, shape);
        g->whole_tiles |= sum.rows == 1;
        sums[i] = tile_new(
            g, sum, text("ws_full(WS_%s, %d, %d, %d)", dtype_name[sum.dtype], sum.rows, sum.cols, pick(3)), 1e4, false);
        blocks_loop(g, count, shape, array, sums[i], i ? sums[i - 1] : -1);
    }
    for (int i = 0; i < loops; i++)
        store_text(g, g->tiles[sums[i]].shape, g->tiles[sums[i]].name);
    g->ntiles = first;
    return true;
}
