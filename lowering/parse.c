/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse.c - the reader of textual IR: what print.c writes, and what tests write by hand.
 *
 *   kernel copy(%M: i64, %x: ptr<f32>, %y: ptr<f32>) grid(1) {
 *     body {
 *       %a = tensor<f32,2> ...      types of results may be left out where infer finds them
 *
 * One token of look-ahead and one function for each construct.  The first error is reported with its line and ends the
 * reading; from then on every function returns at once.  The reader makes objects that are sound in memory whatever the
 * text; whether they are a program is check.c's question.  Operands stand on the operation's line; a literal becomes a CONST
 * before its user; names are seen from their definition to the end of their block, parameters everywhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ir.h"
#include "text.h"

enum { MAX_NESTING = 100, MAX_EXTENT = 1 << 16, MAX_ROLES = 32, MAX_ITEMS = 1 << 16, MAX_ORDER = RELEASE_END - 1 };

typedef enum { T_END, T_WORD, T_VALUE, T_STRING, T_SIGN } TokenKind;

typedef struct {
    TokenKind kind;
    char *text; /* of a word; of a value without its %; of a string without its quotes; of a sign */
    int line, column;
} Token;

typedef struct {
    const char *name;
    Value *value;
} Binding;

typedef struct LateVariable {
    Value *value;
    const char *name;
    struct LateVariable *next;
} LateVariable;

typedef struct {
    Module *module;
    Kernel *kernel;
    Role *role; /* whose program is being read */
    const char *name;
    const char *cursor, *line_start;
    int line;
    Token token, last;
    bool failed;
    Binding *scope;
    int nscope, room;
    int nesting, items;
    LateVariable *late;
} Parser;

/* ---- errors and tokens ------------------------------------------------------------------------------------------- */

static Loc loc_of(const Parser *p, const Token *token)
{
    return (Loc){.file = p->name, .line = token->line, .column = token->column};
}

static Loc loc_here(const Parser *p)
{
    return loc_of(p, &p->token);
}

static void fail_at(Parser *p, Loc loc, const char *format, va_list list)
{
    if (p->failed)
        return;
    p->failed = true;
    const char *message = arena_vprint(p->module, format, list);
    if (p->module->diag)
        p->module->diag(p->module->diag_context, DIAG_ERROR, loc, message);
}

/* The token that comes is not the one that should.  */
__attribute__((format(printf, 2, 3))) static void fail(Parser *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(p, loc_here(p), format, list);
    va_end(list);
}

/* The token just read means nothing here.  */
__attribute__((format(printf, 2, 3))) static void fail_last(Parser *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(p, loc_of(p, &p->last), format, list);
    va_end(list);
}

static const char *shown(const Parser *p)
{
    return p->token.kind == T_END ? "the end of the text" : p->token.text;
}

static void skip_space(Parser *p)
{
    for (;; p->cursor++) {
        if (*p->cursor == '#')
            while (*p->cursor && *p->cursor != '\n')
                p->cursor++;
        if (*p->cursor == '\n') {
            p->line++;
            p->line_start = p->cursor + 1;
        } else if (*p->cursor != ' ' && *p->cursor != '\t' && *p->cursor != '\r') {
            return;
        }
    }
}

/* Letters, digits and what a number may hold: a sign in front or after an exponent's e.  */
static const char *word_end(const char *c)
{
    bool number = *c == '-' || (*c >= '0' && *c <= '9');
    if (*c == '-')
        c++;
    while (text_is_word(*c) || (number && (*c == '-' || *c == '+') && c[-1] == 'e'))
        c++;
    return c;
}

static char *copy_text(Parser *p, const char *from, const char *to)
{
    char *text = arena_alloc(p->module, (size_t)(to - from) + 1);
    memcpy(text, from, (size_t)(to - from));
    return text;
}

static void read_string(Parser *p)
{
    const char *from = ++p->cursor;
    while (*p->cursor && *p->cursor != '"' && *p->cursor != '\n')
        p->cursor += *p->cursor == '\\' && p->cursor[1] && p->cursor[1] != '\n' ? 2 : 1;
    p->token.kind = T_STRING;
    p->token.text = copy_text(p, from, p->cursor);
    if (*p->cursor != '"') {
        fail(p, "a string without an end");
        return;
    }
    p->cursor++;
    char *to = p->token.text;
    for (const char *c = to; *c; *to++ = *c++)
        if (*c == '\\')
            c++;
    *to = 0;
}

static void next(Parser *p)
{
    p->last = p->token;
    skip_space(p);
    p->token = (Token){.kind = T_END, .line = p->line, .column = (int)(p->cursor - p->line_start) + 1, .text = ""};
    if (p->failed || !*p->cursor)
        return;
    if (*p->cursor == '"') {
        read_string(p);
        return;
    }
    const char *from = p->cursor;
    bool is_value = *from == '%';
    const char *end = word_end(from + is_value);
    if (end > from + is_value) {
        p->token.kind = is_value ? T_VALUE : T_WORD;
        p->token.text = copy_text(p, from + is_value, end);
    } else {
        end = from + ((*from == '<' || *from == '>' || *from == '!' || *from == '=') && from[1] == '=' ? 2 : 1);
        p->token.kind = T_SIGN;
        p->token.text = copy_text(p, from, end);
    }
    p->cursor = end;
}

static bool at(const Parser *p, const char *text)
{
    return (p->token.kind == T_SIGN || p->token.kind == T_WORD) && !strcmp(p->token.text, text);
}

static bool accept(Parser *p, const char *text)
{
    if (p->failed || !at(p, text))
        return false;
    next(p);
    return true;
}

static void expect(Parser *p, const char *text)
{
    if (!accept(p, text))
        fail(p, "expected '%s', found '%s'", text, shown(p));
}

static const char *word(Parser *p, const char *what)
{
    if (p->token.kind != T_WORD) {
        fail(p, "expected %s, found '%s'", what, shown(p));
        return "";
    }
    const char *text = p->token.text;
    next(p);
    return text;
}

static int64_t to_int(Parser *p, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno == ERANGE && *text != '-') {
        errno = 0;
        value = (long long)strtoull(text, &end, 10);
    }
    if (errno || end == text || *end)
        fail_last(p, "expected an integer, found '%s'", text);
    return value;
}

static int64_t number(Parser *p)
{
    return to_int(p, word(p, "a number"));
}

static int number_up_to(Parser *p, int lowest, int highest)
{
    int64_t value = number(p);
    if (value < lowest || value > highest)
        fail_last(p, "%lld is not between %d and %d", (long long)value, lowest, highest);
    return p->failed ? lowest : (int)value;
}

static double to_double(Parser *p, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end)
        fail_last(p, "expected a number, found '%s'", text);
    return value;
}

