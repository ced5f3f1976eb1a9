/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule-table.h - the schedule of a kernel: of its operations, its pipelined loops and its block.
 *
 * `choose`, a schedule file and the answer of wsc-solve write the same schedule.  The request of the user is in
 * clauses.h and stays as it is.
 *
 * To add to the schedule of operations, add a field to ScheduleRow, and extend print_row () in print-ops.c and
 * parse_row () in parse-ops.c.
 */
#ifndef WSC_SCHEDULE_TABLE_H
#define WSC_SCHEDULE_TABLE_H

#include "ir/clauses.h"
#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tags of statements (Tawa, III-C.1).  */
typedef enum { TAG_NONE, TAG_ITERATION, TAG_LOAD, TAG_TILE } Tag;

enum { RELEASE_END = 0x7fffffff };

/* The schedule of an operation: a row by Op.id, written by the user's clauses, tag and choose. An operation that a
   later pass derives has a copy of that row, or a row of its own. An unwritten row is zero.  */
typedef struct {
    int task;       /* number of the user's task, from 1 on (kernel_task ()); 0: none */
    int ring;       /* ring(x, D): slots of the ring that carries the result; 0: left to the compiler */
    int share;      /* share(X, Y): 2 * number of the pair in Kernel.shares, plus 1 for Y; 0: none */
    Tag tag;        /* set for operations of the body alone; read by choose */
    uint32_t roles; /* roles that execute the operation: a bit for each of kernel->roles */
    int stage;      /* iterations of delay behind the newest iteration of the loop */
    int order;      /* position within the iteration, by stage-major order */
    int depth;      /* slots of the ring that carries the result between roles; 0: no ring */
    int release;    /* ring: order of the op behind which the slot is free; RELEASE_END: the iteration's last product */
    uint32_t maker; /* ring: the role that fills its slots, as a bit */
    int line;       /* ring: bytes of a line in shared memory; 0: 128 */
    uint32_t transposer; /* ring: the role that puts the transpose into a second ring, as a bit; 0: none */
} ScheduleRow;

/* The schedule of a pipelined loop.  A number is -1 until choose decides.  */
struct LoopSchedule {
    int depth;         /* D: slots of its rings */
    int in_flight;     /* P: iterations whose products are in flight */
    ScheduleKind kind; /* SCHEDULE_FINE or SCHEDULE_COARSE */
    bool pingpong;     /* groups take turns with their products */
    bool ordered;      /* a schedule file gives the order in which an iteration issues its operations */
    int put_count;     /* number of arefs filled in the loop */
};

/* The schedule of a block.  */
typedef struct {
    int groups; /* groups that multiply and store; 0 until choose decides */
    Split split;
    TileOrder order;
    bool persistent;
    bool dynamic; /* a persistent CTA takes its next tile from a counter, not at a fixed stride */
} BlockSchedule;

typedef struct {
    ScheduleRow **chunks;
    int nchunks;
    bool begun; /* choose, or the text of the IR, has made block and loops */
    BlockSchedule block;
} Schedule;
const ScheduleRow *schedule_of(const Op *op); /* for reading; never NULL */
ScheduleRow *schedule_op(Op *op);             /* for writing */
LoopSchedule *schedule_of_loop(const Op *op); /* NULL: not pipelined, or the schedule has not begun */
bool loop_is_pipelined(const Op *op);         /* by the schedule, or by the pragma if the schedule has not begun */

/* Begins the schedule as far as the user's clauses determine it.  */
void schedule_begin(Kernel *kernel);
BlockSchedule schedule_asked_of_block(const Grid *grid);
LoopSchedule schedule_asked_of_loop(const Pipeline *pipeline);

#ifdef __cplusplus
}
#endif
#endif
