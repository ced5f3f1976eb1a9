/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-names.c - names of C variables: two variables with one name in the .cu have disjoint scopes.
 *
 *      variable x, variable x$2                 both are x in the .cu
 *      { int x = ..; }  { int x = ..; }         disjoint: accepted
 *      int x = ..; { int x = ..; f (x); }       f means the inner one, and the IR the outer one: refused
 *
 * The scope of a variable is the innermost block that holds every mention of it, with all blocks inside.  A variable
 * has the type of each value that it holds.
 */
#include <string.h>

#include "ir/queries.h"
#include "proof/verify.h"

typedef struct {
    const Variable *variable;
    const Block *scope; /* NULL: no mention */
} Name;

typedef struct {
    Name *names;
    int count;
} Scope;

static int depth_of(const Block *block)
{
    int depth = 0;
    for (; block->parent; block = block->parent->parent)
        depth++;
    return depth;
}

static const Block *outwards(const Block *block, int levels)
{
    while (levels-- > 0)
        block = block->parent->parent;
    return block;
}

/* Returns the innermost block that holds both.  */
static const Block *around_both(const Block *x, const Block *y)
{
    int dx = depth_of(x), dy = depth_of(y);
    x = outwards(x, dx - dy);
    y = outwards(y, dy - dx);
    while (x != y) {
        x = outwards(x, 1);
        y = outwards(y, 1);
    }
    return x;
}

static void mention(Scope *scope, const Value *value, const Block *block)
{
    if (!value->var || !value->var->role)
        return;
    for (int i = 0; i < scope->count; i++) {
        Name *name = &scope->names[i];
        if (name->variable == value->var)
            name->scope = name->scope ? around_both(name->scope, block) : block;
    }
}

/* A counter's scope is its loop.  The counter of a loop with two bodies is declared around it, as are carried values
   and results.  */
static void visit_mentions(Op *op, void *context)
{
    bool counts = (op->code == OP_FOR && op->nblocks == 1) || op->code == OP_GRID || op->code == OP_NARROW;
    for (int i = 0; i < op->nargs; i++)
        mention(context, op->args[i], op->parent);
    for (int i = 0; i < op->nresults; i++)
        mention(context, op->results[i], op->parent);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++) {
            bool inside = counts && (i == 0 || op->code == OP_GRID);
            mention(context, op->blocks[k]->args[i], inside ? op->blocks[k] : op->parent);
        }
}

/* True if `inner` is inside `outer`.  Both blocks of a while are printed as one.  */
static bool is_inside(const Block *inner, const Block *outer)
{
    for (;; inner = inner->parent->parent) {
        bool twins = inner->parent && inner->parent == outer->parent && inner->parent->code == OP_WHILE;
        if (inner == outer || twins)
            return true;
        if (!inner->parent)
            return false;
    }
}

static bool printed_equal(const char *x, const char *y)
{
    size_t length = strcspn(x, "$");
    return length == strcspn(y, "$") && !strncmp(x, y, length);
}

static bool clash(const Name *x, const Name *y)
{
    return x->scope && y->scope && printed_equal(x->variable->name, y->variable->name) &&
           (is_inside(x->scope, y->scope) || is_inside(y->scope, x->scope));
}

/* ---- what variables hold ----------------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const Role *role; /* whose program is checked */
    bool failed;
} Holder;

/* A product in flight is in the registers of its tile.  */
static bool holds(const Variable *variable, const Value *value)
{
    Type type = value->type;
    if (value_is_tile(value))
        type.kind = variable->type.kind == K_TOKEN ? K_TOKEN : K_TILE;
    return type_equal(variable->type, type);
}

/* The launcher computes fields from its parameters, in front of the grid.  */
static bool is_of_launcher(const Value *value)
{
    const OpClass class_ = value->def ? op_info[value->def->code].class_ : CLASS_SCALAR;
    const Block *block = value->def ? value->def->parent : value->block;
    return (class_ == CLASS_SCALAR || class_ == CLASS_TENSOR) && (!block || (value->def && !block->parent));
}

static void check_holder(Holder *holder, const Value *value, Loc loc)
{
    const Variable *variable = value->var;
    if (!variable || holder->failed)
        return;
    const char *why = !holds(variable, value)                              ? "holds a value of another type"
                      : variable->field && !is_of_launcher(value)          ? "is the launcher's, and a role sets it"
                      : !variable->field && variable->role != holder->role ? "is not the role's that sets it"
                                                                           : NULL;
    if (why)
        BUG_AT(holder->kernel, loc.line ? loc : holder->kernel->loc, "variable '%s' %s", variable->name, why);
    holder->failed = why != NULL;
}

static void visit_held(Op *op, void *context)
{
    for (int i = 0; i < op->nresults; i++)
        check_holder(context, op->results[i], op->loc);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            check_holder(context, op->blocks[k]->args[i], op->loc);
}

static bool check_held(Kernel *kernel)
{
    Holder holder = {kernel, NULL, false};
    for (int i = 0; i < kernel->nparams && !holder.failed; i++) {
        const Variable *variable = kernel->params[i]->var;
        holder.failed = variable && !type_equal(variable->type, kernel->params[i]->type);
        if (holder.failed)
            BUG(kernel, "variable '%s' is a parameter of another type", variable->name);
    }
    FOR_ROLES (role, kernel) {
        holder.role = role;
        for (int i = 0; i < role->body->nargs; i++)
            check_holder(&holder, role->body->args[i], kernel->loc);
        ir_walk(role->body, visit_held, &holder);
    }
    return !holder.failed;
}

bool verify_names(Kernel *kernel)
{
    if (!check_held(kernel))
        return false;
    int most = 0;
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        most++;
    Scope scope = {arena_alloc(kernel->module, (size_t)(most + 1) * sizeof *scope.names), 0};
    FOR_ROLES (role, kernel) {
        scope.count = 0;
        for (const Variable *variable = kernel->variables; variable; variable = variable->next)
            if (variable->role == role)
                scope.names[scope.count++] = (Name){variable, NULL};
        for (int i = 0; i < role->body->nargs; i++)
            mention(&scope, role->body->args[i], role->body);
        ir_walk(role->body, visit_mentions, &scope);
        for (int i = 0; i < scope.count; i++)
            for (int k = 0; k < i; k++)
                if (clash(&scope.names[i], &scope.names[k])) {
                    BUG(kernel, "'%s': two variables that are seen together are called '%s' and '%s'", role->name,
                        scope.names[k].variable->name, scope.names[i].variable->name);
                    return false;
                }
    }
    return true;
}
