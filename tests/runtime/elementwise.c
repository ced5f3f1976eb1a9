/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elementwise.c - every elementwise operation on every element type, against double; broadcasting; scalars; masks;
 * casts.
 *
 * A float tile computes in f32 and rounds once: an exact function of f32 operands may be compared to the bit, the
 * others within 2 units of f32 and half a unit of the type.
 */
#include "reference.h"

#define ROWS 3
#define COLS 37
#define SIZE (ROWS * COLS)

static const ws_dtype float_types[] = {WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2};
static const ws_dtype compute_types[] = {WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, WS_I32};
static const ws_dtype all_types[] = {WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, WS_I8, WS_I32};

static const double special[] = {0.0,      -0.0,      1,   -1, 0.5, 1.5,   2.5, -2.5,
                                 INFINITY, -INFINITY, NAN, 3,  100, 1e-40, -7,  0.1};

/* Elements of type t: the special numbers first, then random ones.  */
static void numbers(ws_dtype t, double scale, double *x)
{
    for (int i = 0; i < SIZE; i++)
        x[i] = rounded(t, i < COUNT(special) ? special[i] : random_number() * scale);
}

/* As the tile's type holds it after a computation in f32 (f64 for F64, wrapping for I32).  */
static double held(ws_dtype t, double x)
{
    if (t == WS_I32)
        return (double)(int32_t)(uint32_t)(int64_t)x;
    return t == WS_F64 ? x : rounded(t, (double)(float)x);
}

static double value_add(double x, double y)
{
    return x + y;
}
static double value_sub(double x, double y)
{
    return x - y;
}
static double value_mul(double x, double y)
{
    return x * y;
}
static double value_div(double x, double y)
{
    return x / y;
}
static double value_max(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x > y ? x : x < y ? y : signbit(x) ? y : x;
}
static double value_min(double x, double y)
{
    return -value_max(-x, -y);
}

struct binary {
    const char *name;
    ws_tile (*operation)(ws_tile, ws_tile);
    double (*value)(double, double);
};

/* f32 operands have exact f64 sums and products often enough that rounding twice shows nowhere below: f64 has more than
   twice the bits of f32, for which rounding twice is known to be harmless for + - * / and sqrt.  */
static const struct binary binaries[] = {{"add", ws_add_, value_add}, {"sub", ws_sub_, value_sub},
                                         {"mul", ws_mul_, value_mul}, {"div", ws_div_, value_div},
                                         {"max", ws_max_, value_max}, {"min", ws_min_, value_min}};

static void binary_operations(void **state)
{
    double x[SIZE], y[SIZE], got[SIZE];
    (void)state;
    for (int t = 0; t < COUNT(compute_types); t++) {
        ws_dtype type = compute_types[t];
        numbers(type, 30, x);
        numbers(type, 30, y);
        for (int i = 0; i < SIZE; i++) /* not the same special numbers side by side */
            y[i] = y[(i * 5 + 3) % SIZE];
        for (int k = 0; k < COUNT(binaries); k++) {
            elements_of(binaries[k].operation(tile_of(type, ROWS, COLS, x), tile_of(type, ROWS, COLS, y)), type, ROWS,
                        COLS, got);
            for (int i = 0; i < SIZE; i++) {
                double expected = binaries[k].value(x[i], y[i]);
                if (type == WS_I32 && binaries[k].operation == ws_div_)
                    expected = y[i] == 0 ? 0 : trunc(x[i] / y[i]);
                else if (type == WS_I32)
                    expected = isnan(expected) ? 0 : expected + 0.0;
                expected = held(type, expected);
                if (type == WS_I32 && expected == 0)
                    expected = 0.0;
                expect_number(got[i], expected, binaries[k].name, i);
            }
        }
    }
    expect_no_error();
}

