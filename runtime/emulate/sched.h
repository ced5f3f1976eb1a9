/* SPDX-License-Identifier: MIT */
/*
 * sched.h - one CTA of the emulation: its warp groups, its engines, and the protocol between them.
 *
 * A warp group is a fiber.  The engines are the copy engine (in and out) and one matrix unit for each group; what they are
 * asked to do is queued and happens later.  Every call below that synchronizes or starts something is a point at which
 * anybody may go on: the next is drawn among the fibers that can run and the engine steps that are possible, by a seeded
 * generator, so that a seed replays exactly.
 *
 *   what is drawn                        when it is possible
 *   a fiber                              what it waits for has happened
 *   a copy in: the bytes land            any that was started, in any order
 *   a product: operands read, acc added  the oldest of each group's matrix unit
 *   a copy out: shared memory is read    any that was started, in any order
 *   a copy out: global memory written    any that was read, in any order
 *
 * The core knows what the protocol allows.  The first violation ends the CTA with a sentence that names the group, the
 * ring, the slot and the iteration; so does a state in which nothing can happen any more.  A call that reports never
 * returns; the fibers are given up where they stand (hence they own nothing but their stacks).
 *
 * There are two drivers: the compiled .cu, through wsrt.cuh, and an interpreter of the final IR.  Both call what is below,
 * by name, from inside a fiber.  A put and a get carry their running index i: slot i mod D, round i / D, phase (i / D) & 1.
 * A driver that computes them wrongly gets its report.
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

typedef struct sched sched;

/* A piece of shared memory (or of anything that is compared by address).  */
typedef struct {
    const void *at;
    size_t bytes;
} sched_range;

/* What a product keeps in the accumulator that it writes: zero when nobody uses it.  */
typedef struct {
    uint32_t in_flight; /* products started on it whose group was not waited for */
    uint32_t unnamed;   /* its last group was waited for, but the wait did not name it */
} sched_accumulator;

/* The arguments of an operation are copied into it.  */
enum { SCHED_ARGS = 384, SCHED_FIBERS = 16 };
typedef void (*sched_perform)(void *args);

/* ---- hooks: exploration and happens-before ------------------------------------------------------------------------ */

/* What happened, in the order in which it happened.  */
typedef enum {
    SCHED_EVENT_START,        /* a fiber passed the CTA barrier */
    SCHED_EVENT_PUT,          /* the wait of a put is over: the slot is empty */
    SCHED_EVENT_COPY_ISSUED,  /* a copy into a slot was started */
    SCHED_EVENT_COPY_LANDED,  /* its bytes are there */
    SCHED_EVENT_PUT_DONE,     /* the producer's arrival on the full barrier */
    SCHED_EVENT_GET,          /* the wait of a get is over: the slot is full */
    SCHED_EVENT_CONSUMED,     /* an arrival on the empty barrier */
    SCHED_EVENT_PRODUCT,      /* a product was started */
    SCHED_EVENT_PRODUCT_DONE, /* it was computed */
    SCHED_EVENT_COMMIT,
    SCHED_EVENT_WAIT,         /* a wait for products is over */
    SCHED_EVENT_OUT_ISSUED,   /* a copy out was started */
    SCHED_EVENT_OUT_READ,     /* it has read shared memory */
    SCHED_EVENT_OUT_WRITTEN,  /* it has written global memory */
    SCHED_EVENT_STORE_WAIT,
    SCHED_EVENT_READ,         /* a group read shared memory */
    SCHED_EVENT_WRITE,        /* a group wrote shared memory */
    SCHED_EVENT_FENCE,
    SCHED_EVENT_TAKE,
    SCHED_EVENT_PASS,
    SCHED_EVENT_EXIT
} sched_event_kind;

typedef struct {
    sched_event_kind kind;
    int fiber;       /* the group that did it, or that asked the engine for it */
    int object;      /* ring, turns or group of products; -1: none */
    uint64_t index;  /* running index of a put or get; serial number of an operation */
    sched_range range;
} sched_event;

/* One thing that could happen next.  */
typedef enum { SCHED_FIBER, SCHED_COPY_IN, SCHED_PRODUCT, SCHED_OUT_READ, SCHED_OUT_WRITE } sched_choice_kind;
typedef struct {
    sched_choice_kind kind;
    int fiber;          /* itself, or who started the operation */
    uint64_t operation; /* serial number; 0 for a fiber */
} sched_choice;

