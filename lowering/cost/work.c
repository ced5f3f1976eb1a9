/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * work.c - the time that an iteration of each loop takes of tensor cores, lanes, stores and L2.
 *
 *      for (k = 0; k < K; k += 64)             products 512 clocks, 128 lines of a and 128 of b for L2
 *        acc = dot (ta, trans (tb), acc)         in a cluster of two blocks that share b: 64 of b
 *      store c, i, j, cast (acc)               leaves 683 clocks
 *
 * The passes that compare versions of a kernel use the estimate (optimize/multicast.c).  Launchers evaluate the
 * estimate for the extents of a launch (print/cuda-choice.c, runtime/common/choice.cuh).  cost/cost.c has the numbers.
 */
#include <string.h>

#include "cost/gpu.h"
#include "cost/work.h"
#include "ir/alias.h"
#include "ir/queries.h"

enum { LINE_BYTES = 128 }; /* of a line of L2 */

static double elements(const Op *op)
{
    Type type = op->nresults ? op->results[0]->type : op->args[op->nargs - 1]->type;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind == K_TILE && op->args[i]->type.rows * op->args[i]->type.cols > type.rows * type.cols)
            type = op->args[i]->type;
    return type.kind == K_TILE ? (double)type.rows * type.cols : 0;
}

/* The number of blocks that load the tile together.  */
static int sharers_of(const Kernel *kernel, const Work *work, const Part *part, const Op *load)
{
    int varies = part->depth && cluster_size(kernel) > 1 ? variance_of_load(&work->variance, load) : 3;
    return (varies & VARIES_X || kernel->grid.cluster[0] < 2 ? 1 : kernel->grid.cluster[0]) *
           (varies & VARIES_Y || kernel->grid.cluster[1] < 2 ? 1 : kernel->grid.cluster[1]);
}

static void weigh_load(const Kernel *kernel, const Work *work, Part *part, const Op *load)
{
    Type type = load->results[0]->type;
    const Op *tensor = load->args[0]->type.kind == K_TENSOR ? tensor_root(load->args[0]) : NULL;
    const int bytes = type.cols * dtype_bytes(type.dtype);
    double lines = (double)type.rows * ((bytes + LINE_BYTES - 1) / LINE_BYTES);
    if (part->nasked < WORK_LOADS)
        part->asked[part->nasked++] = (Asked){lines / sharers_of(kernel, work, part, load), tensor};
}

/* The clocks until a block has received the other blocks' parts of its columns.  */
static double exchange_clocks(const Kernel *kernel, const Op *op)
{
    Type share = op->results[0]->type;
    const double bytes = (double)share.rows * share.cols * dtype_bytes(share.dtype) * (cluster_size(kernel) - 1);
    return cost_exchange(kernel->machine->costs, bytes);
}

static bool is_fast_copy(const Op *op, const void *of)
{
    return op->origin == of && op_info[op->code].about & HAS_FAST && op->tile->fast;
}

static int instructions(const Kernel *kernel, const Op *op)
{
    FOR_ROLES (role, kernel)
        if (op_info[op->code].about & IS_SLOW && ir_any_of(role->body, is_fast_copy, op))
            return kernel->machine->costs->fast_instructions;
    return cost_instructions(kernel->machine->costs, op);
}

static bool counts_columns(const Value *value)
{
    const Op *def = value->def;
    if (def && def->code == OP_ADD)
        return counts_columns(def->args[0]) || counts_columns(def->args[1]);
    return def && def->code == OP_COL_INDEX;
}

/* True for operations that only select one column of a sum along rows (ir/select-column.c).  The sum then takes a
   comparison for each row.  */
static bool is_selected(const Op *op)
{
    const Op *of = op && op->nargs ? op->args[0]->def : NULL;
    if (!op)
        return false;
    if (op->code == OP_EQ)
        return counts_columns(op->args[0]) || counts_columns(op->args[1]);
    return (op->code == OP_SELECT || op->code == OP_ROW_PART) && is_selected(of);
}