static int choice(Parser *p, const char *what, const char *const *words, int count)
{
    const char *text = word(p, what);
    for (int i = 0; i < count; i++)
        if (*words[i] && !strcmp(text, words[i]))
            return i;
    fail_last(p, "'%s' is not %s", text, what);
    return 0;
}

static const char *name_word(Parser *p)
{
    const char *text = word(p, "a name");
    if (strchr(text, '.') || *text == '-' || (*text >= '0' && *text <= '9'))
        fail_last(p, "'%s' is not a C name", text);
    return text;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static Value *find(const Parser *p, const char *name)
{
    for (int i = p->nscope - 1; i >= 0; i--)
        if (!strcmp(p->scope[i].name, name))
            return p->scope[i].value;
    return NULL;
}

static void bind(Parser *p, const char *name, Value *value)
{
    if (find(p, name)) {
        p->last.line = value->loc.line;
        p->last.column = value->loc.column;
        fail_last(p, "%%%s is defined again", name);
    }
    if (p->nscope == p->room) {
        int room = p->room ? 2 * p->room : 64;
        Binding *larger = arena_alloc(p->module, (size_t)room * sizeof *larger);
        if (p->nscope)
            memcpy(larger, p->scope, (size_t)p->nscope * sizeof *larger);
        p->scope = larger;
        p->room = room;
    }
    p->scope[p->nscope++] = (Binding){name, value};
}

/* The user's name in %acc.2 is acc; %12 has none.  */
static const char *user_name(Parser *p, const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot && dot > name && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == 0)
        name = copy_text(p, name, dot);
    return name[strspn(name, "0123456789")] ? name : NULL;
}

static Role *find_role(Parser *p, const char *name)
{
    FOR_ROLES (role, p->kernel)
        if (!strcmp(role->name, name))
            return role;
    fail_last(p, "there is no role '%s'", name);
    return NULL;
}

static Aref *find_aref(Parser *p, const char *name)
{
    FOR_AREFS (aref, p->kernel)
        if (!strcmp(aref->name, name))
            return aref;
    fail_last(p, "there is no aref '%s'", name);
    return NULL;
}

static Storage *find_storage(Parser *p, const char *name)
{
    FOR_STORAGES (storage, p->kernel)
        if (!strcmp(storage->name, name))
            return storage;
    fail_last(p, "there is no storage '%s'", name);
    return NULL;
}

