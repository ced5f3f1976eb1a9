/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random blocks of grids that run together, on 1, 2, 3, 4 and 8 devices: copies from any device, sums, transposes,
   products, and rows that all tiles read, of parts of one array that touch each other anywhere. The arguments `2000 7`
   make 2,000 of them from seed 7. */
#include "test.h"

enum { ROWS = 64, COLS = 96, CELLS = ROWS * COLS, PARTS = 4, MOST = 8, LONGEST = 12 };
enum kind { PULL, SUM, TURN, ROW, TWICE, PRODUCT, KINDS };

/* `to` becomes something of `a` and `b`, of rows x cols elements each; all are places in a device's array. */
struct step {
    enum kind kind;
    int a, b, to, rows, cols, other;
};

static unsigned state;

static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

static void run(int n, int count, const struct step *s, const float *const I[], float *const B[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        #pragma ws together
        for (int k = 0; k < count; k++) {
            int rows = s[k].rows, cols = s[k].cols, from = (r + s[k].other) % n;
            int at = s[k].a, second = s[k].b, target = s[k].to;
            ws_tensor a = ws_tensor_2d_ld(B[r] + at, WS_F32, rows, cols, COLS);
            ws_tensor b = ws_tensor_2d_ld(B[r] + second, WS_F32, rows, cols, COLS);
            ws_tensor to = ws_tensor_2d_ld(B[r] + target, WS_F32, rows, cols, COLS);
            if (s[k].kind == PULL) {
                ws_tensor x = ws_tensor_2d_ld(I[from] + at, WS_F32, rows, cols, COLS);
                #pragma ws grid(2) share(4)
                for (int i = 0; i < rows; i += 8)
                    for (int j = 0; j < cols; j += 32)
                        ws_store(to, i, j, ws_load(x, i, j, 8, 32));
            } else if (s[k].kind == SUM) {
                #pragma ws grid(1)
                for (int i = 0; i < rows; i += 16) {
                    #pragma ws pipeline(2)
                    for (int j = 0; j < cols; j += 32)
                        ws_store(to, i, j, ws_mul(ws_add(ws_load(a, i, j, 16, 32), ws_load(b, i, j, 16, 32)), 0.5f));
                }
            } else if (s[k].kind == TURN) {
                ws_tensor turned = ws_tensor_2d_ld(B[r] + target, WS_F32, cols, rows, COLS);
                #pragma ws grid(2)
                for (int i = 0; i < rows; i += 16)
                    for (int j = 0; j < cols; j += 16)
                        ws_store(turned, j, i, ws_trans(ws_load(a, i, j, 16, 16)));
            } else if (s[k].kind == ROW) {
                #pragma ws grid(1)
                for (int i = 0; i < rows; i += 4)
                    for (int j = 0; j < cols; j += 48)
                        ws_store(to, i, j, ws_sub(ws_load(a, i, j, 4, 48), ws_load(b, rows - 1, j, 1, 48)));
            } else if (s[k].kind == TWICE) {
                #pragma ws grid(2) share(2)
                for (int j = 0; j < cols; j += 32)
                    for (int i = 0; i < rows; i += 16)
                        ws_store(to, i, j, ws_sub(ws_load(to, i, j, 16, 32), 1));
            } else {
                ws_tensor left = ws_tensor_2d_ld(B[r] + at, WS_F32, rows, rows, COLS);
                #pragma ws grid(2)
                for (int i = 0; i < rows; i += 16)
                    for (int j = 0; j < cols; j += 16) {
                        ws_tile acc = ws_zeros(WS_F32, 16, 16);
                        for (int p = 0; p < rows; p += 1)
                            acc = ws_fma(ws_load(left, i, p, 16, 1), ws_load(b, p, j, 1, 16), acc);
                        ws_store(to, i, j, ws_mul(acc, 0.03125f));
                    }
            }
        }
    }
}

