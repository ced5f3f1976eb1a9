/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tile sizes and pipeline depths from an enum, macros, const ints and a const struct. */
#include "test.h"

enum { BM = 64, BN = BM / 2, DEPTH = 3 };
#define BK       (BM / 4 + 16)
#define FLIGHT   (DEPTH - 1)
#define PIPELINE pipeline(DEPTH, FLIGHT)
static const int width = 96;
static const struct {
    int rows, cols, depth;
} box = {.rows = 64, .cols = 48, .depth = 2};
struct tile {
    int m, n, k;
};

static void by_enum(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += BM)
        for (int j = 0; j < N; j += BN) {
            ws_tile acc = ws_zeros(WS_F32, BM, BN);
            #pragma ws PIPELINE
            for (int k = 0; k < K; k += BK)
                acc = ws_dot(ws_load(a, i, k, BM, BK), ws_trans(ws_load(b, j, k, BN, BK)), acc);
            ws_store(c, i, j, acc);
        }
}

static void by_const(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    const int height = 64, step = height / 2;
    const struct tile t = {height, width, step};
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += t.m)
        for (int j = 0; j < N; j += t.n) {
            ws_tile acc = ws_zeros(WS_F32, t.m, t.n);
            #pragma ws pipeline(DEPTH + 1, (2 * DEPTH - 2) / 2)
            for (int k = 0; k < K; k += t.k)
                acc = ws_dot(ws_load(a, i, k, t.m, t.k), ws_trans(ws_load(b, j, k, width, step)), acc);
            ws_store(c, i, j, acc);
        }
}

static inline ws_tile chunk(ws_tensor x, struct tile t, long i, long k)
{
    return ws_load(x, i, k, t.n, t.k);
}

static void by_struct(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += box.rows)
        for (int j = 0; j < N; j += box.cols) {
            struct tile t = {box.rows, box.cols, 16};
            ws_tile acc = ws_zeros(WS_F32, box.rows, box.cols);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += t.k)
                acc = ws_dot(ws_load(a, i, k, box.rows, t.k), ws_trans(chunk(b, t, j, k)), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    void (*gemm[])(int, int, int, const ws_f16 *, const ws_f16 *, float *) = {by_enum, by_const, by_struct};
    check_begin("config", argc, argv);
    int M = 70, N = 100, K = 72;
    for (int s = 0; s < 3; s++) {
        ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
        float *C = check_output(WS_F32, (size_t)M * N);
        gemm[s](M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        test_product(rows_of(C, N), rows_of(A, K), columns_of(B, K), M, N, K);
        check_next();
    }
    return check_end();
}
