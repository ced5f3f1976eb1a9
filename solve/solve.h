/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solve.h - wsc-solve: optimal modulo schedules with a warp assignment, by a SAT solver.
 *
 *      text.c       reads machine, graph and schedule files
 *      cost.c       costs from the kinds of a machine; normalized costs; lower bounds of the initiation interval
 *      sat.c        the interface of the SAT solver, with a time limit
 *      model*.c     clauses that hold for the schedules of interval I and at most L cycles
 *      sums.c       clauses for cardinalities and weighted sums
 *      search.c     the search for the smallest interval, and the reason for its bound
 *      prefer.c     the best schedule of that interval
 *      check.c      a checker of schedules that shares no code with the clauses
 *      predict*.c   clocks of an iteration, by simulation; the compiler calls predict-loop.c
 *      show.c       writes schedules and tables
 *      wsc-solve.c  the command line
 *
 * A schedule gives each operation v of the loop's body a cycle M(v) and a warp group.  Iteration i issues v in cycle
 * M(v) + i I, where I is the initiation interval.
 */
#ifndef WSC_SOLVE_H
#define WSC_SOLVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    int unit, offset, cycles; /* the unit is busy for `cycles` cycles, from `offset` cycles after the issue on */
} Use;

typedef struct {
    int space, amount; /* the value occupies `amount` of a memory space as long as it is live */
} Held;

enum { MAX_USES = 24, MAX_HELD = 2, MAX_KINDS = 12, NOT_GIVEN = -1, HOLD_ALL = -2 };

typedef struct {
    const char *name;
    struct {
        const char *name;
        double work;
    } kinds[MAX_KINDS]; /* executed one after the other */
    int cycles;         /* from the issue to the result */
    int registers;      /* per thread, as long as the result is live */
    int spill;          /* further cycles to a reader in another group */
    int latency;        /* streaming: cycles between the issue and the first reader; asynchronous: further cycles until
                           a waiting operation goes on */
    int slots;          /* streaming: slots of the ring; 0: as many as memory has room for */
    bool variable;      /* the latency varies; the operation belongs to no group */
    bool streaming;     /* independent of the loop's other operations; runs ahead of them */
    bool asynchronous;
    bool alone;  /* shares a group only with other operations that have this flag */
    bool shared; /* executed once for all replicas */
    Use uses[MAX_USES];
    Held held[MAX_HELD];
    int nuses, nheld, nkinds;
    int line;
} Op;

typedef struct {
    int from, to, delay, distance;
    int hold; /* cycles from the reader's issue to the end of its read */
    bool blocking;
    int line;
} Edge;

typedef struct {
    const char *name;
    int capacity;
    bool each;        /* every group has its own */
    bool interleaved; /* alternates between the instructions of several groups */
} Unit;

/* The cost of an operation: each unit does `rate` units of work in a clock.  */
typedef struct {
    const char *name;
    struct {
        int unit;
        double rate;
    } uses[MAX_USES];
    int nuses, latency;
    bool variable, streaming, asynchronous, alone;
} Kind;

/* The rule for an operation that waits while other operations of its group are in flight.  */
typedef enum { WAIT_STRICT, WAIT_IN_ORDER, WAIT_FREE } Wait;

/* Objectives among the schedules of the smallest interval.  */
typedef enum {
    AIM_SPARE,          /* leave registers free */
    AIM_CROSSINGS,      /* fewest values that cross between groups */
    AIM_EXPOSED,        /* shortest waits for products behind which the group has no other product in flight */
    AIM_GROUP_INTERVAL, /* smallest interval of one group that has the machine to itself, in the same order */
    AIM_CARRIED,        /* fewest registers live from one time step to the next */
    AIM_LENGTH,         /* shortest iteration */
    AIM_LATE,           /* each operation as late as possible */
    AIMS
} Aim;
extern const char *const aim_names[AIMS];

