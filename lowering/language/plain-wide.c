/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-wide.c - which numbers of 64 bits are tiles of I64.
 *
 *   long s; s += x[i];                    I64: more than 32 bits of the sum are wanted
 *   y[(size_t)i * n + idx[j]] = ...       I32: a subscript, of which the low half says all
 *   (long)i < (long)k                      I32: numbers of 32 bits that were converted
 *
 * Elements of `long`, what is converted from floating numbers, and shifts and divisions are I64.  So is a counter that
 * no int holds and somebody takes as a number; what is computed of an I64, what a loop carries or branches join of one;
 * a sum, difference or product of converted numbers of whose upper half somebody wants to know; what joins numbers that
 * were converted with their sign and without it; and what a number that may have more than 32 bits is in.
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

bool form_exceeds(const Nest *in, const Op *op, int arg)
{
    const Value *number = op->args[arg];
    return is_long(number) && !is_tiled(in, number) && !form_is_short(in, number);
}

static bool some_exceeds(const Wide *w, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (form_exceeds(w->in, op, i))
            return true;
    return false;
}

/* The bits of the result come of the same bits of the operands.  */
static bool joins_bits(const Wide *w, const Op *op)
{
    return (some_exceeds(w, op) || form_standing(w->in, op->results[0]) == AS_LOW_BITS) &&
           !low_half_suffices(&w->uses, op->results[0]);
}

/* What a loop begins with, or a block hands out.  */
static bool exceeds(const Wide *w, const Value *number, const Value *result)
{
    return is_long(number) && !is_tiled(w->in, number) && !form_is_short(w->in, number) &&
           !low_half_suffices(&w->uses, result);
}

/* A counter that no int holds, as a number.  */
static bool is_number(const Wide *w, const Value *counter)
{
    if (form_is_short(w->in, counter))
        return false;
    for (const Use *use = uses_of(&w->uses, counter); use; use = use->next)
        if (!low_half_suffices_use(&w->uses, use) && !form_is_relative(w->in, use->op))
            return true;
    return false;
}

static bool becomes_wide(const Wide *w, const Op *op)
{
    switch (op->code) {
    case OP_ELEMENT:
    case OP_SCALAR_BITCAST:
    case OP_SCALAR_SHL:
    case OP_SCALAR_SHR:
    case OP_SCALAR_DIV:
    case OP_SCALAR_REM:
        return true;
    case OP_SCALAR_CONVERT:
        return dtype_is_float(op->args[0]->type.dtype) || some_is_wide(w, op);
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
    case OP_SCALAR_MUL:
    case OP_SCALAR_NEG:
    case OP_SCALAR_NOT:
        return some_is_wide(w, op) || !low_half_suffices(&w->uses, op->results[0]);
    case OP_SCALAR_AND:
    case OP_SCALAR_OR:
    case OP_SCALAR_XOR:
    case OP_SCALAR_SELECT:
        return some_is_wide(w, op) || joins_bits(w, op);
    case OP_SCALAR_MIN:
    case OP_SCALAR_MAX:
        return some_is_wide(w, op) || some_exceeds(w, op) || form_standing(w->in, op->results[0]) == AS_LOW_BITS;
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
        const Value *counter = op->code == OP_FOR ? op->blocks[0]->args[0] : NULL;
        if (counter && is_long(counter) && is_tiled(w->in, counter) && is_number(w, counter))
            mark(w, counter);
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
