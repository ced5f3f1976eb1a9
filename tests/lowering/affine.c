/* SPDX-License-Identifier: GPL-3.0-or-later */
/* affine.c - integer scalars as sums: what is looked through, what is not, and the questions that are asked of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/affine.h"
#include "target/machine.h"

static const Loc nowhere = {"test.ir", 1, 1, 0};

typedef struct {
    Kernel *kernel;
    Block *block; /* where values are made */
    Value *i, *n; /* parameters, I32 and I64 */
    Value *u;     /* a parameter, U32 */
    Op *loop;     /* for k = 0, < 256, 64 */
    Value *k;     /* its counter, I32 */
} Fixture;

static Value *make(Fixture *f, Opcode code, Dtype dtype, int nargs, Value *const *args)
{
    Op *op = op_new(f->kernel, code, nowhere, nargs, args);
    op_append(f->block, op);
    return op_result(f->kernel, op, type_scalar(dtype), NULL);
}

static Value *two(Fixture *f, Opcode code, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return make(f, code, x->type.dtype, 2, args);
}

static Value *number(Fixture *f, Dtype dtype, int64_t value)
{
    return ir_const_int(f->kernel, f->block, dtype, value);
}

static Value *convert(Fixture *f, Value *x, Dtype dtype)
{
    return make(f, OP_SCALAR_CONVERT, dtype, 1, &x);
}

/* A loop over k, in whose body values are made from now on.  */
static Fixture fresh(void)
{
    Fixture f = {.kernel = kernel_new(module_new("test.ir", &machine_hopper, NULL, NULL), "test", nowhere)};
    f.block = f.kernel->body;
    f.i = kernel_param(f.kernel, type_scalar(D_I32), "i", nowhere);
    f.n = kernel_param(f.kernel, type_scalar(D_I64), "n", nowhere);
    f.u = kernel_param(f.kernel, type_scalar(D_U32), "u", nowhere);
    Value *bounds[] = {number(&f, D_I32, 0), number(&f, D_I32, 256), number(&f, D_I32, 64)};
    f.loop = op_new(f.kernel, OP_FOR, nowhere, 3, bounds);
    f.loop->control->compare = OP_SCALAR_LT;
    op_append(f.block, f.loop);
    f.block = block_new(f.kernel, f.loop);
    f.k = block_arg(f.kernel, f.block, type_scalar(D_I32), "k", nowhere);
    return f;
}

static void sums_are_looked_through(void **state)
{
    (void)state;
    Fixture f = fresh();
    Value *x = two(&f, OP_SCALAR_ADD, two(&f, OP_SCALAR_MUL, f.k, number(&f, D_I32, 3)),
                   two(&f, OP_SCALAR_SUB, f.i, number(&f, D_I32, 7)));
    Affine sum = affine_of(convert(&f, x, D_I64));
    assert_true(sum.known);
    assert_int_equal(sum.count, 2);
    assert_int_equal(affine_factor(&sum, f.k), 3);
    assert_int_equal(affine_factor(&sum, f.i), 1);
    assert_int_equal(sum.low, -7);
    assert_int_equal(sum.high, -7);
    assert_int_equal(affine_factor(&sum, f.n), 0);
}

static void what_cancels_is_gone(void **state)
{
    (void)state;
    Fixture f = fresh();
    Value *x = two(&f, OP_SCALAR_SUB, two(&f, OP_SCALAR_ADD, f.i, f.k), f.i);
    assert_true(affine_same(x, f.k));
    assert_false(affine_same(x, f.i));
    int64_t constant;
    Affine zero = affine_add(affine_of(f.i), affine_of(f.i), -1);
    assert_true(affine_is_constant(&zero, &constant));
    assert_int_equal(constant, 0);
}

/* (long)(u + 1) is another number than (long)u + 1 for the largest u; (int)n forgets bits.  */
static void what_wraps_is_not_looked_through(void **state)
{
    (void)state;
    Fixture f = fresh();
    Value *wrapped = convert(&f, two(&f, OP_SCALAR_ADD, f.u, number(&f, D_U32, 1)), D_I64);
    Value *wide = two(&f, OP_SCALAR_ADD, convert(&f, f.u, D_I64), number(&f, D_I64, 1));
    assert_false(affine_same(wrapped, wide));
    assert_false(affine_same(convert(&f, convert(&f, f.n, D_I32), D_I64), f.n));
    assert_true(affine_same(convert(&f, convert(&f, f.n, D_U64), D_I64), f.n));
    assert_false(affine_same(convert(&f, convert(&f, f.i, D_U32), D_I64), convert(&f, f.i, D_I64)));
}

static void large_numbers_are_not_folded(void **state)
{
    (void)state;
    Fixture f = fresh();
    Value *most = number(&f, D_I64, INT64_MAX);
    Affine sum = affine_of(two(&f, OP_SCALAR_ADD, two(&f, OP_SCALAR_MUL, f.n, most), most));
    int64_t constant;
    assert_true(sum.known); /* the product and the number are values like any other */
    assert_int_equal(sum.count, 2);
    assert_int_equal(affine_factor(&sum, f.n), 0);
    assert_false(affine_is_constant(&sum, &constant));
    Affine twice = affine_add(affine_constant(INT64_C(1) << 61), affine_constant(INT64_C(1) << 61), 3);
    assert_false(twice.known);
}

