/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop.h - what the files about loops share: loop.cc, count.cc, flagged.cc.
 */
#ifndef WSC_LOOP_H
#define WSC_LOOP_H

#include "plugin.h"

/* How control goes into a loop's body and out of it.  */
struct Shape {
    class loop *loop;
    Branch branch;
    edge in, out;
    bool on_top; /* the header's condition is the only way out */
    bool in_on_yes;
};

/* iv + offset < hi, or another comparison.  */
struct Bound {
    tree hi, offset; /* NULL_TREE: none */
    bool subtract;   /* iv - offset */
    Opcode compare;
};

/* What makes a loop a FOR: all bounds hold as long as it runs.  */
struct Count {
    gphi *iv;
    tree lo, step;
    Bound bounds[4];
    int nbounds;
    bool negative; /* the step is subtracted */
    bool cut;      /* the sum is made in another type, and cut off to that of iv, which wraps around */
};

/* The PHIs of a header whose values go from one iteration to the next.  */
struct Carried {
    auto_vec<gphi *> phis;
};

/* Enter a block of the loop's op, and come back.  */
struct Inside {
    Walk *w;
    class loop *loop;
    Block *block;
    Inside(Walk *walk, class loop *inner, Block *into) : w(walk), loop(walk->loop), block(walk->block)
    {
        w->loop = inner;
        w->block = into;
    }
    ~Inside()
    {
        w->loop = loop;
        w->block = block;
    }
};

/* count.cc */
/* What makes the loop a FOR, if it is one.  */
bool loop_count_of(const Shape *shape, Count *count);
/* Behind copies and conversions that keep every bit.  */
tree loop_bare(tree expression);
/* What is added to a count of the type: a large number of an unsigned type is one below 0.  */
int64_t count_step_below(tree type, int64_t number);
/* The loop leaves the expression alone: its leaves are defined outside.  */
bool loop_leaves_alone(class loop *loop, tree expression, int depth);
/* With a walk: other than by the PHIs that the ways out lead to.  */
bool loop_used_outside(const Walk *w, class loop *loop, tree name);

/* flagged.cc */
Exits *loop_emit_flagged(Walk *w, class loop *loop);

/* loop.cc */
void loop_carried(class loop *loop, gphi *without, Carried *carried);
void loop_initial_values(Walk *w, class loop *loop, const Carried &carried, auto_vec<Value *> *inits);
Value *loop_argument(Walk *w, Block *block, gphi *phi, Type type);
Op *loop_while_new(Walk *w, location_t where, const auto_vec<Value *> &inits);

#endif
