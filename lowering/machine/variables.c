/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * variables.c - maps SSA values to C variables, and names them in the .cu.
 *
 *      %acc0 = full 0                              auto acc = ws::full<...>(0);
 *      %acc3 = for 0, %K, 64, %acc0 (%k, %acc1)    for (int k = 0; k < p.K; k += 64) {
 *        %t = mma %ta, %tb, %acc1                      ws::mma(acc, ...);
 *        %acc2 = wait 1, %t                            ws::wait<1>(acc);
 *        yield %acc2                               }
 *
 * Four steps for each role:
 *
 *   form    A value is printed at its one use (inline), is a member of the parameter struct, or needs a variable.
 *           Values that the launcher can compute are members.  An unnamed expression moves to its use within its
 *           block, but not across writes to memory that it reads.  A scalar whose leaves do not change may sink into
 *           nested blocks.
 *   live    Live ranges of values (variables-merge.c).
 *   merge   Values that share a variable (variables-merge.c).
 *   name    Names of the user.  A name is used twice only in disjoint scopes (variables-names.c).
 */
#include <string.h>

#include "machine/plan.h"
#include "machine/variables.h"
#include "roles/order.h"
#include "roles/programs.h"

/* ---- collecting -------------------------------------------------------------------------------------------------- */

ValueInfo *variables_info(const Namer *namer, const Value *value)
{
    int i = namer->index[value->id];
    return i < 0 ? NULL : &namer->infos[i];
}

static void add_info(Namer *namer, Value *value)
{
    if (namer->count == namer->capacity) {
        int capacity = namer->capacity ? 2 * namer->capacity : 64;
        ValueInfo *infos = arena_alloc(namer->kernel->module, (size_t)capacity * sizeof *infos);
        if (namer->count)
            memcpy(infos, namer->infos, (size_t)namer->count * sizeof *infos);
        namer->infos = infos;
        namer->capacity = capacity;
    }
    namer->index[value->id] = namer->count;
    namer->infos[namer->count] =
        (ValueInfo){.value = value, .class_ = namer->count, .next_member = namer->count, .same = namer->count};
    namer->count++;
}

static void visit_values(Op *op, void *context)
{
    Namer *namer = context;
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            add_info(namer, op->blocks[k]->args[i]);
    for (int i = 0; i < op->nresults; i++)
        add_info(namer, op->results[i]);
}

/* True for tensors and the grid.  The launcher computes them, and a role only names them.  */
static bool is_launchers(const Op *op)
{
    return op->code == OP_TENSOR || op->code == OP_GRID;
}

static void visit_mentions(Op *op, void *context)
{
    Namer *namer = context;
    for (int i = 0; i < op->nargs; i++) {
        ValueInfo *info = variables_info(namer, op->args[i]);
        if (info)
            info->mentions++;
    }
}

/* ---- form -------------------------------------------------------------------------------------------------------- */

/* True for a scalar expression that may be computed again at no cost, for instance in a loop's header.  */
static bool is_cheap(const Value *value, int depth)
{
    const Op *op = value->def;
    if (!op)
        return true;
    if (op_info[op->code].class_ != CLASS_SCALAR || op->code == OP_SCALAR_MATH || depth == 0)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!is_cheap(op->args[i], depth - 1))
            return false;
    return true;
}

enum { LOOK_BACK = 8 };

/* True if the operation is computed from registers alone, as far as LOOK_BACK definitions show.  */
static bool only_computes(const Op *op, int depth)
{
    if (!op || op->nblocks)
        return true;
    OpClass class_ = op_info[op->code].class_;
    if (!depth || class_ == CLASS_LOAD || op->code == OP_READ || op->storage)
        return false;
    for (int i = 0; i < op->nargs && class_ == CLASS_TILE; i++)
        if (!only_computes(op->args[i]->def, depth - 1))
            return false;
    return true;
}

/* True if all tile operands have variables.  */
static bool is_made_of_variables(const Namer *namer, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const ValueInfo *info = variables_info(namer, op->args[i]);
        if (value_is_tile(op->args[i]) && (!info || info->mentions < 2))
            return false;
    }
    return op_info[op->code].class_ == CLASS_TILE && !op->storage;
}

/* True if a tile expression may be printed at its use: only pure operations are between definition and use, in one
   block.  It then crosses no store, barrier or product.  A computed value may move behind a wait for staging
   memory.  A load may not: it should be in flight by then.  An expression of variables may move behind an exchange
   between blocks.  */
