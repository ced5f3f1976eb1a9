/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flagged.cc - a loop with several ways out, or with its test below: a WHILE over a flag.
 *
 *   for (;;) {                          %x, %running = while %x = %x0; %running = 1 {
 *     x = f (x);                          cond %running, ...
 *     if (c) break;                     } do {
 *     x = g (x);                          ... if %c { yield x, 0 } else { ... yield x', 1 }
 *   }                                   }
 *
 * A slot carries a value from one iteration to the next, or out: each PHI of the header has one, each value that a way
 * out hands on, and one says which way was taken.  A tile that leaves shares the slot of its own variable, whose old
 * value is needed no more: there is no tile to begin with but that.
 */
#include "loop.h"

/* Why a slot is read after the loop: by the PHIs behind one way out, or by name.  */
enum Use { USE_NONE, USE_WAY, USE_NAME };

/* A value that a general loop hands to the next iteration or to what follows it.  */
struct Slot {
    Use use;
    unsigned way;  /* USE_WAY: the last that took it */
    gphi *phi;     /* of the header, or NULL */
    Value *init;   /* before the first iteration */
    Value *arg;    /* in the body */
    Value *back;   /* after an iteration that goes on */
    Value *result; /* after the loop */
    const char *name;
};

struct Flagged {
    Op *op;
    auto_vec<Slot> slots;
    unsigned running; /* index of the flag */
};

static unsigned slot_add(Flagged *f, Value *init, const char *name)
{
    Slot slot = {};
    slot.init = init;
    slot.name = name;
    f->slots.safe_push(slot);
    return f->slots.length() - 1;
}

/* A slot for a value that leaves the loop.  Scalars get one of their own.  A tile shares that of the variable that it
   is a value of: on the way out the old value is needed no more, unless it leaves the loop itself.  A variable that
   every iteration writes anew has no such slot, and gets one that begins with what it was before the loop.  */
static int slot_for(Walk *w, Flagged *f, Value *value, tree var, Use use, unsigned way)
{
    for (unsigned i = 0; i < f->slots.length(); i++) {
        Slot &slot = f->slots[i];
        bool is_free = slot.use == USE_NONE || (slot.use == USE_WAY && use == USE_WAY && slot.way != way);
        bool is_own = slot.arg == value || (slot.phi && var && SSA_NAME_VAR(gimple_phi_result(slot.phi)) == var);
        if (!is_free || !is_own || (value->type.kind == K_SCALAR && slot.arg != value))
            continue;
        slot.use = use;
        slot.way = way;
        return (int)i;
    }
    if (value->type.kind == K_SCALAR) {
        unsigned index = slot_add(f, value_literal(w, value->type.dtype, 0, 0), var ? name_of(var) : NULL);
        f->slots[index].use = use;
        return (int)index;
    }
    if (Value *before = earlier_value(w, f->op, var)) {
        unsigned index = slot_add(f, before, name_of(var));
        f->slots[index].use = use;
        f->slots[index].way = way;
        return (int)index;
    }
    region_irregular(w, w->where);
    return -1;
}

static void complete(Walk *w, Flagged *f)
{
    for (unsigned i = 0; i < f->slots.length(); i++) {
        Slot &slot = f->slots[i];
        if (slot.arg)
            continue;
        op_add_arg(w->kernel, f->op, slot.init);
        slot.arg = block_arg(w->kernel, f->op->blocks[1], type_handed(slot.init), slot.name, f->op->loc);
        slot.back = slot.arg;
    }
}

static void condition_block(Walk *w, Flagged *f)
{
    Block *block = f->op->blocks[0];
    auto_vec<Value *> args;
    for (unsigned i = 0; i < f->slots.length(); i++)
        args.safe_push(block_arg(w->kernel, block, type_handed(f->slots[i].init), f->slots[i].name, f->op->loc));
    Value *running = args[f->running];
    args.safe_insert(0, running);
    yield_to(w, block, OP_COND, (int)args.length(), args.address());
}

/* One way out: its PHI values go to slots; the result is the jump that follows the loop, its values still slot
   numbers. */
struct WayOut {
    Jump *jump;
    auto_vec<int> slots; /* for each PHI, or -1 */
    int taken;           /* slot of the flag, or -1 */
};

static tree phi_var(basic_block bb, int n)
{
    gphi_iterator i = gsi_start_phis(bb);
    for (; n > 0; n--)
        gsi_next(&i);
    return SSA_NAME_VAR(gimple_phi_result(i.phi()));
}

static void plan_way_out(Walk *w, Flagged *f, WayOut *way, unsigned number, bool several)
{
    for (int n = 0; n < way->jump->nphis; n++) {
        Value *value = way->jump->phis[n];
        bool leaves = value && value_inside(value, f->op);
        way->slots.safe_push(leaves ? slot_for(w, f, value, phi_var(way->jump->target, n), USE_WAY, number) : -1);
    }
    way->taken = several ? (int)slot_add(f, value_literal(w, D_I1, 0, 0), NULL) : -1;
}

/* Values of the body that are used after the loop without a PHI in between.  */
struct Survivor {
    tree name;
    Value *value;
    int slot;
};

static void way_values(Walk *w, Flagged *f, const WayOut *way, const auto_vec<Survivor> &survivors,
                       auto_vec<Value *> *values)
{
    for (unsigned i = 0; i < f->slots.length(); i++)
        values->safe_push(f->slots[i].arg);
    for (unsigned i = 0; i < survivors.length(); i++)
        (*values)[survivors[i].slot] = survivors[i].value;
    (*values)[f->running] = value_literal(w, D_I1, 0, 0);
    for (unsigned n = 0; n < way->slots.length(); n++)
        if (way->slots[n] >= 0)
            (*values)[way->slots[n]] = way->jump->phis[n];
    if (way->taken >= 0)
        (*values)[way->taken] = value_literal(w, D_I1, 1, 0);
}

static void back_values(Walk *w, Flagged *f, auto_vec<Value *> *values)
{
    for (unsigned i = 0; i < f->slots.length(); i++)
        values->safe_push(f->slots[i].back);
    (*values)[f->running] = value_literal(w, D_I1, 1, 0);
}

/* The yield of the body: the values of the way that was taken.  */
static void yield_ways(Walk *w, Flagged *f, Jump *back, const Exits *exits, const auto_vec<WayOut *> &ways,
                       const auto_vec<Survivor> &survivors)
{
    auto_vec<Value *> values;
    bool first = true;
    if (back) {
        back_values(w, f, &values);
        first = false;
    }
    for (unsigned k = 0; k < ways.length(); k++) {
        auto_vec<Value *> out, merged;
        way_values(w, f, ways[k], survivors, &out);
        if (first) {
            values.safe_splice(out);
            first = false;
            continue;
        }
        merged.safe_grow_cleared(out.length());
        Value *taken = exits->count > 1 ? ways[k]->jump->taken : value_literal(w, D_I1, 1, 0);
        choose_values(w, taken, (int)out.length(), out.address(), values.address(), merged.address());
        for (unsigned i = 0; i < merged.length(); i++)
            values[i] = merged[i];
    }
    yield_to(w, w->block, OP_YIELD, (int)values.length(), values.address());
}

static Exits *ways_after(Walk *w, Flagged *f, const auto_vec<WayOut *> &ways)
{
    Exits *exits = exits_new(w);
    for (unsigned k = 0; k < ways.length(); k++) {
        Jump *jump = (Jump *)arena_alloc(w->kernel->module, sizeof *jump);
        *jump = *ways[k]->jump;
        jump->phis = (Value **)arena_alloc(w->kernel->module, (size_t)(jump->nphis + 1) * sizeof(Value *));
        for (int n = 0; n < jump->nphis; n++)
            jump->phis[n] = ways[k]->slots[n] >= 0 ? f->slots[ways[k]->slots[n]].result : ways[k]->jump->phis[n];
        jump->taken = ways[k]->taken >= 0 ? f->slots[ways[k]->taken].result : NULL;
        exits_add(w, exits, jump);
    }
    return exits;
}

static void add_survivor(Walk *w, Flagged *f, class loop *loop, tree name, auto_vec<Survivor> *survivors)
{
    if (TREE_CODE(name) != SSA_NAME || virtual_operand_p(name) || is_tensor_type(TREE_TYPE(name)) ||
        !loop_used_outside(w, loop, name))
        return;
    tree resolved = ssa_resolve(name);
    Value **value = TREE_CODE(resolved) == SSA_NAME ? w->values.get(resolved) : NULL;
    if (!value || constant_of(name) || !value_inside(*value, f->op))
        return;
    const Block *home = (*value)->def ? (*value)->def->parent : (*value)->block;
    if (home != f->op->blocks[1]) {
        region_irregular(w, w->where);
        return;
    }
    for (unsigned i = 0; i < survivors->length(); i++)
        if ((*survivors)[i].name == resolved)
            return;
    Value *kept = *value;
    int slot = slot_for(w, f, kept, SSA_NAME_VAR(name), USE_NAME, 0);
    if (slot >= 0)
        survivors->safe_push(Survivor{resolved, kept, slot});
}

static void find_survivors(Walk *w, Flagged *f, class loop *loop, auto_vec<Survivor> *survivors)
{
    basic_block *body = get_loop_body(loop);
    for (unsigned i = 0; i < loop->num_nodes; i++) {
        for (gphi_iterator p = gsi_start_phis(body[i]); !gsi_end_p(p); gsi_next(&p))
            add_survivor(w, f, loop, gimple_phi_result(p.phi()), survivors);
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s); gsi_next_nondebug(&s))
            if (gimple_get_lhs(gsi_stmt(s)))
                add_survivor(w, f, loop, gimple_get_lhs(gsi_stmt(s)), survivors);
    }
    free(body);
}

