/* SPDX-License-Identifier: MIT */
#include "check.h"

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C);

enum { T = 64 };
static int M, N, K;
static ws_f16 *A, *B;
static float *C;

static double a_at(long i, long k)
{
    return i < M && k < K ? (double)ws_f16_to(A[i * K + k]) : 0;
}
static double b_at(long j, long k)
{
    return j < N && k < K ? (double)ws_f16_to(B[j * K + k]) : 0;
}
/* Of one tile along k.  */
static double part(int h, long i, long j, long k0)
{
    long ti = i / T * T, tj = j / T * T;
    double sum = 0;
    for (long k = k0; k < k0 + T; k++)
        sum += h == 1   ? a_at(i, k) * b_at(tj + k - k0, k0 + j - tj)
               : h == 2 ? a_at(i, k) * b_at(ti + j - tj, k)
               : h == 3 ? a_at(i, k - k0) * b_at(j, k)
               : h == 4 ? a_at(i, k) * b_at(j, k - k0)
               : h == 5 ? a_at(i, k - k0) * b_at(j, k - k0)
               : h == 6 ? a_at(tj + i - ti, k) * b_at(j, k)
                        : a_at(i, k) * b_at(j, k);
    return sum;
}
static double actual(long p)
{
    return C[p];
}
static double expected(int h, long p)
{
    long i = p / N, j = p % N;
    double sum = h == 8 ? 1 : 0;
    int step = h == 9 ? 2 * T : h == 10 ? T / 2 : T;
    if (h == 7)
        return part(0, i, j, (K - 1) / T * T);
    if (h == 11)
        return part(0, i, j, 0);
    if (h == 13)
        return 0;
    if (h == 14) {
        long to_i = j / T * T + i % T, to_j = i / T * T + j % T; /* whose tile came here */
        if (to_i >= M + T || to_j >= N + T || i / T * T >= N + T)
            return UNTOUCHED;
        for (long k = 0; k < K; k += T)
            sum += part(0, to_i, to_j, k);
        return j / T * T < (M + T - 1) / T * T && i / T * T < (N + T - 1) / T * T ? sum : UNTOUCHED;
    }
    for (long k = 0; h == 12 ? k + T <= K : k < K; k += step)
        sum += part(h, i, j, k);
    return sum;
}

static const course_mistake mistakes[] = {
    {"operand-not-transposed", "This is A B of each pair of tiles, not A B^T: row j of B is column j of what is multiplied. ws_trans(tb)."},
    {"same-rows-of-both", "The tile of B is loaded at row i: the rows of B are the columns of C, j."},
    {"left-operand-stays", "The tile of A is loaded at column 0 in each iteration."},
    {"right-operand-stays", "The tile of B is loaded at column 0 in each iteration."},
    {"operands-stay", "Both tiles are loaded at column 0 in each iteration."},
    {"columns-for-rows", "The tile of A is loaded at row j: the rows of A are the rows of C, i."},
    {"sum-begins-anew", "Only the last tiles along k are in the result: each iteration begins with a sum of 0 in place of adding to acc."},
    {"sum-begins-at-one", "Every element is too large by 1: the sum begins with 1."},
    {"k-tiles-skipped", "Every second tile along k is left out: the loop goes on by more than a tile is wide."},
    {"k-tiles-twice", "Columns are added twice: the loop goes on by less than a tile is wide."},
    {"one-iteration", "Only the first tiles along k are in the result."},
    {"k-edge-missed", "The last tiles along k, which are only partly inside, are left out. What lies outside reads 0 and adds nothing: loop to k < K."},
    {"no-product", "The result is 0: nothing is added to acc, or the sum is thrown away."},
    {"stored-elsewhere", "Tiles of C are stored at (j, i) in place of (i, j)."}};

int main(void)
{
    static const int sizes[][3] = {{128, 128, 256}, {100, 136, 200}};
    for (int s = 0; s < 2; s++) {
        M = sizes[s][0], N = sizes[s][1], K = sizes[s][2];
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
        course_compare((long)M * N, actual, expected, 1e-3, sizeof mistakes / sizeof mistakes[0], mistakes);
        free(A);
        free(B);
        free(C);
    }
    return 0;
}
