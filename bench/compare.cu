/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.cu - times what the compiler makes of kernels.c beside cuBLASLt and beside kernels written by hand.
 *
 * compare [gemm|attention|softmax]: random normal inputs.  The candidates run in alternation, 15 rounds; printed are medians
 * in TFLOP/s and, for a product, the median of the rounds' ratios to cuBLASLt's fastest of 32 with the ratios' quartiles.
 * "by hand" are the kernels of tests/gpu/handwritten, whose results are checked there; those of kernels.c are checked here
 * against them on the arrays that are timed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <functional>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <ws.h>

#include "cublaslt.h"
#include "kernels.h"

extern "C" void ws_launch_gemm(int M, int N, int K, const void *A, const void *B, const void *C);
extern "C" void ws_launch_gemm_pingpong(int M, int N, int K, const void *A, const void *B, const void *C);
extern "C" void ws_launch_attention(int heads, int L, float scale, const void *Q, const void *K, const void *V,
                                    const void *O);
extern "C" void ws_launch_softmax_rows(int M, int N, const void *X, const void *Y);

enum { ROUNDS = 15 };

__global__ void fill_normal(__half *x, size_t n, unsigned long long seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned long long z = (i + seed) * 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        z ^= z >> 31;
        float u = ((unsigned)z + 0.5f) * 0x1p-32f, v = (unsigned)(z >> 32) * 0x1p-32f;
        x[i] = __float2half(sqrtf(-2 * logf(u)) * cosf(6.2831853f * v));
    }
}

static __half *random_device(size_t n)
{
    static unsigned long long seed = 12345;
    __half *x = nullptr;
    if (cudaMalloc(&x, n * sizeof *x) != cudaSuccess) {
        fprintf(stderr, "out of device memory\n");
        exit(1);
    }
    fill_normal<<<1024, 256>>>(x, n, seed += n);
    return x;
}

/* Milliseconds of one run, over as many as fill about 6 ms.  */
static float sample(const std::function<void()> &run, int repeats)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int i = 0; i < repeats; i++)
        run();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return ms / repeats;
}

static float quantile(std::vector<float> x, double q)
{
    std::sort(x.begin(), x.end());
    return x[(size_t)(q * (double)(x.size() - 1) + 0.5)];
}

struct candidate {
    const char *name;
    std::function<void()> run;
    std::vector<float> ms;
};

static void alternate(std::vector<candidate> &all)
{
    for (candidate &c : all)
        c.run();
    cudaDeviceSynchronize();
    float first = sample(all[0].run, 2);
    int repeats = std::max(1, (int)(6 / first));
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < all.size(); i++) {
            candidate &c = all[(i + round) % all.size()];
            c.ms.push_back(sample(c.run, repeats));
        }
}

/* Each candidate must write what the first one writes, to a few units of f16: products that cancel are held to the size of
   their terms, not of their sum.  */
static void same_results(const std::function<void()> &reference, __half *out, std::vector<std::function<void()>> others, size_t n)
{
    n = std::min(n, (size_t)1 << 24);
    std::vector<__half> want(n), got(n);
    reference();
    cudaMemcpy(want.data(), out, n * sizeof(__half), cudaMemcpyDeviceToHost);
    double scale = 0;
    for (size_t i = 0; i < n; i++)
        scale += fabs((double)__half2float(want[i]));
    scale /= (double)n;
    for (const std::function<void()> &run : others) {
        cudaMemset(out, 0xff, n * sizeof(__half));
        run();
        cudaMemcpy(got.data(), out, n * sizeof(__half), cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < n; i++) {
            double x = __half2float(want[i]), y = __half2float(got[i]);
            if (!(fabs(x - y) <= 2e-3 * fabs(x) + 1e-3 * scale)) {
                printf("WRONG at %zu: %g instead of %g\n", i, y, x);
                exit(1);
            }
        }
    }
}

