/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region-to-c.c - prints a unit of the region IR as C, one statement for an instruction.
 *
 *   region-to-c [--check] UNIT.region >UNIT.c        --check: only reads, checks, and compares the text that it prints
 *
 * The C takes the place of the file that was transcribed: tests/source/execute compiles it and compares what both
 * programs print. A name of the unit is the label of a C name, so that no declaration of the host is in the way:
 *
 *   func i32 add (i32 a.1, p x.2)              i32 function_0(i32 v0, p v1) __asm__("add");
 *     t1 = load.i32 x.2                            __builtin_memcpy(&t1, (p)v1, sizeof t1);
 *     t2 = add.i32 a.1, t1                         t2 = (i32)((i32)v0 + (i32)t1);
 *     return t2                                    return (i32)t2;
 *
 * Within the unit an aggregate goes by its address. A function of another unit gets a structure of its bytes, which the
 * ABIs of x86-64 and AArch64 pass like any other but one of few floats. Status 3: a function has no region IR.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/parse.h"
#include "source/region.h"

static SourceUnit *unit;
static int status;

static const char preamble[] =
    "typedef signed char i8;\ntypedef unsigned char u8;\ntypedef short i16;\ntypedef unsigned short u16;\n"
    "typedef int i32;\ntypedef unsigned u32;\ntypedef long long i64;\ntypedef unsigned long long u64;\n"
    "typedef _Bool b;\ntypedef float f32;\ntypedef double f64;\ntypedef char *p;\n"
    "typedef float _Complex c32;\ntypedef double _Complex c64;\ntypedef void v;\n";

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const SourceFunction *function_named(const char *name, int *number)
{
    *number = 0;
    for (const SourceFunction *function = unit->functions; function; function = function->next, ++*number)
        if (!strcmp(function->name, name))
            return function->failed ? NULL : function;
    return NULL;
}

static int global_named(const char *name)
{
    int number = 0;
    for (const SourceGlobal *global = unit->globals; global; global = global->next, number++)
        if (!strcmp(global->name, name))
            return number;
    return -1;
}

/* Symbols of other units, numbered.  */
static const char *others[20000];
static int nothers;

static int other_named(const char *name)
{
    for (int i = 0; i < nothers; i++)
        if (!strcmp(others[i], name))
            return i;
    others[nothers] = name;
    return nothers++;
}

static void put_symbol(FILE *out, SourceOpcode code, const char *name)
{
    int number;
    if (code == SO_FUNCTION && function_named(name, &number))
        fprintf(out, "(p)function_%d", number);
    else if (code == SO_GLOBAL && global_named(name) >= 0)
        fprintf(out, "(p)&global_%d", global_named(name));
    else
        fprintf(out, "(p)&other_%d", other_named(name));
}