typedef struct {
    const char *machine, *name;
    const char *wanted; /* name of the loop to read from a file with several; NULL: the file has one loop */
    Unit *units, *spaces;
    Kind *kinds;
    Op *ops;
    Edge *edges;
    Kind *timeline; /* kinds that replace those of the same names in predict () */
    int nunits, nspaces, nkinds, nops, nedges, ntimeline;
    int in_flight;      /* iterations for which a product stays in flight if its own iteration does not wait for it */
    int groups;         /* maximum number of groups */
    int replicas;       /* copies of the schedule, each delayed by interval / replicas behind the one before */
    bool turns;         /* the replicas may take turns at interleaved units */
    int registers;      /* per thread of a group; 0: not limited */
    int spare;          /* registers to leave free, if the smallest interval allows it */
    const char *prefer; /* the option that sets the aims */
    Aim aims[AIMS];
    int naims;
    int crossings;     /* maximum number of crossings, or NOT_GIVEN */
    int normalize;     /* maximum of the sum of all cycles; 0: cycles are exact */
    double spill_rate; /* bytes a clock of a value that crosses between groups; 0: a crossing costs nothing */
    Wait wait;
    bool reader_registers; /* a value from another group also occupies registers of its reader */
    double clocks;         /* clocks of one normalized cycle */
} Problem;

typedef struct {
    int interval, length, crossings;
    int *at, *group;            /* by operation: cycle, and group or NOT_GIVEN */
    int group_interval, *alone; /* interval of a group that has the machine to itself, or 0; its cycles by operation */
} Schedule;

/* The order in which a step of the steady-state loop issues operations.  */
typedef struct {
    int n, in_flight;
    bool turns;         /* replicas take turns at interleaved units */
    int *op;            /* operations in the order of issue */
    int *stage, *group; /* by operation */
} Order;

typedef struct {
    char *text;
    size_t length, room;
} Text;

