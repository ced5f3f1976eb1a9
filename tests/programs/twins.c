/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: other/twin.c */
/* Two files, each with a static function of the same name that holds a region; and two regions of one function. */
#include "test.h"

void other_file(int N, float *X);

static void scale(int N, float *X)
{
    ws_tensor x = ws_tensor_1d(X, WS_F32, N);
    #pragma ws grid(1)
    for (int i = 0; i < N; i += 32)
        ws_store_row(x, i, ws_mul(ws_load_row(x, i, 32), 2.0f));
    #pragma ws grid(1)
    for (int i = 0; i < N; i += 32)
        ws_store_row(x, i, ws_add(ws_load_row(x, i, 32), 1.0f));
}

int main(int argc, char **argv)
{
    check_begin("twins", argc, argv);
    float *X = check_range(WS_F32, 100, 1, 1);

    scale(100, check_place(X));
    other_file(100, check_place(X));
    scale(100, check_place(X));
    check_fetch();
    for (int i = 0; i < 100; i++)
        check_equal(X, i, (3 * 10 - 4) * 2 + 1);
    return check_end();
}
