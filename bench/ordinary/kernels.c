/* SPDX-License-Identifier: MIT */
/*
 * kernels.c - what bench/run ordinary times: kernels as somebody new writes them, whose bound is memory.
 *
 * No clause but pipeline(auto), no constant that a GPU asked for.
 */
#include <math.h>
#include <ws.h>

enum { PARAMETERS = 1024 }; /* in a row of the views */

/* One step of AdamW on n parameters: seven streams of f32.  */
void adamw(long n, float rate, float beta1, float beta2, float decay, float epsilon, float correction1,
           float correction2, float *P, const float *G, float *M, float *V)
{
    int rows = (int)(n / PARAMETERS);
    ws_tensor p = ws_tensor_2d(P, WS_F32, rows, PARAMETERS), g = ws_tensor_2d(G, WS_F32, rows, PARAMETERS);
    ws_tensor m = ws_tensor_2d(M, WS_F32, rows, PARAMETERS), v = ws_tensor_2d(V, WS_F32, rows, PARAMETERS);
    float keep1 = 1 - beta1, keep2 = 1 - beta2, shrink = 1 - rate * decay;

    #pragma ws grid(2)
    for (int i = 0; i < rows; i += 4)
        for (int j = 0; j < PARAMETERS; j += 256) {
            ws_tile x = ws_load(p, i, j, 4, 256), dx = ws_load(g, i, j, 4, 256);
            ws_tile first = ws_add(ws_mul(ws_load(m, i, j, 4, 256), beta1), ws_mul(dx, keep1));
            ws_tile second = ws_add(ws_mul(ws_load(v, i, j, 4, 256), beta2), ws_mul(ws_mul(dx, dx), keep2));
            ws_tile step = ws_div(ws_mul(first, correction1),
                                  ws_add(ws_sqrt(ws_mul(second, correction2)), epsilon));
            ws_store(p, i, j, ws_sub(ws_mul(x, shrink), ws_mul(step, rate)));
            ws_store(m, i, j, first);
            ws_store(v, i, j, second);
        }
}

/* y = A x, f16; A has M rows of N.  */
void gemv(int M, int N, const ws_f16 *A, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, N), x = ws_tensor_1d(X, WS_F16, N), y = ws_tensor_1d(Y, WS_F16, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile sum = ws_zeros(WS_F32, 16, 1);
        #pragma ws pipeline(auto)
        for (int k = 0; k < N; k += 512) {
            ws_tile part = ws_mul(ws_cast(ws_load(a, i, k, 16, 512), WS_F32),
                                  ws_cast(ws_load_row(x, k, 512), WS_F32));
            sum = ws_add(sum, ws_row_sum(part));
        }
        ws_store_col(y, i, ws_cast(sum, WS_F16));
    }
}

/* B = A transposed, f16.  */
void transpose(int M, int N, const ws_f16 *A, ws_f16 *B)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, N), b = ws_tensor_2d(B, WS_F16, N, M);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(b, j, i, ws_trans(ws_load(a, i, j, 64, 64)));
}

static inline ws_tile softmax_of(ws_tile t)
{
    ws_tile e = ws_exp(ws_sub(t, ws_row_max(t)));
    return ws_div(e, ws_row_sum(e));
}

/* Softmax of rows of up to 1024 and 4096 columns, f16: a row fits the registers of a block.  */
void softmax_1k(int M, int N, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 4)
        ws_store(y, i, 0, ws_cast(softmax_of(ws_cast(ws_load_or(x, i, 0, 4, 1024, -INFINITY), WS_F32)), WS_F16));
}

void softmax_4k(int M, int N, const ws_f16 *X, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 2)
        ws_store(y, i, 0, ws_cast(softmax_of(ws_cast(ws_load_or(x, i, 0, 2, 4096, -INFINITY), WS_F32)), WS_F16));
}

/* y = x / sqrt(mean x^2 + epsilon) * scale, bf16, in two passes over each row.  */
void rmsnorm(int M, int N, float epsilon, const ws_bf16 *X, const float *scale, ws_bf16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, N), y = ws_tensor_2d(Y, WS_BF16, M, N);
    ws_tensor g = ws_tensor_1d(scale, WS_F32, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile sum = ws_zeros(WS_F32, 16, 1);
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 256) {
            ws_tile t = ws_cast(ws_load(x, i, j, 16, 256), WS_F32);
            sum = ws_add(sum, ws_row_sum(ws_mul(t, t)));
        }
        ws_tile r = ws_rsqrt(ws_add(ws_div(sum, N), epsilon));
        #pragma ws pipeline(auto)
        for (int j = 0; j < N; j += 256) {
            ws_tile t = ws_cast(ws_load(x, i, j, 16, 256), WS_F32);
            ws_store(y, i, j, ws_cast(ws_mul(ws_mul(t, r), ws_load_row(g, j, 256)), WS_BF16));
        }
    }
}
