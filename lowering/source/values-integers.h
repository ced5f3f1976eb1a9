/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-integers.h - makes integers and truth values in their normal form.
 */
#ifndef WSC_SOURCE_VALUES_INTEGERS_H
#define WSC_SOURCE_VALUES_INTEGERS_H

#include "source/values.h"

/* A sum while it is made.  */
typedef struct {
    int width, n;
    bool exact;
    uint64_t number;
    SourceValue **args;
    uint64_t *factors;
} ValueTerms;

void value_terms_add(SourceValues *values, ValueTerms *terms, SourceValue *x, uint64_t factor);
void value_terms_add_sum(SourceValues *values, ValueTerms *terms, const SourceValue *x, uint64_t factor);
bool value_is_exact(const SourceValue *x);
SourceValue *value_of_terms(SourceValues *values, ValueTerms *terms);
SourceValue *value_add(SourceValues *values, int width, bool is_signed, SourceValue *x, uint64_t factor,
                       SourceValue *y);
SourceValue *value_multiply(SourceValues *values, int width, bool is_signed, SourceValue *x, SourceValue *y);
SourceValue *value_negative(SourceValues *values, SourceValue *x, int width, bool is_signed);
SourceValue *value_extend(SourceValues *values, ValueKind kind, SourceValue *x, int width);
SourceValue *value_truncate(SourceValues *values, SourceValue *x, int width);
bool value_constant_fits(const SourceValue *constant, ValueKind kind, int width);
SourceValue *value_not(SourceValues *values, SourceValue *x);
SourceValue *value_both(SourceValues *values, SourceValue *x, SourceValue *y);
SourceValue *value_either(SourceValues *values, SourceValue *x, SourceValue *y);
SourceValue *value_bitwise(SourceValues *values, SourceOpcode code, int width, SourceValue *x, SourceValue *y);
SourceValue *value_least(SourceValues *values, SourceOpcode code, bool is_signed, SourceValue *x, SourceValue *y);
SourceValue *value_shift_right(SourceValues *values, bool is_signed, SourceValue *x, SourceValue *y);
SourceValue *value_divide(SourceValues *values, SourceOpcode code, bool is_signed, SourceValue *x, SourceValue *y);

#endif
