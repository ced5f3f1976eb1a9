/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * skip-oob.c - skips out-of-bounds rows of loads if the rows cannot influence a store.
 *
 *      c = ws_tensor_2d (C, M, N)               a tile of a has rows i to i + 127; those from M on are 0
 *      for (k = 0; k < K; k += 64)
 *        acc = ws_dot (ws_load (a, i, k, 128, 64), ..., acc);     they make rows of acc,
 *      ws_store (c, i, j, acc);                                   which the store leaves out: c has M rows as well
 *
 * Out-of-bounds rows of a tensor read as 0. TMA takes longer for such a row than for one that it copies (measured in
 * bench/notes/edges.md). If no store keeps a value that they influence, these rows may hold anything, and the copy
 * skips them.
 *
 * The tile may be stored into a slice that is as long as the grid's step. Then rows beyond the step are dead, too:
 *
 *      for (j = 0; j < N; j += width)           a tile of b has rows j to j + 255; those from j + width on are the next
 *                                               one's
 *          ws_store (ws_slice (c, 1, 0, j + width), i, j, acc);
 *
 * The end of the slice may also be a number that differs from tile to tile. Then the product gets an operand, the
 * number of its columns that are live:
 *
 *      acc = ws_dot (a, ws_trans (b), acc)      %width = scalar_sub %end, %j   and   dot %a, %t, %acc, %width
 *
 * The analysis follows the rows of a load. They are rows of other tiles, or columns if a tile is transposed or is the
 * right operand of a product. Each operation must keep them apart: a reduction over them, a product over them or a
 * print ends the search. A store must begin at the load's own row, and its tensor must have no more rows than the
 * load's. The analysis follows rows through carried values only if the load's row is the same in all iterations.
 */
#include "ir/affine.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "language/padding.h"
#include "optimize/skip-oob.h"
#include "passes.h"
#include "rules.h"
#include "target/machine.h"
#include "target/operands.h"

enum { LEVELS = 6 }; /* depth of an expression that is moved before the loop */

typedef enum { AXIS_ROWS, AXIS_COLS, AXES } Axis;

/* Row r of the load is at r - scale * part along an axis of a value. part NULL: 0.  */
typedef struct {
    const Value *part;
    int64_t scale;
} First;

typedef struct {
    bool seen;
    First first;
} Place;

typedef enum { BEYOND_TENSOR, BEYOND_STEP, BEYOND_END } Beyond;

typedef struct {
    const Op *load;
    Beyond beyond;     /* BEYOND_TENSOR: rows outside the tensor */
    const Value *step; /* BEYOND_STEP: rows from this step on */
    Value *end;        /* BEYOND_END: rows from the end of the slices that are stored to; NULL: no store yet */
    const Uses *uses;
    Place *places; /* by value id and axis */
} Search;

/* ---- positions --------------------------------------------------------------------------------------------------- */

/* True if value = base + first.scale * first.part.  */
static bool is_place(const Value *value, const Value *base, First first)
{
    int64_t number;
    Affine rest = affine_add(affine_of(value), affine_of(base), -1);
    if (first.part)
        rest = affine_add(rest, affine_of(first.part), -first.scale);
    return affine_is_constant(&rest, &number) && !number;
}

/* True if end = first + away.  */
static bool is_behind(const Value *end, const Value *first, const Value *away)
{
    return is_place(end, first, (First){away, 1});
}

/* True for NULL, for a constant, and for a value from outside the loop or branch.  */
static bool is_outside(const Value *value, const Op *loop)
{
    int64_t number;
    return !value || ir_constant(value, &number) || ir_outside(affine_unconverted(value), loop);
}

/* ---- propagation of rows ----------------------------------------------------------------------------------------- */

static bool follow(Search *ctx, const Value *value, Axis axis, First first);

static Value *row_of(const Op *load)
{
    return load->args[load->nargs - 2];
}

static const Value *rows_of(const Op *load)
{
    const Op *tensor = load->args[0]->def;
    return tensor->args[load->nargs - 2];
}

static bool is_zero(const Value *value)
{
    int64_t number;
    return ir_constant(value, &number) && !number;
}

/* The extent of a tensor, or of a slice from index 0 on. NULL: the slice changes this dimension.  */
static const Value *extent_of(const Value *tensor, int dimension)
{
    while (tensor->def && tensor->def->code == OP_SLICE &&
           (tensor->def->tensor->dimension != dimension || is_zero(tensor->def->args[1])))
        tensor = tensor->def->args[0];
    return tensor->def && tensor->def->code == OP_TENSOR ? tensor->def->args[1 + dimension] : NULL;
}

