/* SPDX-License-Identifier: MIT */
/*
 * product - one loop nest, several kernels, and a choice among them by the extents: C = A B^T.
 *
 * `product_tiles` is a static inline function.  Its tile shape is a constant of each call, so each call becomes a
 * kernel of its own.  A large tile multiplies more for each element that it loads; small tiles keep all multiprocessors
 * busy where C is small. lib/product is the long version: 44 forms, and a cost model.
 */
#include "check.h"

static inline void product_tiles(ws_tensor a, ws_tensor b, ws_tensor c, int M, int N, int K, int rows, int cols)
{
    enum { DEPTH = 64 }; /* of K in an iteration: 128 bytes */

    #pragma ws grid(2)
    for (int i = 0; i < M; i += rows)
        for (int j = 0; j < N; j += cols) {
            ws_tile acc = ws_zeros(WS_F32, rows, cols);

            #pragma ws pipeline(auto)
            for (int k = 0; k < K; k += DEPTH)
                acc = ws_dot(ws_load(a, i, k, rows, DEPTH), ws_trans(ws_load(b, j, k, cols, DEPTH)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

enum { SHAPES = 3 };
static const struct {
    int rows, cols;
} shapes[SHAPES] = {{128, 192}, {128, 128}, {64, 64}};

/* The shape whose busiest multiprocessor multiplies the fewest elements: tiles make rounds, and the last one is not
   full.  What a tile loads costs, too, and small tiles load more for what they multiply. */
static int product_shape(long M, long N, int multiprocessors)
{
    double least = 1e300;
    int best = 0;
    for (int s = 0; s < SHAPES; s++) {
        const long rows = shapes[s].rows, cols = shapes[s].cols;
        const long tiles = ((M + rows - 1) / rows) * ((N + cols - 1) / cols);
        const long rounds = (tiles + multiprocessors - 1) / multiprocessors;
        const double cost = (double)rounds * ((double)(rows * cols) + 32.0 * (double)(rows + cols));
        if (cost < least) {
            least = cost;
            best = s;
        }
    }
    return best;
}

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C, int shape)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
    if (shape == 0)
        product_tiles(a, b, c, M, N, K, 128, 192);
    else if (shape == 1)
        product_tiles(a, b, c, M, N, K, 128, 128);
    else
        product_tiles(a, b, c, M, N, K, 64, 64);
}

int main(int argc, char **argv)
{
    check_begin("product", argc, argv);
    int M = check_size(1, 150), N = check_size(2, 208), K = check_size(3, 136);
    for (int shape = 0; shape <= SHAPES; shape++) { /* each, and the one that is chosen */
        ws_f16 *A = check_random(WS_F16, (size_t)(M * K)), *B = check_random(WS_F16, (size_t)(N * K));
        ws_f16 *C = check_output(WS_F16, (size_t)(M * N));
        product(M, N, K, check_place(A), check_place(B), check_place(C),
                shape < SHAPES ? shape : product_shape(M, N, 132));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < K; k++) {
                    double x = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
                    sum += x;
                    magnitude += fabs(x);
                }
                check_close(C, (size_t)(i * N + j), sum, check_dot_error(K, magnitude));
            }
        check_next();
    }
    return check_end();
}
