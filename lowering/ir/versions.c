/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * versions.c - versions of a kernel for ranges of a parameter, and variants for ws_choice constants.
 *
 *   kernel softmax(%M: i32, %N: i32, ...)            takes all launches
 *   kernel softmax_to_256(%M: i32, %N: i32, ...)     version of softmax: those where %N is from 129 to 256
 *
 * A pass may clone the kernel into a version for launches that a cheaper program can serve. The pass changes the
 * version instead of the kernel. The version then runs through the rest of the table like any kernel. At run time the
 * launcher of the kernel selects a version by the parameter, or by two estimates (print/cuda-choice.c).
 */
#include <string.h>

#include "ir/kernel.h"
#include "ir/versions.h"
#include "ir/versions.h"

static bool is_taken(const Module *module, const char *name)
{
    for (const Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        if (!strcmp(kernel->name, name))
            return true;
    return false;
}

/* Copies a loop's Pipeline, since passes write to it.  */
static void visit_pipeline(Op *op, void *context)
{
    Module *module = context;
    if (!pipeline_of(op))
        return;
    Pipeline *own = arena_alloc(module, sizeof *own);
    *own = *op->control->pipeline;
    op->control->pipeline = own;
}

static void copy_params(Kernel *version, const Kernel *kernel, ValueMap *map)
{
    for (int i = 0; i < kernel->nparams; i++) {
        const Value *param = kernel->params[i];
        value_map_set(version, map, kernel->params[i], kernel_param(version, param->type, param->name, param->loc));
    }
    version->grid.from = kernel->grid.from ? version->params[kernel->grid.from->index] : NULL;
}

static Kernel *new_form(Kernel *kernel, const char *name, KernelVersion range)
{
    Module *module = kernel->module;
    while (is_taken(module, name))
        name = arena_print(module, "%s_", name);
    Kernel *version = kernel_new(module, name, kernel->loc);
    ValueMap map = value_map_new(version);
    version->c_function = kernel->c_function;
    version->launcher = arena_print(module, "%s%s", variant_launcher(kernel), name + strlen(kernel->name));
    version->grid = kernel->grid;
    version->tasks = kernel->tasks;
    version->shares = kernel->shares;
    version->version = range;
    copy_params(version, kernel, &map);
    ir_copy_block(version, kernel->body, version->body, &map);
    ir_walk(version->body, visit_pipeline, module);
    return version;
}

Kernel *kernel_version(Kernel *kernel, const Value *param, int64_t least, int64_t most)
{
    const char *name = arena_print(kernel->module, "%s_to_%lld", kernel->name, (long long)most);
    return new_form(kernel, name, (KernelVersion){kernel->name, param->index, least, most, kernel->module->pass_index});
}

Kernel *kernel_estimated_version(Kernel *kernel, const char *ending)
{
    return new_form(kernel, arena_print(kernel->module, "%s_%s", kernel->name, ending),
                    (KernelVersion){kernel->name, -1, 0, 0, kernel->module->pass_index});
}

Kernel *kernel_copy(Kernel *kernel)
{
    Module *module = kernel->module;
    Kernel *copy = kernel_new(module, kernel->name, kernel->loc), **link = &module->kernels;
    ValueMap map = value_map_new(copy);
    while (*link != copy)
        link = &(*link)->next;
    *link = copy->next;
    copy->next = NULL;
    copy->c_function = kernel->c_function;
    copy->launcher = kernel->launcher;
    copy->grid = kernel->grid;
    copy->tasks = kernel->tasks;
    copy->shares = kernel->shares;
    copy->version = kernel->version;
    copy->choice = kernel->choice;
    copy_params(copy, kernel, &map);
    ir_copy_block(copy, kernel->body, copy->body, &map);
    ir_walk(copy->body, visit_pipeline, module);
    return copy;
}

void kernel_replace(Kernel *kernel, Kernel *by)
{
    Kernel **link = &kernel->module->kernels;
    while (*link != kernel)
        link = &(*link)->next;
    by->next = kernel->next;
    *link = by;
}

bool is_version_of(const Kernel *version, const Kernel *kernel)
{
    return version->version.of && !strcmp(version->version.of, kernel->name) && !version->failed;
}

/* ---- variants ---------------------------------------------------------------------------------------------------- */

const char *variant_label(const Kernel *variant)
{
    const char *text = "";
    for (int i = 0; i < variant->choice.count; i++)
        text = arena_print(variant->module, "%s%s%lld", text, i ? "x" : "", (long long)variant->choice.values[i]);
    return text;
}

const char *variant_launcher(const Kernel *variant)
{
    return variant->choice.of ? arena_print(variant->module, "%s__%s", variant->launcher, variant_label(variant))
                              : variant->launcher;
}

Kernel *kernel_variant(Kernel *first, int count, const int64_t *values)
{
    Module *module = first->module;
    Kernel numbers = {.module = module, .choice = {first->name, count, {0}}};
    memcpy(numbers.choice.values, values, (size_t)count * sizeof *values);
    /* The name of the second region of a function f is f_2, so the label follows two underscores. */
    const char *name = arena_print(module, "%s__%s", first->name, variant_label(&numbers));
    while (is_taken(module, name))
        name = arena_print(module, "%s_", name);
    Kernel *variant = kernel_new(module, name, first->loc);
    variant->choice = numbers.choice;
    return variant;
}

void variant_number(Kernel *variant, int number)
{
    KernelChoice *choice = &variant->choice;
    if (choice->count < MOST_CHOSEN)
        choice->values[choice->count++] = number;
}

Kernel *kernel_scheduled(Kernel *first, Kernel *copy, int number, const char *text)
{
    Module *module = first->module;
    Kernel *last = first;
    copy->name = arena_print(module, "%s__%d", first->name, number);
    while (is_taken(module, copy->name))
        copy->name = arena_print(module, "%s_", copy->name);
    variant_number(copy, number);
    copy->scheduled = (Scheduled){.of = first->name, .text = text, .varies = true};
    while (last->next && last->next->scheduled.of && !strcmp(last->next->scheduled.of, first->name))
        last = last->next;
    copy->next = last->next;
    last->next = copy;
    return copy;
}

bool is_variant_of(const Kernel *kernel, const Kernel *first)
{
    return kernel->choice.of && !strcmp(kernel->choice.of, first->choice.of ? first->choice.of : first->name);
}

Kernel *next_variant(const Kernel *first, const Kernel *after)
{
    for (Kernel *kernel = after ? after->next : first->module->kernels; kernel; kernel = kernel->next)
        if (is_variant_of(kernel, first) && !kernel->failed)
            return kernel;
    return NULL;
}
