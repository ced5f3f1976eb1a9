/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statement.c - blocks of statements, loops, branches, grids.
 *
 * A tile that is declared in a block either ends with it or flows: it is added into a tile around the block, or stored.
 * What a pipelined loop accumulates always flows, so that no compiler can find the loop useless.
 */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LEVEL = 3, MAX_LOOPS = 5 };

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
static void pragma_line(Gen *g, const char *words)
{
    add(&g->body, chance(5) ? "%*s_Pragma(\"ws %s\")\n" : "%*s#pragma ws %s\n", 4 * g->indent, "", words);
}

static void block(Gen *g, int least, int most);

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static int declare(Gen *g, Shape shape, const char *value, double bound, bool flows)
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
    declare(g, shape, value, bound, chance(60));
}

static int any_tile(Gen *g)
{
    int found[MAX_TILES], n = 0;
    for (int i = g->ntiles - 1; i >= 0; i--)
        if (g->tiles[i].shape.dtype != I8)
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

/* Into a tile around, or into memory.  */
static void flow(Gen *g, const Tile *tile, int outer)
{
    int found[MAX_TILES], n = 0;
    for (int i = outer - 1; i >= 0; i--)
        if (g->tiles[i].shape.dtype != I8)
            found[n++] = i;
    if (!n || chance(25)) {
        store_text(g, tile->shape, tile->name);
        return;
    }
    Tile *into = &g->tiles[found[pick(n)]];
    double bound = tile->bound * 200;
    into->flows = true; /* or what is added would go nowhere */
    char *value = tame(g, convert(g, tile->name, tile->shape, into->shape), into->shape.dtype, &bound, 1000);
    line(g, "%s = ws_add(%s, %s);", into->name, into->name, value);
}

static void leave(Gen *g, int ntiles, int nscalars)
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
    Tensor *tensor;
    double bound;
    shape.rows = shape.rows == 1 ? g->m : shape.rows;
    shape.cols = shape.cols == 1 ? g->n : shape.cols;
    if (!can_load(g, shape) || !affordable(g, shape))
        return;
    bool load_first = chance(60);
    char *value = load_first ? NULL : expression(g, shape, 2, &bound);
    char *where = place_in_place(g, shape, &tensor);
    if (!where)
        return;
    note_rows(g, shape);
    char *suffix = tensor->rank > 2 ? text("_%dd", tensor->rank) : text("%s", "");
    char *size = text("%s, %s", extent(g, shape.rows), extent(g, shape.cols));
    if (!load_first)
        line(g, "ws_store%s(%s%s, %s);", suffix, tensor->name, where, value);
    int at = declare(g, shape, text("ws_load%s(%s%s, %s)", suffix, tensor->name, where, size), 3, false);
    if (load_first)
        line(g, "ws_store%s(%s%s, %s);", suffix, tensor->name, where, expression(g, shape, 2, &bound));
    g->tiles[at].flows = !load_first;
}

