/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse.c - the reader of textual IR, for dumps of print.c and for tests written by hand.
 *
 *   kernel copy(%M: i64, %x: ptr<f32>, %y: ptr<f32>) grid(1) {
 *     body {
 *       %a = tensor<f32,2> ...      the type of a result may be left out where types.c infers it
 *
 * The parser is recursive descent with one token of look-ahead. The first error is reported with its line, and then
 * every function returns at once. Any text yields objects that are sound in memory; check.c checks that they form a
 * program. Operands stand on the operation's line. A literal becomes a CONST before its user. A name is visible from
 * its definition to the end of its block, a parameter everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/parse.h"
#include "ir/parser.h"
#include "ir/text.h"

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static void parse_cluster(Parser *p, Grid *grid)
{
    grid->cluster[0] = scan_number_up_to(p, 0, 1000);
    scan_expect(p, ",");
    grid->cluster[1] = scan_number_up_to(p, 0, 1000);
}

static void parse_order(Parser *p, Grid *grid)
{
    grid->order = (TileOrder)scan_choice(p, "an order", text_orders, TEXT_ORDERS);
    if (grid->order == ORDER_GROUPED && scan_accept(p, ","))
        grid->order_group = scan_number_up_to(p, 0, MAX_ITEMS);
}

static void parse_from(Parser *p, Grid *grid)
{
    grid->from = parse_operand(p, p->kernel->body);
    if (!p->failed && (grid->from->def || grid->from->block || grid->from->type.kind != K_SCALAR))
        scan_fail_last(p, "tiles begin at what a parameter says");
}

static void parse_consumers(Parser *p, Grid *grid)
{
    grid->consumers = scan_number_up_to(p, 0, 1000);
    if (scan_accept(p, ","))
        grid->split = (Split)scan_choice(p, "a split", text_splits, TEXT_SPLITS);
}

static void parse_registers(Parser *p, Grid *grid)
{
    grid->producer_registers = scan_number_up_to(p, 0, 1000);
    scan_expect(p, ",");
    grid->consumer_registers = scan_number_up_to(p, 0, 1000);
}

static void parse_plain(Parser *p, Grid *grid)
{
    grid->plain = true;
    for (int i = 0; i < 4; i++) {
        grid->tile[i] = scan_number_up_to(p, 0, 65536);
        if (i < 3)
            scan_expect(p, ",");
    }
}

static void parse_precision(Parser *p, Grid *grid)
{
    grid->precision = (Precision)scan_choice(p, "a precision", text_precisions, TEXT_PRECISIONS);
}

static void parse_extent(Parser *p, Grid *grid)
{
    Extent *extent = arena_alloc(p->module, sizeof *extent), **end = &grid->extents;
    extent->base = parse_operand(p, p->kernel->body);
    scan_expect(p, ",");
    extent->bytes = parse_operand(p, p->kernel->body);
    while (*end)
        end = &(*end)->next;
    *end = extent;
}

static void parse_total(Parser *p, Grid *grid)
{
    Total *total = arena_alloc(p->module, sizeof *total), **end = &grid->totals;
    const char *operation = scan_word(p, "an operation");
    for (int i = 0; i < OP_COUNT && operation; i++)
        if (!strcmp(op_info[i].text, operation))
            total->op = (Opcode)i;
    total->name = scan_word(p, "a variable");
    scan_expect(p, ",");
    total->base = parse_operand(p, p->kernel->body);
    while (*end)
        end = &(*end)->next;
    *end = total;
}

static void parse_name(Parser *p, Reduction **end, Opcode op)
{
    while (*end)
        end = &(*end)->next;
    *end = arena_alloc(p->module, sizeof **end);
    **end = (Reduction){.op = op, .name = scan_word(p, "an array")};
}

static void parse_adds(Parser *p, Grid *grid)
{
    parse_name(p, &grid->reductions, OP_SCALAR_ADD);
}

static void parse_independent(Parser *p, Grid *grid)
{
    parse_name(p, &grid->independent, OP_SET_ELEMENT);
}

static void parse_share(Parser *p, Grid *grid)
{
    grid->share = scan_number_up_to(p, 0, 1024);
}

static void parse_dims(Parser *p, Grid *grid)
{
    grid->dims = scan_number_up_to(p, 0, 1000);
}

static void parse_grid_clauses(Parser *p, Grid *grid)
{
    static const struct {
        const char *name;
        void (*parse)(Parser *p, Grid *grid);
    } clauses[] = {{"grid", parse_dims},
                   {"plain", parse_plain},
                   {"precision", parse_precision},
                   {"cluster", parse_cluster},
                   {"order", parse_order},
                   {"consumers", parse_consumers},
                   {"registers", parse_registers},
                   {"extent", parse_extent},
                   {"share", parse_share},
                   {"total", parse_total},
                   {"adds", parse_adds},
                   {"independent", parse_independent},
                   {"from", parse_from}};
    grid->loc = scan_loc(p);
    while (p->token.kind == T_WORD && !p->failed) {
        if (scan_accept(p, "persistent")) {
            grid->persistent = true;
            grid->persistent_given = !scan_accept(p, "(");
            if (!grid->persistent_given) {
                scan_expect(p, "chosen");
                scan_expect(p, ")");
            }
            continue;
        }
        if (scan_accept(p, "dynamic")) {
            p->kernel->schedule.block.dynamic = true;
            continue;
        }
        if (scan_accept(p, "together")) {
            grid->together = true;
            grid->awaits = scan_accept(p, "awaits");
            continue;
        }
        if (scan_accept(p, "parts")) {
            grid->parts = true;
            continue;
        }
        if (scan_accept(p, "by_one")) {
            grid->by_one = true;
            continue;
        }
        const char *name = scan_word(p, "a clause");
        size_t i = 0;
        while (i < sizeof clauses / sizeof *clauses && strcmp(clauses[i].name, name))
            i++;
        if (i == sizeof clauses / sizeof *clauses) {
            scan_fail_last(p, "'%s' is not a clause", name);
            return;
        }
        scan_expect(p, "(");
        clauses[i].parse(p, grid);
        scan_expect(p, ")");
    }
}

/* Notes the C variable of a parameter, whose declaration stands further down in the text.  */
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
    scan_expect(p, "(");
    while (!p->failed && !scan_at(p, ")")) {
        Definition definition = parse_definition(p);
        Value *value = kernel_param(p->kernel, definition.type, parse_user_name(p, definition.name), definition.loc);
        late_variable(p, value, &definition);
        parse_define(p, &definition, value);
        if (!scan_accept(p, ","))
            break;
    }
    scan_expect(p, ")");
}

/* True at `key=` on the same line, which is read.  */
static bool at_key(Parser *p, int line, const char *key)
{
    if (p->failed || p->token.line != line || !scan_accept(p, key))
        return false;
    scan_expect(p, "=");
    return true;
}

static void parse_launch(Parser *p, int line)
{
    Kernel *kernel = p->kernel;
    if (at_key(p, line, "layout"))
        kernel->layout = (Layout)scan_choice(p, "a layout", text_layouts, TEXT_LAYOUTS);
    if (at_key(p, line, "threads"))
        kernel->threads = scan_number_up_to(p, 0, MAX_ITEMS);
    if (at_key(p, line, "shared"))
        kernel->shared_bytes = scan_number(p);
    if (at_key(p, line, "blocks"))
        kernel->min_blocks = scan_number_up_to(p, 0, 1000);
}

static unsigned parse_versions(Parser *p)
{
    unsigned versions = 0;
    do
        versions |= 1u << scan_choice(p, "a version of a program", text_versions, TEXT_VERSIONS);
    while (scan_accept(p, ",") && !p->failed);
    return versions;
}

/* Reads: copy,compute,store */
static unsigned parse_capabilities(Parser *p)
{
    unsigned may = 0;
    do
        may |= 1u << scan_choice(p, "what a role may do", text_capabilities, TEXT_CAPABILITIES);
    while (scan_accept(p, ",") && !p->failed);
    return may;
}

static void parse_task(Parser *p, int line)
{
    Task *task = task_new(p->kernel, scan_name(p));
    task->loc = p->kernel->loc;
    if (at_key(p, line, "groups"))
        task->groups = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "registers"))
        task->registers = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "loads"))
        task->loads = scan_number_up_to(p, 0, 1);
}

