/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-expression.c - expressions of the .cu: views, loads, tile operations.
 *
 *   %v = view %slot, %first_row, 0          ws::window<64, 64>(s.ta[slot], first_row, 0)
 *   %y = mul %t, (splat 0.5)                ws::mul(t, 0.5)
 */
#include <math.h>

#include "print/cuda.h"
#include "machine/machine.h"
#include "machine/plan.h"
#include "ir/queries.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void print_view(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    bool window = op->nargs > 1;
    if (window)
        fprintf(in->out, "ws::window<%d, %d>(", type.rows, type.cols);
    else
        fputs("ws::view(", in->out);
    if (op->storage->use == USE_RING)
        cuda_slot(in, op->storage, op->args[0]);
    else
        cuda_group_storage(in, op->storage);
    for (int i = 1; i < op->nargs; i++) {
        fputs(", ", in->out);
        cuda_coordinate(in, op->args[i]);
    }
    fputc(')', in->out);
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static void print_splat(Printer *in, const Op *op)
{
    fprintf(in->out, "ws::splat<%s, %s>(", cuda_element_text[op->results[0]->type.dtype], cuda_layout_text(in));
    cuda_operand(in, op->args[0], PREC_TERNARY, false);
    fputc(')', in->out);
}

/* The bits of a number that f16 holds as it is and not as a subnormal, or -1.  */
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

/* Of f16, two at a time are added, subtracted or multiplied if all are f16.  */
static bool print_f16_literal(Printer *in, const Op *op, const Value *value)
{
    bool pairs = op->code == OP_ADD || op->code == OP_SUB || op->code == OP_MUL;
    if (!pairs || op->results[0]->type.dtype != D_F16 || !cuda_is_literal(value))
        return false;
    bool real = dtype_is_float(value->type.dtype);
    int bits = f16_bits(real ? value->def->scalar->real : (double)value->def->scalar->integer);
    if (bits < 0)
        return false;
    fprintf(in->out, "ws::f16_exactly<0x%04x>(", (unsigned)bits);
    cuda_operand(in, value, PREC_ANY, true);
    fputc(')', in->out);
    return true;
}

/* By how much bytes are shifted to the right where they are used.  */
static int bytes_shifted(const Value *bytes)
{
    enum { BITS = 8 };
    const Op *shift = !bytes->var && bytes->def && bytes->def->code == OP_USHR ? bytes->def : NULL;
    const Op *splat = shift ? shift->args[1]->def : NULL;
    int64_t by;
    bool number = splat && splat->code == OP_SPLAT && ir_constant(splat->args[0], &by);
    return number && by > 0 && by < BITS ? (int)by : 0;
}

/* Bytes as f16, less a number: the conversion subtracts one anyway.  */
static bool print_cast_less(Printer *in, const Op *op)
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
    fprintf(in->out, by ? "ws::cast_less<ws::f16, %d, %d>(" : "ws::cast_less<ws::f16, %d>(", (int)number, by);
    cuda_value(in, by ? cast->args[0]->def->args[0] : cast->args[0], PREC_ANY);
    fputc(')', in->out);
    return true;
}

static bool print_picked(Printer *in, const Op *op)
{
    Picked picked;
    if (!op_picks_column(op, &picked))
        return false;
    fputs("ws::row_part_at(", in->out);
    cuda_value(in, picked.tile, PREC_ANY);
    fputs(", ", in->out);
    cuda_value(in, picked.column, PREC_ANY);
    fputs(", ", in->out);
    if (picked.first)
        cuda_value(in, picked.first, PREC_ANY);
    else
        fputs("0", in->out);
    fputc(')', in->out);
    return true;
}

static void print_elementwise(Printer *in, const Op *op)
{
    bool scalars = op_takes_scalars(op);
    if (print_cast_less(in, op) || print_picked(in, op))
        return;
    fputs(op->code == OP_TRANS && op->tile->turned  ? "ws::turned"
          : op->code == OP_EXP && op->tile->rounded ? "ws::exp_rounded"
          : op->code == OP_DIV && op->tile->rounded ? "ws::div_rounded"
                                                    : op_info[op->code].call,
          in->out);
    if (op->code == OP_TALLY)
        fprintf(in->out, "<%d>", op->results[0]->type.cols);
    fputc('(', in->out);
    for (int i = 0; i < op->nargs; i++) {
        const Op *def = op->args[i]->def;
        if (i)
            fputs(", ", in->out);
        if (scalars && def && def->code == OP_SPLAT && print_f16_literal(in, op, def->args[0]))
            continue;
        if (scalars && def && def->code == OP_SPLAT)
            cuda_operand(in, def->args[0], PREC_TERNARY, true);
        else
            cuda_value(in, op->args[i], PREC_TERNARY);
    }
    if (op->storage) {
        fputs(", ", in->out);
        cuda_group_storage(in, op->storage);
    }
    fputc(')', in->out);
}

