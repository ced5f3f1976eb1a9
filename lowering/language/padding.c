/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * padding.c - -Wws-padded-reduction: warns of reductions over out-of-bounds elements.
 *
 *      x = ws_load (a, i, 0, 64, 256);  m = ws_row_max (x)      warns if a row may have fewer than 256 elements
 *      s = ws_row_sum (x)                                       does not warn: the sum of zeros is 0
 *
 * A load reads elements beyond its tensor's edge as 0, and a reduction along that edge includes them. The maximum of
 * negative numbers becomes 0, and a sum of exponentials gets a 1 for each element. A reduction is reported under three
 * conditions.
 *
 *      elementwise operations lead from a load to its operand
 *      the load may extend beyond the edge of the reduced dimension
 *      the load has no fill, and no mask of index tiles follows it
 *
 * The pass computes the result of these operations on the zeros, as far as it is a constant. A sum ignores zeros. A
 * maximum ignores numbers far below, and 0 if it is a maximum of magnitudes.
 */
#include "ir/affine.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "language/padding.h"
#include "passes.h"

enum { MAX_DEPTH = 12, FAR = 10000 };

typedef struct {
    const Op *reduction;
    bool by_rows; /* the reduction is along the columns of each row */
} Question;

static bool constant(const Value *value, int64_t *result)
{
    return ir_constant(value, result);
}

/* A coordinate that starts at 0 and moves in multiples of `size` below `extent`.  */
static bool steps_evenly(const Value *coordinate, int64_t size, const Value *extent)
{
    const Op *loop = coordinate->block ? coordinate->block->parent : NULL;
    int64_t low, high, step, bound;
    if (!loop || (loop->code != OP_FOR && loop->code != OP_GRID) ||
        (loop->code == OP_FOR && (coordinate->index || loop->control->compare != OP_SCALAR_LT)))
        return false;
    Value **range = loop->args + (loop->code == OP_GRID ? 3 * coordinate->index : 0);
    if (!constant(range[0], &low) || !constant(range[1], &high) || !constant(range[2], &step) ||
        !constant(extent, &bound))
        return false;
    return step > 0 && low >= 0 && low % size == 0 && step % size == 0 && high <= bound && bound % size == 0;
}

bool may_be_ragged(const Op *load, int dimension, int64_t size)
{
    const Op *tensor = load->args[0]->def;
    const Value *coordinate = load->args[1 + dimension];
    int64_t at, bound;
    while (coordinate->def && coordinate->def->code == OP_SCALAR_CONVERT)
        coordinate = coordinate->def->args[0];
    if (!tensor || tensor->code != OP_TENSOR)
        return true;
    const Value *extent = tensor->args[1 + dimension];
    if (constant(coordinate, &at) && constant(extent, &bound))
        return at < 0 || at + size > bound;
    Affine range = affine_over_counters(affine_of(coordinate));
    if (range.known && !range.count && constant(extent, &bound) && range.low >= 0 && range.high + size <= bound)
        return false;
    return !steps_evenly(coordinate, size, extent);
}

static bool load_is_ragged(const Question *question, const Op *load)
{
    Type type = load->results[0]->type;
    int rank = load->nargs - 1;
    if (load->transfer->fill != 0)
        return false;
    if (load->code == OP_LOAD_ROW || load->code == OP_LOAD_COL) {
        bool along = (load->code == OP_LOAD_ROW) == question->by_rows;
        return along && may_be_ragged(load, rank - 1, question->by_rows ? type.cols : type.rows);
    }
    return may_be_ragged(load, question->by_rows ? rank - 1 : rank - 2, question->by_rows ? type.cols : type.rows);
}

/* ---- out-of-bounds elements -------------------------------------------------------------------------------------- */

/* The out-of-bounds elements of a tile.  */
typedef struct {
    bool seen;  /* they depend on zeros of a load */
    bool known; /* each is `number` */
    double number;
} Padding;

static Padding known_number(double number)
{
    return (Padding){false, true, number};
}

