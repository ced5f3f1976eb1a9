/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread.c - long rows that several loops go over are read once: forms of the kernel in which the blocks of a cluster
 * share each row.
 *
 *   kernel norm                                       beside it, form norm: %N from 8193 to 16384
 *   grid i = 0, < %M, 4                               grid i = 0, < %M, 2
 *     s = for j = 0, < %N, 1024: s0 = zero              x, s = for b = 0, < 4, 1: none, zero blocks
 *       x = load t, i, j                                  x = load t, i, 4096 b
 *       yield add s0, row_sum x                           yield x, add s0, row_sum x, in pieces of 1024
 *     r = rsqrt s                                       r = rsqrt s
 *     for j = 0, < %N, 1024                             for b = 0, < 4, 1 blocks
 *       store y, i, j, mul (load t, i, j), r              store y, i, 4096 b, mul (tile_at x, b), r
 *
 * A row that no block's registers hold would come from memory twice.  Here each block of a cluster has a share of it,
 * many columns wide, which stays in its registers from one loop to the next; the loops are those over blocks, which
 * language/blocks.c lowers.  Tiles get fewer rows, since all threads of a block share each.
 *
 * A share is many iterations of the loop that the user wrote.  So what stands in the loops treats columns alike, and
 * what is carried along the loop is a sum, a largest or a smallest of what each iteration reduces.  Pieces of a share
 * are combined in the loop's order, where that can be seen (runtime/emulate/blocks.cuh).  Columns beyond the end of a
 * row reach no store, and change nothing where the row is reduced (pads.h).
 *
 * Tested, not proved (proof/freeze.c): tests/programs/long_rows.c runs rows of many lengths.
 */
#include "ir/affine.h"
#include "ir/queries.h"
#include "lower.h"
#include "machine/machine.h"
#include "machine/plan.h"
#include "rewrite/pads.h"
#include "rewrite/powers.h"
#include "rewrite/rows.h"

typedef struct {
    Kernel *kernel;
    Rows rows;
    Pads pads;
    Uses uses;
    const Op *loop;   /* that is looked at, NULL: what stands between them */
    const Value *row; /* the grid's variable that counts rows */
    int dim;          /* of the grid */
    int height;       /* of tiles: so many rows */
} Spread;

/* ---- may a tile have other rows and columns ---------------------------------------------------------------------- */

static bool is_row(const Spread *in, const Value *value)
{
    return affine_unconverted(value) == in->row;
}

static bool is_column(const Spread *in, const Value *value)
{
    return in->loop && affine_unconverted(value) == in->loop->blocks[0]->args[0];
}

/* One of the two counters, each element of a tile stands for another number of: it may only say where a tile lies.  */
static bool counts_elements(const Spread *in, const Value *value)
{
    return value->type.kind == K_SCALAR && (is_row(in, value) || is_column(in, value));
}

static bool has_shape(Type type, int rows, int cols)
{
    return type.rows == rows && type.cols == cols;
}

/* All coordinates of a window but those along its rows and columns are the same for all that the tile may be.  */
static bool is_window(const Spread *in, const Op *access, int row, int column, int count)
{
    if ((row && !is_row(in, access->args[row])) || (column && !is_column(in, access->args[column])))
        return false;
    for (int i = 1; i <= count; i++)
        if (i != row && i != column && counts_elements(in, access->args[i]))
            return false;
    return access->args[0]->def && access->args[0]->def->code == OP_TENSOR;
}

static bool follow_load(Spread *in, const Op *op)
{
    Type type = op->results[0]->type;
    int last = op->nargs - 1, step = (int)in->rows.step;
    bool ends = last_extent(op) == in->pads.extent;
    if (op->code == OP_LOAD_COL)
        return has_shape(type, in->height, 1) && is_window(in, op, last, 0, last);
    in->pads.of[op->results[0]->id] = ends ? pad_of_load(op) : any_pad;
    if (op->code == OP_LOAD_ROW)
        return in->loop && has_shape(type, 1, step) && is_window(in, op, 0, last, last);
    return op->code == OP_LOAD && in->loop && has_shape(type, in->height, step) &&
           is_window(in, op, last - 1, last, last);
}

