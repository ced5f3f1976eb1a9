/* SPDX-License-Identifier: MIT */
/*
 * fiber.c - stacks that take turns on one thread, by ucontext.
 *
 * Each switch is announced to the address and thread sanitizers.  Pools belong to one thread, without locks.
 */
#define _GNU_SOURCE /* MAP_NORESERVE, MAP_STACK */
#include "fiber.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#    define ADDRESS_SANITIZER 1
#elif defined __has_feature
#    if __has_feature(address_sanitizer)
#        define ADDRESS_SANITIZER 1
#    endif
#endif
#if defined __SANITIZE_THREAD__
#    define THREAD_SANITIZER 1
#elif defined __has_feature
#    if __has_feature(thread_sanitizer)
#        define THREAD_SANITIZER 1
#    endif
#endif

#ifdef ADDRESS_SANITIZER
#    include <sanitizer/asan_interface.h>
#    include <sanitizer/common_interface_defs.h>
#endif
#ifdef THREAD_SANITIZER
#    include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 64 << 20, MOST_IDLE = 64 };

struct ws_stacks {
    ws_stack idle[MOST_IDLE];
    int nidle;
};

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

ws_stacks *ws_stacks_new(void)
{
    return calloc(1, sizeof(ws_stacks));
}

/* Later mappings at the same addresses must not be marked as frames of this stack.  */
static void unmap(ws_stack stack)
{
#ifdef ADDRESS_SANITIZER
    __asan_unpoison_memory_region(stack.base, stack.bytes);
#endif
    munmap(stack.base, stack.bytes);
}

void ws_stacks_delete(ws_stacks *pool)
{
    if (!pool)
        return;
    for (int i = 0; i < pool->nidle; i++)
        unmap(pool->idle[i]);
    free(pool);
}

bool ws_stacks_take(ws_stacks *pool, ws_stack *stack)
{
    if (pool->nidle) {
        *stack = pool->idle[--pool->nidle];
        return true;
    }
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    stack->bytes = STACK_BYTES;
    stack->base = mmap(NULL, stack->bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack->base == MAP_FAILED)
        return false;
    if (mprotect(stack->base, guard, PROT_NONE)) {
        munmap(stack->base, stack->bytes);
        return false;
    }
    return true;
}

void ws_stacks_give(ws_stacks *pool, ws_stack stack)
{
    if (pool->nidle < MOST_IDLE)
        pool->idle[pool->nidle++] = stack;
    else
        unmap(stack);
}

/* ---- fibers ------------------------------------------------------------------------------------------------------ */

void ws_fiber_make(ws_fiber *fiber, ws_stack stack, void (*entry)(void))
{
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    fiber->stack_low = (char *)stack.base + guard;
    fiber->stack_bytes = stack.bytes - guard;
    fiber->fake_stack = NULL;
#ifdef ADDRESS_SANITIZER
    /* Frames of an abandoned fiber on this stack are still marked.  */
    __asan_unpoison_memory_region(fiber->stack_low, fiber->stack_bytes);
#endif
#ifdef THREAD_SANITIZER
    fiber->tsan = __tsan_create_fiber(0);
#endif
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack_low;
    fiber->context.uc_stack.ss_size = fiber->stack_bytes;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, entry, 0);
}

void ws_fiber_drop(ws_fiber *fiber)
{
#ifdef THREAD_SANITIZER
    if (fiber->tsan)
        __tsan_destroy_fiber(fiber->tsan);
#endif
    fiber->tsan = NULL;
}

void ws_fiber_switch(ws_fiber *from, ws_fiber *to, bool last)
{
#ifdef ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack_low, to->stack_bytes);
#endif
#ifdef THREAD_SANITIZER
    if (!from->tsan)
        from->tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    (void)last;
    swapcontext(&from->context, &to->context);
#ifdef ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

void ws_fiber_entered(ws_fiber *from)
{
#ifdef ADDRESS_SANITIZER
    const void *low;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &low, &bytes);
    if (!from->stack_low) {
        from->stack_low = (void *)low;
        from->stack_bytes = bytes;
    }
#endif
    (void)from;
}
