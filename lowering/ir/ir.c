/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ir.c - builders of types, values, operations and blocks.
 *
 * Builders keep two invariants: an op and its block link to each other, and a value links to its definition. Constants
 * are folded in fold.c. Memory is in arena.c, walks and copies are in walk.c.
 */
#include <string.h>

#include "ir/kernel.h"
#include "rules.h"

/* A ring may carry the results of operations of these classes.  */
enum {
    CARRIED_SCALAR = 0,
    CARRIED_TENSOR = 0,
    CARRIED_READ = 0,
    CARRIED_LOAD = 0,
    CARRIED_TILE = HAS_AREF | HAS_STORAGE,
    CARRIED_STORE = 0,
    CARRIED_CONTROL = 0,
    CARRIED_SYNC = 0
};

const OpInfo op_info[OP_COUNT] = {
#define OP(NAME, text, class, nargs, rule, call, about, doc) \
    {#NAME, #text, CLASS_##class, nargs, rule, call, (about) | CARRIED_##class, doc},
#include "ops.def"
#undef OP
};

/* ---- types ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int bytes;
    bool is_float, is_signed;
} dtype_info[D_COUNT] = {
    [D_F32] = {"f32", 4, true, true},   [D_F64] = {"f64", 8, true, true},   [D_F16] = {"f16", 2, true, true},
    [D_BF16] = {"bf16", 2, true, true}, [D_E4M3] = {"e4m3", 1, true, true}, [D_E5M2] = {"e5m2", 1, true, true},
    [D_I8] = {"i8", 1, false, true},    [D_I32] = {"i32", 4, false, true},  [D_MASK] = {"mask", 1, false, false},
    [D_I1] = {"i1", 1, false, false},   [D_U8] = {"u8", 1, false, false},   [D_I16] = {"i16", 2, false, true},
    [D_U16] = {"u16", 2, false, false}, [D_U32] = {"u32", 4, false, false}, [D_I64] = {"i64", 8, false, true},
    [D_U64] = {"u64", 8, false, false},
};

Type type_scalar(Dtype dtype)
{
    return (Type){.kind = K_SCALAR, .dtype = dtype};
}

Type type_pointer(Dtype dtype)
{
    return (Type){.kind = K_PTR, .dtype = dtype};
}

Type type_tensor(Dtype dtype, int rank)
{
    return (Type){.kind = K_TENSOR, .dtype = dtype, .rank = rank};
}

Type type_tile(Dtype dtype, int rows, int cols)
{
    return (Type){.kind = K_TILE, .dtype = dtype, .rows = rows, .cols = cols};
}

Type type_kind(Kind kind, Type like)
{
    like.kind = kind;
    return like;
}

Type type_transposed(Type type)
{
    int rows = type.rows;
    type.rows = type.cols;
    type.cols = rows;
    return type;
}

bool type_equal(Type x, Type y)
{
    return x.kind == y.kind && x.dtype == y.dtype && x.rank == y.rank && x.rows == y.rows && x.cols == y.cols;
}

int dtype_bytes(Dtype dtype)
{
    return dtype_info[dtype].bytes;
}

const char *dtype_text(Dtype dtype)
{
    return dtype_info[dtype].text;
}

bool dtype_is_float(Dtype dtype)
{
    return dtype_info[dtype].is_float;
}

bool dtype_is_signed(Dtype dtype)
{
    return dtype_info[dtype].is_signed;
}

/* ---- builders ---------------------------------------------------------------------------------------------------- */

static Value *value_new(Kernel *kernel, Type type, const char *name, Loc loc)
{
    Value *value = arena_alloc(kernel->module, sizeof *value);
    value->id = kernel->module->next_id++;
    value->type = type;
    value->name = name ? arena_print(kernel->module, "%s", name) : NULL;
    value->loc = loc;
    return value;
}

Value *kernel_param(Kernel *kernel, Type type, const char *name, Loc loc)
{
    Value *value = value_new(kernel, type, name, loc);
    value->index = kernel->nparams;
    LIST_ADD(kernel->module, kernel->params, kernel->nparams) = value;
    return value;
}

Block *block_new(Kernel *kernel, Op *parent)
{
    Block *block = arena_alloc(kernel->module, sizeof *block);
    block->parent = parent;
    if (parent) {
        if (parent->nblocks < 2)
            parent->blocks[parent->nblocks++] = block;
        else
            BUG(kernel, "a third block in '%s'", op_info[parent->code].text);
    }
    return block;
}

Value *block_arg(Kernel *kernel, Block *block, Type type, const char *name, Loc loc)
{
    Value *value = value_new(kernel, type, name, loc);
    value->block = block;
    value->index = block->nargs;
    LIST_ADD(kernel->module, block->args, block->nargs) = value;
    return value;
}

Op *op_new(Kernel *kernel, Opcode code, Loc loc, int nargs, Value *const *args)
{
    Op *op = arena_alloc(kernel->module, sizeof *op);
    op->kernel = kernel;
    op->id = kernel->nops++;
    op->code = code;
    op->loc = loc;
    op_make_attributes(op);
    for (int i = 0; i < nargs; i++)
        op_add_arg(kernel, op, args[i]);
    return op;
}

Value *op_result(Kernel *kernel, Op *op, Type type, const char *name)
{
    Value *value = value_new(kernel, type, name, op->loc);
    value->def = op;
    value->index = op->nresults;
    LIST_ADD(kernel->module, op->results, op->nresults) = value;
    return value;
}

void op_add_arg(Kernel *kernel, Op *op, Value *value)
{
    LIST_ADD(kernel->module, op->args, op->nargs) = value;
}

void op_append(Block *block, Op *op)
{
    op->parent = block;
    op->prev = block->last;
    op->next = NULL;
    *(block->last ? &block->last->next : &block->first) = op;
    block->last = op;
}

void op_before(Op *where, Op *op)
{
    op->parent = where->parent;
    op->prev = where->prev;
    op->next = where;
    *(where->prev ? &where->prev->next : &where->parent->first) = op;
    where->prev = op;
}

void op_after(Op *where, Op *op)
{
    if (where->next)
        op_before(where->next, op);
    else
        op_append(where->parent, op);
}

void op_remove(Op *op)
{
    *(op->prev ? &op->prev->next : &op->parent->first) = op->next;
    *(op->next ? &op->next->prev : &op->parent->last) = op->prev;
    op->prev = op->next = NULL;
    op->parent = NULL;
}

Op *op_lowered_before(Kernel *kernel, Op *where, Opcode code, int nargs, Value *const *args)
{
    Op *op = op_new(kernel, code, where->loc, nargs, args);
    op->origin = where->origin ? where->origin : where;
    schedule_op(op)->roles = schedule_of(where)->roles;
    op_before(where, op);
    return op;
}

Value *ir_scalar_before(Kernel *kernel, Op *where, Opcode code, Dtype dtype, int nargs, Value *const *args)
{
    Op *op = op_new(kernel, code, where->loc, nargs, args);
    op_before(where, op);
    return op_result(kernel, op, type_scalar(dtype), NULL);
}

Value *ir_const_before(Kernel *kernel, Op *where, Dtype dtype, int64_t value)
{
    Value *number = ir_scalar_before(kernel, where, OP_CONST, dtype, 0, NULL);
    number->def->scalar->integer = value;
    return number;
}

Value *ir_convert_before(Kernel *kernel, Op *where, Value *x, Dtype dtype)
{
    return x->type.dtype == dtype ? x : ir_scalar_before(kernel, where, OP_SCALAR_CONVERT, dtype, 1, &x);
}

Value *ir_binary_before(Kernel *kernel, Op *where, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    Op *op = op_new(kernel, code, where->loc, 2, args);
    op_before(where, op);
    return op_result(kernel, op, x->type, NULL);
}

Value *ir_const_int(Kernel *kernel, Block *block, Dtype dtype, int64_t value)
{
    Op *op = op_new(kernel, OP_CONST, kernel->loc, 0, NULL);
    op->scalar->integer = value;
    op_append(block, op);
    return op_result(kernel, op, type_scalar(dtype), NULL);
}

Value *ir_const_float(Kernel *kernel, Block *block, Dtype dtype, double value)
{
    Op *op = op_new(kernel, OP_CONST, kernel->loc, 0, NULL);
    op->scalar->real = value;
    op_append(block, op);
    return op_result(kernel, op, type_scalar(dtype), NULL);
}
