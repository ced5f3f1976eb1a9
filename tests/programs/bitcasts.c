/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bits of floats as integers, shifted, and back; of F32 and of F64. */
#include "../../samples/check.h"

void magnitudes(int n, const float *X, float *Y, int *Z, const double *V, double *W)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, n, 32), y = ws_tensor_2d(Y, WS_F32, n, 32);
    ws_tensor z = ws_tensor_2d(Z, WS_I32, n, 32);
    ws_tensor v = ws_tensor_2d(V, WS_F64, n, 32), w = ws_tensor_2d(W, WS_F64, n, 32);

#pragma ws grid(1)
    for (int i = 0; i < n; i += 64) {
        ws_tile bits = ws_bitcast(ws_load(x, i, 0, 64, 32), WS_I32);
        ws_store(z, i, 0, bits);
        ws_store(y, i, 0, ws_bitcast(ws_shr(ws_shl(bits, 1), 1), WS_F32));
        ws_store(w, i, 0, ws_bitcast(ws_bitcast(ws_load(v, i, 0, 64, 32), WS_I64), WS_F64));
    }
}

int main(int argc, char **argv)
{
    check_begin("bitcasts", argc, argv);
    int n = check_size(1, 100);
    float *x = check_random(WS_F32, (size_t)n * 32), *y = check_output(WS_F32, (size_t)n * 32);
    int *z = check_output(WS_I32, (size_t)n * 32);
    double *v = check_random(WS_F64, (size_t)n * 32), *w = check_output(WS_F64, (size_t)n * 32);
    magnitudes(n, check_place(x), check_place(y), check_place(z), check_place(v), check_place(w));
    check_fetch();
    for (int i = 0; i < n * 32; i++) {
        int bits;
        memcpy(&bits, &x[i], sizeof bits);
        check_true(z[i] == bits, "bits");
        bits = (int)((unsigned)bits << 1) >> 1;
        check_true(!memcmp(&y[i], &bits, sizeof bits), "bits that are shifted");
        check_true(w[i] == v[i], "there and back");
    }
    return check_end();
}
