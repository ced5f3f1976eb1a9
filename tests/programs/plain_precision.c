/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of plain loops over floats in less than float's accuracy, as the clause precision permits. */
#include "plain.h"

#define PRODUCT(name, kind)                                                                                \
    static void name(float *y, const float *x, const float *w, int M, int N, int K)                        \
    {                                                                                                      \
        kind(grid(2) tile(64, 64) precision(name)) for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) \
        {                                                                                                  \
            float sum = 0;                                                                                 \
            kind(pipeline(auto) tile(32) reduction(+: sum)) for (int k = 0; k < K; k++)                    \
                sum += x[i * K + k] * w[j * K + k];                                                        \
            y[i * N + j] = sum;                                                                            \
        }                                                                                                  \
    }
PRODUCT(tf32, PLAIN_PRAGMA)
PRODUCT(f16, PLAIN_PRAGMA)
PRODUCT(bf16, PLAIN_PRAGMA)
#define NOTHING(...)
PRODUCT(plain, NOTHING)

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*product)(float *, const float *, const float *, int, int, int);
        double tolerance;
    } cases[] = {{"tf32", tf32, 0x1p-10}, {"f16", f16, 0x1p-10}, {"bf16", bf16, 0x1p-7}};
    check_begin("plain_precision", argc, argv);
    int M = 75, N = 136, K = 104;
    for (int c = 0; c < 3; c++) {
        float *x = check_random(WS_F32, (size_t)M * K), *w = check_random(WS_F32, (size_t)N * K);
        float *y = check_output(WS_F32, (size_t)M * N), *want = malloc(sizeof *want * M * N);
        plain(want, x, w, M, N, K);
        cases[c].product(check_place(y), check_place(x), check_place(w), M, N, K);
        check_fetch();
        plain_compare(cases[c].name, WS_F32, y, want, (size_t)M * N, cases[c].tolerance);
        free(want);
        plain_next();
    }
    return plain_end();
}
