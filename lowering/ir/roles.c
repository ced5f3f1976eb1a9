/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roles.c - roles, storages and arefs.  Lists keep the order of creation.  */
#include "ir/kernel.h"

static const char *fresh_name(Kernel *kernel, const char *name)
{
    const char *fresh = arena_print(kernel->module, "%s", name);
    for (int i = 2; kernel_names(kernel, fresh); i++)
        fresh = arena_print(kernel->module, "%s_%d", name, i);
    return fresh;
}

Role *role_new(Kernel *kernel, const char *name, unsigned may, int replicas)
{
    Role *role = arena_alloc(kernel->module, sizeof *role);
    Role **end = &kernel->roles;
    for (; *end; end = &(*end)->next)
        role->id++;
    role->name = arena_print(kernel->module, "%s", name);
    role->may = may;
    role->warps = 4;
    role->replicas = replicas;
    role->versions = VERSION_ANY;
    *end = role;
    return role;
}

Role *role_that(const Kernel *kernel, unsigned may)
{
    Role *found = NULL;
    FOR_ROLES (role, kernel)
        if ((role->may & may) == may && (!found || __builtin_popcount(role->may) < __builtin_popcount(found->may)))
            found = role;
    return found;
}

Storage *storage_new(Kernel *kernel, const char *name, StorageUse use, Type tile, int slots)
{
    Storage *storage = arena_alloc(kernel->module, sizeof *storage);
    storage->name = fresh_name(kernel, name);
    storage->use = use;
    storage->tile = tile;
    storage->slots = slots;
    Storage **end = &kernel->storages;
    while (*end)
        end = &(*end)->next;
    *end = storage;
    return storage;
}

int storage_places(const Storage *storage)
{
    return storage->resident ? storage->resident : storage->slots;
}

int aref_places(const Aref *aref)
{
    int places = aref->slots;
    for (int i = 0; i < aref->nstorages; i++)
        if (storage_places(aref->storages[i]) < places)
            places = storage_places(aref->storages[i]);
    return places;
}

Aref *aref_new(Kernel *kernel, const char *name, int slots)
{
    Aref *aref = arena_alloc(kernel->module, sizeof *aref);
    aref->name = fresh_name(kernel, name);
    aref->slots = slots;
    aref->fillers = 1;
    Aref **end = &kernel->arefs;
    for (; *end; end = &(*end)->next)
        aref->id++;
    *end = aref;
    return aref;
}

int aref_place(const Aref *aref, const Value *value)
{
    for (int i = 0; i < aref->nstorages; i++)
        if (aref->payload[i] == value)
            return i;
    return -1;
}

/* Under SPLIT_TILES, groups of a role that stores take whole tiles in turn and do not divide rows.  */
int role_sharers(const Kernel *kernel, const Role *role)
{
    return kernel->schedule.block.split == SPLIT_TILES && role->may & ROLE_STORES ? 1 : role->replicas;
}

Aref *aref_to(const Value *value, const Role *role)
{
    Aref *aref = value->def ? value->def->aref : NULL;
    while (aref && !(aref->consumers & ROLE_BIT(role)))
        aref = aref->also;
    return aref;
}

Aref *aref_from(const Value *value, const Role *role)
{
    Aref *aref = value->def ? value->def->aref : NULL;
    while (aref && aref->producer != role)
        aref = aref->also;
    return aref;
}
