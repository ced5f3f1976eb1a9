/* SPDX-License-Identifier: MIT */
#include "check.h"

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C);

enum { T = 64 };
static int M, N, K;
static ws_f16 *A, *B;
static float *C;

static double tile(long i, long j, long k0)
{
    double sum = 0;
    for (long k = k0; k < k0 + T && k < K; k++)
        sum += ws_f16_to(A[i * K + k]) * (double)ws_f16_to(B[j * K + k]);
    return sum;
}
static double actual(long p)
{
    return C[p];
}
static double expected(int h, long p)
{
    long i = p / N, j = p % N;
    double sum = 0, last = 0;
    for (int s = 0; s < (h == 6 ? 2 : h == 10 ? 3 : 4); s++) {
        double part = h == 7 ? 1 : 0;
        long begin = h == 1 ? 0 : h == 2 ? s : h == 3 ? s * T * 4 : s * T, step = h == 4 ? T : h == 8 ? T * 2 : h == 9 ? 8 * T : 4 * T;
        for (long k = begin; k < K; k += step)
            part += tile(i, j, k);
        sum += part;
        last = part;
    }
    return h == 5 ? last : sum;
}

static const course_mistake mistakes[] = {
    {"parts-begin-together", "Every part begins at 0: the same tiles are summed four times. Part s begins at s * 64."},
    {"parts-begin-at-elements", "Part s begins at column s, not at tile s: s * 64."},
    {"parts-begin-too-far-apart", "Part s begins at tile 4 s, and goes on in steps of four tiles: tiles between are left out, and others counted again."},
    {"parts-overlap", "A part goes on by one tile: it takes those of the other parts, too. Steps are of 4 * 64."},
    {"last-part-alone", "Only the last part is in the result: sum = ws_add (sum, part)."},
    {"part-missing", "Two of the four parts are never computed."},
    {"part-begins-at-one", "Each part begins with 1: it begins as zeros."},
    {"parts-overlap", "A part goes on by two tiles: it takes those of another part, too. Steps are of 4 * 64."},
    {"tiles-skipped", "Parts go on by eight tiles, and there are four parts: every second round is left out."},
    {"part-missing", "One of the four parts is never computed."}};

int main(void)
{
    M = 70, N = 64, K = 1088;
    A = malloc((size_t)M * K * sizeof *A);
    B = malloc((size_t)N * K * sizeof *B);
    C = malloc((size_t)M * N * sizeof *C);
    for (long p = 0; p < (long)M * K; p++)
        A[p] = ws_f16_from((float)course_random((unsigned long)p));
    for (long p = 0; p < (long)N * K; p++)
        B[p] = ws_f16_from((float)course_random((unsigned long)p + 1000003));
    for (long p = 0; p < (long)M * N; p++)
        C[p] = UNTOUCHED;
    product(M, N, K, A, B, C);
    ws_or_die(ws_last_error());
    course_compare((long)M * N, actual, expected, 2e-3, sizeof mistakes / sizeof mistakes[0], mistakes);
    return 0;
}
