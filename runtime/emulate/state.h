/* SPDX-License-Identifier: MIT */
/*
 * state.h - the scheduler's state of one CTA or cluster; for its own files only.
 *
 *      scheduler.c   fibers, engines, and the choice of the next step: no other file decides order
 *      protocol.c    the calls of scheduler.h and their checks
 *      rings.c       the same for rings
 *      happens.c     accesses of shared memory that every order keeps apart
 *      report.c      sentences about violations
 *      clock.c       durations; the earliest step is chosen instead of a drawn one
 *      trace.c       events for a viewer
 *      step.c        stepping by commands of a user
 */
#ifndef WS_EMULATE_STATE_H
#define WS_EMULATE_STATE_H

#include "scheduler.h"

enum {
    MOST_RANGES = 16, /* copies of one put */
    MOST_HELD = 256,  /* slots that a group holds */
    MOST_UNFENCED = 64,
    MOST_CHOICES = 512,
    MOST_NAMES = 128, /* rings, turns */
    REPORT_BYTES = 4096
};

/* ---- the parts of a CTA ------------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t filled;   /* completed phases of the full barrier */
    uint64_t released; /* completed phases of the empty barrier */
    int arrived;       /* in the current phase of the empty barrier */
    bool filling;      /* from a put to the last byte */
    int done;          /* groups that have called put_done */
    bool sealed;       /* all groups have called put_done */
    uint64_t rounds;   /* begun by a put, or by another CTA's copy; the following members describe the last round */
    int brought;       /* CTAs that have put */
    size_t expected, issued, landed;
    ws_sched_range ranges[MOST_RANGES]; /* destinations of this round's copies */
    int nranges;
} slot;

typedef struct {
    char name[48];
    int slots;
    int arrivals, fillers;
    uint64_t puts; /* begun by any group */
    slot *slot;
    int block, ordinal; /* the CTA of the cluster, and the number among its rings */
    uint32_t sharers;   /* mask of CTAs whose copies fill it; 0: its own CTA alone */
} ring;

typedef struct {
    char name[48];
    int groups;
    int token[WS_SCHED_FIBERS];
    char *text[WS_SCHED_FIBERS]; /* waiting for the other groups' texts */
    size_t bytes[WS_SCHED_FIBERS];
    int ntexts;
} turns;

typedef enum {
    WAIT_NOTHING,
    WAIT_START,
    WAIT_FINISH,
    WAIT_PUT,
    WAIT_GET,
    WAIT_PRODUCTS,
    WAIT_COPIES,
    WAIT_WRITTEN,
    WAIT_TURN
} wait_kind;

typedef struct {
    int ring;
    uint64_t index;
} got;

typedef struct {
    ws_fiber context;
    ws_stack stack;
    char role[48];
    int group, block;
    void (*run)(void *arg);
    void *arg;
    bool done, finished;
    int weight;
    long tile;
    long awaited, told;  /* last tile for which it has waited, and last tile that it has reported as done */
    long untold;         /* done tile that later grids have to be told of; -1: none */
    unsigned waits;      /* mask of roles whose loads of `awaited` have been waited for */
    uint64_t since;      /* begin of its last wait, for the trace */
    double clock, ready; /* of clock.c: its time, and the time from which it can go on */
    bool possible;       /* `ready` is known, since the fiber waits */
    int next_kind;       /* kind and amount of its next product */
    double next_work;
    /* the wait */
    wait_kind wait;
    int object;     /* ring or turns; for products and copies: the number that may stay in flight */
    uint64_t index; /* of a put or get; for a turn: the group */
    /* in flight */
    uint64_t committed; /* groups of products closed so far */
    uint64_t outs;      /* copies out started so far */
    uint64_t started;   /* operations of any kind */
    got held[MOST_HELD];
    int nheld;
    ws_sched_range unfenced[MOST_UNFENCED];
    int nunfenced;
    int last_ring; /* ring of the last get, by which reports name an iteration */
    uint64_t last_get;
    uint64_t next_get[MOST_NAMES];
    uint64_t next_put[MOST_NAMES]; /* of rings that several groups fill */
    const char *doing;             /* at a point without a wait: the next call */
    const char *file;              /* place in the source: --ws-step */
    int line;
} fiber;