/* What the step leaves, on one device. */
static void expect(const struct step *s, const float *from, float *own)
{
    static float result[ROWS * COLS];
    const float *a = own + s->a, *b = own + s->b;
    float *to = own + s->to;
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->cols; j++) {
            float sum = 0, *x = &result[i * COLS + j];
            switch (s->kind) {
            case PULL:
                *x = from[s->a + i * COLS + j];
                break;
            case SUM:
                *x = (a[i * COLS + j] + b[i * COLS + j]) * 0.5f;
                break;
            case TURN:
                *x = a[i * COLS + j];
                break;
            case ROW:
                *x = a[i * COLS + j] - b[(s->rows - 1) * COLS + j];
                break;
            case TWICE:
                *x = to[i * COLS + j] - 1;
                break;
            default:
                for (int p = 0; p < s->rows; p++)
                    sum = fmaf(a[i * COLS + p], b[p * COLS + j], sum);
                *x = sum * 0.03125f;
            }
        }
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->cols; j++)
            to[s->kind == TURN ? j * COLS + i : i * COLS + j] = result[i * COLS + j];
}

/* Operands and the result lie in parts of their own: a grid does not load what it stores. */
static struct step random_step(void)
{
    struct step s = {.kind = (enum kind)below(KINDS), .other = below(MOST)};
    int most = s.kind == TURN || s.kind == PRODUCT ? ROWS - 16 : ROWS, to = below(PARTS);
    int wide = below(4) ? 4 : 1; /* bases that TMA cannot take, too */
    s.rows = 1 + below(most - 1);
    s.cols = wide * (1 + below((s.kind == TURN ? ROWS - 16 : COLS) / wide - 1));
    int row = below(ROWS - (s.kind == TURN && s.cols > s.rows ? s.cols : s.rows));
    int width = s.kind == TURN && s.rows > s.cols ? s.rows : s.kind == PRODUCT && s.rows > s.cols ? s.rows : s.cols;
    int col = width < COLS ? below((COLS - width) / wide + 1) * wide : 0, place = row * COLS + col;
    s.a = (to + 1 + below(PARTS - 1)) % PARTS * CELLS + place;
    s.b = (to + 1 + below(PARTS - 1)) % PARTS * CELLS + place;
    s.to = to * CELLS + place;
    if (s.kind == PULL)
        s.a = place;
    return s;
}

static void check_random_block(int n)
{
    struct step s[LONGEST];
    int count = 1 + below(LONGEST);
    float *I[MOST], *B[MOST], *own[MOST], *x[MOST], *y[MOST];
    for (int k = 0; k < count; k++)
        s[k] = random_step();
    for (int r = 0; r < n; r++) {
        I[r] = check_range(WS_F32, CELLS, -4, 4);
        B[r] = check_range(WS_F32, PARTS * CELLS, -4, 4);
        own[r] = malloc(sizeof(float) * PARTS * CELLS);
        memcpy(own[r], B[r], sizeof(float) * PARTS * CELLS);
        x[r] = check_place_on(r, I[r]);
        y[r] = check_place_on(r, B[r]);
    }
    run(n, count, s, (const float *const *)x, y);
    check_fetch();
    check_true(ws_last_error() == WS_OK, "a launch fails");
    for (int r = 0; r < n; r++) {
        for (int k = 0; k < count; k++)
            expect(&s[k], I[(r + s[k].other) % n], own[r]);
        for (long p = 0; p < PARTS * CELLS; p++)
            check_close(B[r], p, own[r][p], 0);
        free(own[r]);
    }
    check_next();
}

int main(int argc, char **argv)
{
    static const int devices[] = {1, 2, 3, 4, 8};
    check_begin("together_random", argc, argv);
    int blocks = check_size(1, 15);
    state = (unsigned)check_size(2, 1);
    for (int i = 0; i < blocks; i++)
        check_random_block(devices[i % 5]);
    return check_end();
}
