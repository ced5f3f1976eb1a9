/* SPDX-License-Identifier: MIT */
/*
 * tensor_mlp - both halves of a tensor-parallel MLP: Y = relu(X U^T)^2 V^T over n devices.
 *
 * Device r has some rows of X and of Y, and some of the hidden columns: rows of U, columns of V.  The first loop
 * gathers X, makes the hidden part and from it its share of the others' rows of Y; the second one makes the share of
 * its own rows and adds the others' to it.  Under `together` all of it runs at once: a tile begins when the rows that
 * it loads are there, also where another device makes them.
 */
#include "check.h"

static inline ws_tile squared_relu(ws_tile x)
{
    x = ws_max(x, 0.0);
    return ws_mul(x, x);
}

/* Device r has M/n x K at X[r], H/n x K at U[r], K x H/n at V[r]; A[r], S[r] and P[r] are room for M x K, M x H/n and
   M x K; Y[r] becomes M/n x K. */
void tensor_mlp(int n, int M, int K, int H, const ws_bf16 *const X[], const ws_bf16 *const U[],
                const ws_bf16 *const V[], ws_bf16 *const A[], ws_bf16 *const S[], ws_bf16 *const P[],
                ws_bf16 *const Y[])
{
    #pragma ws together
    int rows = M / n, part = H / n;

    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor u = ws_tensor_2d(U[r], WS_BF16, part, K), v = ws_tensor_2d(V[r], WS_BF16, K, part);

        for (int o = 1; o < n; o++) {
            int from = (r + o) % n;
            ws_tensor x = ws_tensor_2d(X[from], WS_BF16, rows, K);
            ws_tensor a = ws_tensor_2d(A[r] + (size_t)from * rows * K, WS_BF16, rows, K);

            #pragma ws grid(2) share(16)
            for (int i = 0; i < rows; i += 64)
                for (int j = 0; j < K; j += 1024) {
                    int end = j + 1024 < K ? j + 1024 : K;
                    #pragma ws pipeline(6)
                    for (int k = j; k < end; k += 128)
                        ws_store(a, i, k, ws_load(x, i, k, 64, 128));
                }
        }
        for (int o = 0; o < n; o++) {
            int from = (r + o) % n;
            const ws_bf16 *there = o ? A[r] + (size_t)from * rows * K : X[r];
            ws_tensor x = ws_tensor_2d(there, WS_BF16, rows, K);
            ws_tensor s = ws_tensor_2d(S[r] + (size_t)from * rows * part, WS_BF16, rows, part);

            #pragma ws grid(2)
            for (int i = 0; i < rows; i += 128)
                for (int j = 0; j < part; j += 256) {
                    ws_tile acc = ws_zeros(WS_F32, 128, 256);
                    #pragma ws pipeline(4, 2)
                    for (int k = 0; k < K; k += 64)
                        acc = ws_dot(ws_load(x, i, k, 128, 64), ws_trans(ws_load(u, j, k, 256, 64)), acc);
                    ws_store(s, i, j, ws_cast(squared_relu(acc), WS_BF16));
                }
        }
        for (int o = 1; o < n; o++) {
            int to = (r + o) % n;
            ws_tensor s = ws_tensor_2d(S[r] + (size_t)to * rows * part, WS_BF16, rows, part);
            ws_tensor p = ws_tensor_2d(P[r] + (size_t)to * rows * K, WS_BF16, rows, K);

            #pragma ws grid(2)
            for (int i = 0; i < rows; i += 128)
                for (int j = 0; j < K; j += 256) {
                    ws_tile acc = ws_zeros(WS_F32, 128, 256);
                    #pragma ws pipeline(4, 2)
                    for (int k = 0; k < part; k += 64)
                        acc = ws_dot(ws_load(s, i, k, 128, 64), ws_trans(ws_load(v, j, k, 256, 64)), acc);
                    ws_store(p, i, j, ws_cast(acc, WS_BF16));
                }
        }
    }

    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor s = ws_tensor_2d(S[r] + (size_t)r * rows * part, WS_BF16, rows, part);
        ws_tensor v = ws_tensor_2d(V[r], WS_BF16, K, part), y = ws_tensor_2d(Y[r], WS_BF16, rows, K);

        #pragma ws grid(2)
        for (int i = 0; i < rows; i += 128)
            for (int j = 0; j < K; j += 256) {
                ws_tile acc = ws_zeros(WS_F32, 128, 256);
                #pragma ws pipeline(4, 2)
                for (int k = 0; k < part; k += 64)
                    acc = ws_dot(ws_load(s, i, k, 128, 64), ws_trans(ws_load(v, j, k, 256, 64)), acc);
                for (int o = 1; o < n; o++) {
                    ws_tensor p = ws_tensor_3d(P[(r + o) % n], WS_BF16, n, rows, K);
                    acc = ws_add(acc, ws_cast(ws_load_3d(p, r, i, j, 128, 256), WS_F32));
                }
                ws_store(y, i, j, ws_cast(acc, WS_BF16));
            }
    }
}

int main(int argc, char **argv)
{
    enum { MOST = 8 };
    check_begin("tensor_mlp", argc, argv);
    int n = check_size(1, 2), M = check_size(2, 40), K = check_size(3, 136), H = check_size(4, 72);
    ws_bf16 *host[7][MOST], *X[MOST], *U[MOST], *V[MOST], *A[MOST], *S[MOST], *P[MOST], *Y[MOST];
    ws_bf16 **there[7] = {X, U, V, A, S, P, Y};
    n = n < 1 ? 1 : n < MOST ? n : MOST;
    M *= n, H *= n;
    size_t counts[7] = {(size_t)(M / n) * K, (size_t)(H / n) * K, (size_t)(H / n) * K, (size_t)M * K,
                        (size_t)M * (H / n), (size_t)M * K,       (size_t)(M / n) * K};
    for (int r = 0; r < n; r++)
        for (int t = 0; t < 7; t++) {
            host[t][r] = t < 3 ? check_random(WS_BF16, counts[t]) : check_output(WS_BF16, counts[t]);
            there[t][r] = check_place_on(r, host[t][r]);
        }

    tensor_mlp(n, M, K, H, (const ws_bf16 *const *)X, (const ws_bf16 *const *)U, (const ws_bf16 *const *)V, A, S, P,
               Y);
    check_fetch();
    double *hidden = malloc(sizeof *hidden * H), *slack = malloc(sizeof *slack * H);
    for (long i = 0; i < M; i++) {
        const ws_bf16 *row = host[0][i / (M / n)] + i % (M / n) * K;
        for (long h = 0; h < H; h++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double product = (double)ws_bf16_to(row[k]) * ws_bf16_to(host[1][h / (H / n)][h % (H / n) * K + k]);
                sum += product;
                magnitude += fabs(product);
            }
            hidden[h] = sum > 0 ? sum * sum : 0;
            slack[h] = hidden[h] * check_roundoff(WS_BF16) + 3 * fabs(sum) * check_dot_error(K, magnitude);
        }
        for (long j = 0; j < K; j++) {
            double sum = 0, tolerance = 0, magnitude = 0;
            for (long h = 0; h < H; h++) {
                double v = ws_bf16_to(host[2][h / (H / n)][j * (H / n) + h % (H / n)]);
                sum += hidden[h] * v;
                magnitude += fabs(hidden[h] * v);
                tolerance += slack[h] * fabs(v);
            }
            check_close(host[6][i / (M / n)], i % (M / n) * K + j, sum,
                        tolerance + check_dot_error(H, magnitude) + check_roundoff(WS_BF16) * magnitude);
        }
    }
    free(hidden);
    free(slack);
    return check_end();
}
