/* SPDX-License-Identifier: GPL-3.0-or-later */
/* powers.c - a running sum of powers below a running largest (powers.h).  */
#include "rewrite/powers.h"

#include "ir/queries.h"

static bool used_times(const Uses *uses, const Value *value, int times)
{
    for (const Use *use = uses_of(uses, value); use; use = use->next)
        times--;
    return times == 0;
}

static bool is_power(Opcode code)
{
    return code == OP_EXP || code == OP_EXP2;
}

/* An operation of the loop's body that nothing but one other needs.  */
static const Op *own(Powers *in, const Uses *uses, const Op *loop, const Value *value, Opcode code)
{
    const Op *op = value->def;
    if (!op || op->code != code || op->parent != loop->blocks[0] || !used_once(uses, value))
        return NULL;
    in->made[in->count++] = op;
    return op;
}

/* power (x - now): its x.  */
static Value *power_below(Powers *in, const Uses *uses, const Op *loop, const Value *value, const Value *now)
{
    const Op *power = is_power(in->power) ? own(in, uses, loop, value, in->power) : NULL;
    const Op *difference = power ? own(in, uses, loop, power->args[0], OP_SUB) : NULL;
    return difference && difference->args[1] == now ? difference->args[0] : NULL;
}

static int next_of(const Op *loop, const Value *value)
{
    for (int i = 0; i < carried_count(loop); i++)
        if (carried(loop, i).next == value)
            return i;
    return -1;
}

/* now = max (before, row_max x)  */
static bool find_largest(Powers *in, const Uses *uses, const Op *loop, const Value *now)
{
    in->largest = next_of(loop, now);
    const Op *join = now->def;
    if (in->largest < 0 || !join || join->code != OP_MAX || join->parent != loop->blocks[0])
        return false;
    const Value *before = carried(loop, in->largest).argument;
    int part = join->args[0] == before ? 1 : 0;
    in->row_max = join->args[1 - part] == before ? own(in, uses, loop, join->args[part], OP_ROW_MAX) : NULL;
    in->made[in->count++] = join;
    return in->row_max && used_times(uses, before, 2) && used_times(uses, now, 3);
}

/* The carried sum, and what it shrinks by.  */
static bool find_shrunk(Powers *in, const Uses *uses, const Op *loop, Value *const *args, const Value *now)
{
    const Value *before = carried(loop, in->sum).argument;
    int factor = args[0] == before ? 1 : 0;
    return args[1 - factor] == before && used_once(uses, before) &&
           power_below(in, uses, loop, args[factor], now) == carried(loop, in->largest).argument;
}

/* What the largest is, is seen at the power that is summed: power (x - now).  */
static const Value *largest_at(const Op *row_sum)
{
    const Op *power = row_sum->args[0]->def;
    const Op *difference = power && is_power(power->code) ? power->args[0]->def : NULL;
    return difference && difference->code == OP_SUB ? difference->args[1] : NULL;
}

static bool find_sum(const Uses *uses, const Op *loop, int n, Powers *in)
{
    Carried names = carried(loop, n);
    const Op *join = names.next->def;
    *in = (Powers){.sum = n};
    if (!join || (join->code != OP_FMA && join->code != OP_ADD) || join->parent != loop->blocks[0] ||
        !used_once(uses, names.next))
        return false;
    in->made[in->count++] = join;
    in->fused = join->code == OP_FMA;
    int part = in->fused ? 2 : join->args[0]->def && join->args[0]->def->code == OP_ROW_SUM ? 0 : 1;
    in->row_sum = own(in, uses, loop, join->args[part], OP_ROW_SUM);
    const Value *now = in->row_sum ? largest_at(in->row_sum) : NULL;
    if (!now || names.result->type.dtype != D_F32)
        return false;
    in->power = in->row_sum->args[0]->def->code;
    in->x = power_below(in, uses, loop, in->row_sum->args[0], now);
    if (!in->x || !find_largest(in, uses, loop, now) || in->row_max->args[0] != in->x)
        return false;
    const Op *product = in->fused ? join : own(in, uses, loop, join->args[1 - part], OP_MUL);
    return product && find_shrunk(in, uses, loop, product->args, now);
}

bool powers_of(const Uses *uses, const Op *loop, int n, Powers *powers)
{
    for (int i = 0; i < carried_count(loop); i++)
        if (find_sum(uses, loop, i, powers) && (powers->sum == n || powers->largest == n))
            return true;
    return false;
}
