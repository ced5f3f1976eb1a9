/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random blocks of grids in which several loops over devices stand: a later one loads what others have stored in the
   ones before it, and stores over what they load. On 1, 2, 3, 4 and 8 devices. The arguments `1000 7` make 1,000 of
   them from seed 7. */
#include "test.h"

enum { ROWS = 64, COLS = 64, HALF = ROWS * COLS, MOST = 8, LOOPS = 4, LONGEST = 3 };
enum kind { SUM, TURN, TABLE, KINDS };

/* `rows` rows from `to` on of the half that this loop stores become something of rows from `a` on of device r + other's
   and from `b` on of device r + 2 other's of the half that the loop before it has stored. */
struct step {
    enum kind kind;
    int a, b, to, rows, other, height;
};

static unsigned state;

static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

/* H: the halves of all devices, the first ones and then the second ones. */
static void run(int n, int loops, const int *count, struct step s[LOOPS][LONGEST], float *const H[])
{
    #pragma ws together
    for (int l = 0; l < loops; l++) {
        float *const *from = H + l % 2 * MOST, *const *into = H + (l + 1) % 2 * MOST;
        #pragma ws devices(n)
        for (int r = 0; r < n; r++)
            for (int k = 0; k < count[l]; k++) {
                int rows = s[l][k].rows, first = s[l][k].a, second = s[l][k].b, other = s[l][k].other;
                int target = s[l][k].to;
                ws_tensor a = ws_tensor_2d(from[(r + other) % n] + first * COLS, WS_F32, rows, COLS);
                ws_tensor b = ws_tensor_2d(from[(r + 2 * other) % n] + second * COLS, WS_F32, rows, COLS);
                ws_tensor to = ws_tensor_2d(into[r] + target * COLS, WS_F32, rows, COLS);
                if (s[l][k].kind == SUM) {
                    #pragma ws grid(1) share(4)
                    for (int i = 0; i < rows; i += 16) {
                        #pragma ws pipeline(2)
                        for (int j = 0; j < COLS; j += 32)
                            ws_store(to, i, j, ws_add(ws_load(a, i, j, 16, 32), ws_load(b, i, j, 16, 32)));
                    }
                } else if (s[l][k].kind == TURN) {
                    #pragma ws grid(2)
                    for (int i = 0; i < rows; i += 8)
                        for (int j = 0; j < COLS; j += 32)
                            ws_store(to, i, j, ws_sub(ws_load(a, i, j, 8, 32), ws_load(b, rows - 1, j, 1, 32)));
                } else {
                    #pragma ws grid(2)
                    for (int i = 0; i < rows; i += 8)
                        for (int j = 0; j < COLS; j += 32) {
                            ws_tile sum = ws_zeros(WS_F32, 8, 32);
                            for (int p = 0; p < n; p++) {
                                ws_tensor x = ws_tensor_2d(from[(r + p) % n], WS_F32, ROWS, COLS);
                                sum = ws_add(sum, ws_load(x, first + i, j, 8, 32));
                            }
                            ws_store(to, i, j, ws_mul(sum, 0.25f));
                        }
                }
            }
    }
}

/* What the step leaves with device r. */
static void expect(int n, int l, int r, const struct step *s, float *const B[])
{
    int from = l % 2 * HALF, into = (l + 1) % 2 * HALF;
    const float *a = B[(r + s->other) % n] + from + s->a * COLS, *b = B[(r + 2 * s->other) % n] + from + s->b * COLS;
    float *to = B[r] + into + s->to * COLS;
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < COLS; j++) {
            float sum = 0;
            for (int p = 0; p < n; p++)
                sum += B[(r + p) % n][from + (s->a + i) * COLS + j];
            to[i * COLS + j] = s->kind == SUM    ? a[i * COLS + j] + b[i * COLS + j]
                               : s->kind == TURN ? a[i * COLS + j] - b[(s->rows - 1) * COLS + j]
                                                 : sum * 0.25f;
        }
}

static void make_step(struct step *s)
{
    s->kind = (enum kind)below(KINDS);
    s->rows = 8 * (1 + below(7));
    s->a = 4 * below((ROWS - s->rows) / 4 + 1);
    s->b = 4 * below((ROWS - s->rows) / 4 + 1);
    s->to = 4 * below((ROWS - s->rows) / 4 + 1);
    s->other = below(MOST);
}

static void check_one(int n)
{
    struct step s[LOOPS][LONGEST];
    int loops = 2 + below(LOOPS - 1), count[LOOPS];
    float *B[MOST], *halves[2 * MOST], *want[MOST];
    for (int l = 0; l < loops; l++) {
        count[l] = 1 + below(LONGEST);
        for (int k = 0; k < count[l]; k++)
            make_step(&s[l][k]);
    }
    for (int r = 0; r < n; r++) {
        B[r] = check_range(WS_F32, 2 * HALF, -1, 1);
        want[r] = malloc(sizeof(float) * 2 * HALF);
        memcpy(want[r], B[r], sizeof(float) * 2 * HALF);
        halves[r] = check_place_on(r, B[r]);
        halves[MOST + r] = halves[r] + HALF;
    }
    run(n, loops, count, s, halves);
    check_fetch();
    for (int l = 0; l < loops; l++)
        for (int r = 0; r < n; r++)
            for (int k = 0; k < count[l]; k++)
                expect(n, l, r, &s[l][k], want);
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < 2 * HALF; i++)
            check_close(B[r], i, want[r][i], 1e-5 * (1 + fabs(want[r][i])));
        free(want[r]);
    }
    check_next();
}

int main(int argc, char **argv)
{
    static const int devices[] = {1, 2, 3, 4, 8};
    check_begin("together_across", argc, argv);
    int count = check_size(1, 15);
    state = (unsigned)check_size(2, 1);
    for (int i = 0; i < count; i++)
        check_one(devices[i % 5]);
    return check_end();
}
