/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-expression.c - expressions of the .cu: literals, scalars with C's precedences, views, tile operations.
 *
 *   %x = addi (convi %i), %first_row        i + first_row
 *   %v = view %slot, %first_row, 0          ws::window<64, 64>(s.ta[slot], first_row, 0)
 *   %y = mul %t, (splat 0.5)                ws::mul(t, 0.5)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print/cuda.h"
#include "machine/machine.h"
#include "ir/queries.h"
#include "rules.h"

const char *const cuda_element_text[D_COUNT] = {
    [D_F32] = "float",          [D_F64] = "double",       [D_F16] = "ws::f16",      [D_BF16] = "ws::bf16",
    [D_E4M3] = "ws::e4m3",      [D_E5M2] = "ws::e5m2",    [D_I8] = "signed char",   [D_I32] = "int",
    [D_MASK] = "bool",          [D_I1] = "bool",          [D_U8] = "unsigned char", [D_I16] = "short",
    [D_U16] = "unsigned short", [D_U32] = "unsigned int", [D_I64] = "long",         [D_U64] = "unsigned long"};

const char *cuda_layout_text(const Printer *in)
{
    switch (in->role->layout) {
    case LAYOUT_MMA:
        return "ws::frag";
    case LAYOUT_ROWS:
        return "ws::lines";
    case LAYOUT_WIDE:
        return "ws::wide";
    default:
        if (machine_wide_groups(in->role->layout))
            return arena_print(in->kernel->module, "ws::wide_%d", machine_wide_groups(in->role->layout));
        if (in->role->layout == LAYOUT_STRIPS)
            return "ws::strips";
        return arena_print(in->kernel->module, in->role->layout > LAYOUT_STRIPS ? "ws::strips_%d" : "ws::lines_%d",
                           machine_rows_together(in->role->layout));
    }
}

void cuda_begin(Printer *in)
{
    fprintf(in->out, "%*s", 4 * in->indent, "");
}

void cuda_line(Printer *in, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    cuda_begin(in);
    vfprintf(in->out, format, list);
    fputc('\n', in->out);
    va_end(list);
}

enum { COMMENT_COLUMN = 41 };

/* A line with a comment at the column where comments stand, or two blanks behind a longer line.  */
void cuda_commented(Printer *in, const char *text, const char *comment)
{
    int width = 4 * in->indent + (int)strlen(text);
    int pad = width + 2 > COMMENT_COLUMN ? 2 : COMMENT_COLUMN - width;
    cuda_line(in, "%s%*s// %s", text, pad, "", comment);
}

const char *cuda_file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

void cuda_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 32 || c == '"' || c == '\\' || c >= 127)
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

const char *cuda_scalar_type(Type type)
{
    return cuda_element_text[type.dtype];
}

