/* SPDX-License-Identifier: GPL-3.0-or-later */
/* queries.h - predicates and properties of operations and values that several passes share.  */
#ifndef WSC_QUERIES_H
#define WSC_QUERIES_H

#include "ir/slice.h"

/* Returns the loop around the product `dot` if the product may stay in flight from one iteration to the next, or NULL.
   The accumulator is then a carried value of the loop, which only products read in its body and in arms of `if`s.
   The number of that carried value is stored to *index; `index` may be NULL.  */
Op *dot_carried_by(const Machine *machine, const Op *dot, const Uses *uses, int *index);
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
/* True if a ring carries the value and each of `groups` groups stores its own rows. Otherwise one group stores all.  */
bool ring_source_divides(const Value *value, int groups);
/* True if the use reads a ring's value from shared memory: as an operand, or by a transpose that only operands use.  */
bool use_is_operand(const Use *use, const Uses *uses);
/* True if the tensor core can read operand `arg` from its ring as it lies there: along K, or across K for 16 bits.  */
bool operand_in_place(const Machine *machine, const Value *value, int arg);
/* True if only products use the value, which is the load or its transpose, and if its rows run across K in each.  The
   elements are bytes.  */
bool lies_across(const Op *load, const Value *value, const Uses *uses);
/* Leaves arms of `if`s outwards. Returns the first block that is no arm, and the op that holds that block, or NULL.  */
Block *body_around(Block *block);
Op *loop_around(Block *block);
/* Returns the outermost loop around an op inside the grid, or NULL.  */
Op *outermost_loop(const Op *op);
/* Returns the latest stage of the ops that use the result of `source` or its transpose, and of `source` itself.  */
int last_stage(const Op *source, const Uses *uses);
/* skip-oob.c: true if out-of-bounds rows of the load cannot influence a store.  */
bool rows_stay_apart(Kernel *kernel, const Uses *uses, const Op *load);
/* skip-oob.c: the same for rows beyond the step of the grid dimension that is the load's row. Returns 1 + that
   dimension, or 0.  */
int rows_in_step(Kernel *kernel, const Uses *uses, const Op *load);
/* skip-oob.c: true if the columns of a product beyond its operand `width` cannot influence a store.  */
bool columns_reach_nothing(Kernel *kernel, const Uses *uses, const Op *dot);
/* True for a load, or its COPY_IN, of wide tiles, of which the last may be half out of bounds. A product with half of
   the columns then takes half the time.  */
bool is_halved_at_edge(const Machine *machine, const Op *load);
/* Returns the number of the grid variable that the value is, or -1.  */
int grid_variable(const Value *value);
/* True if the types let the variable wrap around: 32 bits with a wider bound, or unsigned. The launcher checks that the
   variable does not wrap.  */
bool may_wrap(const Op *loop, int dim);
/* True if a variable that wraps around at a step of tiles also wraps around in the source.  */
bool wraps_by_tiles(const Kernel *kernel, const Op *grid, int dim);
/* Returns the op of `block` that is `op` or contains it, or NULL.  */
Op *op_at_block(Op *op, const Block *block);
/* Stores the extents of a box, from the tensor's first dimension on. Returns their number. Returns 0 if an extent is no
   constant or exceeds a TMA box.  */
int box_extents(const Op *box, int *extents);
int box_rows(const Value *tensor); /* rows of a box; 0: the tensor is no box */
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

#endif
