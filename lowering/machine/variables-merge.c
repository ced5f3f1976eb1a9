/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * variables-merge.c - chooses the values that share a C variable.
 *
 *   live    Live ranges are ranges of positions.  The arms of an `if` exclude each other.  A loop that a value enters
 *           is part of the value's range.  Operands of an inlined expression live until the expression is printed.
 *   merge   These values share a variable unless their ranges overlap: a loop's argument, its initial value, the
 *           yielded value and the result; a product's accumulator before and after; a token and its tile.  Values that
 *           the hardware updates in place come first, so that no accumulator in flight is copied.
 */
#include <string.h>

#include "ir/queries.h"
#include "machine/variables.h"
#include "roles/order.h"

/* ---- live -------------------------------------------------------------------------------------------------------- */

const Block *variables_home(const Value *value)
{
    return value->def ? value->def->parent : value->block;
}

static int begin_of(const Value *value)
{
    if (value->def)
        return 2 * order_end(value->def) + 1;
    const Op *holder = value->block->parent;
    if (!holder)
        return 0;
    bool body_of_while = holder->code == OP_WHILE && value->block == holder->blocks[1];
    return 2 * (body_of_while ? holder->blocks[0]->last->position : holder->position) + 1;
}

static void add_range(ValueInfo *info, int begin, int end)
{
    for (int i = 0; i < info->nranges; i++) {
        Range *range = &info->ranges[i];
        bool touches = begin <= range->end && range->begin <= end;
        if (!touches && (i < MAX_RANGES - 1 || info->nranges < MAX_RANGES))
            continue;
        range->begin = begin < range->begin ? begin : range->begin;
        range->end = end > range->end ? end : range->end;
        return;
    }
    info->ranges[info->nranges++] = (Range){begin, end};
}

/* Extends the live range of a value that is read at position `at`, when `op` is printed.  The range follows the blocks
   from the definition to `op`.  */
static void extend(Namer *namer, Value *value, Op *op, int at)
{
    ValueInfo *info = variables_info(namer, value);
    if (!info)
        return;
    if (info->form == FORM_INLINE && value->def) {
        for (int i = 0; i < value->def->nargs; i++)
            extend(namer, value->def->args[i], op, at);
        return;
    }
    const Block *block = variables_home(value);
    int begin = begin_of(value);
    for (;;) {
        Op *here = order_in_block(op, block);
        if (!here && loop_edge(block->parent)) { /* both bodies find it at their begin */
            block = block->parent->blocks[1];
            begin = 2 * block->first->position - 1;
            continue;
        }
        if (!here) { /* from one block of a while to the other */
            add_range(info, begin, 2 * order_end(block->parent));
            return;
        }
        if (here == op || op_is_loop(here)) {
            add_range(info, begin, 2 * (here == op ? at : order_end(here)));
            return;
        }
        add_range(info, begin, 2 * here->position);
        for (int k = 0; k < here->nblocks; k++)
            if (ir_inside(op, here->blocks[k]))
                block = here->blocks[k];
        begin = 2 * block->first->position - 1;
    }
}

/* True if the value is the initial accumulator of a product or the initial value of a carried one.  */
static bool is_moved_first(const Value *value, const Op *op)
{
    for (int i = 0; i < carried_count(op); i++)
        if (carried(op, i).init == value)
            return true;
    return op_writes_in_place(op) && value == op->args[2];
}

/* An accumulator that is not in its variable yet is moved there before the other operands are read.  Likewise, carried
   values of a loop are moved before its counter is initialized.  */
static void extend_past(Namer *namer, Value *value, Op *op)
{
    ValueInfo *info = variables_info(namer, value);
    bool inlined = info && info->form == FORM_INLINE && value->def;
    for (int i = 0; inlined && i < value->def->nargs; i++)
        extend_past(namer, value->def->args[i], op);
    if (!inlined && !is_moved_first(value, op))
        extend(namer, value, op, op->position + 1);
}

static void visit_live(Op *op, void *context)
{
    Namer *namer = context;
    bool inlined = op->nresults == 1 && op_is_pure(op) && variables_info(namer, op->results[0])->form != FORM_LOCAL;
    if (inlined)
        return;
    for (int i = 0; i < op->nargs; i++)
        extend(namer, op->args[i], op, is_read_again(op, i) ? order_end(op) : op->position);
    for (int i = 0; i < op->nargs && op_writes_in_place(op); i++)
        if (i != 2)
            extend_past(namer, op->args[i], op);
    if (op->code == OP_FOR)
        extend_past(namer, op->args[0], op);
}

bool variables_is_counter(const Value *value)
{
    const Op *holder = value->def ? NULL : value->block->parent;
    return holder && value->index == 0 && (holder->code == OP_FOR || holder->code == OP_NARROW);
}

/* True for counters of loops and variables of the grid.  No other value may share their variable, even after the last
   use.  */
static bool is_loops_own(const Value *value)
{
    return variables_is_counter(value) ||
           (!value->def && value->block->parent && value->block->parent->code == OP_GRID);
}

void variables_settle_ranges(Namer *namer)
{
    for (int i = 0; i < namer->count; i++) {
        ValueInfo *info = &namer->infos[i];
        int begin = begin_of(info->value);
        info->nranges = 0;
        add_range(info, begin, is_loops_own(info->value) ? 2 * order_end(info->value->block->parent) : begin + 1);
    }
    ir_walk(namer->role->body, visit_live, namer);
}

