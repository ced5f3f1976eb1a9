/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows beyond a tensor's last: where nothing sees them they need not come; where something does, they are 0. */
#include "test.h"

enum { S = 64 };

/* Rows of a are rows of c, those of b its columns, and a block brings a share of both. */
static void products(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const float *V, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), v = ws_tensor_1d(V, WS_F32, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2) cluster(2, 2)
    for (int i = 0; i < M; i += S)
        for (int j = 0; j < N; j += S) {
            ws_tile acc = ws_zeros(WS_F32, S, S);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, S, 32), ws_trans(ws_load(b, j, k, S, 32)), acc);
            ws_store(c, i, j, ws_add(acc, ws_load_row(v, j, S)));
        }
}

/* From a row on that is no multiple of anything; and a least number that sees the right operand's rows. */
static void from_third(int M, int K, const ws_f16 *A, float *C, float *R)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), c = ws_tensor_2d(C, WS_F32, M, M), r = ws_tensor_1d(R, WS_F32, M);

    #pragma ws grid(2)
    for (int i = 3; i < M; i += S)
        for (int j = 0; j < M; j += S) {
            ws_tile acc = ws_zeros(WS_F32, S, S);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, S, 32), ws_trans(ws_load(a, j, k, S, 32)), acc);
            ws_store(c, i, j, acc);
            if (j + S >= M)
                ws_store_col(r, i, ws_row_min(ws_abs(acc)));
        }
}

/* All that sees them: a sum over rows, a tensor of more rows, a product over them, a tile that is stored elsewhere. */
static void seen(int M, int N, const float *X, float *sums, float *larger, float *square, float *late)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), s = ws_tensor_2d(sums, WS_F32, (M + S - 1) / S, N);
    ws_tensor l = ws_tensor_2d(larger, WS_F32, M + 5, N), q = ws_tensor_2d(square, WS_F32, N, N);
    ws_tensor e = ws_tensor_2d(late, WS_F32, M, N);

    #pragma ws grid(1)
    for (int j = 0; j < N; j += 32) {
        ws_tile acc = ws_zeros(WS_F32, 32, 32), before = ws_zeros(WS_F32, S, 32);

        #pragma ws pipeline(2)
        for (int i = (M - 1) / S * S; i >= 0; i -= S) {
            ws_tile t = ws_load(x, i, j, S, 32);
            ws_store(s, i / S, j, ws_col_sum(t));
            ws_store(l, i, j, t);
            ws_store(e, i, j, before);
            acc = ws_dot_f32(ws_trans(t), t, acc);
            before = t;
        }
        ws_store(q, j, j, acc);
    }
}

static double at(const float *X, long M, long N, long i, long j)
{
    return i < M ? X[i * N + j] : 0;
}

static void judge_seen(long M, long N, const float *X, const float *sums, const float *larger, const float *square,
                       const float *late)
{
    for (long j = 0; j < N; j++) {
        for (long i = 0; i < M + 5 && i < (M + S - 1) / S * S; i++)
            check_equal(larger, i * N + j, at(X, M, N, i, j));
        for (long i = 0; i < M; i++)
            check_equal(late, i * N + j, i / S == (M - 1) / S ? 0 : at(X, M, N, i + S, j));
        for (long first = 0; first < M; first += S) {
            double sum = 0;
            for (long i = first; i < first + S; i++)
                sum += at(X, M, N, i, j);
            check_close(sums, first / S * N + j, sum, 1e-5 * S);
        }
        for (long k = j / 32 * 32; k < j / 32 * 32 + 32 && k < N; k++) {
            double sum = 0;
            for (long i = 0; i < M; i++)
                sum += at(X, M, N, i, j) * at(X, M, N, i, k);
            check_close(square, j * N + k, sum, 1e-5 * (double)M);
        }
    }
}

static void run_products(int M, int N, int K)
{
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    float *V = check_random(WS_F32, (size_t)N), *C = check_output(WS_F32, (size_t)M * N);
    float *R = check_output(WS_F32, (size_t)M), *D = check_output(WS_F32, (size_t)M * M);

    products(M, N, K, check_place(A), check_place(B), check_place(V), check_place(C));
    from_third(M, K, check_place(A), check_place(D), check_place(R));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double magnitude, sum = test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &magnitude);
            check_close(C, (size_t)(i * N + j), sum + V[j], 2 * check_dot_error(K, magnitude + fabs((double)V[j])));
        }
    for (long i = 3; i < M; i++) {
        double least = M % S ? 0 : 1e9, magnitude;
        for (long j = (M - 1) / S * S; j < M; j++)
            least = fmin(least, fabs(test_dot(rows_of(A, K), columns_of(A, K), i, j, 0, K, &magnitude)));
        check_close(R, (size_t)i, least, 1e-5 * K);
    }
    if (M > 3)
        test_product(from(rows_of(D, M), 3L * M), from(rows_of(A, K), 3L * K), columns_of(A, K), M - 3, M, K);
    check_next();
}

int main(int argc, char **argv)
{
    static const int extents[] = {64, 65, 71, 96, 1, 130};
    check_begin("present", argc, argv);
    for (int n = 0; n < 6; n++) {
        run_products(extents[n], (extents[(n + 2) % 6] + 7) / 8 * 8, 72);

        long M = extents[n], N = 48;
        float *X = check_random(WS_F32, (size_t)(M * N)), *larger = check_output(WS_F32, (size_t)((M + 5) * N));
        float *sums = check_output(WS_F32, (size_t)((M + S - 1) / S * N)),
              *late = check_output(WS_F32, (size_t)(M * N));
        float *square = check_output(WS_F32, (size_t)(N * N));
        seen((int)M, (int)N, check_place(X), check_place(sums), check_place(larger), check_place(square),
             check_place(late));
        check_fetch();
        judge_seen(M, N, X, sums, larger, square, late);
        check_next();
    }
    return check_end();
}