/* Tiles of fewer rows end with the grid's last row.  So has the tensor to.  */
static bool ends_with_rows(const Spread *in, const Op *store, int row)
{
    const Op *tensor = store->args[0]->def;
    return tensor && tensor->code == OP_TENSOR &&
           affine_same(affine_extent(tensor->args[row]), in->rows.grid->args[3 * in->dim + 1]);
}

static bool follow_store(const Spread *in, const Op *op)
{
    Type type = op->args[op->nargs - 1]->type;
    int last = op->nargs - 2;
    if (op->code == OP_STORE_COL)
        return !in->loop && has_shape(type, in->height, 1) && is_window(in, op, last, 0, last) &&
               ends_with_rows(in, op, last);
    return op->code == OP_STORE && in->loop && has_shape(type, in->height, (int)in->rows.step) &&
           is_window(in, op, last - 1, last, last) && last_extent(op) == in->pads.extent &&
           ends_with_rows(in, op, last - 1);
}

/* A column's number counts from the loop's counter on: all its uses add that.  */
static bool follow_index(Spread *in, const Op *op)
{
    const Use *use = uses_of(&in->uses, op->results[0]);
    for (; use; use = use->next) {
        const Op *other = use->op->code == OP_ADD ? use->op->args[1 - use->arg]->def : NULL;
        if (!other || other->code != OP_SPLAT || !is_column(in, other->args[0]))
            return false;
    }
    return in->loop && op->results[0]->type.cols == in->rows.step;
}

static bool is_index(const Op *op)
{
    for (int i = 0; i < 2; i++)
        if (op->code == OP_ADD && op->args[i]->def && op->args[i]->def->code == OP_COL_INDEX)
            return true;
    return false;
}

/* The counter itself as a number of the tile: of the first of its columns.  */
static bool follow_splat(const Spread *in, const Op *op)
{
    if (!counts_elements(in, op->args[0]))
        return true;
    for (const Use *use = uses_of(&in->uses, op->results[0]); use; use = use->next)
        if (!is_index(use->op) || is_row(in, op->args[0]))
            return false;
    return true;
}

static bool reduces(const Op *op, const Op *join)
{
    return (op->code == OP_ROW_SUM && join->code == OP_ADD) || (op->code == OP_ROW_MAX && join->code == OP_MAX) ||
           (op->code == OP_ROW_MIN && join->code == OP_MIN);
}

/* The largest of a row, or the sum of its powers below that, where both are carried on: columns beyond the row's end
   are -infinity.  */
static bool is_of_powers(const Spread *in, const Op *op)
{
    Powers powers;
    for (int i = 0; i < carried_count(in->loop); i++)
        if (powers_of(&in->uses, in->loop, i, &powers) && (powers.row_sum == op || powers.row_max == op))
            return changes_nothing(powers.row_max, in->pads.of[powers.x->id]);
    return false;
}

/* Added to what the loop carries, and carried on; nothing else looks at either.  */
static bool follow_reduction(const Spread *in, const Op *op)
{
    const Use *use = uses_of(&in->uses, op->results[0]);
    if (in->loop && is_of_powers(in, op))
        return true;
    if (!in->loop || !use || use->next || !reduces(op, use->op) || op->results[0]->type.dtype != D_F32)
        return false;
    const Value *before = use->op->args[1 - use->arg];
    for (int i = 0; i < carried_count(in->loop); i++) {
        Carried names = carried(in->loop, i);
        if (names.argument == before && names.next == use->op->results[0])
            return used_once(&in->uses, before) && used_once(&in->uses, names.next) &&
                   changes_nothing(op, in->pads.of[op->args[0]->id]);
    }
    return false;
}

static bool follow_tile(Spread *in, const Op *op)
{
    Type type = op->results[0]->type;
    bool wide = in->loop && type.cols == in->rows.step;
    if ((type.rows != 1 && type.rows != in->height) || (type.cols != 1 && !wide))
        return false;
    switch (op->code) {
    case OP_FULL:
        in->pads.of[op->results[0]->id] = wide ? number_pad(op->tile->value) : (Pad){0};
        return true;
    case OP_SPLAT:
        return follow_splat(in, op);
    case OP_COL_INDEX:
        in->pads.of[op->results[0]->id] = any_pad;
        return follow_index(in, op);
    case OP_ROW_SUM:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
        return follow_reduction(in, op);
    default:
        break;
    }
    if (!op_is_elementwise(op) || !pads_follow(&in->pads, op))
        return false;
    if (is_index(op))
        in->pads.of[op->results[0]->id] = (Pad){true, PAD_INDEX, 0};
    return true;
}

