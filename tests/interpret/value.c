/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value.c - expressions: the contents of a variable, or the result of the operation behind a value, at its use.
 *
 *      %at var=at = add %col, (splat %j)          at's cell = ws_add_ (col's cell, ws_scalar_i_ (j))
 */
#include <string.h>

#include "ir/queries.h"
#include "target/operands.h"
#include "rules.h"
#include "state.h"

/* ---- variables --------------------------------------------------------------------------------------------------- */

Cell *cell_of(Group *group, const Value *value)
{
    int number = group->launch->plan->cell_of[value->id];
    if (number < 0 || group->cells[number].variable->role != group->role)
        return NULL;
    return &group->cells[number];
}

void check_cell(const Cell *cell, const char *how)
{
    if (cell && (cell->state.in_flight || cell->state.unnamed))
        ws_sched_touched(ws_sched_current(), &cell->state, how);
}

static Datum read_cell(Cell *cell)
{
    if (!cell->written)
        ws_sched_fail(ws_sched_current(), "variable %s is read before it is written", cell->variable->name);
    return cell->datum;
}

static Datum host_operand(void *context, const Value *value)
{
    return host_value(context, value);
}

Datum host_value(const Launch *launch, const Value *value)
{
    const Plan *plan = launch->plan;
    if (value->def && value->def->code == OP_TENSOR)
        return (Datum){.tensor = &launch->tensors[plan->tensor_of[value->id]]};
    if (value->def)
        return scalar_compute(launch, value->def, host_operand, (void *)(uintptr_t)launch);
    const interpret_argument *argument = &launch->arguments[value->index];
    if (value->type.kind == K_PTR)
        return (Datum){.number = (int64_t)(intptr_t)argument->base};
    if (dtype_is_float(value->type.dtype))
        return (Datum){.real = value->type.dtype == D_F32 ? (double)(float)argument->real : argument->real};
    return (Datum){.number = scalar_wrap(value->type.dtype, argument->number)};
}

Datum evaluate(Group *group, const Value *value)
{
    Cell *cell = cell_of(group, value);
    if (cell)
        return read_cell(cell);
    if (value->var || (!value->def && !value->block))
        return host_value(group->launch, value);
    if (value->def)
        return compute(group, value->def);
    return (Datum){.number =
                       group->walked}; /* the argument behind the induction variables of a grid: the tile's ordinal */
}

int64_t number_of(Group *group, const Value *value)
{
    return evaluate(group, value).number;
}

