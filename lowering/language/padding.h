/* SPDX-License-Identifier: GPL-3.0-or-later */
/* padding.h - a question of padding.c that others ask, too.  */
#ifndef WSC_PADDING_H
#define WSC_PADDING_H

#include "ir/ir.h"

bool may_be_ragged(const Op *load, int dimension, int64_t size); /* does the tile lie across that edge of its tensor? */

#endif
