/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-sync.c - prints synchronization: rings, copies, products in flight, barriers, turns.
 *
 *      %slot = get ta_tb                         const int slot = ta_tb.get();
 *      %t = mma %va, %vb, %acc                   ws::mma(acc, ws::view(s.ta[slot]), ...);
 *      wait 1                                    ws::wait<1>(acc);
 */
#include "ir/queries.h"
#include "machine/footprint.h"
#include "machine/plan.h"
#include "print/cuda.h"
#include "roles/programs.h"
#include "target/machine.h"

/* The name of a ring's object. A role with both ends of a ring has two objects.  */
const char *cuda_end_name(const Printer *printer, const Aref *aref, bool producing)
{
    bool both = producing && role_has_op(printer->role, OP_GET, aref);
    return both ? arena_print(printer->kernel->module, "%s_in", aref->name) : aref->name;
}

static void print_skip(Printer *printer, const Op *op)
{
    cuda_begin(printer);
    fprintf(printer->out, "%s.skip(", cuda_end_name(printer, op->aref, false));
    if (op->nargs && op->sync->count != 1)
        fprintf(printer->out, "%d * (", op->sync->count);
    if (op->nargs)
        cuda_operand(printer, op->args[0], PREC_TERNARY, false);
    else
        fprintf(printer->out, "%d", op->sync->count);
    fputs(op->nargs && op->sync->count != 1 ? "));\n" : ");\n", printer->out);
}

static void print_slot_result(Printer *printer, const Op *op, bool producing)
{
    if (op->nresults && op->results[0]->var)
        cuda_target(printer, op->results[0]->var, op);
    else
        cuda_begin(printer);
    fprintf(printer->out, "%s.%s();\n", cuda_end_name(printer, op->aref, producing), op_info[op->code].call);
}

/* Prints the condition of a copy into a resident slot, which may hold the tile already.  */
static void print_wants(Printer *printer, const Op *op)
{
    if (cuda_is_for_one_block(op, printer->kernel)) {
        cuda_line(printer, "if (inside)");
        fputs("    ", printer->out);
    }
    cuda_begin(printer);
    fprintf(printer->out, "if (%s.wants(", cuda_end_name(printer, op->aref, true));
    for (int i = 2; i < op->nargs; i++) {
        fputs(i > 2 ? ", " : "", printer->out);
        cuda_value(printer, op->args[i], PREC_ANY);
    }
    fputs("))\n", printer->out);
}

static void print_copy_in(Printer *printer, const Op *op)
{
    bool resident = op->storage->resident, own = cuda_is_for_one_block(op, printer->kernel);
    if (resident)
        print_wants(printer, op);
    if (own)
        cuda_line(printer, "if (inside)");
    printer->indent += resident || own;
    cuda_begin(printer);
    printer->indent -= resident || own;
    fprintf(printer->out, "ws::copy_%s%s", op->transfer->along ? "share" : "in", cuda_has_fill(op) ? "_or" : "");
    if (op->transfer->along)
        fprintf(printer->out, "<%s_cluster, ws::along_%s>", printer->kernel->name, text_alongs[op->transfer->along]);
    fputc('(', printer->out);
    if (cuda_has_fill(op)) {
        cuda_fill(printer, op->transfer->fill);
        fputs(", ", printer->out);
    }
    fprintf(printer->out, "%s, ", cuda_end_name(printer, op->aref, true));
    cuda_slot(printer, op->storage, op->args[0]);
    fputs(", ", printer->out);
    cuda_value(printer, op->args[1], PREC_ANY);
    fprintf(printer->out, ", p.%s", cuda_map_for(printer, op));
    cuda_coordinates(printer, op, 2, op->nargs);
    fputs(");\n", printer->out);
}

/* Prints ws::bring(pace, ring, slots, tensor, map, i, j) in the loop, or bring_rest behind the loop.  */
static void print_bring(Printer *printer, const Op *copy, const char *call)
{
    cuda_begin(printer);
    fprintf(printer->out, "ws::%s(%s_pace, %s, s.%s, ", call, copy->storage->name,
            cuda_end_name(printer, copy->aref, true), copy->storage->name);
    cuda_value(printer, copy->args[1], PREC_ANY);
    fprintf(printer->out, ", p.%s", cuda_map_for(printer, copy));
    cuda_coordinates(printer, copy, 2, copy->nargs);
    fputs(");\n", printer->out);
}

/* Prints the calls for tiles that are copied in parts while the loop runs.  */
void cuda_bring(Printer *printer, const Op *loop, const char *call)
{
    for (const Op *copy = loop->parent->first; copy != loop; copy = copy->next)
        if (paced_loop(copy) == loop)
            print_bring(printer, copy, call);
}

/* Prints ws::pace<4> pace(trips) for a tile of four lines.  */
void cuda_pace(Printer *printer, const Op *loop)
{
    for (const Op *copy = loop->parent->first; copy != loop; copy = copy->next) {
        if (paced_loop(copy) != loop)
            continue;
        const Type tile = copy->storage->tile;
        int64_t step = 1;
        ir_constant(loop->args[2], &step);
        cuda_begin(printer);
        fprintf(printer->out, "ws::pace<%d> %s_pace(ws::trips(",
                tile.cols * dtype_bytes(tile.dtype) / MACHINE_LINE_BYTES, copy->storage->name);
        cuda_coordinate(printer, loop->args[0]);
        fputs(", ", printer->out);
        cuda_coordinate(printer, loop->args[1]);
        fprintf(printer->out, ", %lld));\n", (long long)step);
    }
}

