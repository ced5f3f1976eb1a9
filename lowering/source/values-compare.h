/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-compare.h - makes comparisons of integers in their normal form.
 */
#ifndef WSC_SOURCE_VALUES_COMPARE_H
#define WSC_SOURCE_VALUES_COMPARE_H

#include "source/values.h"

SourceValue *value_equal(SourceValues *values, SourceValue *x, SourceValue *y);
bool value_is_shifted(const SourceValue *x, SourceValue **atom, int64_t *constant);
SourceValue *value_atom_and(SourceValues *values, SourceValue *atom, int64_t constant);
SourceValue *value_less(SourceValues *values, bool is_signed, SourceValue *x, SourceValue *y);

#endif
