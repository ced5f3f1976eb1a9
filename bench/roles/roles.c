/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * roles.c - what a role that prepares an operand costs: samples/gemm_w8a16.c (int8 weights, f16 activations) beside our
 * products of f16 and cuBLASLt's.  bench/run roles builds and runs it; 21 alternating rounds, results checked in
 * double.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../arrays.h"
#include "../cublaslt.h"
#include "../measure.h"

typedef void product_f16(int M, int N, int K, const void *A, const void *B, void *C);
product_f16 product_256x128, product_128x256;
void gemm_w8a16(int M, int N, int K, const void *A, const void *W, const void *scales, void *C);

typedef struct {
    int M, N, K;
    void *activations, *weights, *weights_f16, *scales, *C;
    product_f16 *product; /* NULL: gemm_w8a16 */
} work;

static const float scale = 0.01f; /* of each column */

static void run(void *context, cudaStream_t stream)
{
    const work *w = context;
    ws_set_stream(stream);
    if (w->product)
        w->product(w->M, w->N, w->K, w->activations, w->weights_f16, w->C);
    else
        gemm_w8a16(w->M, w->N, w->K, w->activations, w->weights, w->scales, w->C);
    ws_set_stream(NULL);
}

static void *fetched(const void *device, size_t bytes)
{
    void *host = malloc(bytes);
    if (!host || cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) {
        fprintf(stderr, "roles: no memory\n");
        exit(1);
    }
    return host;
}

/* The worst of 4096 elements, in errors allowed. */
static double error_of(const work *w)
{
    const size_t M = (size_t)w->M, N = (size_t)w->N, K = (size_t)w->K;
    unsigned short *A = fetched(w->activations, M * K * 2), *C = fetched(w->C, M * N * 2);
    signed char *W = fetched(w->weights, N * K);
    double worst = 0;
    for (size_t t = 0; t < 4096; t++) {
        const size_t i = t * 7919 % M, j = t * 104729 % N;
        double sum = 0, magnitude = 0;
        for (size_t k = 0; k < K; k++) {
            const double x = (double)ws_f16_to((ws_f16){.bits = A[i * K + k]}) * W[j * K + k];
            sum += x;
            magnitude += fabs(x);
        }
        const double got = ws_f16_to((ws_f16){.bits = C[i * N + j]}), want = sum * (double)scale;
        const double allowed =
            2 * 0x1p-11 * fabs(want) + 4 * sqrt((double)K) * 0x1p-24 * magnitude * (double)scale + 1e-6;
        const double error = fabs(got - want) / allowed;
        if (!(error <= worst))
            worst = error;
    }
    free(A);
    free(C);
    free(W);
    return worst;
}

static int compare(int M, int N, int K)
{
    const size_t m = (size_t)M, n = (size_t)N, k = (size_t)K;
    work w = {.M = M, .N = N, .K = K};
    w.activations = array_random(WS_F16, m * k, 1);
    w.weights = array_random(WS_I8, n * k, 2);
    w.weights_f16 = array_random(WS_F16, n * k, 3);
    w.scales = array_new(n * 4);
    w.C = array_new(m * n * 2);
    float *scales = malloc(n * 4);
    for (size_t j = 0; scales && j < n; j++)
        scales[j] = scale;
    if (!scales || cudaMemcpy(w.scales, scales, n * 4, cudaMemcpyHostToDevice) != cudaSuccess)
        return 0;
    array_poison(w.C, m * n * 2);
    run(&w, NULL);
    cudaDeviceSynchronize();
    const double error = error_of(&w);

    work tall = w, wide = w;
    tall.product = product_256x128;
    wide.product = product_128x256;
    cublaslt_problem problem = {
        .a_type = WS_F16, .b_type = WS_F16, .c_type = WS_F16, .batch = 1, .M = M, .N = N, .K = K};
    problem.lda = problem.ldb = K;
    problem.ldc = N;
    problem.A = w.activations;
    problem.B = w.weights_f16;
    problem.C = w.C;
    cublaslt_plan *plan = cublaslt_prepare(&problem, 32);
    candidate all[] = {{.name = "w8a16", .run = run, .context = &w},
                       {.name = "f16 256x128", .run = run, .context = &tall},
                       {.name = "f16 128x256", .run = run, .context = &wide},
                       {.name = "cuBLASLt f16", .run = cublaslt_run, .context = plan}};
    const measurement how = {.rounds = 21, .sample_ms = 6, .settle_s = 0.2};
    const int good = error <= 1 && measure(&how, all, 4);
    printf("%d x %d x %d: worst error %.3f of what is allowed\n", M, N, K, error);
    for (int i = 0; good && i < 4; i++) {
        const interval ratio = candidate_ratio(&all[0], &all[i]);
        printf("  %-14s %8.1f us %7.1f TFLOP/s; w8a16 is %.3f of it [%.3f %.3f]; %.0f MHz\n", all[i].name,
               1e3 * candidate_ms(&all[i]), 2e-9 * M * N * K / candidate_ms(&all[i]), ratio.middle, ratio.low,
               ratio.high, all[i].mhz);
    }
    cublaslt_free(plan);
    free(scales);
    void *const arrays[] = {w.activations, w.weights, w.weights_f16, w.scales, w.C};
    for (int i = 0; i < 5; i++)
        array_free(arrays[i]);
    return good;
}

int main(void)
{
    printf("%s\n", device_name());
    const int square = compare(4096, 4096, 4096), large = compare(8192, 8192, 8192), few = compare(256, 4096, 4096);
    return !(square && large && few);
}
