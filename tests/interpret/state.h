/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * state.h - declarations shared by the files of the interpreter.
 *
 *      launch.c   the launcher: parameters, tensors, grid, CTAs
 *      group.c    the program of one group: variables, control flow, waits
 *      value.c    expressions: the value of an operand at its use
 *      scalar.c   numbers, as C computes them
 *      memory.c   windows of tensors, shared memory, copies
 *      product.c  products, and sums of parts
 *
 * As in the emitted text, a value with a variable is stored in it, and a value without one is computed at each use.  So
 * the interpreter finds the same mistakes of `plan` as the .cu does.  Examples are two live values in one variable, and
 * a read of memory that comes too late.
 */
#ifndef INTERPRET_STATE_H
#define INTERPRET_STATE_H

#include "emulate.h"
#include "ir/kernel.h"
#include "interpret.h"
#include "tile.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A window of a tensor.  Coordinates count from `origin`.  The elements inside are [low, high), in coordinates of the
   whole tensor.  */
typedef struct {
    unsigned char *base;
    int number; /* number of the launch's tensor */
    int rank;
    Dtype dtype;
    long stride[4], origin[4], low[4], high[4];
    bool sliced;
    ws_emulate_box box;          /* of a box (rank 2): the arrays above are those of the whole tensor */
    unsigned char *const *bases; /* of a table: the first coordinate selects a base */
} Window;

/* A view of shared memory: element (r, c) is at base + (r * row_stride + c * col_stride) elements.  */
typedef struct {
    unsigned char *base;
    long row_stride, col_stride;
} View;

typedef struct Cell Cell;

/* A value.  Its type decides which member is set.  */
typedef struct {
    int64_t number;
    double real;
    ws_tile tile;
    Cell *cell; /* of a tile: its variable, or NULL */
    View view;
    const Window *tensor;
} Datum;

/* A variable of a group.  Its tile and its tensor have their own memory.  */
struct Cell {
    const Variable *variable;
    const Block *scope; /* block at whose end it is destroyed */
    bool written;
    ws_sched_accumulator state;
    struct ws_tile_ *tile;
    Window tensor;
    Datum datum;
};

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

typedef struct Launch Launch;

enum { MOST_HELD_SLOTS = 64, MOST_STORAGES = 64, MOST_GROUPS = 8 /* groups of a role */, MOST_ROLES = 32 };

/* A group's end of a ring.  */
typedef struct {
    uint64_t index;
    uint64_t held[MOST_HELD_SLOTS];
    int nheld;
    int64_t bytes; /* bytes copied in since the put */
} End;

/* Memory for the tiles of one statement, freed behind it.  */
typedef struct Chunk Chunk;
typedef struct {
    Chunk *first, *current;
} Arena;

typedef struct {
    Launch *launch;
    const Role *role;
    int number; /* in the role */
    int block;  /* in the cluster */
    Cell *cells;
    End *producers, *consumers;      /* by aref */
    int64_t gathered[MOST_STORAGES]; /* by place of the storage: writes so far */
    struct Held *held;               /* rows that stay in registers from one iteration to the next, by load */
    int *stored;                     /* by place of the storage: the next buffer of an output */
    Arena arena;
    /* the iteration over the grid */
    long tile, stride, walked, position[4];
    bool inside; /* the tile is inside the grid */
    bool tma;    /* the role's version for launches whose copies TMA can all make */
} Group;

/* The data of a kernel that do not depend on a launch.  */
typedef struct {
    Kernel *kernel;
    int *cell_of;   /* by value id: number of its variable, -1: none */
    int *tensor_of; /* by value id: number among the launch's tensors of a TENSOR operation's result */
    const Op **tensors;
    int ncells, ntensors, narefs, nstorages;
    const Block **scopes; /* scope, by variable */
    int placed;           /* dimensions in which a tile outside the grid takes the place of the last one (cluster.h) */
    const char *clash;    /* a name of two variables with overlapping scopes; NULL: none */
} Plan;

struct Launch {
    const Plan *plan;
    Kernel *kernel;
    const interpret_argument *arguments;
    ws_emulate_launch state;
    Window *tensors;
    bool *usable; /* by tensor: TMA can move it */
    bool by_tma;  /* TMA can move all tensors that are copied in */
    ws_emulate_grid grid;
    int cluster;   /* blocks of a cluster */
    Group *groups; /* groups of all blocks, block by block */
    int ngroups, ctas;
    unsigned char *shared;
    size_t shared_bytes, shared_room; /* bytes of a block, and the distance from it to the next block */
    int *pingpong;                    /* by block: the scheduler's number of its turns */
    int *role_barriers;               /* by block and role: the scheduler's number of the barrier */
    /* By storage and group: the scheduler's number of a barrier of all blocks.  */
    int *part_barriers;
    int *ring_of;           /* by block and aref: the scheduler's number of the ring */
    long steps, most_steps; /* steps of this CTA, and the limit for a program that does not end */
};

