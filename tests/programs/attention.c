/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two products in a loop with a softmax between; the second takes its left operand from registers. Plain and causal. */
#include "test.h"

enum { ROWS = 64, KEYS = 64, D = 64 };

/* One block of keys: scores s are folded into the running maximum m, sum l and output o. */
#define STEP(s)                                                                         \
    ws_tile now = ws_max(m, ws_row_max(s));                                             \
    ws_tile p = ws_exp2(ws_sub(s, now)), shrink = ws_exp2(ws_sub(m, now));              \
    l = ws_add(ws_mul(l, shrink), ws_row_sum(p));                                       \
    o = ws_dot(ws_cast(p, WS_F16), ws_load_3d(v, h, j, 0, KEYS, D), ws_mul(o, shrink)); \
    m = now

static void attention(int H, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, H, L, D), k = ws_tensor_3d(K, WS_F16, H, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, H, L, D), out = ws_tensor_3d(O, WS_F32, H, L, D);

    #pragma ws grid(2)
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i += ROWS) {
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D), o = ws_zeros(WS_F32, ROWS, D);
            ws_tile m = ws_full(WS_F32, ROWS, 1, -1e30), l = ws_zeros(WS_F32, ROWS, 1);

            #pragma ws pipeline(2)
            for (int j = 0; j < L; j += KEYS) {
                ws_tile s = ws_dot(tq, ws_trans(ws_load_3d(k, h, j, 0, KEYS, D)), ws_zeros(WS_F32, ROWS, KEYS));
                s = ws_select(ws_lt(ws_col_index(1, KEYS), L - j), ws_mul(s, scale), -1e30);
                STEP(s);
            }
            ws_store_3d(out, h, i, 0, ws_div(o, l));
        }
}

static void causal(int H, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, H, L, D), k = ws_tensor_3d(K, WS_F16, H, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_F16, H, L, D), out = ws_tensor_3d(O, WS_F32, H, L, D);

    #pragma ws grid(2)
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i += ROWS) {
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D), o = ws_zeros(WS_F32, ROWS, D);
            ws_tile m = ws_full(WS_F32, ROWS, 1, -1e30), l = ws_zeros(WS_F32, ROWS, 1);

            #pragma ws pipeline(2, 1)
            for (int j = 0; j < i + ROWS; j += KEYS) {
                ws_tile s = ws_dot(tq, ws_trans(ws_load_3d(k, h, j, 0, KEYS, D)), ws_zeros(WS_F32, ROWS, KEYS));
                ws_tile row = ws_add(ws_row_index(ROWS, KEYS), i), col = ws_add(ws_col_index(ROWS, KEYS), j);
                s = ws_select(ws_ge(row, col), ws_mul(s, scale), -1e30);
                STEP(s);
            }
            ws_store_3d(out, h, i, 0, ws_div(o, l));
        }
}

static void reference(int is_causal, int H, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V,
                      float *O)
{
    for (long r = 0; r < (long)H * L; r++) {
        double p[256], sum = 0, magnitude;
        long start = r / L * L, last = is_causal ? r % L + 1 : L;
        for (long j = 0; j < last; j++)
            sum += p[j] = exp2(scale * test_dot(rows_of(Q, D), columns_of(K, D), r, start + j, 0, D, &magnitude));
        for (long c = 0; c < D; c++) {
            double o = 0;
            for (long j = 0; j < last; j++)
                o += p[j] / sum * ws_f16_to(V[(start + j) * D + c]);
            check_close(O, r * D + c, o, 0x1p-10);
        }
    }
}

int main(int argc, char **argv)
{
    check_begin("attention", argc, argv);
    int H = 2, L = 150;
    float scale = 0.125f * 1.44269504f;
    ws_f16 *Q = check_random(WS_F16, (size_t)H * L * D), *K = check_random(WS_F16, (size_t)H * L * D);
    ws_f16 *V = check_random(WS_F16, (size_t)H * L * D);
    float *O = check_output(WS_F32, (size_t)H * L * D), *C = check_output(WS_F32, (size_t)H * L * D);

    attention(H, L, scale, check_place(Q), check_place(K), check_place(V), check_place(O));
    causal(H, L, scale, check_place(Q), check_place(K), check_place(V), check_place(C));
    check_fetch();
    reference(0, H, L, scale, Q, K, V, O);
    reference(1, H, L, scale, Q, K, V, C);
    return check_end();
}
