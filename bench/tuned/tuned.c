/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tuned.c - what tuning gains: a product that leaves its tile open, as the compiler's estimates choose it and as
 * measuring does, beside cuBLASLt.  bench/run tuned builds and runs it.
 *
 *   tuned [rounds=15] [every=1]    the 60 shapes of bench/run shapes others unseen, or one of so many, and the mean of
 *                                  their ratios
 *   tuned few                      products of few tiles with a long K, which blocks of a cluster may share
 *   tuned launches                 what a launch costs the host, and kernels in a row, launched one by one and captured
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../arrays.h"
#include "../cublaslt.h"
#include "../measure.h"

typedef void product(int M, int N, int K, const void *A, const void *B, void *C);
product product_chosen, product_tuned;

enum { SEED = 20261121, SEEDS = 3, SHAPES = 20, HEURISTICS = 8 };

typedef struct {
    product *kernel;
    int M, N, K;
    const void *A, *B;
    void *C;
} task;

static void run(void *context, cudaStream_t stream)
{
    const task *t = context;
    ws_set_stream(stream);
    t->kernel(t->M, t->N, t->K, t->A, t->B, t->C);
    ws_set_stream(NULL);
}

/* As bench/suites.c draws them.  */
static long draw(unsigned long long *state, double low, double high)
{
    return (long)(low * pow(high / low, next_random(state) * 0x1p-32));
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double error_of(const task *t)
{
    const array_product p = {WS_F16,    WS_F16,      WS_F16,          t->M,        t->N,
                             t->K,      .lda = t->K, .ldb = t->K,     .ldc = t->N, .A = t->A,
                             .B = t->B, .C = t->C,   .u_out = 0x1p-11};
    return array_error(&p);
}

/* Before it is captured, each has made its choice.  */
static int choose(const task *chosen, const task *tuned)
{
    unsetenv("WS_TUNE");
    chosen->kernel(chosen->M, chosen->N, chosen->K, chosen->A, chosen->B, chosen->C);
    setenv("WS_TUNE", "1", 1);
    tuned->kernel(tuned->M, tuned->N, tuned->K, tuned->A, tuned->B, tuned->C);
    unsetenv("WS_TUNE");
    ws_sync();
    if (ws_last_error() == WS_OK && error_of(tuned) <= 1 && error_of(chosen) <= 1)
        return 1;
    printf("%dx%dx%d: wrong: %s\n", tuned->M, tuned->N, tuned->K, ws_error_message());
    return 0;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

typedef struct {
    double log_gain, log_peer_chosen, log_peer_tuned, least;
    int count, wrong, slower;
} sums;

static void compare(sums *all, const measurement *how, int M, int N, int K)
{
    void *A = array_random(WS_F16, (size_t)M * (size_t)K, 1), *B = array_random(WS_F16, (size_t)N * (size_t)K, 2);
    void *C = array_new((size_t)M * (size_t)N * 2);
    task chosen = {product_chosen, M, N, K, A, B, C}, tuned = chosen;
    const cublaslt_problem problem = {WS_F16,   WS_F16,   WS_F16,   1,      M,      N,     K,
                                      .lda = K, .ldb = K, .ldc = N, .A = A, .B = B, .C = C};
    tuned.kernel = product_tuned;
    double began = seconds();
    int right = choose(&chosen, &tuned);
    double spent = seconds() - began;
    cublaslt_plan *plan = cublaslt_prepare(&problem, HEURISTICS);
    candidate c[] = {{"chosen", run, &chosen}, {"tuned", run, &tuned}, {"cuBLASLt", cublaslt_run, plan}};
    if (!right || !plan || !measure(how, c, 3)) {
        all->wrong++;
    } else {
        const interval gain = candidate_ratio(&c[1], &c[0]), peer = candidate_ratio(&c[1], &c[2]);
        const interval before = candidate_ratio(&c[0], &c[2]);
        printf("%5dx%5dx%5d  %8.1f us  tuned/chosen %.3f [%.3f, %.3f]  of cuBLASLt %.3f, chosen %.3f  (%.2f s)\n", M, N,
               K, 1e3 * candidate_ms(&c[1]), gain.middle, gain.low, gain.high, peer.middle, before.middle, spent);
        fflush(stdout);
        all->log_gain += log(gain.middle);
        all->log_peer_tuned += log(peer.middle);
        all->log_peer_chosen += log(before.middle);
        all->least = gain.middle < all->least ? gain.middle : all->least;
        all->slower += gain.high < 0.99;
        all->count++;
    }
    cublaslt_free(plan);
    array_free(A);
    array_free(B);
    array_free(C);
}

static int tell(const sums *all)
{
    if (!all->count)
        return 1;
    printf("%d shapes: tuned/chosen %.3f in the mean, %.3f at least, %d slower; of cuBLASLt tuned %.3f, chosen %.3f\n",
           all->count, exp(all->log_gain / all->count), all->least, all->slower, exp(all->log_peer_tuned / all->count),
           exp(all->log_peer_chosen / all->count));
    return all->wrong != 0;
}

/* One shape of so many, to be done in a part of the time.  */
static int all_shapes(const measurement *how, int every)
{
    sums all = {.least = 1e9};
    for (int seed = 0; seed < SEEDS; seed++) {
        unsigned long long state = SEED + (unsigned long long)seed;
        for (int i = 0; i < SHAPES; i++) {
            long M = draw(&state, 64, 16384), N = draw(&state, 64, 16384), K = draw(&state, 64, 16384);
            if (i % every == 0)
                compare(&all, how, (int)M, (int)((N + 7) / 8 * 8), (int)((K + 7) / 8 * 8));
        }
    }
    return tell(&all);
}

/* Of `others` and of bench/notes/tuned.md, and square ones.  */
static int few_tiles(const measurement *how)
{
    static const int shapes[][3] = {{256, 256, 16384}, {512, 512, 8192}, {614, 120, 9344}, {73, 440, 8104},
                                    {71, 1360, 7672},  {151, 272, 6400}, {298, 88, 2408},  {292, 544, 6960}};
    sums all = {.least = 1e9};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare(&all, how, shapes[i][0], shapes[i][1], shapes[i][2]);
    return tell(&all);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static double host_us(void (*call)(void *, cudaStream_t), void *context, cudaStream_t stream)
{
    enum { CALLS = 500, TIMES = 21 };
    double us[TIMES];
    for (int i = 0; i < TIMES; i++) {
        cudaStreamSynchronize(stream);
        double began = seconds();
        for (int k = 0; k < CALLS; k++)
            call(context, stream);
        us[i] = 1e6 * (seconds() - began) / CALLS;
    }
    return median(us, TIMES);
}

/* Of `count` kernels, each of which reads what the one before it wrote.  */
typedef struct {
    task steps[2];
    cublaslt_plan *plans[2];
    int count, ours;
} row;

static void run_row(void *context, cudaStream_t stream)
{
    row *r = context;
    for (int i = 0; i < r->count; i++)
        if (r->ours)
            run(&r->steps[i % 2], stream);
        else
            cublaslt_run(r->plans[i % 2], stream);
}

static double device_us(row *r, cudaStream_t stream, cudaGraphExec_t graph)
{
    enum { TIMES = 21 };
    double us[TIMES];
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 0; i < TIMES; i++) {
        float ms = 0;
        cudaEventRecord(begin, stream);
        if (graph)
            cudaGraphLaunch(graph, stream);
        else
            run_row(r, stream);
        cudaEventRecord(end, stream);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        us[i] = 1e3 * ms / r->count;
    }
    return median(us, TIMES);
}

static int launches(void)
{
    static const int sizes[] = {128, 512, 1024, 2048};
    cudaStream_t stream;
    int wrong = 0;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < 4; i++) {
        const int n = sizes[i];
        const size_t count = (size_t)n * (size_t)n;
        void *W = array_random(WS_F16, count, 1), *x = array_random(WS_F16, count, 2), *y = array_new(2 * count);
        array_scale(WS_F16, W, count, (float)(1 / sqrt(n)));
        row r = {{{product_tuned, n, n, n, x, W, y}, {product_tuned, n, n, n, y, W, x}}, {NULL, NULL}, 100, 1};
        for (int k = 0; k < 2; k++) {
            const task *t = &r.steps[k];
            const cublaslt_problem problem = {WS_F16,   WS_F16,   WS_F16,   1,         n,         n,        n,
                                              .lda = n, .ldb = n, .ldc = n, .A = t->A, .B = t->B, .C = t->C};
            r.plans[k] = cublaslt_prepare(&problem, HEURISTICS);
        }
        if (!choose(&(task){product_chosen, n, n, n, x, W, y}, &r.steps[0]))
            return 1;
        for (r.ours = 1; r.ours >= 0; r.ours--) {
            cudaGraph_t graph = NULL;
            cudaGraphExec_t ready = NULL;
            cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
            run_row(&r, stream);
            if (cudaStreamEndCapture(stream, &graph) != cudaSuccess ||
                cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess || (r.ours && ws_last_error() != WS_OK)) {
                printf("%d: not captured: %s %s\n", n, cudaGetErrorString(cudaGetLastError()), ws_error_message());
                return 1;
            }
            const double host = r.ours ? host_us(run, &r.steps[0], stream) : host_us(cublaslt_run, r.plans[0], stream);
            const double one = device_us(&r, stream, NULL), captured = device_us(&r, stream, ready);
            printf("%4d^3 %-8s: a launch costs the host %.2f us; 100 in a row %.2f us each, captured %.2f\n", n,
                   r.ours ? "ours" : "cuBLASLt", host, one, captured);
            fflush(stdout);
            cudaGraphExecDestroy(ready);
            cudaGraphDestroy(graph);
        }
        void *fresh = array_random(WS_F16, count, 3);
        r.steps[0].A = fresh;
        run(&r.steps[0], stream);
        cudaStreamSynchronize(stream);
        wrong |= !(error_of(&r.steps[0]) <= 1);
        printf("%4d^3 result %s\n", n, wrong ? "WRONG" : "right");
        cublaslt_free(r.plans[0]);
        cublaslt_free(r.plans[1]);
        array_free(W);
        array_free(x);
        array_free(y);
        array_free(fresh);
    }
    return wrong;
}

static void print_line(const char *text, void *user)
{
    (void)user;
    if (strstr(text, "takes"))
        printf("  %s\n", text);
}

int main(int argc, char **argv)
{
    measurement how = {15, 4, 0.05};
    int every = 1, few = 0;
    setenv("WS_TUNED", "tuned.table", 0);
    ws_set_log(print_line, NULL);
    printf("%s, %d multiprocessors, cuBLASLt %zu\n", device_name(), device_multiprocessors(), cublaslt_version());
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "launches"))
            return launches();
        few |= !strcmp(argv[i], "few");
        if (!strncmp(argv[i], "rounds=", 7))
            how.rounds = atoi(argv[i] + 7) | 1;
        if (!strncmp(argv[i], "every=", 6))
            every = atoi(argv[i] + 6) < 1 ? 1 : atoi(argv[i] + 6);
    }
    return few ? few_tiles(&how) : all_shapes(&how, every);
}
