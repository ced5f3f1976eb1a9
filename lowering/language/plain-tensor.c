/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-tensor.c - the tensors that stand for arrays: extents as the launcher computes them.
 */
#include "language/plain-memory.h"

/* A loop to n makes no iteration where n is 0 or below.  */
static Value *at_least_nothing(Nest *in, const Poly *extent)
{
    Value *value = poly_before(in, extent);
    int64_t number;
    if (poly_is_constant(extent, &number))
        return value;
    return scalar_before(in, OP_SCALAR_MAX, D_I64, value, ir_const_before(in->kernel, in->region, D_I64, 0));
}

static Value *largest_extent(Nest *in, const Group *group, int dim)
{
    Value *extent = NULL;
    for (int i = 0; i < group->nextents[dim]; i++) {
        Value *value = at_least_nothing(in, &group->extent[dim][i]);
        extent = extent ? scalar_before(in, OP_SCALAR_MAX, D_I64, extent, value) : value;
    }
    return extent;
}

static bool uses_group(const Nest *in, const Group *group, int loop)
{
    for (const Access *access = in->accesses; access; access = access->next)
        if (access->group == group && !(loops_around(in, access->op) >> loop & 1))
            return false;
    return true;
}

/* Between which numbers a loop counts, at most: its least start and its largest end.  */
static bool span_of(Nest *in, const Loop *loop, Poly *low, Poly *end)
{
    *low = loop->lo;
    *end = poly_of(loop->op->args[1]);
    return (poly_is_fixed(in, low) || bound_of_loops(in, low, false)) &&
           (poly_is_fixed(in, end) || bound_of_loops(in, end, true));
}

static Value *against_0(Nest *in, Opcode code, Value *number)
{
    Value *args[] = {ir_convert_before(in->kernel, in->region, number, D_I64),
                     ir_const_before(in->kernel, in->region, D_I64, 0)};
    return ir_scalar_before(in->kernel, in->region, code, D_I1, 2, args);
}

/* A choice by a condition that is known before the grid, behind conversions; NULL: it is none.  */
static const Op *choice_in(const Nest *in, const Value *value)
{
    const Op *op = value->def;
    while (op && op->code == OP_SCALAR_CONVERT)
        op = op->args[0]->def;
    return op && op->code == OP_SCALAR_SELECT && is_known_before(in, op->args[0]) ? op : NULL;
}

/* The value where the choice is this arm; NULL: the launcher does not know the arm.  */
static Value *value_by_arm(Nest *in, const Value *value, const Op *choice, int arm)
{
    if (value->def == choice)
        return is_known_before(in, choice->args[1 + arm]) ? form_prologue(in, choice->args[1 + arm]) : NULL;
    Value *from = value_by_arm(in, value->def->args[0], choice, arm);
    return from ? ir_convert_before(in->kernel, in->region, from, value->type.dtype) : NULL;
}

static Value *truth(Nest *in, Opcode code, Value *x, Value *y)
{
    return ir_scalar_before(in->kernel, in->region, code, D_I1, y ? 2 : 1, (Value *[]){x, y});
}

/* May a comparison of C hold, as far as the launcher knows its sides?  NULL: it may.  */
static Value *may_hold(Nest *in, Opcode code, Value *x, Value *y)
{
    Value *sides[] = {x, y};
    if (is_known_before(in, x) && is_known_before(in, y))
        return truth(in, code, form_prologue(in, x), form_prologue(in, y));
    for (int i = 0; i < 2; i++) {
        const Op *choice = is_known_before(in, sides[i]) ? NULL : choice_in(in, sides[i]);
        Value *may = NULL;
        for (int arm = 0; choice && arm < 2; arm++) {
            Value *by_arm = value_by_arm(in, sides[i], choice, arm), *condition = form_prologue(in, choice->args[0]);
            Value *holds = by_arm ? may_hold(in, code, i ? x : by_arm, i ? by_arm : y) : NULL;
            if (!holds)
                continue;
            holds = truth(in, OP_SCALAR_OR, arm ? condition : truth(in, OP_SCALAR_NOT, condition, NULL), holds);
            may = may ? truth(in, OP_SCALAR_AND, may, holds) : holds;
        }
        if (may)
            return may;
    }
    return NULL;
}

