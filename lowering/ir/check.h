/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.h - checks the IR between passes.  */
#ifndef WSC_IR_CHECK_H
#define WSC_IR_CHECK_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

bool ir_check(Kernel *kernel); /* checks SSA, types and block structure; calls BUG () and returns false if broken */
bool ir_check_body(Kernel *kernel);
bool ir_check_programs(Kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
