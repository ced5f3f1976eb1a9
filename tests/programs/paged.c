/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention over pages of keys that lie anywhere, by a table in memory; the loop over them counts with a size_t. */
#include "test.h"

enum { Q = 64, D = 64, P = 32 };

static void paged(int batch, int queries, int pages, int most, const int *table, const int *length, const ws_f16 *q,
                  const ws_f16 *k, const ws_f16 *v, ws_f16 *o)
{
    ws_tensor tq = ws_tensor_3d(q, WS_F16, batch, queries, D), to = ws_tensor_3d(o, WS_F16, batch, queries, D);
    ws_tensor tk = ws_tensor_3d(k, WS_F16, pages, P, D), tv = ws_tensor_3d(v, WS_F16, pages, P, D);
    ws_tensor tt = ws_tensor_1d(table, WS_I32, (long)batch * most), tl = ws_tensor_1d(length, WS_I32, batch);
#pragma ws grid(2)
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < queries; i += Q) {
            long keys = ws_at(tl, b);
            ws_tile x = ws_load_3d(tq, b, i, 0, Q, D);
            ws_tile top = ws_full(WS_F32, Q, 1, -INFINITY), sum = ws_zeros(WS_F32, Q, 1), acc = ws_zeros(WS_F32, Q, D);
#pragma ws pipeline(auto)
            for (size_t n = 0; n < (size_t)(keys + P - 1) / P; n++) {
                long page = ws_at(tt, (long)b * most + n);
                ws_tile s = ws_dot(x, ws_trans(ws_load_3d(tk, page, 0, 0, P, D)), ws_zeros(WS_F32, Q, P));
                s = ws_select(ws_lt(ws_add(ws_col_index(1, P), (int)n * P), (int)keys), ws_mul(s, 0.125 * 1.44269504),
                              -INFINITY);
                ws_tile higher = ws_max(top, ws_row_max(s)), old = ws_exp2(ws_sub(top, higher)),
                        p = ws_exp2(ws_sub(s, higher));
                sum = ws_fma(sum, old, ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_F16), ws_load_3d(tv, page, 0, 0, P, D), ws_mul(acc, old));
                top = higher;
            }
            ws_store_3d(to, b, i, 0, ws_cast(ws_div(acc, sum), WS_F16));
        }
}
int main(int argc, char **argv)
{
    check_begin("paged", argc, argv);
    int batch = 3, queries = 70, pages = 40, most = 10;
    int *table = check_output(WS_I32, batch * most), *length = check_output(WS_I32, batch);
    for (int i = 0; i < batch * most; i++)
        table[i] = (i * 17 + 5) % pages;
    length[0] = 300;
    length[1] = 1;
    length[2] = 96;
    ws_f16 *q = check_random(WS_F16, batch * queries * D), *k = check_random(WS_F16, pages * P * D),
           *v = check_random(WS_F16, pages * P * D), *o = check_output(WS_F16, batch * queries * D);
    paged(batch, queries, pages, most, check_place(table), check_place(length), check_place(q), check_place(k),
          check_place(v), check_place(o));
    check_fetch();
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < queries; i++) {
            double w[320], all = 0;
            for (int n = 0; n < length[b]; n++) {
                long row = (long)table[b * most + n / P] * P + n % P;
                double s = 0;
                for (int d = 0; d < D; d++)
                    s += (double)ws_f16_to(q[(b * queries + i) * D + d]) * ws_f16_to(k[row * D + d]);
                all += w[n] = exp(s * 0.125);
            }
            for (int d = 0; d < D; d++) {
                double y = 0;
                for (int n = 0; n < length[b]; n++)
                    y += w[n] / all * ws_f16_to(v[((long)table[b * most + n / P] * P + n % P) * D + d]);
                check_close(o, (b * queries + i) * D + d, y, 2e-3);
            }
        }
    return check_end();
}
