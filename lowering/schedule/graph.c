/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph.c - the dependence graph of each pipelined loop as text, for wsc-solve.
 *
 *      for (k = 0; k < K; k += 64)                   op ta.12 kind=load work=16384 memory=smem:16
 *        ta = ws_load (a, i, k, 128, 64);            op tb.13 kind=load work=32768 memory=smem:32
 *        tb = ws_load (b, j, k, 256, 64);            op acc.15 kind=mma_f16 work=64x256x64 registers=128
 *        acc = ws_dot (ta, ws_trans (tb), acc);      edge ta.12 -> acc.15 hold=all
 *                                                    edge acc.15 -> acc.15 distance=1
 *
 * The operations are those of the body that move or compute tiles, as one group of consumers executes or gets them.
 * Further groups execute the same, each a fraction of the interval later: "replicas 2".  A load for all groups is
 * "shared".  Views and constants cost nothing, and edges go through them.  Operations in a nested block count for the
 * operation of the body that contains it.  A machine's description (machines/) gives cycles for kinds and work.  Loads
 * run ahead of everything else, so only loads pass from group to group.  Operations that access the same memory keep
 * their order.
 */
#include "ir/queries.h"
#include "passes.h"
#include "schedule/schedule.h"
#include "target/budget.h"
#include "target/machine.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int from, to, distance;
    bool blocking, reads;
} Edge;

typedef struct {
    Kernel *kernel;
    const Op *loop;
    Block *block;
    FILE *out;
    const int *numbers;
    Layout layout; /* of tiles in registers */
    int *node;     /* by Op.id: its number, from 1 on; 0: it is no node */
    Op **ops;      /* by that number */
    int nops;
    Edge *edges;
    int nedges;
} Graph;

enum { CYCLES = 100 }; /* about, for all groups together; more are more exact, and take longer */
enum { FAR = 8 };      /* most iterations that a value is carried before its use */

/* ---- kinds and work ---------------------------------------------------------------------------------------------- */

static const char *product_kind(const Op *dot)
{
    switch (dot->args[0]->type.dtype) {
    case D_F16:
    case D_BF16:
        return "mma_f16";
    case D_E4M3:
    case D_E5M2:
        return "mma_f8";
    case D_I8:
        return "mma_i8";
    case D_F64:
        return "mma_f64";
    default:
        return "mma_tf32";
    }
}

static bool is_reduction(const Op *op)
{
    switch (op->code) {
    case OP_ROW_SUM:
    case OP_ROW_PART:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
    case OP_ROW_ARGMAX:
    case OP_ROW_FIRST:
    case OP_COL_SUM:
    case OP_COL_MAX:
    case OP_COL_MIN:
    case OP_HISTOGRAM:
        return true;
    default:
        return false;
    }
}

static bool is_special(const Op *op)
{
    return (op_info[op->code].about & IS_SLOW) || op->code == OP_LOG || op->code == OP_LOG2 || op->code == OP_SQRT ||
           op->code == OP_RSQRT || op->code == OP_DIV;
}

/* True for views and constants, which need no computation.  */
static bool is_free(const Op *op)
{
    return op->code == OP_FULL || op->code == OP_SPLAT || op->code == OP_ROW_INDEX || op->code == OP_COL_INDEX ||
           op->code == OP_COLUMNS || (op->code == OP_TRANS && ring_source(op->results[0]));
}

static bool moves_tiles(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || class_ == CLASS_STORE || (class_ == CLASS_TILE && !is_free(op));
}

static bool from_ring(const Op *op)
{
    return schedule_of(op)->depth > 0;
}

/* True if the groups that multiply execute or get the operation.  Other roles run independently.  */
static bool is_of_groups(const Op *op)
{
    return from_ring(op) || schedule_of(op)->roles & ROLE_BIT(role_that(op->kernel, ROLE_STORES));
}

static int group_rows(const Graph *graph, const Value *value)
{
    int groups = graph->kernel->schedule.block.groups;
    const Role *role = role_that(graph->kernel, ROLE_STORES);
    return value->split & ROLE_BIT(role) && groups > 1 ? value->type.rows / groups : value->type.rows;
}

enum { FAR_BACK = 32 }; /* definitions that are followed */

