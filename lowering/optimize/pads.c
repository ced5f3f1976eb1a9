/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pads.c - elements of wide tiles in columns beyond the end of the row.  */
#include "optimize/pads.h"

#include <math.h>

#include "ir/affine.h"
#include "ir/queries.h"

const Pad any_pad = {true, PAD_ANY, 0};

Pad number_pad(double number)
{
    return isnan(number) ? any_pad : (Pad){true, PAD_NUMBER, number};
}

static bool is_number(Pad pad, double number)
{
    return (pad.kind == PAD_NUMBER || pad.kind == PAD_OR_NAN) && pad.number == number;
}

Pads pads_new(Kernel *kernel)
{
    return (Pads){arena_alloc(kernel->module, ((size_t)kernel->module->next_id + 1) * sizeof(Pad)), NULL};
}

const Value *last_extent(const Op *access)
{
    const Op *tensor = access->args[0]->def;
    return tensor && tensor->code == OP_TENSOR ? affine_extent(tensor->args[access->args[0]->type.rank]) : NULL;
}

static bool holds_infinity(Dtype dtype)
{
    return dtype == D_F16 || dtype == D_BF16 || dtype == D_F32 || dtype == D_F64;
}

Pad pad_of_load(const Op *load)
{
    double fill = load->transfer->fill;
    bool known = fill == 0 || (isinf(fill) && holds_infinity(load->results[0]->type.dtype));
    return known ? number_pad(fill) : any_pad;
}

/* The constant that fills the tile, or the pad of its columns beyond the end.  */
static Pad pad_of(const Pads *pads, const Value *value)
{
    const Op *op = value->def;
    double number;
    int64_t integer;
    if (pads->of[value->id].wide)
        return pads->of[value->id];
    if (op && op->code == OP_FULL)
        return number_pad(op->tile->value);
    if (op && op->code == OP_SPLAT && ir_constant_float(op->args[0], &number))
        return number_pad(number);
    if (op && op->code == OP_SPLAT && ir_constant(op->args[0], &integer))
        return number_pad((double)integer);
    return any_pad;
}

static bool is_extent(const Pads *pads, const Value *value)
{
    const Op *op = value->def;
    return op && op->code == OP_SPLAT && affine_unconverted(op->args[0]) == pads->extent;
}

/* The pad of a comparison with the extent. A column index beyond the end is at least the extent.  */
static Pad compared(const Pads *pads, const Op *op)
{
    bool index = pad_of(pads, op->args[0]).kind == PAD_INDEX && is_extent(pads, op->args[1]);
    bool turned = pad_of(pads, op->args[1]).kind == PAD_INDEX && is_extent(pads, op->args[0]);
    if (index && (op->code == OP_LT || op->code == OP_GE))
        return number_pad(op->code == OP_GE);
    if (turned && (op->code == OP_GT || op->code == OP_LE))
        return number_pad(op->code == OP_LE);
    return any_pad;
}

static Pad of_one(const Op *op, Pad x)
{
    bool moderate = x.number == 0 || x.number == 1 || (isinf(x.number) && holds_infinity(op->results[0]->type.dtype));
    switch (op->code) {
    case OP_CAST:
        return x.kind != PAD_INDEX && moderate ? x : any_pad;
    case OP_NEG:
        x.number = -x.number;
        return x.kind != PAD_INDEX ? x : any_pad;
    case OP_EXP:
    case OP_EXP2:
        if (!is_number(x, -INFINITY) && !is_number(x, 0))
            return any_pad;
        x.number = x.number == 0;
        return x;
    case OP_ABS:
        return x.kind == PAD_NUMBER ? number_pad(fabs(x.number)) : any_pad;
    case OP_NOT:
        return x.kind == PAD_NUMBER ? number_pad(x.number == 0) : any_pad;
    default:
        return any_pad;
    }
}

/* True for x - row_max (x), whose pads stay -infinity. If the maximum is -infinity, the whole row is -infinity, and
   all differences are NaN. If the maximum is NaN, an element is NaN, and so are all differences.  */
static bool subtracts_its_largest(const Op *op)
{
    const Op *largest = op->args[1]->def;
    return op->code == OP_SUB && largest && largest->code == OP_ROW_MAX && largest->args[0] == op->args[0];
}

static Pad of_two(const Pads *pads, const Op *op)
{
    Pad x = pad_of(pads, op->args[0]), y = pad_of(pads, op->args[1]);
    bool known = x.kind == PAD_NUMBER && y.kind == PAD_NUMBER;
    if (subtracts_its_largest(op) && x.kind == PAD_NUMBER && x.number == -INFINITY)
        return (Pad){true, PAD_OR_NAN, -INFINITY};
    switch (op->code) {
    case OP_ADD:
        return known ? number_pad(x.number + y.number) : any_pad;
    case OP_SUB:
        return known ? number_pad(x.number - y.number) : any_pad;
    case OP_MUL:
        return known ? number_pad(x.number * y.number) : any_pad;
    case OP_MAX:
        return known ? number_pad(fmax(x.number, y.number)) : any_pad;
    case OP_MIN:
        return known ? number_pad(fmin(x.number, y.number)) : any_pad;
    case OP_AND:
        return is_number(x, 0) || is_number(y, 0) ? number_pad(0) : any_pad;
    case OP_OR:
        return is_number(x, 1) || is_number(y, 1) ? number_pad(1) : any_pad;
    default:
        return compared(pads, op);
    }
}

/* The pad if it is 0, 1 or infinite. Other numbers may be rounded, differently in each type.  */
static Pad unrounded(Pad pad)
{
    bool exact = pad.number == 0 || pad.number == 1 || isinf(pad.number);
    return pad.kind == PAD_NUMBER && !exact ? any_pad : pad;
}

bool pads_follow(Pads *pads, const Op *op)
{
    bool wide = false;
    for (int i = 0; i < op->nargs; i++)
        wide |= pads->of[op->args[i]->id].wide;
    for (int i = 0; i < op->nargs; i++)
        if (wide && !pads->of[op->args[i]->id].wide && op->args[i]->type.cols != 1)
            return false;
    if (!wide)
        return op->results[0]->type.cols == 1;
    Pad pad = any_pad;
    if (op->code == OP_SELECT) {
        Pad mask = pad_of(pads, op->args[0]);
        pad = mask.kind == PAD_NUMBER ? pad_of(pads, op->args[mask.number != 0 ? 1 : 2]) : any_pad;
    } else if (op->nargs == 1) {
        pad = of_one(op, pad_of(pads, op->args[0]));
    } else if (op->nargs == 2) {
        pad = of_two(pads, op);
    }
    pad.wide = true;
    pads->of[op->results[0]->id] = unrounded(pad);
    return true;
}

bool changes_nothing(const Op *reduction, Pad pad)
{
    switch (reduction->code) {
    case OP_ROW_SUM:
        return is_number(pad, 0);
    case OP_ROW_MAX:
    case OP_ROW_ARGMAX:
        return is_number(pad, -INFINITY);
    case OP_ROW_MIN:
        return is_number(pad, INFINITY);
    default:
        return false;
    }
}
