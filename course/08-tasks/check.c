/* SPDX-License-Identifier: MIT */
#include "check.h"

void product(int M, int N, int K, const ws_f16 *X, const signed char *Q, const float *S, float *Y);

static int M, N, K;
static ws_f16 *X;
static signed char *Q;
static float *S, *Y;

static double actual(long p)
{
    return Y[p];
}
static double expected(int h, long p)
{
    long i = p / N, j = p % N;
    double sum = 0;
    for (long k = 0; k < K; k++) {
        long block = h == 2 ? 0 : k / 64, at = h == 3 ? i / 128 * 128 + j % 64 : j;
        double s = h == 1 ? 1 : at < N ? S[block * N + at] : 0;
        if (h == 5 && k / 64 < K / 64 - 1)
            continue;
        sum += ws_f16_to(X[i * K + k]) * (double)ws_f16_to(ws_f16_from((float)(Q[j * K + k] * (h == 4 ? s * s : s))));
    }
    return sum;
}

static const course_mistake mistakes[] = {
    {"scale-missing", "The weights are not multiplied by their scales."},
    {"scale-of-the-first-block", "Every block along k takes the scales of the first: their row is k / 64."},
    {"scale-of-other-rows", "The scales are loaded at i: they belong to rows of q, which begin at j."},
    {"scaled-twice", "The weights are multiplied by their scales twice."},
    {"sum-begins-anew", "Only the last block along k is in the result: add to acc."}};

int main(void)
{
    M = 130, N = 72, K = 256;
    X = malloc((size_t)M * K * sizeof *X);
    Q = malloc((size_t)N * K);
    S = malloc((size_t)K / 64 * N * sizeof *S);
    Y = malloc((size_t)M * N * sizeof *Y);
    for (long p = 0; p < (long)M * K; p++)
        X[p] = ws_f16_from((float)course_random((unsigned long)p));
    for (long p = 0; p < (long)N * K; p++)
        Q[p] = (signed char)(100 * course_random((unsigned long)p + 1000003));
    for (long p = 0; p < (long)K / 64 * N; p++)
        S[p] = (float)(0.02 + 0.01 * course_random((unsigned long)p + 2000003));
    for (long p = 0; p < (long)M * N; p++)
        Y[p] = UNTOUCHED;
    product(M, N, K, X, Q, S, Y);
    ws_or_die(ws_last_error());
    course_compare((long)M * N, actual, expected, 2e-3, sizeof mistakes / sizeof mistakes[0], mistakes);
    return 0;
}
