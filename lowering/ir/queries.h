/* SPDX-License-Identifier: GPL-3.0-or-later */
/* queries.h - predicates and properties of operations and values that several passes share.  */
#ifndef WSC_QUERIES_H
#define WSC_QUERIES_H

#include "ir/slice.h"

#ifdef __cplusplus
extern "C" {
#endif

bool op_reads_operand(const Op *op, int arg); /* `op` is a product and operand `arg` is A or B, not the accumulator */
bool op_is_dot(const Op *op);                 /* an asynchronous product: wgmma */
bool op_is_product(const Op *op);             /* any product, asynchronous or not */
/* True if each element of the result depends on the elements at its own row and column.  A row, a column or a scalar is
   broadcast.  */
bool op_is_elementwise(const Op *op);
bool value_is_tile(const Value *value); /* a register tile, finished or in flight */
/* True if the op prints a SPLAT operand as the scalar itself, since another operand is a tile.  */
bool op_takes_scalars(const Op *op);
/* True if an element depends on other rows or moves to another row, so that groups cannot divide the rows.  */
bool op_mixes_rows(const Op *op);
bool op_reduces_rows(const Op *op); /* reduces each row to one element */
bool op_reduces_columns(const Op *op);
bool op_adds(const Op *op);     /* an atomic add to memory */
bool op_scatters(const Op *op); /* a store at a tile of indices */
bool op_prints(const Op *op);
bool kernel_prints(const Kernel *kernel);
bool kernel_prints_lines(const Kernel *kernel); /* has a PRINT_EACH */

/* True if groups of the same number in all blocks of a cluster execute the op together and exchange tiles.  */
bool op_meets_blocks(const Op *op);

/* Returns the op whose result a ring carries, where `value` is that result or its transpose; otherwise NULL.  */
Op *ring_source(const Value *value);
/* True if the use reads a ring's value from shared memory: as an operand, or by a transpose that only operands use.  */
bool use_is_operand(const Use *use, const Uses *uses);
/* Leaves arms of `if`s outwards. Returns the first block that is no arm, and the op that holds that block, or NULL.  */
Block *body_around(Block *block);
Op *loop_around(Block *block);
/* Returns the outermost loop around an op inside the grid, or NULL.  */
Op *outermost_loop(const Op *op);
/* Returns the latest stage of the ops that use the result of `source` or its transpose, and of `source` itself.  */
int last_stage(const Op *source, const Uses *uses);
/* Returns the number of the grid variable that the value is, or -1.  */
int grid_variable(const Value *value);
/* True if the types let the variable wrap around: 32 bits with a wider bound, or unsigned. The launcher checks that the
   variable does not wrap.  */
bool may_wrap(const Op *loop, int dim);
/* True if a variable that wraps around at a step of tiles also wraps around in the source.  */
bool wraps_by_tiles(const Kernel *kernel, const Op *grid, int dim);
/* Returns the op of `block` that is `op` or contains it, or NULL.  */
Op *op_at_block(Op *op, const Block *block);
/* Returns the index of the row coordinate among the operands of a load or store.  Returns -1 if rows of the tile do not
   advance a coordinate.  */
int row_coordinate(const Op *op);

/* True if the groups of the role (a bit) divide the rows of the tile's transpose, and so the columns of the tile.  */
bool is_split_across(const Value *tile, uint32_t role);
/* True if the op is a COLUMNS that starts at the loop's counter.  */
bool takes_columns(const Op *op, const void *counter);
/* Returns the type of a stored tile.  For a subtile, the type has all columns of the tile.  */
Type stored_type(const Op *store);
/* True if no product of the role is in flight at the op.  */
bool products_are_done(const Op *op);
/* True for an `if` that the loop takes from one iteration on, where that iteration is known before the loop.  */
bool ir_is_edge(const Op *op, const Op *loop);
/* Returns the innermost pipelined loop around an op, or NULL.  */
Op *pipelined_loop(const Op *op);

/* Predicates on operations of roles.  */
bool op_is_pure(const Op *op);          /* has no side effect; may be removed or computed elsewhere in its block */
bool op_is_loop(const Op *op);          /* a loop, or a region that carries values as a loop does */
bool op_writes_in_place(const Op *op);  /* MMA, DOT, DOT_F32: args[2] and results[0] are one register tile */
bool value_on_host(const Value *value); /* depends on parameters of the launcher alone */
/* The number of iterations of a FOR, or -1 if its bounds are not constant.  */
int64_t constant_trips(const Op *loop);
enum { MAX_TRIPS_OF_LOADS = 16 };      /* of loop_is_of_loads */
bool loop_is_of_loads(const Op *loop); /* a short loop over loads, which is unrolled */

#ifdef __cplusplus
}
#endif
#endif
