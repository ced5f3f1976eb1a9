/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage.c - sizes and places of storages in shared memory.  */
#include "target/machine.h"
#include "target/storage.h"

int storage_place(const Kernel *kernel, const Storage *storage)
{
    int place = 0;
    for (const Storage *other = kernel->storages; other && other != storage; other = other->next)
        place++;
    return place;
}

Storage *storage_beside(const Kernel *kernel, const Storage *storage)
{
    FOR_STORAGES (other, kernel)
        if (other->beside == storage)
            return other;
    return NULL;
}

bool storage_is_exchange(const Storage *storage)
{
    return storage->use == USE_PARTS || storage->use == USE_SHARES;
}

int64_t storage_align(const Storage *storage)
{
    bool words = storage->use == USE_SCRATCH || storage->use == USE_ROW_CACHE || storage_is_exchange(storage);
    return words ? 16 : machine_slot_align(storage->line);
}

int64_t storage_bytes(const Storage *storage)
{
    switch (storage->use) {
    case USE_SCRATCH:
        return storage->tile.cols;
    case USE_PARTS:
        return machine_parts_bytes(storage->tile);
    case USE_SHARES:
        return machine_shares_bytes(storage->tile);
    case USE_OUTPUT:
        return machine_output_bytes(storage->tile);
    case USE_ROW_CACHE:
        return machine_cached_bytes(storage->tile, LAYOUT_WIDE);
    default:
        return machine_slot_bytes(storage->tile, storage->line);
    }
}
