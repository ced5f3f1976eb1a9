/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value.c - operations, literals, live-ins.
 *
 *   k + 64        %3 = scalar_add %k, 64          an operation; constants fold as C computes them
 *   M             param %M                  what is known before the region comes from the launcher
 *
 * Operands stand in the order that the plugin brings them to, and what GCC's front end folds is folded here: fold.c.
 */
#include <math.h>
#include <string.h>

#include "frontend.h"

static void place(Walk *w, Op *op)
{
    Block *block = w->outside ? w->kernel->body : w->block;
    OpClass class_ = op_info[op->code].class_;
    if (w->task && !w->outside && (class_ == CLASS_TILE || class_ == CLASS_LOAD || class_ == CLASS_STORE))
        schedule_op(op)->task = w->task;
    if (block == w->kernel->body && w->anchor)
        op_before(w->anchor, op);
    else
        op_append(block, op);
}

/* ---- order of operands ------------------------------------------------------------------------------------------- */

/* What the region computes, the newest first; live-ins by declaration; literals.  */
static int64_t operand_rank(const Walk *w, const Value *value)
{
    if (value->def)
        return value->def->code == OP_CONST ? (int64_t)1 << 62 : -(int64_t)value->id;
    if (value->block)
        return -(int64_t)value->id;
    for (int i = 0; i < w->nlivein; i++)
        if (w->livein[i].value == value)
            return w->livein[i].uid;
    return 1;
}

static void order_operands(const Walk *w, Opcode *code, Value **args)
{
    Opcode other = op_swapped(*code);
    if (other == OP_COUNT || operand_rank(w, args[0]) <= operand_rank(w, args[1]))
        return;
    Value *first = args[0];
    args[0] = args[1];
    args[1] = first;
    *code = other;
}