static bool reaches_quietly(const Namer *namer, const Op *def, Op *user)
{
    if (!user || user->parent != def->parent)
        return false;
    for (const Op *op = def->next; op && op != user; op = op->next) {
        bool waits = op->code == OP_STORE_WAIT && only_computes(def, LOOK_BACK);
        bool meets = op_meets_blocks(op) && is_made_of_variables(namer, def);
        if (!op_is_pure(op) && !waits && !meets)
            return false;
    }
    return true;
}

static bool is_loop_bound(const Op *user, const Value *value)
{
    for (int i = 0; i < user->nargs; i++)
        if (user->args[i] == value && is_read_again(user, i))
            return true;
    return false;
}

/* True for a literal or a value with a C name.  */
static bool is_leaf(const Namer *namer, const Value *value)
{
    const ValueInfo *info = variables_info(namer, value);
    return !info || !value->def || value->def->code == OP_CONST || value->name || info->mentions > 1;
}

static Form scalar_form(const Namer *namer, const ValueInfo *info)
{
    const Value *value = info->value;
    const Op *op = value->def;
    bool prologue = op->parent == namer->role->body;
    if (op->code == OP_CONST)
        return FORM_INLINE;
    if (op->code == OP_SCALAR_CONVERT && !value->name && is_leaf(namer, op->args[0]))
        return FORM_INLINE;
    bool once = info->uses == 1 && !value->name && op_info[op->code].class_ == CLASS_SCALAR;
    if (once && is_cheap(value, 4))
        return FORM_INLINE;
    if (prologue && value_on_host(value))
        return FORM_FIELD;
    if (once && !is_loop_bound(info->user, value) && info->user->parent == op->parent)
        return FORM_INLINE;
    return FORM_LOCAL;
}

static Form result_form(const Namer *namer, const ValueInfo *info)
{
    const Value *value = info->value;
    const Op *op = value->def;
    if (op_is_pure(op) && !info->uses)
        return FORM_NONE;
    if (op->code == OP_VIEW || op->code == OP_TRANS_VIEW || op->code == OP_SPLAT || op->code == OP_COLUMNS)
        return FORM_INLINE;
    if (op->code == OP_TENSOR)
        return FORM_FIELD;
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
        return scalar_form(namer, info);
    case CLASS_READ:
    case CLASS_TILE:
    case CLASS_LOAD:
        if (!op_is_pure(op) || value->name || op->storage || info->uses != 1 || info->user->code == OP_YIELD)
            return FORM_LOCAL;
        return reaches_quietly(namer, op, info->user) && !is_loop_bound(info->user, value) ? FORM_INLINE : FORM_LOCAL;
    default:
        return FORM_LOCAL;
    }
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* The operation that first writes the variable for this member, and whether the declaration can have the value
   there.  */
typedef struct {
    Op *op;
    bool with_value;
} Write;

static Write first_write(const Value *value)
{
    if (value->def) {
        Op *op = value->def;
        return (Write){op, op->code != OP_IF && op->code != OP_WHILE};
    }
    Op *holder = value->block->parent;
    return (Write){holder, holder && !(holder->code == OP_WHILE && value->block == holder->blocks[1])};
}

static bool block_holds(const Block *outer, const Block *inner)
{
    for (; inner; inner = inner->parent ? inner->parent->parent : NULL)
        if (inner == outer)
            return true;
    return false;
}

/* Finds the innermost block that contains all writes, and the first operation in it that contains a write.  */
static void place(const Namer *namer, int class_, Variable *variable)
{
    Block *block = NULL;
    Write first = {NULL, false};
    int writes = 0, i = class_;
    do {
        Write write = first_write(namer->infos[i].value);
        if (write.op) {
            Block *home = write.op->parent;
            for (block = block ? block : home; !block_holds(block, home); block = block->parent->parent)
                ;
            if (!first.op || write.op->position < first.op->position)
                first = write;
            writes++;
        }
        i = namer->infos[i].next_member;
    } while (i != class_);
    if (!first.op)
        return;
    variable->declared = order_in_block(first.op, block);
    variable->bare = variable->declared != first.op || !first.with_value;
    variable->mutable_ |= writes > 1 || variable->bare;
}

