/* SPDX-License-Identifier: MIT */
/*
 * scheduler.h - one CTA or cluster of the emulation: warp groups, engines, and the protocol between them.
 *
 * A warp group is a fiber.  The engines are TMA (in and out) and one tensor core for each group.  An engine queues its
 * operations and carries them out later.  Every call below that synchronizes or starts something is a point at which
 * any fiber or engine may go on.  The next step is drawn among the possible ones by a seeded generator, so that a seed
 * replays exactly.
 *
 *       drawn                                possible
 *       a fiber                              after the event that it waits for
 *       a copy in: the bytes land            any that was started, in any order
 *       a product: operands read, acc added  the oldest of each group's tensor core
 *       a copy out: shared memory is read    any that was started, in any order
 *       a copy out: global memory written    any that was read, in any order
 *
 * The scheduler checks the protocol.  The first violation ends the CTA with a sentence that names the group, the ring,
 * the slot and the iteration.  A state without a possible step ends it, too.  A call that reports never returns.  The
 * fibers are abandoned, so they own nothing but their stacks.
 *
 * There are two drivers: the compiled .cu, through wsrt.cuh, and an interpreter of the final IR.  Both make the calls
 * below from inside a fiber.  A put and a get carry their running index i: slot i mod D, round i / D, phase (i / D) &
 * 1. A driver that computes indices wrongly gets its report.
 *
 * The driver supplies the effect of a copy or a product on memory: a function with its arguments.  The arguments are
 * copied when the operation starts, and the function is called when the operation happens.
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

/* A range of shared memory, or of anything compared by address.  */
typedef struct {
    const void *at;
    size_t bytes;
} ws_sched_range;

/* State of a product in the accumulator that it writes; zero if no product is in flight.  */
typedef struct {
    uint32_t in_flight; /* products started on it whose group was not waited for */
    uint32_t unnamed;   /* its last group was waited for by a wait that did not name it */
} ws_sched_accumulator;

/* The effect of an operation.  The start copies `args` into the operation; `held` is memory of the operation's own.  */
enum { WS_SCHED_ARGS = 384, WS_SCHED_FIBERS = 64 };
typedef void (*ws_sched_step)(void *args, void *held);

/* ---- hooks: exploration and happens-before ----------------------------------------------------------------------- */

/* Events, in the order in which they happen.  */
typedef enum {
    WS_SCHED_EVENT_START,        /* a fiber passed the CTA barrier */
    WS_SCHED_EVENT_PUT,          /* the wait of a put has ended: the slot is empty */
    WS_SCHED_EVENT_COPY_ISSUED,  /* a copy into a slot was started */
    WS_SCHED_EVENT_COPY_LANDED,  /* its bytes have landed */
    WS_SCHED_EVENT_PUT_DONE,     /* the producer's arrival on the full barrier */
    WS_SCHED_EVENT_GET,          /* the wait of a get has ended: the slot is full */
    WS_SCHED_EVENT_CONSUMED,     /* an arrival on the empty barrier */
    WS_SCHED_EVENT_PRODUCT,      /* a product was started: once for each operand, with its range */
    WS_SCHED_EVENT_PRODUCT_DONE, /* it was computed */
    WS_SCHED_EVENT_COMMIT,
    WS_SCHED_EVENT_WAIT,        /* a wait for products has ended */
    WS_SCHED_EVENT_OUT_ISSUED,  /* a copy out was started */
    WS_SCHED_EVENT_OUT_READ,    /* it has read shared memory */
    WS_SCHED_EVENT_OUT_WRITTEN, /* it has written global memory */
    WS_SCHED_EVENT_STORE_WAIT,
    WS_SCHED_EVENT_READ,        /* a group read shared memory */
    WS_SCHED_EVENT_WRITE,       /* a group wrote shared memory */
    WS_SCHED_EVENT_WRITE_APART, /* each thread wrote elements that no other thread touches */
    WS_SCHED_EVENT_READ_APART,  /* each thread read elements that it wrote so */
    WS_SCHED_EVENT_FENCE,
    WS_SCHED_EVENT_BARRIER,
    WS_SCHED_EVENT_TAKE,
    WS_SCHED_EVENT_PASS,
    WS_SCHED_EVENT_GLOBAL, /* global memory was or will be read (object 0), written (1), added to (2) */
    WS_SCHED_EVENT_EXIT
} ws_sched_event_kind;

typedef struct {
    ws_sched_event_kind kind;
    int fiber;      /* the group that did it, or that started the engine's operation */
    int object;     /* ring, turns or group of products; -1: none */
    uint64_t index; /* running index of a put or get; serial number of an operation */
    ws_sched_range range;
} ws_sched_event;

/* A possible next step.  */
typedef enum {
    WS_SCHED_FIBER,
    WS_SCHED_COPY_IN,
    WS_SCHED_PRODUCT,
    WS_SCHED_OUT_READ,
    WS_SCHED_OUT_WRITE
} ws_sched_choice_kind;
typedef struct {
    ws_sched_choice_kind kind;
    int fiber;          /* the fiber, or the starter of the operation */
    uint64_t operation; /* serial number; 0 for a fiber */
} ws_sched_choice;

