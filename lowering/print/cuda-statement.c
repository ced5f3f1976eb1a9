/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-statement.c - statements of the .cu: definitions, control flow, stores.
 *
 *   for %c0, %K, 64 (%k):                     for (int k = 0; k < p.K; k += 64) {
 *     %slot = get ta_tb                           const int slot = ta_tb.get();
 *     %t = mma %va, %vb, %acc                     ws::mma(acc, ws::view(s.ta[slot]), ...);
 *     yield %n                                }
 *
 * Values that a block hands on are copied at its end, in an order that reads every variable before it is written.
 */
#include "print/cuda.h"
#include "ir/queries.h"

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
void cuda_target(Printer *in, const Variable *variable, const Op *op)
{
    cuda_begin(in);
    if (variable->declared == op && !variable->bare) {
        const char *type = variable->type.kind == K_SCALAR ? cuda_scalar_type(variable->type) : "auto";
        fprintf(in->out, "%s%s ", variable->mutable_ ? "" : "const ", type);
    }
    fprintf(in->out, "%s = ", variable->name);
}

void cuda_assignment(Printer *in, const Variable *variable, const Op *op, const Value *value)
{
    cuda_target(in, variable, op);
    cuda_coordinate(in, value);
    fputs(";\n", in->out);
}

void cuda_definition(Printer *in, const Op *op)
{
    cuda_target(in, op->results[0]->var, op);
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
        cuda_assignment(in, copy->to, op, copy->from);
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
    if (op->store->divided)
        fprintf(in->out, "ws::print_rows(s.%s, group, ", cuda_role_barrier(in->kernel, in->role));
    else
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

/* The condition, the number behind the counters, these.  */
static void print_each(Printer *in, const Op *op)
{
    print_inside(in);
    cuda_begin(in);
    fprintf(in->out, "ws::print_each<%s>(p.prints, ", cuda_layout_text(in));
    cuda_quoted(in->out, arena_print(in->kernel->module, "%s\n", op->store->label));
    for (int i = op->nargs - 1; i >= op->nargs - 2; i--) {
        fputs(", ", in->out);
        cuda_value(in, op->args[i], PREC_TERNARY);
    }
    for (int i = 0; i < op->nargs - 2; i++) {
        fputs(", ", in->out);
        cuda_value(in, op->args[i], PREC_TERNARY);
    }
    fputs(");\n", in->out);
}

static void print_control(Printer *in, const Op *op)
{
    switch (op->code) {
    case OP_GRID:
        cuda_grid(in, op);
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

static void print_statement(Printer *in, const Op *op)
{
    cuda_mark(in, op);
    print_bare_declarations(in, op);
    if (op_is_pure(op)) {
        if (op->results[0]->var && op->results[0]->var->role)
            cuda_definition(in, op);
        return;
    }
    switch (op_info[op->code].class_) {
    case CLASS_CONTROL:
        print_control(in, op);
        break;
    case CLASS_STORE:
        if (op->code == OP_PRINT)
            print_print(in, op);
        else if (op->code == OP_PRINT_EACH)
            print_each(in, op);
        else
            print_store(in, op);
        break;
    case CLASS_SYNC:
        cuda_sync(in, op);
        break;
    default:
        if (op_meets_blocks(op))
            cuda_meeting(in, op);
        else
            cuda_accumulate(in, op); /* a product that is done at once */
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
