/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solved.c - schedule(optimal) beside the schedule that the compiler chooses: attention and seven loops of samples/,
 * bench/first and tests/programs/.  bench/run solved builds and runs it; 15 alternating rounds.
 *
 * Each kernel is compiled twice, NAME_chosen as it stands and NAME_optimal with the clause.  What the first makes is
 * checked by its own main; here the second is compared with it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arrays.h"
#include "../measure.h"

typedef void attention_kernel(int heads, int L, int causal, float scale, const void *Q, const void *K, const void *V,
                              void *O);
typedef void product_kernel(int M, int N, int K, const void *A, const void *B, void *C);
typedef void gate_kernel(int tokens, int hidden, int width, const void *X, const void *G, const void *U, void *H);
typedef void w8a16_kernel(int M, int N, int K, const void *A, const void *W, const void *S, void *C);
typedef void nearest_kernel(int n, int m, const void *X, const void *C, const void *H, void *Y);
typedef void linear_kernel(int B, int L, float g, const void *Q, const void *K, const void *V, const void *powers,
                           void *O);
typedef void fp8_kernel(int heads, int L, float scale, const void *scales, const void *Q, const void *K, const void *V,
                        void *O);
typedef void heads_kernel(int heads, int L, float scale, const void *Q, const void *K, const void *V, void *O);
typedef void lengths_kernel(int count, int longest, int total, int heads, float scale, const void *starts,
                            const void *Q, const void *K, const void *V, void *O);
fp8_kernel attention_fp8_chosen, attention_fp8_optimal;
heads_kernel attention_plain_chosen, attention_plain_optimal, attention_tasks_chosen, attention_tasks_optimal;
heads_kernel attention_64_chosen, attention_64_optimal;
lengths_kernel attention_varlen_chosen, attention_varlen_optimal;
attention_kernel attention_chosen, attention_optimal;
product_kernel gemm_chosen, gemm_optimal, softmax_gemm_chosen, softmax_gemm_optimal;
gate_kernel gate_chosen, gate_optimal;
w8a16_kernel gemm_w8a16_chosen, gemm_w8a16_optimal;
nearest_kernel nearest_chosen, nearest_optimal;
linear_kernel linear_attention_chosen, linear_attention_optimal;

typedef enum { ATTENTION, GEMM, SOFTMAX_GEMM, GATE, W8A16, NEAREST, LINEAR, FP8, PLAIN, TASKS, OF_64, LENGTHS } Kind;
static const char *const names[] = {"attention",        "product",         "softmax and product", "gated product",
                                    "int8 weights",     "nearest",         "linear attention",    "attention e4m3",
                                    "attention, plain", "attention, task", "attention, first",    "lengths of its own"};

typedef struct {
    Kind kind;
    int sizes[3]; /* attention: heads, L, causal; gate: tokens, hidden, width; the others as their signatures */
} work;
static const work all_work[] = {
    {ATTENTION, {128, 1024, 0}}, {ATTENTION, {64, 2048, 0}},  {ATTENTION, {32, 4096, 0}},
    {ATTENTION, {16, 8192, 0}},  {ATTENTION, {8, 16384, 0}},  {ATTENTION, {128, 1024, 1}},
    {ATTENTION, {64, 2048, 1}},  {ATTENTION, {32, 4096, 1}},  {ATTENTION, {16, 8192, 1}},
    {ATTENTION, {8, 16384, 1}},  {GEMM, {8192, 8192, 4096}},  {SOFTMAX_GEMM, {4096, 1024, 8192}},
    {GATE, {8192, 14336, 4096}}, {W8A16, {4096, 4096, 4096}}, {NEAREST, {262144, 4096, 128}},
    {LINEAR, {256, 8192, 0}},    {LINEAR, {64, 8192, 0}},     {FP8, {64, 2048, 0}},
    {FP8, {16, 8192, 0}},        {PLAIN, {64, 2048, 0}},      {PLAIN, {16, 8192, 0}},
    {TASKS, {64, 2048, 0}},      {TASKS, {16, 8192, 0}},      {OF_64, {64, 2048, 0}},
    {OF_64, {16, 8192, 0}},      {LENGTHS, {16, 8192, 0}},
};
enum { WORKS = sizeof all_work / sizeof *all_work, SEQUENCES = 4 };

typedef struct {
    const work *what;
    int optimal;
    void *in[4], *out;
} task;

