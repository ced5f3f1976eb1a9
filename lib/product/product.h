/* SPDX-License-Identifier: MIT */
/*
 * product.h - matrix products of any extents: kernels in many forms, and a choice among them.
 *
 *      forms.h    the table of the forms
 *      loops.h    their loop nests
 *      choose.h   the form for a product; numbers.def: the numbers of its model
 *
 *      PRODUCT(product_f16, WS_F16, WS_F16, WS_F32, WS_F16, 0, 0, FINISH_NONE)     // at file scope: the kernels
 *      ...
 *      product_call call = {.batch = 1, .M = M, .N = N, .K = K, .lda = K, .ldb = K, .ldc = N, .A = A, .B = B, .C = C};
 *      product_f16(&call, product_choose((product_problem){1, M, N, K, 2, 2, 132}));
 */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "loops.h"

typedef struct {
    int batch, M, N, K;
    long lda, ldb, ldc; /* elements between rows; the matrices of a batch are contiguous */
    const void *A, *B;
    void *C;
    const void *extra, *extra2; /* operands of the finish */
    void *partial;              /* for a PRODUCT_PART: parts x batch x M x N sums of 4 bytes */
} product_call;

typedef void product_kernel(const product_call *call, product_choice choice);

/* ---- a call ------------------------------------------------------------------------------------------------------ */

static inline ws_tensor product_matrix(const void *base, ws_dtype type, int batch, long rows, long cols, long ld)
{
    return ws_tensor_strided(base, type, 3, ((long[]){batch, rows, cols}), ((long[]){rows * ld, ld, 1}));
}

static inline ws_tensor product_extra(const product_call *call, product_finish finish, int second)
{
    switch (finish) {
    case FINISH_SILU_RESIDUAL:
        return ws_tensor_2d(call->extra, WS_F16, call->M, call->N);
    case FINISH_SCALES:
        return second ? ws_tensor_1d(call->extra2, WS_F32, call->N) : ws_tensor_1d(call->extra, WS_F32, call->M);
    case FINISH_QUANTIZE:
        return ws_tensor_1d(call->extra, WS_F32, 1);
    case FINISH_BIAS_GELU:
        return ws_tensor_1d(call->extra, WS_F32, call->N);
    default:
        return ws_tensor_1d(call->C, WS_F32, 0);
    }
}

/* ---- the kernels of one pair of types ---------------------------------------------------------------------------- */

/* Elements of K in a line of 128 bytes. */
#define PRODUCT_LINE_(type) ((type) == WS_F32 ? 32 : (type) == WS_F16 || (type) == WS_BF16 ? 64 : 128)

/* The arguments of a nest.  Tensors are made here, since types and transpositions must be literals.  `sums` is the
   memory of parts; kernels without parts do not read it. */
#define PRODUCT_JOB_(sums, rows, cols, depth, a_type, b_type, sum, out, trans_a, trans_b, finish) \
    const int batch = call->batch, M = call->M, N = call->N, K = call->K, parts = choice.parts;   \
    const product_tile t = {rows, cols, depth, sum, out, trans_a, trans_b, finish};               \
    product_job p = {.batch = batch, .M = M, .N = N, .K = K, .parts = parts};                     \
    p.step = choice.step ? choice.step : cols;                                                    \
    p.across = product_across(choice, N);                                                         \
    p.a = product_matrix(call->A, a_type, batch, trans_a ? K : M, trans_a ? M : K, call->lda);    \
    p.b = product_matrix(call->B, b_type, batch, trans_b ? K : N, trans_b ? N : K, call->ldb);    \
    p.c = product_matrix(call->C, out, batch, M, N, call->ldc);                                   \
    p.extra = product_extra(call, finish, 0);                                                     \
    p.extra2 = product_extra(call, finish, 1);                                                    \
    p.partial = ws_tensor_4d(sums, sum, batch, parts, M, N);

#define PRODUCT_KERNEL_(nest, kind, rows, cols, lines, down, across, summed, name, a_type, ...)  \
    static void name##_##rows##x##cols##_##nest(const product_call *call, product_choice choice) \
    {                                                                                            \
        PRODUCT_JOB_(PRODUCT_##kind == PRODUCT_PART ? call->partial : call->C, rows, cols,       \
                     (lines)*PRODUCT_LINE_(a_type), a_type, __VA_ARGS__)                         \
        product_##nest(p, t);                                                                    \
    }
#define PRODUCT_PLACE_(nest, kind, rows, cols, lines, down, across, summed, name) name##_##rows##x##cols##_##nest,

/* All forms, and a second kernel for parts: name (call, choice). */
#define PRODUCT(name, ...)                                                              \
    PRODUCT_FORMS(PRODUCT_KERNEL_, name, __VA_ARGS__)                                   \
    static void name##_sum(const product_call *call, product_choice choice)             \
    {                                                                                   \
        PRODUCT_JOB_(call->partial, 64, 32, 0, __VA_ARGS__)                             \
        product_sum(p, t);                                                              \
    }                                                                                   \
    void name(const product_call *call, product_choice choice)                          \
    {                                                                                   \
        static product_kernel *const kernels[] = {PRODUCT_FORMS(PRODUCT_PLACE_, name)}; \
        kernels[choice.form](call, choice);                                             \
        if (product_forms[choice.form].kind == PRODUCT_PART)                            \
            name##_sum(call, choice);                                                   \
    }

/* One kernel, by a nest without a step: name (call, choice), which ignores the choice. */
#define PRODUCT_ONE(name, nest, rows, cols, a_type, ...)                              \
    void name(const product_call *call, product_choice choice)                        \
    {                                                                                 \
        PRODUCT_JOB_(call->C, rows, cols, PRODUCT_LINE_(a_type), a_type, __VA_ARGS__) \
        nest(p, t);                                                                   \
    }

#endif
