/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-floats.h - makes floats in their normal form.
 */
#ifndef WSC_SOURCE_VALUES_FLOATS_H
#define WSC_SOURCE_VALUES_FLOATS_H

#include "source/values.h"

SourceValue *value_float_unary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x);
SourceValue *value_float_binary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x,
                                SourceValue *y);
SourceValue *value_float_compare(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x,
                                 SourceValue *y);
SourceValue *value_narrowed(SourceValues *values, SourceValue *x);
SourceValue *value_to_float(SourceValues *values, SourceType from, SourceType to, SourceValue *x);

#endif
