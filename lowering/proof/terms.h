/* SPDX-License-Identifier: GPL-3.0-or-later */
/* terms.h - values as terms: two values with one term are equal in every run.  */
#ifndef WSC_TERMS_H
#define WSC_TERMS_H

#include "ir/kernel.h"

/* Kinds of terms besides the operations of ops.def.  */
enum {
    TERM_SYMBOL = OP_COUNT, /* an unknown value; ival tells symbols apart */
    TERM_SUM,               /* ival + sum of factors[i] * args[i]; without args a number */
    TERM_CHOICE,            /* args[0] ? args[1] : args[2] */
    TERM_SLOT,              /* the slot of ring ival in the iteration named args[0] */
    TERM_MEMORY,            /* the memory args[0] behind a store of args[1...] */
    TERM_LOOP               /* a result of a loop: ival its class and the result, args its operands */
};

/* Made once for each content: equal terms have equal pointers.  */
typedef struct Term Term;
struct Term {
    int code;
    Dtype dtype;
    int rows, cols;
    int64_t ival;
    double fval;
    const char *sval;
    int nargs;
    const Term **args;
    int64_t *factors; /* of a TERM_SUM */
    int width;        /* the fewest bits in which the source computes it; 0: not known */
    int id;
    uint32_t hash;
    const Term *next;
};

typedef struct Assumption Assumption;
struct Assumption {
    const Term *comparison;
    bool answer;
    Assumption *next;
};

typedef struct {
    Module *module;
    const Term **buckets;
    int nbuckets, count;
    int64_t symbols;
    Assumption *assumptions;
} Terms;

void terms_init(Terms *terms, Module *module);
const Term *term_symbol(Terms *terms);
const Term *term_number(Terms *terms, int64_t value);
bool term_is_number(const Term *term, int64_t *value);
/* x + factor * y */
const Term *term_sum(Terms *terms, const Term *x, const Term *y, int64_t factor);
/* x + y as an addition of this type computes it.  */
const Term *term_add(Terms *terms, Dtype dtype, const Term *x, const Term *y);
/* The factor of an atom in a sum, and the sum without it.  */
int64_t term_factor(const Term *term, const Term *atom);
const Term *term_without(Terms *terms, const Term *term, const Term *atom);
const Term *term_compare(Terms *terms, Opcode code, Dtype dtype, const Term *x, const Term *y);
const Term *term_choice(Terms *terms, const Term *condition, const Term *x, const Term *y);
/* Assumes this result of the comparison.  Call it before any other term contains the symbol that it is about.  */
void term_assume(Terms *terms, Opcode code, Dtype dtype, const Term *x, const Term *y, bool answer);
/* A term of the kind `code`, with `ival` as part of its content.  */
const Term *term_special(Terms *terms, int code, int64_t ival, int nargs, const Term *const *args);
/* The first result of an operation without blocks and effects, from the terms of its operands.  The number of rows of a
   tile is no part of a term, since groups may divide rows: it follows from the operands.  The number of rows that an
   operation combines is.  */
const Term *term_of(Terms *terms, const Op *op, const Term *const *args);
/* A sum of signed integers stands for a number that does not overflow.  So it may be computed in the bits in which the
   source computes it, and in more.  */
void term_note_width(const Term *term, int bits);
int term_width(const Term *term);
/* The same for a load, with `rows` as part of the term.  Behind the load's operands, `args` has the memory that it
   reads, if the region stores there.  */
const Term *term_load(Terms *terms, const Op *load, int rows, int nargs, const Term *const *args);

#endif
