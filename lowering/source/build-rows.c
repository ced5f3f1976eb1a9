/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-rows.c - pointers that are known before the grid, though no variable of the program holds them.
 *
 *      t3 = load.p t2   (t2: 8 * i bytes behind a)      %base = ws_rows_base_ (a, bytes)
 *                                                       %apart = ws_rows_distance_ (a, bytes, sizeof (float), "a")
 *                                             =>        row: %base, and i * %apart * 4 bytes
 *      t5 = select.p t4, a.1, b.2                       row: %b, and t4 ? %a - %b : 0 bytes, in front of the grid
 *
 * A clause says how many pointers to rows the array has, extent(a: n), and the launch looks whether the rows are at
 * equal distances.
 */
#include "build.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A sum of products with multiples of the number, divided by it; NULL: it is none.  */
static Value *quotient(Builder *b, Loc loc, Value *x, int64_t number)
{
    const Op *op = x->def;
    int64_t known;
    if (ir_constant(x, &known))
        return known % number ? NULL : build_integer(b, D_I64, known / number);
    if (op && op->code == OP_SCALAR_CONVERT && dtype_bytes(op->args[0]->type.dtype) == 8)
        return quotient(b, loc, op->args[0], number);
    if (op && op->code == OP_SCALAR_MUL && ir_constant(op->args[1], &known) && known % number == 0)
        return build_binary(b, OP_SCALAR_MUL, loc, build_convert(b, loc, op->args[0], D_I64),
                            build_integer(b, D_I64, known / number));
    if (!op || (op->code != OP_SCALAR_ADD && op->code != OP_SCALAR_SUB))
        return NULL;
    Value *left = quotient(b, loc, op->args[0], number), *right = quotient(b, loc, op->args[1], number);
    return left && right ? build_binary(b, op->code, loc, left, right) : NULL;
}

/* May the grid change pointers in memory? A character may lie anywhere.  */
static bool writes_pointers(const SourceFunction *function)
{
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_MOVE || i->code == SO_ZERO || (i->code == SO_CALL && !source_is_pure(i)) ||
                (i->code == SO_STORE && (i->type == ST_P || source_type_bytes(i->type) == 1)))
                return true;
    return false;
}

static const SourceLiveIn *live_in_of(const Builder *b, const Value *value)
{
    for (int k = 0; k < b->nlive_ins; k++)
        if (b->live_ins[k].value == value)
            return &b->live_ins[k];
    return NULL;
}

/* Marks what is the pointer or lies behind it. false: nothing new.  */
static bool follow(const Instruction *i, bool *temporaries, bool *variables)
{
    bool comes = false;
    for (int k = 0; k < 3 && (i->code == SO_COPY || i->code == SO_ADD || i->code == SO_SELECT); k++) {
        const Operand x = i->args[k];
        comes |= x.kind == OPERAND_TEMPORARY && i->type == ST_P && temporaries[x.temporary];
        comes |= x.kind == OPERAND_VARIABLE && i->type == ST_P && variables[x.variable->id];
    }
    bool *to = i->variable ? &variables[i->variable->id] : &temporaries[i->temporary];
    const bool changed = comes && !*to;
    *to |= comes;
    return changed;
}

/* Bytes of the smallest number that is read or written behind the pointer; 0: none is.  */
static int bytes_behind(const Builder *b, const Instruction *load)
{
    const SourceFunction *function = b->function;
    bool *temporaries = arena_alloc(b->module, (size_t)function->ntemporaries + 1);
    bool *variables = arena_alloc(b->module, (size_t)function->nvariables + 1);
    int bytes = 0;
    temporaries[load->temporary] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (const SourceBlock *block = function->blocks; block; block = block->next)
            for (const Instruction *i = block->first; i; i = i->next) {
                const Operand x = i->args[0];
                const int size = source_type_bytes(i->type);
                changed |= follow(i, temporaries, variables);
                if ((i->code == SO_LOAD || i->code == SO_STORE) && (!bytes || size < bytes) &&
                    ((x.kind == OPERAND_TEMPORARY && temporaries[x.temporary]) ||
                     (x.kind == OPERAND_VARIABLE && variables[x.variable->id])))
                    bytes = size;
            }
    }
    return bytes;
}

bool build_row(Builder *b, const Instruction *load, const Built *array, Built *row)
{
    const SourceLiveIn *of = array->value ? live_in_of(b, array->value) : NULL;
    if (!of || !of->variable || of->nreads || of->behind || of->varying_behind || of->row_bytes || of->argument ||
        !array->offset || writes_pointers(b->function))
        return false;
    const int bytes = bytes_behind(b, load);
    Value *number = bytes ? quotient(b, load->loc, array->offset, source_type_bytes(ST_P)) : NULL;
    if (!number)
        return false;
    SourceLiveIn like = *of;
    like.row_bytes = bytes;
    *row = (Built){.kind = BUILT_ADDRESS, .name = array->name};
    row->value = build_read_before(b, like, array->name, load->loc);
    like.is_number = true;
    Value *apart = build_read_before(b, like, NULL, load->loc);
    row->offset = build_binary(b, OP_SCALAR_MUL, load->loc, build_binary(b, OP_SCALAR_MUL, load->loc, number, apart),
                               build_integer(b, D_I64, bytes));
    return true;
}

/* ---- one of two pointers ----------------------------------------------------------------------------------------- */

/* The pointer as a number.  */
static Value *number_of(Builder *b, const Built *pointer, Loc loc)
{
    SourceLiveIn like = *live_in_of(b, pointer->value);
    like.is_number = true;
    return build_read_before(b, like, NULL, loc);
}

bool build_chosen_pointer(Builder *b, const Instruction *i, const Built *yes, const Built *no, const char *name,
                          Built *made)
{
    const SourceLiveIn *first = yes->kind == BUILT_ADDRESS && !yes->array ? live_in_of(b, yes->value) : NULL;
    const SourceLiveIn *second = no->kind == BUILT_ADDRESS && !no->array ? live_in_of(b, no->value) : NULL;
    if (!first || !second || second->varying_behind || first->row_bytes || second->row_bytes || first->total ||
        second->total || first->into || second->into)
        return false;
    Value *condition = build_scalar(b, i->loc, i->args[0], ST_B), *zero = build_integer(b, D_I64, 0);
    if (!condition || !build_is_known(condition) || (yes->offset && !build_is_known(yes->offset)) ||
        (no->offset && !build_is_known(no->offset)))
        return false;
    SourceLiveIn like = *second;
    Value *apart = build_binary(b, OP_SCALAR_SUB, i->loc, number_of(b, yes, i->loc), number_of(b, no, i->loc));
    Value *args[] = {condition, yes->offset ? build_binary(b, OP_SCALAR_ADD, i->loc, apart, yes->offset) : apart,
                     no->offset ? no->offset : zero};
    like.varying_behind = build_op(b, OP_SCALAR_SELECT, i->loc, type_scalar(D_I64), 3, args);
    *made = (Built){
        .kind = BUILT_ADDRESS, .name = name ? name : yes->name, .value = build_read_before(b, like, name, i->loc)};
    return true;
}
