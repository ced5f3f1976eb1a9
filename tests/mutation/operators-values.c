/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operators-values.c - mutations of what a final program computes, and where.
 *
 *      store %y, %i, 0, %v       one element further along            for %k = 0, < %K      the last iteration left out
 *      %x = mul %y, %scale       twice the scale                      %m = lt %at, %edge    le: a column more
 *      %r = scalar_mul i64       in 32 bits                           %h = cast f16         to bf16
 *      wait; store_wait          in the other order                   if %group == 0        the next group
 */
#include "ir/queries.h"
#include "mutation.h"

/* Returns the sum of the value and a constant of its type, in front of the operation.  */
static Value *plus(Kernel *kernel, Op *op, Value *value, int64_t number)
{
    Op *constant = op_new(kernel, OP_CONST, op->loc, 0, NULL);
    constant->scalar->integer = number;
    Value *addend = op_result(kernel, constant, value->type, NULL);
    Op *sum = op_new(kernel, OP_SCALAR_ADD, op->loc, 2, (Value *[]){value, addend});
    Value *result = op_result(kernel, sum, value->type, NULL);
    op_before(op, constant);
    op_before(op, sum);
    return result;
}

/* Returns the place of the operation's last coordinate, 0: it has none.  */
static int last_coordinate(const Op *op)
{
    const OpClass class_ = op_info[op->code].class_;
    if (op->code == OP_COPY_IN || class_ == CLASS_LOAD)
        return op->nargs - 1;
    return class_ == CLASS_STORE && !op_prints(op) && op->nargs > 2 ? op->nargs - 2 : 0;
}

bool next_element(Kernel *kernel, Site site)
{
    Op *op = site.op;
    const int at = last_coordinate(op);
    if (at < 1 || op->args[at]->type.kind != K_SCALAR || dtype_is_float(op->args[at]->type.dtype))
        return false;
    op->args[at] = plus(kernel, op, op->args[at], 1);
    return true;
}

bool last_trip_less(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_FOR)
        return false;
    Op *difference = op_new(kernel, OP_SCALAR_SUB, op->loc, 2, (Value *[]){op->args[1], op->args[2]});
    Value *bound = op_result(kernel, difference, op->args[1]->type, NULL);
    op_before(op, difference);
    op->args[1] = bound;
    return true;
}

/* The neighbouring comparison: a mask or a condition is wrong at the bound alone.  */
bool at_the_bound(Kernel *kernel, Site site)
{
    static const Opcode other[][2] = {{OP_LT, OP_LE},
                                      {OP_LE, OP_LT},
                                      {OP_GT, OP_GE},
                                      {OP_GE, OP_GT},
                                      {OP_SCALAR_LT, OP_SCALAR_LE},
                                      {OP_SCALAR_LE, OP_SCALAR_LT},
                                      {OP_SCALAR_GT, OP_SCALAR_GE},
                                      {OP_SCALAR_GE, OP_SCALAR_GT}};
    (void)kernel;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (site.op->code == other[i][0]) {
            site.op->code = other[i][1];
            return true;
        }
    return false;
}

/* A mask goes by the column behind.  */
bool next_column(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if ((op->code != OP_COL_INDEX && op->code != OP_ROW_INDEX) || op->nargs || !op->next)
        return false;
    Op *one = op_new(kernel, OP_CONST, op->loc, 0, NULL);
    one->scalar->integer = 1;
    Value *number = op_result(kernel, one, type_scalar(D_I32), NULL);
    op_before(op, one);
    Op *shifted = op_new(kernel, op->code, op->loc, 1, &number);
    Value *index = op_result(kernel, shifted, op->results[0]->type, NULL);
    op_before(op, shifted);
    ir_replace_uses(site.role->body, op->results[0], index);
    return true;
}

bool twice_scale(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_MUL && op->code != OP_FMA && op->code != OP_RESCALE)
        return false;
    Op *sum = op_new(kernel, OP_ADD, op->loc, 2, (Value *[]){op->args[1], op->args[1]});
    op->args[1] = op_result(kernel, sum, op->args[1]->type, NULL);
    op_before(op, sum);
    return true;
}

/* A cast rounds to another type of the same width.  */
bool other_rounding(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_CAST || op->results[0]->type.dtype != D_F16)
        return false;
    Op *rounded = op_new(kernel, OP_CAST, op->loc, 1, &op->args[0]);
    Type type = op->results[0]->type;
    type.dtype = D_BF16;
    op->args[0] = op_result(kernel, rounded, type, NULL);
    op_before(op, rounded);
    return true;
}

bool narrow_number(Kernel *kernel, Site site)
{
    Op *op = site.op;
    (void)kernel;
    if ((op->code != OP_SCALAR_MUL && op->code != OP_SCALAR_ADD) || op->results[0]->type.dtype != D_I64)
        return false;
    Op *narrow = op_new(kernel, OP_SCALAR_CONVERT, op->loc, 1, &op->results[0]);
    Value *low = op_result(kernel, narrow, type_scalar(D_I8), NULL);
    Op *wide = op_new(kernel, OP_SCALAR_CONVERT, op->loc, 1, &low);
    Value *again = op_result(kernel, wide, type_scalar(D_I64), NULL);
    ir_replace_uses(site.role->body, op->results[0], again);
    narrow->args[0] = op->results[0];
    Op *behind = op->next;
    if (!behind)
        return false;
    op_before(behind, narrow);
    op_before(behind, wide);
    return true;
}

/* The next group, or the next owner of a tile, does what is one group's.  */
bool next_owner(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_SCALAR_EQ)
        return false;
    op->args[1] = plus(kernel, op, op->args[1], 1);
    return true;
}

static bool is_wait(const Op *op)
{
    return op && (op->code == OP_GET || op->code == OP_WAIT || op->code == OP_STORE_WAIT || op->code == OP_PUT ||
                  op->code == OP_ROLE_BARRIER || op->code == OP_PINGPONG_TAKE);
}

/* Two waits of a block change places.  */
bool other_order_of_waits(Kernel *kernel, Site site)
{
    (void)kernel;
    Op *op = site.op, *other = op->next;
    while (other && !is_wait(other))
        other = other->next;
    if (!is_wait(op) || !other)
        return false;
    op_remove(other);
    op_before(op, other);
    return true;
}

/* All steps of two rings in a role are about the other one.  */
typedef struct {
    const Aref *one, *other;
} Rings;

static void visit_ring(Op *op, void *context)
{
    const Rings *rings = context;
    if (op->aref == rings->one)
        op->aref = (Aref *)(uintptr_t)rings->other;
    else if (op->aref == rings->other)
        op->aref = (Aref *)(uintptr_t)rings->one;
}

bool exchange_rings(Kernel *kernel, Site site)
{
    if (!kernel->arefs || !kernel->arefs->next)
        return false;
    Rings rings = {kernel->arefs, kernel->arefs->next};
    ir_walk(site.role->body, visit_ring, &rings);
    return true;
}