static bool counts_along(const Question *question, const Value *value, int depth)
{
    const Op *op = value->def;
    if (!op || depth > MAX_DEPTH)
        return false;
    bool found = op->code == (question->by_rows ? OP_COL_INDEX : OP_ROW_INDEX);
    for (int i = 0; op_is_elementwise(op) && i < op->nargs && !found; i++)
        found = counts_along(question, op->args[i], depth + 1);
    return found;
}

/* Computes a unary operation on one number; false: unknown.  */
static bool compute_unary(Opcode code, double x, double *result)
{
    bool low = x <= -FAR;
    *result = code == OP_NEG || code == OP_NOT ? -x : code == OP_ABS && x < 0 ? -x : x;
    switch (code) {
    case OP_NOT:
        *result = x == 0;
        return true;
    case OP_CAST:
    case OP_NEG:
    case OP_ABS:
    case OP_TRANS:
        return true;
    case OP_EXP:
    case OP_EXP2:
        *result = low ? 0 : 1;
        return low || x == 0;
    case OP_SIGMOID:
        *result = low ? 0 : 0.5;
        return low || x == 0;
    default:
        return x == 0 && op_info[code].about & KEEPS_ZERO;
    }
}

static bool compute_binary(Opcode code, double x, double y, double *result)
{
    switch (code) {
    case OP_ADD:
        *result = x + y;
        return true;
    case OP_SUB:
        *result = x - y;
        return true;
    case OP_MUL:
    case OP_RESCALE:
        *result = x * y;
        return true;
    case OP_DIV:
        *result = y != 0 ? x / y : 0;
        return y != 0;
    case OP_MAX:
        *result = x > y ? x : y;
        return true;
    case OP_MIN:
        *result = x < y ? x : y;
        return true;
    case OP_LT:
        *result = x < y;
        return true;
    case OP_LE:
        *result = x <= y;
        return true;
    case OP_GT:
        *result = x > y;
        return true;
    case OP_GE:
        *result = x >= y;
        return true;
    case OP_EQ:
        *result = x == y;
        return true;
    case OP_NE:
        *result = x != y;
        return true;
    case OP_AND:
        *result = x != 0 && y != 0;
        return true;
    case OP_OR:
        *result = x != 0 || y != 0;
        return true;
    default:
        return false;
    }
}

static bool is_zero(Padding padding)
{
    return padding.known && padding.number == 0;
}

/* True for a number as large as a neutral element of a maximum or minimum: -INFINITY, or one like -1e30.  */
static bool is_far(Padding padding)
{
    return padding.known && (padding.number <= -FAR || padding.number >= FAR);
}

/* True if a far operand makes the result far, whatever the other operand is: x - base, x * scale.  */
static bool stays_far(const Op *op, const Padding *args, double *result)
{
    bool sum = op->code == OP_ADD || op->code == OP_SUB, scaled = op->code == OP_MUL || op->code == OP_RESCALE;
    if (op->code == OP_FMA) {
        int far = is_far(args[2]) ? 2 : is_far(args[0]) ? 0 : 1;
        *result = args[far].number;
        return is_far(args[far]);
    }
    if (!sum && !scaled && op->code != OP_DIV)
        return false;
    int far = is_far(args[0]) ? 0 : 1;
    bool negated = far && op->code == OP_SUB;
    *result = negated ? -args[far].number : args[far].number;
    return is_far(args[far]) && (far == 0 || op->code != OP_DIV);
}

static bool compute(const Op *op, const Padding *args, double *result)
{
    bool product = op->code == OP_MUL || op->code == OP_RESCALE || op->code == OP_AND;
    *result = 0;
    if ((product && (is_zero(args[0]) || is_zero(args[1]))) ||
        (op->code == OP_DIV && is_zero(args[0]) && !args[1].known))
        return true;
    if (op->code == OP_FMA) {
        bool zero = is_zero(args[0]) || is_zero(args[1]);
        *result = (zero ? 0 : args[0].number * args[1].number) + args[2].number;
        return (args[2].known && (zero || (args[0].known && args[1].known))) || stays_far(op, args, result);
    }
    for (int i = 0; i < op->nargs; i++)
        if (!args[i].known)
            return op->nargs == 2 && stays_far(op, args, result);
    return op->nargs == 1   ? compute_unary(op->code, args[0].number, result)
           : op->nargs == 2 ? compute_binary(op->code, args[0].number, args[1].number, result)
                            : false;
}

