/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel.c - kernels, and the names that their storages and arefs take.  */
#include <string.h>

#include "ir/kernel.h"

static bool comes_before(const Kernel *x, const Kernel *y)
{
    if (x->loc.line != y->loc.line)
        return x->loc.line < y->loc.line;
    if (x->loc.column != y->loc.column)
        return x->loc.column < y->loc.column;
    return x->loc.host != y->loc.host ? x->loc.host < y->loc.host : strcmp(x->name, y->name) < 0;
}

/* Inserts the kernel in the order of the source, since GCC's order of functions depends on -O. Kernels at one location,
   from one macro, are ordered by name.  */
Kernel *kernel_new(Module *module, const char *name, Loc loc)
{
    Kernel *kernel = arena_alloc(module, sizeof *kernel);
    kernel->module = module;
    kernel->machine = module->machine;
    kernel->name = kernel->c_function = arena_print(module, "%s", name);
    kernel->launcher = arena_print(module, "ws_launch_%s", name);
    kernel->loc = loc;
    kernel->grid.loc = loc;
    kernel->body = block_new(kernel, NULL);
    Kernel **end = &module->kernels;
    while (*end && !comes_before(kernel, *end))
        end = &(*end)->next;
    kernel->next = *end;
    *end = kernel;
    return kernel;
}

/* Lists keep the order of creation.  Storages and arefs become fields of one struct, so a name that is taken gets a
   number.  */
bool kernel_names(const Kernel *kernel, const char *name)
{
    FOR_STORAGES (storage, kernel)
        if (!strcmp(storage->name, name))
            return true;
    FOR_AREFS (aref, kernel)
        if (!strcmp(aref->name, name))
            return true;
    return false;
}

Task *task_new(Kernel *kernel, const char *name)
{
    Task *task = arena_alloc(kernel->module, sizeof *task), **end = &kernel->tasks;
    while (*end)
        end = &(*end)->next;
    task->name = arena_print(kernel->module, "%s", name);
    *end = task;
    return task;
}

Task *kernel_task(const Kernel *kernel, int number)
{
    Task *task = number > 0 ? kernel->tasks : NULL;
    while (task && --number > 0)
        task = task->next;
    return task;
}

int share_new(Kernel *kernel, const char *one, const char *other, Loc loc)
{
    SharedMemory *share = arena_alloc(kernel->module, sizeof *share), **end = &kernel->shares;
    int number = 1;
    for (; *end; end = &(*end)->next)
        number++;
    share->names[0] = arena_print(kernel->module, "%s", one);
    share->names[1] = arena_print(kernel->module, "%s", other);
    share->loc = loc;
    *end = share;
    return number;
}

bool kernel_is_specialized(const Kernel *kernel)
{
    const Role *copies = role_that(kernel, ROLE_COPIES);
    return copies && !(copies->may & ROLE_COMPUTES);
}
