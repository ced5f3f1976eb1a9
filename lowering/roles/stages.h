/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages.h - the modulo expander, run by expand before products become asynchronous.  */
#ifndef WSC_STAGES_H
#define WSC_STAGES_H

#include "ir/ir.h"

/* Every loop below the block whose operations have more than one stage becomes prologue, steady state and epilogue.  */
void expand_stages(Kernel *kernel, Block *block, bool in_order); /* in_order: of one stage, too */

#endif