static bool follow_scalar(const Spread *in, const Op *op)
{
    for (int i = 0; i < op->nargs && op->code != OP_CONVI; i++)
        if (counts_elements(in, op->args[i]))
            return false;
    return true;
}

static bool follow(Spread *in, const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
    case CLASS_TENSOR:
    case CLASS_READ:
        return follow_scalar(in, op);
    case CLASS_LOAD:
        return follow_load(in, op);
    case CLASS_STORE:
        return follow_store(in, op);
    case CLASS_TILE:
        return follow_tile(in, op);
    default:
        return op->code == OP_YIELD;
    }
}

static bool follow_body(Spread *in)
{
    FOR_OPS (op, in->loop->blocks[0])
        if (!follow(in, op))
            return false;
    return true;
}

static bool follow_all(Spread *in)
{
    FOR_OPS (op, in->rows.grid->blocks[0]) {
        in->loop = op->nblocks ? op : NULL;
        if (in->loop ? !follow_body(in) : !follow(in, op))
            return false;
    }
    return true;
}

/* What a loop carries is of the tile's rows, and reduced.  */
static bool carries_reductions(const Spread *in)
{
    for (int i = 0; i < in->rows.nloops; i++)
        for (int k = 0; k < carried_count(in->rows.loops[i]); k++) {
            Carried names = carried(in->rows.loops[i], k);
            Powers powers;
            if (has_shape(names.result->type, in->height, 1) && powers_of(&in->uses, in->rows.loops[i], k, &powers))
                continue;
            const Op *join = names.next->def;
            bool one = join && (join->code == OP_ADD || join->code == OP_MAX || join->code == OP_MIN);
            if (!one || !has_shape(names.result->type, in->height, 1) ||
                (join->args[0] != names.argument && join->args[1] != names.argument))
                return false;
            const Op *part = join->args[join->args[0] == names.argument]->def;
            if (!part || !reduces(part, join))
                return false;
        }
    return true;
}

static bool find_row_counter(Spread *in)
{
    const Op *load = in->rows.kept[0], *grid = in->rows.grid;
    int64_t step;
    in->height = load->results[0]->type.rows;
    in->row = affine_unconverted(load->args[load->nargs - 2]);
    in->dim = grid_variable(in->row);
    return in->dim >= 0 && grid->nargs / 3 < 4 && ir_constant(grid->args[3 * in->dim + 2], &step) &&
           step == in->height && in->rows.step > 1 && in->height != in->rows.step;
}

static bool may_spread(Kernel *kernel, Spread *in)
{
    *in = (Spread){.kernel = kernel};
    if (!find_rows(kernel, &in->rows) || !find_row_counter(in))
        return false;
    in->pads = pads_new(kernel);
    in->pads.extent = in->rows.extent;
    in->uses = uses_new(kernel, kernel->body);
    return carries_reductions(in) && follow_all(in);
}

/* ---- the form ---------------------------------------------------------------------------------------------------- */

/* So many rows of a tile, of so many columns, and blocks that have one of each row.  */
typedef struct {
    int rows, columns, blocks;
} Share;

typedef struct {
    const Spread *in;
    Share share;
} Shapes;

static void reshape(const Shapes *shapes, Type *type)
{
    if (type->kind != K_TILE)
        return;
    type->rows = type->rows == shapes->in->height ? shapes->share.rows : type->rows;
    type->cols = type->cols == shapes->in->rows.step ? shapes->share.columns : type->cols;
}

static void visit_shapes(Op *op, void *context)
{
    for (int i = 0; i < op->nresults; i++)
        reshape(context, &op->results[i]->type);
    for (int i = 0; i < op->nblocks; i++)
        for (int k = 0; k < op->blocks[i]->nargs; k++)
            reshape(context, &op->blocks[i]->args[k]->type);
}

