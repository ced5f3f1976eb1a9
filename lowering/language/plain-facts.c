/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-facts.c - what follows of bounds and conditions.
 *
 *   0 <= k < i, i <= j      =>    k = j never                     x[i][k] and x[i][j] are different elements
 *
 * Sums of products that are >= 0, in which each product of values is a variable.  Fourier-Motzkin elimination, with
 * constants rounded to integers, looks for a contradiction.  Where it finds none, or gives up, nothing is known.
 */
#include <string.h>

#include "language/plain-memory.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

enum { MAX_ROWS = 192, MAX_COLUMNS = 40 };

/* sum factor[i] variable[i] + constant >= 0 */
typedef struct {
    int64_t factor[MAX_COLUMNS], constant;
} Row;

struct Facts {
    Nest *in;
    uint32_t common; /* loops whose counters are the same in all instances */
    int nrows, ncolumns;
    Term columns[MAX_COLUMNS];
    int instance[MAX_COLUMNS]; /* 0: the same in all of them */
    Row rows[MAX_ROWS];
};

Facts *facts_new(Nest *in, uint32_t common)
{
    Facts *facts = arena_alloc(in->kernel->module, sizeof *facts);
    facts->in = in;
    facts->common = common;
    return facts;
}

/* What an iteration has of its own is another variable in each instance.  */
static bool is_common(const Facts *facts, const Value *value)
{
    int loop = loop_of(facts->in, value);
    return loop >= 0 ? facts->common >> loop & 1 : is_known_before(facts->in, value);
}

static int column_of(Facts *facts, const Term *term, int instance)
{
    bool common = true;
    for (int i = 0; i < term->count; i++)
        common &= is_common(facts, term->values[i]);
    instance = common ? 0 : instance;
    for (int i = 0; i < facts->ncolumns; i++)
        if (facts->instance[i] == instance && facts->columns[i].count == term->count &&
            !memcmp(facts->columns[i].values, term->values, (size_t)term->count * sizeof *term->values))
            return i;
    if (facts->ncolumns == MAX_COLUMNS)
        return -1;
    facts->columns[facts->ncolumns] = *term;
    facts->instance[facts->ncolumns] = instance;
    return facts->ncolumns++;
}

static bool add_to_row(Facts *facts, Row *row, const Poly *x, int instance, int64_t sign)
{
    for (int i = 0; i < x->count; i++) {
        const Term *term = &x->terms[i];
        int64_t factor = sign * term->factor;
        if (!term->count) {
            row->constant += factor;
            continue;
        }
        int column = column_of(facts, term, instance);
        if (column < 0)
            return false;
        row->factor[column] += factor;
    }
    return x->known;
}

/* sign (x - y) + more >= 0 */
static void add_difference(Facts *facts, const Poly *x, int first, const Poly *y, int second, int64_t sign,
                           int64_t more)
{
    Row row = {.constant = more};
    if (add_to_row(facts, &row, x, first, sign) && (!y || add_to_row(facts, &row, y, second, -sign)) &&
        facts->nrows < MAX_ROWS)
        facts->rows[facts->nrows++] = row;
}

void facts_add(Facts *facts, const Poly *x, int instance)
{
    add_difference(facts, x, instance, NULL, 0, 1, 0);
}

void facts_equal(Facts *facts, const Poly *x, int first, const Poly *y, int second)
{
    add_difference(facts, x, first, y, second, 1, 0);
    add_difference(facts, x, first, y, second, -1, 0);
}

void facts_less(Facts *facts, const Poly *x, int first, const Poly *y, int second)
{
    add_difference(facts, x, first, y, second, -1, -1);
}

/* ---- conditions and loops ---------------------------------------------------------------------------------------- */

void facts_condition(Facts *facts, const Value *condition, bool holds, int instance)
{
    Guards guards = {0};
    conditions_take(facts->in, &guards, condition, holds, NULL);
    for (int i = 0; i < guards.count; i++)
        facts_add(facts, &guards.guards[i], instance);
}

/* iv < hi, where that is the smaller of two numbers: below both */
static void add_below(Facts *facts, const Poly *iv, const Poly *hi, int instance)
{
    const Op *op =
        hi->count == 1 && hi->terms[0].count == 1 && hi->terms[0].factor == 1 ? hi->terms[0].values[0]->def : NULL;
    facts_less(facts, iv, instance, hi, instance);
    for (int i = 0; op && op->code == OP_SCALAR_MIN && i < 2; i++) {
        Poly each = poly_of(op->args[i]);
        facts_less(facts, iv, instance, &each, instance);
    }
}

static void add_index(Facts *facts, const Loop *loop, int instance)
{
    if (!loop->index)
        return;
    add_difference(facts, &loop->along, instance, &loop->first, instance, 1, 0);
    add_difference(facts, &loop->along, instance, &loop->last, instance, -1, 0);
}

/* A rest is below the step, which is 1 at least, and so much as the larger of two numbers that it is.  */
static void add_step(Facts *facts, const Loop *loop, int instance)
{
    int64_t number;
    if (!loop->index)
        return;
    if (loop->left.known) {
        add_difference(facts, &loop->left, instance, NULL, 0, 1, 0);
        add_difference(facts, &loop->step, instance, &loop->left, instance, 1, -1);
    }
    if (poly_is_constant(&loop->step, &number))
        return;
    add_difference(facts, &loop->step, instance, NULL, 0, 1, -1);
    const Op *op = loop->step.terms[0].values[0]->def;
    for (int i = 0; op && op->code == OP_SCALAR_MAX && i < 2; i++) {
        Poly least = poly_of(op->args[i]);
        add_difference(facts, &loop->step, instance, &least, instance, 1, 0);
    }
}

