/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_load_at: elements by a tile of their indices, some outside, of every type; rows split over groups; in a pipelined
   loop, and as an operand of a product. */
#include "test.h"

#define TYPES(X)   \
    X(F32, float)  \
    X(F64, double) \
    X(F16, ws_f16) X(BF16, ws_bf16) X(I8, signed char) X(I32, int) X(U8, unsigned char) X(I16, short) X(I64, long)

#define KERNEL(DTYPE, ctype)                                                                               \
    static void look_up_##DTYPE(int n, int m, const int *at, const ctype *table, ctype *row, ctype *block) \
    {                                                                                                      \
        ws_tensor k = ws_tensor_1d(at, WS_I32, n), t = ws_tensor_1d(table, WS_##DTYPE, m);                 \
        ws_tensor part = ws_slice(t, 0, 3, m - 2);                                                         \
        ws_tensor r = ws_tensor_1d(row, WS_##DTYPE, n), b = ws_tensor_2d(block, WS_##DTYPE, n, 40);        \
        _Pragma("ws grid(1)") for (int i = 0; i < n; i += 64)                                              \
        {                                                                                                  \
            ws_store_row(r, i, ws_load_at(t, ws_load_row(k, i, 64)));                                      \
            ws_store(b, i, 0, ws_load_at(part, ws_add(ws_load_col(k, i, 64), ws_col_index(64, 40))));      \
        }                                                                                                  \
    }
TYPES(KERNEL)

/* embeddings times weights */
static void embedded(int n, int d, int m, int v, const int *token, const ws_f16 *table, const ws_f16 *w, float *y)
{
    ws_tensor k = ws_tensor_1d(token, WS_I32, n), t = ws_tensor_1d(table, WS_F16, v * d);
    ws_tensor b = ws_tensor_2d(w, WS_F16, m, d), c = ws_tensor_2d(y, WS_F32, n, m);
#pragma ws grid(2) consumers(2, rows)
    for (int i = 0; i < n; i += 128)
        for (int j = 0; j < m; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 128, 64), first = ws_mul(ws_load_col(k, i, 128), d);
#pragma ws pipeline(2)
            for (int p = 0; p < d; p += 64) {
                ws_tile x = ws_load_at(t, ws_add(ws_add(first, p), ws_col_index(128, 64)));
                acc = ws_dot(x, ws_trans(ws_load(b, j, p, 64, 64)), acc);
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("load_at", argc, argv);
    int n = 150, m = 77, v = 50, d = 128;
    int *at = check_random(WS_I32, (size_t)n);
    for (int i = 0; i < n; i++)
        at[i] = i * 37 % 95 - 9;
#define RUN(DTYPE, ctype)                                                                                 \
    {                                                                                                     \
        ctype *table = check_random(WS_##DTYPE, (size_t)m), *row = check_random(WS_##DTYPE, (size_t)n),   \
              *block = check_random(WS_##DTYPE, (size_t)n * 40);                                          \
        look_up_##DTYPE(n, m, check_place(at), check_place(table), check_place(row), check_place(block)); \
        check_fetch();                                                                                    \
        for (int i = 0; i < n; i++) {                                                                     \
            ctype zero;                                                                                   \
            memset(&zero, 0, sizeof zero);                                                                \
            const ctype *want = at[i] >= 0 && at[i] < m ? &table[at[i]] : &zero;                          \
            check_true(!memcmp(want, &row[i], sizeof zero), #DTYPE " row");                               \
            for (int j = 0; j < 40; j++) {                                                                \
                int x = at[i] + j;                                                                        \
                want = x >= 0 && x < m - 5 ? &table[x + 3] : &zero;                                       \
                check_true(!memcmp(want, &block[i * 40 + j], sizeof zero), #DTYPE " block");              \
            }                                                                                             \
        }                                                                                                 \
    }
    TYPES(RUN)
    check_next();
    ws_f16 *table = check_random(WS_F16, (size_t)(v * d)), *w = check_random(WS_F16, (size_t)(m * d));
    float *y = check_output(WS_F32, (size_t)(n * m));
    at = check_random(WS_I32, (size_t)n);
    for (int i = 0; i < n; i++)
        at[i] = i * 7 % v;
    embedded(n, d, m, v, check_place(at), check_place(table), check_place(w), check_place(y));
    check_fetch();
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            double magnitude;
            test_matrix row = from(rows_of(table, d), at[i] * d);
            double sum = test_dot(row, columns_of(w, d), 0, j, 0, d, &magnitude);
            check_close(y, (size_t)(i * m + j), sum, check_dot_error(d, magnitude));
        }
    return check_end();
}
