/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-table.h - the table of values, in which equal values are one, and what its makers ask of them.
 */
#ifndef WSC_SOURCE_VALUES_TABLE_H
#define WSC_SOURCE_VALUES_TABLE_H

#include "source/values.h"

SourceValue *value_lookup(SourceValues *values, SourceValue key);
int value_order(const SourceValue *a, const SourceValue *b);
SourceValue *value_of_two(SourceValues *values, SourceValue key, SourceValue *x, SourceValue *y);
SourceValue *value_of_one(SourceValues *values, SourceValue key, SourceValue *x);

static inline uint64_t mask(int width)
{
    return width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
}

static inline int64_t sign(uint64_t number, int width)
{
    if (width >= 64)
        return (int64_t)number;
    const uint64_t top = (uint64_t)1 << (width - 1);
    number &= mask(width);
    return (int64_t)((number ^ top) - top);
}

static inline bool is_integer(const SourceValue *v)
{
    return v->kind == VALUE_INTEGER;
}

static inline bool is_number(const SourceValue *v, uint64_t number)
{
    return is_integer(v) && v->number == (number & mask(v->width));
}

static inline bool is_extended(const SourceValue *v)
{
    return v->kind == VALUE_SEXT || v->kind == VALUE_ZEXT;
}

static inline SourceValue *used(SourceValues *values, SourceRule rule, SourceValue *result)
{
    values->applied[rule]++;
    return result;
}

static inline bool is_real(const SourceValue *v)
{
    return v->kind == VALUE_FLOAT;
}

#endif
