/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-total.c - sums over a whole grid, which leave it.
 *
 *      #pragma ws grid(1) reduction(+: s)        %s.2 = for %i = 0, < %n, 1; %s.3 = 0 {
 *      for (int i = 0; i < n; i++)                 ...
 *          s += x[i];                     =>       yield %s.4
 *                                                }
 *                                                set_element %s, 0, %s.2 "s"
 *
 * An element that all iterations sum in, as q[0], is such a variable, too: its loads and stores are at the pointer.
 *
 * In the kernel a sum begins with nothing, and goes behind the loops to a pointer that the launcher gets. The front end
 * adds the result to the variable.
 */
#include <string.h>

#include "build.h"

static const Reduction *clause_naming(const Builder *b, const SourceVariable *variable)
{
    for (const Reduction *one = b->kernel->grid.reductions; one; one = one->next)
        if (variable->declaration.name && !strcmp(one->name, variable->declaration.name))
            return one;
    return NULL;
}

static bool check_type(Builder *b, const Reduction *clause, SourceType type)
{
    const bool logical = clause->op == OP_SCALAR_AND || clause->op == OP_SCALAR_OR;
    if (clause->op == OP_SCALAR_MUL)
        reject(b->kernel, b->kernel->loc, REASON_TOTAL_PRODUCT, clause->name);
    else if (type == ST_P || (logical && source_type_is_float(type)))
        reject(b->kernel, b->kernel->loc, REASON_TOTAL_TYPE, clause->name);
    else
        return true;
    return false;
}

static void refuse_leaving(Builder *b, const SourceLeaving *leaving)
{
    Kernel *kernel = b->kernel;
    const Loc loc = leaving->read.line ? leaving->read : kernel->loc;
    const char *name = leaving->variable->declaration.name;
    if (name)
        reject(kernel, loc, REASON_VALUE_LEAVES, name);
    else
        reject(kernel, loc, REASON_VALUE_LEAVES_UNNAMED);
    if (kernel->choice.of)
        return;
    if (leaving->is_counter)
        remark(kernel, DIAG_NOTE, kernel->loc, "assign it again behind the grid, or use another variable there");
    else if (kernel->grid.plain && name)
        remark(kernel, DIAG_NOTE, kernel->loc,
               "results leave this grid in arrays, and as sums: 'reduction(+: %s)', a clause of the grid", name);
    else
        remark(kernel, DIAG_NOTE, kernel->loc,
               "results leave this grid through 'ws_store' alone; compute scalars again after it");
}

static bool is_live_in(const Builder *b, const Value *value)
{
    for (int k = 0; k < b->nlive_ins; k++)
        if (b->live_ins[k].value == value)
            return true;
    return false;
}

/* Is it computed of what is known before the grid?  */
static bool stands_still(const Builder *b, const Value *value, int depth)
{
    if (!value || is_live_in(b, value))
        return true;
    if (!value->def || depth > 32 || value->def->nresults != 1 || value->def->code == OP_ELEMENT ||
        op_info[value->def->code].class_ != CLASS_SCALAR)
        return false;
    for (int k = 0; k < value->def->nargs; k++)
        if (!stands_still(b, value->def->args[k], depth + 1))
            return false;
    return true;
}

static bool is_same(const Value *x, const Value *y, int depth)
{
    int64_t a, b;
    if (x == y)
        return true;
    if (ir_constant(x, &a) || ir_constant(y, &b))
        return ir_constant(x, &a) && ir_constant(y, &b) && a == b;
    if (!x->def || !y->def || depth > 32 || x->def->code != y->def->code || x->def->nargs != y->def->nargs ||
        x->type.dtype != y->type.dtype || x->def->nresults != 1)
        return false;
    for (int k = 0; k < x->def->nargs; k++)
        if (!is_same(x->def->args[k], y->def->args[k], depth + 1))
            return false;
    return true;
}

