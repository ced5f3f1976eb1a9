/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse-ops.c - the reader of types, definitions, operations and blocks (parse.c reads kernels).
 */
#include <string.h>

#include "ir/parser.h"
#include "ir/text.h"

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
        scan_fail_last(p, "%%%s is defined again", name);
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

/* Returns the user's name: acc for %acc.2, NULL for %12.  */
const char *parse_user_name(Parser *p, const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot && dot > name && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == 0)
        name = scan_copy(p, name, dot);
    return name[strspn(name, "0123456789")] ? name : NULL;
}

Role *parse_find_role(Parser *p, const char *name)
{
    FOR_ROLES (role, p->kernel)
        if (!strcmp(role->name, name))
            return role;
    scan_fail_last(p, "there is no role '%s'", name);
    return NULL;
}

Aref *parse_find_aref(Parser *p, const char *name)
{
    FOR_AREFS (aref, p->kernel)
        if (!strcmp(aref->name, name))
            return aref;
    scan_fail_last(p, "there is no aref '%s'", name);
    return NULL;
}

Storage *parse_find_storage(Parser *p, const char *name)
{
    FOR_STORAGES (storage, p->kernel)
        if (!strcmp(storage->name, name))
            return storage;
    scan_fail_last(p, "there is no storage '%s'", name);
    return NULL;
}

Variable *parse_find_variable(Parser *p, const char *name)
{
    bool launcher = !strncmp(name, "p.", 2);
    name += launcher ? 2 : 0;
    for (Variable *variable = p->kernel->variables; variable; variable = variable->next)
        if (variable->role == p->role && !launcher && !strcmp(variable->name, name))
            return variable;
    for (Variable *variable = p->kernel->variables; variable; variable = variable->next)
        if (!variable->role && !strcmp(variable->name, name))
            return variable;
    scan_fail_last(p, "there is no variable '%s'", name);
    return NULL;
}

uint32_t parse_role_list(Parser *p)
{
    uint32_t roles = 0;
    do {
        Role *role = parse_find_role(p, scan_word(p, "a role"));
        roles |= role ? ROLE_BIT(role) : 0;
    } while (scan_accept(p, ","));
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
    const char *text = scan_word(p, "an element type");
    int dtype = find_dtype(text);
    if (dtype < 0)
        scan_fail_last(p, "'%s' is not an element type", text);
    return dtype < 0 ? D_I32 : (Dtype)dtype;
}

/* Reads 128x64, or 1x98304: scratch memory in bytes.  */
static void parse_shape(Parser *p, Type *type)
{
    const char *text = scan_word(p, "a shape");
    const char *x = strchr(text, 'x');
    if (!x) {
        scan_fail_last(p, "expected a shape such as 128x64, found '%s'", text);
        return;
    }
    int64_t rows = scan_to_int(p, scan_copy(p, text, x)), cols = scan_to_int(p, x + 1);
    if (rows < 0 || rows > MAX_EXTENT || cols < 0 || cols > (rows == 1 ? MAX_SCRATCH : MAX_EXTENT))
        scan_fail_last(p, "'%s' is not a shape of a tile", text);
    type->rows = p->failed ? 0 : (int)rows;
    type->cols = p->failed ? 0 : (int)cols;
}

