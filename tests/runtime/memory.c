/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - loads, stores, slices and single elements: everywhere around the edges, in every rank, against plain
 * loops.
 */
#include "reference.h"

#include <limits.h>
#include <pthread.h>

static const ws_dtype all_types[] = {WS_F32, WS_F64, WS_F16, WS_BF16, WS_E4M3, WS_E5M2, WS_I8, WS_I32};
static const long places[] = {0, 1, -1, -3, -4, -5, 2, 5, 6, 7, 8, 100, -100, LONG_MAX, LONG_MIN, INT_MAX + 1L};

/* A tensor of 6 x 7 numbers: element (r,c) is 10 r + c + 1.  */
#define R 6
#define C 7
static double grid[R * C];

static double at(long r, long c, double outside)
{
    return r >= 0 && r < R && c >= 0 && c < C ? (double)(10 * r + c + 1) : outside;
}

static int prepare(void **state)
{
    (void)state;
    for (int i = 0; i < R * C; i++)
        grid[i] = 10 * (i / C) + i % C + 1;
    return 0;
}

/* A copy of the grid as an array of type t.  */
static ws_tensor grid_of(ws_dtype t, double *raw)
{
    ws_store(ws_tensor_2d((void *)raw, t, R, C), 0, 0, tile_of(t, R, C, grid));
    return ws_tensor_2d((void *)raw, t, R, C);
}

/* Saturating, so that the sum of a coordinate and an index is what it means.  */
static long plus(long x, long y)
{
    return x > LONG_MAX - y ? LONG_MAX : x + y;
}

static void loads_anywhere(void **state)
{
    double raw[R * C], got[4 * 5];
    (void)state;
    for (int t = 0; t < COUNT(all_types); t++) {
        ws_tensor tensor = grid_of(all_types[t], raw);
        for (int i = 0; i < COUNT(places); i++)
            for (int k = 0; k < COUNT(places); k++) {
                elements_of(ws_load(tensor, places[i], places[k], 4, 5), all_types[t], 4, 5, got);
                for (int e = 0; e < 20; e++)
                    expect_number(got[e], rounded(all_types[t], at(plus(places[i], e / 5), plus(places[k], e % 5), 0)),
                                  "load", e);
                elements_of(ws_load_or(tensor, places[i], places[k], 4, 5, -3), all_types[t], 4, 5, got);
                for (int e = 0; e < 20; e++)
                    expect_number(got[e], rounded(all_types[t], at(plus(places[i], e / 5), plus(places[k], e % 5), -3)),
                                  "load_or", e);
            }
    }
    expect_no_error();
}

static void stores_drop_what_is_outside(void **state)
{
    double tile[4 * 5], array[R * C + 2];
    (void)state;
    for (int e = 0; e < 20; e++)
        tile[e] = 1000 + e;
    for (int i = 0; i < COUNT(places); i++)
        for (int k = 0; k < COUNT(places); k++) {
            for (int e = 0; e < R * C + 2; e++)
                array[e] = e;
            ws_store(ws_tensor_2d(array + 1, WS_F64, R, C), places[i], places[k], tile_of(WS_F64, 4, 5, tile));
            expect_number(array[0], 0, "before the tensor", 0);
            expect_number(array[R * C + 1], R * C + 1, "after the tensor", 0);
            for (long e = 0; e < R * C; e++) {
                long r = e / C, c = e % C;
                int inside = places[i] <= r && r < plus(places[i], 4) && places[k] <= c && c < plus(places[k], 5);
                expect_number(array[e + 1],
                              inside ? (double)(1000 + (r - places[i]) * 5 + c - places[k]) : (double)(e + 1), "store",
                              (int)e);
            }
        }
    expect_no_error();
}

static void vectors(void **state)
{
    double got[8], out[8];
    (void)state;
    for (int i = 0; i < COUNT(places); i++) {
        ws_tensor row = ws_tensor_1d(grid, WS_F64, C), both = ws_tensor_2d(grid, WS_F64, R, C);
        elements_of(ws_load_row(row, places[i], 5), WS_F64, 1, 5, got);
        elements_of(ws_load_col(row, places[i], 5), WS_F64, 5, 1, out);
        for (int e = 0; e < 5; e++) {
            expect_number(got[e], at(0, plus(places[i], e), 0), "load_row", e);
            expect_number(out[e], at(0, plus(places[i], e), 0), "load_col", e);
        }
        elements_of(ws_load_row_2d(both, 4, places[i], 5), WS_F64, 1, 5, got);
        elements_of(ws_load_col_2d(both, 4, places[i], 5), WS_F64, 5, 1, out);
        for (int e = 0; e < 5; e++) {
            expect_number(got[e], at(4, plus(places[i], e), 0), "load_row_2d", e);
            expect_number(out[e], at(4, plus(places[i], e), 0), "load_col_2d", e);
        }
        elements_of(ws_load_row_2d(both, places[i], 2, 3), WS_F64, 1, 3, got);
        for (int e = 0; e < 3; e++)
            expect_number(got[e], at(places[i], 2 + e, 0), "load_row_2d", e);
    }
    expect_no_error();
}

