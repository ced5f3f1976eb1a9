/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-print.c - ws_print and ws_print_value say where they stand.
 *
 *      for (i ...) grid                            print %i, %k, %acc "gemm i=%ld k=%ld: acc"
 *        for (k ...)                      =>
 *          ws_print("acc", acc);
 *
 * They show the counters of the loops around, from the grid's inwards: integers of the program to which each iteration
 * adds the same. The front ends get the list, for target sequential.
 */
#include <string.h>

#include "build.h"

enum { MOST_COUNTERS = 14 };

static int calls_around(const Instruction *instruction)
{
    int depth = 0;
    for (const SourceInlined *link = instruction->inlined; link; link = link->outer)
        depth++;
    return depth;
}

/* Calls around the loop: the fewest of an instruction in it.  */
static int depth_of(const SourceTree *list, int depth)
{
    for (; list; list = list->next) {
        for (const Instruction *i = list->first; i; i = i->next)
            if (i->loc.line && (depth < 0 || calls_around(i) < depth))
                depth = calls_around(i);
        depth = depth_of(list->test, depth_of(list->yes, depth_of(list->no, depth)));
    }
    return depth;
}

static void add_counter(Builder *b, const SourceTree *loop, const SourceVariable *variable)
{
    const Built *now = &b->variables[variable->id];
    if (!variable->declaration.name || variable->type == ST_P || source_type_is_float(variable->type) ||
        now->kind != BUILT_SCALAR || b->ncounters == MOST_COUNTERS)
        return;
    LIST_ADD(b->module, b->counters, b->ncounters) = (BuiltCounter){
        {variable->declaration.name, loop->loc, depth_of(loop->test, depth_of(loop->yes, -1))}, now->value};
}

void build_counters(Builder *b, const SourceTree *loop)
{
    const SourceInduction *induction = loop->induction;
    if (induction && induction->counter.variable)
        add_counter(b, loop, induction->counter.variable);
    for (int k = 0; induction && k < induction->n; k++)
        add_counter(b, loop, induction->variables[k].variable);
}

/* The user's text in a format.  */
static const char *quoted(Builder *b, const char *text)
{
    char *copy = arena_alloc(b->module, 2 * strlen(text) + 1), *at = copy;
    for (; *text; text++) {
        *at++ = *text;
        if (*text == '%')
            *at++ = '%';
    }
    return copy;
}

static const char *string_of(const Builder *b, Operand x)
{
    const char *text = x.kind == OPERAND_TEMPORARY ? b->temporaries[x.temporary].name : NULL;
    return text ? text : "";
}

/* The counters are the first operands.  */
static const char *place(Builder *b, Value **args)
{
    const char *format = b->kernel->name;
    for (int k = 0; k < b->ncounters; k++) {
        args[k] = b->counters[k].value;
        format = arena_print(b->module, "%s %s=%%ld", format, b->counters[k].counter.name);
    }
    return format;
}

static void append(Builder *b, Opcode code, const Instruction *call, const char *format, int nargs, Value *const *args)
{
    Op *op = op_new(b->kernel, code, call->loc, nargs, args);
    SourceShown shown = {.call = call, .format = format, .is_value = code == OP_PRINT_EACH};
    for (int k = 0; k < b->ncounters; k++)
        LIST_ADD(b->module, shown.counters, shown.ncounters) = b->counters[k].counter;
    LIST_ADD(b->module, b->shown, b->nshown) = shown;
    op->store->label = format;
    op_append(b->block, op);
}

void build_print_tile(Builder *b, const Instruction *call)
{
    const char *name = string_of(b, call->arguments[0].operand);
    Value *args[MOST_COUNTERS + 1];
    const char *format = place(b, args);
    args[b->ncounters] = build_argument(b, call, 1);
    if (args[b->ncounters])
        append(b, OP_PRINT, call, arena_print(b->module, "%s: %s", format, b->ncounters ? quoted(b, name) : name),
               b->ncounters + 1, args);
}

bool build_print_value(Builder *b, const Instruction *call)
{
    static const struct {
        const char *function, *format;
    } kinds[] = {{"ws_print_value_i_", "%ld"},
                 {"ws_print_value_u_", "%lu"},
                 {"ws_print_value_f_", "%.9g"},
                 {"ws_print_value_d_", "%.17g"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(call->symbol, kinds[k].function))
            continue;
        Value *args[MOST_COUNTERS + 2];
        const char *format = place(b, args);
        args[b->ncounters] = build_scalar(b, call->loc, call->arguments[1].operand, call->arguments[1].type);
        args[b->ncounters + 1] = build_integer(b, D_I1, 1);
        if (args[b->ncounters])
            append(b, OP_PRINT_EACH, call,
                   arena_print(b->module, "%s: %s: %s", format, quoted(b, string_of(b, call->arguments[0].operand)),
                               kinds[k].format),
                   b->ncounters + 2, args);
        return true;
    }
    return false;
}
