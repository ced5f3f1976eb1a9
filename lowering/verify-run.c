/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-run.c - run the program of one group, scalars only, and watch what it does with slots and products.
 *
 *   k = 0    get slot 0      mma reads slot 0, group 1 starts     wait 1 keeps group 1     nothing is released
 *   k = 64   get slot 1      mma reads slot 1, group 2 starts     wait 1 ends group 1      slot 0 is released: nobody reads it
 *
 * No tile ever reaches a scalar, so the control flow of a role can be computed without any data: integers exactly, memory
 * read by ws_at as a fixed function of its index, the same in every role.  What the group does to rings is recorded for
 * verify-rings.c; what concerns the group alone is checked here:
 *
 *   - a slot is read only between its get and its release
 *   - no product in flight reads a slot when it is released, or staged memory when it is written again
 *   - a tile is looked at only after a wait that named it and let its product end
 *   - between put and put_done the bytes of the copies are the aref's
 *   - every slot that was got is released in the end
 */
#include <math.h>
#include <string.h>

#include "machine.h"
#include "plan.h"
#include "slice.h"
#include "verify.h"

enum { MAX_STEPS = 20000, MAX_HELD = 64, TILES = 3 };

/* What is known of a value: a number, a window of a slot, a product's group.  */
typedef struct {
    int64_t number;
    double real;
    const Aref *aref;
    const Storage *storage;
    long index; /* of the put, or of the write of staged memory */
    int group;  /* of products that this tile is the result of and nothing has waited for by name; 0: none */
} Known;

typedef struct {
    long got;            /* running index of the next get */
    long held[MAX_HELD]; /* got and not released, oldest first */
    int nheld;
    long put; /* running index of the next put */
    bool filling;
    int64_t bytes; /* copied in since */
} RingState;

/* A product in flight that reads shared memory.  */
typedef struct {
    const Aref *aref;
    long index;
    const Storage *storage;
    int group;
} Reader;

typedef struct {
    Kernel *kernel;
    const Scenario *scenario;
    Trace *trace;
    Known *known; /* by value id */
    RingState *rings;
    Reader *readers;
    int nreaders, readers_room;
    int committed, completed; /* groups of products */
    long staged;              /* writes of staged memory so far */
    long *newest;             /* by storage, in the order of the list: its last write */
    int steps;
    RunResult result;
} Runner;

static Known *known(const Runner *in, const Value *value)
{
    return &in->known[value->id];
}

static void fail(Runner *in, const Op *op, const char *sentence)
{
    if (in->result == RUN_DONE)
        reject_text(in->kernel, op->loc,
                    arena_print(in->kernel->module, "'%s' %s", verify_who(in->kernel, in->trace), sentence), "");
    in->result = RUN_FAILED;
}

