/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solve.h - wsc-solve: modulo schedules with a warp assignment, solved.
 *
 *   text.c       machine, graph and schedule as text, in
 *   cost.c       costs from a machine's kinds; normalized costs; lower bounds of the interval
 *   sat.c        the SAT solver, with a time limit
 *   model*.c     clauses: is there a schedule with interval I and at most L cycles?
 *   sums.c       clauses for sums
 *   search.c     the smallest interval, and why no smaller one
 *   prefer.c     the best of its schedules
 *   check.c      is a schedule right?  Independent of the clauses
 *   predict*.c   the clocks of an iteration, from running some; predict-loop.c is what the compiler calls
 *   show.c       schedule and tables as text, out
 *   wsc-solve.c  the command line
 *
 * A schedule gives each operation v of the loop's body a cycle M(v) and a warp group.  Iteration i issues v at M(v) + i
 * I.
 */
#ifndef WSC_SOLVE_H
#define WSC_SOLVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    int unit, offset, cycles; /* busy from `offset` cycles behind the issue on */
} Use;

typedef struct {
    int space, amount; /* of memory, as long as the value lives */
} Held;

enum { MAX_USES = 24, MAX_HELD = 2, MAX_KINDS = 12, NOT_GIVEN = -1, HOLD_ALL = -2 };

typedef struct {
    const char *name;
    struct {
        const char *name;
        double work;
    } kinds[MAX_KINDS]; /* one behind the other */
    int cycles;         /* until its result is there */
    int registers;      /* of each thread, while the result lives */
    int spill;          /* cycles more to a reader in another group */
    int latency;        /* of a streaming operation: how long before its first reader it is issued; of an
                           asynchronous one: cycles more until who waits for it goes on */
    int slots;          /* of a streaming operation's ring; 0: as many as memory has room for */
    bool variable;      /* varies in latency: in no group */
    bool streaming;     /* depends on nothing in the loop, and runs ahead */
    bool asynchronous;
    bool alone;  /* in a group with others that are alone, only */
    bool shared; /* done once for all replicas */
    Use uses[MAX_USES];
    Held held[MAX_HELD];
    int nuses, nheld, nkinds;
    int line;
} Op;

typedef struct {
    int from, to, delay, distance;
    int hold; /* cycles behind the reader's issue until it has read */
    bool blocking;
    int line;
} Edge;

typedef struct {
    const char *name;
    int capacity;
    bool each;        /* every group has one of its own */
    bool interleaved; /* it does what several groups have at the same time in turn, an instruction of each */
} Unit;

/* What an operation costs: so much work a clock on each of its units.  */
typedef struct {
    const char *name;
    struct {
        int unit;
        double rate;
    } uses[MAX_USES];
    int nuses, latency;
    bool variable, streaming, asynchronous, alone;
} Kind;

/* May an operation wait while others of its group are in flight?  */
typedef enum { WAIT_STRICT, WAIT_IN_ORDER, WAIT_FREE } Wait;

/* What is better among schedules of the smallest interval.  */
typedef enum {
    AIM_SPARE,          /* registers are spared */
    AIM_CROSSINGS,      /* fewest values go from group to group */
    AIM_EXPOSED,        /* the shortest waits for products with no other of the group in flight behind them */
    AIM_GROUP_INTERVAL, /* the least interval that a group could keep with the machine to itself, in the same order */
    AIM_CARRIED,        /* fewest registers live from one time step to the next */
    AIM_LENGTH,         /* the shortest iteration */
    AIM_LATE,           /* each operation as late as it can */
    AIMS
} Aim;
extern const char *const aim_names[AIMS];

