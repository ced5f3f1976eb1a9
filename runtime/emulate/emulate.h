/* SPDX-License-Identifier: MIT */
/*
 * emulate.h - the host's side of an emulated launch: tensors and their checks, CTAs on threads, and who touched which
 * element.
 *
 * wsrt.cuh wraps this in the classes of the emitted text.  Failures go to ws_error_set; the first of a launch is kept
 * and what follows it does nothing.
 */
#ifndef WS_EMULATE_H
#define WS_EMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ws.h>
#include <ws/backend.h>

#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- for users and tests ----------------------------------------------------------------------------------------- */

/* The order of everything in the launches that follow; without a call the environment's WS_SEED, else 1.  */
void ws_emulate_seed(unsigned long seed);
/* CTAs of a persistent launch (4); 0 as argument changes nothing.  Returns what was in force.  */
int ws_emulate_ctas(int ctas);

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

typedef enum { WS_EMULATE_LOADED = 1, WS_EMULATE_STORED = 2 } ws_emulate_use;

typedef struct {
    const char *name;
    char *base;
    int size; /* bytes of an element */
    int rank;
    long extent[4], stride[4];
    int use;
    bool of_table;          /* its base is an element of an array of pointers */
    struct ws_rows in, out; /* under together: what a tile loads and stores */
    const void *parameter;  /* the kernel's; two may have one base */
    int array;              /* a number for each array of which the kernel knows that it is one; 0: not given yet */
} ws_emulate_tensor;

/* Who wrote and who read each element of a stretch of memory that the kernel stores.  */
typedef struct {
    char *low, *high;
    int unit;          /* bytes that one entry stands for */
    uint32_t *written; /* one mapping with `read` */
    uint32_t *read;
    size_t bytes;
    const ws_emulate_tensor *tensor;
} ws_emulate_shadow;

/* The last two dimensions are walked in bands of `band` tiles of the first of them, along that one first: 1 is row
   order, all of them column order.  Dimensions before them are slowest.  */
typedef struct {
    int dims;
    long low[4], step[4], count[4];
    long total, band;
    long from;     /* position of the first dimension at which the walk begins; it goes round */
    int side[2];   /* of a cluster, along the last dimension but one and the last: counts are of clusters then */
    long tiles[4]; /* and these of tiles */
} ws_emulate_grid;

typedef struct {
    const char *kernel;
    bool failed;
    ws_emulate_tensor *tensors;
    int ntensors, room;
    ws_emulate_shadow *shadows;
    int nshadows;
    bool ran;
    unsigned lines;              /* of ws_print_value */
    const ws_emulate_grid *grid; /* under together */
    struct ws_together together;
    int device;              /* of the loop over devices; -1 */
    const char *absent;      /* a tensor with a null pointer for its base, which no tile may touch */
    struct touched *earlier; /* by launches of the block that may still run */
    int nearlier;
} ws_emulate_launch;

/* What a running kernel knows of its CTA: ws_sched_user of its scheduler, which of a cluster is the first's; the others
   follow.  */
typedef struct {
    ws_emulate_launch *launch;
    int cta, ctas;
    void *shared;
} ws_emulate_cta;

enum { WS_EMULATE_CLUSTER = 16 /* CTAs at most */ };

void ws_emulate_begin(ws_emulate_launch *launch, const char *kernel);
void ws_emulate_end(ws_emulate_launch *launch);
bool ws_emulate_next_line(ws_emulate_launch *launch); /* may ws_print_value print one more? */
/* The tensor's base becomes that of a copy which #pragma ws data has made; returned, too.  */
char *ws_emulate_resident(ws_emulate_launch *launch, ws_emulate_tensor *tensor);
void ws_emulate_use_tensor(ws_emulate_launch *launch, const ws_emulate_tensor *tensor);
/* The one that was used last is of the same array as the one that is this parameter.  */
void ws_emulate_again(ws_emulate_launch *launch, const void *parameter);
/* The one that was used last is an element of an array.  */
void ws_emulate_of_table(ws_emulate_launch *launch);
void ws_emulate_place(ws_emulate_launch *launch);
/* Can TMA take this tensor?  If not, a line in the log says why.  */
bool ws_emulate_map(ws_emulate_launch *launch, const ws_emulate_tensor *tensor);
/* Copies of which only the rows that the tensor has need come, in tiles of so many: from row `first` on, as many as are
   left.  */
typedef struct {
    long extent, first;
    int rows, left;
} ws_emulate_edge;
ws_emulate_edge ws_emulate_edge_of(long extent, int rows);
/* The same of tiles that begin at multiples of a step, which each of `sharers` CTAs brings so many rows of at most: a
   part of those within the step.  */
ws_emulate_edge ws_emulate_step_of(long extent, int rows, long step, int sharers);
/* Of a tile's rows from there on: those that a copy brings, and those that there are.  The others may hold anything. */
int ws_emulate_rows_brought(const ws_emulate_edge *edge, long row);
int ws_emulate_rows_there(const ws_emulate_edge *edge, long row);
/* CTAs of a launch in clusters over `tiles` iterations of the grid for each of them; 0: none, or more shared memory
   than there is.  */