static double value_neg(double x)
{
    return -x;
}
/* The C library's, by name, and what it has not.  */
#define rsqrt(x)   (1 / sqrt(x))
#define sigmoid(x) (1 / (1 + exp(-(x))))
#define MATHS(NAME, name, ...)           \
    static double value_##name(double x) \
    {                                    \
        return name(x);                  \
    }
#include "../../runtime/common/maths.def"

static const struct unary {
    const char *name;
    ws_tile (*operation)(ws_tile);
    double (*value)(double);
} unaries[] = {
    {"neg", ws_neg, value_neg},
    {"abs", ws_abs, fabs},
#define MATHS(NAME, name, ...) {#name, ws_##name, value_##name},
#include "../../runtime/common/maths.def"
};

static int is_exact(const struct unary *unary)
{
    return unary->operation == ws_neg || unary->operation == ws_abs || unary->operation == ws_rint ||
           unary->operation == ws_floor || unary->operation == ws_sqrt || unary->operation == ws_ceil ||
           unary->operation == ws_trunc || unary->operation == ws_round;
}

/* The C library's errors, in units of the last place of f32.  */
static int units_of(const struct unary *unary)
{
    int is_gamma = unary->operation == ws_tgamma || unary->operation == ws_lgamma;
    int is_inverse = unary->operation == ws_asinh || unary->operation == ws_acosh || unary->operation == ws_atanh;
    return is_gamma ? 10 : is_inverse || unary->operation == ws_erfc ? 4 : 2;
}

/* One unit in the last place of x in type t.  */
static double unit(ws_dtype t, double x)
{
    struct format f = format_of(t);
    if (t == WS_F64)
        return ldexp(fabs(x), -52);
    if (!isfinite(x) || x == 0)
        return ldexp(1, f.smallest - f.precision + 1);
    int exponent = ilogb(x) < f.smallest ? f.smallest : ilogb(x);
    return ldexp(1, exponent - f.precision + 1);
}

static void unary_operations(void **state)
{
    double x[SIZE], got[SIZE];
    (void)state;
    for (int t = 0; t < COUNT(float_types); t++) {
        ws_dtype type = float_types[t];
        numbers(type, 8, x);
        for (int k = 0; k < COUNT(unaries); k++) {
            elements_of(unaries[k].operation(tile_of(type, ROWS, COLS, x)), type, ROWS, COLS, got);
            for (int i = 0; i < SIZE; i++) {
                double exact = unaries[k].value(x[i]), expected = held(type, exact);
                double tolerance = unit(type, exact) * (type == WS_F32 || type == WS_F64 ? units_of(&unaries[k]) : 1);
                if (is_exact(&unaries[k]))
                    expect_number(got[i], expected, unaries[k].name, i);
                else
                    expect_near(got[i], expected, tolerance, unaries[k].name, i);
            }
        }
    }
    expect_no_error();
}

static void integer_unary_operations(void **state)
{
    const double x[] = {0, 1, -1, 2147483647, -2147483648.0, 5};
    const double minus[] = {0, -1, 1, -2147483647, -2147483648.0, -5}, size[] = {0, 1, 1, 2147483647, -2147483648.0, 5};
    double got[6];
    (void)state;
    elements_of(ws_neg(tile_of(WS_I32, 1, 6, x)), WS_I32, 1, 6, got);
    for (int i = 0; i < 6; i++)
        expect_number(got[i], minus[i], "neg", i);
    elements_of(ws_abs(tile_of(WS_I32, 1, 6, x)), WS_I32, 1, 6, got);
    for (int i = 0; i < 6; i++)
        expect_number(got[i], size[i], "abs", i);
    expect_no_error();
}