static void atomic_statement(Gen *g)
{
    double bound;
    Shape shape = random_shape(g);
    shape.dtype = chance(50) ? F32 : I32;
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

/* ---- loops ------------------------------------------------------------------------------------------------------- */

typedef struct {
    char *variable, *header, *first; /* first: a statement that opens the body, or NULL */
    long most;
    int step, trips;
} Range;

static int some_trips(const Gen *g)
{
    static const int weights[] = {30, 20, 15, 8, 6, 5, 4};
    static const int trips[] = {2, 3, 1, 0, 4, 5, 7};
    int n = trips[weigh(weights, 7)];
    return g->level > 1 && n > 3 ? 3 : n;
}

/* The bound of a loop of so many trips, as text.  */
static char *bound_text(Gen *g, int trips, int step)
{
    static const int weights[] = {50, 20, 15, 15};
    long value = (long)trips * step;
    if (value && chance(50))
        value -= pick(step);
    switch (weigh(weights, 4)) {
    case 1: {
        char *read = memory_scalar(g, value), *name;
        if (!read)
            break;
        name = fresh(g, "s");
        line(g, "const long %s = %s;", name, read);
        return name;
    }
    case 2:
        for (int i = 0; i < g->ngrid && trips; i++)
            if ((g->grid[i].count - 1) * g->grid[i].step + step <= 6 * step)
                return text("%s + %d", g->grid[i].name, step);
        break;
    case 3:
        if (value) /* a loop that never runs is no loop, and the clauses that are about it then are wrong */
            return text("%ld", value);
        break;
    default:
        break;
    }
    return parameter(g, value);
}

static Range fresh_range(Gen *g)
{
    static const char *const types[] = {"int", "long", "unsigned"};
    static const int weights[] = {40, 10, 15, 20, 10};
    Range range = {.trips = some_trips(g), .step = chance(60) ? g->k : chance(50) ? g->n : 8 * between(1, 8)};
    char *bound = bound_text(g, range.trips, range.step), *x = fresh(g, "k");
    int form = weigh(weights, 5);
    const char *type = types[pick(form == 0 || form > 2 ? 3 : 2)];
    char *step = extent(g, range.step);
    range.variable = x;
    if (!g->slots_wanted && form == 0 && chance(8)) {
        type = "int";
        line(g, "int %s = 0;", x);
        scalar_new(g, x, S_OTHER, (long)range.trips * range.step, 0);
        range.header = text("for (; %s < %s; %s += %s)", x, bound, x, step);
        range.most = range.trips ? (long)(range.trips - 1) * range.step : 0;
        return range;
    }
    range.most = range.trips ? (long)(range.trips - 1) * range.step : 0;
    if (form == 0)
        range.header = text("for (%s %s = 0; %s < %s; %s += %s)", type, x, x, bound, x, step);
    else if (form == 1)
        range.header = text("for (%s %s = 0; %s <= %s - 1; %s += %s)", type, x, x, bound, x, step);
    else if (form == 2)
        range.header =
            text("for (%s %s = (%s - 1) / %s * %s; %s >= 0; %s -= %s)", type, x, bound, step, step, x, x, step);
    else {
        char *count = fresh(g, "c");
        range.header = text("for (%s %s = 0; %s %s (%s + %d) / %s; %s++)", type, count, count,
                            form == 3 ? "<" : "!=", bound, range.step - 1, step, count);
        range.first = text("const %s %s = %s * %s;", type, x, count, step);
    }
    return range;
}

static Range some_range(Gen *g)
{
    span_begin();
    Range result = fresh_range(g);
    span_end();
    return result;
}

static int declare_one(Gen *g, bool product, int first)
{
    Shape shape = random_shape(g);
    double bound;
    if (shape.dtype == I8)
        shape.dtype = F32;
    if (product)
        shape = (Shape){chance(12) ? I32 : F32, g->m, g->n};
    if (!affordable(g, shape))
        return first;
    bool zero = shape.cols == 1 && chance(40);
    char *value = zero ? text("ws_zeros(WS_%s, %d, 1)", dtype_name[shape.dtype], shape.rows)
                       : expression(g, shape, pick(3), &bound);
    int at = declare(g, shape, zero ? value : tame(g, value, shape.dtype, &bound, 100), 1e4, true);
    return first < 0 ? at : first;
}

/* The tiles that a loop accumulates into; the first one is the anchor's.  */
static int declare_carried(Gen *g, bool product)
{
    int first = -1;
    for (int i = 0; i < 3; i++) {
        span_begin();
        bool more = i == 0 || chance(50);
        first = more ? declare_one(g, i == 0 && product, first) : first;
        span_end();
    }
    return first;
}

static char *some_pipeline_clause(Gen *g)
{
    if (chance(8)) {
        g->slots = 2;
        return text("pipeline(auto)");
    }
    g->slots = 1 + weigh((const int[]){20, 40, 25, 10, 5}, 5);
    char *flight = chance(60) ? text(", %d", between(1, g->slots)) : text("%s", ""), *slots = text("%d", g->slots);
    if (chance(6)) { /* macros expand in a pragma */
        slots = text("DEPTH_%s", fresh(g, text("%d_", g->serial)));
        add(&g->helpers, "#define %s %d\n\n", slots, g->slots);
    }
    return text("pipeline(%s%s)%s", slots, flight, chance(10) ? " schedule(fine)" : "");
}

static char *pipeline_clause(Gen *g)
{
    span_begin();
    char *result = some_pipeline_clause(g);
    span_end();
    return result;
}

/* The loop's body, where the anchor is one of the statements; false if no load fits.  */
static bool loop_body(Gen *g, const Range *range, int anchor, bool product, bool pipelined)
{
    int ntiles = g->ntiles, nscalars = g->nscalars;
    bool anchored = anchor < 0;
    g->indent++;
    g->level++;
    if (range->first)
        line(g, "%s", range->first);
    scalar_new(g, range->variable, S_LOOP, range->most, range->step);
    if (chance(12)) {
        line(g, "if (%s)", condition(g));
        line(g, "    continue;");
    }
    if (!pipelined && chance(10)) {
        line(g, "if (%s)", condition(g));
        line(g, "    break;");
    }
    bool last = chance(40);
    for (int part = 0; part < 2; part++) {
        if (part == last && anchor >= 0) {
            char *value = anchor_update(g, g->tiles[anchor].shape, g->tiles[anchor].name, product);
            anchored = value != NULL;
            if (value)
                line(g, "%s = %s;", g->tiles[anchor].name, value);
        } else {
            block(g, anchor < 0, 3);
        }
    }
    g->level--;
    g->indent--;
    leave(g, ntiles, nscalars);
    return anchored;
}

static void loop_statement(Gen *g)
{
    bool product = g->products && chance(75), pipelined = !g->slots && chance(80);
    if (g->nloops == MAX_LOOPS)
        return;
    g->nloops++;
    int anchor = declare_carried(g, product);
    if (anchor < 0)
        return;
    char *running = chance(15) ? fresh(g, "s") : NULL, *clause = NULL;
    g->slots_wanted = pipelined;
    Range range = some_range(g);
    if (running)
        line(g, "long %s = 0;", running);
    long work = g->work, slots = g->slots, nscalars = g->nscalars, pinned = g->pinned;
    g->work *= range.trips ? range.trips : 1;
    g->pinned = g->ntiles;
    if (pipelined)
        clause = pipeline_clause(g);
    if (pipelined && chance(10)) {
        /* Half a product's 64 rows are none: such a loop takes turns with whole tiles, if it is fine.  */
        bool fine = g->m < 128 && !strstr(clause, "fine");
        clause = text("%s%s pingpong", clause, fine ? " schedule(fine)" : "");
        g->pingpong = true;
    }
    Buffer around = g->body;
    g->body = (Buffer){0};
    if (running)
        scalar_new(g, running, S_OTHER, 16L * range.trips, 8);
    bool anchored = loop_body(g, &range, pipelined || chance(50) ? anchor : -1, product, pipelined);
    Buffer inside = g->body;
    g->body = around;
    if (pipelined && anchored) {
        pragma_line(g, clause);
        g->specialized = true;
    }
    line(g, "%s {", range.header);
    add(&g->body, "%s", inside.text ? inside.text : "");
    if (running)
        line(g, "    %s += 8;", running);
    line(g, "}");
    g->work = work;
    g->slots = (int)slots;
    g->nscalars = (int)nscalars;
    g->pinned = (int)pinned;
}

static void while_statement(Gen *g)
{
    int trips = some_trips(g);
    char *counter = fresh(g, "w"), *bound = bound_text(g, trips, 1);
    long work = g->work;
    int nscalars = g->nscalars, pinned = g->pinned;
    if (g->nloops == MAX_LOOPS)
        return;
    g->nloops++;
    line(g, "int %s = 0;", counter);
    bool at_end = chance(20);
    char *test = chance(70) ? text("%s < %s", counter, bound) : text("%s < %s && %s", counter, bound, condition(g));
    line(g, at_end ? "do {" : "while (%s) {", test);
    g->work *= trips ? trips : 1;
    g->pinned = g->ntiles;
    g->indent++;
    g->level++;
    line(g, "%s++;", counter);
    scalar_new(g, counter, S_OTHER, trips, 0);
    if (chance(15)) {
        line(g, "if (%s)", condition(g));
        line(g, "    continue;");
    }
    if (chance(12)) {
        line(g, "if (%s)", condition(g));
        line(g, "    break;");
    }
    block(g, 1, 3);
    g->level--;
    g->indent--;
    line(g, at_end ? "} while (%s);" : "}", test);
    g->work = work;
    g->nscalars = nscalars;
    g->pinned = pinned;
}

/* ---- two products with a softmax between, and its like ------------------------------------------------------------ */

static void chain_statement(Gen *g)
{
    int keys = g->inner[pick(g->ninner)], depth = g->inner[pick(g->ninner)];
    Dtype type = chance(70) ? F16 : BF16;
    Shape q = {type, g->m, depth}, key = {type, keys, depth}, v = {type, keys, g->n};
    Shape scores = {F32, g->m, keys}, out = {F32, g->m, g->n}, column = {F32, g->m, 1};
    if (g->slots || g->nloops == MAX_LOOPS || depth % 16 || keys % 16 || !affordable(g, out))
        return;
    g->nloops++;
    int o = declare(g, out, text("ws_zeros(WS_F32, %d, %d)", g->m, g->n), 1e4, true);
    int most = declare(g, column, text("ws_full(WS_F32, %d, 1, %s)", g->m, chance(50) ? "-1e30" : "-100"), 100, true);
    int sum = declare(g, column, text("ws_zeros(WS_F32, %d, 1)", g->m), 1e4, true);
    bool outside = chance(70) && can_load(g, q);
    if (!affordable(g, scores) || !can_load(g, v))
        return;
    int query = outside ? declare(g, q, load_text(g, q, true), 2, false) : -1;
    g->slots_wanted = true;
    Range range = some_range(g);
    char *clause = pipeline_clause(g);
    if (chance(15) && !strstr(clause, "fine"))
        clause = text("%s schedule(coarse)", clause);
    Buffer around = g->body;
    long work = g->work;
    int ntiles = g->ntiles, nscalars = g->nscalars;
    g->body = (Buffer){0};
    g->work *= range.trips ? range.trips : 1;
    g->indent++;
    g->level++;
    if (range.first)
        line(g, "%s", range.first);
    scalar_new(g, range.variable, S_LOOP, range.most, range.step);
    bool loads = can_load(g, key);
    char *left = query >= 0 ? g->tiles[query].name : load_text(g, q, true);
    char *right = loads ? text("ws_trans(%s)", load_text(g, key, true))
                        : text("ws_zeros(WS_%s, %d, %d)", dtype_name[type], depth, keys);
    int s = declare(g, scores, text("ws_dot(%s, %s, ws_zeros(WS_F32, %d, %d))", left, right, g->m, keys), 100, false);
    const char *sn = g->tiles[s].name, *on = g->tiles[o].name, *mn = g->tiles[most].name, *ln = g->tiles[sum].name;
    if (chance(50))
        line(g, "%s = ws_select(ws_ge(ws_add(ws_row_index(%d, 1), %s), ws_add(ws_col_index(1, %d), %s)), %s, -1e30);",
             sn, g->m, g->grid[0].name, keys, range.variable, sn);
    bool rescale = chance(80);
    char *now = fresh(g, "v"), *p = fresh(g, "v"), *shrink = fresh(g, "v");
    line(g, "ws_tile %s = ws_max(%s, ws_row_max(%s));", now, mn, sn);
    line(g, "ws_tile %s = ws_exp2(ws_sub(%s, %s));", p, sn, now);
    line(g, "ws_tile %s = ws_exp2(ws_sub(%s, %s));", shrink, mn, now);
    line(g, "%s = ws_add(ws_mul(%s, %s), ws_row_sum(%s));", ln, ln, shrink, p);
    if (chance(30))
        block(g, 0, 2);
    char *second =
        chance(70) ? load_text(g, v, true) : text("ws_trans(%s)", load_text(g, (Shape){type, g->n, keys}, true));
    line(g, "%s = ws_dot(ws_cast(%s, WS_%s), %s, %s);", on, p, dtype_name[type], second,
         rescale ? text("ws_mul(%s, %s)", on, shrink) : on);
    line(g, "%s = %s;", mn, now);
    g->spent += g->work * g->m * keys * (depth + g->n) / 8;
    g->product_divisor = common_divisor((g->m + 63) / 64, g->product_divisor);
    g->rows_divisor = g->rows_divisor ? g->rows_divisor : g->m;
    leave(g, ntiles, nscalars);
    g->level--;
    g->indent--;
    g->work = work;
    g->slots = 0;
    Buffer inside = g->body;
    g->body = around;
    pragma_line(g, clause);
    g->specialized = true;
    line(g, "%s {", range.header);
    add(&g->body, "%s", inside.text);
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
                     inner ? 4 : 0};
    switch (weigh(weights, 12)) {
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

static void block(Gen *g, int least, int most)
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

/* ---- grids ------------------------------------------------------------------------------------------------------- */

static char *grid_loop(Gen *g, const char *name, long step, long count)
{
    static const char *const types[] = {"int", "long", "size_t"};
    long value = (count - 1) * step + 1 + pick((int)step);
    if (chance(2))
        value = 0;
    const char *type = types[weigh((const int[]){70, 20, 10}, 3)];
    char *bound = chance(70) ? parameter(g, value) : text("%ld", value), *moves;
    moves = step == 1 ? text("%s++", name) : text("%s += %s", name, extent(g, (int)step));
    if (chance(8) && type[0] != 's')
        return text("for (%s %s = (%s - 1) / %ld * %ld; %s >= 0; %s -= %ld)", type, name, bound, step, step, name, name,
                    step);
    if (chance(6))
        return text("for (%s %s = %ld; %s < %s; %s)", type, name, step, name, bound, moves);
    if (chance(10) && type[0] != 's')
        return text("for (%s %s = 0; %s <= %s - 1; %s)", type, name, name, bound, moves);
    return text("for (%s %s = 0; %s < %s; %s)", type, name, name, bound, moves);
}

static void grid_variable_new(Gen *g, const char *prefix, long step, long count)
{
    g->grid[g->ngrid++] = (GridVariable){fresh(g, prefix), step, count};
}

/* The loops, outermost first; the last string is what the body begins with.  */
static int some_grid_loops(Gen *g, char **loops, char **opening)
{
    int form = weigh((const int[]){25, 40, 15, 15, 5}, 5);
    long rows = 1 + pick(3), cols = 1 + pick(3);
    *opening = NULL;
    g->ngrid = 0;
    if (form == 4)
        grid_variable_new(g, "g", 1, 1 + pick(2));
    if (form == 2 || form == 4)
        grid_variable_new(g, "h", 1, 1 + pick(form == 2 ? 3 : 2));
    grid_variable_new(g, "i", g->m, rows);
    if (form)
        grid_variable_new(g, "j", g->n, cols);
    if (form == 3) { /* one loop over all tiles, taken apart in the body */
        char *t = fresh(g, "b");
        loops[0] = grid_loop(g, t, 1, rows * cols);
        *opening = text("const long %s = %s / %ld * %d, %s = %s %% %ld * %d;", g->grid[0].name, t, cols, g->m,
                        g->grid[1].name, t, cols, g->n);
    } else {
        for (int i = 0; i < g->ngrid; i++)
            loops[i] = grid_loop(g, g->grid[i].name, g->grid[i].step, g->grid[i].count);
    }
    g->work = 1;
    for (int i = 0; i < g->ngrid; i++) {
        const GridVariable *v = &g->grid[i];
        scalar_new(g, v->name, S_GRID, (v->count - 1) * v->step, v->step);
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

static char *some_grid_clauses(Gen *g, int loops)
{
    char *clauses = text("grid(%d)", loops);
    int rows = row_groups(g);
    int form = weigh((const int[]){50, 15, 20, 15}, 4);
    if (chance(30))
        clauses = text("%s persistent", clauses);
    if (chance(30)) {
        static const char *const orders[] = {"row", "column", "grouped(2)", "grouped(3)"};
        clauses = text("%s order(%s)", clauses, orders[pick(4)]);
    }
    if (form == 1 && !g->pingpong)
        clauses = text("%s consumers(1)", clauses);
    else if (form == 2 && g->specialized && g->shared < 120000)
        clauses = text("%s consumers(%d, tiles)", clauses, between(2, 3));
    else if (form == 3 && rows)
        clauses = text("%s consumers(%d%s)", clauses, rows, chance(60) ? ", rows" : "");
    if (g->specialized && chance(4)) {
        static const char *const shapes[] = {"2", "1, 2", "2, 2", "3", "4, 2"};
        clauses = text("%s cluster(%s)", clauses, loops == 1 ? chance(50) ? "2" : "4" : shapes[pick(5)]);
    }
    if (g->specialized && chance(15))
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

static void grid(Gen *g)
{
    char *loops[4], *opening;
    int nscalars = g->nscalars;
    g->region++;
    g->specialized = g->whole_tiles = g->pingpong = false;
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
    if (chance(85)) { /* most kernels are about a loop */
        span_begin();
        if (g->products && chance(25))
            chain_statement(g);
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