/* True if the tensor ends at base + step.  */
static bool ends_behind(const Value *tensor, int dimension, const Value *base, const Value *step)
{
    for (; tensor->def && tensor->def->code == OP_SLICE; tensor = tensor->def->args[0]) {
        if (tensor->def->tensor->dimension != dimension)
            continue;
        if (!is_zero(tensor->def->args[1]))
            return false;
        if (is_behind(tensor->def->args[2], base, step))
            return true;
    }
    return false;
}

/* True if the tensor ends where all tensors of earlier stores end.  */
static bool ends_equal(Search *ctx, const Value *tensor, int dimension)
{
    const Op *slice = tensor->def;
    while (slice && slice->code == OP_SLICE && slice->tensor->dimension != dimension)
        slice = slice->args[0]->def;
    if (!slice || slice->code != OP_SLICE || !is_zero(slice->args[1]))
        return false;
    ctx->end = ctx->end ? ctx->end : slice->args[2];
    return affine_same(ctx->end, slice->args[2]);
}

/* True if the store writes none of the rows that the search looks for.  */
static bool is_left_out(Search *ctx, const Op *store, Axis axis, First first)
{
    bool column = store->code == OP_STORE_COL, row = store->code == OP_STORE_ROW;
    if ((column && axis == AXIS_COLS) || (row && axis == AXIS_ROWS))
        return false;
    int rank = store->nargs - 2, dimension = rank - (column || row || axis == AXIS_COLS ? 1 : 2);
    const Value *at = store->args[1 + dimension], *extent = extent_of(store->args[0], dimension);
    const Value *base = row_of(ctx->load);
    if (!is_place(at, base, first))
        return false;
    switch (ctx->beyond) {
    case BEYOND_STEP:
        return ends_behind(store->args[0], dimension, base, ctx->step);
    case BEYOND_END:
        return ends_equal(ctx, store->args[0], dimension);
    default:
        return extent && affine_same(extent, rows_of(ctx->load));
    }
}

/* The axis of the result, or AXES if the operation mixes the rows.  */
static Axis axis_behind(const Op *op, int arg, Axis axis)
{
    const Type type = op->args[arg]->type, result = op->results[0]->type;
    if (op_is_elementwise(op))
        return axis == AXIS_ROWS ? (type.rows == result.rows ? axis : AXES) : type.cols == result.cols ? axis : AXES;
    switch (op_info[op->code].rule) {
    case R_TRANS:
        return axis == AXIS_ROWS ? AXIS_COLS : AXIS_ROWS;
    case R_DOT:
    case R_DOT_F32:
        return arg == 2 || (arg == 0) == (axis == AXIS_ROWS) ? axis : AXES;
    case R_ROW:
    case R_ARGMAX:
        return axis == AXIS_ROWS ? axis : AXES;
    case R_COL:
        return axis == AXIS_COLS ? axis : AXES;
    default:
        return op->code == OP_COLUMNS || op->code == OP_SUM_PARTS || op->code == OP_ROW_TOTAL ? axis : AXES;
    }
}

/* The position of the result's first column among the operand's columns.  */
static First first_of(const Op *op)
{
    if (op->code == OP_COLUMNS)
        return (First){op->args[1], 1};
    const Op *grid = ir_enclosing(op, OP_GRID);
    return (First){grid->blocks[0]->args[grid->nargs / 3 - 1], op->results[0]->type.cols};
}

static bool follow_result(Search *ctx, const Op *op, int arg, Axis axis, First first)
{
    Axis behind = axis_behind(op, arg, axis);
    bool cut = axis == AXIS_COLS && (op->code == OP_COLUMNS || op->code == OP_SUM_PARTS);
    if (behind == AXES || (cut && first.part))
        return false;
    return follow(ctx, op->results[0], behind, cut ? first_of(op) : first);
}

/* Follows all names of a value that a loop carries.  */
static bool follow_carried(Search *ctx, const Op *loop, const Value *value, Axis axis, First first)
{
    bool fixed = is_outside(row_of(ctx->load), loop) && is_outside(first.part, loop);
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        if (names.init != value && names.next != value && names.exit != value)
            continue;
        if (!fixed || !follow(ctx, names.argument, axis, first) || !follow(ctx, names.result, axis, first) ||
            (names.body_argument && !follow(ctx, names.body_argument, axis, first)))
            return false;
    }
    return true;
}