static void parse_shared_tiles(Parser *p, int line)
{
    const char *one = scan_name(p);
    (void)line;
    share_new(p->kernel, one, scan_name(p), p->kernel->loc);
}

static void parse_role(Parser *p, int line)
{
    int count = 0;
    FOR_ROLES (other, p->kernel)
        count++;
    if (count == MAX_ROLES)
        scan_fail(p, "too many roles");
    Role *role = role_new(p->kernel, scan_name(p), ROLE_DOES_ALL, 1);
    if (at_key(p, line, "may"))
        role->may = parse_capabilities(p);
    if (at_key(p, line, "warps"))
        role->warps = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "replicas"))
        role->replicas = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "versions"))
        role->versions = parse_versions(p);
    if (at_key(p, line, "registers"))
        role->registers = scan_number_up_to(p, 0, 1000);
    role->layout = p->kernel->layout;
    if (at_key(p, line, "layout"))
        role->layout = (Layout)scan_choice(p, "a layout", text_layouts, TEXT_LAYOUTS);
}

enum { LONGEST_LINE = 2048 };

static void parse_storage(Parser *p, int line)
{
    const char *name = scan_name(p);
    StorageUse use = (StorageUse)scan_choice(p, "a use of storage", text_uses, TEXT_USES);
    Storage *storage = storage_new(p->kernel, name, use, parse_type(p), 1);
    if (at_key(p, line, "slots"))
        storage->slots = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "resident"))
        storage->resident = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "bytes"))
        storage->slot_bytes = scan_number(p);
    if (at_key(p, line, "offset"))
        storage->offset = scan_number(p);
    storage->stride = at_key(p, line, "stride") ? scan_number(p) : storage->slot_bytes;
    if (at_key(p, line, "beside"))
        storage->beside = parse_find_storage(p, scan_word(p, "a storage"));
    if (at_key(p, line, "over"))
        storage->over = parse_find_storage(p, scan_word(p, "a storage"));
    if (at_key(p, line, "line"))
        storage->line = scan_number_up_to(p, 0, LONGEST_LINE);
    if (at_key(p, line, "transposed"))
        storage->transposed = scan_number_up_to(p, 0, 1);
    if (at_key(p, line, "tf32"))
        storage->tf32 = scan_number_up_to(p, 0, 1);
    if (at_key(p, line, "interleaved"))
        storage->interleaved = scan_number_up_to(p, 0, 1);
}

