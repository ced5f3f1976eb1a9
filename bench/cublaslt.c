/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cublaslt.c - cuBLASLt at its best: every heuristic that it offers is timed on the arrays at hand, the fastest is
 * kept.
 *
 * They are timed in alternation, as the rounds will be: alone each runs at a clock of its own, where one that takes
 * fewer of them is slowed down for the power that it takes, and whoever comes first still runs at the higher clock of a
 * cool device.
 *
 * cuBLASLt counts columns first; there a row-major C = A B is C' = B' A', all three transposed: its first operand is
 * our B.
 */
#include "cublaslt.h"

#include <stdlib.h>

#include <cublasLt.h>

#include "arrays.h"
#include "measure.h"

enum { CANDIDATES = 32, ROUNDS = 9 };
static const size_t workspace_bytes = 64u << 20;
static const double sample_ms = 3;

struct cublaslt_plan {
    cublaslt_problem problem;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t a, b, c, d;
    cublasLtMatmulHeuristicResult_t found[CANDIDATES];
    void *workspace, *unread; /* what stands for C where D is fp8, which C may not be */
    int chosen, count;
    int refused; /* the last run */
};

static cudaDataType_t data_type(ws_dtype type)
{
    switch (type) {
    case WS_F16:
        return CUDA_R_16F;
    case WS_BF16:
        return CUDA_R_16BF;
    case WS_E4M3:
        return CUDA_R_8F_E4M3;
    case WS_E5M2:
        return CUDA_R_8F_E5M2;
    case WS_I8:
        return CUDA_R_8I;
    case WS_I32:
        return CUDA_R_32I;
    case WS_F64:
        return CUDA_R_64F;
    default:
        return CUDA_R_32F;
    }
}

static int is_fp8(ws_dtype type)
{
    return type == WS_E4M3 || type == WS_E5M2;
}

void cublaslt_run(void *plan, cudaStream_t stream)
{
    cublaslt_plan *p = plan;
    const cublaslt_problem *q = &p->problem;
    const float one = 1, zero = 0, factor = q->residual ? one : zero;
    const int whole_one = 1, whole_zero = 0;
    const double double_one = 1, double_zero = 0;
    const void *first = &one, *second = &factor;
    if (q->c_type == WS_I32)
        first = &whole_one, second = &whole_zero;
    if (q->c_type == WS_F64)
        first = &double_one, second = &double_zero;
    const void *added = q->residual ? q->residual : p->unread ? p->unread : q->C;
    p->refused =
        cublasLtMatmul(p->handle, p->operation, first, q->B, p->b, q->A, p->a, second, added, p->c, q->C, p->d,
                       &p->found[p->chosen].algo, p->workspace, workspace_bytes, stream) != CUBLAS_STATUS_SUCCESS;
}

static void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t what, const void *value, size_t bytes)
{
    cublasLtMatmulDescSetAttribute(operation, what, value, bytes);
}

static void describe_operation(cublaslt_plan *p)
{
    const cublaslt_problem *q = &p->problem;
    cublasOperation_t turned = CUBLAS_OP_T;
    cublasComputeType_t compute = q->c_type == WS_I32                ? CUBLAS_COMPUTE_32I
                                  : q->c_type == WS_F64              ? CUBLAS_COMPUTE_64F
                                  : q->a_type == WS_F32 && !q->exact ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                     : CUBLAS_COMPUTE_32F;
    cublasLtMatmulDescCreate(&p->operation, compute,
                             q->c_type == WS_I32   ? CUDA_R_32I
                             : q->c_type == WS_F64 ? CUDA_R_64F
                                                   : CUDA_R_32F);
    if (!q->trans_b)
        set(p->operation, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned);
    if (q->trans_a)
        set(p->operation, CUBLASLT_MATMUL_DESC_TRANSB, &turned, sizeof turned);
    if (is_fp8(q->a_type)) {
        int8_t fast = !q->exact;
        set(p->operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
    }
    if (q->bias) {
        cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
        set(p->operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
        set(p->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &q->bias, sizeof q->bias);
    }
    if (q->row_scale) {
        int32_t mode = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
        set(p->operation, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &mode, sizeof mode);
        set(p->operation, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &mode, sizeof mode);
        set(p->operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &q->col_scale, sizeof q->col_scale);
        set(p->operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &q->row_scale, sizeof q->row_scale);
    }
    if (q->out_scale)
        set(p->operation, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, &q->out_scale, sizeof q->out_scale);
}

static cublasLtMatrixLayout_t layout(ws_dtype type, int batch, long rows, long cols, long ld)
{
    cublasLtMatrixLayout_t made;
    int64_t stride = rows * ld;
    cublasLtMatrixLayoutCreate(&made, data_type(type), (uint64_t)cols, (uint64_t)rows, ld);
    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
    return made;
}

static void find_candidates(cublaslt_plan *p, int candidates)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                         sizeof workspace_bytes);
    if (cublasLtMatmulAlgoGetHeuristic(p->handle, p->operation, p->b, p->a, p->c, p->d, preference,
                                       candidates < CANDIDATES ? candidates : CANDIDATES, p->found,
                                       &p->count) != CUBLAS_STATUS_SUCCESS)
        p->count = 0;
    cublasLtMatmulPreferenceDestroy(preference);
}

