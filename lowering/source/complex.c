/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complex.c - calls that compute complex numbers become operations on their parts.
 *
 *      call.c64 __muldc3(p t9, f64 t1, f64 t2, f64 t3, f64 t4)     =>     t10 = mul.f64 t1, t3
 *                                                                         t11 = mul.f64 t2, t4
 *                                                                         t12 = sub.f64 t10, t11
 *                                                                         store.f64 t9, t12
 *                                                                         ...
 *
 * A product is four products of parts, without the recovery of infinities from NaNs that Annex G of C asks for. A
 * quotient divides by the larger part of the divisor. cexp, cabs and carg are exp, cos, sin, hypot and atan2.
 */
#include <string.h>

#include "source/kernels.h"

typedef struct {
    SourceFunction *function;
    SourceBlock *block;
    Instruction *call, *last; /* what is made goes behind `last` */
    SourceType type;          /* of the parts */
} Parts;

typedef struct {
    Operand real, imaginary;
} Pair;

static Instruction *add(Parts *p, Instruction made)
{
    Instruction *instruction = arena_alloc(p->function->unit->module, sizeof *instruction);
    made.loc = p->call->loc;
    made.inlined = p->call->inlined;
    *instruction = made;
    source_insert(p->block, p->last, instruction);
    return p->last = instruction;
}

static Operand value(Parts *p, Instruction made)
{
    made.temporary = ++p->function->ntemporaries;
    return (Operand){.kind = OPERAND_TEMPORARY, .temporary = add(p, made)->temporary};
}

static Operand make(Parts *p, SourceOpcode code, Operand x, Operand y)
{
    return value(p, (Instruction){.code = code, .type = p->type, .args = {x, y}});
}

static Operand choose(Parts *p, Operand condition, Operand x, Operand y)
{
    return value(p, (Instruction){.code = SO_SELECT, .type = p->type, .args = {condition, x, y}});
}

static Operand place(Parts *p, Operand address, bool imaginary)
{
    return imaginary ? value(p, (Instruction){.code = SO_ADD,
                                              .type = ST_P,
                                              .args = {address, source_integer(source_type_bytes(p->type))}})
                     : address;
}

static Pair pair_at(Parts *p, Operand address)
{
    Pair x;
    x.real = value(p, (Instruction){.code = SO_LOAD, .type = p->type, .args = {address}});
    x.imaginary = value(p, (Instruction){.code = SO_LOAD, .type = p->type, .args = {place(p, address, true)}});
    return x;
}

static void store(Parts *p, Operand address, Pair x)
{
    add(p, (Instruction){.code = SO_STORE, .type = p->type, .args = {address, x.real}});
    const Operand behind = place(p, address, true);
    add(p, (Instruction){.code = SO_STORE, .type = p->type, .args = {behind, x.imaginary}});
}

/* A function of <math.h>.  */
static Operand called(Parts *p, const char *name, int n, Operand x, Operand y)
{
    Module *module = p->function->unit->module;
    SourceArgument *arguments = arena_alloc(module, 2 * sizeof *arguments);
    arguments[0] = (SourceArgument){.type = p->type, .operand = x};
    arguments[1] = (SourceArgument){.type = p->type, .operand = y};
    return value(p, (Instruction){.code = SO_CALL,
                                  .type = p->type,
                                  .symbol = p->type == ST_F32 ? arena_print(module, "%sf", name) : name,
                                  .narguments = n,
                                  .arguments = arguments});
}

static Pair multiplied(Parts *p, Pair x, Pair y)
{
    const Operand reals = make(p, SO_MUL, x.real, y.real), others = make(p, SO_MUL, x.imaginary, y.imaginary);
    const Operand real = make(p, SO_SUB, reals, others);
    const Operand one = make(p, SO_MUL, x.real, y.imaginary), other = make(p, SO_MUL, x.imaginary, y.real);
    return (Pair){real, make(p, SO_ADD, one, other)};
}

/* By the larger part of the divisor.  */
static Pair divided(Parts *p, Pair x, Pair y)
{
    const Operand none = {.kind = OPERAND_NONE};
    const Operand sizes[] = {make(p, SO_ABS, y.real, none), make(p, SO_ABS, y.imaginary, none)};
    const Operand smaller = value(p, (Instruction){.code = SO_LT, .type = p->type, .args = {sizes[0], sizes[1]}});
    const Operand small = choose(p, smaller, y.real, y.imaginary), large = choose(p, smaller, y.imaginary, y.real);
    const Operand ratio = make(p, SO_DIV, small, large);
    const Operand by = make(p, SO_ADD, make(p, SO_MUL, small, ratio), large);
    const Operand real_ratio = make(p, SO_MUL, x.real, ratio), imaginary_ratio = make(p, SO_MUL, x.imaginary, ratio);
    const Operand reals[] = {make(p, SO_ADD, real_ratio, x.imaginary), make(p, SO_ADD, imaginary_ratio, x.real)};
    const Operand others[] = {make(p, SO_SUB, imaginary_ratio, x.real), make(p, SO_SUB, x.imaginary, real_ratio)};
    const Operand real = choose(p, smaller, reals[0], reals[1]), imaginary = choose(p, smaller, others[0], others[1]);
    const Operand quotient = make(p, SO_DIV, real, by);
    return (Pair){quotient, make(p, SO_DIV, imaginary, by)};
}

