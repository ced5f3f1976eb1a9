/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tables.c - elements of arrays that a variable chooses in a grid over tiles: of constants and not, of rows, of
   members, of strings, filled by loops, and behind pointers that a condition chooses.  */
#include <stdint.h>
#include <stdio.h>
#include <ws.h>

struct row {
    float a[3];
    int k;
    short s;
    signed char c;
};

static const struct row rows[2][2] = {{{{1, 2, 3}, 4, 5, 6}, {{7, 8, 9}, 10, 11, 12}},
                                      {{{-1, -2, -3}, -4, -5, -6}, {{0.5f, 0.25f, 2}, 9, 8, 7}}};
static struct row changing[4];
static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
static const int64_t big[20] = {1, -2, (int64_t)1 << 40, 3};
static int counts[7];

/* Variables of static storage that the kernel's function does not see.  */
static float helper(long i)
{
    static const float own[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    static const short few[5] = {-1, 2, -3, 4, -5};
    struct row r = rows[i % 2][i % 2 ? 0 : 1];
    return own[i % 20] + (float)few[i % 5] + r.a[2] + (float)r.k;
}

static int pick(const int *t, int i)
{
    return t[i];
}

static double all(long i, long j)
{
    const struct row *p = rows[i % 2];
    int order[4];
    for (int k = 0; k < 4; k++)
        order[k] = 3 - k;
    int tri[3] = {[1] = 5, [2] = 9};
    const char word[] = "wsc";
    const int *q = j % 2 ? order + 1 : order;
    struct {
        double d;
        int n;
    } pairs[3] = {{1.5, 1}, {2.5, 2}, {3.5, 3}};
    double s = (double)p[j % 2].a[i % 3] + p[j % 2].k + p[1].s + p[j % 2].s + p[j % 2].c;
    s += order[j % 4] + tri[i % 3] + word[j % 3] + q[i % 3] + pick(order, (int)(i % 4)) + order[2];
    s += pairs[i % 3].d * pairs[j % 3].n + letters[(i * 3 + j) % 26] + (double)big[i % 4];
    s += (double)changing[i % 4].a[j % 3] + changing[j % 4].k + changing[i % 4].s + changing[1 + i % 3].c +
         counts[i % 7] + counts[(unsigned)j % 7U];
    s += (double)helper(i + j);
    uint8_t bytes[3] = {250, 251, 252};
    unsigned wide[2] = {4000000000U, 1};
    s += bytes[i % 3] + wide[j % 2];
    return s;
}

static void kernel(int M, int N, double *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F64, M, N);
    const float outer[3] = {1, 2, 4};
#pragma ws grid(2)
    for (int i = 0; i < M; i += 16)
        for (int j = 0; j < N; j += 16) {
            double s = all(i / 16, j / 16) + (double)outer[i / 16 % 3];
            float neg[3] = {-1, -2, -3};
            if (i % 32)
                s += (double)neg[j / 16 % 3];
            for (int k = 0; k < j / 16; k++)
                s += (double)neg[k % 3];
            ws_store(c, i, j, ws_full(WS_F64, 16, 16, s));
        }
}

int main(void)
{
    enum { ROWS = 16 * 13, COLUMNS = 16 * 7 };
    static double c[ROWS * COLUMNS];
    for (int i = 0; i < 4; i++)
        changing[i] = (struct row){{(float)i, (float)i * 2, -1}, i - 2, (short)(-i), (signed char)i};
    for (int i = 0; i < 7; i++)
        counts[i] = i * i - 9;
    kernel(ROWS, COLUMNS, c);
    for (int i = 0; i < ROWS; i += 16) {
        for (int j = 0; j < COLUMNS; j += 16)
            printf("%.17g ", c[i * COLUMNS + j]);
        printf("\n");
    }
    return 0;
}
