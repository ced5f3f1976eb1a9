/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * facts.c - facts about lowered operations that layout, plan, verify and the printer must agree on.
 */
#include "machine/machine.h"
#include "machine/plan.h"

bool op_is_loop(const Op *op)
{
    return op->code == OP_FOR || op->code == OP_WHILE || op->code == OP_GRID;
}

bool op_writes_in_place(const Op *op)
{
    return op->code == OP_MMA || op->code == OP_DOT_F32;
}

bool op_reads_memory(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || op->code == OP_READ;
}

bool op_is_pure(const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
    case CLASS_TENSOR:
    case CLASS_READ:
    case CLASS_LOAD:
        return true;
    case CLASS_TILE:
        return op->code != OP_DOT_F32 && op->code != OP_SUM_PARTS;
    default:
        return op->code == OP_VIEW || op->code == OP_TRANS_VIEW || op->code == OP_READ;
    }
}

bool value_is_tile(const Value *value)
{
    return value->type.kind == K_TILE || value->type.kind == K_TOKEN;
}

Op *tensor_root(const Value *tensor)
{
    while (tensor->def && tensor->def->code == OP_SLICE)
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
    return op_info[op->code].class_ == CLASS_STORE && op->code != OP_PRINT &&
           tensor_memory(op->args[0]) == tensor_memory(load->args[0]);
}

Op *role_grid(const Role *role)
{
    for (Op *op = role->body->first; op; op = op->next)
        if (op->code == OP_GRID)
            return op;
    return NULL;
}

const Aref *ring_before(const Kernel *kernel, const Aref *onward)
{
    FOR_AREFS (aref, kernel)
        if (aref->onward == onward)
            return aref;
    return NULL;
}

static bool holds_tile(const Op *op, const void *context)
{
    (void)context;
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || class_ == CLASS_TILE || class_ == CLASS_STORE || op->code == OP_READ ||
           op->code == OP_MMA;
}

bool role_holds_tiles(const Role *role)
{
    return ir_any_of(role->body, holds_tile, NULL);
}

/* Whatever a whole group does together: register tiles, stores, the receiving end of a ring.  */
static bool needs_group(const Op *op, const void *context)
{
    (void)context;
    switch (op_info[op->code].class_) {
    case CLASS_LOAD:
    case CLASS_TILE:
    case CLASS_STORE:
        return true;
    case CLASS_SYNC:
        return op->code != OP_PUT && op->code != OP_COPY_IN && op->code != OP_PUT_DONE;
    default:
        return false;
    }
}

bool role_issues_only(const Role *role)
{
    return !ir_any_of(role->body, needs_group, NULL);
}

typedef struct {
    Opcode code;
    const Aref *aref;
} Search;

static bool is_sought(const Op *op, const void *context)
{
    const Search *search = context;
    return op->code == search->code && op->aref == search->aref;
}

bool role_has_op(const Role *role, Opcode code, const Aref *aref)
{
    return ir_any_of(role->body, is_sought, &(Search){code, aref});
}

/* Kernel parameters have neither op nor block.  */
bool value_on_host(const Value *value)
{
    const Op *op = value->def;
    if (!op)
        return !value->block;
    OpClass class_ = op_info[op->code].class_;
    if (class_ != CLASS_SCALAR && op->code != OP_TENSOR)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!value_on_host(op->args[i]))
            return false;
    return true;
}

int storage_place(const Kernel *kernel, const Storage *storage)
{
    int place = 0;
    for (const Storage *other = kernel->storages; other && other != storage; other = other->next)
        place++;
    return place;
}

Storage *storage_beside(const Kernel *kernel, const Storage *storage)
{
    FOR_STORAGES (other, kernel)
        if (other->beside == storage)
            return other;
    return NULL;
}

int64_t storage_align(const Storage *storage)
{
    return storage->use == USE_SCRATCH || storage->use == USE_PARTS ? 16 : MACHINE_SHARED_ALIGN;
}

