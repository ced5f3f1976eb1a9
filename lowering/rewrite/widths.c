/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * widths.c - tiles that are wider than the rows that come: a form of the kernel for each half of their width.
 *
 *   kernel softmax                             beside it, form softmax: %N from 257 to 512
 *   grid i                                     grid i
 *     %x: 1x1024 = load %t, i, 0 fill=-inf       %x: 1x512 = load %t, i, 0 fill=-inf
 *     %m: 1x1 = row_max %x                       %m: 1x1 = row_max %x
 *     ...                                        ...
 *     store %y, i, 0, %e                         store %y, i, 0, %e
 *
 * A kernel that takes a row as one tile has room for the longest.  A shorter row costs as much: on an H200, softmax of
 * rows of 256 f16 in tiles of 1024 has 0.21 of a copy.  Columns beyond the row's end are not stored, and of what is
 * reduced along the row they have to be what changes nothing: what a load puts there is followed through the
 * operations, as a number (0 of a sum, -infinity of a maximum).  Sums keep their order.
 *
 *   sub x, row_max x, where x has -infinity there      -infinity; or not a number, if the whole row is that
 *
 * Tested, not proved (proof/freeze.c): tests/programs/short_rows.c runs rows of all lengths.
 */
#include <math.h>

#include "ir/affine.h"
#include "ir/queries.h"
#include "lower.h"
#include "rules.h"

/* A width below 128 would leave lanes of a warp without a vector.  */
enum { LEAST_WIDTH = 128, MOST_FORMS = 3 };

/* Elements in columns beyond the row's end.  */
typedef enum {
    PAD_ANY,
    PAD_NUMBER,
    PAD_OR_NAN, /* the number; or not a number, and then so is every element of the row */
    PAD_INDEX   /* the column's number, which is the extent or more */
} PadKind;

typedef struct {
    bool wide; /* a column for each of the row; else it has one column */
    PadKind kind;
    double number;
} Pad;

typedef struct {
    Kernel *kernel;
    const Op *grid;
    int width;
    const Value *extent; /* a parameter */
    Pad *pads;           /* by value id */
} Widths;

static const Pad any_pad = {true, PAD_ANY, 0};

static Pad number_pad(double number)
{
    return isnan(number) ? any_pad : (Pad){true, PAD_NUMBER, number};
}