/* True if the value depends on an index of the grid.  Bounds of loops do not count.  */
static bool follows_index(const Value *value, const Value *index, int depth)
{
    if (value == index || !depth)
        return value == index;
    const Op *def = value->def, *loop = value->block ? value->block->parent : NULL;
    for (int i = 0; def && i < def->nargs && !def->nblocks; i++)
        if (follows_index(def->args[i], index, depth - 1))
            return true;
    if (!loop || loop->code != OP_FOR)
        return false;
    if (!value->index)
        return follows_index(loop->args[0], index, depth - 1) || follows_index(loop->args[2], index, depth - 1);
    Carried names = carried(loop, value->index - 1);
    return follows_index(names.init, index, depth - 1) || follows_index(names.next, index, depth / 2);
}

/* True if no other block loads the tile.  The load then comes from memory, and not from a cache.  */
static bool is_own(const Op *load)
{
    const Op *grid = load;
    while (grid && grid->code != OP_GRID)
        grid = grid->parent->parent;
    for (int k = 0; grid && k < grid->blocks[0]->nargs; k++) {
        bool found = false;
        for (int i = 1; i < load->nargs && !found; i++)
            found = follows_index(load->args[i], grid->blocks[0]->args[k], FAR_BACK);
        if (!found)
            return false;
    }
    return grid != NULL;
}

/* Prints the staging of an operand that the group computes and writes to shared memory for the product.  */
static void print_staged(const Graph *graph, const Op *product, int arg)
{
    const Value *operand = product->args[arg];
    bool transposed = operand->def && operand->def->code == OP_TRANS;
    bool registers = arg == 0 && !transposed && dtype_bytes(operand->type.dtype) <= 2;
    if (!ring_source(operand) && !registers)
        fprintf(graph->out, " kind=stage work=%dx%dx%d", group_rows(graph, operand), operand->type.cols,
                dtype_bytes(operand->type.dtype));
}

/* Prints kind and work of an operation for one group, `times` times.  */
static void print_work(const Graph *graph, const Op *op, int64_t times)
{
    const Value *value = op->nresults ? op->results[0] : op->args[op->nargs - 1];
    const char *kind = "alu";
    if (from_ring(op) && op_info[op->code].class_ != CLASS_LOAD) {
        /* Another role puts it there.  */
        fprintf(graph->out, " kind=free streaming latency=%d", graph->kernel->machine->costs->far_clocks);
        return;
    }
    if (from_ring(op)) {
        fprintf(graph->out, " kind=%s work=%lld", is_own(op) ? "fetch" : "load",
                (long long)(machine_copy_bytes(value->type, schedule_of(op)->line) * times));
        return;
    }
    if (op_is_product(op)) {
        for (int arg = 0; arg < 2; arg++)
            print_staged(graph, op, arg);
        int rounds = op->code == OP_DOT_F32 ? 3 : 1;
        fprintf(graph->out, " kind=%s work=%dx%dx%lld", product_kind(op), group_rows(graph, value), value->type.cols,
                (long long)(op->args[0]->type.cols * rounds * times));
        return;
    }
    if (is_reduction(op))
        value = op->args[0], kind = "reduce";
    else if (op_info[op->code].class_ == CLASS_STORE)
        kind = "store";
    else if (op_info[op->code].class_ == CLASS_LOAD)
        kind = "read";
    else if (op_mixes_rows(op))
        kind = "shared";
    else if (is_special(op))
        kind = "sfu";
    else if (op->code == OP_CAST)
        kind = "cast";
    bool store = op_info[op->code].class_ == CLASS_STORE;
    int64_t bytes = store || op_info[op->code].class_ == CLASS_LOAD ? dtype_bytes(value->type.dtype) : 1;
    if (store) /* by way of shared memory */
        fprintf(graph->out, " kind=stage work=%dx%lld", group_rows(graph, value),
                (long long)(value->type.cols * bytes * times));
    fprintf(graph->out, " kind=%s work=%dx%lld", kind, group_rows(graph, value),
            (long long)(value->type.cols * bytes * times));
}

typedef struct {
    const Graph *graph;
    int kinds;
} Within;

static void visit_work(Op *op, void *context)
{
    Within *within = context;
    if (moves_tiles(op) && within->kinds++ < 4) /* wsc-solve takes at most four */
        print_work(within->graph, op, 1);
}