int64_t storage_bytes(const Storage *storage)
{
    switch (storage->use) {
    case USE_SCRATCH:
        return storage->tile.cols;
    case USE_PARTS:
        return machine_parts_bytes(storage->tile);
    case USE_OUTPUT:
        return machine_output_bytes(storage->tile);
    default:
        return machine_tile_bytes(storage->tile);
    }
}

int role_first_group(const Kernel *kernel, const Role *role)
{
    int group = 0;
    for (const Role *other = kernel->roles; other && other != role; other = other->next)
        group += other->replicas;
    return group;
}

/* ---- windows of one tensor --------------------------------------------------------------------------------------- */

bool same_scalar(const Value *x, const Value *y, int depth)
{
    if (x == y)
        return true;
    const Op *a = x->def, *b = y->def;
    if (!a || !b || !depth || a->code != b->code || a->nargs != b->nargs || !op_means_the_same(a, b) || a->nblocks ||
        b->nblocks || op_info[a->code].class_ > CLASS_READ || !type_equal(x->type, y->type))
        return false;
    for (int i = 0; i < a->nargs; i++)
        if (!same_scalar(a->args[i], b->args[i], depth - 1))
            return false;
    return true;
}

/* Values from base + low to base + high; of numbers alone the base is NULL.  */
typedef struct {
    const Value *base;
    int64_t low, high;
} Span;

/* Adds what a counter between constants takes on.  */
static bool add_counter(Span *span, const Value *value)
{
    while (value->def && value->def->code == OP_CONVI)
        value = value->def->args[0];
    const Op *loop = value->block && value->index == 0 ? value->block->parent : NULL;
    int64_t low, end, step;
    if (!loop || loop->code != OP_FOR || loop->control->compare != OP_LTI || !ir_constant(loop->args[0], &low) ||
        !ir_constant(loop->args[1], &end) || !ir_constant(loop->args[2], &step) || step <= 0 || end <= low)
        return false;
    span->low += low;
    span->high += low + (end - 1 - low) / step * step;
    return true;
}

static bool add_number(Span *span, const Value *value, int sign)
{
    int64_t number;
    bool known = ir_constant(value, &number);
    span->low += known ? sign * number : 0;
    span->high += known ? sign * number : 0;
    return known;
}

/* Over conversions to wider types and additions of numbers and, if asked to, of counters.  */
static Span span_of(const Value *value, bool counters)
{
    Span span = {value, 0, 0};
    while (span.base) {
        const Op *op = span.base->def;
        if (add_number(&span, span.base, 1) || (counters && add_counter(&span, span.base)))
            span.base = NULL;
        else if (op && op->code == OP_CONVI && !dtype_is_float(op->args[0]->type.dtype))
            span.base = op->args[0];
        else if (op && (op->code == OP_ADDI || op->code == OP_SUBI) &&
                 add_number(&span, op->args[1], op->code == OP_ADDI ? 1 : -1))
            span.base = op->args[0];
        else if (op && op->code == OP_ADDI && add_number(&span, op->args[0], 1))
            span.base = op->args[1];
        else if (op && op->code == OP_ADDI && counters && add_counter(&span, op->args[1]))
            span.base = op->args[0];
        else if (op && op->code == OP_ADDI && counters && add_counter(&span, op->args[0]))
            span.base = op->args[1];
        else
            break;
    }
    return span;
}

/* Windows of so many elements that begin at x and at y.  */
static bool windows_apart(const Value *x, int x_extent, const Value *y, int y_extent)
{
    for (int counters = 0; counters < 2; counters++) {
        const Span a = span_of(x, counters), b = span_of(y, counters);
        bool comparable = a.base && b.base ? same_scalar(a.base, b.base, 8) : a.base == b.base;
        if (comparable && (b.low - a.high >= x_extent || a.low - b.high >= y_extent))
            return true;
    }
    return false;
}

static int extent(const Op *store, int dim, int rank)
{
    Type tile = store->args[store->nargs - 1]->type;
    bool vector = store->code == OP_STORE_ROW || store->code == OP_STORE_COL;
    if (dim == rank - 1)
        return vector ? tile.rows * tile.cols : tile.cols;
    return dim == rank - 2 && !vector ? tile.rows : 1;
}

