/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arrays.cu - operands on the device, and results against float64. */
#include "arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

enum { SAMPLES = 4096, THREADS = 128 };

int element_bytes(ws_dtype type)
{
    return type == WS_F64 ? 8 : type == WS_F32 || type == WS_I32 ? 4 : type == WS_F16 || type == WS_BF16 ? 2 : 1;
}

const char *element_name(ws_dtype type)
{
    static const char *const names[] = {"f32", "f64", "f16", "bf16", "e4m3", "e5m2", "i8", "i32"};
    return names[type - WS_F32];
}

void *array_new(size_t bytes)
{
    void *array = nullptr;
    if (cudaMalloc(&array, bytes ? bytes : 1) != cudaSuccess) {
        fprintf(stderr, "out of device memory\n");
        exit(1);
    }
    return array;
}

void array_free(void *array)
{
    cudaFree(array);
}

void array_poison(void *array, size_t bytes)
{
    cudaMemset(array, 0xff, bytes);
}

static __global__ void copy_all(uint4 *to, const uint4 *from, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        uint4 x[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            x[e] = __ldcs(from + i + e * step);
#pragma unroll
        for (int e = 0; e < 4; e++)
            __stcs(to + i + e * step, x[e]);
    }
    for (; i < n; i += step)
        to[i] = from[i];
}

void array_copy(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    copy_all<<<132 * 8, 256, 0, stream>>>((uint4 *)to, (const uint4 *)from, bytes / 16);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static __device__ double get(ws_dtype type, const void *array, size_t i)
{
    switch (type) {
    case WS_F64:
        return ((const double *)array)[i];
    case WS_F32:
        return ((const float *)array)[i];
    case WS_F16:
        return __half2float(((const __half *)array)[i]);
    case WS_BF16:
        return __bfloat162float(((const __nv_bfloat16 *)array)[i]);
    case WS_E4M3:
        return (float)((const __nv_fp8_e4m3 *)array)[i];
    case WS_E5M2:
        return (float)((const __nv_fp8_e5m2 *)array)[i];
    case WS_I8:
        return ((const signed char *)array)[i];
    default:
        return ((const int *)array)[i];
    }
}

static __device__ void put(ws_dtype type, void *array, size_t i, float x)
{
    switch (type) {
    case WS_F32: /* to the 10 bits of tf32 */
        ((float *)array)[i] = __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000u);
        break;
    case WS_F64:
        ((double *)array)[i] = x * 1.0000000596046447754;
        break;
    case WS_F16:
        ((__half *)array)[i] = __float2half(x);
        break;
    case WS_BF16:
        ((__nv_bfloat16 *)array)[i] = __float2bfloat16(x);
        break;
    case WS_E4M3:
        ((__nv_fp8_e4m3 *)array)[i] = __nv_fp8_e4m3(x);
        break;
    case WS_E5M2:
        ((__nv_fp8_e5m2 *)array)[i] = __nv_fp8_e5m2(x);
        break;
    case WS_I8:
        ((signed char *)array)[i] = (signed char)fminf(fmaxf(rintf(30 * x), -127), 127);
        break;
    default:
        break;
    }
}

static __device__ unsigned long long scramble(unsigned long long z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static __global__ void fill_normal(ws_dtype type, void *array, size_t n, unsigned long long seed, bool whole)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned long long z = scramble((i + (seed << 40)) * 0x9e3779b97f4a7c15ULL + seed);
        float u = ((unsigned)z + 0.5f) * 0x1p-32f, v = (unsigned)(z >> 32) * 0x1p-32f;
        float x = sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
        if (whole && type == WS_F32)
            ((float *)array)[i] = x;
        else
            put(type, array, i, x);
    }
}

void *array_random(ws_dtype type, size_t count, unsigned seed)
{
    void *array = array_new(count * (size_t)element_bytes(type));
    fill_normal<<<1024, 256>>>(type, array, count, seed, false);
    return array;
}

void *array_random_whole(ws_dtype type, size_t count, unsigned seed)
{
    void *array = array_new(count * (size_t)element_bytes(type));
    fill_normal<<<1024, 256>>>(type, array, count, seed, true);
    return array;
}

static __global__ void scale_all(ws_dtype type, void *array, size_t n, float factor)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        put(type, array, i, factor * (float)get(type, array, i));
}

void array_scale(ws_dtype type, void *array, size_t count, float factor)
{
    scale_all<<<1024, 256>>>(type, array, count, factor);
}

/* ---- a gated block ----------------------------------------------------------------------------------------------- */

