/* SPDX-License-Identifier: MIT */
/*
 * scheduler.h - one CTA of the emulation, or one cluster of them: warp groups, engines, and the protocol between them.
 *
 * A warp group is a fiber.  The engines are TMA (in and out) and one tensor core for each group; what
 * they are asked to do is queued and happens later.  Every call below that synchronizes or starts something is a
 * point at which anybody may go on: the next is drawn among the fibers that can run and the engine steps that are
 * possible, by a seeded generator, so that a seed replays exactly.
 *
 *   what is drawn                        when it is possible
 *   a fiber                              what it waits for has happened
 *   a copy in: the bytes land            any that was started, in any order
 *   a product: operands read, acc added  the oldest of each group's tensor core
 *   a copy out: shared memory is read    any that was started, in any order
 *   a copy out: global memory written    any that was read, in any order
 *
 * The core knows what the protocol allows.  The first violation ends the CTA with a sentence that names the group, the
 * ring, the slot and the iteration; so does a state in which nothing can happen any more.  A call that reports never
 * returns; the fibers are given up where they stand (hence they own nothing but their stacks).
 *
 * There are two drivers: the compiled .cu, through wsrt.cuh, and an interpreter of the final IR.  Both call what is
 * below, by name, from inside a fiber.  A put and a get carry their running index i: slot i mod D, round i / D, phase
 * (i / D) & 1. A driver that computes them wrongly gets its report.
 *
 * What a copy or a product does to memory is the driver's: a function with its arguments, which are copied when the
 * operation is started and used when it happens.
 */
#ifndef WS_EMULATE_SCHED_H
#define WS_EMULATE_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fiber.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ws_sched ws_sched;

/* A piece of shared memory (or of anything that is compared by address).  */
typedef struct {
    const void *at;
    size_t bytes;
} ws_sched_range;

/* What a product keeps in the accumulator that it writes: zero when nobody uses it.  */
typedef struct {
    uint32_t in_flight; /* products started on it whose group was not waited for */
    uint32_t unnamed;   /* its last group was waited for, but the wait did not name it */
} ws_sched_accumulator;

/* What an operation does.  `args` are copied into it when it is started; `held` is memory of its own.  */
enum { WS_SCHED_ARGS = 384, WS_SCHED_FIBERS = 64 };
typedef void (*ws_sched_step)(void *args, void *held);

/* ---- hooks: exploration and happens-before ----------------------------------------------------------------------- */

/* What happened, in the order in which it happened.  */
typedef enum {
    WS_SCHED_EVENT_START,        /* a fiber passed the CTA barrier */
    WS_SCHED_EVENT_PUT,          /* the wait of a put is over: the slot is empty */
    WS_SCHED_EVENT_COPY_ISSUED,  /* a copy into a slot was started */
    WS_SCHED_EVENT_COPY_LANDED,  /* its bytes are there */
    WS_SCHED_EVENT_PUT_DONE,     /* the producer's arrival on the full barrier */
    WS_SCHED_EVENT_GET,          /* the wait of a get is over: the slot is full */
    WS_SCHED_EVENT_CONSUMED,     /* an arrival on the empty barrier */
    WS_SCHED_EVENT_PRODUCT,      /* a product was started: once for each operand, with its range */
    WS_SCHED_EVENT_PRODUCT_DONE, /* it was computed */
    WS_SCHED_EVENT_COMMIT,
    WS_SCHED_EVENT_WAIT,        /* a wait for products is over */
    WS_SCHED_EVENT_OUT_ISSUED,  /* a copy out was started */
    WS_SCHED_EVENT_OUT_READ,    /* it has read shared memory */
    WS_SCHED_EVENT_OUT_WRITTEN, /* it has written global memory */
    WS_SCHED_EVENT_STORE_WAIT,
    WS_SCHED_EVENT_READ,        /* a group read shared memory */
    WS_SCHED_EVENT_WRITE,       /* a group wrote shared memory */
    WS_SCHED_EVENT_WRITE_APART, /* each thread what no other touches */
    WS_SCHED_EVENT_READ_APART,  /* each thread what it wrote so */
    WS_SCHED_EVENT_FENCE,
    WS_SCHED_EVENT_BARRIER,
    WS_SCHED_EVENT_TAKE,
    WS_SCHED_EVENT_PASS,
    WS_SCHED_EVENT_GLOBAL, /* global memory was, or will be, read (object 0), written (1), added to (2) */
    WS_SCHED_EVENT_EXIT
} ws_sched_event_kind;

typedef struct {
    ws_sched_event_kind kind;
    int fiber;      /* the group that did it, or that asked the engine for it */
    int object;     /* ring, turns or group of products; -1: none */
    uint64_t index; /* running index of a put or get; serial number of an operation */
    ws_sched_range range;
} ws_sched_event;

