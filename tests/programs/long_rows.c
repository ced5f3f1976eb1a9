/* SPDX-License-Identifier: MIT */
/* Rows that several loops go over, and that no block keeps: the blocks of a cluster share each, and read it once.  */
#include "test.h"

enum { STEP = 1024 };

/* The mean and the variance in one loop, the norm in another. */
static void layernorm(int M, int N, const ws_f16 *X, const float *scale, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N), y = ws_tensor_2d(Y, WS_F16, M, N), g = ws_tensor_1d(scale, WS_F32, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 4) {
        ws_tile sum = ws_zeros(WS_F32, 4, 1), squares = ws_full(WS_F32, 4, 1, 1e-3f);
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += STEP) {
            ws_tile part = ws_cast(ws_load(x, i, j, 4, STEP), WS_F32);
            sum = ws_add(sum, ws_row_sum(part));
            squares = ws_add(ws_row_sum(ws_mul(part, part)), squares);
        }
        ws_tile mean = ws_div(sum, N);
        ws_tile r = ws_rsqrt(ws_sub(ws_div(squares, N), ws_mul(mean, mean)));
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += STEP) {
            ws_tile d = ws_mul(ws_sub(ws_cast(ws_load(x, i, j, 4, STEP), WS_F32), mean), r);
            ws_store(y, i, j, ws_cast(ws_mul(d, ws_load_row(g, j, STEP)), WS_F16));
        }
    }
}

/* The largest and the smallest, then the sum of what is made of them, then all over it; of each row, its sum. */
static void softmax(int M, int N, const float *X, float *Y, float *S)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), s = ws_tensor_1d(S, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 2) {
        ws_tile most = ws_full(WS_F32, 2, 1, -1e30), least = ws_full(WS_F32, 2, 1, 1e30), sum = ws_zeros(WS_F32, 2, 1);
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += STEP) {
            most = ws_max(most, ws_row_max(ws_load_or(x, i, j, 2, STEP, -INFINITY)));
            least = ws_min(ws_row_min(ws_neg(ws_load_or(x, i, j, 2, STEP, -INFINITY))), least);
        }
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += STEP) {
            ws_tile inside = ws_lt(ws_add(ws_col_index(1, STEP), j), N);
            ws_tile e = ws_exp(ws_sub(ws_load_or(x, i, j, 2, STEP, -INFINITY), ws_max(most, ws_neg(least))));
            sum = ws_add(sum, ws_row_sum(ws_select(inside, e, 0.0f)));
        }
        ws_store_col(s, i, sum);
#pragma ws pipeline(auto)
        for (int j = 0; j < N; j += STEP)
            ws_store(y, i, j, ws_div(ws_exp(ws_sub(ws_load_or(x, i, j, 2, STEP, -INFINITY), most)), sum));
    }
}

/* The largest and the sum of powers below it at once, and the powers again: in powers of e, or of 2 by product and sum,
   where a row may be -infinity for long. */
static void running(int M, int N, int by_two, const float *X, float *Y, float *S)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), s = ws_tensor_1d(S, WS_F32, M);

    if (by_two) {
#pragma ws grid(1)
        for (int i = 0; i < M; i += 2) {
            ws_tile most = ws_full(WS_F32, 2, 1, -1e30), sum = ws_full(WS_F32, 2, 1, 0.0f);
#pragma ws pipeline(auto)
            for (int j = 0; j < N; j += STEP) {
                ws_tile part = ws_load_or(x, i, j, 2, STEP, -INFINITY), now = ws_max(ws_row_max(part), most);
                sum = ws_add(ws_mul(ws_exp2(ws_sub(most, now)), sum), ws_row_sum(ws_exp2(ws_sub(part, now))));
                most = now;
            }
            ws_store_col(s, i, sum);
#pragma ws pipeline(auto)
            for (int j = 0; j < N; j += STEP)
                ws_store(y, i, j, ws_div(ws_exp2(ws_sub(ws_load_or(x, i, j, 2, STEP, -INFINITY), most)), sum));
        }
    } else {
#pragma ws grid(1)
        for (int i = 0; i < M; i += 4) {
            ws_tile most = ws_full(WS_F32, 4, 1, -1e30), sum = ws_zeros(WS_F32, 4, 1);
#pragma ws pipeline(auto)
            for (int j = 0; j < N; j += STEP) {
                ws_tile part = ws_load_or(x, i, j, 4, STEP, -INFINITY), now = ws_max(most, ws_row_max(part));
                sum = ws_fma(sum, ws_exp(ws_sub(most, now)), ws_row_sum(ws_exp(ws_sub(part, now))));
                most = now;
            }
            ws_store_col(s, i, sum);
#pragma ws pipeline(auto)
            for (int j = 0; j < N; j += STEP)
                ws_store(y, i, j, ws_div(ws_exp(ws_sub(ws_load_or(x, i, j, 4, STEP, -INFINITY), most)), sum));
        }
    }
}

