/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine.h - sizes of tiles in shared memory and registers, and the GPUs that the compiler knows (cost/gpu.h).  */
#ifndef WSC_MACHINE_H
#define WSC_MACHINE_H

#include "cost/gpu.h"
#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MACHINE_GROUP_THREADS = 128, /* threads of a warp group: four warps, the first a multiple of four */
    MACHINE_LINE_BYTES = 128,    /* bytes of a line: a row of a tile in shared memory, and the swizzle span */
    MACHINE_SHORTEST_LINE = 32,  /* shortest line of a tile that no product reads; the other one is twice as long */
    MACHINE_BOX_ROWS = 256,      /* most rows that one TMA copy loads */
    MACHINE_SHARED_ALIGN = 1024, /* alignment of a storage: eight lines, the period of the swizzle */
    MACHINE_COLUMN_ALIGN = 128,  /* alignment of a storage that holds a column without gaps, which is not swizzled */
    MACHINE_ROW_BYTES = 64,      /* contiguous bytes that the lanes of a row should load together: two sectors */
    MACHINE_SWIZZLE_ROWS = 8,    /* lines in a period of the swizzle */
    MACHINE_MMA_ROWS = 64,       /* M of one product of a warp group, and rows of a box of an output */
    MACHINE_BOX_EXTENT = 256,    /* largest extent of a TMA box in each dimension */
    MACHINE_COPY_BYTES = 16,     /* unit and alignment of a TMA copy, in bytes */
    MACHINE_MAX_DEPTH = 16       /* most slots of a ring */
};

extern const Machine machine_hopper, machine_hopper_plain, machine_blackwell_consumer;

/* The GPU of an architecture, such as "90a", or NULL (architecture.h).  */
const Machine *machine_named(const char *architecture);
/* The same GPU for kernels that write a trace (runtime/cuda/trace.cuh).  A trace takes shared memory of each block.  */
const Machine *machine_traced(const Machine *machine);

/* True if operands of this type may lie in shared memory with K across lines.  */
bool machine_takes_across_k(const Machine *machine, Dtype operands);

/* The number of elements in a 128-byte line.  */
int machine_line_elements(Dtype dtype);
/* The number of 128-byte lines that hold a row of the tile.  */
int machine_lines(Type tile);
/* The bytes of one slot of a storage for the tile, in whole lines.  `choose` and `plan` call the same size functions,
   so that a depth that `choose` finds also fits in `plan`.  */
int64_t machine_tile_bytes(Type tile);
/* The bytes of the shortest line that holds a row: 32 or 64.  The result is 0 if neither is enough, or if boxes of such
   lines would begin between multiples of 128 bytes (PTX ISA, "Tensor memory").  A tile of one row is one line of any
   length, if one TMA box holds the row.  */
int machine_short_line(Type tile);
/* The same for a tile that threads write: the elements of a column follow each other without gaps.  */
int machine_written_line(Type tile);
/* The alignment of a slot whose lines have that many bytes.  */
int machine_slot_align(int line);
/* The bytes of a slot whose lines have that many bytes; 0 stands for whole 128-byte lines.  */
int64_t machine_slot_bytes(Type tile, int line);
/* The staging of a store.  Each of a group's four warps has buffers of 16 rows of 128 bytes.  The first two
   functions return the buffers of a warp (at least one) and the bytes of all four warps.  The last function returns the
   number of boxes of 64 rows by 128 bytes in the tile.  */
int machine_output_buffers(Type tile);
int64_t machine_output_bytes(Type tile);
int machine_boxes(Type tile);
/* The bytes that an mbarrier counts for a copy of the tile: whole lines, also where they lie outside of the tensor.
   Threads that put a tile count the same bytes.  */
int64_t machine_copy_bytes(Type tile, int line);
/* True if the tile is negligible next to `other`, so that both can share one ring.  */
bool machine_is_small_beside(Type tile, int line, Type other);
/* The bytes of scratch memory through which the threads of a group exchange elements for the operation; 0: none
   (runtime/README.md).  */
int64_t machine_scratch_bytes(const Op *op, Layout layout);
/* The storage in which a group receives its columns of the partial sums of all blocks, and its bytes with two
   mbarriers.  */
Type machine_parts(const Op *op, int blocks);
int64_t machine_parts_bytes(Type part);
/* The storage through which the blocks of a cluster exchange whole or reduced tiles: a row for each block, columns in
   pairs.  Its bytes include two mbarriers.  */
Type machine_shares(const Op *op, int cluster, Layout layout);
int64_t machine_shares_bytes(Type shares);
/* The bytes of a tile that a group caches in shared memory, where all threads share each row and each keeps its own
   part.  The result is 0 if the parts are no multiples of 16 bytes.  */
int64_t machine_cached_bytes(Type tile, Layout layout);
bool machine_brings_vectors(Type tile, Layout layout); /* true if each lane loads 16 contiguous bytes of a row */
/* The number of groups whose threads all share each row: 1 for LAYOUT_WIDE, more for a team, 0 for other layouts.  */
int machine_wide_groups(Layout layout);
/* The layouts in rows.  */
int machine_rows_together(Layout layout); /* rows that a warp holds side by side; not for wide layouts */
int machine_row_lanes(Layout layout);     /* lanes that share a row */
int machine_exchanges(int lanes);         /* steps of a butterfly reduction over that many lanes */
/* The contiguous columns that a lane holds.  */
int machine_vector_columns(int cols, Layout layout);
/* The registers of a thread that a launch of so many threads gives, in eights.  Blocks have whole warp groups, and the
   GPU deals registers out to four warps at a time.  */
int machine_launch_registers(const Machine *machine, int threads);
/* The most registers that a thread of a launch can have: with setmaxnreg, those that others give away.  */
int machine_thread_registers(const Machine *machine, int threads);
/* The columns of the widest product in a launch of that many threads, with the left operand in registers or in shared
   memory.  */
int machine_product_columns(const Machine *machine, int threads, bool in_registers);
/* True if a tile of this type is transposed 16 bytes at a time, by matrices of 8 x 8.  Other tiles are transposed by
   elements.  */
bool machine_turns_vectors(Type tile, Layout layout);
/* True if the staging of a store can transpose a tile of this type by whole matrices and whole lines.  */
bool machine_turns_in_staging(Type tile);
/* The 32-bit registers that a tile of this type takes in each thread of a group.  */
int machine_tile_registers(Type tile, Layout layout);

#ifdef __cplusplus
}
#endif
#endif
