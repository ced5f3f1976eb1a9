/* SPDX-License-Identifier: MIT */
/*
 * simplicial - 2-simplicial attention, forward (Roy and others, 2025): a query looks at pairs of keys.
 *
 *   O_i = sum over j, n of softmax (scale sum over d of Q_id K_jd K2_nd) V_j V2_n     j and n at most so far behind i
 *
 * For one n this is attention over j: its queries are Q times the row K2_n, and what it sums is multiplied by the row
 * V2_n at its end. So the loop over j is that of attention, and what a pair costs beside its two products is done once
 * for all j. Heads of queries share keys: the heads of one position are the rows of a tile, which have one window, so
 * that no pair is computed in vain. With tasks the roles of FlashAttention-3 are written out.
 */
#include "check.h"

enum { D = 128, HEADS = 128, KEYS = 64 };
#define FIRST(at, window) ((at) < (window) ? 0 : (at) - (window) + 1)

/* Q and O are groups x L x HEADS x D, the others groups x L x D; `wide` and `narrow` are the windows of j and n. */
void simplicial_plain(int groups, int L, int wide, int narrow, float scale, const ws_bf16 *Q, const ws_bf16 *K,
                      const ws_bf16 *V, const ws_bf16 *K2, const ws_bf16 *V2, ws_bf16 *O)
{
    ws_tensor q = ws_tensor_4d(Q, WS_BF16, groups, L, HEADS, D), k = ws_tensor_3d(K, WS_BF16, groups, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_BF16, groups, L, D), k2 = ws_tensor_3d(K2, WS_BF16, groups, L, D);
    ws_tensor v2 = ws_tensor_3d(V2, WS_BF16, groups, L, D), o = ws_tensor_4d(O, WS_BF16, groups, L, HEADS, D);
    float power = scale * 1.44269504f; /* exp(scale x) is 2^(power x) */

    #pragma ws grid(2)
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < L; i++) {
            ws_tile out = ws_zeros(WS_F32, HEADS, D), sum = ws_zeros(WS_F32, HEADS, 1);
            ws_tile top = ws_full(WS_F32, HEADS, 1, -1e30);
            for (int n = FIRST(i, narrow); n <= i; n++) {
                ws_tile tq = ws_load_4d(q, g, i, 0, 0, HEADS, D), before = top;
                ws_tile pair = ws_mul(tq, ws_load_3d(k2, g, n, 0, 1, D));
                ws_tile acc = ws_zeros(WS_F32, HEADS, D);
                #pragma ws pipeline(2)
                for (int j = FIRST(i, wide); j <= i; j += KEYS) {
                    ws_tile tk = ws_load_3d(k, g, j, 0, KEYS, D), tv = ws_load_3d(v, g, j, 0, KEYS, D);
                    ws_tile s = ws_dot(pair, ws_trans(tk), ws_zeros(WS_F32, HEADS, KEYS));
                    s = ws_select(ws_le(ws_col_index(1, KEYS), i - j), s, -1e30);
                    ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                    ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now))), shrink = ws_exp2(ws_sub(top, now));
                    sum = ws_fma(sum, shrink, ws_row_sum(p));
                    acc = ws_dot(ws_cast(p, WS_BF16), tv, ws_mul(acc, shrink));
                    top = now;
                }
                ws_tile row = ws_cast(ws_load_3d(v2, g, n, 0, 1, D), WS_F32);
                out = ws_fma(acc, row, ws_mul(out, ws_exp2(ws_sub(before, top))));
            }
            ws_store_4d(o, g, i, 0, 0, ws_cast(ws_mul(out, ws_div(1, sum)), WS_BF16));
        }
}