/* True for a copy in parts, and for the put and the put_done around it.  */
static bool is_paced(const Op *op)
{
    const Op *copy = op->code == OP_PUT ? op->next : op->code == OP_PUT_DONE ? op->prev : op;
    return copy && copy->code == OP_COPY_IN && copy->transfer->paced;
}

static void print_put_tile(Printer *printer, const Op *op)
{
    cuda_begin(printer);
    fprintf(printer->out, "%s(",
            op->storage->transposed ? "ws::transpose"
            : op->nargs == 3        ? "ws::put_rows"
                                    : op_info[op->code].call);
    cuda_slot(printer, op->storage, op->args[0]);
    fputs(", ", printer->out);
    cuda_value(printer, op->args[1], PREC_ANY);
    cuda_coordinates(printer, op, 2, op->nargs);
    fputs(");\n", printer->out);
}

/* True for the width of NARROW. With another number of columns, a product computes all its columns.  */
static bool is_width(const Value *columns)
{
    return !columns->def && columns->block && columns->block->parent && columns->block->parent->code == OP_NARROW;
}

/* Prints a product, or two products that are one instruction.  */
void cuda_accumulate(Printer *printer, const Op *op)
{
    const Op *products[] = {op, op->code == OP_MMA && op->sync->paired ? op_paired_with(printer->kernel->machine, op)
                                                                       : NULL};
    int count = products[1] ? 2 : 1;
    for (int i = 0; i < count; i++)
        if (products[i]->args[2]->var != products[i]->results[0]->var)
            cuda_assignment(printer, products[i]->results[0]->var, op, products[i]->args[2]);
    cuda_begin(printer);
    fprintf(printer->out, "%s(", op_info[op->code].call);
    for (int i = 0; i < count; i++)
        fprintf(printer->out, "%s, ", products[i]->results[0]->var->name);
    cuda_value(printer, op->args[0], PREC_TERNARY);
    for (int i = 0; i < count; i++) {
        fputs(", ", printer->out);
        cuda_value(printer, products[i]->args[1], PREC_TERNARY);
    }
    for (int i = 3; i < op->nargs && (op->code == OP_DOT_F32 || is_width(op->args[i])); i++) {
        fputs(", ", printer->out);
        cuda_value(printer, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", printer->out);
}

static void print_computed(Printer *printer, const Op *op)
{
    cuda_begin(printer);
    fprintf(printer->out, "%s(", op_info[op->code].call);
    for (int i = 0; i < op->nargs; i++) {
        fputs(i ? ", " : "", printer->out);
        cuda_value(printer, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", printer->out);
}

static void print_wait(Printer *printer, const Op *op)
{
    cuda_begin(printer);
    fprintf(printer->out, "ws::wait<%d>(", op->sync->pending);
    for (int i = 0; i < op->nargs; i++) {
        if (i)
            fputs(", ", printer->out);
        cuda_value(printer, op->args[i], PREC_ANY);
    }
    fputs(");\n", printer->out);
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->var && op->results[i]->var != op->args[i]->var)
            cuda_assignment(printer, op->results[i]->var, op, op->args[i]);
}

void cuda_sync(Printer *printer, const Op *op)
{
    if (is_paced(op))
        return;
    switch (op->code) {
    case OP_PUT:
    case OP_GET:
        print_slot_result(printer, op, op->code == OP_PUT);
        break;
    case OP_COPY_IN:
        print_copy_in(printer, op);
        break;
    case OP_PUT_TILE:
        print_put_tile(printer, op);
        break;
    case OP_PUT_DONE:
        cuda_line(printer, "%s.put_done();", cuda_end_name(printer, op->aref, true));
        break;
    case OP_MMA:
        if (!op_is_second(op))
            cuda_accumulate(printer, op);
        break;
    case OP_WAIT:
        print_wait(printer, op);
        break;
    case OP_COMPUTED:
        print_computed(printer, op);
        break;
    case OP_CONSUMED:
        cuda_line(printer, "%s.consumed<%d>();", cuda_end_name(printer, op->aref, false), op->sync->keep);
        break;
    case OP_STORE_WAIT:
        cuda_line(printer, "ws::store_wait<%d>();", op->sync->pending);
        break;
    case OP_STAGE:
    case OP_GATHER:
        cuda_definition(printer, op);
        break;
    case OP_SKIP:
        print_skip(printer, op);
        break;
    case OP_PINGPONG_TAKE:
    case OP_PINGPONG_PASS:
        cuda_line(printer, "s.pingpong.%s(group);", op_info[op->code].call);
        break;
    case OP_ROLE_BARRIER:
        cuda_line(printer, "ws::sync(s.%s, group);", cuda_role_barrier(printer->kernel, printer->role));
        break;
    case OP_AWAIT_TILES:
        cuda_begin(printer);
        fprintf(printer->out, "ws::await_tiles<%s", printer->role->versions & VERSION_TMA ? "TMA" : "true");
        if (footprint_by_role(printer->kernel))
            fprintf(printer->out, ", %u", ROLE_BIT(printer->role));
        fputs(">(p.together, t);\n", printer->out);
        break;
    case OP_TILE_DONE:
        cuda_line(printer, "telling.tile_done(p.together, t);");
        break;
    case OP_TELL_TILES:
        cuda_line(printer, "telling.tell(p.together);");
        break;
    default: /* COMMIT, COMMIT_NOTHING, FENCE, BARRIER */
        if (op->code == OP_BARRIER && machine_wide_groups(printer->role->layout) > 1)
            cuda_line(printer, "ws::meet_group<%s>();", cuda_layout_text(printer));
        else
            cuda_line(printer, "%s();", op_info[op->code].call);
    }
}
