/* SPDX-License-Identifier: MIT */
/*
 * kernels.c - what bench/run first times: ordinary kernels as somebody new writes them.
 *
 * No clause but pipeline(auto), tiles of whatever size comes to mind first, and no constant that a GPU asked for.
 * tests/programs/first_kernels.c runs them on small arrays.
 */
#include <math.h>
#include <ws.h>

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* C = A B^T, f16, summed in f32: A has M rows of K, B has N.  */
void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);
            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(ws_load(b, j, k, 128, 64)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

/* The same for few rows of A.  */
void product_small_m(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 64, 64)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

/* The same, where the weights B are bytes with a scale for each row.  */
void product_w8(int M, int N, int K, const ws_f16 *A, const signed char *B, const float *S, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_I8, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
    ws_tensor s = ws_tensor_1d(S, WS_F32, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);
            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64) {
                ws_tile w = ws_cast(ws_load(b, j, k, 128, 64), WS_F16);
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(w), acc);
            }
            ws_store(c, i, j, ws_cast(ws_mul(acc, ws_load_row(s, j, 128)), WS_F16));
        }
}

/* C = A A^T, all of it.  */
void product_with_itself(int M, int K, const ws_f16 *A, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), c = ws_tensor_2d(C, WS_F16, M, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < M; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);
            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(a, i, k, 128, 64), ws_trans(ws_load(a, j, k, 128, 64)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

/* A batch of products of matrices of 64 x 64.  */
void product_batch_64(int batch, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_3d(A, WS_F16, batch, 64, 64), b = ws_tensor_3d(B, WS_F16, batch, 64, 64);
    ws_tensor c = ws_tensor_3d(C, WS_F16, batch, 64, 64);

    #pragma ws grid(1)
    for (int i = 0; i < batch; i++) {
        ws_tile acc = ws_dot(ws_load_3d(a, i, 0, 0, 64, 64), ws_trans(ws_load_3d(b, i, 0, 0, 64, 64)),
                             ws_zeros(WS_F32, 64, 64));
        ws_store_3d(c, i, 0, 0, ws_cast(acc, WS_F16));
    }
}

/* Convolution by 3 x 3, zeros around, of B images of H x W pixels of C channels into F; W has F x 3 x 3 x C.  */
void convolution_3x3(int B, int H, int W, int C, int F, const ws_f16 *X, const ws_f16 *weights, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_4d(X, WS_F16, B, H, W, C), y = ws_tensor_4d(Y, WS_F16, B, H, W, F);
    ws_tensor w = ws_tensor_2d(weights, WS_F16, F, 9 * C);

    #pragma ws grid(4)
    for (int b = 0; b < B; b += 2)
        for (int h = 0; h < H; h += 8)
            for (int v = 0; v < W; v += 8)
                for (int f = 0; f < F; f += 128) {
                    ws_tile acc = ws_zeros(WS_F32, 128, 128);
                    #pragma ws pipeline(auto)
                    for (int k = 0; k < 9 * C; k += 64) {
                        int tap = k / C, c = k % C;
                        ws_tile pixels = ws_load_box_4d(x, b, h + tap / 3 - 1, v + tap % 3 - 1, c, 2, 8, 8, 64);
                        acc = ws_dot(pixels, ws_trans(ws_load(w, f, k, 128, 64)), acc);
                    }
                    ws_store_box_4d(y, b, h, v, f, 2, 8, 8, ws_cast(acc, WS_F16));
                }
}

void convolution_1x1(int B, int H, int W, int C, int F, const ws_f16 *X, const ws_f16 *weights, ws_f16 *Y)
{
    product(B * H * W, F, C, X, weights, Y);
}

/* Each channel by itself, 3 x 3: weights has 9 x C.  */
void convolution_depthwise(int B, int H, int W, int C, const ws_f16 *X, const ws_f16 *weights, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_4d(X, WS_F16, B, H, W, C), y = ws_tensor_4d(Y, WS_F16, B, H, W, C);
    ws_tensor w = ws_tensor_2d(weights, WS_F16, 9, C);

    #pragma ws grid(4)
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int v = 0; v < W; v += 16)
                for (int c = 0; c < C; c += 64) {
                    ws_tile sum = ws_zeros(WS_F32, 16, 64);
                    for (int tap = 0; tap < 9; tap++) {
                        ws_tile pixels = ws_load_4d(x, b, h + tap / 3 - 1, v + tap % 3 - 1, c, 16, 64);
                        ws_tile factors = ws_load_row_2d(w, tap, c, 64);
                        sum = ws_fma(ws_cast(pixels, WS_F32), ws_cast(factors, WS_F32), sum);
                    }
                    ws_store_4d(y, b, h, v, c, ws_cast(sum, WS_F16));
                }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static inline ws_tile softmax_of(ws_tile x)
{
    ws_tile e = ws_exp(ws_sub(x, ws_row_max(x)));
    return ws_div(e, ws_row_sum(e));
}

/* Softmax of rows of up to 1024 columns, f16, a row at a time.  */
void softmax_short(int M, int N, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i++) {
        ws_tile row = ws_cast(ws_load_or(x, i, 0, 1, 1024, -INFINITY), WS_F32);
        ws_store(y, i, 0, ws_cast(softmax_of(row), WS_F16));
    }
}

