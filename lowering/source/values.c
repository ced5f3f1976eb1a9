/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values.c - makes values in their normal form by the rules of rules.def.
 *
 *      x > 3 && x < 10 as GCC writes it:     (unsigned) x - 4 < 6     =>     !(x < 4) && x < 10
 *      (float) (1.0 - (double) f)                                     =>     1.0f - f
 *      n > 0 ? n : 0                                                  =>     max (n, 0)
 *
 * Each function below makes one kind of value: it looks for a rule, and otherwise looks the value up in the table. The
 * arguments are in normal form already. Commutative arguments are sorted by the first leaf in them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source/passes.h"
#include "source/values.h"

/* ---- the table --------------------------------------------------------------------------------------------------- */

enum { BUCKETS = 1 << 10, PRODUCTS = 36 /* of a distributed product at most */ };

SourceValues *values_new(Module *module)
{
    SourceValues *values = arena_alloc(module, sizeof *values);
    values->module = module;
    values->nbuckets = BUCKETS;
    values->table = arena_alloc(module, BUCKETS * sizeof *values->table);
    return values;
}

int source_type_width(SourceType type)
{
    return type == ST_B ? 1 : source_type_is_float(type) ? 0 : 8 * source_type_bytes(type);
}

static uint64_t mask(int width)
{
    return width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
}

static int64_t sign(uint64_t number, int width)
{
    if (width >= 64)
        return (int64_t)number;
    const uint64_t top = (uint64_t)1 << (width - 1);
    number &= mask(width);
    return (int64_t)((number ^ top) - top);
}

int64_t value_signed(const SourceValue *value)
{
    return value->width == 1 ? (int64_t)value->number : sign(value->number, value->width);
}

static uint64_t mixed(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t hash_of(const SourceValue *v)
{
    uint64_t h = mixed((uint64_t)v->kind * 64 + (uint64_t)v->code, (uint64_t)v->type * 64 + (uint64_t)v->from);
    h = mixed(h, (uint64_t)v->width * 4 + v->is_signed * 2u + v->exact);
    h = mixed(mixed(h, v->number), bits_of(v->real));
    if (v->what)
        h = mixed(h, (uint64_t)v->rank + 1);
    for (int i = 0; i < v->n; i++)
        h = mixed(mixed(h, v->args[i]->hash), v->factors ? v->factors[i] : 1);
    return h;
}

static bool equal(const SourceValue *a, const SourceValue *b)
{
    if (a->hash != b->hash || a->kind != b->kind || a->code != b->code || a->type != b->type || a->from != b->from ||
        a->width != b->width || a->is_signed != b->is_signed || a->exact != b->exact || a->number != b->number ||
        a->what != b->what || a->n != b->n || bits_of(a->real) != bits_of(b->real))
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->args[i] != b->args[i] || (a->factors && a->factors[i] != b->factors[i]))
            return false;
    return true;
}

static void grow(SourceValues *values)
{
    const int n = 4 * values->nbuckets;
    SourceValue **table = arena_alloc(values->module, (size_t)n * sizeof *table);
    for (int i = 0; i < values->nbuckets; i++)
        for (SourceValue *v = values->table[i], *next; v; v = next) {
            next = v->next;
            v->next = table[v->hash % (uint64_t)n];
            table[v->hash % (uint64_t)n] = v;
        }
    values->table = table;
    values->nbuckets = n;
}

/* Returns the value of the table that is equal. `args` and `factors` are copied.  */
static SourceValue *lookup(SourceValues *values, SourceValue key)
{
    key.size = 1;
    if (key.n)
        key.rank = key.args[0]->rank;
    for (int i = 0; i < key.n; i++) {
        const SourceValue *x = key.args[i];
        if (x->rank < key.rank)
            key.rank = x->rank;
        key.size += x->size;
        if (values->depth && values->depth[x->home] > values->depth[key.home])
            key.home = x->home;
    }
    if (key.size > 1 << 20)
        key.size = 1 << 20;
    key.hash = hash_of(&key);
    for (SourceValue *v = values->table[key.hash % (uint64_t)values->nbuckets]; v; v = v->next)
        if (equal(v, &key))
            return v;
    if (values->nvalues > 2 * values->nbuckets)
        grow(values);
    SourceValue *v = arena_alloc(values->module, sizeof *v);
    *v = key;
    if (key.n) {
        v->args = arena_alloc(values->module, (size_t)key.n * sizeof *v->args);
        memcpy(v->args, key.args, (size_t)key.n * sizeof *v->args);
    }
    if (key.factors) {
        v->factors = arena_alloc(values->module, (size_t)key.n * sizeof *v->factors);
        memcpy(v->factors, key.factors, (size_t)key.n * sizeof *v->factors);
    }
    v->id = values->nvalues++;
    v->loc = values->loc;
    v->inlined = values->inlined;
    v->next = values->table[v->hash % (uint64_t)values->nbuckets];
    values->table[v->hash % (uint64_t)values->nbuckets] = v;
    return v;
}

