/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three products in a chain, of three iterations at once, between which a value waits that a condition on the counter
   changes: what the peeled iterations know of the counter is a constant. */
#include "test.h"

#define CHAIN(name, condition, otherwise, before)                                                                  \
    static void name(int n, const ws_bf16 *A, const ws_bf16 *B, ws_bf16 *O, float *P)                              \
    {                                                                                                              \
        ws_tensor a = ws_tensor_2d(A, WS_BF16, 64, 32), b = ws_tensor_2d(B, WS_BF16, n, 32);                       \
        ws_tensor o = ws_tensor_2d(O, WS_BF16, 64, 32), p = ws_tensor_2d(P, WS_F32, 64, n);                        \
        _Pragma("ws grid(1)") for (int i = 0; i < 64; i += 64)                                                     \
        {                                                                                                          \
            ws_tile acc = ws_zeros(WS_F32, 64, 32), q = ws_load(a, i, 0, 64, 32), last = ws_zeros(WS_F32, 64, 32); \
            _Pragma("ws pipeline(3) schedule(coarse)") for (int k = 0; k < n; k += 32)                             \
            {                                                                                                      \
                ws_tile s = ws_dot(q, ws_trans(ws_load(b, k, 0, 32, 32)), ws_zeros(WS_F32, 64, 32));               \
                ws_tile c = ws_cast(s, WS_BF16), was = s;                                                          \
                if (condition)                                                                                     \
                    s = ws_add(s, 1);                                                                              \
                else                                                                                               \
                    otherwise;                                                                                     \
                before;                                                                                            \
                acc = ws_sub(acc, s);                                                                              \
                last = was;                                                                                        \
                ws_tile t = ws_dot(c, ws_load(b, k, 0, 32, 32), ws_zeros(WS_F32, 64, 32));                         \
                acc = ws_dot(ws_cast(t, WS_BF16), ws_load(b, k, 0, 32, 32), acc);                                  \
            }                                                                                                      \
            ws_store(p, i, 0, last);                                                                               \
            ws_store(o, i, 0, ws_cast(acc, WS_BF16));                                                              \
        }                                                                                                          \
    }

CHAIN(first, k == 0, (void)0, (void)0)
CHAIN(second, k == 32, (void)0, (void)0)
CHAIN(but_first, k != 0, (void)0, (void)0)
CHAIN(later, k > 32, s = ws_mul(s, 2), (void)0)
CHAIN(stored, k == 0, s = ws_sub(s, 3), ws_store(p, i, k, s))
CHAIN(twice, k == 0, s = ws_mul(s, -1), s = ws_sub(s, last))

static void run(int n, void (*kernel)(int, const ws_bf16 *, const ws_bf16 *, ws_bf16 *, float *))
{
    ws_bf16 *A = check_range(WS_BF16, 64 * 32, -2, 2), *B = check_range(WS_BF16, (size_t)n * 32 + 1, -1, 1);
    ws_bf16 *O = check_output(WS_BF16, 64 * 32);
    float *P = check_output(WS_F32, (size_t)(64 * n + 1));
    for (int i = 0; i < 64 * 32; i++)
        A[i] = ws_bf16_from((float)(int)ws_bf16_to(A[i]));
    for (int i = 0; i < 32 * n; i++)
        B[i] = ws_bf16_from((float)(i % 11 == 3) - (float)(i % 7 == 5));
    kernel(n, check_place(A), check_place(B), check_place(O), check_place(P));
    check_fetch();
}

int main(int argc, char **argv)
{
    check_begin("chained_products", argc, argv);
    for (int n = 0; n <= 160; n += n < 96 ? 32 : 64) {
        run(n, first);
        run(n, second);
        run(n, but_first);
        run(n, later);
        run(n, stored);
        run(n, twice);
        check_next();
    }
    return check_end();
}
