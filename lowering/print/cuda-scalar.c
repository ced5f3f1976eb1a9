/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuda-scalar.c - scalars as expressions of C: its precedences, its conversions, and the parentheses that it needs.
 *
 *   %x = addi (convi %i), %first_row        i + first_row
 */
#include "print/cuda.h"
#include "ir/queries.h"

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
        cuda_float(in->out, op->scalar->real, value->type.dtype == D_F32, false);
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

void cuda_scalar(Printer *in, const Op *op, int outer)
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
    case OP_BITCASTI:
        fprintf(in->out, "ws::bitcast<%s>", cuda_element_text[op->results[0]->type.dtype]);
        print_call_arguments(in, op);
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

void cuda_coordinates(Printer *in, const Op *op, int first, int end)
{
    for (int i = first; i < end; i++) {
        fputs(", ", in->out);
        cuda_coordinate(in, op->args[i]);
    }
}
