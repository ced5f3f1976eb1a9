/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: blocks that sum the parts of a tile, with one group, and two that divide the rows. */
#include <ws.h>

#define DO_(x) _Pragma(#x)
#define DO(x)  DO_(x)

#define PRODUCT(name, clauses, loop, count, rows, depth)                                                         \
    static void name(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)                           \
    {                                                                                                            \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K);                          \
        ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);                                                             \
        DO(clauses)                                                                                              \
        for (int i = 0; i < M; i += rows)                                                                        \
            for (int j = 0; j < N; j += 32) {                                                                    \
                ws_tile sum = ws_zeros(WS_F32, rows, 32);                                                        \
                DO(ws parts)                                                                                     \
                for (int s = 0; s < count; s++) {                                                                \
                    ws_tile acc = ws_zeros(WS_F32, rows, 32);                                                    \
                    DO(loop)                                                                                     \
                    for (int k = s * depth; k < K; k += count * depth)                                           \
                        acc = ws_dot(ws_load(a, i, k, rows, depth), ws_trans(ws_load(b, j, k, 32, depth)), acc); \
                    sum = ws_add(sum, acc);                                                                      \
                }                                                                                                \
                ws_store(c, i, j, ws_cast(sum, WS_F16));                                                         \
            }                                                                                                    \
    }

PRODUCT(one_group, ws grid(2) consumers(1), ws pipeline(3, 2), 4, 64, 32)
PRODUCT(two_groups, ws grid(2) consumers(2, rows), ws pipeline(2, 1), 2, 128, 32)

int main(void)
{
    static ws_f16 A[128 * 128], B[64 * 128], C[128 * 64];
    one_group(128, 64, 128, A, B, C);
    two_groups(128, 64, 96, A, B, C);
    return 0;
}