static void weigh_op(const Kernel *kernel, const Work *work, Part *part, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    const Costs *costs = kernel->machine->costs;
    if (is_selected(op))
        return;
    if (class_ == CLASS_LOAD)
        weigh_load(kernel, work, part, op);
    else if (class_ == CLASS_STORE && op->nargs && op->args[op->nargs - 1]->type.kind == K_TILE)
        part->leaves += cost_store(costs, elements(op) * dtype_bytes(op->args[op->nargs - 1]->type.dtype));
    else if (op->code == OP_SUM_PARTS)
        part->leaves += exchange_clocks(kernel, op);
    else if (op_is_product(op))
        part->products += cost_product(costs, op);
    else if (op_is_elementwise(op))
        part->computes += cost_elementwise(costs, elements(op), instructions(kernel, op));
    else if (class_ == CLASS_TILE && op->nargs && op->code != OP_TRANS && op->code != OP_COLUMNS)
        part->computes += cost_elementwise(costs, elements(op), costs->reduction_instructions);
}

/* The slots that copies may fill while products read the others.  */
static int slots_filled(const Costs *costs, const Op *loop)
{
    const LoopSchedule asked = schedule_asked_of_loop(pipeline_of(loop));
    const LoopSchedule *schedule = loop->kernel->schedule.begun ? schedule_of_loop(loop) : &asked;
    if (schedule->depth <= 0)
        return costs->open_slots;
    const int read = schedule->in_flight > 1 ? schedule->in_flight - 1 : 0;
    return schedule->depth > read ? schedule->depth - read : 1;
}

static bool is_load(const Op *op, const void *none)
{
    (void)none;
    return op_info[op->code].class_ == CLASS_LOAD;
}

static void weigh(const Kernel *kernel, Work *work, int index, const Block *block)
{
    const Costs *costs = kernel->machine->costs;
    FOR_OPS (op, block) {
        const bool inner = op->code == OP_FOR && work->count < WORK_PARTS && work->parts[index].naround < WORK_AROUND;
        int to = index;
        if (inner) {
            Part part = {.naround = work->parts[index].naround};
            const bool pipelined = loop_is_pipelined(op);
            memcpy(part.around, work->parts[index].around, sizeof part.around);
            part.around[part.naround++] = op;
            part.depth = pipelined ? slots_filled(costs, op) : 0;
            part.computes = !pipelined && ir_any_of(op->blocks[0], is_load, NULL) ? costs->loop_clocks : 0;
            to = work->count;
            work->parts[work->count++] = part;
        }
        for (int i = 0; i < op->nblocks; i++)
            weigh(kernel, work, to, op->blocks[i]);
        if (!op->nblocks)
            weigh_op(kernel, work, &work->parts[index], op);
    }
}

const Work *work_of(Kernel *kernel)
{
    Work *work = arena_alloc(kernel->module, sizeof *work);
    work->count = 1;
    work->variance = variance_new(kernel);
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            weigh(kernel, work, 0, op->blocks[0]);
    return work;
}

/* ---- numbers that the caller knows ------------------------------------------------------------------------------- */

static bool is_arithmetic(Opcode code)
{
    return code == OP_SCALAR_ADD || code == OP_SCALAR_SUB || code == OP_SCALAR_MUL || code == OP_SCALAR_DIV ||
           code == OP_SCALAR_MIN || code == OP_SCALAR_MAX;
}

const Op *work_grid(const Value *value)
{
    const Op *op = value->block ? value->block->parent : NULL;
    return op && op->code == OP_GRID ? op : NULL;
}

static bool knows(const Value *value, int depth)
{
    if (!value->def && work_grid(value)) {
        const Op *grid = work_grid(value);
        return knows(grid->args[3 * value->index], depth + 1) && knows(grid->args[3 * value->index + 1], depth + 1);
    }
    if (!value->def)
        return !value->block && value->type.kind == K_SCALAR && !dtype_is_float(value->type.dtype);
    if (value->def->code == OP_CONST)
        return true;
    if (depth > 12 || (!is_arithmetic(value->def->code) && value->def->code != OP_SCALAR_CONVERT))
        return false;
    for (int i = 0; i < value->def->nargs; i++)
        if (!knows(value->def->args[i], depth + 1))
            return false;
    int64_t divisor;
    return value->def->code != OP_SCALAR_DIV || (ir_constant(value->def->args[1], &divisor) && divisor > 0);
}

bool work_knows(const Value *value)
{
    return knows(value, 0);
}

const Value *asked_stride(const Asked *asked)
{
    const Op *tensor = asked->tensor;
    const int rank = tensor ? tensor->results[0]->type.rank : 0;
    return rank > 1 ? tensor->args[1 + rank + rank - 2] : NULL;
}