typedef struct {
    const char *kernel; /* for reports */
    int cta;            /* number of the CTA; of a cluster's first CTA */
    uint64_t seed;
    ws_stacks *stacks; /* pool of this thread; NULL: a pool of its own */
    /* Returns which of the `count` choices happens next; `count` is never 0.  NULL: the seed decides.  */
    int (*choose)(void *user, int count, const ws_sched_choice *choices);
    void (*observe)(void *user, const ws_sched_event *event); /* NULL: no observer */
    void *user;
    int groups;     /* of each CTA of a cluster, whose fibers are added CTA by CTA; 0: all groups are one CTA's */
    bool no_clocks; /* no check of races; a caller that tries all orders finds them */
} ws_sched_config;

/* ---- a CTA ------------------------------------------------------------------------------------------------------- */

ws_sched *ws_sched_new(const ws_sched_config *config); /* NULL: no memory */
void ws_sched_delete(ws_sched *s);
unsigned long ws_sched_drawn(const ws_sched *s); /* number of draws so far */
/* Adds a group; `role` and `group` are for reports.  A NULL role is learned from the group's operations.  Returns the
   fiber's number; -1: no memory.  */
int ws_sched_fiber(ws_sched *s, const char *role, int group, void (*run)(void *arg), void *arg);
bool ws_sched_run(ws_sched *s);                 /* false: ws_sched_report has the reason */
const char *ws_sched_report(const ws_sched *s); /* one line, then one line for each group that matters */

/* Records all following events in the trace format of Chrome and Perfetto.  Each event ends with a comma and a newline.
   The caller frees the text.  `process` is this CTA's number in the file.  */
bool ws_sched_trace(ws_sched *s); /* false: no memory */
char *ws_sched_trace_text(ws_sched *s, int process);
char *ws_sched_timeline_text(ws_sched *s); /* the same events as a picture of letters */

void ws_sched_ask(ws_sched *s);                 /* step.c chooses the next step */
void ws_sched_line(const char *file, int line); /* source line of the running fiber; no effect outside of fibers */
void ws_emulate_step(void);                     /* steps the launches of this process, unless WS_STEP disagrees */

/* A prediction: steps take the time that a machine description says, and the earliest step happens next.  */
typedef struct ws_machine ws_machine;
ws_machine *ws_machine_read(const char *path, int *line);    /* NULL: the file cannot be read, or its line *line */
int ws_machine_processors(const ws_machine *machine);        /* 0: not in the description */
bool ws_sched_clock(ws_sched *s, const ws_machine *machine); /* false: no memory */

/* ---- calls from inside a fiber ----------------------------------------------------------------------------------- */