Type parse_type(Parser *p)
{
    Type type = {K_NONE};
    if (scan_accept(p, "?"))
        return type;
    const char *text = scan_word(p, "a type");
    int dtype = find_dtype(text);
    if (dtype >= 0)
        return type_scalar((Dtype)dtype);
    for (int kind = K_PTR; kind < TEXT_KINDS; kind++)
        if (!strcmp(text, text_kinds[kind]))
            type.kind = (Kind)kind;
    if (type.kind == K_NONE) {
        scan_fail_last(p, "'%s' is not a type", text);
        return type;
    }
    scan_expect(p, "<");
    type.dtype = parse_dtype(p);
    if (type.kind != K_PTR)
        scan_expect(p, ",");
    if (type.kind == K_TENSOR)
        type.rank = scan_number_up_to(p, 0, 8);
    else if (type.kind != K_PTR)
        parse_shape(p, &type);
    scan_expect(p, ">");
    return type;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Reads `split:ROLE`, or `split`: by groups of the program's role, and in the body by those of the role that
   stores.  */
static uint32_t parse_split(Parser *p)
{
    const Role *role = p->role ? p->role : role_that(p->kernel, ROLE_STORES);
    if (scan_accept(p, ":"))
        role = parse_find_role(p, scan_word(p, "a role"));
    if (!role && !p->failed)
        scan_fail(p, "no role divides rows");
    return role ? ROLE_BIT(role) : 0;
}

Definition parse_definition(Parser *p)
{
    Definition definition = {.name = p->token.text, .loc = scan_loc(p)};
    if (p->token.kind != T_VALUE)
        scan_fail(p, "expected a value, found '%s'", scan_shown(p));
    scan_next(p);
    if (scan_accept(p, ":"))
        definition.type = parse_type(p);
    while (scan_accept(p, "split"))
        definition.split |= parse_split(p);
    if (scan_accept(p, "var")) {
        scan_expect(p, "=");
        definition.var = scan_word(p, "a variable");
    }
    return definition;
}

void parse_define(Parser *p, const Definition *definition, Value *value)
{
    value->split = definition->split;
    if (definition->var)
        value->var = parse_find_variable(p, definition->var);
    value->loc = definition->loc;
    bind(p, definition->name, value);
}

static void define_block_arg(Parser *p, Block *block, const Definition *definition)
{
    parse_define(p, definition,
                 block_arg(p->kernel, block, definition->type, parse_user_name(p, definition->name), definition->loc));
}

static bool text_is_literal(const char *text)
{
    return *text == '-' || (*text >= '0' && *text <= '9') || !strcmp(text, "inf") || !strcmp(text, "nan");
}

static bool at_operand(const Parser *p)
{
    return p->token.kind == T_VALUE || (p->token.kind == T_WORD && text_is_literal(p->token.text));
}

/* Reads 64, 64:i64 or 1.5:f32, and appends the CONST to the block.  */
static Value *parse_literal(Parser *p, Block *block)
{
    Loc loc = scan_loc(p);
    const char *text = scan_word(p, "a literal");
    bool is_int = text[strspn(text, "-0123456789")] == 0;
    Dtype dtype = is_int ? D_I32 : D_F64;
    if (scan_accept(p, ":"))
        dtype = parse_dtype(p);
    Op *op = op_new(p->kernel, OP_CONST, loc, 0, NULL);
    if (dtype_is_float(dtype))
        op->scalar->real = scan_to_double(p, text);
    else
        op->scalar->integer = scan_to_int(p, text);
    op_append(block, op);
    return op_result(p->kernel, op, type_scalar(dtype), NULL);
}

Value *parse_operand(Parser *p, Block *block)
{
    if (p->token.kind == T_WORD && text_is_literal(p->token.text))
        return parse_literal(p, block);
    if (p->token.kind != T_VALUE) {
        scan_fail(p, "expected a value, found '%s'", scan_shown(p));
        return NULL;
    }
    Value *value = find(p, p->token.text);
    if (!value)
        scan_fail(p, "%%%s is not defined here", p->token.text);
    scan_next(p);
    return value;
}

static void parse_arg(Parser *p, Block *block, Op *op)
{
    Value *value = parse_operand(p, block);
    if (value)
        op_add_arg(p->kernel, op, value);
}

/* ---- attributes behind the bar ----------------------------------------------------------------------------------- */

static int parse_place(Parser *p)
{
    return scan_accept(p, "end") ? RELEASE_END : scan_number_up_to(p, -MAX_ORDER, MAX_ORDER);
}

static void parse_field(Parser *p, AttributeKind kind, void *field)
{
    switch (kind) {
    case KIND_FLAG:
        *(bool *)field = scan_number_up_to(p, 0, 1);
        break;
    case KIND_NUMBER:
        *(int *)field = scan_number_up_to(p, 0, MAX_EXTENT);
        break;
    case KIND_LONG:
        *(int64_t *)field = scan_number(p);
        break;
    case KIND_REAL:
        *(double *)field = scan_to_double(p, scan_word(p, "a number"));
        break;
    case KIND_TEXT:
        *(const char **)field = p->token.text;
        if (p->token.kind != T_STRING)
            scan_fail(p, "expected a string, found '%s'", scan_shown(p));
        scan_next(p);
        break;
    case KIND_SHARED:
        *(int *)field = scan_choice(p, "blocks of a cluster", text_alongs, TEXT_ALONGS);
        break;
    case KIND_AREF:
        *(Aref **)field = parse_find_aref(p, scan_word(p, "an aref"));
        break;
    case KIND_STORAGE:
        *(Storage **)field = parse_find_storage(p, scan_word(p, "a storage"));
        break;
    case KIND_CODE:
    case KIND_POINTER:
        break; /* the operation's own syntax shows it */
    }
}

/* Returns the attribute of the op with this name, "" for one without a name, or -1.  */
static int find_attribute(const Op *op, const char *name)
{
    FOR_ATTRIBUTES (i, op)
        if (!strcmp(attribute_info[i].text, name) && attribute_info[i].kind != KIND_CODE &&
            attribute_info[i].kind != KIND_POINTER)
            return i;
    return -1;
}

static bool parse_row(Parser *p, ScheduleRow *row, const char *key)
{
    if (!strcmp(key, "task"))
        row->task = scan_number_up_to(p, 0, 1000);
    else if (!strcmp(key, "ring"))
        row->ring = scan_number_up_to(p, 0, 1000);
    else if (!strcmp(key, "share"))
        row->share = scan_number_up_to(p, 0, 1000);
    else if (!strcmp(key, "tag"))
        row->tag = (Tag)scan_choice(p, "a tag", text_tags, TEXT_TAGS);
    else if (!strcmp(key, "role"))
        row->roles = parse_role_list(p);
    else if (!strcmp(key, "stage"))
        row->stage = scan_number_up_to(p, -1000, 1000);
    else if (!strcmp(key, "order"))
        row->order = parse_place(p);
    else if (!strcmp(key, "depth"))
        row->depth = scan_number_up_to(p, 0, 1000);
    else if (!strcmp(key, "release"))
        row->release = parse_place(p);
    else if (!strcmp(key, "maker"))
        row->maker = parse_role_list(p);
    else if (!strcmp(key, "transposer"))
        row->transposer = parse_role_list(p);
    else
        return false;
    return true;
}

static void parse_note(Parser *p, Op *op)
{
    const char *key = scan_word(p, "a note");
    int attribute = find_attribute(op, key);
    scan_expect(p, "=");
    if (attribute >= 0)
        parse_field(p, attribute_info[attribute].kind, attribute_of(op, attribute));
    else if (!parse_row(p, schedule_op(op), key))
        scan_fail_last(p, "'%s' is not a note of '%s'", key, op_info[op->code].text);
}

/* Copies the schedule of an op to the literals before it.  */
static void note_literals(Op *op, Op *last_before)
{
    for (Op *literal = op->prev; literal && literal != last_before && literal->code == OP_CONST;
         literal = literal->prev) {
        schedule_op(literal)->tag = schedule_of(op)->tag ? TAG_ITERATION : TAG_NONE;
        schedule_op(literal)->roles = schedule_of(op)->roles;
        schedule_op(literal)->stage = schedule_of(op)->stage;
        schedule_op(literal)->order = schedule_of(op)->order;
    }
}

static void parse_notes(Parser *p, Op *op)
{
    if (!scan_accept(p, "|"))
        return;
    while (p->token.kind == T_WORD && p->token.line == op->loc.line && !p->failed)
        parse_note(p, op);
}

static int parse_setting(Parser *p)
{
    return scan_accept(p, "_") ? -1 : scan_number_up_to(p, 0, 1000);
}

static int find_opcode(const char *text)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (!strcmp(text, op_info[i].text))
            return i;
    return -1;
}

