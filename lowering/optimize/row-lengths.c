/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row-lengths.c - specializes the kernel on row length: a version for each halved tile width.
 *
 *      kernel softmax                             beside it, version softmax: %N from 257 to 512
 *      grid i                                     grid i
 *        %x: 1x1024 = load %t, i, 0 fill=-inf       %x: 1x512 = load %t, i, 0 fill=-inf
 *        %m: 1x1 = row_max %x                       %m: 1x1 = row_max %x
 *        ...                                        ...
 *        store %y, i, 0, %e                         store %y, i, 0, %e
 *
 * A kernel that takes a row as one tile has the width of the longest row. A shorter row costs as much (measured in
 * bench/notes/first.md, "Figures behind thresholds"). Columns beyond the row's end are not stored. In reductions along
 * the row they must not change the result (pads.h). Sums keep their order.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/short_rows.c runs rows of all lengths.
 */
#include "ir/affine.h"
#include "ir/queries.h"
#include "ir/versions.h"
#include "optimize/pads.h"
#include "passes.h"
#include "rules.h"

/* With fewer than 128 columns, some lanes of a warp have no vector.  */
enum { LEAST_WIDTH = 128, MOST_FORMS = 3 };

typedef struct {
    Kernel *kernel;
    const Op *grid;
    int width;
    Pads pads;
} RowLengths;

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* True if the access covers all columns, from the first on, of a tensor with as many columns as the parameter says.  */
static bool is_whole_row(const RowLengths *row_lengths, const Op *access, int coordinates)
{
    int64_t first;
    bool columns = access->code == OP_LOAD || access->code == OP_LOAD_ROW || access->code == OP_STORE ||
                   access->code == OP_STORE_ROW || access->code == OP_ATOMIC_ADD;
    return columns && ir_constant(access->args[coordinates], &first) && first == 0 &&
           last_extent(access) == row_lengths->pads.extent;
}

static bool follow_load(RowLengths *row_lengths, const Op *op)
{
    Type type = op->results[0]->type;
    if (type.cols != row_lengths->width)
        return type.cols == 1;
    row_lengths->pads.of[op->results[0]->id] = pad_of_load(op);
    return is_whole_row(row_lengths, op, op->nargs - 1);
}

static bool follow_store(const RowLengths *row_lengths, const Op *op)
{
    const Value *tile = op->args[op->nargs - 1];
    bool wide = !op_prints(op) && row_lengths->pads.of[tile->id].wide;
    return wide ? is_whole_row(row_lengths, op, op->nargs - 2) : tile->type.cols == 1 && !op_prints(op);
}

static bool follow(RowLengths *row_lengths, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    Type type = op->nresults ? op->results[0]->type : (Type){0};
    if (op->nblocks || class_ == CLASS_SYNC)
        return false;
    if (class_ == CLASS_SCALAR || class_ == CLASS_READ || class_ == CLASS_TENSOR || op->code == OP_YIELD)
        return true;
    if (class_ == CLASS_LOAD)
        return follow_load(row_lengths, op);
    if (class_ == CLASS_STORE)
        return follow_store(row_lengths, op);
    if (op_is_elementwise(op))
        return pads_follow(&row_lengths->pads, op);
    if (op->code == OP_COL_INDEX || op->code == OP_FULL) {
        if (type.cols == row_lengths->width)
            row_lengths->pads.of[op->results[0]->id] =
                op->code == OP_FULL ? number_pad(op->tile->value) : (Pad){true, PAD_INDEX, 0};
        return type.cols == row_lengths->width || type.cols == 1;
    }
    bool wide = op->nargs == 1 && row_lengths->pads.of[op->args[0]->id].wide;
    return wide ? changes_nothing(op, row_lengths->pads.of[op->args[0]->id]) : op->code == OP_SPLAT;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

/* Finds a load of whole rows whose extent is a parameter and whose tile can be halved.  */
static bool find_row(RowLengths *row_lengths)
{
    FOR_OPS (op, row_lengths->grid->blocks[0]) {
        int64_t first;
        bool load = op->code == OP_LOAD && op->results[0]->type.cols >= 2 * LEAST_WIDTH;
        const Value *extent = load ? last_extent(op) : NULL;
        if (!extent || extent->def || extent->block || !ir_constant(op->args[op->nargs - 1], &first) || first)
            continue;
        row_lengths->width = op->results[0]->type.cols;
        row_lengths->pads.extent = extent;
        return true;
    }
    return false;
}

static bool is_one_row(const RowLengths *row_lengths)
{
    RowLengths *follower = (RowLengths *)row_lengths;
    FOR_OPS (op, row_lengths->grid->blocks[0])
        if (!follow(follower, op))
            return false;
    return true;
}

typedef struct {
    int from, to;
} Columns;

static void visit_width(Op *op, void *context)
{
    const Columns *columns = context;
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->type.kind == K_TILE && op->results[i]->type.cols == columns->from)
            op->results[i]->type.cols = columns->to;
}

static void make_forms(const RowLengths *row_lengths)
{
    int versions = 0;
    while (versions < MOST_FORMS && row_lengths->width >> (versions + 1) >= LEAST_WIDTH &&
           row_lengths->width % (2 << versions) == 0)
        versions++;
    for (int i = 1; i <= versions; i++) {
        Columns columns = {row_lengths->width, row_lengths->width >> i};
        Kernel *version = kernel_version(row_lengths->kernel, row_lengths->pads.extent,
                                         i < versions ? columns.to / 2 + 1 : 1, columns.to);
        ir_walk(version->body, visit_width, &columns);
    }
    if (versions)
        remark(row_lengths->kernel, DIAG_OPTIMIZED, row_lengths->kernel->loc,
               "short rows of up to %d columns have kernel versions of their own: tiles of %d columns would hold "
               "mostly elements beyond their end",
               row_lengths->width / 2, row_lengths->width);
}

void pass_row_lengths(Kernel *kernel)
{
    RowLengths row_lengths = {.kernel = kernel};
    if (kernel->module->target == TARGET_SEQUENTIAL || kernel->grid.totals || kernel->grid.extents)
        return;
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            row_lengths.grid = op;
    row_lengths.pads = pads_new(kernel);
    if (row_lengths.grid && find_row(&row_lengths) && is_one_row(&row_lengths))
        make_forms(&row_lengths);
}