/* Returns the out-of-bounds elements of a SELECT.  A mask of index tiles is taken to exclude them.  */
static Padding of_select(const Question *question, const Op *op, const Padding *args)
{
    if (counts_along(question, op->args[0], 0))
        return (Padding){false, false, 0};
    if (args[0].known)
        return (Padding){args[0].seen || args[1].seen || args[2].seen, args[args[0].number != 0 ? 1 : 2].known,
                         args[args[0].number != 0 ? 1 : 2].number};
    bool same = args[1].known && args[2].known && args[1].number == args[2].number;
    return (Padding){args[0].seen || args[1].seen || args[2].seen, same, args[1].number};
}

static Padding find_padding(const Question *question, const Value *value, int depth)
{
    const Op *op = value->def;
    Padding args[3] = {{false, false, 0}}, result = {false, false, 0};
    double number;
    int64_t integer;
    if (!op || depth > MAX_DEPTH)
        return result;
    if (op_info[op->code].class_ == CLASS_LOAD)
        return load_is_ragged(question, op) ? (Padding){true, true, 0} : result;
    if (op->code == OP_FULL)
        return known_number(op->tile->value);
    if (op->code == OP_SPLAT && ir_constant(op->args[0], &integer))
        return known_number((double)integer);
    if (op->code == OP_SPLAT)
        return ir_constant_float(op->args[0], &number) ? known_number(number) : result;
    if (!op_is_elementwise(op) || op->nargs > 3)
        return result;
    for (int i = 0; i < op->nargs; i++) {
        Type type = op->args[i]->type;
        args[i] = find_padding(question, op->args[i], depth + 1);
        if (question->by_rows ? type.cols == 1 : type.rows == 1) /* broadcast: no element is out of bounds */
            args[i].known &= !args[i].seen, args[i].seen = false;
    }
    if (op->code == OP_SELECT)
        return of_select(question, op, args);
    result.known = compute(op, args, &result.number);
    for (int i = 0; i < op->nargs; i++)
        result.seen |= args[i].seen;
    return result;
}

/* True for |x| and x x, which are not negative.  */
static bool is_magnitude(const Value *value)
{
    const Op *op = value->def;
    while (op && op->code == OP_CAST)
        op = op->args[0]->def;
    return op && (op->code == OP_ABS || (op->code == OP_MUL && op->args[0] == op->args[1]));
}

/* True if the number does not change the reduction: 0 in a sum, far below in a maximum, far above in a minimum.  */
static bool is_harmless(const Op *reduction, const Padding *padding)
{
    switch (reduction->code) {
    case OP_ROW_SUM:
    case OP_COL_SUM:
        return padding->number == 0;
    case OP_ROW_MIN:
    case OP_COL_MIN:
        return padding->number >= FAR;
    default:
        return padding->number <= -FAR ||
               (reduction->code != OP_ROW_ARGMAX && padding->number == 0 && is_magnitude(reduction->args[0]));
    }
}

static void visit_reduction(Op *op, void *context)
{
    Kernel *kernel = context;
    bool by_rows =
        op->code == OP_ROW_SUM || op->code == OP_ROW_MAX || op->code == OP_ROW_MIN || op->code == OP_ROW_ARGMAX;
    bool by_cols = op_reduces_columns(op);
    if (!by_rows && !by_cols)
        return;
    Question question = {op, by_rows};
    Padding padding = find_padding(&question, op->args[0], 0);
    if (!padding.seen || (padding.known && is_harmless(op, &padding)))
        return;
    warn(kernel, op->loc, "ws_%s sees zeros where the tile reaches beyond its tensor [-Wws-padded-reduction]",
         op_info[op->code].text);
    remark(kernel, DIAG_NOTE, op->loc, "load with ws_load_or and a fill, or mask with ws_select and %s",
           by_rows ? "ws_col_index" : "ws_row_index");
}

void pass_padding(Kernel *kernel)
{
    ir_walk(kernel->body, visit_reduction, kernel);
}
