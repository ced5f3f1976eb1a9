/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage.h - sizes and places of storages in shared memory.  */
#ifndef WSC_STORAGE_H
#define WSC_STORAGE_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

int storage_place(const Kernel *kernel, const Storage *storage); /* number of storages before this one */
/* The storage interleaved with this one, slot by slot, or NULL.  */
Storage *storage_beside(const Kernel *kernel, const Storage *storage);
int64_t storage_align(const Storage *storage);
bool storage_is_exchange(const Storage *storage); /* blocks of a cluster write to it in each other's memory */
int64_t storage_bytes(const Storage *storage);    /* bytes of one slot, by use and tile */

#ifdef __cplusplus
}
#endif
#endif
