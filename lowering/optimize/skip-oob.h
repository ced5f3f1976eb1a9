/* SPDX-License-Identifier: GPL-3.0-or-later */
/* skip-oob.h - predicates of the pass that the proof shares.  */
#ifndef WSC_SKIP_OOB_H
#define WSC_SKIP_OOB_H

#include "ir/slice.h"

/* True if out-of-bounds rows of the load cannot influence a store.  */
bool rows_stay_apart(Kernel *kernel, const Uses *uses, const Op *load);
/* The same for rows beyond the step of the grid dimension that is the load's row. Returns 1 + that
   dimension, or 0.  */
int rows_in_step(Kernel *kernel, const Uses *uses, const Op *load);
/* True if the columns of a product beyond its operand `width` cannot influence a store.  */
bool columns_reach_nothing(Kernel *kernel, const Uses *uses, const Op *dot);

#endif
