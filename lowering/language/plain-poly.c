/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-poly.c - subscripts as sums of products: (i * K + k + 1) * 4 is 4 i K + 4 k + 4.
 *
 * Arithmetic of signed types does not overflow (C11 6.5p5), and that of 64 bits is taken modulo 2^64.  Other
 * arithmetic, an unsigned int's above all, is a value like any other.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "language/plain.h"

Poly poly_constant(int64_t number)
{
    Poly x = {.known = true, .count = number != 0};
    x.terms[0].factor = number;
    return x;
}

Poly poly_value(Value *value)
{
    Poly x = {.known = true, .count = 1};
    x.terms[0] = (Term){1, 1, {value}};
    return x;
}

bool term_same(const Term *x, const Term *y)
{
    return x->count == y->count && !memcmp(x->values, y->values, (size_t)x->count * sizeof *x->values);
}

static void add_term(Poly *x, Term term)
{
    for (int i = 0; i < x->count; i++)
        if (term_same(&x->terms[i], &term)) {
            x->terms[i].factor += term.factor;
            if (!x->terms[i].factor)
                x->terms[i] = x->terms[--x->count];
            return;
        }
    if (!term.factor)
        return;
    if (x->count == POLY_TERMS)
        x->known = false;
    else
        x->terms[x->count++] = term;
}

Poly poly_add(const Poly *x, const Poly *y, int64_t factor)
{
    Poly sum = *x;
    sum.known &= y->known;
    for (int i = 0; i < y->count && sum.known; i++) {
        Term term = y->terms[i];
        term.factor *= factor;
        add_term(&sum, term);
    }
    return sum;
}

static bool multiply_terms(const Term *x, const Term *y, Term *product)
{
    if (x->count + y->count > POLY_FACTORS)
        return false;
    *product = (Term){.factor = x->factor * y->factor};
    int i = 0, k = 0;
    while (i < x->count || k < y->count) {
        bool first = k == y->count || (i < x->count && x->values[i]->id <= y->values[k]->id);
        product->values[product->count++] = first ? x->values[i++] : y->values[k++];
    }
    return true;
}

Poly poly_multiply(const Poly *x, const Poly *y)
{
    Poly product = poly_constant(0);
    product.known = x->known && y->known;
    for (int i = 0; i < x->count && product.known; i++)
        for (int k = 0; k < y->count && product.known; k++) {
            Term term;
            if (multiply_terms(&x->terms[i], &y->terms[k], &term))
                add_term(&product, term);
            else
                product.known = false;
        }
    return product;
}

/* Computed of the launch's numbers alone, which the launcher cuts as C does.  */
static bool is_of_launch(const Value *value)
{
    const Op *op = value->def;
    if (!op)
        return !value->block;
    bool known = op_info[op->code].class_ == CLASS_SCALAR;
    for (int i = 0; i < op->nargs && known; i++)
        known = is_of_launch(op->args[i]);
    return known;
}

/* Behind conversions that keep the value, modulo 2^64 where the result has so many bits; in sums modulo 2^32 behind
   those that keep 32 bits; of 64 bits again the launch's are numbers of their own.  */
static Value *unconverted(Value *value, bool modulo)
{
    bool widened = false;
    while (value->def && value->def->code == OP_SCALAR_CONVERT) {
        Value *from = value->def->args[0];
        Dtype to = value->type.dtype, dtype = from->type.dtype;
        if (from->type.kind != K_SCALAR || dtype_is_float(dtype) || dtype_is_float(to) || dtype == D_I1 || to == D_I1)
            break;
        bool wider = dtype_bytes(to) > dtype_bytes(dtype) && (dtype_is_signed(to) || !dtype_is_signed(dtype));
        bool from_counter = (!from->def && from->block) || from->counts; /* of wider bounds: it fits */
        bool counter = value->counts || (from_counter && dtype_is_signed(to) && dtype_bytes(to) >= 4);
        bool cuts = widened && dtype_bytes(dtype) == 8 && is_of_launch(value);
        bool keeps = modulo && dtype_bytes(to) == 4 && !cuts; /* a sign goes on to the top */
        if (!wider && dtype_bytes(to) < 8 && !counter && !keeps)
            break;
        widened = dtype_bytes(to) == 8 && dtype_bytes(dtype) < 8;
        value = from;
    }
    return value;
}

