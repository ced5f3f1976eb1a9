/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * product.c - ws_dot and ws_dot_f32: every operand type, shapes that fit no block, the order of summation to the bit,
 * and the language's example on ragged sizes.
 */
#include "reference.h"

#define MOST_SIDE 80

static double a[MOST_SIDE * MOST_SIDE], b[MOST_SIDE * MOST_SIDE], c[MOST_SIDE * MOST_SIDE], got[MOST_SIDE * MOST_SIDE];

static void fill(ws_dtype t, double *x, double scale)
{
    for (int i = 0; i < MOST_SIDE * MOST_SIDE; i++)
        x[i] = rounded(t, random_number() * scale);
}

/* As the law says: ascending k, each product and each sum in f32.  */
static float in_order(int row, int col, int cols, int depth, int tf32)
{
    volatile float sum = (float)c[row * cols + col];
    for (int k = 0; k < depth; k++) {
        double x = a[row * depth + k], y = b[k * cols + col];
        if (tf32) {
            x = x == 0 ? 0 : ldexp(nearbyint(ldexp(x, 10 - ilogb(x))), ilogb(x) - 10);
            y = y == 0 ? 0 : ldexp(nearbyint(ldexp(y, 10 - ilogb(y))), ilogb(y) - 10);
        }
        volatile float product = (float)(x * y);
        sum = sum + product;
    }
    return sum;
}

static void check_product(ws_dtype x, ws_dtype y, int rows, int cols, int depth, int exact)
{
    fill(x, a, 3);
    fill(y, b, 3);
    fill(WS_F32, c, 10);
    ws_tile ta = tile_of(x, rows, depth, a), tb = tile_of(y, depth, cols, b), acc = tile_of(WS_F32, rows, cols, c);
    elements_of(exact ? ws_dot_f32(ta, tb, acc) : ws_dot(ta, tb, acc), WS_F32, rows, cols, got);
    for (int i = 0; i < rows * cols; i++) {
        double sum = c[i], magnitude = fabs(c[i]);
        for (int k = 0; k < depth; k++) {
            double product = a[i / cols * depth + k] * b[k * cols + i % cols];
            sum += product;
            magnitude += fabs(product);
        }
        double unit = x == WS_F32 && !exact ? 0x1p-10 : 0x1p-23;
        expect_near(got[i], sum, (depth + 2) * unit * magnitude, "product against double", i);
        expect_number(got[i], in_order(i / cols, i % cols, cols, depth, x == WS_F32 && !exact), "product in order", i);
    }
    expect_no_error();
}

static void float_products(void **state)
{
    static const ws_dtype types[][2] = {{WS_F16, WS_F16},   {WS_BF16, WS_BF16}, {WS_E4M3, WS_E4M3}, {WS_E5M2, WS_E5M2},
                                        {WS_E4M3, WS_E5M2}, {WS_E5M2, WS_E4M3}, {WS_F32, WS_F32}};
    static const int shapes[][3] = {{1, 1, 1},   {3, 5, 7},  {4, 32, 16}, {5, 33, 8},
                                    {8, 64, 80}, {7, 31, 1}, {80, 80, 3}, {13, 70, 17}};
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            check_product(types[t][0], types[t][1], shapes[s][0], shapes[s][1], shapes[s][2], 0);
    for (int s = 0; s < COUNT(shapes); s++)
        check_product(WS_F32, WS_F32, shapes[s][0], shapes[s][1], shapes[s][2], 1);
}

/* A chain of fused operations, k ascending.  */
static void double_products(void **state)
{
    static const int shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {4, 32, 16}, {7, 31, 1}, {13, 70, 17}};
    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        const int rows = shapes[s][0], cols = shapes[s][1], depth = shapes[s][2];
        fill(WS_F64, a, 3);
        fill(WS_F64, b, 3);
        fill(WS_F64, c, 10);
        ws_tile acc = tile_of(WS_F64, rows, cols, c);
        elements_of(ws_dot(tile_of(WS_F64, rows, depth, a), tile_of(WS_F64, depth, cols, b), acc), WS_F64, rows, cols,
                    got);
        for (int i = 0; i < rows * cols; i++) {
            double sum = c[i];
            for (int k = 0; k < depth; k++)
                sum = fma(a[i / cols * depth + k], b[k * cols + i % cols], sum);
            expect_number(got[i], sum, "product of doubles", i);
        }
    }
    expect_no_error();
}

