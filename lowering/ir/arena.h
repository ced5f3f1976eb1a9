/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arena.h - the memory of a module.  */
#ifndef WSC_ARENA_H
#define WSC_ARENA_H

#include "ir/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

Module *module_new(const char *source, const Machine *machine, DiagFn diag, void *context);
void module_free(Module *module);
void *arena_alloc(Module *module, size_t bytes); /* zeroed */
char *arena_print(Module *module, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprint(Module *module, const char *format, va_list list);
/* Returns the array of `count` elements of `size` bytes, with room for one more. The room doubles at each power of two;
   the array was made by this function, or has room up to the next power.  */
void *arena_grow(Module *module, void *array, int count, size_t size);
/* The new last element of such an array.  */
#define LIST_ADD(module, list, count) \
    (*((list) = arena_grow((module), (list), (count), sizeof *(list)), &(list)[(count)++]))

#ifdef __cplusplus
}
#endif
#endif