static void record(Runner *in, EventKind kind, const Op *op, const Aref *aref, long index)
{
    Trace *trace = in->trace;
    if (trace->count == trace->room) {
        int room = trace->room ? 2 * trace->room : 64;
        Event *events = arena_alloc(in->kernel->module, (size_t)room * sizeof *events);
        if (trace->count)
            memcpy(events, trace->events, (size_t)trace->count * sizeof *events);
        trace->events = events;
        trace->room = room;
    }
    trace->events[trace->count++] = (Event){kind, aref, index, op};
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

static int64_t wrap(Dtype dtype, int64_t x)
{
    switch (dtype) {
    case D_I1:
        return x != 0;
    case D_I8:
        return (int8_t)x;
    case D_U8:
        return (uint8_t)x;
    case D_I16:
        return (int16_t)x;
    case D_U16:
        return (uint16_t)x;
    case D_I32:
        return (int32_t)x;
    case D_U32:
        return (uint32_t)x;
    default:
        return x;
    }
}

static int64_t divide(int64_t x, int64_t y, Dtype dtype, bool remainder)
{
    if (y == 0 || (y == -1 && dtype != D_U64))
        return remainder || y == 0 ? 0 : (int64_t)(0 - (uint64_t)x);
    if (dtype == D_U64)
        return (int64_t)(remainder ? (uint64_t)x % (uint64_t)y : (uint64_t)x / (uint64_t)y);
    return remainder ? x % y : x / y;
}

static bool compare_integers(Opcode code, int64_t x, int64_t y, Dtype dtype)
{
    bool less = dtype == D_U64 ? (uint64_t)x < (uint64_t)y : x < y;
    switch (code) {
    case OP_EQI:
        return x == y;
    case OP_NEI:
        return x != y;
    case OP_LTI:
        return less;
    case OP_LEI:
        return less || x == y;
    case OP_GTI:
        return !less && x != y;
    default:
        return !less;
    }
}

static bool compare_reals(Opcode code, double x, double y)
{
    switch (code) {
    case OP_EQI:
        return x == y;
    case OP_NEI:
        return x != y;
    case OP_LTI:
        return x < y;
    case OP_LEI:
        return x <= y;
    case OP_GTI:
        return x > y;
    default:
        return x >= y;
    }
}

static int64_t integer_result(const Op *op, int64_t x, int64_t y, Dtype dtype)
{
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    unsigned count = (unsigned)y & 63;
    switch (op->code) {
    case OP_ADDI:
        return (int64_t)(a + b);
    case OP_SUBI:
        return (int64_t)(a - b);
    case OP_MULI:
        return (int64_t)(a * b);
    case OP_DIVI:
    case OP_REMI:
        return divide(x, y, dtype, op->code == OP_REMI);
    case OP_ANDI:
        return x & y;
    case OP_ORI:
        return x | y;
    case OP_XORI:
        return x ^ y;
    case OP_SHLI:
        return (int64_t)(a << count);
    case OP_SHRI:
        return dtype_is_signed(dtype) ? x >> count : (int64_t)(a >> count);
    case OP_NEGI:
        return (int64_t)(0 - a);
    case OP_NOTI:
        return dtype == D_I1 ? !x : ~x;
    case OP_MINI:
        return compare_integers(OP_LTI, x, y, dtype) ? x : y;
    case OP_MAXI:
        return compare_integers(OP_LTI, x, y, dtype) ? y : x;
    default:
        return 0;
    }
}

static double real_result(const Op *op, double x, double y)
{
    switch (op->code) {
    case OP_ADDI:
        return x + y;
    case OP_SUBI:
        return x - y;
    case OP_MULI:
        return x * y;
    case OP_DIVI:
        return x / y;
    case OP_NEGI:
        return -x;
    case OP_MINI:
        return fmin(x, y);
    case OP_MAXI:
        return fmax(x, y);
    default:
        return x; /* a function of mathematics: any value, as long as it is the same in every role */
    }
}

static Known convert(const Op *op, Known from)
{
    bool real = dtype_is_float(op->args[0]->type.dtype);
    Known result = {0};
    if (dtype_is_float(op->results[0]->type.dtype))
        result.real = real ? from.real : (double)from.number;
    else
        result.number = !real ? from.number : fabs(from.real) < 9e18 ? (int64_t)from.real : 0;
    return result;
}

static Known scalar_result(const Runner *in, const Op *op)
{
    Known x = op->nargs > 0 ? *known(in, op->args[0]) : (Known){0};
    Known y = op->nargs > 1 ? *known(in, op->args[1]) : (Known){0};
    Dtype dtype = op->nargs ? op->args[0]->type.dtype : op->results[0]->type.dtype;
    Known result = {0};
    if (op->code == OP_CONST)
        return (Known){.number = op->ival, .real = op->fval};
    if (op->code == OP_CONVI)
        result = convert(op, x);
    else if (op->code == OP_SELI)
        result = x.number ? y : *known(in, op->args[2]);
    else if (op->code >= OP_EQI && op->code <= OP_GEI)
        result.number = dtype_is_float(dtype) ? compare_reals(op->code, x.real, y.real)
                                              : compare_integers(op->code, x.number, y.number, dtype);
    else if (dtype_is_float(op->results[0]->type.dtype))
        result.real = real_result(op, x.real, y.real);
    else
        result.number = integer_result(op, x.number, y.number, dtype);
    result.number = wrap(op->results[0]->type.dtype, result.number);
    return result;
}

/* Memory holds offsets that grow: what bounds and coordinates of packed data look like.  */
static Known memory_result(const Runner *in, const Op *op)
{
    int64_t value = known(in, op->args[1])->number * (in->scenario->trips * 32 + 8);
    return (Known){.number = value, .real = (double)value};
}

/* ---- slots and products ------------------------------------------------------------------------------------------ */

static RingState *ring(const Runner *in, const Aref *aref)
{
    return &in->rings[aref->id];
}

static bool holds(const Runner *in, const Aref *aref, long index)
{
    const RingState *state = ring(in, aref);
    for (int i = 0; i < state->nheld; i++)
        if (state->held[i] == index)
            return true;
    return false;
}

static void add_reader(Runner *in, const Known *view)
{
    if (in->nreaders == in->readers_room) {
        int room = in->readers_room ? 2 * in->readers_room : 32;
        Reader *readers = arena_alloc(in->kernel->module, (size_t)room * sizeof *readers);
        if (in->nreaders)
            memcpy(readers, in->readers, (size_t)in->nreaders * sizeof *readers);
        in->readers = readers;
        in->readers_room = room;
    }
    in->readers[in->nreaders++] = (Reader){view->aref, view->index, view->storage, in->committed + 1};
}

static void complete(Runner *in, int group)
{
    int kept = 0;
    in->completed = group > in->completed ? group : in->completed;
    for (int i = 0; i < in->nreaders; i++)
        if (in->readers[i].group > in->completed)
            in->readers[kept++] = in->readers[i];
    in->nreaders = kept;
}

static long *newest_write(const Runner *in, const Storage *storage)
{
    int i = 0;
    for (const Storage *other = in->kernel->storages; other && other != storage; other = other->next)
        i++;
    return &in->newest[i];
}

static void check_view(Runner *in, const Op *op, const Known *view)
{
    if (!view->aref && view->storage && *newest_write(in, view->storage) != view->index)
        fail(in, op, arena_print(in->kernel->module, "reads '%s' after it was written again", view->storage->name));
    if (view->aref && !holds(in, view->aref, view->index))
        fail(in, op,
             arena_print(in->kernel->module, "reads slot %ld of '%s' (put %ld) that it does not hold at '%s'",
                         view->index % view->aref->slots, view->aref->name, view->index, op_info[op->code].text));
}

/* Handing a tile on is no look at it, adding to an accumulator in flight neither.  */
static bool looks_at(const Op *op, int arg)
{
    if (op->code == OP_MMA)
        return arg != 2;
    return op->code != OP_WAIT && op_info[op->code].class_ != CLASS_CONTROL;
}

static void check_operands(Runner *in, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Known *value = known(in, op->args[i]);
        if (op->args[i]->type.kind == K_VIEW && op->code != OP_TRANS_VIEW)
            check_view(in, op, value);
        if (value_is_tile(op->args[i]) && value->group && looks_at(op, i))
            fail(in, op,
                 arena_print(in->kernel->module, "looks at a product in flight at '%s'", op_info[op->code].text));
    }
}

