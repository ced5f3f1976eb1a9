/* SPDX-License-Identifier: MIT */
/* target.h - between the files of this folder. */
#ifndef WS_HOST_TARGET_H
#define WS_HOST_TARGET_H

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

#endif
