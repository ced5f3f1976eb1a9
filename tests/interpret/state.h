/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * state.h - what the interpreter's files share.
 *
 *   launch.c   the launcher: parameters, tensors, grid, CTAs
 *   group.c    the program of one group: variables, control flow, waits
 *   value.c    expressions: what a value is worth where it is used
 *   scalar.c   numbers, as C computes them
 *   memory.c   windows of tensors, shared memory, copies
 *   product.c  products, and sums of parts
 *
 * As in the emitted text, a value with a variable lives in it, and one without is computed where it is used, each time.
 * So a plan that gives two live values one variable, or reads memory too late, is found here as it is in the .cu.
 */
#ifndef INTERPRET_STATE_H
#define INTERPRET_STATE_H

#include "schedule/cluster.h"
#include "emulate.h"
#include "interpret.h"
#include "machine/plan.h"
#include "tile.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* `origin` is where coordinates count from, [low, high) what is inside, in coordinates of the whole tensor.  */
typedef struct {
    unsigned char *base;
    int number; /* of the launch's tensor that it is a part of */
    int rank;
    Dtype dtype;
    long stride[4], origin[4], low[4], high[4];
    bool sliced;
    ws_emulate_box box;          /* of a box, whose rank is 2: the arrays above are the whole tensor's */
    unsigned char *const *bases; /* of a table: the first coordinate says which */
} Window;

/* Element (r, c) is at base + (r * row_stride + c * col_stride) elements.  */
typedef struct {
    unsigned char *base;
    long row_stride, col_stride;
} View;

typedef struct Cell Cell;

/* Whichever the value's type has.  */
typedef struct {
    int64_t number;
    double real;
    ws_tile tile;
    Cell *cell; /* of a tile: the variable that holds it */
    View view;
    const Window *tensor;
} Datum;

/* A variable of a group.  Its tile and its tensor have memory of their own.  */
struct Cell {
    const Variable *variable;
    const Block *scope; /* at whose end it ceases to be */
    bool written;
    ws_sched_accumulator state;
    struct ws_tile_ *tile;
    Window tensor;
    Datum datum;
};

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

typedef struct Launch Launch;

enum { MOST_HELD_SLOTS = 64, MOST_STORAGES = 64, MOST_GROUPS = 8 /* of a role */, MOST_ROLES = 32 };

/* One end of a ring.  */
typedef struct {
    uint64_t index;
    uint64_t held[MOST_HELD_SLOTS];
    int nheld;
    int64_t bytes; /* copied in since the put */
} End;

/* Memory for the tiles of one statement.  */
typedef struct Chunk Chunk;
typedef struct {
    Chunk *first, *current;
} Arena;

typedef struct {
    Launch *launch;
    const Role *role;
    int number; /* within the role */
    int block;  /* of the cluster */
    Cell *cells;
    End *producers, *consumers;      /* by aref */
    int64_t gathered[MOST_STORAGES]; /* by the storage's place */
    struct Held *held;               /* rows that stay from one iteration to the next, by load */
    int *stored;                     /* by storage, in the kernel's order: whose turn it is of an output's buffers */
    Arena arena;
    /* the walk over the grid */
    long tile, stride, walked, position[4];
    bool inside; /* the tile is one of the grid's */
    bool tma;    /* this version of the role's program: all that it brings the TMA can load */
} Group;

/* What is known of a kernel before any launch.  */
typedef struct {
    Kernel *kernel;
    int *cell_of;   /* by value id: its variable's number, -1: none */
    int *tensor_of; /* by value id: of a TENSOR op's result, the number among the launch's tensors */
    const Op **tensors;
    int ncells, ntensors, narefs, nstorages;
    const Block **scopes; /* by variable */
    int placed;           /* dimensions in which a tile beyond the grid has the last one's place (cluster.h) */
    const char *clash;    /* a name that two variables have where both can be seen; NULL: none */
} Plan;

struct Launch {
    const Plan *plan;
    Kernel *kernel;
    const interpret_argument *arguments;
    ws_emulate_launch state;
    Window *tensors;
    bool *usable; /* by TMA */
    bool by_tma;  /* all that is copied in is */
    ws_emulate_grid grid;
    int cluster;   /* blocks of one */
    Group *groups; /* of a block, then of the next */
    int ngroups, ctas;
    unsigned char *shared;
    size_t shared_bytes, shared_room; /* of a block, and from it to the next */
    int *pingpong;                    /* by block: its number for the scheduler */
    int *role_barriers;               /* by block and role: the same */
    int *part_barriers;               /* of blocks that sum parts: by storage and group, for all of them */
    int *ring_of;                     /* by block and aref: the same */
    long steps, most_steps;           /* of this CTA; a program that does not end is an error */
};

