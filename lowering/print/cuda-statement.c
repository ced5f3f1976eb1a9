/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-statement.c - statements of the .cu: declarations, control flow, and the operations of the lowered form.
 *
 *   for %c0, %K, 64 (%k):                     for (int k = 0; k < p.K; k += 64) {
 *     %slot = get ta_tb                           const int slot = ta_tb.get();
 *     %t = mma %va, %vb, %acc                     ws::mma(acc, ws::view(s.ta[slot]), ...);
 *     yield %n                                }
 *
 * Values that a block hands on are copied at its end, in an order that reads every variable before it is written.
 */
#include <string.h>

#include "print/cuda.h"
#include "machine/machine.h"
#include "machine/footprint.h"
#include "machine/machine.h"
#include "ir/queries.h"

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void print_bare_type(Printer *in, Type type)
{
    if (type.kind == K_SCALAR)
        fprintf(in->out, "%s", cuda_scalar_type(type));
    else
        fprintf(in->out, "ws::tile<%s, %d, %d, %s>", cuda_element_text[type.dtype], type.rows, type.cols,
                cuda_layout_text(in));
}

static void print_bare_declarations(Printer *in, const Op *op)
{
    for (const Variable *variable = in->kernel->variables; variable; variable = variable->next) {
        if (variable->role != in->role || variable->declared != op || !variable->bare)
            continue;
        cuda_begin(in);
        print_bare_type(in, variable->type);
        fprintf(in->out, " %s;\n", variable->name);
    }
}

/* "const int x = ", "auto x = " or "x = ".  */
static void print_target(Printer *in, const Variable *variable, const Op *op)
{
    cuda_begin(in);
    if (variable->declared == op && !variable->bare) {
        const char *type = variable->type.kind == K_SCALAR ? cuda_scalar_type(variable->type) : "auto";
        fprintf(in->out, "%s%s ", variable->mutable_ ? "" : "const ", type);
    }
    fprintf(in->out, "%s = ", variable->name);
}

static void print_assignment(Printer *in, const Variable *variable, const Op *op, const Value *value)
{
    print_target(in, variable, op);
    cuda_coordinate(in, value);
    fputs(";\n", in->out);
}

static void print_definition(Printer *in, const Op *op)
{
    print_target(in, op->results[0]->var, op);
    if (op->code == OP_CONVI)
        cuda_coordinate(in, cuda_without_widening(op->args[0]));
    else
        cuda_expression(in, op, PREC_TERNARY);
    fputs(";\n", in->out);
}

/* Copies that happen at once, as at the end of an iteration.  */
typedef struct {
    Variable *to;
    const Value *from;
    const char *saved; /* name that holds the source by now */
    bool done;
} Copy;

static bool expression_reads(const Value *value, const Variable *variable)
{
    if (value->var)
        return value->var == variable;
    for (int i = 0; value->def && i < value->def->nargs; i++)
        if (expression_reads(value->def->args[i], variable))
            return true;
    return false;
}

static bool copy_is_free(const Copy *copies, int count, int i)
{
    for (int k = 0; k < count; k++)
        if (k != i && !copies[k].done && !copies[k].saved && expression_reads(copies[k].from, copies[i].to))
            return false;
    return true;
}

static void print_copy(Printer *in, Copy *copy, const Op *op)
{
    if (copy->saved)
        cuda_line(in, "%s = %s;", copy->to->name, copy->saved);
    else
        print_assignment(in, copy->to, op, copy->from);
    copy->done = true;
}

/* In an order that reads every variable before it is written; a cycle is cut by a saved value.  */
static void print_copies(Printer *in, Copy *copies, int count, const Op *op)
{
    for (int left = count; left;) {
        int i = 0;
        while (i < count && (copies[i].done || !copy_is_free(copies, count, i)))
            i++;
        if (i < count) {
            print_copy(in, &copies[i], op);
            left--;
            continue;
        }
        for (i = 0; copies[i].done || copies[i].saved; i++)
            ;
        copies[i].saved = arena_print(in->kernel->module, "saved_%s", copies[i].to->name);
        cuda_begin(in);
        fprintf(in->out, "const auto %s = ", copies[i].saved);
        cuda_value(in, copies[i].from, PREC_TERNARY);
        fputs(";\n", in->out);
    }
}

static Copy *copies_new(Printer *in, int count)
{
    return arena_alloc(in->kernel->module, (size_t)(count ? count : 1) * sizeof(Copy));
}