/* True for values that are written in place: arguments of loops, accumulators, and values that a wait pins.  */
static bool member_is_mutable(const Namer *namer, const Value *value)
{
    const Op *op = value->def;
    if (!op)
        return value->block->parent && value->block->parent->code != OP_GRID;
    if (op->code == OP_WAIT || op->code == OP_IF || op->code == OP_WHILE || op->code == OP_FOR ||
        op->code == OP_NARROW || op_writes_in_place(op))
        return true;
    const Op *user = namer->infos[namer->index[value->id]].user;
    return user && value_is_tile(value) && user->code == OP_WAIT;
}

static void visit_pinned(Op *op, void *context)
{
    Namer *namer = context;
    for (int i = 0; op->code == OP_WAIT && i < op->nargs; i++)
        if (op->args[i]->var && op->args[i]->var->role)
            op->args[i]->var->mutable_ = true;
    (void)namer;
}

static Variable *variable_new(Kernel *kernel, Role *role, Type type)
{
    Variable *variable = arena_alloc(kernel->module, sizeof *variable);
    variable->type = type;
    variable->role = role;
    Variable **end = &kernel->variables;
    while (*end)
        end = &(*end)->next;
    *end = variable;
    return variable;
}

/* ---- the launcher's variables ------------------------------------------------------------------------------------ */

/* True for a parameter of the launcher's function, which has two names of its own.  Scalar parameters, computed values
   and the grid are members of the parameter struct.  */
static bool is_parameter(const Value *value)
{
    return !value->def;
}

static bool is_member(const Value *value)
{
    return value->def || value->type.kind == K_SCALAR;
}

static bool launcher_name_free(const Kernel *kernel, const char *name, const Value *value)
{
    bool own = is_parameter(value) && (!strcmp(name, "p") || !strcmp(name, "call"));
    if (own || (is_member(value) && !strcmp(name, "grid")) || variables_is_reserved(name))
        return false;
    for (const Variable *other = kernel->variables; other; other = other->next) {
        bool overlap =
            !other->role && other->name &&
            ((is_parameter(value) && is_parameter(other->value)) || (is_member(value) && is_member(other->value)));
        if (overlap && !strcmp(other->name, name))
            return false;
    }
    return true;
}

static Variable *launcher_variable(Kernel *kernel, Value *value, const char *fallback)
{
    const char *name = value->name ? value->name : fallback, *unique = name;
    for (int i = 2; !launcher_name_free(kernel, unique, value); i++)
        unique = arena_print(kernel->module, "%s_%d", name, i);
    Variable *variable = variable_new(kernel, NULL, value->type);
    variable->name = unique;
    variable->value = value;
    return variable;
}

/* True if two values are one on the host.  Each role has its own copy of the prologue, so expressions and names are
   compared.  */
static bool same_on_host(const Value *x, const Value *y)
{
    if (x == y)
        return true;
    const Op *a = x->def, *b = y->def;
    if (!a || !b || a->code != b->code || a->nargs != b->nargs || !op_means_the_same(a, b) ||
        !type_equal(x->type, y->type))
        return false;
    for (int i = 0; i < a->nargs; i++)
        if (!same_on_host(a->args[i], b->args[i]))
            return false;
    return true;
}

static bool same_name(const char *x, const char *y)
{
    return x == y || (x && y && !strcmp(x, y));
}

static Variable *field_of(Kernel *kernel, Value *value)
{
    for (Variable *variable = kernel->variables; variable; variable = variable->next)
        if (!variable->role && variable->field && same_name(variable->value->name, value->name) &&
            same_on_host(variable->value, value))
            return variable;
    Variable *variable = launcher_variable(kernel, value, value->type.kind == K_TENSOR ? "tensor" : "n");
    variable->field = true;
    return variable;
}

static void param_variables(Kernel *kernel)
{
    for (int i = 0; i < kernel->nparams; i++)
        kernel->params[i]->var = launcher_variable(kernel, kernel->params[i], "value");
}

/* Marks a scalar parameter that a role reads as a member of the struct.  */
static void mark_field(Namer *namer, const Value *value, int depth)
{
    const ValueInfo *info = variables_info(namer, value);
    if (!info) {
        if (value->var && value->type.kind == K_SCALAR)
            value->var->field = true;
    } else if (info->form == FORM_INLINE && value->def) {
        for (int i = 0; i < value->def->nargs; i++)
            mark_field(namer, value->def->args[i], depth + 1);
    }
}