static bool does_not_wrap(Dtype dtype)
{
    return dtype_is_signed(dtype) || dtype_bytes(dtype) == 8;
}

/* (int)(k - base), of more bits or without a sign.  */
static bool is_cut(const Value *value)
{
    if (value->def->code != OP_SCALAR_CONVERT || value->type.dtype != D_I32)
        return false;
    Dtype from = value->def->args[0]->type.dtype;
    return from == D_U32 || (dtype_bytes(from) == 8 && !dtype_is_float(from));
}

static Poly poly_through(Value *value, Wrapped *wrapped);

static Poly poly_of_cut(Value *value, Wrapped *wrapped)
{
    Value *whole = value->def->args[0];
    bool modulo = whole->type.dtype == D_U32;
    if (wrapped->count == MAX_WRAPPED)
        return poly_value(value);
    wrapped->values[wrapped->count++] = value;
    wrapped->inside = modulo;
    Poly x = poly_through(whole, wrapped);
    wrapped->inside = false;
    return x;
}

static Poly poly_through(Value *value, Wrapped *wrapped)
{
    int64_t number;
    bool modulo = wrapped && wrapped->inside;
    value = unconverted(value, modulo);
    if (ir_constant(value, &number))
        return poly_constant(modulo ? (int32_t)number : number); /* i - 1 is i + 0xffffffff */
    const Op *op = value->def;
    if (!op || op_info[op->code].class_ != CLASS_SCALAR || dtype_is_float(value->type.dtype))
        return poly_value(value);
    if (wrapped && !modulo && is_cut(value) && !is_of_launch(value))
        return poly_of_cut(value, wrapped);
    bool sum = op->code == OP_SCALAR_ADD || op->code == OP_SCALAR_SUB || op->code == OP_SCALAR_MUL, wraps = false;
    if (!does_not_wrap(value->type.dtype)) {
        wraps =
            wrapped && value->type.dtype == D_U32 && (sum || op->code == OP_SCALAR_NEG || op->code == OP_SCALAR_SHL);
        if (!wraps || (!modulo && wrapped->count == MAX_WRAPPED))
            return poly_value(value);
        if (!modulo)
            wrapped->values[wrapped->count++] = value;
        wrapped->inside = true;
    }
    Poly x = poly_constant(0), y = x, result = x;
    bool inverts = op->code == OP_SCALAR_NOT && value->type.dtype != D_I1 && !wraps;
    bool divides = (op->code == OP_SCALAR_DIV || op->code == OP_SCALAR_SHR) && dtype_is_signed(value->type.dtype) &&
                   !modulo && ir_constant(op->args[1], &number);
    if (sum || inverts || divides || op->code == OP_SCALAR_NEG || op->code == OP_SCALAR_SHL)
        x = poly_through(op->args[0], wrapped);
    if (sum)
        y = poly_through(op->args[1], wrapped);
    if (wraps)
        wrapped->inside = modulo;
    switch (op->code) {
    case OP_SCALAR_ADD:
        result = poly_add(&x, &y, 1);
        break;
    case OP_SCALAR_SUB:
        result = poly_add(&x, &y, -1);
        break;
    case OP_SCALAR_MUL:
        result = poly_multiply(&x, &y);
        break;
    case OP_SCALAR_NEG:
        result = poly_add(&y, &x, -1);
        break;
    case OP_SCALAR_NOT: /* ~x is -1 - x */
        if (!inverts)
            return poly_value(value);
        y = poly_constant(-1);
        result = poly_add(&y, &x, -1);
        break;
    case OP_SCALAR_DIV: /* i / 4, where i goes by 4 */
    case OP_SCALAR_SHR:
        number = op->code == OP_SCALAR_DIV ? number : number >= 0 && number < 32 ? (int64_t)1 << number : 0;
        if (!divides || number < 2 || !x.count || !poly_divide_by(&x, number))
            return poly_value(value);
        result = x;
        break;
    case OP_SCALAR_SHL:
        if (!ir_constant(op->args[1], &number) || number < 0 || number > 40)
            return poly_value(value);
        result = poly_add(&y, &x, (int64_t)1 << number);
        break;
    default:
        return poly_value(value);
    }
    return result.known ? result : poly_value(value);
}