static int add_copy(Copy *copies, int count, const Value *to, const Value *from)
{
    if (!to->var || to->var == from->var)
        return count;
    copies[count] = (Copy){to->var, from, NULL, false};
    return count + 1;
}

static void print_yield(Printer *in, const Op *op)
{
    const Op *holder = op->parent->parent;
    int count = 0;
    Copy *copies = copies_new(in, op->nargs);
    if (!holder)
        return;
    for (int i = 0; i < op->nargs; i++) {
        Value *to = NULL;
        if (holder->code == OP_IF || holder->code == OP_NARROW)
            to = holder->results[i];
        else if (holder->code == OP_FOR)
            to = holder->blocks[0]->args[i + 1];
        else if (holder->code == OP_WHILE)
            to = holder->blocks[0]->args[i];
        if (to)
            count = add_copy(copies, count, to, op->args[i]);
    }
    print_copies(in, copies, count, op);
}

void cuda_initial_values(Printer *in, const Op *op)
{
    int count = 0, n = carried_count(op);
    Copy *copies = copies_new(in, n);
    for (int i = 0; i < n; i++)
        count = add_copy(copies, count, carried(op, i).argument, carried(op, i).init);
    print_copies(in, copies, count, op);
}

/* " // gemm.c:17" */
void cuda_place(Printer *in, const Op *op)
{
    if (op->loc.file && op->loc.line)
        fprintf(in->out, "  // %s:%d", cuda_file_name(op->loc.file), op->loc.line);
}

/* A function of the width, which is called for the one that is wanted.  */
static void print_narrow(Printer *in, const Op *op)
{
    cuda_initial_values(in, op);
    cuda_begin(in);
    fprintf(in->out, "ws::%s(%s, ", op->control->halves ? "halved" : "narrowed", op->results[0]->var->name);
    cuda_value(in, op->args[0], PREC_TERNARY);
    fprintf(in->out, ", [&](auto %s) {\n", op->blocks[0]->args[0]->var->name);
    cuda_block(in, op->blocks[0]);
    cuda_line(in, "});");
}

static void print_while(Printer *in, const Op *op)
{
    cuda_initial_values(in, op);
    cuda_begin(in);
    fputs("for (;;) {", in->out);
    cuda_place(in, op);
    fputc('\n', in->out);
    cuda_block(in, op->blocks[0]);
    cuda_block(in, op->blocks[1]);
    cuda_line(in, "}");
}

/* The opposite comparison, where there is one that is right for NaN too.  */
static const char *opposite(const Op *op)
{
    bool real = op->nargs && dtype_is_float(op->args[0]->type.dtype);
    switch (op->code) {
    case OP_EQI:
        return "!=";
    case OP_NEI:
        return "==";
    case OP_LTI:
        return real ? NULL : ">=";
    case OP_LEI:
        return real ? NULL : ">";
    case OP_GTI:
        return real ? NULL : "<=";
    case OP_GEI:
        return real ? NULL : "<";
    default:
        return NULL;
    }
}

static void print_negated(Printer *in, const Value *condition)
{
    const char *text = condition->var || !condition->def ? NULL : opposite(condition->def);
    int64_t number;
    if (!text || ir_constant(condition, &number)) {
        fputc('!', in->out);
        cuda_operand(in, condition, PREC_UNARY, false);
    } else {
        cuda_infix(in, condition->def, (Infix){text, cuda_infix_of(condition->def).precedence}, PREC_ANY);
    }
}

/* The condition is read before the values are handed on.  */
static void print_cond(Printer *in, const Op *op)
{
    const Op *holder = op->parent->parent;
    int count = 0;
    Copy *copies = copies_new(in, op->nargs);
    for (int i = 1; i < op->nargs; i++)
        count = add_copy(copies, count, holder->blocks[1]->args[i - 1], op->args[i]);
    cuda_begin(in);
    fputs(count ? "const bool go_on = " : "if (", in->out);
    if (count)
        cuda_operand(in, op->args[0], PREC_TERNARY, false);
    else
        print_negated(in, op->args[0]);
    fputs(count ? ";\n" : ")\n", in->out);
    if (count) {
        print_copies(in, copies, count, op);
        cuda_line(in, "if (!go_on)");
    }
    cuda_line(in, "    break;");
}

static bool block_prints_nothing(const Block *block)
{
    const Op *op = block->first;
    if (!op || op->code != OP_YIELD)
        return !op;
    for (int i = 0; i < op->nargs; i++)
        if (block->parent->results[i]->var && block->parent->results[i]->var != op->args[i]->var)
            return false;
    return true;
}

