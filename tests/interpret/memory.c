/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - windows of tensors, shared memory and its views, TMA.
 *
 * The functions do the same as the templates of runtime/emulate/tensor.cuh and aref.cuh, with sizes known at run time.
 * They make the same calls of the scheduler in the same order.  A shared tile is a row-major array at its planned
 * offset.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/cluster.h"
#include "target/machine.h"
#include "state.h"
#include "target/storage.h"

int element_bytes(Dtype dtype)
{
    return ws_dtype_bytes((int)dtype);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

Window window_slice(const Window *t, int dim, long begin, long end)
{
    Window part = *t;
    if (dim < 0 || dim >= t->rank)
        return part;
    ws_emulate_slice(&part.origin[dim], &part.low[dim], &part.high[dim], begin, end);
    part.sliced = true;
    return part;
}

Window window_box(const Window *t, const long *at, const int *extents)
{
    Window part = *t;
    part.box.dims = t->rank - 1;
    for (int i = 0; i < part.box.dims; i++) {
        part.box.at[i] = at[i];
        part.box.extent[i] = extents[i];
    }
    part.rank = 2;
    return part;
}

Datum memory_at(Group *group, const Op *op)
{
    const Window *t = evaluate(group, op->args[0]).tensor;
    long x = t->origin[0] + ws_emulate_near((long)number_of(group, op->args[1]));
    Datum result = {0};
    int bytes = element_bytes(t->dtype);
    if (x < t->low[0] || x >= t->high[0])
        return result;
    const unsigned char *element = t->base + x * bytes;
    ws_emulate_touched(ws_sched_current(), WS_EMULATE_LOAD, element, (size_t)bytes);
    if (op->code == OP_AT_FLOAT) {
        ws_row_read((int)t->dtype, WS_COMPUTE_F64, 1, element, &result.real);
    } else {
        int64_t integer = 0;
        ws_row_read((int)t->dtype, WS_COMPUTE_I64, 1, element, &integer);
        result.number = integer;
    }
    return result;
}

ws_tile memory_load_at(Group *group, const Op *op, ws_tile index)
{
    const Window *t = evaluate(group, op->args[0]).tensor;
    struct ws_tile_ *tile = ws_tile_new((int)t->dtype, index->rows, index->cols);
    int bytes = element_bytes(t->dtype);
    for (int i = 0; i < index->rows * index->cols; i++) {
        long x =
            t->origin[0] +
            ws_emulate_near(ws_index_of(index->dtype, index->data + (size_t)i * (size_t)ws_dtype_bytes(index->dtype)));
        unsigned char *to = tile->data + (size_t)i * (size_t)bytes;
        const unsigned char *from = t->base + x * bytes;
        bool inside = x >= t->low[0] && x < t->high[0];
        if (inside)
            ws_emulate_touched(ws_sched_current(), WS_EMULATE_LOAD, from, (size_t)bytes);
        memset(to, 0, (size_t)bytes);
        memcpy(to, from, inside ? (size_t)bytes : 0);
    }
    return tile;
}

/* The part of a tile inside the tensor.  */
typedef struct {
    unsigned char *base; /* of the tile's element (0, 0), even if that is outside */
    long row_bytes;
    int bytes; /* bytes of an element */
    int row_first, row_last, col_first, col_last;
    /* Of a box instead: its window, and the row and column of the tile in it.  */
    Window box;
    long row, col;
    int rows, cols;
} Patch;

/* Returns the part that begins at row `first` of the tile.  `count` is its number of rows: all, except in a box.  */
static Patch part_from(const Patch *p, int first, int *count)
{
    const Window *t = &p->box;
    *count = p->rows;
    if (!t->box.dims)
        return *p;
    ws_emulate_window window = {t->box.dims + 1, t->stride, t->origin, t->low, t->high};
    ws_emulate_patch q = ws_emulate_box_patch(&window, &t->box, p->row, p->col, p->rows, p->cols, first, count);
    return (Patch){.base = t->base + q.offset * p->bytes,
                   .row_bytes = q.row_stride * p->bytes,
                   .bytes = p->bytes,
                   .row_first = q.row_first,
                   .row_last = q.row_last,
                   .col_first = q.col_first,
                   .col_last = q.col_last};
}
#define FOR_PARTS(part, p, first)                                         \
    for (int first = 0, first##_n; first < (p)->rows; first += first##_n) \
        for (Patch part = part_from(p, first, &first##_n), *part##_once = &part; part##_once; part##_once = NULL)

static bool is_whole(const Patch *p, int rows, int cols)
{
    bool whole = true;
    (void)rows;
    FOR_PARTS (part, p, first)
        whole &= part.row_first == 0 && part.row_last == first_n && part.col_first == 0 && part.col_last == cols;
    return whole;
}

static unsigned char *line_of(const Patch *p, int r)
{
    return p->base + r * p->row_bytes + (long)p->col_first * p->bytes;
}

static size_t line_bytes(const Patch *p)
{
    return (size_t)(p->col_last - p->col_first) * (size_t)p->bytes;
}

/* The patch of a tile. row_dim or col_dim is -1 if a vector has no such dimension.  */
static Patch patch_of(const Window *t, const long *at, int row_dim, int col_dim, int rows, int cols)
{
    int bytes = element_bytes(t->dtype);
    if (t->box.dims)
        return (Patch){.bytes = bytes, .box = *t, .row = at[0], .col = at[1], .rows = rows, .cols = cols};
    ws_emulate_window window = {t->rank, t->stride, t->origin, t->low, t->high};
    ws_emulate_patch p = ws_emulate_patch_of(&window, at, row_dim, col_dim, rows, cols);
    if (t->bases && (at[0] < 0 || at[0] >= t->high[0]))
        ws_sched_fail(ws_sched_current(), "pointer %ld of an array of %ld is loaded from", at[0], t->high[0]);
    return (Patch){.base = (t->bases ? t->bases[at[0]] : t->base) + p.offset * bytes,
                   .row_bytes = p.row_stride * bytes,
                   .bytes = bytes,
                   .row_first = p.row_first,
                   .row_last = p.row_last,
                   .col_first = p.col_first,
                   .col_last = p.col_last,
                   .rows = rows,
                   .cols = cols};
}

/* A vector is a row, or a column if the tile is one.  */
static Patch tile_patch(const Window *t, const long *at, int rows, int cols)
{
    if (t->rank == 1)
        return cols == 1 ? patch_of(t, at, 0, -1, rows, cols) : patch_of(t, at, -1, 0, rows, cols);
    return patch_of(t, at, t->rank - 2, t->rank - 1, rows, cols);
}

static Patch patch_for(const Op *op, const Window *t, const long *at, int rows, int cols)
{
    if (op->code == OP_LOAD_ROW || op->code == OP_STORE_ROW)
        return patch_of(t, at, -1, t->rank - 1, 1, cols);
    if (op->code == OP_LOAD_COL || op->code == OP_STORE_COL)
        return patch_of(t, at, t->rank - 1, -1, rows, 1);
    return tile_patch(t, at, rows, cols);
}

static void touch(const Patch *p, ws_emulate_touch kind)
{
    FOR_PARTS (part, p, first)
        for (int r = part.row_first; r < part.row_last; r++)
            ws_emulate_touched(ws_sched_current(), kind, line_of(&part, r), line_bytes(&part));
}

static void coordinates(Group *group, const Op *op, int first, int rank, long *at)
{
    for (int i = 0; i < rank && first + i < op->nargs; i++)
        at[i] = (long)number_of(group, op->args[first + i]);
}

/* Converts the fill to an element.  */
static void element_of(Dtype dtype, double fill, void *element)
{
    struct ws_tile_ splat = {.kind = WS_RULE_SPLAT, .dtype = WS_RULE_F64, .number = fill};
    ws_compute type = ws_compute_of((int)dtype);
    double buffer;
    ws_number_write(type, &splat, &buffer);
    ws_row_write((int)dtype, type, 1, &buffer, element);
}

/* Copies the patch to `to`, whose rows are `cols` elements apart, with the fill outside.  */
static void fetch(const Patch *p, unsigned char *to, int rows, int cols, const void *fill)
{
    size_t bytes = (size_t)p->bytes;
    if (!is_whole(p, rows, cols))
        for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++)
            memcpy(to + i * bytes, fill, bytes);
    touch(p, WS_EMULATE_LOAD);
    FOR_PARTS (part, p, first)
        for (int r = part.row_first; r < part.row_last; r++)
            memcpy(to + ((size_t)(first + r) * (size_t)cols + (size_t)part.col_first) * bytes, line_of(&part, r),
                   line_bytes(&part));
}

static void deliver(const Patch *p, const unsigned char *from, int pitch)
{
    FOR_PARTS (part, p, first)
        for (int r = part.row_first; r < part.row_last; r++)
            memcpy(line_of(&part, r),
                   from + ((size_t)(first + r) * (size_t)pitch + (size_t)part.col_first) * (size_t)p->bytes,
                   line_bytes(&part));
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

static void add_element(Dtype dtype, void *to, const void *from)
{
    if (dtype == D_F32)
        *(float *)to = ws_f32_add(*(float *)to, *(const float *)from);
    else if (dtype == D_F64)
        *(double *)to = ws_f64_add(*(double *)to, *(const double *)from);
    else if (dtype == D_I64)
        *(int64_t *)to = ws_i64_add(*(int64_t *)to, *(const int64_t *)from);
    else
        *(int32_t *)to = ws_i32_add(*(int32_t *)to, *(const int32_t *)from);
}

/* Adds `from`, whose rows are `pitch` elements apart.  */
static void add_part(const Patch *p, Dtype dtype, const void *from, int pitch, int first)
{
    for (int r = p->row_first; r < p->row_last; r++)
        for (int c = p->col_first; c < p->col_last; c++) {
            void *to = line_of(p, r) + (c - p->col_first) * p->bytes;
            long element = (long)(first + r) * pitch + c;
            add_element(dtype, to, (const unsigned char *)from + element * p->bytes);
        }
}

static void add(const Patch *p, Dtype dtype, const void *from, int pitch)
{
    FOR_PARTS (part, p, first)
        add_part(&part, dtype, from, pitch, first);
}

typedef struct {
    Patch to;
    const unsigned char *from;
    size_t bytes;
    int pitch;
    Dtype adds; /* type of the elements that are added; D_COUNT: they are stored */
} CopyOut;

static void out_read(void *args, void *held)
{
    const CopyOut *copy = args;
    memcpy(held, copy->from, copy->bytes);
}

static void out_write(void *args, void *held)
{
    const CopyOut *copy = args;
    if (copy->adds == D_COUNT)
        deliver(&copy->to, held, copy->pitch);
    else
        add(&copy->to, copy->adds, held, copy->pitch);
}

static unsigned char *slot_of(const Group *group, const Storage *storage, int64_t slot)
{
    const Launch *launch = group->launch;
    int64_t bytes = (int64_t)storage->tile.rows * storage->tile.cols * element_bytes(storage->tile.dtype);
    int64_t from = storage->offset + slot % storage_places(storage) * storage->stride;
    if (storage->use == USE_OUTPUT) /* whole lines of 128 bytes */
        bytes = storage->slot_bytes;
    if (slot < 0 || slot >= storage->slots)
        ws_sched_fail(ws_sched_current(), "storage %s has no slot %lld", storage->name, (long long)slot);
    if (from < 0 || from + bytes > (int64_t)launch->shared_bytes)
        ws_sched_fail(ws_sched_current(), "storage %s lies outside shared memory", storage->name);
    return launch->shared + (size_t)group->block * launch->shared_room + from;
}

/* Returns the group's own copy of the storage.  */
unsigned char *own_storage(Group *group, const Storage *storage)
{
    return slot_of(group, storage, storage->slots > 1 ? group->number : 0);
}

/* As in output.cuh the four warps fill a buffer, and the next one while TMA reads the first.  */
enum { LINE_BYTES = 128, BUFFER_ROWS = 64, BUFFER_BYTES = BUFFER_ROWS * LINE_BYTES };

/* A tile's boxes of 64 rows and a line.  They take the buffers of an output in turn.  Several boxes begin with the
   first buffer.  */
typedef struct {
    int begin, count; /* boxes of the tile: first and number */
    int across;       /* boxes side by side in the tile */
    unsigned char *first;
} Boxes;

static Boxes boxes_of(Group *group, const Op *stage)
{
    const Storage *storage = stage->storage;
    Type type = stage->args[0]->type;
    Boxes boxes = {stage->sync->box ? stage->sync->box - 1 : 0, stage->sync->box ? 1 : machine_boxes(type),
                   machine_lines(type), own_storage(group, storage)};
    if (boxes.count == 1)
        boxes.first += (size_t)group->stored[storage_place(group->launch->kernel, storage)] * BUFFER_BYTES;
    return boxes;
}

typedef struct {
    int row, col, rows, cols;
} Box;

static Box box_at(const Boxes *boxes, Type type, int i)
{
    int line = LINE_BYTES / element_bytes(type.dtype), number = boxes->begin + i;
    Box box = {number / boxes->across * MACHINE_MMA_ROWS, number % boxes->across * line, MACHINE_MMA_ROWS, line};
    box.rows = box.rows < type.rows - box.row ? box.rows : type.rows - box.row;
    box.cols = box.cols < type.cols - box.col ? box.cols : type.cols - box.col;
    return box;
}

static View stage_out(Group *group, const Op *op, ws_tile tile)
{
    Type type = op->args[0]->type;
    Boxes boxes = boxes_of(group, op);
    for (int i = 0; i < boxes.count; i++) {
        Box box = box_at(&boxes, type, i);
        unsigned char *buffer = boxes.first + (size_t)i * BUFFER_BYTES;
        ws_sched_write_apart(ws_sched_current(), (ws_sched_range){buffer, BUFFER_BYTES});
        for (int r = 0; r < box.rows; r++)
            memcpy(buffer + r * LINE_BYTES, ws_element(tile, box.row + r, box.col),
                   (size_t)(box.cols * element_bytes(type.dtype)));
    }
    return (View){boxes.first, LINE_BYTES / element_bytes(type.dtype), 1};
}

/* Copies out by TMA.  If TMA cannot write the tensor the group does, with an empty copy for store_wait.  */
static void copy_out(Group *group, const Op *op, const Window *t, const long *at, View staged)
{
    ws_sched *s = ws_sched_current();
    const Op *stage = op->args[op->nargs - 1]->def;
    Type type = stage->args[0]->type;
    Boxes boxes = boxes_of(group, stage);
    bool adds = op->code == OP_ATOMIC_ADD, engine = group->launch->usable[t->number] && !t->sliced;
    int *next = &group->stored[storage_place(group->launch->kernel, stage->storage)];
    for (int i = 0; i < boxes.count; i++) {
        Box box = box_at(&boxes, type, i);
        unsigned char *buffer = staged.base + (size_t)i * BUFFER_BYTES;
        long corner[4] = {at[0], at[1], at[2], at[3]};
        corner[t->rank - 2] += box.row;
        corner[t->rank - 1] += box.col;
        CopyOut copy = {patch_of(t, corner, t->rank - 2, t->rank - 1, box.rows, box.cols), buffer, BUFFER_BYTES,
                        LINE_BYTES / element_bytes(type.dtype), adds ? type.dtype : D_COUNT};
        if (!engine)
            ws_sched_point(s);
        touch(&copy.to, adds ? WS_EMULATE_ADD : engine ? WS_EMULATE_STORE_BY_COPY : WS_EMULATE_STORE);
        if (engine) {
            ws_sched_copy_out(s, (ws_sched_range){buffer, BUFFER_BYTES}, BUFFER_BYTES, out_read, out_write, &copy,
                              sizeof copy);
        } else {
            ws_sched_copy_nothing(s);
            out_write(&copy, buffer);
        }
    }
    *next = (boxes.count == 1 ? *next + 1 : boxes.count) % machine_output_buffers(stage->storage->tile);
}

/* On a GPU the load passes through the buffer, for whole lines.  Here it only writes the buffer.  */
static void pass_through(Group *group, const Op *load)
{
    const Storage *storage = load->storage;
    unsigned char *buffer = own_storage(group, storage) +
                            (size_t)group->stored[storage_place(group->launch->kernel, storage)] * BUFFER_BYTES;
    ws_sched_write_apart(ws_sched_current(), (ws_sched_range){buffer, BUFFER_BYTES});
}

/* ---- rows that stay ---------------------------------------------------------------------------------------------- */

struct Held {
    const Op *load;
    unsigned char *rows;
    struct Held *next;
};

void memory_drop_held(Group *group)
{
    while (group->held) {
        struct Held *first = group->held;
        group->held = first->next;
        free(first->rows);
        free(first);
    }
}

/* Returns the rows that stay for the load.  They start as all ones, which is NaN.  */
static unsigned char *held_rows(Group *group, const Op *load, size_t bytes)
{
    struct Held *held = group->held;
    while (held && held->load != load)
        held = held->next;
    if (held)
        return held->rows;
    held = malloc(sizeof *held);
    unsigned char *rows = malloc(bytes);
    if (!held || !rows)
        abort();
    *held = (struct Held){load, memset(rows, 0xff, bytes), group->held};
    group->held = held;
    return rows;
}

/* As in window.cuh the first iteration of a run loads the rows of all its iterations.  */
static ws_tile load_of_run(Group *group, const Op *op, const Window *t, long *at, const void *fill)
{
    Type type = op->results[0]->type;
    int rows = type.rows + (op->transfer->window - 1) * op->transfer->apart, row = t->rank - 2;
    size_t line = (size_t)type.cols * (size_t)element_bytes(type.dtype);
    int place = (int)(number_of(group, op->parent->args[0]) % op->transfer->window),
        below = place * op->transfer->apart;
    unsigned char *held = held_rows(group, op, (size_t)rows * line);
    struct ws_tile_ *tile = ws_tile_new((int)type.dtype, type.rows, type.cols);
    if (place == 0) {
        Patch patch = patch_of(t, at, row, t->rank - 1, rows, type.cols);
        ws_sched_point(ws_sched_current());
        fetch(&patch, held, rows, type.cols, fill);
    }
    memcpy(tile->data, held + (size_t)below * line, (size_t)type.rows * line);
    return tile;
}

ws_tile memory_load(Group *group, const Op *op)
{
    Type type = op->results[0]->type;
    const Window *t = evaluate(group, op->args[0]).tensor;
    long at[4] = {0}, fill;
    coordinates(group, op, 1, t->rank, at);
    element_of(type.dtype, op->transfer->fill, &fill);
    if (op->transfer->window)
        return load_of_run(group, op, t, at, &fill);
    struct ws_tile_ *tile = ws_tile_new((int)type.dtype, type.rows, type.cols);
    Patch patch = patch_for(op, t, at, type.rows, type.cols);
    if (op->storage && op->storage->use == USE_OUTPUT)
        pass_through(group, op);
    ws_sched_point(ws_sched_current());
    fetch(&patch, tile->data, type.rows, type.cols, &fill);
    return tile;
}

/* Scatters a tile to a vector, or adds it, by indices.  */
static void store_at(Group *group, const Op *op, const Window *t)
{
    ws_sched *s = ws_sched_current();
    Datum index = evaluate(group, op->args[1]), value = evaluate(group, op->args[2]);
    const unsigned char *indices = index.tile->data;
    const int bytes = element_bytes(t->dtype), count = index.tile->rows * index.tile->cols;
    const int each = ws_dtype_bytes(index.tile->dtype);
    const bool adds = op->code == OP_ATOMIC_ADD_AT;
    if (!adds)
        ws_emulate_once(s, indices, each, count, t->low[0] - t->origin[0], t->high[0] - t->origin[0]);
    check_cell(index.cell, "reads");
    check_cell(value.cell, "reads");
    ws_sched_point(s);
    for (int i = 0; i < count; i++) {
        long x = t->origin[0] + ws_emulate_near(ws_index_of(index.tile->dtype, indices + (size_t)i * (size_t)each));
        if (x < t->low[0] || x >= t->high[0])
            continue;
        unsigned char *to = t->base + x * bytes;
        ws_emulate_touched(s, adds ? WS_EMULATE_ADD : WS_EMULATE_STORE, to, (size_t)bytes);
        const unsigned char *from = value.tile->data + (size_t)i * (size_t)bytes;
        if (adds)
            add_element(t->dtype, to, from);
        else
            memcpy(to, from, (size_t)bytes);
    }
}

void memory_store(Group *group, const Op *op)
{
    const Window *t = evaluate(group, op->args[0]).tensor;
    long at[4] = {0};
    if (op->code == OP_STORE_AT || op->code == OP_ATOMIC_ADD_AT) {
        store_at(group, op, t);
        return;
    }
    coordinates(group, op, 1, t->rank, at);
    Datum value = evaluate(group, op->args[op->nargs - 1]);
    if (op->storage) {
        copy_out(group, op, t, at, value.view);
        return;
    }
    ws_tile tile = value.tile;
    check_cell(value.cell, "reads");
    Patch patch = patch_for(op, t, at, tile->rows, tile->cols);
    ws_sched_point(ws_sched_current());
    touch(&patch, op->code == OP_ATOMIC_ADD ? WS_EMULATE_ADD : WS_EMULATE_STORE);
    if (op->code == OP_ATOMIC_ADD)
        add(&patch, (Dtype)tile->dtype, tile->data, tile->cols);
    else
        deliver(&patch, tile->data, tile->cols);
}

/* ---- copies in --------------------------------------------------------------------------------------------------- */

typedef struct {
    Patch from;
    unsigned char *to;
    int rows, cols;
    int there; /* rows inside the tensor; the others are overwritten with NaN */
    bool tf32; /* the copy rounds f32 to tf32 */
    _Alignas(8) unsigned char fill[8];
} CopyIn;

static void copy_in(void *args, void *held)
{
    CopyIn *copy = args;
    (void)held;
    fetch(&copy->from, copy->to, copy->rows, copy->cols, copy->fill);
    size_t row_bytes = (size_t)copy->cols * (size_t)copy->from.bytes;
    memset(copy->to + (size_t)copy->there * row_bytes, 0xff, (size_t)(copy->rows - copy->there) * row_bytes);
    float *element = (float *)(void *)copy->to;
    for (int i = 0; copy->tf32 && i < copy->rows * copy->cols; i++)
        element[i] = ws_f32_to_tf32(element[i]);
}

int ring_of(const Group *group, const Aref *aref)
{
    return group->launch->ring_of[group->block * group->launch->plan->narefs + aref->id];
}

/* Counts for `rows` rows from a row on, if out-of-bounds rows may be skipped.  These are the rows that the copy brings,
   those inside the tensor, and those before the next block's share.  */
typedef struct {
    int brought, there, apart;
} Rows;

static Rows rows_of(const Group *group, const Op *op, const Window *t, long row, int rows)
{
    if (!op->transfer->skip_oob)
        return (Rows){rows, rows, rows};
    long extent = t->high[t->rank - 2];
    ws_emulate_edge edge = op->transfer->skip_step
                               ? ws_emulate_step_of(extent, rows, group->launch->grid.step[op->transfer->skip_step - 1],
                                                    op->storage->tile.rows / rows)
                               : ws_emulate_edge_of(extent, rows);
    return (Rows){ws_emulate_rows_brought(&edge, row), ws_emulate_rows_there(&edge, row),
                  op->transfer->skip_step ? edge.rows : rows};
}

/* Copies this block's share of the rows into the slots of all blocks that share the tile.  */
static void copy_share(const Group *group, const Op *op, const Window *t, long *at, CopyIn *copy, uint64_t index)
{
    const Launch *launch = group->launch;
    const Kernel *kernel = launch->kernel;
    int place = 0, rows = op->transfer->share, row_bytes = copy->cols * element_bytes(op->storage->tile.dtype);
    for (int block = 0; block < group->block; block++)
        place += cluster_shares(kernel, op->transfer->along, block, group->block);
    if (rows <= 0 || (place + 1) * rows > copy->rows)
        ws_sched_fail(ws_sched_current(), "share %d of %d rows of %s reaches over its end", place, rows,
                      op->storage->name);
    size_t brought = 0;
    const int apart = rows_of(group, op, t, at[t->rank - 2], rows).apart;
    for (int share = 0; share < copy->rows / rows; share++)
        brought += (size_t)rows_of(group, op, t, at[t->rank - 2] + share * apart, rows).brought;
    ws_sched_expect(ws_sched_current(), ring_of(group, op->aref), index, brought * (size_t)row_bytes);
    at[t->rank - 2] += place * apart;
    Rows mine = rows_of(group, op, t, at[t->rank - 2], rows);
    copy->there = mine.there;
    unsigned char *first = copy->to + place * apart * row_bytes - (size_t)group->block * launch->shared_room;
    copy->from = tile_patch(t, at, apart, copy->cols);
    copy->rows = apart;
    for (int block = 0; block < launch->cluster; block++) {
        if (!cluster_shares(kernel, op->transfer->along, group->block, block))
            continue;
        copy->to = first + (size_t)block * launch->shared_room;
        ws_sched_range range = {copy->to, (size_t)mine.brought * (size_t)row_bytes};
        ws_sched_copy_share(ws_sched_current(), ring_of(group, op->aref), index, block, range, copy_in, copy,
                            sizeof *copy);
    }
}

void memory_copy_in(Group *group, const Op *op)
{
    const Launch *launch = group->launch;
    const Storage *storage = op->storage;
    Type tile = storage->tile;
    End *end = &group->producers[op->aref->id];
    ws_sched *s = ws_sched_current();
    long at[4] = {0};
    int ring = ring_of(group, op->aref);
    unsigned char *to = slot_of(group, storage, number_of(group, op->args[0]));
    for (int other = storage->resident; other && other < storage->slots; other += storage->resident)
        if (end->index + (uint64_t)other >= (uint64_t)storage->slots)
            ws_sched_await_empty(s, ring, end->index + (uint64_t)other);
    const Window *t = evaluate(group, op->args[1]).tensor;
    coordinates(group, op, 2, t->rank, at);
    Rows rows = rows_of(group, op, t, at[t->rank - 2], tile.rows);
    CopyIn copy = {.from = tile_patch(t, at, tile.rows, tile.cols),
                   .to = to,
                   .rows = tile.rows,
                   .cols = tile.cols,
                   .there = rows.there,
                   .tf32 = storage->tf32};
    if (!group->inside && !op->transfer->along) { /* no store depends on such a tile */
        memset(to, 0xff, (size_t)tile.rows * (size_t)tile.cols * (size_t)element_bytes(tile.dtype));
        end->bytes += machine_copy_bytes(tile, storage->line);
        return;
    }
    element_of(tile.dtype, op->transfer->fill, copy.fill);
    bool fills = op->transfer->fill != 0; /* -0.0 counts as 0 for TMA, too */
    bool plain = is_whole(&copy.from, tile.rows, tile.cols) || (!fills && !t->sliced);
    bool by_tma = launch->usable[t->number] && plain;
    if (group->tma && !launch->usable[t->number])
        ws_sched_fail(s, "TMA is to load '%s', which does not lie as it has to", storage->name);
    int brought = by_tma ? rows.brought : tile.rows;
    ws_sched_range range = {to, (size_t)brought * (size_t)tile.cols * (size_t)element_bytes(tile.dtype)};
    end->bytes += machine_copy_bytes(tile, storage->line);
    if (by_tma && op->transfer->along) {
        copy_share(group, op, t, at, &copy, end->index);
        return;
    }
    ws_sched_expect(s, ring, end->index, range.bytes);
    if (by_tma)
        ws_sched_copy_in(s, ring, end->index, range, copy_in, &copy, sizeof copy);
    else
        ws_sched_copy_in_now(s, ring, end->index, range, copy_in, &copy);
    if (op->transfer->along)
        ws_sched_tell(s, ring, end->index, blocks_along(launch, op->transfer->along, group->block));
}

/* ---- views of shared memory -------------------------------------------------------------------------------------- */

View memory_view(Group *group, const Op *op)
{
    const Storage *storage = op->storage;
    Type type = op->results[0]->type;
    int bytes = element_bytes(storage->tile.dtype);
    bool ring = storage->use == USE_RING;
    unsigned char *base = ring ? slot_of(group, storage, number_of(group, op->args[0])) : own_storage(group, storage);
    int64_t row = op->nargs > 1 ? number_of(group, op->args[1]) : 0;
    int64_t col = op->nargs > 2 ? number_of(group, op->args[2]) : 0;
    if (row < 0 || col < 0 || row + type.rows > storage->tile.rows || col + type.cols > storage->tile.cols)
        ws_sched_fail(ws_sched_current(), "a window of %s at (%lld, %lld) reaches over its end", storage->name,
                      (long long)row, (long long)col);
    return (View){base + (row * storage->tile.cols + col) * bytes, storage->tile.cols, 1};
}

ws_sched_range view_range(View view, Type type)
{
    long last = (type.rows - 1) * view.row_stride + (type.cols - 1) * view.col_stride;
    return (ws_sched_range){view.base, (size_t)(last + 1) * (size_t)element_bytes(type.dtype)};
}

void view_copy(View view, Type type, unsigned char *to)
{
    size_t bytes = (size_t)element_bytes(type.dtype);
    for (int r = 0; r < type.rows; r++)
        for (int c = 0; c < type.cols; c++) {
            if (view.col_stride == 1) {
                memcpy(to, view.base + (size_t)(r * view.row_stride) * bytes, (size_t)type.cols * bytes);
                to += (size_t)type.cols * bytes;
                break;
            }
            memcpy(to, view.base + (size_t)(r * view.row_stride + c * view.col_stride) * bytes, bytes);
            to += bytes;
        }
}

static ws_tile read_view(View view, Type type)
{
    struct ws_tile_ *tile = ws_tile_new((int)type.dtype, type.rows, type.cols);
    ws_sched_point(ws_sched_current());
    ws_sched_read(ws_sched_current(), view_range(view, type));
    view_copy(view, type, tile->data);
    return tile;
}

ws_tile memory_read(Group *group, const Op *op)
{
    return read_view(evaluate(group, op->args[0]).view, op->args[0]->type);
}

View memory_stage(Group *group, const Op *op)
{
    const Value *from = op->args[0];
    const Storage *storage = op->storage;
    size_t bytes = (size_t)from->type.rows * (size_t)from->type.cols * (size_t)element_bytes(from->type.dtype);
    Datum value = evaluate(group, from);
    ws_tile tile = from->type.kind == K_VIEW ? read_view(value.view, from->type) : value.tile;
    unsigned char *to = own_storage(group, storage);
    ws_sched *s = ws_sched_current();
    check_cell(value.cell, "reads");
    if (storage->use == USE_OUTPUT)
        return stage_out(group, op, tile);
    ws_sched_point(s);
    ws_sched_write(s, (ws_sched_range){to, bytes});
    memcpy(to, tile->data, bytes);
    return (View){to, storage->tile.cols, 1};
}

void memory_put_tile(Group *group, const Op *op)
{
    const Value *from = op->args[1];
    Datum value = evaluate(group, from);
    Type type = op->storage->tile;
    View view = value.view;
    if (op->storage->transposed) {
        view.row_stride = value.view.col_stride;
        view.col_stride = value.view.row_stride;
    }
    check_cell(value.cell, "reads");
    ws_tile tile = from->type.kind == K_VIEW ? read_view(view, type) : value.tile;
    ws_sched *s = ws_sched_current();
    unsigned char *to = slot_of(group, op->storage, number_of(group, op->args[0]));
    size_t line = (size_t)type.cols * (size_t)element_bytes(type.dtype);
    if (op->nargs == 3) {
        int64_t row = number_of(group, op->args[2]);
        type.rows = from->type.rows;
        if (row < 0 || row + type.rows > op->storage->tile.rows)
            ws_sched_fail(s, "rows of %s at %lld that it does not have", op->storage->name, (long long)row);
        to += (size_t)row * line;
    }
    size_t bytes = (size_t)type.rows * line;
    ws_sched_point(s);
    ws_sched_write(s, (ws_sched_range){to, bytes});
    memcpy(to, tile->data, bytes);
    group->producers[op->aref->id].bytes += machine_copy_bytes(type, op->storage->line);
}

/* Passes an operation's result through its scratch memory, as far as it fits.  Threads meet before they write and
   before they read.  Alone in its row or column an element stays in its thread.  */
void memory_exchange(Group *group, const Op *op, ws_tile result)
{
    const Storage *storage = op->storage;
    const bool row = op->code == OP_ROW_SUM || op->code == OP_ROW_MAX || op->code == OP_ROW_MIN;
    const bool column = op->code == OP_COL_SUM || op->code == OP_COL_MAX || op->code == OP_COL_MIN;
    if (!storage || storage->use != USE_SCRATCH || (row && op->args[0]->type.cols == 1) ||
        (column && op->args[0]->type.rows == 1))
        return;
    ws_sched *s = ws_sched_current();
    size_t bytes = (size_t)result->rows * (size_t)result->cols * (size_t)ws_dtype_bytes(result->dtype);
    unsigned char *to = own_storage(group, storage);
    ws_sched_range range = {to, (size_t)storage->slot_bytes};
    bytes = bytes < range.bytes ? bytes : range.bytes;
    ws_sched_barrier(s);
    ws_sched_write(s, range);
    memcpy(to, result->data, bytes);
    ws_sched_barrier(s);
    ws_sched_read(s, range);
    memcpy(((struct ws_tile_ *)(uintptr_t)result)->data, to, bytes);
}

/* A role barrier is two rounds of turns.  A group in its second turn has seen all groups finish the first.  */
int memory_role_barrier_of(const Group *group)
{
    return group->launch->role_barriers[group->block * MOST_ROLES + group->role->id];
}

void memory_role_barrier(Group *group)
{
    int barrier = memory_role_barrier_of(group);
    ws_sched_barrier(ws_sched_current());
    for (int round = 0; round < 2; round++) {
        ws_sched_take(ws_sched_current(), barrier, group->number);
        ws_sched_pass(ws_sched_current(), barrier, group->number);
    }
    ws_sched_barrier(ws_sched_current());
}

View memory_gather(Group *group, const Op *op)
{
    const Storage *storage = op->storage;
    const Value *from = op->args[0];
    int place = storage_place(group->launch->kernel, storage);
    size_t line = (size_t)from->type.cols * (size_t)element_bytes(from->type.dtype);
    size_t bytes = (size_t)from->type.rows * line;
    Datum value = evaluate(group, from);
    int64_t row = number_of(group, op->args[1]);
    ws_sched *s = ws_sched_current();
    check_cell(value.cell, "reads");
    if (place >= MOST_STORAGES || row < 0 || row + from->type.rows > storage->tile.rows)
        ws_sched_fail(s, "rows of %s at %lld that it does not have", storage->name, (long long)row);
    unsigned char *to = slot_of(group, storage, group->gathered[place]++ % storage->slots);
    ws_sched_point(s);
    ws_sched_write(s, (ws_sched_range){to + (size_t)row * line, bytes});
    memcpy(to + (size_t)row * line, value.tile->data, bytes);
    return (View){to, storage->tile.cols, 1};
}
