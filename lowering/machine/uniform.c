/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uniform.c - branches that the assembler is to take for uniform.
 *
 *   before                                     after
 *   for %k ... pipeline(4,2) {                 for %k ... pipeline(4,2) {
 *     if %c {                                    if %c | uniform=1 {             if (ws::warp_uniform(c)) {
 *       %s = mul %s, %x                            %s = mul %s, %x                   s = ws::mul(s, x);
 *
 * Scalars are the same in all threads of a group, and the assembler does not know: behind a branch that could part the threads of
 * a warp it keeps slots and descriptors in registers of each, and moves them over before each product. It is told so in loops
 * where that matters, those that are pipelined and compute. The mark promises nothing that is not so of every condition.
 */
#include "lower.h"

static bool computes(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_TILE;
}

static bool is_in_hot_loop(const Op *op)
{
    for (const Op *loop = ir_enclosing(op, OP_FOR); loop; loop = ir_enclosing(loop, OP_FOR))
        if (pipeline_of(loop) && ir_any(loop, computes, NULL))
            return true;
    return false;
}

static void visit_branch(Op *op, void *context)
{
    (void)context;
    if (op->code == OP_IF)
        op->control->uniform = is_in_hot_loop(op);
}

/* require: programs of roles.   ensure: op->control->uniform on the branches of loops that compute.  */
void pass_uniform(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_branch, NULL);
}