Poly poly_of(Value *value)
{
    return poly_through(value, NULL);
}

Poly poly_of_subscript(Value *value, Wrapped *wrapped)
{
    *wrapped = (Wrapped){.count = 0};
    return poly_through(value, wrapped);
}

Poly poly_of_place(const Op *access)
{
    Wrapped wrapped;
    return poly_of_subscript(access->args[1], &wrapped);
}

Poly poly_modulo(Value *value)
{
    Wrapped wrapped = {.inside = true};
    return poly_through(value, &wrapped);
}

Poly poly_of_wrapped(Value *value)
{
    Wrapped wrapped = {.inside = value->type.dtype == D_U32};
    if (wrapped.inside)
        return poly_through(value, &wrapped);
    wrapped.inside = value->def->args[0]->type.dtype == D_U32;
    return poly_through(value->def->args[0], &wrapped);
}

bool poly_is_constant(const Poly *x, int64_t *number)
{
    *number = x->count ? x->terms[0].factor : 0;
    return x->known && (!x->count || (x->count == 1 && !x->terms[0].count));
}

bool poly_distance(const Poly *x, const Poly *y, int64_t *number)
{
    Poly difference = poly_add(x, y, -1);
    return poly_is_constant(&difference, number);
}

bool poly_same(const Poly *x, const Poly *y)
{
    int64_t number;
    return poly_distance(x, y, &number) && !number;
}

bool poly_has(const Poly *x, const Value *value)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (x->terms[i].values[k] == value)
                return true;
    return false;
}

static Term without(const Term *term, int index)
{
    Term rest = *term;
    rest.count--;
    for (int i = index; i < rest.count; i++)
        rest.values[i] = rest.values[i + 1];
    rest.values[rest.count] = NULL;
    return rest;
}

static int find_in(const Term *term, const Value *value)
{
    for (int i = 0; i < term->count; i++)
        if (term->values[i] == value)
            return i;
    return -1;
}

bool poly_split(const Poly *x, const Value *value, Poly *factor, Poly *rest)
{
    *factor = *rest = poly_constant(0);
    for (int i = 0; i < x->count; i++) {
        int at = find_in(&x->terms[i], value);
        add_term(at < 0 ? rest : factor, at < 0 ? x->terms[i] : without(&x->terms[i], at));
    }
    return x->known && !poly_has(factor, value);
}

Poly poly_replace(const Poly *x, const Value *value, const Poly *by)
{
    Poly factor, rest;
    if (!poly_has(x, value))
        return *x;
    if (!poly_split(x, value, &factor, &rest)) {
        rest.known = false;
        return rest;
    }
    Poly product = poly_multiply(&factor, by);
    return poly_add(&rest, &product, 1);
}

static int64_t nearest_quotient(int64_t x, int64_t y)
{
    int64_t quotient = x / y, rest = x % y;
    if (2 * llabs(rest) > llabs(y))
        quotient += (rest < 0) == (y < 0) ? 1 : -1;
    return quotient;
}

Poly poly_divide(const Poly *x, const Term *by, Poly *rest)
{
    Poly quotient = poly_constant(0);
    *rest = poly_constant(0);
    rest->known = quotient.known = x->known;
    for (int i = 0; i < x->count; i++) {
        Term term = x->terms[i];
        bool divides = true;
        for (int k = 0; k < by->count && divides; k++) {
            int at = find_in(&term, by->values[k]);
            divides = at >= 0;
            if (divides)
                term = without(&term, at);
        }
        bool constant = !term.count && !by->count, larger = !by->count && llabs(term.factor) > by->factor;
        divides &= constant || larger || term.factor % by->factor == 0;
        if (!divides) {
            add_term(rest, x->terms[i]);
            continue;
        }
        int64_t times = constant ? nearest_quotient(term.factor, by->factor) : term.factor / by->factor;
        term.factor -= times * by->factor;
        if (term.factor)
            add_term(rest, term);
        term.factor = times;
        add_term(&quotient, term);
    }
    return quotient;
}

bool poly_divide_by(Poly *x, int64_t number)
{
    for (int i = 0; i < x->count; i++) {
        if (x->terms[i].factor % number)
            return false;
        x->terms[i].factor /= number;
    }
    return true;
}

/* ---- emitting ---------------------------------------------------------------------------------------------------- */

