/* SPDX-License-Identifier: MIT */
/*
 * attention_decode - one new query for each sequence against a long past of keys and values, which is all about reading
 * them fast. The `SHARE` heads of queries that share a head of keys make up the rows of a tile, which has as many as a
 * product needs; those behind the last head read as 0 and are not stored.
 *
 * One sequence would keep one CTA busy, so its keys are split: the first kernel leaves, for each part, an output that
 * is not divided yet, and each row's maximum and sum; the second weighs the parts and adds them up.
 */
#include "check_attention.h"

enum { D = 128, SHARE = 16, ROWS = 64, KEYS = 128 };

static void attend_parts(int groups, int L, int parts, int length, float scale, const ws_f16 *Q, const ws_f16 *K,
                         const ws_f16 *V, float *O, float *top, float *sum)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, groups, SHARE, D), o = ws_tensor_4d(O, WS_F32, groups, parts, SHARE, D);
    ws_tensor k = ws_tensor_3d(K, WS_F16, groups, L, D), v = ws_tensor_3d(V, WS_F16, groups, L, D);
    ws_tensor tops = ws_tensor_2d(top, WS_F32, (long)groups * parts, SHARE);
    ws_tensor sums = ws_tensor_2d(sum, WS_F32, (long)groups * parts, SHARE);
    float power = scale * 1.44269504f;

    #pragma ws grid(2)
    for (int g = 0; g < groups; g++)
        for (int part = 0; part < parts; part++) {
            int first = part * length, last = first + length < L ? first + length : L;
            ws_tile tq = ws_load_3d(q, g, 0, 0, ROWS, D), acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile m = ws_full(WS_F32, ROWS, 1, -1e30), l = ws_zeros(WS_F32, ROWS, 1);

            #pragma ws pipeline(3)
            for (int j = first; j < last; j += KEYS) {
                ws_tile s = ws_dot(tq, ws_trans(ws_load_3d(k, g, j, 0, KEYS, D)), ws_zeros(WS_F32, ROWS, KEYS));
                s = ws_select(ws_lt(ws_col_index(1, KEYS), last - j), s, -1e30);
                ws_tile now = ws_max(m, ws_mul(ws_row_max(s), power));
                ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now))), shrink = ws_exp2(ws_sub(m, now));
                l = ws_fma(l, shrink, ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_F16), ws_load_3d(v, g, j, 0, KEYS, D), ws_mul(acc, shrink));
                m = now;
            }
            ws_store_4d(o, g, part, 0, 0, acc);
            ws_store_col_2d(tops, (long)g * parts + part, 0, m);
            ws_store_col_2d(sums, (long)g * parts + part, 0, l);
        }
}

static void add_parts(int groups, int parts, const float *O, const float *top, const float *sum, ws_f16 *result)
{
    ws_tensor o = ws_tensor_4d(O, WS_F32, groups, parts, SHARE, D), r = ws_tensor_3d(result, WS_F16, groups, SHARE, D);
    ws_tensor tops = ws_tensor_2d(top, WS_F32, (long)groups * parts, SHARE);
    ws_tensor sums = ws_tensor_2d(sum, WS_F32, (long)groups * parts, SHARE);

    #pragma ws grid(1)
    for (int g = 0; g < groups; g++) {
        ws_tile acc = ws_zeros(WS_F32, SHARE, D);
        ws_tile m = ws_full(WS_F32, SHARE, 1, -1e30), l = ws_zeros(WS_F32, SHARE, 1);

        for (int part = 0; part < parts; part++) {
            ws_tile mine = ws_load_col_2d(tops, (long)g * parts + part, 0, SHARE), now = ws_max(m, mine);
            ws_tile old = ws_exp2(ws_sub(m, now)), new = ws_exp2(ws_sub(mine, now));
            l = ws_fma(l, old, ws_mul(ws_load_col_2d(sums, (long)g * parts + part, 0, SHARE), new));
            acc = ws_fma(acc, old, ws_mul(ws_load_4d(o, g, part, 0, 0, SHARE, D), new));
            m = now;
        }
        ws_store_3d(r, g, 0, 0, ws_cast(ws_div(acc, l), WS_F16));
    }
}

int main(int argc, char **argv)
{
    check_begin("attention_decode", argc, argv);
    int groups = check_size(1, 2), L = check_size(2, 1000), parts = check_size(3, 3);
    int length = (L + parts - 1) / parts;
    float scale = 1 / sqrtf(D);
    size_t few = (size_t)groups * SHARE * D, many = (size_t)groups * L * D, rows = (size_t)groups * parts * SHARE;
    ws_f16 *Q = check_range(WS_F16, few, -2, 2), *K = check_range(WS_F16, many, -2, 2), *V = check_random(WS_F16, many);
    ws_f16 *result = check_output(WS_F16, few);
    float *O = check_output(WS_F32, rows * D), *top = check_output(WS_F32, rows), *sum = check_output(WS_F32, rows);

    attend_parts(groups, L, parts, length, scale, check_place(Q), check_place(K), check_place(V), check_place(O),
                 check_place(top), check_place(sum));
    add_parts(groups, parts, check_place(O), check_place(top), check_place(sum), check_place(result));
    check_fetch();
    double *p = malloc(sizeof *p * (size_t)L);
    for (long g = 0; g < groups; g++)
        for (long r = 0; r < SHARE; r++) {
            check_rows q = {Q, g * SHARE * D, D}, o = {result, g * SHARE * D, D};
            check_rows k = {K, g * L * D, D}, v = {V, g * L * D, D};
            check_probabilities(p, q, r, k, 0, L, D, scale, 0);
            check_attention_row(o, r, p, v, 0, L, D, 0x1p-11);
        }
    free(p);
    return check_end();
}
