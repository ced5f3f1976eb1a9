/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * product.c - products and their operands, and what a loop that is pipelined accumulates.
 */
#include "fuzz.h"

#include <string.h>

static bool operand_affordable(Gen *g, Shape shape)
{
    return affordable(g, shape) && g->shared + 2 * shared_bytes(shape) < 190000;
}

/* A tile by name, so that others may use it too: another product, or the consumers themselves.  */
static char *loaded_variable(Gen *g, Shape shape)
{
    char *load = load_text(g, shape, true), *name = fresh(g, "v");
    line(g, "ws_tile %s = %s;", name, load);
    if (g->ntiles < MAX_TILES - 4)
        g->tiles[g->ntiles++] = (Tile){shape, name, strstr(load, "-1e30") ? 1e30 : 20, false};
    return name;
}

/* Computed from one load and nothing else, for a product in a loop: another role may do it.  */
char *prepared_operand(Gen *g, Shape shape)
{
    static const Dtype types[] = {I8, E4M3, E5M2, F16, F32};
    Shape from = {types[pick(5)], shape.rows, shape.cols};
    char *load = load_text(g, from, true), *wide = text("ws_cast(%s, WS_F32)", load);
    g->shared += 4 * shared_bytes(shape);
    if (strstr(load, "-1e30"))
        wide = text("ws_max(%s, -4.0f)", wide);
    else if (chance(50))
        wide = from.dtype == I8 || chance(50) ? load : text("ws_neg(%s)", load);
    else
        wide = text("ws_mul(%s, 0.5f)", wide);
    return text("ws_cast(%s, %s)", wide, dtype_text(shape.dtype));
}

enum { MOST_TASKS = 2 };

char *task_operand(Gen *g, Shape shape, char *value)
{
    if (!g->slots || g->parts || g->ntasks == MOST_TASKS)
        return value;
    char *name = fresh(g, "v"), *clauses = text("task(%s)", fresh(g, "t"));
    g->ntasks++;
    if (shape.rows % 16 == 0 && chance(40))
        clauses = text("%s groups(2)", clauses);
    if (chance(60))
        clauses = text("%s ring(%s, %d)", clauses, name, (g->flight ? g->flight : 1) + pick(3));
    line(g, "ws_tile %s;", name);
    line(g, "{");
    g->indent++;
    pragma_line(g, clauses);
    line(g, "%s = %s;", name, value);
    g->indent--;
    line(g, "}");
    return name;
}

/* Or another role, if a task says so.  */
static char *some_prepared(Gen *g, Shape shape)
{
    char *value = prepared_operand(g, shape);
    return chance(35) ? task_operand(g, shape, value) : value;
}

/* An operand of a product: from memory as it lies, from memory the other way round, or computed.  */
static char *some_operand(Gen *g, Shape shape, bool right, int depth)
{
    Shape turned = {shape.dtype, shape.cols, shape.rows};
    static const int weights[] = {50, 25, 25};
    int form = weigh(weights, depth > 0 && operand_affordable(g, shape) ? 3 : 2);
    double bound;
    if (right && form < 2)
        form = 1 - form;
    bool across = chance(50);
    if (right && chance(40) && dtype_bytes[shape.dtype] == 2 && can_load(g, across ? shape : turned))
        return across ? some_prepared(g, shape) : text("ws_trans(%s)", some_prepared(g, turned));
    if (form == 0 && can_load(g, shape) && chance(15))
        return loaded_variable(g, shape);
    if (form == 0 && can_load(g, shape))
        return load_text(g, shape, true);
    if (form == 1 && can_load(g, turned) && chance(15))
        return text("ws_trans(%s)", loaded_variable(g, turned));
    if (form < 2 && can_load(g, turned))
        return text("ws_trans(%s)", load_text(g, turned, true));
    if (right)
        g->whole_tiles = true;
    g->shared += 2 * shared_bytes(shape);
    if (depth > 0 && chance(20) && affordable(g, turned)) {
        g->whole_tiles = true;
        return text("ws_trans(%s)", expression(g, turned, depth - 1, &bound));
    }
    return expression(g, shape, depth > 0 ? depth - 1 : 0, &bound);
}

static char *operand(Gen *g, Shape shape, bool right, int depth)
{
    span_begin();
    char *result = some_operand(g, shape, right, depth);
    span_end();
    return result;
}

