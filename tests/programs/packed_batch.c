/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A packed batch: sequences of different lengths one after the other, cut out by ws_slice at offsets read with
   ws_at. */
#include "test.h"

enum { COLS = 48 };

/* For each sequence s: y = x W, x the rows offset[s] .. offset[s+1].  The grid's bound is the longest sequence. */
static void packed(int S, int longest, int total, const ws_f16 *X, const ws_f16 *W, const int *offsets, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, total, 64), w = ws_tensor_3d(W, WS_F16, S, 64, COLS);
    ws_tensor y = ws_tensor_2d(Y, WS_F16, total, COLS), o = ws_tensor_1d(offsets, WS_I32, S + 1);

    #pragma ws grid(2)
    for (int s = 0; s < S; s++)
        for (int i = 0; i < longest; i += 64) {
            long begin = ws_at(o, s), end = ws_at(o, s + 1);
            if (i >= end - begin)
                continue;
            ws_tensor mine = ws_slice(x, 0, begin, end), result = ws_slice(y, 0, begin, end);
            ws_tile acc = ws_zeros(WS_F32, 64, COLS);

            #pragma ws pipeline(2, 2)
            for (int k = 0; k < 64; k += 16)
                acc = ws_dot(ws_load(mine, i, k, 64, 16), ws_load_3d(w, s, k, 0, 16, COLS), acc);
            ws_store(result, i, 0, ws_cast(acc, WS_F16));
        }
}

int main(int argc, char **argv)
{
    static const int lengths[] = {70, 0, 1, 130, 64};
    check_begin("packed_batch", argc, argv);
    int S = 5, longest = 130, total = 265;
    ws_f16 *X = check_random(WS_F16, (size_t)total * 64), *W = check_random(WS_F16, (size_t)S * 64 * COLS);
    ws_f16 *Y = check_output(WS_F16, (size_t)total * COLS);
    int *offsets = check_range(WS_I32, S + 1, 0, 0);
    for (int s = 0; s < S; s++)
        offsets[s + 1] = offsets[s] + lengths[s];

    packed(S, longest, total, check_place(X), check_place(W), check_place(offsets), check_place(Y));
    check_fetch();
    for (long s = 0; s < S; s++)
        test_product(from(rows_of(Y, COLS), (long)offsets[s] * COLS), from(rows_of(X, 64), (long)offsets[s] * 64),
                     from(rows_of(W, COLS), s * 64 * COLS), lengths[s], COLS, 64);
    return check_end();
}
