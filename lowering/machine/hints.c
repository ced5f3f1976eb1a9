/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hints.c - marks branches as uniform for ptxas, and loops as unrolled for nvcc.
 *
 *   before                                     after
 *   for %k ... pipeline(4,2) {                 for %k ... pipeline(4,2) {
 *     if %c {                                    if %c | uniform=1 {             if (ws::warp_uniform(c)) {
 *       %s = mul %s, %x                            %s = mul %s, %x                   s = ws::mul(s, x);
 *   for %n = 0, < 128, 64 {                    for %n = 0, < 128, 64 | unroll=1 {    WS_UNROLL
 *     %part = columns %acc, %n                   %part = columns %acc, %n            for (int n = 0; n < 128; n += 64)
 *                                                                                    {
 *
 * A scalar has the same value in all threads of a group, but ptxas does not know this.  After a branch that could
 * diverge, ptxas keeps slots and descriptors in registers of each thread, and moves them to uniform registers before
 * each product.  The mark `uniform` prevents this in pipelined loops that compute.  Every condition is uniform, so the
 * mark adds no assumption.
 *
 * An accumulator's columns are registers, which have no addresses.  A loop whose counter selects columns is therefore
 * unrolled, so that each index is constant.  Otherwise the accumulator would go to local memory.  A short loop over
 * adjacent loads, for instance the taps of a filter, is also unrolled (windows.c).
 */
#include "ir/queries.h"
#include "passes.h"

static bool computes(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_TILE;
}

static bool is_in_hot_loop(const Op *op)
{
    for (const Op *loop = ir_enclosing(op, OP_FOR); loop; loop = ir_enclosing(loop, OP_FOR))
        if (loop_is_pipelined(loop) && ir_any(loop, computes, NULL))
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

void pass_hints(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_control, NULL);
}
