/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terms.c - values as hash-consed terms.
 *
 *      %k2 = scalar_add %k, 64   k + 64                        one node, however often and in any role it is computed
 *      %t  = trans %tb           trans (load (b, j, k + 64))   trans of trans is gone
 *
 * A sum of signed integers is stored as a sum of numbers times atoms, so k + 64 - 64 is k.  This assumes that signed
 * scalars do not overflow, as C does.  A conversion that keeps every value of a signed integer is left out.  Integer
 * operations on numbers are folded (fold.c), and neutral operands are dropped, since simplify does both to the programs
 * of roles.  Every other value is a node with its operation and operands.  Equal pointers mean equal values.  Different
 * pointers do not mean different values.
 */
#include <string.h>

#include "ir/queries.h"
#include "proof/terms.h"

enum { FIRST_BUCKETS = 1 << 9, MAX_ATOMS = 32 };

void terms_init(Terms *terms, Module *module)
{
    *terms = (Terms){.module = module, .nbuckets = FIRST_BUCKETS};
    terms->buckets = arena_alloc(module, FIRST_BUCKETS * sizeof *terms->buckets);
}

/* ---- hash-consing ------------------------------------------------------------------------------------------------ */

static uint32_t mix(uint32_t hash, uint64_t value)
{
    value = (value ^ hash) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(value >> 32) ^ (uint32_t)value;
}

static uint32_t hash_of(const Term *term)
{
    uint64_t real = 0;
    memcpy(&real, &term->fval, sizeof real);
    uint32_t hash = mix(mix((uint32_t)term->code, (uint64_t)term->dtype), (uint64_t)term->ival ^ real);
    hash = mix(hash, (uint64_t)term->rows << 32 | (uint32_t)term->cols);
    for (const char *c = term->sval; c && *c; c++)
        hash = mix(hash, (unsigned char)*c);
    for (int i = 0; i < term->nargs; i++)
        hash = mix(hash, (uint64_t)term->args[i]->id << 16 ^ (uint64_t)(term->factors ? term->factors[i] : 0));
    return hash;
}

static bool same_text(const char *x, const char *y)
{
    return x == y || (x && y && !strcmp(x, y));
}

static bool same(const Term *x, const Term *y)
{
    return x->hash == y->hash && x->code == y->code && x->dtype == y->dtype && x->rows == y->rows &&
           x->cols == y->cols && x->ival == y->ival && !memcmp(&x->fval, &y->fval, sizeof x->fval) &&
           x->nargs == y->nargs && same_text(x->sval, y->sval) &&
           (!x->nargs || !memcmp(x->args, y->args, (size_t)x->nargs * sizeof *x->args)) &&
           (!x->factors || !memcmp(x->factors, y->factors, (size_t)x->nargs * sizeof *x->factors));
}

static void grow(Terms *terms)
{
    int nbuckets = terms->nbuckets * 4;
    const Term **buckets = arena_alloc(terms->module, (size_t)nbuckets * sizeof *buckets);
    for (int i = 0; i < terms->nbuckets; i++)
        for (const Term *term = terms->buckets[i], *next; term; term = next) {
            next = term->next;
            const Term **place = &buckets[term->hash % (uint32_t)nbuckets];
            ((Term *)term)->next = *place;
            *place = term;
        }
    terms->buckets = buckets;
    terms->nbuckets = nbuckets;
}

/* Returns the unique term of this content.  If it is new, `args` and `factors` are copied.  */
static const Term *intern(Terms *terms, Term term)
{
    term.hash = hash_of(&term);
    for (const Term *old = terms->buckets[term.hash % (uint32_t)terms->nbuckets]; old; old = old->next)
        if (same(old, &term))
            return old;
    if (terms->count > terms->nbuckets)
        grow(terms);
    Term *made = arena_alloc(terms->module, sizeof *made);
    *made = term;
    if (term.nargs) {
        made->args = arena_alloc(terms->module, (size_t)term.nargs * sizeof *made->args);
        memcpy(made->args, term.args, (size_t)term.nargs * sizeof *made->args);
    }
    if (term.nargs && term.factors) {
        made->factors = arena_alloc(terms->module, (size_t)term.nargs * sizeof *made->factors);
        memcpy(made->factors, term.factors, (size_t)term.nargs * sizeof *made->factors);
    } else {
        made->factors = NULL;
    }
    made->id = terms->count++;
    const Term **place = &terms->buckets[term.hash % (uint32_t)terms->nbuckets];
    made->next = *place;
    return *place = made;
}