/* Element types of the operands, and how deep a product of them may be.  */
static int choose_types(Gen *g, Dtype acc, Dtype *a, Dtype *b)
{
    static const int weights[] = {42, 18, 14, 13, 13};
    static const Dtype types[] = {F16, BF16, F32, E4M3, E5M2};
    int depths[6], n = 0;
    *a = *b = acc == I32 ? I8 : acc == F64 ? F64 : types[weigh(weights, 5)];
    if (*a == E4M3 && chance(30))
        *b = E5M2;
    else if (*a == E5M2 && chance(30))
        *b = E4M3;
    for (int i = 0; i < g->ninner; i++)
        if (g->inner[i] * dtype_bytes[*a] % 32 == 0)
            depths[n++] = g->inner[i];
    return n ? depths[pick(n)] : 32;
}

static bool dot_shape(const Gen *g, Shape acc)
{
    return g->products && !g->in_helper && (acc.dtype == F32 || acc.dtype == F64 || acc.dtype == I32) &&
           acc.rows % 64 == 0 && acc.cols % 8 == 0;
}

static bool dot_affordable(Gen *g, Shape acc, int inner)
{
    return affordable(g, acc) && g->spent + g->work * acc.rows * acc.cols * inner / 8 < 4000000;
}

static void note_product(Gen *g, Shape acc, int inner)
{
    g->product_divisor = common_divisor((acc.rows + 63) / 64, g->product_divisor);
    g->spent += g->work * acc.rows * acc.cols * inner / 8;
    note_rows(g, acc);
}

/* acc + a b, with an accumulator that is given as text.  */
static char *dot_text(Gen *g, Shape acc, const char *value, int depth)
{
    Dtype a, b;
    int inner = choose_types(g, acc.dtype, &a, &b);
    note_product(g, acc, inner);
    Shape left = {a, acc.rows, inner}, right = {b, inner, acc.cols};
    char *x = operand(g, left, false, depth), *y = operand(g, right, true, depth);
    return text("ws_dot(%s, %s, %s)", x, y, value);
}

bool dot_fits(Gen *g, Shape shape, int depth)
{
    return depth > 0 && !g->by_columns && dot_shape(g, shape) && dot_affordable(g, shape, 64);
}

char *dot_make(Gen *g, Shape shape, int depth, double *bound)
{
    char *acc = chance(30) ? expression(g, shape, depth - 1, bound)
                           : text("ws_zeros(%s, %s, %s)", dtype_text(shape.dtype), extent(g, shape.rows),
                                  extent(g, shape.cols));
    *bound = 1e5;
    return dot_text(g, shape, acc, depth - 1);
}

bool dot_f32_fits(Gen *g, Shape shape, int depth)
{
    return depth > 0 && !g->by_columns && g->products && shape.dtype == F32 && shape.rows % 8 == 0 &&
           shape.cols % 8 == 0 && !g->in_helper && dot_affordable(g, shape, 32);
}

char *dot_f32_make(Gen *g, Shape shape, int depth, double *bound)
{
    int inner = chance(70) ? 8 * between(1, 4) : g->k;
    Shape left = {F32, shape.rows, inner}, right = {F32, inner, shape.cols};
    note_product(g, shape, inner);
    char *acc = chance(50) ? expression(g, shape, depth - 1, bound)
                           : text("ws_zeros(WS_F32, %s, %s)", extent(g, shape.rows), extent(g, shape.cols));
    char *x = operand(g, left, false, depth - 1), *y = operand(g, right, true, depth - 1);
    *bound = 1e5;
    return text("ws_dot_f32(%s, %s, %s)", x, y, acc);
}

/* acc + a b of 16-bit numbers that a ring holds as they are loaded, or NULL: no room for it.  */
char *product_of_loads(Gen *g, Shape acc, Dtype type, int inner, const char *name)
{
    Shape left = {type, acc.rows, inner}, right = {type, inner, acc.cols}, turned = {type, acc.cols, inner};
    bool lies = chance(40);
    if (!dot_shape(g, acc) || !dot_affordable(g, acc, inner) || !can_load(g, left) ||
        !can_load(g, lies ? right : turned))
        return NULL;
    note_product(g, acc, inner);
    char *x = load_text(g, left, true), *y = load_text(g, lies ? right : turned, true);
    return text(lies ? "ws_dot(%s, %s, %s)" : "ws_dot(%s, ws_trans(%s), %s)", x, y, name);
}

char *product_update(Gen *g, Shape acc, const char *name, int depth)
{
    if (!dot_shape(g, acc) || !dot_affordable(g, acc, 64))
        return NULL;
    switch (weigh((const int[]){70, 15, 15}, 3)) {
    case 1:
        return dot_text(g, acc, text("ws_mul(%s, %s)", name, acc.dtype == I32 ? "3" : "0.5f"), depth);
    case 2:
        return text(
            "ws_add(%s, %s)", name,
            dot_text(g, acc,
                     text("ws_zeros(%s, %s, %s)", dtype_text(acc.dtype), extent(g, acc.rows), extent(g, acc.cols)),
                     depth));
    default:
        return dot_text(g, acc, name, depth);
    }
}

