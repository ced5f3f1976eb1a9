/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hints.c - branches that the assembler is to take for uniform, loops that the compiler is to unroll.
 *
 *   before                                     after
 *   for %k ... pipeline(4,2) {                 for %k ... pipeline(4,2) {
 *     if %c {                                    if %c | uniform=1 {             if (ws::warp_uniform(c)) {
 *       %s = mul %s, %x                            %s = mul %s, %x                   s = ws::mul(s, x);
 *   for %n = 0, < 128, 64 {                    for %n = 0, < 128, 64 | unroll=1 {    WS_UNROLL
 *     %part = columns %acc, %n                   %part = columns %acc, %n            for (int n = 0; n < 128; n += 64)
 *                                                                                    {
 *
 * Scalars are the same in all threads of a group, and the assembler does not know: behind a branch that could part the
 * threads of a warp it keeps slots and descriptors in registers of each, and moves them over before each product. It is
 * told so in loops where that matters, those that are pipelined and compute. The mark promises nothing that is not so
 * of every condition.
 *
 * An accumulator's columns are registers, and registers have names, not addresses. A loop whose counter says which
 * columns it takes is unrolled, so that each is known; else the accumulator would have to lie in memory.  A short loop
 * over loads that lie beside each other, as the taps of a filter do, is unrolled, too (windows.c).
 */
#include "ir/queries.h"
#include "lower.h"
#include "machine/plan.h"

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

static void visit_control(Op *op, void *context)
{
    (void)context;
    if (op->code == OP_IF)
        op->control->uniform = is_in_hot_loop(op);
    else if (op->code == OP_FOR)
        op->control->unroll = ir_any(op, takes_columns, op->blocks[0]->args[0]) || loop_is_of_loads(op);
}

/* require: programs of roles.   ensure: uniform on the branches of loops that compute, unroll on loops over columns. */
void pass_hints(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_control, NULL);
}
