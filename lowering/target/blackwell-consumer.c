/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blackwell-consumer.c - the description of Blackwell in GeForce and RTX PRO (sm_120a): TMA, products of a warp, no
 * clusters, and 99 KB of shared memory.
 *
 * The build makes the numbers from machines/blackwell-consumer.machine.
 */
#include "target/machine.h"

static const char description[] = /* machines/blackwell-consumer.machine */
#include "target/blackwell-consumer-description.h"
    ;

static const Costs costs = {
#include "target/blackwell-consumer-costs.h"
    .estimates = &ws_estimates_hopper,
};

/* The forms of runtime/cuda/mma: both operands from shared memory, or the left one from registers.  */
static const MachineProduct products[] = {
    {D_F16, D_F32, OPERAND_ACROSS_K | LEFT_IN_REGISTERS},
    {D_BF16, D_F32, OPERAND_ACROSS_K | LEFT_IN_REGISTERS},
    {D_F32, D_F32, LEFT_IN_REGISTERS},
    {D_E4M3, D_F32, LEFT_IN_REGISTERS},
    {D_E5M2, D_F32, LEFT_IN_REGISTERS},
    {D_I8, D_I32, LEFT_IN_REGISTERS},
    {D_F64, D_F64, 0},
};

const Machine machine_blackwell_consumer = {
    .name = "sm_120a",
    .architecture = "120a",
#include "target/blackwell-consumer-limits.h"
    .depth_is_most = true,
    .box_rows = MACHINE_BOX_ROWS,
    .accumulators = ACCUMULATORS_IN_REGISTERS,
    .products = products,
    .nproducts = sizeof products / sizeof *products,
    .costs = &costs,
    .description = description,
};
