/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate.h - the programs of the roles against the program that they came from.  */
#ifndef WSC_VALIDATE_H
#define WSC_VALIDATE_H

#include "ir/ir.h"

/* For each op of a role's program, by position: the control operation of kernel->body whose decisions it takes, or
   whose iterations it passes over; NULL: none.  */
typedef struct {
    const Op **source;
    int count;
} Labels;

/* Does each program do what the body says?  Reports what does not; labels are by role id.  Positions are set.  */
bool validate_programs(Kernel *kernel, Labels *labels);
/* freeze.c: is the body what it was when it was frozen, if it was?  */
bool freeze_holds(const Kernel *kernel);

/* Is the op a statement of the .cu?  Else its text stands where its result is used.  */
bool op_is_printed(const Op *op);

#endif
