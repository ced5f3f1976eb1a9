/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * print.c - the dump behind a pass: the IR as text, which parse.c reads back.
 *
 *   kernel gemm(%M: i32, %N: i32, %K: i32, %A: ptr<f16>, %B: ptr<f16>, %C: ptr<f16>) grid(2) {
 *     body {
 *       %a: tensor<f16,2> = tensor %A, %M, %K, %K, 1
 *       ...
 *       grid %i: i32 = 0, < %M, 128; %j: i32 = 0, < %N, 256 {
 *         %acc: tile<f32,128x256> = full 0
 *         %acc.2: tile<f32,128x256> = for %k: i32 = 0, < %K, 64; %acc.3: tile<f32,128x256> = %acc pipeline(4,2) {
 *           %ta: tile<f16,128x64> = load %a, %i, %k | tag=load role=producer,consumer depth=4
 *           ...
 *           yield %acc.4
 *         }
 *         store %c, %i, %j, %5
 *       }
 *     }
 *   }
 *
 * Values have the user's names, with .2, .3, ... where a name occurs again. Nameless values are numbered in the order
 * of the text. So a dump does not depend on the order in which a pass makes values. Literals stand at their uses.
 * Attributes that a pass has found stand behind the bar. Roles, rings, storages, variables and programs are printed
 * when they exist.
 */
#include <inttypes.h>
#include <string.h>

#include "ir/print.h"
#include "ir/printer.h"
#include "ir/text.h"

static void print_extents(Printer *p, const Grid *grid)
{
    for (const Extent *extent = grid->plain ? grid->extents : NULL; extent; extent = extent->next) {
        fputs(" extent(", p->out);
        ir_print_value(p, extent->base);
        putc(',', p->out);
        ir_print_value(p, extent->bytes);
        putc(')', p->out);
    }
}

static void print_totals(Printer *p, const Grid *grid)
{
    for (const Total *total = grid->totals; total; total = total->next) {
        fprintf(p->out, " total(%s %s,", op_info[total->op].text, total->name);
        ir_print_value(p, total->base);
        putc(')', p->out);
    }
}

static void print_names(Printer *p, const char *clause, const Reduction *list, Opcode op)
{
    for (; list; list = list->next)
        if (list->op == op)
            fprintf(p->out, " %s(%s)", clause, list->name);
}

static void print_grid_clauses(Printer *p, const Grid *grid, const BlockSchedule *block)
{
    if (grid->dims)
        fprintf(p->out, " grid(%d)", grid->dims);
    if (grid->plain)
        fprintf(p->out, " plain(%d,%d,%d,%d) precision(%s)", grid->tile[0], grid->tile[1], grid->tile[2], grid->tile[3],
                text_precisions[grid->precision]);
    print_extents(p, grid);
    if (grid->plain) {
        print_names(p, "adds", grid->reductions, OP_SCALAR_ADD);
        print_names(p, "independent", grid->independent, OP_SET_ELEMENT);
    }
    print_totals(p, grid);
    if (block->persistent)
        fputs(grid->persistent_given ? " persistent" : " persistent(chosen)", p->out);
    if (block->dynamic)
        fputs(" dynamic", p->out);
    if (grid->parts)
        fputs(" parts", p->out);
    if (grid->by_one)
        fputs(" by_one", p->out);
    if (grid->cluster[0] || grid->cluster[1])
        fprintf(p->out, " cluster(%d,%d)", grid->cluster[0], grid->cluster[1]);
    if (block->order == ORDER_GROUPED)
        fprintf(p->out, " order(grouped,%d)", grid->order_group);
    else if (block->order != ORDER_AUTO)
        fprintf(p->out, " order(%s)", text_orders[block->order]);
    if (grid->from) {
        fputs(" from(", p->out);
        ir_print_value(p, grid->from);
        putc(')', p->out);
    }
    if (block->groups || block->split != SPLIT_AUTO)
        fprintf(p->out, " consumers(%d%s%s)", block->groups, block->split ? "," : "", text_splits[block->split]);
    if (grid->producer_registers || grid->consumer_registers)
        fprintf(p->out, " registers(%d,%d)", grid->producer_registers, grid->consumer_registers);
    if (grid->share)
        fprintf(p->out, " share(%d)", grid->share);
    if (grid->together)
        fputs(grid->awaits ? " together awaits" : " together", p->out);
}

