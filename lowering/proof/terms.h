/* SPDX-License-Identifier: GPL-3.0-or-later */
/* terms.h - what a value is, as a term: two values with one term are equal in every run.  */
#ifndef WSC_TERMS_H
#define WSC_TERMS_H

#include "ir/ir.h"

/* Kinds of terms that are no operation of ops.def.  */
enum {
    TERM_SYMBOL = OP_COUNT, /* something unknown, told from all others by ival */
    TERM_SUM,               /* ival + factors[i] * args[i]; without args a number */
    TERM_CHOICE,            /* args[0] ? args[1] : args[2] */
    TERM_SLOT,              /* the slot of ring ival in the iteration args[0] */
    TERM_MEMORY,            /* the memory args[0] after a store of args[1...] */
    TERM_LOOP               /* what a loop leaves: ival its text and which result, args all that it has from outside */
};

/* Made once for each different content: pointers are equal where terms are.  */
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
/* x + y as an operation of that type computes it.  */
const Term *term_add(Terms *terms, Dtype dtype, const Term *x, const Term *y);
/* The factor of an atom in a sum, and the sum without it.  */
int64_t term_factor(const Term *term, const Term *atom);
const Term *term_without(Terms *terms, const Term *term, const Term *atom);
const Term *term_compare(Terms *terms, Opcode code, Dtype dtype, const Term *x, const Term *y);
const Term *term_choice(Terms *terms, const Term *condition, const Term *x, const Term *y);
/* The comparison has this answer: an assumption about a symbol, made before any term is made of that.  */
void term_assume(Terms *terms, Opcode code, Dtype dtype, const Term *x, const Term *y, bool answer);
/* A term of some other kind, with a number to tell it by.  */
const Term *term_special(Terms *terms, int code, int64_t ival, int nargs, const Term *const *args);
/* The first result of an operation without blocks or effects, from the terms of its operands.  Rows of tiles are left
   out: they follow from the operands, and groups may have divided them.  */
const Term *term_of(Terms *terms, const Op *op, const Term *const *args);
/* The same for a load, with rows and the state of the memory that it reads behind its operands.  */
const Term *term_load(Terms *terms, const Op *load, int rows, int nargs, const Term *const *args);

#endif
