/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products in less common places: a tile with itself, three in a chain, a result that is used and carried, an
   accumulator that is loaded in the loop, an operand that is also summed, two in flight with different operands'
   lifetimes. */
#include "test.h"

static void gram(int M, int K, const ws_bf16 *A, float *C, float *norms)
{
    ws_tensor a = ws_tensor_2d(A, WS_BF16, M, K), c = ws_tensor_3d(C, WS_F32, (M + 63) / 64, 64, 64);
    ws_tensor n = ws_tensor_1d(norms, WS_F32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile acc = ws_zeros(WS_F32, 64, 64), sum = ws_zeros(WS_F32, 64, 1);
        #pragma ws pipeline(3, 2)
        for (int k = 0; k < K; k += 32) {
            ws_tile t = ws_load(a, i, k, 64, 32);
            acc = ws_dot(t, ws_trans(t), acc);
            ws_tile wide = ws_cast(t, WS_F32);
            sum = ws_add(sum, ws_row_sum(ws_mul(wide, wide)));
        }
        ws_store_3d(c, i / 64, 0, 0, acc);
        ws_store_col(n, i, sum);
    }
}

/* O = ((Q K_j) P) V_j summed over blocks j, and the largest score of each row. */
static void chain(int L, int S, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *P, const ws_f16 *V, float *O,
                  float *top)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, L, 32), k = ws_tensor_2d(K, WS_F16, 32, S),
              p = ws_tensor_2d(P, WS_F16, 64, 32);
    ws_tensor v = ws_tensor_2d(V, WS_F16, S / 2, 64), o = ws_tensor_2d(O, WS_F32, L, 64),
              t = ws_tensor_1d(top, WS_F32, L);

    #pragma ws grid(1)
    for (int i = 0; i < L; i += 64) {
        ws_tile tq = ws_load(q, i, 0, 64, 32), tp = ws_load(p, 0, 0, 64, 32);
        ws_tile acc = ws_zeros(WS_F32, 64, 64), most = ws_full(WS_F32, 64, 1, -1e30);
        #pragma ws pipeline(2)
        for (int j = 0; j < S; j += 64) {
            ws_tile s = ws_dot(tq, ws_load(k, 0, j, 32, 64), ws_zeros(WS_F32, 64, 64));
            most = ws_max(most, ws_row_max(s));
            ws_tile r = ws_dot(ws_cast(s, WS_F16), tp, ws_zeros(WS_F32, 64, 32));
            acc = ws_dot(ws_cast(r, WS_F16), ws_load(v, j / 2, 0, 32, 64), acc);
        }
        ws_store(o, i, 0, acc);
        ws_store_col(t, i, most);
    }
}

/* C[b] += A B[b]: the accumulator comes from memory in each iteration and goes back. */
static void update(int N, int K, int batch, const ws_f16 *A, const ws_f16 *B, const float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, K), b = ws_tensor_3d(B, WS_F16, batch, K, N);
    ws_tensor c = ws_tensor_3d(C, WS_F32, batch, 64, N), d = ws_tensor_3d(D, WS_F32, batch, 64, N);

    #pragma ws grid(1)
    for (int j = 0; j < N; j += 32) {
        #pragma ws pipeline(2)
        for (int n = 0; n < batch; n++) {
            ws_tile acc = ws_load_3d(c, n, 0, j, 64, 32);
            acc = ws_dot(ws_load(a, 0, 0, 64, 32), ws_load_3d(b, n, 0, j, 32, 32), acc);
            acc = ws_dot(ws_load(a, 0, 32, 64, 32), ws_load_3d(b, n, 32, j, 32, 32), acc);
            ws_store_3d(d, n, 0, j, acc);
        }
    }
}

int main(int argc, char **argv)
{
    check_begin("more_products", argc, argv);
    int M = 100, K = 72, S = 192, N = 50, batch = 4;
    ws_bf16 *A = check_random(WS_BF16, (size_t)M * K);
    float *C = check_output(WS_F32, 2 * 64 * 64), *norms = check_output(WS_F32, M);
    ws_f16 *Q = check_random(WS_F16, (size_t)M * 32), *Kt = check_random(WS_F16, (size_t)32 * S),
           *P = check_random(WS_F16, 64 * 32);
    ws_f16 *V = check_random(WS_F16, (size_t)S / 2 * 64), *U = check_random(WS_F16, 64 * 64);
    ws_f16 *W = check_random(WS_F16, (size_t)batch * 64 * N);
    float *O = check_output(WS_F32, (size_t)M * 64), *top = check_output(WS_F32, M);
    float *R = check_random(WS_F32, (size_t)batch * 64 * N), *D = check_output(WS_F32, (size_t)batch * 64 * N);

    gram(M, K, check_place(A), check_place(C), check_place(norms));
    chain(M, S, check_place(Q), check_place(Kt), check_place(P), check_place(V), check_place(O), check_place(top));
    update(N, 64, batch, check_place(U), check_place(W), check_place(R), check_place(D));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double m, first = i / 64 * 64, s[192], most = -1e30;
        for (long j = 0; j < 64; j++) {
            double sum =
                first + j < M ? test_dot(rows_of(A, K), columns_of(A, K), i, (long)first + j, 0, K, &m) : (m = 0);
            check_close(C, i * 64 + j, sum, check_dot_error(K, m));
        }
        check_close(norms, i, test_dot(rows_of(A, K), columns_of(A, K), i, i, 0, K, &m), check_dot_error(K, m));
        for (long j = 0; j < S; j++)
            most = fmax(most, s[j] = test_dot(rows_of(Q, 32), rows_of(Kt, S), i, j, 0, 32, &m));
        check_close(top, i, most, 1e-4);
        for (long c = 0; c < 64; c++) {
            double sum = 0, magnitude = 0;
            for (long b = 0; b < S / 64; b++)
                for (long r = 0; r < 32; r++) {
                    double x = 0, y = ws_f16_to(V[(b * 32 + r) * 64 + c]);
                    for (long j = 0; j < 64; j++)
                        x += s[b * 64 + j] * ws_f16_to(P[j * 32 + r]);
                    sum += x * y, magnitude += (fabs(x) + 4) * fabs(y);
                }
            check_close(O, i * 64 + c, sum, 0x1p-9 * magnitude);
        }
    }
    for (long n = 0; n < batch; n++)
        for (long i = 0; i < 64; i++)
            for (long j = 0; j < N; j++) {
                double m, sum = R[(n * 64 + i) * N + j] +
                                test_dot(rows_of(U, 64), from(rows_of(W, N), n * 64 * N), i, j, 0, 64, &m);
                check_close(D, (n * 64 + i) * N + j, sum, check_dot_error(65, m + 1));
            }
    return check_end();
}