/* ---- merge ------------------------------------------------------------------------------------------------------- */

static bool one_type(Type x, Type y)
{
    x.kind = x.kind == K_TOKEN ? K_TILE : x.kind;
    y.kind = y.kind == K_TOKEN ? K_TILE : y.kind;
    return type_equal(x, y);
}

static bool overlap(const ValueInfo *x, const ValueInfo *y)
{
    for (int i = 0; i < x->nranges && x->same != y->same; i++)
        for (int k = 0; k < y->nranges; k++)
            if (x->ranges[i].begin < y->ranges[k].end && y->ranges[k].begin < x->ranges[i].end)
                return true;
    return false;
}

static bool classes_overlap(const Namer *namer, int x, int y)
{
    int i = x;
    do {
        int k = y;
        do {
            if (overlap(&namer->infos[i], &namer->infos[k]))
                return true;
            k = namer->infos[k].next_member;
        } while (k != y);
        i = namer->infos[i].next_member;
    } while (i != x);
    return false;
}

static void join(Namer *namer, int x, int y)
{
    int class_ = namer->infos[x].class_ < namer->infos[y].class_ ? namer->infos[x].class_ : namer->infos[y].class_;
    for (int side = 0; side < 2; side++) {
        int i = side ? y : x;
        do {
            namer->infos[i].class_ = class_;
            i = namer->infos[i].next_member;
        } while (i != (side ? y : x));
    }
    int next = namer->infos[x].next_member;
    namer->infos[x].next_member = namer->infos[y].next_member;
    namer->infos[y].next_member = next;
}

static bool merge(Namer *namer, const Value *x, const Value *y)
{
    ValueInfo *fx = x ? variables_info(namer, x) : NULL, *fy = y ? variables_info(namer, y) : NULL;
    if (!fx || !fy || fx->form != FORM_LOCAL || fy->form != FORM_LOCAL || !one_type(x->type, y->type))
        return false;
    if (fx->class_ == fy->class_)
        return true;
    if (classes_overlap(namer, namer->index[x->id], namer->index[y->id]))
        return false;
    join(namer, namer->index[x->id], namer->index[y->id]);
    return true;
}

static void visit_merge_loop_names(Op *op, void *context)
{
    Namer *namer = context;
    for (int i = 0; i < carried_count(op); i++) {
        Carried names = carried(op, i);
        Value *argument = names.body_argument ? names.body_argument : names.argument;
        if (!merge(namer, argument, names.result) && variables_info(namer, names.result)->form == FORM_LOCAL)
            BUG(namer->kernel, "a loop's result cannot share its argument's variable");
    }
}

static void visit_merge_in_place(Op *op, void *context)
{
    Namer *namer = context;
    if (op_writes_in_place(op))
        merge(namer, op->args[2], op->results[0]);
    if (op->code == OP_WAIT)
        for (int i = 0; i < op->nresults && i < op->nargs; i++)
            merge(namer, op->args[i], op->results[i]);
}

/* Tiles are merged before scalars, since a copy of a tile is expensive.  */
static void merge_carried(Namer *namer, Op *op, bool tiles)
{
    for (int i = 0; i < carried_count(op); i++) {
        Carried names = carried(op, i);
        if (value_is_tile(names.argument) != tiles)
            continue;
        merge(namer, names.argument, names.body_argument);
        merge(namer, names.argument, names.exit);
        merge(namer, names.argument, names.next);
        merge(namer, names.argument, names.beyond);
        merge(namer, names.argument, names.init);
    }
    for (int i = 0; op->code == OP_IF && i < op->nresults; i++)
        for (int k = 0; k < op->nblocks; k++)
            if (value_is_tile(op->results[i]) == tiles)
                merge(namer, op->results[i], op->blocks[k]->last->args[i]);
}

static void visit_merge_tiles(Op *op, void *context)
{
    merge_carried(context, op, true);
}

static void visit_merge_scalars(Op *op, void *context)
{
    merge_carried(context, op, false);
}

bool variables_is_slot(const Value *value)
{
    return value->def && (value->def->code == OP_GET || value->def->code == OP_PUT);
}

/* Keeps `x = ws_exp2 (x)` one variable if the user wrote one.  */
static void merge_versions(Namer *namer)
{
    for (int i = 0; i < namer->count; i++) {
        const Value *value = namer->infos[i].value;
        for (int k = i - 1; k >= 0 && value->name && value->def && !variables_is_slot(value); k--) {
            const Value *other = namer->infos[k].value;
            if (!other->name || !other->def || other->def->parent != value->def->parent ||
                strcmp(value->name, other->name))
                continue;
            if (value_is_tile(value) || value->type.kind == K_SCALAR)
                merge(namer, value, other);
            break;
        }
    }
}

void variables_merge(Namer *namer)
{
    for (int i = 0; i < namer->count; i++) {
        Op *op = namer->infos[i].value->def;
        const ValueInfo *source =
            op && op->code == OP_WAIT ? variables_info(namer, op->args[namer->infos[i].value->index]) : NULL;
        if (source)
            namer->infos[i].same = source->same;
    }
    ir_walk(namer->role->body, visit_merge_loop_names, namer);
    ir_walk(namer->role->body, visit_merge_in_place, namer);
    ir_walk(namer->role->body, visit_merge_tiles, namer);
    ir_walk(namer->role->body, visit_merge_scalars, namer);
    merge_versions(namer);
}
