/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline(auto), schedule(fine), schedule(coarse): the compiler's choice and the user's, with one result. */
#include "test.h"

enum { D = 32 };

/* O = relu(Q K^T) V over blocks of keys: two products and elementwise work between them. */
#define KERNEL(name, pragma)                                                                         \
    static void name(int L, int S, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)      \
    {                                                                                                \
        ws_tensor q = ws_tensor_2d(Q, WS_F16, L, D), k = ws_tensor_2d(K, WS_F16, S, D);              \
        ws_tensor v = ws_tensor_2d(V, WS_F16, S, D), out = ws_tensor_2d(O, WS_F32, L, D);            \
        _Pragma("ws grid(1)") for (int i = 0; i < L; i += 64)                                        \
        {                                                                                            \
            ws_tile tq = ws_load(q, i, 0, 64, D), o = ws_zeros(WS_F32, 64, D);                       \
            _Pragma(pragma) for (int j = 0; j < S; j += 64)                                          \
            {                                                                                        \
                ws_tile s = ws_dot(tq, ws_trans(ws_load(k, j, 0, 64, D)), ws_zeros(WS_F32, 64, 64)); \
                o = ws_dot(ws_cast(ws_max(s, 0), WS_F16), ws_load(v, j, 0, 64, D), o);               \
            }                                                                                        \
            ws_store(out, i, 0, o);                                                                  \
        }                                                                                            \
    }
KERNEL(chosen, "ws pipeline(auto)")
KERNEL(fine, "ws pipeline(3, 1) schedule(fine)")
KERNEL(coarse, "ws pipeline(3, 2) schedule(coarse)")

int main(int argc, char **argv)
{
    void (*kernel[])(int, int, const ws_f16 *, const ws_f16 *, const ws_f16 *, float *) = {chosen, fine, coarse};
    static const int lengths[] = {200, 64, 65, 0, 128};
    check_begin("schedules", argc, argv);
    for (int t = 0; t < 15; t++) {
        int L = 70, S = lengths[t / 3];
        ws_f16 *Q = check_random(WS_F16, (size_t)L * D), *K = check_random(WS_F16, (size_t)S * D);
        ws_f16 *V = check_random(WS_F16, (size_t)S * D);
        float *O = check_output(WS_F32, (size_t)L * D);
        kernel[t % 3](L, S, check_place(Q), check_place(K), check_place(V), check_place(O));
        check_fetch();
        for (long i = 0; i < L; i++) {
            double s[256], sum, magnitude, m;
            for (long j = 0; j < S; j++)
                s[j] = fmax(test_dot(rows_of(Q, D), columns_of(K, D), i, j, 0, D, &m), 0);
            for (long c = 0; c < D; c++) {
                sum = magnitude = 0;
                for (long j = 0; j < S; j++)
                    sum += s[j] * ws_f16_to(V[j * D + c]), magnitude += s[j] * fabs(ws_f16_to(V[j * D + c]));
                check_close(O, i * D + c, sum, check_dot_error(S + 1, magnitude) + 0x1p-10 * magnitude + 1e-5);
            }
        }
        check_next();
    }
    return check_end();
}
