/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that follows lists in memory: pages linked by indices in a while, blocks of a sparse matrix in a pipelined loop
   whose bounds are read, and a running position that both roles count. */
#include "test.h"

/* y[i] = sum of the pages of chain i: page p covers 32 rows of x, next[p] is the following page or -1. */
static void chains(int lists, int pages, const float *X, const int *head, const int *next, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, 32L * pages, 32), h = ws_tensor_1d(head, WS_I32, lists);
    ws_tensor n = ws_tensor_1d(next, WS_I32, pages), y = ws_tensor_2d(Y, WS_F32, 32L * lists, 32);

    #pragma ws grid(1)
    for (int l = 0; l < lists; l++) {
        ws_tile sum = ws_zeros(WS_F32, 32, 32);
        long page = ws_at(h, l);
        while (page >= 0) {
            #pragma ws pipeline(2)
            for (int part = 0; part < 32; part += 16)
                sum = ws_add(sum, ws_load(x, 32 * page + part, 0, 32, 32));
            page = ws_at(n, page);
        }
        ws_store(y, 32 * l, 0, sum);
    }
}

/* C = A B, A block sparse in rows of 64: block b of row r is column block col[b], for b from start[r] to start[r+1]. */
static void sparse(int rows, int blocks, int N, int K, const ws_f16 *A, const int *start, const int *col,
                   const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_3d(A, WS_F16, blocks, 64, 32), s = ws_tensor_1d(start, WS_I32, rows + 1);
    ws_tensor k = ws_tensor_1d(col, WS_I32, blocks), b = ws_tensor_2d(B, WS_F16, K, N),
              c = ws_tensor_2d(C, WS_F32, 64L * rows, N);

    #pragma ws grid(2)
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(4, 2)
            for (long n = ws_at(s, r); n < ws_at(s, r + 1); n++)
                acc = ws_dot(ws_load_3d(a, n, 0, 0, 64, 32), ws_load(b, 32 * ws_at(k, n), j, 32, 64), acc);
            ws_store(c, 64 * r, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("lists", argc, argv);
    enum { LISTS = 4, PAGES = 8, ROWS = 3, BLOCKS = 9, N = 72, K = 32 * 6 };
    static const int heads[LISTS] = {3, -1, 0, 7}, follow[PAGES] = {5, -1, -1, 6, 1, 2, 4, -1};
    static const int starts[ROWS + 1] = {0, 5, 5, 9}, cols[BLOCKS] = {0, 1, 3, 4, 5, 2, 2, 5, 0};
    float *X = check_random(WS_F32, 32 * PAGES * 32), *Y = check_output(WS_F32, 32 * LISTS * 32);
    int *head = check_random(WS_I32, LISTS), *next = check_random(WS_I32, PAGES);
    ws_f16 *A = check_random(WS_F16, BLOCKS * 64 * 32), *B = check_random(WS_F16, K * N);
    int *start = check_random(WS_I32, ROWS + 1), *col = check_random(WS_I32, BLOCKS);
    float *C = check_output(WS_F32, 64 * ROWS * N);
    memcpy(head, heads, sizeof heads), memcpy(next, follow, sizeof follow);
    memcpy(start, starts, sizeof starts), memcpy(col, cols, sizeof cols);

    chains(LISTS, PAGES, check_place(X), check_place(head), check_place(next), check_place(Y));
    sparse(ROWS, BLOCKS, N, K, check_place(A), check_place(start), check_place(col), check_place(B), check_place(C));
    check_fetch();
    for (long l = 0; l < LISTS; l++)
        for (long e = 0; e < 32 * 32; e++) {
            double sum = 0;
            for (long page = heads[l]; page >= 0; page = follow[page])
                for (long part = 0; part < 32; part += 16)
                    sum += 32 * page + part + e / 32 < 32 * PAGES ? X[(32 * page + part) * 32 + e] : 0;
            check_close(Y, l * 1024 + e, sum, 1e-5);
        }
    for (long i = 0; i < 64 * ROWS; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0, m;
            for (long n = starts[i / 64]; n < starts[i / 64 + 1]; n++) {
                test_matrix block = from(rows_of(A, 32), n * 64 * 32);
                sum += test_dot(block, from(rows_of(B, N), 32L * cols[n] * N), i % 64, j, 0, 32, &m);
                magnitude += m;
            }
            check_close(C, i * N + j, sum, check_dot_error(32 * BLOCKS, magnitude));
        }
    return check_end();
}