static int order(const SourceValue *a, const SourceValue *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static SourceValue *used(SourceValues *values, SourceRule rule, SourceValue *result)
{
    values->applied[rule]++;
    return result;
}

static SourceValue *two(SourceValues *values, SourceValue key, SourceValue *x, SourceValue *y)
{
    SourceValue *args[] = {x, y};
    key.n = 2;
    key.args = args;
    return lookup(values, key);
}

static SourceValue *one(SourceValues *values, SourceValue key, SourceValue *x)
{
    key.n = 1;
    key.args = &x;
    return lookup(values, key);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

SourceValue *value_integer(SourceValues *values, uint64_t number, int width)
{
    return lookup(
        values, (SourceValue){.kind = VALUE_INTEGER, .width = width, .number = number & mask(width), .rank = 1 << 30});
}

SourceValue *value_float(SourceValues *values, double real, SourceType type)
{
    if (type == ST_F32)
        real = (float)real;
    return lookup(values, (SourceValue){.kind = VALUE_FLOAT, .type = type, .real = real, .rank = 1 << 30});
}

SourceValue *value_leaf(SourceValues *values, SourceType type, const void *what, int home)
{
    SourceValue key = {.kind = VALUE_LEAF, .type = type, .width = source_type_width(type), .what = what, .home = home};
    key.rank = ++values->nleaves;
    key.number = (uint64_t)key.rank;
    return lookup(values, key);
}

SourceValue *value_object(SourceValues *values, SourceObject *object)
{
    return lookup(
        values,
        (SourceValue){.kind = VALUE_OBJECT, .type = ST_P, .width = 64, .what = object, .number = (uint64_t)object->id});
}

SourceValue *value_symbol(SourceValues *values, SourceOpcode code, const char *symbol)
{
    uint64_t h = 0;
    for (const char *p = symbol; *p; p++)
        h = mixed(h, (unsigned char)*p);
    SourceValue key = {.kind = VALUE_SYMBOL, .code = code, .type = ST_P, .width = 64, .number = h, .what = symbol};
    key.hash = hash_of(&key);
    for (SourceValue *v = values->table[key.hash % (uint64_t)values->nbuckets]; v; v = v->next)
        if (v->kind == VALUE_SYMBOL && v->code == code && !strcmp(v->what, symbol))
            return v;
    return lookup(values, key);
}

SourceValue *value_string(SourceValues *values, const char *string, long bytes)
{
    SourceValue key = {.kind = VALUE_SYMBOL, .code = SO_STRING, .type = ST_P, .width = 64, .what = string};
    key.number = (uint64_t)bytes;
    return lookup(values, key);
}

bool value_is_address(const SourceValue *v)
{
    if (v->width != 64)
        return false;
    if (v->kind == VALUE_LEAF || v->kind == VALUE_OBJECT || v->kind == VALUE_SYMBOL || v->kind == VALUE_CALL)
        return v->type == ST_P;
    if (v->kind == VALUE_SELECT)
        return value_is_address(v->args[1]) || value_is_address(v->args[2]);
    if (v->kind != VALUE_SUM)
        return false;
    int addresses = 0;
    for (int i = 0; i < v->n; i++)
        if (value_is_address(v->args[i]))
            addresses += v->factors[i] == 1 ? 1 : 2;
    return addresses == 1;
}

static bool is_integer(const SourceValue *v)
{
    return v->kind == VALUE_INTEGER;
}

static bool is_number(const SourceValue *v, uint64_t number)
{
    return is_integer(v) && v->number == (number & mask(v->width));
}

static bool is_extended(const SourceValue *v)
{
    return v->kind == VALUE_SEXT || v->kind == VALUE_ZEXT;
}

/* ---- sums and products ------------------------------------------------------------------------------------------- */

/* A sum while it is made.  */
typedef struct {
    int width, n;
    bool exact;
    uint64_t number;
    SourceValue **args;
    uint64_t *factors;
} Terms;

static void add_term(SourceValues *values, Terms *terms, SourceValue *x, uint64_t factor)
{
    for (int i = 0; i < terms->n; i++)
        if (terms->args[i] == x) {
            terms->factors[i] += factor;
            return;
        }
    terms->args = arena_grow(values->module, terms->args, terms->n, sizeof *terms->args);
    terms->factors = arena_grow(values->module, terms->factors, terms->n, sizeof *terms->factors);
    terms->args[terms->n] = x;
    terms->factors[terms->n++] = factor;
}

static void add_value(SourceValues *values, Terms *terms, const SourceValue *x, uint64_t factor)
{
    if (is_integer(x))
        terms->number += factor * (uint64_t)(x->width == 1 ? x->number : (uint64_t)value_signed(x));
    else if (x->kind == VALUE_SUM) {
        terms->number += factor * (uint64_t)sign(x->number, x->width);
        for (int i = 0; i < x->n; i++)
            add_term(values, terms, x->args[i], factor * (uint64_t)sign(x->factors[i], x->width));
    } else
        add_term(values, terms, (SourceValue *)x, factor);
}

static bool is_exact(const SourceValue *x)
{
    return (x->kind != VALUE_SUM && x->kind != VALUE_PRODUCT) || x->exact;
}

/* Is this the factor of mathematics, too, and not the rest of it modulo 2^width?  */
static bool is_small(uint64_t factor, int width)
{
    return width < 64 ? sign(factor, width) == (int64_t)factor : factor + ((uint64_t)1 << 31) < (uint64_t)1 << 32;
}

static SourceValue *sum_of(SourceValues *values, Terms *terms)
{
    int n = 0;
    const uint64_t m = mask(terms->width);
    bool exact = terms->exact && is_small(terms->number, terms->width);
    for (int i = 0; i < terms->n; i++)
        exact &= is_small(terms->factors[i], terms->width);
    for (int i = 0; i < terms->n; i++)
        if (terms->factors[i] & m) {
            terms->args[n] = terms->args[i];
            terms->factors[n++] = terms->factors[i] & m;
        }
    terms->n = n;
    terms->number &= m;
    if (!n)
        return value_integer(values, terms->number, terms->width);
    if (n == 1 && !terms->number && terms->factors[0] == 1)
        return terms->args[0];
    for (int i = 1; i < n; i++)
        for (int k = i; k && order(terms->args[k], terms->args[k - 1]) < 0; k--) {
            SourceValue *x = terms->args[k];
            const uint64_t f = terms->factors[k];
            terms->args[k] = terms->args[k - 1];
            terms->factors[k] = terms->factors[k - 1];
            terms->args[k - 1] = x;
            terms->factors[k - 1] = f;
        }
    return lookup(values, (SourceValue){.kind = VALUE_SUM,
                                        .width = terms->width,
                                        .exact = exact,
                                        .number = terms->number,
                                        .n = n,
                                        .args = terms->args,
                                        .factors = terms->factors});
}

static SourceValue *add(SourceValues *values, int width, bool is_signed, SourceValue *x, uint64_t factor,
                        SourceValue *y)
{
    Terms terms = {.width = width, .exact = is_signed && is_exact(x) && is_exact(y)};
    if (is_integer(x) && is_integer(y))
        values->applied[RULE_FOLD]++;
    else if (x->kind == VALUE_SUM || y->kind == VALUE_SUM || x == y)
        values->applied[RULE_SUM]++;
    add_value(values, &terms, x, 1);
    add_value(values, &terms, y, factor);
    return sum_of(values, &terms);
}

/* x * y of two values that are no sums and no constants.  */
static SourceValue *product(SourceValues *values, int width, bool exact, SourceValue *x, SourceValue *y)
{
    const int nx = x->kind == VALUE_PRODUCT ? x->n : 1, ny = y->kind == VALUE_PRODUCT ? y->n : 1;
    if (nx + ny > 2)
        values->applied[RULE_PRODUCT]++;
    SourceValue **args = arena_alloc(values->module, (size_t)(nx + ny) * sizeof *args);
    memcpy(args, x->kind == VALUE_PRODUCT ? x->args : &x, (size_t)nx * sizeof *args);
    memcpy(args + nx, y->kind == VALUE_PRODUCT ? y->args : &y, (size_t)ny * sizeof *args);
    for (int i = 1; i < nx + ny; i++)
        for (int k = i; k && order(args[k], args[k - 1]) < 0; k--) {
            SourceValue *z = args[k];
            args[k] = args[k - 1];
            args[k - 1] = z;
        }
    return lookup(values,
                  (SourceValue){.kind = VALUE_PRODUCT, .width = width, .exact = exact, .n = nx + ny, .args = args});
}

static SourceValue *multiply(SourceValues *values, int width, bool is_signed, SourceValue *x, SourceValue *y)
{
    Terms terms = {.width = width, .exact = is_signed && is_exact(x) && is_exact(y)};
    if (is_integer(x)) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    if (is_integer(y)) {
        values->applied[is_integer(x) ? RULE_FOLD : RULE_SUM]++;
        add_value(values, &terms, x, (uint64_t)value_signed(y));
        return sum_of(values, &terms);
    }
    if (x->kind != VALUE_SUM && y->kind != VALUE_SUM)
        return product(values, width, terms.exact, x, y);
    const int nx = x->kind == VALUE_SUM ? x->n : 1, ny = y->kind == VALUE_SUM ? y->n : 1;
    if ((nx + 1) * (ny + 1) > PRODUCTS)
        return product(values, width, terms.exact, x, y);
    values->applied[RULE_DISTRIBUTE]++;
    const uint64_t cx = x->kind == VALUE_SUM ? (uint64_t)sign(x->number, width) : 0;
    const uint64_t cy = y->kind == VALUE_SUM ? (uint64_t)sign(y->number, width) : 0;
    terms.number = cx * cy;
    for (int i = 0; i < nx; i++) {
        SourceValue *a = x->kind == VALUE_SUM ? x->args[i] : x;
        const uint64_t f = x->kind == VALUE_SUM ? (uint64_t)sign(x->factors[i], width) : 1;
        add_term(values, &terms, a, f * cy);
        for (int k = 0; k < ny; k++)
            add_term(values, &terms, product(values, width, terms.exact, a, y->kind == VALUE_SUM ? y->args[k] : y),
                     f * (y->kind == VALUE_SUM ? (uint64_t)sign(y->factors[k], width) : 1));
    }
    for (int k = 0; k < ny; k++)
        add_term(values, &terms, y->kind == VALUE_SUM ? y->args[k] : y,
                 cx * (y->kind == VALUE_SUM ? (uint64_t)sign(y->factors[k], width) : 1));
    return sum_of(values, &terms);
}

static SourceValue *minus(SourceValues *values, SourceValue *x, int width, bool is_signed)
{
    return add(values, width, is_signed, value_integer(values, 0, width), ~(uint64_t)0, x);
}

SourceValue *value_difference(SourceValues *values, SourceValue *x, SourceValue *y)
{
    return add(values, x->width, false, x, ~(uint64_t)0, y);
}

/* ---- widths ------------------------------------------------------------------------------------------------------ */

static SourceValue *bitwise(SourceValues *values, SourceOpcode code, int width, SourceValue *x, SourceValue *y);
static SourceValue *least(SourceValues *values, SourceOpcode code, bool is_signed, SourceValue *x, SourceValue *y);

static SourceValue *extend(SourceValues *values, ValueKind kind, SourceValue *x, int width)
{
    if (x->width == width)
        return x;
    if (is_integer(x))
        return used(values, RULE_FOLD,
                    value_integer(values, kind == VALUE_SEXT ? (uint64_t)value_signed(x) : x->number, width));
    if (x->kind == VALUE_SELECT && x->width > 1)
        return used(values, RULE_EXTEND_SELECT,
                    value_select(values, x->args[0], extend(values, kind, x->args[1], width),
                                 extend(values, kind, x->args[2], width)));
    if (x->kind == VALUE_ZEXT)
        return used(values, kind == VALUE_SEXT ? RULE_SEXT_ZEXT : RULE_EXTEND_TWICE,
                    extend(values, VALUE_ZEXT, x->args[0], width));
    if (kind == VALUE_SEXT && x->kind == VALUE_SEXT)
        return used(values, RULE_EXTEND_TWICE, extend(values, VALUE_SEXT, x->args[0], width));
    if (kind == VALUE_SEXT && x->kind == VALUE_SUM && x->exact) {
        Terms terms = {.width = width, .exact = true, .number = (uint64_t)sign(x->number, x->width)};
        for (int i = 0; i < x->n; i++)
            add_value(values, &terms, extend(values, kind, x->args[i], width), (uint64_t)sign(x->factors[i], x->width));
        return used(values, RULE_SEXT_SUM, sum_of(values, &terms));
    }
    if (kind == VALUE_SEXT && x->kind == VALUE_PRODUCT && x->exact) {
        SourceValue *made = extend(values, kind, x->args[0], width);
        for (int i = 1; i < x->n; i++)
            made = multiply(values, width, true, made, extend(values, kind, x->args[i], width));
        return used(values, RULE_SEXT_PRODUCT, made);
    }
    if (kind == VALUE_SEXT && x->kind == VALUE_INTEGERS && (x->code == SO_MIN || x->code == SO_MAX) && x->is_signed)
        return used(values, RULE_SEXT_MIN,
                    least(values, x->code, true, extend(values, kind, x->args[0], width),
                          extend(values, kind, x->args[1], width)));
    if (kind == VALUE_SEXT && x->kind == VALUE_INTEGERS && x->code == SO_AND &&
        ((is_integer(x->args[0]) && value_signed(x->args[0]) >= 0) ||
         (is_integer(x->args[1]) && value_signed(x->args[1]) >= 0)))
        return used(values, RULE_SEXT_AND, extend(values, VALUE_ZEXT, x, width));
    return one(values, (SourceValue){.kind = kind, .width = width}, x);
}

static SourceValue *truncate(SourceValues *values, SourceValue *x, int width)
{
    if (x->width == width)
        return x;
    if (is_integer(x))
        return used(values, RULE_FOLD, value_integer(values, x->number, width));
    if (is_extended(x)) {
        SourceValue *inner = x->args[0];
        values->applied[RULE_TRUNCATE_EXTENDED]++;
        return inner->width >= width ? truncate(values, inner, width) : extend(values, x->kind, inner, width);
    }
    if (x->kind == VALUE_TRUNC)
        return used(values, RULE_TRUNCATE_TWICE, truncate(values, x->args[0], width));
    if (x->kind == VALUE_SUM) {
        Terms terms = {.width = width, .number = x->number};
        for (int i = 0; i < x->n; i++)
            add_value(values, &terms, truncate(values, x->args[i], width), x->factors[i]);
        return used(values, RULE_TRUNCATE_SUM, sum_of(values, &terms));
    }
    if (x->kind == VALUE_PRODUCT) {
        SourceValue *made = truncate(values, x->args[0], width);
        for (int i = 1; i < x->n; i++)
            made = multiply(values, width, false, made, truncate(values, x->args[i], width));
        return used(values, RULE_TRUNCATE_PRODUCT, made);
    }
    if (x->kind == VALUE_INTEGERS && (x->code == SO_AND || x->code == SO_OR || x->code == SO_XOR))
        return used(
            values, RULE_TRUNCATE_BITS,
            bitwise(values, x->code, width, truncate(values, x->args[0], width), truncate(values, x->args[1], width)));
    if (x->kind == VALUE_SELECT)
        return used(
            values, RULE_TRUNCATE_SELECT,
            value_select(values, x->args[0], truncate(values, x->args[1], width), truncate(values, x->args[2], width)));
    return one(values, (SourceValue){.kind = VALUE_TRUNC, .width = width}, x);
}

/* Does the constant fit `width` bits, to be extended by this kind?  */
static bool fits(const SourceValue *constant, ValueKind kind, int width)
{
    if (kind == VALUE_ZEXT)
        return constant->number <= mask(width);
    return sign(constant->number, width) == value_signed(constant) && constant->width > width;
}

/* ---- truth ------------------------------------------------------------------------------------------------------- */

static SourceValue *negate(SourceValues *values, SourceValue *x)
{
    if (is_integer(x))
        return used(values, RULE_FOLD, value_integer(values, !x->number, 1));
    if (x->kind == VALUE_NOT)
        return used(values, RULE_NOT_TWICE, x->args[0]);
    return one(values, (SourceValue){.kind = VALUE_NOT, .width = 1}, x);
}

static SourceValue *both(SourceValues *values, SourceValue *x, SourceValue *y)
{
    SourceValue *parts[2] = {x, y};
    int room = 0, n = 0;
    for (int i = 0; i < 2; i++)
        room += parts[i]->kind == VALUE_ALL ? parts[i]->n : 1;
    SourceValue **args = arena_alloc(values->module, (size_t)room * sizeof *args);
    bool rule = false;
    for (int i = 0; i < 2; i++) {
        const bool all = parts[i]->kind == VALUE_ALL;
        for (int k = 0; k < (all ? parts[i]->n : 1); k++) {
            SourceValue *part = all ? parts[i]->args[k] : parts[i];
            if (is_number(part, 0))
                return used(values, RULE_ALL, part);
            bool there = is_integer(part);
            for (int j = 0; j < n; j++)
                there |= args[j] == part;
            rule |= there;
            if (!there)
                args[n++] = part;
        }
    }
    for (int i = 0; i < n; i++) {
        SourceValue *opposite = negate(values, args[i]);
        for (int k = 0; k < n; k++)
            if (args[k] == opposite)
                return used(values, RULE_ALL, value_integer(values, 0, 1));
    }
    if (rule)
        values->applied[RULE_ALL]++;
    if (n < 2)
        return n ? args[0] : value_integer(values, 1, 1);
    for (int i = 1; i < n; i++)
        for (int k = i; k && order(args[k], args[k - 1]) < 0; k--) {
            SourceValue *z = args[k];
            args[k] = args[k - 1];
            args[k - 1] = z;
        }
    return lookup(values, (SourceValue){.kind = VALUE_ALL, .width = 1, .n = n, .args = args});
}

static SourceValue *either(SourceValues *values, SourceValue *x, SourceValue *y)
{
    return used(values, RULE_OR, negate(values, both(values, negate(values, x), negate(values, y))));
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static SourceValue *bitwise(SourceValues *values, SourceOpcode code, int width, SourceValue *x, SourceValue *y)
{
    if (order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    /* A constant is the second one.  */
    if (is_integer(x) && is_integer(y))
        return used(values, RULE_FOLD,
                    value_integer(values,
                                  code == SO_AND  ? x->number & y->number
                                  : code == SO_OR ? x->number | y->number
                                                  : x->number ^ y->number,
                                  width));
    if (width == 1) {
        if (code == SO_AND)
            return both(values, x, y);
        if (code == SO_OR)
            return either(values, x, y);
        if (is_integer(y))
            return used(values, RULE_XOR_CONSTANT, y->number ? negate(values, x) : x);
    }
    if (x == y)
        return used(values, RULE_BITS_SAME, code == SO_XOR ? value_integer(values, 0, width) : x);
    if (is_number(y, 0))
        return used(values, RULE_BITS_CONSTANT, code == SO_AND ? y : x);
    if (is_number(y, ~(uint64_t)0)) {
        if (code == SO_XOR)
            return used(values, RULE_BITS_COMPLEMENT, add(values, width, true, y, ~(uint64_t)0, x));
        return used(values, RULE_BITS_CONSTANT, code == SO_AND ? x : y);
    }
    if (is_integer(y) && is_extended(x) && (x->args[0]->width > 1 || code == SO_AND)) {
        const int inner = x->args[0]->width;
        const ValueKind kind = x->kind;
        /* Of a sign that a mask cuts off nothing remains.  */
        if (code == SO_AND && y->number <= mask(inner) && (kind == VALUE_ZEXT || !(y->number >> (inner - 1) & 1)))
            return used(values, RULE_BITS_NARROW,
                        extend(values, VALUE_ZEXT,
                               bitwise(values, code, inner, x->args[0], value_integer(values, y->number, inner)),
                               width));
        if (inner > 1 && fits(y, kind, inner))
            return used(values, RULE_BITS_NARROW,
                        extend(values, kind,
                               bitwise(values, code, inner, x->args[0], value_integer(values, y->number, inner)),
                               width));
    }
    if (is_extended(x) && x->kind == y->kind && x->args[0]->width == y->args[0]->width)
        return used(values, RULE_BITS_NARROW,
                    extend(values, x->kind, bitwise(values, code, x->args[0]->width, x->args[0], y->args[0]), width));
    return two(values, (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width}, x, y);
}

/* ---- comparisons of integers ------------------------------------------------------------------------------------- */

static SourceValue *less(SourceValues *values, bool is_signed, SourceValue *x, SourceValue *y);

/* Splits x - y into what is added and what is taken away, with the constant on the right.  */
static SourceValue *equal_sums(SourceValues *values, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    Terms left = {.width = width}, right = {.width = width};
    SourceValue *difference = value_difference(values, x, y);
    if (difference->kind != VALUE_SUM)
        return is_integer(difference) ? value_integer(values, !difference->number, 1)
                                      : two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, difference,
                                            value_integer(values, 0, width));
    /* The first term is on the left.  */
    const bool swap = sign(difference->factors[0], width) < 0;
    right.number = swap ? difference->number : -difference->number;
    for (int i = 0; i < difference->n; i++) {
        const uint64_t f = swap ? -difference->factors[i] : difference->factors[i];
        if (sign(f, width) < 0)
            add_term(values, &right, difference->args[i], -f);
        else
            add_term(values, &left, difference->args[i], f);
    }
    return two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, sum_of(values, &left), sum_of(values, &right));
}

static SourceValue *same(SourceValues *values, SourceValue *x, SourceValue *y)
{
    if (is_integer(x)) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    const int width = x->width;
    if (is_integer(x) && is_integer(y))
        return used(values, RULE_FOLD, value_integer(values, x->number == y->number, 1));
    if (width == 1) {
        if (is_integer(y))
            return used(values, RULE_EQUAL_TRUTH, y->number ? x : negate(values, x));
        return negate(values, bitwise(values, SO_XOR, 1, x, y));
    }
    if (is_integer(y) && x->kind == VALUE_ZEXT && x->args[0]->width == 1)
        return used(values, RULE_EQUAL_TRUTH,
                    y->number == 1   ? x->args[0]
                    : y->number == 0 ? negate(values, x->args[0])
                                     : value_integer(values, 0, 1));
    if (is_integer(y) && is_extended(x)) {
        const int inner = x->args[0]->width;
        return used(values, RULE_EQUAL_NARROW,
                    fits(y, x->kind, inner) ? same(values, x->args[0], value_integer(values, y->number, inner))
                                            : value_integer(values, 0, 1));
    }
    if (is_extended(x) && x->kind == y->kind && x->args[0]->width == y->args[0]->width)
        return used(values, RULE_EQUAL_NARROW, same(values, x->args[0], y->args[0]));
    if (is_number(y, 0) && x->kind == VALUE_INTEGERS && x->code == SO_REM && is_integer(x->args[1])) {
        const int64_t d = x->is_signed ? value_signed(x->args[1]) : 0;
        const uint64_t n = (d < 0 ? -(uint64_t)d : x->args[1]->number) & mask(width);
        if (n && !(n & (n - 1)))
            return used(
                values, RULE_EQUAL_REMAINDER,
                same(values, bitwise(values, SO_AND, width, x->args[0], value_integer(values, n - 1, width)), y));
    }
    if (is_number(y, 0) && x->kind == VALUE_INTEGERS && x->code == SO_OR)
        return used(values, RULE_EQUAL_OR, both(values, same(values, x->args[0], y), same(values, x->args[1], y)));
    if (x->kind == VALUE_SUM || y->kind == VALUE_SUM)
        return used(values, RULE_EQUAL_SUM, equal_sums(values, x, y));
    if (x == y)
        return used(values, RULE_FOLD, value_integer(values, 1, 1));
    if (!is_integer(y) && order(y, x) < 0)
        return two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, y, x);
    return two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, x, y);
}

