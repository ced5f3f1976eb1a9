/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-table.c - the table of values, in which equal values are one.
 */
#include <string.h>

#include "source/values-table.h"

/* ---- the table --------------------------------------------------------------------------------------------------- */

enum { BUCKETS = 1 << 10 };

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
SourceValue *value_lookup(SourceValues *values, SourceValue key)
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

int value_order(const SourceValue *a, const SourceValue *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

SourceValue *value_of_two(SourceValues *values, SourceValue key, SourceValue *x, SourceValue *y)
{
    SourceValue *args[] = {x, y};
    key.n = 2;
    key.args = args;
    return value_lookup(values, key);
}

SourceValue *value_of_one(SourceValues *values, SourceValue key, SourceValue *x)
{
    key.n = 1;
    key.args = &x;
    return value_lookup(values, key);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

SourceValue *value_integer(SourceValues *values, uint64_t number, int width)
{
    return value_lookup(
        values, (SourceValue){.kind = VALUE_INTEGER, .width = width, .number = number & mask(width), .rank = 1 << 30});
}

SourceValue *value_float(SourceValues *values, double real, SourceType type)
{
    if (type == ST_F32)
        real = (float)real;
    return value_lookup(values, (SourceValue){.kind = VALUE_FLOAT, .type = type, .real = real, .rank = 1 << 30});
}

SourceValue *value_leaf(SourceValues *values, SourceType type, const void *what, int home)
{
    SourceValue key = {.kind = VALUE_LEAF, .type = type, .width = source_type_width(type), .what = what, .home = home};
    key.rank = ++values->nleaves;
    key.number = (uint64_t)key.rank;
    return value_lookup(values, key);
}

SourceValue *value_object(SourceValues *values, SourceObject *object)
{
    return value_lookup(
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
    return value_lookup(values, key);
}

SourceValue *value_string(SourceValues *values, const char *string, long bytes)
{
    SourceValue key = {.kind = VALUE_SYMBOL, .code = SO_STRING, .type = ST_P, .width = 64, .what = string};
    key.number = (uint64_t)bytes;
    return value_lookup(values, key);
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
