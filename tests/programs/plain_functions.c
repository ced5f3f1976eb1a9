/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops of real programs; elements that are no window of a tensor are looked up one by one. */
#include "plain.h"

static inline float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}

#define KERNEL(name) static void name
#define WS           PLAIN_PRAGMA
#define Quantized    Quantized1
#define Body         Body1
#include "plain/functions.h"
#undef KERNEL
#undef WS
#undef Quantized
#undef Body
#define KERNEL(name) static void name##_plain
#define WS(...)
#include "plain/functions.h"

static void backward(int B, int T, int C, int OC)
{
    int N = B * T, V = OC - 3;
    PLAIN_FLOATS(dinp, N * C);
    PLAIN_FLOATS(dweight, OC * C);
    PLAIN_FLOATS(dbias, OC);
    PLAIN_FLOATS(dout, N * OC);
    float *inp = check_random(WS_F32, (size_t)(N * C));
    float *weight = check_random(WS_F32, (size_t)(OC * C));
    matmul_backward(check_place(dinp), check_place(dweight), check_place(dbias), check_place(dout), check_place(inp),
                    check_place(weight), B, T, C, OC);
    check_fetch();
    matmul_backward_plain(dinp_, dweight_, dbias_, dout, inp, weight, B, T, C, OC);
    PLAIN_SAME(dinp, N * C, 1e-5);
    PLAIN_SAME(dweight, OC * C, 1e-6);
    PLAIN_SAME(dbias, OC, 1e-6);
    matmul_backward(check_place(dinp), check_place(dweight), NULL, check_place(dout), check_place(inp),
                    check_place(weight), B, T, C, OC);
    check_fetch();
    matmul_backward_plain(dinp_, dweight_, NULL, dout, inp, weight, B, T, C, OC);
    PLAIN_SAME(dweight, OC * C, 1e-6);

    float *mean = check_random(WS_F32, (size_t)(N));
    float *rstd = check_random(WS_F32, (size_t)(N));
    layernorm_backward(check_place(dinp), check_place(dweight), check_place(dbias), check_place(inp), check_place(dout),
                       check_place(weight), check_place(mean), check_place(rstd), N, C < OC ? C : OC);
    check_fetch();
    layernorm_backward_plain(dinp_, dweight_, dbias_, inp, dout, weight, mean, rstd, N, C < OC ? C : OC);
    PLAIN_SAME(dinp, N * C, 1e-5);
    PLAIN_SAME(dweight, OC * C, 1e-6);
    PLAIN_SAME(dbias, OC, 1e-6);

    float *probs = check_random(WS_F32, (size_t)(N * OC));
    int *targets = check_random(WS_I32, (size_t)N);
    for (int i = 0; i < N; i++)
        targets[i] = i * 7 % V;
    softmax_backward(check_place(dout), check_place(mean), check_place(probs), check_place(targets), N, V, OC);
    check_fetch();
    softmax_backward_plain(dout_, mean, probs, targets, N, V, OC);
    PLAIN_SAME(dout, N * OC, 1e-6);
    plain_next();
}

static void factorization(int n)
{
    PLAIN_FLOATS(A, n * n);
    for (int k = 0; k < n; k += 5) {
        A_[k * n + k] = 2;
        ws_copy((float *)check_place(A) + k * n + k, &A_[k * n + k], sizeof *A_);
        cholesky_column(n, k, check_place(A));
        check_fetch();
        cholesky_column_plain(n, k, (float(*)[n])A_);
        cholesky_unsigned((unsigned)n, (unsigned)k + 2, check_place(A));
        check_fetch();
        cholesky_unsigned_plain((unsigned)n, (unsigned)k + 2, (float(*)[n])A_);
    }
    PLAIN_FLOATS(B, n * n);
    corner(n, n, check_place(A), check_place(B));
    check_fetch();
    corner_plain(n, n, A_, B_);
    PLAIN_SAME(B, n * n, 0);
    PLAIN_SAME(A, n * n, 1e-4);
    plain_next();
}

