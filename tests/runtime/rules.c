/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.c - wrong operations: each sentence of runtime/common/rules.c, met as a plain compiler's program meets it, and
 * that the program goes on with a tile of the shape that it should have had.
 */
#include "reference.h"
#include "rules.h"

static float memory[64];

/* Handles live in locals; so that each test makes its own.  */
#define PREPARE()                                                                                     \
    ws_tile f32 = ws_zeros(WS_F32, 4, 8), f16 = ws_zeros(WS_F16, 4, 8), i32 = ws_zeros(WS_I32, 4, 8); \
    ws_tile i8 = ws_zeros(WS_I8, 4, 8), f64 = ws_zeros(WS_F64, 4, 8), mask = ws_lt(f32, 1);           \
    ws_tile row = ws_zeros(WS_F32, 1, 8), col = ws_zeros(WS_F32, 4, 1);                               \
    ws_tensor matrix = ws_tensor_2d(memory, WS_F32, 8, 8), vector = ws_tensor_1d(memory, WS_F32, 64); \
    ws_tensor halves = ws_tensor_2d((void *)memory, WS_F16, 8, 8);                                    \
    (void)f32, (void)f16, (void)i32, (void)i8, (void)f64, (void)mask, (void)row, (void)col;           \
    (void)matrix, (void)vector, (void)halves

static void expect_error(const char *sentence)
{
    ws_status status = ws_last_error();
    if (status != WS_ERR_TYPE || strncmp(ws_error_message(), sentence, strlen(sentence)) != 0)
        fail_msg("error %d: %s\nexpected: %s", (int)status, ws_error_message(), sentence);
    assert_int_equal(ws_last_error(), WS_OK);
}

/* The tile can be stored as this type and shape: what a refused operation gives, too.  */
static void expect_shape(ws_tile x, ws_dtype t, int rows, int cols)
{
    double got[64];
    elements_of(x, t, rows, cols, got);
    for (int i = 0; i < rows * cols; i++)
        expect_number(got[i], 0, "the tile of a refused operation", i);
    expect_no_error();
}

#define WRONG(sentence, operation, t, rows, cols) \
    do {                                          \
        ws_tile wrong = operation;                \
        expect_error(sentence);                   \
        expect_shape(wrong, t, rows, cols);       \
    } while (0)
#define WRONG_STORE(sentence, operation) \
    do {                                 \
        operation;                       \
        expect_error(sentence);          \
    } while (0)

static void elementwise(void **state)
{
    PREPARE();
    (void)state;
    WRONG("ws_add: the operands are f32 and f16: cast one; use ws_cast", ws_add(f32, f16), WS_F32, 4, 8);
    WRONG("ws_max: the shapes (4,8) and (8,4) do not broadcast", ws_max(f32, ws_trans(f32)), WS_F32, 4, 8);
    WRONG("ws_mul: operand 2 is a mask; use ws_select", ws_mul(f32, mask), WS_F32, 4, 8);
    WRONG("ws_sub: i8 tiles only", ws_sub(i8, 1), WS_I8, 4, 8);
    WRONG("ws_mul: u8 tiles only", ws_mul(ws_cast(i8, WS_U8), 2), WS_U8, 4, 8);
    WRONG("ws_div: all operands are numbers; compute it with C's own operators", ws_div(1, 2.0), WS_F32, 1, 1);
    WRONG("ws_fma: the operands are f32 and f64: cast one", ws_fma(f32, 2, f64), WS_F32, 4, 8);
    WRONG("ws_exp: the operand is i32, not a float tile; cast it to WS_F32 first", ws_exp(i32), WS_I32, 4, 8);
    WRONG("ws_tanh: operand 1 is a mask", ws_select(ws_tanh(mask), 1, 0), WS_F32, 4, 8);
    WRONG("ws_neg: i8 tiles only", ws_neg(i8), WS_I8, 4, 8);
    WRONG("ws_abs: operand 1 is nothing, not a tile", ws_abs(NULL), WS_F32, 1, 1);
    WRONG("ws_rint: operand 1 is a tensor, not a tile", ws_rint((ws_tile)(const void *)vector), WS_F32, 1, 1);
}

