/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine.h - what the passes know of the hardware: the description of a GPU, and the sizes of tiles.  */
#ifndef WSC_MACHINE_H
#define WSC_MACHINE_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MACHINE_GROUP_THREADS = 128, /* a warp group: four warps that start at a multiple of four */
    MACHINE_LINE_BYTES = 128,    /* a row of a shared tile's block, and the swizzle span */
    MACHINE_SHORTEST_LINE = 32,  /* of a tile that no product reads; or twice as long */
    MACHINE_BOX_ROWS = 256,      /* that one TMA copy brings at most */
    MACHINE_SHARED_ALIGN = 1024, /* of a storage: eight lines, the swizzle's period */
    MACHINE_COLUMN_ALIGN = 128,  /* of one that holds a column without gaps: nothing swizzles it */
    MACHINE_ROW_BYTES = 64,      /* that the lanes of a row should take side by side: two sectors of memory */
    MACHINE_SWIZZLE_ROWS = 8,    /* lines after which it begins again */
    MACHINE_MMA_ROWS = 64,       /* M of one product of a warp group; a box of an output has as many */
    MACHINE_BOX_EXTENT = 256,    /* of a TMA box, in each dimension */
    MACHINE_COPY_BYTES = 16,     /* multiples of which TMA brings, from one of them on */
    MACHINE_MAX_DEPTH = 16,      /* slots that a ring may have */
    MACHINE_SMALL_SLOT = 12288   /* bytes below which the copies of eight slots do not hide latency */
};

/* Where products add.  */
typedef enum { ACCUMULATORS_IN_REGISTERS } AccumulatorSpace;

/* Forms of a product's operands beside those that all take: in shared memory, along K.  */
enum {
    OPERAND_ACROSS_K = 1, /* in shared memory, K from line to line */
    LEFT_IN_REGISTERS = 2
};

typedef struct {
    Dtype operands, sum;
    unsigned forms;
} MachineProduct;

/* One GPU.  */
struct Machine {
    const char *name;
    const char *architecture;  /* nvcc's word for it */
    int max_threads;           /* of a block */
    int named_barriers;        /* of a block */
    int cluster_blocks;        /* that every device can place */
    int most_cluster_blocks;   /* that some can: the launch asks */
    int registers;             /* of 32 bits, in one SM */
    int thread_registers;      /* of one thread */
    int fewest_role_registers; /* that a role may ask for: multiples of eight */
    int most_role_registers;
    int shared_bytes;    /* what one block may ask for */
    int sm_shared_bytes; /* an SM's, of which each block takes more than it asked for: */
    int block_shared_bytes;
    int box_rows;            /* MACHINE_BOX_ROWS */
    int product_columns;     /* N of the widest product */
    int product_clock_bytes; /* of the left operands' elements times columns, that an SM multiplies in a clock */
    AccumulatorSpace accumulators;
    const MachineProduct *products;
    int nproducts;
    const char *description; /* what things take, as wsc-solve reads it (machines/); NULL: nothing is predicted */
};
extern const Machine machine_hopper;
/* The same for kernels that write a trace (runtime/cuda/trace.cuh): that takes shared memory of each block.  */
const Machine *machine_hopper_traced(void);

/* May operands of this type lie in shared memory across K?  */
bool machine_takes_across_k(const Machine *machine, Dtype operands);

/* Columns of a 128-byte line, lines of a row, and bytes of one slot of a storage that holds the tile.  The one size
   function: choose and plan both ask it, so that an automatic depth always fits.  */
int machine_line_elements(Dtype dtype);
int machine_lines(Type tile);
int64_t machine_tile_bytes(Type tile);
/* The shortest line, of 64 or 32 bytes, that holds a row; 0: none does, or boxes of such lines would begin between two
   multiples of 128 bytes (PTX ISA, "Tensor memory").  One row alone is one line, however long, if a box is: it comes by
   one copy.  And bytes of a slot in lines of so many bytes; 0: in whole ones.  */
int machine_short_line(Type tile);
/* The same of what threads write: a column has no gaps.  And where such a slot may begin.  */
int machine_written_line(Type tile);
int machine_slot_align(int line);
int64_t machine_slot_bytes(Type tile, int line);
/* Of a staging for stores: each of a group's four warps has buffers of 16 rows and 128 bytes, one at least.  What is
   stored passes through in boxes of 64 rows and 128 bytes, row by row of them.  */
int machine_output_buffers(Type tile);
int64_t machine_output_bytes(Type tile);
int machine_boxes(Type tile);
/* Bytes that TMA moves for a tile: whole lines, whether or not they lie inside the tensor.  Threads that put a tile
   count the same.  */
int64_t machine_copy_bytes(Type tile, int line);
/* So small that it may as well come and go with the other: that one's slots are what counts.  */
bool machine_is_small_beside(Type tile, int line, Type other);
/* Bytes that an operation on tiles exchanges between the threads of a group, as runtime/README.md has it; 0: none.  */
int64_t machine_scratch_bytes(const Op *op, Layout layout);
/* Where a group of each of several blocks gets its share of the parts of such a tile, and two barriers.  */
Type machine_parts(const Op *op, int blocks);
int64_t machine_parts_bytes(Type part);
/* Tiles that so many blocks send each other whole, or reduced: a row for each, pairs of columns together; and their
   bytes, with two barriers.  */
Type machine_shares(const Op *op, int cluster, Layout layout);
int64_t machine_shares_bytes(Type shares);
/* What a group keeps of a tile in place of registers, each thread its share, where all threads share a row; 0: that
   does not go 16 bytes at a time.  */
int64_t machine_kept_bytes(Type tile, Layout layout);
bool machine_brings_vectors(Type tile, Layout layout); /* 16 bytes of a row at a time */
/* How many groups share each row, all of their threads: 1 of LAYOUT_WIDE, 2 and more of a team; 0: none.  */
int machine_wide_groups(Layout layout);
/* Rows that a warp holds side by side, and columns that a lane does, where tiles are held in rows.  */
int machine_rows_together(Layout layout); /* of none that is wide */
int machine_row_lanes(Layout layout);     /* that share a row */
int machine_exchanges(int lanes);         /* after which each of so many knows what all have */
int machine_vector_columns(int cols, Layout layout);
/* Columns of the widest product in a launch of so many threads, with the left operand in shared memory or in
   registers. */
int machine_product_columns(const Machine *machine, int threads, bool in_registers);
/* Is such a tile transposed 16 bytes at a time, by matrices of 8 x 8?  Else it goes element by element.  */
bool machine_turns_vectors(Type tile, Layout layout);
/* Can the staging of a store have such a tile transposed as it is written, by whole matrices and whole lines?  */
bool machine_turns_in_staging(Type tile);
/* Registers of 32 bits that a tile of this type costs each thread of a group.  */
int machine_tile_registers(Type tile, Layout layout);

#ifdef __cplusplus
}
#endif
#endif
