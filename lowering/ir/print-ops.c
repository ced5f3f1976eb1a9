/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * print-ops.c - operations as text: names of values, parts of a line, the syntax of control flow.
 *
 *      %ta: tile<f16,128x64> = load %a, %i, %k | tag=load role=producer,consumer depth=4
 *      %acc.2: tile<f32,128x256> = for %k: i32 = 0, < %K, 64; %acc.3: tile<f32,128x256> = %acc pipeline(4,2) { ... }
 *
 * parse-ops.c reads this text; the head of print.c has the rules.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/printer.h"
#include "ir/slice.h"
#include "ir/text.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static int *count_of(Printer *p, const char *base)
{
    for (int i = 0; i < p->ncounts; i++)
        if (!strcmp(p->counts[i].base, base))
            return &p->counts[i].count;
    if (!(p->ncounts & (p->ncounts - 1))) {
        NameCount *larger = arena_alloc(p->kernel->module, (size_t)(2 * p->ncounts + 1) * sizeof *larger);
        if (p->ncounts)
            memcpy(larger, p->counts, (size_t)p->ncounts * sizeof *larger);
        p->counts = larger;
    }
    p->counts[p->ncounts] = (NameCount){base, 0};
    return &p->counts[p->ncounts++].count;
}

/* Returns the name with an underscore for each character that the reader does not accept in names.  */
static const char *clean_name(Printer *p, const char *name)
{
    char *clean = arena_print(p->kernel->module, "%s", name);
    for (char *c = clean; *c; c++)
        if (!text_is_word(*c) || *c == '.')
            *c = '_';
    if (*clean >= '0' && *clean <= '9')
        *clean = '_';
    return clean;
}

static void name_value(Printer *p, const Value *value)
{
    Module *module = p->kernel->module;
    if (value->id >= p->nnames || (value->def && value->def->code == OP_CONST))
        return;
    if (!value->name || !*value->name) {
        p->names[value->id] = arena_print(module, "%d", ++p->numbered);
        return;
    }
    const char *base = clean_name(p, value->name);
    int count = ++*count_of(p, base);
    p->names[value->id] = count == 1 ? base : arena_print(module, "%s.%d", base, count);
}

static void name_results(Printer *p, const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        name_value(p, op->results[i]);
}

static void name_block(Printer *p, const Block *block)
{
    for (int i = 0; i < block->nargs; i++)
        name_value(p, block->args[i]);
    FOR_OPS (op, block) {
        name_results(p, op);
        for (int i = 0; i < op->nblocks; i++)
            name_block(p, op->blocks[i]);
    }
}

/* Names parameters once.  The body and each program number their names anew behind those of the parameters.  */
void ir_print_names(Printer *p)
{
    const Kernel *kernel = p->kernel;
    for (int i = 0; i < kernel->nparams; i++)
        name_value(p, kernel->params[i]);
    int ncounts = p->ncounts, numbered = p->numbered;
    NameCount *shared = arena_alloc(kernel->module, (size_t)(ncounts + 1) * sizeof *shared);
    if (ncounts)
        memcpy(shared, p->counts, (size_t)ncounts * sizeof *shared);
    name_block(p, kernel->body);
    FOR_ROLES (role, kernel) {
        if (!role->body)
            continue;
        p->numbered = numbered;
        p->ncounts = 0;
        for (int i = 0; i < ncounts; i++)
            *count_of(p, shared[i].base) = shared[i].count;
        name_block(p, role->body);
    }
}

/* ---- parts of a line --------------------------------------------------------------------------------------------- */

static void start_line(Printer *p)
{
    fprintf(p->out, "%*s", 2 * p->indent, "");
}

void ir_print_type(Printer *p, Type type)
{
    const char *dtype = dtype_text(type.dtype);
    switch (type.kind) {
    case K_NONE:
        fputs("?", p->out);
        break;
    case K_SCALAR:
        fputs(dtype, p->out);
        break;
    case K_PTR:
        fprintf(p->out, "ptr<%s>", dtype);
        break;
    case K_TENSOR:
        fprintf(p->out, "tensor<%s,%d>", dtype, type.rank);
        break;
    default:
        fprintf(p->out, "%s<%s,%dx%d>", text_kinds[type.kind], dtype, type.rows, type.cols);
    }
}

/* Prints the shortest decimal that reads back as the same number.  */
static void print_double(Printer *p, double value)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (isnan(value) || strtod(text, NULL) == value)
            break;
    }
    fputs(isnan(value) ? "nan" : text, p->out);
}

