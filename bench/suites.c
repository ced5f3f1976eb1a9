/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * suites.c - the work that is compared.
 *
 *   gemm      fp16, bf16 and e4m3, 8192 x 8192 x K, K = 256 ... 16384
 *   large     2304 x 12800 x 32768 and 2285568 x 256 x 256
 *   batched   8 x n^3, n = 1024 ... 8192; and groups of rows, N = K = 4096
 *   small     M = 16, 64, 128 with N = K = 8192; 1024^3; 2048^3; few tiles with a long K
 *   shapes    20 drawn with a seed; rows of 16 bytes' multiples, as cuBLASLt needs them for its fast kernels
 *   others    20 drawn with another seed
 *   unseen    20 drawn with a third, to which product_choose is never fitted
 *   a number  20 drawn with that seed: shapes, others and unseen are 20261121 to 20261123
 *   odd       extents that are no multiples of anything, in rows that begin at 16 bytes' multiples
 *   types     tf32, int8, mixed fp8, orientations, results in f32, at 8192^3
 *   f64, f32  operands that keep all their bits, 8192^3: doubles, and floats by ws_dot_f32
 *   finish    something after the loop
 *   ablation  from a plain loop to the form of lib/product in steps; grid: depth by products in flight
 *   mlp       a gated block: two products of the same rows, an activation, a product
 *   softmax   of rows, beside a copy of the same bytes
 */
#include "suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

enum { MOST = 1024, RANDOM_SHAPES = 20 };

static work all[MOST];
static char labels[MOST][48];
static int count;

typedef struct {
    const char *name;
    ws_dtype a_type, b_type, c_type;
    product_kernel *kernel;
    int chooses;
} kind;

static const kind f16 = {"f16", WS_F16, WS_F16, WS_F16, product_f16, 1};
static const kind bf16 = {"bf16", WS_BF16, WS_BF16, WS_BF16, product_bf16, 1};
static const kind e4m3 = {"e4m3", WS_E4M3, WS_E4M3, WS_BF16, product_e4m3, 1};

static work *add(const char *suite, const kind *k, const char *what, int batch, long M, long N, long K)
{
    if (count == MOST)
        return &all[MOST - 1];
    char *label = labels[count];
    if (batch > 1)
        snprintf(label, sizeof labels[0], "%s%d x %ldx%ldx%ld", what, batch, M, N, K);
    else
        snprintf(label, sizeof labels[0], "%s%ldx%ldx%ld", what, M, N, K);
    all[count] = (work){.suite = suite,
                        .label = label,
                        .type = k->name,
                        .a_type = k->a_type,
                        .b_type = k->b_type,
                        .c_type = k->c_type,
                        .batch = batch,
                        .M = (int)M,
                        .N = (int)N,
                        .K = (int)K,
                        .kernel = k->kernel,
                        .chooses = k->chooses};
    return &all[count++];
}

static void add_sweep(void)
{
    static const kind *const kinds[] = {&f16, &bf16, &e4m3};
    for (int i = 0; i < 3; i++)
        for (int K = 256; K <= 16384; K *= 2)
            add("gemm", kinds[i], "", 1, 8192, 8192, K);
}

static void add_large(void)
{
    static const kind *const kinds[] = {&f16, &e4m3};
    for (int i = 0; i < 2; i++) {
        add("large", kinds[i], "", 1, 2304, 12800, 32768);
        add("large", kinds[i], "", 1, 2285568, 256, 256);
    }
}

static void add_batched(void)
{
    static const kind groups = {"bf16", WS_BF16, WS_BF16, WS_BF16, NULL, 0};
    for (int n = 1024; n <= 8192; n *= 2)
        add("batched", &f16, "", 8, n, n, n);
    for (int g = 2; g <= 16; g *= 2) {
        char what[32];
        snprintf(what, sizeof what, "%d groups, ", g);
        add("batched", &groups, what, 1, 8192, 4096, 4096)->groups = g;
    }
}

