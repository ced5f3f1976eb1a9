/* SPDX-License-Identifier: MIT */
/* Products whose right operand is computed. They are made of the transposes where nothing else looks at their sums:
   sums that loops and parts hand on, rows, columns and indices beside them, and two products of one sum. Others stay as
   they are: a branch, a whole tile, a sum of rows or a store of f32 looks at them. */
#include "test.h"

#define KERNEL(name, rows, cols, type, term, result)                                                           \
    static void name(int M, int N, int K, const void *X, const void *W, const void *S, const void *T, void *Z) \
    {                                                                                                          \
        ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, type, N, K);                          \
        ws_tensor s = ws_tensor_1d(S, WS_F32, N), t = ws_tensor_1d(T, WS_F32, M);                              \
        ws_tensor z = ws_tensor_2d(Z, WS_F16, M, N);                                                           \
        (void)s, (void)t;                                                                                      \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += cols)              \
        {                                                                                                      \
            enum { ROWS = rows, COLS = cols };                                                                 \
            ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);                                                        \
            _Pragma("ws pipeline(auto)") for (int k = 0; k < K; k += 64)                                       \
            {                                                                                                  \
                term;                                                                                          \
            }                                                                                                  \
            ws_store(z, i, j, ws_cast(result, WS_F16));                                                        \
        }                                                                                                      \
    }
#define LEFT    ws_load(x, i, k, ROWS, 64)
#define RIGHT   ws_trans(ws_cast(ws_load(w, j, k, COLS, 64), WS_F16))
#define SCALE   ws_load_row(s, j, COLS)
#define FACTOR  ws_load_col(t, i, ROWS)
#define PRODUCT acc = ws_dot(LEFT, RIGHT, acc)
#define SEEN    ws_le(ws_col_index(ROWS, COLS), ws_row_index(ROWS, COLS))
KERNEL(scaled, 256, 128, WS_I8, PRODUCT, ws_mul(acc, SCALE))
KERNEL(twofold, 128, 128, WS_I8, PRODUCT, ws_mul(ws_mul(acc, FACTOR), SCALE))
KERNEL(narrow, 64, 64, WS_E4M3, PRODUCT, ws_fma(acc, SCALE, FACTOR))
KERNEL(halved, 128, 128, WS_F16, acc = ws_dot(LEFT, ws_trans(ws_mul(ws_load(w, j, k, COLS, 64), 0.5f)), acc), acc)
KERNEL(factors, 64, 128, WS_I8, ws_tile part = ws_dot(LEFT, RIGHT, ws_zeros(WS_F32, ROWS, COLS));
       acc = ws_fma(part, FACTOR, acc), acc)
KERNEL(masked, 128, 128, WS_I8, PRODUCT, ws_select(SEEN, ws_mul(acc, SCALE), FACTOR))
KERNEL(alike, 128, 128, WS_F16, acc = ws_dot(LEFT, ws_trans(ws_load(w, j, k, COLS, 64)), acc);
       acc = ws_dot(LEFT, ws_trans(ws_neg(ws_load(w, j, k, COLS, 64))), acc); PRODUCT, acc)
KERNEL(branches, 128, 128, WS_I8, if (k % 128) PRODUCT; else acc = ws_dot(ws_neg(LEFT), RIGHT, acc), acc)
KERNEL(tile, 128, 128, WS_I8, PRODUCT, ws_add(acc, ws_cast(ws_load(x, i, j, ROWS, COLS), WS_F32)))
KERNEL(row_sums, 128, 128, WS_I8, PRODUCT, ws_sub(acc, ws_row_sum(acc)))

/* A sum of sums, and parts of it in blocks. */
static void nested(int M, int N, int K, const void *X, const void *W, const void *S, const void *T, void *Z)
{
    enum { ROWS = 128, COLS = 128 };
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K), z = ws_tensor_2d(Z, WS_F16, M, N);
    (void)S, (void)T;
#pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile sum = ws_zeros(WS_F32, ROWS, COLS);
            for (int first = 0; first < K; first += 128) {
                ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);
#pragma ws pipeline(auto)
                for (int k = first; k < first + 128; k += 64)
                    PRODUCT;
                sum = ws_add(sum, acc);
            }
            ws_store(z, i, j, ws_cast(sum, WS_F16));
        }
}

