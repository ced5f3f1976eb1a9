/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simplify.h - types and functions that the walk over a body (simplify.c) and the algebra of one operation
   (simplify-scalar.c) share.  */
#ifndef WSC_SIMPLIFY_H
#define WSC_SIMPLIFY_H

#include "ir/kernel.h"

enum { BUCKETS = 256 };

typedef struct Entry {
    Op *op;
    unsigned bucket;
    struct Entry *next, *newer; /* next in the bucket; next on the stack of scopes */
} Entry;

typedef struct {
    Kernel *kernel;
    ValueMap map; /* value -> its replacement */
    Entry *buckets[BUCKETS];
    Entry *newest;
    int *order; /* by value id: position of the definition in the text; 0: made in this round */
    int norder, ndefined;
    bool program; /* a role's program, which the proof compares with the body: only rules of terms.c apply */
    bool changed;
} Simplifier;

/* simplify-scalar.c */
bool simplify_is_float(const Value *value);
/* Returns the existing value that the operation equals, or NULL. Makes no operation.  */
Value *simplify_identity(const Simplifier *simplifier, Op *op);
/* Rewrites the operation to its canonical form. Returns the existing value that it equals, or NULL.  */
Value *simplify_scalar(Simplifier *simplifier, Op *op);

#endif