static void add_small(void)
{
    static const int rows[] = {16, 64, 128};
    for (int i = 0; i < 3; i++)
        add("small", &f16, "", 1, rows[i], 8192, 8192);
    add("small", &e4m3, "", 1, 64, 8192, 8192);
    add("small", &f16, "", 1, 1024, 1024, 1024);
    add("small", &f16, "", 1, 2048, 2048, 2048);
    add("small", &e4m3, "", 1, 2048, 2048, 2048);
    add("small", &f16, "", 1, 512, 4096, 64512);
    add("small", &f16, "", 1, 256, 512, 65536);
}

/* From `low` to `high`, as many below the geometric middle as above. */
static long draw(unsigned long long *state, double low, double high)
{
    return (long)(low * pow(high / low, next_random(state) * 0x1p-32));
}

static void add_drawn(const char *suite, unsigned long long state)
{
    for (int i = 0; i < RANDOM_SHAPES; i++) {
        long M = draw(&state, 64, 16384), N = draw(&state, 64, 16384), K = draw(&state, 64, 16384);
        add(suite, &f16, "", 1, M, (N + 7) / 8 * 8, (K + 7) / 8 * 8);
    }
}

static void add_shapes(void)
{
    add("odd", &f16, "", 1, 8191, 8190, 4095)->padded = 1;
    add("odd", &f16, "", 1, 4095, 4097, 4097)->padded = 1;
    add("odd", &bf16, "", 1, 1000, 3001, 777)->padded = 1;
    add("odd", &f16, "", 1, 8191, 8184, 4096)->padded = 1;
    add_drawn("shapes", 20261121);
    add_drawn("others", 20261122);
    add_drawn("unseen", 20261123);
}

/* How operands lie, and whether all bits of theirs count. */
static void lies(work *w, int trans_a, int trans_b, int exact)
{
    w->trans_a = trans_a;
    w->trans_b = trans_b;
    w->exact = exact;
}

static void add_types(void)
{
    static const struct {
        kind kind;
        const char *what;
        int trans_a, trans_b, exact;
    } types[] = {{{"tf32", WS_F32, WS_F32, WS_F32, product_tf32, 0}, "", 0, 0, 0},
                 {{"int8", WS_I8, WS_I8, WS_I32, product_i8, 0}, "", 0, 0, 0},
                 {{"mixed", WS_E4M3, WS_E5M2, WS_BF16, product_mixed, 0}, "", 0, 0, 0},
                 {{"e5m2", WS_E5M2, WS_E5M2, WS_BF16, product_e5m2, 0}, "", 0, 0, 0},
                 {{"e4m3", WS_E4M3, WS_E4M3, WS_BF16, product_e4m3_promoted, 0}, "sums in f32, ", 0, 0, 1},
                 {{"f16", WS_F16, WS_F16, WS_F32, product_f16_f32, 0}, "into f32, ", 0, 0, 0},
                 {{"f16", WS_F16, WS_F16, WS_F16, product_f16_tn, 0}, "A turned, ", 1, 0, 0},
                 {{"f16", WS_F16, WS_F16, WS_F16, product_f16_nn, 0}, "B turned, ", 0, 1, 0},
                 {{"f16", WS_F16, WS_F16, WS_F16, product_f16_tt, 0}, "both turned, ", 1, 1, 0}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        lies(add("types", &types[i].kind, types[i].what, 1, 8192, 8192, 8192), types[i].trans_a, types[i].trans_b,
             types[i].exact);
    }
}

