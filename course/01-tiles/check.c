/* SPDX-License-Identifier: MIT */
#include "check.h"

void transpose(int M, int N, const float *x, float *y);

enum { T = 32 };
static int M, N;
static float *x, *y;

static double at(long i, long j)
{
    return i < M && j < N ? x[i * N + j] : 0;
}
static double actual(long p)
{
    return y[p];
}
static double expected(int h, long p)
{
    long i = p % M, j = p / M; /* y[j][i] */
    long ti = i / T * T, tj = j / T * T;
    switch (h) {
    case 0:
        return at(i, j);
    case 1: /* the tile lies where it should, with rows and columns as they were */
        return at(ti + (j - tj), tj + (i - ti));
    case 2: /* tiles transposed, each stored at its own place */
        return i < N && j < M ? at(j / T * T + (i - ti), i / T * T + (j - tj)) : UNTOUCHED;
    case 3: /* y as M x N */
        i = p % N, j = p / N;
        return j < M && i < (M + T - 1) / T * T && j < (N + T - 1) / T * T ? at(i, j) : UNTOUCHED;
    case 4: /* x as N x M */
        return i < N && j < M ? x[i * M + j] : i < M && j < N ? 0 : UNTOUCHED;
    case 5:
        return i < M / T * T && j < N / T * T ? at(i, j) : UNTOUCHED;
    case 6:
        return ti / T % 2 == 0 && tj / T % 2 == 0 ? at(i, j) : UNTOUCHED;
    case 7:
        return ti >= T && tj >= T ? at(i, j) : UNTOUCHED;
    case 8: /* begins behind the first row of tiles, or column */
        return ti >= T ? at(i, j) : UNTOUCHED;
    case 9:
        return tj >= T ? at(i, j) : UNTOUCHED;
    case 10:
        return i < M / T * T ? at(i, j) : UNTOUCHED;
    case 11:
        return j < N / T * T ? at(i, j) : UNTOUCHED;
    case 12:
        return ti / T % 2 == 0 ? at(i, j) : UNTOUCHED;
    case 13:
        return tj / T % 2 == 0 ? at(i, j) : UNTOUCHED;
    case 14:
        return i == ti && j == tj ? at(i, j) : UNTOUCHED;
    }
    return 0;
}

#define EDGE  {"edge-missed", "The last tiles, which are only partly inside, are left out. Loop to i < M: a tile that hangs over the edge reads 0 and stores nothing there."}
#define SKIP  {"tiles-skipped", "The loop goes on by more than a tile, so that every second tile is left out."}
#define FIRST {"first-tile-missed", "The first tiles are left out: loops begin at 0."}
static const course_mistake mistakes[] = {
    {"tile-not-transposed", "The tiles are in the right places, but each still has its rows and columns as in x: ws_trans exchanges them inside a tile."},
    {"coordinates-not-exchanged", "Each tile is transposed, but stored at (i, j) where it came from: in y its place is (j, i)."},
    {"extents-exchanged", "y is taken for a matrix of M rows: its extents are N x M, and they say how long its rows are in memory."},
    {"extents-of-the-input-exchanged", "x is taken for a matrix of N rows: its extents are M x N."},
    EDGE, SKIP, FIRST, FIRST, FIRST, EDGE, EDGE, SKIP, SKIP,
    {"one-element-per-tile", "Only the first element of each tile is stored."}};

int main(void)
{
    static const int sizes[][2] = {{96, 96}, {70, 100}, {100, 40}};
    for (int s = 0; s < 3; s++) {
        M = sizes[s][0];
        N = sizes[s][1];
        x = malloc((size_t)M * N * sizeof *x);
        y = malloc((size_t)M * N * sizeof *y);
        for (long p = 0; p < (long)M * N; p++) {
            x[p] = (float)(p + 1);
            y[p] = UNTOUCHED;
        }
        transpose(M, N, x, y);
        ws_or_die(ws_last_error());
        course_compare((long)M * N, actual, expected, 0, sizeof mistakes / sizeof mistakes[0], mistakes);
        free(x);
        free(y);
    }
    return 0;
}
