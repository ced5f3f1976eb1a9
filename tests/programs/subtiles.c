/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Epilogues that are carried out in strips of columns: two stores that share their beginnings, a mask by columns, boxes
   of half a line, a second operand beside accumulators that leave little room, in-place sums; edges everywhere. */
#include "test.h"

/* P = A B' + R, and E = P, not below 0, times a number for each column; columns from `limit` on are 0. */
static void two_outputs(int M, int N, int K, int limit, const ws_f16 *A, const ws_f16 *B, const ws_f16 *R,
                        const float *S, ws_f16 *P, ws_e4m3 *E)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), r = ws_tensor_2d(R, WS_F16, M, N);
    ws_tensor s = ws_tensor_1d(S, WS_F32, N), p = ws_tensor_2d(P, WS_F16, M, N), e = ws_tensor_2d(E, WS_E4M3, M, N);

#pragma ws grid(2) consumers(2, tiles)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 192) {
            ws_tile acc = ws_zeros(WS_F32, 128, 192);
#pragma ws pipeline(2, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 128, 32), ws_trans(ws_load(b, j, k, 192, 32)), acc);
            ws_tile sum = ws_cast(ws_add(acc, ws_cast(ws_load_or(r, i, j, 128, 192, 0.5), WS_F32)), WS_F16);
            ws_store(p, i, j, sum);
            ws_tile scaled = ws_mul(ws_max(ws_cast(sum, WS_F32), 0), ws_load_row(s, j, 192));
            ws_tile inside = ws_lt(ws_add(ws_col_index(128, 192), j), limit);
            ws_store(e, i, j, ws_cast(ws_select(inside, scaled, 0.0f), WS_E4M3));
        }
}

/* C = A B' + C / 2, in place. */
static void update(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2) consumers(2, rows)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 128) {
            ws_tile acc = ws_zeros(WS_F32, 128, 128);
#pragma ws pipeline(2, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 128, 32), ws_trans(ws_load(b, j, k, 128, 32)), acc);
            ws_store(c, i, j, ws_fma(ws_load(c, i, j, 128, 128), 0.5f, acc));
        }
}

int main(int argc, char **argv)
{
    check_begin("strips", argc, argv);
    int M = 150, N = 216, K = 72, limit = 100;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    ws_f16 *R = check_random(WS_F16, (size_t)M * N), *P = check_output(WS_F16, (size_t)M * N);
    ws_e4m3 *E = check_output(WS_E4M3, (size_t)M * N);
    float *S = check_random(WS_F32, (size_t)N), *C = check_random(WS_F32, (size_t)M * N);
    float *before = check_random(WS_F32, (size_t)M * N);
    memcpy(before, C, sizeof(float) * M * N);

    two_outputs(M, N, K, limit, check_place(A), check_place(B), check_place(R), check_place(S), check_place(P),
                check_place(E));
    update(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double m, dot = test_dot(rows_of(A, K), columns_of(B, K), i, j, 0, K, &m);
            float positive = fmaxf(ws_f16_to(P[i * N + j]), 0);
            check_close(P, i * N + j, dot + ws_f16_to(R[i * N + j]), check_dot_error(K + 1, m + 1));
            check_equal(E, i * N + j, j < limit ? ws_e4m3_to(ws_e4m3_from(positive * S[j])) : 0);
            check_close(C, i * N + j, dot + 0.5 * before[i * N + j], check_dot_error(K + 1, m + 1));
        }
    return check_end();
}
