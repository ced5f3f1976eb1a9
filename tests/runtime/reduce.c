/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce.c - reductions and running sums along rows and columns: every type, the order to the bit, NaN, first hits.
 */
#include "reference.h"

#define ROWS 11
#define COLS 29
#define SIZE (ROWS * COLS)

static const ws_dtype types[] = {WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, WS_I32};
static double x[SIZE], got[SIZE];

static void numbers(ws_dtype t, double scale)
{
    for (int i = 0; i < SIZE; i++)
        x[i] = rounded(t, random_number() * scale);
}

/* One more term, in the compute type.  */
static double plus(ws_dtype t, double sum, double term)
{
    volatile float single = (float)(sum + term);
    return t == WS_F64 ? sum + term : t == WS_I32 ? (double)(int32_t)(uint32_t)(int64_t)(sum + term) : (double)single;
}

/* Element k of line i: of a row, or of a column.  */
static double along(int columns, int i, int k)
{
    return columns ? x[k * COLS + i] : x[i * COLS + k];
}

static void sums(void **state)
{
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int columns = 0; columns < 2; columns++) {
            int lines = columns ? COLS : ROWS, count = columns ? ROWS : COLS;
            numbers(types[t], types[t] == WS_I32 ? 2147483647 : 20);
            ws_tile tile = tile_of(types[t], ROWS, COLS, x);
            elements_of(columns ? ws_col_sum(tile) : ws_row_sum(tile), types[t], columns ? 1 : ROWS, columns ? COLS : 1,
                        got);
            for (int i = 0; i < lines; i++) {
                double sum = along(columns, i, 0);
                for (int k = 1; k < count; k++)
                    sum = plus(types[t], sum, along(columns, i, k));
                expect_number(got[i], rounded(types[t], sum), columns ? "col_sum" : "row_sum", i);
            }
        }
    expect_no_error();
}

static void running_sums(void **state)
{
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int columns = 0; columns < 2; columns++) {
            int lines = columns ? COLS : ROWS, count = columns ? ROWS : COLS;
            numbers(types[t], 20);
            ws_tile tile = tile_of(types[t], ROWS, COLS, x);
            elements_of(columns ? ws_col_cumsum(tile) : ws_row_cumsum(tile), types[t], ROWS, COLS, got);
            for (int i = 0; i < lines; i++) {
                double sum = along(columns, i, 0);
                for (int k = 0; k < count; k++) {
                    sum = k ? plus(types[t], sum, along(columns, i, k)) : sum;
                    int at = columns ? k * COLS + i : i * COLS + k;
                    expect_number(got[at], rounded(types[t], sum), columns ? "col_cumsum" : "row_cumsum", at);
                }
            }
        }
    expect_no_error();
}

static void extremes(void **state)
{
    (void)state;
    for (int t = 0; t < COUNT(types); t++)
        for (int columns = 0; columns < 2; columns++)
            for (int sign = -1; sign <= 1; sign += 2) {
                int lines = columns ? COLS : ROWS, count = columns ? ROWS : COLS;
                numbers(types[t], 50);
                if (types[t] != WS_I32)
                    for (int i = 0; i < SIZE; i += 3)
                        x[i] = i % 2 ? NAN : x[i];
                ws_tile tile = tile_of(types[t], ROWS, COLS, x);
                ws_tile result = columns    ? sign > 0 ? ws_col_max(tile) : ws_col_min(tile)
                                    : sign > 0 ? ws_row_max(tile)
                                            : ws_row_min(tile);
                elements_of(result, types[t], columns ? 1 : ROWS, columns ? COLS : 1, got);
                for (int i = 0; i < lines; i++) {
                    double best = NAN;
                    for (int k = 0; k < count; k++) {
                        double e = along(columns, i, k);
                        best = isnan(best) || sign * e > sign * best ? e : best;
                    }
                    expect_number(got[i], best, sign > 0 ? "max" : "min", i);
                }
            }
    expect_no_error();
}

static void argmax_is_the_first_hit(void **state)
{
    const double rows[5][4] = {
        {1, 3, 3, 2}, {NAN, -1, 4, 4}, {NAN, NAN, NAN, NAN}, {-INFINITY, -INFINITY, NAN, -INFINITY}, {5, NAN, 5, 9}};
    const int expected[5] = {1, 2, 0, 0, 3};
    (void)state;
    elements_of(ws_row_argmax(tile_of(WS_F16, 5, 4, &rows[0][0])), WS_I32, 5, 1, got);
    for (int i = 0; i < 5; i++)
        expect_number(got[i], expected[i], "row_argmax", i);
    for (int t = 0; t < COUNT(types); t++) {
        numbers(types[t], 3);
        elements_of(ws_row_argmax(tile_of(types[t], ROWS, COLS, x)), WS_I32, ROWS, 1, got);
        for (int r = 0; r < ROWS; r++) {
            int best = 0;
            for (int k = 1; k < COLS; k++)
                best = x[r * COLS + k] > x[r * COLS + best] ? k : best;
            expect_number(got[r], best, "row_argmax", r);
        }
    }
    expect_no_error();
}

static void lines_of_one(void **state)
{
    const double one = -0.0;
    (void)state;
    elements_of(ws_row_sum(tile_of(WS_F32, 1, 1, &one)), WS_F32, 1, 1, got);
    expect_number(got[0], -0.0, "row_sum of one", 0);
    elements_of(ws_col_max(tile_of(WS_F32, 1, 1, &one)), WS_F32, 1, 1, got);
    expect_number(got[0], -0.0, "col_max of one", 0);
    expect_no_error();
}

/* A softmax as users write it.  */
static void softmax(void **state)
{
    (void)state;
    numbers(WS_F32, 9);
    ws_tile t = tile_of(WS_F32, ROWS, COLS, x);
    ws_tile e = ws_exp(ws_sub(t, ws_row_max(t)));
    elements_of(ws_div(e, ws_row_sum(e)), WS_F32, ROWS, COLS, got);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0, most = -INFINITY;
        for (int k = 0; k < COLS; k++)
            most = fmax(most, x[r * COLS + k]);
        for (int k = 0; k < COLS; k++)
            sum += exp(x[r * COLS + k] - most);
        for (int k = 0; k < COLS; k++)
            expect_near(got[r * COLS + k], exp(x[r * COLS + k] - most) / sum, 1e-6, "softmax", r * COLS + k);
    }
    expect_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),         cmocka_unit_test(running_sums),
        cmocka_unit_test(extremes),     cmocka_unit_test(argmax_is_the_first_hit),
        cmocka_unit_test(lines_of_one), cmocka_unit_test(softmax),
    };
    return cmocka_run_group_tests_name("runtime/reduce", tests, NULL, NULL);
}