const Term *term_special(Terms *terms, int code, int64_t ival, int nargs, const Term *const *args)
{
    return intern(terms, (Term){.code = code, .ival = ival, .nargs = nargs, .args = (const Term **)args});
}

const Term *term_symbol(Terms *terms)
{
    return term_special(terms, TERM_SYMBOL, terms->symbols++, 0, NULL);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t number;
    const Term *atoms[MAX_ATOMS];
    int64_t factors[MAX_ATOMS];
    int count;
    bool full;
} Sum;

static int64_t wrap_sum(int64_t x, int64_t y, int64_t factor)
{
    return (int64_t)((uint64_t)x + (uint64_t)y * (uint64_t)factor);
}

/* Adds factor * atom.  Atoms are in the order of their ids.  */
static void add_atom(Sum *sum, const Term *atom, int64_t factor)
{
    int i = 0;
    while (i < sum->count && sum->atoms[i]->id < atom->id)
        i++;
    bool there = i < sum->count && sum->atoms[i] == atom;
    if (there) {
        sum->factors[i] = wrap_sum(sum->factors[i], factor, 1);
        if (sum->factors[i])
            return;
        sum->count--;
        memmove(sum->atoms + i, sum->atoms + i + 1, (size_t)(sum->count - i) * sizeof *sum->atoms);
        memmove(sum->factors + i, sum->factors + i + 1, (size_t)(sum->count - i) * sizeof *sum->factors);
    } else if (sum->count == MAX_ATOMS) {
        sum->full = true;
    } else if (factor) {
        memmove(sum->atoms + i + 1, sum->atoms + i, (size_t)(sum->count - i) * sizeof *sum->atoms);
        memmove(sum->factors + i + 1, sum->factors + i, (size_t)(sum->count - i) * sizeof *sum->factors);
        sum->atoms[i] = atom;
        sum->factors[i] = factor;
        sum->count++;
    }
}

static void add_term(Sum *sum, const Term *term, int64_t factor)
{
    if (term->code != TERM_SUM) {
        add_atom(sum, term, factor);
        return;
    }
    sum->number = wrap_sum(sum->number, term->ival, factor);
    for (int i = 0; i < term->nargs; i++)
        add_atom(sum, term->args[i], wrap_sum(0, term->factors[i], factor));
}

static const Term *sum_term(Terms *terms, Sum *sum)
{
    if (sum->count == 1 && !sum->number && sum->factors[0] == 1)
        return sum->atoms[0];
    return intern(
        terms,
        (Term){
            .code = TERM_SUM, .ival = sum->number, .nargs = sum->count, .args = sum->atoms, .factors = sum->factors});
}

const Term *term_number(Terms *terms, int64_t value)
{
    Sum sum = {.number = value};
    return sum_term(terms, &sum);
}

bool term_is_number(const Term *term, int64_t *value)
{
    *value = term->ival;
    return term->code == TERM_SUM && !term->nargs;
}

/* A sum of more than MAX_ATOMS atoms is an ordinary node.  */
const Term *term_sum(Terms *terms, const Term *x, const Term *y, int64_t factor)
{
    Sum sum = {0};
    add_term(&sum, x, 1);
    add_term(&sum, y, factor);
    const Term *args[] = {x, y};
    return sum.full ? term_special(terms, OP_SCALAR_ADD, factor, 2, args) : sum_term(terms, &sum);
}

int64_t term_factor(const Term *term, const Term *atom)
{
    for (int i = 0; term->code == TERM_SUM && i < term->nargs; i++)
        if (term->args[i] == atom)
            return term->factors[i];
    return term == atom;
}

