/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-grid.c - the loop over the tiles of a grid, and the loads that are made ahead of their tile or iteration.
 *
 *   grid 128, 256 (%i, %j):       for (ws::tiles<2> t(p.grid); t.more(); t.next()) {
 *                                     const int i = t.at(0);
 *                                     const int j = t.at(1);
 */
#include <string.h>

#include "print/cuda.h"
#include "machine/machine.h"
#include "ir/queries.h"

/* Behind the induction variables may stand the tile's ordinal.  */
int cuda_grid_dims(const Op *op)
{
    return op->nargs / 3;
}

const char *cuda_cluster(const Printer *in)
{
    return arena_print(in->kernel->module, "%s_cluster", in->kernel->name);
}

const char *cuda_blocks(const Printer *in)
{
    bool cluster = cluster_size(in->kernel) > 1;
    return cluster ? arena_print(in->kernel->module, ", %s", cuda_cluster(in)) : "";
}

/* In a cluster a tile may be none of the grid's: what is loaded for it alone does not come.  */
bool cuda_is_for_one_block(const Op *op, const void *kernel)
{
    const Kernel *in = kernel;
    return op->code == OP_COPY_IN && !op->transfer->along && cluster_size(in) > 1 && !in->grid.parts;
}

/* Do the operation's operands come from the value, by way of scalars?  */
static bool leads_to(const Value *value, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Op *from = op->args[i]->def;
        if (op->args[i] == value || (from && op_info[from->code].class_ == CLASS_SCALAR && leads_to(value, from)))
            return true;
    }
    return false;
}

/* All counters of the grid, or those that lead to a load.  */
static void print_counters(Printer *in, const Op *op, const Op *load)
{
    int placed = cluster_placed(in->kernel), dims = cuda_grid_dims(op);
    for (int i = 0; i < dims; i++) {
        const Value *counter = op->blocks[0]->args[i];
        if (load && !leads_to(counter, load))
            continue;
        cuda_line(in, "const %s %s = t.%s(%d);", cuda_scalar_type(counter->type), counter->var->name,
                  placed & variance_of_dimension(in->kernel, dims, i) ? "nearest" : "at", i);
    }
}

typedef struct {
    const Op *load;
    int number;
    bool found;
} Place;

static void visit_ahead(Op *op, void *context)
{
    Place *place = context;
    place->number += !place->found && load_is_ahead(op);
    place->found |= op == place->load;
}

/* One name for each of a role, since loops stand beside each other.  */
const char *cuda_ahead(const Printer *in, const Op *load)
{
    Place place = {load, 0, false};
    ir_walk(in->role->body, visit_ahead, &place);
    return arena_print(in->kernel->module, "ws_%s_%d", load->transfer->ahead == AHEAD_ONCE ? "once" : "ahead",
                       place.number);
}

/* May the text stand in front of the loop?  */
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

/* Of a loop with rings, a load for whose place one coordinate changes: the rest of it stays in registers.  */
static bool is_held(const Printer *in, const Op *load)
{
    const Op *loop = load->parent->parent;
    if (!load_is_ahead(load) || load->transfer->ahead != AHEAD_ITERATION || !loop->control->pipeline ||
        !load->args[0]->var || cuda_is_written(in->kernel, load))
        return false;
    return load->code == OP_AT_FLOAT ||
           (load->code == OP_LOAD_COL && load->nargs == 3 && !cuda_has_fill(load) && same_in_all(loop, load->args[2]));
}

static const char *held_name(const Printer *in, const Op *load)
{
    return arena_print(in->kernel->module, "ws_held_%s", strrchr(cuda_ahead(in, load), '_') + 1);
}

static void print_held(Printer *in, const Op *load)
{
    cuda_begin(in);
    fprintf(in->out, "const auto %s = ws::hold_", held_name(in, load));
    if (load->code == OP_LOAD_COL)
        fprintf(in->out, "column<%d, %s>(", load->results[0]->type.rows, cuda_layout_text(in));
    else
        fputs("elements(", in->out);
    cuda_value(in, load->args[0], PREC_ANY);
    if (load->code == OP_LOAD_COL)
        cuda_coordinates(in, load, 2, 3);
    fputs(");\n", in->out);
}