ws_sched *ws_sched_current(void); /* of this thread; NULL outside */
int ws_sched_self(ws_sched *s);   /* number of this fiber */
int ws_sched_group(ws_sched *s);  /* its number in its CTA */
int ws_sched_block(ws_sched *s);  /* its CTA's number in the cluster */
void *ws_sched_user(ws_sched *s); /* config->user */
void ws_sched_role(ws_sched *s, const char *role);
void ws_sched_iteration(ws_sched *s, long tile); /* for reports: this group works on that tile of the grid */
long ws_sched_tile(ws_sched *s); /* the tile of the running fiber, or of the starter of the running operation; -1 */
void ws_sched_fail(ws_sched *s, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void ws_sched_point(ws_sched *s); /* any fiber or engine may go on */
void ws_sched_start(ws_sched *s); /* barrier of all fibers of the CTA or cluster */
void ws_sched_finish(
    ws_sched *s); /* the same at the end: no CTA of a cluster leaves it before all others have come to it */

/* ---- rings: full and empty barriers ------------------------------------------------------------------------------ */

/* D slots; a slot is empty again after `arrivals` groups have released it.  Returns the ring's number (from 1).  */
int ws_sched_ring(ws_sched *s, const char *name, int slots, int arrivals);
/* Each put of the ring is made by `groups` groups together, with one index; the default is 1.  */
void ws_sched_fillers(ws_sched *s, int ring, int groups);
/* In a cluster: copies of all CTAs of the mask `blocks`, which has this CTA, fill this ring in each of them.  */
void ws_sched_share(ws_sched *s, int ring, uint32_t blocks);
int ws_sched_slots(const ws_sched *s, int ring);
int ws_sched_put(ws_sched *s, int ring, uint64_t index); /* waits until the slot is empty; returns the slot */
/* Waits until all groups have released the slot that put `index` will fill, without making that put.  */
void ws_sched_await_empty(ws_sched *s, int ring, uint64_t index);
void ws_sched_expect(ws_sched *s, int ring, uint64_t index, size_t bytes); /* arms the full barrier with more bytes */
/* Starts a copy of `to.bytes` into the slot.  */
void ws_sched_copy_in(ws_sched *s, int ring, uint64_t index, ws_sched_range to, ws_sched_step step, const void *args,
                      size_t args_bytes);
/* The same into the slot of CTA `block`, whose memory `to` is.  */
void ws_sched_copy_share(ws_sched *s, int ring, uint64_t index, int block, ws_sched_range to, ws_sched_step step,
                         const void *args, size_t args_bytes);
/* For a tile that each of these CTAs copies by itself: tells the others that this CTA has put, and expects the same
   from them.  */
void ws_sched_tell(ws_sched *s, int ring, uint64_t index, uint32_t blocks);
/* A copy by the group itself: done, fenced and counted on return.  */
void ws_sched_copy_in_now(ws_sched *s, int ring, uint64_t index, ws_sched_range to, ws_sched_step step, void *args);
void ws_sched_put_done(ws_sched *s, int ring, uint64_t index); /* all operations of this put were started */
int ws_sched_get(ws_sched *s, int ring, uint64_t index);       /* waits until the slot is full; returns the slot */
void ws_sched_consumed(ws_sched *s, int ring, uint64_t index); /* this group releases the slot of its get `index` */
/* The same to the rings of the CTAs of `blocks`.  */
void ws_sched_consumed_in(ws_sched *s, int ring, uint64_t index, uint32_t blocks);

/* ---- durations, by kinds of the machine description; no effect without a clock ----------------------------------- */

void ws_sched_work(const char *kind, double work); /* this group has done that amount of work */
void ws_sched_next(const char *kind, double work); /* kind and amount of this group's next product */

/* ---- the tensor core --------------------------------------------------------------------------------------------- */

/* Starts a product that reads a and b and adds to acc.  The range of an operand in registers has no bytes.  The start
   copies that operand to `held`.  */
void ws_sched_product(ws_sched *s, ws_sched_accumulator *acc, ws_sched_range a, ws_sched_range b, ws_sched_step step,
                      const void *args, size_t args_bytes, const void *held, size_t held_bytes);
void ws_sched_commit(ws_sched *s);           /* close the group of the products started since the last commit */
void ws_sched_wait(ws_sched *s, int groups); /* until at most `groups` groups are in flight */
void ws_sched_name(ws_sched *s, ws_sched_accumulator *acc); /* the wait before this call named acc */
void ws_sched_touched(ws_sched *s, const ws_sched_accumulator *acc, const char *how)
    __attribute__((noreturn)); /* acc is not zero: report it */

/* ---- shared memory, by the group itself -------------------------------------------------------------------------- */

void ws_sched_read(ws_sched *s, ws_sched_range range);
void ws_sched_write(ws_sched *s, ws_sched_range range); /* call before writing */
/* The same, where each thread or warp writes elements that no other touches until an engine has read them.  */
void ws_sched_write_apart(ws_sched *s, ws_sched_range range);
void ws_sched_read_apart(ws_sched *s, ws_sched_range range); /* each thread reads elements that it wrote itself */
/* The group exchanges numbers through scratch memory: its threads meet, write, meet and read.  No effect outside of
   fibers.  */
void ws_sched_exchange(ws_sched *s, ws_sched_range range);
void ws_sched_global(ws_sched *s, int how, ws_sched_range range); /* for observe: GLOBAL */
void ws_sched_fence(ws_sched *s);   /* makes writes of each thread of this group visible to the engines */
void ws_sched_barrier(ws_sched *s); /* barrier of the group's threads, whose accesses are ordered by it alone */

/* ---- copies out -------------------------------------------------------------------------------------------------- */

/* Starts a copy of `from`.  `read` fills `held` from shared memory; `write` stores it to global memory.  */
void ws_sched_copy_out(ws_sched *s, ws_sched_range from, size_t held_bytes, ws_sched_step read, ws_sched_step write,
                       const void *args, size_t args_bytes);
void ws_sched_copy_nothing(ws_sched *s);           /* stores by the group itself: counts as a copy that has ended */
void ws_sched_store_wait(ws_sched *s, int copies); /* until at most `copies` newest copies out still read */

/* ---- tiles of grids that run together ---------------------------------------------------------------------------- */

void ws_sched_await(ws_sched *s, unsigned roles); /* this group has waited for these roles' loads of its tile */
unsigned ws_sched_awaited(ws_sched *s); /* roles of the awaits before the running access, or before the start of its
                                           operation; 0: none */
void ws_sched_tile_done(ws_sched *s);   /* it stores no more of its tile */
long ws_sched_tell_tiles(ws_sched *s);  /* until its copies out have written: the tile that is done, or -1 */
bool ws_sched_told(ws_sched *s);        /* true if the group had told of its tile before the running access or the
                                           start of its operation */

/* ---- turns ------------------------------------------------------------------------------------------------------- */

int ws_sched_turns(ws_sched *s, const char *name, int groups); /* returns their number (from 1); group 0 has the
                                                                  first turn */
void ws_sched_take(ws_sched *s, int turns, int group);
void ws_sched_pass(ws_sched *s, int turns, int group);
/* This group's part of a text that all groups of the turns print together; `text` is from malloc.  The last group
   prints all parts in order.  The groups meet before and after it.  */
void ws_sched_show(ws_sched *s, int turns, int group, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