/* ---- launch.c ---------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t seed;
    int (*choose)(void *user, int count, const ws_sched_choice *choices); /* NULL: chosen by seed */
    void (*observe)(void *user, const ws_sched_event *event);
    bool no_clocks;
} Order;

/* The `user` argument of the scheduler's hooks. emulate.c reads `head`.  */
typedef struct {
    ws_emulate_cta head;
    Launch *launch;
    void *context;
} Cta;

Plan *plan_new(Kernel *kernel);
void plan_delete(Plan *plan);
/* Prepares a launch up to the first CTA.  False: it failed, launch->state.failed and the error are set.  */
bool launch_begin(Launch *launch, const Plan *plan, const interpret_argument *arguments, int count);
void launch_end(Launch *launch);
/* Runs one CTA.  Returns NULL or its report, which is valid until the next call.  */
const char *launch_cta(Launch *launch, int cta, const Order *order, void *context);
/* Runs all CTAs.  */
const char *launch_run(Launch *launch, const Order *order, void *context);
/* Forgets which CTA accessed which element.  Call it before a second run.  */
void launch_forget(Launch *launch);

/* The contents of the stored tensors, to be restored and compared.  */
typedef struct {
    unsigned char *bytes;
    size_t count;
} Image;
Image image_take(const Launch *launch);
void image_put(const Launch *launch, const Image *image);
bool image_equal(const Image *x, const Image *y);
void image_drop(Image *image);

/* ---- orders.c ---------------------------------------------------------------------------------------------------- */

/* Runs every CTA in every order, up to orders that cannot differ (explore.h).  Each order has to leave the same bytes.
   Returns NULL or a report, valid until the next call, which ends with the order in the format of WS_ORDER.  */
const char *launch_explore(Launch *launch, long most, long *runs);
/* Runs one CTA in the order of the text, the others in that of a seed.  "2:01103" is for CTA 2.  */
const char *launch_replay(Launch *launch, const char *text);

/* ---- group.c, value.c, scalar.c ---------------------------------------------------------------------------------- */

void group_run(void *group);
void *arena_take(Arena *arena, size_t bytes);
void arena_reset(Arena *arena);
void arena_drop(Arena *arena);
void *group_handle(size_t bytes); /* memory for a handle of the sequential library, freed behind the statement */

/* Reports a statement that is wrong: ends the CTA inside of one, else the launch.  */
void wrong(const Launch *launch, const char *format, ...) __attribute__((format(printf, 2, 3)));

Cell *cell_of(Group *group, const Value *value); /* NULL: no variable of this group */
Datum evaluate(Group *group, const Value *value);
Datum compute(Group *group, const Op *op); /* result of the operation */
int64_t number_of(Group *group, const Value *value);
Datum host_value(const Launch *launch, const Value *value); /* value that depends on parameters alone */
void check_cell(const Cell *cell, const char *how);

/* Operands are evaluated when they are needed, as in C.  */
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
void memory_drop_held(Group *group); /* frees rows that stay from one iteration to the next */
void memory_store(Group *group, const Op *op);
/* In launch.c: bit mask of the blocks that share tiles in this direction, with `block` itself.  */
uint32_t blocks_along(const Launch *launch, int along, int block);
int ring_of(const Group *group, const Aref *aref);
void memory_copy_in(Group *group, const Op *op);
View memory_view(Group *group, const Op *op);
ws_tile memory_read(Group *group, const Op *op);
View memory_stage(Group *group, const Op *op);
void memory_put_tile(Group *group, const Op *op);
View memory_gather(Group *group, const Op *op);
void memory_exchange(Group *group, const Op *op, ws_tile result);
void memory_role_barrier(Group *group);
int memory_role_barrier_of(const Group *group); /* its number for the scheduler */
unsigned char *own_storage(Group *group, const Storage *storage);
ws_sched_range view_range(View view, Type type);
void view_copy(View view, Type type, unsigned char *to); /* to dense rows */

/* ---- product.c --------------------------------------------------------------------------------------------------- */

void product_of(Group *group, const Op *op, Cell *acc);
ws_tile product_sum_parts(Group *group, const Op *op);
ws_tile product_over_blocks(Group *group, const Op *op);
int *part_barrier(const Launch *launch, const Storage *storage, int group);

#endif
