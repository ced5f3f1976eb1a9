/* SPDX-License-Identifier: MIT */
/*
 * reclaim.c - memory of tiles and tensors, reclaimed when no local holds them.
 *
 * In the language a handle lives only in a local variable or a parameter of the thread that made it.  So a handle in
 * use is a word on that thread's stack or in its registers.  No heap, static variable or other thread needs to be
 * searched.
 *
 * Each thread has its own list of blocks.  A collection begins when a thread has allocated as much again as was in use
 * after the last one, and at least ROUND_BYTES.  It reads the thread's stack and keeps each block to which a word
 * points. The other blocks are spare.  The next tiles of their sizes reuse them while they are in the cache; the next
 * collection frees the rest.  Memory in use is therefore at most three times the memory of live tiles, plus twice
 * ROUND_BYTES.
 *
 *     acc = ws_dot(ta, ws_trans(tb), acc)     blocks: ta tb trans acc0 acc1 | ta tb trans acc2 | ...
 *                                             stack:  ta tb acc2            keeps three, frees the rest
 *
 * Threads need no registration and are never stopped.  On a stack that is not the thread's own (a coroutine's) nothing
 * is reclaimed.
 */
#if !defined _GNU_SOURCE && !defined __APPLE__
#    define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include "tile.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_BYTES ((size_t)1 << 20) /* about the size of a core's cache */
#define SPARE_LISTS 64
#define OVERHEAD    64 /* about the cost of a block besides its bytes */

/* Sanitizers would report the reads of the whole stack.  */
#if defined __clang__
#    define READS_STACK __attribute__((noinline, no_sanitize("address", "memory", "thread")))
#else
#    define READS_STACK __attribute__((noinline, no_sanitize("address", "thread")))
#endif

struct block {
    char *address;
    size_t bytes;
};

/* A block without a holder; the struct is in the block's own memory.  */
struct spare {
    struct spare *next;
    size_t bytes;
};

struct heap {
    struct spare *spares[SPARE_LISTS]; /* by size */
    struct block *blocks;
    size_t count, capacity;
    size_t held;  /* bytes of all blocks */
    size_t round; /* collect when `held` reaches this */
    char *stack_low, *stack_high;
    void *scratch[3];
    size_t scratch_bytes[3];
};

static _Thread_local struct heap *heap;
_Thread_local void *(*ws_handle_source)(size_t bytes);
static pthread_key_t at_thread_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct spare **spares_of(struct heap *h, size_t bytes)
{
    return &h->spares[bytes / 64 % SPARE_LISTS];
}

static void add_spare(struct heap *h, struct block block)
{
    if (block.bytes < sizeof(struct spare)) {
        free(block.address);
        return;
    }
    struct spare *spare = (struct spare *)(void *)block.address, **list = spares_of(h, block.bytes);
    *spare = (struct spare){*list, block.bytes};
    *list = spare;
}

/* A spare block of this size, or NULL.  */
static void *take_spare(struct heap *h, size_t bytes)
{
    for (struct spare **link = spares_of(h, bytes); *link; link = &(*link)->next)
        if ((*link)->bytes == bytes) {
            struct spare *spare = *link;
            *link = spare->next;
            return spare;
        }
    return NULL;
}

static void free_spares(struct heap *h)
{
    for (int i = 0; i < SPARE_LISTS; i++)
        while (h->spares[i]) {
            struct spare *spare = h->spares[i];
            h->spares[i] = spare->next;
            free(spare);
        }
}

static void free_heap(void *p)
{
    struct heap *h = p;
    free_spares(h);
    for (size_t i = 0; i < h->count; i++)
        free(h->blocks[i].address);
    for (int i = 0; i < 3; i++)
        free(h->scratch[i]);
    free(h->blocks);
    free(h);
    heap = NULL;
}

static void make_key(void)
{
    pthread_key_create(&at_thread_end, free_heap);
}

/* The calling thread's stack; both ends are NULL if the system does not know them.  */
static void find_stack(struct heap *h)
{
#if defined __APPLE__
    h->stack_high = pthread_get_stackaddr_np(pthread_self());
    h->stack_low = h->stack_high - pthread_get_stacksize_np(pthread_self());
#elif defined __linux__
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
        h->stack_low = low;
        h->stack_high = h->stack_low + bytes;
    }
    pthread_attr_destroy(&attributes);
#else
    (void)h;
#endif
}