static void run_get(Runner *in, const Op *op)
{
    RingState *state = ring(in, op->aref);
    if (state->nheld == MAX_HELD || state->nheld == op->aref->slots) {
        fail(in, op,
             arena_print(in->kernel->module, "holds all %d slots of '%s' and waits for one more", op->aref->slots,
                         op->aref->name));
        return;
    }
    long index = state->got++;
    state->held[state->nheld++] = index;
    record(in, EVENT_GET, op, op->aref, index);
    if (op->nresults)
        *known(in, op->results[0]) = (Known){.number = index % op->aref->slots, .aref = op->aref, .index = index};
}

static void release(Runner *in, const Op *op, long index)
{
    for (int i = 0; i < in->nreaders; i++)
        if (in->result == RUN_DONE && in->readers[i].aref == op->aref && in->readers[i].index == index) {
            reject(in->kernel, op->loc, REASON_RELEASED_EARLY, verify_who(in->kernel, in->trace), op->aref->name,
                   arena_print(in->kernel->module, "a product in flight reads slot %ld (put %ld)",
                               index % op->aref->slots, index));
            in->result = RUN_FAILED;
        }
    record(in, EVENT_RELEASE, op, op->aref, index);
}

static void run_consumed(Runner *in, const Op *op)
{
    RingState *state = ring(in, op->aref);
    int count = state->nheld - (int)op->ival;
    if (count <= 0)
        return;
    for (int i = 0; i < count; i++)
        release(in, op, state->held[i]);
    state->nheld -= count;
    memmove(state->held, state->held + count, (size_t)state->nheld * sizeof *state->held);
}