/* Of rows of any length: the largest and the sum first, then the quotients.  */
void softmax_long(int M, int N, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile most = ws_full(WS_F32, 4, 1, -1e30), sum = ws_zeros(WS_F32, 4, 1);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024) {
            ws_tile part = ws_cast(ws_load_or(x, i, j, 4, 1024, -INFINITY), WS_F32);
            ws_tile now = ws_max(most, ws_row_max(part));
            sum = ws_fma(sum, ws_exp(ws_sub(most, now)), ws_row_sum(ws_exp(ws_sub(part, now))));
            most = now;
        }
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024) {
            ws_tile part = ws_cast(ws_load_or(x, i, j, 4, 1024, -INFINITY), WS_F32);
            ws_store(y, i, j, ws_cast(ws_div(ws_exp(ws_sub(part, most)), sum), WS_F16));
        }
    }
}

/* y = (x - mean) / sqrt(variance + epsilon) * scale + shift, rows of up to 1024 columns.  */
void layernorm_short(int M, int N, float epsilon, const ws_f16 *X, const ws_f16 *scale, const ws_f16 *shift, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);
    ws_tensor g = ws_tensor_1d(scale, WS_F16, N), b = ws_tensor_1d(shift, WS_F16, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i++) {
        ws_tile row = ws_cast(ws_load(x, i, 0, 1, 1024), WS_F32);
        ws_tile d = ws_sub(row, ws_div(ws_row_sum(row), N));
        d = ws_select(ws_lt(ws_col_index(1, 1024), N), d, 0.0f);
        ws_tile r = ws_rsqrt(ws_add(ws_div(ws_row_sum(ws_mul(d, d)), N), epsilon));
        ws_tile factor = ws_cast(ws_load_row(g, 0, 1024), WS_F32), more = ws_cast(ws_load_row(b, 0, 1024), WS_F32);
        ws_store(y, i, 0, ws_cast(ws_fma(ws_mul(d, r), factor, more), WS_F16));
    }
}

/* Of rows of any length, in two passes.  */
void layernorm_long(int M, int N, float epsilon, const ws_f16 *X, const ws_f16 *scale, const ws_f16 *shift, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);
    ws_tensor g = ws_tensor_1d(scale, WS_F16, N), b = ws_tensor_1d(shift, WS_F16, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile sum = ws_zeros(WS_F32, 4, 1), squares = ws_zeros(WS_F32, 4, 1);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024) {
            ws_tile part = ws_cast(ws_load(x, i, j, 4, 1024), WS_F32);
            sum = ws_add(sum, ws_row_sum(part));
            squares = ws_add(squares, ws_row_sum(ws_mul(part, part)));
        }
        ws_tile mean = ws_div(sum, N);
        ws_tile variance = ws_max(ws_sub(ws_div(squares, N), ws_mul(mean, mean)), 0.0f);
        ws_tile r = ws_rsqrt(ws_add(variance, epsilon));
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024) {
            ws_tile d = ws_mul(ws_sub(ws_cast(ws_load(x, i, j, 4, 1024), WS_F32), mean), r);
            d = ws_fma(d, ws_cast(ws_load_row(g, j, 1024), WS_F32), ws_cast(ws_load_row(b, j, 1024), WS_F32));
            ws_store(y, i, j, ws_cast(d, WS_F16));
        }
    }
}

