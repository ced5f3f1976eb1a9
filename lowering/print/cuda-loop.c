/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-loop.c - counted loops of the .cu; one that has an edge is two.
 *
 *   for %j = 0, < %last, 80                       int j = 0;
 *     ...                                         for (; j < ws::min(edge, last); j += 80) {
 *     %edge.2 = gei %j, %edge                         ...
 *     %s.2 = if %edge.2                           }
 *       %s.3 = select %seen, %s, -1e30            for (; j < last; j += 80) {
 *       yield %s.3                                    ...
 *     else                                            s = ws::select(seen, s, -1e+30);
 *       yield %s                                  }
 *
 * Around a branch in each iteration, of which the second loop is spared as well, the assembler mixes nothing, and where it is taken
 * the instructions behind it come late.
 */
#include "print/cuda.h"
#include "ir/queries.h"
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

/* Is it taken from one iteration on, which is known before the loop?  */
static bool is_edge(const Op *op, const Op *loop)
{
    const Op *condition = op->code == OP_IF ? op->args[0]->def : NULL;
    return condition && condition->code == OP_GEI && condition->args[0] == loop->blocks[0]->args[0] &&
           ir_outside(condition->args[1], loop);
}

/* Of a loop over products that counts up.  */
static const Op *find_edge(const Op *loop)
{
    int64_t step;
    bool up = loop->control->compare == OP_LTI && ir_constant(loop->args[2], &step) && step > 0;
    const Op *edge = NULL;
    bool products = false;
    for (const Op *op = loop->blocks[0]->first; op && up && loop->control->pipeline; op = op->next) {
        products |= op->code == OP_MMA;
        edge = !edge && is_edge(op, loop) ? op : edge;
    }
    return products ? edge : NULL;
}

static void print_start(Printer *in, const Op *op)
{
    fprintf(in->out, "%s %s = ", cuda_scalar_type(op->blocks[0]->args[0]->type), op->blocks[0]->args[0]->var->name);
    cuda_coordinate(in, op->args[0]);
}

static void print_end(Printer *in, const Op *op)
{
    bool within = in->edge && !in->beyond;
    fprintf(in->out, "; %s %s ", op->blocks[0]->args[0]->var->name, compare_text(op));
    if (within) {
        fputs("ws::min(", in->out);
        cuda_value(in, in->edge->args[0]->def->args[1], PREC_TERNARY);
        fputs(", ", in->out);
    }
    cuda_operand(in, op->args[1], within ? PREC_TERNARY : PREC_COMPARE + 1, false);
    if (within)
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

static void print_loop(Printer *in, const Op *op)
{
    cuda_begin(in);
    fputs("for (", in->out);
    if (!in->edge)
        print_start(in, op);
    print_end(in, op);
    print_step(in, op);
    fputs(") {", in->out);
    cuda_place(in, op);
    fputc('\n', in->out);
    cuda_block(in, op->blocks[0]);
    cuda_line(in, "}");
}

static void print_both(Printer *in, const Op *op)
{
    cuda_begin(in);
    print_start(in, op);
    fputs(";\n", in->out);
    for (int i = 0; i < 2; i++) {
        in->beyond = i;
        print_loop(in, op);
    }
}

/* Before the edge, what only the other side of it looks at is left out.  */
bool cuda_is_beyond(const Printer *in, const Op *op)
{
    const Op *edge = in->edge;
    if (!edge || in->beyond || op->parent != edge->parent)
        return false;
    for (const Op *other = op->parent->first; other; other = other->next)
        if (other != edge && uses_value(other, op->results[0]))
            return false;
    for (const Op *other = edge->nblocks > 1 ? edge->blocks[1]->first : NULL; other; other = other->next)
        if (uses_value(other, op->results[0]))
            return false;
    return true;
}

void cuda_for(Printer *in, const Op *op)
{
    const Printer around = *in;
    cuda_initial_values(in, op);
    if (ir_any(op, takes_columns, op->blocks[0]->args[0])) /* registers are known by constants */
        cuda_line(in, "WS_UNROLL");
    in->edge = find_edge(op);
    if (in->edge)
        print_both(in, op);
    else
        print_loop(in, op);
    in->edge = around.edge;
    in->beyond = around.beyond;
}
