/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fragments.c - the fragment layout of the tensor cores for a role without products.
 *
 *      %x: 64x64 f16 = read %view      a row in 8 lanes, 4 rows of a thread        a row in 4 lanes, 2 rows of a thread
 *      %m = row_max %x                 12 exchanges                                4 exchanges
 *      put_tile %slot, %p              16 bytes of each lane                       the same, as matrices of 8 x 8
 *
 * Tiles of 16-bit elements move between shared memory and fragments by matrices of 8 x 8, as fast as rows do.  In
 * fragments, sums along rows need fewer shuffles between lanes.  The layout is for roles that reduce rows and do not
 * access global memory, and must not take more registers.  The gain is measured in bench/notes/schedules.md.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "target/machine.h"

typedef struct {
    Layout other;
    bool fits;
    int exchanges, others; /* shuffles of each thread in fragments, and in the other layout */
    int registers, other_registers;
} Fragments;

static bool is_made_of_matrices(Type type)
{
    return type.rows == 1 || type.cols == 1 ||
           (type.dtype != D_MASK && dtype_bytes(type.dtype) == 2 && type.rows % MACHINE_MMA_ROWS == 0 &&
            type.cols % 16 == 0);
}

static void visit_op(Op *op, void *context)
{
    Fragments *fragments = context;
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_LOAD || class_ == CLASS_STORE || op_mixes_rows(op) || op->code == OP_STAGE ||
        op->code == OP_ROW_CUMSUM)
        fragments->fits = false;
    if (op->code == OP_READ)
        fragments->fits &= is_made_of_matrices(op->results[0]->type);
    if (op->code == OP_PUT_TILE)
        fragments->fits &= is_made_of_matrices(op->args[1]->type);
    if (op_reduces_rows(op)) {
        int rows = op->results[0]->type.rows, together = machine_rows_together(fragments->other);
        fragments->exchanges += (rows + 31) / 32 * machine_exchanges(4);
        fragments->others += (rows + 4 * together - 1) / (4 * together) * machine_exchanges(32 / together);
    }
    for (int i = 0; i < op->nresults; i++)
        if (value_is_tile(op->results[i])) {
            fragments->registers += machine_tile_registers(op->results[i]->type, LAYOUT_MMA);
            fragments->other_registers += machine_tile_registers(op->results[i]->type, fragments->other);
        }
}

bool layout_in_fragments(const Role *role, Layout other)
{
    Fragments fragments = {.other = other, .fits = other != LAYOUT_WIDE && other != LAYOUT_MMA};
    if (fragments.fits)
        ir_walk(role->body, visit_op, &fragments);
    return fragments.fits && fragments.others && fragments.exchanges <= fragments.others &&
           fragments.registers <= fragments.other_registers;
}