/* One thing that could happen next.  */
typedef enum {
    WS_SCHED_FIBER,
    WS_SCHED_COPY_IN,
    WS_SCHED_PRODUCT,
    WS_SCHED_OUT_READ,
    WS_SCHED_OUT_WRITE
} ws_sched_choice_kind;
typedef struct {
    ws_sched_choice_kind kind;
    int fiber;          /* itself, or who started the operation */
    uint64_t operation; /* serial number; 0 for a fiber */
} ws_sched_choice;

typedef struct {
    const char *kernel; /* for reports */
    int cta;            /* of a cluster the first */
    uint64_t seed;
    ws_stacks *stacks; /* of this thread; NULL: a pool of its own */
    /* NULL: drawn by seed.  Otherwise returns which of the `count` (never 0) choices happens next.  */
    int (*choose)(void *user, int count, const ws_sched_choice *choices);
    void (*observe)(void *user, const ws_sched_event *event); /* NULL: nobody */
    void *user;
    int groups;     /* of each block of a cluster, whose fibers are added block by block; 0: all are one block's */
    bool no_clocks; /* races are left to who tries all orders */
} ws_sched_config;

/* ---- a CTA ------------------------------------------------------------------------------------------------------- */

ws_sched *ws_sched_new(const ws_sched_config *config); /* NULL: no memory */
void ws_sched_delete(ws_sched *s);
unsigned long ws_sched_drawn(const ws_sched *s); /* how often what comes next was drawn */
/* Add a group; `role` (or NULL: learned from what it does) and `group` are for reports.  Returns its number, -1:
   no memory.  */
int ws_sched_fiber(ws_sched *s, const char *role, int group, void (*run)(void *arg), void *arg);
bool ws_sched_run(ws_sched *s);                 /* false: ws_sched_report tells why */
const char *ws_sched_report(const ws_sched *s); /* one line, then one for each group where they matter */

/* What happens from now on, as a list of events in the trace format of Chrome and Perfetto, each with a comma and a
   line of its own behind it: for the caller to free.  `process` is this CTA's number among those of the file.  */
bool ws_sched_trace(ws_sched *s); /* false: no memory */
char *ws_sched_trace_text(ws_sched *s, int process);
char *ws_sched_timeline_text(ws_sched *s); /* the same as a picture of letters */

void ws_sched_ask(ws_sched *s);                 /* what happens next is asked for: step.c */
void ws_sched_line(const char *file, int line); /* the running fiber is there in the source; outside nothing */
void ws_emulate_step(void);                     /* step the launches of this process, unless WS_STEP says otherwise */

/* Steps take the time that a machine description says, and the earliest happens next: a prediction.  */
typedef struct ws_machine ws_machine;
ws_machine *ws_machine_read(const char *path, int *line);    /* NULL: it cannot be read, or that line of it */
int ws_machine_processors(const ws_machine *machine);        /* 0: it does not say */
bool ws_sched_clock(ws_sched *s, const ws_machine *machine); /* false: no memory */

/* ---- below: from inside a fiber ---------------------------------------------------------------------------------- */

