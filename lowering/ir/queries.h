/* SPDX-License-Identifier: GPL-3.0-or-later */
/* queries.h - what passes ask of an operation.  */
#ifndef WSC_QUERIES_H
#define WSC_QUERIES_H

#include "ir/slice.h"

/* A product whose accumulator is a loop's carried value and nothing else looks at it inside the loop, the arms of `if`s
   included: it may stay in flight from one iteration to the next.  Returns the loop, or NULL; *index is the carried
   value's.  */
Op *dot_carried_by(const Machine *machine, const Op *dot, const Uses *uses, int *index);
bool op_reads_operand(const Op *op, int arg); /* a product, from shared memory or registers: not the sum */
bool op_is_dot(const Op *op);                 /* one that a group starts, and waits for later */
bool op_is_product(const Op *op);             /* such a one, or one that is done at once */
/* Each element comes of the elements at its own place, where a row, a column or a number stands for many.  */
bool op_is_elementwise(const Op *op);
bool value_is_tile(const Value *value); /* a register tile, finished or in flight */
/* A splat beside a tile stands for its number.  */
bool op_takes_scalars(const Op *op);
/* An element comes of other rows, or goes to one: groups that divide the rows cannot do it each for itself.  */
bool op_mixes_rows(const Op *op);
/* A number for each row, of what lanes have of it.  */
bool op_reduces_rows(const Op *op);
bool op_reduces_columns(const Op *op);
bool op_adds(const Op *op);     /* to what is there, in any order */
bool op_scatters(const Op *op); /* a store by a tile of indices: anywhere */
bool op_prints(const Op *op);   /* shows a tile or numbers */
bool kernel_prints(const Kernel *kernel);
bool kernel_prints_lines(const Kernel *kernel); /* of numbers */

/* The groups of one number in all blocks of a cluster come to it, and exchange tiles.  */
bool op_meets_blocks(const Op *op);

/* What makes the value where it, or what it is the transpose of, comes through a ring: each use picks its own
   window. */
Op *ring_source(const Value *value);
/* The same of a value that each of the groups stores its own rows of; otherwise one stores it for all.  */
bool ring_source_divides(const Value *value, int groups);
/* Uses of what comes through a ring, or of its transpose, that take it from shared memory.  */
bool use_is_operand(const Use *use, const Uses *uses);
/* The tensor core takes the operand from the ring as it lies there: along K, or across K for 16-bit types.  */
bool operand_in_place(const Machine *machine, const Value *value, int arg);
/* The value is a load, or its transpose, of bytes whose rows run across K in each product that reads them; nothing else
   does.  */
bool lies_across(const Op *load, const Value *value, const Uses *uses);
/* The block itself, or the body of a loop or a grid that it is an arm in; and that loop, or NULL.  */
Block *body_around(Block *block);
Op *loop_around(Block *block);
/* The loop that holds all loops around an op inside the grid, or NULL.  */
Op *outermost_loop(const Op *op);
/* The latest stage at which something looks at what comes through a ring, or at its transpose.  */
int last_stage(const Op *source, const Uses *uses);
/* skip-oob.c: do a load's rows reach nothing that is seen where its tensor has none?  */
bool rows_stay_apart(Kernel *kernel, const Uses *uses, const Op *load);
/* ... and where they lie beyond the step of the grid's dimension that counts them?  1 + that dimension, or 0.  */
int rows_in_step(Kernel *kernel, const Uses *uses, const Op *load);
/* ... and a product's columns, where it is told how many are seen, from that one on?  */
bool columns_reach_nothing(Kernel *kernel, const Uses *uses, const Op *dot);
/* Is this load, or the copy that stands for it, of tiles so wide that products with the last, of which half may be all
   that there is, are made in half the time?  */
bool is_halved_at_edge(const Machine *machine, const Op *load);
/* Which of the grid's variables the value is, -1 if it is none.  */
int grid_variable(const Value *value);
/* May the variable wrap around, since it is cut off to 32 bits or has no sign?  The launcher sees to it that it does
   not.  */
bool may_wrap(const Op *loop, int dim);
/* ... and does a step of tiles that wraps around mean that it does in the source?  */
bool wraps_by_tiles(const Kernel *kernel, const Op *grid, int dim);
/* The op of `block` that is `op` or holds it.  */
Op *op_at_block(Op *op, const Block *block);
/* The extents of a box, from the tensor's first dimension on; how many there are, 0 if they are no constants that a TMA
   box can have.  */
int box_extents(const Op *box, int *extents);
int box_rows(const Value *tensor); /* rows of a box, 0: it is none */
/* Index of the row coordinate among a load's or store's operands, -1 if rows of its tile do not move a coordinate.  */
int row_coordinate(const Op *op);

/* Groups of the role of that bit have rows of the tile's transpose, and so columns of the tile.  */
bool is_split_across(const Value *tile, uint32_t role);
/* Does the op take columns from the loop's counter on?  */
bool takes_columns(const Op *op, const void *counter);
/* The type of a stored tile, with all columns of the tile that it is a subtile of.  */
Type stored_type(const Op *store);
/* Has every product that the role has begun before the op been waited for?  */
bool products_are_done(const Op *op);
/* Is it a branch that is taken from one iteration of the loop on, which is known before the loop?  */
bool ir_is_edge(const Op *op, const Op *loop);
/* The innermost pipelined loop around an op, or NULL.  */
Op *pipelined_loop(const Op *op);

#endif