/* y = x / sqrt(mean x^2 + epsilon) * scale, rows of up to 1024 columns.  */
void rmsnorm_short(int M, int N, float epsilon, const ws_bf16 *X, const ws_bf16 *scale, ws_bf16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, N), y = ws_tensor_2d(Y, WS_BF16, M, N);
    ws_tensor g = ws_tensor_1d(scale, WS_BF16, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i++) {
        ws_tile row = ws_cast(ws_load(x, i, 0, 1, 1024), WS_F32);
        ws_tile r = ws_rsqrt(ws_add(ws_div(ws_row_sum(ws_mul(row, row)), N), epsilon));
        ws_store(y, i, 0, ws_cast(ws_mul(ws_mul(row, r), ws_cast(ws_load_row(g, 0, 1024), WS_F32)), WS_BF16));
    }
}

/* Of rows of any length.  */
void rmsnorm_long(int M, int N, float epsilon, const ws_bf16 *X, const ws_bf16 *scale, ws_bf16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, N), y = ws_tensor_2d(Y, WS_BF16, M, N);
    ws_tensor g = ws_tensor_1d(scale, WS_BF16, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile sum = ws_zeros(WS_F32, 4, 1);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024) {
            ws_tile part = ws_cast(ws_load(x, i, j, 4, 1024), WS_F32);
            sum = ws_add(sum, ws_row_sum(ws_mul(part, part)));
        }
        ws_tile r = ws_rsqrt(ws_add(ws_div(sum, N), epsilon));
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 1024) {
            ws_tile part = ws_cast(ws_load(x, i, j, 4, 1024), WS_F32);
            ws_tile factor = ws_cast(ws_load_row(g, j, 1024), WS_F32);
            ws_store(y, i, j, ws_cast(ws_mul(ws_mul(part, r), factor), WS_BF16));
        }
    }
}

/* loss = log(sum exp x) - x[target], of each row of logits, in tiles whose shape is left open.  */
void cross_entropy(int M, int N, const ws_f16 *X, const int *target, float *loss)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), t = ws_tensor_1d(target, WS_I32, M);
    ws_tensor l = ws_tensor_1d(loss, WS_F32, M);
    const long shape = ws_choice_shape(ws_shape(4, 1024, 0), ws_shape(16, 256, 0), ws_shape(8, 512, 0),
                                       ws_shape(4, 1536, 0), ws_shape(4, 2048, 0));
    const int R = ws_shape_m(shape), W = ws_shape_n(shape);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += R) {
        ws_tile most = ws_full(WS_F32, R, 1, -1e30), sum = ws_zeros(WS_F32, R, 1), chosen = ws_zeros(WS_F32, R, 1);
        ws_tile column = ws_load_col(t, i, R);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += W) {
            ws_tile part = ws_cast(ws_load_or(x, i, j, R, W, -INFINITY), WS_F32);
            ws_tile now = ws_max(most, ws_row_max(part)), here = ws_eq(ws_add(ws_col_index(1, W), j), column);
            sum = ws_fma(sum, ws_exp(ws_sub(most, now)), ws_row_sum(ws_exp(ws_sub(part, now))));
            chosen = ws_add(chosen, ws_row_sum(ws_select(here, part, 0.0f)));
            most = now;
        }
        ws_store_col(l, i, ws_sub(ws_add(ws_log(sum), most), chosen));
    }
}

