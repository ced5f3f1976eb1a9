/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels.c - a product that leaves its tile open, and how many blocks share loads of B or the sum of a tile.  Compiled
   twice, NAME product_chosen and product_tuned, since what is known of a launch belongs to a kernel. */
#include <ws.h>

void NAME(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    const long shape =
        ws_choice_shape(ws_shape(128, 128, 64), ws_shape(128, 256, 64), ws_shape(128, 208, 64), ws_shape(128, 192, 64),
                        ws_shape(128, 64, 128), ws_shape(64, 256, 64), ws_shape(64, 128, 128), ws_shape(64, 64, 128));
    const int rows = ws_shape_m(shape), cols = ws_shape_n(shape), depth = ws_shape_k(shape);
    const long blocks = ws_choice_shape(ws_shape(1, 1, 0), ws_shape(2, 1, 0), ws_shape(1, 2, 0), ws_shape(1, 4, 0),
                                        ws_shape(1, 8, 0));
    const int down = ws_shape_m(blocks), parts = ws_shape_n(blocks);
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

#pragma ws grid(2) cluster(down)
    for (int i = 0; i < M; i += rows)
        for (int j = 0; j < N; j += cols) {
            ws_tile acc = ws_zeros(WS_F32, rows, cols);
#pragma ws parts
            for (int s = 0; s < parts; s++) {
                ws_tile part = ws_zeros(WS_F32, rows, cols);
#pragma ws pipeline(auto)
                for (int k = s * depth; k < K; k += parts * depth)
                    part = ws_dot(ws_load(a, i, k, rows, depth), ws_trans(ws_load(b, j, k, cols, depth)), part);
                acc = ws_add(acc, part);
            }
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}
