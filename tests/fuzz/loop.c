/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop.c - loops: plain, pipelined, with a softmax between two products.
 *
 * What a pipelined loop accumulates always flows, so that no compiler can find the loop useless: of its carried tiles
 * one is the anchor, which takes in a load that a ring can hold.
 */
#include "fuzz.h"

#include <string.h>

enum { MAX_LOOPS = 5 };

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

Range some_range(Gen *g)
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
    if (shape.dtype == I8 || shape.dtype == U8)
        shape.dtype = F32;
    if (product)
        shape = (Shape){chance(12) ? I32 : F32, g->m, g->n};
    if (!affordable(g, shape))
        return first;
    bool zero = shape.cols == 1 && chance(40);
    char *value = zero ? text("ws_zeros(WS_%s, %d, 1)", dtype_name[shape.dtype], shape.rows)
                       : expression(g, shape, pick(3), &bound);
    int at = tile_new(g, shape, zero ? value : tame(g, value, shape.dtype, &bound, 100), 1e4, true);
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
    g->flight = 0;
    if (chance(8)) {
        g->slots = 2;
        return text("pipeline(auto)");
    }
    g->slots = 1 + weigh((const int[]){20, 40, 25, 10, 5}, 5);
    g->flight = chance(60) ? between(1, g->slots) : 0;
    char *flight = g->flight ? text(", %d", g->flight) : text("%s", ""), *slots = text("%d", g->slots);
    if (chance(6)) { /* macros expand in a pragma */
        slots = text("DEPTH_%s", fresh(g, text("%d_", g->serial)));
        add(&g->helpers, "#define %s %d\n\n", slots, g->slots);
    } else if (chance(12)) { /* variants: WS_CHOICE says which one runs */
        slots = text("ws_choice(%d, %d)", g->slots, g->slots + 1);
    }
    return text("pipeline(%s%s)%s", slots, flight, chance(10) ? " schedule(fine)" : "");
}

char *pipeline_clause(Gen *g)
{
    span_begin();
    char *result = some_pipeline_clause(g);
    span_end();
    return result;
}

Outside body_begin(Gen *g, const Range *range)
{
    Outside out = {g->body, g->work};
    g->body = (Buffer){0};
    g->work *= range->trips ? range->trips : 1;
    g->indent++;
    g->level++;
    if (range->first)
        line(g, "%s", range->first);
    scalar_new(g, range->variable, S_LOOP, range->most, range->step);
    return out;
}

/* The body.  */
Buffer body_end(Gen *g, const Outside *out)
{
    Buffer body = g->body;
    g->body = out->text;
    g->work = out->work;
    g->slots = 0;
    g->indent--;
    g->level--;
    return body;
}

void loop_line(Gen *g, const char *clause, const Range *range, Buffer body)
{
    pragma_line(g, clause);
    g->specialized = true;
    line(g, "%s {", range->header);
    add(&g->body, "%s", body.text);
    line(g, "}");
}

/* The loop's body, where the anchor is one of the statements; false if no load fits.  */
static bool loop_body(Gen *g, const Range *range, int anchor, int twin, bool product, bool pipelined)
{
    int ntiles = g->ntiles, nscalars = g->nscalars;
    bool anchored = anchor < 0;
    g->indent++;
    g->level++;
    if (range->first)
        line(g, "%s", range->first);
    scalar_new(g, range->variable, S_LOOP, range->most, range->step);
    if (chance(pipelined && g->pingpong ? 40 : 12)) {
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
            const char *name = g->tiles[anchor].name;
            anchored = twin >= 0 && pair_update(g, g->tiles[anchor].shape, name, g->tiles[twin].name);
            char *value = anchored ? NULL : anchor_update(g, g->tiles[anchor].shape, name, product);
            anchored |= value != NULL;
            if (value)
                line(g, "%s = %s;", name, value);
        } else {
            block(g, anchor < 0, 3);
        }
    }
    g->level--;
    g->indent--;
    leave(g, ntiles, nscalars);
    return anchored;
}

