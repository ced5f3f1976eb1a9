/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate.h - translation validation: the programs of the roles against the frozen source.  */
#ifndef WSC_VALIDATE_H
#define WSC_VALIDATE_H

#include "ir/kernel.h"

/* For each operation of a role's program, by position: the control operation of kernel->body whose decisions it takes,
   or whose iterations it skips.  NULL: none.  */
typedef struct {
    const Op **source;
    int count;
} Labels;

/* True if the programs together do what kernel->body says.  Otherwise the first difference is reported.  Fills
   `labels`, by role id, and the positions of operations.  */
bool validate_programs(Kernel *kernel, Labels *labels);
/* freeze.c: true if the body is unchanged since the pass freeze, or was never frozen.  */
bool freeze_holds(const Kernel *kernel);

/* True if the operation is a statement of the .cu.  Otherwise its text stands where its result is used.  */
bool op_is_printed(const Op *op);

#endif
