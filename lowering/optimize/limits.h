/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits.h - the iteration at which a condition of a loop's body can first fail.  */
#ifndef WSC_LIMITS_H
#define WSC_LIMITS_H

#include "ir/kernel.h"

/* The condition `question` of the loop's body is true while the counter is below the returned value. NULL: no such
   value is known.  */
Value *find_limit(Kernel *kernel, Op *loop, Value *question);

#endif