static void parse_aref_storages(Parser *p, Aref *aref)
{
    int count = 0;
    do
        LIST_ADD(p->module, aref->storages, count) = parse_find_storage(p, scan_word(p, "a storage"));
    while (scan_accept(p, ",") && !p->failed);
    aref->nstorages = p->failed ? 0 : count;
    aref->payload = arena_alloc(p->module, (size_t)count * sizeof *aref->payload);
}

static void parse_aref(Parser *p, int line)
{
    Aref *aref = aref_new(p->kernel, scan_name(p), 1);
    if (at_key(p, line, "slots"))
        aref->slots = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "producer"))
        aref->producer = parse_find_role(p, scan_word(p, "a role"));
    if (at_key(p, line, "consumers"))
        aref->consumers = parse_role_list(p);
    if (at_key(p, line, "arrivals"))
        aref->arrivals = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "fillers"))
        aref->fillers = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "along"))
        aref->along = scan_choice(p, "blocks of a cluster", text_alongs, TEXT_ALONGS);
    if (at_key(p, line, "bytes"))
        aref->bytes = scan_number(p);
    if (at_key(p, line, "lag"))
        aref->release_lag = scan_number_up_to(p, 0, 1000);
    if (at_key(p, line, "storages"))
        parse_aref_storages(p, aref);
    if (at_key(p, line, "from")) {
        Aref *source = parse_find_aref(p, scan_word(p, "an aref"));
        if (source)
            source->also = aref;
    }
}

static void parse_variable(Parser *p, int line)
{
    Variable *variable = arena_alloc(p->module, sizeof *variable);
    Variable **end = &p->kernel->variables;
    while (*end)
        end = &(*end)->next;
    *end = variable;
    variable->name = scan_name(p);
    scan_expect(p, ":");
    variable->type = parse_type(p);
    if (at_key(p, line, "role"))
        variable->role = parse_find_role(p, scan_word(p, "a role"));
    variable->mutable_ = scan_accept(p, "mutable");
    variable->field = scan_accept(p, "field");
    variable->bare = scan_accept(p, "bare");
}

static void parse_function(Parser *p, int line)
{
    (void)line;
    p->kernel->c_function = scan_name(p);
}

static void parse_launcher(Parser *p, int line)
{
    (void)line;
    p->kernel->launcher = scan_name(p);
}

static void parse_version(Parser *p, int line)
{
    (void)line;
    KernelVersion *version = &p->kernel->version;
    version->of = scan_name(p);
    if (scan_accept(p, "estimated")) {
        version->param = -1;
        return;
    }
    version->param = scan_number_up_to(p, 0, p->kernel->nparams - 1);
    version->least = scan_number(p);
    version->most = scan_number(p);
}