/* x as atom + constant, if that is exact.  */
static bool shifted(const SourceValue *x, SourceValue **atom, int64_t *constant)
{
    *atom = (SourceValue *)x;
    *constant = 0;
    if (x->kind != VALUE_SUM)
        return !is_integer(x);
    *atom = x->args[0];
    *constant = sign(x->number, x->width);
    return x->exact && x->n == 1 && x->factors[0] == 1;
}

static SourceValue *atom_and(SourceValues *values, SourceValue *atom, int64_t constant)
{
    return add(values, atom->width, true, atom, 1, value_integer(values, (uint64_t)constant, atom->width));
}

/* Exact sums of which one term is the same: what remains must be one atom, or nothing.  */
static SourceValue *less_common(SourceValues *values, SourceValue *x, SourceValue *y)
{
    if (!is_exact(x) || !is_exact(y))
        return NULL;
    const int width = x->width;
    Terms terms = {.width = width};
    add_value(values, &terms, x, 1);
    add_value(values, &terms, y, ~(uint64_t)0);
    const uint64_t cx = x->kind == VALUE_SUM ? x->number : 0, cy = y->kind == VALUE_SUM ? y->number : 0;
    const int before = (x->kind == VALUE_SUM ? x->n : 1) + (y->kind == VALUE_SUM ? y->n : 1);
    SourceValue *left = NULL, *right = NULL;
    int n = 0;
    for (int i = 0; i < terms.n; i++) {
        const int64_t f = sign(terms.factors[i], width);
        if (!f)
            continue;
        n++;
        if (f == 1 && !left)
            left = terms.args[i];
        else if (f == -1 && !right)
            right = terms.args[i];
        else
            return NULL;
    }
    if (n >= before || (cx & mask(width)) != (cy & mask(width)))
        return NULL;
    SourceValue *zero = value_integer(values, 0, width);
    return used(values, RULE_LESS_SUM, less(values, true, left ? left : zero, right ? right : zero));
}

