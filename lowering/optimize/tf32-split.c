/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tf32-split.c - splits the right operand of f32 products into a tf32 head and a residual.
 *
 *      before                                     after
 *      b   = ws_load (w, j, k, 128, 32)           b    = ws_load (w, j, k, 128, 32)
 *      acc = ws_dot_f32 (a, ws_trans (b), acc)    rest = tf32_residual (b)
 *                                                 acc  = ws_dot_f32 (a, ws_trans (b), acc, ws_trans (rest))
 *
 * A product of floats is three products of tf32. wgmma reads b from shared memory and drops the low bits. The residual,
 * which consists of these bits, has to be in shared memory, too. As a value of its own it is an operand that is
 * computed from a load, and a role prepares it (schedule/choose-prepare.c). If no role does, layout-operands.c removes
 * the operand, and the product splits b itself.
 *
 * wgmma reads b with K along the lines of memory. If K runs across the lines, the head is a value, too, so that the
 * role transposes it on the way:
 *
 *      b   = ws_load (w, k, j, 32, 128)           t    = ws_trans (b)
 *      acc = ws_dot_f32 (a, b, acc)               rest = tf32_residual (t), kept = tf32_head (t)
 *                                                 acc  = ws_dot_f32 (a, b, acc, ws_trans (rest), ws_trans (kept))
 *
 * The operands change no result: by definition they are parts of the second operand. The proof uses this definition
 * (proof/terms.c), and the emulator compares the results bit by bit.
 */
#include "ir/queries.h"
#include "passes.h"
#include "target/machine.h"

enum {
    FEWEST_COLUMNS = 64, /* a narrower wgmma would wait for its left operand */
    STEP = 8             /* of K */
};

static bool fits(const Op *product)
{
    Type sum = product->results[0]->type, left = product->args[0]->type;
    return product->nargs == 3 && sum.rows % MACHINE_MMA_ROWS == 0 && sum.cols % STEP == 0 &&
           sum.cols >= FEWEST_COLUMNS && left.cols % STEP == 0;
}

/* Inserts an operation of one operand behind `where`, and returns its result.  */
static Value *made_behind(Kernel *kernel, Op *where, Opcode code, Value *x, const char *name)
{
    Op *op = op_new(kernel, code, where->loc, 1, &x);
    op_after(where, op);
    return op_result(kernel, op, code == OP_TRANS ? type_transposed(x->type) : x->type, name);
}

static const char *named(const Kernel *kernel, const Value *operand, const char *what)
{
    return operand->name ? arena_print(kernel->module, "%s_%s", operand->name, what) : what;
}

/* Adds the head or the residual of a tile with K along its lines to the product.  */
static void add_part(Kernel *kernel, Op *product, Opcode code, Value *tile, const char *name)
{
    Value *part = made_behind(kernel, tile->def, code, tile, name);
    op_add_arg(kernel, product, made_behind(kernel, part->def, OP_TRANS, part, NULL));
}

static bool is_load_here(const Value *value, const Op *product)
{
    return value->def && value->def->code == OP_LOAD && value->def->parent == product->parent;
}

static void visit_product(Op *op, void *context)
{
    Kernel *kernel = context;
    const Op *loop = op->code == OP_DOT_F32 ? pipelined_loop(op) : NULL;
    if (!loop || op->parent != loop->blocks[0] || !fits(op))
        return;
    Value *right = op->args[1], *load = right;
    bool transposed = right->def && right->def->code == OP_TRANS;
    if (transposed)
        load = right->def->args[0];
    if (!is_load_here(load, op))
        return;
    Value *along = transposed ? load : made_behind(kernel, load->def, OP_TRANS, load, NULL);
    add_part(kernel, op, OP_TF32_RESIDUAL, along, named(kernel, load, "rest"));
    if (!transposed)
        add_part(kernel, op, OP_TF32_HEAD, along, named(kernel, load, "kept"));
}

void pass_tf32_split(Kernel *kernel)
{
    ir_walk(kernel->body, visit_product, kernel);
}