/* Of two elements that may be the same one, neither has a sum of its own.  */
static bool refuse_second(Builder *b, const Instruction *i, const Reduction *clause, bool near)
{
    for (int k = 0; k < b->nlive_ins; k++) {
        if (b->live_ins[k].into != clause || (near && b->live_ins[k].is_near))
            continue;
        const char *counter = b->ncounters ? b->counters[0].counter.name : NULL;
        reject(b->kernel, i->loc, REASON_PLAIN_WRITES_ONE, counter ? counter : "the loop",
               i->spelling ? i->spelling : clause->name);
        return true;
    }
    return false;
}

Built build_total_element(Builder *b, const Instruction *access, Built address)
{
    const SourceType type = access->type;
    const Reduction *clause = b->kernel->grid.plain && address.name ? b->kernel->grid.reductions : NULL;
    int of = -1, k = 0;
    int64_t bytes = 0;
    while (clause && strcmp(clause->name, address.name))
        clause = clause->next;
    for (int i = 0; clause && i < b->nlive_ins; i++)
        if (b->live_ins[i].value == address.value && !b->live_ins[i].into)
            of = i;
    if (of < 0 || !stands_still(b, address.offset, 0) || !check_type(b, clause, type))
        return address;
    const bool near = !address.offset || ir_constant(address.offset, &bytes);
    while (k < b->nlive_ins && !(b->live_ins[k].into == clause && b->live_ins[k].address == address.value &&
                                 b->live_ins[k].is_near == near && b->live_ins[k].behind == bytes &&
                                 (near || is_same(b->live_ins[k].place, address.offset, 0))))
        k++;
    if (k == b->nlive_ins && refuse_second(b, access, clause, near))
        return address;
    SourceLiveIn like = b->live_ins[of];
    like.behind += bytes;
    like.into = clause;
    like.is_near = near;
    like.place = near ? NULL : address.offset;
    like.read = type;
    like.address = address.value;
    address.value = k < b->nlive_ins ? b->live_ins[k].value
                                     : build_live_in(b, like, type_pointer(D_F32), clause->name, access->loc);
    address.offset = NULL;
    return address;
}

void build_totals_begin(Builder *b, uint64_t *live)
{
    for (int i = 0; i < b->outline->nleaving && !b->kernel->failed; i++) {
        const SourceVariable *variable = b->outline->leaving[i].variable, *own = b->outline->leaving[i].own;
        const Reduction *clause = b->kernel->grid.plain ? clause_naming(b, variable) : NULL;
        if (!clause) {
            refuse_leaving(b, &b->outline->leaving[i]);
        } else if (check_type(b, clause, variable->type)) {
            build_add(live, own->id);
            b->variables[own->id] = (Built){.kind = BUILT_SCALAR, .value = build_zero(b, build_dtype(variable->type))};
        }
    }
}

static Total **add_total(Builder *b, Total **end, const Reduction *clause, Value *base)
{
    Total *total = arena_alloc(b->module, sizeof *total);
    *total = (Total){.op = clause->op, .name = clause->name, .base = base};
    *end = total;
    return &total->next;
}

void build_totals_end(Builder *b)
{
    Total **end = &b->kernel->grid.totals;
    *end = NULL;
    b->block = b->kernel->body;
    for (int i = 0; i < b->outline->nleaving && !b->kernel->failed; i++) {
        const SourceVariable *variable = b->outline->leaving[i].variable;
        const Reduction *clause = clause_naming(b, variable);
        Value *base = build_live_in(b, (SourceLiveIn){.total = variable}, type_pointer(D_F32), clause->name,
                                    variable->declaration.loc);
        Value *args[] = {base, build_integer(b, D_I64, 0), b->variables[b->outline->leaving[i].own->id].value};
        Op *op = op_new(b->kernel, OP_SET_ELEMENT, b->kernel->loc, 3, args);
        op->store->label = clause->name;
        op_append(b->block, op);
        end = add_total(b, end, clause, base);
    }
    for (int k = 0; k < b->nlive_ins && !b->kernel->failed; k++)
        if (b->live_ins[k].into)
            end = add_total(b, end, b->live_ins[k].into, b->live_ins[k].value);
}
