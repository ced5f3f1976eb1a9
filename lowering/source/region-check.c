/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region-check.c - what holds of each function of the region IR.
 *
 *   - A block ends with its only jump, and jumps lead to blocks of the function, none to the first.
 *   - A temporary has one definition, in front of its uses and in their block.
 *   - Operands have the size of the type that reads them. Integers of one size and addresses stand for each other.
 *   - An operation has a type that it is made for, and a constant is in the range of its type.
 *   - A call passes an aggregate or a complex number by its address, and the address of a result first.
 *   - The cases of a switch do not overlap.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "source/region.h"

typedef struct {
    const SourceFunction *function;
    SourceBlock **blocks;           /* by their numbers */
    SourceType *types;              /* of temporaries */
    const SourceBlock **defined;    /* the block of each temporary, once its definition was seen */
    const SourceBlock *block;       /* that is looked at */
    const Instruction *instruction; /* that is looked at */
    const char *mistake;
} Checker;

static void miss(Checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void miss(Checker *c, const char *format, ...)
{
    if (c->mistake)
        return;
    Module *module = c->function->unit->module;
    va_list list;
    va_start(list, format);
    const char *text = arena_vprint(module, format, list);
    va_end(list);
    c->mistake = arena_print(module, "block %d, %s%s%d: %s", c->block ? c->block->id : 0,
                             c->instruction ? source_op_text(c->instruction->code) : "",
                             c->instruction && c->instruction->temporary ? " t" : " ",
                             c->instruction ? c->instruction->temporary : 0, text);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static int size_of(SourceType type)
{
    return source_type_is_aggregate(type) ? source_type_bytes(ST_P) : source_type_bytes(type);
}

/* A value of one type is read as another.  */
static bool stands_for(SourceType from, SourceType to)
{
    if (from == to)
        return true;
    const bool odd = from == ST_B || to == ST_B || from == ST_V || to == ST_V;
    return !odd && !source_type_is_float(from) && !source_type_is_float(to) && size_of(from) == size_of(to);
}

static bool has_variable(const SourceFunction *function, const SourceVariable *variable)
{
    return variable && variable->id >= 0 && variable->id < function->nvariables &&
           function->variables[variable->id] == variable;
}

static void check_operand(Checker *c, Operand x, SourceType type)
{
    switch (x.kind) {
    case OPERAND_NONE:
        miss(c, "an operand is missing");
        break;
    case OPERAND_TEMPORARY:
        if (x.temporary < 1 || x.temporary > c->function->ntemporaries)
            miss(c, "there is no t%d", x.temporary);
        else if (c->defined[x.temporary] != c->block)
            miss(c, "t%d has no definition in front of its use", x.temporary);
        else if (!stands_for(c->types[x.temporary], type))
            miss(c, "t%d is a %s and is read as a %s", x.temporary, source_type_text(c->types[x.temporary]),
                 source_type_text(type));
        break;
    case OPERAND_VARIABLE:
        if (!has_variable(c->function, x.variable))
            miss(c, "a variable of another function");
        else if (!stands_for(x.variable->type, type))
            miss(c, "%s is a %s and is read as a %s", x.variable->text, source_type_text(x.variable->type),
                 source_type_text(type));
        break;
    case OPERAND_INTEGER:
        if (source_type_is_float(type) || source_wrap(type, x.integer) != x.integer)
            miss(c, "%" PRId64 " is no %s", (int64_t)x.integer, source_type_text(type));
        break;
    case OPERAND_FLOAT:
        if (!source_type_is_float(type))
            miss(c, "%a is no %s", x.number, source_type_text(type));
        else if (type == ST_F32 && !isnan(x.number) && (double)(float)x.number != x.number)
            miss(c, "%a is no f32", x.number);
        break;
    }
}

static void check_args(Checker *c)
{
    for (int i = source_nargs(source_op_form(c->instruction->code)) - 1; i >= 0; i--)
        check_operand(c, c->instruction->args[i], source_arg_type(c->instruction, i));
}

/* ---- operations and their types ---------------------------------------------------------------------------------- */

static bool is_integer(SourceType type)
{
    return type >= ST_I8 && type <= ST_U64;
}

static bool is_scalar(SourceType type)
{
    return type >= ST_B && type <= ST_P;
}

static bool has_meaning(SourceOpcode code, SourceType type)
{
    const bool number = is_integer(type) || source_type_is_float(type);
    switch (code) {
    case SO_NEG:
    case SO_ABS:
    case SO_MUL:
    case SO_DIV:
        return number;
    case SO_ADD:
    case SO_SUB:
        return number || type == ST_P;
    case SO_NOT:
    case SO_AND:
    case SO_OR:
    case SO_XOR:
        return is_integer(type) || type == ST_B || type == ST_P;
    case SO_REM:
    case SO_SHL:
    case SO_SHR:
    case SO_ROTL:
    case SO_ROTR:
        return is_integer(type);
    case SO_MIN:
    case SO_MAX:
        return number || type == ST_P || type == ST_B;
    case SO_UNO:
    case SO_ORD:
    case SO_UNEQ:
    case SO_LTGT:
    case SO_UNLT:
    case SO_UNLE:
    case SO_UNGT:
    case SO_UNGE:
        return source_type_is_float(type);
    default:
        return is_scalar(type);
    }
}

static bool has_result(const Instruction *instruction)
{
    const SourceForm form = source_op_form(instruction->code);
    if (form == FORM_CALL)
        return instruction->type != ST_V && !source_type_is_aggregate(instruction->type);
    return form <= FORM_SELECT || form == FORM_LOAD || (form >= FORM_OBJECT && form <= FORM_ALLOCATE);
}

static void check_target(Checker *c, const SourceBlock *block)
{
    if (!block || block->id < 0 || block->id >= c->function->nblocks || c->blocks[block->id] != block)
        miss(c, "a jump to a block that is not in the function");
    else if (block == c->function->blocks)
        miss(c, "a jump to the first block");
}

static void check_call(Checker *c)
{
    const Instruction *call = c->instruction;
    if (!call->symbol)
        check_operand(c, call->args[0], ST_P);
    for (int i = 0; i < call->narguments; i++) {
        const SourceArgument *argument = &call->arguments[i];
        if (argument->type == ST_V)
            miss(c, "argument %d has no type", i + 1);
        else
            check_operand(c, argument->operand, argument->type);
        if (argument->bytes && !source_type_is_aggregate(argument->type) && (i || call->type != ST_S))
            miss(c, "argument %d has bytes and is no aggregate", i + 1);
    }
    if (source_type_is_aggregate(call->type) && (!call->narguments || call->arguments[0].type != ST_P))
        miss(c, "the result has no address");
    if (call->is_variadic && (call->nnamed < 0 || call->nnamed > call->narguments))
        miss(c, "%d named arguments of %d", call->nnamed, call->narguments);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = ((const SourceCase *)a)->low, y = ((const SourceCase *)b)->low;
    return x < y ? -1 : x > y;
}

static int by_unsigned_value(const void *a, const void *b)
{
    const uint64_t x = (uint64_t)((const SourceCase *)a)->low, y = (uint64_t)((const SourceCase *)b)->low;
    return x < y ? -1 : x > y;
}

static void check_switch(Checker *c)
{
    const Instruction *one = c->instruction;
    const bool is_signed = source_type_is_signed(one->type);
    const size_t n = (size_t)one->ncases;
    SourceCase *sorted = arena_alloc(c->function->unit->module, (n + 1) * sizeof *sorted);
    if (!is_integer(one->type) && one->type != ST_B)
        miss(c, "a switch of a %s", source_type_text(one->type));
    check_args(c);
    check_target(c, one->targets[0]);
    if (n)
        memcpy(sorted, one->cases, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, is_signed ? by_value : by_unsigned_value);
    for (size_t i = 0; i < n; i++) {
        const SourceCase *at = &sorted[i];
        check_target(c, at->block);
        const bool backwards = is_signed ? at->high < at->low : (uint64_t)at->high < (uint64_t)at->low;
        const bool overlaps =
            i + 1 < n && (is_signed ? at[1].low <= at->high : (uint64_t)at[1].low <= (uint64_t)at->high);
        if (backwards || overlaps || source_wrap(one->type, (uint64_t)at->low) != (uint64_t)at->low ||
            source_wrap(one->type, (uint64_t)at->high) != (uint64_t)at->high)
            miss(c, "the case %" PRId64 "..%" PRId64, at->low, at->high);
    }
}

static void check_return(Checker *c)
{
    const SourceType result = c->function->result;
    const bool has_value = result != ST_V && !source_type_is_aggregate(result);
    if (has_value)
        check_operand(c, c->instruction->args[0], result);
    else if (c->instruction->args[0].kind != OPERAND_NONE)
        miss(c, "a value where the function has none");
}

static void check_operands(Checker *c)
{
    const Instruction *one = c->instruction;
    const SourceType type = one->type;
    switch (source_op_form(one->code)) {
    case FORM_CONVERT:
        if (!is_scalar(type) || !is_scalar(one->from) ||
            (one->code == SO_BITS && source_type_bytes(type) != source_type_bytes(one->from)))
            miss(c, "from a %s to a %s", source_type_text(one->from), source_type_text(type));
        check_args(c);
        break;
    case FORM_ALLOCATE:
        check_args(c);
        if (one->bytes < 1 || (one->bytes & (one->bytes - 1)))
            miss(c, "an alignment of %ld", one->bytes);
        break;
    case FORM_OBJECT:
        if (!one->object || one->object->id >= c->function->nobjects ||
            c->function->objects[one->object->id] != one->object)
            miss(c, "an object of another function");
        break;
    case FORM_SYMBOL:
        if (!one->symbol || !*one->symbol)
            miss(c, "a name is missing");
        break;
    case FORM_CALL:
        check_call(c);
        break;
    case FORM_JUMP:
        check_target(c, one->targets[0]);
        break;
    case FORM_BRANCH:
        check_args(c);
        check_target(c, one->targets[0]);
        check_target(c, one->targets[1]);
        break;
    case FORM_SWITCH:
        check_switch(c);
        break;
    case FORM_RETURN:
        check_return(c);
        break;
    default:
        check_args(c);
        break;
    }
}

static void check_instruction(Checker *c)
{
    const Instruction *one = c->instruction;
    const SourceForm form = source_op_form(one->code);
    if (form <= FORM_STORE && !has_meaning(one->code, one->type))
        miss(c, "it has no meaning for a %s", source_type_text(one->type));
    if ((form == FORM_MOVE || form == FORM_ZERO) && one->bytes < 0)
        miss(c, "%ld bytes", one->bytes);
    check_operands(c);
    if (form == FORM_COPY && (!has_variable(c->function, one->variable) || one->variable->type != one->type))
        miss(c, "a variable of another type or function");
    if (has_result(one) != (one->temporary != 0))
        miss(c, one->temporary ? "it has no result" : "its result has no name");
    if (!one->temporary || c->mistake)
        return;
    if (one->temporary < 1 || one->temporary > c->function->ntemporaries)
        miss(c, "there is no t%d", one->temporary);
    else if (c->defined[one->temporary])
        miss(c, "t%d has two definitions", one->temporary);
    else {
        c->defined[one->temporary] = c->block;
        c->types[one->temporary] = source_result_type(one);
    }
}

static void check_block(Checker *c)
{
    c->instruction = NULL;
    if (!c->block->first)
        miss(c, "the block is empty");
    for (c->instruction = c->block->first; c->instruction && !c->mistake; c->instruction = c->instruction->next) {
        check_instruction(c);
        if (source_ends_block(c->instruction) != !c->instruction->next)
            miss(c, c->instruction->next ? "it does not stand at the end" : "the block has no end");
    }
}

const char *source_check_function(const SourceFunction *function)
{
    Module *module = function->unit->module;
    Checker checker = {.function = function}, *c = &checker;
    const size_t ntemporaries = (size_t)function->ntemporaries + 1;
    if (function->failed)
        return NULL;
    c->blocks = arena_alloc(module, ((size_t)function->nblocks + 1) * sizeof(SourceBlock *));
    c->types = arena_alloc(module, ntemporaries * sizeof(SourceType));
    c->defined = arena_alloc(module, ntemporaries * sizeof(SourceBlock *));
    if (!function->blocks)
        miss(c, "there is no block");
    for (SourceBlock *block = function->blocks; block; block = block->next) {
        c->block = block;
        if (block->id < 0 || block->id >= function->nblocks || c->blocks[block->id])
            miss(c, "its number is wrong");
        else
            c->blocks[block->id] = block;
    }
    for (c->block = function->blocks; c->block && !c->mistake; c->block = c->block->next)
        check_block(c);
    return c->mistake;
}