static void print_if(Printer *in, const Op *op)
{
    bool swap = op->nblocks > 1 && block_prints_nothing(op->blocks[0]) && !block_prints_nothing(op->blocks[1]);
    cuda_begin(in);
    fputs(op->control->uniform ? "if (ws::warp_uniform(" : "if (", in->out);
    if (swap)
        print_negated(in, op->args[0]);
    else
        cuda_operand(in, op->args[0], PREC_ANY, false);
    fputs(op->control->uniform ? ")) {" : ") {", in->out);
    cuda_place(in, op);
    fputc('\n', in->out);
    cuda_block(in, op->blocks[swap]);
    if (!swap && op->nblocks > 1 && !block_prints_nothing(op->blocks[1])) {
        cuda_line(in, "} else {");
        cuda_block(in, op->blocks[1]);
    }
    cuda_line(in, "}");
}

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
static bool is_for_one_block(const Op *op, const void *kernel)
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
            print_definition(in, op);
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

static void print_grid(Printer *in, const Op *op)
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
    if (ir_any_of(body, is_for_one_block, in->kernel))
        cuda_line(in, "const bool inside = t.inside();");
    in->indent--;
    cuda_block(in, body);
    cuda_line(in, "}");
}

/* ---- statements of the lowered form ------------------------------------------------------------------------------ */

/* The role that holds both ends of a ring has two objects for it.  */
const char *cuda_end_name(const Printer *in, const Aref *aref, bool producing)
{
    bool both = producing && role_has_op(in->role, OP_GET, aref);
    return both ? arena_print(in->kernel->module, "%s_in", aref->name) : aref->name;
}

static void print_skip(Printer *in, const Op *op)
{
    cuda_begin(in);
    fprintf(in->out, "%s.skip(", cuda_end_name(in, op->aref, false));
    if (op->nargs && op->sync->count != 1)
        fprintf(in->out, "%d * (", op->sync->count);
    if (op->nargs)
        cuda_operand(in, op->args[0], PREC_TERNARY, false);
    else
        fprintf(in->out, "%d", op->sync->count);
    fputs(op->nargs && op->sync->count != 1 ? "));\n" : ");\n", in->out);
}

static void print_slot_result(Printer *in, const Op *op, bool producing)
{
    if (op->nresults && op->results[0]->var)
        print_target(in, op->results[0]->var, op);
    else
        cuda_begin(in);
    fprintf(in->out, "%s.%s();\n", cuda_end_name(in, op->aref, producing), op_info[op->code].call);
}

/* Of what a slot may hold already.  */
static void print_wants(Printer *in, const Op *op)
{
    if (is_for_one_block(op, in->kernel)) {
        cuda_line(in, "if (inside)");
        fputs("    ", in->out);
    }
    cuda_begin(in);
    fprintf(in->out, "if (%s.wants(", cuda_end_name(in, op->aref, true));
    for (int i = 2; i < op->nargs; i++) {
        fputs(i > 2 ? ", " : "", in->out);
        cuda_value(in, op->args[i], PREC_ANY);
    }
    fputs("))\n", in->out);
}

static void print_copy_in(Printer *in, const Op *op)
{
    bool resident = op->storage->resident, own = is_for_one_block(op, in->kernel);
    if (resident)
        print_wants(in, op);
    if (own)
        cuda_line(in, "if (inside)");
    in->indent += resident || own;
    cuda_begin(in);
    in->indent -= resident || own;
    fprintf(in->out, "ws::copy_%s%s", op->transfer->along ? "share" : "in", cuda_has_fill(op) ? "_or" : "");
    if (op->transfer->along)
        fprintf(in->out, "<%s_cluster, ws::along_%s>", in->kernel->name, text_alongs[op->transfer->along]);
    fputc('(', in->out);
    if (cuda_has_fill(op)) {
        cuda_fill(in, op->transfer->fill);
        fputs(", ", in->out);
    }
    fprintf(in->out, "%s, ", cuda_end_name(in, op->aref, true));
    cuda_slot(in, op->storage, op->args[0]);
    fputs(", ", in->out);
    cuda_value(in, op->args[1], PREC_ANY);
    fprintf(in->out, ", p.%s", cuda_map_for(in, op));
    cuda_coordinates(in, op, 2, op->nargs);
    fputs(");\n", in->out);
}

