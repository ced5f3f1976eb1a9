/* SPDX-License-Identifier: MIT */
/*
 * fiber.h - stacks that take turns on one thread.
 *
 * A fiber runs on a stack of its own: 64 MB of address space above a guard page, of which only touched pages exist.
 * Each thread of the emulation has a pool of stacks, so that a thousand CTAs use three stacks.
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
    void *stack_low; /* for sanitizers; NULL for a thread's own stack */
    size_t stack_bytes;
    void *fake_stack;
    void *tsan;
} ws_fiber;

typedef struct ws_stacks ws_stacks;

ws_stacks *ws_stacks_new(void);
void ws_stacks_delete(ws_stacks *pool);
bool ws_stacks_take(ws_stacks *pool, ws_stack *stack); /* false: no memory */
void ws_stacks_give(ws_stacks *pool, ws_stack stack);

/* Makes `fiber` start at `entry` on `stack` when it is first switched to.  `entry` never returns.  */
void ws_fiber_make(ws_fiber *fiber, ws_stack stack, void (*entry)(void));
void ws_fiber_drop(ws_fiber *fiber); /* its stack is free again; the fiber need not have ended */
/* Saves the running fiber in `from` and continues `to`.  `last`: nothing will switch to `from` again.  */
void ws_fiber_switch(ws_fiber *from, ws_fiber *to, bool last);
/* Call it first on a fresh stack, with the fiber that ran before.  */
void ws_fiber_entered(ws_fiber *from);

#ifdef __cplusplus
}
#endif
#endif
