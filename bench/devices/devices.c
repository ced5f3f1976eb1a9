/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.c - the samples over several devices, timed: calls follow each other without waiting, as in a model's layers;
 * the median of 9 samples.  And as a program has them whose layers stand in one block of grids that run together, 16
 * calls each, between which nothing else stands in the stream.  peers.py does the same with NCCL and cuBLAS, and with
 * PyTorch's symmetric memory.
 *
 *   devices [N [WORK [MxNxK...]]]    WORK: ag_gemm, gemm_rs or both; one line for each shape, extents in all
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ws.h>
#include <ws/backend.h>

void ag_gemm(int n, int M, int N, int K, const ws_bf16 *const X[], const ws_bf16 *const W[], ws_bf16 *const A[],
             ws_bf16 *const Y[]);
void gemm_rs(int n, int M, int N, int K, const ws_bf16 *const X[], const ws_bf16 *const W[], ws_bf16 *const P[],
             ws_bf16 *const Y[]);
void all_gather(int n, int rows, int cols, const ws_bf16 *const X[], ws_bf16 *const A[]);

enum { MOST = 8, POOL = 1 << 20, SAMPLES = 9, LAYERS = 16 };

typedef struct {
    int M, N, K; /* in all */
} Shape;

/* The last four are of table 8 of the paper TLX, whose first is of two devices, too.  peers.py has the same. */
static const char *const gathered[] = {"1024x8192x8192",  "4096x8192x8192",  "8192x8192x8192",  "8192x28672x8192",
                                       "8192x2048x16384", "8192x8192x16384", "4096x8192x16384", "16384x4096x8192"};
static const char *const scattered[] = {"1024x8192x8192",  "4096x8192x8192",  "8192x8192x8192",  "8192x8192x28672",
                                        "8192x2048x16384", "8192x8192x16384", "4096x8192x16384", "16384x4096x8192"};

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static ws_bf16 *pool;

/* Element i of an array: the pool again and again, from `from` on.  */
static double element(size_t from, size_t i)
{
    return ws_bf16_to(pool[(from + i) % POOL]);
}

static void fill_pool(void)
{
    unsigned long long state = 1;
    pool = malloc(2 * sizeof *pool * POOL);
    for (int i = 0; i < 2 * POOL; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        pool[i] = i < POOL ? ws_bf16_from((float)(state >> 40) * 0x1p-23f - 1) : pool[i - POOL];
    }
}

static ws_bf16 *array(int device, size_t count, size_t from)
{
    ws_bf16 *to = ws_alloc_on(device, count * sizeof *to);
    if (!to)
        ws_or_die(ws_last_error());
    for (size_t i = 0; i < count; i += POOL)
        ws_or_die(ws_copy(to + i, pool + (from + i) % POOL, sizeof *to * (count - i < POOL ? count - i : POOL)));
    return to;
}

/* ---- one shape --------------------------------------------------------------------------------------------------- */

static struct {
    int n;
    Shape shape;
    ws_bf16 *X[MOST], *W[MOST], *room[MOST], *Y[MOST];
} at;

