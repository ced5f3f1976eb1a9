/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scalars that both roles need: an index read from memory is a load's coordinate, a bound and part of the
   arithmetic. */
#include "test.h"

static void gather(int M, int N, int P, const ws_f16 *A, const ws_f16 *B, const int *pages, const float *scales,
                   float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, 32 * P), b = ws_tensor_2d(B, WS_F16, 32 * 2 * P, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N), page = ws_tensor_1d(pages, WS_I32, P),
              scale = ws_tensor_1d(scales, WS_F32, P);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);

            #pragma ws pipeline(3, 2)
            for (int p = 0; p < P; p++) {
                long where = ws_at(page, p);
                ws_tile ta = ws_mul(ws_load(a, i, 32 * p, 64, 32), ws_at_float(scale, p));
                ta = ws_add(ta, where);
                acc = ws_dot(ta, ws_load(b, 32 * where, j, 32, 64), acc);
            }
            ws_store(c, i, j, ws_add(acc, i + j));
        }
}

int main(int argc, char **argv)
{
    check_begin("both_roles", argc, argv);
    int M = 64, N = 100, P = 5;
    ws_f16 *A = check_random(WS_F16, (size_t)M * 32 * P), *B = check_random(WS_F16, (size_t)64 * P * N);
    int *pages = check_range(WS_I32, P, 0, 2 * P);
    float *scales = check_range(WS_F32, P, 0, 0), *C = check_output(WS_F32, (size_t)M * N);
    for (int p = 0; p < P; p++)
        scales[p] = p % 2 ? 0.5f : -2;

    gather(M, N, P, check_place(A), check_place(B), check_place(pages), check_place(scales), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = i / 64 * 64 + j / 64 * 64, magnitude = sum, sizes = 0;
            for (long k = 0; k < 32 * P; k++) {
                double x = ws_f16_to(A[i * 32 * P + k]) * scales[k / 32] + pages[k / 32];
                double y = ws_f16_to(B[(32 * pages[k / 32] + k % 32) * N + j]);
                sum += x * y, magnitude += fabs(x * y), sizes += fabs(x * y) * 0x1p-11;
            }
            check_close(C, i * N + j, sum, check_dot_error(32 * P, magnitude) + 2 * sizes);
        }
    return check_end();
}