static void integer_products(void **state)
{
    (void)state;
    fill(WS_I8, a, 200);
    fill(WS_I8, b, 200);
    for (int i = 0; i < MOST_SIDE * MOST_SIDE; i++)
        c[i] = i % 2 ? 2147483000 : -i;
    ws_tile acc = ws_dot(tile_of(WS_I8, 9, 40, a), tile_of(WS_I8, 40, 35, b), tile_of(WS_I32, 9, 35, c));
    elements_of(acc, WS_I32, 9, 35, got);
    for (int i = 0; i < 9 * 35; i++) {
        int64_t sum = (int64_t)c[i];
        for (int k = 0; k < 40; k++)
            sum += (int64_t)a[i / 35 * 40 + k] * (int64_t)b[k * 35 + i % 35];
        expect_number(got[i], (int32_t)(uint32_t)sum, "i8 product", i);
    }
    expect_no_error();
}

static void special_numbers_pass(void **state)
{
    const double x[] = {INFINITY, 0, NAN, 1}, y[] = {1, 2, 0, 1}, zero[] = {0, 0, 0, 0};
    (void)state;
    elements_of(ws_dot(tile_of(WS_F16, 2, 2, x), tile_of(WS_F16, 2, 2, y), tile_of(WS_F32, 2, 2, zero)), WS_F32, 2, 2,
                got);
    expect_number(got[0], INFINITY, "product", 0);
    expect_number(got[1], INFINITY, "product", 1);
    expect_number(got[2], NAN, "product", 2);
    expect_number(got[3], NAN, "product", 3);
    expect_no_error();
}

/* The example of the language, as the documents print it.  */
static void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor ta = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor tb = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor tc = ws_tensor_2d(C, WS_F16, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 48) {
            ws_tile acc = ws_zeros(WS_F32, 32, 48);

#pragma ws pipeline(4, 2)
            for (int k = 0; k < K; k += 16) {
                ws_tile x = ws_load(ta, i, k, 32, 16);
                ws_tile y = ws_load(tb, j, k, 48, 16);
                acc = ws_dot(x, ws_trans(y), acc);
            }
            ws_store(tc, i, j, ws_cast(acc, WS_F16));
        }
}

static void gemm_of_any_size(void **state)
{
    static const int sizes[][3] = {{1, 1, 1}, {32, 48, 16}, {33, 47, 17}, {70, 100, 40}, {5, 60, 0}, {64, 96, 64}};
    static ws_f16 A[100 * 100], B[100 * 100], C[100 * 100 + 1];
    (void)state;
    for (int i = 0; i < 100 * 100; i++) {
        A[i] = ws_f16_from((float)random_number());
        B[i] = ws_f16_from((float)random_number());
    }
    for (int s = 0; s < COUNT(sizes); s++) {
        int M = sizes[s][0], N = sizes[s][1], K = sizes[s][2];
        memset(C, 0x55, sizeof C);
        gemm(M, N, K, A, B, C);
        assert_int_equal(C[M * N].bits, 0x5555);
        for (int i = 0; i < M * N; i++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += element(WS_F16, A, i / N * K + k) * element(WS_F16, B, i % N * K + k);
            expect_near(element(WS_F16, C, i), sum, 0x1p-11 * fabs(sum) + 1e-5, "gemm", i);
        }
    }
    expect_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_products),       cmocka_unit_test(double_products),  cmocka_unit_test(integer_products),
        cmocka_unit_test(special_numbers_pass), cmocka_unit_test(gemm_of_any_size),
    };
    return cmocka_run_group_tests_name("runtime/product", tests, NULL, NULL);
}