static bool is_number(Pad pad, double number)
{
    return (pad.kind == PAD_NUMBER || pad.kind == PAD_OR_NAN) && pad.number == number;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static const Value *last_extent(const Op *access)
{
    const Op *tensor = access->args[0]->def;
    return tensor && tensor->code == OP_TENSOR ? affine_unconverted(tensor->args[access->args[0]->type.rank]) : NULL;
}

/* All columns of a tensor that has as many as the parameter says, from the first on.  */
static bool is_whole_row(const Widths *in, const Op *access, int coordinates)
{
    int64_t first;
    bool columns = access->code == OP_LOAD || access->code == OP_LOAD_ROW || access->code == OP_STORE ||
                   access->code == OP_STORE_ROW || access->code == OP_ATOMIC_ADD;
    return columns && ir_constant(access->args[coordinates], &first) && first == 0 && last_extent(access) == in->extent;
}

static bool holds_infinity(Dtype dtype)
{
    return dtype == D_F16 || dtype == D_BF16 || dtype == D_F32 || dtype == D_F64;
}

static bool follow_load(Widths *in, const Op *op)
{
    Type type = op->results[0]->type;
    double fill = op->transfer->fill;
    if (type.cols != in->width)
        return type.cols == 1;
    bool known = fill == 0 || (isinf(fill) && holds_infinity(type.dtype));
    in->pads[op->results[0]->id] = known ? number_pad(fill) : any_pad;
    return is_whole_row(in, op, op->nargs - 1);
}

static bool follow_store(const Widths *in, const Op *op)
{
    const Value *tile = op->args[op->nargs - 1];
    bool wide = op->code != OP_PRINT && in->pads[tile->id].wide;
    return wide ? is_whole_row(in, op, op->nargs - 2) : tile->type.cols == 1 && op->code != OP_PRINT;
}

/* ---- operations on them ------------------------------------------------------------------------------------------ */

/* A number that stands for a whole tile, or one that the columns beyond the end have.  */
static Pad pad_of(const Widths *in, const Value *value)
{
    const Op *op = value->def;
    double number;
    int64_t integer;
    if (in->pads[value->id].wide)
        return in->pads[value->id];
    if (op && op->code == OP_FULL)
        return number_pad(op->tile->value);
    if (op && op->code == OP_SPLAT && ir_constant_float(op->args[0], &number))
        return number_pad(number);
    if (op && op->code == OP_SPLAT && ir_constant(op->args[0], &integer))
        return number_pad((double)integer);
    return any_pad;
}

static bool is_extent(const Widths *in, const Value *value)
{
    const Op *op = value->def;
    return op && op->code == OP_SPLAT && affine_unconverted(op->args[0]) == in->extent;
}

/* Of an index that is the extent or more.  */
static Pad compared(const Widths *in, const Op *op)
{
    bool index = pad_of(in, op->args[0]).kind == PAD_INDEX && is_extent(in, op->args[1]);
    bool turned = pad_of(in, op->args[1]).kind == PAD_INDEX && is_extent(in, op->args[0]);
    if (index && (op->code == OP_LT || op->code == OP_GE))
        return number_pad(op->code == OP_GE);
    if (turned && (op->code == OP_GT || op->code == OP_LE))
        return number_pad(op->code == OP_LE);
    return any_pad;
}

static Pad of_one(const Op *op, Pad x)
{
    bool moderate = x.number == 0 || x.number == 1 || (isinf(x.number) && holds_infinity(op->results[0]->type.dtype));
    switch (op->code) {
    case OP_CAST:
        return x.kind != PAD_INDEX && moderate ? x : any_pad;
    case OP_NEG:
        x.number = -x.number;
        return x.kind != PAD_INDEX ? x : any_pad;
    case OP_EXP:
    case OP_EXP2:
        if (!is_number(x, -INFINITY) && !is_number(x, 0))
            return any_pad;
        x.number = x.number == 0;
        return x;
    case OP_ABS:
        return x.kind == PAD_NUMBER ? number_pad(fabs(x.number)) : any_pad;
    case OP_NOT:
        return x.kind == PAD_NUMBER ? number_pad(x.number == 0) : any_pad;
    default:
        return any_pad;
    }
}

/* The largest of a row is -infinity only where all of it is, and not a number only where one of it is not: then what
   is left of each is not a number either, or stays out of sums as it is.  */
static bool subtracts_its_largest(const Op *op)
{
    const Op *largest = op->args[1]->def;
    return op->code == OP_SUB && largest && largest->code == OP_ROW_MAX && largest->args[0] == op->args[0];
}

static Pad of_two(const Widths *in, const Op *op)
{
    Pad x = pad_of(in, op->args[0]), y = pad_of(in, op->args[1]);
    bool known = x.kind == PAD_NUMBER && y.kind == PAD_NUMBER;
    if (subtracts_its_largest(op) && x.kind == PAD_NUMBER && x.number == -INFINITY)
        return (Pad){true, PAD_OR_NAN, -INFINITY};
    switch (op->code) {
    case OP_ADD:
        return known ? number_pad(x.number + y.number) : any_pad;
    case OP_SUB:
        return known ? number_pad(x.number - y.number) : any_pad;
    case OP_MUL:
        return known ? number_pad(x.number * y.number) : any_pad;
    case OP_MAX:
        return known ? number_pad(fmax(x.number, y.number)) : any_pad;
    case OP_MIN:
        return known ? number_pad(fmin(x.number, y.number)) : any_pad;
    case OP_AND:
        return is_number(x, 0) || is_number(y, 0) ? number_pad(0) : any_pad;
    case OP_OR:
        return is_number(x, 1) || is_number(y, 1) ? number_pad(1) : any_pad;
    default:
        return compared(in, op);
    }
}

/* Other numbers may be rounded, each type its own way.  */
static Pad unrounded(Pad pad)
{
    bool exact = pad.number == 0 || pad.number == 1 || isinf(pad.number);
    return pad.kind == PAD_NUMBER && !exact ? any_pad : pad;
}

static bool follow_elements(Widths *in, const Op *op)
{
    bool wide = false;
    for (int i = 0; i < op->nargs; i++)
        wide |= in->pads[op->args[i]->id].wide;
    for (int i = 0; i < op->nargs; i++)
        if (wide && !in->pads[op->args[i]->id].wide && op->args[i]->type.cols != 1)
            return false;
    if (!wide)
        return op->results[0]->type.cols == 1;
    Pad pad = any_pad;
    if (op->code == OP_SELECT) {
        Pad mask = pad_of(in, op->args[0]);
        pad = mask.kind == PAD_NUMBER ? pad_of(in, op->args[mask.number != 0 ? 1 : 2]) : any_pad;
    } else if (op->nargs == 1) {
        pad = of_one(op, pad_of(in, op->args[0]));
    } else if (op->nargs == 2) {
        pad = of_two(in, op);
    }
    pad.wide = true;
    in->pads[op->results[0]->id] = unrounded(pad);
    return true;
}

static bool changes_nothing(const Op *reduction, Pad pad)
{
    switch (reduction->code) {
    case OP_ROW_SUM:
        return is_number(pad, 0);
    case OP_ROW_MAX:
    case OP_ROW_ARGMAX:
        return is_number(pad, -INFINITY);
    case OP_ROW_MIN:
        return is_number(pad, INFINITY);
    default:
        return false;
    }
}

static bool follow(Widths *in, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    Type type = op->nresults ? op->results[0]->type : (Type){0};
    if (op->nblocks || class_ == CLASS_SYNC)
        return false;
    if (class_ == CLASS_SCALAR || class_ == CLASS_READ || class_ == CLASS_TENSOR || op->code == OP_YIELD)
        return true;
    if (class_ == CLASS_LOAD)
        return follow_load(in, op);
    if (class_ == CLASS_STORE)
        return follow_store(in, op);
    if (op_is_elementwise(op))
        return follow_elements(in, op);
    if (op->code == OP_COL_INDEX || op->code == OP_FULL) {
        if (type.cols == in->width)
            in->pads[op->results[0]->id] =
                op->code == OP_FULL ? number_pad(op->tile->value) : (Pad){true, PAD_INDEX, 0};
        return type.cols == in->width || type.cols == 1;
    }
    bool wide = op->nargs == 1 && in->pads[op->args[0]->id].wide;
    return wide ? changes_nothing(op, in->pads[op->args[0]->id]) : op->code == OP_SPLAT;
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

/* The tensor's columns are a parameter's number, and the tile is wide enough for a half.  */
static bool find_row(Widths *in)
{
    FOR_OPS (op, in->grid->blocks[0]) {
        int64_t first;
        bool load = op->code == OP_LOAD && op->results[0]->type.cols >= 2 * LEAST_WIDTH;
        const Value *extent = load ? last_extent(op) : NULL;
        if (!extent || extent->def || extent->block || !ir_constant(op->args[op->nargs - 1], &first) || first)
            continue;
        in->width = op->results[0]->type.cols;
        in->extent = extent;
        return true;
    }
    return false;
}

static bool is_one_row(const Widths *in)
{
    Widths *follower = (Widths *)in;
    FOR_OPS (op, in->grid->blocks[0])
        if (!follow(follower, op))
            return false;
    return true;
}

typedef struct {
    int from, to;
} Columns;

static void visit_width(Op *op, void *context)
{
    const Columns *columns = context;
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->type.kind == K_TILE && op->results[i]->type.cols == columns->from)
            op->results[i]->type.cols = columns->to;
}

static void make_forms(const Widths *in)
{
    int forms = 0;
    while (forms < MOST_FORMS && in->width >> (forms + 1) >= LEAST_WIDTH && in->width % (2 << forms) == 0)
        forms++;
    for (int i = 1; i <= forms; i++) {
        Columns columns = {in->width, in->width >> i};
        Kernel *form = kernel_form(in->kernel, in->extent, i < forms ? columns.to / 2 + 1 : 1, columns.to);
        ir_walk(form->body, visit_width, &columns);
    }
    if (forms)
        remark(in->kernel, DIAG_OPTIMIZED, in->kernel->loc,
               "rows of up to %d columns have kernels of their own, since tiles of %d would hold little else than what "
               "is beyond their end",
               in->width / 2, in->width);
}

/* require: one GRID.   ensure: the same program; forms of it where tiles of a whole row are wide.  */
void pass_widths(Kernel *kernel)
{
    Widths in = {.kernel = kernel};
    if (kernel->module->target == TARGET_SEQUENTIAL || kernel->grid.totals || kernel->grid.extents)
        return;
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            in.grid = op;
    in.pads = arena_alloc(kernel->module, ((size_t)kernel->module->next_id + 1) * sizeof *in.pads);
    if (in.grid && find_row(&in) && is_one_row(&in))
        make_forms(&in);
}
