/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * print.c - what ws_print puts on standard output.
 */
#include "reference.h"

#include <unistd.h>

/* Standard output of a call, in a temporary file meanwhile.  */
static void capture(void (*call)(void), char *text, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int before = dup(1);
    dup2(fileno(file), 1);
    call();
    fflush(stdout);
    dup2(before, 1);
    close(before);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void numbers(void)
{
    const double x[] = {1, -0.5, 0.1, INFINITY, NAN, -1e-9};
    ws_print("x", tile_of(WS_F32, 2, 3, x));
    ws_print("wide", tile_of(WS_F64, 1, 2, x + 1));
    ws_print("half", ws_trans(tile_of(WS_F16, 1, 3, x)));
}

static void integers_and_masks(void)
{
    ws_print("row", ws_row_index(3, 2));
    ws_print("mask", ws_lt(ws_col_index(1, 4), 2));
    ws_print("byte", ws_full(WS_I8, 1, 1, -128));
}

static void nothing(void)
{
    ws_print("none", NULL);
}

static void numbers_print(void **state)
{
    char text[1000];
    (void)state;
    capture(numbers, text, sizeof text);
    assert_string_equal(text, "x: f32 (2,3)\n  1 -0.5 0.100000001\n  inf nan -9.99999972e-10\n"
                              "wide: f64 (1,2)\n  -0.5 0.10000000000000001\n"
                              "half: f16 (3,1)\n  1\n  -0.5\n  0.0999755859\n");
    expect_no_error();
}

static void integers_and_masks_print(void **state)
{
    char text[1000];
    (void)state;
    capture(integers_and_masks, text, sizeof text);
    assert_string_equal(text,
                        "row: i32 (3,2)\n  0 0\n  1 1\n  2 2\nmask: mask (1,4)\n  1 1 0 0\nbyte: i8 (1,1)\n  -128\n");
    expect_no_error();
}

static void nothing_prints_nothing(void **state)
{
    char text[1000];
    (void)state;
    capture(nothing, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(ws_last_error(), WS_ERR_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_print),
        cmocka_unit_test(integers_and_masks_print),
        cmocka_unit_test(nothing_prints_nothing),
    };
    return cmocka_run_group_tests_name("runtime/print", tests, NULL, NULL);
}