static struct heap *this_heap(void)
{
    if (!heap) {
        struct heap *h = calloc(1, sizeof *h);
        if (!h)
            return NULL;
        h->round = ROUND_BYTES;
        find_stack(h);
        pthread_once(&once, make_key);
        pthread_setspecific(at_thread_end, h);
        heap = h;
    }
    return heap;
}

static int by_address(const void *x, const void *y)
{
    const struct block *a = x, *b = y;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* The sorted block that holds p, or `count`.  A pointer into a block, or one past its end, keeps the block.  In the
   middle of a loop over elements a compiler may have no other pointer left.  */
static size_t find_block(const struct heap *h, const char *p)
{
    size_t low = 0, high = h->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p < h->blocks[middle].address)
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 && p <= h->blocks[low - 1].address + h->blocks[low - 1].bytes ? low - 1 : h->count;
}

/* Marks every block to which a word of the stack points, from this frame on.  Returns 0 on a foreign stack.  */
READS_STACK static int mark(const struct heap *h, unsigned char *held)
{
    char *here = __builtin_frame_address(0);
    if (here < h->stack_low || here >= h->stack_high)
        return 0;
    const char *lowest = h->blocks[0].address;
    const char *highest = h->blocks[h->count - 1].address + h->blocks[h->count - 1].bytes;
    here -= (uintptr_t)here % sizeof(char *);
    for (char *const volatile *word = (char *const volatile *)here; (char *)(uintptr_t)(word + 1) <= h->stack_high;
         word++) {
        const char *p = *word;
        if (p < lowest || p > highest)
            continue;
        size_t index = find_block(h, p);
        if (index < h->count)
            held[index] = 1;
    }
    return 1;
}

/* Turns blocks without a mark into spare blocks.  */
static void sweep(struct heap *h, const unsigned char *held)
{
    size_t kept = 0;
    free_spares(h);
    h->held = 0;
    for (size_t i = 0; i < h->count; i++) {
        if (!held[i]) {
            add_spare(h, h->blocks[i]);
            continue;
        }
        h->blocks[kept++] = h->blocks[i];
        h->held += h->blocks[i].bytes + OVERHEAD;
    }
    h->count = kept;
}

/* The caller's registers are saved in this frame, which `mark`, one frame further down, reads, too.  */
__attribute__((noinline)) static void collect(struct heap *h)
{
    __builtin_unwind_init();
    if (h->count == 0)
        return;
    unsigned char *held = calloc(h->count, 1);
    if (held) {
        qsort(h->blocks, h->count, sizeof *h->blocks, by_address);
        if (mark(h, held))
            sweep(h, held);
        free(held);
    }
    h->round = h->held + (h->held > ROUND_BYTES ? h->held : ROUND_BYTES);
}

static int make_room(struct heap *h)
{
    if (h->count < h->capacity)
        return 1;
    size_t capacity = h->capacity ? 2 * h->capacity : 256;
    struct block *blocks = realloc(h->blocks, capacity * sizeof *blocks);
    if (!blocks)
        return 0;
    h->blocks = blocks;
    h->capacity = capacity;
    return 1;
}

void *ws_handle_alloc(size_t bytes)
{
    if (ws_handle_source)
        return ws_handle_source(bytes);
    struct heap *h = this_heap();
    if (h && h->held >= h->round)
        collect(h);
    char *p = NULL;
    if (h && make_room(h) && !(p = take_spare(h, bytes)))
        p = malloc(bytes);
    if (!p && h && h->count > 0) {
        collect(h);
        free_spares(h);
        p = malloc(bytes);
    }
    if (!p) {
        ws_error_set(WS_ERR_MEMORY, "no memory for a tile of %zu bytes", bytes);
        return NULL;
    }
    h->blocks[h->count++] = (struct block){p, bytes};
    h->held += bytes + OVERHEAD;
    return p;
}

void *ws_scratch(int index, size_t bytes)
{
    struct heap *h = this_heap();
    if (h && h->scratch_bytes[index] < bytes) {
        free(h->scratch[index]);
        h->scratch[index] = malloc(bytes);
        h->scratch_bytes[index] = h->scratch[index] ? bytes : 0;
    }
    if (!h || !h->scratch[index]) {
        ws_error_set(WS_ERR_MEMORY, "no memory for %zu bytes of working memory", bytes);
        return NULL;
    }
    return h->scratch[index];
}

size_t ws_handle_bytes(void)
{
    return heap ? heap->held : 0;
}

void ws_handle_collect(void)
{
    if (heap)
        collect(heap);
}
