/* SPDX-License-Identifier: GPL-3.0-or-later */
/* padding.h - the predicate of padding.c that passes share.  */
#ifndef WSC_PADDING_H
#define WSC_PADDING_H

#include "ir/kernel.h"

/* True if a tile of `size` elements in that dimension may extend beyond its tensor.  */
bool may_be_ragged(const Op *load, int dimension, int64_t size);

#endif
