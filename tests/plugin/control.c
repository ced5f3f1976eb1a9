/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -w */
/* Control flow as people write it, seen by the walk: every form ends as for, while or if. */
#include <ws.h>
#include <stdio.h>

/* && and || in a condition, ?: as a value, else if, continue. */
void conditions(int M, int N, float *X, float *Y, int kind, int causal)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            if (causal && j > i)
                continue;
            ws_tile t = ws_load(x, i, j, 64, 64);
            if (kind == 3 || (kind == 4 && causal))
                t = ws_add(t, 1);
            else if (!(kind > 7) && (i >= 64 || (j >= 64 && j < 128)))
                t = ws_neg(t);
            else if ((i == 0 && j == 0) || kind / (j + 1) > 2)
                t = ws_abs(t);
            int row = i > 0 && kind ? i : kind == 5 ? 64 : 0;
            ws_store(y, i, j, ws_add(t, row));
        }
}

/* A continue deep inside leaves a flag for the rest. */
void deep(int M, int N, float *X, float *Y, int kind)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile t = ws_load(x, i, j, 64, 64);
            if (j > kind) {
                t = ws_add(t, 1.0);
                if (j % 3 == kind)
                    continue;
                t = ws_add(t, 2.0);
            }
            ws_store(y, i, j, t);
        }
}

/* Loops: counted, with a computed bound, left early, tested on top, tested below, for ever. */
void loops(int M, int N, const float *X, float *Y, const int *lengths)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);
    ws_tensor l = ws_tensor_1d(lengths, WS_I32, M);
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        long n = ws_at(l, i);
        ws_tile m = ws_full(WS_F32, 64, 64, -1e30), s = ws_zeros(WS_F32, 64, 64);
        int k = 0;
        for (int q = 0; q < (N + 63) / 64; q++)
            m = ws_max(m, ws_load(x, i, q * 64, 64, 64));
        for (int q = 0; q < N; q += 64) {
            if (q >= n)
                break;
            s = ws_add(s, ws_load(x, i, q, 64, 64));
        }
        while (k < n && ws_at(l, k) > 0) {
            s = ws_sub(s, ws_load(x, i, k, 64, 64));
            k += 64;
        }
        ws_store(y, i, k, s);
        do {
            m = ws_min(m, ws_load(x, i, k, 64, 64));
            k -= 32;
        } while (k > 0);
        for (;;) {
            ws_tile v = ws_load(x, i, k, 64, 64);
            k += 16;
            if (k > N)
                break;
            m = ws_add(m, v);
            if (ws_at(l, k) < 0) {
                m = ws_mul(m, 0.5);
                break;
            }
        }
        ws_store(y, i, 0, m);
    }
}

/* A switch that falls through. */
void cases(int M, int N, float *X)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N);
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        for (int z = 0; z < N; z += 64)
            switch (z % 7) {
            case 0:
                ws_store(x, i, z, ws_zeros(WS_F32, 64, 64));
                break;
            case 2 ... 4:
                ws_store(x, i, z + 1, ws_full(WS_F32, 64, 64, 1));
                /* fall through */
            default:
                ws_store(x, i, z + 2, ws_full(WS_F32, 64, 64, 2));
            }
}

/* The same numbers from every target. */
static void show(const char *name, const float *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)y[i] * (i % 97 + 1);
    printf("%s %.6g\n", name, sum);
}

int main(void)
{
    enum { M = 150, N = 200 };
    static float x[M * N], y[M * N];
    static int lengths[M];
    for (int i = 0; i < M * N; i++)
        x[i] = (float)(i * 7 % 31 - 15) / 8;
    for (int i = 0; i < M; i++)
        lengths[i] = i == 64 ? 0 : i == 48 || i == 96 ? -1 : 3 * i + 70;
    for (int kind = 0; kind < 10; kind++) {
        for (int causal = 0; causal < 2; causal++) {
            conditions(M, N, x, y, kind, causal);
            show("conditions", y, M * N);
        }
        deep(M, N, x, y, kind * 16 + kind % 3);
        show("deep", y, M * N);
    }
    loops(M, N, x, y, lengths);
    show("loops", y, M * N);
    cases(M, N, y);
    show("cases", y, M * N);
    return 0;
}