/* need: where this is below 0 the number says nothing; NULL: it always says something. */
static Value *joined(Nest *in, Value *condition, Opcode code, const Poly *x, Value *need)
{
    Value *holds = against_0(in, code, poly_before(in, x));
    if (need)
        holds = ir_binary_before(in->kernel, in->region, OP_SCALAR_OR, holds, against_0(in, OP_SCALAR_LT, need));
    return ir_binary_before(in->kernel, in->region, OP_SCALAR_AND, condition, holds);
}

static bool has_guard(const Guards *guards, const Poly *guard, const Value *need)
{
    for (int i = 0; i < guards->count; i++)
        if (guards->need[i] == need && poly_same(&guards->guards[i], guard))
            return true;
    return false;
}

/* Without which none of the group's elements is touched.  */
static Guards common_guards(Nest *in, const Group *group)
{
    Guards common = {0};
    bool first = true;
    for (const Access *access = in->accesses; access; access = access->next) {
        if (access->group != group)
            continue;
        Guards guards = reach_guards(in, access->op);
        int kept = 0;
        for (int i = 0; i < common.count; i++)
            if (has_guard(&guards, &common.guards[i], common.need[i])) {
                common.need[kept] = common.need[i];
                common.guards[kept++] = common.guards[i];
            }
        common.count = kept;
        if (first)
            common = guards;
        first = false;
    }
    return common;
}

/* A sum of numbers of 32 bits and their products of two, which 64 bits hold, or one number of a few bits more; of
   counters, too, which their bounds stand for afterwards.  */
static bool is_small(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++) {
        const Term *term = &x->terms[i];
        int64_t limit = term->count > 1 ? 1 : (int64_t)1 << (term->count ? 20 : 60);
        if (term->count > 2 || term->factor > limit || term->factor < -limit)
            return false;
        for (int k = 0; k < term->count; k++)
            if (dtype_bytes(term->values[k]->type.dtype) > 4 && loop_of(in, term->values[k]) < 0 &&
                (term->count > 1 || !form_is_below(in, term->values[k], (int64_t)1 << 40)))
                return false;
    }
    return x->known;
}

/* Numbers that are at least 0 where the group's element is touched and each one's need is, if it has one; count: of
   those that the launcher knows.  */
static int conditions_of(Nest *in, const Group *group, Poly *numbers, Value **needs)
{
    Guards guards = common_guards(in, group);
    int count = 0;
    for (int i = 0; i < guards.count; i++) {
        int64_t number;
        Poly most = guards.guards[i];
        if (!is_small(in, &most) || !bound_of_loops(in, &most, true) || !is_small(in, &most) ||
            poly_is_constant(&most, &number))
            continue;
        needs[count] = guards.need[i];
        numbers[count++] = most;
    }
    return count;
}

/* Its start and its end are ints that the difference in 64 bits compares.  */
static bool is_short(const Loop *loop)
{
    const Dtype dtype = loop->start->type.dtype;
    return dtype_is_signed(dtype) && dtype_bytes(dtype) <= 4 && loop->enters != OP_SCALAR_NE;
}

/* Some element is touched: the loops around all accesses iterate, as far as the launcher knows their bounds, and the
   conditions that these have in common may hold.  An extent of 0 does not tell, as the element in front of the array
   has it, too.  */
static Value *is_touched(Nest *in, const Group *group)
{
    Value *touched = ir_const_before(in->kernel, in->region, D_I1, 1);
    Poly numbers[MAX_GUARDS];
    Value *needs[MAX_GUARDS];
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        Poly low, end, trips;
        if (!uses_group(in, group, i))
            continue;
        Value *enters = is_short(loop) ? NULL : may_hold(in, loop->enters, loop->start, loop->end);
        if (enters)
            touched = ir_binary_before(in->kernel, in->region, OP_SCALAR_AND, touched, enters);
        if (!span_of(in, loop, &low, &end) ||
            (enters && is_known_before(in, loop->start) && is_known_before(in, loop->end)))
            continue;
        trips = poly_add(&end, &low, -1);
        touched = joined(in, touched, OP_SCALAR_GT, &trips, NULL);
        trips = poly_add(&loop->hi, &loop->lo, -1);
        in->together = true;
        if (!poly_is_fixed(in, &loop->hi) && !poly_is_fixed(in, &loop->lo) && bound_of_loops(in, &trips, true))
            touched = joined(in, touched, OP_SCALAR_GT, &trips, NULL);
        in->together = false;
    }
    for (int i = conditions_of(in, group, numbers, needs) - 1; i >= 0; i--)
        touched = joined(in, touched, OP_SCALAR_GE, &numbers[i], needs[i]);
    return touched;
}

