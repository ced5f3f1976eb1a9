/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * footprint.c - the rows of a tensor that a tile of the grid accesses.
 *
 *      copy_in a, %i + 64 %g, %k          64 rows, g one of two groups        rows i to i + 128
 *      load x, %from, %i, %k              x of three dimensions               plane `from`, rows i to i + 64
 *      load b, %k, %j                     k counts a loop                     all rows
 *
 * The footprint is read from the final programs of the roles, so no later pass can invalidate it.  A coordinate is a
 * sum of variables of the grid and of values that the launcher knows.  The index of a group, and counters of loops with
 * constant bounds, widen the range.  Any other term makes the range the whole dimension.
 *
 * All columns count as accessed: the runtime compares rows, which are apart in memory.  A vector has one dimension,
 * which counts.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "machine/footprint.h"
#include "roles/programs.h"

typedef struct {
    const Variable *tensor;
    const Role *role;
    bool stored, found;
    int dims; /* of the grid */
    Footprint *footprint;
} Search;

/* The index of the operation's tensor operand; -1: the operation does not count.  */
static int tensor_operand(const Op *op, bool stored)
{
    OpClass class_ = op_info[op->code].class_;
    if (stored)
        return class_ == CLASS_STORE && !op_prints(op) && op->code != OP_SET_ELEMENT ? 0 : -1;
    if (op->code == OP_COPY_IN)
        return 1;
    return class_ == CLASS_LOAD || op_adds(op) ? 0 : -1;
}

/* The type of the tile that is moved.  For stores of a box, it is the type of the whole tile.  */
static Type moved_type(const Op *op)
{
    if (op->code == OP_COPY_IN)
        return op->storage->tile;
    return op_info[op->code].class_ == CLASS_STORE ? op->args[op->nargs - 1]->type : op->results[0]->type;
}

static int elements_moved(const Op *op, int dim, int rank)
{
    Type type = moved_type(op);
    if (dim == rank - 1)
        return rank == 1 && type.rows > type.cols ? type.rows : type.cols;
    bool has_rows = op->code == OP_LOAD || op->code == OP_COPY_IN || op->code == OP_STORE || op->code == OP_ATOMIC_ADD;
    return dim == rank - 2 && has_rows ? type.rows : 1;
}

static bool is_group(const Search *search, const Value *value)
{
    return value->block == search->role->body && value->index == 0;
}

/* The range of one coordinate.  An unknown coordinate gives the whole dimension.  */
static FootprintRange range_of(const Search *search, const Value *coordinate, int extent)
{
    FootprintRange range = {.low = affine_constant(0)};
    Affine sum = affine_over_counters(affine_of(coordinate));
    int64_t high = sum.high;
    if (!sum.known)
        return (FootprintRange){.all = true};
    range.low.low = range.low.high = sum.low;
    for (int i = 0; i < sum.count; i++) {
        const AffineTerm *term = &sum.terms[i];
        int dim = grid_variable(term->value);
        if (dim >= 0 && dim < search->dims)
            range.by[dim] += term->factor;
        else if (is_group(search, term->value) && term->factor >= 0)
            high += (search->role->replicas - 1) * term->factor;
        else if (value_on_host(term->value))
            range.low = affine_add(range.low, affine_value(term->value), term->factor);
        else
            return (FootprintRange){.all = true};
    }
    range.all = !range.low.known;
    range.high = high + extent;
    return range;
}

static void join(FootprintRange *to, FootprintRange other)
{
    Affine difference = affine_add(to->low, other.low, -1);
    int64_t unused;
    bool alike = !to->all && !other.all;
    for (int i = 0; i < 4 && alike; i++)
        alike = to->by[i] == other.by[i];
    if (!alike || !difference.known || !affine_is_constant(&difference, &unused)) {
        *to = (FootprintRange){.all = true};
        return;
    }
    if (other.low.low < to->low.low)
        to->low = other.low;
    to->high = other.high > to->high ? other.high : to->high;
}

static void visit(Op *op, void *context)
{
    Search *search = context;
    int operand = tensor_operand(op, search->stored);
    const Op *root = operand >= 0 ? tensor_root(op->args[operand]) : NULL;
    if (!root || root->results[0]->var != search->tensor)
        return;
    int rank = search->tensor->type.rank;
    bool sliced = op->args[operand]->def != root;
    Footprint *footprint = search->footprint;
    footprint->dims = rank > 1 ? rank - 1 : 1;
    for (int d = 0; d < footprint->dims; d++) {
        FootprintRange range = {.all = true};
        if (!sliced && operand + 1 + d < op->nargs)
            range = range_of(search, op->args[operand + 1 + d], elements_moved(op, d, rank));
        if (search->found)
            join(&footprint->range[d], range);
        else
            footprint->range[d] = range;
    }
    footprint->roles |= ROLE_BIT(search->role);
    search->found = true;
}

bool footprint_by_role(const Kernel *kernel)
{
    int waiting = 0;
    FOR_ROLES (role, kernel)
        waiting += role_has_op(role, OP_AWAIT_TILES, NULL);
    return waiting > 1;
}

bool footprint_of(const Kernel *kernel, const Variable *tensor, bool stored, Footprint *footprint)
{
    const Op *grid = kernel_grid(kernel);
    Search search = {tensor, NULL, stored, false, grid->nargs / 3, footprint};
    footprint->roles = 0;
    FOR_ROLES (role, kernel) {
        search.role = role;
        ir_walk(role->body, visit, &search);
    }
    return search.found;
}

int footprint_tellers(const Kernel *kernel)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_TILE_DONE, NULL))
            groups += role_own_tile(role) == role_grid(role)->blocks[0] ? role->replicas : 1;
    return groups;
}