static Pair exponential(Parts *p, Pair x)
{
    const Operand none = {.kind = OPERAND_NONE};
    const Operand size = called(p, "exp", 1, x.real, none);
    const Operand cosine = called(p, "cos", 1, x.imaginary, none);
    const Operand real = make(p, SO_MUL, size, cosine);
    const Operand sine = called(p, "sin", 1, x.imaginary, none);
    return (Pair){real, make(p, SO_MUL, size, sine)};
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* The result is a real number, or the pair at the first argument.  */
typedef enum { CABS, CARG, CREAL, CIMAG, CEXP, CONJ, MULTIPLY, DIVIDE, NO_CALL } ComplexCall;

static const struct {
    const char *of_f64, *of_f32;
} names[] = {[CABS] = {"cabs", "cabsf"},
             [CARG] = {"carg", "cargf"},
             [CREAL] = {"creal", "crealf"},
             [CIMAG] = {"cimag", "cimagf"},
             [CEXP] = {"cexp", "cexpf"},
             [CONJ] = {"conj", "conjf"},
             [MULTIPLY] = {"__muldc3", "__mulsc3"},
             [DIVIDE] = {"__divdc3", "__divsc3"}};

static ComplexCall kind_of(const Instruction *call, SourceType *type)
{
    int kind = 0;
    const char *symbol = call->symbol;
    if (!strncmp(symbol, "__builtin_", 10))
        symbol += 10;
    while (kind < NO_CALL && strcmp(symbol, names[kind].of_f64) && strcmp(symbol, names[kind].of_f32))
        kind++;
    if (kind == NO_CALL)
        return NO_CALL;
    *type = strcmp(symbol, names[kind].of_f32) ? ST_F64 : ST_F32;
    const SourceType pair = *type == ST_F32 ? ST_C32 : ST_C64;
    const int number = kind <= CIMAG ? 1 : kind <= CONJ ? 2 : 5;
    return call->narguments == number && call->type == (kind <= CIMAG ? *type : pair) &&
                   (kind >= MULTIPLY || call->arguments[number - 1].type == pair)
               ? (ComplexCall)kind
               : NO_CALL;
}

static void replace(Instruction *from, int temporary, Operand by)
{
    for (Instruction *i = from; i; i = i->next)
        for (int k = 0; k < source_noperands(i); k++) {
            Operand *x = source_operand(i, k);
            if (x->kind == OPERAND_TEMPORARY && x->temporary == temporary)
                *x = by;
        }
}

static void expand(Parts *p, ComplexCall kind)
{
    const SourceArgument *arguments = p->call->arguments;
    if (kind >= MULTIPLY) {
        const Pair x = {arguments[1].operand, arguments[2].operand}, y = {arguments[3].operand, arguments[4].operand};
        store(p, arguments[0].operand, kind == MULTIPLY ? multiplied(p, x, y) : divided(p, x, y));
        return;
    }
    Pair x = pair_at(p, arguments[kind > CIMAG].operand);
    if (kind == CEXP) {
        store(p, arguments[0].operand, exponential(p, x));
    } else if (kind == CONJ) {
        x.imaginary = make(p, SO_NEG, x.imaginary, (Operand){.kind = OPERAND_NONE});
        store(p, arguments[0].operand, x);
    } else {
        const Operand result = kind == CABS    ? called(p, "hypot", 2, x.real, x.imaginary)
                               : kind == CARG  ? called(p, "atan2", 2, x.imaginary, x.real)
                               : kind == CREAL ? x.real
                                               : x.imaginary;
        replace(p->last->next, p->call->temporary, result);
    }
}

void source_expand_complex(SourceFunction *function)
{
    for (SourceBlock *block = function->blocks; block; block = block->next) {
        Instruction *before = NULL, *next;
        for (Instruction *i = block->first; i; i = next) {
            Parts parts = {.function = function, .block = block, .call = i, .last = i};
            const ComplexCall kind = i->code == SO_CALL && i->symbol ? kind_of(i, &parts.type) : NO_CALL;
            next = i->next;
            if (kind == NO_CALL) {
                before = i;
                continue;
            }
            expand(&parts, kind);
            *(before ? &before->next : &block->first) = i->next;
            before = parts.last;
        }
    }
}