static __device__ unsigned gate_pair(unsigned gates, unsigned values)
{
    float2 g = __bfloat1622float2(*(__nv_bfloat162 *)&gates), x = __bfloat1622float2(*(__nv_bfloat162 *)&values);
    x.x *= __fdividef(g.x, 1 + __expf(-g.x));
    x.y *= __fdividef(g.y, 1 + __expf(-g.y));
    __nv_bfloat162 y = __float22bfloat162_rn(x);
    return *(unsigned *)&y;
}

/* A row in y, 16 bytes of it a thread. */
static __global__ void activate_rows(uint4 *H, const uint4 *both, int pieces)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pieces)
        return;
    const uint4 *row = both + (size_t)blockIdx.y * 2 * pieces;
    const uint4 g = __ldcs(row + i), x = __ldcs(row + pieces + i);
    H[(size_t)blockIdx.y * pieces + i] =
        make_uint4(gate_pair(g.x, x.x), gate_pair(g.y, x.y), gate_pair(g.z, x.z), gate_pair(g.w, x.w));
}

void array_activate(void *H, const void *both, int M, int N, cudaStream_t stream)
{
    const int pieces = N / 8;
    activate_rows<<<dim3((pieces + 127) / 128, M), 128, 0, stream>>>((uint4 *)H, (const uint4 *)both, pieces);
}

/* ---- against float64 --------------------------------------------------------------------------------------------- */

static __device__ double after(const array_product &p, double x, int row, int col)
{
    if (p.scale)
        x *= *p.scale;
    if (p.row_scale)
        x *= p.row_scale[row];
    if (p.col_scale)
        x *= p.col_scale[col];
    if (p.bias)
        x += p.bias[col];
    if (p.then == THEN_GELU)
        x *= 0.5 * (1 + erf(x * 0.70710678118654752));
    else if (p.then == THEN_SILU)
        x /= 1 + exp(-x);
    if (p.residual)
        x += get(WS_F16, p.residual, (size_t)row * p.N + col);
    return x;
}

static __device__ double sum_of_block(double x)
{
    __shared__ double parts[THREADS];
    parts[threadIdx.x] = x;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    x = parts[0];
    __syncthreads();
    return x;
}

/* One element a block; the first four are the corners. */
static __global__ void sample_errors(array_product p, double u_out, double u_sum, double *errors)
{
    unsigned long long z = scramble(blockIdx.x * 0x9e3779b97f4a7c15ULL + 1);
    int row = blockIdx.x < 4 ? (blockIdx.x & 1) * (p.M - 1) : (int)((z & 0xffffffff) * p.M >> 32);
    int col = blockIdx.x < 4 ? (blockIdx.x >> 1) * (p.N - 1) : (int)((z >> 32) * p.N >> 32);
    double sum = 0, rest = 0, magnitude = 0; /* rest: what a product, or a sum, is cut off */
    for (int k = threadIdx.x; k < p.K; k += THREADS) {
        double a = get(p.a_type, p.A, p.trans_a ? k * p.lda + row : row * p.lda + k);
        double b = get(p.b_type, p.B, p.trans_b ? k * p.ldb + col : col * p.ldb + k);
        const double product = a * b, next = sum + product, part = next - sum;
        rest += fma(a, b, -product) + ((sum - (next - part)) + (product - part));
        sum = next;
        magnitude += fabs(product);
    }
    sum = sum_of_block(sum) + sum_of_block(rest);
    magnitude = sum_of_block(magnitude);
    if (threadIdx.x)
        return;
    double want = after(p, sum, row, col), got = get(p.c_type, p.C, row * p.ldc + col);
    if (p.scale)
        magnitude *= fabs(*p.scale);
    if (p.row_scale)
        magnitude *= fabs(p.row_scale[row]);
    if (p.col_scale)
        magnitude *= fabs(p.col_scale[col]);
    double bound = 2 * u_out * fabs(want) + 4 * sqrt((double)p.K) * u_sum * magnitude + 1e-30;
    if (p.c_type == WS_F16 || p.c_type == WS_BF16)
        bound += 6e-8;
    if (p.c_type == WS_E4M3)
        bound += 0x1p-9, want = fmin(fmax(want, -448.0), 448.0);
    double error = fabs(got - want) / bound;
    errors[blockIdx.x] = isnan(error) ? INFINITY : error;
}

static __global__ void count_nans(array_product p, int *count)
{
    for (int row = blockIdx.x; row < p.M; row += gridDim.x)
        for (int col = threadIdx.x; col < p.N; col += blockDim.x)
            if (isnan(get(p.c_type, p.C, row * p.ldc + col)))
                atomicAdd(count, 1);
}

