/* SPDX-License-Identifier: MIT */
/*
 * simplicial - 2-simplicial attention, forward (Roy and others, 2025): a query looks at pairs of keys.
 *
 *   O_i = sum over j, k of softmax (scale sum over d of Q_id K_jd K2_kd) V_j V2_k    j and k at most so far behind i
 *
 * For one j this is attention over k whose keys are K2 times the row K_j and whose values are V2 times the row V_j. So
 * the loop over j has two products, whose right operands are computed from what is loaded. With tasks two roles prepare
 * them while the groups multiply.
 */
#include "check.h"

enum { D = 64, ROWS = 128, KEYS = 64 };
#define FIRST(at, window) ((at) < (window) ? 0 : (at) - (window) + 1)

/* Each operand is heads x L x D; `wide` and `narrow` are the windows of j and k. */
void simplicial_plain(int heads, int L, int wide, int narrow, float scale, const ws_f16 *Q, const ws_f16 *K,
                      const ws_f16 *V, const ws_f16 *K2, const ws_f16 *V2, ws_f16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, D), k = ws_tensor_3d(K, WS_F16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, D), k2 = ws_tensor_3d(K2, WS_F16, heads, L, D);
    ws_tensor v2 = ws_tensor_3d(V2, WS_F16, heads, L, D), o = ws_tensor_3d(O, WS_F16, heads, L, D);
    float power = scale * 1.44269504f;

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += ROWS) {
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D), acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);
            for (int m = FIRST(i, narrow) / KEYS * KEYS; m < i + ROWS; m += KEYS) {
                ws_tile row = ws_add(ws_row_index(ROWS, 1), i), col = ws_add(ws_col_index(1, KEYS), m);
                ws_tile seen = ws_and(ws_le(col, row), ws_gt(ws_add(col, narrow), row));
                ws_tile keys2 = ws_load_3d(k2, h, m, 0, KEYS, D), values2 = ws_load_3d(v2, h, m, 0, KEYS, D);
                #pragma ws pipeline(4) schedule(coarse)
                for (int j = FIRST(i, wide); j < i + ROWS; j++) {
                    ws_tile b = ws_mul(keys2, ws_load_3d(k, h, j, 0, 1, D));
                    ws_tile c = ws_mul(values2, ws_load_3d(v, h, j, 0, 1, D));
                    ws_tile s = ws_dot(tq, ws_trans(b), ws_zeros(WS_F32, ROWS, KEYS));
                    ws_tile near = ws_and(ws_ge(row, j), ws_lt(row, j + wide));
                    s = ws_select(ws_and(seen, near), s, -1e30);
                    ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                    ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now))), shrink = ws_exp2(ws_sub(top, now));
                    p = ws_select(ws_and(seen, near), p, 0);
                    sum = ws_fma(sum, shrink, ws_row_sum(p));
                    acc = ws_dot(ws_cast(p, WS_F16), c, ws_mul(acc, shrink));
                    top = now;
                }
            }
            ws_store_3d(o, h, i, 0, ws_cast(ws_mul(acc, ws_div(1, sum)), WS_F16));
        }
}

