/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alias.c - the memory that loads and stores access: the tensor below a slice, and windows that do not overlap.
 *
 *      for i = 0, < %n, 64             store_moves_on: each iteration stores other rows
 *        x = load t, i, 0              load_is_in_place: the store writes what this iteration has loaded
 *        store t, i, 0, (neg x)
 *        store t, i + 64, 0, x         stores_apart: false, the next iteration stores here
 */
#include "ir/affine.h"
#include "ir/alias.h"
#include "ir/queries.h"

Op *tensor_root(const Value *tensor)
{
    while (tensor->def && op_is_part(tensor->def))
        tensor = tensor->def->args[0];
    return tensor->def && tensor->def->code == OP_TENSOR ? tensor->def : NULL;
}

const Value *tensor_memory(const Value *tensor)
{
    const Op *root = tensor_root(tensor);
    return root ? root->args[0] : tensor;
}

bool stores_what_is_loaded(const Op *op, const void *context)
{
    const Op *load = context;
    return op_info[op->code].class_ == CLASS_STORE && !op_prints(op) &&
           tensor_memory(op->args[0]) == tensor_memory(load->args[0]);
}

/* ---- windows of one tensor --------------------------------------------------------------------------------------- */

static int extent(const Op *store, int dim, int rank)
{
    Type tile = store->args[store->nargs - 1]->type;
    bool vector = store->code == OP_STORE_ROW || store->code == OP_STORE_COL;
    if (dim == rank - 1)
        return vector ? tile.rows * tile.cols : tile.cols;
    return dim == rank - 2 && !vector ? tile.rows : 1;
}

/* True for operations in different arms of one `if`, or in different bodies of one loop.  */
static bool exclude_each_other(const Op *x, const Op *y)
{
    for (const Op *a = x; a->parent && a->parent->parent; a = a->parent->parent) {
        const Op *branch = a->parent->parent;
        for (int k = 0; k < branch->nblocks && (branch->code == OP_IF || branch->code == OP_FOR); k++)
            if (branch->blocks[k] != a->parent && ir_inside(y, branch->blocks[k]))
                return true;
    }
    return false;
}

/* The least distance that a loop's counter moves in an iteration, up or down: its step, or a factor of the step.  A
   step of 0, or away from the bound, allows no second iteration that ends.  The result is 0 if the step is unknown.  */
static int64_t least_step(const Op *loop)
{
    int64_t number = 0;
    const Op *step = loop->args[2]->def;
    if (!ir_constant(loop->args[2], &number) &&
        (loop->control->compare == OP_SCALAR_LT || loop->control->compare == OP_SCALAR_GT)) {
        while (step && step->code == OP_SCALAR_CONVERT)
            step = step->args[0]->def;
        if (!step || step->code != OP_SCALAR_MUL || !ir_constant(step->args[1], &number))
            return 0;
    }
    return number <= INT32_MAX && number >= -INT32_MAX ? number : 0;
}

/* The carried value, inside the loop, of a result of a FOR; NULL: the value is no such result.  */
static const Value *within_loop(const Value *value)
{
    const Op *loop = value->def;
    for (int i = 0; loop && loop->code == OP_FOR && i < loop->nresults; i++)
        if (loop->results[i] == value)
            return carried(loop, i).argument;
    return NULL;
}

/* The number of iterations by which a term with that factor trails the counter; -1: no term does.  The term is replaced
   by `other`.  */
static int take_late_term(Affine *x, int64_t factor, const Value *counter, const Value *other)
{
    for (int i = 0; i < x->count; i++) {
        int late = x->terms[i].factor == factor ? affine_late(x->terms[i].value, counter) : -1;
        if (late < 0)
            continue;
        x->terms[i].value = other;
        return late;
    }
    return -1;
}

/* True if one window moves on in a loop and the other window, behind the loop, begins after it.  The counter has then
   been stepped at least once more.  */
