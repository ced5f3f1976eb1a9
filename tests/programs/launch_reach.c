/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tensors whose extents and strides reach where no memory can be: one sentence on every target, and nothing is written,
   neither behind the array nor in front of it.  Of no elements, and of one, a stride may be anything. */
#include "test.h"

#include <limits.h>

enum { ROWS = 4, COLS = 64, GUARD = 4096 };

static void copy2(float *y, const float *x, long rows, long cols, long ld)
{
    ws_tensor from = ws_tensor_2d(x, WS_F32, ROWS, COLS), to = ws_tensor_2d_ld(y, WS_F32, rows, cols, ld);
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += ROWS)
        ws_store(to, i, 0, ws_load(from, i, 0, ROWS, COLS));
}

static void copy_strided(float *y, const float *x, long rows, long cols, long stride)
{
    ws_tensor from = ws_tensor_2d(x, WS_F32, ROWS, COLS);
    ws_tensor to = ws_tensor_strided(y, WS_F32, 2, ((const long[]){rows, cols}), ((const long[]){stride, 1}));
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += ROWS)
        ws_store(to, i, 0, ws_load(from, i, 0, ROWS, COLS));
}

static void copy3(float *y, const float *x, long a, long rows, long cols, long batch, long ld)
{
    ws_tensor from = ws_tensor_2d(x, WS_F32, ROWS, COLS);
    ws_tensor to = ws_tensor_strided(y, WS_F32, 3, ((const long[]){a, rows, cols}), ((const long[]){batch, ld, 1}));
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += ROWS)
        ws_store_3d(to, 0, i, 0, ws_load(from, i, 0, ROWS, COLS));
}

static void copy4(float *y, const float *x, long a, long b, long rows, long cols)
{
    ws_tensor from = ws_tensor_2d(x, WS_F32, ROWS, COLS), to = ws_tensor_4d(y, WS_F32, a, b, rows, cols);
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i += ROWS)
        ws_store_4d(to, 0, 0, i, 0, ws_load(from, i, 0, ROWS, COLS));
}

static void said(const char *what)
{
    ws_status status = ws_last_error();
    const char *sentence = status == WS_OK ? NULL : strstr(ws_error_message(), ": ") + 2;
    if (sentence && !strncmp(sentence, "tensor ", 7)) /* its name, which the sequential library has not */
        sentence = strstr(sentence, ": ") + 2;
    printf("%s: %s\n", what, status == WS_OK ? "done" : sentence);
}

int main(int argc, char **argv)
{
    check_begin("launch_reach", argc, argv);
    float *X = check_random(WS_F32, ROWS * COLS), *Z = check_output(WS_F32, 2 * GUARD);
    float *x = check_place(X), *z = check_place(Z), *y = z + GUARD;

    copy2(y, x, ROWS, COLS, LONG_MAX / 2);
    said("the product overflows");
    copy2(y, x, ROWS, COLS, LONG_MAX / 2 + 1 + COLS);
    said("the product of elements and of bytes");
    copy2(y, x, ROWS, COLS, (1L << 62) + COLS);
    said("the product of bytes is small");
    copy2(y, x, ROWS, COLS, 1L << 56);
    said("more than there are addresses");
    copy_strided(y, x, ROWS, COLS, -(1L << 62));
    said("downwards");
    copy_strided(y, x, ROWS, COLS, LONG_MIN);
    said("the lowest");
    copy_strided(y, x, 2, COLS, -(1L << 54));
    said("in front of address 0");
    copy3(y, x, 1L << 31 >> 1, ROWS, COLS, 1L << 33, COLS);
    said("batches");
    copy3(y, x, 3, ROWS, COLS, LONG_MAX / 2, -COLS);
    said("batches, and rows downwards");
    copy3(y, x, 3, ROWS, COLS, LONG_MIN / 2, LONG_MAX / 4);
    said("both ways");
    copy4(y, x, 2, 1L << 22, 1L << 21, 1L << 21);
    said("of four extents");
    copy4(y, x, 1L << 30, 1L << 30, 1L << 30, 1L << 30);
    said("of which the last two suffice");
    copy2(y, x, 1L << 31, 1, 1);
    said("an extent that is no int");
    copy_strided(y, x, -1, COLS, COLS);
    said("an extent below 0");
    copy2(y, x, ROWS, COLS, COLS - 1);
    said("rows that overlap");
    copy2(y, x, ROWS, COLS, -COLS);
    said("rows downwards");
    check_fetch();
    for (long p = 0; p < 2 * GUARD; p++)
        check_true(Z[p] == Z[0], "a refused call writes");

    copy2(y, x, 0, COLS, LONG_MAX);
    said("no rows");
    copy_strided(y, x, ROWS, 0, LONG_MIN);
    said("no columns");
    copy3(y, x, 0, ROWS, COLS, LONG_MAX, LONG_MIN);
    said("no batches");
    copy4(y, x, 0, 1L << 22, 1L << 21, 1L << 21);
    said("none of four");
    check_fetch();
    for (long p = 0; p < 2 * GUARD; p++)
        check_true(Z[p] == Z[0], "an empty tensor is written");

    copy_strided(y, x, 1, COLS, LONG_MIN);
    said("a row");
    copy3(y + 2 * COLS, x + COLS, 1, 1, COLS, LONG_MAX, LONG_MIN);
    said("a row of three dimensions");
    check_fetch();
    for (long p = 0; p < COLS; p++) {
        check_equal(Z, GUARD + p, X[p]);
        check_equal(Z, GUARD + 2 * COLS + p, X[COLS + p]);
    }
    return check_end();
}