/* ---- what a loop accumulates ------------------------------------------------------------------------------------- */

/* A column to which sums along rows are added, scaled or not: a recurrence whose sums can be completed behind the
   loop. */
static char *recurrence(Gen *g, Shape acc, const char *name, char *load)
{
    double bound;
    char *sum = text("ws_row_sum(%s)", load);
    if (chance(50))
        return text("ws_add(%s, %s)", name, sum);
    char *scale = chance(50) ? text("%s", "0.5f") : text("ws_tanh(%s)", expression(g, acc, 1, &bound));
    return chance(30) ? text("ws_fma(%s, %s, %s)", name, scale, sum)
                      : text("ws_add(ws_mul(%s, %s), %s)", name, scale, sum);
}

/* The new value of an accumulator, from a load that a ring can hold.  */
char *anchor_update(Gen *g, Shape acc, const char *name, bool product)
{
    if (product && dot_shape(g, acc)) {
        Dtype a, b;
        int inner = choose_types(g, acc.dtype, &a, &b);
        Shape left = {a, acc.rows, inner}, right = {b, inner, acc.cols};
        if (can_load(g, left) && dot_affordable(g, acc, inner)) {
            note_product(g, acc, inner);
            char *x = load_text(g, left, true);
            return text("ws_dot(%s, %s, %s)", x, operand(g, right, true, 1), name);
        }
    }
    Shape wide = {random_dtype(), acc.rows > 1 ? acc.rows : g->m, acc.cols > 1 ? acc.cols : g->n};
    if (wide.dtype == F64)
        wide.dtype = F32;
    while (wide.cols * dtype_bytes[wide.dtype] < 16)
        wide.dtype = F32;
    if (!can_load(g, wide))
        return NULL;
    char *load = load_text(g, wide, true);
    if (acc.rows > 1 && acc.cols == 1 && acc.dtype == F32 && chance(40) && !strstr(load, "-1e30"))
        return recurrence(g, acc, name, wide.dtype == F32 ? load : text("ws_cast(%s, WS_F32)", load));
    char *value = convert(g, load, wide, acc);
    double bound = strstr(load, "-1e30") ? 1e30 : 1e4;
    if (acc.dtype != I8 && acc.dtype != U8)
        value = tame(g, value, acc.dtype, &bound, 1e4);
    return text("ws_%s(%s, %s)", chance(70) ? "add" : "max", name, value);
}

/* A product whose rows or columns are those that the grid variable counts.  */
char *step_update(Gen *g, Shape acc, const char *name, const GridVariable *v)
{
    Dtype a, b;
    int inner = choose_types(g, acc.dtype, &a, &b);
    bool columns = v == &g->grid[g->ngrid - 1] && g->ngrid > 1;
    Shape left = {a, acc.rows, inner}, turned = {b, acc.cols, inner};
    if (!dot_shape(g, acc) || !can_load(g, left) || !dot_affordable(g, acc, inner))
        return NULL;
    note_product(g, acc, inner);
    char *x = columns ? load_text(g, left, true) : load_rows_text(g, left, v);
    if (columns && !can_load(g, turned))
        return NULL;
    return text("ws_dot(%s, %s, %s)", x,
                columns ? text("ws_trans(%s)", load_rows_text(g, turned, v))
                        : operand(g, (Shape){b, inner, acc.cols}, true, 1),
                name);
}

/* Two products of one left operand: one instruction, if the right operands can lie behind each other.  */
bool pair_update(Gen *g, Shape acc, const char *first, const char *second)
{
    Dtype a, b;
    int inner = choose_types(g, acc.dtype, &a, &b);
    Shape left = {a, acc.rows, inner}, right = {b, acc.cols, inner};
    bool turned = chance(75);
    if (!turned)
        right = (Shape){b, inner, acc.cols};
    if (!dot_shape(g, acc) || !can_load(g, left) || !dot_affordable(g, acc, 2 * inner))
        return false;
    bool apart = chance(20);
    char *x = apart ? NULL : loaded_variable(g, left);
    const char *const names[] = {first, second};
    for (int i = 0; i < 2; i++) {
        if (!can_load(g, right) || (apart && !can_load(g, left)))
            return i > 0;
        char *other = x ? x : load_text(g, left, true), *y = load_text(g, right, true);
        note_product(g, acc, inner);
        line(g, turned ? "%s = ws_dot(%s, ws_trans(%s), %s);" : "%s = ws_dot(%s, %s, %s);", names[i], other, y,
             names[i]);
    }
    return true;
}
