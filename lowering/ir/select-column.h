/* SPDX-License-Identifier: GPL-3.0-or-later */
/* select-column.h - sums along rows to which one column contributes.  */
#ifndef WSC_SELECT_COLUMN_H
#define WSC_SELECT_COLUMN_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if the operation sums one selected column of each row, with 0 for the other columns.  `column`
   holds its index in each row, relative to `first`; NULL: relative to 0.  */
typedef struct {
    const Value *tile, *column, *first;
} SelectedColumn;
bool op_selects_column(const Op *op, SelectedColumn *selected);

#ifdef __cplusplus
}
#endif
#endif
