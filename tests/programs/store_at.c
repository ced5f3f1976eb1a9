/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_store_at and ws_atomic_add_at: elements to where a tile of indices says, some outside, of every type; rows of a
   matrix; in a loop, where the later one counts; what is made of a product; sums of equal indices. */
#include "test.h"

#define TYPES(X)   \
    X(F32, float)  \
    X(F64, double) \
    X(F16, ws_f16) X(BF16, ws_bf16) X(I8, signed char) X(I32, int) X(U8, unsigned char) X(I16, short) X(I64, long)

/* row[at[i]] = from[i], and a block of rows of 40 of these, the last one first, of which the ends are not seen */
#define KERNEL(DTYPE, ctype)                                                                               \
    static void put_##DTYPE(int n, int m, const int *at, const ctype *from, ctype *row, ctype *block)      \
    {                                                                                                      \
        ws_tensor k = ws_tensor_1d(at, WS_I32, n), x = ws_tensor_1d(from, WS_##DTYPE, n);                  \
        ws_tensor r = ws_tensor_1d(row, WS_##DTYPE, m), b = ws_tensor_1d(block, WS_##DTYPE, n * 40);       \
        ws_tensor part = ws_slice(b, 0, 3, n * 40 - 2);                                                    \
        _Pragma("ws grid(1)") for (int i = 0; i < n; i += 64)                                              \
        {                                                                                                  \
            ws_tile number = ws_add(ws_mul(ws_row_index(64, 40), 40), ws_col_index(64, 40));               \
            ws_tile there = ws_lt(ws_add(ws_col_index(1, 64), i), n);                                      \
            ws_store_at(r, ws_select(there, ws_load_row(k, i, 64), -1), ws_load_row(x, i, 64));            \
            ws_store_at(part, ws_sub((n - i) * 40 - 4, number),                                            \
                        ws_select(ws_lt(number, 0), ws_full(WS_##DTYPE, 1, 1, 0), ws_load_col(x, i, 64))); \
        }                                                                                                  \
    }
TYPES(KERNEL)

/* y[at[i]] = x[i], rows of d */
static void rows(int n, int m, int d, const int *at, const float *from, float *to)
{
    ws_tensor k = ws_tensor_1d(at, WS_I32, n), x = ws_tensor_2d(from, WS_F32, n, d),
              y = ws_tensor_1d(to, WS_F32, m * d);
#pragma ws grid(2)
    for (int i = 0; i < n; i += 16)
        for (int j = 0; j < d; j += 32) {
            ws_tile row = ws_load_col(k, i, 16), col = ws_add(ws_col_index(1, 32), j);
            ws_tile there = ws_and(ws_lt(ws_add(ws_row_index(16, 1), i), n), ws_lt(col, d));
            ws_store_at(y, ws_select(there, ws_add(ws_mul(row, d), col), -1), ws_load(x, i, j, 16, 32));
        }
}

/* Four times: the last one counts. */
static void again(int n, const int *at, const int *from, int *to)
{
    ws_tensor k = ws_tensor_1d(at, WS_I32, n), x = ws_tensor_1d(from, WS_I32, n), y = ws_tensor_1d(to, WS_I32, n);
#pragma ws grid(1)
    for (int i = 0; i < n; i += 32)
        for (int j = 0; j < 4; j++) {
            ws_tile turned = ws_load_at(k, ws_add(ws_bit_xor(ws_col_index(1, 32), j), i));
            ws_store_at(y, turned, ws_add(ws_load_row(x, i, 32), j));
        }
}

/* y[at[i]] = the sum of row i of A B */
static void multiplied(int n, int k, const int *at, const ws_f16 *A, const ws_f16 *B, float *to)
{
    ws_tensor p = ws_tensor_1d(at, WS_I32, n), y = ws_tensor_1d(to, WS_F32, n);
    ws_tensor a = ws_tensor_2d(A, WS_F16, n, k), b = ws_tensor_2d(B, WS_F16, k, 64);
#pragma ws grid(1)
    for (int i = 0; i < n; i += 128) {
        ws_tile acc = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(auto)
        for (int j = 0; j < k; j += 64)
            acc = ws_dot(ws_load(a, i, j, 128, 64), ws_load(b, j, 0, 64, 64), acc);
        ws_store_at(y, ws_load_col(p, i, 128), ws_row_sum(acc));
    }
}

/* How often there is each number, and the sum of the weights of each. */
static void counted(int n, int m, const int *at, const float *w, int *many, float *sum, double *fine)
{
    ws_tensor k = ws_tensor_1d(at, WS_I32, n), x = ws_tensor_1d(w, WS_F32, n);
    ws_tensor c = ws_tensor_1d(many, WS_I32, m), s = ws_tensor_1d(sum, WS_F32, m);
    ws_tensor d = ws_tensor_1d(fine, WS_F64, m);
#pragma ws grid(1)
    for (int i = 0; i < n; i += 64) {
        ws_tile at = ws_select(ws_lt(ws_add(ws_col_index(1, 64), i), n), ws_load_row(k, i, 64), -1);
        ws_atomic_add_at(c, at, ws_full(WS_I32, 1, 64, 1));
        ws_atomic_add_at(s, at, ws_load_row(x, i, 64));
        ws_atomic_add_at(d, at, ws_mul(ws_cast(ws_load_row(x, i, 64), WS_F64), 1e15));
    }
}

static int place(int i, int n)
{
    return (int)(i * 37L % n);
}

int main(int argc, char **argv)
{
    check_begin("store_at", argc, argv);
    int n = 150, m = 141, d = 72;
    int *at = check_random(WS_I32, (size_t)n);
    for (int i = 0; i < n; i++)
        at[i] = place(i, 151) - 5;
#define RUN(DTYPE, ctype)                                                                                \
    {                                                                                                    \
        ctype *from = check_random(WS_##DTYPE, (size_t)n), *row = check_output(WS_##DTYPE, (size_t)m),   \
              *block = check_output(WS_##DTYPE, (size_t)n * 40);                                         \
        memset(row, 0, sizeof *row *m);                                                                  \
        memset(block, 0, sizeof *block *n * 40);                                                         \
        put_##DTYPE(n, m, check_place(at), check_place(from), check_place(row), check_place(block));     \
        check_fetch();                                                                                   \
        for (int i = 0; i < n; i++) {                                                                    \
            if (at[i] >= 0 && at[i] < m)                                                                 \
                check_true(!memcmp(&row[at[i]], &from[i], sizeof *from), #DTYPE " row");                 \
            for (int j = 0; j < 40; j++) {                                                               \
                int x = n * 40 - 1 - (i * 40 + j);                                                       \
                ctype zero;                                                                              \
                memset(&zero, 0, sizeof zero);                                                           \
                check_true(!memcmp(&block[x], x < 3 || x >= n * 40 - 2 ? &zero : &from[i], sizeof zero), \
                           #DTYPE " block");                                                             \
            }                                                                                            \
        }                                                                                                \
    }
    TYPES(RUN)
    check_next();
    n = 100;
    at = check_random(WS_I32, 128);
    for (int i = 0; i < 128; i++)
        at[i] = place(i, 128);
    float *from = check_random(WS_F32, (size_t)(n * d)), *to = check_output(WS_F32, (size_t)(128 * d));
    rows(n, 128, d, check_place(at), check_place(from), check_place(to));
    int *x = check_random(WS_I32, 128), *y = check_output(WS_I32, 128);
    again(128, check_place(at), check_place(x), check_place(y));
    ws_f16 *a = check_random(WS_F16, 128 * 96), *b = check_random(WS_F16, 96 * 64);
    float *sums = check_output(WS_F32, 128);
    multiplied(128, 96, check_place(at), check_place(a), check_place(b), check_place(sums));
    check_fetch();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            check_true(to[at[i] * d + j] == from[i * d + j], "rows");
    for (int i = 0; i < 128; i++) {
        check_true(y[at[i]] == x[i / 32 * 32 + (i % 32 ^ 3)] + 3, "again");
        double sum = 0, magnitude = 0;
        for (int c = 0; c < 64; c++) {
            double part;
            sum += test_dot(rows_of(a, 96), (test_matrix){b, 64, 1, 0}, i, c, 0, 96, &part);
            magnitude += part;
        }
        check_close(sums, (size_t)at[i], sum, check_dot_error(96 * 64, magnitude));
    }
    check_next();
    n = 1000;
    m = 50;
    at = check_random(WS_I32, (size_t)n);
    float *w = check_random(WS_F32, (size_t)n), *sum = check_output(WS_F32, (size_t)m);
    int *many = check_output(WS_I32, (size_t)m);
    double *fine = check_output(WS_F64, (size_t)m);
    for (int i = 0; i < n; i++) {
        at[i] = i * i % 53 - 2;
        w[i] = (float)(i % 7 - 3);
    }
    memset(sum, 0, sizeof *sum * m);
    memset(many, 0, sizeof *many * m);
    memset(fine, 0, sizeof *fine * m);
    counted(n, m, check_place(at), check_place(w), check_place(many), check_place(sum), check_place(fine));
    check_fetch();
    for (int j = 0; j < m; j++) {
        int times = 0;
        float total = 0;
        for (int i = 0; i < n; i++) {
            times += at[i] == j;
            total += at[i] == j ? w[i] : 0;
        }
        check_true(many[j] == times && sum[j] == total && fine[j] == total * 1e15, "counted");
    }
    return check_end();
}
