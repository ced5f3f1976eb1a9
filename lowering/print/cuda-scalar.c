/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-scalar.c - prints scalars as C expressions, with its precedences, conversions and the parentheses that it needs.
 *
 *      %x = scalar_add (scalar_convert %i), %first_row        i + first_row
 */
#include "print/cuda.h"
#include "ir/queries.h"

/* The C operator of an infix operation; for I1 the logical operator.  */
Infix cuda_infix_of(const Op *op)
{
    bool logical = op->nargs && op->args[0]->type.dtype == D_I1;
    switch (op->code) {
    case OP_SCALAR_ADD:
        return (Infix){"+", PREC_ADD};
    case OP_SCALAR_SUB:
        return (Infix){"-", PREC_ADD};
    case OP_SCALAR_MUL:
        return (Infix){"*", PREC_MUL};
    case OP_SCALAR_DIV:
        return (Infix){"/", PREC_MUL};
    case OP_SCALAR_REM:
        return (Infix){"%", PREC_MUL};
    case OP_SCALAR_AND:
        return logical ? (Infix){"&&", PREC_AND} : (Infix){"&", PREC_BITAND};
    case OP_SCALAR_OR:
        return logical ? (Infix){"||", PREC_OR} : (Infix){"|", PREC_BITOR};
    case OP_SCALAR_XOR:
        return logical ? (Infix){"!=", PREC_EQUAL} : (Infix){"^", PREC_XOR};
    case OP_SCALAR_SHL:
        return (Infix){"<<", PREC_SHIFT};
    case OP_SCALAR_SHR:
        return (Infix){">>", PREC_SHIFT};
    case OP_SCALAR_EQ:
        return (Infix){"==", PREC_EQUAL};
    case OP_SCALAR_NE:
        return (Infix){"!=", PREC_EQUAL};
    case OP_SCALAR_LT:
        return (Infix){"<", PREC_COMPARE};
    case OP_SCALAR_LE:
        return (Infix){"<=", PREC_COMPARE};
    case OP_SCALAR_GT:
        return (Infix){">", PREC_COMPARE};
    case OP_SCALAR_GE:
        return (Infix){">=", PREC_COMPARE};
    default:
        return (Infix){NULL, PREC_ANY};
    }
}

bool cuda_is_literal(const Value *value)
{
    return value->def && value->def->code == OP_CONST;
}

static void print_literal(Printer *printer, const Value *value, bool suffix)
{
    const Op *op = value->def;
    if (dtype_is_float(value->type.dtype))
        cuda_float(printer->out, op->scalar->real, value->type.dtype == D_F32, false);
    else
        cuda_int(printer->out, value->type.dtype, op->scalar->integer, suffix);
}

/* Prints an operand. A literal takes its type from the other operand, if that operand has a type.  */
void cuda_operand(Printer *printer, const Value *value, int outer, bool suffix)
{
    bool negative = cuda_is_literal(value) && (dtype_is_float(value->type.dtype) ? value->def->scalar->real < 0
                                                                                 : value->def->scalar->integer < 0);
    if (!cuda_is_literal(value)) {
        cuda_value(printer, value, outer);
        return;
    }
    if (negative && outer > PREC_ADD)
        fputc('(', printer->out);
    print_literal(printer, value, suffix);
    if (negative && outer > PREC_ADD)
        fputc(')', printer->out);
}

static bool is_narrow(Dtype dtype)
{
    return dtype == D_I8 || dtype == D_U8 || dtype == D_I16 || dtype == D_U16;
}

static bool is_bitwise(int precedence)
{
    return precedence == PREC_SHIFT || (precedence >= PREC_BITOR && precedence <= PREC_BITAND);
}

/* True where compilers warn about missing parentheses.  */
static bool needs_clarity(int inner, int outer)
{
    outer &= ~1;
    if (outer <= PREC_TERNARY || outer >= PREC_UNARY)
        return false;
    return inner != outer && (is_bitwise(inner) || is_bitwise(outer) || (inner == PREC_AND && outer == PREC_OR));
}

/* The value without conversions that C makes implicitly, in initializers and arguments of a known type. Only
   conversions that widen are implicit.  */
