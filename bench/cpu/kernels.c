/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernels.c - functions of numeric programs, as loops (plain_NAME) and in tile calls (tiles_NAME).
 *
 * Both take the same arguments: three arrays that are read, one that is written, and its sizes. The loops are what a
 * C programmer writes; cpu.c times both.
 */
#include <math.h>
#include <ws.h>

#include "kernels.h"

#define T(array, type, rows, cols) ws_tensor_2d(array, type, rows, cols)

/* ---- elementwise ------------------------------------------------------------------------------------------------- */

void plain_axpy(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    for (long i = 0; i < M * N; i++)
        out[i] = 2.5f * x[i] + y[i];
}

void tiles_axpy(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    ws_tensor a = T(x, WS_F32, M, N), b = T(y, WS_F32, M, N), c = T(out, WS_F32, M, N);
    for (long i = 0; i < M; i += 16)
        for (long j = 0; j < N; j += 256)
            ws_store(c, i, j, ws_add(ws_mul(ws_load(a, i, j, 16, 256), 2.5f), ws_load(b, i, j, 16, 256)));
}

void plain_gelu(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    for (long i = 0; i < M * N; i++)
        out[i] = 0.5f * x[i] * (1 + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
}

void tiles_gelu(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    ws_tensor a = T(x, WS_F32, M, N), c = T(out, WS_F32, M, N);
    for (long i = 0; i < M; i += 16)
        for (long j = 0; j < N; j += 256) {
            ws_tile v = ws_load(a, i, j, 16, 256), cube = ws_mul(ws_mul(ws_mul(v, 0.044715f), v), v);
            ws_tile t = ws_tanh(ws_mul(ws_add(v, cube), 0.79788456f));
            ws_store(c, i, j, ws_mul(ws_mul(v, 0.5f), ws_add(t, 1)));
        }
}

/* One step of AdamW: gradient x, moments y and z; the new weights. */
void plain_adamw(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    for (long i = 0; i < M * N; i++) {
        float m = 0.9f * y[i] + 0.1f * x[i], v = 0.99f * fabsf(z[i]) + 0.01f * x[i] * x[i];
        out[i] = x[i] - 1e-3f * (m / (sqrtf(v) + 1e-8f) + 0.01f * x[i]);
    }
}

void tiles_adamw(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    ws_tensor a = T(x, WS_F32, M, N), b = T(y, WS_F32, M, N), d = T(z, WS_F32, M, N), c = T(out, WS_F32, M, N);
    for (long i = 0; i < M; i += 16)
        for (long j = 0; j < N; j += 256) {
            ws_tile g = ws_load(a, i, j, 16, 256);
            ws_tile m = ws_add(ws_mul(ws_load(b, i, j, 16, 256), 0.9f), ws_mul(g, 0.1f));
            ws_tile v = ws_add(ws_mul(ws_abs(ws_load(d, i, j, 16, 256)), 0.99f), ws_mul(ws_mul(g, 0.01f), g));
            ws_tile step = ws_add(ws_div(m, ws_add(ws_sqrt(v), 1e-8f)), ws_mul(g, 0.01f));
            ws_store(c, i, j, ws_sub(g, ws_mul(step, 1e-3f)));
        }
}

/* A product with the largest of 0. */
void plain_relu_mask(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    for (long i = 0; i < M * N; i++)
        out[i] = x[i] > 0 ? x[i] * y[i] : 0;
}

void tiles_relu_mask(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    ws_tensor a = T(x, WS_F32, M, N), b = T(y, WS_F32, M, N), c = T(out, WS_F32, M, N);
    for (long i = 0; i < M; i += 16)
        for (long j = 0; j < N; j += 256) {
            ws_tile v = ws_load(a, i, j, 16, 256);
            ws_store(c, i, j, ws_select(ws_gt(v, 0), ws_mul(v, ws_load(b, i, j, 16, 256)), 0));
        }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

void plain_softmax(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    for (long i = 0; i < M; i++) {
        float top = x[i * N], sum = 0;
        for (long j = 1; j < N; j++)
            top = x[i * N + j] > top ? x[i * N + j] : top;
        for (long j = 0; j < N; j++)
            sum += out[i * N + j] = expf(x[i * N + j] - top);
        for (long j = 0; j < N; j++)
            out[i * N + j] /= sum;
    }
}

void tiles_softmax(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    ws_tensor a = T(x, WS_F32, M, N), c = T(out, WS_F32, M, N);
    for (long i = 0; i < M; i += 8) {
        ws_tile v = ws_load(a, i, 0, 8, CPU_COLS), e = ws_exp(ws_sub(v, ws_row_max(v)));
        ws_store(c, i, 0, ws_div(e, ws_row_sum(e)));
    }
}

void plain_layernorm(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    for (long i = 0; i < M; i++) {
        float sum = 0, square = 0;
        for (long j = 0; j < N; j++)
            sum += x[i * N + j];
        float mean = sum / (float)N;
        for (long j = 0; j < N; j++)
            square += (x[i * N + j] - mean) * (x[i * N + j] - mean);
        float scale = 1 / sqrtf(square / (float)N + 1e-5f);
        for (long j = 0; j < N; j++)
            out[i * N + j] = (x[i * N + j] - mean) * scale * y[j] + z[j];
    }
}

void tiles_layernorm(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    ws_tensor a = T(x, WS_F32, M, N), c = T(out, WS_F32, M, N);
    ws_tensor gain = ws_tensor_1d(y, WS_F32, N), bias = ws_tensor_1d(z, WS_F32, N);
    for (long i = 0; i < M; i += 8) {
        ws_tile v = ws_load(a, i, 0, 8, CPU_COLS), d = ws_sub(v, ws_div(ws_row_sum(v), (float)N));
        ws_tile scale = ws_rsqrt(ws_add(ws_div(ws_row_sum(ws_mul(d, d)), (float)N), 1e-5f));
        ws_tile g = ws_load_row(gain, 0, CPU_COLS), b = ws_load_row(bias, 0, CPU_COLS);
        ws_store(c, i, 0, ws_add(ws_mul(ws_mul(d, scale), g), b));
    }
}

void plain_col_sum(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    for (long j = 0; j < N; j++)
        out[j] = 0;
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++)
            out[j] += x[i * N + j];
}

void tiles_col_sum(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    ws_tensor a = T(x, WS_F32, M, N), c = ws_tensor_1d(out, WS_F32, N);
    for (long j = 0; j < N; j += 128) {
        ws_tile sum = ws_zeros(WS_F32, 1, 128);
        for (long i = 0; i < M; i += 32)
            sum = ws_add(sum, ws_col_sum(ws_load(a, i, j, 32, 128)));
        ws_store_row(c, j, sum);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

void plain_gemm(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    for (long i = 0; i < M; i++) {
        for (long j = 0; j < N; j++)
            out[i * N + j] = 0;
        for (long k = 0; k < N; k++)
            for (long j = 0; j < N; j++)
                out[i * N + j] += x[i * N + k] * y[k * N + j];
    }
}

void tiles_gemm(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    ws_tensor a = T(x, WS_F32, M, N), b = T(y, WS_F32, N, N), c = T(out, WS_F32, M, N);
    for (long i = 0; i < M; i += 64)
        for (long j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 64, 128);
            for (long k = 0; k < N; k += 64)
                acc = ws_dot_f32(ws_load(a, i, k, 64, 64), ws_load(b, k, j, 64, 128), acc);
            ws_store(c, i, j, acc);
        }
}

/* x times y with its rows as columns. */
void plain_gemm_nt(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            float sum = 0;
            for (long k = 0; k < N; k++)
                sum += x[i * N + k] * y[j * N + k];
            out[i * N + j] = sum;
        }
}

void tiles_gemm_nt(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    ws_tensor a = T(x, WS_F32, M, N), b = T(y, WS_F32, N, N), c = T(out, WS_F32, M, N);
    for (long i = 0; i < M; i += 64)
        for (long j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 64, 128);
            for (long k = 0; k < N; k += 64)
                acc = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 128, 64)), acc);
            ws_store(c, i, j, acc);
        }
}

