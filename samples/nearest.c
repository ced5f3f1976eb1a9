/* SPDX-License-Identifier: MIT */
/*
 * nearest - the nearest of many centres for each point, as k-means and vector quantization ask.
 *
 * |x - c|^2 is least where x c - |c|^2 / 2 is largest: a product, minus a row, and the column of the largest, which the
 * loop carries with its value. No distance is stored.
 */
#include "check.h"

enum { DIMENSIONS = 128, POINTS = 256, CENTRES = 128 };

/* X is n x DIMENSIONS, C is m x DIMENSIONS, H has half of each centre's square, Y gets n indices. */
void nearest(int n, int m, const ws_f16 *X, const ws_f16 *C, const float *H, int *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, n, DIMENSIONS), c = ws_tensor_2d(C, WS_F16, m, DIMENSIONS);
    ws_tensor h = ws_tensor_1d(H, WS_F32, m), y = ws_tensor_1d(Y, WS_I32, n);

    #pragma ws grid(1)
    for (int i = 0; i < n; i += POINTS) {
        ws_tile points = ws_load(x, i, 0, POINTS, DIMENSIONS);
        ws_tile best = ws_full(WS_F32, POINTS, 1, -1e30), index = ws_zeros(WS_I32, POINTS, 1);

        #pragma ws pipeline(3)
        for (int j = 0; j < m; j += CENTRES) {
            ws_tile centres = ws_load(c, j, 0, CENTRES, DIMENSIONS), halves = ws_load_row(h, j, CENTRES);
            {
                #pragma ws task(search) groups(2)
                ws_tile near = ws_dot(points, ws_trans(centres), ws_zeros(WS_F32, POINTS, CENTRES));
                near = ws_select(ws_lt(ws_add(ws_col_index(1, CENTRES), j), m), ws_sub(near, halves), -1e30);
                ws_tile largest = ws_row_max(near), better = ws_gt(largest, best);
                index = ws_select(better, ws_add(ws_row_argmax(near), j), index);
                best = ws_max(best, largest);
            }
        }
        ws_store_col(y, i, index);
    }
}

int main(int argc, char **argv)
{
    check_begin("nearest", argc, argv);
    int n = check_size(1, 300), m = check_size(2, 500);
    ws_f16 *X = check_random(WS_F16, (size_t)n * DIMENSIONS), *C = check_random(WS_F16, (size_t)m * DIMENSIONS);
    float *H = check_random(WS_F32, (size_t)m);
    int *Y = check_output(WS_I32, (size_t)n);
    for (long j = 0; j < m; j++) {
        H[j] = 0;
        for (long k = 0; k < DIMENSIONS; k++)
            H[j] += 0.5f * ws_f16_to(C[j * DIMENSIONS + k]) * ws_f16_to(C[j * DIMENSIONS + k]);
    }

    nearest(n, m, check_place(X), check_place(C), check_place(H), check_place(Y));
    check_fetch();
    for (long i = 0; i < n; i++) {
        double best = -INFINITY, mine = -INFINITY;
        long index = 0;
        for (long j = 0; j < m; j++) {
            double near = -H[j];
            for (long k = 0; k < DIMENSIONS; k++)
                near += (double)ws_f16_to(X[i * DIMENSIONS + k]) * ws_f16_to(C[j * DIMENSIONS + k]);
            mine = j == Y[i] ? near : mine;
            index = near > best ? j : index;
            best = near > best ? near : best;
        }
        check_close(Y, i, mine > best - 1e-3 ? Y[i] : index, 0); /* as near, but for how the sums are rounded */
    }
    return check_end();
}
