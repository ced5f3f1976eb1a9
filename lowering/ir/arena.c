/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arena.c - the allocator of all objects of a Module.
 *
 * The arena is a list of zeroed chunks, which module_free () unmaps together.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ir/kernel.h"

enum { CHUNK_BYTES = 256 * 1024 - 64, ALIGNMENT = 16 };

#ifndef MAP_POPULATE
#    define MAP_POPULATE 0
#endif

struct Chunk {
    struct Chunk *next;
    size_t used, size;
    _Alignas(ALIGNMENT) char data[];
};

/* MAP_POPULATE maps all pages at once, which is cheaper than a page fault for each (bench/notes/compiler.md).  */
static struct Chunk *chunk_new(size_t bytes, struct Chunk *next)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct Chunk *chunk =
        mmap(NULL, sizeof *chunk + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (chunk == MAP_FAILED) {
        fputs("wsc: out of memory\n", stderr);
        abort();
    }
    chunk->next = next;
    chunk->size = size;
    return chunk;
}

void *arena_alloc(Module *module, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct Chunk *chunk = module->arena;
    if (chunk->size - chunk->used < bytes)
        module->arena = chunk = chunk_new(bytes, chunk);
    void *result = chunk->data + chunk->used;
    chunk->used += bytes;
    return result;
}

/* Prints into the rest of the chunk, which suffices for most texts.  */
char *arena_vprint(Module *module, const char *format, va_list list)
{
    struct Chunk *chunk = module->arena;
    char *rest = chunk->data + chunk->used;
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(rest, chunk->size - chunk->used, format, again);
    va_end(again);
    char *text = arena_alloc(module, (size_t)length + 1);
    if (text != rest)
        vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

char *arena_print(Module *module, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = arena_vprint(module, format, list);
    va_end(list);
    return text;
}

Module *module_new(const char *source, const Machine *machine, DiagFn diag, void *context)
{
    struct Chunk *chunk = chunk_new(0, NULL);
    Module first = {.arena = chunk};
    Module *module = arena_alloc(&first, sizeof *module);
    *module = first;
    module->target = TARGET_CUDA;
    module->machine = machine;
    module->diag = diag;
    module->diag_context = context;
    module->source = arena_print(module, "%s", source);
    return module;
}

void module_free(Module *module)
{
    if (!module)
        return;
    for (struct Chunk *chunk = module->arena, *next; chunk; chunk = next) {
        next = chunk->next;
        munmap(chunk, sizeof *chunk + chunk->size);
    }
}

/* Returns the array with space for one more pointer.  The array doubles when `count` is zero or a power of two.  */
void *arena_grow(Module *module, void *array, int count, size_t size)
{
    if (count & (count - 1))
        return array;
    void *larger = arena_alloc(module, (size_t)(count ? 2 * count : 1) * size);
    if (count)
        memcpy(larger, array, (size_t)count * size);
    return larger;
}
