/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of long: numbers that have more bits than double, through rings and direct; what wraps; shifts; casts that
   round once, saturate or wrap; reductions, running sums, transposition; indices of 64 bits, some far outside; sums in
   memory. */
#include <limits.h>

#include "test.h"

/* Of each element what the operations make of it and of its row's number. */
static void arithmetic(int M, int N, const long *X, const int *shifts, long *Y, long *Z, long *T, unsigned char *mask)
{
    ws_tensor x = ws_tensor_2d(X, WS_I64, M, N), y = ws_tensor_2d(Y, WS_I64, M, N), z = ws_tensor_2d(Z, WS_I64, M, N);
    ws_tensor t = ws_tensor_2d(T, WS_I64, N, M), s = ws_tensor_1d(shifts, WS_I32, M);
    ws_tensor m = ws_tensor_2d(mask, WS_U8, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile by = ws_cast(ws_load_col(s, i, 16), WS_I64);
#pragma ws pipeline(3)
        for (int j = 0; j < N; j += 32) {
            ws_tile v = ws_load(x, i, j, 16, 32);
            ws_tile odd = ws_bit_or(ws_shl(v, by), 1), high = ws_ushr(v, ws_add(by, 1L << 40));
            ws_store(y, i, j, ws_add(ws_mul(ws_abs(v), odd), ws_div(v, ws_sub(by, 3))));
            ws_store(z, i, j, ws_bit_xor(ws_select(ws_lt(v, -1L << 60), ws_neg(v), ws_shr(v, by)), high));
            ws_store(t, j, i, ws_trans(ws_min(ws_max(v, -1L << 62), ws_fma(v, by, 5))));
            ws_store(m, i, j, ws_select(ws_ge(v, (1L << 53) + 1), ws_full(WS_U8, 16, 32, 1), ws_full(WS_U8, 1, 1, 0)));
        }
    }
}

/* Sums, the largest and where it is, the smallest, running sums. */
static void reduced(int M, int N, const long *X, long *sums, long *most, int *where, long *least, long *running)
{
    ws_tensor x = ws_tensor_2d(X, WS_I64, M, N), s = ws_tensor_1d(sums, WS_I64, M), l = ws_tensor_1d(most, WS_I64, M);
    ws_tensor w = ws_tensor_1d(where, WS_I32, M), k = ws_tensor_2d(least, WS_I64, M / 16, N);
    ws_tensor r = ws_tensor_2d(running, WS_I64, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile sum = ws_zeros(WS_I64, 16, 1), largest = ws_full(WS_I64, 16, 1, -0x1p63);
#pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32) {
            ws_tile v = ws_load(x, i, j, 16, 32);
            sum = ws_add(sum, ws_row_sum(v));
            largest = ws_max(largest, ws_row_max(v));
            ws_store_row_2d(k, i / 16, j, ws_col_min(v));
        }
        ws_tile all = ws_load(x, i, 0, 16, 64);
        ws_store_col(s, i, sum);
        ws_store_col(l, i, largest);
        ws_store_col(w, i, ws_row_argmax(all));
        ws_store(r, i, 0, ws_row_cumsum(ws_col_cumsum(all)));
    }
}

static void casts(int N, const long *X, const double *D, float *f, double *d, ws_bf16 *b, int *w, short *h, long *back,
                  long *of_float)
{
    ws_tensor x = ws_tensor_1d(X, WS_I64, N), z = ws_tensor_1d(D, WS_F64, N);
    ws_tensor tf = ws_tensor_1d(f, WS_F32, N), td = ws_tensor_1d(d, WS_F64, N), tb = ws_tensor_1d(b, WS_BF16, N);
    ws_tensor tw = ws_tensor_1d(w, WS_I32, N), th = ws_tensor_1d(h, WS_I16, N), ta = ws_tensor_1d(back, WS_I64, N);
    ws_tensor to = ws_tensor_1d(of_float, WS_I64, N);

#pragma ws grid(1)
    for (int i = 0; i < N; i += 64) {
        ws_tile v = ws_load_row(x, i, 64), u = ws_load_row(z, i, 64);
        ws_store_row(tf, i, ws_cast(v, WS_F32));
        ws_store_row(td, i, ws_cast(v, WS_F64));
        ws_store_row(tb, i, ws_cast(v, WS_BF16));
        ws_store_row(tw, i, ws_cast(v, WS_I32));
        ws_store_row(th, i, ws_cast(v, WS_I16));
        ws_store_row(ta, i, ws_cast(u, WS_I64));
        ws_store_row(to, i, ws_add(ws_cast(ws_cast(u, WS_F32), WS_I64), ws_cast(ws_cast(v, WS_I32), WS_I64)));
    }
}

