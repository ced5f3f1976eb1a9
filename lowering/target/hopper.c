/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hopper.c - the descriptions of Hopper, as the passes read them from Module.machine: sm_90a, and sm_90 without wgmma.
 *
 * The build makes the numbers from machines/hopper.machine.  Another GPU needs such a file, another file of this form,
 * and a row in architecture.h.  Properties of all GPUs with TMA, such as lines of 128 bytes and their swizzle, are in
 * machine.h.
 */
#include "target/architecture.h"
#include "target/machine.h"

static const char description[] = /* machines/hopper.machine */
#include "target/hopper-description.h"
    ;

static const Costs costs = {
#include "target/hopper-costs.h"
    .estimates = &ws_estimates_hopper,
};

/* WGMMA reads operands from shared memory, and the left operand also from registers.  The products of sm_90 take the
   same forms (runtime/cuda/mma).  F32 operands are read as tf32.  F64 operands are for mma.sync.  */
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
#include "target/hopper-limits.h"
    .box_rows = MACHINE_BOX_ROWS,
    .accumulators = ACCUMULATORS_IN_REGISTERS,
    .products = products,
    .nproducts = sizeof products / sizeof *products,
    .costs = &costs,
    .description = description,
};

static const char plain_description[] = /* machines/hopper-plain.machine over hopper.machine */
#include "target/hopper-plain-description.h"
    ;

static const Costs plain_costs = {
#include "target/hopper-plain-costs.h"
    .estimates = &ws_estimates_hopper,
};

const Machine machine_hopper_plain = {
    .name = "sm_90",
    .architecture = "90",
#include "target/hopper-plain-limits.h"
    .box_rows = MACHINE_BOX_ROWS,
    .accumulators = ACCUMULATORS_IN_REGISTERS,
    .products = products,
    .nproducts = sizeof products / sizeof *products,
    .costs = &plain_costs,
    .description = plain_description,
};