/* text.c */
void *need(void *memory);
char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
void add(Text *text, const char *pattern, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void fail(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
/* fail () then calls `then`, which does not return, instead of printing and exiting.  NULL restores the default.  */
void fail_by(void (*then)(void));
char *read_file(const char *path); /* "-" is standard input */
void problem_init(Problem *problem);
void read_problem(Problem *problem, const char *path, const char *text);
void settle_aims(Problem *problem, char *words); /* sets the aims of --prefer; overwrites separators in `words` */
void finish_problem(Problem *problem);
void read_schedule(const Problem *problem, Schedule *schedule, const char *path, const char *text, char digest[17]);
/* Reads the order of the loop from a file as --ws-dump=schedule prints it.  False: the file has no such loop.  */
bool read_order(const Problem *problem, Order *order, const char *path, const char *text);
Schedule schedule_new(const Problem *problem);
void schedule_free(Schedule *schedule);
void problem_free(Problem *problem);
bool spills(const Problem *problem, int from, int to); /* the value costs cycles if its reader is in another group */

/* cost.c */
void cost_problem(Problem *problem);
int normalized(const double *clocks, int n, int sum, int *cycles, double *scale, bool literal);
int replicas_of(const Problem *problem, const Op *op);
int replica_shift(const Problem *problem, int interval, int replica); /* delay behind the first replica, in cycles */
int copies_on(const Problem *problem, const Op *op, int unit);        /* replicas of the op that share one unit */
int busy_cycles(const Problem *problem, int unit);
int unit_bound(const Problem *problem, int *unit); /* lower bound of the interval, and the busiest unit */
/* Returns the lower bound of the interval by the slowest recurrence, with the operations of the recurrence. *load is
   the load whose ring's slots limit it. If `load` is NULL, rings have unlimited slots.  */
int cycle_bound(const Problem *problem, int *cycle, int *ncycle, int *load);
int shortest_length(const Problem *problem, int interval);

/* sat.c: variables are 1, 2, ...; a literal is a variable or its negation, as in DIMACS.  */
typedef struct Sat Sat;
typedef struct {
    double until;                  /* seconds, as now () gives them */
    volatile const int *cancelled; /* number of a signal that has arrived, or 0; may be NULL */
} Limit;
typedef enum { SAT_YES = 10, SAT_NO = 20, SAT_UNKNOWN = 0 } Answer;
double now(void);
Sat *sat_new(const Limit *limit);
void sat_free(Sat *sat);
void sat_add(Sat *sat, int literal); /* 0 ends a clause */
void sat_assume(Sat *sat, int literal);
Answer sat_solve(Sat *sat);
bool sat_expired(const Sat *sat);
void sat_hurry(Sat *sat); /* the next sat_solve () gives up soon */
bool sat_value(Sat *sat, int variable);
bool sat_failed(Sat *sat, int literal);
const char *sat_name(void);

/* model.c */
#define ALWAYS INT32_MAX
#define NEVER  (-INT32_MAX)
typedef struct {
    const char *name;
    int literal;
    bool on; /* the literal is assumed */
} Selector;
typedef struct {
    int from, to, literal;
} Crossing;
typedef struct Model Model;
struct Model {
    const Problem *problem;
    Sat *sat;
    Model *joint; /* the model of all groups, whose order this model keeps; the model itself if it is that */
    int guard;    /* literal under which the clauses hold, or ALWAYS */
    int interval, length, groups;
    int nvars, nclauses;            /* counted in the joint model */
    int *horizon, **issued, **slot; /* by operation */
    int **assigned;                 /* by operation and group */
    int **same, **flight;
    Selector *selectors;
    Crossing *crossings;
    int nselectors, ncrossings;
    int spare;    /* literal under which registers are left free, or 0 */
    Model *alone; /* model of one group that has the machine to itself */
};
Model *model_new(const Problem *problem, int interval, int length, const Limit *limit);
Model *model_alone(Model *joint, int interval); /* its clauses hold under its guard */
void model_free(Model *model);
int issued(const Model *model, int op, int cycle); /* literal: the op is issued in that cycle or before */
Answer model_solve(Model *model, const int *more, int nmore);
void model_read(Model *model, Schedule *schedule);
int new_variable(Model *model);
void clause_of(Model *model, const int *literals, int n);
#define CLAUSE(model, ...) \
    clause_of(model, (const int[]){__VA_ARGS__}, (int)(sizeof(const int[]){__VA_ARGS__} / sizeof(int)))

/* sums.c: weighted literals.  */
typedef struct {
    int literal, weight;
} Term;
/* Adds clauses for: the sum of the terms is at most `limit`, if `selector` holds; 0: always.  Reorders the terms.  */
void at_most(Model *model, Term *terms, int n, int limit, int selector);
/* Literal i of *at_least is true if at least i + 1 of the n literals are true.  Returns the length of *at_least.  */
int count_true(Model *model, const int *literals, int n, int **at_least);

/* search.c */
typedef struct {
    int from, to;       /* range of the interval; from = 0: its lower bound */
    int stages, length; /* maxima; stages = 0: one more than the shortest iteration needs; length = 0: all stages */
    bool first;         /* take the first schedule of the smallest interval, whatever the aims */
    bool progress;
} Wish;
typedef struct {
    Answer answer;
    bool best; /* the aims are optimal, too */
    int bound; /* lower bound of the interval by units and recurrences */
    int tried; /* last interval that was tried */
    int open;  /* intervals from here up to the answer's are undecided, since the time ran out */
    int stages;
    Text why; /* the reason for the interval, as lines */
    int nvars, nclauses;
    double seconds;
} Outcome;
void search(const Problem *problem, const Wish *wish, const Limit *limit, Schedule *schedule, Outcome *outcome);
/* Adds schedules of the same interval as schedules[0]. Each is the best by another aim, or has fewer stages. Returns
   the number of schedules, the first included.  */
int search_others(const Problem *problem, const Wish *wish, const Limit *limit, const Outcome *outcome,
                  Schedule *schedules, int most);

/* prefer.c: improves a schedule of the model's interval to the best one.  False: the time ran out.  */
bool prefer(Model *model, Schedule *schedule, void (*progress)(const void *context, const char *what),
            const void *context);

/* check.c: returns NULL for a valid schedule, or a sentence about the first violation.  */
char *check_schedule(const Problem *problem, const Schedule *schedule);
int ring_slots(const Problem *problem, const Schedule *schedule, int op);
int carried_registers(const Problem *problem, const Schedule *schedule);
/* True if `other` is asynchronous and uses a unit of `op`, so that the unit is busy during a wait for `op`.  */
bool may_cover(const Problem *problem, int op, int other);
int exposed_cycles(const Problem *problem, const Schedule *schedule);
bool spares_registers(const Problem *problem, const Schedule *schedule);

/* predict.c */
Order order_new(const Problem *problem);
Order order_of(const Problem *problem, const Schedule *schedule);
void order_free(Order *order);
/* Returns the clocks of an iteration in the steady state. `busy`: all multiprocessors run the loop; otherwise one does.
   Returns 0 if the machine lacks a cost, or if a ring has too few slots.  */
double predict(const Problem *problem, const Order *order, bool busy);

/* show.c */
uint64_t problem_digest(const Problem *problem);
void show_problem(Text *text, const Problem *problem);
void show_dot(Text *text, const Problem *problem);
void show_schedule(Text *text, const Problem *problem, const Schedule *schedule, const Outcome *outcome);
void show_tables(Text *text, const Problem *problem, const Schedule *schedule);

#endif