void plain_gemv(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    for (long i = 0; i < M; i++) {
        float sum = 0;
        for (long j = 0; j < N; j++)
            sum += x[i * N + j] * y[j];
        out[i] = sum;
    }
}

void tiles_gemv(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    ws_tensor a = T(x, WS_F32, M, N), b = ws_tensor_1d(y, WS_F32, N), c = ws_tensor_1d(out, WS_F32, M);
    for (long i = 0; i < M; i += 32) {
        ws_tile sum = ws_zeros(WS_F32, 32, 1);
        for (long j = 0; j < N; j += 256)
            sum = ws_add(sum, ws_row_sum(ws_mul(ws_load(a, i, j, 32, 256), ws_load_row(b, j, 256))));
        ws_store_col(c, i, sum);
    }
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

void plain_transpose(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++)
            out[j * M + i] = x[i * N + j];
}

void tiles_transpose(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    ws_tensor a = T(x, WS_F32, M, N), c = T(out, WS_F32, N, M);
    for (long i = 0; i < M; i += 64)
        for (long j = 0; j < N; j += 64)
            ws_store(c, j, i, ws_trans(ws_load(a, i, j, 64, 64)));
}

/* Five points. */
void plain_stencil(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    for (long i = 1; i < M - 1; i++)
        for (long j = 1; j < N - 1; j++)
            out[i * N + j] =
                0.2f * (x[i * N + j] + x[i * N + j - 1] + x[i * N + j + 1] + x[(i - 1) * N + j] + x[(i + 1) * N + j]);
}

void tiles_stencil(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)y, (void)z;
    ws_tensor a = T(x, WS_F32, M, N), c = T(out, WS_F32, M, N);
    c = ws_slice(ws_slice(c, 0, 1, M - 1), 1, 1, N - 1);
    for (long i = 1; i < M - 1; i += 16)
        for (long j = 1; j < N - 1; j += 256) {
            ws_tile sum = ws_add(ws_load(a, i, j, 16, 256), ws_load(a, i, j - 1, 16, 256));
            sum = ws_add(ws_add(sum, ws_load(a, i, j + 1, 16, 256)), ws_load(a, i - 1, j, 16, 256));
            sum = ws_add(sum, ws_load(a, i + 1, j, 16, 256));
            ws_store(c, i - 1, j - 1, ws_mul(sum, 0.2f));
        }
}

/* The weights are f16, as bits. */
void plain_half(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    const _Float16 *w = (const _Float16 *)(const void *)y;
    _Float16 *to = (_Float16 *)(void *)out;
    for (long i = 0; i < M * N; i++)
        to[i] = (_Float16)(x[i] * (float)w[i]);
}

void tiles_half(long M, long N, const float *x, const float *y, const float *z, float *out)
{
    (void)z;
    ws_tensor a = T(x, WS_F32, M, N), b = T((const ws_f16 *)(const void *)y, WS_F16, M, N);
    ws_tensor c = T((ws_f16 *)(void *)out, WS_F16, M, N);
    for (long i = 0; i < M; i += 16)
        for (long j = 0; j < N; j += 256)
            ws_store(c, i, j,
                     ws_cast(ws_mul(ws_load(a, i, j, 16, 256), ws_cast(ws_load(b, i, j, 16, 256), WS_F32)), WS_F16));
}
