/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slice.h - who uses a value, and what a program needs: the two questions that tag, choose and distribute ask.  */
#ifndef WSC_SLICE_H
#define WSC_SLICE_H

#include "ir/ir.h"

/* Every use of every value below a block.  */
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
bool uses_value(const Op *op, const Value *value); /* the op, or one inside it */

/* A dependency-closed slice of a body.  Of a control operation only those carried values are in it that something
   in it needs.  */
typedef struct {
    Kernel *kernel;
    bool *ops, *values; /* by id */
    int nops;
    bool (*cut)(const Op *op, void *context); /* true: the op belongs to the slice, its operands do not */
    void *context;
} Slice;
Slice slice_new(Kernel *kernel);
void slice_op(Slice *slice, Op *op); /* the op, the control flow around it and all that they need */
void slice_value(Slice *slice, Value *value);
bool slice_has(const Slice *slice, const Value *value);
bool slice_has_op(const Slice *slice, const Op *op);

/* The op that ends a block.  */
Op *block_end(const Block *block);
/* The carried value i of a loop, or of a NARROW: the names that it has.  Entries are NULL where a loop has none.  */
typedef struct {
    Value *init, *argument, *body_argument, *next, *exit, *result;
    Value *beyond; /* what the second body of a FOR hands on, as the first one does `next` */
} Carried;
/* Of a FOR: where its second body begins, NULL: it has one.  */
Value *loop_edge(const Op *loop);
/* Does a FOR read this operand before each iteration: its bound, step or edge?  */
bool is_read_again(const Op *loop, int operand);
int carried_count(const Op *loop);
Carried carried(const Op *loop, int i);
/* Does anything but the user's task look at it?  What a loop carries from one iteration to the next is looked at by
   what looks at it there, and at the loop's end.  */
bool used_outside_task(const Uses *uses, const Value *value, int task);

#endif