static void comparisons(void **state)
{
    double x[SIZE], y[SIZE], got[6][SIZE];
    (void)state;
    for (int t = 0; t < COUNT(all_types); t++) {
        ws_dtype type = all_types[t];
        numbers(type, 3, x);
        numbers(type, 3, y);
        for (int i = 0; i < SIZE; i++)
            y[i] = i % 3 ? y[(i * 7 + 1) % SIZE] : x[i];
        ws_tile a = tile_of(type, ROWS, COLS, x), b = tile_of(type, ROWS, COLS, y);
        mask_elements(ws_lt(a, b), ROWS, COLS, got[0]);
        mask_elements(ws_le(a, b), ROWS, COLS, got[1]);
        mask_elements(ws_gt(a, b), ROWS, COLS, got[2]);
        mask_elements(ws_ge(a, b), ROWS, COLS, got[3]);
        mask_elements(ws_eq(a, b), ROWS, COLS, got[4]);
        mask_elements(ws_ne(a, b), ROWS, COLS, got[5]);
        for (int i = 0; i < SIZE; i++) {
            expect_number(got[0][i], x[i] < y[i], "lt", i);
            expect_number(got[1][i], x[i] <= y[i], "le", i);
            expect_number(got[2][i], x[i] > y[i], "gt", i);
            expect_number(got[3][i], x[i] >= y[i], "ge", i);
            expect_number(got[4][i], x[i] == y[i], "eq", i);
            expect_number(got[5][i], x[i] != y[i], "ne", i);
        }
    }
    expect_no_error();
}

/* A wrong select of a NaN's payload or of -0 would show: every type comes through unchanged.  */
static void select_takes_elements_as_they_are(void **state)
{
    double x[SIZE], y[SIZE], got[SIZE];
    (void)state;
    for (int t = 0; t < COUNT(all_types); t++) {
        ws_dtype type = all_types[t];
        numbers(type, 50, x);
        numbers(type, 50, y);
        ws_tile even = ws_eq(ws_sub(ws_col_index(ROWS, COLS), ws_mul(ws_div(ws_col_index(ROWS, COLS), 2), 2)), 0);
        elements_of(ws_select(even, tile_of(type, ROWS, COLS, x), tile_of(type, ROWS, COLS, y)), type, ROWS, COLS, got);
        for (int i = 0; i < SIZE; i++)
            expect_number(got[i], i % COLS % 2 == 0 ? x[i] : y[i], "select", i);
        elements_of(ws_select(even, tile_of(type, ROWS, COLS, x), 3), type, ROWS, COLS, got);
        for (int i = 0; i < SIZE; i++)
            expect_number(got[i], i % COLS % 2 == 0 ? x[i] : 3, "select of a scalar", i);
    }
    elements_of(ws_select(ws_lt(ws_row_index(2, 2), 1), 0.1, 7), WS_F32, 2, 2, got);
    expect_number(got[0], (double)0.1f, "select of two scalars", 0);
    expect_number(got[3], 7, "select of two scalars", 3);
    expect_no_error();
}

static void masks_combine(void **state)
{
    double got[SIZE];
    (void)state;
    ws_tile rows = ws_lt(ws_row_index(ROWS, 1), 2), cols = ws_ge(ws_col_index(1, COLS), 5);
    mask_elements(ws_and(rows, cols), ROWS, COLS, got);
    for (int i = 0; i < SIZE; i++)
        expect_number(got[i], i / COLS < 2 && i % COLS >= 5, "and", i);
    mask_elements(ws_or(rows, cols), ROWS, COLS, got);
    for (int i = 0; i < SIZE; i++)
        expect_number(got[i], i / COLS < 2 || i % COLS >= 5, "or", i);
    mask_elements(ws_not(cols), 1, COLS, got);
    for (int i = 0; i < COLS; i++)
        expect_number(got[i], i < 5, "not", i);
    expect_no_error();
}

