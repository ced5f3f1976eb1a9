/* SPDX-License-Identifier: MIT */
/* step.h - the emulation step by step: calls of a launch before and after each block.  */
#ifndef WS_EMULATE_STEP_H
#define WS_EMULATE_STEP_H

#include "scheduler.h"

bool ws_step_wanted(void);   /* if true, blocks run one after the other in one thread */
bool ws_step_begin(int cta); /* true: this block is stepped, in a process that may begin it again */
uint64_t ws_step_seed(uint64_t seed);
void ws_step_end(ws_sched *s); /* the block has ended, or has a report */

#endif