static void bench_gemm()
{
    const int M = 8192, N = 8192;
    const int depths[] = {256, 512, 1024, 2048, 4096, 8192, 16384};
    printf("gemm fp16 M=N=8192: TFLOP/s (ratio to cuBLASLt fastest of 32: median [quartiles])\n");
    for (int K : depths) {
        __half *A = random_device((size_t)M * K), *B = random_device((size_t)N * K), *C = random_device((size_t)M * N);
        cublaslt_plan *first = cublaslt_prepare(M, N, K, A, B, C, 1), *best = cublaslt_prepare(M, N, K, A, B, C, 32);
        std::vector<candidate> all = {{"lt-best", [&] { cublaslt_run(best, A, B, C); }, {}},
                                      {"lt-first", [&] { cublaslt_run(first, A, B, C); }, {}},
                                      {"rows", [&] { product_rows(M, N, K, A, B, C); }, {}},
                                      {"tiles", [&] { product_tiles(M, N, K, A, B, C); }, {}},
                                      {"rows-by-hand", [&] { ws_launch_gemm(M, N, K, A, B, C); }, {}},
                                      {"tiles-by-hand", [&] { ws_launch_gemm_pingpong(M, N, K, A, B, C); }, {}}};
        same_results(all[0].run, C, {all[2].run, all[3].run}, (size_t)M * N);
        alternate(all);
        double work = 2.0 * M * N * K * 1e-9;
        printf("K=%5d (%d of %d)", K, cublaslt_chosen(best), cublaslt_count(best));
        for (candidate &c : all) {
            std::vector<float> ratio;
            for (int r = 0; r < ROUNDS; r++)
                ratio.push_back(all[0].ms[r] / c.ms[r]);
            printf("  %s %.0f", c.name, work / quantile(c.ms, 0.5));
            if (c.name[0] != 'l')
                printf(" (%.3f [%.3f %.3f])", quantile(ratio, 0.5), quantile(ratio, 0.25), quantile(ratio, 0.75));
        }
        printf("\n");
        fflush(stdout);
        cublaslt_free(first);
        cublaslt_free(best);
        cudaFree(A);
        cudaFree(B);
        cudaFree(C);
    }
}

static void bench_attention()
{
    printf("attention fp16 forward, 128 heads of 128 (batch 4 x 32): TFLOP/s median [quartiles]\n");
    for (int L = 1024; L <= 16384; L *= 2) {
        size_t n = (size_t)128 * L * 128;
        __half *Q = random_device(n), *K = random_device(n), *V = random_device(n), *O = random_device(n);
        std::vector<candidate> all = {
            {"compiled", [&] { attend(128, L, 0.08838834764f * 1.44269504f, Q, K, V, O); }, {}},
            {"by-hand", [&] { ws_launch_attention(128, L, 0.08838834764f * 1.44269504f, Q, K, V, O); }, {}}};
        same_results(all[1].run, O, {all[0].run}, n);
        alternate(all);
        double work = 4.0 * L * L * 128 * 128 * 1e-9;
        printf("L=%5d", L);
        for (candidate &c : all)
            printf("  %s %.0f [%.0f %.0f]", c.name, work / quantile(c.ms, 0.5), work / quantile(c.ms, 0.75),
                   work / quantile(c.ms, 0.25));
        printf("\n");
        fflush(stdout);
        cudaFree(Q);
        cudaFree(K);
        cudaFree(V);
        cudaFree(O);
    }
}

static void bench_softmax()
{
    const int M = 1 << 20, N = 1024;
    size_t n = (size_t)M * N;
    __half *X = random_device(n), *Y = random_device(n);
    std::vector<candidate> all = {{"copy", [&] { cudaMemcpyAsync(Y, X, n * 2, cudaMemcpyDeviceToDevice); }, {}},
                                  {"compiled", [&] { softmax(M, N, X, Y); }, {}},
                                  {"by-hand", [&] { ws_launch_softmax_rows(M, N, X, Y); }, {}}};
    same_results(all[2].run, Y, {all[1].run}, n);
    alternate(all);
    for (candidate &c : all)
        printf("%s %dx%d fp16: %.2f TB/s\n", c.name, M, N, 4.0 * (double)n * 1e-9 / quantile(c.ms, 0.5));
    cudaFree(X);
    cudaFree(Y);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    if (!*which || !strcmp(which, "gemm"))
        bench_gemm();
    if (!*which || !strcmp(which, "attention"))
        bench_attention();
    if (!*which || !strcmp(which, "softmax"))
        bench_softmax();
    ws_status status = ws_last_error();
    if (status)
        printf("error: %s\n", ws_error_message());
    cudaError_t error = cudaDeviceSynchronize();
    if (error)
        printf("error: %s\n", cudaGetErrorString(error));
    return status || error;
}
