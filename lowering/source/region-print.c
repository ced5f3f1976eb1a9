/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region-print.c - the text of the region IR (region.h has an example).
 *
 * A function that could not be transcribed is one line: `fail NAME: reason`. The unit begins with its pragmas and its
 * globals:
 *
 *      pragma 0 "grid" @8:9
 *      data table 8 8 static defined = 0000000000000000     bytes and alignment
 *        at 0 string "hello"                                the address of a string stands at 0
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "source/region.h"

static void print_operand(FILE *file, Operand x, SourceType type)
{
    switch (x.kind) {
    case OPERAND_NONE:
        fputs("?", file);
        break;
    case OPERAND_TEMPORARY:
        fprintf(file, "t%d", x.temporary);
        break;
    case OPERAND_VARIABLE:
        fputs(x.variable->text, file);
        break;
    case OPERAND_INTEGER:
        if (source_type_is_signed(type) || type == ST_P)
            fprintf(file, "%" PRId64, (int64_t)x.integer);
        else
            fprintf(file, "%" PRIu64, x.integer);
        break;
    case OPERAND_FLOAT:
        if (isnan(x.number))
            fputs(signbit(x.number) ? "-nan" : "nan", file);
        else
            fprintf(file, "%a", x.number);
        break;
    }
}

static void print_string(FILE *file, const char *string, long bytes)
{
    putc('"', file);
    for (long i = 0; i + 1 < bytes; i++) {
        const unsigned char c = (unsigned char)string[i];
        if (c == '"' || c == '\\' || c < 32 || c > 126)
            fprintf(file, "\\x%02x", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

/* The type of an argument or a result.  */
static void print_type(FILE *file, SourceType type, long bytes)
{
    fputs(source_type_text(type), file);
    if (type == ST_S)
        fprintf(file, ":%ld", bytes);
}

static void print_call(const Instruction *instruction, FILE *file)
{
    if (instruction->symbol)
        fprintf(file, "%s(", instruction->symbol);
    else {
        putc('*', file);
        print_operand(file, instruction->args[0], ST_P);
        putc('(', file);
    }
    for (int i = 0; i < instruction->narguments; i++) {
        const SourceArgument *argument = &instruction->arguments[i];
        fputs(i ? ", " : "", file);
        if (instruction->is_variadic && i == instruction->nnamed)
            fputs("..., ", file);
        print_type(file, argument->type, argument->bytes);
        putc(' ', file);
        print_operand(file, argument->operand, argument->type);
    }
    if (instruction->is_variadic && instruction->nnamed >= instruction->narguments)
        fputs(instruction->narguments ? ", ..." : "...", file);
    putc(')', file);
    if (instruction->task)
        fprintf(file, " task %d", instruction->task - 1);
}

static void print_cases(const Instruction *instruction, FILE *file)
{
    putc(',', file);
    for (int i = 0; i < instruction->ncases; i++) {
        const SourceCase *one = &instruction->cases[i];
        fprintf(file, " %" PRId64, one->low);
        if (one->high != one->low)
            fprintf(file, "..%" PRId64, one->high);
        fprintf(file, ":B%d", one->block->id);
    }
    fprintf(file, " default:B%d", instruction->targets[0]->id);
}

/* Prints the operands behind the operation's name.  */
static void print_operands(const Instruction *instruction, FILE *file)
{
    const SourceForm form = source_op_form(instruction->code);
    for (int i = 0; i < source_nargs(form); i++) {
        fputs(i ? ", " : "", file);
        print_operand(file, instruction->args[i], source_arg_type(instruction, i));
    }
    switch (form) {
    case FORM_MOVE:
    case FORM_ZERO:
    case FORM_ALLOCATE:
        fprintf(file, ", %ld", instruction->bytes);
        break;
    case FORM_OBJECT:
        fputs(instruction->object->text, file);
        break;
    case FORM_SYMBOL:
        fputs(instruction->symbol, file);
        break;
    case FORM_STRING:
        print_string(file, instruction->string, instruction->bytes);
        break;
    case FORM_CALL:
        print_call(instruction, file);
        break;
    case FORM_MARK:
        fprintf(file, "%d", instruction->mark);
        break;
    case FORM_JUMP:
        fprintf(file, "B%d", instruction->targets[0]->id);
        break;
    case FORM_BRANCH:
        fprintf(file, ", B%d, B%d", instruction->targets[0]->id, instruction->targets[1]->id);
        break;
    case FORM_SWITCH:
        print_cases(instruction, file);
        break;
    case FORM_RETURN:
        if (instruction->args[0].kind != OPERAND_NONE)
            print_operand(file, instruction->args[0], instruction->type);
        break;
    default:
        break;
    }
}

/* Operations of these forms have a type in their name.  */
static bool has_type(SourceForm form)
{
    return form <= FORM_STORE || form == FORM_CALL || form == FORM_SWITCH;
}

void source_print_instruction(const Instruction *instruction, FILE *file, SourceTextOptions options)
{
    const SourceForm form = source_op_form(instruction->code);
    fputs("  ", file);
    if (instruction->variable)
        fprintf(file, "%s = ", instruction->variable->text);
    else if (instruction->temporary)
        fprintf(file, "t%d = ", instruction->temporary);
    fputs(source_op_text(instruction->code), file);
    if (instruction->is_volatile)
        fputs(".volatile", file);
    if (form == FORM_CONVERT)
        fprintf(file, ".%s", source_type_text(instruction->from));
    if (has_type(form))
        fprintf(file, ".%s", source_type_text(instruction->type));
    if (form == FORM_CALL && instruction->type == ST_S && instruction->narguments)
        fprintf(file, ":%ld", instruction->arguments[0].bytes);
    if (form < FORM_UNREACHABLE && !(form == FORM_RETURN && instruction->args[0].kind == OPERAND_NONE))
        putc(' ', file);
    print_operands(instruction, file);
    if (options.places) {
        if (instruction->loc.line)
            fprintf(file, " @%d:%d", instruction->loc.line, instruction->loc.column);
        for (const SourceInlined *call = instruction->inlined; call; call = call->outer)
            fprintf(file, " in %s @%d:%d", call->function, call->loc.line, call->loc.column);
    }
    putc('\n', file);
}

const char *source_holds_text(SourceHolds holds)
{
    static const char *const texts[] = {"", "tile", "tensor", "tiles", "tensors"};
    return texts[holds];
}

static void print_declaration(const char *text, const Declaration *declaration, FILE *file)
{
    fprintf(file, "  name %s \"%s\" \"%s\"", text, declaration->name ? declaration->name : "",
            declaration->c_type ? declaration->c_type : "");
    if (declaration->element_bytes)
        fprintf(file, " %s:%d", source_type_text(declaration->element), declaration->element_bytes);
    for (int i = 0; i < declaration->ndimensions; i++) {
        putc('[', file);
        print_operand(file, declaration->dimensions[i].side, ST_I64);
        putc(']', file);
    }
    if (declaration->is_const)
        fputs(" const", file);
    if (declaration->is_restrict)
        fputs(" restrict", file);
    if (declaration->is_volatile)
        fputs(" volatile", file);
    if (declaration->holds)
        fprintf(file, " %s", source_holds_text(declaration->holds));
    putc('\n', file);
}

void source_print_function(const SourceFunction *function, FILE *file, SourceTextOptions options)
{
    const char *failed = function->failed ? function->failed : source_opaque(function);
    if (failed) {
        fprintf(file, "fail %s: %s\n", function->name, failed);
        return;
    }
    fputs("func ", file);
    print_type(file, function->result, function->result_bytes);
    fprintf(file, " %s (", function->name);
    for (int i = 0; i < function->nparameters; i++) {
        const SourceVariable *parameter = function->parameters[i];
        fputs(i ? ", " : "", file);
        print_type(file, parameter->type, parameter->bytes);
        fprintf(file, " %s", parameter->text);
    }
    fputs(function->is_variadic && function->nparameters ? ", ...)" : function->is_variadic ? "...)" : ")", file);
    fprintf(file, "%s%s%s", function->is_static ? " static" : "", function->is_inline ? " inline" : "",
            function->is_noreturn ? " noreturn" : "");
    if (options.places && function->loc.line)
        fprintf(file, " @%d:%d", function->loc.line, function->loc.column);
    putc('\n', file);
    for (int i = 0; i < function->nvariables; i++)
        if (!function->variables[i]->is_parameter)
            fprintf(file, "  var %s %s\n", source_type_text(function->variables[i]->type),
                    function->variables[i]->text);
    for (int i = 0; i < function->nobjects; i++)
        fprintf(file, "  obj %s %ld %d\n", function->objects[i]->text, function->objects[i]->bytes,
                function->objects[i]->alignment);
    for (int i = 0; options.names && i < function->nvariables; i++)
        print_declaration(function->variables[i]->text, &function->variables[i]->declaration, file);
    for (int i = 0; options.names && i < function->nobjects; i++)
        print_declaration(function->objects[i]->text, &function->objects[i]->declaration, file);
    for (const SourceBlock *block = function->blocks; block; block = block->next) {
        fprintf(file, "B%d:\n", block->id);
        for (const Instruction *instruction = block->first; instruction; instruction = instruction->next)
            source_print_instruction(instruction, file, options);
    }
    fputs("end\n", file);
}

static void print_relocation(const SourceRelocation *relocation, FILE *file)
{
    fprintf(file, "  at %ld %s ", relocation->offset, source_op_text(relocation->code));
    if (relocation->code == SO_STRING)
        print_string(file, relocation->symbol, relocation->bytes);
    else
        fputs(relocation->symbol, file);
    if (relocation->addend)
        fprintf(file, " %" PRId64, relocation->addend);
    putc('\n', file);
}

static void print_global(const SourceGlobal *global, FILE *file)
{
    fprintf(file, "data %s %ld %d%s%s%s%s", global->name, global->bytes, global->alignment,
            global->is_static ? " static" : "", global->is_thread_local ? " thread" : "",
            global->is_defined ? " defined" : "", global->is_known ? " known" : "");
    for (long i = 0; global->initial && i < global->bytes; i++)
        fprintf(file, "%s%02x", i ? "" : " = ", global->initial[i]);
    putc('\n', file);
    for (const SourceRelocation *at = global->relocations; at; at = at->next)
        print_relocation(at, file);
}

void source_print(const SourceUnit *unit, FILE *file, SourceTextOptions options)
{
    int number = 0;
    for (const SourcePragma *pragma = unit->pragmas; pragma; pragma = pragma->next) {
        fprintf(file, "pragma %d \"%s\"%s", number++, pragma->text, pragma->is_inside ? " inside" : "");
        if (options.places && pragma->loc.line)
            fprintf(file, " @%d:%d", pragma->loc.line, pragma->loc.column);
        putc('\n', file);
    }
    for (const SourceGlobal *global = unit->globals; global; global = global->next)
        print_global(global, file);
    for (const SourceFunction *function = unit->functions; function; function = function->next)
        source_print_function(function, file, options);
}
