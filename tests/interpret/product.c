/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * product.c - the tensor core, and sums of parts that blocks have computed.
 *
 * The functions do the same as the templates of runtime/emulate/matrix.cuh and parts.cuh.
 */
#include <string.h>

#include "state.h"
#include "ir/queries.h"
#include "target/storage.h"

/* ---- products ---------------------------------------------------------------------------------------------------- */

typedef struct {
    struct ws_tile_ *acc;
    View a, b;
    Type a_type, b_type;
    bool tf32;
    int64_t columns; /* columns that are computed; the others are overwritten with NaN */
} Product;

/* Returns the operand as a dense array of float, for the shared product.  */
static const float *factors(int index, View view, Type type, bool tf32)
{
    size_t bytes = (size_t)element_bytes(type.dtype), count = (size_t)type.rows * (size_t)type.cols;
    unsigned char *raw = ws_scratch(2, count * bytes);
    float *all = ws_scratch(index, count * sizeof *all);
    if (!raw || !all)
        ws_sched_fail(ws_sched_current(), "out of memory");
    view_copy(view, type, raw);
    ws_row_read((int)type.dtype, WS_COMPUTE_F32, (int)count, raw, all);
    for (size_t i = 0; tf32 && type.dtype == D_F32 && i < count; i++)
        all[i] = ws_f32_to_tf32(all[i]);
    return all;
}

static void multiply_i8(const Product *p)
{
    int32_t *acc = (int32_t *)(void *)p->acc->data;
    int rows = p->a_type.rows, depth = p->a_type.cols, cols = p->b_type.cols;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < depth; k++) {
            int factor = ((const int8_t *)p->a.base)[r * p->a.row_stride + k * p->a.col_stride];
            const int8_t *b = (const int8_t *)p->b.base + k * p->b.row_stride;
            for (int c = 0; c < cols; c++)
                acc[r * cols + c] = ws_i32_add(acc[r * cols + c], factor * b[c * p->b.col_stride]);
        }
}

static void multiply_f32(const Product *p)
{
    const float *a = factors(0, p->a, p->a_type, p->tf32), *b = factors(1, p->b, p->b_type, p->tf32);
    ws_f32_product(p->a_type.rows, p->b_type.cols, p->a_type.cols, a, b, (float *)(void *)p->acc->data);
}

static const double *doubles(int index, View view, Type type)
{
    double *all = ws_scratch(index, (size_t)type.rows * (size_t)type.cols * sizeof *all);
    if (!all)
        ws_sched_fail(ws_sched_current(), "out of memory");
    view_copy(view, type, (unsigned char *)all);
    return all;
}

static void multiply_f64(const Product *p)
{
    const double *a = doubles(0, p->a, p->a_type), *b = doubles(1, p->b, p->b_type);
    ws_f64_product(p->a_type.rows, p->b_type.cols, p->a_type.cols, a, b, (double *)(void *)p->acc->data);
}

static void multiply(void *args, void *held)
{
    Product *p = args;
    if (held) /* from registers */
        p->a = (View){held, p->a_type.cols, 1};
    if (p->a_type.dtype == D_I8)
        multiply_i8(p);
    else if (p->a_type.dtype == D_F64)
        multiply_f64(p);
    else
        multiply_f32(p);
    int32_t *acc = (int32_t *)(void *)p->acc->data;
    for (int r = 0; r < p->a_type.rows && p->a_type.dtype != D_F64; r++)
        for (int64_t c = p->columns > 0 ? p->columns : 0; c < p->b_type.cols; c++)
            acc[r * p->b_type.cols + c] = -1; /* NaN in f32 */
}

/* Checks that the prepared tf32 head or residual belongs to b.  Then it changes nothing about the product.  */
static void check_part(const Product *p, View part, float of(float))
{
    ws_sched_read(ws_sched_current(), view_range(part, p->b_type));
    const float *b = factors(0, p->b, p->b_type, false), *made = factors(1, part, p->b_type, false);
    for (int i = 0; i < p->b_type.rows * p->b_type.cols; i++)
        if (ws_bits_of_f32(made[i]) != ws_bits_of_f32(of(b[i])))
            ws_sched_fail(ws_sched_current(), "what tf32 has of a product's right operand is another tile's");
}

