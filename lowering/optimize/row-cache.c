/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row-cache.c - reads rows once that several loops load: versions of the kernel that keep the rows in registers.
 *
 *      kernel norm                                       beside it, version norm: %N from 2049 to 4096
 *      grid i                                            grid i
 *        s = for j = 0, < %N, 1024: s0 = zero              x0 = load t, i, 0; x1 = load t, i, 1024; ...
 *          x = load t, i, j                                s1 = add zero, row_part x0
 *          yield add s0, row_part x                        s2 = add s1, row_part x1
 *        r = rsqrt row_total s                             s3 = add s2, row_part x2
 *        for j = 0, < %N, 1024                             s4 = if 3072 < %N: add s3, row_part x3 else s3
 *          store y, i, j, mul (load t, i, j), r            r = rsqrt row_total s4
 *                                                          store y, i, 0, mul x0, r; ...
 *
 * A norm or a softmax iterates over a row twice, for its sum and for its stores. The second load comes from L2 at best.
 * If registers hold the rows of a tile, the pass unrolls the loops, and their iterations share the loads (measured in
 * bench/notes/first.md, "Figures behind thresholds").
 *
 * Each iteration executes the same operations in the same order, so no value changes.
 *
 * Tested: tests/programs/kept_rows.c runs rows of all lengths.
 */
#include "ir/queries.h"
#include "ir/versions.h"
#include "optimize/rows.h"
#include "passes.h"
#include "target/machine.h"

enum { MOST_PIECES = 4 };

/* Registers of a thread for one piece of all cached tiles.  */
static int registers_of_piece(const Rows *rows)
{
    int registers = 0;
    for (int i = 0; i < rows->ncached; i++)
        registers += machine_tile_registers(rows->cached[i]->results[0]->type, LAYOUT_ROWS);
    return registers;
}

/* ---- unrolling --------------------------------------------------------------------------------------------------- */

static Value *counter_before(const Rows *rows, Op *where, const Op *loop, int piece)
{
    return ir_const_before(rows->kernel, where, loop->blocks[0]->args[0]->type.dtype, piece * rows->step);
}

/* Loads all pieces of a cached tile in front of the first loop.  */
static void load_pieces(const Rows *rows, int kept, Value **pieces)
{
    Op *load = rows->cached[kept];
    const Op *loop = load->parent->parent;
    for (int i = 0; i < rows->pieces; i++) {
        ValueMap map = value_map_new(rows->kernel);
        Value *column = counter_before(rows, rows->loops[0], loop, i);
        Op *copy = op_clone(rows->kernel, load, &map);
        copy->args[copy->nargs - 1] =
            ir_convert_before(rows->kernel, rows->loops[0], column, load->args[load->nargs - 1]->type.dtype);
        op_before(rows->loops[0], copy);
        pieces[i] = copy->results[0];
    }
}

/* Clones an iteration before `before`, or at the end of `to`, and replaces `values` by the values that it yields.  */
static void copy_iteration(const Rows *rows, const Op *loop, int piece, Value *const *pieces, Block *to, Op *before,
                           Value **values)
{
    ValueMap map = value_map_new(rows->kernel);
    const Block *body = loop->blocks[0];
    Op *mark = before ? before : op_new(rows->kernel, OP_YIELD, loop->loc, 0, NULL);
    if (!before)
        op_append(to, mark);
    value_map_set(rows->kernel, &map, body->args[0], counter_before(rows, mark, loop, piece));
    for (int i = 0; i < carried_count(loop); i++)
        value_map_set(rows->kernel, &map, body->args[1 + i], values[i]);
    FOR_OPS (op, body) {
        int kept = op == block_end(body) || !moves_with(op, loop) ? -1 : cached_as(rows, op);
        if (op == block_end(body))
            break;
        if (kept >= 0)
            value_map_set(rows->kernel, &map, op->results[0], pieces[kept * rows->pieces + piece]);
        else
            op_before(mark, op_clone(rows->kernel, op, &map));
    }
    for (int i = 0; i < carried_count(loop); i++)
        values[i] = value_map_get(&map, block_end(body)->args[i]);
    if (!before)
        op_remove(mark);
}

