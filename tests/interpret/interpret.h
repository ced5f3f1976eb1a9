/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpret.h - runs the final IR of a kernel without a C++ compiler.
 *
 * This is the second client of the emulator's scheduler (runtime/emulate/scheduler.h).  The first is the compiled .cu.
 * The interpreter reads the text that `--ws-dump=verify` prints and does the same as the .cu, variable for variable and
 * call for call.  So under one seed both go through the same states.  The sequential library computes the tiles.
 *
 *      gemm.c --gcc, plugin--> gemm.o that calls ws_launch_gemm (M, N, K, A, B, C)
 *                       |
 *                       +--> final IR --interpret-stubs--> ws_launch_gemm: interpret_launch (text, "gemm", arguments)
 *
 * A program links the compiler's own reader (libwsc), so it is under the GPL.  wsc-run installs it.
 */
#ifndef INTERPRET_H
#define INTERPRET_H

#ifdef __cplusplus
extern "C" {
#endif

typedef union {
    long long number; /* of an integer parameter */
    double real;
    const void *base;
} interpret_argument;

typedef struct interpret_unit interpret_unit; /* a parsed text */

/* Runs a launch.  `unit` keeps the parsed text for the next call.  Failures are those of an emulated launch: see
   ws_last_error.

   WS_SEED=n        the first seed (1)
   WS_SCHEDULES=n   n consecutive seeds, which must leave the same bytes (1); "all": every order, up to orders that
                    cannot differ (explore.c), for small launches
   WS_REACH=1       the first and the last element of each tensor have to be memory
   WS_ORDER=...     the order that a report names  */
void interpret_launch(interpret_unit **unit, const char *text, const char *kernel, const interpret_argument *arguments,
                      int count);

#ifdef __cplusplus
}
#endif
#endif