static void print_literal(Printer *p, const Value *value)
{
    Dtype dtype = value->type.dtype;
    if (dtype_is_float(dtype))
        print_double(p, value->def->scalar->real);
    else if (dtype == D_U64)
        fprintf(p->out, "%" PRIu64, (uint64_t)value->def->scalar->integer);
    else
        fprintf(p->out, "%" PRId64, value->def->scalar->integer);
    if (dtype != D_I32)
        fprintf(p->out, ":%s", dtype_text(dtype));
}

void ir_print_value(Printer *p, const Value *value)
{
    if (!value)
        fputs("%?", p->out);
    else if (value->def && value->def->code == OP_CONST)
        print_literal(p, value);
    else
        fprintf(p->out, "%%%s", value->id < p->nnames && p->names[value->id] ? p->names[value->id] : "?");
}

/* Returns a unique name.  Separate blocks of the .cu may have variables x of one name; here the second is x$2.  */
const char *ir_print_variable_name(const Printer *p, const Variable *variable)
{
    int before = 1;
    for (const Variable *other = p->kernel->variables; other && other != variable; other = other->next)
        before += other->role == variable->role && !strcmp(other->name, variable->name);
    return before == 1 ? variable->name : arena_print(p->kernel->module, "%s$%d", variable->name, before);
}

static void print_split(Printer *p, const Value *value)
{
    const Role *own = p->role ? p->role : value->split ? role_that(p->kernel, ROLE_STORES) : NULL;
    FOR_ROLES (role, p->kernel)
        if (value->split & ROLE_BIT(role))
            fprintf(p->out, role == own ? " split" : " split:%s", role->name);
}

/* Prints %acc: tile<f32,128x256> split var=acc.  In a program, var=p.x is the launcher's x, as in the .cu.  */
void ir_print_definition(Printer *p, const Value *value)
{
    ir_print_value(p, value);
    if (value->type.kind != K_NONE) {
        fputs(": ", p->out);
        ir_print_type(p, value->type);
    }
    print_split(p, value);
    if (value->var)
        fprintf(p->out, " var=%s%s", p->role && !value->var->role ? "p." : "", ir_print_variable_name(p, value->var));
}

static void print_arg(Printer *p, const Op *op, int index)
{
    ir_print_value(p, index < op->nargs ? op->args[index] : NULL);
}

static void print_args(Printer *p, const Op *op, int from)
{
    for (int i = from; i < op->nargs; i++) {
        fputs(i == from ? " " : ", ", p->out);
        ir_print_value(p, op->args[i]);
    }
}

static void print_string(Printer *p, const char *text)
{
    putc('"', p->out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', p->out);
        putc(*text == '\n' ? ' ' : *text, p->out);
    }
    putc('"', p->out);
}

static void print_setting(Printer *p, int value)
{
    if (value < 0)
        putc('_', p->out);
    else
        fprintf(p->out, "%d", value);
}

static void print_pipeline(Printer *p, const Pipeline *pipeline, const LoopSchedule *schedule)
{
    if (pipeline->parts || pipeline->blocks) {
        fputs(pipeline->parts ? " parts" : " blocks", p->out);
        return;
    }
    fprintf(p->out, " pipeline(%s", pipeline->automatic ? "auto " : "");
    print_setting(p, schedule->depth);
    putc(',', p->out);
    print_setting(p, schedule->in_flight);
    putc(')', p->out);
    if (schedule->kind != SCHEDULE_AUTO)
        fprintf(p->out, " schedule(%s", text_schedules[schedule->kind]);
    if (pipeline->variants)
        fprintf(p->out, ", %d", pipeline->variants);
    if (schedule->kind != SCHEDULE_AUTO)
        fputs(")", p->out);
    if (schedule->pingpong)
        fputs(" pingpong", p->out);
    if (pipeline->subtiles > 1)
        fprintf(p->out, " subtile(%d)", pipeline->subtiles);
    if (schedule->ordered)
        fputs(" ordered", p->out);
    if (pipeline->plain)
        fputs(" plain", p->out);
    if (pipeline->tile)
        fprintf(p->out, " tile(%d)", pipeline->tile);
    for (const Reduction *reduction = pipeline->reductions; reduction; reduction = reduction->next)
        fprintf(p->out, " reduction(%s %s)", op_info[reduction->op].text, reduction->name);
    if (schedule->put_count)
        fprintf(p->out, " puts(%d)", schedule->put_count);
}

/* Prints the clauses of a pipelined loop, and for open ones the chosen values.  */
static void print_loop_clauses(Printer *p, const Op *loop)
{
    if (!loop_is_pipelined(loop))
        return;
    const LoopSchedule asked = schedule_asked_of_loop(pipeline_of(loop));
    print_pipeline(p, pipeline_of(loop), p->kernel->schedule.begun ? schedule_of_loop(loop) : &asked);
}