/* r = x + r; q = r / sqrt(mean r^2 + epsilon) in bytes, with a scale for each row; rows of up to 1024 columns.  */
void residual_norm_quantize(int M, int N, float epsilon, const ws_f16 *X, ws_f16 *R, signed char *Q, float *scale)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), r = ws_tensor_2d(R, WS_F16, M, N), q = ws_tensor_2d(Q, WS_I8, M, N);
    ws_tensor s = ws_tensor_1d(scale, WS_F32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i++) {
        ws_tile sum = ws_add(ws_cast(ws_load(x, i, 0, 1, 1024), WS_F32), ws_cast(ws_load(r, i, 0, 1, 1024), WS_F32));
        ws_store(r, i, 0, ws_cast(sum, WS_F16));
        ws_tile y = ws_mul(sum, ws_rsqrt(ws_add(ws_div(ws_row_sum(ws_mul(sum, sum)), N), epsilon)));
        ws_tile step = ws_div(ws_max(ws_row_max(ws_abs(y)), 1e-10f), 127.0f);
        ws_store(q, i, 0, ws_cast(ws_rint(ws_div(y, step)), WS_I8));
        ws_store_col(s, i, step);
    }
}

/* The column of the largest element of each row.  */
void argmax(int M, int N, const float *X, int *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_1d(Y, WS_I32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile most = ws_full(WS_F32, 4, 1, -INFINITY), at = ws_zeros(WS_I32, 4, 1);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 512) {
            ws_tile part = ws_load_or(x, i, j, 4, 512, -INFINITY), here = ws_row_max(part), better = ws_gt(here, most);
            at = ws_select(better, ws_add(ws_row_argmax(part), j), at);
            most = ws_max(most, here);
        }
        ws_store_col(y, i, at);
    }
}

/* Running sums of each row.  */
void scan(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile sum = ws_zeros(WS_F32, 16, 1);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 128) {
            ws_tile part = ws_load(x, i, j, 16, 128);
            ws_store(y, i, j, ws_add(ws_row_cumsum(part), sum));
            sum = ws_add(sum, ws_row_sum(part));
        }
    }
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* One step of AdamW on n parameters, a multiple of 1024: seven streams of f32.  */
void adamw(long n, float rate, float beta1, float beta2, float decay, float epsilon, float correction1,
           float correction2, float *P, const float *G, float *M, float *V)
{
    int rows = (int)(n / 1024);
    ws_tensor p = ws_tensor_2d(P, WS_F32, rows, 1024), g = ws_tensor_2d(G, WS_F32, rows, 1024);
    ws_tensor m = ws_tensor_2d(M, WS_F32, rows, 1024), v = ws_tensor_2d(V, WS_F32, rows, 1024);
    float keep1 = 1 - beta1, keep2 = 1 - beta2, shrink = 1 - rate * decay;

    #pragma ws grid(1)
    for (int i = 0; i < rows; i++) {
        ws_tile x = ws_load(p, i, 0, 1, 1024), dx = ws_load(g, i, 0, 1, 1024);
        ws_tile first = ws_fma(ws_load(m, i, 0, 1, 1024), beta1, ws_mul(dx, keep1));
        ws_tile second = ws_fma(ws_load(v, i, 0, 1, 1024), beta2, ws_mul(ws_mul(dx, dx), keep2));
        ws_tile step = ws_div(ws_mul(first, correction1), ws_add(ws_sqrt(ws_mul(second, correction2)), epsilon));
        ws_store(p, i, 0, ws_sub(ws_mul(x, shrink), ws_mul(step, rate)));
        ws_store(m, i, 0, first);
        ws_store(v, i, 0, second);
    }
}

/* y = A x, f16; A has M rows of N.  */
void matrix_vector(int M, int N, const ws_f16 *A, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, N), x = ws_tensor_1d(X, WS_F16, N), y = ws_tensor_1d(Y, WS_F16, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile sum = ws_zeros(WS_F32, 16, 1);
        #pragma ws pipeline(auto)
        for (int k = 0; k < N; k += 512) {
            ws_tile row = ws_cast(ws_load_row(x, k, 512), WS_F32);
            sum = ws_add(sum, ws_row_sum(ws_mul(ws_cast(ws_load(a, i, k, 16, 512), WS_F32), row)));
        }
        ws_store_col(y, i, ws_cast(sum, WS_F16));
    }
}