static void print_header(Printer *p)
{
    const Kernel *kernel = p->kernel;
    fprintf(p->out, "kernel %s(", kernel->name);
    for (int i = 0; i < kernel->nparams; i++) {
        fputs(i ? ", " : "", p->out);
        ir_print_definition(p, kernel->params[i]);
    }
    putc(')', p->out);
    const BlockSchedule asked = schedule_asked_of_block(&kernel->grid);
    print_grid_clauses(p, &kernel->grid, kernel->schedule.begun ? &kernel->schedule.block : &asked);
    fputs(" {\n", p->out);
    if (strcmp(kernel->name, kernel->c_function))
        fprintf(p->out, "  function %s\n", kernel->c_function);
    if (strncmp(kernel->launcher, "ws_launch_", 10) || strcmp(kernel->launcher + 10, kernel->name))
        fprintf(p->out, "  launcher %s\n", kernel->launcher);
    if (kernel->version.of && kernel->version.param < 0)
        fprintf(p->out, "  version %s estimated\n", kernel->version.of);
    else if (kernel->version.of)
        fprintf(p->out, "  version %s %d %" PRId64 " %" PRId64 "\n", kernel->version.of, kernel->version.param,
                kernel->version.least, kernel->version.most);
    if (kernel->choice.of) {
        fprintf(p->out, "  choice %s %d", kernel->choice.of, kernel->choice.count);
        for (int i = 0; i < kernel->choice.count; i++)
            fprintf(p->out, " %" PRId64, kernel->choice.values[i]);
        putc('\n', p->out);
    }
    if (kernel->threads)
        fprintf(p->out, "  launch layout=%s threads=%d shared=%" PRId64 " blocks=%d\n", text_layouts[kernel->layout],
                kernel->threads, kernel->shared_bytes, kernel->min_blocks);
    else if (kernel->layout)
        fprintf(p->out, "  launch layout=%s\n", text_layouts[kernel->layout]);
}

static void print_versions(Printer *p, unsigned versions)
{
    const char *separator = " versions=";
    for (int i = 0; i < TEXT_VERSIONS; i++)
        if (versions >> i & 1) {
            fprintf(p->out, "%s%s", separator, text_versions[i]);
            separator = ",";
        }
}

static void print_task(Printer *p, const Task *task)
{
    fprintf(p->out, "  task %s", task->name);
    if (task->groups)
        fprintf(p->out, " groups=%d", task->groups);
    if (task->registers)
        fprintf(p->out, " registers=%d", task->registers);
    if (task->loads)
        fputs(" loads=1", p->out);
    putc('\n', p->out);
}

static void print_role(Printer *p, const Role *role)
{
    const char *separator = " may=";
    fprintf(p->out, "  role %s", role->name);
    for (int i = 0; i < TEXT_CAPABILITIES; i++)
        if (role->may >> i & 1) {
            fprintf(p->out, "%s%s", separator, text_capabilities[i]);
            separator = ",";
        }
    fprintf(p->out, " warps=%d replicas=%d", role->warps, role->replicas);
    if (role->versions != VERSION_ANY)
        print_versions(p, role->versions);
    if (role->registers)
        fprintf(p->out, " registers=%d", role->registers);
    if (role->layout != p->kernel->layout)
        fprintf(p->out, " layout=%s", text_layouts[role->layout]);
    putc('\n', p->out);
}