static Variable *find_variable(Parser *p, const char *name)
{
    for (Variable *variable = p->kernel->variables; variable; variable = variable->next)
        if (variable->role == p->role && !strcmp(variable->name, name))
            return variable;
    for (Variable *variable = p->kernel->variables; variable; variable = variable->next)
        if (!variable->role && !strcmp(variable->name, name))
            return variable;
    fail_last(p, "there is no variable '%s'", name);
    return NULL;
}

static uint32_t role_list(Parser *p)
{
    uint32_t roles = 0;
    do {
        Role *role = find_role(p, word(p, "a role"));
        roles |= role ? ROLE_BIT(role) : 0;
    } while (accept(p, ","));
    return roles;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static int find_dtype(const char *text)
{
    for (int i = 0; i < D_COUNT; i++)
        if (!strcmp(text, dtype_text((Dtype)i)))
            return i;
    return -1;
}

static Dtype parse_dtype(Parser *p)
{
    const char *text = word(p, "an element type");
    int dtype = find_dtype(text);
    if (dtype < 0)
        fail_last(p, "'%s' is not an element type", text);
    return dtype < 0 ? D_I32 : (Dtype)dtype;
}

/* 128x64 */
static void parse_shape(Parser *p, Type *type)
{
    const char *text = word(p, "a shape");
    const char *x = strchr(text, 'x');
    if (!x) {
        fail_last(p, "expected a shape such as 128x64, found '%s'", text);
        return;
    }
    int64_t rows = to_int(p, copy_text(p, text, x)), cols = to_int(p, x + 1);
    if (rows < 0 || rows > MAX_EXTENT || cols < 0 || cols > MAX_EXTENT)
        fail_last(p, "'%s' is not a shape of a tile", text);
    type->rows = p->failed ? 0 : (int)rows;
    type->cols = p->failed ? 0 : (int)cols;
}

static Type parse_type(Parser *p)
{
    Type type = {K_NONE};
    if (accept(p, "?"))
        return type;
    const char *text = word(p, "a type");
    int dtype = find_dtype(text);
    if (dtype >= 0)
        return type_scalar((Dtype)dtype);
    for (int kind = K_PTR; kind < TEXT_KINDS; kind++)
        if (!strcmp(text, text_kinds[kind]))
            type.kind = (Kind)kind;
    if (type.kind == K_NONE) {
        fail_last(p, "'%s' is not a type", text);
        return type;
    }
    expect(p, "<");
    type.dtype = parse_dtype(p);
    if (type.kind != K_PTR)
        expect(p, ",");
    if (type.kind == K_TENSOR)
        type.rank = number_up_to(p, 0, 8);
    else if (type.kind != K_PTR)
        parse_shape(p, &type);
    expect(p, ">");
    return type;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A definition as written, before the op that it belongs to exists.  */
typedef struct {
    const char *name;
    Type type;
    bool split;
    const char *var; /* a variable's name */
    Loc loc;
} Definition;

static Definition parse_definition(Parser *p)
{
    Definition definition = {.name = p->token.text, .loc = loc_here(p)};
    if (p->token.kind != T_VALUE)
        fail(p, "expected a value, found '%s'", shown(p));
    next(p);
    if (accept(p, ":"))
        definition.type = parse_type(p);
    definition.split = accept(p, "split");
    if (accept(p, "var")) {
        expect(p, "=");
        definition.var = word(p, "a variable");
    }
    return definition;
}

static void define(Parser *p, const Definition *definition, Value *value)
{
    value->split = definition->split;
    if (definition->var)
        value->var = find_variable(p, definition->var);
    value->loc = definition->loc;
    bind(p, definition->name, value);
}

static void define_block_arg(Parser *p, Block *block, const Definition *definition)
{
    define(p, definition,
           block_arg(p->kernel, block, definition->type, user_name(p, definition->name), definition->loc));
}

static bool text_is_literal(const char *text)
{
    return *text == '-' || (*text >= '0' && *text <= '9') || !strcmp(text, "inf") || !strcmp(text, "nan");
}

static bool at_operand(const Parser *p)
{
    return p->token.kind == T_VALUE || (p->token.kind == T_WORD && text_is_literal(p->token.text));
}

/* 64, 64:i64, 1.5:f32; the CONST is appended to the block.  */
static Value *parse_literal(Parser *p, Block *block)
{
    Loc loc = loc_here(p);
    const char *text = word(p, "a literal");
    bool is_int = text[strspn(text, "-0123456789")] == 0;
    Dtype dtype = is_int ? D_I32 : D_F64;
    if (accept(p, ":"))
        dtype = parse_dtype(p);
    Op *op = op_new(p->kernel, OP_CONST, loc, 0, NULL);
    if (dtype_is_float(dtype))
        op->fval = to_double(p, text);
    else
        op->ival = to_int(p, text);
    op_append(block, op);
    return op_result(p->kernel, op, type_scalar(dtype), NULL);
}

static Value *parse_operand(Parser *p, Block *block)
{
    if (p->token.kind == T_WORD && text_is_literal(p->token.text))
        return parse_literal(p, block);
    if (p->token.kind != T_VALUE) {
        fail(p, "expected a value, found '%s'", shown(p));
        return NULL;
    }
    Value *value = find(p, p->token.text);
    if (!value)
        fail(p, "%%%s is not defined here", p->token.text);
    next(p);
    return value;
}

static void parse_arg(Parser *p, Block *block, Op *op)
{
    Value *value = parse_operand(p, block);
    if (value)
        op_add_arg(p->kernel, op, value);
}

/* ---- what passes have found --------------------------------------------------------------------------------------- */

static int parse_place(Parser *p)
{
    return accept(p, "end") ? RELEASE_END : number_up_to(p, -MAX_ORDER, MAX_ORDER);
}

static void parse_note(Parser *p, Op *op)
{
    const char *key = word(p, "a note");
    expect(p, "=");
    if (!strcmp(key, "tag"))
        op->tag = (Tag)choice(p, "a tag", text_tags, TEXT_TAGS);
    else if (!strcmp(key, "role"))
        op->roles = role_list(p);
    else if (!strcmp(key, "stage"))
        op->stage = number_up_to(p, -1000, 1000);
    else if (!strcmp(key, "order"))
        op->order = parse_place(p);
    else if (!strcmp(key, "depth"))
        op->depth = number_up_to(p, 0, 1000);
    else if (!strcmp(key, "release"))
        op->release = parse_place(p);
    else if (!strcmp(key, "aref"))
        op->aref = find_aref(p, word(p, "an aref"));
    else if (!strcmp(key, "storage"))
        op->storage = find_storage(p, word(p, "a storage"));
    else
        fail_last(p, "'%s' is not a note", key);
}

/* Literals before an op share its row of the schedule table.  */
static void note_literals(Op *op, Op *last_before)
{
    for (Op *literal = op->prev; literal && literal != last_before && literal->code == OP_CONST;
         literal = literal->prev) {
        literal->tag = op->tag ? TAG_ITERATION : TAG_NONE;
        literal->roles = op->roles;
        literal->stage = op->stage;
        literal->order = op->order;
    }
}

static void parse_notes(Parser *p, Op *op)
{
    if (!accept(p, "|"))
        return;
    while (p->token.kind == T_WORD && p->token.line == op->loc.line && !p->failed)
        parse_note(p, op);
}

static int parse_setting(Parser *p)
{
    return accept(p, "_") ? -1 : number_up_to(p, 0, 1000);
}

static void parse_pipeline_clause(Parser *p, Pipeline *pipeline, const char *clause)
{
    expect(p, "(");
    if (!strcmp(clause, "schedule")) {
        pipeline->schedule = (Schedule)choice(p, "a schedule", text_schedules, TEXT_SCHEDULES);
    } else if (!strcmp(clause, "puts")) {
        pipeline->put_count = number_up_to(p, 0, MAX_ITEMS);
    } else {
        if (p->token.kind != T_STRING)
            fail(p, "expected a string, found '%s'", shown(p));
        pipeline->missed = p->token.text;
        next(p);
    }
    expect(p, ")");
}

/* pipeline(4,2) schedule(fine) pingpong */
static Pipeline *parse_pipeline(Parser *p)
{
    Pipeline *pipeline = arena_alloc(p->module, sizeof *pipeline);
    pipeline->loc = loc_here(p);
    expect(p, "pipeline");
    expect(p, "(");
    pipeline->automatic = accept(p, "auto");
    pipeline->depth = pipeline->in_flight = -1;
    if (!at(p, ")"))
        pipeline->depth = parse_setting(p);
    if (accept(p, ","))
        pipeline->in_flight = parse_setting(p);
    expect(p, ")");
    while (!p->failed) {
        if (accept(p, "pingpong"))
            pipeline->pingpong = true;
        else if (at(p, "schedule") || at(p, "puts") || at(p, "missed"))
            parse_pipeline_clause(p, pipeline, word(p, "a clause"));
        else
            break;
    }
    return pipeline;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static void parse_statements(Parser *p, Block *block);

static int find_opcode(const char *text)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (!strcmp(text, op_info[i].text))
            return i;
    return -1;
}

/* The rest of a block after its arguments: { statements }, ended by a yield whether written or not.  */
static void parse_block(Parser *p, Block *block)
{
    expect(p, "{");
    if (++p->nesting > MAX_NESTING)
        fail(p, "blocks are nested too deeply");
    parse_statements(p, block);
    p->nesting--;
    if (!block->last || (block->last->code != OP_YIELD && block->last->code != OP_COND))
        op_append(block, op_new(p->kernel, OP_YIELD, loc_here(p), 0, NULL));
    expect(p, "}");
}

static void parse_notes_and_block(Parser *p, Op *op, int scope)
{
    if (at(p, "pipeline"))
        op->pipeline = parse_pipeline(p);
    parse_notes(p, op);
    parse_block(p, op->blocks[0]);
    p->nscope = scope;
}

static Opcode parse_compare(Parser *p)
{
    for (Opcode code = OP_EQI; code <= OP_GEI; code++)
        if (accept(p, op_info[code].call))
            return code;
    fail(p, "expected a comparison, found '%s'", shown(p));
    return OP_LTI;
}

/* %k: i32 = 0, < %K, 64; the definition is bound only after the operands.  */
static Definition parse_range(Parser *p, Block *outer, Op *op, Opcode *compare)
{
    Definition definition = parse_definition(p);
    expect(p, "=");
    parse_arg(p, outer, op);
    expect(p, ",");
    *compare = parse_compare(p);
    parse_arg(p, outer, op);
    expect(p, ",");
    parse_arg(p, outer, op);
    return definition;
}

enum { MAX_LIST = 256 };

static void parse_carried(Parser *p, Block *outer, Op *op, Definition *definitions, int *count)
{
    if (*count == MAX_LIST)
        fail(p, "too many carried values");
    if (p->failed)
        return;
    definitions[(*count)++] = parse_definition(p);
    expect(p, "=");
    parse_arg(p, outer, op);
}

static void define_block_args(Parser *p, Block *block, const Definition *definitions, int count)
{
    for (int i = 0; i < count; i++)
        define_block_arg(p, block, &definitions[i]);
}

static void parse_for(Parser *p, Block *outer, Op *op)
{
    Definition definitions[MAX_LIST];
    int count = 1;
    Opcode compare;
    definitions[0] = parse_range(p, outer, op, &compare);
    op->ival = compare;
    while (accept(p, ";"))
        parse_carried(p, outer, op, definitions, &count);
    int scope = p->nscope;
    define_block_args(p, block_new(p->kernel, op), definitions, count);
    parse_notes_and_block(p, op, scope);
}

static void parse_grid(Parser *p, Block *outer, Op *op)
{
    Definition definitions[MAX_LIST];
    int count = 0;
    do {
        Opcode compare;
        if (count == MAX_LIST)
            fail(p, "too many dimensions");
        if (p->failed)
            return;
        definitions[count++] = parse_range(p, outer, op, &compare);
        if (compare != OP_LTI)
            fail_last(p, "a grid compares with '<'");
    } while (accept(p, ";"));
    int scope = p->nscope;
    define_block_args(p, block_new(p->kernel, op), definitions, count);
    parse_notes_and_block(p, op, scope);
}

/* %x: i32; %y: i32, or nothing */
static void parse_block_args(Parser *p, Block *block)
{
    if (p->token.kind != T_VALUE)
        return;
    do {
        Definition definition = parse_definition(p);
        define_block_arg(p, block, &definition);
    } while (accept(p, ";") && !p->failed);
}

static void parse_while(Parser *p, Block *outer, Op *op)
{
    Definition definitions[MAX_LIST];
    int count = 0;
    if (p->token.kind == T_VALUE)
        do
            parse_carried(p, outer, op, definitions, &count);
        while (accept(p, ";"));
    int scope = p->nscope;
    define_block_args(p, block_new(p->kernel, op), definitions, count);
    parse_notes_and_block(p, op, scope);
    expect(p, "do");
    Block *body = block_new(p->kernel, op);
    parse_block_args(p, body);
    parse_block(p, body);
    p->nscope = scope;
}

static void parse_if(Parser *p, Block *outer, Op *op)
{
    parse_arg(p, outer, op);
    int scope = p->nscope;
    block_new(p->kernel, op);
    parse_notes_and_block(p, op, scope);
    Block *otherwise = block_new(p->kernel, op);
    if (accept(p, "else"))
        parse_block(p, otherwise);
    else
        op_append(otherwise, op_new(p->kernel, OP_YIELD, loc_here(p), 0, NULL));
    p->nscope = scope;
}

/* fill=-1, dim=0, "name" */
static void parse_attributes(Parser *p, Op *op)
{
    while (!p->failed && p->token.line == op->loc.line) {
        if (p->token.kind == T_STRING) {
            op->sval = p->token.text;
            next(p);
        } else if (accept(p, "fill")) {
            expect(p, "=");
            op->fval = to_double(p, word(p, "a number"));
            op->ival = op_info[op->code].class_ == CLASS_LOAD ? 1 : op->ival;
        } else if (accept(p, text_ival_name(op->code))) {
            expect(p, "=");
            op->ival = number(p);
        } else {
            return;
        }
    }
}

static void parse_plain(Parser *p, Block *outer, Op *op)
{
    if (op->code == OP_FULL) {
        op->fval = to_double(p, word(p, "a number"));
    } else if (at_operand(p) && p->token.line == op->loc.line) {
        do
            parse_arg(p, outer, op);
        while (accept(p, ","));
    }
    parse_attributes(p, op);
    parse_notes(p, op);
}

static void parse_op(Parser *p, Block *block, Op *op)
{
    Op *last_before = block->last;
    switch (op->code) {
    case OP_FOR:
        parse_for(p, block, op);
        break;
    case OP_GRID:
        parse_grid(p, block, op);
        break;
    case OP_WHILE:
        parse_while(p, block, op);
        break;
    case OP_IF:
        parse_if(p, block, op);
        break;
    default:
        parse_plain(p, block, op);
    }
    op_append(block, op);
    if (p->role && !op->roles && (op->tag || op->order))
        op->roles = ROLE_BIT(p->role);
    note_literals(op, last_before);
}

static void parse_statement(Parser *p, Block *block)
{
    Definition results[MAX_LIST];
    int nresults = 0;
    if (p->token.kind == T_VALUE) {
        do {
            if (nresults == MAX_LIST)
                fail(p, "too many results");
            else
                results[nresults++] = parse_definition(p);
        } while (accept(p, ",") && !p->failed);
        expect(p, "=");
    }
    Loc loc = loc_here(p);
    const char *text = word(p, "an operation");
    int code = find_opcode(text);
    if (code < 0 || code == OP_CONST)
        fail_last(p, "'%s' is not an operation", text);
    if (++p->items > MAX_ITEMS)
        fail(p, "too many operations");
    if (p->failed)
        return;
    Op *op = op_new(p->kernel, (Opcode)code, loc, 0, NULL);
    parse_op(p, block, op);
    for (int i = 0; i < nresults && !p->failed; i++)
        define(p, &results[i], op_result(p->kernel, op, results[i].type, user_name(p, results[i].name)));
}

static void parse_statements(Parser *p, Block *block)
{
    while (!p->failed && !at(p, "}") && p->token.kind != T_END)
        parse_statement(p, block);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static void parse_cluster(Parser *p, Grid *grid)
{
    grid->cluster[0] = number_up_to(p, 0, 1000);
    expect(p, ",");
    grid->cluster[1] = number_up_to(p, 0, 1000);
}

static void parse_order(Parser *p, Grid *grid)
{
    grid->order = (TileOrder)choice(p, "an order", text_orders, TEXT_ORDERS);
    if (grid->order == ORDER_GROUPED && accept(p, ","))
        grid->order_group = number_up_to(p, 0, MAX_ITEMS);
}

static void parse_consumers(Parser *p, Grid *grid)
{
    grid->consumers = number_up_to(p, 0, 1000);
    if (accept(p, ","))
        grid->split = (Split)choice(p, "a split", text_splits, TEXT_SPLITS);
}

static void parse_registers(Parser *p, Grid *grid)
{
    grid->producer_registers = number_up_to(p, 0, 1000);
    expect(p, ",");
    grid->consumer_registers = number_up_to(p, 0, 1000);
}

static void parse_dims(Parser *p, Grid *grid)
{
    grid->dims = number_up_to(p, 0, 1000);
}

static void parse_grid_clauses(Parser *p, Grid *grid)
{
    static const struct {
        const char *name;
        void (*parse)(Parser *p, Grid *grid);
    } clauses[] = {{"grid", parse_dims},
                   {"cluster", parse_cluster},
                   {"order", parse_order},
                   {"consumers", parse_consumers},
                   {"registers", parse_registers}};
    grid->loc = loc_here(p);
    while (p->token.kind == T_WORD && !p->failed) {
        if (accept(p, "persistent")) {
            grid->persistent = true;
            grid->persistent_given = !accept(p, "(");
            if (!grid->persistent_given) {
                expect(p, "chosen");
                expect(p, ")");
            }
            continue;
        }
        const char *name = word(p, "a clause");
        size_t i = 0;
        while (i < sizeof clauses / sizeof *clauses && strcmp(clauses[i].name, name))
            i++;
        if (i == sizeof clauses / sizeof *clauses) {
            fail_last(p, "'%s' is not a clause", name);
            return;
        }
        expect(p, "(");
        clauses[i].parse(p, grid);
        expect(p, ")");
    }
}

/* A parameter's variable is declared further down.  */
static void late_variable(Parser *p, Value *value, Definition *definition)
{
    if (!definition->var)
        return;
    LateVariable *late = arena_alloc(p->module, sizeof *late);
    *late = (LateVariable){value, definition->var, p->late};
    p->late = late;
    definition->var = NULL;
}

static void parse_params(Parser *p)
{
    expect(p, "(");
    while (!p->failed && !at(p, ")")) {
        Definition definition = parse_definition(p);
        Value *value = kernel_param(p->kernel, definition.type, user_name(p, definition.name), definition.loc);
        late_variable(p, value, &definition);
        define(p, &definition, value);
        if (!accept(p, ","))
            break;
    }
    expect(p, ")");
}

/* key=value on the rest of the line */
static bool at_key(Parser *p, int line, const char *key)
{
    if (p->failed || p->token.line != line || !accept(p, key))
        return false;
    expect(p, "=");
    return true;
}

static void parse_launch(Parser *p, int line)
{
    Kernel *kernel = p->kernel;
    if (at_key(p, line, "layout"))
        kernel->layout = (Layout)choice(p, "a layout", text_layouts, TEXT_LAYOUTS);
    if (at_key(p, line, "threads"))
        kernel->threads = number_up_to(p, 0, MAX_ITEMS);
    if (at_key(p, line, "shared"))
        kernel->shared_bytes = number(p);
    if (at_key(p, line, "blocks"))
        kernel->min_blocks = number_up_to(p, 0, 1000);
}

static void parse_role(Parser *p, int line)
{
    int count = 0;
    FOR_ROLES (other, p->kernel)
        count++;
    if (count == MAX_ROLES)
        fail(p, "too many roles");
    Role *role = role_new(p->kernel, name_word(p), 0, 1);
    if (at_key(p, line, "warps"))
        role->warps = number_up_to(p, 0, 1000);
    if (at_key(p, line, "replicas"))
        role->replicas = number_up_to(p, 0, 1000);
    if (at_key(p, line, "registers"))
        role->registers = number_up_to(p, 0, 1000);
}

static void parse_storage(Parser *p, int line)
{
    const char *name = name_word(p);
    StorageUse use = (StorageUse)choice(p, "a use of storage", text_uses, TEXT_USES);
    Storage *storage = storage_new(p->kernel, name, use, parse_type(p), 1);
    if (at_key(p, line, "slots"))
        storage->slots = number_up_to(p, 0, 1000);
    if (at_key(p, line, "space"))
        storage->space = (Space)choice(p, "a space", text_spaces, TEXT_SPACES);
    if (at_key(p, line, "bytes"))
        storage->slot_bytes = number(p);
    if (at_key(p, line, "offset"))
        storage->offset = number(p);
    if (at_key(p, line, "alias"))
        storage->alias = number_up_to(p, -1, MAX_ITEMS);
}

static void parse_aref_storages(Parser *p, Aref *aref)
{
    Storage *storages[MAX_LIST];
    int count = 0;
    do {
        if (count == MAX_LIST)
            fail(p, "too many storages");
        else
            storages[count++] = find_storage(p, word(p, "a storage"));
    } while (accept(p, ",") && !p->failed);
    aref->nstorages = p->failed ? 0 : count;
    aref->storages = arena_alloc(p->module, (size_t)count * sizeof *aref->storages);
    aref->loads = arena_alloc(p->module, (size_t)count * sizeof *aref->loads);
    memcpy(aref->storages, storages, (size_t)count * sizeof *storages);
}

static void parse_aref(Parser *p, int line)
{
    Aref *aref = aref_new(p->kernel, name_word(p), 1);
    if (at_key(p, line, "slots"))
        aref->slots = number_up_to(p, 0, 1000);
    if (at_key(p, line, "producer"))
        aref->producer = find_role(p, word(p, "a role"));
    if (at_key(p, line, "consumers"))
        aref->consumers = role_list(p);
    if (at_key(p, line, "arrivals"))
        aref->arrivals = number_up_to(p, 0, 1000);
    if (at_key(p, line, "bytes"))
        aref->bytes = number(p);
    if (at_key(p, line, "lag"))
        aref->release_lag = number_up_to(p, 0, 1000);
    if (at_key(p, line, "storages"))
        parse_aref_storages(p, aref);
}

static void parse_variable(Parser *p, int line)
{
    Variable *variable = arena_alloc(p->module, sizeof *variable);
    Variable **end = &p->kernel->variables;
    while (*end)
        end = &(*end)->next;
    *end = variable;
    variable->name = name_word(p);
    expect(p, ":");
    variable->type = parse_type(p);
    if (at_key(p, line, "role"))
        variable->role = find_role(p, word(p, "a role"));
    variable->mutable_ = accept(p, "mutable");
    variable->field = accept(p, "field");
    variable->bare = accept(p, "bare");
}

static void parse_function(Parser *p, int line)
{
    (void)line;
    p->kernel->c_function = name_word(p);
}

static void parse_launcher(Parser *p, int line)
{
    (void)line;
    p->kernel->launcher = name_word(p);
}

/* A load that goes through an aref stands in its list at the place of its storage.  */
static void link_load(Op *op, void *context)
{
    (void)context;
    Aref *aref = op->aref;
    if (!aref || op_info[op->code].class_ != CLASS_LOAD)
        return;
    for (int i = 0; i < aref->nstorages; i++)
        if (op->storage ? aref->storages[i] == op->storage : !aref->loads[i]) {
            aref->loads[i] = op;
            break;
        }
    if (!aref->home)
        aref->home = op->parent;
}

static void parse_body(Parser *p, int line)
{
    (void)line;
    int scope = p->nscope;
    expect(p, "{");
    parse_statements(p, p->kernel->body);
    expect(p, "}");
    p->nscope = scope;
    ir_walk(p->kernel->body, link_load, NULL);
}

static void parse_program(Parser *p, int line)
{
    (void)line;
    Role *role = find_role(p, word(p, "a role"));
    if (!role)
        return;
    if (role->body)
        fail(p, "the program of '%s' is given again", role->name);
    role->body = block_new(p->kernel, NULL);
    p->role = role;
    int scope = p->nscope;
    parse_block_args(p, role->body);
    expect(p, "{");
    parse_statements(p, role->body);
    expect(p, "}");
    p->nscope = scope;
    p->role = NULL;
}

static void parse_section(Parser *p)
{
    static const struct {
        const char *name;
        void (*parse)(Parser *p, int line);
    } sections[] = {{"function", parse_function}, {"launcher", parse_launcher}, {"launch", parse_launch},
                    {"role", parse_role},         {"storage", parse_storage},   {"aref", parse_aref},
                    {"variable", parse_variable}, {"body", parse_body},         {"program", parse_program}};
    int line = p->token.line;
    const char *name = word(p, "a section");
    if (++p->items > MAX_ITEMS)
        fail(p, "too many sections");
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !p->failed; i++)
        if (!strcmp(sections[i].name, name)) {
            sections[i].parse(p, line);
            return;
        }
    fail_last(p, "'%s' is not a section of a kernel", name);
}

static void parse_kernel(Parser *p)
{
    Loc loc = loc_here(p);
    expect(p, "kernel");
    const char *name = name_word(p);
    if (p->failed)
        return;
    p->kernel = kernel_new(p->module, name, loc);
    p->nscope = 0;
    parse_params(p);
    parse_grid_clauses(p, &p->kernel->grid);
    expect(p, "{");
    while (!p->failed && !at(p, "}"))
        parse_section(p);
    expect(p, "}");
    for (; p->late && !p->failed; p->late = p->late->next)
        p->late->value->var = find_variable(p, p->late->name);
    p->late = NULL;
}

Module *ir_parse(const char *text, const char *name, DiagFn diag, void *context)
{
    Module *module = module_new(name, diag, context);
    Parser parser = {.module = module, .name = module->source, .cursor = text, .line_start = text, .line = 1};
    next(&parser);
    while (!parser.failed && parser.token.kind != T_END)
        parse_kernel(&parser);
    if (!parser.failed)
        return module;
    module_free(module);
    return NULL;
}
