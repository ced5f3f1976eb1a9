/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-expression.c - prints expressions of the .cu: views, loads, tile operations.
 *
 *      %v = view %slot, %first_row, 0          ws::window<64, 64>(s.ta[slot], first_row, 0)
 *      %y = mul %t, (splat 0.5)                ws::mul(t, 0.5)
 */
#include <math.h>

#include "ir/alias.h"
#include "ir/queries.h"
#include "ir/select-column.h"
#include "machine/plan.h"
#include "print/cuda.h"
#include "target/machine.h"
#include "target/operands.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void print_view(Printer *printer, const Op *op)
{
    Type type = op->results[0]->type;
    bool window = op->nargs > 1;
    if (window)
        fprintf(printer->out, "ws::window<%d, %d>(", type.rows, type.cols);
    else
        fputs("ws::view(", printer->out);
    if (op->storage->use == USE_RING)
        cuda_slot(printer, op->storage, op->args[0]);
    else
        cuda_group_storage(printer, op->storage);
    for (int i = 1; i < op->nargs; i++) {
        fputs(", ", printer->out);
        cuda_coordinate(printer, op->args[i]);
    }
    fputc(')', printer->out);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static void print_splat(Printer *printer, const Op *op)
{
    fprintf(printer->out, "ws::splat<%s, %s>(", cuda_element_text[op->results[0]->type.dtype],
            cuda_layout_text(printer));
    cuda_operand(printer, op->args[0], PREC_TERNARY, false);
    fputc(')', printer->out);
}

/* The bits of a number that f16 represents exactly and not as a subnormal; -1: no such f16.  */
static int f16_bits(double x)
{
    int exponent;
    double part = frexp(fabs(x), &exponent), digits = ldexp(part, 11); /* 1024 to 2047 */
    if (x == 0)
        return signbit(x) ? 0x8000 : 0;
    if (!isfinite(x) || exponent < -13 || exponent > 16 || digits != floor(digits))
        return -1;
    return (signbit(x) ? 0x8000 : 0) | (exponent + 14) << 10 | ((int)digits - 1024);
}

/* Prints a literal operand of an f16 operation as f16, so that the operation processes two elements at a time.  */
static bool print_f16_literal(Printer *printer, const Op *op, const Value *value)
{
    bool pairs = op->code == OP_ADD || op->code == OP_SUB || op->code == OP_MUL;
    if (!pairs || op->results[0]->type.dtype != D_F16 || !cuda_is_literal(value))
        return false;
    bool real = dtype_is_float(value->type.dtype);
    int bits = f16_bits(real ? value->def->scalar->real : (double)value->def->scalar->integer);
    if (bits < 0)
        return false;
    fprintf(printer->out, "ws::f16_exactly<0x%04x>(", (unsigned)bits);
    cuda_operand(printer, value, PREC_ANY, true);
    fputc(')', printer->out);
    return true;
}

/* The number of bits by which the bytes are shifted right at their use; 0: none.  */
static int bytes_shifted(const Value *bytes)
{
    enum { BITS = 8 };
    const Op *shift = !bytes->var && bytes->def && bytes->def->code == OP_USHR ? bytes->def : NULL;
    const Op *splat = shift ? shift->args[1]->def : NULL;
    int64_t by;
    bool number = splat && splat->code == OP_SPLAT && ir_constant(splat->args[0], &by);
    return number && by > 0 && by < BITS ? (int)by : 0;
}

/* Prints bytes converted to f16 minus a number as one operation, since the conversion contains a subtraction.  */
static bool print_cast_less(Printer *printer, const Op *op)
{
    enum { MOST_LESS = 511 };
    const Op *cast = op->code == OP_SUB ? op->args[0]->def : NULL, *less = cast ? op->args[1]->def : NULL;
    if (!cast || cast->code != OP_CAST || op->args[0]->var || op->results[0]->type.dtype != D_F16 ||
        cast->args[0]->type.dtype != D_U8 || cast->args[0]->type.cols < 2 || !less || less->code != OP_SPLAT ||
        !cuda_is_literal(less->args[0]))
        return false;
    const Value *literal = less->args[0];
    double number =
        dtype_is_float(literal->type.dtype) ? literal->def->scalar->real : (double)literal->def->scalar->integer;
    if (number < 0 || number > MOST_LESS || number != floor(number))
        return false;
    int by = bytes_shifted(cast->args[0]);
    fprintf(printer->out, by ? "ws::cast_less<ws::f16, %d, %d>(" : "ws::cast_less<ws::f16, %d>(", (int)number, by);
    cuda_value(printer, by ? cast->args[0]->def->args[0] : cast->args[0], PREC_ANY);
    fputc(')', printer->out);
    return true;
}

static bool print_selected(Printer *printer, const Op *op)
{
    SelectedColumn selected;
    if (!op_selects_column(op, &selected))
        return false;
    fputs("ws::row_part_at(", printer->out);
    cuda_value(printer, selected.tile, PREC_ANY);
    fputs(", ", printer->out);
    cuda_value(printer, selected.column, PREC_ANY);
    fputs(", ", printer->out);
    if (selected.first)
        cuda_value(printer, selected.first, PREC_ANY);
    else
        fputs("0", printer->out);
    fputc(')', printer->out);
    return true;
}

static void print_elementwise(Printer *printer, const Op *op)
{
    bool scalars = op_takes_scalars(op);
    if (print_cast_less(printer, op) || print_selected(printer, op))
        return;
    fputs(op->code == OP_TRANS && op->tile->transposed ? "ws::transposed"
          : op->code == OP_EXP && op->tile->fast       ? "ws::exp_fast"
          : op->code == OP_DIV && op->tile->fast       ? "ws::div_fast"
                                                       : op_info[op->code].call,
          printer->out);
    if (op->code == OP_HISTOGRAM)
        fprintf(printer->out, "<%d>", op->results[0]->type.cols);
    fputc('(', printer->out);
    for (int i = 0; i < op->nargs; i++) {
        const Op *def = op->args[i]->def;
        if (i)
            fputs(", ", printer->out);
        if (scalars && def && def->code == OP_SPLAT && print_f16_literal(printer, op, def->args[0]))
            continue;
        if (scalars && def && def->code == OP_SPLAT)
            cuda_operand(printer, def->args[0], PREC_TERNARY, true);
        else
            cuda_value(printer, op->args[i], PREC_TERNARY);
    }
    if (op->storage) {
        fputs(", ", printer->out);
        cuda_group_storage(printer, op->storage);
    }
    fputc(')', printer->out);
}

/* True if the value's expression contains a row_first.  */
static bool looks_for_columns(const Value *value)
{
    const Op *def = value->def;
    if (!def || value->var || value->type.kind != K_TILE)
        return false;
    bool looks = def->code == OP_ROW_FIRST;
    for (int i = 0; i < def->nargs && !looks; i++)
        looks = looks_for_columns(def->args[i]);
    return looks;
}

/* True for a select that a search rarely takes. Most iterations find nothing better in some rows of a warp, and then
   no thread needs the column. No product may be in flight where the branches join, since the assembler would serialize
   it (C7515).  */
static bool is_seldom_taken(const Printer *printer, const Op *op)
{
    Type type = op->results[0]->type;
    return op->code == OP_SELECT && type.rows > 1 && type.cols == 1 && !machine_wide_groups(printer->role->layout) &&
           type_equal(op->args[2]->type, type) && op->args[0]->type.rows == type.rows &&
           looks_for_columns(op->args[1]) && products_are_done(op);
}

static void print_seldom(Printer *printer, const Op *op)
{
    fputs("ws::select_some(", printer->out);
    cuda_value(printer, op->args[0], PREC_TERNARY);
    fputs(", [&] { return ", printer->out);
    cuda_value(printer, op->args[1], PREC_ANY);
    fputs("; }, ", printer->out);
    cuda_value(printer, op->args[2], PREC_TERNARY);
    fputc(')', printer->out);
}

void cuda_fill(Printer *printer, double fill)
{
    cuda_float(printer->out, fill, false, true);
}

bool cuda_has_fill(const Op *op)
{
    return op->transfer->fill != 0 || signbit(op->transfer->fill);
}

void cuda_load(Printer *printer, const Op *op)
{
    Type type = op->results[0]->type;
    bool brings = load_is_cached(op) && op->transfer->prefetch == PREFETCH_TILE;
    fprintf(printer->out, "%s%s<", brings ? "ws::bring" : op_info[op->code].call, cuda_has_fill(op) ? "_or" : "");
    if (op->code == OP_LOAD)
        fprintf(printer->out, "%d, %d, ", type.rows, type.cols);
    else
        fprintf(printer->out, "%d, ", op->code == OP_LOAD_ROW ? type.cols : type.rows);
    fprintf(printer->out, "%s>(%s", cuda_layout_text(printer), brings ? "to, " : "");
    if (cuda_has_fill(op)) {
        cuda_fill(printer, op->transfer->fill);
        fputs(", ", printer->out);
    }
    if (op->storage && op->storage->use == USE_OUTPUT)
        fprintf(printer->out, "%s, ", op->storage->name);
    cuda_value(printer, op->args[0], PREC_ANY);
    cuda_coordinates(printer, op, 1, op->nargs);
    fputc(')', printer->out);
}

static void print_full(Printer *printer, const Op *op)
{
    Type type = op->results[0]->type;
    fprintf(printer->out, "ws::%s<%s, %d, %d, %s>(", op->tile->here ? "full_now" : "full",
            cuda_element_text[type.dtype], type.rows, type.cols, cuda_layout_text(printer));
    cuda_fill(printer, op->tile->value);
    fputc(')', printer->out);
}

static void print_index(Printer *printer, const Op *op)
{
    Type type = op->results[0]->type;
    fprintf(printer->out, "%s<%d, %d, %s>(", op_info[op->code].call, type.rows, type.cols, cuda_layout_text(printer));
    if (op->nargs)
        cuda_coordinate(printer, op->args[0]);
    fputc(')', printer->out);
}

static void print_slice(Printer *printer, const Op *op)
{
    fprintf(printer->out, "ws::slice<%d>(", op->tensor->dimension);
    cuda_value(printer, op->args[0], PREC_ANY);
    cuda_coordinates(printer, op, 1, op->nargs);
    fputc(')', printer->out);
}

static void print_box(Printer *printer, const Op *op)
{
    int extents[3], count = box_extents(op, extents);
    fputs("ws::box", printer->out);
    for (int i = 0; i < count; i++)
        fprintf(printer->out, "%s%d", i ? ", " : "<", extents[i]);
    fputs(">(", printer->out);
    cuda_value(printer, op->args[0], PREC_ANY);
    cuda_coordinates(printer, op, 1, 1 + count);
    fputc(')', printer->out);
}

/* True if the kernel stores to the memory that the operation reads.  */
bool cuda_is_written(const Kernel *kernel, const Op *op)
{
    const Op *source = op->origin ? op->origin : op;
    return tensor_memory(source->args[0])->def || ir_any_of(kernel->body, stores_what_is_loaded, source);
}

static void print_stage(Printer *printer, const Op *op)
{
    bool output = op->storage->use == USE_OUTPUT;
    fputs("ws::stage", printer->out);
    if (output && op->sync->box)
        fprintf(printer->out, "<%d>", op->sync->box - 1);
    fputc('(', printer->out);
    if (output)
        fputs(op->storage->name, printer->out);
    else
        cuda_group_storage(printer, op->storage);
    fputs(", ", printer->out);
    cuda_value(printer, op->args[0], PREC_ANY);
    fputc(')', printer->out);
}

static void print_gather(Printer *printer, const Op *op)
{
    fprintf(printer->out, "ws::gather(s.%s, ", op->storage->name);
    if (op->storage->slots > 1)
        fprintf(printer->out, "%s_turn, ", op->storage->name);
    cuda_value(printer, op->args[0], PREC_ANY);
    fputs(", ", printer->out);
    cuda_coordinate(printer, op->args[1]);
    fputc(')', printer->out);
}

/* Prints an element of a tensor. A prefetched element keeps its type, since a conversion to double would wait for
   the load.  */
void cuda_number(Printer *printer, const Op *op)
{
    bool fixed = !cuda_is_written(printer->kernel, op),
         narrow = fixed && load_is_prefetched(op) && op->code == OP_AT_FLOAT;
    fprintf(printer->out, "ws::%s%s(", fixed ? "fixed_" : "", narrow ? "element" : op_info[op->code].text);
    cuda_value(printer, op->args[0], PREC_ANY);
    cuda_coordinates(printer, op, 1, op->nargs);
    fputc(')', printer->out);
}

/* Prints an element that an earlier iteration has prefetched.  */
static void print_taken(Printer *printer, const Op *op)
{
    const char *type = op->code == OP_AT_FLOAT ? "(double)" : "";
    fprintf(printer->out, "%s%s.take(%s)", type, cuda_prefetch(printer, op), op->parent->args[0]->var->name);
}

/* Prints the value that an operation computes, as an expression.  */
void cuda_expression(Printer *printer, const Op *op, int outer)
{
    switch (op->code) {
    case OP_VIEW:
        print_view(printer, op);
        break;
    case OP_SPLAT:
        print_splat(printer, op);
        break;
    case OP_FULL:
        print_full(printer, op);
        break;
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
        print_index(printer, op);
        break;
    case OP_LOAD:
    case OP_LOAD_ROW:
    case OP_LOAD_COL:
        if (cuda_window(printer, op))
            break;
        if (!op->transfer->prefetch)
            cuda_load(printer, op);
        else if (load_is_cached(op) && op->transfer->prefetch == PREFETCH_ONCE) {
            cuda_group_storage(printer, op->storage);
            fputs(".take()", printer->out);
        } else if (op->transfer->prefetch == PREFETCH_ITERATION)
            print_taken(printer, op);
        else
            fprintf(printer->out,
                    op->transfer->prefetch != PREFETCH_TILE ? "%s"
                    : cuda_begins_late(printer, op)         ? "%s.now()"
                                                            : "%s.take(t)",
                    cuda_prefetch(printer, op));
        break;
    case OP_SLICE:
        print_slice(printer, op);
        break;
    case OP_BOX:
        print_box(printer, op);
        break;
    case OP_CAST:
    case OP_BITCAST:
        fprintf(printer->out, "%s<%s>(", op_info[op->code].call, cuda_element_text[op->results[0]->type.dtype]);
        cuda_value(printer, op->args[0], PREC_ANY);
        fputc(')', printer->out);
        break;
    case OP_COLUMNS:
        fprintf(printer->out, "ws::columns<%d>(", op->results[0]->type.cols);
        cuda_value(printer, op->args[0], PREC_ANY);
        cuda_coordinates(printer, op, 1, 2);
        fputc(')', printer->out);
        break;
    case OP_READ:
        fprintf(printer->out, "ws::read<%s>(", cuda_layout_text(printer));
        cuda_value(printer, op->args[0], PREC_ANY);
        fputc(')', printer->out);
        break;
    case OP_STAGE:
        print_stage(printer, op);
        break;
    case OP_GATHER:
        print_gather(printer, op);
        break;
    case OP_SUM_PARTS:
        cuda_sum_parts(printer, op);
        break;
    case OP_SUM_BLOCKS:
    case OP_MAX_BLOCKS:
    case OP_MIN_BLOCKS:
    case OP_SUM_EXP_BLOCKS:
    case OP_SUM_EXP2_BLOCKS:
        cuda_over_blocks(printer, op);
        break;
    case OP_POWERS_SENT:
        fprintf(printer->out, "ws_sent_%s.powers(", op->args[2]->def->storage->name);
        cuda_value(printer, op->args[1], PREC_ANY);
        fputc(')', printer->out);
        break;
    case OP_AT:
    case OP_AT_FLOAT:
        if (load_is_prefetched(op))
            print_taken(printer, op);
        else
            cuda_number(printer, op);
        break;
    default:
        if (op_info[op->code].class_ == CLASS_SCALAR)
            cuda_scalar(printer, op, outer);
        else if (is_seldom_taken(printer, op))
            print_seldom(printer, op);
        else
            print_elementwise(printer, op);
    }
}

void cuda_value(Printer *printer, const Value *value, int outer)
{
    const Variable *variable = value->var;
    if (variable && variable->role == printer->role && (printer->role || !value->def)) {
        fputs(variable->name, printer->out);
    } else if (variable && !variable->role) {
        fprintf(printer->out, "p.%s", variable->name);
    } else if (value->def) {
        cuda_expression(printer, value->def, outer);
    } else if (value->block && value->block->parent && value->block->parent->code == OP_GRID) {
        fputs("t.ordinal()", printer->out);
    } else {
        BUG(printer->kernel, "a value without a variable or an expression is used");
    }
}
