/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mistakes.c - warnings of valid programs that are most likely mistakes.
 *
 *   -Wws-loop-step       for (k = 0; k < K; k += 64) acc = dot (load (a, i, k, 64, 32), ...)    half of K is left out
 *                        for (i = 0; i < M; i += 32) store (c, i, j, x) of 64 rows      iterations store the same rows
 *   -Wws-extent-order    load (a, i, k, ...) of a tensor of K x M, with i < M and k < K
 *   -Wws-single-element  a grid that computes, loads and stores single elements: a block of threads for each
 *
 * The pass checks simple accesses only: coordinates that are a loop's variable plus a constant, of tensors that are no
 * slices. It also emits a remark that ws_dot rounds F32 operands.
 */
#include "ir/affine.h"
#include "ir/alias.h"
#include "ir/queries.h"
#include "passes.h"

enum { DEEP = 12 };

/* ---- coordinates and loops --------------------------------------------------------------------------------------- */

/* A coordinate counter + offset, where `loop` counts from `low` below `high` by a constant step.  */
typedef struct {
    const Value *counter;
    int64_t offset, step;
    const Op *loop;
    const Value *low, *high;
} Place;

static bool find_place(const Value *value, Place *place)
{
    Affine sum = affine_of(value);
    if (!sum.known || sum.count != 1 || sum.terms[0].factor != 1)
        return false;
    value = sum.terms[0].value;
    place->offset = sum.low;
    const Op *loop = place->loop = value->block ? value->block->parent : NULL;
    if (!loop ||
        (loop->code != OP_GRID && (loop->code != OP_FOR || value->index || loop->control->compare != OP_SCALAR_LT)))
        return false;
    Value **range = loop->args + (loop->code == OP_GRID ? 3 * value->index : 0);
    place->counter = value;
    place->low = range[0];
    place->high = range[1];
    return ir_constant(range[2], &place->step) && place->step > 0;
}

/* True if the loop starts at 0 and may run more than once.  */
static bool counts_from_0(const Place *place)
{
    int64_t low, high;
    return ir_constant(place->low, &low) && low == 0 && !(ir_constant(place->high, &high) && high <= place->step);
}

static bool runs_once(const Place *place)
{
    int64_t low, high;
    return ir_constant(place->low, &low) && ir_constant(place->high, &high) && high - low <= place->step;
}

static bool depends_on(const Value *value, const Value *counter, int depth)
{
    if (value == counter || !depth)
        return true;
    const Op *op = value->def ? value->def : value->block ? value->block->parent : NULL;
    bool found = false;
    for (int i = 0; op && i < op->nargs && !found; i++)
        found = depends_on(op->args[i], counter, depth - 1);
    return found || (value->def && value->def->nblocks); /* results of an `if` or a loop may depend on anything */
}

/* ---- windows of memory ------------------------------------------------------------------------------------------- */

static bool is_load(const Op *op)
{
    return op_info[op->code].class_ == CLASS_LOAD;
}

static bool is_store(const Op *op)
{
    return op_info[op->code].class_ == CLASS_STORE && !op_prints(op) && !op_scatters(op);
}

static int rank_of(const Op *op)
{
    return op->nargs - 1 - is_store(op);
}

static Type tile_of(const Op *op)
{
    return is_load(op) ? op->results[0]->type : op->args[op->nargs - 1]->type;
}

/* Returns the number of elements that the op reads or writes in a dimension.  */
static int extent_of(const Op *op, int dim)
{
    Type tile = tile_of(op);
    bool matrix = op->code == OP_LOAD || op->code == OP_STORE || op->code == OP_ATOMIC_ADD;
    int rank = rank_of(op);
    if (dim == rank - 1)
        return matrix ? tile.cols : tile.rows * tile.cols;
    return matrix && dim == rank - 2 ? tile.rows : 1;
}

typedef struct {
    const Op *op; /* the access; other accesses of its kind to the same tensor count, too */
    int dim;
    const Place *place;
    int64_t at, reached; /* offsets within a step: the accesses cover all elements below `reached` */
    bool unclear;        /* an access has another form */
} Cover;

