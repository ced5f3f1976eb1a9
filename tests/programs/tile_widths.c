/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of which each has a width of its own: products take no more of their columns than the slice has that they end
   in. */
#include "test.h"

enum { S = 64, W = 96, KT = 32 };

/* Column t of tiles ends where memory says, and the next one begins there. */
static void from_memory(int M, int N, int K, int tiles, const int *E, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor ends = ws_tensor_1d(E, WS_I32, tiles + 1);

#pragma ws grid(2)
    for (int i = 0; i < M; i += S)
        for (int t = 0; t < tiles; t++) {
            const int j = ws_at(ends, t), end = ws_at(ends, t + 1);
            ws_tile acc = ws_zeros(WS_F32, S, W);

#pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += KT)
                acc = ws_dot(ws_load(a, i, k, S, KT), ws_trans(ws_load(b, j, k, W, KT)), acc);
            ws_store(ws_slice(c, 1, 0, end), i, j, acc);
        }
}

/* Rows of tiles of two widths, the second from some row on: all of them by their numbers. */
static void two_widths(int M, int N, int K, int wide, int narrow, const signed char *A, const signed char *B, int *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_I8, M, K), b = ws_tensor_2d(B, WS_I8, N, K), c = ws_tensor_2d(C, WS_I32, M, N);
    const int rows = (M + S - 1) / S, first = (rows + 1) / 2, across = (N + wide - 1) / wide;
    const int more = (N + narrow - 1) / narrow, tiles = first * across + (rows - first) * more;

#pragma ws grid(1) consumers(2, tiles)
    for (int t = 0; t < tiles; t++) {
        const int late = t >= first * across, u = late ? t - first * across : t, in_row = late ? more : across;
        const int i = (u / in_row + (late ? first : 0)) * S, width = late ? narrow : wide, j = u % in_row * width;
        ws_tile acc = ws_zeros(WS_I32, S, W);

#pragma ws pipeline(3, 2) pingpong
        for (int k = 0; k < K; k += KT)
            acc = ws_dot(ws_load(a, i, k, S, KT), ws_trans(ws_load(b, j, k, W, KT)), acc);
        ws_store(ws_slice(c, 1, 0, j + width), i, j, acc);
    }
}

/* A sum sees all columns of the tile, so all are multiplied; and so are those that another store wants. */
static void seen(int M, int N, int K, int tiles, const int *E, const ws_f16 *A, const ws_f16 *B, float *C, float *D,
                 float *R)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor d = ws_tensor_2d(D, WS_F32, M, tiles * W), r = ws_tensor_2d(R, WS_F32, tiles, M);
    ws_tensor ends = ws_tensor_1d(E, WS_I32, tiles + 1);

#pragma ws grid(2)
    for (int i = 0; i < M; i += S)
        for (int t = 0; t < tiles; t++) {
            const int j = ws_at(ends, t), end = ws_at(ends, t + 1);
            ws_tile x = ws_zeros(WS_F32, S, W), y = ws_zeros(WS_F32, S, W);

#pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += KT) {
                ws_tile left = ws_load(a, i, k, S, KT), right = ws_trans(ws_load(b, j, k, W, KT));
                x = ws_dot(left, right, x);
                y = ws_dot(left, right, y);
            }
            ws_store(ws_slice(c, 1, 0, end), i, j, x);
            ws_store_col_2d(r, t, i, ws_row_sum(x));
            ws_store(d, i, t * W, y);
        }
}

static double product(long N, long K, const ws_f16 *A, const ws_f16 *B, long i, long j, double *magnitude)
{
    double sum = 0;
    for (long k = 0; k < K && j < N; k++) {
        double x = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
        sum += x;
        *magnitude += fabs(x);
    }
    return sum;
}

static void run_ends(int M, int N, int K, int tiles, const int *ends)
{
    ws_f16 *A = check_random(WS_F16, (size_t)M * (size_t)K), *B = check_random(WS_F16, (size_t)N * (size_t)K);
    int *E = check_output(WS_I32, (size_t)tiles + 1);
    float *C = check_output(WS_F32, (size_t)M * (size_t)N), *F = check_output(WS_F32, (size_t)M * (size_t)N);
    float *D = check_output(WS_F32, (size_t)M * (size_t)tiles * W),
          *R = check_output(WS_F32, (size_t)tiles * (size_t)M);
    memcpy(E, ends, sizeof *E * (size_t)(tiles + 1));
    from_memory(M, N, K, tiles, check_place(E), check_place(A), check_place(B), check_place(C));
    seen(M, N, K, tiles, check_place(E), check_place(A), check_place(B), check_place(F), check_place(D),
         check_place(R));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long t = 0; t < tiles; t++) {
            double total = 0, all = 0;
            for (long j = ends[t]; j < ends[t] + W; j++) {
                double magnitude = 0, sum = product(N, K, A, B, i, j, &magnitude),
                       error = check_dot_error(K, magnitude);
                if (j < ends[t + 1] && j < N) {
                    check_close(C, (size_t)(i * N + j), sum, error);
                    check_close(F, (size_t)(i * N + j), sum, error);
                }
                check_close(D, (size_t)(i * tiles * W + t * W + j - ends[t]), sum, error);
                total += sum;
                all += magnitude;
            }
            check_close(R, (size_t)(t * M + i), total, check_dot_error(K * W, all));
        }
    check_next();
}

static void run_two(int M, int N, int K, int wide, int narrow)
{
    signed char *A = check_random(WS_I8, (size_t)M * (size_t)K), *B = check_random(WS_I8, (size_t)N * (size_t)K);
    int *C = check_output(WS_I32, (size_t)M * (size_t)N);
    two_widths(M, N, K, wide, narrow, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            long sum = 0;
            for (long k = 0; k < K; k++)
                sum += (long)A[i * K + k] * B[j * K + k];
            check_equal(C, (size_t)(i * N + j), (double)sum);
        }
    check_next();
}

int main(int argc, char **argv)
{
    check_begin("tile_widths", argc, argv);
    run_ends(70, 200, 72, 4, (int[]){0, 96, 104, 160, 200});
    run_ends(65, 100, 40, 3, (int[]){0, 8, 56, 300}); /* the last ends behind the tensor, and beyond its tile */
    run_two(200, 200, 64, 96, 40);
    run_two(130, 192, 32, 80, 16);
    return check_end();
}