static void run_put(Runner *in, const Op *op)
{
    RingState *state = ring(in, op->aref);
    if (state->filling)
        fail(in, op, "puts before the last put is done");
    state->filling = true;
    state->bytes = 0;
    record(in, EVENT_PUT, op, op->aref, state->put);
    if (op->nresults)
        *known(in, op->results[0]) =
            (Known){.number = state->put % op->aref->slots, .aref = op->aref, .index = state->put};
}

static void run_copy_in(Runner *in, const Op *op)
{
    RingState *state = ring(in, op->aref);
    Type tile = op->storage->tile;
    int lines = machine_line_elements(tile.dtype);
    const Known *slot = known(in, op->args[0]);
    if (!state->filling || slot->aref != op->aref || slot->index != state->put)
        fail(in, op, arena_print(in->kernel->module, "copies into '%s' outside its put", op->aref->name));
    state->bytes += (int64_t)((tile.cols + lines - 1) / lines) * tile.rows * MACHINE_LINE_BYTES;
}

static void run_put_done(Runner *in, const Op *op)
{
    RingState *state = ring(in, op->aref);
    if (!state->filling)
        fail(in, op, "ends a put that has not begun");
    if (state->bytes != op->aref->bytes) {
        reject(in->kernel, op->loc, REASON_BYTES, op->aref->name, (long long)op->aref->bytes, (long long)state->bytes);
        in->result = RUN_FAILED;
    }
    state->filling = false;
    record(in, EVENT_PUT_DONE, op, op->aref, state->put++);
}

static void run_mma(Runner *in, const Op *op)
{
    for (int i = 0; i < 2; i++)
        if (op->args[i]->type.kind == K_VIEW)
            add_reader(in, known(in, op->args[i]));
    *known(in, op->results[0]) = (Known){.group = in->committed + 1};
}

static void run_wait(Runner *in, const Op *op)
{
    complete(in, in->committed - (int)op->ival);
    for (int i = 0; i < op->nresults && i < op->nargs; i++) {
        Known value = *known(in, op->args[i]);
        if (value.group <= in->completed)
            value.group = 0;
        else if (op->results[i]->type.kind == K_TILE)
            fail(in, op, "takes a product in flight for finished: the wait leaves it out");
        *known(in, op->results[i]) = value;
    }
}

static void run_stage(Runner *in, const Op *op)
{
    for (int i = 0; i < in->nreaders; i++)
        if (in->readers[i].storage == op->storage)
            fail(in, op,
                 arena_print(in->kernel->module, "writes '%s' while a product in flight reads it", op->storage->name));
    *newest_write(in, op->storage) = ++in->staged;
    *known(in, op->results[0]) = (Known){.storage = op->storage, .index = in->staged};
}

