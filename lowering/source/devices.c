/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.c - tensors that an iteration of a loop over devices may store to.
 *
 *      #pragma ws devices(n)
 *      for (int r = 0; r < n; r++) {
 *          ws_tensor y = ws_tensor_2d(Y[r], ...);       its own
 *          ws_tensor z = ws_tensor_2d(Y[r + 1], ...);   that of another iteration
 *          ws_tensor w = ws_tensor_2d(W, ...);          that of all iterations
 *
 * Iterations run at the same time, so each stores to what is its own alone: x[r] of its counter r. The launches compare
 * what the compiler does not see (runtime/host/devices.c).
 */
#include <string.h>

#include "source/kernels.h"

enum { MOST_DEPTH = 24 };

typedef struct {
    SourceFlow *flow;
    int header; /* of the loop over devices */
} Devices;

/* An operand, and the block of the instruction that reads it.  */
typedef struct {
    Operand operand;
    int block;
} Place;

static Instruction *maker_of(const Devices *d, Place x)
{
    return source_maker(d->flow->order[x.block]->first, x.operand);
}

/* The one assignment of a variable. false: it is a parameter, or there are several.  */
static bool assignment_of(const Devices *d, const SourceVariable *variable, Place *from)
{
    int count = variable->is_parameter;
    for (int b = 0; b < d->flow->n; b++)
        for (const Instruction *i = d->flow->order[b]->first; i; i = i->next)
            if (i->code == SO_COPY && i->variable == variable) {
                *from = (Place){i->args[0], b};
                count++;
            }
    return count == 1 && !variable->is_parameter;
}

/* Behind variables that are assigned once.  */
static Place resolved(const Devices *d, Place x)
{
    Place from;
    for (int depth = 0; depth < MOST_DEPTH && x.operand.kind == OPERAND_VARIABLE; depth++) {
        if (!assignment_of(d, x.operand.variable, &from))
            break;
        x = from;
    }
    return x;
}

static bool loop_assigns(const Devices *d, const SourceVariable *variable)
{
    for (int b = 0; b < d->flow->n; b++)
        for (const Instruction *i = d->flow->order[b]->first; i; i = i->next)
            if (i->code == SO_COPY && i->variable == variable && source_in_loop(d->flow, d->header, b))
                return true;
    return false;
}

/* May it be another one in another iteration of the loop over devices?  */
static bool varies(const Devices *d, Place x, int depth)
{
    x = resolved(d, x);
    if (x.operand.kind == OPERAND_VARIABLE)
        return loop_assigns(d, x.operand.variable);
    Instruction *made = maker_of(d, x);
    if (!made || !source_in_loop(d->flow, d->header, x.block))
        return false;
    if (depth > MOST_DEPTH || (made->code == SO_CALL && !source_makes_tensor(made)))
        return true;
    for (int k = 0; k < source_noperands(made); k++)
        if (varies(d, (Place){*source_operand(made, k), x.block}, depth + 1))
            return true;
    return false;
}

/* The base of a tensor. false: it is not made here.  */
static bool base_of(const Devices *d, Place tensor, Place *base)
{
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        tensor = resolved(d, tensor);
        const Instruction *made = maker_of(d, tensor);
        if (!made || !source_makes_tensor(made))
            return false;
        tensor = *base = (Place){made->arguments[0].operand, tensor.block};
        if (!strncmp(made->symbol, "ws_tensor_", 10))
            return true;
    }
    return false;
}

/* The subscript of a pointer out of an array of pointers, without conversions. false: it is none.  */
static bool subscript_of(const Devices *d, Place base, Place *subscript)
{
    bool moved = false, found = false;
    base = resolved(d, base);
    const Instruction *made = maker_of(d, base);
    if (!made || made->code != SO_LOAD)
        return false;
    Place address = resolved(d, (Place){made->args[0], base.block});
    while ((made = maker_of(d, address)) && made->code == SO_ADD && made->type == ST_P) {
        moved |= made->args[1].kind == OPERAND_INTEGER || found;
        found |= made->args[1].kind != OPERAND_INTEGER;
        if (made->args[1].kind != OPERAND_INTEGER)
            *subscript = resolved(d, (Place){made->args[1], address.block});
        address = resolved(d, (Place){made->args[0], address.block});
    }
    while (found && !moved && (made = maker_of(d, *subscript)) &&
           (made->code == SO_CONV ||
            ((made->code == SO_MUL || made->code == SO_SHL) && made->args[1].kind == OPERAND_INTEGER)))
        *subscript = resolved(d, (Place){made->args[0], subscript->block});
    return found;
}

/* The variable that the loop's test compares.  */
static bool is_counter(const Devices *d, Operand x)
{
    const Instruction *end = d->flow->order[d->header]->last;
    const Instruction *test = end->code == SO_BRANCH ? maker_of(d, (Place){end->args[0], d->header}) : NULL;
    if (!test || x.kind != OPERAND_VARIABLE)
        return false;
    for (int k = 0; k < 2; k++) {
        Place side = {test->args[k], d->header};
        for (const Instruction *made; (made = maker_of(d, side)) && made->code == SO_CONV;)
            side.operand = made->args[0];
        if (side.operand.kind == OPERAND_VARIABLE && side.operand.variable == x.variable)
            return true;
    }
    return false;
}

static bool stores(const Instruction *i)
{
    return i->code == SO_CALL && i->symbol && i->narguments &&
           (!strncmp(i->symbol, "ws_store", 8) || !strncmp(i->symbol, "ws_atomic", 9));
}

static void check_store(const Devices *d, Kernel *kernel, const Instruction *store, int block)
{
    Place base, subscript;
    if (!base_of(d, (Place){store->arguments[0].operand, block}, &base))
        return;
    if (!varies(d, base, 0))
        reject(kernel, store->loc, REASON_DEVICES_ONE_TENSOR);
    else if (subscript_of(d, base, &subscript) && !is_counter(d, subscript.operand) && varies(d, subscript, 0))
        reject(kernel, store->loc, REASON_DEVICES_OTHERS_TENSOR);
}

void source_check_devices(Kernel *kernel, SourceFunction *function, int mark, int grid)
{
    Devices devices = {.flow = source_flow(function), .header = -1}, *d = &devices;
    for (int b = 0; b < d->flow->n && d->header < 0; b++)
        for (const Instruction *i = d->flow->order[b]->first; i; i = i->next)
            if (i->code == SO_MARK && i->mark == mark)
                d->header = source_marked_loop(function, d->flow, d->flow->order[b], mark);
    for (int b = 0; b < d->flow->n && d->header >= 0; b++)
        for (const Instruction *i = d->flow->order[b]->first; i && source_in_loop(d->flow, grid, b); i = i->next)
            if (stores(i) && !kernel->failed)
                check_store(d, kernel, i, b);
}
