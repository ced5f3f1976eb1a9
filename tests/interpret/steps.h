/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steps.h - the accesses of steps, and the dependence between two steps.  */
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
    int object;     /* number of the ring, the turns or the group */
    uint64_t index; /* number of the put, the round of a turn, the group of products or the copy */
    ws_sched_range range;
} Touch;

typedef struct {
    Touch *at;
    int count, room;
} Touches;

/* A summary of the touches: a bit mask of the objects modulo 64, and the bounds of the memory.  */
typedef struct {
    bool known;
    uint64_t objects;
    const char *from, *to;
} Glance;

typedef struct {
    uint64_t process;
    Touches touches;
    Glance glance; /* set once the step is over */
} Step;

void add_touch(Touches *to, Touch touch);
void sum_up(Step *step); /* sets the summary, once the step is over */
Step step_copy(const Step *from);
void steps_drop(Step *steps, int count);

typedef enum { APART, ORDERED, CONFLICT } Relation;
/* `x` comes before `y` in the present run.  */
Relation relate(const Step *x, const Step *y);
bool depends(const Step *x, const Step *y);

/* Returns memory for one more element, and zeroed memory for `count`.  Both abort if they fail.  */
void *grown(void *old, int count, int *room, size_t bytes);
void *zeroed(int count, size_t bytes);

#endif
