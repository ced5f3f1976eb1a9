/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order.h - positions of operations in the program of a role.  */
#ifndef WSC_ORDER_H
#define WSC_ORDER_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* order.c: assigns op->position in program order.  A control operation ends at the position after its last block.  */
void order_number(Role *role);
int order_end(const Op *op);
/* The operation of `block` that is `op` or contains `op`; NULL: none.  */
Op *order_in_block(Op *op, const Block *block);
/* The outermost loop (FOR, WHILE, GRID) around `op` that does not contain `block`, or NULL.  */
Op *order_outer_loop(const Op *op, const Block *block);

#ifdef __cplusplus
}
#endif
#endif
