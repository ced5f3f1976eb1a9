/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clauses.h - the clauses of pragmas: the user's request.  Passes before `freeze` fill in open ones.  `choose` and
 * later passes write their decisions to the schedule (schedule-table.h); choose also drops a cluster of one block.
 */
#ifndef WSC_IR_CLAUSES_H
#define WSC_IR_CLAUSES_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* reduction(op: name): SCALAR_ADD, SCALAR_MUL, SCALAR_MAX or SCALAR_MIN; on a grid also SCALAR_AND and SCALAR_OR.  */
typedef struct Reduction {
    Opcode op;
    const char *name;
    struct Reduction *next;
} Reduction;

/* The clause pipeline(D[,P]) and others of a FOR.  A number is -1 where the user leaves the choice to the compiler.  */
typedef enum { SCHEDULE_AUTO, SCHEDULE_FINE, SCHEDULE_COARSE, SCHEDULE_OPTIMAL } ScheduleKind;
struct Pipeline {
    int depth;      /* D */
    int in_flight;  /* P */
    bool automatic; /* pipeline(auto) */
    bool pingpong;
    int variants; /* schedule(optimal, n): number of solved schedules that become variants; 0: none */
    int subtiles; /* subtile(n): number of parts that the rows of each tile are divided into; 0 or 1: not divided */
    bool parts;   /* the clause is parts: each block of a cluster executes one iteration of a reduction */
    bool blocks;  /* the clause is blocks: each block of a cluster executes one iteration of the loop */
    ScheduleKind schedule;
    Loc loc;               /* location of the pragma */
    int tile;              /* plain loops: iterations in one tile; 0: left to the compiler */
    Reduction *reductions; /* plain loops: sums that may be computed in another order */
    bool plain;            /* plain loops: the pragma chooses a tile and does not assert that loads can move */
};

enum { MOST_SUBTILES = 8 };
typedef enum { ORDER_AUTO, ORDER_ROW, ORDER_COLUMN, ORDER_GROUPED } TileOrder;
typedef enum { SPLIT_AUTO, SPLIT_ROWS, SPLIT_TILES } Split;
/* precision(...): the type that operands of float products in plain loops may be rounded to.  */
typedef enum { PRECISION_F32, PRECISION_TF32, PRECISION_F16, PRECISION_BF16 } Precision;

/* extent(x: n): the array at the parameter `base` has `bytes` bytes.  */
typedef struct Extent {
    Value *base, *bytes;
    struct Extent *next;
} Extent;

/* A reduction over all iterations of the grid. Each tile stores a partial result at `base`, in memory that the launcher
   gets. The caller combines the partial results in order (runtime/host/total.c).  */
typedef struct Total {
    Opcode op;
    const char *name;
    Value *base;
    struct Total *next;
    bool is_unsigned; /* the elements are unsigned integers (plain-total.c) */
} Total;

/* grid(n) and its clauses; 0, NULL or AUTO where the user left them out.  */
typedef struct {
    int dims;
    bool persistent, persistent_given;
    int cluster[2]; /* blocks of a cluster along the last dimension but one, and along the last; 0: none */
    bool parts;     /* the last dimension comes from a loop with the clause parts or blocks: the blocks of a cluster */
    TileOrder order;
    int order_group;
    Value *from;   /* a parameter: the first tile is that of this value of the first variable, and tiles wrap around */
    int share;     /* multiprocessors that the grid may use; 0: all */
    bool together; /* the grid may run concurrently with others */
    bool awaits;   /* grid-sync: tiles wait for tiles of earlier grids, so that the grid may begin before these end */
    int consumers;
    Split split;
    int producer_registers, consumer_registers;
    bool plain;     /* the loops are over elements; language/plain.c converts them to tiles */
    bool rewritten; /* plain.c has converted them */
    bool by_one;    /* plain: unsigned 32-bit variables step by 1 in the source, and do not wrap around */
    int tile[4];    /* plain: iterations of each loop in one tile; 0: left to the compiler */
    Precision precision;
    Extent *extents;        /* plain: extents of arrays that do not follow from the loops */
    Reduction *reductions;  /* plain: the reductions of the grid */
    Reduction *independent; /* plain: arrays of which iterations store different elements */
    Total *totals;          /* plain: reductions whose results are used behind the grid */
    Loc loc;
} Grid;

/* task(NAME) on a block: its statements run in a role of that name.  A number is 0 where the user left it out.  */
typedef struct Task {
    const char *name;
    int groups, registers;
    bool loads; /* queues: the task only loads, so that the producer does its work */
    Loc loc;    /* location of the pragma */
    struct Task *next;
} Task;

/* share(X, Y): two tiles use the same shared memory.  */
typedef struct SharedMemory {
    const char *names[2];
    Loc loc;
    struct SharedMemory *next;
} SharedMemory;

#ifdef __cplusplus
}
#endif
#endif