ws_sched *ws_sched_current(void); /* of this thread; NULL outside */
int ws_sched_self(ws_sched *s);   /* number of this fiber */
int ws_sched_group(ws_sched *s);  /* its number in its block */
int ws_sched_block(ws_sched *s);  /* of the cluster, to which it belongs */
void *ws_sched_user(ws_sched *s); /* config->user */
void ws_sched_role(ws_sched *s, const char *role);
void ws_sched_iteration(ws_sched *s, long tile); /* for reports: this group works on that tile of the grid */
long ws_sched_tile(ws_sched *s); /* what was told, of the fiber that runs or that asked the engine; -1 */
void ws_sched_fail(ws_sched *s, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void ws_sched_point(ws_sched *s); /* anybody may go on */
void ws_sched_start(ws_sched *s); /* CTA or cluster barrier: all fibers */
void ws_sched_finish(
    ws_sched *s); /* the same at the end, which no block of a cluster may leave before the others come */

/* ---- rings: full and empty barriers ------------------------------------------------------------------------------ */

/* D slots; a slot is empty again after `arrivals` groups have released it.  Returns the ring's number (from 1).  */
int ws_sched_ring(ws_sched *s, const char *name, int slots, int arrivals);
/* Each put of the ring is made by so many groups together, the same index by each; 1 where nobody says so.  */
void ws_sched_fillers(ws_sched *s, int ring, int groups);
/* In a cluster: the same ring of those blocks (a bit for each, its own among them) is filled by copies of all of
   them. */
void ws_sched_share(ws_sched *s, int ring, uint32_t blocks);
int ws_sched_slots(const ws_sched *s, int ring);
int ws_sched_put(ws_sched *s, int ring, uint64_t index); /* waits until the slot is empty; returns it */
/* Waits until all have released the slot that put `index` will fill, without making that put.  */
void ws_sched_await_empty(ws_sched *s, int ring, uint64_t index);
void ws_sched_expect(ws_sched *s, int ring, uint64_t index, size_t bytes); /* arms the full barrier with more bytes */
/* Start a copy of `to.bytes` into the slot.  */
void ws_sched_copy_in(ws_sched *s, int ring, uint64_t index, ws_sched_range to, ws_sched_step step, const void *args,
                      size_t args_bytes);
/* The same into the slot of another block, whose memory `to` is.  */
void ws_sched_copy_share(ws_sched *s, int ring, uint64_t index, int block, ws_sched_range to, ws_sched_step step,
                         const void *args, size_t args_bytes);
/* For a tile that each of these blocks copies by itself: tells the others that this one has put, and expects to be
   told.  */
void ws_sched_tell(ws_sched *s, int ring, uint64_t index, uint32_t blocks);
/* The same by the group itself: done, fenced and counted when it returns.  */
void ws_sched_copy_in_now(ws_sched *s, int ring, uint64_t index, ws_sched_range to, ws_sched_step step, void *args);
void ws_sched_put_done(ws_sched *s, int ring, uint64_t index); /* everything of this put was started */
int ws_sched_get(ws_sched *s, int ring, uint64_t index);       /* waits until the slot is full; returns it */
void ws_sched_consumed(ws_sched *s, int ring, uint64_t index); /* this group releases what it got as `index` */
/* The same to the rings of several blocks.  */
void ws_sched_consumed_in(ws_sched *s, int ring, uint64_t index, uint32_t blocks);

/* ---- durations, by kinds of the machine's; nothing without a clock ----------------------------------------------- */

void ws_sched_work(const char *kind, double work); /* this group has done so much of that */
void ws_sched_next(const char *kind, double work); /* the product that it starts next is so much of that */

/* ---- the tensor core --------------------------------------------------------------------------------------------- */

/* Start a product that reads a and b and adds to acc.  An operand in registers has no bytes in its range; its
   value now is what counts, and comes to `step` as a copy of `held`.  */
void ws_sched_product(ws_sched *s, ws_sched_accumulator *acc, ws_sched_range a, ws_sched_range b, ws_sched_step step,
                      const void *args, size_t args_bytes, const void *held, size_t held_bytes);
void ws_sched_commit(ws_sched *s);           /* close the group of the products started since the last commit */
void ws_sched_wait(ws_sched *s, int groups); /* until at most so many groups are in flight */
void ws_sched_name(ws_sched *s, ws_sched_accumulator *acc); /* the wait before this call named acc */
void ws_sched_touched(ws_sched *s, const ws_sched_accumulator *acc, const char *how)
    __attribute__((noreturn)); /* acc is not zero: report it */

/* ---- shared memory, by the group itself -------------------------------------------------------------------------- */

void ws_sched_read(ws_sched *s, ws_sched_range range);
void ws_sched_write(ws_sched *s, ws_sched_range range); /* call before writing */
/* The same where each thread, or warp, writes what no other touches until an engine has read it.  */
void ws_sched_write_apart(ws_sched *s, ws_sched_range range);
void ws_sched_read_apart(ws_sched *s, ws_sched_range range);      /* each thread what it wrote itself */
void ws_sched_global(ws_sched *s, int how, ws_sched_range range); /* for observe: GLOBAL */
void ws_sched_fence(ws_sched *s);   /* what each thread of this group wrote is visible to the engines */
void ws_sched_barrier(ws_sched *s); /* the group's threads meet: before, each is alone with what it did */

/* ---- copies out -------------------------------------------------------------------------------------------------- */

/* Start a copy of `from`: `read` fills the `held_bytes` at `held` from shared memory, `write` puts them into
   global memory.  */
void ws_sched_copy_out(ws_sched *s, ws_sched_range from, size_t held_bytes, ws_sched_step read, ws_sched_step write,
                       const void *args, size_t args_bytes);
void ws_sched_copy_nothing(ws_sched *s); /* what the group wrote itself: counts as one that has ended */
void ws_sched_store_wait(ws_sched *s,
                         int copies); /* until at most so many of this group's newest copies out still read */

/* ---- tiles of grids that run together ---------------------------------------------------------------------------- */

void ws_sched_await(ws_sched *s, unsigned roles); /* this group has waited for what these roles load of its tile */
unsigned ws_sched_awaited(ws_sched *s); /* for what had it, when what touches memory now was started? 0: nothing */
void ws_sched_tile_done(ws_sched *s);   /* it stores no more of its tile */
long ws_sched_tell_tiles(ws_sched *s);  /* until its copies out have written: the tile that is done, or -1 */
bool ws_sched_told(ws_sched *s);        /* had it said so, when what touches memory now was started? */

/* ---- turns ------------------------------------------------------------------------------------------------------- */

int ws_sched_turns(ws_sched *s, const char *name, int groups); /* returns its number (from 1); group 0 goes first */
void ws_sched_take(ws_sched *s, int turns, int group);
void ws_sched_pass(ws_sched *s, int turns, int group);
/* Of what all its groups print together, this group's part, from malloc; the last one prints all parts, in order.  They
   meet before and behind.  */
void ws_sched_show(ws_sched *s, int turns, int group, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
