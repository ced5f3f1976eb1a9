/* SPDX-License-Identifier: MIT */
/*
 * attention_gqa - grouped heads: several heads of queries share one head of keys and values, and there may be more keys
 * than queries. The queries are the last of the positions: with `causal`, query r sees the keys up to r + keys -
 * queries.
 *
 * Which keys a block of queries reads is scalar arithmetic, which every role does for itself. bf16.
 */
#include "check_attention.h"

enum { D = 128, ROWS = 128, KEYS = 128 };

void attention_gqa(int heads, int share, int queries, int keys, int causal, float scale, const ws_bf16 *Q,
                   const ws_bf16 *K, const ws_bf16 *V, ws_bf16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_BF16, heads, queries, D), o = ws_tensor_3d(O, WS_BF16, heads, queries, D);
    ws_tensor k = ws_tensor_3d(K, WS_BF16, heads / share, keys, D),
              v = ws_tensor_3d(V, WS_BF16, heads / share, keys, D);
    float power = scale * 1.44269504f;
    int offset = keys - queries;

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = (queries - 1) / ROWS * ROWS; i >= 0; i -= ROWS) {
            int seen = causal ? i + offset : keys, last = seen + ROWS < keys ? seen + ROWS : keys;
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D);
            ws_tile acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);

            #pragma ws pipeline(2)
            for (int j = 0; j < last; j += KEYS) {
                ws_tile tk = ws_load_3d(k, h / share, j, 0, KEYS, D), tv = ws_load_3d(v, h / share, j, 0, KEYS, D);
                ws_tile row = ws_row_index(ROWS, 1), col = ws_col_index(1, KEYS);
                ws_tile s = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, ROWS, KEYS));
                s = ws_select(ws_and(ws_lt(col, keys - j), ws_le(col, ws_add(row, seen - j))), s, -1e30);

                ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now)));
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
    check_begin("attention_gqa", argc, argv);
    int heads = check_size(1, 4), share = check_size(2, 2), queries = check_size(3, 70), keys = check_size(4, 200);
    float scale = 1 / sqrtf(D);
    double *p = malloc(sizeof *p * (size_t)keys);

    for (int causal = 0; causal < 2; causal++) {
        size_t few = (size_t)heads * queries * D, many = (size_t)heads / share * keys * D;
        ws_bf16 *Q = check_range(WS_BF16, few, -2, 2), *O = check_output(WS_BF16, few);
        ws_bf16 *K = check_range(WS_BF16, many, -2, 2), *V = check_random(WS_BF16, many);
        attention_gqa(heads, share, queries, keys, causal, scale, check_place(Q), check_place(K), check_place(V),
                      check_place(O));
        check_fetch();
        for (long h = 0; h < heads; h++)
            for (long r = 0; r < queries; r++) {
                check_rows q = {Q, h * queries * D, D}, o = {O, h * queries * D, D};
                check_rows k = {K, h / share * keys * D, D}, v = {V, h / share * keys * D, D};
                long last = causal ? r + keys - queries + 1 : keys;
                check_probabilities(p, q, r, k, 0, last, D, scale, 0);
                check_attention_row(o, r, p, v, 0, last, D, 0x1p-8);
            }
        check_next();
    }
    free(p);
    return check_end();
}