static void run(void *context, cudaStream_t stream)
{
    const task *t = context;
    const int *n = t->what->sizes;
    void *const *in = t->in;
    ws_set_stream(stream);
    switch (t->what->kind) {
    case ATTENTION:
        (t->optimal ? attention_optimal : attention_chosen)(n[0], n[1], n[2], 0.08838835f, in[0], in[1], in[2], t->out);
        break;
    case GEMM:
        (t->optimal ? gemm_optimal : gemm_chosen)(n[0], n[1], n[2], in[0], in[1], t->out);
        break;
    case SOFTMAX_GEMM:
        (t->optimal ? softmax_gemm_optimal : softmax_gemm_chosen)(n[0], n[1], n[2], in[0], in[1], t->out);
        break;
    case GATE:
        (t->optimal ? gate_optimal : gate_chosen)(n[0], n[1], n[2], in[0], in[1], in[2], t->out);
        break;
    case W8A16:
        (t->optimal ? gemm_w8a16_optimal : gemm_w8a16_chosen)(n[0], n[1], n[2], in[0], in[1], in[2], t->out);
        break;
    case NEAREST:
        (t->optimal ? nearest_optimal : nearest_chosen)(n[0], n[1], in[0], in[1], in[2], t->out);
        break;
    case LINEAR:
        (t->optimal ? linear_attention_optimal : linear_attention_chosen)(n[0], n[1], 0.97f, in[0], in[1], in[2], in[3],
                                                                          t->out);
        break;
    case FP8:
        (t->optimal ? attention_fp8_optimal : attention_fp8_chosen)(n[0], n[1], 0.08838835f, in[3], in[0], in[1], in[2],
                                                                    t->out);
        break;
    case PLAIN:
        (t->optimal ? attention_plain_optimal : attention_plain_chosen)(n[0], n[1], 0.125f, in[0], in[1], in[2],
                                                                        t->out);
        break;
    case TASKS:
        (t->optimal ? attention_tasks_optimal : attention_tasks_chosen)(n[0], n[1], 0.125f, in[0], in[1], in[2],
                                                                        t->out);
        break;
    case OF_64:
        (t->optimal ? attention_64_optimal : attention_64_chosen)(n[0], n[1], 0.125f, in[0], in[1], in[2], t->out);
        break;
    case LENGTHS:
        (t->optimal ? attention_varlen_optimal : attention_varlen_chosen)(SEQUENCES, n[1], SEQUENCES * n[1], n[0],
                                                                          0.125f, in[3], in[0], in[1], in[2], t->out);
        break;
    }
    ws_set_stream(NULL);
}

/* Each array's type and elements, the result's last; 0 elements: there is none.  */
typedef struct {
    ws_dtype type;
    size_t count;
} array;

static void arrays_of(const work *what, array all[5])
{
    const size_t a = (size_t)what->sizes[0], b = (size_t)what->sizes[1], c = (size_t)what->sizes[2];
    const array table[][5] = {
        [ATTENTION] = {{WS_F16, a * b * 128}, {WS_F16, a * b * 128}, {WS_F16, a * b * 128}, {0}, {WS_F16, a * b * 128}},
        [GEMM] = {{WS_F16, a * c}, {WS_F16, b * c}, {0}, {0}, {WS_F16, a * b}},
        [SOFTMAX_GEMM] = {{WS_F16, a * c}, {WS_F16, b * c}, {0}, {0}, {WS_F32, a * b}},
        [GATE] = {{WS_BF16, a * c}, {WS_BF16, b * c}, {WS_BF16, b * c}, {0}, {WS_BF16, a * b}},
        [W8A16] = {{WS_F16, a * c}, {WS_I8, b * c}, {WS_F32, b}, {0}, {WS_F16, a * b}},
        [NEAREST] = {{WS_F16, a * 128}, {WS_F16, b * 128}, {WS_F32, b}, {0}, {WS_I32, a}},
        [LINEAR] =
            {{WS_BF16, a * b * 64}, {WS_BF16, a * b * 64}, {WS_BF16, a * b * 64}, {WS_F32, 65}, {WS_F32, a * b * 64}},
        [FP8] = {{WS_E4M3, a * b * 128},
                 {WS_E4M3, a * b * 128},
                 {WS_E4M3, a * b * 128},
                 {WS_F32, 3},
                 {WS_F16, a * b * 128}},
        [PLAIN] = {{WS_F16, a * b * 64}, {WS_F16, a * b * 64}, {WS_F16, a * b * 64}, {0}, {WS_F16, a * b * 64}},
        [LENGTHS] = {{WS_F16, SEQUENCES * a * b * 64},
                     {WS_F16, SEQUENCES * a * b * 64},
                     {WS_F16, SEQUENCES * a * b * 64},
                     {WS_I32, SEQUENCES + 1},
                     {WS_F16, SEQUENCES * a * b * 64}},
    };
    const Kind kind = what->kind == TASKS || what->kind == OF_64 ? PLAIN : what->kind;
    memcpy(all, table[kind], sizeof table[0]);
}