/* B = A transposed, f16.  */
void transpose(int M, int N, const ws_f16 *A, ws_f16 *B)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, N), b = ws_tensor_2d(B, WS_F16, N, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 32)
            ws_store(b, j, i, ws_trans(ws_load(a, i, j, 32, 32)));
}

/* Rotary embedding: of M rows of heads, halves of 64; angles has a row for each position.  */
void rope(int M, int heads, const ws_f16 *X, const float *cosines, const float *sines, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_3d(X, WS_F16, M, heads, 128), y = ws_tensor_3d(Y, WS_F16, M, heads, 128);
    ws_tensor c = ws_tensor_2d(cosines, WS_F32, M, 64), s = ws_tensor_2d(sines, WS_F32, M, 64);

    #pragma ws grid(2)
    for (int i = 0; i < M; i++)
        for (int h = 0; h < heads; h += 16) {
            ws_tile low = ws_cast(ws_load_3d(x, i, h, 0, 16, 64), WS_F32);
            ws_tile high = ws_cast(ws_load_3d(x, i, h, 64, 16, 64), WS_F32);
            ws_tile cosine = ws_load_row_2d(c, i, 0, 64), sine = ws_load_row_2d(s, i, 0, 64);
            ws_store_3d(y, i, h, 0, ws_cast(ws_sub(ws_mul(low, cosine), ws_mul(high, sine)), WS_F16));
            ws_store_3d(y, i, h, 64, ws_cast(ws_add(ws_mul(high, cosine), ws_mul(low, sine)), WS_F16));
        }
}

/* How many of n bytes, a multiple of 4096, are each of 256 values.  */
void histogram(long n, const unsigned char *X, int *counts)
{
    int rows = (int)(n / 4096);
    ws_tensor x = ws_tensor_2d(X, WS_U8, rows, 4096), c = ws_tensor_2d(counts, WS_I32, 1, 256);

    #pragma ws grid(1)
    for (int i = 0; i < rows; i++) {
        ws_tile sum = ws_zeros(WS_I32, 1, 256);
        for (int j = 0; j < 4096; j += 64) {
            ws_tile part = ws_cast(ws_trans(ws_load(x, i, j, 1, 64)), WS_I32);
            ws_tile one = ws_select(ws_eq(part, ws_col_index(1, 256)), ws_full(WS_I32, 64, 256, 1), 0);
            sum = ws_add(sum, ws_col_sum(one));
        }
        ws_atomic_add(c, 0, 0, sum);
    }
}

/* Rows of a table, by their numbers; and the sum of gradients for each row.  */
void embedding(int M, int rows, int N, const ws_f16 *table, const int *index, ws_f16 *Y)
{
    ws_tensor t = ws_tensor_2d(table, WS_F16, rows, N), y = ws_tensor_2d(Y, WS_F16, M, N);
    ws_tensor n = ws_tensor_1d(index, WS_I32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 1024)
            ws_store(y, i, j, ws_load(t, ws_at(n, i), j, 1, 1024));
}

void embedding_gradient(int M, int rows, int N, const float *gradient, const int *index, float *table)
{
    ws_tensor t = ws_tensor_2d(table, WS_F32, rows, N), g = ws_tensor_2d(gradient, WS_F32, M, N);
    ws_tensor n = ws_tensor_1d(index, WS_I32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 1024)
            ws_atomic_add(t, ws_at(n, i), j, ws_load(g, i, j, 1, 1024));
}

/* ---- attention --------------------------------------------------------------------------------------------------- */

