/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-loop.c - counted loops of the .cu; one that has two bodies is two.
 *
 *   for %j = 0, < %last, 80 edge %edge {          int j = 0;
 *     ...                                         for (; j < ws::min(edge, last); j += 80) {
 *   } beyond {                                        ...
 *     ...                                         }
 *   }                                             for (; j < last; j += 80) {
 *                                                     ...
 *                                                 }
 */
#include "print/cuda.h"
#include "ir/slice.h"

static const char *compare_text(const Op *op)
{
    switch (op->control->compare) {
    case OP_LEI:
        return "<=";
    case OP_GTI:
        return ">";
    case OP_GEI:
        return ">=";
    case OP_NEI:
        return "!=";
    default:
        return "<";
    }
}

static void print_start(Printer *in, const Op *op)
{
    fprintf(in->out, "%s %s = ", cuda_scalar_type(op->blocks[0]->args[0]->type), op->blocks[0]->args[0]->var->name);
    cuda_coordinate(in, op->args[0]);
}

/* Of the first of two loops, the lesser of both.  */
static void print_end(Printer *in, const Op *op, const Value *edge)
{
    fprintf(in->out, "; %s %s ", op->blocks[0]->args[0]->var->name, compare_text(op));
    if (edge) {
        fputs("ws::min(", in->out);
        cuda_value(in, edge, PREC_TERNARY);
        fputs(", ", in->out);
    }
    cuda_operand(in, op->args[1], edge ? PREC_TERNARY : PREC_COMPARE + 1, false);
    if (edge)
        fputc(')', in->out);
}

static void print_step(Printer *in, const Op *op)
{
    const Op *step = op->args[2]->def;
    bool down = step && step->code == OP_CONST && step->scalar->integer < 0 && step->scalar->integer != INT64_MIN;
    fprintf(in->out, "; %s %s= ", op->blocks[0]->args[0]->var->name, down ? "-" : "+");
    if (down)
        cuda_int(in->out, op->args[2]->type.dtype, -step->scalar->integer, false);
    else
        cuda_coordinate(in, op->args[2]);
}

static void print_loop(Printer *in, const Op *op, int body)
{
    const Value *edge = loop_edge(op);
    cuda_begin(in);
    fputs("for (", in->out);
    if (!edge)
        print_start(in, op);
    print_end(in, op, body ? NULL : edge);
    print_step(in, op);
    fputs(") {", in->out);
    cuda_place(in, op);
    fputc('\n', in->out);
    in->indent++;
    cuda_bring(in, op, "bring");
    in->indent--;
    cuda_block(in, op->blocks[body]);
    cuda_line(in, "}");
}

void cuda_for(Printer *in, const Op *op)
{
    cuda_initial_values(in, op);
    cuda_loop_ahead(in, op);
    cuda_loop_windows(in, op);
    cuda_pace(in, op);
    if (op->control->unroll)
        cuda_line(in, "WS_UNROLL");
    if (loop_edge(op)) {
        cuda_begin(in);
        print_start(in, op);
        fputs(";\n", in->out);
    }
    for (int body = 0; body < op->nblocks; body++)
        print_loop(in, op, body);
    cuda_bring(in, op, "bring_rest");
}