/* In different arms of one `if`.  */
static bool exclude_each_other(const Op *x, const Op *y)
{
    for (const Op *a = x; a->parent && a->parent->parent; a = a->parent->parent) {
        const Op *branch = a->parent->parent;
        for (int k = 0; k < branch->nblocks && branch->code == OP_IF; k++)
            if (branch->blocks[k] != a->parent && ir_inside(y, branch->blocks[k]))
                return true;
    }
    return false;
}

bool stores_apart(const Op *x, const Op *y)
{
    const Op *a = tensor_root(x->args[0]), *b = tensor_root(y->args[0]);
    bool additions = x->code == OP_ATOMIC_ADD && y->code == OP_ATOMIC_ADD; /* in any order */
    if (additions || exclude_each_other(x, y) || !a || !b || a->args[0] != b->args[0])
        return true;
    int rank = x->nargs - 2;
    if (y->nargs - 2 != rank || !same_scalar(x->args[0], y->args[0], 4))
        return false;
    for (int dim = 0; dim < rank; dim++)
        if (windows_apart(x->args[1 + dim], extent(x, dim, rank), y->args[1 + dim], extent(y, dim, rank)))
            return true;
    return false;
}

/* value = *factor * counter + something that is the same in every iteration of the counter's loop.  */
static bool linear_in(const Value *value, const Value *counter, int64_t *factor, int depth)
{
    const Op *op = value->def;
    int64_t x, y, number;
    const Op *where = op ? op : value->block ? value->block->parent : NULL;
    *factor = value == counter;
    if (value == counter || !where || (!ir_inside(where, counter->block) && value->block != counter->block))
        return true;
    if (!op)
        return false; /* an argument of this loop or of one inside it */
    if (!depth || op->nblocks)
        return false;
    if (op->code == OP_CONVI && !dtype_is_float(op->args[0]->type.dtype))
        return linear_in(op->args[0], counter, factor, depth - 1);
    if (op->code == OP_MULI && ir_constant(op->args[1], &number) && number < INT32_MAX && number > -INT32_MAX) {
        bool known = linear_in(op->args[0], counter, &x, depth - 1);
        *factor = x * number;
        return known && x < INT32_MAX && x > -INT32_MAX;
    }
    if (op->code == OP_ADDI || op->code == OP_SUBI) {
        bool known = linear_in(op->args[0], counter, &x, depth - 1) && linear_in(op->args[1], counter, &y, depth - 1);
        *factor = op->code == OP_ADDI ? x + y : x - y;
        return known;
    }
    return op->code == OP_CONST;
}

/* At least so far goes a loop with each iteration, up or down: its step, or a factor of it.  A step of 0, or one away from
   the bound, would have no second iteration that ends.  0: not known.  */
static int64_t least_step(const Op *loop)
{
    int64_t number = 0;
    const Op *step = loop->args[2]->def;
    if (!ir_constant(loop->args[2], &number) &&
        (loop->control->compare == OP_LTI || loop->control->compare == OP_GTI)) {
        while (step && step->code == OP_CONVI)
            step = step->args[0]->def;
        if (!step || step->code != OP_MULI || !ir_constant(step->args[1], &number))
            return 0;
    }
    return number <= INT32_MAX && number >= -INT32_MAX ? number : 0;
}

/* The dimension in which the window moves on by at least its size with each iteration of the loop, -1: none.  */
static int advancing_dim(const Op *store, const Op *loop, unsigned used)
{
    int rank = store->nargs - 2;
    int64_t step = loop->code == OP_FOR ? least_step(loop) : 0, factor;
    if (!step)
        return -1;
    for (int dim = 0; dim < rank; dim++) {
        if (used >> dim & 1 || !linear_in(store->args[1 + dim], loop->blocks[0]->args[0], &factor, 12))
            continue;
        int64_t distance = factor * step;
        if (distance >= extent(store, dim, rank) || -distance >= extent(store, dim, rank))
            return dim;
    }
    return -1;
}

bool store_moves_on(const Op *store)
{
    unsigned used = 0;
    if (store->code == OP_ATOMIC_ADD)
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
