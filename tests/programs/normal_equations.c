/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A^T diag(w) A and A^T diag(w) y of tall A, whose rows are divided over blocks at a step of the caller: sums in
   memory. */
#include "test.h"

static void normal(long rows, int n, long step, const ws_f16 *A, const float *w, const float *y, float *H, float *g)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, rows, n), tw = ws_tensor_1d(w, WS_F32, rows),
              ty = ws_tensor_1d(y, WS_F32, rows);
    ws_tensor h = ws_tensor_2d(H, WS_F32, n, n), tg = ws_tensor_2d(g, WS_F32, 1, n);
#pragma ws grid(3)
    for (long first = 0; first < rows; first += step)
        for (int i = 0; i < n; i += 64)
            for (int j = 0; j < n; j += 64) {
                ws_tensor mine = ws_slice(a, 0, 0, first + step);
                ws_tile sum = ws_zeros(WS_F32, 64, 64), right = ws_zeros(WS_F32, 1, 64);
#pragma ws pipeline(3, 2)
                for (int r = 0; r < (int)step; r += 32) {
                    ws_tile left = ws_load(mine, first + r, i, 32, 64);
                    ws_tile scale = ws_load_col(tw, first + r, 32);
                    ws_tile b = ws_load(mine, first + r, j, 32, 64);
                    ws_tile scaled = ws_cast(ws_mul(ws_cast(b, WS_F32), scale), WS_F16);
                    sum = ws_dot(ws_trans(left), scaled, sum);
                    right = ws_add(
                        right, ws_col_sum(ws_mul(ws_cast(b, WS_F32), ws_mul(scale, ws_load_col(ty, first + r, 32)))));
                }
                ws_atomic_add(h, i, j, sum);
                if (i == 0)
                    ws_atomic_add(tg, 0, j, right);
            }
}
int main(int argc, char **argv)
{
    check_begin("normal_equations", argc, argv);
    long rows = check_size(1, 333), step = 104;
    int n = 100;
    ws_f16 *A = check_random(WS_F16, rows * n);
    float *w = check_range(WS_F32, rows, 0, 1), *y = check_random(WS_F32, rows);
    float *H = check_range(WS_F32, n * n, 0, 0), *g = check_range(WS_F32, n, 0, 0);
    for (long i = 0; i < rows * n; i++) /* blocks add in any order: all sums are exact */
        A[i] = ws_f16_from((float)(i * 7 % 9 - 4));
    for (long i = 0; i < rows; i++)
        w[i] = (float)(i % 5) / 4, y[i] = (float)(i % 7 - 3);
    normal(rows, n, step, check_place(A), check_place(w), check_place(y), check_place(H), check_place(g));
    check_fetch();
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++) {
            double sum = 0, size = 0;
            for (long r = 0; r < rows; r++) {
                double x = (double)ws_f16_to(A[r * n + i]) *
                           (j < n ? ws_f16_to(ws_f16_from(ws_f16_to(A[r * n + j]) * w[r])) : (double)w[r] * y[r]);
                sum += x, size += fabs(x);
            }
            if (j < n)
                check_close(H, i * n + j, sum, 1e-5 * size);
            else
                check_close(g, i, sum, 1e-5 * size);
        }
    return check_end();
}