/* Is it the columns of numbers in rows, or made of them alone where it is used?  */
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

/* Most iterations of a search find nothing better in some of the rows of a warp, and then nobody has to know where it
   would be.  Where ways meet no product is under way, since the assembler would make it wait (C7515).  */
static bool is_seldom_taken(const Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    return op->code == OP_SELECT && type.rows > 1 && type.cols == 1 && !machine_wide_groups(in->role->layout) &&
           type_equal(op->args[2]->type, type) && op->args[0]->type.rows == type.rows &&
           looks_for_columns(op->args[1]) && products_are_done(op);
}

static void print_seldom(Printer *in, const Op *op)
{
    fputs("ws::select_some(", in->out);
    cuda_value(in, op->args[0], PREC_TERNARY);
    fputs(", [&] { return ", in->out);
    cuda_value(in, op->args[1], PREC_ANY);
    fputs("; }, ", in->out);
    cuda_value(in, op->args[2], PREC_TERNARY);
    fputc(')', in->out);
}

void cuda_fill(Printer *in, double fill)
{
    cuda_float(in->out, fill, false, true);
}

bool cuda_has_fill(const Op *op)
{
    return op->transfer->fill != 0 || signbit(op->transfer->fill);
}

void cuda_load(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    bool brings = load_is_kept(op) && op->transfer->ahead == AHEAD_NEXT;
    fprintf(in->out, "%s%s<", brings ? "ws::bring" : op_info[op->code].call, cuda_has_fill(op) ? "_or" : "");
    if (op->code == OP_LOAD)
        fprintf(in->out, "%d, %d, ", type.rows, type.cols);
    else
        fprintf(in->out, "%d, ", op->code == OP_LOAD_ROW ? type.cols : type.rows);
    fprintf(in->out, "%s>(%s", cuda_layout_text(in), brings ? "to, " : "");
    if (cuda_has_fill(op)) {
        cuda_fill(in, op->transfer->fill);
        fputs(", ", in->out);
    }
    if (op->storage && op->storage->use == USE_OUTPUT)
        fprintf(in->out, "%s, ", op->storage->name);
    cuda_value(in, op->args[0], PREC_ANY);
    cuda_coordinates(in, op, 1, op->nargs);
    fputc(')', in->out);
}

static void print_full(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    fprintf(in->out, "ws::%s<%s, %d, %d, %s>(", op->tile->here ? "full_now" : "full", cuda_element_text[type.dtype],
            type.rows, type.cols, cuda_layout_text(in));
    cuda_fill(in, op->tile->value);
    fputc(')', in->out);
}

static void print_index(Printer *in, const Op *op)
{
    Type type = op->results[0]->type;
    fprintf(in->out, "%s<%d, %d, %s>(", op_info[op->code].call, type.rows, type.cols, cuda_layout_text(in));
    if (op->nargs)
        cuda_coordinate(in, op->args[0]);
    fputc(')', in->out);
}

static void print_slice(Printer *in, const Op *op)
{
    fprintf(in->out, "ws::slice<%d>(", op->tensor->dimension);
    cuda_value(in, op->args[0], PREC_ANY);
    cuda_coordinates(in, op, 1, op->nargs);
    fputc(')', in->out);
}

static void print_box(Printer *in, const Op *op)
{
    int extents[3], count = box_extents(op, extents);
    fputs("ws::box", in->out);
    for (int i = 0; i < count; i++)
        fprintf(in->out, "%s%d", i ? ", " : "<", extents[i]);
    fputs(">(", in->out);
    cuda_value(in, op->args[0], PREC_ANY);
    cuda_coordinates(in, op, 1, 1 + count);
    fputc(')', in->out);
}

/* Does the kernel store to the memory that the op reads?  */
bool cuda_is_written(const Kernel *kernel, const Op *op)
{
    const Op *source = op->origin ? op->origin : op;
    return tensor_memory(source->args[0])->def || ir_any_of(kernel->body, stores_what_is_loaded, source);
}

static void print_stage(Printer *in, const Op *op)
{
    bool output = op->storage->use == USE_OUTPUT;
    fputs("ws::stage", in->out);
    if (output && op->sync->box)
        fprintf(in->out, "<%d>", op->sync->box - 1);
    fputc('(', in->out);
    if (output)
        fputs(op->storage->name, in->out);
    else
        cuda_group_storage(in, op->storage);
    fputs(", ", in->out);
    cuda_value(in, op->args[0], PREC_ANY);
    fputc(')', in->out);
}

static void print_gather(Printer *in, const Op *op)
{
    fprintf(in->out, "ws::gather(s.%s, ", op->storage->name);
    if (op->storage->slots > 1)
        fprintf(in->out, "%s_turn, ", op->storage->name);
    cuda_value(in, op->args[0], PREC_ANY);
    fputs(", ", in->out);
    cuda_coordinate(in, op->args[1]);
    fputc(')', in->out);
}