/* Where the operation is carried out: in its loops' ranges and its branches' arms.  exactly: as the loops are;
   otherwise by whole tiles, of which those under conditions of their own are there, too.  */
void facts_at(Facts *facts, const Op *op, int instance, bool exactly)
{
    Nest *in = facts->in;
    for (const Block *block = op->parent; block && block->parent; block = block->parent->parent) {
        const Op *parent = block->parent;
        int loop = loop_of_op(in, parent);
        if (parent->code == OP_IF && (exactly || !axes_of(in, parent->args[0])))
            facts_condition(facts, parent->args[0], block == parent->blocks[0], instance);
        const Value *condition = parent->code == OP_FOR ? loop_guard(parent) : NULL;
        if (condition && (exactly || !axes_of(in, condition)))
            facts_condition(facts, condition, true, instance);
        if (loop >= 0)
            add_step(facts, &in->loops[loop], instance);
        if (loop < 0)
            continue;
        bool all = exactly || !in->loops[loop].masked; /* or those from the first start to the last end in a tile */
        Poly iv = poly_value(in->loops[loop].iv);
        if (all || !axes_of(in, parent->args[0]))
            add_difference(facts, &iv, instance, &in->loops[loop].lo, instance, 1, 0);
        if (all || !axes_of(in, parent->args[1]))
            add_below(facts, &iv, &in->loops[loop].hi, instance);
        if (all)
            add_index(facts, &in->loops[loop], instance);
    }
    int own = op->code == OP_ELEMENT ? 2 : 3;
    if (exactly && (op->code == OP_ELEMENT || op->code == OP_SET_ELEMENT) && op->nargs > own)
        facts_condition(facts, op->args[own], true, instance);
}

/* ---- elimination ------------------------------------------------------------------------------------------------- */

static int64_t floor_of(int64_t x, int64_t y)
{
    return x / y - (x % y != 0 && x < 0);
}

/* Divided by what its factors have in common; the constant to the next integer below.  */
static void tighten(Row *row, int ncolumns)
{
    int64_t common = 0;
    for (int i = 0; i < ncolumns; i++)
        common = common_divisor(common, row->factor[i]);
    if (common < 2)
        return;
    for (int i = 0; i < ncolumns; i++)
        row->factor[i] /= common;
    row->constant = floor_of(row->constant, common);
}

static bool is_empty(const Row *row, int ncolumns)
{
    for (int i = 0; i < ncolumns; i++)
        if (row->factor[i])
            return false;
    return true;
}

static bool combine(const Row *up, const Row *down, int column, int ncolumns, Row *sum)
{
    int64_t p = -down->factor[column], q = up->factor[column], x, y;
    for (int i = 0; i < ncolumns; i++)
        if (__builtin_mul_overflow(p, up->factor[i], &x) || __builtin_mul_overflow(q, down->factor[i], &y) ||
            __builtin_add_overflow(x, y, &sum->factor[i]))
            return false;
    return !__builtin_mul_overflow(p, up->constant, &x) && !__builtin_mul_overflow(q, down->constant, &y) &&
           !__builtin_add_overflow(x, y, &sum->constant);
}

static bool is_there(const Facts *facts, const Row *row)
{
    for (int i = 0; i < facts->nrows; i++)
        if (!memcmp(facts->rows[i].factor, row->factor, sizeof row->factor) && facts->rows[i].constant <= row->constant)
            return true;
    return false;
}

/* The column whose elimination makes the fewest rows; -1: none is left.  */
static int cheapest(const Facts *facts)
{
    int best = -1;
    long least = 0;
    for (int c = 0; c < facts->ncolumns; c++) {
        long up = 0, down = 0;
        for (int i = 0; i < facts->nrows; i++) {
            up += facts->rows[i].factor[c] > 0;
            down += facts->rows[i].factor[c] < 0;
        }
        if (up + down && (best < 0 || up * down - up - down < least)) {
            best = c;
            least = up * down - up - down;
        }
    }
    return best;
}

static void eliminate(Facts *facts, int column)
{
    Row old[MAX_ROWS];
    int count = facts->nrows;
    memcpy(old, facts->rows, (size_t)count * sizeof *old);
    facts->nrows = 0;
    for (int i = 0; i < count; i++)
        if (!old[i].factor[column])
            facts->rows[facts->nrows++] = old[i];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count && old[i].factor[column] > 0; k++) {
            Row sum = {.constant = 0};
            if (old[k].factor[column] >= 0)
                continue;
            if (facts->nrows == MAX_ROWS || !combine(&old[i], &old[k], column, facts->ncolumns, &sum))
                continue; /* what is left is true all the same */
            tighten(&sum, facts->ncolumns);
            if (!is_there(facts, &sum))
                facts->rows[facts->nrows++] = sum;
        }
}

static bool contradicts(const Facts *facts)
{
    for (int i = 0; i < facts->nrows; i++)
        if (facts->rows[i].constant < 0 && is_empty(&facts->rows[i], facts->ncolumns))
            return true;
    return false;
}

/* ensure: true if no numbers fulfil all that was added; the facts are used up.  */
bool facts_contradict(Facts *facts)
{
    for (int i = 0; i < facts->nrows; i++)
        tighten(&facts->rows[i], facts->ncolumns);
    for (int column; !contradicts(facts); eliminate(facts, column))
        if ((column = cheapest(facts)) < 0)
            return false;
    return true;
}