static void visit_window(Op *op, void *context)
{
    Cover *cover = context;
    Place place;
    if (is_load(op) != is_load(cover->op) || (!is_load(op) && !is_store(op)) ||
        tensor_memory(op->args[0]) != tensor_memory(cover->op->args[0]))
        return;
    if (op->args[0] != cover->op->args[0] || !find_place(op->args[1 + cover->dim], &place) ||
        place.counter != cover->place->counter) {
        cover->unclear = true;
        return;
    }
    int64_t step = place.step, into = ((cover->at - place.offset) % step + step) % step;
    int64_t reached = cover->at + extent_of(op, cover->dim) - into;
    if (reached > cover->reached)
        cover->reached = reached;
}

/* True if the loop leaves out elements: all accesses like this one together do not cover a step.  */
static bool leaves_gaps(const Op *op, int dim, const Place *place)
{
    Cover cover = {op, dim, place, 0, 0, false};
    if (extent_of(op, dim) >= place->step || extent_of(op, dim) == 1 || op->args[0]->def->code != OP_TENSOR ||
        !counts_from_0(place))
        return false;
    do {
        cover.at = cover.reached;
        ir_walk(place->loop->blocks[0], visit_window, &cover);
    } while (!cover.unclear && cover.reached > cover.at && cover.reached < place->step);
    return !cover.unclear && cover.reached < place->step;
}

/* ---- -Wws-loop-step ---------------------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const Value *told; /* the counter of the last warning */
    bool rounds, single, larger;
    Loc loc;
} Mistakes;

static const char *name_of(const Place *place)
{
    return place->counter->name ? place->counter->name : "counter";
}

static void warn_step(Mistakes *mistakes, const Op *op, const Place *place, int extent, const char *what)
{
    if (mistakes->told == place->counter)
        return;
    mistakes->told = place->counter;
    warn(mistakes->kernel, op->loc, "'%s' moves on by %lld and the tile covers %d: %s [-Wws-loop-step]", name_of(place),
         (long long)place->step, extent, what);
    remark(mistakes->kernel, DIAG_NOTE, place->loop->loc, "the loop's step is usually the tile's extent");
}

/* Returns the load of an operand of a product, and the dimension of its tensor along which the product sums.  */
static const Op *summed_load(const Value *operand, bool along_cols, int *dim)
{
    const Op *op = operand->def;
    for (; op && (op->code == OP_TRANS || op->code == OP_CAST); op = op->args[0]->def)
        along_cols ^= op->code == OP_TRANS;
    if (!op || op->code != OP_LOAD || op->args[0]->def->code != OP_TENSOR)
        return NULL;
    *dim = rank_of(op) - 1 - !along_cols;
    return op;
}

static void check_product(Mistakes *mistakes, const Op *dot)
{
    int x_dim, y_dim;
    const Op *x = summed_load(dot->args[0], true, &x_dim), *y = summed_load(dot->args[1], false, &y_dim);
    Place a, b;
    if (!x || !y || !find_place(x->args[1 + x_dim], &a) || !find_place(y->args[1 + y_dim], &b) ||
        a.counter != b.counter || a.loop->code != OP_FOR || !ir_inside(dot, a.loop->blocks[0]) || runs_once(&a))
        return;
    int extent = extent_of(x, x_dim);
    if (a.step < extent)
        warn_step(mistakes, x, &a, extent, "the product adds elements twice");
    else if (leaves_gaps(x, x_dim, &a) && leaves_gaps(y, y_dim, &b))
        warn_step(mistakes, x, &a, extent, "the product leaves out the others");
}

/* Checks a reduction along the dimension that a loop walks over and sums up.  */
static void check_reduction(Mistakes *mistakes, const Op *op, bool by_rows)
{
    const Op *load = op->args[0]->def;
    Place place;
    while (load && load->code == OP_CAST)
        load = load->args[0]->def;
    if (!load || load->code != OP_LOAD)
        return;
    int dim = rank_of(load) - 1 - !by_rows;
    const Op *tensor = load->args[0]->def;
    if (find_place(load->args[1 + dim], &place) && place.loop->code == OP_FOR && place.loop->nresults &&
        leaves_gaps(load, dim, &place) && affine_same(place.high, tensor->args[1 + dim]))
        warn_step(mistakes, load, &place, extent_of(load, dim), "the reduction leaves out the others");
}