typedef struct {
    const char *kernel; /* for reports */
    int cta;
    uint64_t seed;
    ws_stacks *stacks;  /* of this thread; NULL: a pool of its own */
    /* NULL: drawn by seed.  Otherwise returns which of the `count` (never 0) choices happens next.  */
    int (*choose)(void *user, int count, const sched_choice *choices);
    void (*observe)(void *user, const sched_event *event); /* NULL: nobody */
    void *user;
} sched_config;

/* ---- a CTA -------------------------------------------------------------------------------------------------------- */

sched *sched_new(const sched_config *config); /* NULL: no memory */
void sched_delete(sched *s);
/* Add a group; `role` (or NULL: learned from what it does) and `group` are for reports.  Returns its number, -1: no memory.  */
int sched_fiber(sched *s, const char *role, int group, void (*run)(void *arg), void *arg);
bool sched_run(sched *s);               /* false: sched_report tells why */
const char *sched_report(const sched *s); /* one line, then one for each group where they matter */

/* ---- below: from inside a fiber ----------------------------------------------------------------------------------- */

sched *sched_current(void);  /* of this thread; NULL outside */
int sched_self(sched *s);    /* number of this fiber */
void *sched_user(sched *s);  /* config->user */
void sched_role(sched *s, const char *role);
void sched_iteration(sched *s, long tile); /* for reports: this group works on that tile of the grid */
long sched_tile(sched *s);                 /* what was told, of the fiber that runs or that asked the engine; -1 */
_Noreturn void sched_fail(sched *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sched_point(sched *s);  /* anybody may go on */
void sched_start(sched *s);  /* CTA barrier: all fibers */

/* ---- rings: full and empty barriers ------------------------------------------------------------------------------- */

/* D slots; a slot is empty again after `arrivals` groups have released it.  Returns the ring's number (from 1).  */
int sched_ring(sched *s, const char *name, int slots, int arrivals);
int sched_put(sched *s, int ring, uint64_t index);                     /* waits until the slot is empty; returns it */
void sched_expect(sched *s, int ring, uint64_t index, size_t bytes);   /* arms the full barrier with more bytes */
/* Start a copy of `to.bytes` into the slot.  */
void sched_copy_in(sched *s, int ring, uint64_t index, sched_range to, sched_perform perform, const void *args,
                   size_t args_bytes);
/* The same by the group itself: done, fenced and counted when it returns.  */
void sched_copy_in_now(sched *s, int ring, uint64_t index, sched_range to, sched_perform perform, void *args);
void sched_put_done(sched *s, int ring, uint64_t index);               /* everything of this put was started */
int sched_get(sched *s, int ring, uint64_t index);                     /* waits until the slot is full; returns it */
void sched_consumed(sched *s, int ring, uint64_t index);               /* this group releases what it got as `index` */

/* ---- the matrix unit ---------------------------------------------------------------------------------------------- */

/* Start a product that reads a and b (at NULL: from registers) and adds to acc.  */
void sched_product(sched *s, sched_accumulator *acc, sched_range a, sched_range b, sched_perform perform,
                   const void *args, size_t args_bytes);
void sched_commit(sched *s);                     /* close the group of the products started since the last commit */
void sched_wait(sched *s, int groups);           /* until at most so many groups are in flight */
void sched_name(sched *s, sched_accumulator *acc); /* the wait before this call named acc */
void sched_touched(sched *s, const sched_accumulator *acc, const char *how); /* acc is not zero: report it */

/* ---- shared memory, by the group itself --------------------------------------------------------------------------- */

void sched_read(sched *s, sched_range range);
void sched_write(sched *s, sched_range range); /* call before writing */
void sched_fence(sched *s);                    /* what this group wrote is visible to the engines */

/* ---- copies out --------------------------------------------------------------------------------------------------- */

/* Start a copy of `from`: `read` fills the `held_bytes` at `held` from shared memory, `write` puts them into global memory.  */
typedef void (*sched_move)(void *args, void *held);
void sched_copy_out(sched *s, sched_range from, size_t held_bytes, sched_move read, sched_move write, const void *args,
                    size_t args_bytes);
void sched_store_wait(sched *s, int copies); /* until at most so many of this group's newest copies out still read */

/* ---- turns -------------------------------------------------------------------------------------------------------- */

int sched_turns(sched *s, const char *name, int groups); /* returns its number (from 1); group 0 goes first */
void sched_take(sched *s, int turns, int group);
void sched_pass(sched *s, int turns, int group);

#ifdef __cplusplus
}
#endif
#endif
