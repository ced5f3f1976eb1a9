/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * group.c - the program of one group: statements, control flow, rings, waits.
 *
 * There is one function for each statement that the printer writes.  It also does the work that is implicit in C++.  A
 * variable is created at its first write and destroyed at the end of its block, and a copy of a tile reads that tile.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/cluster.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "state.h"

static void run_block(Group *group, const Block *block);

/* ---- memory of one statement ------------------------------------------------------------------------------------- */

struct Chunk {
    Chunk *next;
    size_t used, room;
    _Alignas(16) unsigned char bytes[];
};

enum { CHUNK_BYTES = 1 << 16 };

static Chunk *chunk_new(size_t bytes)
{
    size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    Chunk *chunk = malloc(sizeof *chunk + room);
    if (!chunk)
        abort();
    chunk->next = NULL;
    chunk->used = 0;
    chunk->room = room;
    return chunk;
}

void *arena_take(Arena *arena, size_t bytes)
{
    Chunk **at = arena->current ? &arena->current : &arena->first;
    bytes = (bytes + 15) / 16 * 16;
    while (*at && (*at)->room - (*at)->used < bytes)
        at = &(*at)->next;
    if (!*at)
        *at = chunk_new(bytes);
    Chunk *chunk = *at;
    arena->current = chunk;
    chunk->used += bytes;
    return chunk->bytes + chunk->used - bytes;
}

void arena_reset(Arena *arena)
{
    for (Chunk *chunk = arena->first; chunk; chunk = chunk->next)
        chunk->used = 0;
    arena->current = NULL;
}