static void windows_that_meet_and_that_do_not(void **state)
{
    (void)state;
    Fixture f = fresh();
    Value *next = two(&f, OP_SCALAR_ADD, f.i, number(&f, D_I32, 64));
    assert_true(affine_apart(f.i, 64, next, 64));
    assert_false(affine_apart(f.i, 65, next, 64));
    assert_true(affine_apart(next, 64, f.i, 64));
    assert_false(affine_apart(f.i, 1, f.n, 1));
    /* k is 0 to 192 */
    Value *far = two(&f, OP_SCALAR_ADD, f.i, number(&f, D_I32, 256)), *at = two(&f, OP_SCALAR_ADD, f.i, f.k);
    assert_true(affine_apart(at, 64, far, 1));
    assert_false(affine_apart(at, 65, far, 1));
}

static void how_far_a_coordinate_moves(void **state)
{
    (void)state;
    Fixture f = fresh();
    int64_t factor;
    assert_true(
        affine_advance(two(&f, OP_SCALAR_ADD, f.i, two(&f, OP_SCALAR_MUL, number(&f, D_I32, 2), f.k)), f.k, &factor));
    assert_int_equal(factor, 2);
    assert_true(affine_advance(f.n, f.k, &factor));
    assert_int_equal(factor, 0);
    Value *args[] = {f.k, f.i};
    assert_false(affine_advance(make(&f, OP_SCALAR_REM, D_I32, 2, args), f.k, &factor));
}

/* The body's end: the loop's second carried value is the first one of the iteration before, which is the counter's.  */
static void carry_on(Fixture *f, Value *first_init, Value *second_init, Value *late[2])
{
    Value *inits[] = {f->loop->args[0], f->loop->args[1], f->loop->args[2], first_init, second_init};
    Op *loop = op_new(f->kernel, OP_FOR, nowhere, 5, inits);
    loop->control->compare = OP_SCALAR_LT;
    op_append(f->kernel->body, loop);
    f->block = block_new(f->kernel, loop);
    f->k = block_arg(f->kernel, f->block, type_scalar(D_I32), "k", nowhere);
    for (int i = 0; i < 2; i++) {
        late[i] = block_arg(f->kernel, f->block, type_scalar(D_I32), "late", nowhere);
        op_result(f->kernel, loop, type_scalar(D_I32), NULL);
    }
    Value *next[] = {f->k, late[0]};
    op_append(f->block, op_new(f->kernel, OP_YIELD, nowhere, 2, next));
    f->loop = loop;
}

static Value *outside(Fixture *f, int64_t value)
{
    return ir_const_int(f->kernel, f->kernel->body, D_I32, value);
}

static void counters_of_iterations_before(void **state)
{
    (void)state;
    Fixture f = fresh();
    Value *late[2];
    int64_t factor;
    carry_on(&f, outside(&f, -64), outside(&f, -128), late);
    assert_int_equal(affine_late(f.k, f.k), 0);
    assert_int_equal(affine_late(late[0], f.k), 1);
    assert_int_equal(affine_late(late[1], f.k), 2);
    assert_int_equal(affine_late(f.i, f.k), -1);
    assert_true(affine_advance(late[1], f.k, &factor));
    assert_int_equal(factor, 1);
    /* One that begins elsewhere would be where the next one is, too.  */
    f = fresh();
    carry_on(&f, outside(&f, 0), outside(&f, -128), late);
    assert_int_equal(affine_late(late[0], f.k), -1);
    assert_int_equal(affine_late(late[1], f.k), -1);
    assert_false(affine_advance(late[0], f.k, &factor));
}

static void code_for_a_sum(void **state)
{
    (void)state;
    Fixture f = fresh();
    Op *end = op_new(f.kernel, OP_YIELD, nowhere, 0, NULL);
    op_append(f.block, end);
    Affine sum = affine_add(affine_add(affine_constant(0), affine_of(f.k), -5), affine_of(f.n), 1);
    Value *code = affine_emit(f.kernel, end, &sum, 9, NULL, NULL);
    Affine again = affine_add(affine_of(code), sum, -1);
    int64_t constant;
    assert_true(affine_is_constant(&again, &constant));
    assert_int_equal(constant, 9);
    Affine nothing = affine_constant(0);
    assert_null(affine_emit(f.kernel, end, &nothing, 0, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_looked_through),           cmocka_unit_test(what_cancels_is_gone),
        cmocka_unit_test(what_wraps_is_not_looked_through),  cmocka_unit_test(large_numbers_are_not_folded),
        cmocka_unit_test(windows_that_meet_and_that_do_not), cmocka_unit_test(how_far_a_coordinate_moves),
        cmocka_unit_test(counters_of_iterations_before),     cmocka_unit_test(code_for_a_sum),
    };
    return cmocka_run_group_tests_name("lowering/affine", tests, NULL, NULL);
}
