/* SPDX-License-Identifier: GPL-3.0-or-later */
/* epilogue-prefetch.h - the predicate of epilogue-prefetch.c that later phases share.  */
#ifndef WSC_EPILOGUE_PREFETCH_H
#define WSC_EPILOGUE_PREFETCH_H

#include "ir/kernel.h"

/* True if a tile of the epilogue is loaded into a slot of its own, from the begin of the product on.  */
bool load_comes_whole(const Kernel *kernel, const Op *load);

#endif