/* ---- literals ---------------------------------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same number.  */
static void print_float(FILE *out, double value, bool single, bool plain)
{
    char text[40];
    if (isnan(value)) {
        fputs("NAN", out);
        return;
    }
    if (isinf(value)) {
        fputs(value < 0 ? "-INFINITY" : "INFINITY", out);
        return;
    }
    snprintf(text, sizeof text, "%.0f", fabs(value) < 1e9 ? value : 0.5);
    for (int digits = 1; digits <= 17 && strtod(text, NULL) != value; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
    bool negative_zero = value == 0 && signbit(value);
    if ((!plain || negative_zero) && !strpbrk(text, ".e"))
        fputs(".0", out);
    if (!plain && single)
        fputc('f', out);
}

void cuda_int(FILE *out, Dtype dtype, int64_t value, bool suffix)
{
    bool wide = dtype == D_I64 || dtype == D_U64;
    if (dtype == D_I1) {
        fputs(value ? "true" : "false", out);
    } else if (dtype == D_U64 || dtype == D_U32) {
        uint64_t bits = dtype == D_U32 ? (uint32_t)value : (uint64_t)value;
        bool large = bits > INT32_MAX;
        fprintf(out, "%llu%s%s", (unsigned long long)bits, suffix || large ? "u" : "",
                wide && (suffix || large) ? "l" : "");
    } else if (value == INT64_MIN) {
        fputs("(-9223372036854775807l - 1)", out);
    } else if (value == INT32_MIN && !wide) {
        fputs("(-2147483647 - 1)", out);
    } else {
        bool large = value > INT32_MAX || value < -(int64_t)INT32_MAX;
        fprintf(out, "%lld%s", (long long)value, wide && (suffix || large) ? "l" : "");
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* The C operator of an infix op; on I1 the logical one.  */
Infix cuda_infix_of(const Op *op)
{
    bool logical = op->nargs && op->args[0]->type.dtype == D_I1;
    switch (op->code) {
    case OP_ADDI:
        return (Infix){"+", PREC_ADD};
    case OP_SUBI:
        return (Infix){"-", PREC_ADD};
    case OP_MULI:
        return (Infix){"*", PREC_MUL};
    case OP_DIVI:
        return (Infix){"/", PREC_MUL};
    case OP_REMI:
        return (Infix){"%", PREC_MUL};
    case OP_ANDI:
        return logical ? (Infix){"&&", PREC_AND} : (Infix){"&", PREC_BITAND};
    case OP_ORI:
        return logical ? (Infix){"||", PREC_OR} : (Infix){"|", PREC_BITOR};
    case OP_XORI:
        return logical ? (Infix){"!=", PREC_EQUAL} : (Infix){"^", PREC_XOR};
    case OP_SHLI:
        return (Infix){"<<", PREC_SHIFT};
    case OP_SHRI:
        return (Infix){">>", PREC_SHIFT};
    case OP_EQI:
        return (Infix){"==", PREC_EQUAL};
    case OP_NEI:
        return (Infix){"!=", PREC_EQUAL};
    case OP_LTI:
        return (Infix){"<", PREC_COMPARE};
    case OP_LEI:
        return (Infix){"<=", PREC_COMPARE};
    case OP_GTI:
        return (Infix){">", PREC_COMPARE};
    case OP_GEI:
        return (Infix){">=", PREC_COMPARE};
    default:
        return (Infix){NULL, PREC_ANY};
    }
}

bool cuda_is_literal(const Value *value)
{
    return value->def && value->def->code == OP_CONST;
}

static void print_literal(Printer *in, const Value *value, bool suffix)
{
    const Op *op = value->def;
    if (dtype_is_float(value->type.dtype))
        print_float(in->out, op->scalar->real, value->type.dtype == D_F32, false);
    else
        cuda_int(in->out, value->type.dtype, op->scalar->integer, suffix);
}

/* A literal takes its type from the other operand, if that has one.  */
void cuda_operand(Printer *in, const Value *value, int outer, bool suffix)
{
    bool negative = cuda_is_literal(value) && (dtype_is_float(value->type.dtype) ? value->def->scalar->real < 0
                                                                                 : value->def->scalar->integer < 0);
    if (!cuda_is_literal(value)) {
        cuda_value(in, value, outer);
        return;
    }
    if (negative && outer > PREC_ADD)
        fputc('(', in->out);
    print_literal(in, value, suffix);
    if (negative && outer > PREC_ADD)
        fputc(')', in->out);
}

static bool is_narrow(Dtype dtype)
{
    return dtype == D_I8 || dtype == D_U8 || dtype == D_I16 || dtype == D_U16;
}

static bool is_bitwise(int precedence)
{
    return precedence == PREC_SHIFT || (precedence >= PREC_BITOR && precedence <= PREC_BITAND);
}

/* Where compilers ask for parentheses although C does not.  */
static bool needs_clarity(int inner, int outer)
{
    outer &= ~1;
    if (outer <= PREC_TERNARY || outer >= PREC_UNARY)
        return false;
    return inner != outer && (is_bitwise(inner) || is_bitwise(outer) || (inner == PREC_AND && outer == PREC_OR));
}

/* Where C converts by itself: initializers and arguments of a known type.  A conversion that only widens is left to
   it. */
const Value *cuda_without_widening(const Value *value)
{
    while (!value->var && value->def && value->def->code == OP_CONVI) {
        const Value *from = value->def->args[0];
        bool integers = !dtype_is_float(from->type.dtype) && !dtype_is_float(value->type.dtype);
        bool wider = dtype_bytes(value->type.dtype) > dtype_bytes(from->type.dtype);
        bool keeps = dtype_is_signed(value->type.dtype) || !dtype_is_signed(from->type.dtype);
        if (!integers || !wider || !keeps)
            break;
        value = from;
    }
    return value;
}

/* C widens an operand by itself where the other one has the wide type.  */
static const Value *without_needless_widening(const Value *value, const Value *other)
{
    const Op *def = other->var ? NULL : other->def;
    bool typed = other->var || (def && def->code != OP_CONST && def->code != OP_CONVI && def->code != OP_SELI);
    return typed ? cuda_without_widening(value) : value;
}

/* x + -1 is what compilers make of x - 1.  */
static bool adds_negative(const Op *op)
{
    const Value *right = op->args[1];
    if (op->code != OP_ADDI || !cuda_is_literal(right) || dtype_is_float(right->type.dtype))
        return false;
    int64_t value = right->type.dtype == D_U32 ? (int32_t)right->def->scalar->integer : right->def->scalar->integer;
    return value < 0 && value > INT32_MIN;
}

static void print_right(Printer *in, const Op *op, Infix infix, bool suffix)
{
    if (!adds_negative(op)) {
        fprintf(in->out, " %s ", infix.text);
        cuda_operand(in, op->args[1], infix.precedence + 1, suffix);
        return;
    }
    fputs(" - ", in->out);
    cuda_int(in->out, op->args[1]->type.dtype, -(int64_t)(int32_t)op->args[1]->def->scalar->integer, suffix);
}

void cuda_infix(Printer *in, const Op *op, Infix infix, int outer)
{
    bool cast = is_narrow(op->results[0]->type.dtype);
    bool parentheses = cast || infix.precedence < outer || needs_clarity(infix.precedence, outer);
    bool both = cuda_is_literal(op->args[0]) && cuda_is_literal(op->args[1]);
    bool shift = infix.precedence == PREC_SHIFT;
    if (cast)
        fprintf(in->out, "(%s)", cuda_element_text[op->results[0]->type.dtype]);
    if (parentheses)
        fputc('(', in->out);
    const Value *left = shift ? op->args[0] : without_needless_widening(op->args[0], op->args[1]);
    cuda_operand(in, left, infix.precedence, both || shift);
    print_right(in, op, infix, both && !shift);
    if (parentheses)
        fputc(')', in->out);
}

static void print_call_arguments(Printer *in, const Op *op)
{
    fputc('(', in->out);
    for (int i = 0; i < op->nargs; i++) {
        if (i)
            fputs(", ", in->out);
        cuda_operand(in, op->args[i], PREC_TERNARY, true);
    }
    fputc(')', in->out);
}

static void print_unary(Printer *in, const Op *op, int outer)
{
    Dtype dtype = op->results[0]->type.dtype;
    const char *text = op->code == OP_NEGI ? "-" : dtype == D_I1 ? "!" : "~";
    if (is_narrow(dtype))
        fprintf(in->out, "(%s)", cuda_element_text[dtype]);
    if (outer > PREC_UNARY || op->code == OP_NEGI)
        fputc('(', in->out);
    fputs(text, in->out);
    cuda_operand(in, op->args[0], PREC_UNARY + 1, true);
    if (outer > PREC_UNARY || op->code == OP_NEGI)
        fputc(')', in->out);
}

/* 0 - x of a type that is not promoted.  */
static bool is_opposite(const Op *op)
{
    Dtype dtype = op->results[0]->type.dtype;
    int64_t number;
    return !dtype_is_float(dtype) && !is_narrow(dtype) && ir_constant(op->args[0], &number) && !number;
}

static void print_opposite(Printer *in, const Value *value, int outer)
{
    fputs(outer >= PREC_UNARY ? "(-" : "-", in->out);
    cuda_operand(in, value, PREC_UNARY, true);
    fputs(outer >= PREC_UNARY ? ")" : "", in->out);
}

static void print_ternary(Printer *in, const Op *op, int outer)
{
    bool both = cuda_is_literal(op->args[1]) && cuda_is_literal(op->args[2]);
    if (outer > PREC_TERNARY)
        fputc('(', in->out);
    cuda_operand(in, op->args[0], PREC_TERNARY + 1, false);
    fputs(" ? ", in->out);
    cuda_operand(in, op->args[1], PREC_TERNARY + 1, both);
    fputs(" : ", in->out);
    cuda_operand(in, op->args[2], PREC_TERNARY, both);
    if (outer > PREC_TERNARY)
        fputc(')', in->out);
}

static void print_conversion(Printer *in, const Op *op, int outer)
{
    if (outer > PREC_UNARY)
        fputc('(', in->out);
    fprintf(in->out, "(%s)", cuda_element_text[op->results[0]->type.dtype]);
    cuda_operand(in, op->args[0], PREC_UNARY, false);
    if (outer > PREC_UNARY)
        fputc(')', in->out);
}

static void print_scalar(Printer *in, const Op *op, int outer)
{
    Infix infix = cuda_infix_of(op);
    int64_t number;
    if (op->nargs && !dtype_is_float(op->results[0]->type.dtype) && ir_constant(op->results[0], &number)) {
        bool parentheses = number < 0 && outer > PREC_ADD;
        fputs(parentheses ? "(" : "", in->out);
        cuda_int(in->out, op->results[0]->type.dtype, number, false);
        fputs(parentheses ? ")" : "", in->out);
        return;
    }
    if (op->code == OP_SUBI && is_opposite(op)) {
        print_opposite(in, op->args[1], outer);
        return;
    }
    if (infix.text) {
        cuda_infix(in, op, infix, outer);
        return;
    }
    switch (op->code) {
    case OP_CONST:
        cuda_operand(in, op->results[0], outer, false);
        break;
    case OP_NEGI:
    case OP_NOTI:
        print_unary(in, op, outer);
        break;
    case OP_SELI:
        print_ternary(in, op, outer);
        break;
    case OP_CONVI:
        print_conversion(in, op, outer);
        break;
    case OP_MATHI:
        fputs(op->scalar->function, in->out);
        print_call_arguments(in, op);
        break;
    default: /* MINI, MAXI */
        fputs(op_info[op->code].call, in->out);
        print_call_arguments(in, op);
    }
}

void cuda_coordinate(Printer *in, const Value *value)
{
    cuda_operand(in, cuda_without_widening(value), PREC_TERNARY, false);
}

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

static void print_elementwise(Printer *in, const Op *op)
{
    bool scalars = op_takes_scalars(op);
    if (print_cast_less(in, op) || cuda_picked(in, op))
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

void cuda_coordinates(Printer *in, const Op *op, int first, int end)
{
    for (int i = first; i < end; i++) {
        fputs(", ", in->out);
        cuda_coordinate(in, op->args[i]);
    }
}

void cuda_fill(Printer *in, double fill)
{
    print_float(in->out, fill, false, true);
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
        fprintf(in->out, "ws::cast<%s>(", cuda_element_text[op->results[0]->type.dtype]);
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
            print_scalar(in, op, outer);
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
