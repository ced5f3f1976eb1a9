/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of bench/first on small arrays: what reads once, or sums in f32.
   options: -Wno-ws-padded-reduction */
#include "test.h"

#include "../../bench/first/kernels.c"

static void check_products(void)
{
    const int M = 70, N = 136, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)N * K);
    signed char *W = check_range(WS_I8, (size_t)N * K, -9, 9);
    float *S = check_range(WS_F32, N, 0.5, 1.5);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N), *D = check_output(WS_F16, (size_t)M * N);
    ws_f16 *E = check_output(WS_F16, (size_t)M * N), *F = check_output(WS_F16, (size_t)M * M);
    ws_f16 *P = check_random(WS_F16, 2 * 4096), *Q = check_random(WS_F16, 2 * 4096);
    ws_f16 *R = check_output(WS_F16, 2 * 4096);
    product(M, N, K, check_place(A), check_place(B), check_place(C));
    product_small_m(M, N, K, check_place(A), check_place(B), check_place(D));
    product_w8(M, N, K, check_place(A), check_place(W), check_place(S), check_place(E));
    product_with_itself(M, K, check_place(A), check_place(F));
    product_batch_64(2, check_place(P), check_place(Q), check_place(R));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), columns_of(B, K), M, N, K);
    test_product(rows_of(D, N), rows_of(A, K), columns_of(B, K), M, N, K);
    test_product(rows_of(F, M), rows_of(A, K), columns_of(A, K), M, M, K);
    for (long b = 0; b < 8192; b += 4096)
        test_product(from(rows_of(R, 64), b), from(rows_of(P, 64), b), from(columns_of(Q, 64), b), 64, 64, 64);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double size, sum = test_dot(rows_of(A, K), columns_of(W, K), i, j, 0, K, &size);
            check_close(E, (size_t)i * N + j, sum * S[j], check_dot_error(K, size) * S[j]);
        }
}

static void check_convolutions(void)
{
    const int B = 1, H = 3, W = 5, C = 64, F = 136;
    ws_f16 *X = check_random(WS_F16, (size_t)B * H * W * C), *V = check_random(WS_F16, (size_t)F * 9 * C);
    ws_f16 *D = check_random(WS_F16, (size_t)9 * C), *Y = check_output(WS_F16, (size_t)B * H * W * F);
    ws_f16 *Z = check_output(WS_F16, (size_t)B * H * W * C);
    convolution_3x3(B, H, W, C, F, check_place(X), check_place(V), check_place(Y));
    convolution_depthwise(B, H, W, C, check_place(X), check_place(D), check_place(Z));
    check_fetch();
    for (int h = 0; h < H; h++)
        for (int v = 0; v < W; v++)
            for (int f = 0; f < F; f++) {
                double sum = 0, size = 0, own = 0;
                for (int tap = 0; tap < 9; tap++) {
                    const int y = h + tap / 3 - 1, x = v + tap % 3 - 1;
                    for (int c = 0; c < C && y >= 0 && y < H && x >= 0 && x < W; c++) {
                        const double pixel = check_at(X, ((size_t)y * W + x) * C + c);
                        const double one = pixel * check_at(V, ((size_t)f * 9 + tap) * C + c);
                        sum += one;
                        size += fabs(one);
                        own += c == f ? pixel * check_at(D, (size_t)tap * C + c) : 0;
                    }
                }
                check_close(Y, ((size_t)h * W + v) * F + f, sum, check_dot_error(9 * C, size));
                if (f < C)
                    check_close(Z, ((size_t)h * W + v) * C + f, own, 1e-3);
            }
}