/* The first loop that loads a kept tile leaves it in an array.  */
static Value *leave(Kernel *kernel, Op *loop, Op *load)
{
    Value *tile = load->results[0];
    Op *none = op_new(kernel, OP_FULL, loop->loc, 0, NULL);
    op_before(loop, none);
    op_add_arg(kernel, loop, op_result(kernel, none, tile->type, NULL));
    block_arg(kernel, loop->blocks[0], tile->type, NULL, loop->loc);
    op_add_arg(kernel, block_end(loop->blocks[0]), tile);
    return op_result(kernel, loop, tile->type, tile->name);
}

static void take(Kernel *kernel, Op *loop, Op *load, Value *array)
{
    Value *args[] = {array, loop->blocks[0]->args[0]};
    Op *at = op_new(kernel, OP_TILE_AT, load->loc, 2, args);
    op_before(load, at);
    ir_replace_uses(loop->blocks[0], load->results[0], op_result(kernel, at, load->results[0]->type, NULL));
    op_remove(load);
}

static void keep_in_arrays(const Rows *in, Op *loop, Value **arrays)
{
    Op *left[MOST_KEPT] = {NULL};
    FOR_OPS (op, loop->blocks[0]) {
        int kept = moves_with(op, loop) ? kept_as(in, op) : -1;
        if (kept < 0)
            continue;
        if (arrays[kept]) {
            take(in->kernel, loop, op, arrays[kept]);
        } else if (left[kept]) {
            ir_replace_uses(loop->blocks[0], op->results[0], left[kept]->results[0]);
            op_remove(op);
        } else {
            left[kept] = op;
        }
    }
    for (int i = 0; i < in->nkept; i++)
        if (left[i])
            arrays[i] = leave(in->kernel, loop, left[i]);
}

static void count_blocks(Kernel *kernel, Op *loop, Share share)
{
    Block *body = loop->blocks[0];
    Value *counter = body->args[0];
    const int64_t range[] = {0, share.blocks, 1};
    for (int i = 0; i < 3; i++)
        loop->args[i] = ir_const_before(kernel, loop, counter->type.dtype, range[i]);
    Op *begin = body->first;
    Value *columns = ir_const_before(kernel, begin, counter->type.dtype, share.columns);
    Value *first = ir_binary_before(kernel, begin, OP_MULI, counter, columns);
    ir_replace_uses(body, counter, first);
    first->def->args[0] = counter;
    FOR_OPS (op, body)
        if (op->code == OP_TILE_AT)
            op->args[1] = counter;
    loop->control->pipeline->blocks = true;
}

