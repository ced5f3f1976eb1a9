/* SPDX-License-Identifier: MIT */
/*
 * mlp_fused - a gated feed-forward block: Y = (silu(X G^T) * (X U^T)) W^T, with silu(x) = x sigmoid(x).
 *
 * The first kernel makes two products from the same rows of X, and the activation and the gate are applied while both
 * accumulators are still in registers: the two halves of the hidden layer are never written. Tiles of 104 columns,
 * since two of them fill the registers of a group of threads, so that groups take tiles in turn; and the two products
 * become one of 208 columns. The second kernel is a product, whose rows are divided between two shapes of tiles if both
 * can then fill their last round of the multiprocessors better than one shape could.
 */
#include "check.h"

enum { ROWS = 128, GATED_COLS = 104 };

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

/* Rows [from, to) of Y, in tiles of `cols` columns: a constant, in the functions that this becomes a part of. */
static inline void project_rows(ws_tensor h, ws_tensor w, ws_tensor y, int from, int to, int width, int hidden,
                                int cols)
{
    #pragma ws grid(2)
    for (int i = from; i < to; i += ROWS)
        for (int j = 0; j < width; j += cols) {
            ws_tile acc = ws_zeros(WS_F32, ROWS, cols);

            #pragma ws pipeline(auto)
            for (int k = 0; k < hidden; k += 64)
                acc = ws_dot(ws_load(h, i, k, ROWS, 64), ws_trans(ws_load(w, j, k, cols, 64)), acc);
            ws_store(y, i, j, ws_cast(acc, WS_BF16));
        }
}

static void project_200(int from, int to, int tokens, int width, int hidden, const ws_bf16 *H, const ws_bf16 *W,
                        ws_bf16 *Y)
{
    project_rows(ws_tensor_2d(H, WS_BF16, tokens, hidden), ws_tensor_2d(W, WS_BF16, width, hidden),
                 ws_tensor_2d(Y, WS_BF16, tokens, width), from, to, width, hidden, 200);
}

static void project_160(int from, int to, int tokens, int width, int hidden, const ws_bf16 *H, const ws_bf16 *W,
                        ws_bf16 *Y)
{
    project_rows(ws_tensor_2d(H, WS_BF16, tokens, hidden), ws_tensor_2d(W, WS_BF16, width, hidden),
                 ws_tensor_2d(Y, WS_BF16, tokens, width), from, to, width, hidden, 160);
}

static void project_152(int from, int to, int tokens, int width, int hidden, const ws_bf16 *H, const ws_bf16 *W,
                        ws_bf16 *Y)
{
    project_rows(ws_tensor_2d(H, WS_BF16, tokens, hidden), ws_tensor_2d(W, WS_BF16, width, hidden),
                 ws_tensor_2d(Y, WS_BF16, tokens, width), from, to, width, hidden, 152);
}

static void project_128(int from, int to, int tokens, int width, int hidden, const ws_bf16 *H, const ws_bf16 *W,
                        ws_bf16 *Y)
{
    project_rows(ws_tensor_2d(H, WS_BF16, tokens, hidden), ws_tensor_2d(W, WS_BF16, width, hidden),
                 ws_tensor_2d(Y, WS_BF16, tokens, width), from, to, width, hidden, 128);
}

static const struct {
    int cols;
    void (*run)(int, int, int, int, int, const ws_bf16 *, const ws_bf16 *, ws_bf16 *);
} shapes[] = {{200, project_200}, {160, project_160}, {152, project_152}, {128, project_128}};
enum { SHAPES = sizeof shapes / sizeof *shapes, MULTIPROCESSORS = 132, LAUNCH = 8000 };

/* Columns that the multiprocessor with most of them computes. The last tile of a row may be half of one, if these are
   wide; such tiles go to those that would have a round less. */
static long most_columns(int shape, long rows, long width)
{
    long cols = shapes[shape].cols, last = width % cols, half = cols / 32 * 16,
         halved = cols > 192 && last && last <= half;
    long lines = (rows + ROWS - 1) / ROWS, tiles = lines * (width / cols + (last && !halved)),
         halves = halved ? lines : 0;
    long rounds = (tiles + MULTIPROCESSORS - 1) / MULTIPROCESSORS, spare = rounds * MULTIPROCESSORS - tiles;
    long round_of_halves = (halves + MULTIPROCESSORS - 1) / MULTIPROCESSORS * cols;
    return rounds * cols + (halves <= spare * (cols / half) ? 0 : round_of_halves);
}

/* Clocks of one shape: a multiprocessor multiplies 2048 pairs in each, and a launch. */
static double clocks(int shape, int rows, int width, int hidden)
{
    return rows > 0 ? (double)(ROWS * most_columns(shape, rows, width)) * hidden / 2048 + LAUNCH : 0;
}

static void project(int tokens, int width, int hidden, const ws_bf16 *H, const ws_bf16 *W, ws_bf16 *Y)
{
    int above = 0, below = 0, cut = tokens;
    double least = HUGE_VAL;
    for (int a = 0; a < SHAPES; a++)
        for (int b = 0; b < SHAPES; b++)
            for (int rows = ROWS; rows < tokens + ROWS; rows += ROWS) {
                double both = clocks(a, rows, width, hidden) + clocks(b, tokens - rows, width, hidden);
                if (both < least)
                    least = both, above = a, below = b, cut = rows < tokens ? rows : tokens;
            }
    shapes[above].run(0, cut, tokens, width, hidden, H, W, Y);
    if (cut < tokens)
        shapes[below].run(cut, tokens, tokens, width, hidden, H, W, Y);
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