/* MMA starts the product.  DOT and DOT_F32 compute it at once.  */
void product_of(Group *group, const Op *op, Cell *acc)
{
    ws_sched *s = ws_sched_current();
    Datum a = evaluate(group, op->args[0]), b = evaluate(group, op->args[1]);
    Product product = {acc->tile,
                       a.view,
                       b.view,
                       op->args[0]->type,
                       op->args[1]->type,
                       op->code == OP_MMA,
                       op->code != OP_DOT_F32 && op->nargs > 3 ? number_of(group, op->args[3]) : INT64_MAX};
    ws_sched_range from_a = {NULL, 0}, from_b = view_range(b.view, product.b_type);
    if (product.a_type.kind == K_VIEW)
        from_a = view_range(a.view, product.a_type);
    else
        check_cell(a.cell, "reads");
    if (op->code == OP_MMA && product.a_type.kind == K_VIEW) {
        ws_sched_product(s, &acc->state, from_a, from_b, multiply, &product, sizeof product, NULL, 0);
    } else if (op->code == OP_MMA) {
        size_t bytes = (size_t)a.tile->rows * (size_t)a.tile->cols * (size_t)ws_dtype_bytes(a.tile->dtype);
        ws_sched_product(s, &acc->state, from_a, from_b, multiply, &product, sizeof product, a.tile->data, bytes);
    } else {
        check_cell(acc, "writes");
        ws_sched_point(s);
        ws_sched_read(s, from_a);
        ws_sched_read(s, from_b);
        for (int i = 3; i < op->nargs && op->code == OP_DOT_F32; i++)
            check_part(&product, evaluate(group, op->args[i]).view, i == 3 ? ws_f32_rest : ws_f32_kept);
        multiply(&product, NULL);
    }
}

/* ---- parts of sums ----------------------------------------------------------------------------------------------- */

int *part_barrier(const Launch *launch, const Storage *storage, int group)
{
    int place = storage_place(launch->kernel, storage);
    return &launch->part_barriers[place % MOST_STORAGES * MOST_GROUPS + group % MOST_GROUPS];
}

/* Synchronizes the groups of this number in all blocks.  */
static void sync_blocks(const Group *group, int barrier)
{
    ws_sched_barrier(ws_sched_current());
    for (int round = 0; round < 2; round++) {
        ws_sched_take(ws_sched_current(), barrier, group->block);
        ws_sched_pass(ws_sched_current(), barrier, group->block);
    }
    ws_sched_barrier(ws_sched_current());
}

/* Adds the parts of this block's columns, in the order of the blocks.  `part` has one part of each block, in rows.  */
static ws_tile sum_of(const Op *op, const unsigned char *part, int blocks, size_t bytes)
{
    Type type = op->results[0]->type;
    ws_tile sum = (ws_full)((ws_dtype)(WS_F32 + (int)type.dtype), type.rows, type.cols, op->tile->start);
    for (int block = 0; block < blocks; block++) {
        struct ws_tile_ *share = ws_tile_new((int)type.dtype, type.rows, type.cols);
        memcpy(share->data, part + (size_t)block * bytes, bytes);
        sum = ws_add_(sum, share);
    }
    return sum;
}

