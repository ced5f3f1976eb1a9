/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gpu.h - the description of a GPU: limits, operands of its products, and costs.  */
#ifndef WSC_GPU_H
#define WSC_GPU_H

#include "cost/cost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where products accumulate.  */
typedef enum { ACCUMULATORS_IN_REGISTERS } AccumulatorSpace;

/* Forms of a product's operands, as bits.  Every product also takes operands in shared memory with K along a line.  */
enum {
    OPERAND_ACROSS_K = 1, /* in shared memory, with K across lines */
    LEFT_IN_REGISTERS = 2
};

typedef struct {
    Dtype operands, sum;
    unsigned forms;
} MachineProduct;

/* The description of one GPU.  The rows `limit` of machines/NAME.machine have its numbers.  */
struct Machine {
    const char *name;
    const char *architecture;  /* as nvcc's -arch names it, without the prefix sm_ */
    int capability;            /* ten times the major compute capability, and the minor one */
    int wgmma;                 /* 1: products of a warp group, which are asynchronous; 0: of a warp (mma.sync) */
    int setmaxnreg;            /* 1: roles exchange registers; 0: each thread has as many as any other */
    int max_threads;           /* most threads of a block */
    int named_barriers;        /* named barriers of a block */
    int cluster_blocks;        /* blocks of a cluster that every device can place */
    int most_cluster_blocks;   /* blocks of a cluster that some devices can place; the launch asks the device */
    int registers;             /* 32-bit registers of an SM */
    int thread_registers;      /* most registers of a thread */
    int fewest_role_registers; /* fewest and most that setmaxnreg gives a thread of a role, in multiples of eight */
    int most_role_registers;
    int shared_bytes;    /* most shared memory that a block can request */
    int sm_shared_bytes; /* bytes of an SM; the system takes block_shared_bytes more than a block requests */
    int block_shared_bytes;
    int box_rows;        /* MACHINE_BOX_ROWS */
    int product_columns; /* N of the widest product */
    bool depth_is_most;  /* the depth of a pipeline clause is for a GPU with more shared memory */
    AccumulatorSpace accumulators;
    const MachineProduct *products;
    int nproducts;
    const Costs *costs;
    /* Rates and latencies as wsc-solve reads them (machines/); NULL: the compiler predicts nothing.  */
    const char *description;
};

/* The costs of the kernel's GPU.  */
static inline const Costs *kernel_costs(const Kernel *kernel)
{
    return kernel->machine->costs;
}

#ifdef __cplusplus
}
#endif
#endif