static void check_rows(void)
{
    const int M = 6, N = 700;
    const float epsilon = 1e-5f;
    ws_f16 *X = check_range(WS_F16, (size_t)M * N, -2, 3), *R = check_random(WS_F16, (size_t)M * N);
    ws_bf16 *H = check_range(WS_BF16, (size_t)M * N, -2, 3);
    ws_f16 *scale = check_random(WS_F16, N), *shift = check_random(WS_F16, N);
    ws_bf16 *factor = check_random(WS_BF16, N);
    int *T = check_range(WS_I32, M, 0, N - 1);
    double *before = malloc(sizeof *before * (size_t)M * N);
    for (size_t i = 0; before && i < (size_t)M * N; i++)
        before[i] = ws_f16_to(R[i]);
    ws_f16 *S = check_output(WS_F16, (size_t)M * N), *U = check_output(WS_F16, (size_t)M * N);
    ws_f16 *L = check_output(WS_F16, (size_t)M * N), *K = check_output(WS_F16, (size_t)M * N);
    ws_bf16 *V = check_output(WS_BF16, (size_t)M * N), *W = check_output(WS_BF16, (size_t)M * N);
    signed char *Q = check_output(WS_I8, (size_t)M * N);
    float *E = check_output(WS_F32, M), *step = check_output(WS_F32, M);
    softmax_short(M, N, check_place(X), check_place(S));
    softmax_long(M, N, check_place(X), check_place(U));
    layernorm_short(M, N, epsilon, check_place(X), check_place(scale), check_place(shift), check_place(L));
    layernorm_long(M, N, epsilon, check_place(X), check_place(scale), check_place(shift), check_place(K));
    rmsnorm_short(M, N, epsilon, check_place(H), check_place(factor), check_place(V));
    rmsnorm_long(M, N, epsilon, check_place(H), check_place(factor), check_place(W));
    cross_entropy(M, N, check_place(X), check_place(T), check_place(E));
    residual_norm_quantize(M, N, epsilon, check_place(X), check_place(R), check_place(Q), check_place(step));
    check_fetch();
    for (int i = 0; before && i < M; i++) {
        double sum = 0, mean = 0, variance = 0, squares = 0, both = 0, most = 0;
        for (int j = 0; j < N; j++) {
            const double x = check_at(X, (size_t)i * N + j), h = check_at(H, (size_t)i * N + j);
            sum += exp(x);
            mean += x / N;
            squares += h * h / N;
            both += pow(x + before[(size_t)i * N + j], 2) / N;
            most = fmax(most, fabs(x + before[(size_t)i * N + j]));
        }
        for (int j = 0; j < N; j++)
            variance += pow(check_at(X, (size_t)i * N + j) - mean, 2) / N;
        check_close(E, i, log(sum) - check_at(X, (size_t)i * N + (size_t)T[i]), 1e-4);
        check_close(step, i, most / sqrt(both + (double)epsilon) / 127, 1e-6);
        for (int j = 0; j < N; j++) {
            const size_t at = (size_t)i * N + j;
            const double x = check_at(X, at), normal = (x - mean) / sqrt(variance + (double)epsilon);
            const double root = check_at(H, at) / sqrt(squares + (double)epsilon) * check_at(factor, j);
            check_close(S, at, exp(x) / sum, 1e-6);
            check_close(U, at, exp(x) / sum, 1e-6);
            check_close(L, at, normal * check_at(scale, j) + check_at(shift, j), 1e-4);
            check_close(K, at, normal * check_at(scale, j) + check_at(shift, j), 1e-4);
            check_close(V, at, root, 1e-4);
            check_close(W, at, root, 1e-4);
            check_close(R, at, x + before[at], 1e-3);
            check_close(Q, at, (x + before[at]) / sqrt(both + (double)epsilon) / (double)step[i], 0.51);
        }
    }
    free(before);
}

static void check_streams(void)
{
    const int M = 37, N = 1040, n = 2048;
    float *X = check_random(WS_F32, (size_t)M * N), *Y = check_output(WS_F32, (size_t)M * N);
    for (int i = 0; i < M * N; i++)
        X[i] = rintf(X[i] * 256) / 256; /* sums are exact: the gradient is added in any order */
    float *P = check_random(WS_F32, n), *G = check_random(WS_F32, n), *F = check_random(WS_F32, n);
    float *V = check_range(WS_F32, n, 0.1, 1), *weights = malloc(sizeof(float) * 3 * (size_t)n);
    ws_f16 *A = check_random(WS_F16, (size_t)M * N), *B = check_output(WS_F16, (size_t)M * N);
    ws_f16 *x = check_random(WS_F16, N), *y = check_output(WS_F16, M);
    ws_f16 *heads = check_random(WS_F16, 2 * 20 * 128), *turned = check_output(WS_F16, 2 * 20 * 128);
    float *cosines = check_random(WS_F32, 2 * 64), *sines = check_random(WS_F32, 2 * 64);
    unsigned char *bytes = check_range(WS_U8, 8192, 0, 255);
    int *at = check_output(WS_I32, M), *counts = check_range(WS_I32, 256, 0, 0), *index = check_range(WS_I32, M, 0, 6);
    ws_f16 *gathered = check_output(WS_F16, (size_t)M * N);
    float *gradient = check_range(WS_F32, (size_t)7 * N, 0, 0);
    for (int i = 0; weights && i < n; i++)
        weights[i] = P[i], weights[n + i] = F[i], weights[2 * n + i] = V[i];
    argmax(M, N, check_place(X), check_place(at));
    scan(M, N, check_place(X), check_place(Y));
    adamw(n, 1e-3f, 0.9f, 0.99f, 0.01f, 1e-8f, 1.5f, 2, check_place(P), check_place(G), check_place(F), check_place(V));
    matrix_vector(M, N, check_place(A), check_place(x), check_place(y));
    transpose(M, N, check_place(A), check_place(B));
    rope(2, 20, check_place(heads), check_place(cosines), check_place(sines), check_place(turned));
    histogram(8192, check_place(bytes), check_place(counts));
    embedding(M, M, N, check_place(A), check_place(index), check_place(gathered));
    embedding_gradient(M, 7, N, check_place(X), check_place(index), check_place(gradient));
    check_fetch();
    double seen[256] = {0};
    for (int i = 0; i < 8192; i++)
        seen[bytes[i]]++;
    for (int i = 0; i < 256; i++)
        check_close(counts, (size_t)i, seen[i], 0);
    for (int i = 0; i < M; i++) {
        double sum = 0, size, dot = test_dot(rows_of(A, N), columns_of(x, 1), i, 0, 0, N, &size);
        int best = 0;
        check_close(y, (size_t)i, dot, check_dot_error(N, size));
        for (int j = 0; j < N; j++) {
            const size_t here = (size_t)i * N + j;
            best = X[here] > X[(size_t)i * N + best] ? j : best;
            sum += (double)X[here];
            check_close(Y, here, sum, 1e-4);
            check_close(B, (size_t)j * M + i, ws_f16_to(A[here]), 0);
            check_close(gathered, here, ws_f16_to(A[(size_t)index[i] * N + j]), 0);
        }
        check_close(at, (size_t)i, best, 0);
    }
    for (int i = 0; weights && i < n; i++) {
        const double first = 0.9 * (double)weights[n + i] + 0.1 * (double)G[i];
        const double second = 0.99 * (double)weights[2 * n + i] + 0.01 * (double)G[i] * (double)G[i];
        const double step = first * 1.5 / (sqrt(second * 2) + 1e-8);
        check_close(P, (size_t)i, (double)weights[i] * (1 - 1e-5) - 1e-3 * step, 1e-6);
    }
    for (int i = 0; i < 2 * 20 * 64; i++) {
        const size_t row = (size_t)i / 64, j = (size_t)i % 64, angle = row / 20 * 64 + j;
        const double low = check_at(heads, row * 128 + j), high = check_at(heads, row * 128 + 64 + j);
        check_close(turned, row * 128 + j, low * (double)cosines[angle] - high * (double)sines[angle], 1e-3);
        check_close(turned, row * 128 + 64 + j, high * (double)cosines[angle] + low * (double)sines[angle], 1e-3);
    }
    for (int r = 0; r < 7; r++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int i = 0; i < M; i++)
                sum += index[i] == r ? (double)X[(size_t)i * N + j] : 0;
            check_close(gradient, (size_t)r * N + j, sum, 1e-4);
        }
    free(weights);
}

