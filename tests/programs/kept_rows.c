/* SPDX-License-Identifier: MIT */
/* Rows that several loops go over: those that registers hold have kernels of their own, which read them once. */
#include "test.h"

enum { STEP = 32 };

/* The largest and the sum in one loop, the quotients in another. */
static void softmax(int M, int N, const ws_f16 *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile most = ws_full(WS_F32, 4, 1, -1e30), sum = ws_zeros(WS_F32, 4, 1);
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += STEP) {
            ws_tile part = ws_cast(ws_load_or(x, i, j, 4, STEP, -INFINITY), WS_F32);
            ws_tile now = ws_max(most, ws_row_max(part));
            sum = ws_fma(sum, ws_exp(ws_sub(most, now)), ws_row_sum(ws_exp(ws_sub(part, now))));
            most = now;
        }
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += STEP) {
            ws_tile part = ws_cast(ws_load_or(x, i, j, 4, STEP, -INFINITY), WS_F32);
            ws_store(y, i, j, ws_div(ws_exp(ws_sub(part, most)), sum));
        }
    }
}

/* Three loops over what is stored in place: what they load is not kept, what they scale it with is. */
static void normalized(long M, long N, float *X, const float *scale)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), g = ws_tensor_2d(scale, WS_F32, M, N);

#pragma ws grid(1)
    for (long i = 0; i < M; i += 4) {
        ws_tile sum = ws_zeros(WS_F32, 4, 1), squares = ws_zeros(WS_F32, 4, 1);
#pragma ws pipeline(auto)
        for (long j = 0; j < N; j += STEP)
            sum = ws_add(sum, ws_row_sum(ws_mul(ws_load(x, i, j, 4, STEP), ws_load(g, i, j, 4, STEP))));
        ws_tile mean = ws_div(sum, (float)N);
#pragma ws pipeline(auto)
        for (long j = 0; j < N; j += STEP) {
            ws_tile d = ws_sub(ws_mul(ws_load(x, i, j, 4, STEP), ws_load(g, i, j, 4, STEP)), mean);
            d = ws_select(ws_lt(ws_add(ws_col_index(1, STEP), (int)j), (int)N), d, 0.0f);
            squares = ws_add(squares, ws_row_sum(ws_mul(d, d)));
        }
        ws_tile r = ws_rsqrt(ws_add(ws_div(squares, (float)N), 1e-3f));
#pragma ws pipeline(auto)
        for (long j = 0; j < N; j += STEP)
            ws_store(x, i, j, ws_mul(ws_sub(ws_mul(ws_load(x, i, j, 4, STEP), ws_load(g, i, j, 4, STEP)), mean), r));
    }
}

static void check_softmax(int M, int N, const ws_f16 *X, const float *Y)
{
    for (long i = 0; i < M; i++) {
        double most = -INFINITY, sum = 0;
        for (long j = 0; j < N; j++)
            most = fmax(most, ws_f16_to(X[i * N + j]));
        for (long j = 0; j < N; j++)
            sum += exp(ws_f16_to(X[i * N + j]) - most);
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, exp(ws_f16_to(X[i * N + j]) - most) / sum, 1e-6);
    }
}

static void check_normalized(int M, int N, const float *before, const float *scale, const float *X)
{
    for (long i = 0; i < M; i++) {
        double mean = 0, variance = 0;
        for (long j = i * N; j < (i + 1) * N; j++)
            mean += (double)before[j] * scale[j] / N;
        for (long j = i * N; j < (i + 1) * N; j++)
            variance += pow((double)before[j] * scale[j] - mean, 2) / N;
        for (long j = i * N; j < (i + 1) * N; j++)
            check_close(X, j, ((double)before[j] * scale[j] - mean) / sqrt(variance + 1e-3), 1e-4);
    }
}

static void check_length(int M, int N)
{
    size_t count = (size_t)M * N;
    ws_f16 *X = check_range(WS_F16, count, -3, 3);
    float *Y = check_output(WS_F32, count), *Z = check_random(WS_F32, count), *scale = check_random(WS_F32, count);
    float *before = malloc(count * sizeof *before);
    memcpy(before, Z, count * sizeof *before);
    softmax(M, N, check_place(X), check_place(Y));
    normalized(M, N, check_place(Z), check_place(scale));
    check_fetch();
    check_softmax(M, N, X, Y);
    check_normalized(M, N, before, scale, Z);
    free(before);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 31, 32, 33, 64, 96, 100, 128, 129, 200};
    check_begin("kept_rows", argc, argv);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_length(6, lengths[i]);
    return check_end();
}
