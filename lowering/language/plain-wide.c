/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-wide.c - which numbers of 64 bits are tiles of I64.
 *
 *   long s; s += x[i];                    I64: more than 32 bits of the sum are wanted
 *   y[(size_t)i * n + idx[j]] = ...       I32: a subscript, of which the low half says all
 *   (long)i < n                           I32: a number of 32 bits that was converted
 *
 * Elements of `long`, what is converted from floating numbers, and shifts and divisions are I64.  So is what is
 * computed of one, what a loop carries or branches join of one, a sum, difference or product of converted numbers of
 * whose upper half somebody wants to know, what joins numbers that were converted with their sign and without it, and
 * what a number of more than 32 bits is in: a constant, an element that is the same for all of the tile, or, where it
 * meets elements, what is known before the grid.
 */
#include "ir/slice.h"
#include "language/plain.h"

static bool is_long(const Value *value)
{
    return value->type.kind == K_SCALAR && (value->type.dtype == D_I64 || value->type.dtype == D_U64);
}

bool form_is_wide(const Nest *in, const Value *value)
{
    return value->id < in->nwide && in->wide[value->id];
}

enum { DEEP = 8 };

typedef struct {
    Nest *in;
    Uses uses;
    bool changed;
} Wide;

static void mark(Wide *w, const Value *value)
{
    if (!is_long(value) || !is_tiled(w->in, value) || form_is_wide(w->in, value))
        return;
    w->in->wide[value->id] = w->changed = true;
}

static bool some_is_wide(const Wide *w, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (form_is_wide(w->in, op->args[i]))
            return true;
    return false;
}

/* An unsigned sum of 32 bits that may be below 0, or above what an int holds: j - 1 is 2^32 - 1 for a j of 0.  */
static bool wraps(const Op *op)
{
    int64_t number;
    if (!op || op->results[0]->type.dtype != D_U32)
        return false;
    for (int i = 0; i < op->nargs && op->code == OP_ADDI; i++)
        if (ir_constant(op->args[i], &number) && (int32_t)number < 0)
            return true;
    return op->code == OP_SUBI || op->code == OP_NEGI || op->code == OP_NOTI;
}

/* Of counters, numbers of 32 bits and what is known before the grid.  */
static bool counts(const Nest *in, const Value *value, int depth)
{
    const Op *op = value->def;
    if (wraps(op))
        return false;
    if (loop_of(in, value) >= 0 || is_known_before(in, value))
        return true;
    if (op && op->code == OP_CONVI)
        return dtype_bytes(op->args[0]->type.dtype) == 8 ? depth && counts(in, op->args[0], depth - 1)
                                                         : counts(in, op->args[0], depth);
    if (!op || !depth || (op->code != OP_ADDI && op->code != OP_SUBI && op->code != OP_MULI && op->code != OP_NEGI))
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!counts(in, op->args[i], depth - 1))
            return false;
    return true;
}

static bool is_short(const Value *number)
{
    int64_t constant;
    const Op *op = number->def;
    if (ir_constant(number, &constant))
        return constant >= INT32_MIN && constant <= INT32_MAX;
    return op && op->code == OP_CONVI && !dtype_is_float(op->args[0]->type.dtype) &&
           dtype_bytes(op->args[0]->type.dtype) < 8 && !wraps(op->args[0]->def);
}

bool form_exceeds(const Nest *in, const Op *op, int arg)
{
    const Value *number = op->args[arg];
    int64_t constant;
    if (!is_long(number) || is_tiled(in, number) || is_short(number))
        return false;
    if (ir_constant(number, &constant) || !counts(in, number, DEEP))
        return true;
    for (int i = 0; i < op->nargs; i++)
        if (is_tiled(in, op->args[i]) && !counts(in, op->args[i], DEEP))
            return true;
    return false;
}

static bool some_exceeds(const Wide *w, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (form_exceeds(w->in, op, i))
            return !low_half_suffices(&w->uses, op->results[0]);
    return false;
}

/* What a loop begins with, or a block hands out.  */
static bool exceeds(const Wide *w, const Value *number, const Value *result)
{
    return is_long(number) && !is_tiled(w->in, number) && !is_short(number) &&
           (!counts(w->in, number, DEEP) || ir_constant(number, &(int64_t){0})) && !low_half_suffices(&w->uses, result);
}

static bool becomes_wide(const Wide *w, const Op *op)
{
    switch (op->code) {
    case OP_ELEMENT:
    case OP_SHLI:
    case OP_SHRI:
    case OP_DIVI:
    case OP_REMI:
        return true;
    case OP_CONVI:
        return dtype_is_float(op->args[0]->type.dtype) || some_is_wide(w, op);
    case OP_ADDI:
    case OP_SUBI:
    case OP_MULI:
    case OP_NEGI:
    case OP_NOTI:
        return some_is_wide(w, op) || !low_half_suffices(&w->uses, op->results[0]);
    case OP_ANDI:
    case OP_ORI:
    case OP_XORI:
    case OP_SELI:
    case OP_MINI:
    case OP_MAXI:
        return some_is_wide(w, op) || some_exceeds(w, op) ||
               (form_standing(w->in, op->results[0]) == AS_LOW_BITS && !low_half_suffices(&w->uses, op->results[0]));
    default:
        return some_is_wide(w, op) || some_exceeds(w, op);
    }
}

/* What blocks hand out is taken with its sign.  */
static bool loses_bits(const Wide *w, const Value *yield, const Value *result)
{
    return is_long(yield) && is_tiled(w->in, yield) && form_standing(w->in, yield) != AS_SIGNED &&
           !low_half_suffices(&w->uses, result);
}

static void visit(Wide *w, const Block *block)
{
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nblocks; i++)
            visit(w, op->blocks[i]);
        for (int i = 0; i < op->nresults && op->nblocks; i++) {
            bool wide = form_is_wide(w->in, op->results[i]);
            if (op->code == OP_FOR)
                wide |= form_is_wide(w->in, op->args[3 + i]) || exceeds(w, op->args[3 + i], op->results[i]) ||
                        loses_bits(w, op->args[3 + i], op->results[i]);
            for (int k = 0; k < op->nblocks; k++) {
                const Value *yield = op->blocks[k]->last->args[i];
                wide |= form_is_wide(w->in, yield) || exceeds(w, yield, op->results[i]) ||
                        loses_bits(w, yield, op->results[i]);
            }
            if (wide)
                mark(w, op->results[i]);
            if (wide && op->code == OP_FOR)
                mark(w, op->blocks[0]->args[1 + i]);
        }
        if (op->nresults == 1 && !op->nblocks && is_long(op->results[0]) && becomes_wide(w, op))
            mark(w, op->results[0]);
    }
}

/* require: axes.   ensure: in->wide */
void wide_scan(Nest *in)
{
    Wide w = {in, uses_new(in->kernel, in->kernel->body), true};
    in->nwide = in->kernel->module->next_id + 1;
    in->wide = arena_alloc(in->kernel->module, (size_t)in->nwide * sizeof *in->wide);
    while (w.changed) {
        w.changed = false;
        visit(&w, in->kernel->body);
    }
}

Dtype form_dtype(const Nest *in, const Value *value)
{
    return form_is_wide(in, value) ? D_I64 : tile_dtype(value->type.dtype);
}
