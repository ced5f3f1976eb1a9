/* SPDX-License-Identifier: MIT */
/*
 * attention_varlen - causal attention over a packed batch: sequence n is rows starts[n] to starts[n + 1] of Q, K, V and
 * O, each row with all heads side by side.
 *
 * Bounds come from memory through ws_at. The grid is as large as the longest sequence needs; blocks behind the end of a
 * shorter one are left out by `continue`. ws_slice cuts one sequence out: what lies behind its end is neither read nor
 * written, so a block that reaches beyond it needs no care.
 */
#include "check_attention.h"

enum { D = 64, ROWS = 128, KEYS = 128 };

void attention_varlen(int count, int longest, int total, int heads, float scale, const int *starts, const ws_f16 *Q,
                      const ws_f16 *K, const ws_f16 *V, ws_f16 *O)
{
    const long extents[] = {heads, total, D}, strides[] = {D, (long)heads * D, 1};
    ws_tensor at = ws_tensor_1d(starts, WS_I32, count + 1);
    ws_tensor q = ws_tensor_strided(Q, WS_F16, 3, extents, strides),
              k = ws_tensor_strided(K, WS_F16, 3, extents, strides);
    ws_tensor v = ws_tensor_strided(V, WS_F16, 3, extents, strides),
              o = ws_tensor_strided(O, WS_F16, 3, extents, strides);
    float power = scale * 1.44269504f;

    #pragma ws grid(3)
    for (int n = 0; n < count; n++)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < longest; i += ROWS) {
                int begin = (int)ws_at(at, n), end = (int)ws_at(at, n + 1), length = end - begin;
                if (i >= length)
                    continue;
                ws_tile tq = ws_load_3d(ws_slice(q, 1, begin, end), h, i, 0, ROWS, D);
                ws_tile acc = ws_zeros(WS_F32, ROWS, D);
                ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);
                int last = i + ROWS < length ? i + ROWS : length;

                #pragma ws pipeline(2)
                for (int j = 0; j < last; j += KEYS) {
                    ws_tile tk = ws_load_3d(ws_slice(k, 1, begin, end), h, j, 0, KEYS, D);
                    ws_tile tv = ws_load_3d(ws_slice(v, 1, begin, end), h, j, 0, KEYS, D);
                    ws_tile row = ws_row_index(ROWS, 1), col = ws_col_index(1, KEYS);
                    ws_tile s = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, ROWS, KEYS));
                    s = ws_select(ws_le(col, ws_add(row, i - j)), s, -1e30);

                    ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                    ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now)));
                    ws_tile shrink = ws_exp2(ws_sub(top, now));
                    sum = ws_fma(sum, shrink, ws_row_sum(p));
                    acc = ws_dot(ws_cast(p, WS_F16), tv, ws_mul(acc, shrink));
                    top = now;
                }
                ws_tile done = ws_cast(ws_mul(acc, ws_div(1, sum)), WS_F16);
                ws_store_3d(ws_slice(o, 1, begin, end), h, i, 0, done);
            }
}

int main(int argc, char **argv)
{
    check_begin("attention_varlen", argc, argv);
    int heads = check_size(1, 2), unit = check_size(2, 10), count = 5, starts[6] = {0};
    const int lengths[] = {13 * unit, 0, unit / 2, 30 * unit, 7};
    float scale = 1 / sqrtf(D);
    for (int n = 0; n < count; n++)
        starts[n + 1] = starts[n] + lengths[n];
    int total = starts[count], longest = 30 * unit;

    size_t size = (size_t)total * heads * D;
    int *at = check_output(WS_I32, (size_t)count + 1);
    memcpy(at, starts, sizeof starts);
    ws_f16 *Q = check_range(WS_F16, size, -2, 2), *K = check_range(WS_F16, size, -2, 2);
    ws_f16 *V = check_random(WS_F16, size), *O = check_output(WS_F16, size);
    attention_varlen(count, longest, total, heads, scale, check_place(at), check_place(Q), check_place(K),
                     check_place(V), check_place(O));
    check_fetch();

    double *p = malloc(sizeof *p * (size_t)longest);
    for (int n = 0; n < count; n++)
        for (long h = 0; h < heads; h++) {
            long start = ((long)starts[n] * heads + h) * D, stride = (long)heads * D;
            check_rows q = {Q, start, stride}, k = {K, start, stride}, v = {V, start, stride}, o = {O, start, stride};
            for (long r = 0; r < lengths[n]; r++) {
                check_probabilities(p, q, r, k, 0, r + 1, D, scale, 0);
                check_attention_row(o, r, p, v, 0, r + 1, D, 0x1p-11);
            }
        }
    free(p);
    return check_end();
}