/* One element a block; the bound is that of both sums, each as large as the other factor makes it. */
static __global__ void sample_gated_errors(int M, int N, int K, const void *X, const void *G, const void *U,
                                           const void *H, double u_out, double *errors)
{
    unsigned long long z = scramble(blockIdx.x * 0x9e3779b97f4a7c15ULL + 1);
    const size_t row = (z & 0xffffffff) * M >> 32, col = (z >> 32) * N >> 32;
    double sums[2] = {0, 0}, magnitudes[2] = {0, 0};
    for (int half = 0; half < 2; half++) {
        for (int k = threadIdx.x; k < K; k += THREADS) {
            double product = get(WS_BF16, X, row * K + k) * get(WS_BF16, half ? U : G, col * K + k);
            sums[half] += product;
            magnitudes[half] += fabs(product);
        }
        sums[half] = sum_of_block(sums[half]);
        magnitudes[half] = sum_of_block(magnitudes[half]);
    }
    if (threadIdx.x)
        return;
    double silu = sums[0] / (1 + exp(-sums[0])), want = silu * sums[1];
    double bound = 4 * sqrt((double)K) * 0x1p-24 * (1.1 * magnitudes[0] * fabs(sums[1]) + magnitudes[1] * fabs(silu));
    double error = fabs(get(WS_BF16, H, row * N + col) - want) / (2 * u_out * fabs(want) + bound + 6e-8);
    errors[blockIdx.x] = isnan(error) ? INFINITY : error;
}

/* The worst of the samples, which are freed. */
static double worst_of(double *on_device)
{
    static double errors[SAMPLES];
    double worst = 0;
    cudaMemcpy(errors, on_device, sizeof errors, cudaMemcpyDeviceToHost);
    array_free(on_device);
    for (int i = 0; i < SAMPLES; i++)
        worst = fmax(worst, errors[i]);
    return cudaGetLastError() != cudaSuccess ? INFINITY : worst;
}

double array_gated_error(int M, int N, int K, const void *X, const void *G, const void *U, const void *H, double u)
{
    double *on_device = (double *)array_new(SAMPLES * sizeof(double));
    sample_gated_errors<<<SAMPLES, THREADS>>>(M, N, K, X, G, U, H, u, on_device);
    return worst_of(on_device);
}

double array_error(const array_product *p)
{
    bool short_sums = element_bytes(p->a_type) == 1 && p->a_type != WS_I8;
    double *on_device = (double *)array_new(SAMPLES * sizeof(double));
    int *nans = (int *)array_new(sizeof *nans), found = 0;
    cudaMemset(nans, 0, sizeof *nans);
    sample_errors<<<SAMPLES, THREADS>>>(*p, p->u_out,
                                        short_sums            ? 0x1p-13
                                        : p->c_type == WS_F64 ? 0x1p-53
                                                              : 0x1p-24,
                                        on_device);
    if (p->c_type != WS_I32)
        count_nans<<<1024, 256>>>(*p, nans);
    cudaMemcpy(&found, nans, sizeof found, cudaMemcpyDeviceToHost);
    array_free(nans);
    const double worst = worst_of(on_device);
    return found ? INFINITY : worst;
}

/* One row a block. */
static __global__ void softmax_errors(int M, int N, const void *X, const void *Y, double u, double *errors)
{
    __shared__ double parts[THREADS];
    unsigned long long z = scramble(blockIdx.x * 0x9e3779b97f4a7c15ULL + 1);
    const size_t row = ((z & 0xffffffff) * M >> 32) * N;
    double most = -INFINITY, sum = 0, worst = 0;
    for (int col = 0; col < N; col++)
        most = fmax(most, get(WS_F16, X, row + col));
    for (int col = threadIdx.x; col < N; col += THREADS)
        sum += exp(get(WS_F16, X, row + col) - most);
    sum = sum_of_block(sum);
    for (int col = threadIdx.x; col < N; col += THREADS) {
        double want = exp(get(WS_F16, X, row + col) - most) / sum;
        double error = fabs(get(WS_F16, Y, row + col) - want) / (2 * u * want + 6e-8);
        worst = fmax(worst, isnan(error) ? INFINITY : error);
    }
    parts[threadIdx.x] = worst;
    __syncthreads();
    for (int i = 0; i < THREADS; i++)
        worst = fmax(worst, parts[i]);
    if (!threadIdx.x)
        errors[blockIdx.x] = worst;
}

double array_softmax_error(int M, int N, const void *X, const void *Y, double u)
{
    double *on_device = (double *)array_new(SAMPLES * sizeof(double));
    softmax_errors<<<SAMPLES, THREADS>>>(M, N, X, Y, u, on_device);
    return worst_of(on_device);
}
