/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grids of a block that run together: beside each other, and in order where one touches what another stores. */
#include "test.h"

enum { ROWS = 40, COLS = 96, STEPS = 40 };

static void sum(const float *X, const float *Y, float *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, ROWS, COLS), y = ws_tensor_2d(Y, WS_F32, ROWS, COLS);
    ws_tensor z = ws_tensor_2d(Z, WS_F32, ROWS, COLS);
    #pragma ws grid(1) share(16)
    for (int i = 0; i < ROWS; i += 16) {
        #pragma ws pipeline(2)
        for (int j = 0; j < COLS; j += 32)
            ws_store(z, i, j, ws_add(ws_load(x, i, j, 16, 32), ws_load(y, i, j, 16, 32)));
    }
}

/* Of four arrays, array s % 4 becomes the sum of the next two, for s steps; then their sum. Comes back early where
   `most` says so. */
static int run(int steps, int most, float *const X[4], float *total)
{
    {
        #pragma ws together
        ws_tensor t = ws_tensor_2d(total, WS_F32, ROWS, COLS);
        for (int s = 0; s < steps; s++) {
            if (s == most)
                return s;
            sum(X[(s + 1) % 4], X[(s + 2) % 4], X[s % 4]);
        }
        ws_tensor a = ws_tensor_2d(X[0], WS_F32, ROWS, COLS), b = ws_tensor_2d(X[1], WS_F32, ROWS, COLS);
        ws_tensor c = ws_tensor_2d(X[2], WS_F32, ROWS, COLS), d = ws_tensor_2d(X[3], WS_F32, ROWS, COLS);
        #pragma ws grid(2)
        for (int i = 0; i < ROWS; i += 16)
            for (int j = 0; j < COLS; j += 32) {
                ws_tile x = ws_add(ws_load(a, i, j, 16, 32), ws_load(b, i, j, 16, 32));
                ws_tile y = ws_add(ws_load(c, i, j, 16, 32), ws_load(d, i, j, 16, 32));
                ws_store(t, i, j, ws_add(x, y));
            }
    }
    return steps;
}

static void check_run(int steps, int most)
{
    float *X[4], *x[4], *total = check_output(WS_F32, ROWS * COLS), *was[4];
    for (int i = 0; i < 4; i++) {
        X[i] = check_range(WS_F32, ROWS * COLS, 0, 1);
        was[i] = malloc(sizeof(float) * ROWS * COLS);
        memcpy(was[i], X[i], sizeof(float) * ROWS * COLS);
        x[i] = check_place(X[i]);
    }
    int done = run(steps, most, x, check_place(total));
    check_fetch();
    check_true(done == (most < steps ? most : steps), "the block does not return what it says");
    for (int p = 0; p < ROWS * COLS; p++) {
        float v[4] = {was[0][p], was[1][p], was[2][p], was[3][p]};
        for (int s = 0; s < done; s++)
            v[s % 4] = v[(s + 1) % 4] + v[(s + 2) % 4];
        for (int i = 0; i < 4; i++)
            check_close(X[i], p, v[i], 0);
        if (done == steps)
            check_close(total, p, (v[0] + v[1]) + (v[2] + v[3]), 0);
    }
    for (int i = 0; i < 4; i++)
        free(was[i]);
    check_next();
}

int main(int argc, char **argv)
{
    check_begin("together", argc, argv);
    check_run(0, 1);
    check_run(7, 100);
    check_run(7, 3);
    check_run(STEPS, 100); /* more than one block of launches holds */
    return check_end();
}
