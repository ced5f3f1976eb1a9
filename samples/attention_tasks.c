/* SPDX-License-Identifier: MIT */
/*
 * attention_tasks - the roles of FlashAttention-3 (Shah and others, 2024) written out: a producer, groups that compute
 * in turn, and an epilogue.
 *
 * The loop is that of attention.c. `attend` is two groups, each of which has its rows of a tile and takes turns with
 * the other: one has the tensor cores while the other computes exponentials. Keys and values have a ring each, so that
 * a group may be done with the one before the other. `out` is a role that stores: the groups hand it their rows and go
 * on with the next tile.
 */
#include "check_attention.h"

enum { D = 64, ROWS = 128, KEYS = 128 };

/* Each operand is heads x L x D. */
void attention_plain(int heads, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, D), k = ws_tensor_3d(K, WS_F16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, D), o = ws_tensor_3d(O, WS_F16, heads, L, D);
    float power = scale * 1.44269504f; /* exp(scale x) is 2^(power x) */

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += ROWS) {
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D), acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);
            #pragma ws pipeline(2)
            for (int j = 0; j < L; j += KEYS) {
                ws_tile tk = ws_load_3d(k, h, j, 0, KEYS, D), tv = ws_load_3d(v, h, j, 0, KEYS, D);
                ws_tile s = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, ROWS, KEYS));
                s = ws_select(ws_lt(ws_col_index(1, KEYS), L - j), s, -1e30);
                ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now))), shrink = ws_exp2(ws_sub(top, now));
                sum = ws_fma(sum, shrink, ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_F16), tv, ws_mul(acc, shrink));
                top = now;
            }
            ws_store_3d(o, h, i, 0, ws_cast(ws_mul(acc, ws_div(1, sum)), WS_F16));
        }
}

void attention_tasks(int heads, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, D), k = ws_tensor_3d(K, WS_F16, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, D), o = ws_tensor_3d(O, WS_F16, heads, L, D);
    float power = scale * 1.44269504f;

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += ROWS) {
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D), acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);
            #pragma ws pipeline(2) schedule(coarse) pingpong ring(tk, 3) ring(tv, 2)
            for (int j = 0; j < L; j += KEYS) {
                ws_tile tk = ws_load_3d(k, h, j, 0, KEYS, D), tv = ws_load_3d(v, h, j, 0, KEYS, D);
                {
                    #pragma ws task(attend) groups(2)
                    ws_tile s = ws_dot(tq, ws_trans(tk), ws_zeros(WS_F32, ROWS, KEYS));
                    s = ws_select(ws_lt(ws_col_index(1, KEYS), L - j), s, -1e30);
                    ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                    ws_tile p = ws_exp2(ws_fma(s, power, ws_neg(now))), shrink = ws_exp2(ws_sub(top, now));
                    sum = ws_fma(sum, shrink, ws_row_sum(p));
                    acc = ws_dot(ws_cast(p, WS_F16), tv, ws_mul(acc, shrink));
                    top = now;
                }
            }
            ws_tile rows = ws_cast(ws_mul(acc, ws_div(1, sum)), WS_F16);
            {
                #pragma ws task(out) registers(88) ring(rows, 1)
                ws_store_3d(o, h, i, 0, rows);
            }
        }
}

static void check_heads(int heads, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V,
                        const ws_f16 *O)
{
    double *p = malloc(sizeof *p * (size_t)L);
    for (long h = 0; h < heads; h++)
        for (long r = 0; r < L; r++) {
            long start = h * L * D;
            check_rows q = {Q, start, D}, k = {K, start, D}, v = {V, start, D}, o = {O, start, D};
            check_probabilities(p, q, r, k, 0, L, D, scale, 0);
            check_attention_row(o, r, p, v, 0, L, D, 0x1p-11);
        }
    free(p);
}

int main(int argc, char **argv)
{
    check_begin("attention_tasks", argc, argv);
    int heads = check_size(1, 2), L = check_size(2, 200);
    float scale = 1 / sqrtf(D);
    for (int tasks = 0; tasks < 2; tasks++) {
        size_t count = (size_t)heads * L * D;
        ws_f16 *Q = check_range(WS_F16, count, -2, 2), *K = check_range(WS_F16, count, -2, 2);
        ws_f16 *V = check_random(WS_F16, count), *O = check_output(WS_F16, count);
        (tasks ? attention_tasks : attention_plain)(heads, L, scale, check_place(Q), check_place(K), check_place(V),
                                                    check_place(O));
        check_fetch();
        check_heads(heads, L, scale, Q, K, V, O);
        check_next();
    }
    return check_end();
}