static SourceValue *less_signed(SourceValues *values, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    const int64_t top = (int64_t)(mask(width) >> 1);
    SourceValue *a, *b;
    int64_t c, d;
    const bool ax = shifted(x, &a, &c), by = shifted(y, &b, &d);
    if (is_integer(y) && ax && c) {
        /* a + c < y */
        int64_t moved;
        if (__builtin_sub_overflow(value_signed(y), c, &moved) || moved > top || moved < -top - 1)
            return used(values, RULE_LESS_SHIFT, value_integer(values, c < 0, 1));
        return used(values, RULE_LESS_SHIFT, less(values, true, a, value_integer(values, (uint64_t)moved, width)));
    }
    if (is_integer(y) && value_signed(y) == -top - 1)
        return used(values, RULE_LESS_RANGE, value_integer(values, 0, 1));
    if (is_integer(y))
        return NULL;
    SourceValue *common = less_common(values, x, y);
    if (common)
        return common;
    if (!ax || !by)
        return NULL;
    if (a == b)
        return used(values, RULE_LESS_SUM, value_integer(values, c < d, 1));
    if ((c > 0 && d > 0) || (c < 0 && d < 0)) {
        const int64_t less_by = llabs(c) < llabs(d) ? c : d;
        return used(values, RULE_LESS_SUM,
                    less(values, true, atom_and(values, a, c - less_by), atom_and(values, b, d - less_by)));
    }
    if (!c && d > 0)
        return used(values, RULE_LESS_NEAREST, negate(values, less(values, true, atom_and(values, b, d - 1), a)));
    if (!d && c < 0)
        return used(values, RULE_LESS_NEAREST, negate(values, less(values, true, b, atom_and(values, a, c + 1))));
    return NULL;
}

