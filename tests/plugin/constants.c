/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -w */
/* Configuration: enumerators, macros, const variables, const and plain structs, computed from each other. */
#include <ws.h>

enum { BM = 128, BK = BM / 2 };
#define STAGES (2 + 2)
static const int flight = 2;
struct config {
    int bm, bn;
    float scale;
};
static const struct config fixed = {128, 64, 0.5f};
static const int extents[] = {64, 32, 16};

static inline ws_tile chunk(ws_tensor t, struct config c, long i, long k)
{
    return ws_load(t, i, k, c.bn, BK);
}

static int cdiv(int a, int b)
{
    return (a + b - 1) / b;
}

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    const int BN = fixed.bn, twice = 2 * BN;
    struct config local = fixed;
    local.bn = twice / 2;
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2) persistent order(grouped(BM / 16)) consumers(flight, rows)
    for (int t = 0; t < cdiv(M, fixed.bm); t++)
        for (int j = 0; j < N; j += local.bn) {
            ws_tile acc = ws_zeros(WS_F32, BM, BN);
            #pragma ws pipeline(STAGES, flight) schedule(fine)
            for (int k = 0; k < cdiv(K, BK); k++)
                acc = ws_dot(ws_load(a, t * BM, k * BK, BM, extents[0]), ws_trans(chunk(b, local, j, k * BK)), acc);
            ws_store(c, t * BM, j, ws_mul(acc, fixed.scale));
        }
}