/* Of each head, L queries on L keys, lines of 64; scale is that of the scores.  */
void attention_64(int heads, int L, float scale, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, 64), k = ws_tensor_3d(K, WS_F16, heads, L, 64);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, 64), o = ws_tensor_3d(O, WS_F16, heads, L, 64);

    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += 128) {
            ws_tile tq = ws_load_3d(q, h, i, 0, 128, 64), acc = ws_zeros(WS_F32, 128, 64);
            ws_tile most = ws_full(WS_F32, 128, 1, -1e30), sum = ws_zeros(WS_F32, 128, 1);
            #pragma ws pipeline(auto)
            for (int j = 0; j < L; j += 128) {
                ws_tile s = ws_mul(ws_dot(tq, ws_trans(ws_load_3d(k, h, j, 0, 128, 64)), ws_zeros(WS_F32, 128, 128)),
                                   scale);
                s = ws_select(ws_lt(ws_col_index(1, 128), L - j), s, -1e30);
                ws_tile now = ws_max(most, ws_row_max(s)), p = ws_exp(ws_sub(s, now));
                ws_tile shrink = ws_exp(ws_sub(most, now));
                sum = ws_fma(sum, shrink, ws_row_sum(p));
                acc = ws_dot(ws_cast(p, WS_F16), ws_load_3d(v, h, j, 0, 128, 64), ws_mul(acc, shrink));
                most = now;
            }
            ws_store_3d(o, h, i, 0, ws_cast(ws_div(acc, sum), WS_F16));
        }
}

/* Linear attention without a mask: O = Q (K^T V), lines of 64; the state of each head is f16 between the grids.  */
void linear_attention(int heads, int L, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *state, ws_f16 *O)
{
    ws_tensor q = ws_tensor_3d(Q, WS_F16, heads, L, 64), k = ws_tensor_3d(K, WS_F16, heads, L, 64);
    ws_tensor v = ws_tensor_3d(V, WS_F16, heads, L, 64), o = ws_tensor_3d(O, WS_F16, heads, L, 64);
    ws_tensor s = ws_tensor_3d(state, WS_F16, heads, 64, 64);

    #pragma ws grid(1)
    for (int h = 0; h < heads; h++) {
        ws_tile acc = ws_zeros(WS_F32, 64, 64);
        #pragma ws pipeline(auto)
        for (int j = 0; j < L; j += 64)
            acc = ws_dot(ws_trans(ws_load_3d(k, h, j, 0, 64, 64)), ws_load_3d(v, h, j, 0, 64, 64), acc);
        ws_store_3d(s, h, 0, 0, ws_cast(acc, WS_F16));
    }
    #pragma ws grid(2)
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i += 128) {
            ws_tile acc = ws_dot(ws_load_3d(q, h, i, 0, 128, 64), ws_load_3d(s, h, 0, 0, 64, 64),
                                 ws_zeros(WS_F32, 128, 64));
            ws_store_3d(o, h, i, 0, ws_cast(acc, WS_F16));
        }
}

/* Of each of M points the nearest of N others, both of D numbers: the largest of x c - |c|^2 / 2.  */
void nearest(int M, int N, int D, const ws_f16 *X, const ws_f16 *C, const float *half, int *found)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, D), c = ws_tensor_2d(C, WS_F16, N, D);
    ws_tensor n = ws_tensor_1d(half, WS_F32, N), y = ws_tensor_1d(found, WS_I32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 128) {
        ws_tile most = ws_full(WS_F32, 128, 1, -INFINITY), at = ws_zeros(WS_I32, 128, 1);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 128) {
            ws_tile s = ws_dot(ws_load(x, i, 0, 128, 128), ws_trans(ws_load(c, j, 0, 128, 128)),
                               ws_zeros(WS_F32, 128, 128));
            s = ws_sub(s, ws_load_row(n, j, 128));
            s = ws_select(ws_lt(ws_col_index(1, 128), N - j), s, -INFINITY);
            ws_tile here = ws_row_max(s);
            at = ws_select(ws_gt(here, most), ws_add(ws_row_argmax(s), j), at);
            most = ws_max(most, here);
        }
        ws_store_col(y, i, at);
    }
}