static bool apart_behind_loop(const Op *inside, const Value *x, int64_t x_extent, const Value *y, int64_t y_extent)
{
    Affine of_y = affine_of(y);
    for (int i = 0; i < of_y.count && of_y.known; i++) {
        const Value *result = of_y.terms[i].value, *within = within_loop(result);
        const Op *loop = within ? result->def : NULL;
        if (!loop || !ir_inside(inside, loop->blocks[0]))
            continue;
        const Value *counter = loop->blocks[0]->args[0];
        Affine of_x = affine_of(x);
        int64_t factor = of_y.terms[i].factor, constant, distance;
        int behind = affine_late(within, counter), late = take_late_term(&of_x, factor, counter, result);
        Affine rest = affine_add(of_y, of_x, -1);
        if (behind < 0 || late < behind || !affine_is_constant(&rest, &constant) ||
            __builtin_mul_overflow(factor, least_step(loop), &factor) ||
            __builtin_mul_overflow(factor, 1 + late - behind, &distance) ||
            __builtin_add_overflow(distance, constant, &distance))
            continue;
        if ((factor > 0 && distance >= x_extent) || (factor < 0 && distance <= -y_extent))
            return true;
    }
    return false;
}

bool stores_apart(const Op *x, const Op *y)
{
    const Op *a = tensor_root(x->args[0]), *b = tensor_root(y->args[0]);
    bool additions = op_adds(x) && op_adds(y); /* atomic additions commute */
    if (additions || exclude_each_other(x, y) || !a || !b || a->args[0] != b->args[0])
        return true;
    int rank = x->nargs - 2;
    if (op_scatters(x) || op_scatters(y) || y->nargs - 2 != rank || !same_scalar(x->args[0], y->args[0], 4))
        return false;
    for (int dim = 0; dim < rank; dim++)
        if (affine_apart(x->args[1 + dim], extent(x, dim, rank), y->args[1 + dim], extent(y, dim, rank)) ||
            apart_behind_loop(x, x->args[1 + dim], extent(x, dim, rank), y->args[1 + dim], extent(y, dim, rank)) ||
            apart_behind_loop(y, y->args[1 + dim], extent(y, dim, rank), x->args[1 + dim], extent(x, dim, rank)))
            return true;
    return false;
}

/* The dimension in which each iteration of the loop moves the window by at least its size; -1: none.  */
static int advancing_dim(const Op *store, const Op *loop, unsigned used)
{
    int rank = store->nargs - 2;
    int64_t step = loop->code == OP_FOR ? least_step(loop) : 0, factor;
    if (!step || op_scatters(store))
        return -1;
    for (int dim = 0; dim < rank; dim++) {
        if (used >> dim & 1 || !affine_advance(store->args[1 + dim], loop->blocks[0]->args[0], &factor))
            continue;
        int64_t distance;
        if (__builtin_mul_overflow(factor, step, &distance))
            continue;
        if (distance >= extent(store, dim, rank) || distance <= -extent(store, dim, rank))
            return dim;
    }
    return -1;
}

bool store_moves_on(const Op *store)
{
    unsigned used = 0;
    if (op_adds(store))
        return true;
    for (const Block *block = store->parent; block && block->parent; block = block->parent->parent) {
        const Op *loop = block->parent;
        if (loop->code != OP_FOR && loop->code != OP_WHILE)
            continue;
        int dim = advancing_dim(store, loop, used);
        if (dim < 0)
            return false;
        used |= 1u << dim;
    }
    return true;
}

bool is_same_place(const Value *x, const Value *y)
{
    int64_t first, second;
    return x == y || (ir_constant(x, &first) && ir_constant(y, &second) && first == second);
}

bool load_is_in_place(const Op *load, const Op *store)
{
    Type type = load->results[0]->type, stored = store->args[store->nargs - 1]->type;
    if (store->code != OP_STORE || store->nargs != load->nargs + 1 || type.rows != stored.rows ||
        type.cols != stored.cols)
        return false;
    for (int i = 0; i < load->nargs; i++)
        if (!is_same_place(load->args[i], store->args[i]))
            return false;
    return store_moves_on(store);
}
