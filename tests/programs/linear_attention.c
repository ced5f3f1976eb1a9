/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causal linear attention with decay, chunk by chunk: o[t] = q[t] S[t], S[t] = g S[t-1] + k[t] v[t]^T. Four products in
   an iteration; the carried accumulator is an operand, a loaded tile is rescaled and multiplied transposed. */
#include "test.h"

enum { T = 64, D = 64 };

static void linear_attention(int B, int L, float g, const ws_bf16 *Q, const ws_bf16 *K, const ws_bf16 *V,
                             const float *powers, float *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_BF16, B, L, D), k = ws_tensor_3d(K, WS_BF16, B, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_BF16, B, L, D), o = ws_tensor_3d(O, WS_F32, B, L, D);
    ws_tensor decay = ws_tensor_1d(powers, WS_F32, T + 1);

    #pragma ws grid(1)
    for (int b = 0; b < B; b++) {
        ws_tile state = ws_zeros(WS_F32, D, D), forward = ws_load_col(decay, 1, T);
        ws_tile lag = ws_sub(ws_row_index(T, T), ws_col_index(T, T));
        ws_tile weight = ws_exp2(ws_mul(ws_cast(lag, WS_F32), log2f(g)));
        ws_tile back = ws_exp2(ws_mul(ws_sub(T - 1.0f, ws_cast(ws_row_index(T, 1), WS_F32)), log2f(g)));
        #pragma ws pipeline(2)
        for (int t = 0; t < L; t += T) {
            ws_tile tq = ws_load_3d(q, b, t, 0, T, D), tk = ws_load_3d(k, b, t, 0, T, D);
            ws_tile tv = ws_load_3d(v, b, t, 0, T, D);
            ws_tile a = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, T, T));
            a = ws_select(ws_ge(lag, 0), ws_mul(a, weight), 0.0);
            ws_tile out = ws_mul(ws_dot(tq, ws_cast(state, WS_BF16), ws_zeros(WS_F32, T, D)), forward);
            out = ws_dot(ws_cast(a, WS_BF16), tv, out);
            ws_tile late = ws_cast(ws_mul(ws_cast(tk, WS_F32), back), WS_BF16);
            state = ws_dot(ws_trans(late), tv, ws_mul(state, ws_at_float(decay, T)));
            ws_store_3d(o, b, t, 0, out);
        }
    }
}

int main(int argc, char **argv)
{
    check_begin("linear_attention", argc, argv);
    int B = 2, L = 200;
    float g = 0.97f;
    size_t count = (size_t)B * L * D;
    ws_bf16 *Q = check_random(WS_BF16, count), *K = check_random(WS_BF16, count), *V = check_random(WS_BF16, count);
    float *powers = check_output(WS_F32, T + 1), *O = check_output(WS_F32, count);
    for (int t = 0; t <= T; t++)
        powers[t] = powf(g, (float)t);

    linear_attention(B, L, g, check_place(Q), check_place(K), check_place(V), check_place(powers), check_place(O));
    check_fetch();
    static double state[D][D];
    for (int b = 0; b < B; b++)
        for (int t = 0; t < L; t++) {
            size_t at = ((size_t)b * L + t) * D;
            for (int j = 0; j < D; j++) {
                double sum = 0, size = 0;
                for (int i = 0; i < D; i++) {
                    state[i][j] = (t ? g * state[i][j] : 0) + check_at(K, at + i) * check_at(V, at + j);
                    sum += check_at(Q, at + i) * state[i][j];
                    size += fabs(check_at(Q, at + i) * state[i][j]);
                }
                /* The state, the weights and the rescaled keys are rounded to bf16. */
                check_close(O, at + j, sum, size / 64 + 0.05);
            }
        }
    return check_end();
}
