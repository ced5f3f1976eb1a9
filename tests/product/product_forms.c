/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every form of lib/product, with every kind of choice that a form has; sums of fp8 in f32; groups of rows. */
#include "../../lib/product/product.h"
#include "../../samples/check.h"

PRODUCT(product_f16, WS_F16, WS_F16, WS_F32, WS_F16, 0, 0, FINISH_NONE)

PRODUCT_ONE(product_e4m3, product_promoted, 128, 64, WS_E4M3, WS_E4M3, WS_F32, WS_F32, 0, 0, FINISH_NONE)

/* Rows first[g] to first[g + 1] of A belong to B[g]. */
void grouped(int groups, int rows, int tiles, int N, int K, const ws_bf16 *A, const ws_bf16 *B, float *C,
             const int *first)
{
    const product_tile t = {64, 64, 64, WS_F32, WS_F32, 0, 0, FINISH_NONE};
    product_job p = {.batch = groups, .M = rows, .N = N, .K = K};
    p.a = ws_tensor_2d(A, WS_BF16, rows, K);
    p.b = ws_tensor_3d(B, WS_BF16, groups, N, K);
    p.c = ws_tensor_2d(C, WS_F32, rows, N);
    ws_tensor begin = ws_tensor_1d(first, WS_I32, groups + 1);
    product_grouped(p, t, begin, tiles, (product_division){(N + 63) / 64, 1});
}

/* Each matrix of the batch; rows of C are ldc elements apart, the others' K. */
static void check_product(const product_call *p, const ws_f16 *A, const ws_f16 *B, const ws_f16 *C)
{
    for (long n = 0; n < p->batch; n++)
        for (long i = 0; i < p->M; i++)
            for (long j = 0; j < p->N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < p->K; k++) {
                    double x =
                        (double)ws_f16_to(A[(n * p->M + i) * p->lda + k]) * ws_f16_to(B[(n * p->N + j) * p->ldb + k]);
                    sum += x;
                    magnitude += fabs(x);
                }
                check_close(C, (size_t)((n * p->M + i) * p->ldc + j), sum, check_dot_error(p->K, magnitude));
            }
}

static void run_product(int batch, int M, int N, int K, product_choice choice)
{
    long ld = (K + 7) / 8 * 8, ldc = (N + 7) / 8 * 8;
    ws_f16 *A = check_random(WS_F16, (size_t)(batch * M * ld)), *B = check_random(WS_F16, (size_t)(batch * N * ld));
    ws_f16 *C = check_output(WS_F16, (size_t)(batch * M * ldc));
    float *partial = check_output(WS_F32, (size_t)choice.parts * (size_t)(batch * M * N));
    product_call call = {.batch = batch,
                         .M = M,
                         .N = N,
                         .K = K,
                         .lda = ld,
                         .ldb = ld,
                         .ldc = ldc,
                         .A = check_place(A),
                         .B = check_place(B),
                         .C = check_place(C),
                         .partial = check_place(partial)};
    product_f16(&call, choice);
    check_fetch();
    check_product(&call, A, B, C);
    check_next();
}

static void run_promoted(int M, int N, int K)
{
    ws_e4m3 *A = check_random(WS_E4M3, (size_t)(M * K)), *B = check_random(WS_E4M3, (size_t)(N * K));
    float *C = check_output(WS_F32, (size_t)(M * N));
    product_call call = {.batch = 1,
                         .M = M,
                         .N = N,
                         .K = K,
                         .lda = K,
                         .ldb = K,
                         .ldc = N,
                         .A = check_place(A),
                         .B = check_place(B),
                         .C = check_place(C)};
    product_e4m3(&call, (product_choice){0, 1, 0, 0});
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double x = (double)ws_e4m3_to(A[i * K + k]) * ws_e4m3_to(B[j * K + k]);
                sum += x;
                magnitude += fabs(x);
            }
            check_close(C, (size_t)(i * N + j), sum, 0x1p-12 * magnitude); /* 512 products at most in 13 bits */
        }
}

static void run_grouped(int N, int K)
{
    enum { GROUPS = 4 };
    static const int rows[GROUPS + 1] = {0, 70, 70, 75, 203}; /* one is empty; five rows of tiles */
    ws_bf16 *A = check_random(WS_BF16, (size_t)rows[GROUPS] * (size_t)K),
            *B = check_random(WS_BF16, (size_t)(GROUPS * N * K));
    float *C = check_output(WS_F32, (size_t)rows[GROUPS] * (size_t)N);
    int *first = check_output(WS_I32, GROUPS + 1);
    memcpy(first, rows, sizeof rows);
    grouped(GROUPS, rows[GROUPS], 5, N, K, check_place(A), check_place(B), check_place(C), check_place(first));
    check_fetch();
    for (long g = 0; g < GROUPS; g++)
        for (long i = rows[g]; i < rows[g + 1]; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < K; k++) {
                    double x = (double)ws_bf16_to(A[i * K + k]) * ws_bf16_to(B[(g * N + j) * K + k]);
                    sum += x;
                    magnitude += fabs(x);
                }
                check_close(C, (size_t)(i * N + j), sum, check_dot_error(K, magnitude));
            }
}

int main(int argc, char **argv)
{
    check_begin("product_forms", argc, argv);
    int M = check_size(1, 150), N = check_size(2, 203), K = check_size(3, 170);
    run_product(2, M, N, K, product_choose((product_problem){2, M, N, K, 2, 2, 132}));
    for (int form = 0; form < PRODUCT_FORMS_COUNT; form++) {
        const product_form f = product_forms[form];
        if (f.kind == PRODUCT_PART)
            for (int parts = 1; parts <= 3; parts++)
                run_product(1 + form % 2, M, N, K, (product_choice){form, parts, 0, 0});
        else if (f.kind == PRODUCT_TALL)
            run_product(2, 330, N, K, (product_choice){form, 1, 0, 0});
        else
            run_product(f.kind == PRODUCT_SKINNY ? 2 : 1, f.kind == PRODUCT_SKINNY ? 13 : M, N, K,
                        (product_choice){form, 1, 0, 0});
        if (f.kind >= PRODUCT_STEP)
            run_product(1, M, N, K, (product_choice){form, 1, f.cols * 5 / 8, 0});
        if (f.kind == PRODUCT_EVEN)
            run_product(1, M, N, K, (product_choice){form, 1, 0, N / 160 + 1});
    }
    run_promoted(100, 72, 1296);
    run_grouped(100, 72);
    return check_end();
}
