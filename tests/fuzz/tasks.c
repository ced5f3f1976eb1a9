/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tasks.c - loops in which several tasks multiply: one makes what another multiplies, or each has a sum of its own.
 */
#include "fuzz.h"

static int task_begin(Gen *g, const char *clauses)
{
    line(g, "{");
    g->indent++;
    if (clauses)
        pragma_line(g, clauses);
    return g->nscalars;
}

static void task_end(Gen *g, int nscalars)
{
    g->nscalars = nscalars;
    g->indent--;
    line(g, "}");
}

/* Of one that makes `name` for others; or of the last, whose groups are known when all of the region is: a macro says
   how many. */
static char *task_clauses(Gen *g, const char *name)
{
    char *clauses = text("task(%s)", fresh(g, "t"));
    g->ntasks++;
    if (name && chance(50))
        clauses = text("%s groups(%d)", clauses, g->m % 128 == 0 && chance(50) ? 2 : 1);
    if (name && chance(50))
        clauses = text("%s ring(%s, %d)", clauses, name, (g->flight ? g->flight : 1) + pick(3));
    if (!name && chance(60)) {
        g->groups = text("GROUPS_%s", fresh(g, text("%d_", g->serial)));
        clauses = text("%s groups(%s)", clauses, g->groups);
    }
    return clauses;
}

static char *right_operand(Gen *g, Shape turned)
{
    Shape lies = {turned.dtype, turned.cols, turned.rows};
    return chance(30) && can_load(g, lies) ? load_text(g, lies, true)
                                           : text("ws_trans(%s)", load_text(g, turned, true));
}

static void note(Gen *g, Shape acc, int inner)
{
    g->spent += g->work * acc.rows * acc.cols * inner / 8;
    g->product_divisor = common_divisor((acc.rows + 63) / 64, g->product_divisor);
    note_rows(g, acc);
}

/* What becomes of a product on its way to the next one.  */
static char *between_products(char *value, Shape shape)
{
    switch (weigh((const int[]){30, 20, 20, 20, 10}, 5)) {
    case 1:
        return text("ws_exp2(ws_min(ws_mul(%s, 0.015625f), 2))", value);
    case 2:
        return text("ws_tanh(ws_mul(%s, 0.25f))", value);
    case 3:
        return text("ws_max(ws_min(%s, 2), ws_full(WS_F32, %d, 1, -2))", value, shape.rows);
    case 4:
        return text("ws_select(ws_ge(ws_row_index(%d, 1), ws_col_index(1, %d)), ws_mul(%s, 0.125f), -1)", shape.rows,
                    shape.cols, value);
    default:
        return text("ws_mul(%s, 0.125f)", value);
    }
}

/* What a step of the chain multiplies: what stands on the left, or a tile of memory.  */
typedef struct {
    char *value;
    int cols;
} Left;

/* A column that no task makes, of a load of its own.  */
static const char *extra_new(Gen *g)
{
    if (!chance(25))
        return NULL;
    return g->tiles[tile_new(g, (Shape){F32, g->m, 1}, text("ws_zeros(WS_F32, %d, 1)", g->m), 1e4, true)].name;
}

static void also(Gen *g, const char *extra)
{
    const Shape wide = {F32, g->m, g->n};
    if (!extra || !can_load(g, wide))
        return;
    char *load = load_text(g, wide, true);
    line(g, "%s = ws_max(%s, ws_row_max(%s));", extra, extra, load);
}

/* A task makes `made` of a product with what `from` is, and hands it on; sometimes with a column of it, or a column
   that it carries itself.  Of tasks that multiply the last stores, and has all products that are in none. */
static Left scores_task(Gen *g, Left from, int keys, Dtype type, const char *carried, bool handed)
{
    const Shape scores = {F32, g->m, keys}, key = {type, keys, from.cols};
    char *made = fresh(g, "v"), *column = chance(30) ? fresh(g, "v") : NULL, *s = fresh(g, "v"), *p = fresh(g, "v");
    line(g, column ? "ws_tile %s, %s;" : "ws_tile %s;", made, column);
    int out = task_begin(g, task_clauses(g, handed ? made : NULL));
    char *right =
        chance(15) && can_load(g, key) ? text("ws_trans(%s)", prepared_operand(g, key)) : right_operand(g, key);
    line(g, "ws_tile %s = ws_dot(%s, %s, ws_zeros(WS_F32, %d, %d));", s, from.value, right, g->m, keys);
    line(g, "ws_tile %s = %s;", p, between_products(s, scores));
    if (carried)
        line(g, "%s = ws_%s(%s, ws_row_%s(%s));", carried, chance(50) ? "add" : "max", carried,
             chance(50) ? "sum" : "max", p);
    if (column)
        line(g, "%s = ws_tanh(ws_row_%s(%s));", column, chance(50) ? "sum" : "max", p);
    line(g, "%s = ws_cast(%s, WS_%s);", made, p, dtype_name[type]);
    task_end(g, out);
    note(g, scores, from.cols);
    if (column && chance(70))
        return (Left){text("ws_cast(ws_mul(ws_cast(%s, WS_F32), %s), WS_%s)", made, column, dtype_name[type]), keys};
    return (Left){made, keys};
}