int ws_emulate_size(ws_emulate_launch *launch, size_t shared_bytes, long tiles, bool persistent, int cluster);
/* Run body (arg) as every group of every CTA.  */
void ws_emulate_run(ws_emulate_launch *launch, void (*body)(void *arg), void *arg, int threads, size_t shared_bytes,
                    long tiles, bool persistent, int cluster);
void ws_emulate_fail(ws_emulate_launch *launch, ws_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- where things are -------------------------------------------------------------------------------------------- */

/* One more dimension, whose variable holds numbers up to `most`.  */
void ws_emulate_grid_add(ws_emulate_launch *launch, ws_emulate_grid *grid, long low, long high, long step, long most);
/* When all dimensions are there: x CTAs along the last but one, y along the last.  */
void ws_emulate_grid_from(ws_emulate_grid *grid, long x);
void ws_emulate_grid_cluster(ws_emulate_grid *grid, int x, int y);
/* The place of the n-th tile in each dimension; of a cluster, of the tile of this block of it.  False: none of the
   grid's.  */
bool ws_emulate_locate(const ws_emulate_grid *grid, long tile, int block, long *position);
/* The last tile's position for one beyond the grid.  */
long ws_emulate_nearest(const ws_emulate_grid *grid, int dim, long position);
/* What ws_sched_iteration is told of that tile.  */
long ws_emulate_tile(const ws_emulate_grid *grid, long tile, int block);
enum { WS_EMULATE_OUTSIDE = -2 };

/* A coordinate, or what is so far out that sums of such coordinates do not overflow.  */
long ws_emulate_near(long x);
/* One dimension of a slice: origin is the whole tensor's coordinate where the slice's own count begins, [low, high)
   what is inside, in coordinates of the whole.  */
void ws_emulate_slice(long *origin, long *low, long *high, long begin, long end);

typedef struct {
    int rank;
    const long *stride, *origin, *low, *high;
} ws_emulate_window;

/* The part of a tile that lies inside the tensor: rows and columns of the tile.  Its element (0, 0), even if that lies
   outside, is `offset` elements behind the tensor's base, and rows are row_stride apart.  */
typedef struct {
    long offset, row_stride;
    int row_first, row_last, col_first, col_last;
} ws_emulate_patch;

/* row_dim or col_dim is -1 where a vector has no such dimension.  */
ws_emulate_patch ws_emulate_patch_of(const ws_emulate_window *tensor, const long *at, int row_dim, int col_dim,
                                     int rows, int cols);

/* A box of a tensor as rows of a matrix.  */
typedef struct {
    int dims; /* of the tensor, but the last; 0: it is none */
    int extent[3];
    long at[3];
} ws_emulate_box;
/* The part of a tile of a box that begins at its row `row`, from the tile's row `first` on: *count rows that lie in one
   run of the box's last extent.  Rows of the patch count from `first`.  */
ws_emulate_patch ws_emulate_box_patch(const ws_emulate_window *tensor, const ws_emulate_box *box, long row, long col,
                                      int rows, int cols, int first, int *count);

/* ---- who touched which element: from inside a fiber, one line of elements at a time ------------------------------ */

typedef enum {
    WS_EMULATE_LOAD,
    WS_EMULATE_STORE,
    WS_EMULATE_ADD,          /* atomically */
    WS_EMULATE_STORE_BY_COPY /* later, and nobody knows when */
} ws_emulate_touch;

void ws_emulate_touched(ws_sched *s, ws_emulate_touch kind, const void *line, size_t bytes);
/* ws_store_at: no index from low to high - 1 stands twice.  */
void ws_emulate_once(ws_sched *s, const void *index, int bytes, int count, long low, long high);

/* ---- grids that run together: together.c ------------------------------------------------------------------------- */

/* What a tile touches of a dimension: from low to high, each further by so much for each of the grid's variables.  */
typedef struct {
    bool all;
    long low, high, by[4];
} ws_emulate_rows;
/* Of the tensors at that base, of which so many dimensions are told.  */
void ws_emulate_touches(ws_emulate_launch *launch, const void *parameter, int how, const ws_emulate_rows *rows,
                        int told, unsigned roles);
void ws_emulate_together(ws_emulate_launch *launch, const ws_emulate_grid *grid, int tellers, bool tiles_wait);
/* Which launches of the block come before this one; and it has ended.  */
void ws_emulate_order(ws_emulate_launch *launch);
void ws_emulate_remember(ws_emulate_launch *launch);
void ws_emulate_check_told(ws_emulate_launch *launch);
/* From inside a fiber.  */
void ws_emulate_await_tiles(ws_sched *s, unsigned roles);
void ws_emulate_tile_done(ws_sched *s);
void ws_emulate_tell_tiles(ws_sched *s);
void ws_emulate_touched_together(ws_sched *s, ws_emulate_touch kind, const char *from, size_t bytes, long tile);
char *ws_emulate_tensor_begin(const ws_emulate_tensor *t); /* the first byte that it names, wherever its base is */
char *ws_emulate_tensor_end(const ws_emulate_tensor *t);   /* one past the last */

#ifdef __cplusplus
}
#endif
#endif