/* A loop around all accesses may make no iteration although its bounds reach into the array.  */
static bool may_be_idle(Nest *in, const Group *group)
{
    Poly numbers[MAX_GUARDS];
    Value *needs[MAX_GUARDS];
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        Poly low, end;
        int64_t number;
        bool falls = loop->enters == OP_SCALAR_GT || loop->enters == OP_SCALAR_GE;
        bool idle = falls || loop_guard(loop->op) || !poly_is_constant(&loop->lo, &number) || number > 0;
        if (idle && uses_group(in, group, i) && span_of(in, loop, &low, &end))
            return true;
    }
    return conditions_of(in, group, numbers, needs) > 0;
}

static Value *where(Nest *in, Value *condition, Value *number, Value *other)
{
    return ir_scalar_before(in->kernel, in->region, OP_SCALAR_SELECT, number->type.dtype, 3,
                            (Value *[]){condition, number, other});
}

/* Where nothing is touched an extent may be any number of 64 bits.  */
static bool may_be_large(const Group *group, int dim)
{
    for (int i = 0; i < group->nextents[dim]; i++)
        for (int k = 0; k < group->extent[dim][i].count; k++) {
            const Term *term = &group->extent[dim][i].terms[k];
            for (int m = 0; m < term->count; m++)
                if (dtype_bytes(term->values[m]->type.dtype) > 4 || !dtype_is_signed(term->values[m]->type.dtype))
                    return true;
        }
    return false;
}

/* touched: without this the tensor has no element; NULL: it is not asked.  */
static Value *extent_of(Nest *in, const Group *group, int dim, Value *touched)
{
    Value *extent = largest_extent(in, group, dim);
    if (touched && (dim == 0 || may_be_large(group, dim)))
        extent = where(in, touched, extent, ir_const_before(in->kernel, in->region, extent->type.dtype, 0));
    for (int i = 0; i < group->nleast && dim == 0; i++) { /* an extent below 0 is an error of the launch */
        Value *least = ir_convert_before(in->kernel, in->region, poly_before(in, &group->least[i]), D_I64);
        Value *below =
            ir_binary_before(in->kernel, in->region, OP_SCALAR_AND, touched, against_0(in, OP_SCALAR_LT, least));
        extent = where(in, below, least, ir_convert_before(in->kernel, in->region, extent, D_I64));
    }
    if (!group->guard)
        return extent;
    return where(in, group->guard, extent, ir_const_before(in->kernel, in->region, extent->type.dtype, 0));
}

static Value *make_tensor(Nest *in, Group *group, const int *order, int rank)
{
    Value *args[2 + 2 * MAX_RANK] = {group->base};
    int nargs = 1 + 2 * rank;
    int64_t first;
    group->base->type = type_pointer(group->dtype);
    Value *touched = group->nleast || may_be_idle(in, group) ? is_touched(in, group) : NULL;
    for (int i = 0; i < rank; i++) {
        args[1 + i] = extent_of(in, group, order[i], touched);
        args[1 + rank + i] = poly_before(in, &group->stride[order[i]]);
    }
    if ((group->line || group->moved) && !(poly_is_constant(&group->first, &first) && !first))
        args[nargs++] = poly_before(in, &group->first);
    Op *op = op_new(in->kernel, OP_TENSOR, in->kernel->loc, nargs, args);
    op_before(in->region, op);
    return op_result(in->kernel, op, type_tensor(group->dtype, rank), group->base->name);
}

/* The tensor with these two dimensions last, the others in front of them; row -1: as they are.  */
Value *memory_tensor(Nest *in, Group *group, int row, int col)
{
    int order[MAX_RANK], count = 0;
    for (int i = 0; i < group->rank; i++)
        if (i != row && i != col)
            order[count++] = i;
    if (row >= 0)
        order[count++] = row;
    order[count++] = col;
    int key = 0;
    for (int i = 0; i < count; i++)
        key = i == count - 2 ? order[i] * MAX_RANK + col : key;
    if (!in->kernel->failed && !group->tensors[key])
        group->tensors[key] = make_tensor(in, group, order, count);
    return group->tensors[key];
}

Value *memory_vector(Nest *in, Group *group)
{
    int order[] = {0};
    if (group->vector == group->base)
        group->vector = make_tensor(in, group, order, 1);
    return group->vector;
}