static void shapes_broadcast(void **state)
{
    static const int shapes[][2] = {{ROWS, COLS}, {ROWS, 1}, {1, COLS}, {1, 1}};
    double x[SIZE], y[SIZE], got[SIZE];
    (void)state;
    for (int i = 0; i < SIZE; i++) {
        x[i] = i;
        y[i] = 1000 * i;
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const int *p = shapes[a], *q = shapes[b];
            int rows = p[0] > q[0] ? p[0] : q[0], cols = p[1] > q[1] ? p[1] : q[1];
            elements_of(ws_sub(tile_of(WS_F32, p[0], p[1], x), tile_of(WS_F32, q[0], q[1], y)), WS_F32, rows, cols,
                        got);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < cols; c++) {
                    int i = (p[0] == 1 ? 0 : r) * p[1] + (p[1] == 1 ? 0 : c);
                    int k = (q[0] == 1 ? 0 : r) * q[1] + (q[1] == 1 ? 0 : c);
                    expect_number(got[r * cols + c], x[i] - y[k], "sub", r * cols + c);
                }
        }
    elements_of(ws_fma(tile_of(WS_F32, ROWS, 1, x), tile_of(WS_F32, 1, COLS, x), tile_of(WS_F32, 1, 1, y + 1)), WS_F32,
                ROWS, COLS, got);
    for (int i = 0; i < SIZE; i++)
        expect_number(got[i], x[i / COLS] * x[i % COLS] + 1000, "fma", i);
    expect_no_error();
}

static void wide_rows_are_whole(void **state)
{
    static double x[2 * 1000], got[2 * 1000];
    (void)state;
    for (int i = 0; i < 2000; i++)
        x[i] = i;
    elements_of(ws_mul(tile_of(WS_F16, 2, 1000, x), 2), WS_F16, 2, 1000, got);
    for (int i = 0; i < 2000; i++)
        expect_number(got[i], 2 * x[i], "mul", i);
    expect_no_error();
}

/* Scalars take the tile's compute type; integers do not go through double.  */
static void scalars_convert(void **state)
{
    const double one = 1;
    double got;
    (void)state;
    const unsigned char byte = 200;
    const float third = 1.0f / 3;
    enum { FOUR = 4 };
    elements_of(ws_add(tile_of(WS_I32, 1, 1, &one), 0x100000005L), WS_I32, 1, 1, &got);
    expect_number(got, 6, "a long wraps", 0);
    elements_of(ws_add(3.99, tile_of(WS_I32, 1, 1, &one)), WS_I32, 1, 1, &got);
    expect_number(got, 4, "a double truncates", 0);
    elements_of(ws_sub(byte, tile_of(WS_F32, 1, 1, &one)), WS_F32, 1, 1, &got);
    expect_number(got, 199, "unsigned char", 0);
    elements_of(ws_mul(third, tile_of(WS_F64, 1, 1, &one)), WS_F64, 1, 1, &got);
    expect_number(got, (double)third, "float to f64", 0);
    elements_of(ws_mul(0.1, tile_of(WS_F64, 1, 1, &one)), WS_F64, 1, 1, &got);
    expect_number(got, 0.1, "double to f64", 0);
    elements_of(ws_mul(0.1, tile_of(WS_F32, 1, 1, &one)), WS_F32, 1, 1, &got);
    expect_number(got, (double)0.1f, "double to f32", 0);
    elements_of(ws_mul(0.1, tile_of(WS_F16, 1, 1, &one)), WS_F16, 1, 1, &got);
    expect_number(got, rounded(WS_F16, (double)0.1f), "double to f16", 0);
    elements_of(ws_max(tile_of(WS_F32, 1, 1, &one), FOUR), WS_F32, 1, 1, &got);
    expect_number(got, 4, "an enumerator", 0);
    elements_of(ws_fma(2, tile_of(WS_F32, 1, 1, &one), 0.5), WS_F32, 1, 1, &got);
    expect_number(got, 2.5, "fma of two scalars", 0);
    expect_no_error();
}

static void fma_rounds_once(void **state)
{
    const double x = 1 + 0x1p-12, z = -1;
    double got;
    (void)state;
    elements_of(ws_fma(tile_of(WS_F32, 1, 1, &x), tile_of(WS_F32, 1, 1, &x), tile_of(WS_F32, 1, 1, &z)), WS_F32, 1, 1,
                &got);
    expect_number(got, 0x1p-11 + 0x1p-24, "fma", 0);
    expect_no_error();
}

