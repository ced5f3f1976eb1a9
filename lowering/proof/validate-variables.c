/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-variables.c - the C variables of a role: each holds the value that is read from it.
 *
 *      %a var=x = add %p, %q         x holds a               x = ws::add(p, q);
 *      %b var=x = mul %p, %q         x holds b               x = ws::mul(p, q);
 *      store %c, %i, %j, %a          x is read for a: no     ws::store(c, i, j, x);
 *
 * The programs are in SSA, the .cu is not.  `plan` gives one variable to values that are never needed together.  A
 * value without a variable is printed where it is used.  So the validator keeps two terms: that of each value, and that
 * of each variable as the printed text assigns it.  It compares both wherever the printed text reads a variable.
 */
#include <string.h>

#include "ir/slice.h"
#include "proof/validator.h"

bool op_is_printed(const Op *op)
{
    return !op_is_pure(op) || (op->nresults && op->results[0]->var && op->results[0]->var->role);
}

/* ---- places of variables ----------------------------------------------------------------------------------------- */

static size_t bucket_of(const Validator *validator, const Variable *variable)
{
    return ((uintptr_t)variable / sizeof(void *)) * 0x9e3779b1u % (size_t)validator->nvariables;
}

/* Returns the place of the variable's term.  */
static const Term **holds(const Validator *validator, const Variable *variable)
{
    size_t i = bucket_of(validator, variable);
    while (validator->variables[i] != variable)
        i = (i + 1) % (size_t)validator->nvariables;
    return &validator->held[i];
}

void held_init(Validator *validator)
{
    Module *module = validator->kernel->module;
    int count = 0;
    for (const Variable *variable = validator->kernel->variables; variable; variable = variable->next)
        count++;
    validator->nvariables = count ? 2 * count + 1 : 0;
    validator->variables = arena_alloc(module, (size_t)(validator->nvariables + 1) * sizeof *validator->variables);
    validator->held = arena_alloc(module, (size_t)(validator->nvariables + 1) * sizeof *validator->held);
    for (const Variable *variable = validator->kernel->variables; variable; variable = variable->next) {
        size_t i = bucket_of(validator, variable);
        while (validator->variables[i])
            i = (i + 1) % (size_t)validator->nvariables;
        validator->variables[i] = variable;
    }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void variable_write(Validator *validator, const Value *value)
{
    if (value->var && value->var->role)
        *holds(validator, value->var) = known_of(validator, value).term;
}

/* Sets variables that the text of a loop assigns to an unknown term.  */
typedef struct {
    Validator *validator;
    const Term *unknown;
} Forgetting;

static void forget(const Forgetting *at, const Value *value)
{
    if (value->var && value->var->role)
        *holds(at->validator, value->var) = at->unknown;
}

/* A value that is passed on in the same variable is not assigned.  */
static void forget_handed(const Forgetting *at, const Value *from, const Value *to)
{
    if (from->var != to->var)
        forget(at, to);
}

static void forget_carried(const Forgetting *at, const Op *loop)
{
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        forget_handed(at, names.init, names.argument);
        forget_handed(at, names.next, names.argument);
        if (names.beyond)
            forget_handed(at, names.beyond, names.argument);
        if (names.body_argument)
            forget_handed(at, names.exit, names.body_argument);
    }
}

static void forget_written(const Forgetting *at, const Op *op)
{
    if (op->code == OP_FOR || op->code == OP_WHILE || op->code == OP_NARROW)
        forget_carried(at, op);
    if (op->code == OP_FOR || op->code == OP_NARROW)
        forget(at, op->blocks[0]->args[0]);
    for (int i = 0; op->code == OP_GRID && i < op->blocks[0]->nargs; i++)
        forget(at, op->blocks[0]->args[i]);
    for (int i = 0; i < op->nresults; i++)
        if (op->code == OP_WAIT)
            forget_handed(at, op->args[i], op->results[i]);
        else if (op->code == OP_IF)
            for (int k = 0; k < op->nblocks; k++)
                forget_handed(at, block_end(op->blocks[k])->args[i], op->results[i]);
        else if (!op->nblocks)
            forget(at, op->results[i]);
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            forget_written(at, inner);
}

/* Sets each variable that the loop writes to an unknown term.  */
void held_forget(Validator *validator, const Op *op)
{
    Forgetting at = {validator, term_symbol(&validator->terms)};
    if (validator->nvariables)
        forget_written(&at, op);
}

const Term **held_copy(Validator *validator)
{
    return copy_of(validator, validator->held, (size_t)validator->nvariables * sizeof *validator->held);
}