/* True if the counter influences only this coordinate of the store, and no condition around the store.  */
static bool differs_only_in(const Op *store, int dim, const Value *counter)
{
    for (int i = 0; i < rank_of(store); i++)
        if (i != dim && depends_on(store->args[1 + i], counter, DEEP))
            return false;
    for (const Block *block = store->parent; block && block->parent; block = block->parent->parent)
        if (block->parent->code == OP_WHILE ||
            (block->parent->code == OP_IF && depends_on(block->parent->args[0], counter, DEEP)))
            return false;
    return true;
}

static void check_store(Mistakes *mistakes, const Op *store)
{
    Place place;
    const Op *tensor = store->args[0]->def;
    for (int dim = 0; dim < rank_of(store) && tensor->code == OP_TENSOR; dim++) {
        if (!find_place(store->args[1 + dim], &place) || runs_once(&place) ||
            !differs_only_in(store, dim, place.counter))
            continue;
        int extent = extent_of(store, dim);
        if (place.step < extent && place.loop->code == OP_GRID && !op_adds(store))
            warn_step(mistakes, store, &place, extent, "iterations of the grid store the same elements");
        else if (leaves_gaps(store, dim, &place) && affine_same(place.high, tensor->args[1 + dim]))
            warn_step(mistakes, store, &place, extent, "the others are not stored");
    }
}

/* ---- -Wws-extent-order ------------------------------------------------------------------------------------------- */

/* True if both loops run to the extent of the other dimension.  */
static bool is_swapped(const Op *op, int x, int y)
{
    const Op *tensor = op->args[0]->def;
    Place a, b;
    return tensor->code == OP_TENSOR && find_place(op->args[1 + x], &a) && find_place(op->args[1 + y], &b) &&
           affine_same(a.high, tensor->args[1 + y]) && affine_same(b.high, tensor->args[1 + x]) &&
           !affine_same(a.high, b.high);
}

static void check_order(Mistakes *mistakes, const Op *op)
{
    for (int y = 1; y < rank_of(op); y++)
        for (int x = 0; x < y; x++) {
            if (!is_swapped(op, x, y))
                continue;
            warn(mistakes->kernel, op->loc,
                 "coordinate %d of ws_%s runs to the extent of dimension %d, and coordinate %d to that of dimension %d "
                 "[-Wws-extent-order]",
                 x, op_info[op->code].text, y, y, x);
            remark(mistakes->kernel, DIAG_NOTE, op->args[0]->def->loc,
                   "the tensor's extents or the coordinates are exchanged");
        }
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void visit(Op *op, void *context)
{
    Mistakes *mistakes = context;
    if (op_is_product(op))
        check_product(mistakes, op);
    if (op->code == OP_ROW_SUM || op->code == OP_ROW_MAX || op->code == OP_ROW_MIN)
        check_reduction(mistakes, op, true);
    if (op_reduces_columns(op))
        check_reduction(mistakes, op, false);
    if (is_store(op))
        check_store(mistakes, op);
    for (int i = 0; i < op->nresults; i++) /* tiles that no load yields count, too: the sum of 1 / (1 + i i) */
        mistakes->larger |=
            op->results[i]->type.kind == K_TILE && (op->results[i]->type.rows > 1 || op->results[i]->type.cols > 1);
    if (!is_load(op) && !is_store(op))
        return;
    check_order(mistakes, op);
    bool single = tile_of(op).rows == 1 && tile_of(op).cols == 1;
    if (single && is_store(op) && !mistakes->single)
        mistakes->loc = op->loc;
    mistakes->single |= single && is_store(op);
    mistakes->larger |= !single;
}

static void visit_rounded(Op *op, void *context)
{
    Mistakes *mistakes = context;
    if (op->code != OP_DOT || op->args[0]->type.dtype != D_F32 || mistakes->rounds)
        return;
    mistakes->rounds = true;
    remark(mistakes->kernel, DIAG_OPTIMIZED, op->loc,
           "ws_dot of F32 tiles rounds the operands to tf32 (ws_dot_f32 does not)");
}

void pass_mistakes(Kernel *kernel)
{
    Mistakes mistakes = {.kernel = kernel};
    ir_walk(kernel->body, visit, &mistakes);
    ir_walk(kernel->body, visit_rounded, &mistakes);
    if (!mistakes.single || mistakes.larger)
        return;
    warn(kernel, mistakes.loc,
         "each iteration of the grid makes single elements, with 128 threads or more [-Wws-single-element]");
    remark(kernel, DIAG_NOTE, mistakes.loc, "load and store tiles: an operation applies to all elements of a tile");
}