static SourceValue *less_unsigned(SourceValues *values, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    if (is_number(x, 0))
        return used(values, RULE_LESS_ONE, negate(values, same(values, y, x)));
    if (is_number(y, 1))
        return used(values, RULE_LESS_ONE, same(values, x, value_integer(values, 0, width)));
    if (is_number(y, 0))
        return used(values, RULE_LESS_RANGE, y->width == 1 ? y : value_integer(values, 0, 1));
    if (is_integer(y) && x->kind == VALUE_SUM && x->n == 1 && x->factors[0] == 1) {
        const int64_t low = sign(-x->number, width);
        const int64_t top = (int64_t)(mask(width) >> 1);
        /* c <= a < c + d, where c + d is no greater than the greatest signed number.  */
        if (y->number <= (uint64_t)top && low <= top - (int64_t)y->number) {
            SourceValue *a = x->args[0];
            return used(values, RULE_LESS_BETWEEN,
                        both(values, negate(values, less(values, true, a, value_integer(values, (uint64_t)low, width))),
                             less(values, true, a, value_integer(values, (uint64_t)low + y->number, width))));
        }
    }
    return NULL;
}

static SourceValue *less(SourceValues *values, bool is_signed, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    if (is_integer(x) && is_integer(y))
        return used(values, RULE_FOLD,
                    value_integer(values, is_signed ? value_signed(x) < value_signed(y) : x->number < y->number, 1));
    if (x == y)
        return used(values, RULE_FOLD, value_integer(values, 0, 1));
    if (width == 1)
        return both(values, negate(values, x), y);
    const bool ex = is_extended(x), ey = is_extended(y);
    if (is_signed || !ex || x->kind == VALUE_ZEXT)
        if (ex && is_integer(y)) {
            const int inner = x->args[0]->width;
            const bool inner_signed = x->kind == VALUE_SEXT;
            if (fits(y, x->kind, inner) && inner > 1)
                return used(values, RULE_LESS_NARROW,
                            less(values, inner_signed, x->args[0], value_integer(values, y->number, inner)));
            const int64_t low = inner_signed ? sign((uint64_t)1 << (inner - 1), inner) : 0;
            const bool below = is_signed && value_signed(y) <= low;
            if (inner > 1 || below)
                return used(values, RULE_LESS_RANGE, value_integer(values, !below, 1));
        }
    if (is_integer(x) && ey && (is_signed || y->kind == VALUE_ZEXT) && fits(x, y->kind, y->args[0]->width) &&
        y->args[0]->width > 1)
        return used(
            values, RULE_LESS_NARROW,
            less(values, y->kind == VALUE_SEXT, value_integer(values, x->number, y->args[0]->width), y->args[0]));
    if (is_integer(x)) {
        /* c < y is !(y < c + 1) */
        const uint64_t greatest = is_signed ? mask(width) >> 1 : mask(width);
        if (x->number == greatest)
            return used(values, RULE_LESS_RANGE, value_integer(values, 0, 1));
        return used(values, RULE_LESS_CONSTANT,
                    negate(values, less(values, is_signed, y, value_integer(values, x->number + 1, width))));
    }
    if (ex && ey && x->kind == y->kind && x->args[0]->width == y->args[0]->width &&
        (is_signed || x->kind == VALUE_ZEXT))
        return used(values, RULE_LESS_NARROW, less(values, x->kind == VALUE_SEXT, x->args[0], y->args[0]));
    SourceValue *made = is_signed ? less_signed(values, x, y) : less_unsigned(values, x, y);
    return made ? made : two(values, (SourceValue){.kind = VALUE_LT, .width = 1, .is_signed = is_signed}, x, y);
}

/* ---- the rest of integers ---------------------------------------------------------------------------------------- */