ws_tile product_sum_parts(Group *group, const Op *op)
{
    const Launch *launch = group->launch;
    const Storage *storage = op->storage;
    Type type = op->results[0]->type;
    Datum value = evaluate(group, op->args[0]);
    ws_sched *s = ws_sched_current();
    int barrier = *part_barrier(launch, storage, storage->slots > 1 ? group->number : 0), columns = type.cols;
    size_t line = (size_t)columns * (size_t)element_bytes(type.dtype), bytes = (size_t)type.rows * line;
    check_cell(value.cell, "reads");
    int holders = columns ? value.tile->cols / columns : 0;
    if (holders < 1 || holders > launch->cluster || columns * holders != value.tile->cols ||
        (int64_t)bytes * launch->cluster > storage->slot_bytes)
        ws_sched_fail(s, "%d blocks share out %d columns as %d each", launch->cluster, value.tile->cols, columns);
    unsigned char *own = own_storage(group, storage);
    sync_blocks(group, barrier);
    for (int block = 0; block < holders; block++) {
        unsigned char *to =
            own + (block - group->block) * (ptrdiff_t)launch->shared_room + (size_t)group->block * bytes;
        ws_sched_point(s);
        ws_sched_write_apart(s, (ws_sched_range){to, bytes});
        for (int r = 0; r < type.rows; r++)
            memcpy(to + (size_t)r * line, ws_element((struct ws_tile_ *)(uintptr_t)value.tile, r, block * columns),
                   line);
    }
    sync_blocks(group, barrier);
    if (group->block >= holders)
        return sum_of(op, own, 0, bytes);
    ws_sched_read(s, (ws_sched_range){own, bytes * (size_t)launch->cluster});
    return sum_of(op, own, launch->cluster, bytes);
}

/* Returns a piece of each row: `piece` columns from `first` on.  */
static ws_tile piece_of(const Op *op, ws_tile rows, int first)
{
    int bytes = element_bytes(op->args[0]->type.dtype), piece = op->tile->piece;
    struct ws_tile_ *part = ws_tile_new(rows->dtype, rows->rows, piece);
    for (int r = 0; r < rows->rows; r++)
        memcpy((char *)part->data + r * piece * bytes, (const char *)rows->data + (r * rows->cols + first) * bytes,
               (size_t)(piece * bytes));
    return part;
}

static ws_tile reduced_piece(const Op *op, ws_tile rows, int first)
{
    ws_tile part = piece_of(op, rows, first);
    return op->code == OP_SUM_BLOCKS   ? ws_row_sum(part)
           : op->code == OP_MIN_BLOCKS ? ws_row_min(part)
                                       : ws_row_max(part);
}

static bool sends_pieces(const Op *op)
{
    return op && op_meets_blocks(op) && op->code != OP_SUM_PARTS && op->tile->piece;
}

/* Adjacent exchanges of pieces send before the first of them receives, and each waits until the last exchange in its
   memory is received.  */
static void check_sent(const Op *op)
{
    for (const Op *before = op->prev; sends_pieces(op) && sends_pieces(before); before = before->prev)
        if (before->storage == op->storage)
            ws_sched_fail(ws_sched_current(), "an exchange begins in '%s' of another one that is not received yet",
                          op->storage->name);
}

/* Sends `bytes` bytes from each block to all.  Returns this block's copy, in the order of the blocks.  */
static const unsigned char *exchange(Group *group, const Op *op, const void *sent, size_t bytes)
{
    const Launch *launch = group->launch;
    const Storage *storage = op->storage;
    ws_sched *s = ws_sched_current();
    bool alone = launch->cluster == 1;
    int barrier = alone ? 0 : *part_barrier(launch, storage, storage->slots > 1 ? group->number : 0);
    if ((int64_t)bytes * launch->cluster > storage->slot_bytes)
        ws_sched_fail(s, "%d blocks exchange %zu bytes each in %lld", launch->cluster, bytes,
                      (long long)storage->slot_bytes);
    unsigned char *own = own_storage(group, storage);
    if (alone)
        ws_sched_barrier(s);
    else
        sync_blocks(group, barrier);
    for (int block = 0; block < launch->cluster; block++) {
        unsigned char *to =
            own + (block - group->block) * (ptrdiff_t)launch->shared_room + (size_t)group->block * bytes;
        ws_sched_point(s);
        ws_sched_write_apart(s, (ws_sched_range){to, bytes});
        memcpy(to, sent, bytes);
    }
    if (alone)
        ws_sched_barrier(s);
    else
        sync_blocks(group, barrier);
    ws_sched_read(s, (ws_sched_range){own, bytes * (size_t)launch->cluster});
    return own;
}