void ir_print_roles(Printer *p, uint32_t roles)
{
    const char *separator = "";
    FOR_ROLES (role, p->kernel)
        if (role->id < 32 && roles & ROLE_BIT(role)) {
            fprintf(p->out, "%s%s", separator, role->name);
            separator = ",";
        }
}

static void print_key(Printer *p, bool *first, const char *key)
{
    fprintf(p->out, "%s %s=", *first ? " |" : "", key);
    *first = false;
}

static void print_number(Printer *p, bool *first, const char *key, int value)
{
    print_key(p, first, key);
    fprintf(p->out, "%d", value);
}

static void print_order(Printer *p, bool *first, const char *key, int order)
{
    if (order && order != RELEASE_END) {
        print_number(p, first, key, order);
    } else if (order) {
        print_key(p, first, key);
        fputs("end", p->out);
    }
}

/* Prints the row of the schedule.  A program leaves out its own role.  */
static void print_row(Printer *p, bool *first, const Op *op)
{
    const ScheduleRow *row = schedule_of(op);
    if (row->task)
        print_number(p, first, "task", row->task);
    if (row->ring)
        print_number(p, first, "ring", row->ring);
    if (row->share)
        print_number(p, first, "share", row->share);
    if (row->tag != TAG_NONE) {
        print_key(p, first, "tag");
        fputs(text_tags[row->tag], p->out);
    }
    if (row->roles && p->kernel->roles && (!p->role || row->roles != ROLE_BIT(p->role))) {
        print_key(p, first, "role");
        ir_print_roles(p, row->roles);
    }
    if (row->stage)
        print_number(p, first, "stage", row->stage);
    print_order(p, first, "order", row->order);
    if (row->depth)
        print_number(p, first, "depth", row->depth);
    print_order(p, first, "release", row->release);
    if (row->maker && row->depth) {
        print_key(p, first, "maker");
        ir_print_roles(p, row->maker);
    }
    if (row->transposer) {
        print_key(p, first, "transposer");
        ir_print_roles(p, row->transposer);
    }
}

static void print_field(Printer *p, AttributeKind kind, const void *field)
{
    switch (kind) {
    case KIND_FLAG:
        fprintf(p->out, "%d", *(const bool *)field);
        break;
    case KIND_NUMBER:
        fprintf(p->out, "%d", *(const int *)field);
        break;
    case KIND_LONG:
        fprintf(p->out, "%" PRId64, *(const int64_t *)field);
        break;
    case KIND_REAL:
        print_double(p, *(const double *)field);
        break;
    case KIND_TEXT:
        print_string(p, *(const char *const *)field ? *(const char *const *)field : "");
        break;
    case KIND_SHARED:
        fputs(text_alongs[*(const int *)field], p->out);
        break;
    case KIND_AREF:
        fputs((*(Aref *const *)field)->name, p->out);
        break;
    case KIND_STORAGE:
        fputs((*(Storage *const *)field)->name, p->out);
        break;
    case KIND_CODE:
    case KIND_POINTER:
        break; /* the operation's own syntax shows it */
    }
}

