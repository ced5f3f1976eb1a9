/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rewrite.h - a grid of plain loops as C over tiles.  */
#ifndef WSC_REWRITE_H
#define WSC_REWRITE_H

#include "ir/ir.h"

/* require: plain.   ensure: nothing.   */
void pass_rewrite(Kernel *kernel);
/* A function, in the module's arena; "" for a grid that was written over tiles.  */
const char *rewrite_text(Kernel *kernel);

#endif
