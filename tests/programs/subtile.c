/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subtile(n): each kernel as it is and with the rows of its tiles in parts, which leave the same bits. A product of
   operands either way round with an epilogue, probabilities in a task, attention whose queries are loaded before the
   loop and whose scores a row is added to, rows without a product, and a branch. */
#include "test.h"

#define PRODUCT(name, clause)                                                                     \
    static void name(int M, int N, int K, const void *X, const void *W, const void *T, void *Z)   \
    {                                                                                             \
        ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, K, N);           \
        ws_tensor t = ws_tensor_2d(T, WS_F16, K, M), z = ws_tensor_2d(Z, WS_F32, M, N);           \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 128) for (int j = 0; j < N; j += 64)    \
        {                                                                                         \
            ws_tile acc = ws_zeros(WS_F32, 128, 64);                                              \
            _Pragma(clause) for (int k = 0; k < K; k += 64)                                       \
            {                                                                                     \
                acc = ws_dot(ws_load(x, i, k, 128, 64), ws_load(w, k, j, 64, 64), acc);           \
                acc = ws_dot(ws_trans(ws_load(t, k, i, 64, 128)), ws_load(w, k, j, 64, 64), acc); \
            }                                                                                     \
            acc = ws_add(acc, ws_cast(ws_add(ws_row_index(128, 1), i), WS_F32));                  \
            ws_store(z, i, j, ws_max(acc, ws_row_sum(acc)));                                      \
        }                                                                                         \
    }
PRODUCT(product, "ws pipeline(2)")
PRODUCT(product_parts, "ws pipeline(2) subtile(2)")

#define SOFTMAX(name, clause)                                                                   \
    static void name(int M, int N, int K, const void *X, const void *W, const void *T, void *Z) \
    {                                                                                           \
        ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, K, N);         \
        ws_tensor z = ws_tensor_2d(Z, WS_F32, M, N);                                            \
        (void)T;                                                                                \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 128) for (int j = 0; j < N; j += 64)  \
        {                                                                                       \
            ws_tile acc = ws_zeros(WS_F32, 128, 64), top = ws_full(WS_F32, 128, 1, -1e30);      \
            ws_tile sum = ws_zeros(WS_F32, 128, 1);                                             \
            _Pragma(clause) for (int k = 0; k < K; k += 64)                                     \
            {                                                                                   \
                ws_tile p, shrink;                                                              \
                {                                                                               \
                    _Pragma("ws task(probabilities)") ws_tile s =                               \
                        ws_cast(ws_load_or(x, i, k, 128, 64, -INFINITY), WS_F32);               \
                    ws_tile now = ws_max(top, ws_row_max(s)), e = ws_exp(ws_sub(s, now));       \
                    shrink = ws_exp(ws_sub(top, now));                                          \
                    sum = ws_fma(sum, shrink, ws_row_sum(e));                                   \
                    p = ws_cast(e, WS_F16);                                                     \
                    top = now;                                                                  \
                }                                                                               \
                acc = ws_dot(p, ws_load(w, k, j, 64, 64), ws_mul(acc, shrink));                 \
            }                                                                                   \
            ws_store(z, i, j, ws_div(acc, sum));                                                \
        }                                                                                       \
    }
SOFTMAX(softmax, "ws pipeline(3)")
SOFTMAX(softmax_parts, "ws pipeline(3) subtile(2)")

/* Keys are rows of X, values columns of W; some are left out. */
#define ATTENTION(name, clause)                                                                       \
    static void name(int M, int N, int K, const void *X, const void *W, const void *T, void *Z)       \
    {                                                                                                 \
        ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, K, N);               \
        ws_tensor z = ws_tensor_2d(Z, WS_F32, M, N);                                                  \
        (void)T;                                                                                      \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += 128) for (int j = 0; j < N; j += 64)        \
        {                                                                                             \
            ws_tile q = ws_load(x, i, 0, 128, 64), out = ws_zeros(WS_F32, 128, 64);                   \
            ws_tile sum = ws_zeros(WS_F32, 128, 1);                                                   \
            _Pragma(clause) for (int k = 0; k < K; k += 64)                                           \
            {                                                                                         \
                ws_tile s = ws_dot(q, ws_trans(ws_load(x, k, 0, 64, 64)), ws_zeros(WS_F32, 128, 64)); \
                if (k == 64)                                                                          \
                    s = ws_mul(s, 0.5);                                                               \
                sum = ws_add(sum, ws_row_sum(s));                                                     \
                ws_tile r = ws_load_row_2d(w, k, j, 64);                                              \
                out = ws_dot(ws_add(ws_cast(s, WS_F16), r), ws_load(w, k, j, 64, 64), out);           \
            }                                                                                         \
            ws_store(z, i, j, ws_add(out, sum));                                                      \
        }                                                                                             \
    }
ATTENTION(attention, "ws pipeline(2)")
ATTENTION(attention_parts, "ws pipeline(2) subtile(2)")

#define LARGEST(name, clause)                                                                     \
    static void name(int M, int N, int K, const void *X, const void *W, const void *T, void *Z)   \
    {                                                                                             \
        ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), z = ws_tensor_2d(Z, WS_F32, M, N);           \
        (void)W, (void)T;                                                                         \
        _Pragma("ws grid(1)") for (int i = 0; i < M; i += 32)                                     \
        {                                                                                         \
            ws_tile top = ws_full(WS_F32, 32, 1, -1e30);                                          \
            _Pragma(clause) for (int k = 0; k < K; k += 64) top =                                 \
                ws_max(top, ws_row_max(ws_cast(ws_load_or(x, i, k, 32, 64, -INFINITY), WS_F32))); \
            ws_store(z, i, 0, ws_add(ws_zeros(WS_F32, 32, 80), top));                             \
        }                                                                                         \
    }
LARGEST(largest, "ws pipeline(2)")
LARGEST(largest_parts, "ws pipeline(2) subtile(4)")

typedef void Kernel(int, int, int, const void *, const void *, const void *, void *);

int main(int argc, char **argv)
{
    static Kernel *const kernels[][2] = {
        {product, product_parts}, {softmax, softmax_parts}, {attention, attention_parts}, {largest, largest_parts}};
    check_begin("subtile", argc, argv);
    const int M = 200, N = 80, K = 144;
    for (size_t t = 0; t < sizeof kernels / sizeof *kernels; t++) {
        void *X = check_random(WS_F16, (size_t)M * K), *W = check_random(WS_F16, (size_t)K * N);
        void *T = check_random(WS_F16, (size_t)K * M);
        float *Z = check_output(WS_F32, (size_t)M * N), *Y = check_output(WS_F32, (size_t)M * N);
        kernels[t][0](M, N, K, check_place(X), check_place(W), check_place(T), check_place(Z));
        kernels[t][1](M, N, K, check_place(X), check_place(W), check_place(T), check_place(Y));
        check_fetch();
        for (size_t i = 0; i < (size_t)M * N; i++)
            check_close(Y, i, Z[i], 0);
        check_next();
    }
    return check_end();
}