void arena_drop(Arena *arena)
{
    for (Chunk *chunk = arena->first, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (Arena){NULL, NULL};
}

void *group_handle(size_t bytes)
{
    ws_sched *s = ws_sched_current();
    const Cta *cta = ws_sched_user(s);
    return arena_take(&cta->launch->groups[ws_sched_self(s)].arena, bytes);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static void assign(Cell *cell, Datum datum)
{
    if (cell->tile) {
        check_cell(cell, "overwrites");
        check_cell(datum.cell, "reads");
        const struct ws_tile_ *from = datum.tile;
        if (from->rows != cell->tile->rows || from->cols != cell->tile->cols || from->dtype != cell->tile->dtype)
            ws_sched_fail(ws_sched_current(), "variable %s is given a tile of another type", cell->variable->name);
        memmove(cell->tile->data, from->data,
                (size_t)from->rows * (size_t)from->cols * (size_t)ws_dtype_bytes(from->dtype));
        datum = (Datum){.tile = cell->tile, .cell = cell};
    } else if (datum.tensor) {
        cell->tensor = *datum.tensor;
        datum = (Datum){.tensor = &cell->tensor};
    }
    cell->datum = datum;
    cell->written = true;
}

static void assign_value(Group *group, const Value *to, const Value *from)
{
    Cell *cell = cell_of(group, to);
    if (cell && to->var != from->var)
        assign(cell, evaluate(group, from));
}

/* Destroys the variables of the block at its end.  */
static void leave(Group *group, const Block *block)
{
    const Plan *plan = group->launch->plan;
    for (int i = 0; i < plan->ncells; i++) {
        Cell *cell = &group->cells[i];
        if (cell->scope != block || !cell->written || cell->variable->role != group->role)
            continue;
        check_cell(cell, "drops");
        cell->written = false;
    }
}

/* Passes values on, all at once: each source is read before any variable is written.  */
static void hand_over(Group *group, Value *const *from, Value *const *to, int count)
{
    Datum few[16], *data = count > 16 ? arena_take(&group->arena, (size_t)count * sizeof *data) : few;
    int copies = 0;
    for (int i = 0; i < count; i++)
        copies += to[i]->var != from[i]->var;
    for (int i = 0; i < count; i++) {
        if (to[i]->var == from[i]->var || !cell_of(group, to[i]))
            continue;
        data[i] = evaluate(group, from[i]);
        if (copies < 2 || !data[i].cell)
            continue;
        check_cell(data[i].cell, "reads");
        size_t bytes = sizeof *data[i].tile + (size_t)data[i].tile->rows * (size_t)data[i].tile->cols *
                                                  (size_t)ws_dtype_bytes(data[i].tile->dtype);
        data[i].tile = memcpy(arena_take(&group->arena, bytes), data[i].tile, bytes);
        data[i].cell = NULL;
    }
    for (int i = 0; i < count; i++) {
        Cell *cell = cell_of(group, to[i]);
        if (cell && to[i]->var != from[i]->var)
            assign(cell, data[i]);
    }
    arena_reset(&group->arena);
}

/* ---- control flow ------------------------------------------------------------------------------------------------ */

/* Runs iterations from the present counter up to the bound and the edge.  */
static void run_iterations(Group *group, const Op *op, const Block *body, Cell *counter, const Value *edge)
{
    const Op *yield = block_end(body);
    Dtype dtype = op->blocks[0]->args[0]->type.dtype;
    Opcode compare = op->control->compare;
    while (scalar_compare(compare, dtype, counter->datum.number, number_of(group, op->args[1])) &&
           (!edge || counter->datum.number < number_of(group, edge))) {
        run_block(group, body);
        if (yield->nargs)
            hand_over(group, yield->args, op->blocks[0]->args + 1, yield->nargs);
        leave(group, body);
        int64_t next = (int64_t)((uint64_t)counter->datum.number + (uint64_t)number_of(group, op->args[2]));
        assign(counter, (Datum){.number = scalar_wrap(dtype, next)});
    }
}

static void run_for(Group *group, const Op *op)
{
    const Block *body = op->blocks[0];
    Cell *counter = cell_of(group, body->args[0]);
    hand_over(group, op->args + 3, body->args + 1, carried_count(op));
    if (!counter) {
        wrong(group->launch, "a loop has no counter");
        return;
    }
    assign(counter, evaluate(group, op->args[0]));
    run_iterations(group, op, body, counter, loop_edge(op));
    if (loop_edge(op))
        run_iterations(group, op, op->blocks[1], counter, NULL);
}

/* Returns the smallest width of at least `columns` columns, or all columns.  */
static int width_for(const Op *op, int64_t columns)
{
    enum { WIDE = 208 };
    int all = op->results[0]->type.cols,
        step = op->control->halves ? all - all / 32 * 16
               : all > WIDE        ? 16
                                   : 8,
        width = all;
    while (width - step >= columns && (op->control->halves ? width == all : width - step > all / 2))
        width -= step;
    return width;
}

static void run_narrow(Group *group, const Op *op)
{
    const Block *body = op->blocks[0];
    Cell *width = cell_of(group, body->args[0]);
    hand_over(group, op->args + 1, body->args + 1, carried_count(op));
    if (width)
        assign(width, (Datum){.number = width_for(op, number_of(group, op->args[0]))});
    run_block(group, body);
    hand_over(group, block_end(body)->args, op->results, op->nresults);
    leave(group, body);
}

static void run_while(Group *group, const Op *op)
{
    const Op *condition = block_end(op->blocks[0]), *yield = block_end(op->blocks[1]);
    hand_over(group, op->args, op->blocks[0]->args, op->nargs);
    for (;;) {
        run_block(group, op->blocks[0]);
        bool more = number_of(group, condition->args[0]) != 0;
        hand_over(group, condition->args + 1, op->blocks[1]->args, condition->nargs - 1);
        if (!more)
            break;
        run_block(group, op->blocks[1]);
        hand_over(group, yield->args, op->blocks[0]->args, op->nargs);
        leave(group, op->blocks[0]);
        leave(group, op->blocks[1]);
    }
    leave(group, op->blocks[0]);
    leave(group, op->blocks[1]);
}

static void run_if(Group *group, const Op *op)
{
    bool then = number_of(group, op->args[0]) != 0;
    if (!then && op->nblocks < 2)
        return;
    const Block *block = op->blocks[!then];
    run_block(group, block);
    if (op->nresults)
        hand_over(group, block_end(block)->args, op->results, op->nresults);
    leave(group, block);
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static void locate(Group *group)
{
    const ws_emulate_grid *grid = &group->launch->grid;
    bool more = group->tile < grid->total;
    ws_sched_iteration(ws_sched_current(), more ? ws_emulate_tile(grid, group->tile, group->block) : -1);
    group->inside = more && ws_emulate_locate(grid, group->tile, group->block, group->position);
}

static void run_grid(Group *group, const Op *op)
{
    const Launch *launch = group->launch;
    const Cta *cta = ws_sched_user(ws_sched_current());
    const Block *body = op->blocks[0];
    group->stride = cta->head.ctas / launch->cluster;
    group->walked = 0;
    group->tile = cta->head.cta / launch->cluster;
    for (locate(group); group->tile < launch->grid.total; locate(group)) {
        for (int i = 0; i < launch->grid.dims; i++) {
            Cell *cell = cell_of(group, body->args[i]);
            bool placed = launch->plan->placed & variance_of_dimension(launch->kernel, launch->grid.dims, i);
            long place = placed ? ws_emulate_nearest(&launch->grid, i, group->position[i]) : group->position[i];
            long at = launch->grid.low[i] + place * launch->grid.step[i];
            if (cell)
                assign(cell, (Datum){.number = scalar_wrap(body->args[i]->type.dtype, at)});
        }
        run_block(group, body);
        leave(group, body);
        group->tile += group->stride;
        group->walked++;
    }
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static void assign_slot(Group *group, const Op *op, int slot)
{
    Cell *cell = op->nresults ? cell_of(group, op->results[0]) : NULL;
    if (cell)
        assign(cell, (Datum){.number = slot});
}

static void run_put(Group *group, const Op *op)
{
    End *end = &group->producers[op->aref->id];
    end->bytes = 0;
    assign_slot(group, op, ws_sched_put(ws_sched_current(), ring_of(group, op->aref), end->index));
}

static void run_put_done(Group *group, const Op *op)
{
    const Aref *aref = op->aref;
    End *end = &group->producers[aref->id];
    ws_sched_put_done(ws_sched_current(), ring_of(group, aref), end->index++);
    if (end->bytes * aref->fillers != aref->bytes && !aref->along)
        ws_sched_fail(ws_sched_current(), "a put of ring %s brings %lld bytes, the plan says %lld", aref->name,
                      (long long)end->bytes, (long long)aref->bytes);
}

static void run_get(Group *group, const Op *op)
{
    End *end = &group->consumers[op->aref->id];
    int slot = ws_sched_get(ws_sched_current(), ring_of(group, op->aref), end->index);
    if (end->nheld == op->aref->slots || end->nheld == MOST_HELD_SLOTS)
        ws_sched_fail(ws_sched_current(), "more slots of ring %s are held than it has", op->aref->name);
    end->held[end->nheld++] = end->index++;
    assign_slot(group, op, slot);
}

static void release(const Group *group, const Aref *aref, uint64_t index)
{
    ws_sched_consumed_in(ws_sched_current(), ring_of(group, aref), index,
                         blocks_along(group->launch, aref->along, group->block));
}

/* Releases all slots that the group holds, except the newest `keep`.  */
static void run_consumed(Group *group, const Op *op)
{
    End *end = &group->consumers[op->aref->id];
    int count = end->nheld - op->sync->keep;
    for (int i = 0; i < count; i++)
        release(group, op->aref, end->held[i]);
    if (count <= 0)
        return;
    memmove(end->held, end->held + count, (size_t)(end->nheld - count) * sizeof *end->held);
    end->nheld -= count;
}

static void run_skip(Group *group, const Op *op)
{
    int64_t times = op->nargs ? number_of(group, op->args[0]) : 1;
    group->consumers[op->aref->id].index += (uint64_t)(int)(op->sync->count * times);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static void run_accumulate(Group *group, const Op *op)
{
    Cell *acc = cell_of(group, op->results[0]);
    if (!acc) {
        wrong(group->launch, "a product has no accumulator");
        return;
    }
    assign_value(group, op->results[0], op->args[2]);
    if (!acc->written)
        ws_sched_fail(ws_sched_current(), "accumulator %s is used before it is written", acc->variable->name);
    product_of(group, op, acc);
}

static void run_wait(Group *group, const Op *op)
{
    ws_sched *s = ws_sched_current();
    ws_sched_wait(s, op->sync->pending);
    for (int i = 0; i < op->nargs; i++) {
        Cell *cell = cell_of(group, op->args[i]);
        if (cell)
            ws_sched_name(s, &cell->state);
    }
    for (int i = 0; i < op->nresults && i < op->nargs; i++)
        assign_value(group, op->results[i], op->args[i]);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void run_sync(Group *group, const Op *op)
{
    ws_sched *s = ws_sched_current();
    int pingpong = group->launch->pingpong[group->block];
    switch (op->code) {
    case OP_PUT:
        run_put(group, op);
        break;
    case OP_COPY_IN:
        memory_copy_in(group, op);
        break;
    case OP_PUT_TILE:
        memory_put_tile(group, op);
        break;
    case OP_PUT_DONE:
        run_put_done(group, op);
        break;
    case OP_GET:
        run_get(group, op);
        break;
    case OP_CONSUMED:
        run_consumed(group, op);
        break;
    case OP_SKIP:
        run_skip(group, op);
        break;
    case OP_MMA:
        run_accumulate(group, op);
        break;
    case OP_COMMIT:
    case OP_COMMIT_NOTHING:
        ws_sched_commit(s);
        break;
    case OP_WAIT:
        run_wait(group, op);
        break;
    case OP_STAGE: {
        View view = memory_stage(group, op);
        Cell *cell = cell_of(group, op->results[0]);
        if (cell)
            assign(cell, (Datum){.view = view});
        break;
    }
    case OP_GATHER: {
        View view = memory_gather(group, op);
        Cell *cell = cell_of(group, op->results[0]);
        if (cell)
            assign(cell, (Datum){.view = view});
        break;
    }
    case OP_ROLE_BARRIER:
        memory_role_barrier(group);
        break;
    case OP_PINGPONG_TAKE:
        ws_sched_take(s, pingpong, group->number);
        break;
    case OP_PINGPONG_PASS:
        ws_sched_pass(s, pingpong, group->number);
        break;
    case OP_STORE_WAIT:
        ws_sched_store_wait(s, op->sync->pending);
        break;
    case OP_COMPUTED:
        for (int i = 0; i < op->nargs; i++)
            if (cell_of(group, op->args[i]))
                check_cell(cell_of(group, op->args[i]), "holds a wait back with");
        break;
    case OP_FENCE:
        ws_sched_fence(s);
        break;
    case OP_BARRIER:
        ws_sched_barrier(s);
        break;
    case OP_AWAIT_TILES:
        ws_emulate_await_tiles(s, ~0u);
        break;
    case OP_TILE_DONE:
        ws_emulate_tile_done(s);
        break;
    case OP_TELL_TILES:
        ws_emulate_tell_tiles(s);
        break;
    default:
        wrong(group->launch, "the interpreter does not know '%s'", op_info[op->code].text);
    }
}

static void run_control(Group *group, const Op *op)
{
    switch (op->code) {
    case OP_GRID:
        run_grid(group, op);
        break;
    case OP_FOR:
        run_for(group, op);
        break;
    case OP_WHILE:
        run_while(group, op);
        break;
    case OP_NARROW:
        run_narrow(group, op);
        break;
    case OP_IF:
        run_if(group, op);
        break;
    default: /* YIELD, COND: the loop or branch executes them */
        break;
    }
}

/* Prints the tile; the coordinates replace each %ld of the text.  */
static void print_tile(Group *group, const Op *op)
{
    char text[512];
    size_t used = 0;
    int next = 0;
    for (const char *at = op->store->label ? op->store->label : ""; *at && used + 24 < sizeof text; at++) {
        if (next < op->nargs - 1 && !strncmp(at, "%ld", 3)) {
            used += (size_t)snprintf(text + used, 24, "%ld", (long)number_of(group, op->args[next++]));
            at += 2;
        } else {
            text[used++] = *at;
            at += op->nargs > 1 && at[0] == '%' && at[1] == '%';
        }
    }
    text[used] = 0;
    ws_tile tile = evaluate(group, op->args[op->nargs - 1]).tile;
    if (!op->store->divided) {
        ws_print(text, tile);
        return;
    }
    char *part;
    size_t bytes;
    FILE *out = open_memstream(&part, &bytes);
    if (group->number == 0) {
        fputs(text, out);
        ws_show_type(out, tile, tile->rows * group->role->replicas);
    }
    ws_show_rows(out, tile);
    fclose(out);
    ws_sched_show(ws_sched_current(), memory_role_barrier_of(group), group->number, part, bytes);
    memory_role_barrier(group); /* the part is printed: the next group follows */
}

static size_t print_integer(char *text, size_t room, const char *conversion, long number)
{
    return (size_t)(conversion[strlen(conversion) - 1] == 'u' ? snprintf(text, room, "%lu", (unsigned long)number)
                                                              : snprintf(text, room, "%ld", number));
}

/* Formats a number, or an element of a tile, by a conversion of printf.  */
static size_t print_number(Group *group, const Value *value, int row, int col, const char *conversion, char *text,
                           size_t room)
{
    const bool tile = value->type.kind == K_TILE;
    const Datum datum = evaluate(group, value);
    const Dtype dtype = value->type.dtype;
    double real = datum.real;
    if (!dtype_is_float(dtype)) {
        long number = !tile            ? (long)number_of(group, value)
                      : dtype == D_I64 ? *(const long *)(const void *)ws_element(datum.tile, row, col)
                                       : *(const int *)(const void *)ws_element(datum.tile, row, col);
        return print_integer(text, room, conversion, number);
    }
    if (tile)
        ws_row_read(datum.tile->dtype, WS_COMPUTE_F64, 1, ws_element(datum.tile, row, col), &real);
    return (size_t)(real != real ? snprintf(text, room, "nan")
                                 : snprintf(text, room, strstr(conversion, "17") ? "%.17g" : "%.9g", real));
}

static void print_line(Group *group, const Op *op, int row, int col)
{
    char text[1024];
    size_t used = 0;
    int next = 0;
    for (const char *at = op->store->label; *at && used + 64 < sizeof text; at++) {
        size_t length = strcspn(at + 1, "dug%") + 1;
        if (*at != '%') {
            text[used++] = *at;
        } else if (at[1] == '%') {
            text[used++] = *at++;
        } else {
            char conversion[16];
            snprintf(conversion, sizeof conversion, "%.*s", (int)length + 1, at);
            used += print_number(group, op->args[next++], row, col, conversion, text + used, sizeof text - used);
            at += length;
        }
    }
    text[used] = 0;
    puts(text);
}

static void print_each(Group *group, const Op *op)
{
    const Value *holds = op->args[op->nargs - 1];
    const bool tile = holds->type.kind == K_TILE;
    for (int row = 0; row < (tile ? holds->type.rows : 1); row++)
        for (int col = 0; col < (tile ? holds->type.cols : 1); col++) {
            bool shown = tile ? *ws_element(evaluate(group, holds).tile, row, col) : number_of(group, holds) != 0;
            if (shown && ws_emulate_next_line(&group->launch->state))
                print_line(group, op, row, col);
        }
}

static void run_statement(Group *group, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    if (++group->launch->steps > group->launch->most_steps)
        ws_sched_fail(ws_sched_current(), "%ld statements and no end", group->launch->most_steps);
    if (op_is_pure(op)) {
        Cell *cell = op->nresults ? cell_of(group, op->results[0]) : NULL;
        if (cell)
            assign(cell, compute(group, op));
    } else if (class_ == CLASS_CONTROL) {
        run_control(group, op);
    } else if (class_ == CLASS_STORE && !group->inside) {
        /* nothing is stored for a block's tile outside the grid */
    } else if (op->code == OP_PRINT) {
        print_tile(group, op);
    } else if (op->code == OP_PRINT_EACH) {
        print_each(group, op);
    } else if (class_ == CLASS_STORE) {
        memory_store(group, op);
    } else if (class_ == CLASS_SYNC) {
        run_sync(group, op);
    } else if (op_meets_blocks(op)) {
        ws_tile sum = op->code == OP_SUM_PARTS ? product_sum_parts(group, op) : product_over_blocks(group, op);
        Cell *cell = cell_of(group, op->results[0]);
        if (cell)
            assign(cell, (Datum){.tile = sum});
    } else {
        run_accumulate(group, op); /* a product that is computed at once */
    }
    arena_reset(&group->arena);
}

static void run_block(Group *group, const Block *block)
{
    for (const Op *op = block->first; op; op = op->next)
        run_statement(group, op);
}

/* The entry of a group's fiber.  */
void group_run(void *arg)
{
    Group *group = arg;
    const Block *body = group->role->body;
    Cell *number = body->nargs ? cell_of(group, body->args[0]) : NULL;
    ws_sched_start(ws_sched_current());
    if (number)
        assign(number, (Datum){.number = group->number});
    run_block(group, body);
    leave(group, body);
    if (group->launch->cluster > 1)
        ws_sched_finish(ws_sched_current());
}
