/* SPDX-License-Identifier: MIT */
/*
 * emulate.h - the host's side of an emulated launch: tensors and their checks, CTAs on threads, accesses to elements.
 *
 * wsrt.cuh wraps these functions in the classes of the emitted text.  ws_error_set reports failures.  A launch keeps
 * its first failure, and its later calls do nothing.
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

/* Seed of the order of all following launches.  Without a call the seed is WS_SEED of the environment, or else 1.  */
void ws_emulate_seed(unsigned long seed);
/* CTAs of a persistent launch (4); 0 as argument changes nothing.  Returns the former number.  */
int ws_emulate_ctas(int ctas);

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

typedef enum {
    WS_EMULATE_LOADED = 1,
    WS_EMULATE_STORED = 2,
    WS_EMULATE_ROW_STRIDE = 4 /* the stride of rows is the user's leading dimension */
} ws_emulate_use;

typedef struct {
    const char *name;
    char *base;
    int size; /* bytes of an element */
    int rank;
    long extent[4], stride[4];
    int use;
    bool of_table;          /* `base` is an element of an array of pointers */
    struct ws_rows in, out; /* under together: bytes of a tile's loads and of its stores */
    const void *parameter;  /* the kernel's parameter; two parameters may have one base */
    int array; /* number of the array, shared by tensors that the compiler knows to be one array; 0: not given yet */
} ws_emulate_tensor;

/* For each element of a range of memory that the kernel stores: iterations that wrote and read it.  */
typedef struct {
    char *low, *high;
    int unit;          /* bytes of one entry */
    uint32_t *written; /* one mapping with `read` */
    uint32_t *read;
    size_t bytes;
    const ws_emulate_tensor *tensor;
} ws_emulate_shadow;

/* The last two dimensions are walked in bands of `band` tiles of the first of them, which changes fastest.  1 is row
   order; all tiles of that dimension is column order.  Dimensions before them change slowest.  */
typedef struct {
    int dims;
    long low[4], step[4], count[4];
    long total, band;
    long from;     /* position of the first dimension at which the walk begins; the walk wraps around */
    int side[2];   /* of a cluster, along the last but one and the last dimension: counts then count clusters */
    long tiles[4]; /* counts of tiles */
} ws_emulate_grid;

typedef struct {
    const char *kernel;
    bool failed;
    ws_emulate_tensor *tensors;
    int ntensors, room;
    ws_emulate_shadow *shadows;
    int nshadows;
    bool ran;
    unsigned lines;              /* that ws_print_value has printed */
    const ws_emulate_grid *grid; /* under together */
    struct ws_together together;
    int device;              /* of the loop over devices; -1: none */
    const char *absent;      /* name of a tensor whose base is NULL, which no tile may touch */
    struct touched *earlier; /* accesses by launches of the block that may still run */
    int nearlier;
} ws_emulate_launch;

/* State of a running kernel's CTA.  ws_sched_user of the scheduler is the first CTA of the cluster; the others follow
   it.  */
typedef struct {
    ws_emulate_launch *launch;
    int cta, ctas;
    void *shared;
} ws_emulate_cta;

enum { WS_EMULATE_CLUSTER = 16 /* CTAs at most */ };

void ws_emulate_begin(ws_emulate_launch *launch, const char *kernel);
void ws_emulate_end(ws_emulate_launch *launch);
bool ws_emulate_next_line(ws_emulate_launch *launch); /* true if ws_print_value may print one more line */
/* Sets the tensor's base to that of its copy, if #pragma ws data has made one; returns the base.  */
char *ws_emulate_resident(ws_emulate_launch *launch, ws_emulate_tensor *tensor);
void ws_emulate_use_tensor(ws_emulate_launch *launch, const ws_emulate_tensor *tensor);
/* The last used tensor is of the same array as the tensor of this parameter.  */
void ws_emulate_again(ws_emulate_launch *launch, const void *parameter);
/* The last used tensor is an element of an array of pointers.  */
void ws_emulate_of_table(ws_emulate_launch *launch);
void ws_emulate_place(ws_emulate_launch *launch);
/* True if TMA can load this tensor.  If not, a line in the log says why.  */
bool ws_emulate_map(ws_emulate_launch *launch, const ws_emulate_tensor *tensor);
/* Copies in tiles of `rows` rows that need only the tensor's own rows.  From row `first` on, a copy has `left` rows. */
typedef struct {
    long extent, first;
    int rows, left;
} ws_emulate_edge;
ws_emulate_edge ws_emulate_edge_of(long extent, int rows);
/* The same for tiles at multiples of a step.  Each of `sharers` CTAs copies at most `rows` rows: its part of the step's
   rows.  */
ws_emulate_edge ws_emulate_step_of(long extent, int rows, long step, int sharers);
/* Of a tile's rows from `row` on: the number that a copy brings, and the number inside the tensor.  Other rows of the
   slot may hold anything.  */
int ws_emulate_rows_brought(const ws_emulate_edge *edge, long row);
int ws_emulate_rows_there(const ws_emulate_edge *edge, long row);
/* CTAs of a launch in clusters, for `tiles` iterations of the grid for each of them.  0: no tiles, or more shared
   memory than a CTA may have.  */
