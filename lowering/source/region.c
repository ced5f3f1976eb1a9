/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region.c - building the region IR.
 *
 * A SourceBuilder appends instructions to its block. Behind an instruction that ends the block, the builder has no
 * block, and drops what follows until source_place () has put one and the caller has entered it.
 */
#include <stdarg.h>
#include <string.h>

#include "source/region.h"

static const struct {
    const char *text;
    int bytes;
    bool is_signed, is_float;
} types[] = {
#define SOURCE_TYPE(NAME, text, bytes, is_signed, is_float) {text, bytes, is_signed, is_float},
#include "source/region.def"
#undef SOURCE_TYPE
};

static const struct {
    const char *text;
    SourceForm form;
} ops[] = {
#define SOURCE_OP(NAME, text, form, doc) {text, form},
#include "source/region.def"
#undef SOURCE_OP
};

const char *source_type_text(SourceType type)
{
    return types[type].text;
}

int source_type_bytes(SourceType type)
{
    return types[type].bytes;
}

bool source_type_is_float(SourceType type)
{
    return types[type].is_float;
}

bool source_type_is_signed(SourceType type)
{
    return types[type].is_signed;
}

bool source_type_is_aggregate(SourceType type)
{
    return type >= ST_S;
}

uint64_t source_wrap(SourceType type, uint64_t x)
{
    const int spare = 64 - 8 * source_type_bytes(type);
    if (type == ST_B)
        return x & 1;
    if (spare <= 0 || spare >= 64)
        return x;
    const bool has_sign = source_type_is_signed(type) && !source_type_is_float(type);
    return has_sign ? (uint64_t)((int64_t)(x << spare) >> spare) : x << spare >> spare;
}

const char *source_op_text(SourceOpcode code)
{
    return ops[code].text;
}

SourceForm source_op_form(SourceOpcode code)
{
    return ops[code].form;
}

bool source_ends_block(const Instruction *instruction)
{
    return source_op_form(instruction->code) >= FORM_JUMP;
}

SourceType source_result_type(const Instruction *instruction)
{
    switch (source_op_form(instruction->code)) {
    case FORM_COMPARE:
        return ST_B;
    case FORM_OBJECT:
    case FORM_SYMBOL:
    case FORM_STRING:
    case FORM_ALLOCATE:
        return ST_P;
    case FORM_BINARY:
        return instruction->code == SO_SUB && instruction->type == ST_P ? ST_I64 : instruction->type;
    default:
        return instruction->temporary ? instruction->type : ST_V;
    }
}

int source_nargs(SourceForm form)
{
    switch (form) {
    case FORM_SELECT:
        return 3;
    case FORM_BINARY:
    case FORM_COMPARE:
    case FORM_STORE:
    case FORM_MOVE:
        return 2;
    case FORM_UNARY:
    case FORM_CONVERT:
    case FORM_COPY:
    case FORM_LOAD:
    case FORM_ZERO:
    case FORM_ALLOCATE:
    case FORM_BRANCH:
    case FORM_SWITCH:
        return 1;
    default:
        return 0;
    }
}