static void add_whole(void)
{
    static const struct {
        kind kind;
        const char *what;
        int trans_a, trans_b, size;
    } all_bits[] = {{{"f64", WS_F64, WS_F64, WS_F64, product_f64, 0}, "", 0, 0, 8192},
                    {{"f64", WS_F64, WS_F64, WS_F64, product_f64, 0}, "", 0, 0, 4096},
                    {{"f64", WS_F64, WS_F64, WS_F64, product_f64_short, 0}, "K by 16, ", 0, 0, 8192},
                    {{"f64", WS_F64, WS_F64, WS_F64, product_f64_four, 0}, "four groups, ", 0, 0, 8192},
                    {{"f64", WS_F64, WS_F64, WS_F64, product_f64_nn, 0}, "B turned, ", 0, 1, 8192},
                    {{"f64", WS_F64, WS_F64, WS_F64, product_f64_tn, 0}, "A turned, ", 1, 0, 8192},
                    {{"f32", WS_F32, WS_F32, WS_F32, product_f32, 0}, "", 0, 0, 8192},
                    {{"f32", WS_F32, WS_F32, WS_F32, product_f32, 0}, "", 0, 0, 4096},
                    {{"f32", WS_F32, WS_F32, WS_F32, product_f32_tall, 0}, "tiles 256x64, ", 0, 0, 8192},
                    {{"f32", WS_F32, WS_F32, WS_F32, product_f32_three, 0}, "three groups, ", 0, 0, 8192},
                    {{"f32", WS_F32, WS_F32, WS_F32, product_f32_nn, 0}, "B turned, ", 0, 1, 8192},
                    {{"f32", WS_F32, WS_F32, WS_F32, product_f32_tn, 0}, "A turned, ", 1, 0, 8192}};
    for (size_t i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
        const int n = all_bits[i].size;
        lies(add(all_bits[i].kind.name, &all_bits[i].kind, all_bits[i].what, 1, n, n, n), all_bits[i].trans_a,
             all_bits[i].trans_b, 1);
    }
}

static void add_finish(void)
{
    static const kind kinds[] = {{"f16", WS_F16, WS_F16, WS_F16, product_bias_gelu, 0},
                                 {"f16", WS_F16, WS_F16, WS_F16, product_silu_residual, 0},
                                 {"e4m3", WS_E4M3, WS_E4M3, WS_BF16, product_scales, 0},
                                 {"e4m3", WS_E4M3, WS_E4M3, WS_E4M3, product_quantize, 0}};
    static const char *const names[] = {"bias, gelu, ", "silu, residual, ", "two scales, ", "into e4m3, "};
    for (int i = 0; i < 4; i++)
        add("finish", &kinds[i], names[i], 1, 8192, 8192, 4096)->finish = (product_finish)(FINISH_BIAS_GELU + i);
}

static void add_steps(void)
{
    static const kind plain = {"f16", WS_F16, WS_F16, WS_F16, NULL, 0};
    add("ablation", &plain, "", 1, 8192, 8192, 8192)->steps = STEPS_CHAIN;
    for (int K = 1024; K <= 16384; K *= 4)
        add("grid", &plain, "", 1, 8192, 8192, K)->steps = STEPS_GRID;
    work *rows = add("softmax", &plain, "", 1, 1 << 20, 1024, 1024);
    rows->trans_b = 1; /* the operand A alone: B is small */
    rows->bytes = 4.0 * rows->M * rows->N;
}

/* What counts stands last: a process's first ten seconds run at a clock that the power limit does not allow for
   long. */
static void add_mlp(void)
{
    static const int blocks[][3] = {{2048, 14336, 4096}, {4096, 28672, 8192}, {8192, 14336, 4096}};
    for (int i = 0; i < 3; i++)
        add("mlp", &bf16, "gated, ", 1, blocks[i][0], blocks[i][1], blocks[i][2])->gated = 1;
}

static const work *with_name(const char *name, int *found)
{
    const work *first = NULL;
    *found = 0;
    for (int i = 0; i < count; i++)
        if (!strcmp(all[i].suite, name)) {
            first = first ? first : &all[i];
            ++*found;
        }
    return first;
}

const work *suite_find(const char *name, int *found)
{
    const work *first = NULL;
    if (!count) {
        add_sweep();
        add_large();
        add_batched();
        add_small();
        add_shapes();
        add_types();
        add_whole();
        add_finish();
        add_steps();
        add_mlp();
    }
    first = with_name(name, found);
    if (!first && *name && !name[strspn(name, "0123456789")]) {
        add_drawn(name, strtoull(name, NULL, 10));
        first = with_name(name, found);
    }
    return first;
}

const char *suite_names(void)
{
    return " a seed, gemm large batched small shapes others unseen odd types f64 f32 finish ablation grid mlp softmax";
}
