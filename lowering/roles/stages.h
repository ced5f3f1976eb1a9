/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages.h - the modulo expander, run by expand before products become asynchronous.  */
#ifndef WSC_STAGES_H
#define WSC_STAGES_H

#include "ir/kernel.h"

/* Replaces every loop below the block that has more than one stage by a prologue, a steady state and an epilogue.  */
void expand_stages(Kernel *kernel, Block *block, bool in_order); /* in_order: reorder loops of one stage, too */

#endif
