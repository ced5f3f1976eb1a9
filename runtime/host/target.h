/* SPDX-License-Identifier: MIT */
/*
 * target.h - declarations shared by the files of this folder.
 */
#ifndef WS_HOST_TARGET_H
#define WS_HOST_TARGET_H

#include "ws/backend.h"

#include <stdbool.h>

/* True if kernels run on the device of ws_backend_offer.  Decided once.  */
bool ws_choose_target(void);

/* The greatest common divisor; for 0 and x it is |x|.  */
static inline long common_divisor(long x, long y)
{
    while (y) {
        long rest = x % y;
        x = y;
        y = rest;
    }
    return x < 0 ? -x : x;
}

/* The common divisor in bytes of the steps of all outer dimensions, and of `period`; 0 if there is one row.  */
static inline long period_of_use(const struct ws_use *use, long period)
{
    for (int i = 0; i + 1 < use->rank; i++)
        if (use->extent[i] > 1)
            period = common_divisor(use->stride[i] * use->size, period);
    return period;
}

/* together.c: a loop over devices begins in a block; returns true if the block's lanes are entered already.  The loop
   ends; returns true if the block's end takes care of later work.  */
__attribute__((visibility("hidden"))) bool ws_together_loop_begins(long devices);
__attribute__((visibility("hidden"))) bool ws_together_loop_ends(int devices);
/* devices.c: the caller's stream waits for `devices` devices; the current device's stream does.  */
__attribute__((visibility("hidden"))) void ws_devices_meet(int devices);
__attribute__((visibility("hidden"))) void ws_devices_wait_all(int devices, bool again);

__attribute__((visibility("hidden"))) bool ws_devices_keep(void *p, size_t bytes, int device);
/* team.c: this process's team, if it has several processes; begin and end of a loop over devices; a tensor of a launch
   in the loop.  */
__attribute__((visibility("hidden"))) ws_team *ws_team_now(void);
__attribute__((visibility("hidden"))) ws_status ws_team_loop_begins(long devices);
__attribute__((visibility("hidden"))) ws_status ws_team_loop_ends(int failed);
__attribute__((visibility("hidden"))) void ws_team_note(const struct ws_use *use);

/* faults.c: numbers a launch that waits for tiles, for ws_together_stuck_.  */
__attribute__((visibility("hidden"))) void ws_faults_remember(struct ws_together *launch);

#endif