static Value *emit_term(Kernel *kernel, Op *where, const Term *term, PolyUse *use, void *context)
{
    Value *product = NULL;
    for (int i = 0; i < term->count; i++) {
        Value *factor = ir_convert_before(kernel, where, use(context, term->values[i]), D_I64);
        product = product ? ir_binary_before(kernel, where, OP_SCALAR_MUL, product, factor) : factor;
    }
    int64_t times = llabs(term->factor);
    if (times != 1)
        product = ir_binary_before(kernel, where, OP_SCALAR_MUL, product, ir_const_before(kernel, where, D_I64, times));
    return product;
}

Value *poly_emit(Kernel *kernel, Op *where, const Poly *x, PolyUse *use, void *context)
{
    int64_t number = 0;
    Value *sum = NULL;
    if (poly_is_constant(x, &number))
        return ir_const_before(kernel, where, number == (int32_t)number ? D_I32 : D_I64, number);
    if (x->count == 1 && x->terms[0].count == 1 && x->terms[0].factor == 1)
        return use(context, x->terms[0].values[0]);
    number = 0;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < x->count; i++) {
            const Term *term = &x->terms[i];
            if (!term->count && sign > 0)
                number = term->factor;
            if (!term->count || (term->factor < 0) != (sign < 0))
                continue;
            Value *value = emit_term(kernel, where, term, use, context);
            if (!sum && sign < 0)
                sum = ir_const_before(kernel, where, D_I64, 0);
            sum = sum ? ir_binary_before(kernel, where, sign < 0 ? OP_SCALAR_SUB : OP_SCALAR_ADD, sum, value) : value;
        }
    if (number)
        sum = ir_binary_before(kernel, where, number < 0 ? OP_SCALAR_SUB : OP_SCALAR_ADD, sum,
                               ir_const_before(kernel, where, D_I64, llabs(number)));
    return sum;
}

enum { MOST_NESTED = 3 };

/* A value that has no name as the C expression that it was; what is too deep is left out.  */
static const char *expression_of(Module *module, const Value *value, int depth)
{
    const Op *op = value->def;
    int64_t number;
    if (value->name)
        return value->name;
    if (ir_constant(value, &number))
        return arena_print(module, "%" PRId64, number);
    if (!op || depth == MOST_NESTED)
        return "...";
    if (op->code == OP_ELEMENT && op->args[0]->name)
        return arena_print(module, "%s[...]", op->args[0]->name);
    if (op->code == OP_SCALAR_CONVERT)
        return expression_of(module, op->args[0], depth);
    const char *call = op_info[op->code].call;
    if (op_info[op->code].class_ != CLASS_SCALAR || !*call || isalpha((unsigned char)*call) || *call == '(')
        return "...";
    const char *first = expression_of(module, op->args[0], depth + 1);
    if (op->nargs == 1)
        return arena_print(module, "%s%s", call, first);
    const char *second = expression_of(module, op->args[1], depth + 1);
    return op->nargs == 3
               ? arena_print(module, "(%s ? %s : %s)", first, second, expression_of(module, op->args[2], depth + 1))
               : arena_print(module, "(%s %s %s)", first, call, second);
}

const char *poly_text(Module *module, const Poly *x)
{
    const char *text = "";
    const Term *only = x->terms;
    if (x->count == 1 && only->count == 1 && only->factor == 1) { /* without brackets around all of it */
        text = expression_of(module, only->values[0], 0);
        return *text == '(' ? arena_print(module, "%.*s", (int)strlen(text) - 2, text + 1) : text;
    }
    for (int pass = 0; pass < 2; pass++) /* the constant last */
        for (int i = 0; i < x->count; i++) {
            const Term *term = &x->terms[i];
            if ((term->count == 0) != (pass == 1))
                continue;
            const char *sign = term->factor < 0 ? *text ? " - " : "-" : *text ? " + " : "";
            int64_t times = llabs(term->factor);
            text = arena_print(module, "%s%s", text, sign);
            if (times != 1 || !term->count)
                text = arena_print(module, "%s%" PRId64 "%s", text, times, term->count ? " * " : "");
            for (int k = 0; k < term->count; k++)
                text = arena_print(module, "%s%s%s", text, k ? " * " : "", expression_of(module, term->values[k], 0));
        }
    return *text ? text : "0";
}
