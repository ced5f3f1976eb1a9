/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pads.h - elements of wide tiles in columns beyond the end of the row.
 *
 *      %x = load %t, i, 0 fill=-inf     -infinity there
 *      %e = exp %x                      0
 *      %s = row_sum %e                  which changes nothing
 *
 * A load's fill is propagated through the operations as a number.
 *
 *      sub x, row_max x, where x has -infinity there      -infinity; or not a number, if the whole row is that
 */
#ifndef WSC_PADS_H
#define WSC_PADS_H

#include "ir/kernel.h"

/* Elements in columns beyond the row's end.  */
typedef enum {
    PAD_ANY,
    PAD_NUMBER,
    PAD_OR_NAN, /* the number; or NaN, and then all elements of the row are NaN */
    PAD_INDEX   /* the index of the column, which is at least the extent */
} PadKind;

typedef struct {
    bool wide; /* one column for each column of the row; false: a single column */
    PadKind kind;
    double number;
} Pad;

typedef struct {
    Pad *of;             /* indexed by value id */
    const Value *extent; /* of the row; a parameter */
} Pads;

extern const Pad any_pad;

Pads pads_new(Kernel *kernel);
Pad number_pad(double number);
Pad pad_of_load(const Op *load);                    /* requires a row that ends with its tensor */
const Value *last_extent(const Op *access);         /* of the tensor's columns; NULL: the tensor is unknown */
bool pads_follow(Pads *pads, const Op *op);         /* elementwise; false: an operand has other columns */
bool changes_nothing(const Op *reduction, Pad pad); /* the reduction ignores the pad */

#endif
