/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ring-vectors.c - lets rings carry the columns and rows that a loop loads beside operands of its products.
 *
 *      before                                          after
 *      for (k = 0; k < K; k += 128)                    for (k = 0; k < K; k += 128)
 *        x = ws_load (a, i, k, 192, 128);                x = ws_load (a, i, k, 192, 128);
 *        part = ws_dot (x, ..., 0);                      part = ws_dot (x, ..., 0);
 *        s = ws_load_col_2d (sa, k / 128, i, 192);       s = ws_trans (ws_load (sa, k / 128, i, 1, 192));
 *        sum = ws_fma (part, s, sum);                    sum = ws_fma (part, s, sum);
 *
 * Without the pass, the consumer groups load columns and rows themselves. Each iteration waits for the load, or holds
 * it in registers from the iteration before. TMA can load a window of one row, which the groups only read. A window
 * that is small beside an operand shares the ring, the slots and the waits of that operand (choose-rings.c).
 *
 * TMA moves multiples of 16 bytes from addresses that are multiples of 16. The compiler knows a column's length and
 * offset. The launch checks the address and the strides (runtime/cuda/launch.cuh, encode_box). If they do not fit, the
 * producer's warp copies.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/flat.c runs on emulate and on the sequential target, which loads
 * columns.
 */
#include "ir/affine.h"
#include "ir/alias.h"
#include "ir/queries.h"
#include "passes.h"
#include "target/machine.h"

enum { NUMBERS = MACHINE_SHORTEST_LINE / 4 }; /* f32 elements of the shortest line */

typedef struct {
    Kernel *kernel;
    Uses uses;
} RingVectors;

/* ---- legality ---------------------------------------------------------------------------------------------------- */

static bool is_multiple(const Value *value, int64_t of);

/* True for a loop counter whose start and step are multiples of `of`.  */
static bool counts_multiples(const Value *counter, int64_t of)
{
    const Op *loop = counter->block ? counter->block->parent : NULL;
    int dim = counter->index;
    int64_t step;
    if (!loop || (loop->code == OP_FOR ? dim != 0 : loop->code != OP_GRID || dim >= loop->nargs / 3))
        return false;
    return ir_constant(loop->args[3 * dim + 2], &step) && step % of == 0 && is_multiple(loop->args[3 * dim], of);
}

static bool is_multiple(const Value *value, int64_t of)
{
    Affine sum = affine_of(value);
    bool all = sum.known && sum.low == sum.high && sum.low % of == 0;
    for (int i = 0; i < sum.count && all; i++)
        all = sum.terms[i].factor % of == 0 || counts_multiples(sum.terms[i].value, of);
    return all;
}

static bool is_stored(const RingVectors *ring_vectors, const Op *load)
{
    return ir_any_of(ring_vectors->kernel->body, stores_what_is_loaded, load);
}

static bool moves_with(const Op *load, const Op *loop)
{
    for (int i = 1; i < load->nargs; i++)
        if (!ir_outside(load->args[i], loop))
            return true;
    return false;
}

static Type row_of(const Op *load)
{
    Type type = load->results[0]->type;
    return load->code == OP_LOAD_COL ? type_transposed(type) : type;
}

/* True for a load from a matrix that TMA can make as a window of one row.  */
static bool may_be_window(const RingVectors *ring_vectors, const Op *load, const Op *loop)
{
    Type row = row_of(load);
    int bytes = dtype_bytes(row.dtype);
    return load->nargs == 3 && load->transfer->fill == 0 && moves_with(load, loop) && ir_outside(load->args[0], loop) &&
           row.cols * bytes % MACHINE_COPY_BYTES == 0 && dtype_is_signed(load->args[2]->type.dtype) &&
           is_multiple(load->args[2], MACHINE_COPY_BYTES / bytes) && !is_stored(ring_vectors, load);
}

/* ---- profitability ----------------------------------------------------------------------------------------------- */

static bool feeds_product(const RingVectors *ring_vectors, const Op *load)
{
    for (const Use *use = uses_of(&ring_vectors->uses, load->results[0]); use; use = use->next)
        if (use_is_operand(use, &ring_vectors->uses))
            return true;
    return false;
}

/* The largest operand of the same iteration beside which the row is small, or NULL. Smaller operands do not qualify:
   their iterations are shorter than the latency of memory (measured in bench/notes/prepared-operands.md, "Scales beside
   operands").  */
