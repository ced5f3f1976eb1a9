/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clusters.c - what clusters with multicast and orders of tiles are worth: the forms of kernels.c beside cuBLASLt, in
 * one run.  bench/run clusters builds and runs it.
 *
 *   clusters [rounds=9] [M,N,K...]    products of f16, or these; products of int8 weights; attention of 64 lines
 *
 * A line for each work: us as chosen, and how much faster than that the others are, medians of the rounds' ratios.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arrays.h"
#include "../cublaslt.h"
#include "../measure.h"

#define FORMS_OF_PRODUCT(form)                                                                                         \
    form(chosen) form(1x1) form(2x1) form(1x2) form(2x2) form(row) form(by4) form(by8) form(by12) form(by16)           \
        form(by32) form(2x1_by8) form(1x2_by8)
#define FORMS_OF_WEIGHTS(form) form(chosen) form(2x1) form(1x2) form(by8)
#define FORMS_OF_ATTENTION(form) form(chosen) form(1x2) form(1x4)

typedef void product(int M, int N, int K, const void *A, const void *B, void *C);
typedef void attention(int heads, int L, float scale, const void *Q, const void *K, const void *V, void *O);
#define DECLARE_PRODUCT(name) product product_##name;
#define DECLARE_WEIGHTS(name) product weights_##name;
#define DECLARE_ATTENTION(name) attention attention_##name;
FORMS_OF_PRODUCT(DECLARE_PRODUCT)
FORMS_OF_WEIGHTS(DECLARE_WEIGHTS)
FORMS_OF_ATTENTION(DECLARE_ATTENTION)

typedef struct {
    const char *name;
    product *product;
    attention *attention;
    int M, N, K; /* of attention: heads, L */
    const void *A, *B, *V;
    void *C;
} task;

static const task products[] = {
#define LIST_PRODUCT(name) {#name, .product = product_##name},
    FORMS_OF_PRODUCT(LIST_PRODUCT)};
static const task weights[] = {
#define LIST_WEIGHTS(name) {#name, .product = weights_##name},
    FORMS_OF_WEIGHTS(LIST_WEIGHTS)};
static const task attentions[] = {
#define LIST_ATTENTION(name) {#name, .attention = attention_##name},
    FORMS_OF_ATTENTION(LIST_ATTENTION)};

enum { MOST_FORMS = 16, HEURISTICS = 8 };

static void run(void *context, cudaStream_t stream)
{
    const task *t = context;
    ws_set_stream(stream);
    if (t->product)
        t->product(t->M, t->N, t->K, t->A, t->B, t->C);
    else
        t->attention(t->M, t->N, 0.125f, t->A, t->B, t->V, t->C);
    ws_set_stream(NULL);
}

/* All forms compute the same bits.  */
static int all_agree(const task *forms, int count, size_t bytes)
{
    char *first = malloc(bytes), *other = malloc(bytes);
    int good = first && other;
    for (int i = 0; i < count && good; i++) {
        array_poison(forms[i].C, bytes);
        run((void *)&forms[i], NULL);
        ws_sync();
        if (cudaMemcpy(i ? other : first, forms[i].C, bytes, cudaMemcpyDeviceToHost) != cudaSuccess ||
            ws_last_error() != WS_OK || (i && memcmp(first, other, bytes))) {
            printf("%s: wrong: %s\n", forms[i].name, ws_error_message());
            good = 0;
        }
    }
    free(first);
    free(other);
    return good;
}

static int report(const measurement *how, const char *work, candidate *all, int count)
{
    if (!measure(how, all, count))
        return 0;
    printf("%s  %.1f us %.0f MHz;", work, 1e3 * candidate_ms(&all[0]), all[0].mhz);
    for (int i = 1; i < count; i++)
        printf(" %s %.3f", all[i].name, candidate_ratio(&all[i], &all[0]).middle);
    printf("\n");
    fflush(stdout);
    return 1;
}

static int compare(const measurement *how, const char *what, const task *forms, int count, const task *work,
                   size_t bytes, candidate *peer)
{
    task tasks[MOST_FORMS];
    candidate all[MOST_FORMS + 1];
    char text[80];
    for (int i = 0; i < count; i++) {
        tasks[i] = *work;
        tasks[i].name = forms[i].name;
        tasks[i].product = forms[i].product;
        tasks[i].attention = forms[i].attention;
        all[i] = (candidate){tasks[i].name, run, &tasks[i]};
    }
    if (peer)
        all[count] = *peer;
    snprintf(text, sizeof text, "%s %dx%dx%d", what, work->M, work->N, work->K);
    return all_agree(tasks, count, bytes) && report(how, text, all, count + (peer != NULL));
}