static bool follow_arm(Search *ctx, const Op *yield, int arg, Axis axis, First first)
{
    const Op *branch = yield->parent->parent;
    return is_outside(row_of(ctx->load), branch) && is_outside(first.part, branch) &&
           follow(ctx, branch->results[arg], axis, first);
}

static bool follow_use(Search *ctx, const Use *use, const Value *value, Axis axis, First first)
{
    const Op *op = use->op;
    switch (op->code) {
    case OP_STORE:
    case OP_STORE_ROW:
    case OP_STORE_COL:
    case OP_ATOMIC_ADD:
        return is_left_out(ctx, op, axis, first);
    case OP_FOR:
    case OP_WHILE:
        return follow_carried(ctx, op, value, axis, first);
    case OP_YIELD:
    case OP_COND:
        if (!op->parent->parent || op->parent->parent->code == OP_GRID)
            return false;
        return op->parent->parent->code == OP_IF ? follow_arm(ctx, op, use->arg, axis, first)
                                                 : follow_carried(ctx, op->parent->parent, value, axis, first);
    default:
        return op_info[op->code].class_ == CLASS_TILE && op->nresults == 1 &&
               follow_result(ctx, op, use->arg, axis, first);
    }
}

static bool follow(Search *ctx, const Value *value, Axis axis, First first)
{
    Place *place = &ctx->places[value->id * AXES + (int)axis];
    if (place->seen)
        return place->first.part == first.part && place->first.scale == first.scale;
    *place = (Place){true, first};
    for (const Use *use = uses_of(ctx->uses, value); use; use = use->next)
        if (!follow_use(ctx, use, value, axis, first))
            return false;
    return true;
}

static Search search_new(Kernel *kernel, const Uses *uses, const Op *load, Beyond beyond)
{
    size_t places = (size_t)kernel->module->next_id * AXES;
    return (Search){
        .load = load, .beyond = beyond, .uses = uses, .places = arena_alloc(kernel->module, places * sizeof(Place))};
}

static bool reach_nothing(Kernel *kernel, const Uses *uses, const Op *load, const Value *step)
{
    const Op *tensor = load->args[0]->def;
    if (load->code != OP_LOAD || load->transfer->fill != 0 || !tensor || tensor->code != OP_TENSOR)
        return false;
    Search ctx = search_new(kernel, uses, load, step ? BEYOND_STEP : BEYOND_TENSOR);
    ctx.step = step;
    return follow(&ctx, load->results[0], AXIS_ROWS, (First){NULL, 0});
}

bool rows_stay_apart(Kernel *kernel, const Uses *uses, const Op *load)
{
    return reach_nothing(kernel, uses, load, NULL);
}

int rows_in_step(Kernel *kernel, const Uses *uses, const Op *load)
{
    const Op *grid = ir_enclosing(load, OP_GRID);
    if (load->code != OP_LOAD || load->nargs < 3 || !grid)
        return 0;
    int i = grid_variable(affine_unconverted(row_of(load)));
    return i >= 0 && is_zero(grid->args[3 * i]) && reach_nothing(kernel, uses, load, grid->args[3 * i + 2]) ? 1 + i : 0;
}

/* ---- live columns of a product ----------------------------------------------------------------------------------- */

/* The load whose rows are the columns of a wgmma product, or NULL.  */
static const Op *load_of_columns(const Op *dot)
{
    const Op *trans = op_is_dot(dot) ? dot->args[1]->def : NULL;
    const Op *load = trans && trans->nargs ? trans->args[0]->def : NULL;
    return load && trans->code == OP_TRANS && load->code == OP_LOAD ? load : NULL;
}

/* The common end of the slices that store the product's columns, or NULL.  */
static Value *end_of_columns(Kernel *kernel, const Uses *uses, const Op *dot)
{
    const Op *load = load_of_columns(dot);
    if (!load)
        return NULL;
    Search ctx = search_new(kernel, uses, load, BEYOND_END);
    return follow(&ctx, dot->results[0], AXIS_COLS, (First){NULL, 0}) ? ctx.end : NULL;
}

/* The other summand if `end` is a sum with `first`, or NULL.  */
static Value *distance(const Value *end, const Value *first)
{
    const Op *sum = affine_unconverted(end)->def;
    if (!sum || sum->code != OP_SCALAR_ADD)
        return NULL;
    return affine_same(sum->args[0], first) ? sum->args[1] : affine_same(sum->args[1], first) ? sum->args[0] : NULL;
}