static SourceValue *least(SourceValues *values, SourceOpcode code, bool is_signed, SourceValue *x, SourceValue *y)
{
    if (order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    const int width = x->width;
    if (x == y)
        return used(values, RULE_MIN_SAME, x);
    if (is_integer(x) && is_integer(y)) {
        const bool first = is_signed ? value_signed(x) < value_signed(y) : x->number < y->number;
        return used(values, RULE_FOLD, first == (code == SO_MIN) ? x : y);
    }
    SourceValue *a;
    int64_t c, moved;
    const int64_t top = (int64_t)(mask(width) >> 1);
    if (is_signed && is_integer(y) && shifted(x, &a, &c) && c && !__builtin_sub_overflow(value_signed(y), c, &moved) &&
        moved <= top && moved >= -top - 1)
        return used(values, RULE_MIN_SUM,
                    atom_and(values, least(values, code, true, a, value_integer(values, (uint64_t)moved, width)), c));
    return two(values, (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = is_signed}, x,
               y);
}

static SourceValue *shift_right(SourceValues *values, bool is_signed, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    if (is_number(y, 0))
        return used(values, RULE_SHIFT_ZERO, x);
    if (is_integer(x) && is_integer(y) && y->number < (uint64_t)width)
        return used(values, RULE_FOLD,
                    value_integer(values, is_signed ? (uint64_t)(value_signed(x) >> y->number) : x->number >> y->number,
                                  width));
    if (x->kind == VALUE_ZEXT && is_integer(y) && y->number < (uint64_t)width) {
        SourceValue *inner = x->args[0];
        if (inner->width > 1 && y->number < (uint64_t)inner->width)
            return used(values, RULE_SHIFT_ZEXT,
                        extend(values, VALUE_ZEXT,
                               shift_right(values, false, inner, value_integer(values, y->number, inner->width)),
                               width));
        return used(values, RULE_SHIFT_ZEXT, value_integer(values, 0, width));
    }
    return two(values, (SourceValue){.kind = VALUE_INTEGERS, .code = SO_SHR, .width = width, .is_signed = is_signed}, x,
               y);
}

static int log_of(uint64_t n)
{
    int k = 0;
    while (n >> k > 1)
        k++;
    return k;
}

static SourceValue *divide(SourceValues *values, SourceOpcode code, bool is_signed, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    const SourceValue key = {.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = is_signed};
    if (!is_integer(y) || !y->number)
        return two(values, key, x, y);
    const int64_t d = value_signed(y);
    if (is_number(y, 1))
        return used(values, RULE_DIVIDE_ONE, code == SO_DIV ? x : value_integer(values, 0, width));
    if (is_integer(x) && !(is_signed && d == -1)) {
        uint64_t q;
        if (is_signed)
            q = (uint64_t)(code == SO_DIV ? value_signed(x) / d : value_signed(x) % d);
        else
            q = code == SO_DIV ? x->number / y->number : x->number % y->number;
        return used(values, RULE_FOLD, value_integer(values, q, width));
    }
    if (is_extended(x) && x->args[0]->width > 1 && (x->kind == VALUE_ZEXT || is_signed)) {
        const int inner = x->args[0]->width;
        const bool positive = !is_signed || d > 0;
        if (positive && fits(y, x->kind, inner))
            return used(
                values, RULE_DIVIDE_NARROW,
                extend(values, x->kind,
                       divide(values, code, x->kind == VALUE_SEXT, x->args[0], value_integer(values, y->number, inner)),
                       width));
    }
    if (!is_signed && !(y->number & (y->number - 1)))
        return used(values, RULE_DIVIDE_POWER,
                    code == SO_DIV
                        ? shift_right(values, false, x, value_integer(values, (uint64_t)log_of(y->number), width))
                        : bitwise(values, SO_AND, width, x, value_integer(values, y->number - 1, width)));
    if (is_signed && d < -1 && value_signed(y) != sign((uint64_t)1 << (width - 1), width) && code == SO_DIV)
        return used(
            values, RULE_DIVIDE_NEGATIVE,
            minus(values, divide(values, code, true, x, value_integer(values, (uint64_t)-d, width)), width, true));
    return two(values, key, x, y);
}

/* ---- select ------------------------------------------------------------------------------------------------------ */

/* c ? x : y of integers, where c is a < b: a minimum, a maximum, an absolute value, or NULL.  */
static SourceValue *select_order(SourceValues *values, const SourceValue *c, SourceValue *x, SourceValue *y)
{
    SourceValue *a = c->args[0], *b = c->args[1];
    const bool is_signed = c->is_signed;
    if (x->width != a->width)
        return NULL;
    if (x == a && y == b)
        return used(values, RULE_SELECT_MIN, least(values, SO_MIN, is_signed, a, b));
    if (x == b && y == a)
        return used(values, RULE_SELECT_MAX, least(values, SO_MAX, is_signed, a, b));
    if (is_integer(b)) {
        /* a < k + 1 is a <= k */
        SourceValue *k = value_integer(values, b->number - 1, b->width);
        if (x == a && y == k)
            return used(values, RULE_SELECT_MIN, least(values, SO_MIN, is_signed, a, k));
        if (x == k && y == a)
            return used(values, RULE_SELECT_MAX, least(values, SO_MAX, is_signed, a, k));
        const bool negated = x->kind == VALUE_SUM && x->exact && x == minus(values, y, y->width, true);
        if (is_signed && y == a && negated && b->number <= 1)
            return used(values, RULE_SELECT_ABS,
                        one(values,
                            (SourceValue){.kind = VALUE_INTEGERS, .code = SO_ABS, .width = a->width, .is_signed = true},
                            a));
    }
    return NULL;
}

SourceValue *value_select(SourceValues *values, SourceValue *c, SourceValue *x, SourceValue *y)
{
    if (x == y)
        return used(values, RULE_SELECT_SAME, x);
    if (is_integer(c))
        return used(values, RULE_SELECT_CONSTANT, c->number ? x : y);
    if (c->kind == VALUE_NOT)
        return used(values, RULE_SELECT_NOT, value_select(values, c->args[0], y, x));
    if (x->width == 1) {
        if (is_integer(x))
            return used(values, RULE_SELECT_TRUTH,
                        x->number ? either(values, c, y) : both(values, negate(values, c), y));
        if (is_integer(y))
            return used(values, RULE_SELECT_TRUTH,
                        y->number ? either(values, negate(values, c), x) : both(values, c, x));
    }
    if (x->width > 1 && is_number(x, 1) && is_number(y, 0))
        return used(values, RULE_SELECT_ONE, extend(values, VALUE_ZEXT, c, x->width));
    if (x->width > 1 && is_number(x, 0) && is_number(y, 1))
        return used(values, RULE_SELECT_ONE, extend(values, VALUE_ZEXT, negate(values, c), x->width));
    if (c->kind == VALUE_LT && x->width > 1) {
        SourceValue *made = select_order(values, c, x, y);
        if (made)
            return made;
    }
    if (x->kind == VALUE_SELECT && x->args[0] == c)
        return used(values, RULE_SELECT_AGAIN, value_select(values, c, x->args[1], y));
    if (y->kind == VALUE_SELECT && y->args[0] == c)
        return used(values, RULE_SELECT_AGAIN, value_select(values, c, x, y->args[2]));
    if (y->kind == VALUE_SELECT && y->args[1] == x)
        return used(values, RULE_SELECT_CHAIN, value_select(values, either(values, c, y->args[0]), x, y->args[2]));
    if (y->kind == VALUE_SELECT && y->args[2] == x)
        return used(values, RULE_SELECT_CHAIN,
                    value_select(values, both(values, negate(values, c), y->args[0]), y->args[1], x));
    if (x->kind == VALUE_SELECT && x->args[2] == y)
        return used(values, RULE_SELECT_CHAIN, value_select(values, both(values, c, x->args[0]), x->args[1], y));
    if (x->kind == VALUE_SELECT && x->args[1] == y)
        return used(values, RULE_SELECT_CHAIN,
                    value_select(values, both(values, c, negate(values, x->args[0])), x->args[2], y));
    SourceValue *args[] = {c, x, y};
    SourceValue key = {
        .kind = VALUE_SELECT, .type = x->width ? ST_V : x->type, .width = x->width, .n = 3, .args = args};
    return lookup(values, key);
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

static bool is_real(const SourceValue *v)
{
    return v->kind == VALUE_FLOAT;
}

static bool is_float_op(const SourceValue *v, SourceOpcode code)
{
    return v->kind == VALUE_FLOATS && v->code == code;
}

static double rounded(double x, SourceType type)
{
    return type == ST_F32 ? (double)(float)x : x;
}

/* The f32 of which this f64 is the conversion, or NULL.  */
static SourceValue *single(SourceValues *values, SourceValue *x)
{
    if (is_real(x))
        return (double)(float)x->real == x->real ? value_float(values, x->real, ST_F32) : NULL;
    if (x->kind != VALUE_CONVERT || x->code != SO_CONV)
        return NULL;
    if (x->from == ST_F32)
        return x->args[0];
    if (!source_type_is_float(x->from) && source_type_bytes(x->from) <= 2)
        return value_convert(values, SO_CONV, x->from, ST_F32, x->args[0]);
    return NULL;
}

static SourceValue *float_unary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x)
{
    if (is_real(x) && !isnan(x->real))
        return used(values, RULE_FOLD, value_float(values, code == SO_NEG ? -x->real : fabs(x->real), type));
    if (code == SO_NEG && is_float_op(x, SO_NEG))
        return used(values, RULE_FLOAT_NEGATE_TWICE, x->args[0]);
    return one(values, (SourceValue){.kind = VALUE_FLOATS, .code = code, .type = type}, x);
}

static SourceValue *float_binary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x,
                                 SourceValue *y)
{
    const bool scales = code == SO_MUL || code == SO_DIV;
    if (is_real(x) && is_real(y) && (code == SO_ADD || code == SO_SUB || scales)) {
        const double a = x->real, b = y->real;
        const double r = code == SO_ADD ? a + b : code == SO_SUB ? a - b : code == SO_MUL ? a * b : a / b;
        if (!isnan(r) && !isinf(r))
            return used(values, RULE_FOLD, value_float(values, rounded(r, type), type));
    }
    if (code == SO_SUB && is_real(y) && !isnan(y->real))
        return used(values, RULE_FLOAT_SUBTRACT,
                    float_binary(values, SO_ADD, type, x, value_float(values, -y->real, type)));
    if (code == SO_SUB && is_float_op(y, SO_NEG))
        return used(values, RULE_FLOAT_SUBTRACT, float_binary(values, SO_ADD, type, x, y->args[0]));
    if (code == SO_ADD && is_float_op(y, SO_NEG))
        return used(values, RULE_FLOAT_ADD_NEGATIVE, float_binary(values, SO_SUB, type, x, y->args[0]));
    if (code == SO_ADD && is_float_op(x, SO_NEG))
        return used(values, RULE_FLOAT_ADD_NEGATIVE, float_binary(values, SO_SUB, type, y, x->args[0]));
    if (scales && is_float_op(x, SO_NEG))
        return used(values, RULE_FLOAT_SIGN,
                    float_unary(values, SO_NEG, type, float_binary(values, code, type, x->args[0], y)));
    if (scales && is_float_op(y, SO_NEG))
        return used(values, RULE_FLOAT_SIGN,
                    float_unary(values, SO_NEG, type, float_binary(values, code, type, x, y->args[0])));
    if (scales && is_real(y) && y->real < 0)
        return used(values, RULE_FLOAT_SIGN,
                    float_unary(values, SO_NEG, type,
                                float_binary(values, code, type, x, value_float(values, -y->real, type))));
    if (code == SO_MUL && is_real(x) && x->real < 0)
        return used(values, RULE_FLOAT_SIGN,
                    float_unary(values, SO_NEG, type,
                                float_binary(values, code, type, value_float(values, -x->real, type), y)));
    if (scales && is_real(y) && y->real == 1)
        return used(values, RULE_FLOAT_ONE, x);
    if (code == SO_MUL && is_real(x) && x->real == 1)
        return used(values, RULE_FLOAT_ONE, y);
    if (code == SO_DIV && is_real(y) && y->real > 0) {
        int exponent;
        /* The inverse is a normal number of either type.  */
        if (frexp(y->real, &exponent) == 0.5 && exponent > -100 && exponent < 100)
            return used(values, RULE_FLOAT_DIVIDE,
                        float_binary(values, SO_MUL, type, x, value_float(values, 1 / y->real, type)));
    }
    if ((code == SO_ADD || code == SO_MUL) && order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    return two(values, (SourceValue){.kind = VALUE_FLOATS, .code = code, .type = type}, x, y);
}

static SourceValue *float_compare(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x,
                                  SourceValue *y)
{
    switch (code) {
    case SO_NE:
        return negate(values, float_compare(values, SO_EQ, type, x, y));
    case SO_ORD:
        return negate(values, float_compare(values, SO_UNO, type, x, y));
    case SO_GT:
        return float_compare(values, SO_LT, type, y, x);
    case SO_GE:
        return float_compare(values, SO_LE, type, y, x);
    case SO_UNGE:
        return negate(values, float_compare(values, SO_LT, type, x, y));
    case SO_UNGT:
        return negate(values, float_compare(values, SO_LE, type, x, y));
    case SO_UNLE:
        return negate(values, float_compare(values, SO_LT, type, y, x));
    case SO_UNLT:
        return negate(values, float_compare(values, SO_LE, type, y, x));
    case SO_UNEQ:
        return either(values, float_compare(values, SO_UNO, type, x, y), float_compare(values, SO_EQ, type, x, y));
    case SO_LTGT:
        return negate(values, float_compare(values, SO_UNEQ, type, x, y));
    default:
        break;
    }
    if (is_real(x) && is_real(y))
        return used(values, RULE_FOLD,
                    value_integer(values,
                                  code == SO_EQ   ? x->real == y->real
                                  : code == SO_LT ? x->real < y->real
                                  : code == SO_LE ? x->real <= y->real
                                                  : isunordered(x->real, y->real),
                                  1));
    if (type == ST_F64) {
        SourceValue *a = single(values, x), *b = single(values, y);
        if (a && b)
            return used(values, RULE_FLOAT_COMPARE_NARROW, float_compare(values, code, ST_F32, a, b));
    }
    if (x == y && code == SO_EQ)
        return used(values, RULE_FLOAT_SELF, negate(values, float_compare(values, SO_UNO, type, x, y)));
    if ((code == SO_EQ || code == SO_UNO) && order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    return two(values, (SourceValue){.kind = VALUE_FLOAT_COMPARE, .code = code, .from = type, .width = 1}, x, y);
}

static SourceValue *narrow(SourceValues *values, SourceValue *x)
{
    if (x->kind == VALUE_CONVERT && x->code == SO_CONV && x->from == ST_F32)
        return used(values, RULE_FLOAT_BACK, x->args[0]);
    if (is_float_op(x, SO_NEG) || is_float_op(x, SO_ABS))
        return used(values, RULE_FLOAT_NARROW_SIGN,
                    float_unary(values, x->code, ST_F32, value_convert(values, SO_CONV, ST_F64, ST_F32, x->args[0])));
    /* 53 bits are enough for one operation of 24: rounding twice is rounding once.  */
    if (x->kind == VALUE_FLOATS && (x->code == SO_ADD || x->code == SO_SUB || x->code == SO_MUL || x->code == SO_DIV)) {
        SourceValue *a = single(values, x->args[0]), *b = single(values, x->args[1]);
        if (a && b)
            return used(values, RULE_FLOAT_NARROW, float_binary(values, x->code, ST_F32, a, b));
    }
    if (x->kind == VALUE_CALL && !strcmp(x->what, "sqrt")) {
        SourceValue *a = single(values, x->args[0]);
        if (a)
            return used(values, RULE_FLOAT_NARROW, value_call(values, ST_F32, "sqrtf", 1, &a));
    }
    return NULL;
}

static SourceValue *to_float(SourceValues *values, SourceType from, SourceType to, SourceValue *x)
{
    if (is_integer(x)) {
        /* One rounding, from 64 bits to the type.  */
        const int64_t i = value_signed(x);
        const bool is_signed = source_type_is_signed(from);
        const double r = to == ST_F32 ? (is_signed ? (double)(float)i : (double)(float)x->number)
                                      : (is_signed ? (double)i : (double)x->number);
        return used(values, RULE_FOLD, value_float(values, r, to));
    }
    if (x->kind == VALUE_ZEXT && x->args[0]->width == 1)
        return used(values, RULE_FLOAT_TRUTH,
                    value_select(values, x->args[0], value_float(values, 1, to), value_float(values, 0, to)));
    if (x->width == 1)
        return used(values, RULE_FLOAT_TRUTH,
                    value_select(values, x, value_float(values, 1, to), value_float(values, 0, to)));
    if (x->kind == VALUE_SELECT)
        return used(values, RULE_FLOAT_SELECT,
                    value_select(values, x->args[0], to_float(values, from, to, x->args[1]),
                                 to_float(values, from, to, x->args[2])));
    if (is_extended(x) && (x->kind == VALUE_ZEXT || source_type_is_signed(from))) {
        static const SourceType narrower[2][3] = {{ST_U8, ST_U16, ST_U32}, {ST_I8, ST_I16, ST_I32}};
        const int w = x->args[0]->width;
        const SourceType inner = narrower[x->kind == VALUE_SEXT][w == 8 ? 0 : w == 16 ? 1 : 2];
        return used(
            values, RULE_FLOAT_EXTENDED,
            one(values, (SourceValue){.kind = VALUE_CONVERT, .code = SO_CONV, .from = inner, .type = to}, x->args[0]));
    }
    return one(values, (SourceValue){.kind = VALUE_CONVERT, .code = SO_CONV, .from = from, .type = to}, x);
}

/* ---- operations of the region IR --------------------------------------------------------------------------------- */

SourceValue *value_convert(SourceValues *values, SourceOpcode code, SourceType from, SourceType to, SourceValue *x)
{
    const bool ffrom = source_type_is_float(from), fto = source_type_is_float(to);
    const int width = source_type_width(to);
    if (from == to)
        return x;
    if (code == SO_BITS) {
        if (!ffrom && !fto)
            return x;
        if (x->kind == VALUE_CONVERT && x->code == SO_BITS && x->from == to)
            return used(values, RULE_BITS_BACK, x->args[0]);
        if (x->kind == VALUE_CONVERT && x->code == SO_BITS && !fto && !source_type_is_float(x->from))
            return used(values, RULE_BITS_BACK, x->args[0]);
        return one(values,
                   (SourceValue){.kind = VALUE_CONVERT,
                                 .code = SO_BITS,
                                 .from = ffrom          ? from
                                         : to == ST_F32 ? ST_U32
                                                        : ST_U64,
                                 .type = fto              ? to
                                         : from == ST_F32 ? ST_U32
                                                          : ST_U64,
                                 .width = width},
                   x);
    }
    if (ffrom && fto) {
        if (is_real(x) && !isnan(x->real))
            return used(values, RULE_FOLD, value_float(values, x->real, to));
        if (x->kind == VALUE_SELECT)
            return used(values, RULE_FLOAT_SELECT,
                        value_select(values, x->args[0], value_convert(values, code, from, to, x->args[1]),
                                     value_convert(values, code, from, to, x->args[2])));
        SourceValue *made = to == ST_F32 ? narrow(values, x) : NULL;
        return made ? made
                    : one(values, (SourceValue){.kind = VALUE_CONVERT, .code = code, .from = from, .type = to}, x);
    }
    if (to == ST_B && ffrom)
        return negate(values, float_compare(values, SO_EQ, from, x, value_float(values, 0, from)));
    if (to == ST_B)
        return negate(values, same(values, x, value_integer(values, 0, x->width)));
    if (ffrom) {
        const double limit = ldexp(1, source_type_is_signed(to) ? width - 1 : width);
        const double low = source_type_is_signed(to) ? -limit : 0;
        if (is_real(x) && x->real > low - 1 && x->real >= -9.2e18 && x->real < limit)
            return used(values, RULE_FOLD,
                        value_integer(values, x->real < 0 ? (uint64_t)(int64_t)x->real : (uint64_t)x->real, width));
        return one(values, (SourceValue){.kind = VALUE_CONVERT, .code = code, .from = from, .type = to, .width = width},
                   x);
    }
    if (fto)
        return to_float(values, from, to, x);
    if (width < x->width)
        return truncate(values, x, width);
    return extend(values, source_type_is_signed(from) ? VALUE_SEXT : VALUE_ZEXT, x, width);
}

SourceValue *value_unary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x)
{
    if (source_type_is_float(type))
        return float_unary(values, code, type, x);
    const int width = x->width;
    const bool is_signed = source_type_is_signed(type);
    if (code == SO_NEG)
        return minus(values, x, width, is_signed);
    if (code == SO_NOT && width == 1)
        return negate(values, x);
    if (code == SO_NOT)
        return used(values, RULE_COMPLEMENT,
                    add(values, width, is_signed, value_integer(values, ~(uint64_t)0, width), ~(uint64_t)0, x));
    if (is_integer(x))
        return used(values, RULE_FOLD,
                    value_integer(values, is_signed && value_signed(x) < 0 ? -x->number : x->number, width));
    return one(values, (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = is_signed}, x);
}

SourceValue *value_binary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x, SourceValue *y)
{
    if (source_type_is_float(type))
        return float_binary(values, code, type, x, y);
    const int width = source_type_width(type);
    const bool is_signed = source_type_is_signed(type);
    switch (code) {
    case SO_ADD:
        return add(values, width, is_signed, x, 1, y);
    case SO_SUB:
        return add(values, width, is_signed, x, ~(uint64_t)0, y);
    case SO_MUL:
        return multiply(values, width, is_signed, x, y);
    case SO_DIV:
    case SO_REM:
        return divide(values, code, is_signed, x, y);
    case SO_AND:
    case SO_OR:
    case SO_XOR:
        return bitwise(values, code, width, x, y);
    case SO_SHL:
        if (is_integer(y) && y->number < (uint64_t)width)
            return used(values, RULE_SHIFT_LEFT,
                        multiply(values, width, false, x, value_integer(values, (uint64_t)1 << y->number, width)));
        break;
    case SO_SHR:
        return shift_right(values, is_signed && x->kind != VALUE_ZEXT, x, y);
    case SO_MIN:
    case SO_MAX:
        return least(values, code, is_signed, x, y);
    default:
        break;
    }
    return two(values, (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = false}, x, y);
}

