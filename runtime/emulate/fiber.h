/* SPDX-License-Identifier: MIT */
/*
 * fiber.h - stacks that take turns on one thread.
 *
 * A fiber runs on a stack of its own: 64 MB of address space of which only the touched pages exist, above a guard page.
 * Stacks come from a pool, one pool for each thread of the emulation, so that a thousand CTAs use three stacks.
 */
#ifndef WS_EMULATE_FIBER_H
#define WS_EMULATE_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    void *base; /* of the mapping; the guard page comes first */
    size_t bytes;
} ws_stack;

typedef struct {
    ucontext_t context;
    void *stack_low; /* what the sanitizers want to know; NULL for a thread's own stack */
    size_t stack_bytes;
    void *fake_stack;
    void *tsan;
} ws_fiber;

typedef struct ws_stacks ws_stacks;

ws_stacks *ws_stacks_new(void);
void ws_stacks_delete(ws_stacks *pool);
bool ws_stacks_take(ws_stacks *pool, ws_stack *stack); /* false: no memory */
void ws_stacks_give(ws_stacks *pool, ws_stack stack);

/* Make `fiber` start at `entry` on `stack` when it is first switched to.  `entry` never returns.  */
void ws_fiber_make(ws_fiber *fiber, ws_stack stack, void (*entry)(void));
void ws_fiber_drop(ws_fiber *fiber); /* its stack is not in use any more; it need not have ended */
/* What runs now goes into `from`; `to` goes on.  `last`: `from` will never be switched to again.  */
void ws_fiber_switch(ws_fiber *from, ws_fiber *to, bool last);
/* First thing on a fresh stack, with what was running before.  */
void ws_fiber_entered(ws_fiber *from);

#ifdef __cplusplus
}
#endif
#endif
