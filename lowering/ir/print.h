/* SPDX-License-Identifier: GPL-3.0-or-later */
/* print.h - writes textual IR.  */
#ifndef WSC_IR_PRINT_H
#define WSC_IR_PRINT_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the dump behind a pass, with roles if there are any.  */
void ir_print(FILE *out, const Kernel *kernel, const char *pass);

#ifdef __cplusplus
}
#endif
#endif