int ws_emulate_size(ws_emulate_launch *launch, size_t shared_bytes, long tiles, bool persistent, int cluster);
/* Runs body(arg) as every group of every CTA.  */
void ws_emulate_run(ws_emulate_launch *launch, void (*body)(void *arg), void *arg, int threads, size_t shared_bytes,
                    long tiles, bool persistent, int cluster);
void ws_emulate_fail(ws_emulate_launch *launch, ws_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- positions --------------------------------------------------------------------------------------------------- */

/* Adds a dimension, whose variable holds numbers up to `most`.  */
void ws_emulate_grid_add(ws_emulate_launch *launch, ws_emulate_grid *grid, long low, long high, long step, long most);
/* Call both after all dimensions are added: the walk begins at x; a cluster has x CTAs along the last but one dimension
   and y along the last.  */
void ws_emulate_grid_from(ws_emulate_grid *grid, long x);
void ws_emulate_grid_cluster(ws_emulate_grid *grid, int x, int y);
/* Position of the n-th tile in each dimension; for a cluster, of the tile of CTA `block`.  False: the grid has no such
   tile.  */
bool ws_emulate_locate(const ws_emulate_grid *grid, long tile, int block, long *position);
/* `position`, or the last tile's position if that is smaller.  */
long ws_emulate_nearest(const ws_emulate_grid *grid, int dim, long position);
/* The number that ws_sched_iteration gets for that tile.  */
long ws_emulate_tile(const ws_emulate_grid *grid, long tile, int block);
enum { WS_EMULATE_OUTSIDE = -2 };

/* A coordinate, limited so far out that sums of such coordinates do not overflow.  */
long ws_emulate_near(long x);
/* One dimension of a slice.  `origin` is the whole tensor's coordinate of the slice's coordinate 0.  [low, high) is the
   slice's range, in coordinates of the whole tensor.  */
void ws_emulate_slice(long *origin, long *low, long *high, long begin, long end);

typedef struct {
    int rank;
    const long *stride, *origin, *low, *high;
} ws_emulate_window;

/* The rows and columns of a tile that lie inside the tensor.  The tile's element (0, 0), inside or not, is `offset`
   elements behind the tensor's base; rows are row_stride apart.  */
typedef struct {
    long offset, row_stride;
    int row_first, row_last, col_first, col_last;
} ws_emulate_patch;

/* row_dim or col_dim is -1 if a vector has no such dimension.  */
ws_emulate_patch ws_emulate_patch_of(const ws_emulate_window *tensor, const long *at, int row_dim, int col_dim,
                                     int rows, int cols);

/* A box of a tensor as rows of a matrix.  */
typedef struct {
    int dims; /* of the tensor without the last; 0: no box */
    int extent[3];
    long at[3];
} ws_emulate_box;
/* A tile of a box begins at the box's row `row`.  Returns the part from the tile's row `first` on: *count rows in one
   run of the box's last extent.  Rows of the patch count from `first`.  */
ws_emulate_patch ws_emulate_box_patch(const ws_emulate_window *tensor, const ws_emulate_box *box, long row, long col,
                                      int rows, int cols, int first, int *count);

/* ---- accesses to elements: called from inside a fiber, one line of elements at a time ---------------------------- */

typedef enum {
    WS_EMULATE_LOAD,
    WS_EMULATE_STORE,
    WS_EMULATE_ADD,          /* atomically */
    WS_EMULATE_STORE_BY_COPY /* at an unknown later time */
} ws_emulate_touch;

void ws_emulate_touched(ws_sched *s, ws_emulate_touch kind, const void *line, size_t bytes);
/* ws_store_at: fails if an index in [low, high) stands twice.  */
void ws_emulate_once(ws_sched *s, const void *index, int bytes, int count, long low, long high);

/* ---- grids that run together: together.c ------------------------------------------------------------------------- */

/* Coordinates that a tile touches in one dimension: [low, high), moved by by[i] for each unit of the grid's variable
   i.  */
typedef struct {
    bool all;
    long low, high, by[4];
} ws_emulate_rows;
/* For the tensors of that parameter; rows tell of `told` dimensions.  */
void ws_emulate_touches(ws_emulate_launch *launch, const void *parameter, int how, const ws_emulate_rows *rows,
                        int told, unsigned roles);
void ws_emulate_together(ws_emulate_launch *launch, const ws_emulate_grid *grid, int tellers, bool tiles_wait);
/* Records the launches of the block that come before this one; records that this launch has ended.  */
void ws_emulate_order(ws_emulate_launch *launch);
void ws_emulate_remember(ws_emulate_launch *launch);
void ws_emulate_check_told(ws_emulate_launch *launch);
/* Called from inside a fiber.  */
void ws_emulate_await_tiles(ws_sched *s, unsigned roles);
void ws_emulate_tile_done(ws_sched *s);
void ws_emulate_tell_tiles(ws_sched *s);
void ws_emulate_touched_together(ws_sched *s, ws_emulate_touch kind, const char *from, size_t bytes, long tile);
char *ws_emulate_tensor_begin(const ws_emulate_tensor *t); /* address of its first byte, for any sign of strides */
char *ws_emulate_tensor_end(const ws_emulate_tensor *t);   /* one past the last byte */

#ifdef __cplusplus
}
#endif
#endif
