/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-transposed.c - kernels that only transpose.
 *
 *      grid i = 0, < %M, 128; j = 0, < %N, 64                        one group; i varies fastest
 *        store %b, j, i, trans (load %a, i, j)
 *
 * A block has one group if the tiles are small.  If a store's columns follow the grid's last dimension but one, the
 * grid gets order(column).  Blocks that run at the same time then store along the same rows.  Both effects are measured
 * in bench/notes/choices.md.
 */
#include "ir/queries.h"
#include "schedule/choose.h"

static bool computes(const Op *op, const void *none)
{
    (void)none;
    OpClass class_ = op_info[op->code].class_;
    return (class_ == CLASS_TILE && op->code != OP_TRANS) || op->code == OP_FOR || op->code == OP_WHILE ||
           class_ == CLASS_SYNC;
}

static bool turns(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_TRANS;
}

static void visit_bytes(Op *op, void *context)
{
    int *most = context;
    for (int i = 0; i < op->nresults; i++) {
        Type type = op->results[i]->type;
        int bytes = type.kind == K_TILE ? type.rows * type.cols * dtype_bytes(type.dtype) : 0;
        *most = bytes > *most ? bytes : *most;
    }
}

bool choose_only_turns(const Chooser *chooser)
{
    int bytes = 0;
    ir_walk(chooser->kernel->body, visit_bytes, &bytes);
    return !chooser->nloops && bytes <= kernel_costs(chooser->kernel)->transposed_bytes &&
           ir_any_of(chooser->kernel->body, turns, NULL) && !ir_any_of(chooser->kernel->body, computes, NULL);
}

/* True for a store whose column coordinate is not the grid's last dimension but one.  */
static bool stores_elsewhere(const Op *op, const void *counter)
{
    return op_info[op->code].class_ == CLASS_STORE && (op->nargs < 3 || op->args[op->nargs - 2] != counter);
}

void choose_order(const Chooser *chooser)
{
    Kernel *kernel = chooser->kernel;
    FOR_OPS (grid, kernel->body) {
        if (grid->code != OP_GRID || grid->nargs < 6 || kernel->schedule.block.order != ORDER_AUTO ||
            !choose_only_turns(chooser) ||
            ir_any_of(grid->blocks[0], stores_elsewhere, grid->blocks[0]->args[grid->nargs / 3 - 2]))
            continue;
        kernel->schedule.block.order = ORDER_COLUMN;
        remark(kernel, DIAG_OPTIMIZED, kernel->loc,
               "order(column): blocks that run at the same time store to the same rows");
    }
}
