/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Far more tiles than blocks: rings wrap many times, phases change, and trip counts differ from tile to tile. */
#include "test.h"

static void kernel(int rows, int cols, const int *lengths, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, rows, cols), y = ws_tensor_1d(Y, WS_F32, rows);
    ws_tensor length = ws_tensor_1d(lengths, WS_I32, rows);

    #pragma ws grid(1) persistent
    for (int r = 0; r < rows; r++) {
        ws_tile sum = ws_zeros(WS_F32, 1, 1);
        long end = ws_at(length, r);
        if (end == 3)
            continue;
        #pragma ws pipeline(3)
        for (long j = 0; j < end; j += 8)
            sum = ws_add(sum, ws_row_sum(ws_load(x, r, j, 1, 8)));
        ws_store_row(y, r, sum);
    }
}

int main(int argc, char **argv)
{
    check_begin("many_tiles", argc, argv);
    int rows = check_size(1, 3000), cols = 64;
    float *X = check_random(WS_F32, (size_t)rows * cols), *Y = check_output(WS_F32, rows);
    int *lengths = check_range(WS_I32, rows, 0, 64.999);

    kernel(rows, cols, check_place(lengths), check_place(X), check_place(Y));
    check_fetch();
    for (long r = 0; r < rows; r++) {
        double sum = 0;
        for (long j = 0; j < (lengths[r] + 7) / 8 * 8; j++)
            sum += X[r * cols + j];
        check_close(Y, r, lengths[r] == 3 ? -77 : sum, 1e-5);
    }
    return check_end();
}
