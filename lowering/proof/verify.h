/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.h - verify as a function of its own, and its parts.  */
#ifndef WSC_VERIFY_H
#define WSC_VERIFY_H

#include "ir/kernel.h"

/* True if verify accepts every kernel of `text`, the IR that --dump=plan prints.  Errors go to `diag`.  Text that
   cannot be parsed is not accepted.  */
bool verify_text(const char *text, const char *name, const Machine *gpu, DiagFn diag, void *context);

/* verify-memory.c: obligations that affine sums can show.  */
bool verify_memory(Kernel *kernel);
bool verify_machine(Kernel *kernel);

/* verify-reads.c: reads of slots by threads, and copies by TMA.  */
bool verify_reads(Kernel *kernel);

/* verify-fast.c: powers and quotients that are approximated.  */
bool verify_fast(Kernel *kernel);

/* verify-shares.c: partial row sums held by threads.  */
bool verify_shares(Kernel *kernel);

/* verify-windows.c: tiles that stay in registers across loops.  */
bool verify_windows(Kernel *kernel);

/* verify-types.c: types and shapes of tiles.  */
bool verify_types(Kernel *kernel);

/* verify-uniform.c: branches that all threads take alike.  */
bool verify_uniform(Kernel *kernel);

/* verify-beside.c and verify-pace.c: grids that run together.  */
bool verify_beside(Kernel *kernel);
bool verify_pace(Kernel *kernel);

/* verify-names.c: the variable that each printed name denotes.  */
bool verify_names(Kernel *kernel);

#endif
