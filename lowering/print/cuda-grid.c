/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-grid.c - prints the loop over the tiles of a grid, and the prefetches of a tile or an iteration.
 *
 *      grid 128, 256 (%i, %j):       for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
 *                                        const int i = t.at(0);
 *                                        const int j = t.at(1);
 */
#include <string.h>

#include "ir/cluster.h"
#include "ir/queries.h"
#include "machine/plan.h"
#include "print/cuda.h"

/* The number of grid dimensions. The block may have the tile's ordinal as a further argument.  */
int cuda_grid_dims(const Op *op)
{
    return op->nargs / 3;
}

const char *cuda_cluster(const Printer *printer)
{
    return arena_print(printer->kernel->module, "%s_cluster", printer->kernel->name);
}

const char *cuda_blocks(const Printer *printer)
{
    bool cluster = cluster_size(printer->kernel) > 1;
    return cluster ? arena_print(printer->kernel->module, ", %s", cuda_cluster(printer)) : "";
}

/* True for a copy that no other block shares. In a cluster, a block may have no tile of the grid, and then skips
   such copies.  */
bool cuda_is_for_one_block(const Op *op, const void *kernel)
{
    const Kernel *ctx = kernel;
    return op->code == OP_COPY_IN && !op->transfer->along && cluster_size(ctx) > 1 && !ctx->grid.parts;
}

/* True if an operand of the operation depends on the value through scalars.  */
static bool leads_to(const Value *value, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Op *from = op->args[i]->def;
        if (op->args[i] == value || (from && op_info[from->code].class_ == CLASS_SCALAR && leads_to(value, from)))
            return true;
    }
    return false;
}

/* Prints all counters of the grid, or the counters that a load depends on.  */
static void print_counters(Printer *printer, const Op *op, const Op *load)
{
    int placed = cluster_placed(printer->kernel), dims = cuda_grid_dims(op);
    for (int i = 0; i < dims; i++) {
        const Value *counter = op->blocks[0]->args[i];
        if (load && !leads_to(counter, load))
            continue;
        cuda_line(printer, "const %s %s = t.%s(%d);", cuda_scalar_type(counter->type), counter->var->name,
                  placed & variance_of_dimension(printer->kernel, dims, i) ? "nearest" : "at", i);
    }
}

typedef struct {
    const Op *load;
    int number;
    bool found;
} Place;

static void visit_prefetch(Op *op, void *context)
{
    Place *place = context;
    place->number += !place->found && load_is_prefetched(op);
    place->found |= op == place->load;
}

/* The name of a prefetch, unique in the role, since loops may stand in one scope.  */
const char *cuda_prefetch(const Printer *printer, const Op *load)
{
    Place place = {load, 0, false};
    ir_walk(printer->role->body, visit_prefetch, &place);
    return arena_print(printer->kernel->module, "ws_%s_%d",
                       load->transfer->prefetch == PREFETCH_ONCE ? "once" : "prefetch", place.number);
}

/* True if the expression can be printed in front of the loop.  */
static bool same_in_all(const Op *loop, const Value *value)
{
    if (ir_outside(value, loop))
        return true;
    if (!value->def || value->var || op_info[value->def->code].class_ != CLASS_SCALAR)
        return false;
    for (int i = 0; i < value->def->nargs; i++)
        if (!same_in_all(loop, value->def->args[i]))
            return false;
    return true;
}

/* True for a load in a pipelined loop with one coordinate that changes. The rest of the address stays in registers.  */
static bool is_held(const Printer *printer, const Op *load)
{
    const Op *loop = load->parent->parent;
    if (!load_is_prefetched(load) || load->transfer->prefetch != PREFETCH_ITERATION || !loop_is_pipelined(loop) ||
        !load->args[0]->var || cuda_is_written(printer->kernel, load))
        return false;
    return load->code == OP_AT_FLOAT ||
           (load->code == OP_LOAD_COL && load->nargs == 3 && !cuda_has_fill(load) && same_in_all(loop, load->args[2]));
}

static const char *held_name(const Printer *printer, const Op *load)
{
    return arena_print(printer->kernel->module, "ws_held_%s", strrchr(cuda_prefetch(printer, load), '_') + 1);
}

static void print_held(Printer *printer, const Op *load)
{
    cuda_begin(printer);
    fprintf(printer->out, "const auto %s = ws::hold_", held_name(printer, load));
    if (load->code == OP_LOAD_COL)
        fprintf(printer->out, "column<%d, %s>(", load->results[0]->type.rows, cuda_layout_text(printer));
    else
        fputs("elements(", printer->out);
    cuda_value(printer, load->args[0], PREC_ANY);
    if (load->code == OP_LOAD_COL)
        cuda_coordinates(printer, load, 2, 3);
    fputs(");\n", printer->out);
}

