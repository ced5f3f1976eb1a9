/* SPDX-License-Identifier: MIT */
/*
 * tile.h - internal header of the sequential library: the structs behind the handles of <ws.h>, and shared functions.
 *
 *      reclaim.c      memory of handles, reclaimed when no local holds them
 *      check.c        the rules of the language (runtime/common/rules.c), checked at run time
 *      convert.c      rows of elements between the stored types and the compute types
 *      tensor.c       views of memory
 *      memory.c       loads and stores
 *      tile.c         constant and index tiles, transposition, casts
 *      elementwise.c  elementwise operations with broadcast
 *      reduce.c       reductions along rows and columns
 *      dot.c          matrix products
 *      print.c        ws_print
 *
 * An invalid operation records WS_ERR_TYPE, unless an error is recorded already.  The result is a tile of zeros with
 * the shape that the operation should have.  So the program goes on to its own check of ws_last_error.
 */
#ifndef WS_SEQUENTIAL_TILE_H
#define WS_SEQUENTIAL_TILE_H

#include "rules.h"
#include "scalar.h"
#include "ws/backend.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WS_TILE_MAGIC   0x74696c65
#define WS_TENSOR_MAGIC 0x74656e73

struct ws_tile_ {
    int magic;
    int kind;  /* WS_RULE_TILE or WS_RULE_SPLAT */
    int dtype; /* ws_rule_dtype; of a splat F64 or I32 */
    int rows, cols;
    long integer; /* a splat's number */
    double number;
    _Alignas(16) unsigned char data[]; /* rows x cols elements, dense; a mask element is one byte */
};

/* The origin shifts coordinates of a view.  An element is inside if the result lies in [low, high).  */
struct ws_tensor_ {
    int magic;
    int dtype;
    int rank;
    unsigned char *base;
    long stride[4]; /* in elements */
    long origin[4], low[4], high[4];
    int box[3];     /* of a box, whose rank is 2: its extents; 0 from the whole tensor's last dimension on */
    long corner[3]; /* position of a box; the arrays above are the whole tensor's */
};

/* ---- reclaim.c --------------------------------------------------------------------------------------------------- */

/* Memory that lives as long as a local of this thread holds its address; NULL and an error without memory.  */
void *ws_handle_alloc(size_t bytes);
/* Working memory of this thread, valid until the next call with the same index (0 to 2).  */
void *ws_scratch(int index, size_t bytes);
/* Allocates this thread's handles, unless NULL; the code that sets it also frees the handles.  */
extern _Thread_local void *(*ws_handle_source)(size_t bytes);
size_t ws_handle_bytes(void); /* bytes of this thread's handles */
void ws_handle_collect(void); /* reclaims handles that no local holds */

/* ---- check.c ----------------------------------------------------------------------------------------------------- */

struct ws_rule_type ws_type_of(ws_tile x);
struct ws_rule_type ws_type_of_tensor(ws_tensor t);
int ws_dtype_index(ws_dtype t); /* ws_rule_dtype; -1 for an invalid type */
/* Nonzero if the rules allow the operation; otherwise records the error.  */
int ws_allowed(int opcode, const struct ws_rule_type *operands, int count, const struct ws_rule_attributes *attributes,
               struct ws_rule_type *result);
int ws_allowed1(int opcode, ws_tile x, struct ws_rule_type *result);
int ws_allowed2(int opcode, ws_tile x, ws_tile y, struct ws_rule_type *result);
int ws_allowed3(int opcode, ws_tile x, ws_tile y, ws_tile z, struct ws_rule_type *result);

/* A new tile with undefined elements (or zeros).  Never NULL: without memory, a (1,1) of zero.  */
struct ws_tile_ *ws_tile_new(int dtype, int rows, int cols);
ws_tile ws_tile_zeros(const struct ws_rule_type *type);

/* ---- convert.c --------------------------------------------------------------------------------------------------- */

typedef enum { WS_COMPUTE_F32, WS_COMPUTE_F64, WS_COMPUTE_I32, WS_COMPUTE_I64 } ws_compute;

int ws_dtype_bytes(int dtype);
ws_compute ws_compute_of(int dtype);
int ws_compute_bytes(ws_compute compute);
int ws_is_computed(int dtype); /* its stored type is its compute type */
/* Converts n elements to and from their compute type, or f64, or for integers i64.  f64 holds every element except some
   i64, and a conversion from f64 or i64 rounds once.  */
void ws_row_read(int dtype, ws_compute compute, int n, const void *from, void *to);
void ws_row_write(int dtype, ws_compute compute, int n, const void *from, void *to);
/* A splat's number in a compute type.  */
void ws_number_write(ws_compute compute, const struct ws_tile_ *splat, void *to);
/* Elements [col, col + n) of a row of x, broadcast, in a compute type: in place, or converted in the buffer.  */
const void *ws_row_fetch(ws_tile x, ws_compute compute, int row, int col, int n, void *buffer);

/* An index of an I32 or I64 tile.  */
static inline long ws_index_of(int dtype, const void *element)
{
    return dtype == WS_RULE_I64 ? *(const int64_t *)element : *(const int32_t *)element;
}

/* ---- print.c ----------------------------------------------------------------------------------------------------- */

void ws_show_type(FILE *out, ws_tile v, int rows); /* ": f32 (128,64)", for `rows` rows of a tile */
void ws_show_rows(FILE *out, ws_tile v);

/* ---- the elements ------------------------------------------------------------------------------------------------ */

#define WS_CHUNK 256 /* elements of one step of the elementwise loops */

static inline unsigned char *ws_element(const struct ws_tile_ *x, int row, int col)
{
    return (unsigned char *)(uintptr_t)x->data +
           ((size_t)row * (size_t)x->cols + (size_t)col) * (size_t)ws_dtype_bytes(x->dtype);
}

#endif
