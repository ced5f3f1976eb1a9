/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule.c - writes the chosen schedule as text.
 *
 *      for (k = 0; k < K; k += 64)                  loop for.11 schedule=fine in-flight=2 pingpong=no
 *        ta = ws_load (a, i, k, 128, 64);           op ta.12 ring=4 release=end from=producer
 *        tb = ws_load (b, j, k, 256, 64);           op tb.13 ring=4 release=end from=producer
 *        acc = ws_dot (ta, ws_trans (tb), acc);     op trans.14
 *                                                   op acc.15
 *
 * Operations of a loop are listed in the order in which a time step issues them.  Other operations have a line if their
 * row differs from the default.  The reader of the text is schedule-read.c.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "schedule/schedule.h"
#include "target/machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

typedef struct {
    int *numbers, count;
} Numbering;

static void visit_number(Op *op, void *context)
{
    Numbering *numbering = context;
    numbering->numbers[op->id] = ++numbering->count;
}

int *schedule_numbers(Kernel *kernel)
{
    Numbering numbering = {arena_alloc(kernel->module, sizeof(int) * ((size_t)kernel->nops + 1)), 0};
    ir_walk(kernel->body, visit_number, &numbering);
    return numbering.numbers;
}

const char *schedule_name(const Op *op, const int *numbers)
{
    const char *name = op->nresults && op->results[0]->name ? op->results[0]->name : op_info[op->code].text;
    return arena_print(op->kernel->module, "%s.%d", name, numbers[op->id]);
}

/* ---- the digest -------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t digest;
    int *values, count; /* numbers by id, in the order of their first use */
} Digester;

static void mix(Digester *digester, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        digester->digest = (digester->digest ^ (value >> 8 * i & 255)) * 1099511628211u;
}

static void mix_text(Digester *digester, const char *text)
{
    for (; text && *text; text++)
        mix(digester, (unsigned char)*text);
}

static void mix_value(Digester *digester, const Value *value)
{
    if (!digester->values[value->id]) {
        digester->values[value->id] = ++digester->count;
        mix(digester, (uint64_t)value->type.kind << 32 | value->type.dtype);
        mix(digester, (uint64_t)value->type.rows << 32 | (unsigned)value->type.cols);
    }
    mix(digester, (uint64_t)digester->values[value->id]);
}

static void mix_pipeline(Digester *digester, const Pipeline *pipeline)
{
    mix(digester, (uint64_t)(pipeline->depth + 1) << 32 | (unsigned)(pipeline->in_flight + 1));
    mix(digester, (uint64_t)pipeline->schedule << 2 | (unsigned)(pipeline->automatic << 1 | pipeline->pingpong));
}

static void visit_digest(Op *op, void *context)
{
    Digester *digester = context;
    const Meaning meaning = op_meaning(op);
    uint64_t real;
    memcpy(&real, &meaning.real, sizeof real);
    mix_text(digester, op_info[op->code].text);
    mix(digester, (uint64_t)meaning.integer);
    mix(digester, real);
    for (int i = 0; i < op->nargs; i++)
        mix_value(digester, op->args[i]);
    for (int i = 0; i < op->nresults; i++)
        mix_value(digester, op->results[i]);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            mix_value(digester, op->blocks[k]->args[i]);
    if (pipeline_of(op))
        mix_pipeline(digester, op->control->pipeline);
    if (schedule_of(op)->share)
        mix(digester, (uint64_t)schedule_of(op)->share);
}

static void mix_machine(Digester *digester, const Machine *machine)
{
    mix_text(digester, machine->name);
    mix(digester, (uint64_t)machine->shared_bytes << 32 | (unsigned)machine->registers);
    mix(digester, (uint64_t)machine->max_threads << 32 | (unsigned)machine->product_columns);
    mix(digester, (uint64_t)machine->costs->product_clock_bytes);
}

