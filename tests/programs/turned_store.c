/* SPDX-License-Identifier: MIT */
/* Transposes that are only stored: groups that divide the rows of a product store the columns that these become. With a
   scale for each row and a bias for each column, of f16 and f32, square, too, in one group, and twice. */
#include "test.h"

enum { M = 200, N = 168, K = 72 };

#define TENSORS                                                                                          \
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, N, K);                      \
    ws_tensor s = ws_tensor_1d(S, WS_F32, N), b = ws_tensor_1d(B, WS_F32, M);                            \
    (void)s, (void)b;

static ws_tile product(ws_tensor a, ws_tensor w, int i, int j, int rows, int cols)
{
    ws_tile sum = ws_zeros(WS_F32, cols, rows);
    #pragma ws pipeline(2)
    for (int k = 0; k < K; k += 32)
        sum = ws_dot(ws_load(w, j, k, cols, 32), ws_trans(ws_load(a, i, k, rows, 32)), sum);
    return sum;
}

static void halves(const ws_f16 *A, const ws_f16 *W, const float *S, const float *B, void *C)
{
    TENSORS
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);
    #pragma ws grid(2) consumers(2)
    for (int i = 0; i < M; i += 192)
        for (int j = 0; j < N; j += 128) {
            ws_tile x = ws_mul(product(a, w, i, j, 192, 128), ws_load_col(s, j, 128));
            ws_store(c, i, j, ws_trans(ws_cast(ws_add(x, ws_load_row(b, i, 192)), WS_F16)));
        }
}

static void floats(const ws_f16 *A, const ws_f16 *W, const float *S, const float *B, void *C)
{
    TENSORS
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2) consumers(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 128)
            ws_store(c, i, j, ws_trans(product(a, w, i, j, 64, 128)));
}

static void square(const ws_f16 *A, const ws_f16 *W, const float *S, const float *B, void *C)
{
    TENSORS
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2) consumers(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile x = ws_mul(product(a, w, i, j, 128, 128), ws_load_col(s, j, 128));
            ws_store(c, i, j, ws_trans(ws_add(x, ws_load_row(b, i, 128))));
        }
}

static void alone(const ws_f16 *A, const ws_f16 *W, const float *S, const float *B, void *C)
{
    TENSORS
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 64) {
            ws_tile x = ws_mul(product(a, w, i, j, 32, 64), ws_load_col(s, j, 64));
            ws_store(c, i, j, ws_trans(ws_cast(ws_add(x, ws_load_row(b, i, 32)), WS_F16)));
        }
}

/* Blocks of a cluster share out the rows of the transpose. */
static void parts(const ws_f16 *A, const ws_f16 *W, const float *S, const float *B, void *C)
{
    TENSORS
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);
    #pragma ws grid(2) consumers(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 128) {
            ws_tile sum = ws_zeros(WS_F32, 128, 32);
            #pragma ws parts
            for (int p = 0; p < 2; p++) {
                ws_tile part = ws_zeros(WS_F32, 128, 32);
                #pragma ws pipeline(2)
                for (int k = 48 * p; k < 48 * (p + 1) && k < K; k += 16)
                    part = ws_dot(ws_load(w, j, k, 128, 16), ws_trans(ws_load(a, i, k, 32, 16)), part);
                sum = ws_add(sum, part);
            }
            ws_tile x = ws_mul(sum, ws_load_col(s, j, 128));
            ws_store(c, i, j, ws_trans(ws_cast(ws_add(x, ws_load_row(b, i, 32)), WS_F16)));
        }
}

/* The second store is of the sum itself, elsewhere. */
static void twice(const ws_f16 *A, const ws_f16 *W, const float *S, const float *B, void *C)
{
    TENSORS
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), d = ws_tensor_2d((float *)C + M * N, WS_F32, N, M);
    #pragma ws grid(2) consumers(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile x = product(a, w, i, j, 128, 128);
            ws_store(c, i, j, ws_trans(x));
            ws_store(d, j, i, x);
        }
}

enum { CASES = 6 };

int main(int argc, char **argv)
{
    static void (*const cases[CASES])(const ws_f16 *, const ws_f16 *, const float *, const float *,
                                      void *) = {halves, floats, square, alone, parts, twice};
    check_begin("turned_store", argc, argv);
    for (int t = 0; t < CASES; t++) {
        int half = t == 0 || t == 3 || t == 4, scaled = half || t == 2, count = t == 5 ? 2 : 1;
        ws_f16 *A = check_random(WS_F16, M * K), *W = check_random(WS_F16, N * K);
        float *S = check_random(WS_F32, N), *B = check_random(WS_F32, M);
        void *C = check_output(half ? WS_F16 : WS_F32, (size_t)(M * N * count));
        cases[t](check_place(A), check_place(W), check_place(S), check_place(B), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < K; k++) {
                    double x = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(W[j * K + k]);
                    sum += x;
                    magnitude += fabs(x);
                }
                double want = scaled ? sum * S[j] + B[i] : sum, bound = check_dot_error(K, magnitude) + 1e-6;
                check_close(C, i * N + j, want, bound);
                if (count > 1)
                    check_close(C, M * N + j * M + i, want, bound);
            }
        check_next();
    }
    return check_end();
}
