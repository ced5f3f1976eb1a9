/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steps.h - what steps of processes touch, and which of them depend on each other.  */
#ifndef STEPS_H
#define STEPS_H

#include "../../runtime/emulate/scheduler.h"

typedef enum {
    READS,
    WRITES,
    LOADS,
    STORES,
    ADDS,
    FILLS,
    GETS,
    FREES,
    PUTS,
    PASSES,
    TAKES,
    ENDS,
    WAITS,
    OUT_ENDS,
    OUT_WAITS,
    STARTS
} Kind;

typedef struct {
    Kind kind;
    int object;     /* ring, turns or group */
    uint64_t index; /* put, round of a turn, group of products, number of a copy */
    ws_sched_range range;
} Touch;

typedef struct {
    Touch *at;
    int count, room;
} Touches;

/* The objects among the touches, a bit for each 64th, and bounds of the memory.  */
typedef struct {
    bool known;
    uint64_t objects;
    const char *from, *to;
} Glance;

typedef struct {
    uint64_t process;
    Touches touches;
    Glance glance; /* once the step is over */
} Step;

void add_touch(Touches *to, Touch touch);
void sum_up(Step *step); /* once it is over */
Step step_copy(const Step *from);
void steps_drop(Step *steps, int count);

typedef enum { APART, ORDERED, CONFLICT } Relation;
Relation relate(const Step *x, const Step *y); /* the first comes before the second in the run at hand */
bool depends(const Step *x, const Step *y);

/* Room for one more, and for so many: they do not fail.  */
void *grown(void *old, int count, int *room, size_t bytes);
void *zeroed(int count, size_t bytes);

#endif
