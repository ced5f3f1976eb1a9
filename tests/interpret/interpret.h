/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpret.h - run the final IR of a kernel, without a compiler of C++.
 *
 * The second driver of the emulator's scheduler (runtime/emulate/scheduler.h).  The first is the compiled .cu; this one
 * reads the text that `--ws-dump=verify` prints and does what the .cu would do, variable for variable and call for
 * call, so that under one seed both go through the same states.  Tiles are computed by the sequential library.
 *
 *   gemm.c --gcc, plugin--> gemm.o that calls ws_launch_gemm (M, N, K, A, B, C)
 *                    |
 *                    +--> final IR --interpret-stubs--> ws_launch_gemm: interpret_launch (this text, "gemm", arguments)
 *
 * It links the compiler's own reader (libwsc), so programs made with it are under the GPL.  wsc-run installs it.
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

/* What a launcher does.  `unit` is kept for the next call.  Failures are those of an emulated launch: ws_last_error.

   WS_SEED=n        the first seed (1)
   WS_SCHEDULES=n   run under n seeds in succession, which must leave the same bytes (1); "all": every order, up to
                    those that cannot differ (explore.c), for small launches
   WS_REACH=1       the first and the last element of each tensor have to be memory
   WS_ORDER=...     the order that a report of these names  */
void interpret_launch(interpret_unit **unit, const char *text, const char *kernel, const interpret_argument *arguments,
                      int count);

#ifdef __cplusplus
}
#endif
#endif
