/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flagged.c - a loop with several ways out, or with its test below: a WHILE over a flag.
 *
 *   for (;;) {                          %x, %running = while %x = %x0; %running = 1 {
 *     x = f (x);                          cond %running, ...
 *     if (c) break;                     } do {
 *     x = g (x);                          ... if %c { yield x, 0 } else { ... yield x', 1 }
 *   }                                   }
 *
 * Each way out has the values that the loop carries, and, where there are several, a flag of its own that says whether
 * it was taken.
 */
#include "frontend.h"

typedef struct {
    Carried carried;
    Op *op;
    Value **args; /* of the body: what is carried, the flag, those of the ways out */
    int count, running;
} Flagged;

static void add_flag(Walk *w, Flagged *f, Value *init, const char *name)
{
    op_add_arg(w->kernel, f->op, init);
    LIST_ADD(w->u->module, f->args, f->count) =
        block_arg(w->kernel, f->op->blocks[1], type_handed(init), name, w->where);
}

/* What a `return` in the loop leaves goes out as what the loop carries does.  */
static void carry_result(Walk *w, CXCursor loop, Carried *carried)
{
    int slot = w->frame->result < 0 ? -1 : slot_of(w, w->frame->result, 0, false);
    if (slot < 0 || is_aggregate(w->variables[w->frame->result].type) || !has_return(w->u, loop))
        return;
    int count = carried->count;
    Value *init = carried_init(w, slot);
    if (!init)
        return;
    LIST_ADD(w->u->module, carried->slots, carried->count) = slot;
    LIST_ADD(w->u->module, carried->inits, count) = init;
}

static Flagged start(Walk *w, CXCursor loop)
{
    Flagged f = {.carried = find_carried(w, loop, -1)};
    carry_result(w, loop, &f.carried);
    f.op = op_new(w->kernel, OP_WHILE, w->where, f.carried.count, f.carried.inits);
    op_append(w->block, f.op);
    block_new(w->kernel, f.op);
    w->block = block_new(w->kernel, f.op);
    for (int i = 0; i < f.carried.count; i++) {
        Value *arg =
            block_arg(w->kernel, w->block, type_handed(f.carried.inits[i]), slot_name(w, f.carried.slots[i]), w->where);
        LIST_ADD(w->u->module, f.args, f.count) = arg;
        slot_write(w, f.carried.slots[i], result_of(arg));
    }
    f.running = f.count;
    add_flag(w, &f, literal_int(w, D_I1, 1), "running");
    return f;
}

/* if (condition) here () else jump to the other place.  */
static Exits test(Walk *w, CXCursor loop, const LoopParts *parts, const Goal *again, const Goal *out, bool below)
{
    w->where = loc_of(w->u, parts->cond);
    Value *condition = condition_of(w, parts->cond);
    int64_t known;
    if (ir_constant(condition, &known) && !known)
        return jump_to(w, out);
    if (ir_constant(condition, &known))
        return below ? jump_to(w, again) : walk_body(w, parts, again, out);
    (void)loop;
    Op *op = if_new(w, condition);
    Block *block = w->block;
    State before = state_kept(w, &w->state, w->nslots);
    w->block = op->blocks[0];
    Exits yes = below ? jump_to(w, again) : walk_body(w, parts, again, out);
    w->block = op->blocks[1];
    w->state = state_kept(w, &before, before.count);
    Exits no = jump_to(w, out);
    w->block = block;
    w->state = before;
    return merge(w, op, condition, &yes, &no);
}

/* The test of do { } while (), where an iteration goes on.  */
static Exits test_below(Walk *w, CXCursor loop, const LoopParts *parts, const Goal *again, const Goal *out)
{
    Goal end = {again->slots};
    Exits exits = walk_body(w, parts, &end, out);
    Jump *jump = exits_find(&exits, &end);
    if (!jump)
        return exits;
    if (exits.count == 1) {
        w->state = jump->state;
        return test(w, loop, parts, again, out, true);
    }
    Exits others = exits_none(w, exits.count);
    for (int i = 0; i < exits.count; i++)
        if (&exits.list[i] != jump)
            others.list[others.count++] = exits.list[i];
    Op *op = if_new(w, jump->taken);
    Block *block = w->block;
    State before = state_kept(w, &jump->state, jump->state.count);
    w->block = op->blocks[0];
    w->state = state_kept(w, &before, before.count);
    Exits here = test(w, loop, parts, again, out, true);
    w->block = block;
    w->state = before;
    return merge(w, op, jump->taken, &here, &others);
}

/* What the body hands on, of the way that was taken.  */
static void yield_ways(Walk *w, Flagged *f, const Exits *exits, const Jump *back, const int *flags)
{
    Value **values = NULL;
    for (int k = -1; k < exits->count; k++) {
        const Jump *jump = k < 0 ? back : &exits->list[k];
        if (!jump || (k >= 0 && jump == back))
            continue;
        Value **out = arena_alloc(w->u->module, sizeof(Value *) * (size_t)f->count);
        for (int i = 0; i < f->count; i++)
            out[i] = i < f->running ? carried_value(&f->carried, i, jump) : f->args[i];
        out[f->running] = literal_int(w, D_I1, jump == back);
        if (jump != back && flags[k] >= 0)
            out[flags[k]] = literal_int(w, D_I1, 1);
        if (values)
            choose_all(w, jump->taken ? jump->taken : literal_int(w, D_I1, 1), f->count, out, values);
        values = out;
    }
    yield_to(w, w->block, OP_YIELD, f->count, values);
}

static void end_test(Walk *w, const Flagged *f)
{
    Block *block = f->op->blocks[0];
    Value **args = arena_alloc(w->u->module, sizeof(Value *) * (size_t)(f->count + 1));
    for (int i = 0; i < f->count; i++)
        args[1 + i] = block_arg(w->kernel, block, type_handed(f->op->args[i]), f->args[i]->name, w->where);
    args[0] = args[1 + f->running];
    yield_to(w, block, OP_COND, f->count + 1, args);
}

/* require: w->state and w->block are those in front of the loop again.   ensure: the ways on behind it.  */
static Exits ways_after(Walk *w, const Flagged *f, const Exits *exits, const Jump *back, const Goal *out,
                        const int *flags)
{
    Exits after = exits_none(w, exits->count);
    Value **results = arena_alloc(w->u->module, sizeof(Value *) * (size_t)f->count);
    for (int i = 0; i < f->count; i++)
        results[i] = op_result(w->kernel, f->op, type_handed(f->op->args[i]), f->args[i]->name);
    for (int i = 0; i < f->carried.count; i++)
        slot_write(w, f->carried.slots[i], result_of(results[i]));
    for (int k = 0; k < exits->count; k++) {
        const Jump *jump = &exits->list[k];
        if (jump == back)
            continue;
        const Goal *target = jump->target == out ? &FALL : jump->target;
        after.list[after.count++] =
            (Jump){target, state_kept(w, &w->state, target->slots), flags[k] >= 0 ? results[flags[k]] : NULL};
    }
    return after;
}

Exits emit_flagged(Walk *w, CXCursor loop, const LoopParts *parts)
{
    Goal again = {w->nslots}, out = again;
    Block *block = w->block;
    Flagged f = start(w, loop);
    State before = state_kept(w, &w->state, w->nslots);
    Round round = {loop, w->frame->id, w->round};
    w->round = &round;
    w->depth++;
    bool plain = clang_Cursor_isNull(parts->cond);
    Exits exits = parts->test_below ? test_below(w, loop, parts, &again, &out)
                  : plain           ? walk_body(w, parts, &again, &out)
                                    : test(w, loop, parts, &again, &out, false);
    Jump *back = exits_find(&exits, &again);
    int ways = exits.count - (back != NULL),
        *flags = arena_alloc(w->u->module, sizeof *flags * (size_t)(exits.count + 1));
    if (!ways && !w->failed)
        refuse(w, loop, "its condition is always true; an unsigned count is never below 0",
               "a loop in the grid never ends");
    for (int k = 0; k < exits.count; k++) {
        flags[k] = ways > 1 && &exits.list[k] != back ? f.count : -1;
        if (flags[k] >= 0)
            add_flag(w, &f, literal_int(w, D_I1, 0), NULL);
    }
    yield_ways(w, &f, &exits, back, flags);
    end_test(w, &f);
    w->round = round.outer;
    w->depth--;
    w->block = block;
    w->state = before;
    return ways ? ways_after(w, &f, &exits, back, &out, flags) : jump_to(w, &FALL);
}
