/* SPDX-License-Identifier: GPL-3.0-or-later */
/* infer.h - the parts of infer, in the order in which they run.  */
#ifndef WSC_INFER_H
#define WSC_INFER_H

#include "ir/ir.h"

/* types.c: a type and a shape for every value, or an error at the op.  */
void infer_types(Kernel *kernel);
/* simplify.c: folding, identities, common scalars, dead code; until nothing changes.  */
void infer_simplify(Kernel *kernel);
/* nest.c: the nest of grid loops becomes one GRID.  */
void infer_nest(Kernel *kernel);
/* parts.c: a loop over parts of a sum becomes a dimension of the grid, along which blocks of a cluster sum.  */
void infer_parts(Kernel *kernel);
/* edges.c: a select whose mask can fail only at an edge stands under that question.  */
void infer_edges(Kernel *kernel);
/* limits.c: before which value of the counter a question of a loop's body is always answered by yes, NULL: not known.  */
Value *infer_limit(Kernel *kernel, Op *loop, Value *question);
/* masks.c: a side that has two bounds is compared with one.  */
void infer_masks(Kernel *kernel);
/* recurrence.c: sums along rows that a loop only adds up are completed behind it.  */
void infer_recurrences(Kernel *kernel);
/* rescale.c: what a running maximum shrinks is multiplied only where the maximum grew.  */
void infer_rescales(Kernel *kernel);
/* strips.c: epilogues of accumulators are cut into strips of columns.  */
void infer_strips(Kernel *kernel);
/* present.c: loads of which only the rows that there are need come.  */
void infer_present(Kernel *kernel);
/* ragged.c: -Wws-padded-reduction.  */
void infer_ragged(Kernel *kernel);
bool may_be_ragged(const Op *load, int dimension, int64_t size); /* does the tile lie across that edge of its tensor? */
/* mistakes.c: -Wws-loop-step, -Wws-extent-order, -Wws-single-element.  */
void infer_mistakes(Kernel *kernel);

#endif