typedef struct {
    const char *machine, *name;
    const char *wanted; /* the loop of this name, of several in a file; NULL: the only one */
    Unit *units, *spaces;
    Kind *kinds;
    Op *ops;
    Edge *edges;
    Kind *timeline; /* what predict takes in place of the kinds of these names */
    int nunits, nspaces, nkinds, nops, nedges, ntimeline;
    int in_flight;      /* products that an iteration does not wait for stay so for as many iterations */
    int groups;         /* at most so many */
    int replicas;       /* of the whole, each an equal part of the interval behind the one before */
    bool turns;         /* the replicas may take turns at what is interleaved */
    int registers;      /* of each thread of a group; 0: not counted */
    int spare;          /* of these, left free if the smallest interval allows it */
    const char *prefer; /* aims are what an option says */
    Aim aims[AIMS];
    int naims;
    int crossings;     /* at most so many; NOT_GIVEN */
    int normalize;     /* the sum of all cycles, at most; 0: cycles are exact */
    double spill_rate; /* bytes a clock of a value that changes groups; 0: none */
    Wait wait;
    bool reader_registers; /* a value from another group takes registers of its reader, too */
    double clocks;         /* of a cycle, after normalizing */
} Problem;

typedef struct {
    int interval, length, crossings;
    int *at, *group;            /* by operation; group NOT_GIVEN for one that is in none */
    int group_interval, *alone; /* with the machine to itself: 0, or an interval, and the cycles of the same order */
} Schedule;

