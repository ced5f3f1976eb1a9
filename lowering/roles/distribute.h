/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distribute.h - what the files of distribute.c share.  */
#ifndef WSC_DISTRIBUTE_H
#define WSC_DISTRIBUTE_H

#include "ir/ir.h"

/* Loops that do nothing but pass over puts, once an iteration, become one step.  */
void collapse_skips(Kernel *kernel, Block *block);

#endif