static ws_tile part_at(Type type, const unsigned char *from)
{
    struct ws_tile_ *part = ws_tile_new((int)type.dtype, type.rows, type.cols);
    memcpy(part->data, from, (size_t)type.rows * (size_t)type.cols * (size_t)element_bytes(type.dtype));
    return part;
}

static ws_tile power_below(const Op *op, ws_tile x, ws_tile most)
{
    ws_tile difference = ws_sub_(x, most);
    return op->code == OP_SUM_EXP2_BLOCKS ? ws_exp2(difference) : ws_exp(difference);
}

/* Adds powers piece by piece, as the loop does.  First all blocks get the largest element of each piece, then its sum
   of powers below the largest element so far.  */
static ws_tile sum_of_powers(Group *group, const Op *op, ws_tile x, ws_tile sum, ws_tile largest)
{
    Type type = op->results[0]->type;
    int piece = op->tile->piece, pieces = op->args[0]->type.cols / piece, count = group->launch->cluster * pieces;
    size_t each = (size_t)type.rows * (size_t)element_bytes(type.dtype);
    unsigned char sent[each * pieces];
    ws_tile now[count];
    for (int i = 0; i < pieces; i++)
        memcpy(sent + (size_t)i * each, reduced_piece(op, x, i * piece)->data, each);
    const unsigned char *from = exchange(group, op, sent, sizeof sent);
    for (int i = 0; i < count; i++)
        now[i] = ws_max_(i ? now[i - 1] : largest, part_at(type, from + (size_t)i * each));
    for (int i = 0; i < pieces; i++) {
        ws_tile powers = power_below(op, piece_of(op, x, i * piece), now[group->block * pieces + i]);
        memcpy(sent + (size_t)i * each, ws_row_sum(powers)->data, each);
    }
    from = exchange(group, op, sent, sizeof sent);
    for (int i = 0; i < count; i++) {
        ws_tile shrink = power_below(op, i ? now[i - 1] : largest, now[i]);
        ws_tile part = part_at(type, from + (size_t)i * each);
        sum = op->tile->fused ? ws_fma_(sum, shrink, part) : ws_add_(ws_mul_(sum, shrink), part);
    }
    return sum;
}

/* Combines the tiles of all blocks with the initial one, in the order of the blocks.  */
ws_tile product_over_blocks(Group *group, const Op *op)
{
    const Launch *launch = group->launch;
    Type type = op->results[0]->type;
    Datum value = evaluate(group, op->args[0]), first = evaluate(group, op->args[1]);
    ws_sched *s = ws_sched_current();
    int piece = op->tile->piece, pieces = piece ? op->args[0]->type.cols / piece : 1;
    size_t each = (size_t)type.rows * (size_t)type.cols * (size_t)element_bytes(type.dtype), bytes = each * pieces;
    check_cell(value.cell, "reads");
    check_cell(first.cell, "reads");
    check_sent(op);
    if (op->nargs == 3)
        return sum_of_powers(group, op, value.tile, first.tile, evaluate(group, op->args[2]).tile);
    unsigned char sent[bytes];
    for (int i = 0; i < pieces; i++) {
        ws_tile part = piece ? reduced_piece(op, value.tile, i * piece) : value.tile;
        memcpy(sent + (size_t)i * each, part->data, each);
    }
    const unsigned char *from = exchange(group, op, sent, bytes);
    ws_tile all = first.tile;
    for (int i = 0; i < launch->cluster * pieces; i++) {
        ws_tile part = part_at(type, from + (size_t)i * each);
        switch (op->code) {
        case OP_SUM_BLOCKS:
            all = ws_add_(all, part);
            break;
        case OP_MAX_BLOCKS:
            all = ws_max_(all, part);
            break;
        case OP_MIN_BLOCKS:
            all = ws_min_(all, part);
            break;
        default:
            ws_sched_fail(s, "blocks do not meet at %s", op_info[op->code].name);
        }
    }
    return all;
}