static void put_string(FILE *out, const char *string, long bytes)
{
    putc('"', out);
    for (long i = 0; i + 1 < bytes; i++)
        fprintf(out, "\\%03o", (unsigned char)string[i]);
    putc('"', out);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* The C type of a value. An aggregate goes by its address within the unit.  */
static const char *c_type(SourceType type)
{
    return type == ST_S ? "p" : source_type_text(type);
}

static void put(FILE *out, Operand x, SourceType type)
{
    fprintf(out, "(%s)", c_type(type));
    switch (x.kind) {
    case OPERAND_NONE:
        fputs("0", out);
        break;
    case OPERAND_TEMPORARY:
        fprintf(out, "t%d", x.temporary);
        break;
    case OPERAND_VARIABLE:
        fprintf(out, "v%d", x.variable->id);
        break;
    case OPERAND_INTEGER:
        fprintf(out, "0x%" PRIx64 "ull", x.integer);
        break;
    case OPERAND_FLOAT:
        if (isnan(x.number) || isinf(x.number))
            fprintf(out, "%s__builtin_%s", signbit(x.number) ? "-" : "", isnan(x.number) ? "nan(\"\")" : "inf()");
        else
            fprintf(out, "%a", x.number);
        break;
    }
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static SourceType as_unsigned(SourceType type)
{
    switch (type) {
    case ST_I8:
    case ST_I16:
    case ST_I32:
    case ST_U8:
    case ST_U16:
        return ST_U32;
    case ST_I64:
    case ST_P:
        return ST_U64;
    default:
        return type;
    }
}

static const char *sign_of(SourceOpcode code)
{
    switch (code) {
    case SO_ADD:
        return "+";
    case SO_SUB:
        return "-";
    case SO_MUL:
        return "*";
    case SO_DIV:
        return "/";
    case SO_REM:
        return "%";
    case SO_AND:
        return "&";
    case SO_OR:
        return "|";
    case SO_XOR:
        return "^";
    case SO_SHL:
        return "<<";
    case SO_SHR:
        return ">>";
    case SO_EQ:
        return "==";
    case SO_NE:
        return "!=";
    case SO_LT:
    case SO_MIN:
        return "<";
    case SO_LE:
        return "<=";
    case SO_GT:
    case SO_MAX:
        return ">";
    case SO_GE:
        return ">=";
    default:
        return NULL;
    }
}

/* A comparison that is true of numbers without order is not its opposite.  */
static const char *quiet_comparison(SourceOpcode code)
{
    switch (code) {
    case SO_UNO:
        return "__builtin_isunordered";
    case SO_ORD:
        return "!__builtin_isunordered";
    case SO_UNEQ:
        return "!__builtin_islessgreater";
    case SO_LTGT:
        return "__builtin_islessgreater";
    case SO_UNLT:
        return "!__builtin_isgreaterequal";
    case SO_UNLE:
        return "!__builtin_isgreater";
    case SO_UNGT:
        return "!__builtin_islessequal";
    default:
        return "!__builtin_isless";
    }
}

static void put_two(FILE *out, const Instruction *one, SourceType type, const char *between)
{
    put(out, one->args[0], one->type);
    fprintf(out, " %s ", between);
    put(out, one->args[1], type);
}

static void put_binary(FILE *out, const Instruction *one)
{
    const SourceType type = one->type,
                     wide = type == ST_U8 || type == ST_U16 || type == ST_P ? as_unsigned(type) : type;
    if (one->code == SO_ROTL || one->code == SO_ROTR) {
        const SourceType bits = as_unsigned(type);
        const int width = 8 * source_type_bytes(type);
        const bool left = one->code == SO_ROTL;
        fprintf(out, "({ %s x = (%s)", c_type(bits),
                source_type_text(width == 8    ? ST_U8
                                 : width == 16 ? ST_U16
                                               : bits));
        put(out, one->args[0], type);
        fprintf(out, "; unsigned n = (unsigned)");
        put(out, one->args[1], type);
        fprintf(out, " & %d; (x %s n) | (x %s (-n & %d)); })", width - 1, left ? "<<" : ">>", left ? ">>" : "<<",
                width - 1);
    } else if (one->code == SO_MIN || one->code == SO_MAX) {
        put_two(out, one, type, sign_of(one->code));
        fputs(" ? ", out);
        put_two(out, one, type, ":");
    } else {
        fprintf(out, "(%s)", c_type(wide));
        put(out, one->args[0], type);
        fprintf(out, " %s (%s)", sign_of(one->code), c_type(wide));
        put(out, one->args[1], type == ST_P ? ST_I64 : type);
    }
}

static void put_compare(FILE *out, const Instruction *one)
{
    if (sign_of(one->code)) {
        put_two(out, one, one->type, sign_of(one->code));
        return;
    }
    fprintf(out, "%s(", quiet_comparison(one->code));
    put_two(out, one, one->type, ",");
    putc(')', out);
}

static void put_unary(FILE *out, const Instruction *one)
{
    const SourceType type = one->type;
    if (one->code == SO_ABS && source_type_is_float(type))
        fprintf(out, "__builtin_fabs%s(", type == ST_F32 ? "f" : "");
    else if (one->code == SO_ABS)
        fputs("__builtin_llabs(", out);
    else if (one->code == SO_NOT)
        fprintf(out, type == ST_B ? "!(" : "~(%s)(", c_type(as_unsigned(type)));
    else
        fputs("-(", out);
    put(out, one->args[0], type);
    putc(')', out);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static bool is_builtin(const char *name)
{
    return !strncmp(name, "__builtin_", 10) || !strncmp(name, "__sync_", 7) || !strncmp(name, "__atomic_", 9);
}

/* The result is one of C's complex types, or, of an aggregate, nothing.  */
static bool gives_complex(SourceType type)
{
    return type == ST_C32 || type == ST_C64;
}

/* The result of such a call is stored where the first argument says.  */
static bool stores_result(const Instruction *call, bool outside)
{
    return gives_complex(call->type) || (call->type == ST_S && outside);
}

static void put_function_type(FILE *out, const Instruction *call, bool outside)
{
    const int first = stores_result(call, outside);
    putc('(', out);
    if (call->type == ST_S && outside)
        fputs("result", out);
    else
        fputs(call->type == ST_S ? "void" : c_type(call->type), out);
    fputs(" (*)(", out);
    const int nnamed = call->is_variadic ? call->nnamed : call->narguments;
    for (int i = first; i < nnamed; i++) {
        const bool by_bytes = call->arguments[i].type == ST_S && outside;
        fputs(i > first ? ", " : "", out);
        if (by_bytes)
            fprintf(out, "s%d", i);
        else
            fputs(c_type(call->arguments[i].type), out);
    }
    if (call->is_variadic)
        fputs(nnamed > first ? ", ..." : "", out);
    else if (nnamed == first)
        fputs("void", out);
    fputs("))", out);
}

static void put_argument(FILE *out, const SourceArgument *argument, int i, bool outside)
{
    if (gives_complex(argument->type))
        fprintf(out, "*(%s *)", source_type_text(argument->type));
    else if (argument->type == ST_S && outside)
        fprintf(out, "*(s%d *)", i);
    put(out, argument->operand, gives_complex(argument->type) ? ST_P : argument->type);
}

static void put_call(FILE *out, const Instruction *call)
{
    int number;
    const bool outside = call->symbol && !function_named(call->symbol, &number);
    const int first = stores_result(call, outside);
    fputs("({ ", out);
    for (int i = 0; i < call->narguments && outside; i++)
        if (call->arguments[i].type == ST_S)
            fprintf(out, "typedef struct { char bytes[%ld]; } s%d; ", call->arguments[i].bytes, i);
    if (call->type == ST_S && outside)
        fprintf(out, "typedef struct { char bytes[%ld]; } result; ", call->arguments[0].bytes);
    /* GCC makes no call of a function that it sees by another type.  */
    if (!call->symbol || !is_builtin(call->symbol)) {
        fputs("p f = ", out);
        if (call->symbol)
            put_symbol(out, SO_FUNCTION, call->symbol);
        else
            put(out, call->args[0], ST_P);
        fputs("; ", out);
    }
    if (first) {
        fprintf(out, "*(%s *)", call->type == ST_S ? "result" : source_type_text(call->type));
        put(out, call->arguments[0].operand, ST_P);
        fputs(" = ", out);
    }
    if (call->symbol && is_builtin(call->symbol))
        fputs(call->symbol, out);
    else {
        putc('(', out);
        put_function_type(out, call, outside);
        fputs("f)", out);
    }
    putc('(', out);
    for (int i = first; i < call->narguments; i++) {
        fputs(i > first ? ", " : "", out);
        put_argument(out, &call->arguments[i], i, outside);
    }
    fputs("); })", out);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void put_switch(FILE *out, const Instruction *one)
{
    const char *type = c_type(one->type == ST_B ? ST_U8 : one->type);
    fprintf(out, "switch ((%s)", type);
    put(out, one->args[0], one->type);
    fputs(") {", out);
    for (int i = 0; i < one->ncases; i++) {
        fprintf(out, " case (%s)0x%" PRIx64 "ull", type, (uint64_t)one->cases[i].low);
        if (one->cases[i].high != one->cases[i].low)
            fprintf(out, " ... (%s)0x%" PRIx64 "ull", type, (uint64_t)one->cases[i].high);
        fprintf(out, ": goto B%d;", one->cases[i].block->id);
    }
    fprintf(out, " default: goto B%d; }", one->targets[0]->id);
}

static void put_allocate(FILE *out, const Instruction *one)
{
    const int t = one->temporary;
    fputs("{ u64 n = ", out);
    put(out, one->args[0], ST_U64);
    fprintf(out, "; if (!a%d || n > n%d) a%d = __builtin_alloca_with_align((n%d = n) + 1, %ld); t%d = a%d; }", t, t, t,
            t, 8 * one->bytes, t, t);
}

static void put_memory(FILE *out, const char *name, const Instruction *one)
{
    fprintf(out, "__builtin_%s(", name);
    put(out, one->args[0], ST_P);
    fputs(", ", out);
    if (one->code == SO_ZERO)
        putc('0', out);
    else
        put(out, one->args[1], ST_P);
    fprintf(out, ", %ldul)", one->bytes);
}

static void put_return(FILE *out, const SourceFunction *function, const Instruction *one)
{
    if (gives_complex(function->result))
        fputs("return result", out);
    else if (one->args[0].kind == OPERAND_NONE)
        fputs("return", out);
    else {
        fputs("return ", out);
        put(out, one->args[0], function->result);
    }
}

static void put_load(FILE *out, const Instruction *one)
{
    if (one->is_volatile)
        fprintf(out, "t%d = *(volatile %s *)", one->temporary, c_type(one->type));
    else
        fprintf(out, "__builtin_memcpy(&t%d, ", one->temporary);
    put(out, one->args[0], ST_P);
    if (!one->is_volatile)
        fprintf(out, ", sizeof t%d)", one->temporary);
}

static void put_store(FILE *out, const Instruction *one)
{
    const char *type = c_type(one->type);
    if (one->is_volatile) {
        fprintf(out, "*(volatile %s *)", type);
        put(out, one->args[0], ST_P);
        fputs(" = ", out);
        put(out, one->args[1], one->type);
        return;
    }
    fprintf(out, "{ %s x = ", type);
    put(out, one->args[1], one->type);
    fputs("; __builtin_memcpy(", out);
    put(out, one->args[0], ST_P);
    fputs(", &x, sizeof x); }", out);
}

static void put_instruction(FILE *out, const SourceFunction *function, const Instruction *one)
{
    const SourceForm form = source_op_form(one->code);
    fputs("    ", out);
    if (one->variable)
        fprintf(out, "v%d = ", one->variable->id);
    else if (one->temporary && form != FORM_LOAD && form != FORM_ALLOCATE && one->code != SO_BITS)
        fprintf(out, "t%d = (%s)", one->temporary, c_type(source_result_type(one)));
    switch (form) {
    case FORM_UNARY:
        putc('(', out);
        put_unary(out, one);
        putc(')', out);
        break;
    case FORM_BINARY:
        putc('(', out);
        put_binary(out, one);
        putc(')', out);
        break;
    case FORM_COMPARE:
        putc('(', out);
        put_compare(out, one);
        putc(')', out);
        break;
    case FORM_SELECT:
        putc('(', out);
        put(out, one->args[0], ST_B);
        fputs(" ? ", out);
        put(out, one->args[1], one->type);
        fputs(" : ", out);
        put(out, one->args[2], one->type);
        putc(')', out);
        break;
    case FORM_CONVERT:
        if (one->code == SO_BITS) {
            fprintf(out, "{ %s x = ", c_type(one->from));
            put(out, one->args[0], one->from);
            fprintf(out, "; __builtin_memcpy(&t%d, &x, sizeof x); }", one->temporary);
        } else {
            if (one->from == ST_P && one->type != ST_B)
                fputs("(u64)", out);
            put(out, one->args[0], one->from);
        }
        break;
    case FORM_COPY:
        put(out, one->args[0], one->type);
        break;
    case FORM_LOAD:
        put_load(out, one);
        break;
    case FORM_STORE:
        put_store(out, one);
        break;
    case FORM_MOVE:
        put_memory(out, "memmove", one);
        break;
    case FORM_ZERO:
        put_memory(out, "memset", one);
        break;
    case FORM_OBJECT:
        fprintf(out, "o%d", one->object->id);
        break;
    case FORM_SYMBOL:
        put_symbol(out, one->code, one->symbol);
        break;
    case FORM_STRING:
        put_string(out, one->string, one->bytes);
        break;
    case FORM_ALLOCATE:
        put_allocate(out, one);
        break;
    case FORM_CALL:
        put_call(out, one);
        break;
    case FORM_MARK:
        break;
    case FORM_JUMP:
        fprintf(out, "goto B%d", one->targets[0]->id);
        break;
    case FORM_BRANCH:
        fputs("if (", out);
        put(out, one->args[0], ST_B);
        fprintf(out, ") goto B%d; else goto B%d", one->targets[0]->id, one->targets[1]->id);
        break;
    case FORM_SWITCH:
        put_switch(out, one);
        break;
    case FORM_RETURN:
        put_return(out, function, one);
        break;
    case FORM_UNREACHABLE:
        fputs("__builtin_unreachable()", out);
        break;
    }
    fputs(";\n", out);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void put_head(FILE *out, const SourceFunction *function, int number)
{
    const int first = gives_complex(function->result);
    const char *local = function->is_static || function->is_inline ? "static " : "";
    fprintf(out, "%s%s ", local, function->result == ST_S ? "void" : c_type(function->result));
    fprintf(out, "function_%d(", number);
    for (int i = first; i < function->nparameters; i++) {
        const SourceVariable *parameter = function->parameters[i];
        const bool is_complex = gives_complex(parameter->type);
        fprintf(out, "%s%s %s%d", i > first ? ", " : "", c_type(parameter->type), is_complex ? "cp" : "v",
                parameter->id);
    }
    if (function->is_variadic)
        fputs(function->nparameters > first ? ", ..." : "", out);
    else if (function->nparameters == first)
        fputs("void", out);
    putc(')', out);
}

static void put_function(FILE *out, const SourceFunction *function, int number)
{
    putc('\n', out);
    put_head(out, function, number);
    fputs("\n{\n", out);
    if (gives_complex(function->result))
        fprintf(out, "    %s result;\n    p v%d = (p)&result;\n", source_type_text(function->result),
                function->parameters[0]->id);
    for (int i = 0; i < function->nvariables; i++) {
        const SourceVariable *variable = function->variables[i];
        if (!variable->is_parameter)
            fprintf(out, "    %s v%d;\n", c_type(variable->type), i);
        else if (gives_complex(variable->type))
            fprintf(out, "    p v%d = (p)&cp%d;\n", i, i);
    }
    for (int i = 0; i < function->nobjects; i++)
        fprintf(out, "    char o%d[%ld] __attribute__((aligned(%d)));\n", i, function->objects[i]->bytes,
                function->objects[i]->alignment);
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *one = block->first; one; one = one->next) {
            if (one->temporary)
                fprintf(out, "    %s t%d;\n", c_type(source_result_type(one)), one->temporary);
            if (one->code == SO_ALLOCATE)
                fprintf(out, "    p a%d = 0;\n    u64 n%d = 0;\n", one->temporary, one->temporary);
        }
    for (const SourceBlock *block = function->blocks; block; block = block->next) {
        fprintf(out, "B%d:;\n", block->id);
        for (const Instruction *one = block->first; one; one = one->next)
            put_instruction(out, function, one);
    }
    fputs("}\n", out);
}

/* ---- globals ----------------------------------------------------------------------------------------------------- */

static void put_bytes(FILE *out, const SourceGlobal *global, long from, long to)
{
    fputs("{", out);
    for (long i = from; i < to; i++)
        fprintf(out, "%d,", global->initial ? global->initial[i] : 0);
    fputs("}, ", out);
}

/* A structure: bytes, an address, bytes.  */
static void put_shape(FILE *out, const SourceGlobal *global, int number)
{
    long at = 0;
    int n = 0;
    fprintf(out, "struct G%d {", number);
    for (const SourceRelocation *next = global->relocations; next; next = next->next, n++) {
        if (next->offset > at)
            fprintf(out, " u8 b%d[%ld];", n, next->offset - at);
        fprintf(out, " p p%d;", n);
        at = next->offset + 8;
    }
    if (global->bytes > at)
        fprintf(out, " u8 b%d[%ld];", n, global->bytes - at);
    fprintf(out, " } __attribute__((packed, aligned(%d)));\n", global->alignment > 0 ? global->alignment : 1);
}

static void put_global(FILE *out, const SourceGlobal *global, int number, bool with_bytes)
{
    const char *thread = global->is_thread_local ? "__thread " : "";
    if (!global->is_defined) {
        if (!with_bytes)
            fprintf(out, "extern %schar global_%d[] __asm__(\"%s\");\n", thread, number, global->name);
        return;
    }
    if (!with_bytes)
        put_shape(out, global, number);
    if (global->is_static)
        fprintf(out, "static %sstruct G%d global_%d", thread, number, number);
    else
        fprintf(out, "%s%sstruct G%d global_%d%s%s%s", with_bytes ? "" : "extern ", thread, number, number,
                with_bytes ? "" : " __asm__(\"", with_bytes ? "" : global->name, with_bytes ? "" : "\")");
    if (with_bytes && (global->initial || global->relocations)) {
        long at = 0;
        fputs(" = {", out);
        for (const SourceRelocation *next = global->relocations; next; next = next->next) {
            if (next->offset > at)
                put_bytes(out, global, at, next->offset);
            if (next->code == SO_STRING) {
                fputs("(p)", out);
                put_string(out, next->symbol, next->bytes);
            } else
                put_symbol(out, next->code, next->symbol);
            fprintf(out, " + %" PRId64 "ll, ", next->addend);
            at = next->offset + 8;
        }
        if (global->bytes > at)
            put_bytes(out, global, at, global->bytes);
        putc('}', out);
    }
    fputs(";\n", out);
}

static void put_unit(FILE *out)
{
    char *body;
    size_t size;
    FILE *rest = open_memstream(&body, &size);
    int number = 0;
    for (const SourceGlobal *global = unit->globals; global; global = global->next)
        put_global(rest, global, number++, true);
    number = 0;
    for (const SourceFunction *function = unit->functions; function; function = function->next, number++) {
        if (!function->failed)
            put_function(rest, function, number);
        else {
            fprintf(stderr, "%s: %s\n", function->name, function->failed);
            status = 3;
        }
    }
    fclose(rest);
    fputs(preamble, out);
    number = 0;
    for (const SourceGlobal *global = unit->globals; global; global = global->next)
        put_global(out, global, number++, false);
    for (int i = 0; i < nothers; i++)
        fprintf(out, "extern char other_%d[] __asm__(\"%s\");\n", i, others[i]);
    number = 0;
    for (const SourceFunction *function = unit->functions; function; function = function->next, number++) {
        if (function->failed)
            continue;
        put_head(out, function, number);
        if (!function->is_static && !function->is_inline)
            fprintf(out, " __asm__(\"%s\")", function->name);
        fputs(";\n", out);
    }
    fputs(body, out);
    free(body);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)kind;
    fprintf(stderr, "%s:%d:%d: %s\n", loc.file ? loc.file : "", loc.line, loc.column, message);
}

static char *printed(void)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    source_print(unit, file, (SourceTextOptions){.places = true, .names = true});
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    const bool only_check = argc > 2 && !strcmp(argv[1], "--check");
    const char *path = argv[argc - 1];
    FILE *in = argc > 1 ? fopen(path, "r") : NULL;
    char *text = in ? ir_read_text(in) : NULL;
    if (!text) {
        fprintf(stderr, "usage: %s [--check] UNIT\n", argv[0]);
        return 2;
    }
    fclose(in);
    unit = source_parse(module_new(path, NULL, say, NULL), text, path);
    if (!unit)
        return 1;
    for (const SourceFunction *function = unit->functions; function; function = function->next) {
        const char *mistake = source_check_function(function);
        if (mistake) {
            fprintf(stderr, "%s: %s: %s\n", path, function->name, mistake);
            return 1;
        }
    }
    if (strcmp(printed(), text)) {
        fprintf(stderr, "%s: the text is not what is printed of it\n", path);
        return 1;
    }
    if (!only_check)
        put_unit(stdout);
    return status;
}
