/* SPDX-License-Identifier: MIT */
/*
 * attention_window - causal attention in which a query sees only the `window` newest keys, and scores are bounded
 * softly: cap tanh (x / cap).
 *
 * The loop over keys begins where the window of the block's first query does. Only its first blocks and its last are
 * masked.
 */
#include "check_attention.h"

enum { D = 128, ROWS = 128, KEYS = 128 };

void attention_window(int heads, int L, int window, float scale, float cap, const ws_bf16 *Q, const ws_bf16 *K,
                      const ws_bf16 *V, ws_bf16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_BF16, heads, L, D), k = ws_tensor_3d(K, WS_BF16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_BF16, heads, L, D), o = ws_tensor_3d(O, WS_BF16, heads, L, D);
    float power = cap * 1.44269504f, inner = scale / cap;

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += ROWS) {
            int oldest = i - window + 1, first = oldest > 0 ? oldest / KEYS * KEYS : 0;
            int last = i + ROWS < L ? i + ROWS : L;
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D);
            ws_tile acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);

            #pragma ws pipeline(2)
            for (int j = first; j < last; j += KEYS) {
                ws_tile tk = ws_load_3d(k, h, j, 0, KEYS, D), tv = ws_load_3d(v, h, j, 0, KEYS, D);
                ws_tile row = ws_row_index(ROWS, 1), col = ws_col_index(1, KEYS);
                ws_tile s = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, ROWS, KEYS));
                ws_tile x = ws_mul(ws_tanh(ws_mul(s, inner)), power);
                ws_tile behind = ws_le(col, ws_add(row, i - j)), within = ws_ge(col, ws_add(row, oldest - j));
                x = ws_select(ws_and(behind, within), x, -1e30);

                ws_tile now = ws_max(top, ws_row_max(x));
                ws_tile p = ws_exp2(ws_sub(x, now));
                ws_tile shrink = ws_exp2(ws_sub(top, now));
                sum = ws_fma(sum, shrink, ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_BF16), tv, ws_mul(acc, shrink));
                top = now;
            }
            ws_store_3d(o, h, i, 0, ws_cast(ws_mul(acc, ws_div(1, sum)), WS_BF16));
        }
}

int main(int argc, char **argv)
{
    check_begin("attention_window", argc, argv);
    int heads = check_size(1, 2), L = check_size(2, 400), window = check_size(3, 150);
    float scale = 1 / sqrtf(D), cap = 5;
    size_t count = (size_t)heads * L * D;
    ws_bf16 *Q = check_range(WS_BF16, count, -4, 4), *K = check_range(WS_BF16, count, -4, 4);
    ws_bf16 *V = check_random(WS_BF16, count), *O = check_output(WS_BF16, count);

    attention_window(heads, L, window, scale, cap, check_place(Q), check_place(K), check_place(V), check_place(O));
    check_fetch();
    double *p = malloc(sizeof *p * (size_t)L);
    for (long h = 0; h < heads; h++) {
        long start = h * L * D;
        check_rows q = {Q, start, D}, k = {K, start, D}, v = {V, start, D}, o = {O, start, D};
        for (long r = 0; r < L; r++) {
            long first = r >= window ? r - window + 1 : 0;
            check_probabilities(p, q, r, k, first, r + 1, D, scale, cap);
            check_attention_row(o, r, p, v, first, r + 1, D, 0x1p-8);
        }
    }
    free(p);
    return check_end();
}