static void print_storage(Printer *p, const Storage *storage)
{
    fprintf(p->out, "  storage %s %s ", storage->name, text_uses[storage->use]);
    ir_print_type(p, storage->tile);
    fprintf(p->out, " slots=%d", storage->slots);
    if (storage->resident)
        fprintf(p->out, " resident=%d", storage->resident);
    if (storage->slot_bytes)
        fprintf(p->out, " bytes=%" PRId64 " offset=%" PRId64, storage->slot_bytes, storage->offset);
    if (storage->stride != storage->slot_bytes)
        fprintf(p->out, " stride=%" PRId64, storage->stride);
    if (storage->beside)
        fprintf(p->out, " beside=%s", storage->beside->name);
    if (storage->over)
        fprintf(p->out, " over=%s", storage->over->name);
    if (storage->line)
        fprintf(p->out, " line=%d", storage->line);
    if (storage->transposed)
        fputs(" transposed=1", p->out);
    if (storage->tf32)
        fputs(" tf32=1", p->out);
    if (storage->interleaved)
        fputs(" interleaved=1", p->out);
    putc('\n', p->out);
}

static void print_aref(Printer *p, const Aref *aref)
{
    const Aref *source = NULL;
    FOR_AREFS (other, p->kernel)
        source = other->also == aref ? other : source;
    fprintf(p->out, "  aref %s slots=%d", aref->name, aref->slots);
    if (aref->producer)
        fprintf(p->out, " producer=%s", aref->producer->name);
    if (aref->consumers) {
        fputs(" consumers=", p->out);
        ir_print_roles(p, aref->consumers);
    }
    if (aref->arrivals)
        fprintf(p->out, " arrivals=%d", aref->arrivals);
    if (aref->fillers > 1)
        fprintf(p->out, " fillers=%d", aref->fillers);
    if (aref->along)
        fprintf(p->out, " along=%s", text_alongs[aref->along]);
    if (aref->bytes)
        fprintf(p->out, " bytes=%" PRId64, aref->bytes);
    if (aref->release_lag)
        fprintf(p->out, " lag=%d", aref->release_lag);
    for (int i = 0; i < aref->nstorages; i++)
        fprintf(p->out, "%s%s", i ? "," : " storages=", aref->storages[i]->name);
    if (source)
        fprintf(p->out, " from=%s", source->name);
    putc('\n', p->out);
}

static void print_variable(Printer *p, const Variable *variable)
{
    fprintf(p->out, "  variable %s: ", ir_print_variable_name(p, variable));
    ir_print_type(p, variable->type);
    if (variable->role)
        fprintf(p->out, " role=%s", variable->role->name);
    fprintf(p->out, "%s%s%s\n", variable->mutable_ ? " mutable" : "", variable->field ? " field" : "",
            variable->bare ? " bare" : "");
}

static void print_body(Printer *p, const Block *block)
{
    fputs(" {\n", p->out);
    p->indent = 1;
    ir_print_block(p, block);
    fputs("  }\n", p->out);
}

static void print_program(Printer *p, const Role *role)
{
    fprintf(p->out, "  program %s", role->name);
    for (int i = 0; i < role->body->nargs; i++) {
        fputs(i ? "; " : " ", p->out);
        ir_print_definition(p, role->body->args[i]);
    }
    p->role = role;
    print_body(p, role->body);
}

void ir_print(FILE *out, const Kernel *kernel, const char *pass)
{
    Printer printer = {.out = out, .kernel = kernel, .nnames = kernel->module->next_id};
    Printer *p = &printer;
    p->names = arena_alloc(kernel->module, (size_t)(p->nnames + 1) * sizeof *p->names);
    ir_print_names(p);
    if (pass)
        fprintf(out, "# after %s\n%s", pass, kernel->obligations ? kernel->obligations : "");
    print_header(p);
    for (const Task *task = kernel->tasks; task; task = task->next)
        print_task(p, task);
    for (const SharedMemory *share = kernel->shares; share; share = share->next)
        fprintf(out, "  share %s %s\n", share->names[0], share->names[1]);
    FOR_ROLES (role, kernel)
        print_role(p, role);
    FOR_STORAGES (storage, kernel)
        print_storage(p, storage);
    FOR_AREFS (aref, kernel)
        print_aref(p, aref);
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        print_variable(p, variable);
    fputs("  body", out);
    print_body(p, kernel->body);
    FOR_ROLES (role, kernel)
        if (role->body)
            print_program(p, role);
    fputs("}\n", out);
}