void loop_statement(Gen *g)
{
    bool product = g->products && chance(75), pipelined = !g->slots && chance(80);
    if (g->nloops == MAX_LOOPS)
        return;
    g->nloops++;
    int anchor = declare_carried(g, product);
    if (anchor < 0)
        return;
    Shape acc = g->tiles[anchor].shape;
    int twin = -1;
    if (product && chance(15) && affordable(g, acc))
        twin = tile_new(g, acc, text("ws_zeros(WS_%s, %d, %d)", dtype_name[acc.dtype], acc.rows, acc.cols), 1e4, true);
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
    if (pipelined && chance(8)) {
        clause = text("%s subtile(2)", clause);
        g->subtiled = true;
    }
    Buffer around = g->body;
    g->body = (Buffer){0};
    if (running)
        scalar_new(g, running, S_OTHER, 16L * range.trips, 8);
    bool anchored = loop_body(g, &range, pipelined || chance(50) ? anchor : -1, twin, product, pipelined);
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

void while_statement(Gen *g)
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

/* ---- two products with a softmax between, and its like ----------------------------------------------------------- */

void chain_statement(Gen *g)
{
    int keys = g->inner[pick(g->ninner)], depth = g->inner[pick(g->ninner)];
    Dtype type = chance(70) ? F16 : BF16;
    Shape q = {type, g->m, depth}, key = {type, keys, depth}, v = {type, keys, g->n};
    Shape scores = {F32, g->m, keys}, out = {F32, g->m, g->n}, column = {F32, g->m, 1};
    if (g->slots || g->nloops == MAX_LOOPS || depth % 16 || keys % 16 || !affordable(g, out))
        return;
    g->nloops++;
    int o = tile_new(g, out, text("ws_zeros(WS_F32, %d, %d)", g->m, g->n), 1e4, true);
    int most = tile_new(g, column, text("ws_full(WS_F32, %d, 1, %s)", g->m, chance(50) ? "-1e30" : "-100"), 100, true);
    int sum = tile_new(g, column, text("ws_zeros(WS_F32, %d, 1)", g->m), 1e4, true);
    bool outside = chance(70) && can_load(g, q);
    if (!affordable(g, scores) || !can_load(g, v))
        return;
    int query = outside ? tile_new(g, q, load_text(g, q, true), 2, false) : -1;
    g->slots_wanted = true;
    Range range = some_range(g);
    char *clause = pipeline_clause(g);
    if (chance(15) && !strstr(clause, "fine"))
        clause = text("%s schedule(coarse)", clause);
    char *shares = query >= 0 && chance(60) ? fresh(g, "v") : NULL; /* what is stored of it, in the query's memory */
    if (shares)
        clause = text("%s share(%s, %s)", clause, shares, g->tiles[query].name);
    int ntiles = g->ntiles, nscalars = g->nscalars;
    Outside around = body_begin(g, &range);
    bool loads = can_load(g, key);
    char *left = query >= 0 ? g->tiles[query].name : load_text(g, q, true);
    bool task = loads && chance(15);
    char *right = task    ? text("ws_trans(%s)", task_operand(g, key, prepared_operand(g, key)))
                  : loads ? text("ws_trans(%s)", load_text(g, key, true))
                          : text("ws_zeros(WS_%s, %d, %d)", dtype_name[type], depth, keys);
    int s = tile_new(g, scores, text("ws_dot(%s, %s, ws_zeros(WS_F32, %d, %d))", left, right, g->m, keys), 100, false);
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
    Shape square = {type, g->n, g->n};
    bool deeper = chance(50) && g->n % 16 == 0 && affordable(g, out) && can_load(g, square);
    char *second =
        chance(70) ? load_text(g, v, true) : text("ws_trans(%s)", load_text(g, (Shape){type, g->n, keys}, true));
    if (deeper) { /* a product between the two */
        char *middle = fresh(g, "v");
        line(g, "ws_tile %s = ws_dot(ws_cast(%s, WS_%s), %s, ws_zeros(WS_F32, %d, %d));", middle, p, dtype_name[type],
             second, g->m, g->n);
        p = text("ws_min(ws_max(%s, -1), 1)", middle);
        second = load_text(g, square, true);
        g->spent += g->work * g->m * g->n * g->n / 8;
    }
    line(g, "%s = ws_dot(ws_cast(%s, WS_%s), %s, %s);", on, p, dtype_name[type], second,
         rescale ? text("ws_mul(%s, %s)", on, shrink) : on);
    line(g, "%s = %s;", mn, now);
    g->spent += g->work * g->m * keys * (depth + g->n) / 8;
    g->product_divisor = common_divisor((g->m + 63) / 64, g->product_divisor);
    g->rows_divisor = g->rows_divisor ? g->rows_divisor : g->m;
    leave(g, ntiles, nscalars);
    loop_line(g, clause, &range, body_end(g, &around));
    if (!shares)
        return;
    line(g, "ws_tile %s = ws_cast(%s, WS_%s);", shares, on, dtype_name[type]);
    store_text(g, (Shape){type, g->m, g->n}, shares);
}

/* ---- tiles at a step shorter than themselves --------------------------------------------------------------------- */

/* What is stored of the tile keeps its rows and columns apart.  */
static void store_own(Gen *g, Shape shape, const char *name)
{
    double bound, most = 1e5;
    char *value = text("%s", name);
    static const char *const names[] = {"add", "max", "mul"};
    if (chance(50))
        value = text("ws_%s(%s, %s)", names[pick(3)], value, expression(g, shape, 2, &bound));
    if (chance(50)) {
        Dtype to = random_dtype();
        value = text("ws_cast(%s, WS_%s)", tame(g, value, shape.dtype, &most, 100), dtype_name[to]);
        shape.dtype = to;
    }
    if (chance(15)) {
        value = text("ws_trans(%s)", value);
        shape = (Shape){shape.dtype, shape.cols, shape.rows};
        g->whole_tiles = true;
    }
    store_text(g, shape, value);
}

/* Products of which an iteration of the grid stores what the next one does not make; rarely others look at all of
   them. */
void step_statement(Gen *g, const GridVariable *v)
{
    Shape acc = {chance(12) ? I32 : F32, g->m, g->n};
    int first = g->ntiles, n = chance(20) ? 2 : 1;
    if (g->nloops == MAX_LOOPS || live_registers(g) + n * tile_registers(g, acc) > (g->large ? 600 : 150))
        return;
    g->nloops++;
    for (int i = 0; i < n; i++)
        tile_new(g, acc, text("ws_zeros(WS_%s, %d, %d)", dtype_name[acc.dtype], acc.rows, acc.cols), 1e5, false);
    for (int i = first; i < g->ntiles; i++) /* nothing else takes them for operands */
        g->tiles[i].shape.rows = 0;
    g->slots_wanted = true;
    Range range = some_range(g);
    char *clause = pipeline_clause(g), *value = NULL;
    int nscalars = g->nscalars;
    Outside around = body_begin(g, &range);
    if (chance(10)) {
        line(g, "if (%s)", condition(g));
        line(g, "    continue;");
    }
    for (int i = first; i < first + n; i++) {
        char *more = step_update(g, acc, g->tiles[i].name, v);
        if (more)
            line(g, "%s = %s;", g->tiles[i].name, more);
        value = value ? value : more;
    }
    g->nscalars = nscalars;
    Buffer body = body_end(g, &around);
    if (value)
        loop_line(g, clause, &range, body);
    for (int i = first; i < first + n; i++)
        for (int times = 1 + chance(20); times > 0; times--)
            store_own(g, acc, g->tiles[i].name);
    bool shown = chance(10);
    for (int i = first; i < first + n; i++)
        g->tiles[i].shape.rows = acc.rows;
    g->ntiles = shown ? first + n : first;
}

/* ---- what the epilogue adds -------------------------------------------------------------------------------------- */

/* Tiles of whole lines, where they are a product's: these may come while it runs.  */
static char *lines_of(Gen *g)
{
    static const Dtype types[] = {BF16, F16, F32, I8, E4M3};
    Shape shape = {types[pick(5)], g->m, g->n};
    if (g->n * dtype_bytes[shape.dtype] % 128)
        shape.dtype = g->n % 64 ? F32 : F16;
    if (!can_load(g, shape))
        return NULL;
    char *load = load_text(g, shape, true);
    return shape.dtype == F32 ? load : text("ws_cast(%s, WS_F32)", load);
}

/* A product, and tiles that are added to it behind its loop.  */
bool residual_statement(Gen *g)
{
    static const char *const names[] = {"add", "sub", "max"};
    Shape acc = {F32, g->m, g->n};
    int first = g->ntiles, inner = g->inner[pick(g->ninner)], nscalars = g->nscalars;
    Dtype type = chance(50) ? F16 : BF16;
    if (g->nloops == MAX_LOOPS || live_registers(g) + 2 * tile_registers(g, acc) > (g->large ? 600 : 180))
        return false;
    g->nloops++;
    char *name = g->tiles[tile_new(g, acc, text("ws_zeros(WS_F32, %d, %d)", acc.rows, acc.cols), 1e5, false)].name;
    g->tiles[first].shape.rows = 0; /* nothing else takes it for an operand */
    g->slots_wanted = true;
    Range range = some_range(g);
    char *clause = pipeline_clause(g);
    Outside around = body_begin(g, &range);
    char *more = product_of_loads(g, acc, type, inner, name);
    if (more)
        line(g, "%s = %s;", name, more);
    g->nscalars = nscalars;
    Buffer body = body_end(g, &around);
    if (more)
        loop_line(g, clause, &range, body);
    for (int times = 1 + chance(25); times > 0; times--) {
        char *added = lines_of(g);
        if (added)
            line(g, "%s = ws_%s(%s, %s);", name, names[weigh((const int[]){80, 10, 10}, 3)], name, added);
    }
    store_own(g, acc, name);
    g->ntiles = first;
    return true;
}