/* Every pair of types; what does not fit rounds once, from the exact number.  */
static void casts(void **state)
{
    double x[SIZE], got[SIZE];
    (void)state;
    for (int from = 0; from < COUNT(all_types); from++)
        for (int to = 0; to < COUNT(all_types); to++) {
            ws_dtype a = all_types[from], b = all_types[to];
            for (int i = 0; i < SIZE; i++)
                x[i] = rounded(a, i < COUNT(special) ? special[i] : ldexp(random_number(), i % 40));
            elements_of(ws_cast(tile_of(a, ROWS, COLS, x), b), b, ROWS, COLS, got);
            for (int i = 0; i < SIZE; i++) {
                double expected = rounded(b, x[i]);
                if (a == WS_I32 && b == WS_I8)
                    expected = (double)(int8_t)(int32_t)x[i];
                expect_number(got[i], b == WS_I8 || b == WS_I32 ? expected + 0.0 : expected, "cast", i);
            }
        }
    expect_no_error();
}

static void constant_and_index_tiles(void **state)
{
    double got[SIZE];
    (void)state;
    for (int t = 0; t < COUNT(all_types); t++) {
        elements_of(ws_zeros(all_types[t], ROWS, COLS), all_types[t], ROWS, COLS, got);
        for (int i = 0; i < SIZE; i++)
            expect_number(got[i], 0, "zeros", i);
        elements_of(ws_full(all_types[t], ROWS, COLS, -2.25), all_types[t], ROWS, COLS, got);
        for (int i = 0; i < SIZE; i++)
            expect_number(got[i], rounded(all_types[t], -2.25), "full", i);
    }
    elements_of(ws_full(WS_F32, 1, 1, -0.0), WS_F32, 1, 1, got);
    expect_number(got[0], -0.0, "full of -0", 0);
    elements_of(ws_full(WS_F32, 1, 1, -INFINITY), WS_F32, 1, 1, got);
    expect_number(got[0], -INFINITY, "full of -inf", 0);
    elements_of(ws_row_index(ROWS, COLS), WS_I32, ROWS, COLS, got);
    for (int i = 0; i < SIZE; i++)
        expect_number(got[i], i / COLS, "row_index", i);
    elements_of(ws_col_index(ROWS, COLS), WS_I32, ROWS, COLS, got);
    for (int i = 0; i < SIZE; i++)
        expect_number(got[i], i % COLS, "col_index", i);
    expect_no_error();
}

static void transposition(void **state)
{
    double x[SIZE], got[SIZE];
    (void)state;
    for (int t = 0; t < COUNT(all_types); t++) {
        numbers(all_types[t], 50, x);
        elements_of(ws_trans(tile_of(all_types[t], ROWS, COLS, x)), all_types[t], COLS, ROWS, got);
        for (int i = 0; i < SIZE; i++)
            expect_number(got[i % COLS * ROWS + i / COLS], x[i], "trans", i);
    }
    mask_elements(ws_trans(ws_lt(ws_col_index(ROWS, COLS), 4)), COLS, ROWS, got);
    for (int i = 0; i < SIZE; i++)
        expect_number(got[i], i / ROWS < 4, "trans of a mask", i);
    expect_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_operations),
        cmocka_unit_test(unary_operations),
        cmocka_unit_test(integer_unary_operations),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(select_takes_elements_as_they_are),
        cmocka_unit_test(masks_combine),
        cmocka_unit_test(shapes_broadcast),
        cmocka_unit_test(wide_rows_are_whole),
        cmocka_unit_test(scalars_convert),
        cmocka_unit_test(fma_rounds_once),
        cmocka_unit_test(casts),
        cmocka_unit_test(constant_and_index_tiles),
        cmocka_unit_test(transposition),
    };
    return cmocka_run_group_tests_name("runtime/elementwise", tests, NULL, NULL);
}