static bool counts(const Op *op, const void *context)
{
    (void)context;
    return moves_tiles(op);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* True if one load serves all groups that divide rows.  */
static bool is_shared(const Graph *graph, int node)
{
    return from_ring(graph->ops[node]) && graph->kernel->schedule.block.split != SPLIT_TILES;
}

static void print_name(const Graph *graph, int node)
{
    fputs(schedule_name(graph->ops[node], graph->numbers), graph->out);
}

static void print_op(const Graph *graph, int node)
{
    Op *op = graph->ops[node];
    int registers = 0;
    fputs("op ", graph->out);
    print_name(graph, node);
    if (ir_is_edge(op, graph->loop)) {
        fputs(" kind=free", graph->out); /* except in the last iterations */
    } else if (op->nblocks) {
        Within within = {graph, 0};
        for (int k = 0; k < op->nblocks; k++)
            ir_walk(op->blocks[k], visit_work, &within);
    } else {
        print_work(graph, op, 1);
    }
    for (int i = 0; i < op->nresults && !from_ring(op); i++) {
        Type type = op->results[i]->type;
        type.rows = group_rows(graph, op->results[i]);
        registers += type.kind == K_TILE ? machine_tile_registers(type, graph->layout) : 0;
    }
    if (registers)
        fprintf(graph->out, " registers=%d", registers);
    if (from_ring(op)) {
        int64_t bytes = machine_slot_bytes(op->results[0]->type, schedule_of(op)->line);
        fprintf(graph->out, " memory=smem:%lld slots=%d", (long long)((bytes + 1023) / 1024), schedule_of(op)->depth);
    }
    fputs(graph->kernel->schedule.block.groups > 1 && is_shared(graph, node) ? " shared\n" : "\n", graph->out);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void add_edge(Graph *graph, Edge edge)
{
    for (int i = 0; i < graph->nedges; i++) {
        Edge *old = &graph->edges[i];
        if (old->from == edge.from && old->to == edge.to && old->distance == edge.distance) {
            old->blocking |= edge.blocking;
            old->reads |= edge.reads;
            return;
        }
    }
    if ((graph->nedges & (graph->nedges - 1)) == 0) {
        Edge *grown =
            arena_alloc(graph->kernel->module, sizeof *grown * (size_t)(graph->nedges ? 2 * graph->nedges : 1));
        if (graph->nedges)
            memcpy(grown, graph->edges, sizeof *grown * (size_t)graph->nedges);
        graph->edges = grown;
    }
    graph->edges[graph->nedges++] = edge;
}

/* Adds edges from the operation that computes the value, also in earlier iterations.  With `accumulates`, a product
   adds to the value in place.  */
static void add_edges(Graph *graph, const Value *value, int to, int distance, bool accumulates)
{
    if (value->block == graph->block && value->index > 0 && distance < FAR) {
        add_edges(graph, carried(graph->loop, value->index - 1).next, to, distance + 1, accumulates);
        return;
    }
    const Op *def = value->def ? op_at_block(value->def, graph->block) : NULL;
    if (!def)
        return;
    int from = graph->node[def->id];
    if (!from) {
        for (int i = 0; i < def->nargs; i++)
            add_edges(graph, def->args[i], to, distance, false);
        return;
    }
    if (from == to && !distance)
        return; /* within a nested block */
    bool product = op_is_dot(graph->ops[to]) && !graph->ops[to]->nblocks;
    add_edge(graph, (Edge){from, to, distance, op_is_dot(def) && !(product && accumulates), product && !accumulates});
}

typedef struct {
    Graph *graph;
    int to;
} Reader;

static void visit_reader(Op *op, void *context)
{
    const Reader *reader = context;
    for (int i = 0; i < op->nargs; i++)
        if (!from_ring(op))
            add_edges(reader->graph, op->args[i], reader->to, 0, op_is_dot(op) && i == 2);
}

static void print_edges(const Graph *graph)
{
    for (int i = 0; i < graph->nedges; i++) {
        const Edge *edge = &graph->edges[i];
        fputs("edge ", graph->out);
        print_name(graph, edge->from);
        fputs(" -> ", graph->out);
        print_name(graph, edge->to);
        if (edge->distance)
            fprintf(graph->out, " distance=%d", edge->distance);
        fputs(edge->reads ? " hold=all" : "", graph->out);
        fputs(edge->blocking ? " blocking\n" : "\n", graph->out);
    }
}

/* ---- a loop ------------------------------------------------------------------------------------------------------ */

static void collect(Graph *graph)
{
    Module *module = graph->kernel->module;
    graph->node = arena_alloc(module, sizeof(int) * ((size_t)graph->kernel->nops + 1));
    graph->ops = arena_alloc(module, sizeof(Op *) * ((size_t)graph->kernel->nops + 2));
    FOR_OPS (op, graph->block)
        if (is_of_groups(op) && (op->nblocks ? ir_any(op, counts, NULL) : moves_tiles(op))) {
            graph->ops[++graph->nops] = op;
            graph->node[op->id] = graph->nops;
        }
    for (int node = 1; node <= graph->nops; node++) {
        Reader reader = {graph, node};
        visit_reader(graph->ops[node], &reader);
        for (int k = 0; k < graph->ops[node]->nblocks; k++)
            ir_walk(graph->ops[node]->blocks[k], visit_reader, &reader);
    }
    for (int first = 1; first <= graph->nops; first++)
        for (int second = first + 1; second <= graph->nops; second++)
            if (schedule_keeps_order(graph->ops[first], graph->ops[second])) {
                add_edge(graph, (Edge){first, second, 0, false, false});
                add_edge(graph, (Edge){second, first, 1, false, false});
            }
}

/* Registers of a preparing role's thread.  The groups that multiply get what other roles leave.  A single group beside
   copies has what the launch gives to each thread.  */
static int registers_of_role(const Machine *machine, const Role *role)
{
    return role->registers             ? role->registers
           : role->may & ROLE_COMPUTES ? machine->costs->preparing_registers
                                       : machine->fewest_role_registers;
}

static int registers_of_group(Kernel *kernel, int groups)
{
    const Machine *machine = kernel->machine;
    const Role *multiplies = role_that(kernel, ROLE_STORES);
    int all = 0, others = 0, busy = groups;
    FOR_ROLES (role, kernel) {
        int replicas = role == multiplies ? groups : role->replicas;
        all += replicas;
        if (role == multiplies)
            continue;
        others += replicas * registers_of_role(machine, role);
        busy += role->may & ROLE_COMPUTES ? replicas : 0;
    }
    int each = machine->registers / MACHINE_GROUP_THREADS / all / 8 * 8;
    if (busy > 1)
        each = (all * each - others) / groups / 8 * 8;
    return each < machine->most_role_registers ? each : machine->most_role_registers;
}

typedef struct {
    const Graph *graph;
    bool *seen; /* by Value.id */
    int registers;
} Outside;

static void visit_outside(Op *op, void *context)
{
    Outside *outside = context;
    const Graph *graph = outside->graph;
    for (int i = 0; i < op->nargs && is_of_groups(op); i++) {
        const Value *value = op->args[i];
        if (!value->def || ir_inside(value->def, graph->block) || outside->seen[value->id] || is_free(value->def) ||
            value->type.kind != K_TILE || from_ring(value->def))
            continue;
        outside->seen[value->id] = true;
        Type type = value->type;
        type.rows = group_rows(graph, value);
        outside->registers += machine_tile_registers(type, graph->layout);
    }
}

/* The registers of tiles that iterations use and that are computed before the loop.  */
static int registers_from_outside(const Graph *graph)
{
    Outside outside = {graph, arena_alloc(graph->kernel->module, (size_t)graph->kernel->module->next_id), 0};
    ir_walk(graph->block, visit_outside, &outside);
    return outside.registers;
}

static void visit_loop(Op *op, void *context)
{
    const Graph *kernel = context;
    if (!loop_is_pipelined(op))
        return;
    Graph graph = {.kernel = kernel->kernel,
                   .loop = op,
                   .block = op->blocks[0],
                   .out = kernel->out,
                   .numbers = kernel->numbers,
                   .layout = budget_layout(op->blocks[0])};
    int groups = graph.kernel->schedule.block.groups ? graph.kernel->schedule.block.groups : 1;
    collect(&graph);
    fprintf(graph.out, "loop %s:%s\ngroups 1\nreplicas %d\nnormalize %d\nin-flight %d\nregisters %d\n",
            graph.kernel->name, schedule_name(op, graph.numbers), groups,
            CYCLES / groups > 2 * graph.nops ? CYCLES / groups : 2 * graph.nops,
            schedule_of_loop(op)->in_flight > 1 ? schedule_of_loop(op)->in_flight : 1,
            registers_of_group(graph.kernel, groups) - registers_from_outside(&graph));
    if (groups > 1 && graph.kernel->schedule.block.split == SPLIT_ROWS)
        fputs("turns\n", graph.out); /* these groups may */
    for (int node = 1; node <= graph.nops; node++)
        print_op(&graph, node);
    print_edges(&graph);
}

const char *schedule_graph(Kernel *kernel)
{
    char *text = NULL;
    size_t length = 0;
    Graph graph = {.kernel = kernel, .out = open_memstream(&text, &length), .numbers = schedule_numbers(kernel)};
    if (!graph.out)
        return "";
    ir_walk(kernel->body, visit_loop, &graph);
    const char *copy = fclose(graph.out) ? "" : arena_print(kernel->module, "%s", text);
    free(text);
    return copy;
}

void pass_graph(Kernel *kernel)
{
    (void)kernel;
}
