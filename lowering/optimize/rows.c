/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.c - finds loops of a grid over the same columns of rows, and the tiles that several of them load.  */
#include "ir/alias.h"
#include "optimize/rows.h"

#include "ir/affine.h"
#include "ir/queries.h"

/* ---- loops over the same columns --------------------------------------------------------------------------------- */

static bool is_asked_for(const Pipeline *pipeline)
{
    return !pipeline->automatic || pipeline->pingpong || pipeline->parts || pipeline->blocks ||
           pipeline->schedule != SCHEDULE_AUTO;
}

static bool is_straight(const Block *block)
{
    FOR_OPS (op, block)
        if (op->nblocks || op_is_product(op) || op_prints(op) || op_info[op->code].class_ == CLASS_SYNC)
            return false;
    return true;
}

/* True if the loop counts the columns of rows whose length is a parameter. All loops have the same parameter and
   step.  */
static bool goes_over_columns(Rows *rows, const Op *loop)
{
    int64_t low, step;
    bool counts = loop->code == OP_FOR && pipeline_of(loop) && !is_asked_for(pipeline_of(loop)) && loop->nblocks == 1 &&
                  loop->control->compare == OP_SCALAR_LT && ir_constant(loop->args[0], &low) && !low &&
                  ir_constant(loop->args[2], &step) && step > 0;
    const Value *extent = counts ? affine_unconverted(loop->args[1]) : NULL;
    if (!counts || extent->def || extent->block || !is_straight(loop->blocks[0]))
        return false;
    if (!rows->nloops) {
        rows->extent = extent;
        rows->step = step;
    }
    return extent == rows->extent && step == rows->step;
}

static bool find_loops(Rows *rows)
{
    FOR_OPS (op, rows->grid->blocks[0]) {
        if (op_is_product(op) || op_prints(op) || (op->nblocks && rows->nloops == MOST_LOOPS))
            return false;
        if (op->nblocks && !goes_over_columns(rows, op))
            return false;
        if (op->nblocks)
            rows->loops[rows->nloops++] = op;
    }
    return rows->nloops > 1;
}

/* ---- their loads ------------------------------------------------------------------------------------------------- */

typedef struct {
    const Op *load;
    bool stored;
} Stores;

static void visit_store(Op *op, void *context)
{
    Stores *stores = context;
    if (op_info[op->code].class_ == CLASS_STORE && tensor_memory(op->args[0]) == tensor_memory(stores->load->args[0]))
        stores->stored = true;
}

static bool is_stored(const Rows *rows, const Op *load)
{
    Stores stores = {load, false};
    ir_walk(rows->grid->blocks[0], visit_store, &stores);
    return stores.stored;
}

/* True if the load begins at the loop's counter along its columns, and its other operands are available before all
   loops.  */
bool moves_with(const Op *load, const Op *loop)
{
    const Value *counter = loop->blocks[0]->args[0];
    if (load->code != OP_LOAD || affine_unconverted(load->args[load->nargs - 1]) != counter)
        return false;
    for (int i = 0; i < load->nargs - 1; i++)
        if (!ir_outside(load->args[i], loop) || (load->args[i]->def && load->args[i]->def->code == OP_FOR))
            return false;
    return true;
}

static bool loads_the_same(const Op *x, const Op *y)
{
    bool same = x->code == y->code && x->nargs == y->nargs && type_equal(x->results[0]->type, y->results[0]->type) &&
                op_means_the_same(x, y);
    for (int i = 0; i < x->nargs - 1 && same; i++)
        same = x->args[i] == y->args[i] || (x->args[i]->type.kind == K_SCALAR && affine_same(x->args[i], y->args[i]));
    return same;
}

/* Index of the cached load of the same tile, or -1.  */
int cached_as(const Rows *rows, const Op *load)
{
    for (int i = 0; i < rows->ncached; i++)
        if (loads_the_same(rows->cached[i], load))
            return i;
    return -1;
}

static bool another_loads(const Rows *rows, int loop, const Op *load)
{
    for (int i = loop + 1; i < rows->nloops; i++)
        FOR_OPS (op, rows->loops[i]->blocks[0])
            if (moves_with(op, rows->loops[i]) && loads_the_same(op, load))
                return true;
    return false;
}

/* True if the value is available before the first loop.  */
static bool is_known_in_front(const Rows *rows, const Value *value)
{
    const Op *def = value->def;
    if (!def || def->parent != rows->grid->blocks[0])
        return true;
    for (const Op *op = rows->loops[0]; op; op = op->prev)
        if (op == def)
            return true;
    return false;
}

static void find_cached(Rows *rows)
{
    for (int i = 0; i < rows->nloops; i++)
        FOR_OPS (op, rows->loops[i]->blocks[0]) {
            bool keep = moves_with(op, rows->loops[i]) && cached_as(rows, op) < 0 && another_loads(rows, i, op) &&
                        !is_stored(rows, op) && rows->ncached < MOST_CACHED;
            for (int k = 0; k < op->nargs && keep; k++)
                keep = k == op->nargs - 1 || is_known_in_front(rows, op->args[k]);
            if (keep)
                rows->cached[rows->ncached++] = op;
        }
}

bool find_rows(Kernel *kernel, Rows *rows)
{
    *rows = (Rows){.kernel = kernel};
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            rows->grid = op;
    if (!rows->grid || !find_loops(rows))
        return false;
    find_cached(rows);
    return rows->ncached > 0;
}