static void vector_stores(void **state)
{
    const double x[] = {1, 2, 3};
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (long place = -4; place < 6; place++) {
            double array[2 * 5 + 2] = {0};
            ws_tensor vector = ws_tensor_1d(array + 1, WS_F64, 5), both = ws_tensor_2d(array + 1, WS_F64, 2, 5);
            if (kind == 0)
                ws_store_row(vector, place, tile_of(WS_F64, 1, 3, x));
            else if (kind == 1)
                ws_store_col(vector, place, tile_of(WS_F64, 3, 1, x));
            else if (kind == 2)
                ws_store_row_2d(both, 1, place, tile_of(WS_F64, 1, 3, x));
            else
                ws_store_col_2d(both, 1, place, tile_of(WS_F64, 3, 1, x));
            for (int e = 0; e < 12; e++) {
                long i = e - 1 - (kind >= 2 ? 5 : 0);
                int inside = i >= 0 && i < 5 && i >= place && i < place + 3;
                expect_number(array[e], inside ? x[i - place] : 0, "vector store", e);
            }
        }
    expect_no_error();
}

/* Rank 3 and 4, strides with gaps, leading coordinates outside.  */
static void higher_ranks(void **state)
{
    enum { D0 = 2, D1 = 3, ROWS = 4, COLS = 5, LD = 7, SIZE = D0 * D1 * ROWS * LD };
    static float array[SIZE];
    double got[4];
    (void)state;
    for (int i = 0; i < SIZE; i++)
        array[i] = (float)(i + 1);
    ws_tensor four = ws_tensor_strided(array, WS_F32, 4, ((const long[]){D0, D1, ROWS, COLS}),
                                       ((const long[]){D1 * ROWS * LD, ROWS * LD, LD, 1}));
    ws_tensor three =
        ws_tensor_strided(array, WS_F32, 3, ((const long[]){D1, ROWS, COLS}), ((const long[]){ROWS * LD, LD, 1}));
    for (long a = -1; a <= D0; a++)
        for (long b = -1; b <= D1; b++)
            for (long r = -2; r <= ROWS; r++)
                for (long c = -2; c <= COLS; c++) {
                    elements_of(ws_load_or_4d(four, a, b, r, c, 2, 2, -9), WS_F32, 2, 2, got);
                    for (int e = 0; e < 4; e++) {
                        long i = r + e / 2, k = c + e % 2;
                        int inside = a >= 0 && a < D0 && b >= 0 && b < D1 && i >= 0 && i < ROWS && k >= 0 && k < COLS;
                        double expected = (double)(((a * D1 + b) * ROWS + i) * LD + k + 1);
                        expect_number(got[e], inside ? expected : -9, "load_or_4d", e);
                    }
                    elements_of(ws_load_3d(three, b, r, c, 2, 2), WS_F32, 2, 2, got);
                    for (int e = 0; e < 4; e++) {
                        long i = r + e / 2, k = c + e % 2;
                        int inside = b >= 0 && b < D1 && i >= 0 && i < ROWS && k >= 0 && k < COLS;
                        expect_number(got[e], inside ? (double)((b * ROWS + i) * LD + k + 1) : 0, "load_3d", e);
                    }
                }
    ws_store_4d(four, 1, 2, 3, 4, ws_full(WS_F32, 2, 2, -1));
    ws_store_3d(three, 0, 0, 0, ws_full(WS_F32, 1, 1, -2));
    for (int i = 0; i < SIZE; i++)
        expect_number(array[i], i == ((1 * D1 + 2) * ROWS + 3) * LD + 4 ? -1 : i == 0 ? -2 : i + 1, "store_4d", i);
    ws_tensor dense = ws_tensor_4d(array, WS_F32, 2, 3, 4, 7);
    elements_of(ws_load_4d(dense, 1, 1, 1, 1, 1, 1), WS_F32, 1, 1, got);
    expect_number(got[0], ((1 * 3 + 1) * 4 + 1) * 7 + 1 + 1, "load_4d", 0);
    elements_of(ws_load_3d(ws_tensor_3d(array, WS_F32, 6, 4, 7), 2, 1, 1, 1, 1), WS_F32, 1, 1, got);
    expect_number(got[0], (2 * 4 + 1) * 7 + 1 + 1, "load_3d of dense", 0);
    elements_of(ws_load(ws_tensor_2d_ld(array, WS_F32, 24, 5, 7), 3, 3, 2, 2), WS_F32, 2, 2, got);
    expect_number(got[1], 3 * 7 + 4 + 1, "load with a leading dimension", 1);
    expect_no_error();
}