/* The same in four blocks that the program asks for. */
static void running_in_blocks(int M, const float *X, float *Y, float *S)
{
    enum { BLOCKS = 4, WIDTH = 512 };
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, BLOCKS * WIDTH), y = ws_tensor_2d(Y, WS_F32, M, BLOCKS * WIDTH);
    ws_tensor s = ws_tensor_1d(S, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 8) {
        ws_tile row[BLOCKS], most = ws_full(WS_F32, 8, 1, -1e30), sum = ws_zeros(WS_F32, 8, 1);
#pragma ws blocks
        for (int b = 0; b < BLOCKS; b++) {
            row[b] = ws_load_or(x, i, b * WIDTH, 8, WIDTH, -INFINITY);
            ws_tile now = ws_max(most, ws_row_max(row[b]));
            sum = ws_fma(sum, ws_exp(ws_sub(most, now)), ws_row_sum(ws_exp(ws_sub(row[b], now))));
            most = now;
        }
        ws_store_col(s, i, sum);
#pragma ws blocks
        for (int b = 0; b < BLOCKS; b++)
            ws_store(y, i, b * WIDTH, ws_div(ws_exp(ws_sub(row[b], most)), sum));
    }
}

static void check_layernorm(int M, int N, const ws_f16 *X, const float *scale, const ws_f16 *Y)
{
    for (long i = 0; i < M; i++) {
        double mean = 0, squares = 1e-3;
        for (long j = i * N; j < (i + 1) * N; j++) {
            mean += ws_f16_to(X[j]) / N;
            squares += ws_f16_to(X[j]) * ws_f16_to(X[j]);
        }
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, (ws_f16_to(X[i * N + j]) - mean) / sqrt(squares / N - mean * mean) * scale[j],
                        1e-4);
    }
}

static void check_softmax(int M, int N, const float *X, const float *Y, const float *S)
{
    for (long i = 0; i < M; i++) {
        double most = -INFINITY, sum = 0;
        for (long j = 0; j < N; j++)
            most = fmax(most, X[i * N + j]);
        for (long j = 0; j < N; j++)
            sum += exp(X[i * N + j] - most);
        check_close(S, i, sum, 1e-6 * sum);
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, exp(X[i * N + j] - most) / sum, 1e-6);
    }
}

static void check_running(int M, int N, int by_two, const float *X, const float *Y, const float *S)
{
    const double base = by_two ? 2 : exp(1);
    for (long i = 0; i < M; i++) {
        double most = -INFINITY, sum = 0;
        for (long j = 0; j < N; j++)
            most = fmax(most, X[i * N + j]);
        for (long j = 0; j < N; j++)
            sum += pow(base, X[i * N + j] - most);
        check_close(S, i, sum, 1e-5 * sum);
        for (long j = 0; j < N; j++)
            check_close(Y, i * N + j, pow(base, X[i * N + j] - most) / sum, 1e-6);
    }
}

static void check_length(int M, int N)
{
    size_t count = (size_t)M * N;
    ws_f16 *X = check_range(WS_F16, count, -1, 3), *Y = check_output(WS_F16, count);
    float *Z = check_range(WS_F32, count, -3, 3), *scale = check_random(WS_F32, N);
    float *W = check_output(WS_F32, count), *S = check_output(WS_F32, M);
    layernorm(M, N, check_place(X), check_place(scale), check_place(Y));
    softmax(M, N, check_place(Z), check_place(W), check_place(S));
    check_fetch();
    check_layernorm(M, N, X, scale, Y);
    check_softmax(M, N, Z, W, S);
    for (int by_two = 0; by_two < 2; by_two++) {
        float *V = check_output(WS_F32, count), *T = check_output(WS_F32, M);
        for (int j = 0; j < N / 2; j++) /* the first blocks have none but the smallest */
            Z[N + j] = -INFINITY;
        running(M, N, by_two, check_place(Z), check_place(V), check_place(T));
        check_fetch();
        check_running(M, N, by_two, Z, V, T);
    }
}

static void check_blocks(int M)
{
    size_t count = (size_t)M * 2048;
    float *X = check_range(WS_F32, count, -3, 3), *Y = check_output(WS_F32, count), *S = check_output(WS_F32, M);
    for (int j = 0; j < 1024; j++)
        X[2048 + j] = -INFINITY;
    running_in_blocks(M, check_place(X), check_place(Y), check_place(S));
    check_fetch();
    check_running(M, 2048, 0, X, Y, S);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1000, 4096, 4097, 6000, 8192, 9000, 16384, 20000, 20001, 40000, 50257, 70000};
    check_begin("long_rows", argc, argv);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_length(3, lengths[i]);
    check_blocks(13);
    return check_end();
}