typedef enum { ISSUED, READ, DONE } progress;

typedef struct {
    ws_sched_choice_kind kind; /* WS_SCHED_COPY_IN, WS_SCHED_PRODUCT or WS_SCHED_OUT_READ */
    progress progress;
    bool retired;     /* the program has waited for it */
    unsigned awaited; /* mask of roles whose loads of its tile had been waited for when it was started */
    bool told;
    bool timed; /* due is known */
    double due;
    int work_kind; /* of a product: its kind and amount, for the machine description */
    double work;
    int fiber;
    long tile;
    uint64_t serial;
    int ring;       /* copy in */
    uint64_t index; /* copy in: of the put; product: group; copy out: number */
    ws_sched_range a, b;
    ws_sched_accumulator *acc;
    ws_sched_step step;  /* copy in, product; copy out: the read */
    ws_sched_step write; /* copy out */
    void *held;
    size_t held_bytes;
    _Alignas(16) unsigned char args[WS_SCHED_ARGS];
} operation;

struct ws_sched {
    ws_sched_config config;
    char kernel[64];
    ws_stacks *own_stacks;
    ws_fiber main;
    fiber *fiber[WS_SCHED_FIBERS];
    int nfibers;
    int current;
    ring ring[MOST_NAMES];
    int nrings;
    turns turns[MOST_NAMES];
    int nturns;
    operation **operation; /* in the order of their starts */
    int noperations, room;
    operation **spare;
    int nspare, spare_room;
    struct happens *happens;
    struct clock *clock;   /* NULL: the seed decides the order */
    struct trace *trace;   /* NULL: no trace */
    bool stepped;          /* step.c chooses the next step */
    unsigned long drawn;   /* number of draws so far */
    operation *working;    /* the operation whose step runs */
    int started, finished; /* fibers at the CTA barrier, and at the final barrier */
    bool opened;
    uint64_t random;
    int engine_weight[5];
    bool failed;
    char report[REPORT_BYTES];
};

static inline fiber *self(ws_sched *s)
{
    return s->fiber[s->current];
}

static inline bool overlap(ws_sched_range x, ws_sched_range y)
{
    const char *p = x.at, *q = y.at;
    return x.bytes && y.bytes && p < q + y.bytes && q < p + x.bytes;
}

static inline bool slot_covers(const slot *t, ws_sched_range range)
{
    for (int i = 0; i < t->nranges; i++)
        if (overlap(t->ranges[i], range))
            return true;
    return false;
}

static inline bool holds(const fiber *f, int number, uint64_t index)
{
    for (int i = 0; i < f->nheld; i++)
        if (f->held[i].ring == number && f->held[i].index == index)
            return true;
    return false;
}

/* A point at which any fiber may go on; this group's next call is `call`.  */
static inline void point(ws_sched *s, const char *call)
{
    self(s)->doing = call;
    ws_sched_point(s);
}

static inline uint64_t all_but(uint64_t count, int newest)
{
    return count > (uint64_t)newest ? count - newest : 0;
}

/* ---- happens.c --------------------------------------------------------------------------------------------------- */

struct happens *ws_cta_happens_new(void);
void ws_cta_happens_delete(struct happens *happens);
void ws_cta_happens(ws_sched *s, const ws_sched_event *event);

/* ---- clock.c ----------------------------------------------------------------------------------------------------- */

double ws_cta_clock_now(const ws_sched *s);
const char *ws_cta_clock_kind(const ws_sched *s, int number);
int ws_cta_clock_choose(ws_sched *s, int count, const ws_sched_choice *choices);
void ws_cta_clock_event(ws_sched *s, ws_sched_event_kind kind);
void ws_cta_clock_units(const ws_sched *s, uint64_t end, char *text, size_t room);
void ws_cta_trace_work(ws_sched *s, int kind, uint64_t begin); /* trace.c: a group's own work ends */