static void parse_reduction(Parser *p, Pipeline *pipeline)
{
    Reduction *reduction = arena_alloc(p->module, sizeof *reduction), **end = &pipeline->reductions;
    const char *name = scan_word(p, "an operation");
    int code = name ? find_opcode(name) : -1;
    if (code != OP_SCALAR_ADD && code != OP_SCALAR_MUL && code != OP_SCALAR_MAX && code != OP_SCALAR_MIN) {
        scan_fail_last(p, "'%s' reduces nothing", name ? name : "");
        return;
    }
    *reduction = (Reduction){(Opcode)code, scan_word(p, "a variable"), NULL};
    while (*end)
        end = &(*end)->next;
    *end = reduction;
}

static void parse_pipeline_clause(Parser *p, ControlInfo *loop, const char *clause)
{
    Pipeline *pipeline = loop->pipeline;
    scan_expect(p, "(");
    if (!strcmp(clause, "schedule")) {
        pipeline->schedule = (ScheduleKind)scan_choice(p, "a schedule", text_schedules, TEXT_SCHEDULES);
        pipeline->variants = scan_accept(p, ",") ? scan_number_up_to(p, 1, MOST_SOLVED) : 0;
    } else if (!strcmp(clause, "tile")) {
        pipeline->tile = scan_number_up_to(p, 0, 65536);
    } else if (!strcmp(clause, "reduction")) {
        parse_reduction(p, pipeline);
    } else {
        int *number = !strcmp(clause, "subtile") ? &pipeline->subtiles : &loop->schedule->put_count;
        *number = scan_number_up_to(p, 0, number == &pipeline->subtiles ? MOST_SUBTILES : MAX_ITEMS);
    }
    scan_expect(p, ")");
}