static void visit_fields(Op *op, void *context)
{
    Namer *namer = context;
    bool printed = !(op->nresults == 1 && op_is_pure(op) && variables_info(namer, op->results[0])->form != FORM_LOCAL);
    for (int i = 0; printed && !is_launchers(op) && i < op->nargs; i++)
        mark_field(namer, op->args[i], 0);
}

/* True for the ordinal of the tile, which follows the variables of the grid and is printed at its use.  */
static bool is_ordinal(const Value *value)
{
    const Op *holder = value->block->parent;
    return holder && holder->code == OP_GRID && value->index >= holder->nargs / 3;
}

/* ---- one role ---------------------------------------------------------------------------------------------------- */

/* Goes backwards, since uses count only if the operation is printed in the role.  */
static void settle_block(Namer *namer, const Block *block)
{
    for (Op *op = block->last; op; op = op->prev) {
        bool printed = !is_launchers(op);
        for (int i = 0; i < op->nresults; i++) {
            ValueInfo *info = variables_info(namer, op->results[i]);
            info->form = result_form(namer, info);
            printed &= !op_is_pure(op) || info->form == FORM_INLINE || info->form == FORM_LOCAL;
        }
        for (int k = op->nblocks - 1; k >= 0; k--)
            settle_block(namer, op->blocks[k]);
        for (int i = 0; printed && i < op->nargs; i++) {
            ValueInfo *info = variables_info(namer, op->args[i]);
            if (info) {
                info->uses++;
                info->user = op;
            }
        }
    }
}

static void settle_forms(Namer *namer)
{
    for (int i = 0; i < namer->count; i++)
        if (!namer->infos[i].value->def)
            namer->infos[i].form = is_ordinal(namer->infos[i].value) ? FORM_NONE : FORM_LOCAL;
    settle_block(namer, namer->role->body);
}

static void make_variables(Namer *namer)
{
    NameScope *taken = NULL;
    for (int i = 0; i < namer->count; i++) {
        ValueInfo *info = &namer->infos[i];
        info->value->var = NULL;
        if (info->form == FORM_FIELD)
            info->value->var = field_of(namer->kernel, info->value);
        if (info->form != FORM_LOCAL)
            continue;
        if (info->class_ != i) {
            info->value->var = namer->infos[info->class_].value->var;
        } else {
            Variable *variable = variable_new(namer->kernel, namer->role, info->value->type);
            place(namer, i, variable);
            const Block *scope = variables_scope(variable, info->value);
            variable->name = variables_unique_name(namer, taken, variables_class_name(namer, i), scope);
            NameScope *entry = arena_alloc(namer->kernel->module, sizeof *entry);
            *entry = (NameScope){variable, scope, taken};
            taken = entry;
            info->value->var = variable;
        }
        info->value->var->mutable_ |= member_is_mutable(namer, info->value);
    }
}

static void role_variables(Kernel *kernel, Role *role)
{
    int nvalues = kernel->module->next_id;
    Namer namer = {.kernel = kernel, .role = role, .grid = role_grid(role)};
    namer.index = arena_alloc(kernel->module, (size_t)nvalues * sizeof *namer.index);
    memset(namer.index, 0xff, (size_t)nvalues * sizeof *namer.index);
    for (int i = 0; i < role->body->nargs; i++)
        add_info(&namer, role->body->args[i]);
    order_number(role);
    ir_walk(role->body, visit_values, &namer);
    ir_walk(role->body, visit_mentions, &namer);
    settle_forms(&namer);
    variables_settle_ranges(&namer);
    variables_merge(&namer);
    make_variables(&namer);
    ir_walk(role->body, visit_pinned, &namer);
    ir_walk(role->body, visit_fields, &namer);
}

static bool storage_named(const Kernel *kernel, const char *name)
{
    FOR_STORAGES (storage, kernel)
        if (!strcmp(storage->name, name))
            return true;
    return false;
}

/* A member of the shared struct has the name of the user's tile.  Reserved names get an underscore.  */
static void name_storages(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel) {
        const char *name = storage->name;
        if (!variables_is_reserved(name))
            continue;
        do
            name = arena_print(kernel->module, "%s_", name);
        while (storage_named(kernel, name));
        storage->name = name;
    }
}

void plan_variables(Kernel *kernel)
{
    kernel->variables = NULL;
    name_storages(kernel);
    param_variables(kernel);
    FOR_ROLES (role, kernel)
        role_variables(kernel, role);
}
