/* SPDX-License-Identifier: GPL-3.0-or-later */
/* powers.c - matches a running sum of powers below a running maximum (powers.h).  */
#include "ir/powers.h"

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

/* An operation of the loop's body with one use, which it appends to `made`; or NULL.  */
static const Op *own(Powers *powers, const Uses *uses, const Op *loop, const Value *value, Opcode code)
{
    const Op *op = value->def;
    if (!op || op->code != code || op->parent != loop->blocks[0] || !used_once(uses, value))
        return NULL;
    powers->made[powers->count++] = op;
    return op;
}

/* Matches power (x - now), and returns x.  */
static Value *power_below(Powers *powers, const Uses *uses, const Op *loop, const Value *value, const Value *now)
{
    const Op *power = is_power(powers->power) ? own(powers, uses, loop, value, powers->power) : NULL;
    const Op *difference = power ? own(powers, uses, loop, power->args[0], OP_SUB) : NULL;
    return difference && difference->args[1] == now ? difference->args[0] : NULL;
}

static int next_of(const Op *loop, const Value *value)
{
    for (int i = 0; i < carried_count(loop); i++)
        if (carried(loop, i).next == value)
            return i;
    return -1;
}

/* Matches now = max (before, row_max x).  */
static bool find_largest(Powers *powers, const Uses *uses, const Op *loop, const Value *now)
{
    powers->largest = next_of(loop, now);
    const Op *join = now->def;
    if (powers->largest < 0 || !join || join->code != OP_MAX || join->parent != loop->blocks[0])
        return false;
    const Value *before = carried(loop, powers->largest).argument;
    int part = join->args[0] == before ? 1 : 0;
    powers->row_max = join->args[1 - part] == before ? own(powers, uses, loop, join->args[part], OP_ROW_MAX) : NULL;
    powers->made[powers->count++] = join;
    return powers->row_max && used_times(uses, before, 2) && used_times(uses, now, 3);
}

/* Matches the carried sum times power (largest - now).  */
static bool find_shrunk(Powers *powers, const Uses *uses, const Op *loop, Value *const *args, const Value *now)
{
    const Value *before = carried(loop, powers->sum).argument;
    int factor = args[0] == before ? 1 : 0;
    return args[1 - factor] == before && used_once(uses, before) &&
           power_below(powers, uses, loop, args[factor], now) == carried(loop, powers->largest).argument;
}

/* The new maximum, read from the summed power: power (x - now).  */
static const Value *largest_at(const Op *row_sum)
{
    const Op *power = row_sum->args[0]->def;
    const Op *difference = power && is_power(power->code) ? power->args[0]->def : NULL;
    return difference && difference->code == OP_SUB ? difference->args[1] : NULL;
}

static bool find_sum(const Uses *uses, const Op *loop, int n, Powers *powers)
{
    Carried names = carried(loop, n);
    const Op *join = names.next->def;
    *powers = (Powers){.sum = n};
    if (!join || (join->code != OP_FMA && join->code != OP_ADD) || join->parent != loop->blocks[0] ||
        !used_once(uses, names.next))
        return false;
    powers->made[powers->count++] = join;
    powers->fused = join->code == OP_FMA;
    int part = powers->fused ? 2 : join->args[0]->def && join->args[0]->def->code == OP_ROW_SUM ? 0 : 1;
    powers->row_sum = own(powers, uses, loop, join->args[part], OP_ROW_SUM);
    const Value *now = powers->row_sum ? largest_at(powers->row_sum) : NULL;
    if (!now || names.result->type.dtype != D_F32)
        return false;
    powers->power = powers->row_sum->args[0]->def->code;
    powers->x = power_below(powers, uses, loop, powers->row_sum->args[0], now);
    if (!powers->x || !find_largest(powers, uses, loop, now) || powers->row_max->args[0] != powers->x)
        return false;
    const Op *product = powers->fused ? join : own(powers, uses, loop, join->args[1 - part], OP_MUL);
    return product && find_shrunk(powers, uses, loop, product->args, now);
}

bool powers_of(const Uses *uses, const Op *loop, int n, Powers *powers)
{
    for (int i = 0; i < carried_count(loop); i++)
        if (find_sum(uses, loop, i, powers) && (powers->sum == n || powers->largest == n))
            return true;
    return false;
}
