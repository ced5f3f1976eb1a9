/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cublaslt.cu - cuBLASLt at its best: every heuristic that it offers is timed on the arrays at hand, the fastest is kept.
 *
 * cuBLASLt counts columns first; there a row-major C = A B^T is C' (N x M) = B' transposed (N x K) times A' (K x M).
 */
#include "cublaslt.h"

#include <algorithm>
#include <vector>

#include <cublasLt.h>
#include <cuda_runtime.h>

static const size_t workspace_bytes = 64u << 20;

struct cublaslt_plan {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algorithm;
    void *workspace;
    int chosen, count;
};

void cublaslt_run(const cublaslt_plan *p, const void *A, const void *B, void *C)
{
    const float one = 1, zero = 0;
    cublasLtMatmul(p->handle, p->operation, &one, B, p->b, A, p->a, &zero, C, p->c, C, p->c, &p->algorithm,
                   p->workspace, workspace_bytes, 0);
}

/* Milliseconds of one run, the median of five batches.  */
static float time_run(const cublaslt_plan *p, const void *A, const void *B, void *C)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    cublaslt_run(p, A, B, C);
    for (int round = 0; round < 5; round++) {
        cudaEventRecord(begin);
        for (int i = 0; i < 3; i++)
            cublaslt_run(p, A, B, C);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        times.push_back(ms / 3);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return times[2];
}

cublaslt_plan *cublaslt_prepare(int M, int N, int K, const void *A, const void *B, void *C, int candidates)
{
    cublaslt_plan *p = new cublaslt_plan();
    cublasOperation_t transposed = CUBLAS_OP_T;
    cublasLtMatmulPreference_t preference;
    std::vector<cublasLtMatmulHeuristicResult_t> found((size_t)candidates);
    cublasLtCreate(&p->handle);
    cublasLtMatmulDescCreate(&p->operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(p->operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
    cublasLtMatrixLayoutCreate(&p->b, CUDA_R_16F, K, N, K);
    cublasLtMatrixLayoutCreate(&p->a, CUDA_R_16F, K, M, K);
    cublasLtMatrixLayoutCreate(&p->c, CUDA_R_16F, N, M, N);
    cudaMalloc(&p->workspace, workspace_bytes);
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                         sizeof workspace_bytes);
    cublasLtMatmulAlgoGetHeuristic(p->handle, p->operation, p->b, p->a, p->c, p->c, preference, candidates,
                                   found.data(), &p->count);
    cublasLtMatmulPreferenceDestroy(preference);
    if (p->count == 0) {
        cublaslt_free(p);
        return nullptr;
    }
    float best = 1e30f;
    for (int i = 0; i < p->count && p->count > 1; i++) {
        p->algorithm = found[i].algo;
        float ms = time_run(p, A, B, C);
        if (cudaGetLastError() == cudaSuccess && ms < best) {
            best = ms;
            p->chosen = i;
        }
    }
    p->algorithm = found[p->chosen].algo;
    return p;
}

int cublaslt_chosen(const cublaslt_plan *p)
{
    return p->chosen;
}

int cublaslt_count(const cublaslt_plan *p)
{
    return p->count;
}

void cublaslt_free(cublaslt_plan *p)
{
    cudaFree(p->workspace);
    cublasLtMatrixLayoutDestroy(p->a);
    cublasLtMatrixLayoutDestroy(p->b);
    cublasLtMatrixLayoutDestroy(p->c);
    cublasLtMatmulDescDestroy(p->operation);
    cublasLtDestroy(p->handle);
    delete p;
}
