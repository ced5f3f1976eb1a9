/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-statement.c - prints statements of the .cu: definitions, control flow, stores.
 *
 *      for %c0, %K, 64 (%k):                     for (int k = 0; k < p.K; k += 64) {
 *        %slot = get ta_tb                           const int slot = ta_tb.get();
 *        %t = mma %va, %vb, %acc                     ws::mma(acc, ws::view(s.ta[slot]), ...);
 *        yield %n                                }
 *
 * Values that a block yields are copied at its end, in an order that reads every variable before it is written.
 */
#include "ir/cluster.h"
#include "ir/queries.h"
#include "print/cuda.h"

static void print_bare_type(Printer *printer, Type type)
{
    if (type.kind == K_SCALAR)
        fprintf(printer->out, "%s", cuda_scalar_type(type));
    else
        fprintf(printer->out, "ws::tile<%s, %d, %d, %s>", cuda_element_text[type.dtype], type.rows, type.cols,
                cuda_layout_text(printer));
}

static void print_bare_declarations(Printer *printer, const Op *op)
{
    for (const Variable *variable = printer->kernel->variables; variable; variable = variable->next) {
        if (variable->role != printer->role || variable->declared != op || !variable->bare)
            continue;
        cuda_begin(printer);
        print_bare_type(printer, variable->type);
        fprintf(printer->out, " %s;\n", variable->name);
    }
}

/* Prints "const int x = ", "auto x = " or "x = ".  */
void cuda_target(Printer *printer, const Variable *variable, const Op *op)
{
    cuda_begin(printer);
    if (variable->declared == op && !variable->bare) {
        const char *type = variable->type.kind == K_SCALAR ? cuda_scalar_type(variable->type) : "auto";
        fprintf(printer->out, "%s%s ", variable->mutable_ ? "" : "const ", type);
    }
    fprintf(printer->out, "%s = ", variable->name);
}

void cuda_assignment(Printer *printer, const Variable *variable, const Op *op, const Value *value)
{
    cuda_target(printer, variable, op);
    cuda_coordinate(printer, value);
    fputs(";\n", printer->out);
}

void cuda_definition(Printer *printer, const Op *op)
{
    cuda_target(printer, op->results[0]->var, op);
    if (op->code == OP_SCALAR_CONVERT)
        cuda_coordinate(printer, cuda_without_widening(op->args[0]));
    else
        cuda_expression(printer, op, PREC_TERNARY);
    fputs(";\n", printer->out);
}