static void points(int n, int d, int group)
{
    PLAIN_FLOATS(out, n);
    signed char *q = check_random(WS_I8, (size_t)(n * d)), *xq = check_random(WS_I8, (size_t)d);
    float *s = check_random(WS_F32, (size_t)(n * d / group + 1));
    float *xs = check_random(WS_F32, (size_t)(d / group + 1));
    Quantized1 x = {check_place(xq), check_place(xs)}, w = {check_place(q), check_place(s)};
    Quantized x_ = {xq, xs}, w_ = {q, s};
    quantized_matmul(check_place(out), &x, &w, d, n, group);
    check_fetch();
    quantized_matmul_plain(out_, &x_, &w_, d, n, group);
    PLAIN_SAME(out, n, 1e-6);

    float *feature = check_random(WS_F32, (size_t)(n * d));
    float *clusters = check_random(WS_F32, (size_t)(9 * d));
    PLAIN_ARRAY(WS_I32, int, membership, n);
    nearest_centre(check_place(feature), d, n, check_place(clusters), 9, check_place(membership));
    check_fetch();
    nearest_centre_plain(feature, d, n, clusters, 9, membership_);
    PLAIN_SAME(membership, n, 0);

    PLAIN_FLOATS(bodies, 6 * n);
    forces(check_place(bodies), 0.01f, n);
    check_fetch();
    forces_plain((void *)bodies_, 0.01f, n);
    PLAIN_SAME(bodies, 6 * n, 1e-5);

    PLAIN_FLOATS(call, n);
    PLAIN_FLOATS(put, n);
    float *S = check_random(WS_F32, (size_t)(n));
    float *X = check_random(WS_F32, (size_t)(n));
    float *T = check_random(WS_F32, (size_t)(n));
    for (int i = 0; i < n; i++) {
        S[i] = 5 + (float)(i % 25);
        X[i] = 1 + (float)(i % 99);
        T[i] = 0.25f + (float)(i % 10);
    }
    options(check_place(call), check_place(put), check_place(S), check_place(X), check_place(T), 0.02f, 0.3f, n);
    check_fetch();
    options_plain(call_, put_, S, X, T, 0.02f, 0.3f, n);
    PLAIN_SAME(call, n, 1e-6);
    PLAIN_SAME(put, n, 1e-6);
    plain_next();
}

static void images(int N, int C, int H, int W, int K, int stride, int pad, int dilation)
{
    int P = H - 2, Q = W - 2, OH = (H + 2 * pad - 2 * dilation - 1) / stride + 1,
        OW = (W + 2 * pad - 2 * dilation - 1) / stride + 1;
    PLAIN_FLOATS(out, N * K * P * Q);
    float *in = check_random(WS_F32, (size_t)(N * C * H * W));
    float *w = check_random(WS_F32, (size_t)(K * C * 9));
    convolution(N, C, H, W, K, 3, 3, check_place(out), check_place(in), check_place(w));
    check_fetch();
    convolution_plain(N, C, H, W, K, 3, 3, out_, in, w);
    PLAIN_SAME(out, N * K * P * Q, 1e-5);

    PLAIN_FLOATS(dst, N * C * OH * OW);
    depthwise(check_place(dst), check_place(in), check_place(w), N, C, H, W, OH, OW, 3, 3, stride, stride, pad, pad,
              dilation, dilation);
    check_fetch();
    depthwise_plain(dst_, in, w, N, C, H, W, OH, OW, 3, 3, stride, stride, pad, pad, dilation, dilation);
    PLAIN_SAME(dst, N * C * OH * OW, 1e-6);
    plain_next();
}