SourceValue *value_compare(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x, SourceValue *y)
{
    if (source_type_is_float(type))
        return float_compare(values, code, type, x, y);
    const bool is_signed = source_type_is_signed(type);
    switch (code) {
    case SO_EQ:
        return same(values, x, y);
    case SO_NE:
        return negate(values, same(values, x, y));
    case SO_LT:
        return less(values, is_signed, x, y);
    case SO_GE:
        return negate(values, less(values, is_signed, x, y));
    case SO_GT:
        return less(values, is_signed, y, x);
    default:
        return negate(values, less(values, is_signed, y, x));
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

bool source_has_no_effects(const char *symbol)
{
    static const char *const names[] = {
        "sqrt", "exp",   "exp2",     "log",   "log2",  "log10", "log1p",     "expm1",  "sin",      "cos",
        "tan",  "tanh",  "sinh",     "cosh",  "asin",  "acos",  "atan",      "atan2",  "pow",      "fmin",
        "fmax", "floor", "ceil",     "trunc", "round", "rint",  "nearbyint", "fma",    "erf",      "erfc",
        "cbrt", "hypot", "copysign", "fmod",  "asinh", "acosh", "atanh",     "tgamma", "roundeven"};
    size_t length = strlen(symbol);
    if (length > 2 && symbol[length - 1] == 'f' && strcmp(symbol, "erf") != 0)
        length--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], symbol, length))
            return true;
    return false;
}

SourceValue *value_call(SourceValues *values, SourceType type, const char *symbol, int n, SourceValue **args)
{
    if (n == 1 && (!strcmp(symbol, "fabsf") || !strcmp(symbol, "fabs")) && type == args[0]->type)
        return float_unary(values, SO_ABS, type, args[0]);
    if (!source_type_is_float(type) || !source_has_no_effects(symbol))
        return NULL;
    for (int i = 0; i < n; i++)
        if (args[i]->width)
            return NULL;
    SourceValue key = {.kind = VALUE_CALL, .type = type, .n = n, .args = args};
    /* One pointer for one name.  */
    const SourceValue *name = value_symbol(values, SO_FUNCTION, symbol);
    key.what = name->what;
    key.number = name->number;
    return lookup(values, key);
}