static void check_attention(void)
{
    const int heads = 2, L = 150;
    const size_t size = (size_t)heads * L * 64;
    ws_f16 *Q = check_random(WS_F16, size), *K = check_random(WS_F16, size), *V = check_random(WS_F16, size);
    ws_f16 *O = check_output(WS_F16, size), *Z = check_output(WS_F16, size);
    ws_f16 *state = check_output(WS_F16, (size_t)heads * 4096);
    ws_f16 *P = check_random(WS_F16, (size_t)70 * 128), *C = check_random(WS_F16, (size_t)150 * 128);
    float *half = check_range(WS_F32, 150, 9, 10);
    int *found = check_output(WS_I32, 70);
    attention_64(heads, L, 0.125f, check_place(Q), check_place(K), check_place(V), check_place(O));
    linear_attention(heads, L, check_place(Q), check_place(K), check_place(V), check_place(state), check_place(Z));
    nearest(70, 150, 128, check_place(P), check_place(C), check_place(half), check_place(found));
    check_fetch();
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < L; i++) {
            double weights[150], sum = 0, magnitude;
            for (int j = 0; j < L; j++) {
                const test_matrix q = from(rows_of(Q, 64), 64L * L * h), k = from(columns_of(K, 64), 64L * L * h);
                weights[j] = exp(0.125 * test_dot(q, k, i, j, 0, 64, &magnitude));
                sum += weights[j];
            }
            for (int d = 0; d < 64; d++) {
                double o = 0;
                for (int j = 0; j < L; j++)
                    o += weights[j] / sum * check_at(V, ((size_t)h * L + (size_t)j) * 64 + (size_t)d);
                check_close(O, ((size_t)h * L + (size_t)i) * 64 + (size_t)d, o, 2e-3);
            }
        }
    for (int h = 0; h < heads; h++) {
        const test_matrix q = from(rows_of(Q, 64), 64L * L * h), s = from(rows_of(state, 64), 4096L * h);
        test_product(from(rows_of(Z, 64), 64L * L * h), q, s, L, 64, 64);
        for (int c = 0; c < 64; c++)
            for (int d = 0; d < 64; d++) {
                double magnitude;
                const test_matrix k = from(columns_of(K, 64), 64L * L * h), v = from(rows_of(V, 64), 64L * L * h);
                double sum = test_dot(k, v, c, d, 0, L, &magnitude);
                check_close(state, ((size_t)h * 64 + (size_t)c) * 64 + (size_t)d, sum, check_dot_error(L, magnitude));
            }
    }
    for (int i = 0; i < 70; i++) {
        double most = -1e30, size_of, here;
        for (int j = 0; j < 150; j++) {
            here = test_dot(rows_of(P, 128), columns_of(C, 128), i, j, 0, 128, &size_of) - (double)half[j];
            most = here > most ? here : most;
        }
        here = test_dot(rows_of(P, 128), columns_of(C, 128), i, found[i], 0, 128, &size_of) - (double)half[found[i]];
        if (here < most - 1e-4)
            check_close(found, (size_t)i, -1, 0);
    }
}

int main(int argc, char **argv)
{
    check_begin("first_kernels", argc, argv);
    check_products();
    check_convolutions();
    check_rows();
    check_streams();
    check_attention();
    return check_end();
}
