/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-store.c - stores, as far as their conditions let them.
 *
 *   if (i + 1 < n) y[i + 1] = x;       store_row (slice %y, 0, %n), %i + 1, %x
 *
 * A condition that says which coordinates are written is a part of the tensor.  Under another one an array that the
 * loops only store is stored element by element (plain-scatter.c).  Of an array that they load, too, the tile keeps
 * what is there.
 */
#include "language/plain-memory.h"

/* ---- parts of a tensor ------------------------------------------------------------------------------------------- */

typedef struct {
    int count;
    int dimension[MAX_GUARDS];
    bool ends[MAX_GUARDS]; /* behind `at`, which is not there; otherwise it begins there */
    Poly at[MAX_GUARDS];
} Range;

static bool is_scalar(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (is_tiled(in, x->terms[i].values[k]) || axes_of(in, x->terms[i].values[k]))
                return false;
    return x->known;
}

/* A guard that says of the coordinate of one dimension where it ends or begins.  */
static bool add_to_range(Nest *in, const Access *access, const Poly *guard, Range *range)
{
    Poly zero = poly_constant(0), one = poly_constant(1);
    for (int i = 0; i < access->group->rank; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            Poly at = poly_add(guard, &access->coordinate[i], -sign);
            if (access->axis[i] < 0 || !is_scalar(in, &at))
                continue;
            range->dimension[range->count] = i;
            range->ends[range->count] = sign < 0;
            range->at[range->count++] = sign < 0 ? poly_add(&at, &one, 1) : poly_add(&zero, &at, -1);
            return true;
        }
    return false;
}

static bool range_of(Nest *in, const Access *access, Range *range)
{
    Guards guards = {0};
    if (!conditions_take_all(in, &guards, access->op->args[3]))
        return false;
    for (int i = 0; i < guards.count; i++)
        if (!add_to_range(in, access, &guards.guards[i], range))
            return false;
    return true;
}

bool store_is_range(Nest *in, const Access *access)
{
    Range range = {0};
    return range_of(in, access, &range);
}

/* The last of where the range begins, or the first of where it and the loops end.  */
static Value *limit(Nest *in, Op *where, const Access *access, int dim, const Range *range, bool ends)
{
    Kernel *kernel = in->kernel;
    Value *all = ends ? form_poly(in, where, &access->top[dim]) : NULL;
    for (int i = 0; i < range->count; i++) {
        if (range->dimension[i] != dim || range->ends[i] != ends)
            continue;
        Value *one = ir_convert_before(kernel, where, form_poly(in, where, &range->at[i]), D_I64),
              *other = all ? ir_convert_before(kernel, where, all, D_I64) : ir_const_before(kernel, where, D_I64, 0);
        all = ir_binary_before(kernel, where, ends ? OP_SCALAR_MIN : OP_SCALAR_MAX, one, other);
    }
    return all;
}

/* The tensor ends where the loops do, and the condition.  */
static void cut(Nest *in, Op *where, const Access *access, const Window *window, const Range *range, Value **args)
{
    const Group *group = access->group;
    for (int dim = 0, at = 0; dim < group->rank; dim++) {
        int place = dim == window->col ? group->rank - 1 : dim == window->row ? group->rank - 2 : at++;
        bool limited = false;
        for (int i = 0; i < range->count; i++)
            limited |= range->dimension[i] == dim;
        if (access->axis[dim] < 0 ||
            (!limited && group->nextents[dim] == 1 && poly_same(&access->top[dim], &group->extent[dim][0])))
            continue;
        Value *begin = limit(in, where, access, dim, range, false), *end = limit(in, where, access, dim, range, true);
        if (begin)
            args[1 + place] = ir_binary_before(in->kernel, where, OP_SCALAR_SUB,
                                               ir_convert_before(in->kernel, where, args[1 + place], D_I64), begin);
        Value *parts[] = {args[0], begin ? begin : ir_const_before(in->kernel, where, D_I32, 0), end};
        args[0] = form_op(in, where, OP_SLICE, access->op->loc, args[0]->type, 3, parts);
        args[0]->def->tensor->dimension = place;
    }
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* What a store stores, as the array has it.  */
Value *form_stored(Nest *in, Op *where, const Op *store, Dtype dtype, int row, int col)
{
    bool wide = dtype == D_I64;
    Value *tile = form_whole_as(in, where, store->args[2], wide ? dtype : form_dtype(in, store->args[2]), row, col);
    if (dtype == D_I16 && tile->type.dtype == D_I32) /* of an unsigned short */
        tile = form_make(in, where, OP_CAST, store->loc, D_I16, tile, NULL, NULL);
    return form_as_tile(in, where, tile, dtype);
}

/* The iteration reads the element, whatever the condition says.  */
static bool is_read_anyway(const Nest *in, const Access *store)
{
    Poly place = poly_of_place(store->op);
    for (const Access *access = in->accesses; access; access = access->next) {
        Poly other = poly_of_place(access->op);
        if (!access->stores && access->group->base == store->group->base && access->op->nargs == 2 &&
            access->op->parent == store->op->parent && poly_same(&other, &place))
            return true;
    }
    return false;
}

/* Elements of a vector one by one, of which the condition leaves some out.  */
static bool store_some(Nest *in, Op *where, const Access *access, const Window *window, int row, int col, Value *tile)
{
    if (access->group->rank != 1 || window->turned || is_read_anyway(in, access))
        return false;
    Value *index = scatter_index(in, where, access->op, &access->coordinate[0], row, col);
    Value *args[] = {memory_tensor(in, access->group, window->row, window->col), index, tile};
    op_before(where, op_new(in->kernel, OP_STORE_AT, access->op->loc, 3, args));
    return true;
}

void form_store(Nest *in, Op *where, const Op *op)
{
    const Access *access = memory_access(in, op);
    const Group *group = access->group;
    uint32_t axes = 0;
    int row, col, last = group->rank - 1;
    for (int i = 0; i < group->rank; i++)
        axes |= access->axis[i] >= 0 ? 1u << access->axis[i] : 0;
    uint32_t wanted = axes_of(in, op->args[2]) | (op->nargs > 3 ? axes_of(in, op->args[3]) : 0);
    if (wanted & ~axes || __builtin_popcount(axes) > 2) {
        reject(in->kernel, op->loc, REASON_PLAIN_THREE_AXES);
        return;
    }
    form_home(in, axes, &row, &col);
    if (row >= 0 && col >= 0 && form_dimension(access, row) == last) {
        int other = row;
        row = col;
        col = other;
    } else if (col >= 0 && row < 0 && form_dimension(access, col) != last) {
        row = col;
        col = -1;
    }
    Window window;
    if (!form_window(in, access, row, col, &window))
        return;
    if (window.turned) { /* a column of a tensor of rank 3 or 4 */
        col = row;
        row = -1;
    }
    Value *args[2 + MAX_RANK];
    Range range = {0};
    int count = form_operands(in, where, access, window.row, window.col, args);
    Value *tile = form_stored(in, where, op, group->dtype, row, col);
    if (op->nargs > 3 && !range_of(in, access, &range)) {
        if (store_some(in, where, access, &window, row, col, tile))
            return;
        Value *mask = form_mask(in, where, op->args[3], false, row, col);
        tile =
            form_make(in, where, OP_SELECT, op->loc, group->dtype, mask, tile, form_load(in, where, access, row, col));
        range.count = 0;
    }
    cut(in, where, access, &window, &range, args);
    args[count++] = tile;
    Op *store = op_new(in->kernel, window.store, op->loc, count, args);
    op_before(where, store);
}