/* Prints the body and the end of a function that makes the load.  */
static void print_load_of(Printer *printer, const Op *load, const char *end)
{
    FOR_OPS (op, load->parent)
        if (op_info[op->code].class_ == CLASS_SCALAR && leads_to(op->results[0], load) && op->results[0]->var &&
            op->results[0]->var->role)
            cuda_definition(printer, op);
    cuda_begin(printer);
    if (!load_is_cached(load) || load->transfer->prefetch == PREFETCH_ONCE)
        fputs("return ", printer->out);
    if (is_held(printer, load)) {
        fprintf(printer->out, "%s.at(", held_name(printer, load));
        cuda_coordinate(printer, load->args[1]);
        fputc(')', printer->out);
    } else if (op_info[load->code].class_ == CLASS_LOAD)
        cuda_load(printer, load);
    else
        cuda_number(printer, load);
    fputs(";\n", printer->out);
    printer->indent--;
    cuda_line(printer, "%s", end);
}

/* The C++ type of an iterator over tiles.  */
static const char *walk_type(const Printer *printer, const char *walk, const Op *grid)
{
    const Kernel *kernel = printer->kernel;
    const char *text = arena_print(kernel->module, "ws::%s<%d%s>", walk, cuda_grid_dims(grid), cuda_blocks(printer));
    return kernel->grid.from ? arena_print(kernel->module, "ws::tiles_from<%s>", text) : text;
}

/* Prints the declaration of a prefetch, with a function that makes the load for the tile of an iterator.  */
static void print_prefetch(Printer *printer, const Op *grid, const Op *load)
{
    bool next = load->transfer->prefetch == PREFETCH_TILE, kept = load_is_cached(load);
    cuda_begin(printer);
    if (kept && !next) {
        cuda_group_storage(printer, load->storage);
        fputs(".keep(", printer->out);
    } else {
        fprintf(printer->out, "%sauto %s = ", next ? "" : "const ", cuda_prefetch(printer, load));
    }
    fprintf(printer->out, "ws::%s_%s(", kept && next ? "bring" : "load", next ? "prefetched" : "once");
    if (kept && next)
        fprintf(printer->out, "s.%s, ", load->storage->name);
    fprintf(printer->out, "%s(p.grid), [&](const auto &t%s) {\n", walk_type(printer, "tiles", grid),
            kept && next ? ", auto &to" : "");
    printer->indent++;
    print_counters(printer, grid, load);
    print_load_of(printer, load, kept && !next ? "}));" : "});");
}

/* Prints the same for prefetches of a loop, with the counter as the argument.  */
void cuda_loop_prefetch(Printer *printer, const Op *loop)
{
    const Value *counter = loop->blocks[0]->args[0];
    FOR_OPS (load, loop->blocks[0]) {
        if (!load_is_prefetched(load) || load->transfer->prefetch != PREFETCH_ITERATION)
            continue;
        const char *type = cuda_scalar_type(counter->type);
        if (is_held(printer, load))
            print_held(printer, load);
        cuda_begin(printer);
        fprintf(printer->out, "auto %s = ws::load_prefetched<%s>(", cuda_prefetch(printer, load), type);
        for (int i = 0; i < 3; i++) {
            cuda_coordinate(printer, loop->args[i]);
            fputs(", ", printer->out);
        }
        fprintf(printer->out, "[&](const %s %s) {\n", type, counter->var->name);
        printer->indent++;
        print_load_of(printer, load, "});");
    }
}

void cuda_grid(Printer *printer, const Op *op)
{
    const Block *body = op->blocks[0];
    FOR_OPS (load, body)
        if (op_info[load->code].class_ == CLASS_LOAD && load->transfer->prefetch)
            print_prefetch(printer, op, load);
    cuda_begin(printer);
    const char *walk = !printer->kernel->schedule.block.dynamic ? "tiles"
                       : printer->role->may & ROLE_COPIES       ? "scheduling_tiles"
                                                                : "dynamic_tiles";
    fprintf(printer->out, "for (%s t(p.grid%s); t.more(); t.next()) {", walk_type(printer, walk, op),
            printer->kernel->schedule.block.dynamic ? ", s.scheduler" : "");
    cuda_place(printer, op);
    fputc('\n', printer->out);
    printer->indent++;
    print_counters(printer, op, NULL);
    if (ir_any_of(body, cuda_is_for_one_block, printer->kernel))
        cuda_line(printer, "const bool inside = t.inside();");
    printer->indent--;
    cuda_block(printer, body);
    cuda_line(printer, "}");
}
