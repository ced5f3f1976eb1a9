/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_print on every target: it shows a tile and changes nothing. */
#include "test.h"

static void kernel(int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, 1, N), y = ws_tensor_2d(Y, WS_F32, 1, N);

    #pragma ws grid(1)
    for (int once = 0; once < 1; once++) {
        ws_tile t = ws_load(x, 0, 0, 1, 8);
        ws_print("t", t);
        ws_print("index", ws_col_index(2, 8));
        ws_store(y, 0, 0, ws_add(t, t));
    }
}

int main(int argc, char **argv)
{
    check_begin("print", argc, argv);
    float *X = check_random(WS_F32, 8), *Y = check_output(WS_F32, 8);
    kernel(8, check_place(X), check_place(Y));
    check_fetch();
    for (int i = 0; i < 8; i++)
        check_equal(Y, i, 2 * X[i]);
    return check_end();
}
