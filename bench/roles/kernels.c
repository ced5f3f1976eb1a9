/* SPDX-License-Identifier: MIT */
/*
 * kernels.c - products that stand beside those of samples/: ours of f16, of their tile and of the faster one; ours of
 * e4m3 without scales, with sums in f32; and few rows by narrow weights, where K is shared out to blocks of a cluster.
 */
#include <ws.h>

#define PRODUCT_F16(name, rows, cols, clause)                                                     \
    void name(int M, int N, int K, const void *A, const void *B, void *C)                         \
    {                                                                                             \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);           \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                              \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += cols) \
        {                                                                                         \
            ws_tile acc = ws_zeros(WS_F32, rows, cols);                                           \
            _Pragma(clause) for (int k = 0; k < K; k += 64) acc =                                 \
                ws_dot(ws_load(a, i, k, rows, 64), ws_trans(ws_load(b, j, k, cols, 64)), acc);    \
            ws_store(c, i, j, ws_cast(acc, WS_F16));                                              \
        }                                                                                         \
    }
PRODUCT_F16(product_256x128, 256, 128, "ws pipeline(auto)")
PRODUCT_F16(product_128x256, 128, 256, "ws pipeline(4, 2)")

/* Four iterations of the tensor cores' own sums at a time. */
void product_e4m3(int M, int N, int K, const void *A, const void *B, void *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_E4M3, M, K), b = ws_tensor_2d(B, WS_E4M3, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_BF16, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 192) {
            ws_tile sum = ws_zeros(WS_F32, 128, 192);
            for (int first = 0; first < K; first += 512) {
                ws_tile part = ws_zeros(WS_F32, 128, 192);

#pragma ws pipeline(auto)
                for (int k = first; k < first + 512; k += 128)
                    part = ws_dot(ws_load(a, i, k, 128, 128), ws_trans(ws_load(b, j, k, 192, 128)), part);
                sum = ws_add(sum, part);
            }
            ws_store(c, i, j, ws_cast(sum, WS_BF16));
        }
}

/* ---- few rows ---------------------------------------------------------------------------------------------------- */

/* C^T = W A^T: weights are the left operand, which each group converts in its registers; rows of A are few columns.
   Blocks of a cluster have a share of K each.  Weights of one byte, from `first` to `last` of K: */
static inline ws_tile sum_w8(ws_tensor a, ws_tensor w, int i, int j, int first, int last, int rows, int cols)
{
    ws_tile sum = ws_zeros(WS_F32, cols, rows);

#pragma ws pipeline(auto)
    for (int k = first; k < last; k += 128) {
        ws_tile weights = ws_cast(ws_load(w, j, k, cols, 128), WS_F16);
        sum = ws_dot(weights, ws_trans(ws_load(a, i, k, rows, 128)), sum);
    }
    return sum;
}

/* Of four bits plus 8, as in samples/gemm_w4a16.c: a byte holds those of columns 64 apart.  A scale is for 128 of them,
   and multiplies the sum of their products, which is less than to scale each. */
static inline ws_tile sum_w4(ws_tensor a, ws_tensor w, ws_tensor s, int i, int j, int first, int last, int rows,
                             int cols)
{
    ws_tile sum = ws_zeros(WS_F32, cols, rows);

#pragma ws pipeline(auto)
    for (int k = first; k < last; k += 128) {
        ws_tile both = ws_load(w, j, k / 2, cols, 64), part = ws_zeros(WS_F32, cols, rows);
        ws_tile low = ws_sub(ws_cast(ws_bit_and(both, 15), WS_F16), 8);
        ws_tile high = ws_sub(ws_cast(ws_ushr(both, 4), WS_F16), 8);
        part = ws_dot(low, ws_trans(ws_load(a, i, k, rows, 64)), part);
        part = ws_dot(high, ws_trans(ws_load(a, i, k + 64, rows, 64)), part);
        sum = ws_fma(part, ws_load_col_2d(s, k / 128, j, cols), sum);
    }
    return sum;
}