static Datum group_operand(void *context, const Value *value)
{
    return evaluate(context, value);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* Returns the tile for reading.  No product may be in flight on it.  */
static ws_tile finished(Group *group, const Value *value)
{
    Datum datum = evaluate(group, value);
    check_cell(datum.cell, "reads");
    return datum.tile;
}

static ws_tile boxed(const Value *scalar, Datum datum)
{
    return dtype_is_float(scalar->type.dtype) ? ws_scalar_f_(datum.real) : ws_scalar_i_((long)datum.number);
}

/* Makes a (1,1) tile of its own type, for an operation without another tile.  */
static ws_tile splat(Group *group, const Op *op)
{
    const Value *scalar = op->args[0];
    struct ws_tile_ *tile = ws_tile_new((int)op->results[0]->type.dtype, 1, 1);
    ws_compute type = ws_compute_of(tile->dtype);
    double buffer;
    ws_number_write(type, boxed(scalar, evaluate(group, scalar)), &buffer);
    ws_row_write(tile->dtype, type, 1, &buffer, tile->data);
    return tile;
}

static bool is_splat(const Value *value)
{
    return value->def && value->def->code == OP_SPLAT;
}

static ws_tile operand(Group *group, const Op *op, int i)
{
    const Value *value = op->args[i];
    if (!is_splat(value) || !op_takes_scalars(op))
        return finished(group, value);
    const Value *scalar = value->def->args[0];
    return boxed(scalar, evaluate(group, scalar));
}

static ws_tile index_tile(Group *group, const Op *op)
{
    Type type = op->results[0]->type;
    bool rows = op->code == OP_ROW_INDEX;
    struct ws_tile_ *tile =
        (struct ws_tile_ *)(uintptr_t)(rows ? ws_row_index(type.rows, type.cols) : ws_col_index(type.rows, type.cols));
    int32_t offset = op->nargs ? (int32_t)number_of(group, op->args[0]) : 0;
    int32_t *element = (int32_t *)(void *)tile->data;
    for (int i = 0; i < tile->rows * tile->cols; i++)
        element[i] = ws_i32_add(element[i], offset);
    return tile;
}

/* A row has one owner here, whose share of a sum is the whole sum.  So ROW_PART is the sum, and ROW_TOTAL adds
   nothing.  */
static ws_tile itself(ws_tile x)
{
    return x;
}

/* clang-format off */
#define OF_ONE(X)                                                                                           \
    X(TRANS, ws_trans) X(TF32_RESIDUAL, tf32_residual) X(TF32_HEAD, tf32_head) X(NOT, ws_not)               \
    X(NEG, ws_neg) X(ABS, ws_abs)                                                                           \
    X(ROW_SUM, ws_row_sum) X(ROW_PART, ws_row_sum) X(ROW_TOTAL, itself) X(ROW_MAX, ws_row_max)              \
    X(ROW_MIN, ws_row_min) X(COL_SUM, ws_col_sum) X(COL_MAX, ws_col_max) X(COL_MIN, ws_col_min)             \
    X(ROW_ARGMAX, ws_row_argmax) X(ROW_CUMSUM, ws_row_cumsum) X(COL_CUMSUM, ws_col_cumsum)
#define OF_TWO(X)                                                                                       \
    X(ADD, ws_add_) X(SUB, ws_sub_) X(MUL, ws_mul_) X(RESCALE, ws_mul_) X(DIV, ws_div_) X(MAX, ws_max_) \
    X(MIN, ws_min_) X(LT, ws_lt_) X(LE, ws_le_) X(GT, ws_gt_) X(GE, ws_ge_) X(EQ, ws_eq_) X(NE, ws_ne_) \
    X(AND, ws_and) X(OR, ws_or) X(BIT_AND, ws_bit_and_) X(BIT_OR, ws_bit_or_) X(BIT_XOR, ws_bit_xor_)   \
    X(SHL, ws_shl_) X(SHR, ws_shr_) X(USHR, ws_ushr_)
/* clang-format on */

static ws_tile part(ws_tile x, float of(float))
{
    struct ws_tile_ *tile = ws_tile_new(x->dtype, x->rows, x->cols);
    const float *from = (const float *)(const void *)x->data;
    for (int i = 0; i < x->rows * x->cols; i++)
        ((float *)(void *)tile->data)[i] = of(from[i]);
    return tile;
}

static ws_tile tf32_residual(ws_tile x)
{
    return part(x, ws_f32_rest);
}

static ws_tile tf32_head(ws_tile x)
{
    return part(x, ws_f32_kept);
}

static ws_tile columns(Group *group, const Op *op)
{
    ws_tile from = operand(group, op, 0);
    Type type = op->results[0]->type;
    int first = (int)number_of(group, op->args[1]);
    struct ws_tile_ *tile = ws_tile_new((int)type.dtype, type.rows, type.cols);
    if (first < 0 || first + type.cols > from->cols)
        wrong(group->launch, "columns %d to %d of a tile that has %d", first, first + type.cols - 1, from->cols);
    for (int r = 0; r < type.rows; r++)
        memcpy(ws_element(tile, r, 0), ws_element(from, r, first),
               (size_t)type.cols * (size_t)element_bytes(type.dtype));
    return tile;
}

static ws_tile histogram(ws_tile x, Type type)
{
    struct ws_tile_ *tile = ws_tile_new((int)type.dtype, type.rows, type.cols);
    int32_t *counts = (int32_t *)(void *)tile->data;
    const int32_t *numbers = (const int32_t *)(const void *)x->data;
    memset(counts, 0, (size_t)type.cols * sizeof *counts);
    for (int i = 0; i < x->rows * x->cols; i++)
        if (numbers[i] >= 0 && numbers[i] < type.cols)
            counts[numbers[i]]++;
    return tile;
}

/* Returns the first column with the row's number: the argmax of 1 where they are equal and 0 elsewhere.  */
static ws_tile first_column(ws_tile x, ws_tile number)
{
    ws_tile one = (ws_full)(WS_I32, x->rows, x->cols, 1), none = (ws_full)(WS_I32, x->rows, x->cols, 0);
    return ws_row_argmax(ws_select_(ws_eq_(x, number), one, none));
}

static ws_tile tile_result(Group *group, const Op *op)
{
    if (op->code == OP_LOAD_AT)
        return memory_load_at(group, op, operand(group, op, 1));
    if (op->code == OP_COLUMNS)
        return columns(group, op);
    ws_tile x = op->nargs > 0 && op->code != OP_SPLAT && op->code != OP_ROW_INDEX && op->code != OP_COL_INDEX
                    ? operand(group, op, 0)
                    : NULL;
    ws_tile y = op->nargs > 1 ? operand(group, op, 1) : NULL;
    ws_tile z = op->nargs > 2 ? operand(group, op, 2) : NULL;
    Type type = op->results[0]->type;
    switch (op->code) {
#define ONE(NAME, function) \
    case OP_##NAME:         \
        return function(x);
#define TWO(NAME, function) \
    case OP_##NAME:         \
        return function(x, y);
        OF_ONE(ONE)
        OF_TWO(TWO)
#define MATHS(NAME, name, ...)        ONE(NAME, ws_##name)
#define MATHS_OF_TWO(NAME, name, ...) TWO(NAME, ws_##name##_)
#include "../../runtime/common/maths.def"
    case OP_POWERS_SENT:
        x = ws_sub_(x, y);
        return op->args[2]->def->code == OP_SUM_EXP_BLOCKS ? ws_exp(x) : ws_exp2(x);
    case OP_HISTOGRAM:
        return histogram(x, type);
    case OP_ROW_FIRST:
        return first_column(x, y);
    case OP_SELECT:
        return ws_select_(x, y, z);
    case OP_FMA:
        return ws_fma_(x, y, z);
    case OP_CAST:
        return (ws_cast)(x, (ws_dtype)(WS_F32 + (int)type.dtype));
    case OP_BITCAST:
        return (ws_bitcast)(x, (ws_dtype)(WS_F32 + (int)type.dtype));
    case OP_FULL:
        return (ws_full)((ws_dtype)(WS_F32 + (int)type.dtype), type.rows, type.cols, op->tile->value);
    case OP_SPLAT:
        return splat(group, op);
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
        return index_tile(group, op);
    default:
        wrong(group->launch, "'%s' is no expression", op_info[op->code].text);
        return NULL;
    }
}

/* ---- any --------------------------------------------------------------------------------------------------------- */

static Datum tensor_box(Group *group, const Op *op)
{
    long at[3] = {0};
    int extents[3] = {0};
    for (int i = box_extents(op, extents) - 1; i >= 0; i--)
        at[i] = (long)number_of(group, op->args[1 + i]);
    Window *part = arena_take(&group->arena, sizeof *part);
    *part = window_box(evaluate(group, op->args[0]).tensor, at, extents);
    return (Datum){.tensor = part};
}

static Datum tensor_part(Group *group, const Op *op)
{
    if (op->code == OP_TENSOR)
        return host_value(group->launch, op->results[0]);
    if (op->code == OP_BOX)
        return tensor_box(group, op);
    Datum whole = evaluate(group, op->args[0]);
    long begin = (long)number_of(group, op->args[1]), end = (long)number_of(group, op->args[2]);
    Window *part = arena_take(&group->arena, sizeof *part);
    *part = window_slice(whole.tensor, op->tensor->dimension, begin, end);
    return (Datum){.tensor = part};
}

Datum compute(Group *group, const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
        return scalar_compute(group->launch, op, group_operand, group);
    case CLASS_TENSOR:
        return tensor_part(group, op);
    case CLASS_READ:
        return memory_at(group, op);
    case CLASS_LOAD:
        return (Datum){.tile = memory_load(group, op)};
    case CLASS_TILE: {
        ws_tile tile = tile_result(group, op);
        memory_exchange(group, op, tile);
        return (Datum){.tile = tile};
    }
    default:
        break;
    }
    if (op->code == OP_VIEW)
        return (Datum){.view = memory_view(group, op)};
    if (op->code == OP_TRANS_VIEW) {
        View view = evaluate(group, op->args[0]).view;
        return (Datum){.view = {view.base, view.col_stride, view.row_stride}};
    }
    if (op->code == OP_READ)
        return (Datum){.tile = memory_read(group, op)};
    wrong(group->launch, "'%s' is no expression", op_info[op->code].text);
    return (Datum){0};
}