static void parts(int M, int N, int K, const void *X, const void *W, const void *S, const void *T, void *Z)
{
    enum { ROWS = 64, COLS = 64 };
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K), z = ws_tensor_2d(Z, WS_F16, M, N);
    ws_tensor s = ws_tensor_1d(S, WS_F32, N);
    (void)T;
#pragma ws grid(2)
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile sum = ws_zeros(WS_F32, ROWS, COLS);
#pragma ws parts
            for (int p = 0; p < 2; p++) {
                const int last = (p + 1) * 128 < K ? (p + 1) * 128 : K;
                ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);
#pragma ws pipeline(auto)
                for (int k = p * 128; k < last; k += 64)
                    PRODUCT;
                sum = ws_add(sum, acc);
            }
            ws_store(z, i, j, ws_cast(ws_mul(sum, SCALE), WS_F16));
        }
}

typedef struct {
    double a_b, a_b_turns, scale, factor, a;
    long row, col;
} Element;

static double plain_of(const Element *e)
{
    return e->a_b;
}
static double scaled_of(const Element *e)
{
    return e->a_b * e->scale;
}
static double twofold_of(const Element *e)
{
    return e->a_b * e->factor * e->scale;
}
static double narrow_of(const Element *e)
{
    return e->a_b * e->scale + e->factor;
}
static double halved_of(const Element *e)
{
    return e->a_b / 2;
}
static double factors_of(const Element *e)
{
    return e->a_b * e->factor;
}
static double masked_of(const Element *e)
{
    return e->col % 128 <= e->row % 128 ? e->a_b * e->scale : e->factor;
}
static double branches_of(const Element *e)
{
    return e->a_b_turns;
}
static double tile_of(const Element *e)
{
    return e->a_b + e->a;
}

int main(int argc, char **argv)
{
    static const struct {
        ws_dtype type;
        void (*run)(int, int, int, const void *, const void *, const void *, const void *, void *);
        double (*want)(const Element *e);
    } cases[] = {{WS_I8, scaled, scaled_of},     {WS_I8, twofold, twofold_of}, {WS_E4M3, narrow, narrow_of},
                 {WS_F16, halved, halved_of},    {WS_I8, factors, factors_of}, {WS_I8, masked, masked_of},
                 {WS_F16, alike, plain_of},      {WS_I8, nested, plain_of},    {WS_I8, parts, scaled_of},
                 {WS_I8, branches, branches_of}, {WS_I8, tile, tile_of},       {WS_I8, row_sums, NULL}};
    check_begin("sides", argc, argv);
    int M = 152, N = 136, K = 208;
    for (size_t n = 0; n < 2 * sizeof cases / sizeof *cases; n++) {
        int depth = n % 2 ? 0 : K; /* and loops that make no step */
        ws_dtype type = cases[n / 2].type;
        void *X = check_random(WS_F16, (size_t)M * K), *W = check_random(type, (size_t)N * K);
        float *S = check_random(WS_F32, (size_t)N), *T = check_random(WS_F32, (size_t)M);
        void *Z = check_output(WS_F16, (size_t)M * N);
        cases[n / 2].run(M, N, depth, check_place(X), check_place(W), check_place(S), check_place(T), check_place(Z));
        check_fetch();
        for (long i = 0; i < M && cases[n / 2].want; i++)
            for (long j = 0; j < N; j++) {
                Element e = {0, 0, S[j], T[i], j < depth ? check_at(X, (size_t)(i * depth + j)) : 0, i, j};
                double magnitude = 0;
                for (long k = 0; k < depth; k++) {
                    double one = check_at(X, (size_t)(i * depth + k)) * check_at(W, (size_t)(j * depth + k));
                    e.a_b += one;
                    e.a_b_turns += k / 64 % 2 ? one : -one;
                    magnitude += fabs(one);
                }
                double want = cases[n / 2].want(&e), most = fabs(e.scale) + 1;
                check_close(Z, (size_t)(i * N + j), want,
                            3 * check_dot_error(K, magnitude) * most * (fabs(e.factor) + 1) + fabs(want) / 2048);
            }
        check_next();
    }
    return check_end();
}