void simplicial_tasks(int groups, int L, int wide, int narrow, float scale, const ws_bf16 *Q, const ws_bf16 *K,
                      const ws_bf16 *V, const ws_bf16 *K2, const ws_bf16 *V2, ws_bf16 *O)
{
    ws_tensor q = ws_tensor_4d(Q, WS_BF16, groups, L, HEADS, D), k = ws_tensor_3d(K, WS_BF16, groups, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_BF16, groups, L, D), k2 = ws_tensor_3d(K2, WS_BF16, groups, L, D);
    ws_tensor v2 = ws_tensor_3d(V2, WS_BF16, groups, L, D), o = ws_tensor_4d(O, WS_BF16, groups, L, HEADS, D);
    float power = scale * 1.44269504f; /* exp(scale x) is 2^(power x) */

    #pragma ws grid(2)
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < L; i++) {
            ws_tile out = ws_zeros(WS_F32, HEADS, D), sum = ws_zeros(WS_F32, HEADS, 1);
            ws_tile top = ws_full(WS_F32, HEADS, 1, -1e30);
            for (int n = FIRST(i, narrow); n <= i; n++) {
                ws_tile tq = ws_load_4d(q, g, i, 0, 0, HEADS, D), before = top;
                ws_tile pair = ws_mul(tq, ws_load_3d(k2, g, n, 0, 1, D));
                ws_tile acc = ws_zeros(WS_F32, HEADS, D);
                #pragma ws pipeline(2) schedule(coarse) pingpong ring(tk, 3) ring(tv, 3)
                for (int j = FIRST(i, wide); j <= i; j += KEYS) {
                    ws_tile tk = ws_load_3d(k, g, j, 0, KEYS, D), tv = ws_load_3d(v, g, j, 0, KEYS, D);
                    {
                        #pragma ws task(attend) groups(2)
                        ws_tile s = ws_dot(pair, ws_trans(tk), ws_zeros(WS_F32, HEADS, KEYS));
                        s = ws_select(ws_le(ws_col_index(1, KEYS), i - j), s, -1e30);
                        ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                        ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now))), shrink = ws_exp2(ws_sub(top, now));
                        sum = ws_fma(sum, shrink, ws_row_sum(p));
                        acc = ws_dot(ws_cast(p, WS_BF16), tv, ws_mul(acc, shrink));
                        top = now;
                    }
                }
                ws_tile row = ws_cast(ws_load_3d(v2, g, n, 0, 1, D), WS_F32);
                out = ws_fma(acc, row, ws_mul(out, ws_exp2(ws_sub(before, top))));
            }
            ws_store_4d(o, g, i, 0, 0, ws_cast(ws_mul(out, ws_div(1, sum)), WS_BF16));
        }
}

typedef struct {
    const ws_bf16 *q, *k, *v, *k2, *v2;
    int wide, narrow;
    float scale;
} operands;

/* One head's row of position i, whose query is the r-th row: in double, pair by pair. */
static void check_row(const operands *x, const ws_bf16 *O, int i, size_t r)
{
    double out[D] = {0}, most[D] = {0}, sum = 0;
    for (int n = FIRST(i, x->narrow); n <= i; n++) {
        double pair[D];
        for (size_t d = 0; d < D; d++)
            pair[d] = ws_bf16_to(ws_bf16_from(ws_bf16_to(x->q[r * D + d]) * ws_bf16_to(x->k2[(size_t)n * D + d])));
        for (int j = FIRST(i, x->wide); j <= i; j++) {
            double s = 0;
            for (size_t d = 0; d < D; d++)
                s += pair[d] * ws_bf16_to(x->k[(size_t)j * D + d]);
            double p = exp(s * x->scale);
            sum += p;
            for (size_t d = 0; d < D; d++) {
                double value = (double)ws_bf16_to(x->v[(size_t)j * D + d]) * ws_bf16_to(x->v2[(size_t)n * D + d]);
                out[d] += p * value;
                most[d] += p * fabs(value);
            }
        }
    }
    for (size_t d = 0; d < D; d++)
        check_close(O, r * D + d, out[d] / sum, 0x1p-7 * most[d] / sum + 0x1p-12);
}

static void check_group(operands x, const ws_bf16 *O, int L, size_t group)
{
    size_t rows = group * (size_t)L;
    x.k += rows * D, x.v += rows * D, x.k2 += rows * D, x.v2 += rows * D;
    for (int i = 0; i < L; i++)
        for (size_t h = 0; h < HEADS; h++)
            check_row(&x, O, i, (rows + (size_t)i) * HEADS + h);
}

int main(int argc, char **argv)
{
    check_begin("simplicial", argc, argv);
    int groups = check_size(1, 1), L = check_size(2, 70), wide = check_size(3, 67), narrow = check_size(4, 3);
    float scale = 1 / sqrtf(D);
    for (int tasks = 0; tasks < 2; tasks++) {
        size_t count = (size_t)groups * (size_t)L * D;
        ws_bf16 *Q = check_range(WS_BF16, count * HEADS, -2, 2), *K = check_range(WS_BF16, count, -2, 2);
        ws_bf16 *V = check_random(WS_BF16, count), *K2 = check_random(WS_BF16, count),
                *V2 = check_random(WS_BF16, count);
        ws_bf16 *O = check_output(WS_BF16, count * HEADS);
        (tasks ? simplicial_tasks : simplicial_plain)(groups, L, wide, narrow, scale, check_place(Q), check_place(K),
                                                      check_place(V), check_place(K2), check_place(V2), check_place(O));
        check_fetch();
        for (int g = 0; g < groups; g++)
            check_group((operands){Q, K, V, K2, V2, wide, narrow, scale}, O, L, (size_t)g);
        check_next();
    }
    return check_end();
}
