/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sums.c - sums of whole products that cancel and leave a fraction, for smoke.sh: in e4m3 (SEED 1) and e5m2 (2), in
 * pieces that are added in f32 (3), and in f16 (4).
 *
 * With TIMES no kernel runs: sums are rounded to 14 bits after each 32 products, and what that changes counts so many
 * times.
 */
#include "program.h"

#include <math.h>

enum { SIZE = 64, DEPTH = 512, TOGETHER = 32 };

#if SEED == 2
typedef ws_e5m2 number;
#    define NUMBER WS_E5M2
#elif SEED == 4
typedef ws_f16 number;
#    define NUMBER WS_F16
#else
typedef ws_e4m3 number;
#    define NUMBER WS_E4M3
#endif

/* The second half of a is the first with another sign; that of b is the same as the first.  */
static number *numbers(unsigned seed, int sign)
{
    signed char *whole = fuzz_array(WS_I8, SIZE * DEPTH / 2, seed, 1, 7);
    number *all = fuzz_array(NUMBER, SIZE * DEPTH, seed, 0, 0);
    for (int row = 0; row < SIZE; row++)
        for (int k = 0; k < DEPTH; k++)
            fuzz_put(all, NUMBER, (size_t)(row * DEPTH + k),
                     whole[row * DEPTH / 2 + k % (DEPTH / 2)] * (k < DEPTH / 2 ? 1 : sign));
    return all;
}

#ifdef TIMES
static double rounded(double x)
{
    int exponent;
    double mantissa = frexp(x, &exponent);
    return ldexp(rint(ldexp(mantissa, 14)), exponent - 14);
}

static void sum(const number *a, const number *b, float *c)
{
    for (int i = 0; i < SIZE * SIZE; i++) {
        float all = c[i];
        double kept = c[i];
        for (int k = 0; k < DEPTH; k++) {
            double product = fuzz_get(a, NUMBER, (size_t)(i / SIZE * DEPTH + k)) *
                             fuzz_get(b, NUMBER, (size_t)(i % SIZE * DEPTH + k));
            all += (float)product;
            kept += product;
            if (k % TOGETHER == TOGETHER - 1)
                kept = rounded(kept);
        }
        c[i] = (float)(all + TIMES * (kept - all));
    }
}
#else
static void sum(const number *p_a, const number *p_b, float *p_c)
{
    ws_tensor a = ws_tensor_2d(p_a, NUMBER, SIZE, DEPTH), b = ws_tensor_2d(p_b, NUMBER, SIZE, DEPTH);
    ws_tensor c = ws_tensor_2d(p_c, WS_F32, SIZE, SIZE);
    #pragma ws grid(1)
    for (int i = 0; i < SIZE; i += 64) {
        ws_tile acc = ws_load(c, i, 0, 64, SIZE);
        for (int k = 0; k < DEPTH; k += TOGETHER) {
            ws_tile left = ws_load(a, i, k, 64, TOGETHER), right = ws_trans(ws_load(b, 0, k, SIZE, TOGETHER));
            if (SEED == 3)
                acc = ws_add(acc, ws_dot(left, right, ws_zeros(WS_F32, 64, SIZE)));
            else
                acc = ws_dot(left, right, acc);
        }
        ws_store(c, i, 0, acc);
    }
}
#endif

int main(void)
{
    number *a = numbers(1, -1), *b = numbers(2, 1);
    float *c = fuzz_array(WS_F32, SIZE * SIZE, 3, -1, 1);
    sum(a, b, c);
    fuzz_errors("sums");
    fuzz_show("sums", "c", c, WS_F32, SIZE * SIZE);
    return 0;
}
