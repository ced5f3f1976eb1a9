/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that mean something in C++ or in the emitted text, for parameters, tensors, tiles, loop variables and
   kernels. */
#include "test.h"

static void template(int class, int new, int delete, const ws_f16 *this, const ws_f16 *namespace, float *operator,
                     float p)
{
    ws_tensor and = ws_tensor_2d(this, WS_F16, class, delete), or = ws_tensor_2d(namespace, WS_F16, delete, new);
    ws_tensor s = ws_tensor_2d(operator, WS_F32, class, new);

#pragma ws grid(2)
    for (int t = 0; t < class; t += 64)
        for (int group = 0; group < new; group += 32) {
            ws_tile ws = ws_zeros(WS_F32, 64, 32);
#pragma ws pipeline(3, 2)
            for (int slot = 0; slot < delete; slot += 32) {
                ws_tile auto_ = ws_load(and, t, slot, 64, 32), decltype = ws_load(or, slot, group, 32, 32);
                ws = ws_dot(auto_, decltype, ws);
            }
            ws_tile xor = ws_mul(ws, p), not = ws_add(xor, 1.0f);
            int grid = t, call = group;
            ws_store(s, grid, call, not );
        }
}

/* The same name twice in one kernel, and names with what the emitter itself might append. */
static void main_(int N, const float *a, const float *a_, const float *a_2, float *a_map, float *acc)
{
    ws_tensor x = ws_tensor_1d(a, WS_F32, N), x_2 = ws_tensor_1d(a_, WS_F32, N), x_ = ws_tensor_1d(a_2, WS_F32, N);
    ws_tensor x_map = ws_tensor_1d(a_map, WS_F32, N), x_out = ws_tensor_1d(acc, WS_F32, N);

#pragma ws grid(1)
    for (int i = 0; i < N; i += 32) {
        ws_tile t = ws_load_row(x, i, 32);
        {
            ws_tile t = ws_load_row(x_2, i, 32);
            for (int i_2 = 0; i_2 < 2; i_2++) {
                ws_tile t_2 = ws_add(t, (float)i_2);
                t = t_2;
            }
            ws_store_row(x_map, i, t);
        }
        for (int k = 0; k < 3; k++) {
            int i = k;
            t = ws_add(t, ws_mul(ws_load_row(x_, 32 * k, 32), (float)i));
        }
        ws_store_row(x_out, i, t);
    }
}

/* Letters that nvcc has not in the names of kernels. */
static void größe(int länge, const float *ein, float *aus)
{
    ws_tensor x = ws_tensor_1d(ein, WS_F32, länge), ergebnis_für_x = ws_tensor_1d(aus, WS_F32, länge);

#pragma ws grid(1)
    for (int zähler = 0; zähler < länge; zähler += 32) {
        ws_tile größer = ws_mul(ws_load_row(x, zähler, 32), 2);
        ws_store_row(ergebnis_für_x, zähler, größer);
    }
}

int main(int argc, char **argv)
{
    check_begin("names", argc, argv);
    int M = 70, N = 40, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)M * N), *X = check_random(WS_F32, 100), *Y = check_random(WS_F32, 100);
    float *Z = check_random(WS_F32, 100), *P = check_output(WS_F32, 100), *Q = check_output(WS_F32, 100);
    float *R = check_output(WS_F32, 100);

    template(M, N, K, check_place(A), check_place(B), check_place(C), 0.5f);
    main_(100, check_place(X), check_place(Y), check_place(Z), check_place(P), check_place(Q));
    größe(100, check_place(X), check_place(R));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double m, sum = test_dot(rows_of(A, K), rows_of(B, N), i, j, 0, K, &m);
            check_close(C, i * N + j, sum * 0.5 + 1, check_dot_error(K, m) + 1e-6);
        }
    for (int i = 0; i < 100; i++) {
        check_close(P, i, Y[i] + 1.0, 1e-6);
        check_close(R, i, 2.0 * X[i], 0);
        check_close(Q, i, X[i] + (double)Z[32 + i % 32] + 2.0 * Z[64 + i % 32], 1e-6);
    }
    return check_end();
}