/* A parallel copy, as at the end of an iteration.  */
typedef struct {
    Variable *to;
    const Value *from;
    const char *saved; /* variable that holds the saved source; NULL: not saved */
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

static void print_copy(Printer *printer, Copy *copy, const Op *op)
{
    if (copy->saved)
        cuda_line(printer, "%s = %s;", copy->to->name, copy->saved);
    else
        cuda_assignment(printer, copy->to, op, copy->from);
    copy->done = true;
}

/* Prints copies in an order that reads every variable before it is written. A saved value breaks each cycle.  */
static void print_copies(Printer *printer, Copy *copies, int count, const Op *op)
{
    for (int left = count; left;) {
        int i = 0;
        while (i < count && (copies[i].done || !copy_is_free(copies, count, i)))
            i++;
        if (i < count) {
            print_copy(printer, &copies[i], op);
            left--;
            continue;
        }
        for (i = 0; copies[i].done || copies[i].saved; i++)
            ;
        copies[i].saved = arena_print(printer->kernel->module, "saved_%s", copies[i].to->name);
        cuda_begin(printer);
        fprintf(printer->out, "const auto %s = ", copies[i].saved);
        cuda_value(printer, copies[i].from, PREC_TERNARY);
        fputs(";\n", printer->out);
    }
}

static Copy *copies_new(Printer *printer, int count)
{
    return arena_alloc(printer->kernel->module, (size_t)(count ? count : 1) * sizeof(Copy));
}

static int add_copy(Copy *copies, int count, const Value *to, const Value *from)
{
    if (!to->var || to->var == from->var)
        return count;
    copies[count] = (Copy){to->var, from, NULL, false};
    return count + 1;
}

static void print_yield(Printer *printer, const Op *op)
{
    const Op *holder = op->parent->parent;
    int count = 0;
    Copy *copies = copies_new(printer, op->nargs);
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
    print_copies(printer, copies, count, op);
}

void cuda_initial_values(Printer *printer, const Op *op)
{
    int count = 0, n = carried_count(op);
    Copy *copies = copies_new(printer, n);
    for (int i = 0; i < n; i++)
        count = add_copy(copies, count, carried(op, i).argument, carried(op, i).init);
    print_copies(printer, copies, count, op);
}

/* Prints the place in the source: " // gemm.c:17".  */
void cuda_place(Printer *printer, const Op *op)
{
    if (op->loc.file && op->loc.line)
        fprintf(printer->out, "  // %s:%d", cuda_file_name(op->loc.file), op->loc.line);
}

/* Prints a function of the width, which the runtime calls with the actual width.  */
static void print_narrow(Printer *printer, const Op *op)
{
    cuda_initial_values(printer, op);
    cuda_begin(printer);
    fprintf(printer->out, "ws::%s(%s, ", op->control->halves ? "halved" : "narrowed", op->results[0]->var->name);
    cuda_value(printer, op->args[0], PREC_TERNARY);
    fprintf(printer->out, ", [&](auto %s) {\n", op->blocks[0]->args[0]->var->name);
    cuda_block(printer, op->blocks[0]);
    cuda_line(printer, "});");
}

static void print_while(Printer *printer, const Op *op)
{
    cuda_initial_values(printer, op);
    cuda_begin(printer);
    fputs("for (;;) {", printer->out);
    cuda_place(printer, op);
    fputc('\n', printer->out);
    cuda_block(printer, op->blocks[0]);
    cuda_block(printer, op->blocks[1]);
    cuda_line(printer, "}");
}

/* The opposite comparison, or NULL if there is none that is right for NaN.  */
static const char *opposite(const Op *op)
{
    bool real = op->nargs && dtype_is_float(op->args[0]->type.dtype);
    switch (op->code) {
    case OP_SCALAR_EQ:
        return "!=";
    case OP_SCALAR_NE:
        return "==";
    case OP_SCALAR_LT:
        return real ? NULL : ">=";
    case OP_SCALAR_LE:
        return real ? NULL : ">";
    case OP_SCALAR_GT:
        return real ? NULL : "<=";
    case OP_SCALAR_GE:
        return real ? NULL : "<";
    default:
        return NULL;
    }
}

static void print_negated(Printer *printer, const Value *condition)
{
    const char *text = condition->var || !condition->def ? NULL : opposite(condition->def);
    int64_t number;
    if (!text || ir_constant(condition, &number)) {
        fputc('!', printer->out);
        cuda_operand(printer, condition, PREC_UNARY, false);
    } else {
        cuda_infix(printer, condition->def, (Infix){text, cuda_infix_of(condition->def).precedence}, PREC_ANY);
    }
}

/* Prints the end of a loop's condition. The condition is evaluated before the carried values are copied.  */
static void print_cond(Printer *printer, const Op *op)
{
    const Op *holder = op->parent->parent;
    int count = 0;
    Copy *copies = copies_new(printer, op->nargs);
    for (int i = 1; i < op->nargs; i++)
        count = add_copy(copies, count, holder->blocks[1]->args[i - 1], op->args[i]);
    cuda_begin(printer);
    fputs(count ? "const bool go_on = " : "if (", printer->out);
    if (count)
        cuda_operand(printer, op->args[0], PREC_TERNARY, false);
    else
        print_negated(printer, op->args[0]);
    fputs(count ? ";\n" : ")\n", printer->out);
    if (count) {
        print_copies(printer, copies, count, op);
        cuda_line(printer, "if (!go_on)");
    }
    cuda_line(printer, "    break;");
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

static void print_if(Printer *printer, const Op *op)
{
    bool swap = op->nblocks > 1 && block_prints_nothing(op->blocks[0]) && !block_prints_nothing(op->blocks[1]);
    cuda_begin(printer);
    fputs(op->control->uniform ? "if (ws::warp_uniform(" : "if (", printer->out);
    if (swap)
        print_negated(printer, op->args[0]);
    else
        cuda_operand(printer, op->args[0], PREC_ANY, false);
    fputs(op->control->uniform ? ")) {" : ") {", printer->out);
    cuda_place(printer, op);
    fputc('\n', printer->out);
    cuda_block(printer, op->blocks[swap]);
    if (!swap && op->nblocks > 1 && !block_prints_nothing(op->blocks[1])) {
        cuda_line(printer, "} else {");
        cuda_block(printer, op->blocks[1]);
    }
    cuda_line(printer, "}");
}

/* In a cluster, a block may have no tile of the grid, and then skips its stores.  */
static void print_inside(Printer *printer)
{
    if (cluster_size(printer->kernel) == 1)
        return;
    cuda_line(printer, "if (t.inside())");
    fputs("    ", printer->out);
}

/* Prints a store or an atomic addition.  */
static void print_store(Printer *printer, const Op *op)
{
    print_inside(printer);
    cuda_begin(printer);
    fprintf(printer->out, "%s(", op_info[op->code].call);
    if (op->storage)
        fprintf(printer->out, "%s, ", op->storage->name);
    cuda_value(printer, op->args[0], PREC_ANY);
    if (op->storage)
        fprintf(printer->out, ", p.%s", cuda_map_for(printer, op));
    if (op_scatters(op)) {
        fputs(", ", printer->out);
        cuda_value(printer, op->args[1], PREC_TERNARY);
    } else {
        cuda_coordinates(printer, op, 1, op->nargs - 1);
    }
    fputs(", ", printer->out);
    cuda_value(printer, op->args[op->nargs - 1], PREC_TERNARY);
    fputs(");", printer->out);
    cuda_place(printer, op);
    fputc('\n', printer->out);
}

static void print_print(Printer *printer, const Op *op)
{
    print_inside(printer);
    cuda_begin(printer);
    if (op->store->divided)
        fprintf(printer->out, "ws::print_rows(s.%s, group, ", cuda_role_barrier(printer->kernel, printer->role));
    else
        fputs("ws::print(", printer->out);
    cuda_quoted(printer->out, op->store->label ? op->store->label : "");
    fputs(", ", printer->out);
    cuda_value(printer, op->args[op->nargs - 1], PREC_TERNARY);
    for (int i = 0; i < op->nargs - 1; i++) {
        fputs(", ", printer->out);
        cuda_value(printer, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", printer->out);
}

/* Prints the condition (the last operand), then the operand before it, then all other operands in order.  */
static void print_each(Printer *printer, const Op *op)
{
    print_inside(printer);
    cuda_begin(printer);
    fprintf(printer->out, "ws::print_each<%s>(p.prints, ", cuda_layout_text(printer));
    cuda_quoted(printer->out, arena_print(printer->kernel->module, "%s\n", op->store->label));
    for (int i = op->nargs - 1; i >= op->nargs - 2; i--) {
        fputs(", ", printer->out);
        cuda_value(printer, op->args[i], PREC_TERNARY);
    }
    for (int i = 0; i < op->nargs - 2; i++) {
        fputs(", ", printer->out);
        cuda_value(printer, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", printer->out);
}

static void print_control(Printer *printer, const Op *op)
{
    switch (op->code) {
    case OP_GRID:
        cuda_grid(printer, op);
        break;
    case OP_FOR:
        cuda_for(printer, op);
        break;
    case OP_WHILE:
        print_while(printer, op);
        break;
    case OP_NARROW:
        print_narrow(printer, op);
        break;
    case OP_IF:
        print_if(printer, op);
        break;
    case OP_COND:
        print_cond(printer, op);
        break;
    default:
        print_yield(printer, op);
    }
}

static void print_statement(Printer *printer, const Op *op)
{
    cuda_mark(printer, op);
    print_bare_declarations(printer, op);
    if (op_is_pure(op)) {
        if (op->results[0]->var && op->results[0]->var->role)
            cuda_definition(printer, op);
        return;
    }
    switch (op_info[op->code].class_) {
    case CLASS_CONTROL:
        print_control(printer, op);
        break;
    case CLASS_STORE:
        if (op->code == OP_PRINT)
            print_print(printer, op);
        else if (op->code == OP_PRINT_EACH)
            print_each(printer, op);
        else
            print_store(printer, op);
        break;
    case CLASS_SYNC:
        cuda_sync(printer, op);
        break;
    default:
        if (op_meets_blocks(op))
            cuda_meeting(printer, op);
        else
            cuda_accumulate(printer, op); /* a synchronous product */
    }
}

void cuda_block(Printer *printer, const Block *block)
{
    printer->indent++;
    for (const Op *op = block->first; op; op = op->next)
        print_statement(printer, op);
    cuda_mark(printer, block->parent);
    printer->indent--;
}
