/* SPDX-License-Identifier: MIT */
/*
 * attention - O = softmax(scale Q K^T) V for each head; with `causal`, a query sees no key behind its own position.
 *
 * Two products in an iteration, and between them the softmax of one block of scores, carried on by a running maximum
 * and sum. The loop is written as one would say it; the compiler starts the next block's scores and this block's second
 * product before it computes the exponentials, so that these run while the tensor cores work. Three groups of 64 rows
 * keep these busier than two: while one group's products run, two compute. Their blocks have fewer keys, since the
 * registers are shared by three, and short rows of queries fill their tiles less well.
 *
 * The masks cost nothing away from the diagonal and the end: where a comparison of index tiles holds for a whole block,
 * the compiler leaves the select out. With `causal` the last rows have most to do, so the order of the grid is:
 * sections of heads, so many that their keys and values stay in the L2 cache; in a section, rows from the last to the
 * first. A block that is not full is the first one, which sees the fewest keys: what lies before row 0 is neither
 * loaded nor stored.
 */
#include "check_attention.h"

#ifndef HEAD
#define HEAD 128
#endif
#ifdef BF16
#define TYPE WS_BF16
typedef ws_bf16 number;
#else
#define TYPE WS_F16
typedef ws_f16 number;
#endif
#ifndef LONG
#define LONG 4096
#endif
enum { D = HEAD, SECTION = 1 << 23 };
enum { ROWS = D <= 64 ? 192 : 128, KEYS = D <= 128 ? 128 : D <= 192 ? 96 : 64 };
enum { TALL = 64 < D && D <= 128, TALL_ROWS = 192, TALL_KEYS = D <= 96 ? 112 : 80 };

static inline void attention_blocks(ws_tensor q, ws_tensor k, ws_tensor v, ws_tensor o, int heads, int L, int causal,
                                    float scale, int rows, int keys)
{
    float power = scale * 1.44269504f; /* exp(scale x) is 2^(power x) */
    int section = 1;
    if (causal && L < SECTION / D)
        section = SECTION / D / L;

    #pragma ws grid(3)
    for (int first = 0; first < heads; first += section)
        for (int i = L - rows; i > -rows; i -= rows)
            for (int m = 0; m < section; m++) {
                int h = first + m, last = causal ? i + rows : L;
                if (h >= heads)
                    continue;
                ws_tile tq = ws_load_3d(q, h, i, 0, rows, D);
                ws_tile acc = ws_zeros(WS_F32, rows, D);
                ws_tile top = ws_full(WS_F32, rows, 1, -1e30), sum = ws_zeros(WS_F32, rows, 1);

                #pragma ws pipeline(2)
                for (int j = 0; j < last; j += keys) {
                    ws_tile s = ws_dot(tq, ws_trans(ws_load_3d(k, h, j, 0, keys, D)), ws_zeros(WS_F32, rows, keys));
                    ws_tile row = ws_row_index(rows, 1), col = ws_col_index(1, keys);
                    ws_tile seen = ws_and(ws_lt(col, L - j), ws_le(col, ws_add(row, causal ? i - j : L)));
                    s = ws_select(seen, s, -1e30);

                    ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                    ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now)));
                    ws_tile shrink = ws_exp2(ws_sub(top, now));
                    sum = ws_fma(sum, shrink, ws_row_sum(p));
                    acc = ws_dot(ws_cast(p, TYPE), ws_load_3d(v, h, j, 0, keys, D), ws_mul(acc, shrink));
                    top = now;
                }
                ws_store_3d(o, h, i, 0, ws_cast(ws_mul(acc, ws_div(1, sum)), TYPE));
            }
}

void attention(int heads, int L, int causal, float scale, const number *Q, const number *K, const number *V, number *O)
{
    ws_tensor q = ws_tensor_3d(Q, TYPE, heads, L, D), k = ws_tensor_3d(K, TYPE, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, TYPE, heads, L, D), o = ws_tensor_3d(O, TYPE, heads, L, D);

    if (TALL && L >= LONG)
        attention_blocks(q, k, v, o, heads, L, causal, scale, TALL_ROWS, TALL_KEYS);
    else
        attention_blocks(q, k, v, o, heads, L, causal, scale, ROWS, KEYS);
}

static void check_heads(int heads, int L, int causal, float scale, const number *Q, const number *K, const number *V,
                        const number *O)
{
    double *p = malloc(sizeof *p * (size_t)L);
    for (long h = 0; h < heads; h++) {
        long start = h * L * D;
        check_rows q = {Q, start, D}, k = {K, start, D}, v = {V, start, D}, o = {O, start, D};
        for (long r = 0; r < L; r++) {
            long last = causal ? r + 1 : L;
            check_probabilities(p, q, r, k, 0, last, D, scale, 0);
            check_attention_row(o, r, p, v, 0, last, D, TYPE == WS_F16 ? 0x1p-11 : 0x1p-8);
        }
    }
    free(p);
}

int main(int argc, char **argv)
{
    check_begin("attention", argc, argv);
    int heads = check_size(1, 2), L = check_size(2, 200);
    float scale = 1 / sqrtf(D);

    for (int causal = 0; causal < 2; causal++) {
        size_t count = (size_t)heads * L * D;
        number *Q = check_range(TYPE, count, -2, 2), *K = check_range(TYPE, count, -2, 2);
        number *V = check_random(TYPE, count), *O = check_output(TYPE, count);
        attention(heads, L, causal, scale, check_place(Q), check_place(K), check_place(V), check_place(O));
        check_fetch();
        check_heads(heads, L, causal, scale, Q, K, V, O);
        check_next();
    }
    return check_end();
}
