/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hopper.c - the description of Hopper (sm_90a), as the passes read it from Module.machine.
 *
 * Another GPU needs another file of this form.  Properties of all GPUs with TMA, such as lines of 128 bytes and their
 * swizzle, are in machine.h.
 */
#include "machine/architecture.h"
#include "machine/machine.h"

static const char description[] = /* machines/hopper.machine */
#include "machine/hopper-description.h"
    ;

/* WGMMA reads operands from shared memory, and the left operand also from registers.  F32 operands are read as tf32.
   F64 operands are for mma.sync.  */
static const MachineProduct products[] = {
    {D_F16, D_F32, OPERAND_ACROSS_K | LEFT_IN_REGISTERS},
    {D_BF16, D_F32, OPERAND_ACROSS_K | LEFT_IN_REGISTERS},
    {D_F32, D_F32, LEFT_IN_REGISTERS},
    {D_E4M3, D_F32, LEFT_IN_REGISTERS},
    {D_E5M2, D_F32, LEFT_IN_REGISTERS},
    {D_I8, D_I32, LEFT_IN_REGISTERS},
    {D_F64, D_F64, 0},
};

const Machine machine_hopper = {
    .name = "Hopper",
    .architecture = WSC_ARCHITECTURE,
    .max_threads = 1024,
    .named_barriers = 16,
    .cluster_blocks = 8,
    .most_cluster_blocks = 16,
    .registers = 65536,
    .thread_registers = 255,
    .fewest_role_registers = 24,
    .most_role_registers = 240,
    .shared_bytes = 232448,
    .sm_shared_bytes = 228 * 1024,
    .block_shared_bytes = 1024,
    .box_rows = MACHINE_BOX_ROWS,
    .product_columns = 256,
    .product_clock_bytes = 4096,
    .accumulators = ACCUMULATORS_IN_REGISTERS,
    .products = products,
    .nproducts = sizeof products / sizeof *products,
    .description = description,
};

/* The cursors of a trace take a few lines; the next storage begins at a multiple of 1024.  */
enum { TRACE_BYTES = 1024 };

const Machine *machine_hopper_traced(void)
{
    static Machine traced;
    traced = machine_hopper;
    traced.shared_bytes -= TRACE_BYTES;
    return &traced;
}