/* y[at[i]] = x[at[i]], and how often there is each number. */
static void indices(int N, const long *at, const long *X, long *Y, long *many)
{
    ws_tensor k = ws_tensor_1d(at, WS_I64, N), x = ws_tensor_1d(X, WS_I64, N), y = ws_tensor_1d(Y, WS_I64, N);
    ws_tensor c = ws_tensor_1d(many, WS_I64, N);

#pragma ws grid(1)
    for (int i = 0; i < N; i += 64) {
        ws_tile index = ws_select(ws_lt(ws_add(ws_col_index(1, 64), i), N), ws_load_row(k, i, 64), -1);
        ws_store_at(y, index, ws_add(ws_load_at(x, index), ws_at(x, i)));
        ws_atomic_add_at(c, ws_shr(index, 2), ws_full(WS_I64, 1, 64, 0x1p40));
    }
}

static long wrapping(unsigned long x)
{
    return (long)x;
}

static long expected(long v, long by)
{
    unsigned long odd = (unsigned long)v << by | 1, size = v < 0 ? -(unsigned long)v : (unsigned long)v;
    long divisor = by - 3;
    unsigned long quotient = divisor == 0 ? 0 : divisor == -1 ? -(unsigned long)v : (unsigned long)(v / divisor);
    return wrapping(size * odd + quotient);
}

