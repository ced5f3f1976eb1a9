/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The IR's builders, walks, copies and folding, and what the checker finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ir/check.h"
#include "ir/kernel.h"
#include "ir/parse.h"
#include "target/machine.h"

static const Loc nowhere = {"test.ir", 1, 1, 0};
static char last_message[400];

static void remember(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    (void)loc;
    if (kind == DIAG_ERROR)
        snprintf(last_message, sizeof last_message, "%s", message);
}

static Kernel *fresh(void)
{
    *last_message = 0;
    return kernel_new(module_new("test.ir", &machine_hopper, remember, NULL), "test", nowhere);
}

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    Module *module = module_new("test.ir", &machine_hopper, NULL, NULL);
    for (size_t bytes = 1; bytes < 300000; bytes = bytes * 3 + 1) {
        unsigned char *memory = arena_alloc(module, bytes);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, bytes);
    }
    assert_string_equal(arena_print(module, "%d-%s", 7, "x"), "7-x");
    module_free(module);
}

static Op *literal(Kernel *kernel, int value)
{
    return ir_const_int(kernel, kernel->body, D_I32, value)->def;
}

static void ops_keep_their_order(void **state)
{
    (void)state;
    Kernel *kernel = fresh();
    Op *b = literal(kernel, 2), *d = literal(kernel, 4), *a = literal(kernel, 1), *c = literal(kernel, 3);
    op_remove(a);
    op_remove(c);
    op_before(b, a);
    op_after(b, c);
    int expected = 1;
    FOR_OPS (op, kernel->body)
        assert_int_equal(op->scalar->integer, expected++);
    assert_int_equal(expected, 5);
    op_remove(a);
    op_remove(d);
    assert_ptr_equal(kernel->body->first, b);
    assert_ptr_equal(kernel->body->last, c);
    assert_ptr_equal(b->next, c);
    assert_null(c->next);
    assert_null(b->prev);
    module_free(kernel->module);
}

static void uses_follow_a_replacement(void **state)
{
    (void)state;
    Kernel *kernel = fresh();
    Value *x = kernel_param(kernel, type_scalar(D_I32), "x", nowhere);
    Value *y = kernel_param(kernel, type_scalar(D_I32), "y", nowhere);
    Value *args[] = {x, x};
    Op *sum = op_new(kernel, OP_SCALAR_ADD, nowhere, 2, args);
    op_append(kernel->body, sum);
    op_result(kernel, sum, type_scalar(D_I32), "s");
    ir_count_uses(kernel, kernel->body);
    assert_int_equal(x->uses, 2);
    ir_replace_uses(kernel->body, x, y);
    ir_count_uses(kernel, kernel->body);
    assert_int_equal(x->uses, 0);
    assert_int_equal(y->uses, 2);
    module_free(kernel->module);
}

static void a_copy_maps_its_values(void **state)
{
    (void)state;
    Kernel *kernel = fresh();
    Value *x = kernel_param(kernel, type_scalar(D_I32), "x", nowhere);
    Value *args[] = {x, x};
    ValueMap map = value_map_new(kernel);
    Op *sum = op_new(kernel, OP_SCALAR_ADD, nowhere, 2, args);
    Value *result = op_result(kernel, sum, type_scalar(D_I32), "s");
    schedule_op(sum)->stage = 3;
    schedule_op(sum)->tag = TAG_ITERATION;
    Op *copy = op_clone(kernel, sum, &map);
    assert_ptr_not_equal(copy->results[0], result);
    assert_ptr_equal(value_map_get(&map, result), copy->results[0]);
    assert_ptr_equal(value_map_get(&map, x), x);
    assert_ptr_equal(copy->origin, sum);
    assert_ptr_equal(op_clone(kernel, copy, &map)->origin, sum);
    assert_int_equal(schedule_of(copy)->stage, 3);
    assert_int_equal(schedule_of(copy)->tag, TAG_ITERATION);
    assert_string_equal(copy->results[0]->name, "s");
    Value *late = ir_const_int(kernel, kernel->body, D_I32, 0);
    value_map_set(kernel, &map, late, x);
    assert_ptr_equal(value_map_get(&map, late), x);
    module_free(kernel->module);
}

