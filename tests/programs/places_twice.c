/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention with a capped score and a slope for the distance (ALiBi): rows and columns are asked for twice, and would
   not fit registers beside the accumulator if they were kept. */
#include "test.h"

enum { T = 128, D = 128 };

static void attention(int H, int L, float cap, const ws_bf16 *Q, const ws_bf16 *K, const ws_bf16 *V, ws_bf16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_BF16, H, L, D), k = ws_tensor_3d(K, WS_BF16, H, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_BF16, H, L, D), o = ws_tensor_3d(O, WS_BF16, H, L, D);

#pragma ws grid(2)
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i += T) {
            float slope = exp2f(-8.0f * (float)(h + 1) / (float)H);
            ws_tile query = ws_load_3d(q, h, i, 0, T, D), acc = ws_zeros(WS_F32, T, D);
            ws_tile most = ws_full(WS_F32, T, 1, -1e30), sum = ws_zeros(WS_F32, T, 1);
#pragma ws pipeline(auto)
            for (int j = 0; j <= i; j += T) {
                ws_tile s = ws_dot(query, ws_trans(ws_load_3d(k, h, j, 0, T, D)), ws_zeros(WS_F32, T, T));
                s = ws_mul(ws_tanh(ws_mul(s, 0.125f / cap)), cap);
                ws_tile row = ws_add(ws_row_index(T, T), i), col = ws_add(ws_col_index(T, T), j);
                s = ws_add(s, ws_mul(ws_cast(ws_sub(col, row), WS_F32), slope));
                s = ws_select(ws_le(col, row), s, -1e30);
                ws_tile larger = ws_max(most, ws_row_max(s)), p = ws_exp(ws_sub(s, larger));
                ws_tile scale = ws_exp(ws_sub(most, larger));
                sum = ws_add(ws_mul(sum, scale), ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_BF16), ws_load_3d(v, h, j, 0, T, D), ws_mul(acc, scale));
                most = larger;
            }
            ws_store_3d(o, h, i, 0, ws_cast(ws_div(acc, sum), WS_BF16));
        }
}

int main(int argc, char **argv)
{
    check_begin("places_twice", argc, argv);
    int H = 2, L = 200;
    float cap = 3;
    size_t count = (size_t)H * L * D;
    ws_bf16 *Q = check_random(WS_BF16, count), *K = check_random(WS_BF16, count), *V = check_random(WS_BF16, count);
    ws_bf16 *O = check_output(WS_BF16, count);
    attention(H, L, cap, check_place(Q), check_place(K), check_place(V), check_place(O));
    check_fetch();
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i++) {
            static double p[256], out[D];
            double sum = 0, size = 0;
            memset(out, 0, sizeof out);
            for (int j = 0; j <= i; j++) {
                double s = 0;
                for (int d = 0; d < D; d++)
                    s += check_at(Q, ((size_t)h * L + i) * D + d) * check_at(K, ((size_t)h * L + j) * D + d);
                p[j] = exp(cap * tanh(s * 0.125 / cap) + (j - i) * exp2(-8.0 * (h + 1) / H));
                sum += p[j];
                for (int d = 0; d < D; d++)
                    out[d] += p[j] * check_at(V, ((size_t)h * L + j) * D + d);
                size += p[j];
            }
            for (int d = 0; d < D; d++) /* probabilities and results are rounded to bf16 */
                check_close(O, ((size_t)h * L + i) * D + d, out[d] / sum, size / sum / 64);
        }
    return check_end();
}
