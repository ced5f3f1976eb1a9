/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline(auto) where groups stage operands, which take room from the slots: f32 and bytes that lie across K, in tiles
   so large that the slots are few. */
#include "test.h"

#define PRODUCT(name, type, trans_a, trans_b, rows, cols, depth) \
    static void name(int M, int N, int K, const void *A, const void *B, float *C) \
    { \
        ws_tensor a = ws_tensor_2d(A, type, trans_a ? K : M, trans_a ? M : K), \
                  b = ws_tensor_2d(B, type, trans_b ? N : K, trans_b ? K : N), c = ws_tensor_2d(C, WS_F32, M, N); \
        _Pragma("ws grid(2)") for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += cols) \
        { \
            ws_tile acc = ws_zeros(WS_F32, rows, cols); \
            _Pragma("ws pipeline(auto)") for (int k = 0; k < K; k += depth) acc = \
                ws_dot(trans_a ? ws_trans(ws_load(a, k, i, depth, rows)) : ws_load(a, i, k, rows, depth), \
                       trans_b ? ws_trans(ws_load(b, j, k, cols, depth)) : ws_load(b, k, j, depth, cols), acc); \
            ws_store(c, i, j, acc); \
        } \
    }
PRODUCT(both_across, WS_F32, 1, 0, 128, 128, 32)
PRODUCT(right_across, WS_F32, 0, 0, 128, 128, 64)
PRODUCT(one_group, WS_F32, 0, 0, 64, 128, 128) /* two would stage twice as much */
PRODUCT(one_slot, WS_F32, 0, 0, 64, 256, 64)
PRODUCT(bytes_across, WS_E4M3, 1, 0, 128, 128, 128)

int main(int argc, char **argv)
{
    static const struct {
        ws_dtype type;
        int trans_a;
        void (*product)(int, int, int, const void *, const void *, float *);
    } cases[] = {{WS_F32, 1, both_across},
                 {WS_F32, 0, right_across},
                 {WS_F32, 0, one_group},
                 {WS_F32, 0, one_slot},
                 {WS_E4M3, 1, bytes_across}};
    check_begin("open_depth", argc, argv);
    int M = 144, N = 272, K = 304;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        void *A = check_random(cases[s].type, (size_t)M * K), *B = check_random(cases[s].type, (size_t)N * K);
        float *C = check_output(WS_F32, (size_t)M * N);
        cases[s].product(M, N, K, check_place(A), check_place(B), check_place(C));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double magnitude, rounding = cases[s].type == WS_F32 ? 0x1p-10 : 0x1p-11;
                test_matrix left = cases[s].trans_a ? columns_of(A, M) : rows_of(A, K);
                double sum = test_dot(left, rows_of(B, N), i, j, 0, K, &magnitude);
                check_close(C, i * N + j, sum, check_dot_error(K, magnitude) + rounding * magnitude);
            }
        check_next();
    }
    return check_end();
}
