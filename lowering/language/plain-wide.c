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
 * whose upper half somebody wants to know, and what a constant of more than 32 bits is in.  Numbers that are no tiles
 * are as they were.
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

/* A constant of more than 32 bits, which somebody wants to know.  */
static bool exceeds(const Wide *w, const Value *constant, const Value *result)
{
    int64_t number;
    return ir_constant(constant, &number) && (number < INT32_MIN || number > INT32_MAX) &&
           !low_half_suffices(&w->uses, result);
}

static bool some_exceeds(const Wide *w, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (exceeds(w, op->args[i], op->results[0]))
            return true;
    return false;
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
    default:
        return some_is_wide(w, op) || some_exceeds(w, op);
    }
}

static void visit(Wide *w, const Block *block)
{
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nblocks; i++)
            visit(w, op->blocks[i]);
        for (int i = 0; i < op->nresults && op->nblocks; i++) {
            bool wide = form_is_wide(w->in, op->results[i]);
            if (op->code == OP_FOR)
                wide |= form_is_wide(w->in, op->args[3 + i]) || exceeds(w, op->args[3 + i], op->results[i]);
            for (int k = 0; k < op->nblocks; k++) {
                const Value *yield = op->blocks[k]->last->args[i];
                wide |= form_is_wide(w->in, yield) || exceeds(w, yield, op->results[i]);
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