void held_restore(Validator *validator, const Term *const *held)
{
    if (validator->nvariables)
        memcpy(validator->held, held, (size_t)validator->nvariables * sizeof *validator->held);
}

/* Joins the variables of both arms behind a branch: equal terms stay, others become unknown.  */
void held_join(Validator *validator, const Term *const *other)
{
    const Term *unknown = NULL;
    for (int i = 0; i < validator->nvariables; i++) {
        if (validator->held[i] == other[i])
            continue;
        bool field = !validator->variables[i]->role;
        unknown = unknown ? unknown : term_symbol(&validator->terms);
        validator->held[i] = !field ? unknown : validator->held[i] ? validator->held[i] : other[i];
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads a field of the launcher, which holds one value for all readers.  */
static bool read_field(Validator *validator, const Op *op, const Value *value)
{
    const Term **held = holds(validator, value->var), *term = known_of(validator, value).term;
    *held = *held ? *held : term;
    return *held == term ||
           differs(validator, op, "reads '%s', which holds another value for other readers", value->var->name);
}

/* True for the ordinal of the tile, which the loop over the grid keeps.  */
static bool is_ordinal(const Value *value)
{
    const Op *grid = value->block->parent;
    return grid && grid->code == OP_GRID && value->index == grid->nargs / 3;
}

bool variable_read(Validator *validator, const Op *op, const Value *value)
{
    if (!validator->nvariables)
        return true;
    if (value->var && !value->var->role)
        return read_field(validator, op, value);
    if (value->var)
        return *holds(validator, value->var) == known_of(validator, value).term ||
               differs(validator, op, "reads '%s', which holds another value by then", value->var->name);
    if (!value->def)
        return !value->block || is_ordinal(value) || differs(validator, op, "reads a value that has no variable");
    if (!op_is_pure(value->def))
        return differs(validator, op, "reads a result of '%s' that has no variable", op_info[value->def->code].text);
    return held_read(validator, op, value->def);
}

/* Reads all operands that the operation's text mentions.  An accumulator comes first, and moves to the result's
   variable.  */
bool held_read(Validator *validator, const Op *op, const Op *printed)
{
    if (validator->nvariables && op_writes_in_place(printed)) {
        if (!variable_read(validator, op, printed->args[2]))
            return false;
        const Variable *variable = printed->results[0]->var;
        if (variable && variable->role)
            *holds(validator, variable) = known_of(validator, printed->args[2]).term;
        return variable_read(validator, op, printed->args[0]) && variable_read(validator, op, printed->args[1]) &&
               (printed->nargs < 4 || variable_read(validator, op, printed->args[3]));
    }
    for (int i = 0; validator->nvariables && i < printed->nargs; i++)
        if (!variable_read(validator, op, printed->args[i]))
            return false;
    return true;
}

/* Reads the values that are passed on to values with a variable, all at once.  */
bool held_hand_over(Validator *validator, const Op *op, Value *const *from, Value *const *to, int count)
{
    for (int i = 0; validator->nvariables && i < count; i++)
        if (to[i]->var && !variable_read(validator, op, from[i]))
            return false;
    return true;
}

/* In front of a loop the carried values move to their variables, then the counter starts.  */
bool held_begin(Validator *validator, const Op *loop, int fixed, Value *const *carriers)
{
    const int count = carried_count(loop);
    if (!held_hand_over(validator, loop, loop->args + fixed, carriers, count))
        return false;
    for (int i = 0; validator->nvariables && i < count; i++)
        if (carriers[i]->var && carriers[i]->var->role)
            *holds(validator, carriers[i]->var) = known_of(validator, loop->args[fixed + i]).term;
    return !fixed || variable_read(validator, loop, loop->args[0]);
}

/* Reads the counter, bound, step and edge as each iteration does: the body writes none of them.  */
bool held_go_round(Validator *validator, const Op *loop)
{
    return variable_read(validator, loop, loop->blocks[0]->args[0]) && variable_read(validator, loop, loop->args[1]) &&
           variable_read(validator, loop, loop->args[2]) &&
           (!loop_edge(loop) || variable_read(validator, loop, loop_edge(loop)));
}

/* The results of a loop stay in the variables of its carried values.  */
bool held_leave(Validator *validator, const Op *loop, Value *const *carriers)
{
    held_forget(validator, loop);
    for (int i = 0; validator->nvariables && i < loop->nresults; i++) {
        if (loop->results[i]->var && loop->results[i]->var != carriers[i]->var)
            return differs(validator, loop, "leaves '%s' in another variable than it carries it in",
                           loop->results[i]->var->name);
        variable_write(validator, loop->results[i]);
    }
    return true;
}
