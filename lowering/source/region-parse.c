/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region-parse.c - reads the text of the region IR that region-print.c writes.
 *
 * A line is a declaration, a block's name or an instruction. The first error is reported with its line and column, and
 * then every function returns at once. Text that the reader accepts is sound in memory; region-check.c says whether it
 * is a program. Blocks get the numbers of their order.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "source/region.h"

typedef struct {
    Module *module;
    const char *name; /* of the text, for messages */
    const char *line, *at;
    int number; /* of the line */
    bool failed;
    SourceUnit *unit;
    SourceGlobal *global; /* the last one */
    SourceFunction *function;
    SourceBlock *block;
    SourceBlock **blocks; /* by their numbers in the text */
    int *used;            /* the line that first names a block */
    int nblocks;
} Reader;

static void fail(Reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(Reader *r, const char *format, ...)
{
    if (r->failed)
        return;
    r->failed = true;
    va_list list;
    va_start(list, format);
    const char *message = arena_vprint(r->module, format, list);
    va_end(list);
    Loc loc = {r->name, r->number, (int)(r->at - r->line) + 1, 0};
    if (r->module->diag)
        r->module->diag(r->module->diag_context, DIAG_ERROR, loc, message);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void blanks(Reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool accept(Reader *r, const char *text)
{
    blanks(r);
    if (r->failed || strncmp(r->at, text, strlen(text)))
        return false;
    r->at += strlen(text);
    return true;
}

static void expect(Reader *r, const char *text)
{
    if (!accept(r, text))
        fail(r, "'%s' is missing", text);
}

static bool at_end(Reader *r)
{
    blanks(r);
    return !*r->at || *r->at == '\n';
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || (unsigned char)c >= 0x80;
}

/* A name with its dots.  */
static const char *word(Reader *r)
{
    blanks(r);
    size_t length = 0;
    while (in_word(r->at[length]) && strncmp(r->at + length, "...", 3) != 0)
        length++;
    if (!length)
        fail(r, "a name is missing");
    const char *text = arena_print(r->module, "%.*s", (int)length, r->at);
    r->at += length;
    return text;
}

static bool accept_word(Reader *r, const char *text)
{
    const char *before = r->at;
    blanks(r);
    size_t length = strlen(text);
    if (!r->failed && !strncmp(r->at, text, length) && !in_word(r->at[length])) {
        r->at += length;
        return true;
    }
    r->at = before;
    return false;
}

static int64_t whole_number(Reader *r)
{
    char *end;
    blanks(r);
    const uint64_t value = *r->at == '-' ? (uint64_t)strtoll(r->at, &end, 10) : strtoull(r->at, &end, 10);
    if (end == r->at)
        fail(r, "a number is missing");
    r->at = end;
    return (int64_t)value;
}

static int small_number(Reader *r)
{
    const int64_t value = whole_number(r);
    if (value < 0 || value > 1 << 28)
        fail(r, "the number is too large");
    return r->failed ? 0 : (int)value;
}

static long byte_count(Reader *r)
{
    const int64_t value = whole_number(r);
    if (value < 0)
        fail(r, "the number of bytes is below 0");
    return r->failed ? 0 : (long)value;
}

static bool is_type(const char *text, SourceType *type)
{
    for (int i = 0; i < SOURCE_TYPES; i++)
        if (!strcmp(text, source_type_text((SourceType)i))) {
            *type = (SourceType)i;
            return true;
        }
    return false;
}

static SourceType type_name(Reader *r)
{
    SourceType type = ST_V;
    const char *text = word(r);
    if (!r->failed && !is_type(text, &type))
        fail(r, "'%s' is not a type", text);
    return type;
}

/* The type of an argument or a result; s:12 has bytes.  */
static SourceType passed_type(Reader *r, long *bytes)
{
    const SourceType type = type_name(r);
    *bytes = 0;
    if (type == ST_S) {
        expect(r, ":");
        *bytes = small_number(r);
    }
    return type;
}

/* "..." with \xNN; *bytes counts the 0 at its end.  */
static const char *quoted(Reader *r, long *bytes)
{
    expect(r, "\"");
    const char *end = r->at;
    while (*end && *end != '\n' && *end != '"')
        end++;
    if (*end != '"')
        fail(r, "the string does not end");
    if (r->failed)
        return "";
    char *text = arena_alloc(r->module, (size_t)(end - r->at) + 1);
    long count = 0;
    while (r->at < end) {
        char hex[3] = {0};
        if (*r->at != '\\') {
            text[count++] = *r->at++;
            continue;
        }
        if (end - r->at >= 4 && r->at[1] == 'x')
            memcpy(hex, r->at + 2, 2);
        if (!isxdigit((unsigned char)hex[0]) || !isxdigit((unsigned char)hex[1])) {
            fail(r, "'\\' stands in front of x and two digits");
            return "";
        }
        text[count++] = (char)strtoul(hex, NULL, 16);
        r->at += 4;
    }
    r->at = end + 1;
    *bytes = count + 1;
    return text;
}

static int place(Reader *r, Loc *loc)
{
    if (!accept(r, "@"))
        return 0;
    loc->file = r->module->source;
    loc->line = small_number(r);
    expect(r, ":");
    loc->column = small_number(r);
    return 1;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static SourceVariable *find_variable(const Reader *r, const char *text)
{
    for (int i = 0; i < r->function->nvariables; i++)
        if (!strcmp(r->function->variables[i]->text, text))
            return r->function->variables[i];
    return NULL;
}

static SourceObject *find_object(const Reader *r, const char *text)
{
    for (int i = 0; i < r->function->nobjects; i++)
        if (!strcmp(r->function->objects[i]->text, text))
            return r->function->objects[i];
    return NULL;
}

/* t12, or 0.  */
static int temporary_number(const char *text)
{
    if (text[0] != 't' || !isdigit((unsigned char)text[1]))
        return 0;
    for (const char *at = text + 1; *at; at++)
        if (!isdigit((unsigned char)*at) || at - text > 8)
            return 0;
    return atoi(text + 1);
}

static bool is_float_text(const char *at)
{
    at += *at == '-';
    return !strncmp(at, "0x", 2) || !strncmp(at, "inf", 3) || !strncmp(at, "nan", 3);
}

static Operand operand(Reader *r)
{
    Operand x = {.kind = OPERAND_NONE};
    blanks(r);
    if (is_float_text(r->at) && !(isalpha((unsigned char)*r->at) && in_word(r->at[3]))) {
        char *end;
        x = source_number(strtod(r->at, &end));
        r->at = end;
        return x;
    }
    if (*r->at == '-' || isdigit((unsigned char)*r->at))
        return source_integer(whole_number(r));
    const char *before = r->at, *text = word(r);
    if (r->failed)
        return x;
    if (temporary_number(text)) {
        x.kind = OPERAND_TEMPORARY;
        x.temporary = temporary_number(text);
        return x;
    }
    SourceVariable *variable = find_variable(r, text);
    if (variable)
        return source_of(variable);
    r->at = before;
    fail(r, "there is no variable '%s'", text);
    return x;
}

/* B3: a block that may stand further down.  */
static SourceBlock *block_name(Reader *r)
{
    expect(r, "B");
    const int number = isdigit((unsigned char)*r->at) ? small_number(r) : -1;
    if (number < 0 || number > 1 << 20)
        fail(r, "a block is B and a number");
    if (r->failed)
        return NULL;
    if (number >= r->nblocks) {
        const int count = 2 * number + 16;
        SourceBlock **blocks = arena_alloc(r->module, (size_t)count * sizeof *blocks);
        int *used = arena_alloc(r->module, (size_t)count * sizeof *used);
        if (r->nblocks) {
            memcpy(blocks, r->blocks, (size_t)r->nblocks * sizeof *blocks);
            memcpy(used, r->used, (size_t)r->nblocks * sizeof *used);
        }
        r->blocks = blocks;
        r->used = used;
        r->nblocks = count;
    }
    if (!r->blocks[number]) {
        r->blocks[number] = source_block_new(r->function);
        r->used[number] = r->number;
    }
    return r->blocks[number];
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void call(Reader *r, Instruction *instruction)
{
    int count = 0;
    if (accept(r, "*"))
        instruction->args[0] = operand(r);
    else
        instruction->symbol = word(r);
    expect(r, "(");
    while (!r->failed && !accept(r, ")")) {
        if (count || instruction->is_variadic)
            expect(r, ",");
        if (!instruction->is_variadic && accept(r, "...")) {
            instruction->is_variadic = true;
            instruction->nnamed = count;
            continue;
        }
        if (r->failed)
            return;
        SourceArgument *argument = &LIST_ADD(r->module, instruction->arguments, count);
        argument->type = passed_type(r, &argument->bytes);
        argument->operand = operand(r);
    }
    instruction->narguments = count;
    if (count)
        instruction->arguments[0].bytes += instruction->bytes; /* the address of the result */
    instruction->bytes = 0;
    if (accept_word(r, "task"))
        instruction->task = small_number(r) + 1;
}

static void switch_cases(Reader *r, Instruction *instruction)
{
    while (!r->failed && !accept(r, "default:")) {
        SourceCase *one = &LIST_ADD(r->module, instruction->cases, instruction->ncases);
        one->low = one->high = whole_number(r);
        if (accept(r, ".."))
            one->high = whole_number(r);
        expect(r, ":");
        one->block = block_name(r);
    }
    instruction->targets[0] = block_name(r);
}

static void operands(Reader *r, Instruction *instruction)
{
    long bytes;
    const SourceForm form = source_op_form(instruction->code);
    for (int i = 0; i < source_nargs(form); i++) {
        if (i)
            expect(r, ",");
        instruction->args[i] = operand(r);
    }
    switch (form) {
    case FORM_OBJECT: {
        const char *text = word(r);
        instruction->object = find_object(r, text);
        if (!instruction->object)
            fail(r, "there is no object '%s'", text);
        break;
    }
    case FORM_SYMBOL:
        instruction->symbol = word(r);
        break;
    case FORM_STRING:
        instruction->string = quoted(r, &bytes);
        instruction->bytes = r->failed ? 0 : bytes;
        break;
    case FORM_CALL:
        call(r, instruction);
        break;
    case FORM_MARK:
        instruction->mark = small_number(r);
        break;
    case FORM_JUMP:
        instruction->targets[0] = block_name(r);
        break;
    case FORM_RETURN:
        blanks(r);
        if (!at_end(r) && *r->at != '@') {
            instruction->type = r->function->result;
            instruction->args[0] = operand(r);
        }
        break;
    case FORM_MOVE:
    case FORM_ZERO:
    case FORM_ALLOCATE:
        expect(r, ",");
        instruction->bytes = byte_count(r);
        break;
    case FORM_SWITCH:
        expect(r, ",");
        switch_cases(r, instruction);
        break;
    case FORM_BRANCH:
        expect(r, ",");
        instruction->type = ST_B;
        instruction->targets[0] = block_name(r);
        expect(r, ",");
        instruction->targets[1] = block_name(r);
        break;
    default:
        break;
    }
}

static void inlined(Reader *r, Instruction *instruction)
{
    SourceInlined *last = NULL;
    while (!r->failed && accept_word(r, "in")) {
        SourceInlined *one = arena_alloc(r->module, sizeof *one);
        one->function = word(r);
        if (!place(r, &one->loc))
            fail(r, "the place of a call is missing");
        if (last)
            last->outer = one;
        else
            instruction->inlined = one;
        last = one;
    }
}

/* load.volatile.f32, conv.i32.u64.  */
static void operation(Reader *r, Instruction *instruction)
{
    char head[64];
    blanks(r);
    const char *before = r->at, *text = word(r);
    int known = 0, types = 0;
    snprintf(head, sizeof head, "%s", text);
    char *rest = head + strcspn(head, ".");
    if (*rest)
        *rest++ = 0;
    while (known < SOURCE_OPS && strcmp(head, source_op_text((SourceOpcode)known)) != 0)
        known++;
    if (known == SOURCE_OPS) {
        r->at = before;
        fail(r, "there is no operation '%s'", head);
        return;
    }
    instruction->code = (SourceOpcode)known;
    const SourceForm form = source_op_form(instruction->code);
    while (*rest) {
        char *part = rest;
        SourceType type;
        rest += strcspn(rest, ".");
        if (*rest)
            *rest++ = 0;
        if (!strcmp(part, "volatile") && form >= FORM_LOAD && form <= FORM_MOVE) {
            instruction->is_volatile = true;
        } else if (is_type(part, &type)) {
            instruction->from = types ? instruction->type : ST_V;
            instruction->type = type;
            types++;
        } else {
            fail(r, "'%s' is not a type", part);
            return;
        }
    }
    const int wanted = form == FORM_CONVERT                                             ? 2
                       : form <= FORM_STORE || form == FORM_CALL || form == FORM_SWITCH ? 1
                                                                                        : 0;
    if (types != wanted)
        fail(r, "'%s' has %d types", head, wanted);
    if (form >= FORM_OBJECT && form <= FORM_ALLOCATE)
        instruction->type = ST_P;
    if (form == FORM_CALL && instruction->type == ST_S) {
        expect(r, ":");
        instruction->bytes = small_number(r);
    }
}

static bool has_result(const Instruction *instruction)
{
    const SourceForm form = source_op_form(instruction->code);
    return form <= FORM_LOAD || (form >= FORM_OBJECT && form <= FORM_ALLOCATE) ||
           (form == FORM_CALL && instruction->type != ST_V && !source_type_is_aggregate(instruction->type));
}

static void instruction_line(Reader *r)
{
    Instruction *instruction = arena_alloc(r->module, sizeof *instruction);
    blanks(r);
    const char *before = r->at, *target = word(r);
    const bool assigns = accept(r, "=");
    if (!assigns)
        r->at = before;
    operation(r, instruction);
    if (r->failed)
        return;
    if (assigns != has_result(instruction)) {
        r->at = before;
        fail(r, assigns ? "'%s' has no result" : "the result of '%s' is missing", source_op_text(instruction->code));
    } else if (assigns && source_op_form(instruction->code) == FORM_COPY) {
        instruction->variable = find_variable(r, target);
        if (!instruction->variable)
            fail(r, "there is no variable '%s'", target);
    } else if (assigns) {
        instruction->temporary = temporary_number(target);
        if (!instruction->temporary)
            fail(r, "'%s' is not a temporary", target);
        if (instruction->temporary > r->function->ntemporaries)
            r->function->ntemporaries = instruction->temporary;
    }
    operands(r, instruction);
    place(r, &instruction->loc);
    inlined(r, instruction);
    if (!r->failed && !r->block)
        fail(r, "the instruction stands in no block");
    if (r->failed)
        return;
    *(r->block->last ? &r->block->last->next : &r->block->first) = instruction;
    r->block->last = instruction;
    if (source_ends_block(instruction))
        r->block = NULL;
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* "s.3": the text is the variable's, whatever the builder would call it.  */
static const char *new_name(Reader *r)
{
    const char *text = word(r);
    if (!r->failed && (find_variable(r, text) || find_object(r, text)))
        fail(r, "'%s' is declared twice", text);
    return text;
}

static void name_line(Reader *r)
{
    long bytes;
    const char *text = word(r);
    SourceVariable *variable = r->failed ? NULL : find_variable(r, text);
    SourceObject *object = r->failed || variable ? NULL : find_object(r, text);
    if (!variable && !object) {
        fail(r, "there is no variable '%s'", text);
        return;
    }
    Declaration *declaration = variable ? &variable->declaration : &object->declaration;
    declaration->name = quoted(r, &bytes);
    declaration->c_type = quoted(r, &bytes);
    declaration->name = *declaration->name ? declaration->name : NULL;
    declaration->c_type = *declaration->c_type ? declaration->c_type : NULL;
    for (int i = 0; i < SOURCE_TYPES; i++)
        if (accept(r, arena_print(r->module, "%s:", source_type_text((SourceType)i)))) {
            declaration->element = (SourceType)i;
            declaration->element_bytes = small_number(r);
        }
    while (!r->failed && accept(r, "[")) {
        LIST_ADD(r->module, declaration->dimensions, declaration->ndimensions).side =
            accept(r, "?") ? (Operand){.kind = OPERAND_NONE} : operand(r);
        expect(r, "]");
    }
    declaration->is_const = accept_word(r, "const");
    declaration->is_restrict = accept_word(r, "restrict");
    declaration->is_volatile = accept_word(r, "volatile");
    for (SourceHolds holds = HOLDS_TILE; holds <= HOLDS_TENSORS; holds++)
        if (accept_word(r, source_holds_text(holds)))
            declaration->holds = holds;
}

static void function_line(Reader *r)
{
    long bytes;
    const SourceType result = passed_type(r, &bytes);
    const char *name = word(r);
    Loc loc = {r->module->source, 0, 0, 0};
    if (r->failed)
        return;
    SourceFunction *function = r->function = source_function_new(r->unit, name, result, loc);
    function->result_bytes = result == ST_C32 ? 8 : result == ST_C64 ? 16 : bytes;
    expect(r, "(");
    while (!r->failed && !accept(r, ")")) {
        if (function->nparameters)
            expect(r, ",");
        if (accept(r, "...")) {
            function->is_variadic = true;
            expect(r, ")");
            break;
        }
        const SourceType type = passed_type(r, &bytes);
        const char *text = new_name(r);
        SourceVariable *parameter = source_parameter(function, type, (Declaration){.name = NULL});
        parameter->text = text;
        parameter->bytes = bytes;
    }
    function->is_static = accept_word(r, "static");
    function->is_inline = accept_word(r, "inline");
    function->is_noreturn = accept_word(r, "noreturn");
    place(r, &function->loc);
    r->block = NULL;
    r->blocks = NULL;
    r->nblocks = 0;
}

static void function_end(Reader *r)
{
    for (int i = 0; i < r->nblocks; i++)
        if (r->blocks[i] && r->blocks[i]->id < 0) {
            r->number = r->used[i];
            r->at = r->line;
            fail(r, "there is no block B%d", i);
        }
    r->function = NULL;
}

static void data_line(Reader *r)
{
    const char *name = word(r);
    const long bytes = byte_count(r);
    if (r->failed)
        return;
    SourceGlobal *global = r->global = source_global(r->unit, name, bytes, (Declaration){.name = name});
    global->alignment = small_number(r);
    global->is_static = accept_word(r, "static");
    global->is_thread_local = accept_word(r, "thread");
    global->is_defined = accept_word(r, "defined");
    global->is_known = accept_word(r, "known");
    if (!accept(r, "="))
        return;
    blanks(r);
    unsigned char *initial = arena_alloc(r->module, (size_t)bytes + 1);
    for (long i = 0; i < bytes; i++) {
        const char hex[3] = {r->at[0], r->at[0] ? r->at[1] : (char)0, 0};
        if (!isxdigit((unsigned char)hex[0]) || !isxdigit((unsigned char)hex[1])) {
            fail(r, "'%s' has %ld bytes", name, bytes);
            return;
        }
        initial[i] = (unsigned char)strtoul(hex, NULL, 16);
        r->at += 2;
    }
    global->initial = initial;
}

/* at 8 string "hello": an address in the bytes of the global above.  */
static void relocation_line(Reader *r)
{
    const long offset = byte_count(r);
    SourceOpcode code = SO_GLOBAL;
    if (accept_word(r, source_op_text(SO_STRING)))
        code = SO_STRING;
    else if (accept_word(r, source_op_text(SO_FUNCTION)))
        code = SO_FUNCTION;
    else if (!accept_word(r, source_op_text(SO_GLOBAL)))
        fail(r, "an address is that of a string, a function or a global");
    long bytes = 0;
    const char *symbol = code == SO_STRING ? quoted(r, &bytes) : word(r);
    const int64_t addend = r->failed || at_end(r) ? 0 : whole_number(r);
    if (!r->failed)
        source_relocation(r->unit, r->global, offset, code, symbol, bytes, addend);
}

static void pragma_line(Reader *r)
{
    long bytes;
    small_number(r);
    const char *text = quoted(r, &bytes);
    const bool is_inside = !r->failed && accept_word(r, "inside");
    Loc loc = {r->module->source, 0, 0, 0};
    place(r, &loc);
    if (!r->failed)
        source_pragma(r->unit, text, is_inside, loc);
}

static void fail_line(Reader *r)
{
    const char *name = word(r);
    expect(r, ":");
    blanks(r);
    if (r->failed)
        return;
    SourceFunction *function = source_function_new(r->unit, name, ST_V, (Loc){r->module->source, 0, 0, 0});
    function->failed = arena_print(r->module, "%.*s", (int)strcspn(r->at, "\n"), r->at);
    r->at += strcspn(r->at, "\n");
}

/* A line outside of functions.  */
static void unit_line(Reader *r)
{
    if (accept_word(r, "data"))
        data_line(r);
    else if (r->global && accept_word(r, "at"))
        relocation_line(r);
    else if (accept_word(r, "pragma"))
        pragma_line(r);
    else if (accept_word(r, "fail"))
        fail_line(r);
    else if (accept_word(r, "func"))
        function_line(r);
    else
        fail(r, "a line begins with pragma, data, fail or func");
}

static void block_line(Reader *r)
{
    SourceBlock *block = block_name(r);
    expect(r, ":");
    if (r->failed)
        return;
    if (block->id >= 0) {
        fail(r, "the block stands there twice");
        return;
    }
    if (r->block)
        fail(r, "the block above does not end with a jump");
    source_place(r->function, block);
    r->block = block;
}

static void function_body_line(Reader *r)
{
    if (!isspace((unsigned char)*r->line)) {
        if (!accept_word(r, "end"))
            block_line(r);
        else if (r->block)
            fail(r, "the block above does not end with a jump");
        else
            function_end(r);
    } else if (accept_word(r, "var")) {
        const SourceType type = type_name(r);
        const char *text = new_name(r);
        if (!r->failed)
            source_variable(r->function, type, (Declaration){.name = NULL})->text = text;
    } else if (accept_word(r, "obj")) {
        const char *text = new_name(r);
        const long bytes = byte_count(r);
        const int alignment = small_number(r);
        if (!r->failed)
            source_object(r->function, bytes, alignment, (Declaration){.name = NULL})->text = text;
    } else if (accept_word(r, "name")) {
        name_line(r);
    } else {
        instruction_line(r);
    }
}

SourceUnit *source_parse(Module *module, const char *text, const char *name)
{
    Reader r = {.module = module, .name = name, .line = text, .at = text, .number = 1, .unit = source_unit_new(module)};
    while (!r.failed && *r.line) {
        r.at = r.line;
        if (!at_end(&r)) {
            if (r.function)
                function_body_line(&r);
            else
                unit_line(&r);
            if (!r.failed && !at_end(&r))
                fail(&r, "the line goes on behind its end");
        }
        r.line += strcspn(r.line, "\n");
        r.line += *r.line == '\n';
        r.number++;
    }
    r.at = r.line;
    if (r.function)
        fail(&r, "'end' is missing");
    return r.failed ? NULL : r.unit;
}