static void parse_choice(Parser *p, int line)
{
    (void)line;
    KernelChoice *choice = &p->kernel->choice;
    choice->of = scan_name(p);
    choice->count = scan_number_up_to(p, 1, MOST_CHOSEN);
    for (int i = 0; i < choice->count && !p->failed; i++)
        choice->values[i] = scan_number(p);
}

/* Enters a value into the payload of its aref, at the index of its storage. The arefs that carry the same value to
   other roles get the same entry.  */
static void link_payload(Op *op, void *context)
{
    (void)context;
    Aref *aref = op->aref;
    if (!aref || op->nresults != 1)
        return;
    for (int i = 0; i < aref->nstorages; i++)
        if (op->storage ? aref->storages[i] == op->storage : !aref->payload[i]) {
            aref->payload[i] = op->results[0];
            break;
        }
    if (!aref->home)
        aref->home = op->parent;
    Aref *first = aref;
    for (aref = aref->also; aref && aref != first && aref->nstorages; aref = aref->also) {
        aref->payload[0] = op->results[0];
        aref->home = op->parent;
    }
}

static void parse_body(Parser *p, int line)
{
    (void)line;
    int scope = p->nscope;
    scan_expect(p, "{");
    parse_statements(p, p->kernel->body);
    scan_expect(p, "}");
    p->nscope = scope;
    ir_walk(p->kernel->body, link_payload, NULL);
}

static void parse_program(Parser *p, int line)
{
    (void)line;
    Role *role = parse_find_role(p, scan_word(p, "a role"));
    if (!role)
        return;
    if (role->body)
        scan_fail(p, "the program of '%s' is given again", role->name);
    role->body = block_new(p->kernel, NULL);
    p->role = role;
    int scope = p->nscope;
    parse_block_args(p, role->body);
    scan_expect(p, "{");
    parse_statements(p, role->body);
    scan_expect(p, "}");
    p->nscope = scope;
    p->role = NULL;
}

static void parse_section(Parser *p)
{
    static const struct {
        const char *name;
        void (*parse)(Parser *p, int line);
    } sections[] = {{"function", parse_function},  {"launcher", parse_launcher}, {"version", parse_version},
                    {"choice", parse_choice},      {"launch", parse_launch},     {"task", parse_task},
                    {"share", parse_shared_tiles}, {"role", parse_role},         {"storage", parse_storage},
                    {"aref", parse_aref},          {"variable", parse_variable}, {"body", parse_body},
                    {"program", parse_program}};
    int line = p->token.line;
    const char *name = scan_word(p, "a section");
    if (++p->items > MAX_ITEMS)
        scan_fail(p, "too many sections");
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !p->failed; i++)
        if (!strcmp(sections[i].name, name)) {
            sections[i].parse(p, line);
            return;
        }
    scan_fail_last(p, "'%s' is not a section of a kernel", name);
}

static void parse_kernel(Parser *p)
{
    Loc loc = scan_loc(p);
    scan_expect(p, "kernel");
    const char *name = scan_name(p);
    if (p->failed)
        return;
    p->kernel = kernel_new(p->module, name, loc);
    p->nscope = 0;
    parse_params(p);
    parse_grid_clauses(p, &p->kernel->grid);
    const bool dynamic = p->kernel->schedule.block.dynamic;
    p->kernel->schedule.block = schedule_asked_of_block(&p->kernel->grid);
    p->kernel->schedule.block.dynamic = dynamic;
    scan_expect(p, "{");
    while (!p->failed && !scan_at(p, "}"))
        parse_section(p);
    scan_expect(p, "}");
    p->kernel->schedule.begun = p->kernel->roles;
    for (; p->late && !p->failed; p->late = p->late->next)
        p->late->value->var = parse_find_variable(p, p->late->name);
    p->late = NULL;
}

char *ir_read_text(FILE *in)
{
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, '\0', in) < 0 && text)
        *text = 0;
    if (!ferror(in))
        return text;
    free(text);
    return NULL;
}

Module *ir_parse(const char *text, const char *name, const Machine *machine, DiagFn diag, void *context)
{
    Module *module = module_new(name, machine, diag, context);
    Parser parser = {.module = module, .name = module->source, .cursor = text, .line_start = text, .line = 1};
    scan_next(&parser);
    while (!parser.failed && parser.token.kind != T_END)
        parse_kernel(&parser);
    if (!parser.failed)
        return module;
    module_free(module);
    return NULL;
}
