/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tensors over globals, statics, arrays on the stack and members of structs; bounds from globals, members, size_t and
   enums; loop variables declared before the loop; a host loop around a region and a region behind an early return. */
#include "test.h"

enum side { LEFT = 1, RIGHT };
struct image {
    struct {
        int rows, cols;
    } size;
    float *data;
    enum side side;
    _Bool negate;
};

static float table[16 * 40];
static int table_rows = 16;
size_t table_cols = 40;

static void from_globals(const struct image *im, struct image *out, int limit)
{
    if (limit <= 0)
        return;
    ws_tensor x = ws_tensor_2d(im->data, WS_F32, im->size.rows, im->size.cols);
    ws_tensor g = ws_tensor_2d(table, WS_F32, table_rows, (long)table_cols);
    ws_tensor y = ws_tensor_2d(out->data, WS_F32, out->size.rows, out->size.cols);
    enum side side = im->side;
    _Bool negate = im->negate;
    int i, j, rows = table_rows, cols = (int)table_cols;

    #pragma ws grid(2)
    for (i = 0; i < rows; i += 8)
        for (j = 0; j < cols; j += 16) {
            ws_tile t = ws_add(ws_load(x, i, j, 8, 16), ws_load(g, i, j, 8, 16));
            if (negate)
                t = ws_neg(t);
            if (side == RIGHT && j == 16)
                t = ws_mul(t, 10.0f);
            ws_store(y, i, j, t);
        }
}

/* y = the sum of x over `times` calls of a region on a buffer of this function. */
static void on_the_stack(int N, int times, const float *X, float *Y)
{
    float sums[100];
    for (int i = 0; i < 100; i++)
        sums[i] = 0;
    for (int n = 0; n < times; n++) {
        ws_tensor x = ws_tensor_1d(X, WS_F32, N), s = ws_tensor_1d(sums, WS_F32, N);
        #pragma ws grid(1)
        for (int i = 0; i < N; i += 32)
            ws_store_row(s, i, ws_add(ws_load_row(s, i, 32), ws_load_row(x, i, 32)));
    }
    memcpy(Y, sums, sizeof *Y * N);
}

int main(int argc, char **argv)
{
    check_begin("where_things_live", argc, argv);
    float *X = check_random(WS_F32, 640), *Y = check_output(WS_F32, 640), *Z = check_output(WS_F32, 100);
    struct image in = {{16, 40}, X, RIGHT, 1}, out = {{16, 40}, Y, LEFT, 0};
    for (int i = 0; i < 640; i++)
        table[i] = (float)(i % 7);

    from_globals(&in, &out, 0); /* host pointers throughout: globals and the stack are on the host */
    check_equal(Y, 0, -77);
    from_globals(&in, &out, 1);
    on_the_stack(100, 3, X, Z);
    ws_or_die(ws_last_error());
    for (int i = 0; i < 640; i++) {
        float sum = -(X[i] + table[i]);
        check_equal(Y, i, i % 40 / 16 == 1 ? sum * 10.0f : sum);
    }
    for (int i = 0; i < 100; i++)
        check_close(Z, i, 3.0 * X[i], 1e-6);
    return check_end();
}