/* 256 of K in an iteration, for few rows: an iteration costs more than its work.  K is a multiple of 512. */
static inline ws_tile sum_w4_two(ws_tensor a, ws_tensor w, ws_tensor s, int i, int j, int first, int last, int rows,
                                 int cols)
{
    ws_tile sum = ws_zeros(WS_F32, cols, rows);

#pragma ws pipeline(4)
    for (int k = first; k < last; k += 256) {
        ws_tile x = ws_load(w, j, k / 2, cols, 64), part = ws_zeros(WS_F32, cols, rows);
        ws_tile y = ws_load(w, j, k / 2 + 64, cols, 64), next = ws_zeros(WS_F32, cols, rows);
        part = ws_dot(ws_sub(ws_cast(ws_bit_and(x, 15), WS_F16), 8), ws_trans(ws_load(a, i, k, rows, 64)), part);
        part = ws_dot(ws_sub(ws_cast(ws_ushr(x, 4), WS_F16), 8), ws_trans(ws_load(a, i, k + 64, rows, 64)), part);
        next = ws_dot(ws_sub(ws_cast(ws_bit_and(y, 15), WS_F16), 8), ws_trans(ws_load(a, i, k + 128, rows, 64)), next);
        next = ws_dot(ws_sub(ws_cast(ws_ushr(y, 4), WS_F16), 8), ws_trans(ws_load(a, i, k + 192, rows, 64)), next);
        sum = ws_fma(part, ws_load_col_2d(s, k / 128, j, cols), sum);
        sum = ws_fma(next, ws_load_col_2d(s, k / 128 + 1, j, cols), sum);
    }
    return sum;
}

#define TENSORS_W8                                                                 \
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K); \
    ws_tensor s = ws_tensor_1d(S, WS_F32, N), c = ws_tensor_2d(C, WS_F16, M, N);
#define TENSORS_W4                                                                     \
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_U8, N, K / 2); \
    ws_tensor s = ws_tensor_2d(S, WS_F32, K / 128, N), c = ws_tensor_2d(C, WS_F16, M, N);
#define TENSORS_W4_TWO          TENSORS_W4
#define SUM_W4_TWO(first, last) sum_w4_two(a, w, s, i, j, first, last, rows, cols)
#define SCALED_W4_TWO(x)        (x)
#define SUM_W8(first, last)     sum_w8(a, w, i, j, first, last, rows, cols)
#define SUM_W4(first, last)     sum_w4(a, w, s, i, j, first, last, rows, cols)
#define SCALED_W8(x)            ws_mul(x, ws_load_col(s, j, cols))
#define SCALED_W4(x)            (x)

#define SHARES(name, kind, tile_rows, tile_cols, blocks)                                                         \
    void name(int M, int N, int K, const void *A, const void *W, const void *S, void *C)                         \
    {                                                                                                            \
        enum { rows = tile_rows, cols = tile_cols };                                                             \
        TENSORS_##kind _Pragma("ws grid(2)") for (int j = 0; j < N; j += cols) for (int i = 0; i < M; i += rows) \
        {                                                                                                        \
            const int share = (K / 128 + blocks - 1) / blocks * 128;                                             \
            ws_tile x = ws_zeros(WS_F32, cols, rows);                                                            \
            _Pragma("ws parts") for (int p = 0; p < blocks; p++) x =                                             \
                ws_add(x, SUM_##kind(p * share, (p + 1) * share < K ? (p + 1) * share : K));                     \
            ws_store(c, i, j, ws_trans(ws_cast(SCALED_##kind(x), WS_F16)));                                      \
        }                                                                                                        \
    }
SHARES(w8a16_64, W8, 64, 64, 2)
SHARES(w8a16_256, W8, 128, 128, 2)
SHARES(w4a16_16, W4_TWO, 16, 64, 2)
SHARES(w4a16_64, W4, 64, 64, 2)
SHARES(w4a16_256, W4, 128, 128, 2)