/* Prints the attributes of kind FOUND behind the bar.  */
static void print_notes(Printer *p, const Op *op)
{
    bool first = true;
    print_row(p, &first, op);
    FOR_ATTRIBUTES (i, op)
        if (attribute_info[i].found && *attribute_info[i].text && attribute_is_set(op, i)) {
            print_key(p, &first, attribute_info[i].text);
            print_field(p, attribute_info[i].kind, attribute_of(op, i));
        }
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* Prints: %k: i32 = 0, < %K, 64 */
static void print_range(Printer *p, const Op *op, int dim, int first_arg)
{
    const Block *block = op->nblocks ? op->blocks[0] : NULL;
    Opcode compare = op->code == OP_FOR ? op->control->compare : OP_SCALAR_LT;
    if (block && dim < block->nargs)
        ir_print_definition(p, block->args[dim]);
    fputs(" = ", p->out);
    print_arg(p, op, first_arg);
    fprintf(p->out, ", %s ", compare < OP_COUNT ? op_info[compare].call : "?");
    print_arg(p, op, first_arg + 1);
    fputs(", ", p->out);
    print_arg(p, op, first_arg + 2);
}

/* Prints: ; %acc1: tile<f32,128x256> = %acc0 */
static void print_carried(Printer *p, const Op *op, int first_arg, int first_block_arg, const char *separator)
{
    for (int i = first_arg; i < first_arg + carried_count(op); i++) {
        int index = i - first_arg + first_block_arg;
        fputs(separator, p->out);
        separator = "; ";
        if (op->nblocks && index < op->blocks[0]->nargs)
            ir_print_definition(p, op->blocks[0]->args[index]);
        fputs(" = ", p->out);
        ir_print_value(p, op->args[i]);
    }
}

static void print_open(Printer *p, const Op *op)
{
    print_loop_clauses(p, op);
    print_notes(p, op);
    fputs(" {\n", p->out);
    if (op->nblocks)
        ir_print_block(p, op->blocks[0]);
    start_line(p);
}

static void print_for(Printer *p, const Op *op)
{
    putc(' ', p->out);
    print_range(p, op, 0, 0);
    if (loop_edge(op)) {
        fputs(" edge ", p->out);
        print_arg(p, op, op->nargs - 1);
    }
    print_carried(p, op, 3, 1, "; ");
    print_open(p, op);
    if (loop_edge(op)) {
        fputs("} beyond {\n", p->out);
        ir_print_block(p, op->blocks[1]);
        start_line(p);
    }
    fputs("}\n", p->out);
}

static void print_grid(Printer *p, const Op *op)
{
    for (int i = 0; i < op->nargs; i += 3) {
        fputs(i ? "; " : " ", p->out);
        print_range(p, op, i / 3, i);
    }
    for (int i = op->nargs / 3; op->nblocks && i < op->blocks[0]->nargs; i++) {
        fputs(" ordinal ", p->out);
        ir_print_definition(p, op->blocks[0]->args[i]);
    }
    print_open(p, op);
    fputs("}\n", p->out);
}

/* Prints: narrow %w: i32 = %columns; %acc: tile<f32,64x256> = %zero */
static void print_narrow(Printer *p, const Op *op)
{
    putc(' ', p->out);
    ir_print_definition(p, op->blocks[0]->args[0]);
    fputs(" = ", p->out);
    print_arg(p, op, 0);
    print_carried(p, op, 1, 1, "; ");
    print_open(p, op);
    fputs("}\n", p->out);
}

static void print_while(Printer *p, const Op *op)
{
    print_carried(p, op, 0, 0, " ");
    print_open(p, op);
    fputs("} do", p->out);
    if (op->nblocks > 1)
        for (int i = 0; i < op->blocks[1]->nargs; i++) {
            fputs(i ? "; " : " ", p->out);
            ir_print_definition(p, op->blocks[1]->args[i]);
        }
    fputs(" {\n", p->out);
    if (op->nblocks > 1)
        ir_print_block(p, op->blocks[1]);
    start_line(p);
    fputs("}\n", p->out);
}

static bool block_is_empty(const Block *block)
{
    return !block->first || (block->first == block->last && block->first->code == OP_YIELD && !block->first->nargs);
}

static void print_if(Printer *p, const Op *op)
{
    print_args(p, op, 0);
    print_open(p, op);
    if (op->nblocks > 1 && !block_is_empty(op->blocks[1])) {
        fputs("} else {\n", p->out);
        ir_print_block(p, op->blocks[1]);
        start_line(p);
    }
    fputs("}\n", p->out);
}

/* Prints the attributes between the operands and the bar.  An attribute without a name is always printed.  */
static void print_attributes(Printer *p, const Op *op)
{
    FOR_ATTRIBUTES (i, op) {
        const Attribute *attribute = &attribute_info[i];
        if (attribute->found || (*attribute->text && !attribute_is_set(op, i)))
            continue;
        fprintf(p->out, " %s%s", attribute->text, *attribute->text ? "=" : "");
        print_field(p, attribute->kind, attribute_of(op, i));
    }
}

static void print_plain(Printer *p, const Op *op)
{
    print_args(p, op, 0);
    print_attributes(p, op);
    print_notes(p, op);
    putc('\n', p->out);
}

/* True for operations that are not printed: a yield without operands, and literals.  */
static bool op_is_silent(const Op *op)
{
    return (op->code == OP_YIELD && !op->nargs && !op->next && op->parent && op->parent->parent) ||
           op->code == OP_CONST;
}

static void print_op(Printer *p, const Op *op)
{
    if (op_is_silent(op))
        return;
    start_line(p);
    for (int i = 0; i < op->nresults; i++) {
        fputs(i ? ", " : "", p->out);
        ir_print_definition(p, op->results[i]);
    }
    fprintf(p->out, "%s%s", op->nresults ? " = " : "", op_info[op->code].text);
    switch (op->code) {
    case OP_FOR:
        print_for(p, op);
        break;
    case OP_GRID:
        print_grid(p, op);
        break;
    case OP_WHILE:
        print_while(p, op);
        break;
    case OP_NARROW:
        print_narrow(p, op);
        break;
    case OP_IF:
        print_if(p, op);
        break;
    default:
        print_plain(p, op);
    }
}

void ir_print_block(Printer *p, const Block *block)
{
    p->indent++;
    FOR_OPS (op, block)
        print_op(p, op);
    p->indent--;
}