/* A number of a tensor.  What comes ahead of its iteration stays in the type that it has there: to make a double of it
   would wait for it.  */
void cuda_number(Printer *in, const Op *op)
{
    bool fixed = !cuda_is_written(in->kernel, op), narrow = fixed && load_is_ahead(op) && op->code == OP_AT_FLOAT;
    fprintf(in->out, "ws::%s%s(", fixed ? "fixed_" : "", narrow ? "element" : op_info[op->code].text);
    cuda_value(in, op->args[0], PREC_ANY);
    cuda_coordinates(in, op, 1, op->nargs);
    fputc(')', in->out);
}

/* What the loop has loaded an iteration before.  */
static void print_taken(Printer *in, const Op *op)
{
    const char *type = op->code == OP_AT_FLOAT ? "(double)" : "";
    fprintf(in->out, "%s%s.take(%s)", type, cuda_ahead(in, op), op->parent->args[0]->var->name);
}

/* What an op computes, as an expression.  */
void cuda_expression(Printer *in, const Op *op, int outer)
{
    switch (op->code) {
    case OP_VIEW:
        print_view(in, op);
        break;
    case OP_SPLAT:
        print_splat(in, op);
        break;
    case OP_FULL:
        print_full(in, op);
        break;
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
        print_index(in, op);
        break;
    case OP_LOAD:
    case OP_LOAD_ROW:
    case OP_LOAD_COL:
        if (cuda_window(in, op))
            break;
        if (!op->transfer->ahead)
            cuda_load(in, op);
        else if (load_is_kept(op) && op->transfer->ahead == AHEAD_ONCE) {
            cuda_group_storage(in, op->storage);
            fputs(".take()", in->out);
        } else if (op->transfer->ahead == AHEAD_ITERATION)
            print_taken(in, op);
        else
            fprintf(in->out,
                    op->transfer->ahead != AHEAD_NEXT ? "%s"
                    : cuda_begins_late(in, op)        ? "%s.now()"
                                                      : "%s.take(t)",
                    cuda_ahead(in, op));
        break;
    case OP_SLICE:
        print_slice(in, op);
        break;
    case OP_BOX:
        print_box(in, op);
        break;
    case OP_CAST:
    case OP_BITCAST:
        fprintf(in->out, "%s<%s>(", op_info[op->code].call, cuda_element_text[op->results[0]->type.dtype]);
        cuda_value(in, op->args[0], PREC_ANY);
        fputc(')', in->out);
        break;
    case OP_COLUMNS:
        fprintf(in->out, "ws::columns<%d>(", op->results[0]->type.cols);
        cuda_value(in, op->args[0], PREC_ANY);
        cuda_coordinates(in, op, 1, 2);
        fputc(')', in->out);
        break;
    case OP_READ:
        fprintf(in->out, "ws::read<%s>(", cuda_layout_text(in));
        cuda_value(in, op->args[0], PREC_ANY);
        fputc(')', in->out);
        break;
    case OP_STAGE:
        print_stage(in, op);
        break;
    case OP_GATHER:
        print_gather(in, op);
        break;
    case OP_SUM_PARTS:
        cuda_sum_parts(in, op);
        break;
    case OP_SUM_BLOCKS:
    case OP_MAX_BLOCKS:
    case OP_MIN_BLOCKS:
    case OP_SUM_EXP_BLOCKS:
    case OP_SUM_EXP2_BLOCKS:
        cuda_over_blocks(in, op);
        break;
    case OP_POWERS_SENT:
        fprintf(in->out, "ws_sent_%s.powers(", op->args[2]->def->storage->name);
        cuda_value(in, op->args[1], PREC_ANY);
        fputc(')', in->out);
        break;
    case OP_AT:
    case OP_AT_FLOAT:
        if (load_is_ahead(op))
            print_taken(in, op);
        else
            cuda_number(in, op);
        break;
    default:
        if (op_info[op->code].class_ == CLASS_SCALAR)
            cuda_scalar(in, op, outer);
        else if (is_seldom_taken(in, op))
            print_seldom(in, op);
        else
            print_elementwise(in, op);
    }
}

void cuda_value(Printer *in, const Value *value, int outer)
{
    const Variable *variable = value->var;
    if (variable && variable->role == in->role && (in->role || !value->def)) {
        fputs(variable->name, in->out);
    } else if (variable && !variable->role) {
        fprintf(in->out, "p.%s", variable->name);
    } else if (value->def) {
        cuda_expression(in, value->def, outer);
    } else if (value->block && value->block->parent && value->block->parent->code == OP_GRID) {
        fputs("t.ordinal()", in->out);
    } else {
        BUG(in->kernel, "a value without a variable or an expression is used");
    }
}