static void call_ag_gemm(void)
{
    ag_gemm(at.n, at.shape.M, at.shape.N, at.shape.K, (const ws_bf16 *const *)at.X, (const ws_bf16 *const *)at.W,
            at.room, at.Y);
}
static void call_gemm_rs(void)
{
    gemm_rs(at.n, at.shape.M, at.shape.N, at.shape.K, (const ws_bf16 *const *)at.X, (const ws_bf16 *const *)at.W,
            at.room, at.Y);
}
static void call_all_gather(void)
{
    all_gather(at.n, at.shape.M / at.n, at.shape.K, (const ws_bf16 *const *)at.X, at.room);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* What #pragma ws together makes of a block with this loop.  */
static void call_layers(void (*call)(void))
{
    ws_together_begin_();
    for (int i = 0; i < LAYERS; i++)
        call();
    ws_together_end_();
}

static double microseconds(void (*call)(void), int repeats, bool layers)
{
    double start = now();
    for (int i = 0; i < repeats; i += layers ? LAYERS : 1)
        layers ? call_layers(call) : call();
    ws_or_die(ws_sync());
    return (now() - start) / repeats;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(void (*call)(void), bool layers)
{
    double samples[SAMPLES], start = now();
    microseconds(call, 3, false);
    int repeats = (int)(40e3 / microseconds(call, 10, false) / LAYERS + 1) * LAYERS;
    while (now() - start < 1e6) /* until the clock stands */
        microseconds(call, repeats, layers);
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = microseconds(call, repeats, layers);
    qsort(samples, SAMPLES, sizeof *samples, by_size);
    return samples[SAMPLES / 2];
}

/* Some elements of each device's result against double; how many are wrong.  */
static int wrong(bool is_rs)
{
    const Shape s = at.shape;
    const int n = at.n;
    const long rows = is_rs ? s.M / n : s.M, cols = is_rs ? s.N : s.N / n, part = is_rs ? s.K / n : s.K;
    int count = 0;
    ws_bf16 *got = malloc(sizeof *got * cols);
    for (int r = 0; r < n; r++)
        for (int t = 0; t < 16; t++) {
            long i = (rows - 1) * t / 15, whole = is_rs ? r * rows + i : i;
            ws_or_die(ws_copy(got, at.Y[r] + i * cols, sizeof *got * cols));
            for (long j = t; j < cols; j += cols / 13) {
                double sum = 0, magnitude = 0;
                for (int p = 0; p < (is_rs ? n : 1); p++)
                    for (long k = 0; k < part; k++) {
                        int owner = is_rs ? p : (int)(whole / (s.M / n));
                        size_t x = is_rs ? (size_t)whole * part + k : (size_t)(whole % (s.M / n)) * part + k;
                        double product =
                            element(17 * owner, x) * element(29 * (is_rs ? p : r) + 5, (size_t)j * part + k);
                        sum += product;
                        magnitude += fabs(product);
                    }
                double error = fabs(ws_bf16_to(got[j]) - sum);
                if (!(error <= 0x1p-7 * fabs(sum) + 0x1p-8 * sqrt(magnitude) + 4e-6 * magnitude) && count++ < 3)
                    printf("  device %d, element (%ld, %ld) is %g instead of %g\n", r, i, j, ws_bf16_to(got[j]), sum);
            }
        }
    free(got);
    return count;
}

static void run(const char *shape, int n, bool is_rs)
{
    const char *name = is_rs ? "gemm_rs" : "ag_gemm";
    Shape s;
    if (sscanf(shape, "%dx%dx%d", &s.M, &s.N, &s.K) != 3 || s.M < n || s.N < n || s.K < n || s.M % n || s.N % n ||
        s.K % n) {
        fprintf(stderr, "devices: %s is no shape MxNxK whose extents %d devices share equally\n", shape, n);
        exit(2);
    }
    at.n = n;
    at.shape = s;
    for (int r = 0; r < n; r++) {
        at.X[r] = array(r, (size_t)s.M * s.K / n, 17 * r);
        at.W[r] = array(r, (size_t)s.N * s.K / n, 29 * r + 5);
        at.room[r] = array(r, (size_t)s.M * (is_rs ? s.N : s.K), 0);
        at.Y[r] = array(r, (size_t)s.M * s.N / n, 0);
    }
    void (*call)(void) = is_rs ? call_gemm_rs : call_ag_gemm;
    call();
    ws_or_die(ws_sync());
    ws_or_die(ws_last_error());
    int bad = wrong(is_rs);
    double time = median(call, false), block = median(call, true);
    bad += wrong(is_rs);
    printf("%s n=%d %s: %.1f us, in one block of grids %.1f%s", name, n, shape, time, block, bad ? "  WRONG" : "");
    if (!is_rs)
        printf(", all_gather alone %.1f us", median(call_all_gather, false));
    printf("\n");
    fflush(stdout);
    ws_or_die(ws_last_error());
    for (int r = 0; r < n; r++) {
        ws_free(at.X[r]);
        ws_free(at.W[r]);
        ws_free(at.room[r]);
        ws_free(at.Y[r]);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : ws_devices();
    const char *work = argc > 2 ? argv[2] : "both";
    bool gathers = strcmp(work, "gemm_rs"), scatters = strcmp(work, "ag_gemm");
    if (n < 1 || n > MOST || (gathers && scatters && strcmp(work, "both"))) {
        fprintf(stderr, "usage: devices [1 to %d [ag_gemm|gemm_rs|both [MxNxK...]]]\n", MOST);
        return 2;
    }
    printf("%d devices here, n = %d\n", ws_devices(), n);
    fill_pool();
    enum { SHAPES = sizeof gathered / sizeof *gathered };
    int given = argc > 3 ? argc - 3 : 0, shapes = given ? given : SHAPES;
    for (int i = 0; i < shapes && gathers; i++)
        run(given ? argv[3 + i] : gathered[i], n, false);
    for (int i = 0; i < shapes && scatters; i++)
        run(given ? argv[3 + i] : scattered[i], n, true);
    return 0;
}
