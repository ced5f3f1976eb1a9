/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.h - verify as a call of its own, and its parts.  */
#ifndef WSC_VERIFY_H
#define WSC_VERIFY_H

#include "ir/ir.h"

/* Does verify accept every kernel of `text`, which is what --dump=plan printed?  What is wrong with it goes to `diag`;
   text that cannot be read is not accepted.  */
bool verify_text(const char *text, const char *name, DiagFn diag, void *context);

/* verify-memory.c: the obligations that sums can show.  */
bool verify_memory(Kernel *kernel);
bool verify_machine(Kernel *kernel);

/* verify-reads.c: threads' reads of slots, and TMA.  */
bool verify_reads(Kernel *kernel);

/* verify-shares.c: what threads have of a row's sum.  */
bool verify_shares(Kernel *kernel);

/* verify-windows.c: rows that stay in registers.  */
bool verify_windows(Kernel *kernel);

/* verify-uniform.c: branches that threads take alike.  */
bool verify_uniform(Kernel *kernel);

/* verify-beside.c: tiles of grids that run together.  */
bool verify_beside(Kernel *kernel);
bool verify_pace(Kernel *kernel);

/* verify-names.c: which variable a name means.  */
bool verify_names(Kernel *kernel);

#endif