static const Op *operand_beside(const RingVectors *ring_vectors, const Block *body, Type row)
{
    const Op *best = NULL;
    FOR_OPS (op, body) {
        if (op->code != OP_LOAD || !feeds_product(ring_vectors, op) ||
            !machine_is_small_beside(row, machine_short_line(row), op->results[0]->type) ||
            machine_tile_bytes(op->results[0]->type) < kernel_costs(ring_vectors->kernel)->small_slot_bytes)
            continue;
        if (!best || machine_tile_bytes(op->results[0]->type) > machine_tile_bytes(best->results[0]->type))
            best = op;
    }
    return best;
}

/* True if an operand is computed from the value. The value is then read before its product starts, maybe by another
   role, so it cannot share an operand's slot.  */
static bool reaches_operand(const RingVectors *ring_vectors, const Value *value)
{
    for (const Use *use = uses_of(&ring_vectors->uses, value); use; use = use->next) {
        const Op *op = use->op;
        bool on = op_info[op->code].class_ == CLASS_TILE && op->nresults == 1 && !op_is_product(op);
        if (op_reads_operand(op, use->arg) || (on && reaches_operand(ring_vectors, op->results[0])))
            return true;
    }
    return false;
}

/* True if the compiler chooses the slots, and no tasks of the user decide which role loads.  */
static bool is_open(const RingVectors *ring_vectors, const Op *loop)
{
    return loop && loop->control->pipeline->automatic && !ring_vectors->kernel->tasks;
}

/* The same number, masked, so that every pass and compiler knows that it is a multiple of 16 bytes. Otherwise the
   producer's loop keeps the path for other addresses (measured in bench/notes/prepared-operands.md, "Scales beside
   operands").  */
static Value *seen_as_multiple(const RingVectors *ring_vectors, Op *where, Value *place, Dtype dtype)
{
    Value *bits =
        ir_const_before(ring_vectors->kernel, where, place->type.dtype, -(MACHINE_COPY_BYTES / dtype_bytes(dtype)));
    return ir_binary_before(ring_vectors->kernel, where, OP_SCALAR_AND, place, bits);
}

static void become_window(const RingVectors *ring_vectors, Op *load)
{
    Type row = row_of(load);
    Value *column = load->results[0];
    Value *args[] = {load->args[0], load->args[1], seen_as_multiple(ring_vectors, load, load->args[2], row.dtype)};
    Op *window = op_new(ring_vectors->kernel, OP_LOAD, load->loc, 3, args);
    *window->transfer = *load->transfer;
    op_before(load, window);
    Value *value = op_result(ring_vectors->kernel, window, row, load->code == OP_LOAD_ROW ? column->name : NULL);
    if (load->code == OP_LOAD_COL) {
        Op *transposed = op_new(ring_vectors->kernel, OP_TRANS, load->loc, 1, &value);
        op_before(load, transposed);
        value = op_result(ring_vectors->kernel, transposed, column->type, column->name);
    }
    ir_replace_uses(load->parent, column, value);
    op_remove(load);
}

/* ---- elements of vectors ----------------------------------------------------------------------------------------- */

/* True if all uses of the element are splats of F32.  */
static bool is_splat(const RingVectors *ring_vectors, const Value *number)
{
    const Use *use = uses_of(&ring_vectors->uses, number);
    for (; use; use = use->next) {
        const Op *op = use->op;
        bool narrowed = op->code == OP_SCALAR_CONVERT && op->results[0]->type.dtype == D_F32;
        bool tile = op->code == OP_SPLAT && op->results[0]->type.dtype == D_F32;
        if (!tile && !(narrowed && is_splat(ring_vectors, op->results[0])))
            return false;
    }
    return uses_of(&ring_vectors->uses, number) != NULL;
}

static bool reaches_operand_as_number(const RingVectors *ring_vectors, const Value *number)
{
    for (const Use *use = uses_of(&ring_vectors->uses, number); use; use = use->next)
        if (use->op->code == OP_SPLAT ? reaches_operand(ring_vectors, use->op->results[0])
                                      : reaches_operand_as_number(ring_vectors, use->op->results[0]))
            return true;
    return false;
}

static bool may_be_column(const RingVectors *ring_vectors, const Op *at, const Op *loop)
{
    const Op *vector = at->args[0]->def;
    return vector && vector->code == OP_TENSOR && vector->nargs == 3 && at->args[0]->type.dtype == D_F32 &&
           dtype_is_signed(at->args[1]->type.dtype) && moves_with(at, loop) && ir_outside(at->args[0], loop) &&
           is_splat(ring_vectors, at->results[0]) && !reaches_operand_as_number(ring_vectors, at->results[0]) &&
           !is_stored(ring_vectors, at);
}