const Value *cuda_without_widening(const Value *value)
{
    while (!value->var && value->def && value->def->code == OP_SCALAR_CONVERT) {
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

/* The value without a widening that C makes implicitly, since the other operand has the wide type.  */
static const Value *without_needless_widening(const Value *value, const Value *other)
{
    const Op *def = other->var ? NULL : other->def;
    bool typed =
        other->var || (def && def->code != OP_CONST && def->code != OP_SCALAR_CONVERT && def->code != OP_SCALAR_SELECT);
    return typed ? cuda_without_widening(value) : value;
}

/* True for x + -1, which compilers make of x - 1.  */
static bool adds_negative(const Op *op)
{
    const Value *right = op->args[1];
    if (op->code != OP_SCALAR_ADD || !cuda_is_literal(right) || dtype_is_float(right->type.dtype))
        return false;
    int64_t value = right->type.dtype == D_U32 ? (int32_t)right->def->scalar->integer : right->def->scalar->integer;
    return value < 0 && value > INT32_MIN;
}

static void print_right(Printer *printer, const Op *op, Infix infix, bool suffix)
{
    if (!adds_negative(op)) {
        fprintf(printer->out, " %s ", infix.text);
        cuda_operand(printer, op->args[1], infix.precedence + 1, suffix);
        return;
    }
    fputs(" - ", printer->out);
    cuda_int(printer->out, op->args[1]->type.dtype, -(int64_t)(int32_t)op->args[1]->def->scalar->integer, suffix);
}

void cuda_infix(Printer *printer, const Op *op, Infix infix, int outer)
{
    bool cast = is_narrow(op->results[0]->type.dtype);
    bool parentheses = cast || infix.precedence < outer || needs_clarity(infix.precedence, outer);
    bool both = cuda_is_literal(op->args[0]) && cuda_is_literal(op->args[1]);
    bool shift = infix.precedence == PREC_SHIFT;
    if (cast)
        fprintf(printer->out, "(%s)", cuda_element_text[op->results[0]->type.dtype]);
    if (parentheses)
        fputc('(', printer->out);
    const Value *left = shift ? op->args[0] : without_needless_widening(op->args[0], op->args[1]);
    cuda_operand(printer, left, infix.precedence, both || shift);
    print_right(printer, op, infix, both && !shift);
    if (parentheses)
        fputc(')', printer->out);
}

static void print_call_arguments(Printer *printer, const Op *op)
{
    fputc('(', printer->out);
    for (int i = 0; i < op->nargs; i++) {
        if (i)
            fputs(", ", printer->out);
        cuda_operand(printer, op->args[i], PREC_TERNARY, true);
    }
    fputc(')', printer->out);
}

static void print_unary(Printer *printer, const Op *op, int outer)
{
    Dtype dtype = op->results[0]->type.dtype;
    const char *text = op->code == OP_SCALAR_NEG ? "-" : dtype == D_I1 ? "!" : "~";
    if (is_narrow(dtype))
        fprintf(printer->out, "(%s)", cuda_element_text[dtype]);
    if (outer > PREC_UNARY || op->code == OP_SCALAR_NEG)
        fputc('(', printer->out);
    fputs(text, printer->out);
    cuda_operand(printer, op->args[0], PREC_UNARY + 1, true);
    if (outer > PREC_UNARY || op->code == OP_SCALAR_NEG)
        fputc(')', printer->out);
}

/* True for 0 - x of a type without integer promotion.  */
static bool is_opposite(const Op *op)
{
    Dtype dtype = op->results[0]->type.dtype;
    int64_t number;
    return !dtype_is_float(dtype) && !is_narrow(dtype) && ir_constant(op->args[0], &number) && !number;
}

static void print_opposite(Printer *printer, const Value *value, int outer)
{
    fputs(outer >= PREC_UNARY ? "(-" : "-", printer->out);
    cuda_operand(printer, value, PREC_UNARY, true);
    fputs(outer >= PREC_UNARY ? ")" : "", printer->out);
}

static void print_ternary(Printer *printer, const Op *op, int outer)
{
    bool both = cuda_is_literal(op->args[1]) && cuda_is_literal(op->args[2]);
    if (outer > PREC_TERNARY)
        fputc('(', printer->out);
    cuda_operand(printer, op->args[0], PREC_TERNARY + 1, false);
    fputs(" ? ", printer->out);
    cuda_operand(printer, op->args[1], PREC_TERNARY + 1, both);
    fputs(" : ", printer->out);
    cuda_operand(printer, op->args[2], PREC_TERNARY, both);
    if (outer > PREC_TERNARY)
        fputc(')', printer->out);
}

static void print_conversion(Printer *printer, const Op *op, int outer)
{
    if (outer > PREC_UNARY)
        fputc('(', printer->out);
    fprintf(printer->out, "(%s)", cuda_element_text[op->results[0]->type.dtype]);
    cuda_operand(printer, op->args[0], PREC_UNARY, false);
    if (outer > PREC_UNARY)
        fputc(')', printer->out);
}

void cuda_scalar(Printer *printer, const Op *op, int outer)
{
    Infix infix = cuda_infix_of(op);
    int64_t number;
    if (op->nargs && !dtype_is_float(op->results[0]->type.dtype) && ir_constant(op->results[0], &number)) {
        bool parentheses = number < 0 && outer > PREC_ADD;
        fputs(parentheses ? "(" : "", printer->out);
        cuda_int(printer->out, op->results[0]->type.dtype, number, false);
        fputs(parentheses ? ")" : "", printer->out);
        return;
    }
    if (op->code == OP_SCALAR_SUB && is_opposite(op)) {
        print_opposite(printer, op->args[1], outer);
        return;
    }
    if (infix.text) {
        cuda_infix(printer, op, infix, outer);
        return;
    }
    switch (op->code) {
    case OP_CONST:
        cuda_operand(printer, op->results[0], outer, false);
        break;
    case OP_SCALAR_NEG:
    case OP_SCALAR_NOT:
        print_unary(printer, op, outer);
        break;
    case OP_SCALAR_SELECT:
        print_ternary(printer, op, outer);
        break;
    case OP_SCALAR_CONVERT:
        print_conversion(printer, op, outer);
        break;
    case OP_SCALAR_BITCAST:
        fprintf(printer->out, "ws::bitcast<%s>", cuda_element_text[op->results[0]->type.dtype]);
        print_call_arguments(printer, op);
        break;
    case OP_SCALAR_MATH:
        fputs(op->scalar->function, printer->out);
        print_call_arguments(printer, op);
        break;
    default: /* SCALAR_MIN, SCALAR_MAX */
        fputs(op_info[op->code].call, printer->out);
        print_call_arguments(printer, op);
    }
}

void cuda_coordinate(Printer *printer, const Value *value)
{
    cuda_operand(printer, cuda_without_widening(value), PREC_TERNARY, false);
}

void cuda_coordinates(Printer *printer, const Op *op, int first, int end)
{
    for (int i = first; i < end; i++) {
        fputs(", ", printer->out);
        cuda_coordinate(printer, op->args[i]);
    }
}