static void run_view(Runner *in, const Op *op)
{
    Known slot = op->nargs ? *known(in, op->args[0]) : (Known){0};
    bool in_ring = op->storage->use == USE_RING;
    if (in_ring && !slot.aref)
        fail(in, op,
             arena_print(in->kernel->module, "looks at '%s' with a slot that no get returned", op->storage->name));
    *known(in, op->results[0]) = (Known){.aref = in_ring ? slot.aref : NULL,
                                         .index = in_ring ? slot.index : *newest_write(in, op->storage),
                                         .storage = op->storage};
}

static void run_sync(Runner *in, const Op *op)
{
    switch (op->code) {
    case OP_PUT:
        run_put(in, op);
        break;
    case OP_COPY_IN:
        run_copy_in(in, op);
        break;
    case OP_PUT_DONE:
        run_put_done(in, op);
        break;
    case OP_GET:
        run_get(in, op);
        break;
    case OP_CONSUMED:
        run_consumed(in, op);
        break;
    case OP_SKIP:
        ring(in, op->aref)->got += (long)(op->ival * (op->nargs ? known(in, op->args[0])->number : 1));
        break;
    case OP_VIEW:
        run_view(in, op);
        break;
    case OP_TRANS_VIEW:
        *known(in, op->results[0]) = *known(in, op->args[0]);
        break;
    case OP_MMA:
        run_mma(in, op);
        break;
    case OP_COMMIT:
    case OP_COMMIT_NOTHING:
        in->committed++;
        break;
    case OP_WAIT:
        run_wait(in, op);
        break;
    case OP_STAGE:
        run_stage(in, op);
        break;
    case OP_TURN_TAKE:
    case OP_TURN_PASS:
        record(in, op->code == OP_TURN_TAKE ? EVENT_TAKE : EVENT_PASS, op, NULL, 0);
        break;
    default: /* READ, STORE_WAIT, BARRIER */
        for (int i = 0; i < op->nresults; i++)
            *known(in, op->results[i]) = (Known){0};
    }
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static void run_block(Runner *in, const Block *block);

/* Values that are handed over at once.  */
static void hand_over(Runner *in, Value *const *from, Value *const *to, int count)
{
    Known few[16], *copies = few;
    if (count > 16)
        copies = arena_alloc(in->kernel->module, (size_t)count * sizeof *copies);
    for (int i = 0; i < count; i++)
        copies[i] = *known(in, from[i]);
    for (int i = 0; i < count; i++)
        *known(in, to[i]) = copies[i];
}

static void run_for(Runner *in, const Op *op)
{
    const Block *body = op->blocks[0];
    int count = carried_count(op);
    Dtype dtype = body->args[0]->type.dtype;
    int64_t at = known(in, op->args[0])->number, end = known(in, op->args[1])->number,
            step = known(in, op->args[2])->number;
    Opcode compare = op->ival ? (Opcode)op->ival : OP_LTI;
    hand_over(in, op->args + 3, body->args + 1, count);
    for (; compare_integers(compare, at, end, dtype) && in->result == RUN_DONE;
         at = wrap(dtype, (int64_t)((uint64_t)at + (uint64_t)step))) {
        *known(in, body->args[0]) = (Known){.number = at};
        run_block(in, body);
        if (count)
            hand_over(in, block_end(body)->args, body->args + 1, count);
    }
    hand_over(in, body->args + 1, op->results, count);
}

static void run_while(Runner *in, const Op *op)
{
    const Op *cond = block_end(op->blocks[0]);
    hand_over(in, op->args, op->blocks[0]->args, op->nargs);
    while (in->result == RUN_DONE) {
        run_block(in, op->blocks[0]);
        if (!known(in, cond->args[0])->number)
            break;
        hand_over(in, cond->args + 1, op->blocks[1]->args, op->nargs);
        run_block(in, op->blocks[1]);
        hand_over(in, block_end(op->blocks[1])->args, op->blocks[0]->args, op->nargs);
    }
    hand_over(in, cond->args + 1, op->results, op->nresults);
}

static void run_if(Runner *in, const Op *op)
{
    bool then = known(in, op->args[0])->number != 0;
    if (!then && op->nblocks < 2)
        return;
    const Block *block = op->blocks[!then];
    run_block(in, block);
    if (op->nresults)
        hand_over(in, block_end(block)->args, op->results, op->nresults);
}

/* A few tiles stand for any number: rings carry on from one to the next.  */
static void run_grid(Runner *in, const Op *op)
{
    const Block *body = op->blocks[0];
    int dims = op->nargs / 3;
    for (int tile = 0; tile < TILES; tile++) {
        for (int i = 0; i < dims; i++) {
            int64_t lo = known(in, op->args[3 * i])->number, step = known(in, op->args[3 * i + 2])->number;
            *known(in, body->args[i]) = (Known){.number = wrap(body->args[i]->type.dtype, lo + tile * step)};
        }
        for (int i = dims; i < body->nargs; i++)
            *known(in, body->args[i]) = (Known){.number = tile};
        run_block(in, body);
    }
}

static void run_op(Runner *in, const Op *op)
{
    if (++in->steps > MAX_STEPS && in->result == RUN_DONE)
        in->result = RUN_TOO_LONG;
    check_operands(in, op);
    switch (op->code) {
    case OP_GRID:
        run_grid(in, op);
        return;
    case OP_FOR:
        run_for(in, op);
        return;
    case OP_WHILE:
        run_while(in, op);
        return;
    case OP_IF:
        run_if(in, op);
        return;
    default:
        break;
    }
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_SCALAR)
        *known(in, op->results[0]) = scalar_result(in, op);
    else if (class_ == CLASS_READ)
        *known(in, op->results[0]) = memory_result(in, op);
    else if (class_ == CLASS_SYNC)
        run_sync(in, op);
    else
        for (int i = 0; i < op->nresults; i++)
            *known(in, op->results[i]) = (Known){0};
}