/* ---- launch.c ---------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t seed;
    int (*choose)(void *user, int count, const ws_sched_choice *choices); /* NULL: by seed */
    void (*observe)(void *user, const ws_sched_event *event);
    bool no_clocks;
} Order;

/* What the scheduler's hooks get as `user`; emulate.c knows its head.  */
typedef struct {
    ws_emulate_cta head;
    Launch *launch;
    void *context;
} Cta;

Plan *plan_new(Kernel *kernel);
void plan_delete(Plan *plan);
/* Everything before the first CTA.  False: launch->state.failed, the error is set.  */
bool launch_begin(Launch *launch, const Plan *plan, const interpret_argument *arguments, int count);
void launch_end(Launch *launch);
/* One CTA; NULL or its report, which is good until the next.  */
const char *launch_cta(Launch *launch, int cta, const Order *order, void *context);
/* All CTAs.  */
const char *launch_run(Launch *launch, const Order *order, void *context);
void launch_forget(Launch *launch); /* who touched which element: before a second run */

/* What the stored tensors hold, to be put back and compared.  */
typedef struct {
    unsigned char *bytes;
    size_t count;
} Image;
Image image_take(const Launch *launch);
void image_put(const Launch *launch, const Image *image);
bool image_equal(const Image *x, const Image *y);
void image_drop(Image *image);

/* ---- orders.c ---------------------------------------------------------------------------------------------------- */

/* Every order of every CTA by itself, up to orders that cannot differ (explore.h): each has to leave the same bytes.
   NULL or a report, good until the next, which ends with the order as WS_ORDER takes it.  */
const char *launch_explore(Launch *launch, long most, long *runs);
/* One CTA in the order that the text says, the others as a seed does.  "2:01103" is CTA 2.  */
const char *launch_replay(Launch *launch, const char *text);

/* ---- group.c, value.c, scalar.c ---------------------------------------------------------------------------------- */

void group_run(void *group);
void *arena_take(Arena *arena, size_t bytes);
void arena_reset(Arena *arena);
void arena_drop(Arena *arena);
void *group_handle(size_t bytes); /* memory for a handle of the sequential library */

/* A statement of the program that is wrong: ends the CTA inside one, the launch outside.  */
void wrong(const Launch *launch, const char *format, ...) __attribute__((format(printf, 2, 3)));

Cell *cell_of(Group *group, const Value *value); /* NULL: none of this group's */
Datum evaluate(Group *group, const Value *value);
Datum compute(Group *group, const Op *op); /* what the op makes, by its operands */
int64_t number_of(Group *group, const Value *value);
Datum host_value(const Launch *launch, const Value *value); /* of parameters alone */
void check_cell(const Cell *cell, const char *how);

/* Operands are asked for as they are needed, as C does.  */
typedef Datum (*OperandFn)(void *context, const Value *value);
Datum scalar_compute(const Launch *launch, const Op *op, OperandFn operand, void *context);
bool scalar_compare(Opcode code, Dtype dtype, int64_t x, int64_t y);
int64_t scalar_wrap(Dtype dtype, int64_t x);

/* ---- memory.c ---------------------------------------------------------------------------------------------------- */

int element_bytes(Dtype dtype);
Window window_slice(const Window *t, int dim, long begin, long end);
Window window_box(const Window *t, const long *at, const int *extents);
Datum memory_at(Group *group, const Op *op);
ws_tile memory_load_at(Group *group, const Op *op, ws_tile index);
ws_tile memory_load(Group *group, const Op *op);
void memory_drop_held(Group *group); /* rows that stay from one iteration to the next */
void memory_store(Group *group, const Op *op);
uint32_t blocks_along(const Launch *launch, int along,
                      int block); /* launch.c: those that share tiles so, itself included */
int ring_of(const Group *group, const Aref *aref);
void memory_copy_in(Group *group, const Op *op);
View memory_view(Group *group, const Op *op);
ws_tile memory_read(Group *group, const Op *op);
View memory_stage(Group *group, const Op *op);
void memory_put_tile(Group *group, const Op *op);
View memory_gather(Group *group, const Op *op);
void memory_role_barrier(Group *group);
int memory_role_barrier_of(const Group *group); /* for the scheduler */
unsigned char *own_storage(Group *group, const Storage *storage);
ws_sched_range view_range(View view, Type type);
void view_copy(View view, Type type, unsigned char *to); /* whose rows are dense */

/* ---- product.c --------------------------------------------------------------------------------------------------- */

void product_of(Group *group, const Op *op, Cell *acc);
ws_tile product_sum_parts(Group *group, const Op *op);
ws_tile product_over_blocks(Group *group, const Op *op);
int *part_barrier(const Launch *launch, const Storage *storage, int group);

#endif
