/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-loop.c - prints counted loops of the .cu. A loop with two bodies becomes two loops.
 *
 *      for %j = 0, < %last, 80 edge %edge {          int j = 0;
 *        ...                                         for (; j < ws::min(edge, last); j += 80) {
 *      } beyond {                                        ...
 *        ...                                         }
 *      }                                             for (; j < last; j += 80) {
 *                                                        ...
 *                                                    }
 */
#include "print/cuda.h"
#include "ir/slice.h"

static const char *compare_text(const Op *op)
{
    switch (op->control->compare) {
    case OP_SCALAR_LE:
        return "<=";
    case OP_SCALAR_GT:
        return ">";
    case OP_SCALAR_GE:
        return ">=";
    case OP_SCALAR_NE:
        return "!=";
    default:
        return "<";
    }
}

static void print_start(Printer *printer, const Op *op)
{
    fprintf(printer->out, "%s %s = ", cuda_scalar_type(op->blocks[0]->args[0]->type),
            op->blocks[0]->args[0]->var->name);
    cuda_coordinate(printer, op->args[0]);
}

/* Prints the end of a loop. The first of two loops ends at the lesser of both ends.  */
static void print_end(Printer *printer, const Op *op, const Value *edge)
{
    fprintf(printer->out, "; %s %s ", op->blocks[0]->args[0]->var->name, compare_text(op));
    if (edge) {
        fputs("ws::min(", printer->out);
        cuda_value(printer, edge, PREC_TERNARY);
        fputs(", ", printer->out);
    }
    cuda_operand(printer, op->args[1], edge ? PREC_TERNARY : PREC_COMPARE + 1, false);
    if (edge)
        fputc(')', printer->out);
}

static void print_step(Printer *printer, const Op *op)
{
    const Op *step = op->args[2]->def;
    bool down = step && step->code == OP_CONST && step->scalar->integer < 0 && step->scalar->integer != INT64_MIN;
    fprintf(printer->out, "; %s %s= ", op->blocks[0]->args[0]->var->name, down ? "-" : "+");
    if (down)
        cuda_int(printer->out, op->args[2]->type.dtype, -step->scalar->integer, false);
    else
        cuda_coordinate(printer, op->args[2]);
}

static void print_loop(Printer *printer, const Op *op, int body)
{
    const Value *edge = loop_edge(op);
    cuda_begin(printer);
    fputs("for (", printer->out);
    if (!edge)
        print_start(printer, op);
    print_end(printer, op, body ? NULL : edge);
    print_step(printer, op);
    fputs(") {", printer->out);
    cuda_place(printer, op);
    fputc('\n', printer->out);
    printer->indent++;
    cuda_bring(printer, op, "bring");
    printer->indent--;
    cuda_block(printer, op->blocks[body]);
    cuda_line(printer, "}");
}

void cuda_for(Printer *printer, const Op *op)
{
    cuda_initial_values(printer, op);
    cuda_loop_prefetch(printer, op);
    cuda_loop_windows(printer, op);
    cuda_pace(printer, op);
    if (op->control->unroll)
        cuda_line(printer, "WS_UNROLL");
    if (loop_edge(op)) {
        cuda_begin(printer);
        print_start(printer, op);
        fputs(";\n", printer->out);
    }
    for (int body = 0; body < op->nblocks; body++)
        print_loop(printer, op, body);
    cuda_bring(printer, op, "bring_rest");
}