/* x < 64 for x <= 63, if the number has a successor.  */
void plain_comparison(Walk *w, Opcode *code, Value **args)
{
    int64_t bound;
    Dtype dtype = args[1]->type.dtype;
    if ((*code != OP_SCALAR_LE && *code != OP_SCALAR_GT) || dtype_is_float(dtype) || dtype == D_I1 ||
        !ir_constant(args[1], &bound))
        return;
    if (bound < 0 ? !dtype_is_signed(dtype) : bound >= (int64_t)(((uint64_t)1 << (8 * dtype_bytes(dtype) - 1)) - 1))
        return;
    args[1] = literal_int(w, dtype, bound + 1);
    *code = *code == OP_SCALAR_LE ? OP_SCALAR_LT : OP_SCALAR_GE;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

Value *op_of(Walk *w, Opcode code, Type type, int nargs, Value *const *args)
{
    Value *pair[] = {nargs > 0 ? args[0] : NULL, nargs > 1 ? args[1] : NULL};
    if (nargs == 2) {
        order_operands(w, &code, pair);
        plain_comparison(w, &code, pair);
        args = pair;
    }
    Op *op = op_new(w->kernel, code, w->where, nargs, args);
    Value *result = type.rank == NO_RESULT.rank ? NULL : op_result(w->kernel, op, type, NULL);
    place(w, op);
    return result;
}

bool is_literal(const Value *value)
{
    return value->def && value->def->code == OP_CONST;
}

/* Each one once, in the prologue.  */
Value *literal(Walk *w, Dtype dtype, int64_t integer, double real)
{
    for (int i = 0; i < w->nliterals; i++) {
        const ScalarInfo *known = w->literals[i]->def->scalar;
        if (w->literals[i]->type.dtype == dtype && known->integer == integer &&
            !memcmp(&known->real, &real, sizeof real))
            return w->literals[i];
    }
    Op *op = op_new(w->kernel, OP_CONST, w->kernel->loc, 0, NULL);
    op->scalar->integer = integer;
    op->scalar->real = real;
    Value *value = op_result(w->kernel, op, type_scalar(dtype), NULL);
    Block *block = w->block;
    while (!w->anchor && block && block->parent && block->parent->parent != w->kernel->body)
        block = block->parent->parent;
    if (w->anchor)
        op_before(w->anchor, op);
    else if (block && block->parent) /* in an arm of a condition there */
        op_before(block->parent, op);
    else
        op_append(w->kernel->body, op);
    LIST_ADD(w->kernel->module, w->literals, w->nliterals) = value;
    return value;
}

Value *literal_int(Walk *w, Dtype dtype, int64_t integer)
{
    if (dtype_is_float(dtype))
        return literal(w, dtype, 0, (double)integer);
    return literal(w, dtype, ir_wrap(dtype, integer), 0);
}

static Value *literal_real(Walk *w, Dtype dtype, double real)
{
    return literal(w, dtype, 0, dtype == D_F32 ? (double)(float)real : real);
}

Value *anything(Walk *w, CXType type)
{
    Dtype dtype = D_I32;
    w->failed = true;
    if (is_tile_type(type) || is_tensor_type(type)) {
        Value *value = op_of(w, OP_FULL, is_tile_type(type) ? type_tile(D_F32, 1, 1) : type_tensor(D_F32, 2), 0, NULL);
        return value;
    }
    scalar_type(type, &dtype);
    return literal(w, dtype, 0, 0);
}

/* The type of a value that control flow hands on: what tiles are is for types.c to find.  */
Type type_handed(const Value *value)
{
    return value->type.kind == K_SCALAR ? value->type : TYPE_TO_INFER;
}

/* ---- arithmetic on literals -------------------------------------------------------------------------------------- */

static double real_of(const Value *value)
{
    const ScalarInfo *info = value->def->scalar;
    if (dtype_is_float(value->type.dtype))
        return info->real;
    return value->type.dtype == D_U64 ? (double)(uint64_t)info->integer : (double)info->integer;
}

/* What a signed integer was before it was widened, for (double) (int) s.  */
static Value *not_widened(Value *x)
{
    Value *inner = x->def && x->def->code == OP_SCALAR_CONVERT && !x->name ? x->def->args[0] : NULL;
    bool widened = inner && inner->type.dtype != D_I1 && !dtype_is_float(inner->type.dtype) &&
                   dtype_is_signed(inner->type.dtype) && dtype_is_signed(x->type.dtype) &&
                   dtype_bytes(inner->type.dtype) < dtype_bytes(x->type.dtype);
    return widened && !dtype_is_float(x->type.dtype) ? inner : x;
}

Value *convert(Walk *w, Value *x, Dtype dtype)
{
    if (x->type.dtype == dtype)
        return x;
    if (dtype_is_float(dtype))
        x = not_widened(x);
    if (dtype == D_I1)
        return compare(w, OP_SCALAR_NE, x, literal_int(w, x->type.dtype, 0));
    if (is_literal(x)) {
        bool from_real = dtype_is_float(x->type.dtype);
        if (dtype_is_float(dtype))
            return literal_real(w, dtype, real_of(x));
        return literal_int(w, dtype, from_real ? (int64_t)real_of(x) : x->def->scalar->integer);
    }
    return op_of(w, OP_SCALAR_CONVERT, type_scalar(dtype), 1, &x);
}

Value *unary(Walk *w, Opcode code, Value *x)
{
    if (is_literal(x)) {
        const ScalarInfo *info = x->def->scalar;
        if (code == OP_SCALAR_NEG)
            return dtype_is_float(x->type.dtype) ? literal_real(w, x->type.dtype, -info->real)
                                                 : literal_int(w, x->type.dtype, -info->integer);
        if (code == OP_SCALAR_NOT)
            return literal_int(w, x->type.dtype, ~info->integer);
    }
    return op_of(w, code, x->type, 1, &x);
}

static bool fold_real(Opcode code, double x, double y, double *result)
{
    switch (code) {
    case OP_SCALAR_ADD:
        *result = x + y;
        return true;
    case OP_SCALAR_SUB:
        *result = x - y;
        return true;
    case OP_SCALAR_MUL:
        *result = x * y;
        return true;
    case OP_SCALAR_DIV:
        *result = x / y;
        return y != 0;
    default:
        return false;
    }
}

static bool is_number(const Value *value, int64_t number)
{
    return is_literal(value) && !dtype_is_float(value->type.dtype) && value->def->scalar->integer == number;
}

/* x * 1, x + 0, x / 1.  */
static Value *without_effect(Opcode code, Value *x, Value *y)
{
    if (code == OP_SCALAR_MUL && is_number(x, 1))
        return y;
    if (((code == OP_SCALAR_MUL || code == OP_SCALAR_DIV) && is_number(y, 1)) ||
        ((code == OP_SCALAR_ADD || code == OP_SCALAR_SUB || code == OP_SCALAR_SHL || code == OP_SCALAR_SHR) &&
         is_number(y, 0)))
        return x;
    return code == OP_SCALAR_ADD && is_number(x, 0) ? y : NULL;
}

/* Both of the type that the result has; shifts may differ.  */
Value *binary(Walk *w, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Value *args[] = {x, y}, *plain = without_effect(code, x, y);
    double real;
    int64_t folded;
    if (plain)
        return plain;
    fold_binary(w, &code, args);
    if (is_literal(x) && is_literal(y)) {
        if (dtype_is_float(dtype) && fold_real(code, real_of(x), real_of(y), &real))
            return literal_real(w, dtype, real);
        Op *op = op_new(w->kernel, code, w->where, 2, args);
        Value *value = op_result(w->kernel, op, type_scalar(dtype), NULL);
        if (!dtype_is_float(dtype) && ir_constant(value, &folded))
            return literal_int(w, dtype, folded);
    }
    Value *result = op_of(w, code, type_scalar(dtype), 2, args);
    if (w->of_variable)
        LIST_ADD(w->u->module, w->of_variables, w->nof_variables) = result;
    return result;
}

static bool compare_reals(Opcode code, double x, double y)
{
    switch (code) {
    case OP_SCALAR_EQ:
        return x == y;
    case OP_SCALAR_NE:
        return x != y;
    case OP_SCALAR_LT:
        return x < y;
    case OP_SCALAR_LE:
        return x <= y;
    case OP_SCALAR_GT:
        return x > y;
    default:
        return x >= y;
    }
}

Value *compare(Walk *w, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    if (is_literal(x) && is_literal(y)) {
        if (dtype_is_float(x->type.dtype))
            return literal_int(w, D_I1, compare_reals(code, real_of(x), real_of(y)));
        int64_t a = x->def->scalar->integer, b = y->def->scalar->integer;
        bool less = x->type.dtype == D_U64 ? (uint64_t)a < (uint64_t)b : a < b;
        bool holds = code == OP_SCALAR_EQ   ? a == b
                     : code == OP_SCALAR_NE ? a != b
                     : code == OP_SCALAR_LT ? less
                     : code == OP_SCALAR_GE ? !less
                     : code == OP_SCALAR_LE ? less || a == b
                                            : !less && a != b;
        return literal_int(w, D_I1, holds);
    }
    fold_comparison(w, &code, args);
    return op_of(w, code, type_scalar(D_I1), 2, args);
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

/* The comparison that holds where this one does not.  */
static bool opposite(const Op *op, Opcode *code)
{
    static const Opcode pairs[][2] = {
        {OP_SCALAR_EQ, OP_SCALAR_NE}, {OP_SCALAR_LT, OP_SCALAR_GE}, {OP_SCALAR_LE, OP_SCALAR_GT}};
    for (int i = 0; op && i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (op->code == pairs[i][k] && (!i || !dtype_is_float(op->args[0]->type.dtype))) {
                *code = pairs[i][!k];
                return true;
            }
    return false;
}

Value *negated(Walk *w, Value *x)
{
    int64_t known;
    Opcode code;
    if (ir_constant(x, &known))
        return literal_int(w, D_I1, !known);
    if (x->def && x->def->code == OP_SCALAR_NOT)
        return x->def->args[0];
    if (opposite(x->def, &code))
        return op_of(w, code, type_scalar(D_I1), 2, x->def->args);
    return op_of(w, OP_SCALAR_NOT, type_scalar(D_I1), 1, &x);
}

static Value *bound_check(Walk *w, Opcode code, Value *x, int64_t bound)
{
    Value *args[] = {x, literal_int(w, x->type.dtype, bound)};
    return op_of(w, code, type_scalar(D_I1), 2, args);
}

static bool is_bound(const Value *value, Opcode code, int64_t *bound)
{
    return value->def && value->def->code == code && !dtype_is_float(value->def->args[0]->type.dtype) &&
           ir_constant(value->def->args[1], bound);
}

/* x >= lo && x < hi, or x < lo || x >= hi, the lower bound first.  */
static Value *joined_range(Walk *w, bool is_and, Value *x, Value *y)
{
    int64_t lo, hi;
    Opcode low = is_and ? OP_SCALAR_GE : OP_SCALAR_LT, high = is_and ? OP_SCALAR_LT : OP_SCALAR_GE;
    if (is_bound(y, low, &lo) && is_bound(x, high, &hi)) {
        Value *other = x;
        x = y;
        y = other;
    }
    if (!is_bound(x, low, &lo) || !is_bound(y, high, &hi) || x->def->args[0] != y->def->args[0])
        return NULL;
    Value *checked = x->def->args[0];
    Value *args[] = {bound_check(w, low, checked, lo), bound_check(w, high, checked, hi)};
    return op_of(w, is_and ? OP_SCALAR_AND : OP_SCALAR_OR, type_scalar(D_I1), 2, args);
}

Value *joined(Walk *w, bool is_and, Value *x, Value *y)
{
    int64_t known;
    Value *range = joined_range(w, is_and, x, y);
    if (range)
        return range;
    Value *args[] = {x, y};
    if (ir_constant(x, &known))
        return (known != 0) == is_and ? y : x;
    if (ir_constant(y, &known))
        return (known != 0) == is_and ? x : y;
    return op_of(w, is_and ? OP_SCALAR_AND : OP_SCALAR_OR, type_scalar(D_I1), 2, args);
}

/* ---- live-ins ---------------------------------------------------------------------------------------------------- */

Value *live_in(Walk *w, const char *text, const char *ctype, Type type, const char *name, int rank)
{
    for (int i = 0; i < w->nlivein; i++)
        if ((!strcmp(w->livein[i].text, text) || (w->livein[i].alias && !strcmp(w->livein[i].alias, text))) &&
            w->livein[i].of_caller == w->in_caller)
            return w->livein[i].value;
    Value *value = kernel_param(w->kernel, type, name, w->kernel->loc);
    LiveIn *added = &LIST_ADD(w->kernel->module, w->livein, w->nlivein);
    *added = (LiveIn){text, ctype, rank, (int64_t)1 << 40, NULL, w->in_caller, value};
    return value;
}

/* The first variable that holds what an operation made gives it its name.  */
void name_value(Walk *w, Value *value, const char *name)
{
    if (name && value && value->def && !value->name && value->def->code != OP_CONST)
        value->name = arena_print(w->kernel->module, "%s", name);
}

/* In the order of the function's parameters, then as they were found; unused ones go.  */
void order_live_ins(Walk *w)
{
    Kernel *kernel = w->kernel;
    LiveIn *sorted = arena_alloc(kernel->module, sizeof *sorted * (size_t)(w->nlivein + 1));
    int count = 0;
    ir_count_uses(kernel, kernel->body);
    for (const Total *total = kernel->grid.totals; total; total = total->next)
        total->base->uses++;
    if (kernel->grid.from)
        kernel->grid.from->uses++;
    for (const Extent *extent = kernel->grid.extents; extent; extent = extent->next) {
        extent->base->uses++;
        extent->bytes->uses++;
    }
    for (int i = 0; i < w->nlivein; i++) {
        if (!w->livein[i].value->uses)
            continue;
        int at = count++;
        for (; at > 0 && sorted[at - 1].rank > w->livein[i].rank; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = w->livein[i];
    }
    w->livein = sorted;
    w->nlivein = kernel->nparams = count;
    for (int i = 0; i < count; i++) {
        kernel->params[i] = sorted[i].value;
        sorted[i].value->index = i;
    }
}

void refuse(Walk *w, CXCursor where, const char *remedy, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *message = arena_vprint(w->u->module, format, list);
    va_end(list);
    if (!w->failed)
        complain(w->u, loc_of(w->u, where), remedy, "%s", message);
    w->failed = true;
}
