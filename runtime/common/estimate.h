/* SPDX-License-Identifier: MIT */
/* estimate.h - parts of a launch's estimate that the compiler and the launchers share.  */
#ifndef WS_COMMON_ESTIMATE_H
#define WS_COMMON_ESTIMATE_H

#include "costs.h"

/* Clocks of L2 for a request of 128 bytes, for rows `stride` bytes apart.  */
static inline double ws_line_clocks(const ws_estimates *estimates, long stride)
{
    return stride % 128 == 0  ? estimates->line_whole
           : stride % 64 == 0 ? estimates->line_half
           : stride % 32 == 0 ? estimates->line_sector
                              : estimates->line_inside;
}

/* Clocks of two concurrent activities: a little more than the longer one.  */
static inline double ws_overlapped_clocks(const ws_estimates *estimates, double x, double y)
{
    const double longer = x > y ? x : y, part = longer > 0 ? (x + y - longer) / longer : 0;
    return longer * (1 + part * part * part * part / estimates->overlap);
}

#endif