/* Clones an iteration under the condition that its columns are not beyond the row's end.  */
static void copy_under_condition(const Rows *rows, Op *loop, int piece, Value *const *pieces, Value **values)
{
    int count = carried_count(loop);
    Value *range[] = {counter_before(rows, loop, loop, piece), loop->args[1]};
    Value *inside = ir_scalar_before(rows->kernel, loop, OP_SCALAR_LT, D_I1, 2, range);
    Op *branch = op_new(rows->kernel, OP_IF, loop->loc, 1, &inside);
    op_before(loop, branch);
    Value *next[count + 1];
    for (int i = 0; i < count; i++)
        next[i] = values[i];
    Block *then = block_new(rows->kernel, branch);
    copy_iteration(rows, loop, piece, pieces, then, NULL, next);
    op_append(then, op_new(rows->kernel, OP_YIELD, loop->loc, count, next));
    op_append(block_new(rows->kernel, branch), op_new(rows->kernel, OP_YIELD, loop->loc, count, values));
    for (int i = 0; i < count; i++)
        values[i] = op_result(rows->kernel, branch, loop->results[i]->type, loop->results[i]->name);
}

static void unroll(const Rows *rows, Op *loop, Value *const *pieces)
{
    int count = carried_count(loop);
    Value *values[count + 1];
    for (int i = 0; i < count; i++)
        values[i] = loop->args[3 + i];
    for (int i = 0; i < rows->pieces; i++)
        if (i * rows->step < rows->kernel->version.least)
            copy_iteration(rows, loop, i, pieces, loop->parent, loop, values);
        else
            copy_under_condition(rows, loop, i, pieces, values);
    for (int i = 0; i < count; i++)
        ir_replace_uses(rows->grid->blocks[0], loop->results[i], values[i]);
    op_remove(loop);
}

static void keep(Kernel *version, int count)
{
    Rows rows;
    if (!find_rows(version, &rows)) {
        BUG(version, "the version's loops are not those of its kernel");
        return;
    }
    rows.pieces = count;
    Value *pieces[MOST_CACHED * MOST_PIECES];
    for (int i = 0; i < rows.ncached; i++)
        load_pieces(&rows, i, pieces + i * count);
    for (int i = 0; i < rows.nloops; i++)
        unroll(&rows, rows.loops[i], pieces);
    pass_simplify(version);
}

/* True if a version of the kernel handles rows of `columns` columns (cluster-rows.c).  */
static bool is_taken(const Kernel *kernel, int64_t columns)
{
    for (const Kernel *version = kernel->module->kernels; version; version = version->next)
        if (is_version_of(version, kernel) && version->version.least <= columns && columns <= version->version.most)
            return true;
    return false;
}

void pass_row_cache(Kernel *kernel)
{
    Rows rows;
    const Grid *grid = &kernel->grid;
    bool open = kernel->module->target != TARGET_SEQUENTIAL && !kernel->version.of && !grid->totals && !grid->extents &&
                !grid->consumers && !grid->parts && !kernel->tasks && !kernel->shares;
    if (!open || !find_rows(kernel, &rows))
        return;
    const int held = kernel_costs(kernel)->cached_row_registers;
    int most = 0, registers = registers_of_piece(&rows);
    for (int count = 1; count <= MOST_PIECES && !is_taken(kernel, count * rows.step) && count * registers <= held;
         count *= 2) {
        Kernel *version =
            kernel_version(kernel, rows.extent, count > 1 ? count / 2 * rows.step + 1 : 1, count * rows.step);
        keep(version, count);
        most = count;
    }
    if (most)
        remark(kernel, DIAG_OPTIMIZED, rows.loops[0]->control->pipeline->loc,
               "where '%s' is at most %lld, rows stay in %d registers of a thread: %d loops read them once",
               rows.extent->name ? rows.extent->name : "the bound", (long long)(most * rows.step), most * registers,
               rows.nloops);
}
