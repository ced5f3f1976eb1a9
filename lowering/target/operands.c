/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operands.c - operands of products, and boxes of TMA copies, as the GPU takes them.
 *
 *   acc = ws_dot (ta, ws_trans (tb), acc)      operand_in_place: the tensor core reads both operands from their rings
 *                                              dot_carried_by: only products read the carried value acc, so that the
 *                                              product may stay in flight
 */
#include "target/machine.h"
#include "target/operands.h"

bool ring_source_divides(const Value *value, int groups)
{
    return ring_source(value) && value->type.rows > 1 && value->type.rows % (groups * MACHINE_SWIZZLE_ROWS) == 0;
}

int box_extents(const Op *box, int *extents)
{
    int count = (box->nargs - 1) / 2;
    for (int i = 0; i < count; i++) {
        int64_t extent;
        if (!ir_constant(box->args[1 + count + i], &extent) || extent < 1 || extent > MACHINE_BOX_EXTENT)
            return 0;
        extents[i] = (int)extent;
    }
    return count;
}

int box_rows(const Value *tensor)
{
    int extents[3], rows = 1;
    if (!tensor->def || tensor->def->code != OP_BOX)
        return 0;
    for (int i = box_extents(tensor->def, extents); i > 0; i--)
        rows *= extents[i - 1];
    return rows;
}

bool operand_in_place(const Machine *machine, const Value *value, int arg)
{
    bool transposed;
    const Op *source = ring_source(value);
    if (value->type.kind == K_VIEW && value->def && value->def->code == OP_GATHER)
        return false; /* groups synchronize before the next gather, so no product in flight may read the storage */
    if (value->type.kind == K_VIEW)
        transposed = value->def && value->def->code == OP_TRANS_VIEW;
    else if (source)
        transposed = (value->def->code == OP_TRANS) != (schedule_of(source)->transposer != 0);
    else
        return false;
    return machine_takes_across_k(machine, value->type.dtype) || transposed == (arg == 1);
}

/* Follows the load and one transpose of it to their products.  */
bool lies_across(const Op *load, const Value *value, const Uses *uses)
{
    for (const Use *use = uses_of(uses, value); use; use = use->next) {
        if (use->op->code == OP_TRANS && value->def == load && lies_across(load, use->op->results[0], uses))
            continue;
        if (!op_is_dot(use->op) || use->arg > 1 || (value->def != load) == (use->arg == 1))
            return false;
    }
    return dtype_bytes(value->type.dtype) == 1 && uses_of(uses, value);
}

static bool operands_in_place(const Machine *machine, const Op *dot)
{
    return operand_in_place(machine, dot->args[0], 0) && operand_in_place(machine, dot->args[1], 1);
}

/* ---- accumulators that stay in flight ---------------------------------------------------------------------------- */

/* The chain of products of one accumulator through a block.  */
typedef struct {
    const Machine *machine;
    const Uses *uses;
    const Op *wanted; /* the product that is searched for */
    bool met;         /* the chain contains it */
} Chain;

static int chain_end(Chain *chain, Block *block, const Value *value);

/* Returns the result of an `if` that the value becomes in each arm, or -1.  */
static int through_arms(Chain *chain, Op *branch, const Value *value)
{
    int end = -1;
    for (int k = 0; k < branch->nblocks; k++) {
        int other = chain_end(chain, branch->blocks[k], value);
        if (other < 0 || (k && other != end))
            return -1;
        end = other;
    }
    return end;
}

/* Follows an accumulator through a block, from product to product and through arms of `if`s. Returns the operand of the
   block's yield at which the chain ends, or -1 if any other op uses a value of the chain.  */
static int chain_end(Chain *chain, Block *block, const Value *value)
{
    for (;;) {
        Op *next = NULL;
        int arg = 0, count = 0;
        for (const Use *use = uses_of(chain->uses, value); use; use = use->next) {
            if (!ir_inside(use->op, block))
                continue;
            Op *here = op_at_block(use->op, block);
            if (next && next != here)
                return -1;
            next = here;
            arg = use->arg;
            count++;
        }
        if (next && next->code == OP_YIELD && count == 1)
            return arg;
        if (next && op_is_dot(next) && count == 1 && arg == 2 && operands_in_place(chain->machine, next)) {
            chain->met |= next == chain->wanted;
            value = next->results[0];
        } else if (next && next->code == OP_IF) {
            int result = through_arms(chain, next, value);
            if (result < 0)
                return -1;
            value = next->results[result];
        } else {
            return -1;
        }
    }
}

/* All products of a chain stay in flight across the end of an iteration, or none. A product with a staged operand has
   to be waited for, so operands_in_place () has to hold for each.  */
Op *dot_carried_by(const Machine *machine, const Op *dot, const Uses *uses, int *index)
{
    Op *loop = op_is_dot(dot) ? loop_around(dot->parent) : NULL;
    if (!loop || loop->code != OP_FOR)
        return NULL;
    Block *body = loop->blocks[0];
    for (int i = 0; i < carried_count(loop); i++) {
        Chain chain = {machine, uses, dot, false};
        if (!type_equal(type_kind(K_TILE, body->args[1 + i]->type), type_kind(K_TILE, dot->results[0]->type)) ||
            chain_end(&chain, body, body->args[1 + i]) != i || !chain.met)
            continue;
        if (index)
            *index = i;
        return loop;
    }
    return NULL;
}

bool is_halved_at_edge(const Machine *machine, const Op *load)
{
    const Type tile = load->code == OP_LOAD ? load->results[0]->type : load->storage->tile;
    bool resident = load->code == OP_LOAD ? load->transfer->resident : load->storage->resident;
    return load->transfer->skip_oob && !load->transfer->skip_step && !load->transfer->along && !resident &&
           tile.rows > machine->costs->halved_columns && tile.rows <= machine->product_columns &&
           grid_variable(load->args[load->nargs - 2]) >= 0;
}
