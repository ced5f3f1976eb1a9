/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold.h - constant folding of scalar operations.  */
#ifndef WSC_FOLD_H
#define WSC_FOLD_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if constant folding of scalar operations yields an integer, which is stored to *result.  */
bool ir_constant(const Value *value, int64_t *result);
int64_t ir_wrap(Dtype dtype, int64_t value); /* value modulo the width of dtype, as the type represents it */
/* True if `op` on the integers `args` can be folded; *result is the integer.  */
bool ir_fold(const Op *op, const int64_t *args, int64_t *result);
bool ir_constant_float(const Value *value, double *result);

#ifdef __cplusplus
}
#endif
#endif