/* A row of a transposed or broadcast view: strides that are zero or negative.  */
static void any_stride(void **state)
{
    static const float array[6] = {1, 2, 3, 4, 5, 6};
    double got[6];
    (void)state;
    ws_tensor same = ws_tensor_strided(array, WS_F32, 2, ((const long[]){3, 2}), ((const long[]){0, 1}));
    ws_tensor back = ws_tensor_strided(array + 4, WS_F32, 2, ((const long[]){3, 2}), ((const long[]){-2, 1}));
    elements_of(ws_load(same, 0, 0, 3, 2), WS_F32, 3, 2, got);
    for (int i = 0; i < 6; i++)
        expect_number(got[i], 1 + i % 2, "stride 0", i);
    elements_of(ws_load(back, 0, 0, 3, 2), WS_F32, 3, 2, got);
    for (int i = 0; i < 6; i++)
        expect_number(got[i], 5 - i / 2 * 2 + i % 2, "stride -2", i);
    expect_no_error();
}

static void slices(void **state)
{
    double got[8 * 8];
    (void)state;
    for (long begin = -2; begin <= R + 1; begin++)
        for (long end = begin - 1; end <= R + 2; end++)
            for (int dim = 0; dim < 2; dim++) {
                ws_tensor part = ws_slice(ws_tensor_2d(grid, WS_F64, R, C), dim, begin, end);
                elements_of(ws_load(part, -2, -2, 8, 8), WS_F64, 8, 8, got);
                for (int e = 0; e < 64; e++) {
                    long r = e / 8 - 2, c = e % 8 - 2, along = dim ? c : r;
                    double expected = dim ? at(r, c + begin, 0) : at(r + begin, c, 0);
                    expect_number(got[e], along >= 0 && along < end - begin ? expected : 0, "slice", e);
                }
            }
    ws_tensor inner = ws_slice(ws_slice(ws_slice(ws_tensor_2d(grid, WS_F64, R, C), 0, 1, 5), 0, 1, 9), 1, 2, 4);
    elements_of(ws_load(inner, 0, 0, 4, 4), WS_F64, 4, 4, got);
    for (int e = 0; e < 16; e++)
        expect_number(got[e], e / 4 < 3 && e % 4 < 2 ? at(e / 4 + 2, e % 4 + 2, 0) : 0, "slice of a slice", e);
    elements_of(ws_load(ws_slice(ws_tensor_2d(grid, WS_F64, R, C), 0, LONG_MIN, LONG_MAX), 0, 0, 2, 2), WS_F64, 2, 2,
                got);
    for (int e = 0; e < 4; e++)
        expect_number(got[e], 0, "slice far away", e);
    double copy[R * C];
    memcpy(copy, grid, sizeof copy);
    ws_store(ws_slice(ws_tensor_2d(copy, WS_F64, R, C), 0, 2, 4), -1, 0, ws_zeros(WS_F64, 5, C));
    for (int e = 0; e < R * C; e++)
        expect_number(copy[e], e / C == 2 || e / C == 3 ? 0 : grid[e], "store into a slice", e);
    expect_no_error();
}

static void single_elements(void **state)
{
    static const int integers[] = {5, -7, 2147483647};
    static const signed char bytes[] = {-128, 127};
    static const ws_bf16 stored[] = {{0x3fc0}, {0xc000}};
    (void)state;
    assert_int_equal(ws_at(ws_tensor_1d(integers, WS_I32, 3), 1), -7);
    assert_int_equal(ws_at(ws_tensor_1d(integers, WS_I32, 3), 2), 2147483647);
    assert_int_equal(ws_at(ws_tensor_1d(integers, WS_I32, 3), 3), 0);
    assert_int_equal(ws_at(ws_tensor_1d(integers, WS_I32, 3), -1), 0);
    assert_int_equal(ws_at(ws_slice(ws_tensor_1d(integers, WS_I32, 3), 0, 1, 2), 0), -7);
    assert_int_equal(ws_at(ws_slice(ws_tensor_1d(integers, WS_I32, 3), 0, 1, 2), 1), 0);
    assert_int_equal(ws_at(ws_tensor_1d(bytes, WS_I8, 2), 0), -128);
    expect_number(ws_at_float(ws_tensor_1d(stored, WS_BF16, 2), 0), 1.5, "at_float", 0);
    expect_number(ws_at_float(ws_tensor_1d(stored, WS_BF16, 2), 1), -2, "at_float", 1);
    expect_number(ws_at_float(ws_tensor_1d(grid, WS_F64, 3), 2), 3, "at_float", 2);
    expect_number(ws_at_float(ws_tensor_1d(grid, WS_F64, 3), LONG_MAX), 0, "at_float", 3);
    expect_no_error();
}