static double operations(const work *what)
{
    const double a = what->sizes[0], b = what->sizes[1], c = what->sizes[2];
    switch (what->kind) {
    case ATTENTION:
    case FP8:
        return 4 * a * b * b * 128 / (c > 0 ? 2 : 1);
    case PLAIN:
    case TASKS:
    case OF_64:
        return 4 * a * b * b * 64;
    case LENGTHS:
        return 2 * SEQUENCES * a * b * b * 64;
    case GATE:
        return 4 * a * b * c;
    case LINEAR:
        return 8 * a * b * 64 * 64;
    default:
        return 2 * a * b * c;
    }
}

static double number(ws_dtype type, const void *array, size_t i)
{
    switch (type) {
    case WS_F16:
        return ws_f16_to(((const ws_f16 *)array)[i]);
    case WS_BF16:
        return ws_bf16_to(((const ws_bf16 *)array)[i]);
    case WS_I32:
        return ((const int *)array)[i];
    default:
        return ((const float *)array)[i];
    }
}

static void *fetched(const void *device, size_t bytes)
{
    void *host = malloc(bytes);
    if (!host || cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) {
        fprintf(stderr, "solved: no memory\n");
        exit(1);
    }
    return host;
}

/* The largest difference in terms of the root of the mean square; of indices the share that differs.  */
static double difference(const task *x, const task *y, array result)
{
    const size_t bytes = result.count * (size_t)element_bytes(result.type);
    void *a = fetched(x->out, bytes), *b = fetched(y->out, bytes);
    double most = 0, squares = 0, other = 0;
    for (size_t i = 0; i < result.count; i++) {
        const double p = number(result.type, a, i), q = number(result.type, b, i), apart = fabs(p - q);
        if (!(apart <= most))
            most = apart;
        squares += p * p;
        other += p != q;
    }
    free(a);
    free(b);
    return result.type == WS_I32 ? other / (double)result.count : most / sqrt(squares / (double)result.count);
}

static int compare(const work *what)
{
    task chosen = {.what = what}, optimal;
    array all[5];
    arrays_of(what, all);
    for (unsigned i = 0; i < 4; i++)
        chosen.in[i] = all[i].count ? array_random(all[i].type, all[i].count, i + 1) : NULL;
    if (what->kind == LINEAR)
        array_scale(WS_F32, chosen.in[3], all[3].count, 0.2f); /* powers of a decay: the state stays finite */
    if (what->kind == FP8) {                                   /* scales of Q, K and V are positive */
        static const float scales[3] = {1, 1, 1};
        cudaMemcpy(chosen.in[3], scales, sizeof scales, cudaMemcpyHostToDevice);
    }
    if (what->kind == LENGTHS) {
        int starts[SEQUENCES + 1];
        for (int i = 0; i <= SEQUENCES; i++)
            starts[i] = i * what->sizes[1];
        cudaMemcpy(chosen.in[3], starts, sizeof starts, cudaMemcpyHostToDevice);
    }
    const size_t bytes = all[4].count * (size_t)element_bytes(all[4].type);
    chosen.out = array_new(bytes);
    optimal = chosen;
    optimal.optimal = 1;
    optimal.out = array_new(bytes);
    array_poison(chosen.out, bytes);
    array_poison(optimal.out, bytes);
    run(&chosen, NULL);
    run(&optimal, NULL);
    const int ran = cudaDeviceSynchronize() == cudaSuccess;
    const double apart = ran ? difference(&chosen, &optimal, all[4]) : NAN;
    candidate pair[] = {{.name = "optimal", .run = run, .context = &optimal},
                        {.name = "chosen", .run = run, .context = &chosen}};
    const measurement how = {.rounds = 15, .sample_ms = 5, .settle_s = 0.2};
    const int good = apart <= 0.05 && measure(&how, pair, 2);
    printf("%-20s %6d %6d %6d", names[what->kind], what->sizes[0], what->sizes[1], what->sizes[2]);
    if (good) {
        const interval ratio = candidate_ratio(&pair[0], &pair[1]);
        printf("  chosen %8.1f us %6.1f TFLOP/s, optimal %.3f of it [%.3f %.3f], apart %.1e\n",
               1e3 * candidate_ms(&pair[1]), 1e-9 * operations(what) / candidate_ms(&pair[1]), ratio.middle, ratio.low,
               ratio.high, apart);
    } else {
        printf("  not compared: results are %.2g apart\n", apart);
    }
    fflush(stdout);
    for (int i = 0; i < 4; i++)
        array_free(chosen.in[i]);
    array_free(chosen.out);
    array_free(optimal.out);
    return good;
}

int main(void)
{
    int good = 1;
    printf("%s\n", device_name());
    for (int i = 0; i < WORKS; i++)
        good &= compare(&all_work[i]);
    return !good;
}
