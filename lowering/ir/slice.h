/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slice.h - use-def chains, and dependency-closed slices of a program; used by tag, choose and distribute.  */
#ifndef WSC_SLICE_H
#define WSC_SLICE_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All uses of all values below a block.  */
typedef struct Use Use;
struct Use {
    Op *op;
    int arg;
    Use *next;
};
typedef struct {
    Use **of; /* by value id */
    int size;
} Uses;
Uses uses_new(Kernel *kernel, Block *body);
const Use *uses_of(const Uses *uses, const Value *value);
bool used_once(const Uses *uses, const Value *value);
bool uses_value(const Op *op, const Value *value); /* the op or an op in its blocks */

/* A dependency-closed slice of a body. A loop or an `if` has only those carried values and results in the slice that
   the slice needs.  */
typedef struct {
    Kernel *kernel;
    bool *ops, *values; /* by id */
    int nops;
    bool (*cut)(const Op *op, void *context); /* true: the slice takes the op without its operands; may be NULL */
    void *context;
} Slice;
Slice slice_new(Kernel *kernel);
void slice_op(Slice *slice, Op *op); /* adds the op, the control flow around it, and all operands of these */
void slice_value(Slice *slice, Value *value);
bool slice_has(const Slice *slice, const Value *value);
bool slice_has_op(const Slice *slice, const Op *op);

/* Returns the terminator of a block.  */
Op *block_end(const Block *block);
/* The values of one carried variable of a FOR, WHILE or NARROW.  A value that the op lacks is NULL.

       %result = for ...; %argument = %init { ... yield %next } beyond { ... yield %beyond }
       %result = while %argument = %init { yield %condition, %exit } do %body_argument { yield %next }  */
typedef struct {
    Value *init, *argument, *body_argument, *next, *exit, *result;
    Value *beyond; /* operand of the yield of a FOR's second body */
} Carried;
/* Returns the counter value from which a FOR runs its second body, or NULL if the FOR has one body.  */
Value *loop_edge(const Op *loop);
/* True if a FOR reads the operand before each iteration: its bound, step or edge.  */
bool is_read_again(const Op *loop, int operand);
int carried_count(const Op *loop);
Carried carried(const Op *loop, int i);
/* True if an op outside the user's task uses the value.  Uses are followed through the carried values of loops.  */
bool used_outside_task(const Uses *uses, const Value *value, int task);

#ifdef __cplusplus
}
#endif
#endif
