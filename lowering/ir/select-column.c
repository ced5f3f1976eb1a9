/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select-column.c - sums along rows to which one column contributes.
 *
 *   here = eq (add col_index, j), column               const auto here = ...                     unused
 *   y = row_part (select here, x, zero)                ... ws::row_part_at(x, column, j) ...
 *
 * The element of that column is added if it lies in the tile.  If consecutive tiles cover a row, it rarely does.  A
 * comparison for each row replaces four instructions for each element.
 */
#include "ir/queries.h"
#include "ir/select-column.h"

static bool is_zero(const Value *value)
{
    const Op *def = value->def;
    while (def && def->code == OP_SPLAT)
        def = def->args[0]->def;
    return def && ((def->code == OP_FULL && def->tile->value == 0) ||
                   (def->code == OP_CONST && dtype_is_float(def->results[0]->type.dtype) && def->scalar->real == 0));
}

static bool is_column_index(const Value *value)
{
    return value->def && value->def->code == OP_COL_INDEX && value->type.rows == 1;
}

/* True for column indices that begin at `first`, a scalar; NULL: at 0.  */
static bool counts_columns(const Value *value, const Value **first)
{
    const Op *def = value->def;
    *first = NULL;
    if (is_column_index(value))
        return true;
    for (int i = 0; def && def->code == OP_ADD && i < 2; i++) {
        const Op *splat = def->args[1 - i]->def;
        if (is_column_index(def->args[i]) && splat && splat->code == OP_SPLAT) {
            *first = splat->args[0];
            return true;
        }
    }
    return false;
}

/* True if the value prints the same at the sum as at its first use.  */
static bool is_invariant(const Value *value, const Op *op)
{
    bool counter = !value->def && value->block == op->parent && value->index == 0;
    return counter || !value->var || !value->var->mutable_;
}

bool op_selects_column(const Op *op, SelectedColumn *selected)
{
    const Op *select = op->code == OP_ROW_PART ? op->args[0]->def : NULL;
    const Op *equal = select && select->code == OP_SELECT && !op->args[0]->var ? select->args[0]->def : NULL;
    if (!equal || equal->code != OP_EQ || equal->parent != op->parent || select->parent != op->parent ||
        !is_zero(select->args[2]) || op->args[0]->type.rows == 1)
        return false;
    for (int i = 0; i < 2; i++) {
        const Value *first, *column = equal->args[1 - i];
        if (!counts_columns(equal->args[i], &first) || column->type.kind != K_TILE || column->type.dtype != D_I32 ||
            column->type.cols != 1 || column->type.rows != op->args[0]->type.rows || !is_invariant(column, op) ||
            (first && !is_invariant(first, op)))
            continue;
        *selected = (SelectedColumn){select->args[1], column, first};
        return true;
    }
    return false;
}
