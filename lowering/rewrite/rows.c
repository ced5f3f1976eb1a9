/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.c - loops of a grid that go over the same columns of rows, and the tiles that several of them load.  */
#include "rewrite/rows.h"

#include "ir/affine.h"
#include "ir/queries.h"
#include "machine/plan.h"

/* ---- loops over the same columns --------------------------------------------------------------------------------- */

static bool is_asked_for(const Pipeline *pipeline)
{
    return !pipeline->automatic || pipeline->pingpong || pipeline->optimal || pipeline->parts || pipeline->blocks ||
           pipeline->schedule != SCHEDULE_AUTO;
}

static bool is_straight(const Block *block)
{
    FOR_OPS (op, block)
        if (op->nblocks || op_is_product(op) || op_prints(op) || op_info[op->code].class_ == CLASS_SYNC)
            return false;
    return true;
}

/* Counts the columns of rows that are as long as a parameter says.  */
static bool goes_over_columns(Rows *in, const Op *loop)
{
    int64_t low, step;
    bool counts = loop->code == OP_FOR && pipeline_of(loop) && !is_asked_for(pipeline_of(loop)) && loop->nblocks == 1 &&
                  loop->control->compare == OP_LTI && ir_constant(loop->args[0], &low) && !low &&
                  ir_constant(loop->args[2], &step) && step > 0;
    const Value *extent = counts ? affine_unconverted(loop->args[1]) : NULL;
    if (!counts || extent->def || extent->block || !is_straight(loop->blocks[0]))
        return false;
    if (!in->nloops) {
        in->extent = extent;
        in->step = step;
    }
    return extent == in->extent && step == in->step;
}

static bool find_loops(Rows *in)
{
    FOR_OPS (op, in->grid->blocks[0]) {
        if (op_is_product(op) || op_prints(op) || (op->nblocks && in->nloops == MOST_LOOPS))
            return false;
        if (op->nblocks && !goes_over_columns(in, op))
            return false;
        if (op->nblocks)
            in->loops[in->nloops++] = op;
    }
    return in->nloops > 1;
}

/* ---- what they load ---------------------------------------------------------------------------------------------- */

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

static bool is_stored(const Rows *in, const Op *load)
{
    Stores stores = {load, false};
    ir_walk(in->grid->blocks[0], visit_store, &stores);
    return stores.stored;
}

/* At the loop's counter along its columns, and what is known in front of all loops.  */
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

/* The kept load that this one is another of.  */
int kept_as(const Rows *in, const Op *load)
{
    for (int i = 0; i < in->nkept; i++)
        if (loads_the_same(in->kept[i], load))
            return i;
    return -1;
}

static bool another_loads(const Rows *in, int loop, const Op *load)
{
    for (int i = loop + 1; i < in->nloops; i++)
        FOR_OPS (op, in->loops[i]->blocks[0])
            if (moves_with(op, in->loops[i]) && loads_the_same(op, load))
                return true;
    return false;
}

/* Where it stands in front of the first loop, its row is known.  */
static bool is_known_in_front(const Rows *in, const Value *value)
{
    const Op *def = value->def;
    if (!def || def->parent != in->grid->blocks[0])
        return true;
    for (const Op *op = in->loops[0]; op; op = op->prev)
        if (op == def)
            return true;
    return false;
}

static void find_kept(Rows *in)
{
    for (int i = 0; i < in->nloops; i++)
        FOR_OPS (op, in->loops[i]->blocks[0]) {
            bool keep = moves_with(op, in->loops[i]) && kept_as(in, op) < 0 && another_loads(in, i, op) &&
                        !is_stored(in, op) && in->nkept < MOST_KEPT;
            for (int k = 0; k < op->nargs && keep; k++)
                keep = k == op->nargs - 1 || is_known_in_front(in, op->args[k]);
            if (keep)
                in->kept[in->nkept++] = op;
        }
}

bool find_rows(Kernel *kernel, Rows *in)
{
    *in = (Rows){.kernel = kernel};
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            in->grid = op;
    if (!in->grid || !find_loops(in))
        return false;
    find_kept(in);
    return in->nkept > 0;
}