/* ---- trace.c ----------------------------------------------------------------------------------------------------- */

void ws_cta_trace_delete(struct trace *trace);
uint64_t ws_cta_trace_time(const ws_sched *s);
void ws_cta_trace(ws_sched *s, const ws_sched_event *event);
void ws_cta_trace_slot(ws_sched *s, const slot *t, bool full); /* its last phase has ended */

/* ---- step.c ------------------------------------------------------------------------------------------------------ */

int ws_cta_step_choose(ws_sched *s, int count, const ws_sched_choice *choices, int proposal);
void ws_cta_step_event(ws_sched *s, const ws_sched_event *event);
void ws_cta_step_slot(ws_sched *s, int number, int place, bool full); /* it has become full, or empty */

static inline void note(ws_sched *s, ws_sched_event_kind kind, int who, int object, uint64_t index,
                        ws_sched_range range)
{
    ws_sched_event event = {kind, who, object, index, range};
    if (s->config.observe)
        s->config.observe(s->config.user, &event);
    if (s->trace)
        ws_cta_trace(s, &event);
    if (s->clock)
        ws_cta_clock_event(s, kind);
    if (s->stepped)
        ws_cta_step_event(s, &event);
    if (!s->config.no_clocks)
        ws_cta_happens(s, &event);
}

/* ---- report.c ---------------------------------------------------------------------------------------------------- */

void ws_cta_say(ws_sched *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ws_cta_say_head(ws_sched *s); /* the place and the seed */
void ws_cta_say_group(ws_sched *s, const fiber *f);
/* "put 5 of ring ta_tb (slot 1, phase 1)"  */
void ws_cta_say_slot(ws_sched *s, const char *what, int number, uint64_t index);
void ws_cta_say_iteration(ws_sched *s, const fiber *f);
void ws_cta_give_up(ws_sched *s) __attribute__((noreturn)); /* the text so far is the report */
/* "... group 1 (consumer) DOES get 3 of ring r (slot 1, phase 1): WHY"  */
void ws_cta_fail_slot(ws_sched *s, const char *does, const char *what, int number, uint64_t index, const char *why)
    __attribute__((noreturn));
void ws_cta_fail_memory(ws_sched *s, const char *does, const operation *o, const char *what) __attribute__((noreturn));
void ws_cta_fail_left(ws_sched *s, const char *text) __attribute__((noreturn));
void ws_cta_fail_stuck(ws_sched *s) __attribute__((noreturn)); /* no step is possible */

/* ---- scheduler.c ------------------------------------------------------------------------------------------------- */

/* Runs other fibers and engines until this fiber's wait has ended and the fiber is drawn.  */
void ws_cta_wait_for(ws_sched *s, wait_kind kind, int object, uint64_t index);
operation *ws_cta_operation_new(ws_sched *s, ws_sched_choice_kind kind, const void *args, size_t args_bytes);
void ws_cta_hold(ws_sched *s, operation *o, size_t bytes); /* memory of the operation's own */
void ws_cta_sweep(ws_sched *s);                            /* frees operations that are done and were waited for */

/* ---- protocol.c -------------------------------------------------------------------------------------------------- */

/* Reports a violation if this group, or an engine for it, may not read or write that range, given all rings and
   operations.  */
__attribute__((visibility("hidden"))) void ws_cta_check_slots(ws_sched *s, ws_sched_range range, bool writes,
                                                              int own_ring, uint64_t own_index);
__attribute__((visibility("hidden"))) void ws_cta_check_operations(ws_sched *s, ws_sched_range range, bool writes,
                                                                   const char *does);
void ws_cta_check_exit(ws_sched *s); /* at a group's end */

/* ---- rings.c ----------------------------------------------------------------------------------------------------- */

void ws_cta_landed(ws_sched *s, operation *o); /* the bytes of a copy in have landed */
void ws_cta_check_rings(ws_sched *s);          /* at the end of all groups */

#endif
