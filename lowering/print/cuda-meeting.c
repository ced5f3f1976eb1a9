/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-meeting.c - prints exchanges between the blocks of a cluster: sums of parts, and reductions of shared rows.
 *
 *      %sum = sum_blocks %w, %zero piece=1024      const auto ws_sent_sum_shares = ws::send_sum<1024>(sum_shares, w);
 *                                                  const auto sum = ws_sent_sum_shares.received(zero);
 */
#include "ir/cluster.h"
#include "ir/queries.h"
#include "machine/plan.h"
#include "print/cuda.h"
#include "target/machine.h"

static bool sends_rows(const Op *op)
{
    return op && op_meets_blocks(op) && op->code != OP_SUM_PARTS && op->tile->piece;
}

/* True if the expression of a value contains the operation.  */
static bool mentions(const Value *value, const Op *op)
{
    if (value->def == op || !value->def || value->var)
        return value->def == op;
    for (int i = 0; i < value->def->nargs; i++)
        if (mentions(value->def->args[i], op))
            return true;
    return false;
}

/* Prints the sends of adjacent exchanges, before the first of them waits for the other blocks.  */
static void print_sends(Printer *printer, const Op *first)
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
        cuda_begin(printer);
        fprintf(printer->out, "const auto ws_sent_%s = ws::send_%s%s<%d%s>(%s, ", op->storage->name, calls[op->code],
                op->tile->fast ? "_fast" : "", op->tile->piece,
                op->nargs < 3     ? ""
                : op->tile->fused ? ", true"
                                  : ", false",
                op->storage->name);
        cuda_value(printer, op->args[0], PREC_ANY);
        fputs(");\n", printer->out);
        printer->sent = op;
    }
}

static bool mentions_load(const Op *op, const void *load)
{
    for (int i = 0; i < op->nargs; i++)
        if (mentions(op->args[i], load))
            return true;
    return false;
}

/* True if the load's value is used before the tile's first send, or has a variable.  */
static bool is_taken_before(const Op *load, const Op *first)
{
    const Variable *variable = load->results[0]->var;
    for (const Op *op = first->next; op && !variable; op = op->next)
        if (ir_any(op, mentions_load, load))
            return false;
    return !variable || variable->role;
}

/* True if the prefetch of the next row begins behind the tile's sends. A row of the next tile takes as many
   registers as the current row. While a team computes what it sends, it lacks these registers. The wait for other
   blocks then hides the load.  */
bool cuda_begins_late(const Printer *printer, const Op *load)
{
    bool team = cluster_size(printer->kernel) > 1 && machine_wide_groups(printer->role->layout) > 1;
    if (!team || load_is_cached(load) || load->transfer->prefetch != PREFETCH_TILE)
        return false;
    for (const Op *op = load->next; op; op = op->next)
        if (sends_rows(op))
            return is_taken_before(load, op);
    return false;
}

/* True if the prefetch of the next row begins behind the tile's sends. A row of the next tile takes as many
   registers as the current row. A team lacks these registers while it computes the values to send. The wait for other
   blocks then hides the load.  */
static void begin_late(Printer *printer, const Op *first)
{
    for (const Op *op = first->prev; op; op = op->prev)
        if (sends_rows(op))
            return;
    FOR_OPS (op, first->parent) {
        if (op == first)
            return;
        if (op_info[op->code].class_ == CLASS_LOAD && cuda_begins_late(printer, op))
            cuda_line(printer, "%s.begin(t);", cuda_prefetch(printer, op));
    }
}

void cuda_meeting(Printer *printer, const Op *op)
{
    if (sends_rows(op) && !printer->sent) {
        print_sends(printer, op);
        begin_late(printer, op);
    }
    cuda_definition(printer, op);
    printer->sent = printer->sent == op ? NULL : printer->sent;
}

void cuda_sum_parts(Printer *printer, const Op *op)
{
    const int share = op->results[0]->type.cols;
    fputs("ws::sum_parts", printer->out);
    if (share * printer->kernel->grid.cluster[1] != op->args[0]->type.cols)
        fprintf(printer->out, "<%d>", share);
    fprintf(printer->out, "(%s, ", op->storage->name);
    cuda_value(printer, op->args[0], PREC_ANY);
    fputs(", ", printer->out);
    cuda_fill(printer, op->tile->start);
    fputc(')', printer->out);
}

void cuda_over_blocks(Printer *printer, const Op *op)
{
    if (op->tile->piece) {
        fprintf(printer->out, "ws_sent_%s.received(", op->storage->name);
    } else {
        fprintf(printer->out, "%s(%s, ", op_info[op->code].call, op->storage->name);
        cuda_value(printer, op->args[0], PREC_ANY);
        fputs(", ", printer->out);
    }
    cuda_value(printer, op->args[1], PREC_ANY);
    if (op->nargs == 3) {
        fputs(", ", printer->out);
        cuda_value(printer, op->args[2], PREC_ANY);
    }
    fputc(')', printer->out);
}