static void names_of_one_struct_differ(void **state)
{
    (void)state;
    Kernel *kernel = fresh();
    Type tile = type_tile(D_F16, 64, 64);
    assert_string_equal(storage_new(kernel, "t", USE_RING, tile, 2)->name, "t");
    assert_string_equal(aref_new(kernel, "t", 2)->name, "t_2");
    assert_string_equal(storage_new(kernel, "t", USE_RING, tile, 2)->name, "t_3");
    assert_int_equal(role_new(kernel, "producer", ROLE_COPIES, 1)->id, 0);
    assert_int_equal(role_new(kernel, "consumer", ROLE_COMPUTES | ROLE_STORES, 2)->id, 1);
    module_free(kernel->module);
}

/* ---- folding ----------------------------------------------------------------------------------------------------- */

static Value *apply(Kernel *kernel, Opcode code, Dtype result, Value *x, Value *y)
{
    Value *args[] = {x, y};
    Op *op = op_new(kernel, code, nowhere, y ? 2 : 1, args);
    op_append(kernel->body, op);
    return op_result(kernel, op, type_scalar(result), NULL);
}

static void integers_fold_as_c_computes(void **state)
{
    (void)state;
    static const struct {
        Opcode code;
        Dtype dtype;
        int64_t x, y;
        bool folds;
        int64_t result;
    } cases[] = {
        {OP_SCALAR_ADD, D_I32, 2, 3, true, 5},
        {OP_SCALAR_ADD, D_I32, INT32_MAX, 1, true, INT32_MIN},
        {OP_SCALAR_SUB, D_U32, 0, 1, true, UINT32_MAX},
        {OP_SCALAR_MUL, D_I64, INT64_MAX, 2, true, -2},
        {OP_SCALAR_DIV, D_I32, -7, 2, true, -3},
        {OP_SCALAR_REM, D_I32, -7, 2, true, -1},
        {OP_SCALAR_DIV, D_U64, -1, 2, true, INT64_MAX},
        {OP_SCALAR_DIV, D_I32, 1, 0, false, 0},
        {OP_SCALAR_REM, D_I64, INT64_MIN, -1, false, 0},
        {OP_SCALAR_DIV, D_I32, INT32_MIN, -1, false, 0},
        {OP_SCALAR_DIV, D_I32, 8, -1, true, -8},
        {OP_SCALAR_SHL, D_I32, 1, 31, true, INT32_MIN},
        {OP_SCALAR_SHL, D_I32, 1, 32, false, 0},
        {OP_SCALAR_SHR, D_I32, -8, 1, true, -4},
        {OP_SCALAR_SHR, D_U32, 8, 1, true, 4},
        {OP_SCALAR_AND, D_I32, 12, 10, true, 8},
        {OP_SCALAR_XOR, D_I8, 127, -1, true, -128},
        {OP_SCALAR_LT, D_I32, -1, 1, true, 1},
        {OP_SCALAR_LT, D_U64, -1, 1, true, 0},
        {OP_SCALAR_GE, D_I32, 3, 3, true, 1},
        {OP_SCALAR_NE, D_I32, 3, 3, true, 0},
        {OP_SCALAR_MIN, D_I32, 3, -3, true, -3},
        {OP_SCALAR_MAX, D_U32, 3, UINT32_MAX, true, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Kernel *kernel = fresh();
        Value *x = ir_const_int(kernel, kernel->body, cases[i].dtype, cases[i].x);
        Value *y = ir_const_int(kernel, kernel->body, cases[i].dtype, cases[i].y);
        bool compares = cases[i].code >= OP_SCALAR_EQ && cases[i].code <= OP_SCALAR_GE;
        int64_t result = 99;
        bool folds = ir_constant(apply(kernel, cases[i].code, compares ? D_I1 : cases[i].dtype, x, y), &result);
        assert_int_equal(folds, cases[i].folds);
        if (folds)
            assert_int_equal(result, cases[i].result);
        module_free(kernel->module);
    }
}

static void floats_fold_in_their_type(void **state)
{
    (void)state;
    Kernel *kernel = fresh();
    double number = 0;
    int64_t integer = 0;
    Value *third = apply(kernel, OP_SCALAR_DIV, D_F32, ir_const_float(kernel, kernel->body, D_F32, 1),
                         ir_const_float(kernel, kernel->body, D_F32, 3));
    assert_true(ir_constant_float(third, &number));
    assert_true(number == (double)(1.0f / 3.0f));
    assert_false(ir_constant(third, &integer));
    Value *whole = apply(kernel, OP_SCALAR_CONVERT, D_I32, ir_const_float(kernel, kernel->body, D_F64, -2.9), NULL);
    assert_true(ir_constant(whole, &integer));
    assert_int_equal(integer, -2);
    Value *large = apply(kernel, OP_SCALAR_CONVERT, D_I32, ir_const_float(kernel, kernel->body, D_F64, 1e10), NULL);
    assert_false(ir_constant(large, &integer));
    Value *back = apply(kernel, OP_SCALAR_CONVERT, D_F64, ir_const_int(kernel, kernel->body, D_U64, -1), NULL);
    assert_true(ir_constant_float(back, &number));
    assert_true(number == 18446744073709551616.0);
    assert_false(ir_constant(kernel_param(kernel, type_scalar(D_I32), "x", nowhere), &integer));
    module_free(kernel->module);
}

/* ---- the checker ------------------------------------------------------------------------------------------------- */

static const char sound[] = "kernel k(%n: i32, %p: ptr<f32>) grid(1) {\n"
                            "  body {\n"
                            "    %t: tensor<f32,2> = tensor %p, %n, 64, 64, 1\n"
                            "    grid %i: i32 = 0, < %n, 64 {\n"
                            "      %z: tile<f32,64x64> = full 0\n"
                            "      %s: tile<f32,64x64> = for %k: i32 = 0, < %n, 1; %a: tile<f32,64x64> = %z {\n"
                            "        %b: tile<f32,64x64> = add %a, %a\n"
                            "        yield %b\n"
                            "      }\n"
                            "      store %t, %i, 0, %s\n"
                            "    }\n"
                            "  }\n"
                            "}\n";

static Op *find(Block *block, Opcode code)
{
    FOR_OPS (op, block) {
        if (op->code == code)
            return op;
        for (int i = 0; i < op->nblocks; i++) {
            Op *inner = find(op->blocks[i], code);
            if (inner)
                return inner;
        }
    }
    return NULL;
}

static void use_before_definition(Kernel *kernel)
{
    Op *add = find(kernel->body, OP_ADD);
    add->args[0] = find(kernel->body, OP_FOR)->results[0];
}

static void use_outside_the_block(Kernel *kernel)
{
    find(kernel->body, OP_STORE)->args[3] = find(kernel->body, OP_ADD)->results[0];
}

static void lose_an_operand(Kernel *kernel)
{
    find(kernel->body, OP_ADD)->nargs = 1;
}

static void lose_the_end(Kernel *kernel)
{
    op_remove(find(kernel->body, OP_FOR)->blocks[0]->last);
}

static void yield_another_type(Kernel *kernel)
{
    Op *loop = find(kernel->body, OP_FOR);
    loop->blocks[0]->last->args[0] = loop->blocks[0]->args[0];
}

static void yield_too_much(Kernel *kernel)
{
    Op *loop = find(kernel->body, OP_FOR);
    op_add_arg(kernel, loop->blocks[0]->last, loop->blocks[0]->args[1]);
}

static void forget_a_type(Kernel *kernel)
{
    find(kernel->body, OP_ADD)->results[0]->type.kind = K_NONE;
}

static void break_the_list(Kernel *kernel)
{
    find(kernel->body, OP_STORE)->prev = NULL;
}

static void take_a_result(Kernel *kernel)
{
    find(kernel->body, OP_ADD)->results[0]->def = find(kernel->body, OP_STORE);
}

static void put_without_a_ring(Kernel *kernel)
{
    Op *put = op_new(kernel, OP_PUT, nowhere, 0, NULL);
    op_result(kernel, put, type_scalar(D_I32), "slot");
    op_before(find(kernel->body, OP_STORE), put);
}

static void a_ring_that_it_has_not(Kernel *kernel)
{
    kernel->body->first->aref = aref_new(kernel, "ring", 2);
}

/* Fields of a struct that have no row in attributes.def would be lost in copies, dumps and comparisons.  */
static void every_field_has_its_row(void **state)
{
    (void)state;
    for (int i = 0; i < NATTRIBUTES; i++) {
        size_t rows = 0, largest = 1;
        for (int k = 0; k < NATTRIBUTES && attribute_info[i].size; k++) {
            size_t bytes = attribute_bytes(attribute_info[k].kind);
            if (!attribute_info[k].size || attribute_info[k].member != attribute_info[i].member)
                continue;
            rows += bytes;
            largest = bytes > largest ? bytes : largest;
        }
        if (attribute_info[i].size && (rows > attribute_info[i].size || attribute_info[i].size - rows >= largest))
            fail_msg("the rows beside '%s' have %zu of %zu bytes", attribute_info[i].text, rows,
                     attribute_info[i].size);
    }
}

static void a_copy_has_every_attribute(void **state)
{
    (void)state;
    Kernel *kernel = fresh();
    ValueMap map = value_map_new(kernel);
    for (int code = 0; code < OP_COUNT; code++) {
        Op *op = op_new(kernel, (Opcode)code, nowhere, 0, NULL);
        FOR_ATTRIBUTES (i, op)
            memset(attribute_of(op, i), 1, attribute_bytes(attribute_info[i].kind));
        Op *copy = op_clone(kernel, op, &map);
        FOR_ATTRIBUTES (i, op) {
            assert_ptr_not_equal(attribute_of(copy, i), attribute_of(op, i));
            assert_memory_equal(attribute_of(copy, i), attribute_of(op, i), attribute_bytes(attribute_info[i].kind));
        }
        op_become(copy, OP_CONST); /* keeps nothing but what a literal has */
        assert_true(code == OP_CONST || (!attribute_is_set(copy, ATTRIBUTE_INTEGER) && !op_meaning(copy).real));
    }
}

static void the_checker_finds_each_fault(void **state)
{
    (void)state;
    static const struct {
        void (*damage)(Kernel *kernel);
        const char *said;
    } cases[] = {
        {use_before_definition, "operand 1, s is not defined above"},
        {use_outside_the_block, "operand 4, b is not defined above"},
        {lose_an_operand, "'add': 1 operands"},
        {lose_the_end, "block 0 has no end"},
        {yield_another_type, "the type of 'a' changes"},
        {yield_too_much, "yield: 2 values for 1"},
        {forget_a_type, "'b' has no type"},
        {break_the_list, "the list is broken"},
        {take_a_result, "result 0 is not its own"},
        {put_without_a_ring, "no aref"},
        {a_ring_that_it_has_not, "an aref that it does not have"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        *last_message = 0;
        Module *module = ir_parse(sound, "test.ir", &machine_hopper, remember, NULL);
        assert_non_null(module);
        assert_true(ir_check(module->kernels));
        assert_false(module->failed);
        cases[i].damage(module->kernels);
        assert_false(ir_check(module->kernels));
        assert_true(module->failed);
        assert_true(module->kernels->failed);
        if (!strstr(last_message, cases[i].said))
            fail_msg("expected '%s', got '%s'", cases[i].said, last_message);
        module_free(module);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_aligned_memory), cmocka_unit_test(ops_keep_their_order),
        cmocka_unit_test(uses_follow_a_replacement),         cmocka_unit_test(a_copy_maps_its_values),
        cmocka_unit_test(names_of_one_struct_differ),        cmocka_unit_test(integers_fold_as_c_computes),
        cmocka_unit_test(floats_fold_in_their_type),         cmocka_unit_test(the_checker_finds_each_fault),
        cmocka_unit_test(every_field_has_its_row),           cmocka_unit_test(a_copy_has_every_attribute),
    };
    return cmocka_run_group_tests_name("lowering/structure", tests, NULL, NULL);
}
