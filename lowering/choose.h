/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose.h - the writers of the schedule table and what they share.  */
#ifndef WSC_CHOOSE_H
#define WSC_CHOOSE_H

#include "queries.h"

/* choose-split.c: may `groups` consumer groups divide the rows?  Sets value->split.  On failure *why is the op in the way.  */
bool split_rows(Kernel *kernel, int groups, Op **why);

/* choose-coarse.c: stages and orders for a loop of the form T, C, U.  False, and nothing changed, for any other.  */
bool choose_coarse(Kernel *kernel, Op *loop, const Uses *uses);

/* choose-deal.c: do some tiles take longer than others, and may they be dealt while the kernel runs?  */
bool choose_deal(Kernel *kernel);

#endif