/* True if `width` is the distance from the load's first row to `end`, or the minimum of it and the product's
   columns.  */
static bool is_width(const Value *width, const Value *end, const Op *dot)
{
    const Value *first = row_of(load_of_columns(dot)), *away = distance(end, first);
    const Op *least = width->def;
    int64_t most;
    if (away && affine_same(width, away))
        return true;
    return least && least->code == OP_SCALAR_MIN && ir_constant(least->args[1], &most) &&
           most == dot->results[0]->type.cols && is_behind(end, first, least->args[0]);
}

bool columns_reach_nothing(Kernel *kernel, const Uses *uses, const Op *dot)
{
    const Value *end = dot->nargs > 3 ? end_of_columns(kernel, uses, dot) : NULL;
    return end && is_width(dot->args[3], end, dot);
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    Uses uses;
} Marker;

static void visit_load(Op *op, void *context)
{
    Marker *marker = context;
    if (op->code != OP_LOAD)
        return;
    op->transfer->skip_oob = may_be_ragged(op, op->nargs - 3, op->results[0]->type.rows) &&
                             rows_stay_apart(marker->kernel, &marker->uses, op);
    if (op->transfer->skip_oob && op->results[0]->type.rows <= marker->kernel->machine->box_rows)
        op->transfer->skip_step = rows_in_step(marker->kernel, &marker->uses, op);
}

static bool is_same(const Op *op, const void *other)
{
    return op == other;
}

static bool is_before(const Value *value, const Op *op)
{
    if (!value->def)
        return !value->block || ir_inside(op, value->block);
    if (!ir_inside(op, value->def->parent))
        return false;
    const Op *next = value->def->next;
    while (next && next != op && !ir_any(next, is_same, op))
        next = next->next;
    return next;
}

/* True if the value can be computed before `op` from available scalars.  */
static bool can_be_before(const Value *value, const Op *op, int levels)
{
    const Op *def = value->def;
    if (is_before(value, op))
        return true;
    bool can = def && levels && op_info[def->code].class_ == CLASS_SCALAR && !def->nblocks && def->nresults == 1;
    for (int i = 0; can && i < def->nargs; i++)
        can = can_be_before(def->args[i], op, levels - 1);
    return can;
}

static Value *copy_before(Kernel *kernel, Value *value, Op *op)
{
    if (is_before(value, op))
        return value;
    ValueMap map = value_map_new(kernel);
    for (int i = 0; i < value->def->nargs; i++)
        value_map_set(kernel, &map, value->def->args[i], copy_before(kernel, value->def->args[i], op));
    op_before(op, op_clone(kernel, value->def, &map));
    return value_map_get(&map, value);
}

/* The number of live columns of the product, as a scalar before the loop.  */
static Value *width_before(Kernel *kernel, Op *loop, Value *end, const Op *dot)
{
    Value *first = row_of(load_of_columns(dot)), *away = distance(end, first);
    if (away)
        return copy_before(kernel, away, loop);
    Value *last = ir_convert_before(kernel, loop, copy_before(kernel, end, loop), D_I64);
    Value *difference =
        ir_binary_before(kernel, loop, OP_SCALAR_SUB, last, ir_convert_before(kernel, loop, first, D_I64));
    Value *most = ir_const_before(kernel, loop, D_I64, dot->results[0]->type.cols);
    Value *seen = ir_binary_before(kernel, loop, OP_SCALAR_MIN, difference, most);
    seen->name = "seen";
    return seen;
}

/* Adds the operand to products whose slices end at a different column in each tile.  */
static void visit_dot(Op *op, void *context)
{
    Marker *marker = context;
    const Op *load = load_of_columns(op);
    Op *loop = load && !load->transfer->skip_step ? loop_around(op->parent) : NULL;
    int64_t number;
    if (!loop || loop->code != OP_FOR)
        return;
    Value *end = end_of_columns(marker->kernel, &marker->uses, op);
    if (!end || ir_constant(end, &number) || ir_outside(end, ir_enclosing(op, OP_GRID)) ||
        !is_before(row_of(load), loop) || !can_be_before(end, loop, LEVELS))
        return;
    op_add_arg(marker->kernel, op, width_before(marker->kernel, loop, end, op));
}

void pass_skip_oob(Kernel *kernel)
{
    Marker marker = {kernel, uses_new(kernel, kernel->body)};
    ir_walk(kernel->body, visit_load, &marker);
    ir_walk(kernel->body, visit_dot, &marker);
}