static void masks(void **state)
{
    PREPARE();
    (void)state;
    WRONG("ws_select: the operands are f16 and f32: cast one", ws_select(mask, f16, f32), WS_F16, 4, 8);
    WRONG("ws_select: operand 1 is a tile, not a mask", ws_select(f32, f32, 0), WS_F32, 4, 8);
    WRONG("ws_select: operand 1 is nothing, not a mask", ws_select(NULL, f32, 0), WS_F32, 4, 8);
    WRONG("ws_and: operand 2 is a tile, not a mask", ws_select(ws_and(mask, f32), 1, 0), WS_F32, 4, 8);
    WRONG("ws_not: operand 1 is a tile, not a mask", ws_select(ws_not(f32), 1, 0), WS_F32, 4, 8);
    WRONG("ws_lt: the operands are i32 and f32: cast one", ws_select(ws_lt(i32, f32), 1, 0), WS_F32, 4, 8);
    WRONG("ws_eq: operand 1 is a mask", ws_select(ws_eq(mask, 1), 1, 0), WS_F32, 4, 8);
    WRONG("ws_cast: operand 1 is a mask; use ws_select(mask, x, y)", ws_cast(mask, WS_F16), WS_F16, 4, 8);
    WRONG_STORE("ws_store: operand 4 is a mask", ws_store(matrix, 0, 0, mask));
}

static void memory_operations(void **state)
{
    PREPARE();
    (void)state;
    WRONG("ws_load: the tensor has rank 1", ws_load(vector, 0, 0, 4, 8), WS_F32, 4, 8);
    WRONG("ws_load: the tensor has rank 2", ws_load_3d(matrix, 0, 0, 0, 4, 8), WS_F32, 4, 8);
    WRONG("ws_load_row: the tensor has rank 2", ws_load_row(matrix, 0, 8), WS_F32, 1, 8);
    WRONG("ws_load_col: the tensor has rank 1", ws_load_col_2d(vector, 0, 0, 8), WS_F32, 8, 1);
    WRONG("ws_load: a tile cannot have the shape (0,8)", ws_load(matrix, 0, 0, 0, 8), WS_F32, 1, 8);
    WRONG("ws_load: operand 1 is a tile, not a tensor", ws_load((ws_tensor)(const void *)f32, 0, 0, 4, 8), WS_F32, 4,
          8);
    WRONG("ws_full: a tile cannot have the shape (-1,8)", ws_full(WS_F16, -1, 8, 0), WS_F16, 1, 8);
    WRONG("ws_full: the element type is not one of the language's", (ws_zeros)((ws_dtype)128, 4, 8), WS_F32, 4, 8);
    WRONG_STORE("ws_store: the tile is f32 and the tensor f16; use ws_cast", ws_store(halves, 0, 0, f32));
    WRONG_STORE("ws_store: the tensor has rank 1", ws_store(vector, 0, 0, f32));
    WRONG_STORE("ws_store: operand 4 is nothing, not a tile", ws_store(matrix, 0, 0, NULL));
    WRONG_STORE("ws_store: operand 4 is a number, not a tile", ws_store(matrix, 0, 0, ws_scalar_f_(1)));
    WRONG_STORE("ws_store_row: the tile has the shape (4,8); a row is (1,C)", ws_store_row(vector, 0, f32));
    WRONG_STORE("ws_store_col: the tile has the shape (1,8); a column is (R,1)", ws_store_col(vector, 0, row));
    WRONG_STORE("ws_atomic_add: memory of type f16 has no atomic addition", ws_atomic_add(halves, 0, 0, f16));
    WRONG_STORE("ws_slice: a tensor of rank 2 has no dimension 2", (void)!ws_slice(matrix, 2, 0, 1));
    WRONG_STORE("ws_at: the tensor holds f32; use ws_at_float", (void)!ws_at(vector, 0));
    WRONG_STORE("ws_at: the tensor has rank 2", (void)!ws_at(matrix, 0));
    WRONG_STORE("ws_at_float: the tensor holds i32; use ws_at",
                (void)!ws_at_float(ws_tensor_1d((int *)memory, WS_I32, 4), 0));
    WRONG_STORE(
        "ws_tensor: a tensor has rank 1 to 4, not 5",
        (void)!ws_tensor_strided(memory, WS_F32, 5, ((const long[]){1, 1, 1, 1, 1}), ((const long[]){1, 1, 1, 1, 1})));
    WRONG_STORE("ws_print: operand 1 is a number, not a tile", ws_print("x", ws_scalar_i_(1)));
}