uint64_t schedule_digest(const Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    Digester digester = {14695981039346656037u,
                         arena_alloc(kernel->module, sizeof(int) * (size_t)kernel->module->next_id), 0};
    ir_walk(kernel->body, visit_digest, &digester);
    mix(&digester, (uint64_t)grid->dims << 32 | (unsigned)grid->consumers);
    mix(&digester,
        (uint64_t)grid->split << 32 | (unsigned)(grid->together << 2 | grid->persistent_given << 1 | grid->persistent));
    mix(&digester, (uint64_t)grid->cluster[0] << 32 | (unsigned)grid->cluster[1]);
    mix(&digester, (uint64_t)grid->producer_registers << 32 | (unsigned)grid->consumer_registers);
    mix_machine(&digester, kernel->machine);
    return digester.digest;
}

uint64_t schedule_digest_of_text(const char *text)
{
    Digester digester = {14695981039346656037u, NULL, 0};
    for (const char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        for (size_t i = 0; *line != '#' && strncmp(line, "schedule ", 9) && i < strcspn(line, "#\n"); i++)
            mix(&digester, (unsigned char)line[i]);
    return digester.digest;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const Op *memory; /* the operation that accesses memory */
    bool writes;
} Touch;

static bool touches(const Op *op, const void *context)
{
    const Touch *other = context;
    OpClass class_ = op_info[op->code].class_;
    bool writes = class_ == CLASS_STORE;
    if ((!writes && class_ != CLASS_LOAD && class_ != CLASS_READ) || schedule_of(op)->depth)
        return false;
    if (op_prints(op) || op_prints(other->memory))
        return op->code == other->memory->code;
    return (writes || other->writes) && tensor_memory(op->args[0]) == tensor_memory(other->memory->args[0]);
}

static bool meets(const Op *op, const void *other)
{
    OpClass class_ = op_info[op->code].class_;
    if ((class_ != CLASS_LOAD && class_ != CLASS_STORE && class_ != CLASS_READ) || schedule_of(op)->depth)
        return false;
    Touch touch = {op, class_ == CLASS_STORE};
    return ir_any(other, touches, &touch);
}

bool schedule_keeps_order(const Op *first, const Op *second)
{
    return ir_any(first, meets, second);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const int *numbers;
    FILE *out;
} Writer;

typedef struct {
    uint32_t turners, all;
} RoleBits;

static void visit_turner(Op *op, void *context)
{
    RoleBits *bits = context;
    bits->turners |= schedule_of(op)->transposer;
}

uint32_t schedule_default_roles(Kernel *kernel, const Op *op)
{
    const ScheduleRow *row = schedule_of(op);
    uint32_t computes = ROLE_BIT(role_that(kernel, ROLE_STORES));
    RoleBits bits = {0, 0};
    if (row->depth)
        return row->maker | computes | row->transposer;
    if (row->tag == TAG_LOAD || row->tag == TAG_TILE)
        return computes;
    ir_walk(kernel->body, visit_turner, &bits);
    FOR_ROLES (role, kernel)
        bits.all |= ROLE_BIT(role);
    return bits.all & ~bits.turners;
}

static void print_roles(const Writer *writer, const char *key, uint32_t roles)
{
    const char *between = "";
    fprintf(writer->out, " %s=", key);
    FOR_ROLES (role, writer->kernel)
        if (roles & ROLE_BIT(role)) {
            fprintf(writer->out, "%s%s", between, role->name);
            between = ",";
        }
}

typedef struct {
    int order;
    Op *found;
} Wanted;

static void visit_wanted(Op *op, void *context)
{
    Wanted *wanted = context;
    if (schedule_of(op)->order == wanted->order && schedule_of(op)->tag != TAG_NONE)
        wanted->found = op;
}

Op *schedule_op_at(Kernel *kernel, int order)
{
    Wanted wanted = {order, NULL};
    if (order)
        ir_walk(kernel->body, visit_wanted, &wanted);
    return wanted.found;
}

static void print_release(const Writer *writer, int release)
{
    const Op *behind = release < RELEASE_END - 1 ? schedule_op_at(writer->kernel, release) : NULL;
    const char *when = release == RELEASE_END       ? "end"
                       : release == RELEASE_END - 1 ? "wait"
                       : behind                     ? schedule_name(behind, writer->numbers)
                                                    : "read";
    fprintf(writer->out, " release=%s", when);
}

static bool has_row(Kernel *kernel, const Op *op)
{
    const ScheduleRow *row = schedule_of(op);
    return row->depth || row->transposer || row->stage || row->roles != schedule_default_roles(kernel, op);
}

static void print_line(const Writer *writer, const Op *op, bool staged)
{
    const ScheduleRow *row = schedule_of(op);
    fprintf(writer->out, "op %s", schedule_name(op, writer->numbers));
    if (staged)
        fprintf(writer->out, " stage=%d", row->stage);
    if (row->depth) {
        fprintf(writer->out, " ring=%d", row->depth);
        print_release(writer, row->release);
        print_roles(writer, "from", row->maker);
    }
    if (row->transposer)
        print_roles(writer, "transposed", row->transposer);
    if (row->roles != schedule_default_roles(writer->kernel, op))
        print_roles(writer, "roles", row->roles);
    if (row->tag == TAG_LOAD || row->tag == TAG_TILE)
        fprintf(writer->out, " # %s, line %d", op_info[op->code].text, op->loc.line);
    fputc('\n', writer->out);
}

static bool in_pipeline(const Op *op)
{
    return op->parent && op->parent->parent && loop_is_pipelined(op->parent->parent);
}

static void visit_outside(Op *op, void *context)
{
    const Writer *writer = context;
    if (op->code != OP_YIELD && op->code != OP_COND && !in_pipeline(op) && has_row(writer->kernel, op))
        print_line(writer, op, false);
}

/* The operation of the loop's body that comes next in a time step, or NULL.  */
static const Op *next_in_order(const Block *body, int order)
{
    const Op *next = NULL;
    FOR_OPS (op, body)
        if (op != block_end(body) && schedule_of(op)->order > order &&
            (!next || schedule_of(op)->order < schedule_of(next)->order))
            next = op;
    return next;
}

static bool has_stages(const Block *body)
{
    FOR_OPS (op, body)
        if (schedule_of(op)->stage)
            return true;
    return false;
}

static void visit_loop(Op *op, void *context)
{
    const Writer *writer = context;
    const LoopSchedule *schedule = schedule_of_loop(op);
    if (!schedule)
        return;
    fprintf(writer->out, "loop %s schedule=%s in-flight=%d pingpong=%s # line %d\n", schedule_name(op, writer->numbers),
            schedule->kind == SCHEDULE_COARSE ? "coarse" : "fine", schedule->in_flight,
            schedule->pingpong ? "yes" : "no", op->loc.line);
    bool staged = has_stages(op->blocks[0]);
    for (const Op *next = next_in_order(op->blocks[0], 0); next;
         next = next_in_order(op->blocks[0], schedule_of(next)->order))
        print_line(writer, next, staged);
}

static void print_kernel(const Writer *writer)
{
    const Kernel *kernel = writer->kernel;
    const BlockSchedule *block = &kernel->schedule.block;
    fprintf(writer->out, "schedule %s\ndigest %016llx\nmachine %s\n", kernel->name, (unsigned long long)kernel->digest,
            kernel->machine->name);
    fprintf(writer->out, "block groups=%d split=%s persistent=%s dynamic=%s\n", block->groups,
            block->split == SPLIT_TILES ? "tiles" : "rows", block->persistent ? "yes" : "no",
            block->dynamic ? "yes" : "no");
    FOR_ROLES (role, kernel)
        fprintf(writer->out, "role %s%s%s%s\n", role->name, role->may & ROLE_COPIES ? " copies" : "",
                role->may & ROLE_COMPUTES ? " computes" : "", role->may & ROLE_STORES ? " stores" : "");
    ir_walk(kernel->body, visit_outside, (void *)writer);
    ir_walk(kernel->body, visit_loop, (void *)writer);
}

/* Prints the solver's notes: tables, the interval, and the reason why it is not smaller.  */
static void print_notes(const Writer *writer)
{
    for (const char *line = writer->kernel->schedule_notes; line && *line;) {
        size_t length = strcspn(line, "\n");
        if (*line == '#')
            fprintf(writer->out, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

const char *schedule_text(Kernel *kernel)
{
    char *text = NULL;
    size_t length = 0;
    Writer writer = {kernel, schedule_numbers(kernel), open_memstream(&text, &length)};
    if (!writer.out)
        return "";
    print_kernel(&writer);
    print_notes(&writer);
    const char *copy = fclose(writer.out) ? "" : arena_print(kernel->module, "%s", text);
    free(text);
    return copy;
}