static int compare_products(const measurement *how, int M, int N, int K)
{
    const size_t m = (size_t)M, n = (size_t)N, k = (size_t)K;
    void *A = array_random(WS_F16, m * k, 1), *B = array_random(WS_F16, n * k, 2), *C = array_new(2 * m * n);
    const cublaslt_problem problem = {WS_F16,   WS_F16,   WS_F16,   1,      M,      N,     K,
                                      .lda = K, .ldb = K, .ldc = N, .A = A, .B = B, .C = C};
    const array_product wanted = {WS_F16,   WS_F16,   WS_F16,   M,      N,      K,     .lda = K,
                                  .ldb = K, .ldc = N, .A = A,   .B = B, .C = C, .u_out = 0x1p-11};
    const task work = {.M = M, .N = N, .K = K, .A = A, .B = B, .C = C};
    cublaslt_plan *plan = cublaslt_prepare(&problem, HEURISTICS);
    candidate peer = {"cuBLASLt", cublaslt_run, plan};
    int good = plan && compare(how, "product", products, (int)(sizeof products / sizeof *products), &work, 2 * m * n,
                               &peer);
    product_chosen(M, N, K, A, B, C);
    ws_sync();
    good &= array_error(&wanted) <= 1;
    cublaslt_free(plan);
    array_free(A);
    array_free(B);
    array_free(C);
    return good;
}

static int compare_weights(const measurement *how, int M, int N, int K)
{
    const size_t m = (size_t)M, n = (size_t)N, k = (size_t)K;
    void *A = array_random(WS_F16, m * k, 1), *B = array_random(WS_I8, n * k, 2), *C = array_new(2 * m * n);
    const task work = {.M = M, .N = N, .K = K, .A = A, .B = B, .C = C};
    int good = compare(how, "int8 weights", weights, (int)(sizeof weights / sizeof *weights), &work, 2 * m * n, NULL);
    array_free(A);
    array_free(B);
    array_free(C);
    return good;
}

static int compare_attention(const measurement *how, int heads, int L)
{
    const size_t count = (size_t)heads * (size_t)L * 64;
    void *Q = array_random(WS_F16, count, 1), *K = array_random(WS_F16, count, 2);
    void *V = array_random(WS_F16, count, 3), *O = array_new(2 * count);
    const task work = {.M = heads, .N = L, .K = 64, .A = Q, .B = K, .V = V, .C = O};
    int good = compare(how, "attention", attentions, (int)(sizeof attentions / sizeof *attentions), &work, 2 * count,
                       NULL);
    array_free(Q);
    array_free(K);
    array_free(V);
    array_free(O);
    return good;
}

int main(int argc, char **argv)
{
    static const int shapes[][3] = {{4096, 4096, 4096}, {8192, 8192, 2048},  {8192, 8192, 8192}, {4096, 4096, 4128},
                                    {4096, 4096, 4112}, {4096, 4096, 4104},  {11736, 2424, 8408}, {2048, 2048, 2056},
                                    {100352, 128, 128}, {1024, 1024, 8192},  {1024, 1024, 1032},  {512, 512, 4104},
                                    {256, 4096, 4104},  {3000, 3000, 3000}};
    measurement how = {9, 4, 0.2};
    int good = 1, given = 0;
    printf("%s, %d multiprocessors, cuBLASLt %zu\n", device_name(), device_multiprocessors(), cublaslt_version());
    for (int i = 1; i < argc; i++) {
        int M, N, K;
        if (!strncmp(argv[i], "rounds=", 7))
            how.rounds = atoi(argv[i] + 7) | 1;
        else if (sscanf(argv[i], "%d,%d,%d", &M, &N, &K) == 3 && ++given)
            good &= compare_products(&how, M, N, K);
    }
    if (given)
        return !good;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        good &= compare_products(&how, shapes[i][0], shapes[i][1], shapes[i][2]);
    good &= compare_weights(&how, 4096, 4096, 4096);
    good &= compare_weights(&how, 4096, 4096, 4112);
    good &= compare_attention(&how, 128, 4096);
    printf(good ? "all right\n" : "WRONG\n");
    return !good;
}
