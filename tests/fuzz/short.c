/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * short.c - products of 8-bit floats as Hopper's tensor core sums them, in the sequential programs of tests/fuzz/gpu.
 *
 * The unit adds 32 products to an element at a time.  Of these 33 numbers, and then of their sum, it keeps 13 bits
 * below the highest bit among them and cuts off the rest.  The 32, and 14 bits with the highest, are in section 3.5.2
 * of the DeepSeek-V3 Technical Report (arXiv 2412.19437).  That a product's highest bit is the product of its factors'
 * highest, and that the rest is cut off towards 0, is what makes 12,288 sums equal those of an H200 to the bit
 * (measured.c).
 *
 * It is part of what rounding may do, so it is measured with the rest: FUZZ_SHAKE=1 sums like that.  With others what
 * is below the kept bits becomes nothing or the last of them at random, on average what it was, for the same numbers
 * may come in another order.  Without FUZZ_SHAKE, and for other types, nothing is different.  Sums of pieces lose what
 * a piece loses.
 *
 * Linked with --wrap=ws_dot.
 */
#include "tile.h"

#include <math.h>
#include <stdlib.h>

enum { TOGETHER = 32, KEPT = 13 };

ws_tile __real_ws_dot(ws_tile a, ws_tile b, ws_tile acc);
ws_tile __wrap_ws_dot(ws_tile a, ws_tile b, ws_tile acc);

typedef struct {
    double *values, *highest; /* bits */
} Numbers;

static double highest_bit(double x)
{
    int exponent;
    frexp(x, &exponent);
    return x == 0 ? 0 : ldexp(1, exponent - 1);
}

static Numbers read_numbers(ws_tile x)
{
    size_t count = (size_t)x->rows * (size_t)x->cols;
    Numbers numbers = {(double *)malloc(count * sizeof(double)), (double *)malloc(count * sizeof(double))};
    if (!numbers.values || !numbers.highest)
        exit(2);
    ws_row_read(x->dtype, WS_COMPUTE_F64, (int)count, x->data, numbers.values);
    for (size_t i = 0; i < count; i++)
        numbers.highest[i] = highest_bit(numbers.values[i]);
    return numbers;
}

static void free_numbers(Numbers numbers)
{
    free(numbers.values);
    free(numbers.highest);
}

/* x without what is below the kept bits.  */
static double cut(double x, double highest, unsigned long long shake)
{
    static unsigned long long state;
    double last = ldexp(highest, -KEPT), bits = x / last;
    if (shake == 1)
        return trunc(bits) * last;
    state = (state + shake) * 6364136223846793005ull + 1442695040888963407ull;
    return floor(bits + (double)(state >> 40) * 0x1p-24) * last;
}

/* sum and the products of a row of a and a column of b.  */
static double add_products(double sum, Numbers a, size_t row, Numbers b, size_t col, size_t depth, size_t cols,
                           unsigned long long shake)
{
    for (size_t first = 0; first < depth; first += TOGETHER) {
        double highest = highest_bit(sum), total = 0;
        for (size_t k = first; k < first + TOGETHER; k++)
            highest = fmax(highest, a.highest[row * depth + k] * b.highest[k * cols + col]);
        if (highest == 0)
            continue;
        for (size_t k = first; k < first + TOGETHER; k++)
            total += cut(a.values[row * depth + k] * b.values[k * cols + col], highest, shake);
        total += cut(sum, highest, shake);
        sum = total == 0 ? 0 : cut(total, highest_bit(total), shake);
    }
    return sum;
}

ws_tile __wrap_ws_dot(ws_tile a, ws_tile b, ws_tile acc)
{
    ws_tile result = __real_ws_dot(a, b, acc);
    const char *text = getenv("FUZZ_SHAKE");
    unsigned long long shake = text ? strtoull(text, NULL, 0) : 0;
    if (!shake || (a->dtype != WS_RULE_E4M3 && a->dtype != WS_RULE_E5M2) || ws_error_pending())
        return result;

    Numbers x = read_numbers(a), y = read_numbers(b);
    size_t depth = (size_t)a->cols, cols = (size_t)b->cols;
    const float *before = (const float *)(const void *)acc->data;
    float *sums = (float *)(uintptr_t)result->data; /* nobody else has seen it yet */
    for (size_t i = 0; i < (size_t)a->rows * cols; i++)
        if (isfinite(sums[i]))
            sums[i] = (float)add_products(before[i], x, i / cols, y, i % cols, depth, cols, shake);
    free_numbers(x);
    free_numbers(y);
    return result;
}