static void run_block(Runner *in, const Block *block)
{
    for (const Op *op = block->first; op && in->result == RUN_DONE; op = op->next)
        run_op(in, op);
}

static void check_end(Runner *in)
{
    const Op *last = in->trace->role->body->last;
    FOR_AREFS (aref, in->kernel) {
        const RingState *state = ring(in, aref);
        if (state->nheld)
            fail(in, last,
                 arena_print(in->kernel->module, "ends without a release of %d slots of '%s'", state->nheld,
                             aref->name));
        if (state->filling)
            fail(in, last, arena_print(in->kernel->module, "ends within a put of '%s'", aref->name));
    }
}

RunResult verify_run(Kernel *kernel, const Scenario *scenario, Trace *trace)
{
    Module *module = kernel->module;
    int narefs = 0;
    FOR_AREFS (aref, kernel)
        narefs = aref->id + 1 > narefs ? aref->id + 1 : narefs;
    Runner in = {.kernel = kernel, .scenario = scenario, .trace = trace};
    in.known = arena_alloc(module, (size_t)module->next_id * sizeof *in.known);
    in.rings = arena_alloc(module, (size_t)(narefs + 1) * sizeof *in.rings);
    int nstorages = 0;
    FOR_STORAGES (storage, kernel)
        nstorages++;
    in.newest = arena_alloc(module, (size_t)(nstorages + 1) * sizeof *in.newest);
    for (int i = 0; i < kernel->nparams; i++)
        *known(&in, kernel->params[i]) = (Known){.number = scenario->params[i], .real = (double)scenario->params[i]};
    if (trace->role->body->nargs)
        *known(&in, trace->role->body->args[0]) = (Known){.number = trace->group};
    run_block(&in, trace->role->body);
    if (in.result == RUN_DONE && trace->role->body->last)
        check_end(&in);
    return in.result;
}
