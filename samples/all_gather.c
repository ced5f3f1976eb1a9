/* SPDX-License-Identifier: MIT */
/*
 * all_gather - each of n devices gets the rows of all.
 *
 * Iterations of the loop over devices run at the same time.  Iteration r loads from the others' memory and stores to
 * its own alone: it pulls.  X[p] is chosen inside the grid; each device begins with its own rows, so that no two load
 * from one device at a time.
 */
#include "check.h"

/* Device r has rows x cols at X[r]; A[r] becomes n times that. */
void all_gather(int n, int rows, int cols, const ws_bf16 *const X[], ws_bf16 *const A[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor a = ws_tensor_3d(A[r], WS_BF16, n, rows, cols);

        #pragma ws grid(3) order(from(r))
        for (int p = 0; p < n; p++)
            for (int i = 0; i < rows; i += 64)
                for (int j = 0; j < cols; j += 1024) {
                    int end = j + 1024 < cols ? j + 1024 : cols;
                    ws_tensor x = ws_tensor_2d(X[p], WS_BF16, rows, cols);
                    #pragma ws pipeline(4)
                    for (int k = j; k < end; k += 128)
                        ws_store_3d(a, p, i, k, ws_load(x, i, k, 64, 128));
                }
    }
}

int main(int argc, char **argv)
{
    enum { MOST = 8 };
    check_begin("all_gather", argc, argv);
    int n = check_size(1, 2), rows = check_size(2, 72), cols = check_size(3, 1240);
    ws_bf16 *X[MOST], *A[MOST], *from[MOST], *to[MOST];
    n = n < 1 ? 1 : n < MOST ? n : MOST;
    for (int r = 0; r < n; r++) {
        X[r] = check_random(WS_BF16, (size_t)rows * cols);
        A[r] = check_output(WS_BF16, (size_t)n * rows * cols);
        from[r] = check_place_on(r, X[r]);
        to[r] = check_place_on(r, A[r]);
    }

    all_gather(n, rows, cols, (const ws_bf16 *const *)from, to);
    check_fetch();
    for (int r = 0; r < n; r++)
        for (int p = 0; p < n; p++)
            for (long i = 0; i < (long)rows * cols; i++)
                check_equal(A[r], (long)p * rows * cols + i, check_at(X[p], i));
    return check_end();
}
