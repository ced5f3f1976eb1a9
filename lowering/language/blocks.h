/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blocks.h - the pass `blocks` for a part of a version.  */
#ifndef WSC_BLOCKS_H
#define WSC_BLOCKS_H

#include "ir/kernel.h"

/* Turns one loop over blocks into a dimension of the grid.  Its iterations have `piece` columns of a row each, and it
   carries reductions of these columns.  */
void blocks_of_pieces(Kernel *kernel, int piece);

#endif