const Term *term_without(Terms *terms, const Term *term, const Term *atom)
{
    return term_sum(terms, term, atom, -term_factor(term, atom));
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* True for types whose sums are terms: signed integers, which do not overflow.  */
static bool is_counted(Type type)
{
    return type.kind == K_SCALAR && (type.dtype == D_I32 || type.dtype == D_I64);
}

/* Returns the operation of the source that a role's operation computes.  */
static Opcode meaning(Opcode code)
{
    return code == OP_MMA ? OP_DOT : code == OP_TRANS_VIEW ? OP_TRANS : code;
}

/* The number of rows that the operation combines.  A transpose moves them.  */
static int rows_combined(const Op *op)
{
    return op_mixes_rows(op) && op->code != OP_TRANS && op->nargs ? op->args[0]->type.rows : 0;
}

static const Term *node(Terms *terms, const Op *op, const Term *const *args)
{
    Type type = op->nresults ? op->results[0]->type : (Type){0};
    const Meaning said = op_meaning(op);
    Term term = {.code = meaning(op->code),
                 .dtype = type.dtype,
                 .rows = rows_combined(op),
                 .cols = type.cols,
                 .ival = said.integer,
                 .fval = said.real,
                 .sval = *said.text ? said.text : NULL,
                 .nargs = op->nargs,
                 .args = (const Term **)args};
    return intern(terms, term);
}

static bool decide(Opcode code, int64_t difference)
{
    switch (code) {
    case OP_SCALAR_EQ:
        return difference == 0;
    case OP_SCALAR_NE:
        return difference != 0;
    case OP_SCALAR_LT:
        return difference < 0;
    default:
        return difference <= 0;
    }
}

/* Compares two numbers of the type: -1, 0 or 1.  */
static int order_of(Dtype dtype, int64_t x, int64_t y)
{
    bool less = dtype_is_signed(dtype) ? x < y : (uint64_t)x < (uint64_t)y;
    return less ? -1 : x != y;
}

const Term *term_add(Terms *terms, Dtype dtype, const Term *x, const Term *y)
{
    const Term *args[] = {x, y};
    int64_t a, b;
    if (is_counted(type_scalar(dtype)))
        return term_sum(terms, x, y, 1);
    if (!dtype_is_float(dtype) && term_is_number(x, &a) && term_is_number(y, &b))
        return term_number(terms, ir_wrap(dtype, wrap_sum(a, b, 1)));
    return intern(terms, (Term){.code = OP_SCALAR_ADD, .dtype = dtype, .nargs = 2, .args = args});
}

const Term *term_compare(Terms *terms, Opcode code, Dtype dtype, const Term *x, const Term *y)
{
    int64_t difference;
    if (code == OP_SCALAR_GT || code == OP_SCALAR_GE)
        return term_compare(terms, code == OP_SCALAR_GT ? OP_SCALAR_LT : OP_SCALAR_LE, dtype, y, x);
    if ((code == OP_SCALAR_EQ || code == OP_SCALAR_NE) && x->id > y->id)
        return term_compare(terms, code, dtype, y, x);
    if (is_counted(type_scalar(dtype)) && term_is_number(term_sum(terms, x, y, -1), &difference))
        return term_number(terms, decide(code, difference));
    int64_t a, b;
    if (!dtype_is_float(dtype) && term_is_number(x, &a) && term_is_number(y, &b))
        return term_number(terms, decide(code, order_of(dtype, a, b)));
    const Term *args[] = {x, y}, *made = intern(terms, (Term){.code = code, .dtype = dtype, .nargs = 2, .args = args});
    for (const Assumption *assumption = terms->assumptions; assumption; assumption = assumption->next)
        if (assumption->comparison == made)
            return term_number(terms, assumption->answer);
    return made;
}

void term_assume(Terms *terms, Opcode code, Dtype dtype, const Term *x, const Term *y, bool answer)
{
    const Term *comparison = term_compare(terms, code, dtype, x, y);
    int64_t known;
    if (term_is_number(comparison, &known))
        return;
    Assumption *made = arena_alloc(terms->module, sizeof *made);
    *made = (Assumption){comparison, answer, terms->assumptions};
    terms->assumptions = made;
}

const Term *term_choice(Terms *terms, const Term *condition, const Term *x, const Term *y)
{
    int64_t known;
    if (x == y)
        return x;
    if (term_is_number(condition, &known))
        return known ? x : y;
    const Term *args[] = {condition, x, y};
    return term_special(terms, TERM_CHOICE, 0, 3, args);
}

static const Term *product(Terms *terms, const Op *op, const Term *const *args)
{
    int64_t number;
    for (int i = 0; i < 2; i++)
        if (term_is_number(args[i], &number)) {
            Sum sum = {0};
            add_term(&sum, args[!i], number);
            return sum.full ? node(terms, op, args) : sum_term(terms, &sum);
        }
    const Term *sorted[] = {args[0]->id < args[1]->id ? args[0] : args[1],
                            args[0]->id < args[1]->id ? args[1] : args[0]};
    return node(terms, op, sorted);
}

/* True if the signed type `to` holds every integer of the type `from`.  */
static bool keeps_values(Dtype from, Dtype to)
{
    if (dtype_is_float(from))
        return false;
    return dtype_is_signed(from) ? dtype_bytes(from) <= dtype_bytes(to) : dtype_bytes(from) < dtype_bytes(to);
}

static const Term *integer_term(Terms *terms, const Op *op, const Term *const *args)
{
    int64_t count;
    switch (op->code) {
    case OP_CONST:
        return term_number(terms, op->scalar->integer);
    case OP_SCALAR_ADD:
        return term_sum(terms, args[0], args[1], 1);
    case OP_SCALAR_SUB:
        return term_sum(terms, args[0], args[1], -1);
    case OP_SCALAR_NEG:
        return term_sum(terms, term_number(terms, 0), args[0], -1);
    case OP_SCALAR_MUL:
        return product(terms, op, args);
    case OP_SCALAR_SHL:
        if (term_is_number(args[1], &count) && count >= 0 && count < 31)
            return term_sum(terms, term_number(terms, 0), args[0], (int64_t)1 << count);
        return node(terms, op, args);
    case OP_SCALAR_CONVERT:
        if (keeps_values(op->args[0]->type.dtype, op->results[0]->type.dtype))
            return args[0];
        if (term_is_number(args[0], &count) && !dtype_is_float(op->args[0]->type.dtype) &&
            (op->results[0]->type.dtype == D_I64 || count == (int32_t)count))
            return args[0];
        return node(terms, op, args);
    default:
        return node(terms, op, args);
    }
}

/* ---- integers of any type ---------------------------------------------------------------------------------------- */

/* Returns the result as a number if all operands are numbers, else NULL.  */
static const Term *folded(Terms *terms, const Op *op, const Term *const *args)
{
    int64_t numbers[2], result;
    if (op->nargs < 1 || op->nargs > 2)
        return NULL;
    for (int i = 0; i < op->nargs; i++)
        if (!term_is_number(args[i], &numbers[i]))
            return NULL;
    return ir_fold(op, numbers, &result) ? term_number(terms, result) : NULL;
}

/* Returns the operand that is the result whatever the other one is, or NULL.  */
static const Term *neutral(const Op *op, const Term *const *args)
{
    int64_t y;
    bool known = term_is_number(args[1], &y), same = args[0] == args[1];
    int64_t ones = op->args[1]->type.dtype == D_I1 ? 1 : -1;
    switch (op->code) {
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
    case OP_SCALAR_XOR:
    case OP_SCALAR_SHL:
    case OP_SCALAR_SHR:
        return known && y == 0 ? args[0] : NULL;
    case OP_SCALAR_OR:
        return (known && y == 0) || same ? args[0] : NULL;
    case OP_SCALAR_MUL:
        return known && y == 0 ? args[1] : known && y == 1 ? args[0] : NULL;
    case OP_SCALAR_DIV:
        return known && y == 1 ? args[0] : NULL;
    case OP_SCALAR_AND:
        return known && y == 0 ? args[1] : (known && y == ones) || same ? args[0] : NULL;
    case OP_SCALAR_MIN:
    case OP_SCALAR_MAX:
        return same ? args[0] : NULL;
    default:
        return NULL;
    }
}

static bool commutes(Opcode code)
{
    return code == OP_SCALAR_ADD || code == OP_SCALAR_MUL || code == OP_SCALAR_AND || code == OP_SCALAR_OR ||
           code == OP_SCALAR_XOR || code == OP_SCALAR_MIN || code == OP_SCALAR_MAX;
}

/* Sorts operands: a number comes second, else the older term first.  */
static void sort_operands(const Term **args)
{
    int64_t number;
    bool first = term_is_number(args[0], &number), second = term_is_number(args[1], &number);
    if (first != second ? first : args[0]->id > args[1]->id) {
        const Term *other = args[0];
        args[0] = args[1];
        args[1] = other;
    }
}

static const Term *scalar_term(Terms *terms, const Op *op, const Term *const *args)
{
    const Term *number = folded(terms, op, args);
    if (op->code == OP_SCALAR_NOT && args[0]->code == OP_SCALAR_NOT)
        return args[0]->args[0];
    if (number || op->nargs != 2)
        return number                             ? number
               : is_counted(op->results[0]->type) ? integer_term(terms, op, args)
                                                  : node(terms, op, args);
    const Term *sorted[] = {args[0], args[1]};
    if (commutes(op->code))
        sort_operands(sorted);
    const Term *one = neutral(op, sorted);
    if (one)
        return one;
    return is_counted(op->results[0]->type) ? integer_term(terms, op, sorted) : node(terms, op, sorted);
}

/* True if one term is the transpose of the other.  */
static bool is_transposed(const Term *x, const Term *y)
{
    return (x->code == OP_TRANS && x->args[0] == y) || (y->code == OP_TRANS && y->args[0] == x);
}

/* True if `part` is the tf32 head or residual (by `code`) of the operand.  These are functions of the operand, so they
   are no part of the product's term.  */
static bool is_part(int code, const Term *part, const Term *operand)
{
    const bool transposed = part->code == OP_TRANS;
    const Term *made = transposed ? part->args[0] : part;
    return made->code == code && (transposed ? is_transposed(made->args[0], operand) : made->args[0] == operand);
}

const Term *term_of(Terms *terms, const Op *op, const Term *const *args)
{
    Type type = op->results[0]->type;
    if (op->code >= OP_SCALAR_EQ && op->code <= OP_SCALAR_GE)
        return term_compare(terms, op->code, op->args[0]->type.dtype, args[0], args[1]);
    int64_t x, y;
    if (op->code == OP_SCALAR_SELECT && type.dtype == D_I1 && term_is_number(args[1], &x) &&
        term_is_number(args[2], &y) && x && !y)
        return args[0];
    if (op->code == OP_SCALAR_SELECT)
        return term_choice(terms, args[0], args[1], args[2]);
    if (op->code == OP_CONST && type.kind == K_SCALAR && !dtype_is_float(type.dtype))
        return term_number(terms, ir_wrap(type.dtype, op->scalar->integer));
    if (op_info[op->code].class_ == CLASS_SCALAR && type.kind == K_SCALAR && !dtype_is_float(type.dtype))
        return scalar_term(terms, op, args);
    if (is_counted(type))
        return integer_term(terms, op, args);
    if ((op->code == OP_TRANS || op->code == OP_TRANS_VIEW) && args[0]->code == OP_TRANS)
        return args[0]->args[0];
    Op whole = *op;
    if (op->code == OP_DOT_F32 && op->nargs > 3 && is_part(OP_TF32_RESIDUAL, args[3], args[1]) &&
        (op->nargs == 4 || is_part(OP_TF32_HEAD, args[4], args[1])))
        whole.nargs = 3;
    return node(terms, &whole, args);
}

void term_note_width(const Term *term, int bits)
{
    Term *noted = (Term *)term;
    if (!noted->width || bits < noted->width)
        noted->width = bits;
}

int term_width(const Term *term)
{
    int64_t number;
    return term_is_number(term, &number) ? 0 : term->width;
}

const Term *term_load(Terms *terms, const Op *load, int rows, int nargs, const Term *const *args)
{
    Type type = load->results[0]->type;
    return intern(terms, (Term){.code = load->code,
                                .dtype = type.dtype,
                                .rows = rows,
                                .cols = type.cols,
                                .fval = load->transfer->fill,
                                .nargs = nargs,
                                .args = (const Term **)args});
}
