/* SPDX-License-Identifier: GPL-3.0-or-later */
/* operands.h - operands of products, and boxes of TMA copies, as the GPU takes them.  */
#ifndef WSC_OPERANDS_H
#define WSC_OPERANDS_H

#include "ir/queries.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the loop around the product `dot` if the product may stay in flight from one iteration to the next, or NULL.
   The accumulator is then a carried value of the loop, which only products read in its body and in arms of `if`s.
   The number of that carried value is stored to *index; `index` may be NULL.  */
Op *dot_carried_by(const Machine *machine, const Op *dot, const Uses *uses, int *index);
/* True if a ring carries the value and each of `groups` groups stores its own rows. Otherwise one group stores all.  */
bool ring_source_divides(const Value *value, int groups);
/* True if the tensor core can read operand `arg` from its ring as it lies there: along K, or across K for 16 bits.  */
bool operand_in_place(const Machine *machine, const Value *value, int arg);
/* True if only products use the value, which is the load or its transpose, and if its rows run across K in each.  The
   elements are bytes.  */
bool lies_across(const Op *load, const Value *value, const Uses *uses);
/* True for a load, or its COPY_IN, of wide tiles, of which the last may be half out of bounds. A product with half of
   the columns then takes half the time.  */
bool is_halved_at_edge(const Machine *machine, const Op *load);
/* Stores the extents of a box, from the tensor's first dimension on. Returns their number. Returns 0 if an extent is no
   constant or exceeds a TMA box.  */
int box_extents(const Op *box, int *extents);
int box_rows(const Value *tensor); /* rows of a box; 0: the tensor is no box */

#ifdef __cplusplus
}
#endif
#endif