SourceType source_arg_type(const Instruction *instruction, int i)
{
    switch (source_op_form(instruction->code)) {
    case FORM_CONVERT:
        return instruction->from;
    case FORM_SELECT:
        return i ? instruction->type : ST_B;
    case FORM_STORE:
        return i ? instruction->type : ST_P;
    case FORM_LOAD:
    case FORM_MOVE:
    case FORM_ZERO:
    case FORM_CALL:
        return ST_P;
    case FORM_ALLOCATE:
        return ST_U64;
    case FORM_BRANCH:
        return ST_B;
    default:
        return instruction->type;
    }
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

SourceUnit *source_unit_new(Module *module)
{
    SourceUnit *unit = arena_alloc(module, sizeof *unit);
    unit->module = module;
    return unit;
}

SourceFunction *source_function_new(SourceUnit *unit, const char *name, SourceType result, Loc loc)
{
    SourceFunction *function = arena_alloc(unit->module, sizeof *function);
    function->unit = unit;
    function->name = arena_print(unit->module, "%s", name);
    function->result = result;
    function->loc = loc;
    *(unit->last_function ? &unit->last_function->next : &unit->functions) = function;
    unit->last_function = function;
    return function;
}

static bool is_taken(const SourceFunction *function, const char *text)
{
    for (int i = 0; i < function->nvariables; i++)
        if (!strcmp(function->variables[i]->text, text))
            return true;
    for (int i = 0; i < function->nobjects; i++)
        if (!strcmp(function->objects[i]->text, text))
            return true;
    return false;
}

/* Passes remove variables, so that a number alone is not unique.  */
static const char *unique_text(const SourceFunction *function, const char *name)
{
    for (int number = function->nvariables + function->nobjects + 1;; number++) {
        const char *text = arena_print(function->unit->module, "%s.%d", name, number);
        if (!is_taken(function, text))
            return text;
    }
}

SourceVariable *source_variable(SourceFunction *function, SourceType type, Declaration declaration)
{
    Module *module = function->unit->module;
    SourceVariable *variable = arena_alloc(module, sizeof *variable);
    variable->id = function->nvariables;
    variable->type = type;
    variable->declaration = declaration;
    variable->text = unique_text(function, declaration.name ? declaration.name : "v");
    LIST_ADD(module, function->variables, function->nvariables) = variable;
    return variable;
}

SourceVariable *source_parameter(SourceFunction *function, SourceType type, Declaration declaration)
{
    SourceVariable *variable = source_variable(function, type, declaration);
    variable->is_parameter = true;
    LIST_ADD(function->unit->module, function->parameters, function->nparameters) = variable;
    return variable;
}

SourceObject *source_object(SourceFunction *function, long bytes, int alignment, Declaration declaration)
{
    Module *module = function->unit->module;
    SourceObject *object = arena_alloc(module, sizeof *object);
    object->id = function->nobjects;
    object->bytes = bytes;
    object->alignment = alignment;
    object->declaration = declaration;
    object->text = unique_text(function, declaration.name ? declaration.name : "o");
    LIST_ADD(module, function->objects, function->nobjects) = object;
    return object;
}

SourceGlobal *source_global(SourceUnit *unit, const char *name, long bytes, Declaration declaration)
{
    for (SourceGlobal *global = unit->globals; global; global = global->next)
        if (!strcmp(global->name, name))
            return global;
    SourceGlobal *global = arena_alloc(unit->module, sizeof *global);
    global->name = arena_print(unit->module, "%s", name);
    global->bytes = bytes;
    global->declaration = declaration;
    *(unit->last_global ? &unit->last_global->next : &unit->globals) = global;
    unit->last_global = global;
    return global;
}

void source_relocation(SourceUnit *unit, SourceGlobal *global, long offset, SourceOpcode code, const char *symbol,
                       long bytes, int64_t addend)
{
    SourceRelocation *relocation = arena_alloc(unit->module, sizeof *relocation), **at = &global->relocations;
    relocation->offset = offset;
    relocation->code = code;
    relocation->bytes = bytes;
    relocation->addend = addend;
    const size_t size = code == SO_STRING ? (size_t)bytes : strlen(symbol) + 1;
    relocation->symbol = memcpy(arena_alloc(unit->module, size), symbol, size);
    while (*at && (*at)->offset < offset)
        at = &(*at)->next;
    relocation->next = *at;
    *at = relocation;
}

void source_pragma(SourceUnit *unit, const char *text, bool is_inside, Loc loc)
{
    SourcePragma *pragma = arena_alloc(unit->module, sizeof *pragma);
    pragma->text = arena_print(unit->module, "%s", text);
    pragma->is_inside = is_inside;
    pragma->loc = loc;
    *(unit->last_pragma ? &unit->last_pragma->next : &unit->pragmas) = pragma;
    unit->last_pragma = pragma;
}

SourceBlock *source_block_new(SourceFunction *function)
{
    SourceBlock *block = arena_alloc(function->unit->module, sizeof *block);
    block->id = -1;
    return block;
}

void source_place(SourceFunction *function, SourceBlock *block)
{
    block->id = function->nblocks++;
    *(function->last_block ? &function->last_block->next : &function->blocks) = block;
    function->last_block = block;
}

void source_fail(SourceFunction *function, Loc loc, const char *format, ...)
{
    if (function->failed)
        return;
    va_list list;
    va_start(list, format);
    function->failed = arena_vprint(function->unit->module, format, list);
    va_end(list);
    function->failed_loc = loc;
}

const char *source_opaque(const SourceFunction *function)
{
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_CALL && i->symbol &&
                (!strcmp(i->symbol, "asm") || !strcmp(i->symbol, "goto") || !strcmp(i->symbol, "typeof")))
                return i->symbol;
    return NULL;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

Operand source_integer(int64_t value)
{
    Operand x = {.kind = OPERAND_INTEGER};
    x.integer = (uint64_t)value;
    return x;
}

Operand source_number(double value)
{
    Operand x = {.kind = OPERAND_FLOAT};
    x.number = value;
    return x;
}

Operand source_of(SourceVariable *variable)
{
    Operand x = {.kind = OPERAND_VARIABLE};
    x.variable = variable;
    return x;
}

static const Operand nothing = {.kind = OPERAND_NONE};

/* A constant in the range of the type that it is read as.  */
static Operand fitted(Operand x, SourceType type)
{
    if (x.kind != OPERAND_INTEGER)
        return x;
    const int unused = 64 - 8 * types[type].bytes;
    if (type == ST_B)
        x.integer &= 1;
    else if (unused > 0 && unused < 64)
        x.integer = types[type].is_signed ? (uint64_t)((int64_t)(x.integer << unused) >> unused)
                                          : x.integer << unused >> unused;
    return x;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static Instruction *emit(SourceBuilder *builder, SourceOpcode code, SourceType type, Operand x, Operand y)
{
    Instruction *instruction = arena_alloc(builder->function->unit->module, sizeof *instruction);
    instruction->code = code;
    instruction->type = type;
    instruction->args[0] = x;
    instruction->args[1] = y;
    instruction->loc = builder->loc;
    SourceBlock *block = builder->block;
    if (!block)
        return instruction;
    *(block->last ? &block->last->next : &block->first) = instruction;
    block->last = instruction;
    if (source_ends_block(instruction))
        builder->block = NULL;
    return instruction;
}

static Operand result(SourceBuilder *builder, Instruction *instruction)
{
    Operand x = {.kind = OPERAND_TEMPORARY};
    x.temporary = instruction->temporary = ++builder->function->ntemporaries;
    return x;
}

Operand source_unary(SourceBuilder *builder, SourceOpcode code, SourceType type, Operand x)
{
    return result(builder, emit(builder, code, type, fitted(x, type), nothing));
}

Operand source_binary(SourceBuilder *builder, SourceOpcode code, SourceType type, Operand x, Operand y)
{
    return result(builder, emit(builder, code, type, fitted(x, type), fitted(y, type)));
}

static Operand converted(SourceBuilder *builder, SourceOpcode code, SourceType from, SourceType to, Operand x)
{
    if (from == to)
        return x;
    Instruction *instruction = emit(builder, code, to, fitted(x, from), nothing);
    instruction->from = from;
    return result(builder, instruction);
}

Operand source_convert(SourceBuilder *builder, SourceType from, SourceType to, Operand x)
{
    return converted(builder, SO_CONV, from, to, x);
}

Operand source_bits(SourceBuilder *builder, SourceType from, SourceType to, Operand x)
{
    return converted(builder, SO_BITS, from, to, x);
}

void source_copy(SourceBuilder *builder, SourceVariable *variable, Operand x)
{
    emit(builder, SO_COPY, variable->type, fitted(x, variable->type), nothing)->variable = variable;
}

Operand source_load(SourceBuilder *builder, SourceType type, Operand address, bool is_volatile)
{
    Instruction *instruction = emit(builder, SO_LOAD, type, address, nothing);
    instruction->is_volatile = is_volatile;
    return result(builder, instruction);
}

void source_store(SourceBuilder *builder, SourceType type, Operand address, Operand x, bool is_volatile)
{
    emit(builder, SO_STORE, type, address, fitted(x, type))->is_volatile = is_volatile;
}

void source_spell(SourceBuilder *builder, const char *text, size_t length)
{
    Instruction *last = builder->block ? builder->block->last : NULL;
    if (last && (last->code == SO_LOAD || last->code == SO_STORE))
        last->spelling = arena_print(builder->function->unit->module, "%.*s", (int)length, text);
}

void source_move(SourceBuilder *builder, Operand to, Operand from, long bytes)
{
    emit(builder, SO_MOVE, ST_V, to, from)->bytes = bytes;
}

void source_zero(SourceBuilder *builder, Operand address, long bytes)
{
    emit(builder, SO_ZERO, ST_V, address, nothing)->bytes = bytes;
}

Operand source_address(SourceBuilder *builder, SourceObject *object)
{
    Instruction *instruction = emit(builder, SO_ADDR, ST_P, nothing, nothing);
    instruction->object = object;
    return result(builder, instruction);
}

Operand source_symbol(SourceBuilder *builder, SourceOpcode code, const char *name)
{
    Instruction *instruction = emit(builder, code, ST_P, nothing, nothing);
    instruction->symbol = arena_print(builder->function->unit->module, "%s", name);
    return result(builder, instruction);
}

Operand source_string(SourceBuilder *builder, const char *string, long bytes)
{
    Instruction *instruction = emit(builder, SO_STRING, ST_P, nothing, nothing);
    instruction->string = memcpy(arena_alloc(builder->function->unit->module, (size_t)bytes), string, (size_t)bytes);
    instruction->bytes = bytes;
    return result(builder, instruction);
}

Operand source_allocate(SourceBuilder *builder, Operand bytes, int alignment)
{
    Instruction *instruction = emit(builder, SO_ALLOCATE, ST_P, bytes, nothing);
    instruction->bytes = alignment;
    return result(builder, instruction);
}

static Instruction *emit_call(SourceBuilder *builder, SourceType type, const char *name, Operand callee, int narguments,
                              const SourceArgument *arguments)
{
    Module *module = builder->function->unit->module;
    Instruction *instruction = emit(builder, SO_CALL, type, name ? nothing : callee, nothing);
    instruction->symbol = name ? arena_print(module, "%s", name) : NULL;
    instruction->narguments = narguments;
    instruction->task = builder->task;
    if (narguments) {
        instruction->arguments = arena_alloc(module, (size_t)narguments * sizeof *arguments);
        memcpy(instruction->arguments, arguments, (size_t)narguments * sizeof *arguments);
        for (int i = 0; i < narguments; i++)
            instruction->arguments[i].operand = fitted(arguments[i].operand, arguments[i].type);
    }
    if (type != ST_V && !source_type_is_aggregate(type))
        result(builder, instruction);
    return instruction;
}

static Operand result_of(const Instruction *call)
{
    Operand x = {.kind = call->temporary ? OPERAND_TEMPORARY : OPERAND_NONE};
    x.temporary = call->temporary;
    return x;
}

Operand source_call(SourceBuilder *builder, SourceType type, const char *name, Operand callee, int narguments,
                    const SourceArgument *arguments)
{
    return result_of(emit_call(builder, type, name, callee, narguments, arguments));
}

Operand source_call_variadic(SourceBuilder *builder, SourceType type, const char *name, Operand callee, int narguments,
                             const SourceArgument *arguments, int nnamed)
{
    Instruction *instruction = emit_call(builder, type, name, callee, narguments, arguments);
    instruction->is_variadic = true;
    instruction->nnamed = nnamed;
    return result_of(instruction);
}

void source_mark(SourceBuilder *builder, int pragma)
{
    emit(builder, SO_MARK, ST_V, nothing, nothing)->mark = pragma;
}

void source_jump(SourceBuilder *builder, SourceBlock *block)
{
    emit(builder, SO_JUMP, ST_V, nothing, nothing)->targets[0] = block;
}

void source_branch(SourceBuilder *builder, Operand x, SourceBlock *yes, SourceBlock *no)
{
    Instruction *instruction = emit(builder, SO_BRANCH, ST_B, x, nothing);
    instruction->targets[0] = yes;
    instruction->targets[1] = no;
}

void source_switch(SourceBuilder *builder, SourceType type, Operand x, int ncases, const SourceCase *cases,
                   SourceBlock *otherwise)
{
    Instruction *instruction = emit(builder, SO_SWITCH, type, x, nothing);
    instruction->targets[0] = otherwise;
    instruction->ncases = ncases;
    if (ncases) {
        instruction->cases = arena_alloc(builder->function->unit->module, (size_t)ncases * sizeof *cases);
        memcpy(instruction->cases, cases, (size_t)ncases * sizeof *cases);
    }
}

void source_return(SourceBuilder *builder, Operand x)
{
    const SourceType type = x.kind == OPERAND_NONE ? ST_V : builder->function->result;
    emit(builder, SO_RETURN, type, fitted(x, type), nothing);
}

void source_unreachable(SourceBuilder *builder)
{
    emit(builder, SO_UNREACHABLE, ST_V, nothing, nothing);
}