static void start_flagged(Walk *w, Flagged *f, class loop *loop)
{
    Carried carried;
    auto_vec<Value *> inits;
    loop_carried(loop, NULL, &carried);
    loop_initial_values(w, loop, carried, &inits);
    f->op = loop_while_new(w, w->where, inits);
    for (unsigned i = 0; i < inits.length(); i++) {
        Slot slot = {};
        slot.phi = carried.phis[i];
        slot.init = inits[i];
        slot.name = name_of(gimple_phi_result(slot.phi));
        slot.arg = loop_argument(w, f->op->blocks[1], slot.phi, type_handed(slot.init));
        value_set(w, gimple_phi_result(slot.phi), slot.arg);
        f->slots.safe_push(slot);
    }
    f->running = slot_add(f, value_literal(w, D_I1, 1, 0), "running");
    complete(w, f);
}

static void set_back(Flagged *f, const Jump *back)
{
    for (unsigned i = 0; i < f->slots.length(); i++) {
        int n = 0;
        if (f->slots[i].phi)
            for (gphi_iterator phi = gsi_start_phis(back->target); !gsi_end_p(phi); gsi_next(&phi), n++)
                if (phi.phi() == f->slots[i].phi)
                    f->slots[i].back = back->phis[n];
    }
}

Exits *loop_emit_flagged(Walk *w, class loop *loop)
{
    Flagged f;
    auto_vec<WayOut *> ways;
    auto_vec<Survivor> survivors;
    start_flagged(w, &f, loop);
    {
        Inside inside(w, loop, f.op->blocks[1]);
        Exits *exits = control_header(w);
        Jump *back = exits_find(exits, loop->header);
        for (int i = 0; i < exits->count; i++)
            if (exits->list[i] != back) {
                WayOut *way = new WayOut();
                way->jump = exits->list[i];
                ways.safe_push(way);
            }
        for (unsigned i = 0; i < ways.length(); i++)
            plan_way_out(w, &f, ways[i], i, ways.length() > 1);
        find_survivors(w, &f, loop, &survivors);
        complete(w, &f);
        if (back)
            set_back(&f, back);
        yield_ways(w, &f, back, exits, ways, survivors);
    }
    condition_block(w, &f);
    for (unsigned i = 0; i < f.slots.length(); i++) {
        f.slots[i].result = op_result(w->kernel, f.op, type_handed(f.slots[i].init), f.slots[i].name);
        if (f.slots[i].phi)
            value_set(w, gimple_phi_result(f.slots[i].phi), f.slots[i].result);
    }
    for (unsigned i = 0; i < survivors.length(); i++)
        value_set(w, survivors[i].name, f.slots[survivors[i].slot].result);
    Exits *after = ways_after(w, &f, ways);
    for (unsigned i = 0; i < ways.length(); i++)
        delete ways[i];
    return after;
}
