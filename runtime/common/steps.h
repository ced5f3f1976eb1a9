/* SPDX-License-Identifier: MIT */
/*
 * steps.h - what a launcher computes of loops and their steps, for the GPU and for its emulation.  C11 and C++17.
 */
#ifndef WS_STEPS_H
#define WS_STEPS_H

#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a loop of the grid ------------------------------------------------------------------------------------------ */

enum { WS_STEPS_ENDLESS = -1, WS_STEPS_WRAP = -2 };

/* How often `for (i = low; i < high; i += step)` runs, where i holds numbers up to `most`; or why it would not end.  */
static inline long ws_steps(long low, long high, long step, long most)
{
    if (low >= high)
        return 0;
    if (step <= 0)
        return WS_STEPS_ENDLESS;
    const unsigned long n = ((unsigned long)high - (unsigned long)low - 1) / (unsigned long)step;
    if (n >= LONG_MAX)
        return LONG_MAX;
    long behind; /* the last one may lie below 0, from where no number is too far */
    const bool wraps = __builtin_add_overflow(low + (long)n * step, step, &behind) || behind > most;
    return wraps ? (long)WS_STEPS_WRAP : (long)n + 1;
}

/* Which of `count` iterations it is that x lies in: low <= x < low + step the first, and round again beyond them.  */
static inline long ws_steps_from(long low, long step, long count, long x)
{
    long distance;
    if (count <= 0 || step <= 0)
        return 0;
    if (__builtin_sub_overflow(x, low, &distance))
        distance = x < 0 ? LONG_MIN : LONG_MAX;
    const long number = (distance / step - (distance % step < 0)) % count;
    return number < 0 ? number + count : number;
}

/* In words.  */
static inline const char *ws_steps_refused(long n)
{
    return n == WS_STEPS_ENDLESS ? "would not end" : "would wrap its variable around";
}

/* ---- boxes of tiles at a step ------------------------------------------------------------------------------------ */

/* Tiles of which a step's rows are brought, by so many blocks each.  From row `first` on what a block brings is the
   last that the tensor has, of `edge_rows`.  */
typedef struct {
    long first;
    int rows, edge_rows;
} ws_step_boxes;

/* A share is whole periods of the swizzle, and one that is not there is asked for as few rows as possible.  */
static inline ws_step_boxes ws_step_boxes_of(long extent, int rows, long step, int sharers, long nowhere)
{
    enum { PERIOD = 8 };
    long share = (step + sharers - 1) / sharers;
    if (sharers > 1)
        share = (share + PERIOD - 1) / PERIOD * PERIOD;
    ws_step_boxes boxes;
    boxes.rows = share < 1 ? 1 : share < rows ? (int)share : rows;
    const long last = extent > 0 && step > 0 ? (extent - 1) / step * step : 0, left = extent - last;
    const long whole = left / boxes.rows;
    boxes.edge_rows = left % boxes.rows ? (int)(left % boxes.rows) : PERIOD;
    boxes.first = whole < sharers ? last + whole * boxes.rows : nowhere;
    return boxes;
}

#ifdef __cplusplus
}
#endif

#endif