/* How a step of the steady loop issues operations.  */
typedef struct {
    int n, in_flight;
    bool turns;         /* replicas take turns at what is interleaved */
    int *op;            /* in order */
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
void fail_by(void (*then)(void));  /* in place of a message and an exit; it does not return.  NULL: as before */
char *read_file(const char *path); /* "-" is standard input */
void problem_init(Problem *problem);
void read_problem(Problem *problem, const char *path, const char *text);
void settle_aims(Problem *problem, char *words); /* of --prefer: the words are cut */
void finish_problem(Problem *problem);
void read_schedule(const Problem *problem, Schedule *schedule, const char *path, const char *text, char digest[17]);
/* The order in which a file that --ws-dump=schedule prints has the loop; false: it has none.  */
bool read_order(const Problem *problem, Order *order, const char *path, const char *text);
Schedule schedule_new(const Problem *problem);
void schedule_free(Schedule *schedule);
void problem_free(Problem *problem);
bool spills(const Problem *problem, int from, int to); /* may this value have to change groups, at a cost? */

/* cost.c */
void cost_problem(Problem *problem);
int normalized(const double *clocks, int n, int sum, int *cycles, double *scale, bool literal);
int replicas_of(const Problem *problem, const Op *op);
int replica_shift(const Problem *problem, int interval, int replica); /* cycles behind the first */
int copies_on(const Problem *problem, const Op *op, int unit);        /* that use one and the same unit */
int busy_cycles(const Problem *problem, int unit);
int unit_bound(const Problem *problem, int *unit); /* of the interval, from the busiest unit */
/* And from the slowest recurrence, with its operations, and a load where it goes by the slots of its ring;
   NULL: rings have slots enough.  */
int cycle_bound(const Problem *problem, int *cycle, int *ncycle, int *load);
int shortest_length(const Problem *problem, int interval);

/* sat.c: variables are 1, 2, ...; a literal is a variable or its negative.  */
typedef struct Sat Sat;
typedef struct {
    double until;                  /* seconds, as now () gives them */
    volatile const int *cancelled; /* a signal's number, or NULL */
} Limit;
typedef enum { SAT_YES = 10, SAT_NO = 20, SAT_UNKNOWN = 0 } Answer;
double now(void);
Sat *sat_new(const Limit *limit);
void sat_free(Sat *sat);
void sat_add(Sat *sat, int literal); /* 0 ends a clause */
void sat_assume(Sat *sat, int literal);
Answer sat_solve(Sat *sat);
bool sat_expired(const Sat *sat);
void sat_hurry(Sat *sat); /* the next solve gives up soon */
bool sat_value(Sat *sat, int variable);
bool sat_failed(Sat *sat, int literal);
const char *sat_name(void);

/* model.c */
#define ALWAYS INT32_MAX
#define NEVER  (-INT32_MAX)
typedef struct {
    const char *name;
    int literal;
    bool on; /* assumed */
} Selector;
typedef struct {
    int from, to, literal;
} Crossing;
typedef struct Model Model;
struct Model {
    const Problem *problem;
    Sat *sat;
    Model *joint; /* all groups; itself, or the one whose order this one keeps */
    int guard;    /* holds in each clause; ALWAYS */
    int interval, length, groups;
    int nvars, nclauses;            /* of the joint one */
    int *horizon, **issued, **slot; /* by operation */
    int **assigned;                 /* by operation, by group */
    int **same, **flight;
    Selector *selectors;
    Crossing *crossings;
    int nselectors, ncrossings;
    int spare;    /* the literal under which registers are spared, or 0 */
    Model *alone; /* each group with the machine to itself */
};
Model *model_new(const Problem *problem, int interval, int length, const Limit *limit);
Model *model_alone(Model *joint, int interval); /* holds under its guard */
void model_free(Model *model);
int issued(const Model *model, int op, int cycle); /* the literal: issued at or before that cycle */
Answer model_solve(Model *model, const int *more, int nmore);
void model_read(Model *model, Schedule *schedule);
int new_variable(Model *model);
void clause_of(Model *model, const int *literals, int n);
#define CLAUSE(model, ...) \
    clause_of(model, (const int[]){__VA_ARGS__}, (int)(sizeof(const int[]){__VA_ARGS__} / sizeof(int)))

/* sums.c: literals and their weights.  */
typedef struct {
    int literal, weight;
} Term;
void at_most(Model *model, Term *terms, int n, int limit, int selector); /* selector 0: always; reorders the terms */
/* Literals that are true where at least 1, 2, ... of the literals are; returns how many there are.  */
int count_true(Model *model, const int *literals, int n, int **at_least);

/* search.c */
typedef struct {
    int from, to;       /* of the interval; 0: from its lower bound on */
    int stages, length; /* 0: one stage more than the shortest iteration takes; as many cycles as stages have */
    bool first;         /* any schedule of the smallest interval will do */
    bool progress;
} Wish;
typedef struct {
    Answer answer;
    bool best; /* the second objective was reached, too */
    int bound; /* of the interval, from units and recurrences */
    int tried; /* the last interval that was tried */
    int open;  /* from this one on up to the answer's, intervals may do, too: the time was up */
    int stages;
    Text why; /* why the interval is no smaller: lines */
    int nvars, nclauses;
    double seconds;
} Outcome;
void search(const Problem *problem, const Wish *wish, const Limit *limit, Schedule *schedule, Outcome *outcome);
/* Others of the interval of the first one, each the best in another respect, or of fewer stages; how many there are
   with the first one.  */
int search_others(const Problem *problem, const Wish *wish, const Limit *limit, const Outcome *outcome,
                  Schedule *schedules, int most);

/* prefer.c: the best schedule of the model's interval, from one that was read; false: time was up.  */
bool prefer(Model *model, Schedule *schedule, void (*progress)(const void *context, const char *what),
            const void *context);

/* check.c: NULL, or what is wrong.  */
char *check_schedule(const Problem *problem, const Schedule *schedule);
int ring_slots(const Problem *problem, const Schedule *schedule, int op);
int carried_registers(const Problem *problem, const Schedule *schedule);
bool may_cover(const Problem *problem, int op,
               int other); /* may `other` keep busy the units that `op` is waited for? */
int exposed_cycles(const Problem *problem, const Schedule *schedule);
bool spares_registers(const Problem *problem, const Schedule *schedule);

/* predict.c */
Order order_new(const Problem *problem);
Order order_of(const Problem *problem, const Schedule *schedule);
void order_free(Order *order);
/* Clocks of an iteration in the long run, with all multiprocessors at it or this one alone; 0: the machine does not say
   what things take, or a ring has too few slots.  */
double predict(const Problem *problem, const Order *order, bool busy);

/* show.c */
uint64_t problem_digest(const Problem *problem);
void show_problem(Text *text, const Problem *problem);
void show_dot(Text *text, const Problem *problem);
void show_schedule(Text *text, const Problem *problem, const Schedule *schedule, const Outcome *outcome);
void show_tables(Text *text, const Problem *problem, const Schedule *schedule);

#endif