static void spread(Kernel *form, Share share)
{
    Spread in;
    if (!may_spread(form, &in)) {
        BUG(form, "the form's loops are not those of its kernel");
        return;
    }
    Op *grid = in.rows.grid;
    Shapes shapes = {&in, share};
    Value *arrays[MOST_KEPT] = {NULL};
    for (int i = 0; i < in.rows.nloops; i++)
        keep_in_arrays(&in.rows, in.rows.loops[i], arrays);
    for (int i = 0; i < in.rows.nloops; i++)
        count_blocks(form, in.rows.loops[i], share);
    ir_walk(grid->blocks[0], visit_shapes, &shapes);
    Value **step = &grid->args[3 * in.dim + 2];
    *step = ir_const_before(form, grid, (*step)->type.dtype, share.rows);
    blocks_of_pieces(form, (int)in.rows.step);
    if (!form->failed)
        pass_simplify(form);
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

/* A row that all threads of a group share has 16 columns for each at least (layout.c); shorter ones are left to kept.c.
   Beside what waits in NEXT registers as many more hold the next tile's (ahead.c).  */
enum { LEAST_COLUMNS = 16 * MACHINE_GROUP_THREADS, NEXT = 32 };

/* What is kept, and what one loop loads beside it for all rows.  */
enum { MOST_REGISTERS = 176 };

static int registers_of(const Spread *in, Share share)
{
    Shapes shapes = {in, share};
    int registers = 0;
    for (int i = 0; i < in->rows.nkept; i++) {
        Type type = in->rows.kept[i]->results[0]->type;
        reshape(&shapes, &type);
        registers += machine_tile_registers(type, LAYOUT_WIDE);
    }
    return registers;
}

/* Of rows that all tiles have in common, scales above all, that one loop loads.  */
static int registers_beside(const Spread *in, Share share)
{
    Shapes shapes = {in, share};
    int most = 0;
    for (int i = 0; i < in->rows.nloops; i++) {
        int registers = 0;
        FOR_OPS (op, in->rows.loops[i]->blocks[0]) {
            Type type = op->code == OP_LOAD_ROW ? op->results[0]->type : (Type){0};
            reshape(&shapes, &type);
            registers += type.kind == K_TILE ? machine_tile_registers(type, LAYOUT_WIDE) : 0;
        }
        most = registers > most ? registers : most;
    }
    return most;
}

/* In registers, or in shared memory (machine/ahead.c).  */
static bool has_room(const Spread *in, Share share)
{
    int beside = registers_beside(in, share);
    return registers_of(in, share) + beside <= MOST_REGISTERS || beside * 4 * MACHINE_GROUP_THREADS <= AHEAD_MOST_KEPT;
}

/* The widest that fits.  */
static Share share_of(const Spread *in, int rows, int registers, int blocks)
{
    Share share = {rows < in->height ? rows : in->height, (int)in->rows.step, blocks};
    while (share.columns < 1 << 20) {
        Share twice = {share.rows, 2 * share.columns, blocks};
        if (registers_of(in, twice) > registers)
            break;
        share = twice;
    }
    return share;
}

/* Rows that one block has need no cluster: on an H200, softmax, LayerNorm and RMSNorm of rows of 4096 f16 have 0.90,
   0.90 and 0.91 of a copy in blocks of 256 threads, 0.84, 0.76 and 0.77 in two blocks or as kept.c has them; of 8192
   0.93, 0.94 and 0.94 in blocks of 512, 0.72, 0.80 and 0.90 in two.
   Few blocks wait for each other less than many, and few threads have less to do beside their columns.  On an H200,
   LayerNorm of rows of 16384 f16 has 0.94 of a copy in 2 blocks of 1 x 8192 whose scales stay in shared memory, 0.75 in
   4 of 2 x 4096 or of 1 x 4096, RMSNorm 0.94, 0.89 and 0.93.  Of 131072 LayerNorm has 0.84 in 8 of 1 x 16384 and 0.78
   in 16 of 1 x 8192, softmax 0.91 and 0.86.  */
typedef struct {
    int rows, registers, blocks;
} Try;
static const Try tried[] = {{1, NEXT / 2, 1}, {1, NEXT, 1},     {1, NEXT, 2},     {1, NEXT, 4},
                            {1, NEXT, 8},     {1, 2 * NEXT, 8}, {1, 2 * NEXT, 16}};

static void make_forms(const Spread *in)
{
    int64_t first = (in->rows.step > LEAST_COLUMNS ? in->rows.step : LEAST_COLUMNS) + 1, least = first, most = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        Share share = share_of(in, tried[i].rows, tried[i].registers, tried[i].blocks);
        int64_t columns = (int64_t)share.columns * share.blocks;
        if (in->height % share.rows || share.columns < LEAST_COLUMNS || columns < least ||
            share.blocks > in->kernel->machine->most_cluster_blocks || !has_room(in, share))
            continue;
        most = columns;
        spread(kernel_form(in->kernel, in->rows.extent, least, most), share);
        least = most + 1;
    }
    if (most)
        remark(
            in->kernel, DIAG_OPTIMIZED, in->rows.loops[0]->control->pipeline->loc,
            "where '%s' is from %lld to %lld, a block has whole rows, or the blocks of a cluster share each, and keep "
            "in registers what %d loops read: it is read once",
            in->rows.extent->name ? in->rows.extent->name : "the bound", (long long)first, (long long)most,
            in->rows.nloops);
}

/* require: one GRID.   ensure: the same program; forms of it where several loops load rows too long for one block.  */
void pass_spread(Kernel *kernel)
{
    Spread in;
    const Grid *grid = &kernel->grid;
    bool open = kernel->module->target != TARGET_SEQUENTIAL && !kernel->form.of && !grid->totals && !grid->extents &&
                !grid->from && !grid->consumers && !grid->parts && !kernel->tasks && !kernel->shares &&
                grid->cluster[0] <= 1 && grid->cluster[1] <= 1;
    if (open && may_spread(kernel, &in))
        make_forms(&in);
}
