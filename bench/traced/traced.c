/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traced.c - microseconds of a launch, for bench/traced/trace: the product of samples/gemm.c, or attention. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define main sample_main
#include SAMPLE
#undef main

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static ws_f16 *array(long count)
{
    ws_f16 *host = calloc((size_t)count, sizeof *host), *device = ws_alloc((size_t)count * sizeof *host);
    for (long i = 0; i < count; i++)
        host[i] = ws_f16_from((float)(i * 7919 % 255 - 127) / 512);
    ws_copy(device, host, (size_t)count * sizeof *host);
    free(host);
    return device;
}

#ifdef ATTENTION
enum { L = 4096, HEADS = 32, LAUNCHES = 40 };
static ws_f16 *q, *k, *v, *o;
static void make(void)
{
    long count = (long)HEADS * L * D;
    q = array(count), k = array(count), v = array(count), o = array(count);
}
static void launch(void)
{
    attention(HEADS, L, 0, 0.088f, q, k, v, o);
}
#else
enum { M = 8192, N = 8192, K = 4096, LAUNCHES = 40 };
static ws_f16 *a, *b, *c;
static void make(void)
{
    a = array((long)M * K), b = array((long)N * K), c = array((long)M * N);
}
static void launch(void)
{
    gemm(M, N, K, a, b, c);
}
#endif

/* The best of several rounds.  */
int main(void)
{
    double best = 0;
    make();
    launch();
    ws_or_die(ws_sync());
    for (int round = 0; round < 5; round++) {
        double begin = now();
        for (int i = 0; i < LAUNCHES; i++)
            launch();
        ws_or_die(ws_sync());
        double took = (now() - begin) / LAUNCHES;
        best = best == 0 || took < best ? took : best;
    }
    ws_or_die(ws_last_error());
    printf("%.1f\n", best);
    return 0;
}
