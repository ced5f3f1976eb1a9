/* SPDX-License-Identifier: MIT */
/*
 * steps.h - a launcher's arithmetic of loops and their steps, for the GPU and for its emulation.  C11 and C++17.
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

/* Iterations of `for (i = low; i < high; i += step)`, if i holds numbers up to `most`; or the reason that the loop
   would not end.  */
static inline long ws_steps(long low, long high, long step, long most)
{
    if (low >= high)
        return 0;
    if (step <= 0)
        return WS_STEPS_ENDLESS;
    const unsigned long n = ((unsigned long)high - (unsigned long)low - 1) / (unsigned long)step;
    if (n >= LONG_MAX)
        return LONG_MAX;
    long behind; /* the last i may be below 0: then no step overflows */
    const bool wraps = __builtin_add_overflow(low + (long)n * step, step, &behind) || behind > most;
    return wraps ? (long)WS_STEPS_WRAP : (long)n + 1;
}

/* The iteration, of `count`, in which x lies: x in [low, low + step) is in iteration 0.  Positions outside the loop
   wrap around.  */
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

/* The reason as text.  */
static inline const char *ws_steps_refused(long n)
{
    return n == WS_STEPS_ENDLESS ? "would not end" : "would wrap its variable around";
}

/* ---- boxes of tiles at a step ------------------------------------------------------------------------------------ */

/* Boxes of tiles of which only one step's rows are loaded, by several blocks each.  From row `first` on a block loads
   the last `edge_rows` rows of the tensor.  */
typedef struct {
    long first;
    int rows, edge_rows;
} ws_step_boxes;

/* A share is a multiple of the swizzle's period.  Boxes ask for as few out-of-bounds rows as possible.  */
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
