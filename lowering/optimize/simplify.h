/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simplify.h - what the walk over a body (simplify.c) and the algebra of one operation (simplify-scalar.c) share.  */
#ifndef WSC_SIMPLIFY_H
#define WSC_SIMPLIFY_H

#include "ir/ir.h"

enum { BUCKETS = 256 };

typedef struct Entry {
    Op *op;
    unsigned bucket;
    struct Entry *next, *newer; /* in the bucket; on the stack of scopes */
} Entry;

typedef struct {
    Kernel *kernel;
    ValueMap map; /* value -> what stands for it now */
    Entry *buckets[BUCKETS];
    Entry *newest;
    int *order; /* by value id: place of the definition in the text; 0 for what this round makes */
    int norder, ndefined;
    bool program; /* of a role, which the proof compares with the body: only by the algebra that terms.c knows */
    bool changed;
} Simplifier;

/* simplify-scalar.c */
bool simplify_is_float(const Value *value);
/* What the operation gives back as it stands, or NULL: no operation is made for it.  */
Value *simplify_identity(const Simplifier *simplifier, Op *op);
/* Gives the operation the one spelling of all that it may have; the value that it is, where there is one already, or
   NULL.  */
Value *simplify_scalar(Simplifier *simplifier, Op *op);

#endif