/* ws::bring(pace, ring, slots, tensor, map, i, j), in the loop, or bring_rest behind it.  */
static void print_bring(Printer *in, const Op *copy, const char *call)
{
    cuda_begin(in);
    fprintf(in->out, "ws::%s(%s_pace, %s, s.%s, ", call, copy->storage->name, cuda_end_name(in, copy->aref, true),
            copy->storage->name);
    cuda_value(in, copy->args[1], PREC_ANY);
    fprintf(in->out, ", p.%s", cuda_map_for(in, copy));
    cuda_coordinates(in, copy, 2, copy->nargs);
    fputs(");\n", in->out);
}

/* What comes in pieces while the loop runs.  */
void cuda_bring(Printer *in, const Op *loop, const char *call)
{
    for (const Op *copy = loop->parent->first; copy != loop; copy = copy->next)
        if (paced_loop(copy) == loop)
            print_bring(in, copy, call);
}

/* A tile of four lines: ws::pace<4> pace(trips).  */
void cuda_pace(Printer *in, const Op *loop)
{
    for (const Op *copy = loop->parent->first; copy != loop; copy = copy->next) {
        if (paced_loop(copy) != loop)
            continue;
        const Type tile = copy->storage->tile;
        int64_t step = 1;
        ir_constant(loop->args[2], &step);
        cuda_begin(in);
        fprintf(in->out, "ws::pace<%d> %s_pace(ws::trips(", tile.cols * dtype_bytes(tile.dtype) / MACHINE_LINE_BYTES,
                copy->storage->name);
        cuda_coordinate(in, loop->args[0]);
        fputs(", ", in->out);
        cuda_coordinate(in, loop->args[1]);
        fprintf(in->out, ", %lld));\n", (long long)step);
    }
}

/* The put of such a tile, of which the copy stands in the middle.  */
static bool is_paced(const Op *op)
{
    const Op *copy = op->code == OP_PUT ? op->next : op->code == OP_PUT_DONE ? op->prev : op;
    return copy && copy->code == OP_COPY_IN && copy->transfer->paced;
}

static void print_put_tile(Printer *in, const Op *op)
{
    cuda_begin(in);
    fprintf(in->out, "%s(",
            op->storage->turned ? "ws::transpose"
            : op->nargs == 3    ? "ws::put_rows"
                                : op_info[op->code].call);
    cuda_slot(in, op->storage, op->args[0]);
    fputs(", ", in->out);
    cuda_value(in, op->args[1], PREC_ANY);
    cuda_coordinates(in, op, 2, op->nargs);
    fputs(");\n", in->out);
}

/* Of another number of columns a product makes all that it has.  */
static bool is_width(const Value *columns)
{
    return !columns->def && columns->block && columns->block->parent && columns->block->parent->code == OP_NARROW;
}

