/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.c - are the numbers of a GPU those of the sequential target, as far as rounding allows?
 *
 *   compare WANTED GOT SHAKEN...
 *
 * Files that FUZZ_DUMP made, in the same order of arrays.  SHAKEN are sequential runs with inputs a little off and
 * short sums of 8-bit products (short.c): an element may differ by eight times what they differ by, by the last bit of
 * its type, and by what sums in another order differ by.  A NaN among them allows anything.  One element in five
 * hundred may have fallen on the other side of a comparison or a rounding.  Prints the arrays that differ more, and how
 * many were compared.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 16 };

typedef struct {
    char kernel[64], name[64];
    size_t count;
    double *values;
} Array;

static bool read_array(FILE *in, Array *array)
{
    if (fscanf(in, "%63s %63s %zu", array->kernel, array->name, &array->count) != 3 || getc(in) != '\n')
        return false;
    array->values = malloc((array->count + 1) * sizeof *array->values);
    return array->values && fread(array->values, sizeof *array->values, array->count, in) == array->count;
}

static double largest(const Array *array)
{
    double most = 0;
    for (size_t i = 0; i < array->count; i++)
        if (isfinite(array->values[i]) && fabs(array->values[i]) > most)
            most = fabs(array->values[i]);
    return most;
}

/* The last bit of the type that the array seems to have, relative to its numbers.  */
static double last_bit(const Array *array)
{
    int bits = 2;
    for (size_t i = 0; i < array->count && bits <= 10; i++) {
        int exponent;
        double mantissa = isfinite(array->values[i]) ? frexp(array->values[i], &exponent) : 0;
        while (bits <= 10 && ldexp(mantissa, bits + 1) != floor(ldexp(mantissa, bits + 1)))
            bits++;
    }
    return bits <= 10 ? ldexp(1, -bits) : 0;
}

/* How far element i may be off; infinite where it hangs by a hair.  */
static double allowed(const Array *arrays, int count, size_t i, double scale, double bit)
{
    double wanted = arrays[0].values[i], shaken = 0;
    for (int k = 2; k < count; k++) {
        double off = fabs(arrays[k].values[i] - wanted);
        if (isnan(wanted) != isnan(arrays[k].values[i]) || (!isnan(off) && isinf(off)))
            return INFINITY;
        shaken = off > shaken ? off : shaken;
    }
    return 8 * shaken + (4e-3 + 2 * bit) * fabs(wanted) + 1e-5 * scale;
}

/* Elements that differ, if they are more than may be; the first is described.  */
static size_t differences(const Array *arrays, int count)
{
    size_t found = 0, first = 0;
    double scale = largest(&arrays[0]), bit = last_bit(&arrays[0]);
    for (size_t i = 0; i < arrays[0].count; i++) {
        double wanted = arrays[0].values[i], got = arrays[1].values[i], most = allowed(arrays, count, i, scale, bit);
        bool same = wanted == got || (isnan(wanted) && isnan(got)) || fabs(wanted - got) <= most || isinf(most);
        if (!same && !found++)
            first = i;
    }
    if (found <= 2 + arrays[0].count / 500)
        return 0;
    printf("%s differs: %s[%zu] is %g, not %g, and %zu more of %zu\n", arrays[0].kernel, arrays[0].name, first,
           arrays[1].values[first], arrays[0].values[first], found - 1, arrays[0].count);
    return found;
}

int main(int argc, char **argv)
{
    FILE *in[MOST_FILES];
    Array arrays[MOST_FILES];
    int count = argc - 1 < MOST_FILES ? argc - 1 : MOST_FILES, compared = 0, bad = 0;
    for (int i = 0; i < count; i++)
        if (!(in[i] = fopen(argv[i + 1], "rb"))) {
            perror(argv[i + 1]);
            return 2;
        }
    while (count >= 2 && read_array(in[0], &arrays[0])) {
        for (int i = 1; i < count; i++)
            if (!read_array(in[i], &arrays[i]) || strcmp(arrays[i].name, arrays[0].name) ||
                strcmp(arrays[i].kernel, arrays[0].kernel) || arrays[i].count != arrays[0].count) {
                printf("%s lacks array %s of kernel %s\n", argv[i + 1], arrays[0].name, arrays[0].kernel);
                return 1;
            }
        bad += differences(arrays, count) > 0;
        compared++;
        for (int i = 0; i < count; i++)
            free(arrays[i].values);
    }
    printf("%d arrays compared, %d differ\n", compared, bad);
    return bad > 0;
}