static float sums[16];
static int counts[16];

/* Every row of the tile goes to the same 16 elements.  */
static void *add_often(void *argument)
{
    (void)argument;
    ws_tensor to = ws_tensor_strided(sums, WS_F32, 2, ((const long[]){64, 16}), ((const long[]){0, 1}));
    ws_tensor to_counts = ws_tensor_strided(counts, WS_I32, 3, ((const long[]){1, 64, 16}), ((const long[]){0, 0, 1}));
    ws_tile ones = ws_full(WS_F32, 64, 16, 1), twos = ws_full(WS_I32, 64, 16, 2);
    for (int i = 0; i < 4000; i++) {
        ws_atomic_add(to, -1, 1, ones);
        ws_atomic_add_3d(to_counts, 0, 1, -1, twos);
    }
    return ws_last_error() == WS_OK ? sums : NULL;
}

static void additions_are_atomic(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_often, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    for (int i = 0; i < 16; i++) {
        expect_number(sums[i], i >= 1 ? 4 * 4000 * 63 : 0, "atomic_add", i);
        assert_int_equal(counts[i], i < 15 ? 4 * 4000 * 63 * 2 : 0);
    }
    ws_atomic_add_4d(ws_tensor_4d(sums, WS_F32, 1, 1, 4, 4), 0, 0, 3, 3, ws_full(WS_F32, 1, 1, 0.5));
    expect_number(sums[15], 4 * 4000 * 63 + 0.5, "atomic_add_4d", 15);
}

static void empty_tensors(void **state)
{
    double got[4];
    (void)state;
    elements_of(ws_load(ws_tensor_2d(NULL, WS_F32, 0, 8), 0, 0, 2, 2), WS_F32, 2, 2, got);
    for (int i = 0; i < 4; i++)
        expect_number(got[i], 0, "load of nothing", i);
    ws_store(ws_tensor_2d(NULL, WS_F32, 8, 0), 0, 0, ws_full(WS_F32, 2, 2, 1));
    expect_no_error();
}

static void expect_error(const char *sentence)
{
    assert_int_equal(ws_last_error(), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_error_message(), sentence));
}

static void bad_tensors(void **state)
{
    double got[4];
    (void)state;
    elements_of(ws_load(ws_tensor_2d(NULL, WS_F32, 8, 8), 0, 0, 2, 2), WS_F32, 2, 2, got);
    expect_error("ws_tensor: the base is a null pointer");
    elements_of(ws_load(ws_tensor_2d((const char *)grid + 1, WS_F16, 2, 2), 0, 0, 2, 2), WS_F16, 2, 2, got);
    expect_error("ws_tensor: the base is not aligned to its elements of 2 bytes");
    (void)!ws_tensor_1d(grid, WS_F64, -1);
    expect_error("ws_tensor: extent -1 of dimension 0 is below 0");
    (void)!ws_tensor_strided(grid, WS_F64, 2, ((const long[]){2, 2}), ((const long[]){1, 2}));
    expect_error("the innermost stride is 2, not 1");
    (void)!ws_tensor_2d_ld(grid, WS_F64, 2, 4, 3);
    expect_error("the leading dimension 3 is less than the 4 columns");
    (void)!ws_tensor_2d(grid, WS_F64, 1, 1L << 31);
    expect_error("ws_tensor: extent 2147483648 of dimension 1 is more than 2147483647: give each grid a part of it");
    (void)!ws_tensor_3d(grid, WS_F64, 2, 4, LONG_MAX / 2);
    expect_error("ws_tensor: extent 4611686018427387903 of dimension 2 is more than 2147483647: give each grid a part");
    (void)!ws_tensor_3d(grid, WS_F64, 2147483647, 2147483647, 2147483647);
    expect_error("ws_tensor: dimension 1 of 2147483647 elements at stride 2147483647 reaches beyond all memory: write");
    (void)!ws_tensor_2d_ld(grid, WS_F64, 3, 4, LONG_MAX / 2);
    expect_error("ws_tensor: dimension 0 of 3 elements at stride 4611686018427387903 reaches beyond all memory: write");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_anywhere),
        cmocka_unit_test(stores_drop_what_is_outside),
        cmocka_unit_test(vectors),
        cmocka_unit_test(vector_stores),
        cmocka_unit_test(higher_ranks),
        cmocka_unit_test(any_stride),
        cmocka_unit_test(slices),
        cmocka_unit_test(single_elements),
        cmocka_unit_test(additions_are_atomic),
        cmocka_unit_test(empty_tensors),
        cmocka_unit_test(bad_tensors),
    };
    return cmocka_run_group_tests_name("runtime/memory", tests, prepare, NULL);
}