typedef struct {
    cublaslt_plan *plan;
    int which;
} entrant;

static void run_entrant(void *context, cudaStream_t stream)
{
    entrant *e = context;
    e->plan->chosen = e->which;
    cublaslt_run(e->plan, stream);
}

/* Some are named and then refused. */
static int find_entrants(cublaslt_plan *p, entrant *entrants)
{
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        entrants[count] = (entrant){p, i};
        run_entrant(&entrants[count], 0);
        cudaDeviceSynchronize(); /* two runs at once would wait for each other in the one workspace */
        count += !p->refused;
    }
    return count;
}

/* The fastest of `count`. */
static int time_entrants(entrant *entrants, int count)
{
    const measurement how = {.rounds = ROUNDS, .sample_ms = sample_ms};
    candidate all[CANDIDATES];
    int fastest = 0;
    for (int i = 0; i < count; i++)
        all[i] = (candidate){.name = "cuBLASLt", .run = run_entrant, .context = &entrants[i]};
    int good = measure(&how, all, count);
    for (int i = 1; i < count && good; i++)
        if (candidate_ratio(&all[i], &all[fastest]).middle > 1)
            fastest = i;
    return fastest;
}

static void time_candidates(cublaslt_plan *p)
{
    entrant entrants[CANDIDATES];
    const int count = find_entrants(p, entrants), fastest = count > 1 ? time_entrants(entrants, count) : 0;
    p->chosen = count ? entrants[fastest].which : 0;
    p->refused = !count;
}

cublaslt_plan *cublaslt_prepare(const cublaslt_problem *problem, int candidates)
{
    cublaslt_plan *p = calloc(1, sizeof *p);
    const cublaslt_problem *q = &p->problem;
    p->problem = *problem;
    cublasLtCreate(&p->handle);
    describe_operation(p);
    p->b = layout(q->b_type, q->batch, q->trans_b ? q->K : q->N, q->trans_b ? q->N : q->K, q->ldb);
    p->a = layout(q->a_type, q->batch, q->trans_a ? q->K : q->M, q->trans_a ? q->M : q->K, q->lda);
    p->c = layout(is_fp8(q->c_type) ? WS_BF16 : q->c_type, q->batch, q->M, q->N, q->ldc);
    p->d = layout(q->c_type, q->batch, q->M, q->N, q->ldc);
    p->workspace = array_new(workspace_bytes);
    if (is_fp8(q->c_type))
        p->unread = array_new((size_t)q->batch * (size_t)q->M * (size_t)q->ldc * 2);
    find_candidates(p, candidates);
    if (p->count > 0)
        time_candidates(p);
    if (p->count == 0 || p->refused) {
        cublaslt_free(p);
        return NULL;
    }
    return p;
}

void cublaslt_free(cublaslt_plan *p)
{
    if (!p)
        return;
    array_free(p->workspace);
    array_free(p->unread);
    cublasLtMatrixLayoutDestroy(p->a);
    cublasLtMatrixLayoutDestroy(p->b);
    cublasLtMatrixLayoutDestroy(p->c);
    cublasLtMatrixLayoutDestroy(p->d);
    cublasLtMatmulDescDestroy(p->operation);
    cublasLtDestroy(p->handle);
    free(p);
}

size_t cublaslt_version(void)
{
    return cublasLtGetVersion();
}
