/* SPDX-License-Identifier: GPL-3.0-or-later */
/* functions.h - operations of C, as the front ends look them up.  */
#ifndef WSC_FUNCTIONS_H
#define WSC_FUNCTIONS_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the tile operation of a function of <math.h>, of double or float, or OP_COUNT where there is none. The scalar
   operation of each function is OP_SCALAR_MATH.  */
Opcode op_of_function(const char *name);
Opcode op_swapped(Opcode code); /* the operation with its operands exchanged, as b > a of a < b; OP_COUNT: none */
/* The number of a reduction in runtime/host/total.c.  */
int op_total_number(Opcode op, bool is_unsigned);
/* True if a counter of `bits` bits, below 64, cannot wrap around in its own type before its loop ends.  `lo` is its
   start, `hi` its bound; NULL: not a constant.  */
bool counter_never_wraps(Opcode compare, int64_t step, int bits, bool is_signed, const int64_t *lo, const int64_t *hi);

#ifdef __cplusplus
}
#endif
#endif