/* A product, or two that are one instruction.  */
static void print_accumulate(Printer *in, const Op *op)
{
    const Op *products[] = {op,
                            op->code == OP_MMA && op->sync->paired ? op_paired_with(in->kernel->machine, op) : NULL};
    int count = products[1] ? 2 : 1;
    for (int i = 0; i < count; i++)
        if (products[i]->args[2]->var != products[i]->results[0]->var)
            print_assignment(in, products[i]->results[0]->var, op, products[i]->args[2]);
    cuda_begin(in);
    fprintf(in->out, "%s(", op_info[op->code].call);
    for (int i = 0; i < count; i++)
        fprintf(in->out, "%s, ", products[i]->results[0]->var->name);
    cuda_value(in, op->args[0], PREC_TERNARY);
    for (int i = 0; i < count; i++) {
        fputs(", ", in->out);
        cuda_value(in, products[i]->args[1], PREC_TERNARY);
    }
    for (int i = 3; i < op->nargs && (op->code == OP_DOT_F32 || is_width(op->args[i])); i++) {
        fputs(", ", in->out);
        cuda_value(in, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", in->out);
}

static void print_computed(Printer *in, const Op *op)
{
    cuda_begin(in);
    fprintf(in->out, "%s(", op_info[op->code].call);
    for (int i = 0; i < op->nargs; i++) {
        fputs(i ? ", " : "", in->out);
        cuda_value(in, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", in->out);
}

static void print_wait(Printer *in, const Op *op)
{
    cuda_begin(in);
    fprintf(in->out, "ws::wait<%d>(", op->sync->pending);
    for (int i = 0; i < op->nargs; i++) {
        if (i)
            fputs(", ", in->out);
        cuda_value(in, op->args[i], PREC_ANY);
    }
    fputs(");\n", in->out);
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->var && op->results[i]->var != op->args[i]->var)
            print_assignment(in, op->results[i]->var, op, op->args[i]);
}

/* In a cluster a tile may be none of the grid's: its stores are left out.  */
static void print_inside(Printer *in)
{
    if (cluster_size(in->kernel) == 1)
        return;
    cuda_line(in, "if (t.inside())");
    fputs("    ", in->out);
}

/* A store, an atomic addition.  */
static void print_store(Printer *in, const Op *op)
{
    print_inside(in);
    cuda_begin(in);
    fprintf(in->out, "%s(", op_info[op->code].call);
    if (op->storage)
        fprintf(in->out, "%s, ", op->storage->name);
    cuda_value(in, op->args[0], PREC_ANY);
    if (op->storage)
        fprintf(in->out, ", p.%s", cuda_map_for(in, op));
    if (op_scatters(op)) {
        fputs(", ", in->out);
        cuda_value(in, op->args[1], PREC_TERNARY);
    } else {
        cuda_coordinates(in, op, 1, op->nargs - 1);
    }
    fputs(", ", in->out);
    cuda_value(in, op->args[op->nargs - 1], PREC_TERNARY);
    fputs(");", in->out);
    cuda_place(in, op);
    fputc('\n', in->out);
}

static void print_print(Printer *in, const Op *op)
{
    print_inside(in);
    cuda_begin(in);
    fputs("ws::print(", in->out);
    cuda_quoted(in->out, op->store->label ? op->store->label : "");
    fputs(", ", in->out);
    cuda_value(in, op->args[op->nargs - 1], PREC_TERNARY);
    for (int i = 0; i < op->nargs - 1; i++) {
        fputs(", ", in->out);
        cuda_value(in, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", in->out);
}

static void print_sync(Printer *in, const Op *op)
{
    if (is_paced(op))
        return;
    switch (op->code) {
    case OP_PUT:
    case OP_GET:
        print_slot_result(in, op, op->code == OP_PUT);
        break;
    case OP_COPY_IN:
        print_copy_in(in, op);
        break;
    case OP_PUT_TILE:
        print_put_tile(in, op);
        break;
    case OP_PUT_DONE:
        cuda_line(in, "%s.put_done();", cuda_end_name(in, op->aref, true));
        break;
    case OP_MMA:
        if (!op_is_second(op))
            print_accumulate(in, op);
        break;
    case OP_WAIT:
        print_wait(in, op);
        break;
    case OP_COMPUTED:
        print_computed(in, op);
        break;
    case OP_CONSUMED:
        cuda_line(in, "%s.consumed<%d>();", cuda_end_name(in, op->aref, false), op->sync->keep);
        break;
    case OP_STORE_WAIT:
        cuda_line(in, "ws::store_wait<%d>();", op->sync->pending);
        break;
    case OP_STAGE:
    case OP_GATHER:
        print_definition(in, op);
        break;
    case OP_SKIP:
        print_skip(in, op);
        break;
    case OP_PINGPONG_TAKE:
    case OP_PINGPONG_PASS:
        cuda_line(in, "s.pingpong.%s(group);", op_info[op->code].call);
        break;
    case OP_ROLE_BARRIER:
        cuda_line(in, "ws::sync(s.role_barrier, group);");
        break;
    case OP_AWAIT_TILES:
        cuda_begin(in);
        fprintf(in->out, "ws::await_tiles<%s", in->role->versions & VERSION_TMA ? "TMA" : "true");
        if (footprint_by_role(in->kernel))
            fprintf(in->out, ", %u", ROLE_BIT(in->role));
        fputs(">(p.together, t);\n", in->out);
        break;
    case OP_TILE_DONE:
        cuda_line(in, "telling.tile_done(p.together, t);");
        break;
    case OP_TELL_TILES:
        cuda_line(in, "telling.tell(p.together);");
        break;
    default: /* COMMIT, COMMIT_NOTHING, FENCE, BARRIER */
        if (op->code == OP_BARRIER && machine_wide_groups(in->role->layout) > 1)
            cuda_line(in, "ws::meet_group<%s>();", cuda_layout_text(in));
        else
            cuda_line(in, "%s();", op_info[op->code].call);
    }
}

static void print_control(Printer *in, const Op *op)
{
    switch (op->code) {
    case OP_GRID:
        print_grid(in, op);
        break;
    case OP_FOR:
        cuda_for(in, op);
        break;
    case OP_WHILE:
        print_while(in, op);
        break;
    case OP_NARROW:
        print_narrow(in, op);
        break;
    case OP_IF:
        print_if(in, op);
        break;
    case OP_COND:
        print_cond(in, op);
        break;
    default:
        print_yield(in, op);
    }
}

/* ---- rows that blocks of a cluster reduce ------------------------------------------------------------------------ */

static bool sends_rows(const Op *op)
{
    return op && op_meets_blocks(op) && op->code != OP_SUM_PARTS && op->tile->piece;
}

/* Does the text of a value contain what the op makes?  */
static bool mentions(const Value *value, const Op *op)
{
    if (value->def == op || !value->def || value->var)
        return value->def == op;
    for (int i = 0; i < value->def->nargs; i++)
        if (mentions(value->def->args[i], op))
            return true;
    return false;
}

/* Those that follow each other send before the first of them waits for what the other blocks have sent.  */
static void print_sends(Printer *in, const Op *first)
{
    static const char *const calls[] = {[OP_SUM_BLOCKS] = "sum",
                                        [OP_MAX_BLOCKS] = "max",
                                        [OP_MIN_BLOCKS] = "min",
                                        [OP_SUM_EXP_BLOCKS] = "sum_exp",
                                        [OP_SUM_EXP2_BLOCKS] = "sum_exp2"};
    for (const Op *op = first; sends_rows(op); op = op->next) {
        for (const Op *before = first; before != op; before = before->next)
            if (mentions(op->args[0], before))
                return;
        cuda_begin(in);
        fprintf(in->out, "const auto ws_sent_%s = ws::send_%s%s<%d%s>(%s, ", op->storage->name, calls[op->code],
                op->tile->rounded ? "_rounded" : "", op->tile->piece,
                op->nargs < 3     ? ""
                : op->tile->fused ? ", true"
                                  : ", false",
                op->storage->name);
        cuda_value(in, op->args[0], PREC_ANY);
        fputs(");\n", in->out);
        in->sent = op;
    }
}

/* The next tile's row takes as many registers as this one's, which a team lacks while it computes what it sends; the
   blocks that it waits for then leave it time enough.  */
bool cuda_begins_late(const Printer *in, const Op *load)
{
    const Variable *variable = load->results[0]->var;
    bool team = cluster_size(in->kernel) > 1 && machine_wide_groups(in->role->layout) > 1;
    if (!team || load_is_kept(load) || load->transfer->ahead != AHEAD_NEXT || !variable || !variable->role)
        return false;
    for (const Op *op = load->next; op; op = op->next)
        if (sends_rows(op))
            return true;
    return false;
}

/* Behind the first rows that a tile sends.  */
static void begin_late(Printer *in, const Op *first)
{
    for (const Op *op = first->prev; op; op = op->prev)
        if (sends_rows(op))
            return;
    FOR_OPS (op, first->parent) {
        if (op == first)
            return;
        if (op_info[op->code].class_ == CLASS_LOAD && cuda_begins_late(in, op))
            cuda_line(in, "%s.begin(t);", cuda_ahead(in, op));
    }
}

static void print_meeting(Printer *in, const Op *op)
{
    if (sends_rows(op) && !in->sent) {
        print_sends(in, op);
        begin_late(in, op);
    }
    print_definition(in, op);
    in->sent = in->sent == op ? NULL : in->sent;
}

static void print_statement(Printer *in, const Op *op)
{
    cuda_mark(in, op);
    print_bare_declarations(in, op);
    if (op_is_pure(op)) {
        if (op->results[0]->var && op->results[0]->var->role)
            print_definition(in, op);
        return;
    }
    switch (op_info[op->code].class_) {
    case CLASS_CONTROL:
        print_control(in, op);
        break;
    case CLASS_STORE:
        if (op->code == OP_PRINT)
            print_print(in, op);
        else
            print_store(in, op);
        break;
    case CLASS_SYNC:
        print_sync(in, op);
        break;
    default:
        if (op_meets_blocks(op))
            print_meeting(in, op);
        else
            print_accumulate(in, op); /* a product that is done at once */
    }
}

void cuda_block(Printer *in, const Block *block)
{
    in->indent++;
    for (const Op *op = block->first; op; op = op->next)
        print_statement(in, op);
    cuda_mark(in, block->parent);
    in->indent--;
}