static void tables(int n, int step)
{
    PLAIN_FLOATS(y, n);
    PLAIN_FLOATS(z, n * n);
    float *x = check_random(WS_F32, (size_t)(2 * n + n * step));
    float *table = check_random(WS_F32, (size_t)(17));
    int *at = check_random(WS_I32, (size_t)n);
    for (int i = 0; i < n; i++)
        at[i] = i * 11 % 40 - 9;
    looked_up(n, step, check_place(y), check_place(z), check_place(x), check_place(at), check_place(table));
    check_fetch();
    looked_up_plain(n, step, y_, z_, x, at, table);
    PLAIN_SAME(y, n, 0);
    PLAIN_SAME(z, n * n, 1e-6);
    for (int first = -1; first < 18; first += 6) {
        ws_copy((int *)check_place(at) + 1, &first, sizeof first);
        at[1] = first;
        shifted(n, 17, check_place(y), check_place(x), check_place(at), check_place(table));
        check_fetch();
        shifted_plain(n, 17, y_, x, at, table);
        PLAIN_SAME(y, n, 0);
    }
    plain_next();
}

static void nothing(void)
{
    float *x = check_random(WS_F32, 12);
    PLAIN_FLOATS(y, 4);
    PLAIN_FLOATS(z, 4);
    for (int n = 0; n < 4; n++)
        for (int m = 0; m < 4; m++) {
            interior(n, m, check_place(y), check_place(z), check_place(x));
            check_fetch();
            interior_plain(n, m, y_, z_, x);
            PLAIN_SAME(y, 4, 0);
            PLAIN_SAME(z, 4, 1e-6);
        }
    check_true(ws_last_error() == WS_OK, "a loop that runs zero times");
    plain_next();
}

static void sparse(int n, int m)
{
    int *row = check_random(WS_I32, (size_t)n + 1), count = 0;
    for (int i = 0; i <= n; i++) {
        row[i] = count;
        count += i % 7 ? i % 11 : 40;
    }
    count = row[n];
    int *col = check_random(WS_I32, (size_t)count);
    for (int k = 0; k < count; k++)
        col[k] = k * 31 % m;
    double *value = check_random(WS_F64, (size_t)count), *x = check_random(WS_F64, (size_t)m);
    PLAIN_DOUBLES(y, n);
    sparse_product(n, m, count, check_place(row), check_place(col), check_place(value), check_place(x), check_place(y));
    check_fetch();
    sparse_product_plain(n, m, count, row, col, value, x, y_);
    PLAIN_SAME(y, n, 1e-12);
    plain_next();
}

static void tokens(int B, int T, int C, int V)
{
    PLAIN_FLOATS(out, B * T * C);
    PLAIN_FLOATS(losses, B * T);
    int *token = check_random(WS_I32, (size_t)(B * T));
    for (int i = 0; i < B * T; i++)
        token[i] = i * 13 % V;
    float *word = check_random(WS_F32, (size_t)(V * C)), *place = check_random(WS_F32, (size_t)(T * C));
    float *probs = check_range(WS_F32, (size_t)(B * T * V), 0.1, 1);
    embed(check_place(out), check_place(token), check_place(word), check_place(place), B, T, C, V);
    cross_entropy(check_place(losses), check_place(probs), check_place(token), B, T, V);
    check_fetch();
    embed_plain(out_, token, word, place, B, T, C, V);
    cross_entropy_plain(losses_, probs, token, B, T, V);
    PLAIN_SAME(out, B * T * C, 0);
    PLAIN_SAME(losses, B * T, 1e-6);
    plain_next();
}

int main(int argc, char **argv)
{
    check_begin("plain_functions", argc, argv);
    backward(2, 19, 44, 60);
    factorization(40);
    points(150, 64, 16);
    images(1, 5, 14, 37, 3, 1, 1, 1);
    images(2, 3, 17, 23, 2, 2, 1, 2);
    tables(70, 3);
    nothing();
    sparse(60, 45);
    tokens(2, 21, 50, 33);
    return plain_end();
}