int main(int argc, char **argv)
{
    check_begin("long_integers", argc, argv);
    enum { M = 64, N = 64, BANDS = M / 16 };
    long *X = check_output(WS_I64, M * N), *Y = check_output(WS_I64, M * N), *Z = check_output(WS_I64, M * N);
    long *T = check_output(WS_I64, M * N), *sums = check_output(WS_I64, M), *most = check_output(WS_I64, M);
    long *least = check_output(WS_I64, BANDS * N), *running = check_output(WS_I64, M * N);
    int *shifts = check_output(WS_I32, M), *where = check_output(WS_I32, M);
    unsigned char *mask = check_output(WS_U8, M * N);

    for (int i = 0; i < M * N; i++)
        X[i] = i % 9 == 0   ? (1L << 53) + i % 3
               : i % 7 == 0 ? LONG_MIN + i % 5
                            : (long)(((unsigned long)check_bits() << 32 | check_bits()) >> i % 60) * (i % 2 ? 1 : -1);
    for (int i = 0; i < M; i++)
        shifts[i] = i % 50;
    arithmetic(M, N, check_place(X), check_place(shifts), check_place(Y), check_place(Z), check_place(T),
               check_place(mask));
    reduced(M, N, check_place(X), check_place(sums), check_place(most), check_place(where), check_place(least),
            check_place(running));
    check_fetch();
    for (int i = 0; i < M; i++) {
        unsigned long sum = 0;
        int first = 0;
        for (int j = 0; j < N; j++) {
            long v = X[i * N + j], by = shifts[i], low = v > -1L << 62 ? v : -1L << 62;
            long product = wrapping((unsigned long)v * (unsigned long)by + 5);
            unsigned long all = 0;
            for (int r = i / 16 * 16; r <= i; r++)
                for (int c = 0; c <= j; c++)
                    all += (unsigned long)X[r * N + c];
            sum += (unsigned long)v;
            first = v > X[i * N + first] ? j : first;
            check_true(Y[i * N + j] == expected(v, by), "arithmetic");
            check_true(Z[i * N + j] == ((v < -1L << 60 ? wrapping(-(unsigned long)v) : v >> by) ^
                                        wrapping((unsigned long)v >> (by + (1L << 40)) % 64)),
                       "shifts");
            check_true(T[j * M + i] == (low < product ? low : product), "transposed");
            check_true(mask[i * N + j] == (v >= (1L << 53) + 1), "compared");
            check_true(running[i * N + j] == wrapping(all), "running sums");
        }
        check_true(sums[i] == wrapping(sum) && where[i] == first && most[i] == X[i * N + first], "rows");
    }
    for (int b = 0; b < BANDS; b++)
        for (int j = 0; j < N; j++) {
            long small = LONG_MAX;
            for (int i = b * 16; i < b * 16 + 16; i++)
                small = X[i * N + j] < small ? X[i * N + j] : small;
            check_true(least[b * N + j] == small, "columns");
        }
    check_next();

    enum { L = 256 };
    double *D = check_output(WS_F64, L), *d = check_output(WS_F64, L);
    float *f = check_output(WS_F32, L);
    ws_bf16 *bf = check_output(WS_BF16, L);
    int *w = check_output(WS_I32, L);
    short *h = check_output(WS_I16, L);
    long *V = check_output(WS_I64, L), *back = check_output(WS_I64, L), *of_float = check_output(WS_I64, L);
    for (int i = 0; i < L; i++) {
        int bits = i % 63;
        V[i] = ((1L << bits) + (bits > 9 ? 1L << (bits - 9) : 0) + i % 3 - 1) * (i & 64 ? -1 : 1); /* halves of bf16 */
        D[i] = i % 11 == 0 ? 1e30 : i % 11 == 1 ? -1e30 : i % 11 == 2 ? 0.0 / 0.0 : (double)V[i] / 3;
    }
    casts(L, check_place(V), check_place(D), check_place(f), check_place(d), check_place(bf), check_place(w),
          check_place(h), check_place(back), check_place(of_float));
    check_fetch();
    for (int i = 0; i < L; i++) {
        unsigned long size = V[i] < 0 ? -(unsigned long)V[i] : (unsigned long)V[i];
        int lost = size >> 8 ? 56 - __builtin_clzl(size) : 0; /* bits that bf16 has not */
        unsigned long rest = size & ((1ul << lost) - 1), kept = size >> lost, half = lost ? 1ul << (lost - 1) : 1;
        kept += lost && (rest > half || (rest == half && (kept & 1)));
        check_true(f[i] == (float)V[i] && d[i] == (double)V[i], "to floats");
        check_true(ws_bf16_to(bf[i]) == (float)(kept << lost) * (V[i] < 0 ? -1 : 1), "to bf16, rounded once");
        check_true(w[i] == (int)V[i] && h[i] == (short)V[i], "to smaller integers");
        double whole = D[i] != D[i] ? 0 : D[i];
        float single = D[i] != D[i] ? 0 : (float)D[i];
        long saturated = whole >= 0x1p63 ? LONG_MAX : whole <= -0x1p63 ? LONG_MIN : (long)whole;
        long rounded = single >= 0x1p63f ? LONG_MAX : single <= -0x1p63f ? LONG_MIN : (long)single;
        check_true(back[i] == saturated, "from double");
        check_true(of_float[i] == wrapping((unsigned long)rounded + (unsigned long)(long)(int)V[i]), "from float");
    }
    check_next();

    enum { K = 150 };
    long *at = check_output(WS_I64, K), *x = check_output(WS_I64, K), *y = check_output(WS_I64, K);
    long *many = check_output(WS_I64, K);
    for (int i = 0; i < K; i++) {
        at[i] = i % 10 == 9 ? (1L << 32) + i : i * 7 % 150;
        x[i] = (1L << 40) * i + i;
        y[i] = many[i] = -1;
    }
    indices(K, check_place(at), check_place(x), check_place(y), check_place(many));
    check_fetch();
    for (int i = 0; i < K; i++) {
        long times = 0, value = -1;
        for (int j = 0; j < K; j++) {
            times += at[j] >> 2 == i;
            value = at[j] == i ? x[i] + x[j / 64 * 64] : value;
        }
        check_true(y[i] == value, "by index");
        check_true(many[i] == times * (1L << 40) - 1, "counted");
    }
    return check_end();
}
