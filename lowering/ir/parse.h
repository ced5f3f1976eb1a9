/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parse.h - reads textual IR.  */
#ifndef WSC_IR_PARSE_H
#define WSC_IR_PARSE_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

char *ir_read_text(FILE *in); /* all text up to the end of the file; the caller frees it; NULL: it cannot be read */
/* Returns NULL after an error.  */
Module *ir_parse(const char *text, const char *name, const Machine *machine, DiagFn diag, void *context);

#ifdef __cplusplus
}
#endif
#endif