/* The vector as a matrix of one row.  */
static Value *as_matrix(const RingVectors *ring_vectors, Op *vector)
{
    Value *base = vector->args[0], *count = vector->args[1], *step = vector->args[2];
    Value *args[] = {base, ir_const_before(ring_vectors->kernel, vector, count->type.dtype, 1), count, count, step};
    Op *matrix = op_new(ring_vectors->kernel, OP_TENSOR, vector->loc, 5, args);
    op_before(vector, matrix);
    return op_result(ring_vectors->kernel, matrix, type_tensor(D_F32, 2), vector->results[0]->name);
}

static void replace_splats(const RingVectors *ring_vectors, const Value *number, Value *tile)
{
    for (const Use *use = uses_of(&ring_vectors->uses, number); use; use = use->next)
        if (use->op->code == OP_SPLAT)
            ir_replace_uses(use->op->parent, use->op->results[0], tile);
        else
            replace_splats(ring_vectors, use->op->results[0], tile);
}

static void become_column(const RingVectors *ring_vectors, Op *at)
{
    Value *place = at->args[1];
    Dtype type = place->type.dtype;
    Value *first = ir_binary_before(ring_vectors->kernel, at, OP_SCALAR_AND, place,
                                    ir_const_before(ring_vectors->kernel, at, type, -NUMBERS));
    Value *behind = ir_binary_before(ring_vectors->kernel, at, OP_SCALAR_AND, place,
                                     ir_const_before(ring_vectors->kernel, at, type, NUMBERS - 1));
    Value *window[] = {as_matrix(ring_vectors, at->args[0]->def), ir_const_before(ring_vectors->kernel, at, type, 0),
                       first};
    Op *load = op_new(ring_vectors->kernel, OP_LOAD, at->loc, 3, window);
    op_before(at, load);
    Value *column[] = {op_result(ring_vectors->kernel, load, type_tile(D_F32, 1, NUMBERS), NULL), behind};
    Op *number = op_new(ring_vectors->kernel, OP_COLUMNS, at->loc, 2, column);
    op_before(at, number);
    replace_splats(ring_vectors, at->results[0],
                   op_result(ring_vectors->kernel, number, type_tile(D_F32, 1, 1), at->results[0]->name));
}

static void visit_number(Op *at, void *context)
{
    RingVectors *ring_vectors = context;
    const Op *loop = at->code == OP_AT_FLOAT ? pipelined_loop(at) : NULL;
    if (!is_open(ring_vectors, loop) || at->parent != loop->blocks[0] || !may_be_column(ring_vectors, at, loop) ||
        !operand_beside(ring_vectors, at->parent, type_tile(D_F32, 1, NUMBERS)))
        return;
    const Value *tensor = at->args[0];
    remark(ring_vectors->kernel, DIAG_OPTIMIZED, at->loc,
           "a number of '%s' comes through the ring of an operand, so that no group waits for memory",
           tensor->name ? tensor->name : "a tensor");
    become_column(ring_vectors, at);
}

/* ---- columns and rows -------------------------------------------------------------------------------------------- */

static void visit(Op *load, void *context)
{
    RingVectors *ring_vectors = context;
    const Op *loop = load->code == OP_LOAD_COL || load->code == OP_LOAD_ROW ? pipelined_loop(load) : NULL;
    if (!is_open(ring_vectors, loop) || load->parent != loop->blocks[0] || !may_be_window(ring_vectors, load, loop))
        return;
    const Op *operand = operand_beside(ring_vectors, load->parent, row_of(load));
    if (!operand || reaches_operand(ring_vectors, load->results[0]))
        return;
    const Value *tensor = load->args[0];
    int64_t bytes = machine_copy_bytes(row_of(load), 0);
    remark(
        ring_vectors->kernel, DIAG_OPTIMIZED, load->loc,
        "a %s of '%s' comes through the ring of an operand: %lld bytes for its %lld, so that no group waits for memory",
        load->code == OP_LOAD_COL ? "column" : "row", tensor->name ? tensor->name : "a tensor", (long long)bytes,
        (long long)machine_tile_bytes(operand->results[0]->type));
    become_window(ring_vectors, load);
}

void pass_ring_vectors(Kernel *kernel)
{
    RingVectors ring_vectors = {kernel, uses_new(kernel, kernel->body)};
    ir_walk(kernel->body, visit_number, &ring_vectors);
    ring_vectors.uses = uses_new(kernel, kernel->body);
    ir_walk(kernel->body, visit, &ring_vectors);
}
