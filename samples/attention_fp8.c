/* SPDX-License-Identifier: MIT */
/*
 * attention_fp8 - attention on e4m3 tiles, twice as fast on the tensor cores: Q, K and V hold x / scale of x, with one
 * scale for each tensor. The scores' scales go into the power of two, V's into the result.
 *
 * Probabilities lie between 0 and 1, where e4m3 has few numbers: they are kept 2^8 times as large, as exponentials of
 * something 8 larger, so that the largest is 256 of at most 448; the sum grows with them and takes that back.
 *
 * The units want bytes along the dimension that a product sums over, which V's are not: the compiler gives the kernel a
 * role that turns V's tiles over on their way. The more keys in a block, the less of the time goes by between blocks;
 * but a few blocks should not be more keys than there are.
 */
#include "check_attention.h"

enum { D = 128, ROWS = 128, FEW_KEYS = 128, MANY_KEYS = 192 };

static inline void attention_blocks(ws_tensor q, ws_tensor k, ws_tensor v, ws_tensor o, ws_tensor scales, int heads,
                                    int L, float scale, int keys)
{
    #pragma ws grid(2) registers(24, 232)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += ROWS) {
            float power = (float)(ws_at_float(scales, 0) * ws_at_float(scales, 1)) * scale * 1.44269504f;
            ws_tile tq = ws_load_3d(q, h, i, 0, ROWS, D);
            ws_tile acc = ws_zeros(WS_F32, ROWS, D);
            ws_tile top = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);

            #pragma ws pipeline(2)
            for (int j = 0; j < L; j += keys) {
                ws_tile s = ws_dot(tq, ws_trans(ws_load_3d(k, h, j, 0, keys, D)), ws_zeros(WS_F32, ROWS, keys));
                s = ws_select(ws_lt(ws_col_index(1, keys), L - j), s, -1e30);
                ws_tile now = ws_max(top, ws_mul(ws_row_max(s), power));
                ws_tile p = ws_exp2(ws_fma(s, power, ws_sub(8, now)));
                ws_tile shrink = ws_exp2(ws_sub(top, now));
                sum = ws_fma(sum, shrink, ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_E4M3), ws_load_3d(v, h, j, 0, keys, D), ws_mul(acc, shrink));
                top = now;
            }
            ws_tile done = ws_mul(acc, ws_div((float)ws_at_float(scales, 2), sum));
            ws_store_3d(o, h, i, 0, ws_cast(done, WS_F16));
        }
}

/* Keys that blocks of so many have beyond the last. */
static int padding(int L, int keys)
{
    return (keys - L % keys) % keys;
}

void attention_fp8(int heads, int L, float scale, const float *scales, const ws_e4m3 *Q, const ws_e4m3 *K,
                   const ws_e4m3 *V, ws_f16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_E4M3, heads, L, D), k = ws_tensor_3d(K, WS_E4M3, heads, L, D);
    ws_tensor v = ws_tensor_3d(V, WS_E4M3, heads, L, D), o = ws_tensor_3d(O, WS_F16, heads, L, D);
    ws_tensor each = ws_tensor_1d(scales, WS_F32, 3);

    if (padding(L, MANY_KEYS) <= padding(L, FEW_KEYS) + L / 16)
        attention_blocks(q, k, v, o, each, heads, L, scale, MANY_KEYS);
    else
        attention_blocks(q, k, v, o, each, heads, L, scale, FEW_KEYS);
}

int main(int argc, char **argv)
{
    check_begin("attention_fp8", argc, argv);
    int heads = check_size(1, 2), L = check_size(2, 200);
    float scale = 1 / sqrtf(D);
    size_t count = (size_t)heads * L * D;
    float *scales = check_range(WS_F32, 3, 0.5, 2);
    ws_e4m3 *Q = check_range(WS_E4M3, count, -2, 2), *K = check_range(WS_E4M3, count, -2, 2);
    ws_e4m3 *V = check_random(WS_E4M3, count);
    ws_f16 *O = check_output(WS_F16, count);

    attention_fp8(heads, L, scale, check_place(scales), check_place(Q), check_place(K), check_place(V), check_place(O));
    check_fetch();
    double *p = malloc(sizeof *p * (size_t)L);
    for (long h = 0; h < heads; h++)
        for (long r = 0; r < L; r++) {
            check_rows q = {Q, h * L * D, D}, k = {K, h * L * D, D}, v = {V, h * L * D, D}, o = {O, h * L * D, D};
            check_probabilities(p, q, r, k, 0, L, D, (double)scale * scales[0] * scales[1], 0);
            for (long j = 0; j < L; j++)
                p[j] *= scales[2];
            check_attention_row(o, r, p, v, 0, L, D, 0x1p-4);
        }
    free(p);
    return check_end();
}
