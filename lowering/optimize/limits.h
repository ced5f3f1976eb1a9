/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits.h - up to which iteration a question has the same answer.  */
#ifndef WSC_LIMITS_H
#define WSC_LIMITS_H

#include "ir/ir.h"

/* Before which value of the counter a question of a loop's body is always answered by yes, NULL: not known.  */
Value *find_limit(Kernel *kernel, Op *loop, Value *question);

#endif
