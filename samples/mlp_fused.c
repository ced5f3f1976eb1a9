/* SPDX-License-Identifier: MIT */
/*
 * mlp_fused - a gated feed-forward block: Y = (silu(X G^T) * (X U^T)) W^T, with silu(x) = x sigmoid(x).
 *
 * Two kernels. The first makes two products from the same rows of X, and the activation and the gate are applied while
 * both accumulators are still in registers: the two halves of the hidden layer are never written. Tiles of 104 columns, since
 * two of them fill the registers of a group of threads, so that groups take tiles in turn; and the two products become one
 * of 208 columns. The second kernel is a product.
 */
#include "check.h"

enum { ROWS = 128, GATED_COLS = 104, COLS = 128 };

static void gate(int tokens, int hidden, int width, const ws_bf16 *X, const ws_bf16 *G, const ws_bf16 *U, ws_bf16 *H)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, tokens, width), h = ws_tensor_2d(H, WS_BF16, tokens, hidden);
    ws_tensor g = ws_tensor_2d(G, WS_BF16, hidden, width), u = ws_tensor_2d(U, WS_BF16, hidden, width);

    #pragma ws grid(2)
    for (int i = 0; i < tokens; i += ROWS)
        for (int j = 0; j < hidden; j += GATED_COLS) {
            ws_tile gated = ws_zeros(WS_F32, ROWS, GATED_COLS), up = ws_zeros(WS_F32, ROWS, GATED_COLS);

            #pragma ws pipeline(auto)
            for (int k = 0; k < width; k += 64) {
                ws_tile tx = ws_load(x, i, k, ROWS, 64);
                gated = ws_dot(tx, ws_trans(ws_load(g, j, k, GATED_COLS, 64)), gated);
                up = ws_dot(tx, ws_trans(ws_load(u, j, k, GATED_COLS, 64)), up);
            }
            ws_store(h, i, j, ws_cast(ws_mul(ws_mul(gated, ws_sigmoid(gated)), up), WS_BF16));
        }
}

static void project(int tokens, int width, int hidden, const ws_bf16 *H, const ws_bf16 *W, ws_bf16 *Y)
{
    ws_tensor h = ws_tensor_2d(H, WS_BF16, tokens, hidden), w = ws_tensor_2d(W, WS_BF16, width, hidden);
    ws_tensor y = ws_tensor_2d(Y, WS_BF16, tokens, width);

    #pragma ws grid(2)
    for (int i = 0; i < tokens; i += ROWS)
        for (int j = 0; j < width; j += COLS) {
            ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);

            #pragma ws pipeline(auto)
            for (int k = 0; k < hidden; k += 64)
                acc = ws_dot(ws_load(h, i, k, ROWS, 64), ws_trans(ws_load(w, j, k, COLS, 64)), acc);
            ws_store(y, i, j, ws_cast(acc, WS_BF16));
        }
}

/* H is room for the hidden layer. */
void mlp_fused(int tokens, int width, int hidden, const ws_bf16 *X, const ws_bf16 *G, const ws_bf16 *U,
               const ws_bf16 *W, ws_bf16 *H, ws_bf16 *Y)
{
    gate(tokens, hidden, width, X, G, U, H);
    project(tokens, width, hidden, H, W, Y);
}

static double dot(const ws_bf16 *x, const ws_bf16 *y, long n, double *magnitude)
{
    double sum = 0;
    *magnitude = 0;
    for (long k = 0; k < n; k++) {
        sum += (double)ws_bf16_to(x[k]) * ws_bf16_to(y[k]);
        *magnitude += fabs((double)ws_bf16_to(x[k]) * ws_bf16_to(y[k]));
    }
    return sum;
}

int main(int argc, char **argv)
{
    check_begin("mlp_fused", argc, argv);
    long tokens = check_size(1, 150), width = check_size(2, 200), hidden = check_size(3, 264);
    ws_bf16 *X = check_random(WS_BF16, (size_t)(tokens * width)), *G = check_random(WS_BF16, (size_t)(hidden * width));
    ws_bf16 *U = check_random(WS_BF16, (size_t)(hidden * width)), *W = check_random(WS_BF16, (size_t)(width * hidden));
    ws_bf16 *H = check_output(WS_BF16, (size_t)(tokens * hidden)), *Y = check_output(WS_BF16, (size_t)(tokens * width));

    mlp_fused((int)tokens, (int)width, (int)hidden, check_place(X), check_place(G), check_place(U), check_place(W),
              check_place(H), check_place(Y));
    check_fetch();
    for (long i = 0; i < tokens; i++) {
        for (long j = 0; j < hidden; j++) {
            double few, many, g = dot(X + i * width, G + j * width, width, &few);
            double u = dot(X + i * width, U + j * width, width, &many), silu = g / (1 + exp(-g));
            check_close(H, (size_t)(i * hidden + j), silu * u, 1e-5 * (few * fabs(u) + many * fabs(silu)));
        }
        for (long j = 0; j < width; j++) {
            double magnitude, y = dot(H + i * hidden, W + j * hidden, hidden, &magnitude);
            check_close(Y, (size_t)(i * width + j), y, check_dot_error(hidden, magnitude));
        }
    }
    return check_end();
}
