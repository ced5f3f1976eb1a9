/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mlp.c - a gated block, Y = (silu (X G^T) (X U^T)) W^T in bf16, by samples/mlp_fused.c and by cuBLASLt.
 *
 *   WSC         both = X G^T, X U^T in registers, H = silu (both) both;   Y = H W^T
 *   cuBLASLt    both = X (G over U)^T;   H = silu (both) both by a kernel that reads and writes memory;   Y = H W^T
 *
 * Weights are scaled as a network's are, so that sums have deviation 1.  Of the peer each product is the fastest of 32
 * heuristics, and the kernel moves its bytes as fast as a copy does.
 */
#include <math.h>
#include <stdio.h>

#include "../samples/check.h"
#include "arrays.h"
#include "compare.h"
#include "cublaslt.h"

typedef struct {
    int tokens, width, hidden;
    void *X, *G, *U, *W; /* U lies behind G */
    void *both, *H, *Y;
    cublaslt_plan *first, *last;
} block;

static void run_compiled(void *context, cudaStream_t stream)
{
    const block *b = context;
    ws_set_stream(stream);
    mlp_fused(b->tokens, b->width, b->hidden, b->X, b->G, b->U, b->W, b->H, b->Y);
    ws_set_stream(NULL);
}

static void run_peer(void *context, cudaStream_t stream)
{
    const block *b = context;
    cublaslt_run(b->first, stream);
    array_activate(b->H, b->both, b->tokens, b->hidden, stream);
    cublaslt_run(b->last, stream);
}

static void *random_scaled(size_t count, unsigned seed, double factor)
{
    void *array = array_random(WS_BF16, count, seed);
    array_scale(WS_BF16, array, count, (float)factor);
    return array;
}

static block make_block(const work *w)
{
    const size_t tokens = (size_t)w->M, hidden = (size_t)w->N, width = (size_t)w->K;
    block b = {.tokens = w->M, .width = w->K, .hidden = w->N};
    b.X = random_scaled(tokens * width, 1, 1);
    b.G = random_scaled(2 * hidden * width, 2, 1 / sqrt((double)width));
    b.U = (char *)b.G + 2 * hidden * width;
    b.W = random_scaled(width * hidden, 3, 1 / sqrt((double)hidden));
    b.both = array_new(4 * tokens * hidden);
    b.H = array_new(2 * tokens * hidden);
    b.Y = array_new(2 * tokens * width);
    return b;
}

static void free_block(block *b)
{
    void *arrays[] = {b->X, b->G, b->W, b->both, b->H, b->Y};
    cublaslt_free(b->first);
    cublaslt_free(b->last);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        array_free(arrays[i]);
}

static cublaslt_plan *plan_product(int M, int N, int K, const void *A, const void *B, void *C)
{
    cublaslt_problem p = {.a_type = WS_BF16,
                          .b_type = WS_BF16,
                          .c_type = WS_BF16,
                          .batch = 1,
                          .M = M,
                          .N = N,
                          .K = K,
                          .lda = K,
                          .ldb = K,
                          .ldc = N,
                          .A = A,
                          .B = B,
                          .C = C};
    return cublaslt_prepare(&p, 32);
}

/* Each of the two results against what it was made of; the hidden layer of the peer is rounded twice, and not looked
   at. */
static double error_of(const block *b, const candidate *one, int hidden_too)
{
    const double u = check_roundoff(WS_BF16);
    array_poison(b->H, 2 * (size_t)b->tokens * (size_t)b->hidden);
    array_poison(b->Y, 2 * (size_t)b->tokens * (size_t)b->width);
    one->run(one->context, NULL);
    cudaDeviceSynchronize();
    array_product last = {.a_type = WS_BF16,
                          .b_type = WS_BF16,
                          .c_type = WS_BF16,
                          .M = b->tokens,
                          .N = b->width,
                          .K = b->hidden,
                          .lda = b->hidden,
                          .ldb = b->hidden,
                          .ldc = b->width,
                          .A = b->H,
                          .B = b->W,
                          .C = b->Y,
                          .u_out = u};
    double error = array_error(&last);
    if (hidden_too)
        error = fmax(error, array_gated_error(b->tokens, b->hidden, b->width, b->X, b->G, b->U, b->H, u));
    return error;
}

enum { ROUNDS = 41 };

/* Runs of milliseconds: some rounds more cost nothing, and fifteen are over long before the clock has come down to what
   the power limit allows, which takes seconds. */
static int measure_settled(candidate *all, int count)
{
    measurement longer = how_to_measure;
    longer.settle_s = 3;
    longer.rounds = longer.rounds < ROUNDS ? ROUNDS : longer.rounds;
    return measure(&longer, all, count);
}

int compare_mlp(const work *w)
{
    block b = make_block(w);
    candidate all[] = {{.name = "cuBLASLt and a kernel", .run = run_peer, .context = &b},
                       {.name = "WSC", .run = run_compiled, .context = &b}};
    double errors[2];
    progress(w);
    run_compiled(&b, NULL); /* numbers for the second product to be timed with */
    b.first = plan_product(b.tokens, 2 * b.hidden, b.width, b.X, b.G, b.both);
    b.last = plan_product(b.tokens, b.width, b.hidden, b.H, b.W, b.Y);
    int good = b.first && b.last;
    for (int i = 0; good && i < 2; i++)
        errors[i] = error_of(&b, &all[i], i);
    if (!good || !(errors[1] <= 1)) {
        printf("%-9s %-5s %-28s WRONG: %g times the error allowed\n", w->suite, w->type, w->label,
               good ? errors[1] : NAN);
        good = 0;
    } else {
        good = measure_settled(all, 2);
    }
    if (good) {
        for (int i = 0; i < 2; i++)
            write_json(w, &all[i], NULL, candidate_ratio(&all[i], &all[0]), errors[i]);
        interval ratio = candidate_ratio(&all[1], &all[0]);
        printf("%-9s %-5s %-28s %7.1f  | %7.1f  %5.3f [%5.3f %5.3f] err %.2f %4.0f/%4.0f MHz\n", w->suite, w->type,
               w->label, tera(w, &all[0]), tera(w, &all[1]), ratio.middle, ratio.low, ratio.high, errors[1], all[1].mhz,
               all[0].mhz);
    }
    fflush(stdout);
    free_block(&b);
    return good;
}