static void products_and_reductions(void **state)
{
    PREPARE();
    (void)state;
    ws_tile b = ws_zeros(WS_F16, 8, 6), acc = ws_zeros(WS_F32, 4, 6);
    WRONG("ws_dot: (4,8) times (4,8): the inner extents differ; a is (M,K) and b is (K,N): is a ws_trans missing?",
          ws_dot(f16, f16, acc), WS_F32, 4, 6);
    WRONG("ws_dot: the product is (4,6) and the accumulator (4,8)", ws_dot(f16, b, f32), WS_F32, 4, 8);
    WRONG("ws_dot: the accumulator is f16, not f32; start from ws_zeros(WS_F32, ...)",
          ws_dot(f16, b, ws_cast(acc, WS_F16)), WS_F32, 4, 6);
    WRONG("ws_dot: the operands are f16 and f32: cast one", ws_dot(f16, ws_cast(b, WS_F32), acc), WS_F32, 4, 6);
    WRONG("ws_dot: there are no products of f32 and i32", ws_dot(f32, ws_cast(b, WS_I32), acc), WS_F32, 4, 6);
    WRONG("ws_dot: the accumulator is f32, not f64", ws_dot(f64, ws_cast(b, WS_F64), acc), WS_F64, 4, 6);
    WRONG("ws_dot: the accumulator is f32, not i32", ws_dot(i8, ws_cast(b, WS_I8), acc), WS_I32, 4, 6);
    WRONG("ws_dot: the operands are i8 and f16: cast one", ws_dot(i8, b, ws_cast(acc, WS_I32)), WS_I32, 4, 6);
    WRONG("ws_dot_f32: the operands are f16 and f16, not f32", ws_dot_f32(f16, b, acc), WS_F32, 4, 6);
    WRONG("ws_dot: operand 2 is nothing, not a tile", ws_dot(f16, NULL, acc), WS_F32, 4, 6);
    WRONG("ws_row_sum: operand 1 is a mask", ws_select(ws_row_sum(mask), 1, 0), WS_F32, 4, 1);
    WRONG("ws_col_max: i8 tiles only", ws_col_max(i8), WS_I8, 1, 8);
    WRONG("ws_row_argmax: operand 1 is a mask", ws_row_argmax(mask), WS_I32, 4, 1);
    WRONG("ws_row_cumsum: i8 tiles only", ws_row_cumsum(i8), WS_I8, 4, 8);
    WRONG("ws_trans: operand 1 is nothing, not a tile", ws_trans(NULL), WS_F32, 1, 1);
}

static void the_first_error_stays(void **state)
{
    PREPARE();
    (void)state;
    ws_tile x = ws_add(f32, f16);
    x = ws_exp(i32);
    (void)x;
    expect_error("ws_add: ");
}

/* i8 does what the language says it does.  */
static void what_is_allowed(void **state)
{
    PREPARE();
    (void)state;
    ws_tile x = ws_select(ws_lt(i8, 3), i8, 1);
    ws_store(ws_tensor_2d((void *)memory, WS_I8, 4, 8), 0, 0, x);
    x = ws_dot(i8, ws_trans(i8), ws_zeros(WS_I32, 4, 4));
    x = ws_dot(ws_zeros(WS_E4M3, 4, 8), ws_zeros(WS_E5M2, 8, 4), ws_zeros(WS_F32, 4, 4));
    x = ws_trans(mask);
    x = ws_select(mask, 1, 0);
    x = ws_add(row, col);
    (void)x;
    expect_no_error();
}

/* Every operation that the language names has a rule, or says that it has none.  */
static void every_opcode_has_a_rule(void **state)
{
    static const struct {
        int opcode, rule;
    } expected[] = {{WS_OP_ADD, R_BINARY},
                    {WS_OP_SELECT, R_SELECT},
                    {WS_OP_DOT, R_DOT},
                    {WS_OP_FOR, R_NONE},
                    {WS_OP_SCALAR_ADD, R_SCALAR}};
    (void)state;
    for (int i = 0; i < COUNT(expected); i++)
        assert_int_equal(ws_rule_of(expected[i].opcode), expected[i].rule);
    assert_int_equal(ws_rule_of(-1), R_NONE);
    assert_int_equal(ws_rule_of(WS_OP_COUNT), R_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise),
        cmocka_unit_test(masks),
        cmocka_unit_test(memory_operations),
        cmocka_unit_test(products_and_reductions),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(what_is_allowed),
        cmocka_unit_test(every_opcode_has_a_rule),
    };
    return cmocka_run_group_tests_name("runtime/rules", tests, NULL, NULL);
}