static void chain(Gen *g, Dtype type)
{
    int inner = g->inner[pick(g->ninner)], keys = g->inner[pick(g->ninner)];
    const Shape q = {type, g->m, inner}, acc = {F32, g->m, g->n}, column = {F32, g->m, 1}, v = {type, g->n, keys};
    if (inner % 16 || keys % 16 || !can_load(g, q) || !can_load(g, v) || !affordable(g, (Shape){F32, g->m, keys}))
        return;
    const char *sum = g->tiles[tile_new(g, acc, text("ws_zeros(WS_F32, %d, %d)", g->m, g->n), 1e4, true)].name;
    const char *carried = NULL;
    if (chance(30))
        carried = g->tiles[tile_new(g, column, text("ws_zeros(WS_F32, %d, 1)", g->m), 1e4, true)].name;
    const char *extra = extra_new(g);
    Left left = {chance(60) ? g->tiles[tile_new(g, q, load_text(g, q, true), 2, false)].name : NULL, inner};
    g->slots_wanted = true;
    Range range = some_range(g);
    char *clause = pipeline_clause(g);
    int ntiles = g->ntiles, nscalars = g->nscalars;
    Outside around = body_begin(g, &range);
    if (!left.value)
        left.value = load_text(g, q, true);
    bool last = chance(75), third = chance(20) && can_load(g, (Shape){type, keys, keys});
    left = scores_task(g, left, keys, type, carried, last || third);
    if (third)
        left = scores_task(g, left, keys, type, NULL, last);
    also(g, extra);
    int out = task_begin(g, last ? task_clauses(g, NULL) : NULL);
    char *right = right_operand(g, v);
    line(g, "%s = ws_dot(%s, %s, %s);", sum, left.value, right, chance(70) ? sum : text("ws_mul(%s, 0.5f)", sum));
    task_end(g, out);
    note(g, acc, keys);
    leave(g, ntiles, nscalars);
    loop_line(g, clause, &range, body_end(g, &around));
}

/* Each with a sum of its own, of loads of its own or of one that they share.  */
static void sums(Gen *g, Dtype type)
{
    const Shape acc = {F32, g->m, g->n};
    int inner = g->inner[pick(g->ninner)], n = 2 + chance(25);
    const Shape left = {type, g->m, inner}, right = {type, g->n, inner};
    const char *names[3];
    if (inner % 16 || live_registers(g) + n * tile_registers(g, acc) > (g->large ? 600 : 180) || !can_load(g, left) ||
        !can_load(g, right))
        return;
    for (int i = 0; i < n; i++)
        names[i] = g->tiles[tile_new(g, acc, text("ws_zeros(WS_F32, %d, %d)", g->m, g->n), 1e4, true)].name;
    const char *extra = extra_new(g);
    g->slots_wanted = true;
    Range range = some_range(g);
    char *clause = pipeline_clause(g), *shared = NULL;
    int ntiles = g->ntiles, nscalars = g->nscalars;
    Outside around = body_begin(g, &range);
    if (chance(50)) {
        shared = fresh(g, "v");
        char *load = load_text(g, left, true);
        line(g, "ws_tile %s = %s;", shared, load);
    }
    const int ntasks = n - chance(30);
    for (int i = 0; i < n; i++) {
        int out = task_begin(g, i < ntasks ? task_clauses(g, i < ntasks - 1 ? names[i] : NULL) : NULL);
        char *x = shared ? shared : load_text(g, left, true), *y = right_operand(g, right);
        line(g, "%s = ws_dot(%s, %s, %s);", names[i], x, y, names[i]);
        task_end(g, out);
        note(g, acc, inner);
    }
    also(g, extra);
    leave(g, ntiles, nscalars);
    loop_line(g, clause, &range, body_end(g, &around));
}

void tasks_statement(Gen *g)
{
    Dtype type = chance(60) ? F16 : BF16;
    if (g->slots || g->level || g->parts || g->pingpong || g->nloops > 3 || g->ntasks || g->m % 64 || g->n % 8 ||
        !affordable(g, (Shape){F32, g->m, g->n}))
        return;
    g->nloops++;
    (chance(60) ? chain : sums)(g, type);
}