void simplicial_tasks(int heads, int L, int wide, int narrow, float scale, const ws_f16 *Q, const ws_f16 *K,
                      const ws_f16 *V, const ws_f16 *K2, const ws_f16 *V2, ws_f16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, D), k = ws_tensor_3d(K, WS_F16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, D), k2 = ws_tensor_3d(K2, WS_F16, heads, L, D);
    ws_tensor v2 = ws_tensor_3d(V2, WS_F16, heads, L, D), o = ws_tensor_3d(O, WS_F16, heads, L, D);
    float power = scale * 1.44269504f;

    #pragma ws grid(2) consumers(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += ROWS) {
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D), acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);
            for (int m = FIRST(i, narrow) / KEYS * KEYS; m < i + ROWS; m += KEYS) {
                ws_tile row = ws_add(ws_row_index(ROWS, 1), i), col = ws_add(ws_col_index(1, KEYS), m);
                ws_tile seen = ws_and(ws_le(col, row), ws_gt(ws_add(col, narrow), row));
                ws_tile keys2 = ws_load_3d(k2, h, m, 0, KEYS, D), values2 = ws_load_3d(v2, h, m, 0, KEYS, D);
                #pragma ws pipeline(4) schedule(coarse)
                for (int j = FIRST(i, wide); j < i + ROWS; j++) {
                    ws_tile b, c, tk = ws_load_3d(k, h, j, 0, 1, D), tv = ws_load_3d(v, h, j, 0, 1, D);
                    {
                        #pragma ws task(pair) registers(96) ring(b, 3) ring(c, 3)
                        b = ws_mul(keys2, tk);
                        c = ws_mul(values2, tv);
                    }
                    ws_tile s = ws_dot(tq, ws_trans(b), ws_zeros(WS_F32, ROWS, KEYS));
                    ws_tile near = ws_and(ws_ge(row, j), ws_lt(row, j + wide));
                    s = ws_select(ws_and(seen, near), s, -1e30);
                    ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                    ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now))), shrink = ws_exp2(ws_sub(top, now));
                    p = ws_select(ws_and(seen, near), p, 0);
                    sum = ws_fma(sum, shrink, ws_row_sum(p));
                    acc = ws_dot(ws_cast(p, WS_F16), c, ws_mul(acc, shrink));
                    top = now;
                }
            }
            ws_store_3d(o, h, i, 0, ws_cast(ws_mul(acc, ws_div(1, sum)), WS_F16));
        }
}

typedef struct {
    const ws_f16 *q, *k, *v, *k2, *v2;
    int L, wide, narrow;
    float scale;
} operands;

/* Row i of one head, which begins at `start`: in double, pair by pair. */
static void check_row(const operands *x, const ws_f16 *O, size_t start, int i)
{
    double out[D] = {0}, most[D] = {0}, sum = 0;
    for (int j = FIRST(i, x->wide); j <= i; j++)
        for (int k = FIRST(i, x->narrow); k <= i; k++) {
            size_t at = start + (size_t)j * D, at2 = start + (size_t)k * D;
            double s = 0;
            for (int d = 0; d < D; d++)
                s += check_at(x->q, start + (size_t)(i * D + d)) *
                     (double)ws_f16_to(ws_f16_from(ws_f16_to(x->k[at + d]) * ws_f16_to(x->k2[at2 + d])));
            double p = exp(s * x->scale);
            sum += p;
            for (int d = 0; d < D; d++) {
                double value = (double)ws_f16_to(x->v[at + d]) * ws_f16_to(x->v2[at2 + d]);
                out[d] += p * value;
                most[d] += p * fabs(value);
            }
        }
    for (int d = 0; d < D; d++)
        check_close(O, start + (size_t)(i * D + d), out[d] / sum, 0x1p-9 * most[d] / sum + 0x1p-12);
}

int main(int argc, char **argv)
{
    check_begin("simplicial", argc, argv);
    int heads = check_size(1, 1), L = check_size(2, 150), wide = check_size(3, 24), narrow = check_size(4, 40);
    float scale = 1 / sqrtf(D);
    for (int tasks = 0; tasks < 2; tasks++) {
        size_t count = (size_t)heads * L * D;
        ws_f16 *Q = check_range(WS_F16, count, -2, 2), *K = check_range(WS_F16, count, -2, 2);
        ws_f16 *V = check_random(WS_F16, count), *K2 = check_random(WS_F16, count), *V2 = check_random(WS_F16, count);
        ws_f16 *O = check_output(WS_F16, count);
        (tasks ? simplicial_tasks : simplicial_plain)(heads, L, wide, narrow, scale, check_place(Q), check_place(K),
                                                      check_place(V), check_place(K2), check_place(V2), check_place(O));
        check_fetch();
        operands x = {Q, K, V, K2, V2, L, wide, narrow, scale};
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < L; i++)
                check_row(&x, O, (size_t)h * (size_t)L * D, i);
        check_next();
    }
    return check_end();
}
