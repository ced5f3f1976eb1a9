/* SPDX-License-Identifier: MIT */
/* target.h - between the files of this folder. */
#ifndef WS_HOST_TARGET_H
#define WS_HOST_TARGET_H

#include "ws/backend.h"

#include <stdbool.h>

/* Where a device was offered: do kernels run on it?  Decided once.  */
bool ws_choose_target(void);

/* Of 0 and x it is |x|.  */
static inline long common_divisor(long x, long y)
{
    while (y) {
        long rest = x % y;
        x = y;
        y = rest;
    }
    return x < 0 ? -x : x;
}

/* Bytes of which all rows of the view are a multiple apart, and so are those of `period`; 0: of one row.  */
static inline long period_of_use(const struct ws_use *use, long period)
{
    for (int i = 0; i + 1 < use->rank; i++)
        if (use->extent[i] > 1)
            period = common_divisor(use->stride[i] * use->size, period);
    return period;
}

/* together.c: a loop over so many devices begins in a block, whose lanes are entered already; it ends, and the block's
   end sees to what follows.  */
__attribute__((visibility("hidden"))) bool ws_together_loop_begins(long devices);
__attribute__((visibility("hidden"))) bool ws_together_loop_ends(int devices);
/* devices.c: the caller's stream waits for so many devices; this device's stream does.  */
__attribute__((visibility("hidden"))) void ws_devices_meet(int devices);
__attribute__((visibility("hidden"))) void ws_devices_wait_all(int devices, bool again);

__attribute__((visibility("hidden"))) bool ws_devices_keep(void *p, size_t bytes, int device);
/* team.c: this process's, if it has several; a loop over devices begins and ends; a launch in it takes a tensor.  */
__attribute__((visibility("hidden"))) ws_team *ws_team_now(void);
__attribute__((visibility("hidden"))) ws_status ws_team_loop_begins(long devices);
__attribute__((visibility("hidden"))) ws_status ws_team_loop_ends(int failed);
__attribute__((visibility("hidden"))) void ws_team_note(const struct ws_use *use);

/* faults.c: a launch that waits for tiles gets a number, under which ws_together_stuck_ knows it.  */
__attribute__((visibility("hidden"))) void ws_faults_remember(struct ws_together *launch);

#endif