/* Reads: pipeline(4,2) schedule(fine) pingpong; or: parts; or: blocks.  In a text behind choose, the clauses are the
   loop's schedule.  */
static void parse_pipeline(Parser *p, ControlInfo *loop)
{
    Pipeline *pipeline = loop->pipeline = arena_alloc(p->module, sizeof *pipeline);
    LoopSchedule *schedule = loop->schedule = arena_alloc(p->module, sizeof *schedule);
    bool ordered = false;
    pipeline->loc = scan_loc(p);
    pipeline->parts = scan_accept(p, "parts");
    pipeline->blocks = !pipeline->parts && scan_accept(p, "blocks");
    if (pipeline->parts || pipeline->blocks)
        return;
    scan_expect(p, "pipeline");
    scan_expect(p, "(");
    pipeline->automatic = scan_accept(p, "auto");
    pipeline->depth = pipeline->in_flight = -1;
    if (!scan_at(p, ")"))
        pipeline->depth = parse_setting(p);
    if (scan_accept(p, ","))
        pipeline->in_flight = parse_setting(p);
    scan_expect(p, ")");
    while (!p->failed) {
        if (scan_accept(p, "pingpong"))
            pipeline->pingpong = true;
        else if (scan_accept(p, "ordered"))
            ordered = true;
        else if (scan_accept(p, "plain"))
            pipeline->plain = true;
        else if (scan_at(p, "schedule") || scan_at(p, "subtile") || scan_at(p, "puts") || scan_at(p, "tile") ||
                 scan_at(p, "reduction"))
            parse_pipeline_clause(p, loop, scan_word(p, "a clause"));
        else
            break;
    }
    const int put_count = schedule->put_count;
    *schedule = schedule_asked_of_loop(pipeline);
    schedule->put_count = put_count;
    schedule->ordered = ordered;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* Reads { statements }, the part of a block behind its arguments.  Appends a yield where the text has none.  */
static void parse_block(Parser *p, Block *block)
{
    scan_expect(p, "{");
    if (++p->nesting > MAX_NESTING)
        scan_fail(p, "blocks are nested too deeply");
    parse_statements(p, block);
    p->nesting--;
    if (!block->last || (block->last->code != OP_YIELD && block->last->code != OP_COND))
        op_append(block, op_new(p->kernel, OP_YIELD, scan_loc(p), 0, NULL));
    scan_expect(p, "}");
}

static void parse_notes_and_block(Parser *p, Op *op, int scope)
{
    if (op->code == OP_FOR && (scan_at(p, "pipeline") || scan_at(p, "parts") || scan_at(p, "blocks")))
        parse_pipeline(p, op->control);
    parse_notes(p, op);
    parse_block(p, op->blocks[0]);
    p->nscope = scope;
}

static Opcode parse_compare(Parser *p)
{
    for (Opcode code = OP_SCALAR_EQ; code <= OP_SCALAR_GE; code++)
        if (scan_accept(p, op_info[code].call))
            return code;
    scan_fail(p, "expected a comparison, found '%s'", scan_shown(p));
    return OP_SCALAR_LT;
}

/* Reads %k: i32 = 0, < %K, 64.  The caller binds the definition after the operands.  */
static Definition parse_range(Parser *p, Block *outer, Op *op, Opcode *compare)
{
    Definition definition = parse_definition(p);
    scan_expect(p, "=");
    parse_arg(p, outer, op);
    scan_expect(p, ",");
    *compare = parse_compare(p);
    parse_arg(p, outer, op);
    scan_expect(p, ",");
    parse_arg(p, outer, op);
    return definition;
}

static void parse_carried(Parser *p, Block *outer, Op *op, Definitions *definitions)
{
    if (p->failed)
        return;
    LIST_ADD(p->module, definitions->list, definitions->count) = parse_definition(p);
    scan_expect(p, "=");
    parse_arg(p, outer, op);
}

static void define_block_args(Parser *p, Block *block, Definitions definitions)
{
    for (int i = 0; i < definitions.count; i++)
        define_block_arg(p, block, &definitions.list[i]);
}

/* Moves the edge of a loop behind the carried values, as the last operand.  */
static void edge_last(Op *op)
{
    enum { WRITTEN = 3 };
    Value *edge = op->nargs > WRITTEN ? op->args[WRITTEN] : NULL;
    for (int i = WRITTEN; i + 1 < op->nargs; i++)
        op->args[i] = op->args[i + 1];
    if (edge)
        op->args[op->nargs - 1] = edge;
}

/* Reads: for %k: i32 = 0, < %K, 64 edge %edge; %acc: tile<f32,64x256> = %zero { ... } beyond { ... } */
static void parse_for(Parser *p, Block *outer, Op *op)
{
    Definitions definitions = {0};
    Opcode compare;
    LIST_ADD(p->module, definitions.list, definitions.count) = parse_range(p, outer, op, &compare);
    op->control->compare = compare;
    bool edge = scan_accept(p, "edge");
    if (edge)
        parse_arg(p, outer, op);
    while (scan_accept(p, ";"))
        parse_carried(p, outer, op, &definitions);
    int scope = p->nscope;
    if (edge)
        edge_last(op);
    define_block_args(p, block_new(p->kernel, op), definitions);
    int inner = p->nscope;
    parse_notes_and_block(p, op, edge ? inner : scope);
    if (edge) {
        scan_expect(p, "beyond");
        parse_block(p, block_new(p->kernel, op));
        p->nscope = scope;
    }
}

/* Reads: narrow %w: i32 = %columns; %acc = %zero */
static void parse_narrow(Parser *p, Block *outer, Op *op)
{
    Definitions definitions = {0};
    do
        parse_carried(p, outer, op, &definitions);
    while (scan_accept(p, ";"));
    int scope = p->nscope;
    define_block_args(p, block_new(p->kernel, op), definitions);
    parse_notes_and_block(p, op, scope);
}

static void parse_grid(Parser *p, Block *outer, Op *op)
{
    Definitions definitions = {0};
    do {
        Opcode compare;
        if (p->failed)
            return;
        LIST_ADD(p->module, definitions.list, definitions.count) = parse_range(p, outer, op, &compare);
        if (compare != OP_SCALAR_LT)
            scan_fail_last(p, "a grid compares with '<'");
    } while (scan_accept(p, ";"));
    if (scan_accept(p, "ordinal"))
        LIST_ADD(p->module, definitions.list, definitions.count) = parse_definition(p);
    int scope = p->nscope;
    define_block_args(p, block_new(p->kernel, op), definitions);
    parse_notes_and_block(p, op, scope);
}

/* Reads: %x: i32; %y: i32, or nothing.  */
void parse_block_args(Parser *p, Block *block)
{
    if (p->token.kind != T_VALUE)
        return;
    do {
        Definition definition = parse_definition(p);
        define_block_arg(p, block, &definition);
    } while (scan_accept(p, ";") && !p->failed);
}

static void parse_while(Parser *p, Block *outer, Op *op)
{
    Definitions definitions = {0};
    if (p->token.kind == T_VALUE)
        do
            parse_carried(p, outer, op, &definitions);
        while (scan_accept(p, ";"));
    int scope = p->nscope;
    define_block_args(p, block_new(p->kernel, op), definitions);
    parse_notes_and_block(p, op, scope);
    scan_expect(p, "do");
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
    if (scan_accept(p, "else"))
        parse_block(p, otherwise);
    else
        op_append(otherwise, op_new(p->kernel, OP_YIELD, scan_loc(p), 0, NULL));
    p->nscope = scope;
}

/* Reads: fill=-1, dim=0, "name".  An attribute without a name comes first.  */
static void parse_attributes(Parser *p, Op *op)
{
    const int nameless = find_attribute(op, "");
    if (nameless >= 0)
        parse_field(p, attribute_info[nameless].kind, attribute_of(op, nameless));
    while (!p->failed && p->token.kind == T_WORD && p->token.line == op->loc.line &&
           find_attribute(op, p->token.text) >= 0)
        parse_note(p, op);
}

static void parse_plain(Parser *p, Block *outer, Op *op)
{
    if (!(op_info[op->code].about & HAS_VALUE) && at_operand(p) && p->token.line == op->loc.line)
        do
            parse_arg(p, outer, op);
        while (scan_accept(p, ","));
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
    case OP_NARROW:
        parse_narrow(p, block, op);
        break;
    case OP_IF:
        parse_if(p, block, op);
        break;
    default:
        parse_plain(p, block, op);
    }
    op_append(block, op);
    if (p->role && !schedule_of(op)->roles)
        schedule_op(op)->roles = ROLE_BIT(p->role);
    note_literals(op, last_before);
}

static void parse_statement(Parser *p, Block *block)
{
    Definitions results = {0};
    if (p->token.kind == T_VALUE) {
        do
            LIST_ADD(p->module, results.list, results.count) = parse_definition(p);
        while (scan_accept(p, ",") && !p->failed);
        scan_expect(p, "=");
    }
    Loc loc = scan_loc(p);
    const char *text = scan_word(p, "an operation");
    int code = find_opcode(text);
    if (code < 0 || code == OP_CONST)
        scan_fail_last(p, "'%s' is not an operation", text);
    if (++p->items > MAX_ITEMS)
        scan_fail(p, "too many operations");
    if (p->failed)
        return;
    Op *op = op_new(p->kernel, (Opcode)code, loc, 0, NULL);
    parse_op(p, block, op);
    for (int i = 0; i < results.count && !p->failed; i++) {
        const Definition *result = &results.list[i];
        parse_define(p, result, op_result(p->kernel, op, result->type, parse_user_name(p, result->name)));
    }
}

void parse_statements(Parser *p, Block *block)
{
    while (!p->failed && !scan_at(p, "}") && p->token.kind != T_END)
        parse_statement(p, block);
}