/* The body and the end of a function that makes the load.  */
static void print_load_of(Printer *in, const Op *load, const char *end)
{
    FOR_OPS (op, load->parent)
        if (op_info[op->code].class_ == CLASS_SCALAR && leads_to(op->results[0], load) && op->results[0]->var &&
            op->results[0]->var->role)
            cuda_definition(in, op);
    cuda_begin(in);
    if (!load_is_kept(load) || load->transfer->ahead == AHEAD_ONCE)
        fputs("return ", in->out);
    if (is_held(in, load)) {
        fprintf(in->out, "%s.at(", held_name(in, load));
        cuda_coordinate(in, load->args[1]);
        fputc(')', in->out);
    } else if (op_info[load->code].class_ == CLASS_LOAD)
        cuda_load(in, load);
    else
        cuda_number(in, load);
    fputs(";\n", in->out);
    in->indent--;
    cuda_line(in, "%s", end);
}

/* The type of a walk.  */
static const char *walk_type(const Printer *in, const char *walk, const Op *grid)
{
    const Kernel *kernel = in->kernel;
    const char *text = arena_print(kernel->module, "ws::%s<%d%s>", walk, cuda_grid_dims(grid), cuda_blocks(in));
    return kernel->grid.from ? arena_print(kernel->module, "ws::tiles_from<%s>", text) : text;
}

/* A function that makes the load for where a walk stands, and who calls it.  */
static void print_ahead(Printer *in, const Op *grid, const Op *load)
{
    bool next = load->transfer->ahead == AHEAD_NEXT, kept = load_is_kept(load);
    cuda_begin(in);
    if (kept && !next) {
        cuda_group_storage(in, load->storage);
        fputs(".keep(", in->out);
    } else {
        fprintf(in->out, "%sauto %s = ", next ? "" : "const ", cuda_ahead(in, load));
    }
    fprintf(in->out, "ws::%s_%s(", kept && next ? "bring" : "load", next ? "ahead" : "once");
    if (kept && next)
        fprintf(in->out, "s.%s, ", load->storage->name);
    fprintf(in->out, "%s(p.grid), [&](const auto &t%s) {\n", walk_type(in, "tiles", grid),
            kept && next ? ", auto &to" : "");
    in->indent++;
    print_counters(in, grid, load);
    print_load_of(in, load, kept && !next ? "}));" : "});");
}

/* The same for where a loop's counter stands.  */
void cuda_loop_ahead(Printer *in, const Op *loop)
{
    const Value *counter = loop->blocks[0]->args[0];
    FOR_OPS (load, loop->blocks[0]) {
        if (!load_is_ahead(load) || load->transfer->ahead != AHEAD_ITERATION)
            continue;
        const char *type = cuda_scalar_type(counter->type);
        if (is_held(in, load))
            print_held(in, load);
        cuda_begin(in);
        fprintf(in->out, "auto %s = ws::load_ahead<%s>(", cuda_ahead(in, load), type);
        for (int i = 0; i < 3; i++) {
            cuda_coordinate(in, loop->args[i]);
            fputs(", ", in->out);
        }
        fprintf(in->out, "[&](const %s %s) {\n", type, counter->var->name);
        in->indent++;
        print_load_of(in, load, "});");
    }
}

void cuda_grid(Printer *in, const Op *op)
{
    const Block *body = op->blocks[0];
    FOR_OPS (load, body)
        if (op_info[load->code].class_ == CLASS_LOAD && load->transfer->ahead)
            print_ahead(in, op, load);
    cuda_begin(in);
    const char *walk = !in->kernel->grid.dynamic     ? "tiles"
                       : in->role->may & ROLE_COPIES ? "scheduling_tiles"
                                                     : "dynamic_tiles";
    fprintf(in->out, "for (%s t(p.grid%s); t.more(); t.next()) {", walk_type(in, walk, op),
            in->kernel->grid.dynamic ? ", s.scheduler" : "");
    cuda_place(in, op);
    fputc('\n', in->out);
    in->indent++;
    print_counters(in, op, NULL);
    if (ir_any_of(body, cuda_is_for_one_block, in->kernel))
        cuda_line(in, "const bool inside = t.inside();");
    in->indent--;
    cuda_block(in, body);
    cuda_line(in, "}");
}
